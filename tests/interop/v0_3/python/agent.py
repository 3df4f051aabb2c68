"""An agent that checks suppliers, built with the Python A2A SDK of protocol version 0.3.

In: nothing; it takes free ports of the loopback. Out: one line with the
address of its card, then it serves JSON-RPC, HTTP+JSON and gRPC until it is
told to end (SIGTERM or SIGINT). It answers like `examples/due-diligence`, and
offers push configs and an extended card besides. `check.py` is the one of the
agent of version 1.0.
"""

import asyncio
import dataclasses
import signal
import socket

import grpc
import uvicorn
from a2a.grpc.a2a_pb2_grpc import add_A2AServiceServicer_to_server
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.apps import A2AStarletteApplication
from a2a.server.apps.rest.rest_adapter import RESTAdapter
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import (
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
    TaskUpdater,
)
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Part,
    Role,
    TextPart,
    TransportProtocol,
)
from a2a.utils import get_message_text, new_task
from starlette.routing import Mount, Route

from check import Ask, End, next_step

LOOPBACK = "127.0.0.1"
SKILL = AgentSkill(
    id="supplier-due-diligence",
    name="Supplier check",
    description="Checks one supplier and writes a report of three lines.",
    tags=["procurement", "risk"],
    examples=["请尽调星河科技", "Check Star River Tech, region: China"],
)
# Only callers of the extended card learn of it.
EXTENDED_SKILL = AgentSkill(
    id="supplier-history",
    name="Earlier checks",
    description="Tells what earlier checks of the supplier found.",
    tags=["procurement"],
)


@dataclasses.dataclass
class Running:
    """A turn that works until it is stopped."""

    stop: asyncio.Event = dataclasses.field(default_factory=asyncio.Event)
    stopped: asyncio.Event = dataclasses.field(default_factory=asyncio.Event)


class DueDiligence(AgentExecutor):
    """What was said is in the task's history; kept is only what can be stopped."""

    def __init__(self) -> None:
        self.running: dict[str, Running] = {}

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        task = context.current_task
        if task is None:
            task = new_task(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        say = lambda text: updater.new_agent_message([Part(root=TextPart(text=text))])  # noqa: E731

        turns = [get_message_text(m) for m in task.history or [] if m.role == Role.user]
        step = next_step(turns)
        match step:
            case Ask(question):
                await updater.requires_input(say(question), final=True)
            case End("reject"):
                await updater.reject(say("This agent checks suppliers and nothing else"))
            case End("fail"):
                await updater.start_work()
                await updater.failed(say("The register of suppliers cannot be reached"))
            case End():
                running = self.running[task.id] = Running()
                await updater.start_work(say("This takes until you cancel it"))
                await running.stop.wait()
                await updater.cancel()
                del self.running[task.id]
                running.stopped.set()
            case report:
                await updater.start_work(say(report.progress))
                await add_in_chunks(updater, "due-diligence-report", report.text)
                await updater.complete(say(report.done))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        if running := self.running.get(context.task_id):
            # What `execute` says reaches everybody; what is said here, this call alone.
            running.stop.set()
            await running.stopped.wait()
            return
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def add_in_chunks(updater: TaskUpdater, name: str, text: str) -> None:
    """Publishes a text as one artifact with a part for each line, one event for each part."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        await updater.add_artifact(
            [Part(root=TextPart(text=line))],
            artifact_id=f"{updater.task_id}-{name}",
            name=name,
            append=index > 0,
            last_chunk=index == len(lines) - 1,
        )


def agent_card(http_port: int, grpc_port: int) -> AgentCard:
    base = f"http://{LOOPBACK}:{http_port}"
    interfaces = {
        TransportProtocol.jsonrpc: f"{base}/rpc",
        TransportProtocol.http_json: f"{base}/rest",
        # The SDK's own client gives it to gRPC as it is, which wants no scheme.
        TransportProtocol.grpc: f"{LOOPBACK}:{grpc_port}",
    }
    return AgentCard(
        name="供应商尽调 Agent (Python, 0.3)",
        description="Checks suppliers, in Chinese and English. Its answers are made up.",
        version="0.1.0",
        url=interfaces[TransportProtocol.jsonrpc],
        preferred_transport=TransportProtocol.jsonrpc,
        additional_interfaces=[
            AgentInterface(transport=transport, url=url) for transport, url in interfaces.items()
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=True),
        supports_authenticated_extended_card=True,
        default_input_modes=["text/plain", "application/json"],
        default_output_modes=["text/plain"],
        skills=[SKILL],
    )


async def serve() -> None:
    http_socket = socket.create_server((LOOPBACK, 0))
    grpc_server = grpc.aio.server()
    grpc_port = grpc_server.add_insecure_port(f"{LOOPBACK}:0")

    card = agent_card(http_socket.getsockname()[1], grpc_port)
    extended = card.model_copy(update={"skills": [SKILL, EXTENDED_SKILL]})
    handler = DefaultRequestHandler(
        agent_executor=DueDiligence(),
        task_store=InMemoryTaskStore(),
        push_config_store=InMemoryPushNotificationConfigStore(),
    )
    # Over gRPC the SDK has one card only, which is the one that this call hands out.
    add_A2AServiceServicer_to_server(GrpcHandler(extended, handler), grpc_server)
    await grpc_server.start()

    app = A2AStarletteApplication(card, handler, extended_agent_card=extended).build(rpc_url="/rpc")
    rest = RESTAdapter(card, handler, extended_agent_card=extended)
    app.routes.append(
        Mount(
            "/rest",
            routes=[
                Route(path, endpoint, methods=[method])
                for (path, method), endpoint in rest.routes().items()
            ],
        )
    )
    http_server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
    )
    # uvicorn handles the signals while it serves; this covers the time before.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(f"card  {card.url.removesuffix('/rpc')}/.well-known/agent-card.json", flush=True)
    try:
        await http_server.serve(sockets=[http_socket])
    finally:
        await grpc_server.stop(grace=None)


if __name__ == "__main__":
    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        pass

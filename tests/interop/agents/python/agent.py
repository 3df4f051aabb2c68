"""An agent that checks suppliers, built with the Python A2A SDK.

In: nothing; it takes free ports of the loopback. Out: one line with the
address of its card, then it serves JSON-RPC, HTTP+JSON and gRPC until it is
told to end (SIGTERM or SIGINT). It answers like `examples/due-diligence`, and
offers push configs and an extended card besides.
"""

import asyncio
import signal
import socket

import grpc
import uvicorn
from a2a.helpers import get_message_text, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import (
    create_agent_card_routes,
    create_jsonrpc_routes,
    create_rest_routes,
)
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
    Role,
    Task,
    TaskState,
    TaskStatus,
)
from a2a.types.a2a_pb2_grpc import add_A2AServiceServicer_to_server
from starlette.applications import Starlette
from starlette.routing import Mount

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


class DueDiligence(AgentExecutor):
    """Keeps nothing between the turns: what was said is in the task's history."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        task = context.current_task
        if task is None:
            task = Task(
                id=context.task_id,
                context_id=context.context_id,
                status=TaskStatus(state=TaskState.TASK_STATE_SUBMITTED),
                history=[context.message],
            )
            task.status.timestamp.GetCurrentTime()
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        say = lambda text: updater.new_agent_message([new_text_part(text)])  # noqa: E731

        earlier = [m for m in task.history if m.message_id != context.message.message_id]
        turns = [get_message_text(m) for m in earlier if m.role == Role.ROLE_USER]
        step = next_step([*turns, context.get_user_input()])
        match step:
            case Ask(question):
                await updater.requires_input(say(question))
            case End("reject"):
                await updater.reject(say("This agent checks suppliers and nothing else"))
            case End("fail"):
                await updater.start_work()
                await updater.failed(say("The register of suppliers cannot be reached"))
            case End():
                await updater.start_work(say("This takes until you cancel it"))
                # The SDK cancels this coroutine when the task is canceled.
                await asyncio.Event().wait()
            case report:
                await updater.start_work(say(report.progress))
                await updater.add_artifact(
                    [new_text_part(report.text)], name="due-diligence-report", last_chunk=True
                )
                await updater.complete(say(report.done))

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        task = context.current_task
        context_id = task.context_id if task else context.context_id
        await TaskUpdater(event_queue, context.task_id, context_id).cancel()


def agent_card(http_port: int, grpc_port: int) -> AgentCard:
    base = f"http://{LOOPBACK}:{http_port}"
    interfaces = {
        "JSONRPC": f"{base}/rpc",
        "HTTP+JSON": f"{base}/rest",
        # The SDK's own client gives it to gRPC as it is, which wants no scheme.
        "GRPC": f"{LOOPBACK}:{grpc_port}",
    }
    return AgentCard(
        name="供应商尽调 Agent (Python)",
        description="Checks suppliers, in Chinese and English. Its answers are made up.",
        version="0.1.0",
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding=binding, protocol_version="1.0")
            for binding, url in interfaces.items()
        ],
        capabilities=AgentCapabilities(
            streaming=True, push_notifications=True, extended_agent_card=True
        ),
        default_input_modes=["text/plain", "application/json"],
        default_output_modes=["text/plain"],
        skills=[SKILL],
    )


def extended(card: AgentCard) -> AgentCard:
    longer = AgentCard()
    longer.CopyFrom(card)
    longer.skills.append(EXTENDED_SKILL)
    return longer


async def serve() -> None:
    http_socket = socket.create_server((LOOPBACK, 0))
    grpc_server = grpc.aio.server()
    grpc_port = grpc_server.add_insecure_port(f"{LOOPBACK}:0")

    card = agent_card(http_socket.getsockname()[1], grpc_port)
    handler = DefaultRequestHandler(
        agent_executor=DueDiligence(),
        task_store=InMemoryTaskStore(),
        agent_card=card,
        push_config_store=InMemoryPushNotificationConfigStore(),
        extended_agent_card=extended(card),
        validate_input_modes=True,
    )
    add_A2AServiceServicer_to_server(GrpcHandler(handler), grpc_server)
    await grpc_server.start()

    app = Starlette(
        routes=[
            *create_agent_card_routes(card),
            *create_jsonrpc_routes(handler, "/rpc"),
            Mount("/rest", routes=create_rest_routes(handler)),
        ]
    )
    http_server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
    )
    # uvicorn handles the signals while it serves; this covers the time before.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(f"card  {card.supported_interfaces[0].url.removesuffix('/rpc')}"
          "/.well-known/agent-card.json", flush=True)  # fmt: skip
    try:
        await http_server.serve(sockets=[http_socket])
    finally:
        await grpc_server.stop(grace=None)
        await handler.aclose()


if __name__ == "__main__":
    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        pass

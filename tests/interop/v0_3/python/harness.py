"""What every scenario uses: the report of the steps, and a client to talk with.

In: a card, a transport, whether to stream. Out: a `Session` that sends messages
and folds what comes back into a `Turn`, and a `Report` that prints and counts.
"""

import contextlib
import dataclasses
import urllib.parse
import uuid

import grpc
import httpx
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.types import (
    AgentCard,
    Message,
    MessageSendConfiguration,
    Part,
    PushNotificationConfig,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskIdParams,
    TaskQueryParams,
    TextPart,
)

# A scenario takes well under a second; this ends one that hangs.
SCENARIO_SECONDS = 30


class Abandon(Exception):
    """A step failed and is reported; the rest of its scenario is left out."""


class Report:
    """Counts and prints the steps."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.scenario = ""

    @contextlib.contextmanager
    def step(self, name: str):
        try:
            yield
        except Exception as error:
            self.fail(name, error)
            raise Abandon from error
        self.passed += 1
        print(f"ok   {self.scenario}: {name}", flush=True)

    def fail(self, name: str, error: BaseException) -> None:
        self.failed += 1
        reason = " ".join(str(error).split()) or "no reason given"
        print(f"FAIL {self.scenario}: {name}: {type(error).__name__}: {reason}", flush=True)


def equal(what: str, got: object, want: object) -> None:
    assert got == want, f"{what} is {got!r}, expected {want!r}"


def in_order(trail: list[str], wanted: list[str]) -> None:
    """Asserts that `wanted` occurs within `trail` in this order."""
    rest = iter(trail)
    missing = [mark for mark in wanted if mark not in rest]
    assert not missing, f"{missing} not seen in this order within {trail}"


@dataclasses.dataclass(frozen=True)
class Refusal:
    """One error of A2A, as this client tells it: over JSON-RPC it has the code, over HTTP+JSON
    the HTTP status and nothing else, over gRPC the gRPC status. Version 0.3 fixes the code alone;
    the statuses are those that servers of the SDKs answer with."""

    code: int
    http: tuple[int, ...]
    grpc: tuple[grpc.StatusCode, ...]


TASK_NOT_FOUND = Refusal(-32001, (404,), (grpc.StatusCode.NOT_FOUND,))
TASK_NOT_CANCELABLE = Refusal(
    -32002, (400, 409), (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.UNIMPLEMENTED)
)
PUSH_NOT_SUPPORTED = Refusal(
    -32003, (400, 501), (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.UNIMPLEMENTED)
)
CONTENT_TYPE_NOT_SUPPORTED = Refusal(
    -32005, (400, 415), (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNIMPLEMENTED)
)


@contextlib.contextmanager
def refused_with(refusal: Refusal):
    """Asserts that the call inside is refused so."""
    try:
        yield
    except A2AClientJSONRPCError as error:
        equal("code", error.error.code, refusal.code)
    except A2AClientHTTPError as error:
        # A response that is no event stream is a 400 to this client, whatever it is.
        assert "SSE" not in error.message, f"the error did not come as an event: {error}"
        assert error.status_code in refusal.http, f"HTTP status is {error.status_code}: {error}"
    except grpc.aio.AioRpcError as error:
        assert error.code() in refusal.grpc, f"gRPC status is {error.code()}: {error.details()}"
    else:
        raise AssertionError(f"expected {refusal.code}, the call succeeded")


class Turn:
    """What one message led to: the answer, or the events of a stream."""

    def __init__(self, *, goes_on: bool = False) -> None:
        self.trail: list[str] = []
        self.task: Task | None = None
        self.goes_on = goes_on
        self.is_final = False

    def add(self, event) -> None:
        assert not isinstance(event, Message), f"a message in place of a task: {event}"
        # The client folds the events of a stream into the task by itself.
        task, update = event
        if self.task is not None:
            equal("task id", task.id, self.task.id)
            equal("context id", task.context_id, self.task.context_id)
        elif not self.goes_on:
            # Agents of the Python SDK send the task for new tasks alone.
            assert update is None, f"the first event is {update.kind}, not the task"
        self.task = task
        if update is None:
            self.trail.append(task.status.state.value)
        elif isinstance(update, TaskArtifactUpdateEvent):
            self.trail.append(f"artifact {update.artifact.name}")
        else:
            self.trail.append(update.status.state.value)
            self.is_final = update.final

    @property
    def state(self) -> str:
        return self.task.status.state.value


@contextlib.asynccontextmanager
async def open_http():
    # Loopback only: a proxy of the environment has no business here.
    async with httpx.AsyncClient(trust_env=False, timeout=SCENARIO_SECONDS) as http:
        yield http


def grpc_target(url: str) -> str:
    """gRPC wants `host:port`, cards may give URLs."""
    return urllib.parse.urlsplit(url).netloc if "://" in url else url


def grpc_channel(url: str) -> grpc.aio.Channel:
    """Opens a channel without TLS."""
    return grpc.aio.insecure_channel(grpc_target(url), options=[("grpc.enable_http_proxy", 0)])


@dataclasses.dataclass
class Session:
    """A client that is bound to one transport, and how it sends messages."""

    report: Report
    card: AgentCard
    transport: str
    streaming: bool
    http: httpx.AsyncClient
    client: Client | None = None

    def new_client(
        self, *, streaming: bool, push_config: PushNotificationConfig | None = None
    ) -> Client:
        return ClientFactory(
            ClientConfig(
                streaming=streaming,
                push_notification_configs=[push_config] if push_config else [],
                supported_transports=[self.transport],
                httpx_client=self.http,
                grpc_channel_factory=grpc_channel,
                accepted_output_modes=["text/plain"],
            )
        ).create(self.card)

    async def send(self, text: str, **ids: str) -> Turn:
        return await self.send_message(user_message(text, **ids))

    async def send_message(self, message: Message) -> Turn:
        """Sends and takes all that comes back, until the agent is done."""
        turn = Turn(goes_on=message.task_id is not None)
        answers = self.client.send_message(message)
        async with contextlib.aclosing(answers):
            async for event in answers:
                turn.add(event)
        assert turn.trail, "the answer holds no event at all"
        if self.streaming:
            assert turn.is_final, "the last event is not final"
        else:
            equal("number of answers", len(turn.trail), 1)
        return turn

    async def start_slow(self, push_config: PushNotificationConfig | None = None) -> Task:
        """Starts a task that works until canceled, without waiting for it."""
        client = self.new_client(streaming=False, push_config=push_config)
        configuration = MessageSendConfiguration(blocking=False)
        answers = client.send_message(user_message("slow"), configuration=configuration)
        [(task, _)] = [answer async for answer in answers]
        state = task.status.state.value
        assert state in ("submitted", "working"), f"state is {state}"
        return task

    async def get(self, task_id: str, **options) -> Task:
        return await self.client.get_task(TaskQueryParams(id=task_id, **options))

    async def cancel(self, task_id: str) -> Task:
        return await self.client.cancel_task(TaskIdParams(id=task_id))

    def resubscribe(self, task_id: str):
        return self.client.resubscribe(TaskIdParams(id=task_id))


def user_message(text: str, *more: Part, **ids: str) -> Message:
    return Message(
        role=Role.user,
        message_id=str(uuid.uuid4()),
        parts=[Part(root=TextPart(text=text)), *more],
        **ids,
    )


def message_text(message: Message) -> str:
    return parts_text(message.parts)


def parts_text(parts: list[Part]) -> str:
    """The texts among parts, one per line."""
    return "\n".join(part.root.text for part in parts if isinstance(part.root, TextPart))

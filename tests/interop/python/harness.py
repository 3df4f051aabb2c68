"""What every scenario uses: the report of the steps, and a client to talk with.

In: a card, a binding, whether to stream. Out: a `Session` that sends messages
and folds what comes back into a `Turn`, and a `Report` that prints and counts.
"""

import contextlib
import dataclasses
import urllib.parse

import grpc
import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import new_text_message
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskState,
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
        print(
            f"FAIL {self.scenario}: {name}: {type(error).__name__}: {reason}",
            flush=True,
        )


def equal(what: str, got: object, want: object) -> None:
    assert got == want, f"{what} is {got!r}, expected {want!r}"


def state_name(state: int) -> str:
    return TaskState.Name(state).removeprefix("TASK_STATE_")


def in_order(trail: list[str], wanted: list[str]) -> None:
    """Asserts that `wanted` occurs within `trail` in this order."""
    rest = iter(trail)
    missing = [mark for mark in wanted if mark not in rest]
    assert not missing, f"{missing} not seen in this order within {trail}"


@contextlib.contextmanager
def refused_with(error: type[Exception]):
    """Asserts that the call inside raises the client's own error type."""
    try:
        yield
    except error:
        return
    except Exception as other:
        raise AssertionError(
            f"expected {error.__name__}, the client raised "
            f"{type(other).__name__}: {other}"
        ) from other
    raise AssertionError(f"expected {error.__name__}, the call succeeded")


@contextlib.contextmanager
def refused():
    """Asserts that the call inside fails, as whatever."""
    try:
        yield
    except Exception:
        return
    raise AssertionError("the call succeeded")


class Turn:
    """What one message led to: the answer, or a stream's events folded."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.trail: list[str] = []
        self.task = Task()

    def add(self, event) -> None:
        kind = event.WhichOneof("payload")
        assert self.kinds or kind == "task", f"the first event is a {kind}, not the task"
        self.kinds.append(str(kind))
        if kind == "task":
            self.task.CopyFrom(event.task)
            self.trail.append(state_name(event.task.status.state))
        elif kind == "status_update":
            update = event.status_update
            self.check_ids(update)
            self.task.status.CopyFrom(update.status)
            self.trail.append(state_name(update.status.state))
        elif kind == "artifact_update":
            update = event.artifact_update
            self.check_ids(update)
            self.trail.append(f"artifact {update.artifact.name}")
            self.add_artifact(update)
        else:
            raise AssertionError(f"an event of kind {kind}: {event}")

    def check_ids(self, update) -> None:
        equal("task id of an update", update.task_id, self.task.id)
        equal("context id of an update", update.context_id, self.task.context_id)

    def add_artifact(self, update) -> None:
        known = [
            artifact
            for artifact in self.task.artifacts
            if artifact.artifact_id == update.artifact.artifact_id
        ]
        if not known:
            self.task.artifacts.append(update.artifact)
        elif update.append:
            known[0].parts.extend(update.artifact.parts)
        else:
            known[0].CopyFrom(update.artifact)

    @property
    def state(self) -> str:
        return state_name(self.task.status.state)


@contextlib.asynccontextmanager
async def open_http():
    # Loopback only: a proxy of the environment has no business here.
    async with httpx.AsyncClient(trust_env=False, timeout=SCENARIO_SECONDS) as http:
        yield http


def grpc_channel(url: str) -> grpc.aio.Channel:
    """Opens a channel without TLS; gRPC wants `host:port`, cards give URLs."""
    target = urllib.parse.urlsplit(url).netloc if "://" in url else url
    return grpc.aio.insecure_channel(
        target, options=[("grpc.enable_http_proxy", 0)]
    )


@dataclasses.dataclass
class Session:
    """A client that is bound to one binding, and how it sends messages."""

    report: Report
    card: AgentCard
    binding: str
    streaming: bool
    http: httpx.AsyncClient
    # The agent is behind a gateway, and of version 0.3.
    old: bool = False
    client: object = None

    def new_client(self, *, streaming: bool):
        return ClientFactory(
            ClientConfig(
                streaming=streaming,
                supported_protocol_bindings=[self.binding],
                httpx_client=self.http,
                grpc_channel_factory=grpc_channel,
                accepted_output_modes=["text/plain"],
            )
        ).create(self.card)

    def events(self, client, message: Message, *, immediately: bool = False):
        configuration = SendMessageConfiguration(return_immediately=immediately)
        return client.send_message(
            SendMessageRequest(message=message, configuration=configuration)
        )

    async def send(self, text: str, **ids: str) -> Turn:
        return await self.send_message(user_message(text, **ids))

    async def send_message(self, message: Message) -> Turn:
        """Sends and takes all that comes back, until the agent is done."""
        turn = Turn()
        async with contextlib.aclosing(self.events(self.client, message)) as events:
            async for event in events:
                turn.add(event)
        assert turn.kinds, "the answer holds no event at all"
        if not self.streaming:
            equal("number of answers", len(turn.kinds), 1)
        return turn

    async def start_slow(self) -> Task:
        """Starts a task that works until canceled, without waiting for it."""
        async with self.new_client(streaming=False) as client:
            answers = [
                event
                async for event in self.events(
                    client, user_message("slow"), immediately=True
                )
            ]
        equal("number of answers", len(answers), 1)
        assert answers[0].HasField("task"), f"not a task: {answers[0]}"
        task = answers[0].task
        state = state_name(task.status.state)
        assert state in ("SUBMITTED", "WORKING"), f"state is {state}"
        return task

    async def get(self, task_id: str, **options) -> Task:
        return await self.client.get_task(GetTaskRequest(id=task_id, **options))

    async def list(self, context_id: str, **options):
        return await self.client.list_tasks(
            ListTasksRequest(context_id=context_id, **options)
        )

    async def cancel(self, task_id: str) -> Task:
        return await self.client.cancel_task(CancelTaskRequest(id=task_id))

    async def subscribe(self, task_id: str):
        return [
            event
            async for event in self.client.subscribe(
                SubscribeToTaskRequest(id=task_id)
            )
        ]


def user_message(text: str, **ids: str) -> Message:
    return new_text_message(text, role=Role.ROLE_USER, **ids)

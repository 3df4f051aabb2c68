"""The Python A2A client shows who it is, with its own interceptor and credential store.

In: a file with what `guarded-agent` prints: where its card is, and credentials.
Out: a line per step, at the end a line `N passed, M failed`; the exit status is
1 when anything failed.

On each binding, with API keys and with bearer tokens, streaming and not: who
has the right credentials is known by name, others are refused, and what belongs
to one caller does not exist for another.
"""

import asyncio
import faulthandler
import pathlib
import sys

from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, ClientFactory
from a2a.client.auth import AuthInterceptor, InMemoryContextCredentialStore
from a2a.client.errors import A2AClientError
from a2a.helpers import get_message_text
from a2a.types import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
)
from a2a.utils.errors import A2AError, TaskNotFoundError

from conversation import BINDINGS, guarded
from harness import (
    Report,
    Turn,
    equal,
    grpc_channel,
    open_http,
    refused_with,
    state_name,
    user_message,
)

RUN_SECONDS = 300
KINDS = ("key", "token")
# How the client tells of HTTP 401 and 403, and of the statuses of gRPC.
UNAUTHENTICATED = ("401", "UNAUTHENTICATED", "-32000")
DENIED = ("403", "PERMISSION_DENIED", "-32000")


class Caller:
    """A client whose calls are made in the sessions of several callers."""

    def __init__(self, client, store) -> None:
        self.client = client
        self.store = store

    def as_(self, who: str) -> dict:
        return {"context": ClientCallContext(state={"sessionId": who})}

    async def turn(self, who: str, text: str, **ids: str) -> Turn:
        turn = Turn()
        request = SendMessageRequest(
            message=user_message(text, **ids),
            configuration=SendMessageConfiguration(return_immediately=False),
        )
        async for event in self.client.send_message(request, **self.as_(who)):
            turn.add(event)
        return turn

    async def get(self, who: str, task_id: str):
        return await self.client.get_task(GetTaskRequest(id=task_id), **self.as_(who))


async def refused_as(call, expected: tuple[str, ...]) -> None:
    """Asserts that a call is refused, and that the client says as what."""
    try:
        await call
    except (A2AClientError, A2AError) as error:
        told = f"{type(error).__name__}: {error!r} {error.__cause__!r}"
        assert any(mark in told for mark in expected), f"{expected} is not told by {told}"
        return
    raise AssertionError("the call succeeded")


async def who_calls(report: Report, caller: Caller) -> None:
    for who in ("alice", "bob"):
        with report.step(f"{who} is known as {who}"):
            turn = await caller.turn(who, "caller")
            equal("state", turn.state, "COMPLETED")
            equal("who calls", get_message_text(turn.task.status.message), who)
    with report.step("the extended card is for who is known"):
        request = GetExtendedAgentCardRequest()
        card = await caller.client.get_extended_agent_card(request, **caller.as_("alice"))
        equal("name", card.name, "Scripted, extended")


async def refusals(report: Report, caller: Caller, others: tuple[str, ...]) -> None:
    for who in ("nobody", *others):
        expected = DENIED if who == "weak" else UNAUTHENTICATED
        calls = {
            "SendMessage": lambda who=who: caller.turn(who, "caller"),
            "GetTask": lambda who=who: caller.get(who, "t"),
            "ListTasks": lambda who=who: caller.client.list_tasks(
                ListTasksRequest(), **caller.as_(who)
            ),
        }
        for operation, call in calls.items():
            with report.step(f"{operation} of {who} is refused"):
                await refused_as(call(), expected)


async def apart(report: Report, caller: Caller) -> None:
    client, bob = caller.client, caller.as_("bob")
    with report.step("alice has a task with a webhook"):
        turn = await caller.turn("alice", "ask where?")
        equal("state", turn.state, "INPUT_REQUIRED")
        task = turn.task.id
        hook = TaskPushNotificationConfig(
            task_id=task, id="hook", url="http://127.0.0.1:9/hook", token="interop"
        )
        await client.create_task_push_notification_config(hook, **caller.as_("alice"))
    hooks = {"task_id": task, "id": "hook"}

    async def follow() -> None:
        async for event in client.subscribe(SubscribeToTaskRequest(id=task), **bob):
            raise AssertionError(f"bob follows it: {event}")

    calls = {
        "GetTask": lambda: caller.get("bob", task),
        "CancelTask": lambda: client.cancel_task(CancelTaskRequest(id=task), **bob),
        "SendMessage": lambda: caller.turn("bob", "here", task_id=task),
        "CreateTaskPushNotificationConfig": lambda: client.create_task_push_notification_config(
            hook, **bob
        ),
        "GetTaskPushNotificationConfig": lambda: client.get_task_push_notification_config(
            GetTaskPushNotificationConfigRequest(**hooks), **bob
        ),
        "ListTaskPushNotificationConfigs": lambda: client.list_task_push_notification_configs(
            ListTaskPushNotificationConfigsRequest(task_id=task), **bob
        ),
        "DeleteTaskPushNotificationConfig": lambda: client.delete_task_push_notification_config(
            DeleteTaskPushNotificationConfigRequest(**hooks), **bob
        ),
    }
    if client._config.streaming:
        calls["SubscribeToTask"] = follow
    for operation, call in calls.items():
        with report.step(f"{operation} of bob does not find it"), refused_with(TaskNotFoundError):
            await call()
    with report.step("nor does his list"):
        listed = await client.list_tasks(ListTasksRequest(page_size=100), **bob)
        assert task not in [each.id for each in listed.tasks], "bob lists it"
    with report.step("and alice goes on with it"):
        equal("state", state_name((await caller.get("alice", task)).status.state), "INPUT_REQUIRED")
        turn = await caller.turn("alice", "caller", task_id=task)
        equal("who calls", get_message_text(turn.task.status.message), "alice")


def read(text: str) -> tuple[str, dict[str, dict[str, str]]]:
    """What the agent printed: its address; for each kind, who has which credential."""
    base, known = "", {kind: {} for kind in KINDS}
    for line in text.splitlines():
        kind, *rest = line.split()
        if kind == "card":
            base = rest[0].partition("/.well-known/")[0]
        else:
            known[kind][rest[0]] = rest[1]
    return base, known


async def play(report: Report, base: str, binding: str, kind: str, credentials, streaming, scenario):
    store = InMemoryContextCredentialStore()
    for who, credential in credentials.items():
        await store.set_credentials(who, kind, credential)
    async with open_http() as http:
        card = await A2ACardResolver(http, base).get_agent_card()
        config = ClientConfig(
            streaming=streaming,
            supported_protocol_bindings=[binding],
            httpx_client=http,
            grpc_channel_factory=grpc_channel,
        )
        client = ClientFactory(config).create(card, [AuthInterceptor(store)])
        async with client:
            await scenario(report, Caller(client, store))


async def run(text: str) -> Report:
    base, known = read(text)
    report = Report()
    for binding in BINDINGS:
        for kind in KINDS:
            others = tuple(who for who in known[kind] if who not in ("alice", "bob"))

            async def refuse(report: Report, caller: Caller, others=others) -> None:
                await refusals(report, caller, others)

            for streaming in (False, True):
                for name, scenario in (("known", who_calls), ("refused", refuse), ("apart", apart)):
                    way = "stream" if streaming else "single"
                    work = play(report, base, binding, kind, known[kind], streaming, scenario)
                    await guarded(report, f"{binding} {kind} {way} {name}", work)
    return report


def main() -> int:
    if not __debug__:
        sys.exit("authentication.py checks with `assert`: run it without -O and PYTHONOPTIMIZE")
    if len(sys.argv) != 2:
        sys.exit("usage: authentication.py FILE   (with the output of guarded-agent)")
    faulthandler.dump_traceback_later(RUN_SECONDS, exit=True)
    report = asyncio.run(run(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
    faulthandler.cancel_dump_traceback_later()
    print(f"{report.passed} passed, {report.failed} failed", flush=True)
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())

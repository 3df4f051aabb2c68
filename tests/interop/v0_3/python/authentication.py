"""The Python A2A client of protocol version 0.3 shows who it is.

In: a file with what `guarded-agent` prints: where its card is, and credentials.
Out: a line per step, at the end a line `N passed, M failed`; the exit status is
1 when anything failed.

Over JSON-RPC the client's own interceptor sends what its own credential store
has. It does nothing over the other transports in this version: there the headers
and metadata are those of the libraries below it.
"""

import asyncio
import faulthandler
import pathlib
import sys

import grpc
from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, ClientFactory
from a2a.client.auth import AuthInterceptor, InMemoryContextCredentialStore
from a2a.client.errors import A2AClientHTTPError
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    PushNotificationConfig,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
)

from conversation import TRANSPORTS, guarded
from harness import (
    TASK_NOT_FOUND,
    Refusal,
    Report,
    Turn,
    equal,
    grpc_target,
    message_text,
    open_http,
    refused_with,
    user_message,
)

RUN_SECONDS = 200
KINDS = ("key", "token")
UNAUTHENTICATED = Refusal(-32000, (401,), (grpc.StatusCode.UNAUTHENTICATED,))
DENIED = Refusal(-32000, (403,), (grpc.StatusCode.PERMISSION_DENIED,))


class Metadata:
    """Sends headers with every call over gRPC."""

    def __init__(self, headers: dict[str, str]) -> None:
        self.headers = headers

    def details(self, details):
        metadata = list(details.metadata or [])
        metadata += [(name.lower(), value) for name, value in self.headers.items()]
        return details._replace(metadata=grpc.aio.Metadata(*metadata))


class ForAnswers(Metadata, grpc.aio.UnaryUnaryClientInterceptor):
    async def intercept_unary_unary(self, continuation, details, request):
        return await continuation(self.details(details), request)


class ForStreams(Metadata, grpc.aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(self, continuation, details, request):
        return await continuation(self.details(details), request)


class Caller:
    """One caller's client."""

    def __init__(self, client, context) -> None:
        self.client = client
        self.context = {"context": context}

    async def turn(self, text: str, **ids: str) -> Turn:
        turn = Turn(goes_on="task_id" in ids)
        async for event in self.client.send_message(user_message(text, **ids), **self.context):
            turn.add(event)
        return turn

    async def get(self, task_id: str):
        return await self.client.get_task(TaskQueryParams(id=task_id), **self.context)


async def caller(base: str, http, transport: str, kind: str, credential: str | None, streaming):
    headers = {}
    if credential and transport != "JSONRPC":
        headers = {"X-Key": credential} if kind == "key" else {}
        headers = headers or {"Authorization": f"Bearer {credential}"}
    if transport == "HTTP+JSON":
        http.headers.update(headers)
    store = InMemoryContextCredentialStore()
    if credential:
        await store.set_credentials("session", kind, credential)

    def channel(url: str) -> grpc.aio.Channel:
        return grpc.aio.insecure_channel(
            grpc_target(url),
            [("grpc.enable_http_proxy", 0)],
            interceptors=[ForAnswers(headers), ForStreams(headers)],
        )

    card = await A2ACardResolver(http, base).get_agent_card()
    config = ClientConfig(
        streaming=streaming,
        supported_transports=[transport],
        httpx_client=http,
        grpc_channel_factory=channel,
    )
    client = ClientFactory(config).create(card, interceptors=[AuthInterceptor(store)])
    return Caller(client, ClientCallContext(state={"sessionId": "session"}))


async def known_and_apart(
    report: Report, alice: Caller, bob: Caller, transport: str, streaming: bool
) -> None:
    for who, each in (("alice", alice), ("bob", bob)):
        with report.step(f"{who} is known as {who}"):
            turn = await each.turn("caller")
            equal("state", turn.state, "completed")
            equal("who calls", message_text(turn.task.status.message), who)
    with report.step("alice has a task with a webhook"):
        turn = await alice.turn("ask where?")
        equal("state", turn.state, "input-required")
        task = turn.task.id
        hook = TaskPushNotificationConfig(
            task_id=task,
            push_notification_config=PushNotificationConfig(
                id="hook", url="http://127.0.0.1:9/hook", token="interop"
            ),
        )
        await alice.client.set_task_callback(hook, **alice.context)
    client, context = bob.client, bob.context

    async def follow() -> None:
        async for event in client.resubscribe(TaskIdParams(id=task), **context):
            raise AssertionError(f"bob follows it: {event}")

    query = GetTaskPushNotificationConfigParams(id=task, push_notification_config_id="hook")
    calls = {
        "GetTask": lambda: bob.get(task),
        "CancelTask": lambda: client.cancel_task(TaskIdParams(id=task), **context),
        "SendMessage": lambda: bob.turn("here", task_id=task),
        "SetTaskPushNotificationConfig": lambda: client.set_task_callback(hook, **context),
        "GetTaskPushNotificationConfig": lambda: client.get_task_callback(query, **context),
    }
    # Over HTTP+JSON this client does not look at the status of this answer.
    if streaming and transport != "HTTP+JSON":
        calls["TaskResubscription"] = follow
    for operation, call in calls.items():
        with report.step(f"{operation} of bob does not find it"), refused_with(TASK_NOT_FOUND):
            await call()
    if streaming and transport == "HTTP+JSON":
        with report.step("TaskResubscription of bob follows nothing"):
            try:
                await follow()
            except A2AClientHTTPError:
                pass
            else:
                raise AssertionError("the call succeeded")
    with report.step("and alice goes on with it"):
        equal("state", (await alice.get(task)).status.state.value, "input-required")
        turn = await alice.turn("caller", task_id=task)
        equal("who calls", message_text(turn.task.status.message), "alice")


async def refusals(report: Report, who: str, each: Caller) -> None:
    expected = DENIED if who == "weak" else UNAUTHENTICATED
    calls = {"SendMessage": lambda: each.turn("caller"), "GetTask": lambda: each.get("t")}
    for operation, call in calls.items():
        with report.step(f"{operation} of {who} is refused"), refused_with(expected):
            await call()


def read(text: str) -> tuple[str, dict[str, dict[str, str | None]]]:
    """What the agent printed: its address; for each kind, who has which credential."""
    base, known = "", {kind: {"nobody": None} for kind in KINDS}
    for line in text.splitlines():
        kind, *rest = line.split()
        if kind == "card":
            base = rest[0].partition("/.well-known/")[0]
        else:
            known[kind][rest[0]] = rest[1]
    return base, known


async def run(text: str) -> Report:
    base, known = read(text)
    report = Report()
    for transport in TRANSPORTS:
        for kind in KINDS:
            for streaming in (False, True):

                async def play() -> None:
                    async with open_http() as first, open_http() as second:
                        way = (transport, kind)
                        alice = await caller(base, first, *way, known[kind]["alice"], streaming)
                        bob = await caller(base, second, *way, known[kind]["bob"], streaming)
                        await known_and_apart(report, alice, bob, transport, streaming)

                async def refuse() -> None:
                    for who, credential in known[kind].items():
                        if who not in ("alice", "bob"):
                            async with open_http() as http:
                                each = await caller(
                                    base, http, transport, kind, credential, streaming
                                )
                                await refusals(report, who, each)

                way = f"{transport} {kind} {'stream' if streaming else 'single'}"
                await guarded(report, f"{way} known", play())
                await guarded(report, f"{way} refused", refuse())
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

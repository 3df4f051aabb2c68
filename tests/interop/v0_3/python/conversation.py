"""The Python A2A client of protocol version 0.3 holds the due-diligence conversation.

In: the base URL of a running agent. Out: a line per step, at the end a line
`N passed, M failed`; the exit status is 1 when anything failed.

Every scenario runs on each transport of the card, once with a client that
streams and once with one that does not. Scenarios share nothing, so a failure
ends only its own.
"""

import asyncio
import base64
import contextlib
import dataclasses
import faulthandler
import sys

from a2a.client import A2ACardResolver
from a2a.types import (
    AgentCard,
    DataPart,
    FilePart,
    FileWithBytes,
    FileWithUri,
    GetTaskPushNotificationConfigParams,
    Part,
    PushNotificationAuthenticationInfo,
    PushNotificationConfig,
    Role,
    Task,
    TaskPushNotificationConfig,
)

from harness import (
    CONTENT_TYPE_NOT_SUPPORTED,
    PUSH_NOT_SUPPORTED,
    SCENARIO_SECONDS,
    TASK_NOT_CANCELABLE,
    TASK_NOT_FOUND,
    Abandon,
    Report,
    Session,
    Turn,
    equal,
    in_order,
    message_text,
    open_http,
    parts_text,
    refused_with,
    user_message,
)

TRANSPORTS = ("JSONRPC", "HTTP+JSON", "GRPC")
ARTIFACT = "due-diligence-report"
SKILL = "supplier-due-diligence"
EXTENDED_SKILL = "supplier-history"
# The media type of data parts, which in version 0.3 have no other.
DATA = "application/json"
UNKNOWN_TASK = "no-such-task"
HOOK = "http://127.0.0.1:9/hook?for=星河"

# The last resort: no run takes longer, whatever hangs.
RUN_SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Script:
    """One language's way through the conversation."""

    request: str
    answer: str
    question_names: str
    line_ends: tuple[str, str, str]


CHINESE = Script(
    request="请尽调星河科技",
    answer="地区：中国",
    question_names="地区",
    line_ends=("星河科技", "中国", "未发现高风险项"),
)
ENGLISH = Script(
    request="Check Star River Tech",
    answer="region: China",
    question_names="region",
    line_ends=("Star River Tech", "China", ""),
)

# Some readers of event streams take U+0085, U+2028 and U+2029 for ends of
# lines; an agent has to keep them off the wire (JSON can escape them).
AWKWARD_TEXT = "é 😀 a\u2028b\u2029c\u0085d \\ \" / \t"


def check_report(task: Task, script: Script) -> None:
    equal("names of the artifacts", [a.name for a in task.artifacts], [ARTIFACT])
    artifact = task.artifacts[0]
    assert artifact.artifact_id, "the artifact has no id"
    lines = parts_text(artifact.parts).split("\n")
    equal("number of lines in the report", len(lines), 3)
    for line, end in zip(lines, script.line_ends, strict=True):
        assert line and line.endswith(end), f"{line!r} does not end in {end!r}"


def said(task: Task) -> list[str]:
    return [message_text(m) for m in task.history if m.role == Role.user]


async def converse(session: Session, script: Script, *, with_context: bool = True) -> Task:
    """Plays both rounds and returns the task as tasks/get sees it after them."""
    step = session.report.step
    with step(f"{script.request!r} asks for the region"):
        first = await session.send(script.request)
        task = first.task
        assert task.id, "the task has no id"
        assert task.context_id, "the task has no context id"
        equal("state", first.state, "input-required")
        equal("role of the question", task.status.message.role, Role.agent)
        question = message_text(task.status.message)
        assert script.question_names in question.lower(), f"the question is {question!r}"
        equal("artifacts before the report", task.artifacts or [], [])

    with step(f"{script.answer!r} leads to the report"):
        ids = {"task_id": task.id}
        if with_context:
            ids["context_id"] = task.context_id
        second = await session.send(script.answer, **ids)
        equal("task id", second.task.id, task.id)
        equal("context id", second.task.context_id, task.context_id)
        if session.streaming:
            in_order(second.trail, ["working", f"artifact {ARTIFACT}", "completed"])
            equal("the stream's last word", second.trail[-1], "completed")
        equal("state", second.state, "completed")
        check_report(second.task, script)

    with step("tasks/get shows the same"):
        stored = await session.get(task.id)
        equal("task id", stored.id, task.id)
        equal("context id", stored.context_id, task.context_id)
        equal("state", stored.status.state.value, "completed")
        check_report(stored, script)
        equal("what the user said", said(stored), [script.request, script.answer])
    return stored


async def chinese(session: Session) -> None:
    task = await converse(session, CHINESE)
    with session.report.step("tasks/get obeys historyLength"):
        one = await session.get(task.id, history_length=1)
        equal("messages with historyLength 1", one.history, [task.history[-1]])


async def english(session: Session) -> None:
    # The answer names the task alone: its context is for the agent to know.
    await converse(session, ENGLISH, with_context=False)


async def two_tasks(session: Session) -> None:
    with session.report.step("a second task in the context of the first"):
        first = (await session.send(CHINESE.request)).task
        second = (await session.send(CHINESE.request, context_id=first.context_id)).task
        equal("context id", second.context_id, first.context_id)
        assert second.id != first.id, f"both tasks are {first.id}"


async def awkward_text(session: Session) -> None:
    with session.report.step("awkward characters come back as they were sent"):
        metadata = {"note": AWKWARD_TEXT, "list": [1, None, {"k": 1.5}]}
        message = user_message(CHINESE.request, metadata=metadata)
        turn = await session.send_message(message)
        for place, task in (("answer", turn.task), ("tasks/get", await session.get(turn.task.id))):
            back = task.history[0]
            equal(f"{place}: message id", back.message_id, message.message_id)
            equal(f"{place}: metadata", back.metadata, metadata)


async def content(session: Session) -> None:
    with session.report.step("content of every kind comes back as it was sent"):
        file = FileWithBytes(
            bytes=base64.b64encode(b"\x00\xff\xfe\n\x80").decode(),
            mime_type="text/plain",
            name="营业执照.txt",
        )
        link = FileWithUri(uri="https://client.example/星河?a=b&c", mime_type="text/plain")
        data = {"score": 0.25, "tags": ["a", None, {"b": False}], "名": ""}
        sent = [FilePart(file=link, metadata={"pages": 2.5})]
        # Where the proto says bytes, this SDK puts base64 text, and fails to read anything else.
        if session.transport == "JSONRPC":
            sent.append(FilePart(file=file, metadata={}))
        if DATA in session.card.default_input_modes:
            sent.append(DataPart(data=data, metadata={"k": "v"}))
        message = user_message(CHINESE.request, *[Part(root=part) for part in sent])
        turn = await session.send_message(message)
        for place, task in (("answer", turn.task), ("tasks/get", await session.get(turn.task.id))):
            back = [part.root for part in task.history[0].parts[1:]]
            for part in back:
                # Over gRPC this client takes metadata that is absent for empty.
                part.metadata = part.metadata or {}
            equal(f"{place}: parts", back, sent)


async def other_ends(session: Session) -> None:
    for text, state in (("reject", "rejected"), ("fail", "failed")):
        with session.report.step(f"{text!r} ends in {state}"):
            turn = await session.send(text)
            equal("state", turn.state, state)
            stored = await session.get(turn.task.id)
            equal("state by tasks/get", stored.status.state.value, state)


async def cancel(session: Session) -> None:
    step = session.report.step
    with step("'slow' returns immediately"):
        task = await session.start_slow()

    with step("tasks/cancel ends it"):
        canceled = await session.cancel(task.id)
        equal("task id", canceled.id, task.id)
        equal("state", canceled.status.state.value, "canceled")
        stored = await session.get(task.id)
        equal("state by tasks/get", stored.status.state.value, "canceled")


async def cancel_while_it_waits(session: Session) -> None:
    with session.report.step("a task that waits for the user can be canceled"):
        asked = await session.send(CHINESE.request)
        canceled = await session.cancel(asked.task.id)
        equal("state", canceled.status.state.value, "canceled")
        equal("context id", canceled.context_id, asked.task.context_id)


async def leave_stream(session: Session) -> None:
    step = session.report.step
    turn = Turn()
    with step("the stream of 'slow' reaches working, then the client leaves"):
        answers = session.client.send_message(user_message("slow"))
        async with contextlib.aclosing(answers):
            async for event in answers:
                turn.add(event)
                if turn.state == "working":
                    break
        equal("state", turn.state, "working")

    with step("the task works on"):
        stored = await session.get(turn.task.id)
        equal("state", stored.status.state.value, "working")

    with step("tasks/cancel ends it"):
        canceled = await session.cancel(turn.task.id)
        equal("state", canceled.status.state.value, "canceled")


async def resubscribe(session: Session) -> None:
    step = session.report.step
    with step("'slow' returns immediately"):
        task = await session.start_slow()

    turn = Turn()
    with step("tasks/resubscribe opens with the task and ends with its cancel"):
        async for event in session.resubscribe(task.id):
            turn.add(event)
            if len(turn.trail) == 1:
                equal("task id", turn.task.id, task.id)
                assert turn.state in ("submitted", "working"), f"state is {turn.state}"
                await session.cancel(task.id)
        assert len(turn.trail) > 1, "no event after the first"
        equal("the stream's last word", turn.trail[-1], "canceled")
        assert turn.is_final, "the last event is not final"


async def resubscribe_when_done(session: Session) -> None:
    step = session.report.step
    with step("a rejected task is there"):
        task = (await session.send("reject")).task
    with step("tasks/resubscribe hands it out and ends"):
        events = [event async for event in session.resubscribe(task.id)]
        equal("number of events", len(events), 1)
        (found, update) = events[0]
        equal("update", update, None)
        equal("task id", found.id, task.id)
        equal("state", found.status.state.value, "rejected")


async def unknown_task(session: Session) -> None:
    step = session.report.step
    calls = {
        "tasks/get": lambda: session.get(UNKNOWN_TASK),
        "tasks/cancel": lambda: session.cancel(UNKNOWN_TASK),
        "a message": lambda: session.send(CHINESE.answer, task_id=UNKNOWN_TASK),
    }
    # Over HTTP+JSON this client does not look at the status of this answer.
    if session.streaming and session.transport != "HTTP+JSON":
        calls["tasks/resubscribe"] = lambda: anext(session.resubscribe(UNKNOWN_TASK))
    for operation, call in calls.items():
        with step(f"{operation} is refused with TaskNotFound"), refused_with(TASK_NOT_FOUND):
            await call()


async def refusals(session: Session) -> None:
    step = session.report.step
    with step("a rejected task is there"):
        task = (await session.send("reject")).task
        equal("state", task.status.state.value, "rejected")
    with step("another message to it is refused"):
        await fails(session.send("hello?", task_id=task.id))
    with step("cancel of it is refused"), refused_with(TASK_NOT_CANCELABLE):
        await session.cancel(task.id)


async def fails(call) -> None:
    """Which error it is that a closed task answers with, version 0.3 does not say."""
    try:
        await call
    except Exception:
        return
    raise AssertionError("the call succeeded")


async def media_type(session: Session) -> None:
    png = FileWithBytes(bytes=base64.b64encode(b"\x89PNG").decode(), mime_type="image/png")
    parts = {"a picture": FilePart(file=png)}
    if DATA not in session.card.default_input_modes:
        parts["data"] = DataPart(data={"k": "v"})
    for what, part in parts.items():
        with (
            session.report.step(f"{what}, which the card does not take"),
            refused_with(CONTENT_TYPE_NOT_SUPPORTED),
        ):
            await session.send_message(user_message(CHINESE.request, Part(root=part)))


async def push_configs(session: Session) -> None:
    step = session.report.step
    with step("'slow' returns immediately"):
        task = await session.start_slow()
    config = PushNotificationConfig(
        id="hook-1",
        url=HOOK,
        token="interop",
        authentication=PushNotificationAuthenticationInfo(
            schemes=["Bearer"], credentials="secret"
        ),
    )
    wanted = TaskPushNotificationConfig(task_id=task.id, push_notification_config=config)
    query = GetTaskPushNotificationConfigParams(
        id=task.id, push_notification_config_id="hook-1"
    )
    if session.card.capabilities.push_notifications:
        with step("a push config is made and found"):
            equal("what is made", await session.client.set_task_callback(wanted), wanted)
            equal("what is found", await session.client.get_task_callback(query), wanted)
        with step("a push config within a message"):
            with_config = await session.start_slow(config)
            query.id = with_config.id
            found = await session.client.get_task_callback(query)
            equal("task id", found.task_id, with_config.id)
            equal("what is found", found.push_notification_config, config)
            await session.cancel(with_config.id)
    else:
        with step("push configs are refused"):
            with refused_with(PUSH_NOT_SUPPORTED):
                await session.client.set_task_callback(wanted)
            with refused_with(PUSH_NOT_SUPPORTED):
                await session.client.get_task_callback(query)
    with step("tasks/cancel ends it"):
        await session.cancel(task.id)


async def extended_card(session: Session) -> None:
    if not session.card.supports_authenticated_extended_card:
        return await no_extended_card(session)
    with session.report.step("the extended card has one skill more"):
        extended = await session.client.get_card()
        equal("skills", [skill.id for skill in extended.skills], [SKILL, EXTENDED_SKILL])
        equal("name", extended.name, session.card.name)


async def no_extended_card(session: Session) -> None:
    with session.report.step("the card is all that there is"):
        equal("card", await session.client.get_card(), session.card)


async def check_card(report: Report, card: AgentCard) -> None:
    with report.step("names, skill and capabilities"):
        assert card.name and card.description and card.version, "empty names"
        equal("skills", [skill.id for skill in card.skills], [SKILL])
        equal("streaming", card.capabilities.streaming, True)
        assert "text/plain" in card.default_input_modes, "no text/plain input"
        assert "text/plain" in card.default_output_modes, "no text/plain output"
    with report.step("the three transports in version 0.3"):
        equal("version", card.protocol_version.split(".")[:2], ["0", "3"])
        offered = {interface.transport for interface in card.additional_interfaces or []}
        equal("transports", {card.preferred_transport, *offered}, set(TRANSPORTS))


EVERYWHERE = (
    chinese,
    english,
    two_tasks,
    awkward_text,
    content,
    other_ends,
    cancel,
    cancel_while_it_waits,
    unknown_task,
    refusals,
    media_type,
)
STREAMING_ONLY = (leave_stream, resubscribe, resubscribe_when_done)
ONCE = (push_configs, extended_card)


async def play(report: Report, base_url: str, transport: str, streaming: bool, scenario) -> None:
    async with open_http() as http:
        with report.step("the card resolves, a client is made from it"):
            card = await A2ACardResolver(http, base_url).get_agent_card()
            session = Session(report, card, transport, streaming, http)
            session.client = session.new_client(streaming=streaming)
        await scenario(session)


async def guarded(report: Report, name: str, work) -> None:
    """Runs one scenario; whatever happens in it stays in it."""
    report.scenario = name
    before = report.passed + report.failed
    try:
        await asyncio.wait_for(work, SCENARIO_SECONDS)
        if report.passed + report.failed == before:
            raise AssertionError("the scenario took no step")
    except Abandon:
        pass
    except TimeoutError as error:
        report.fail(f"not done after {SCENARIO_SECONDS} s", error)
    except Exception as error:
        report.fail("outside of a step", error)


async def run(base_url: str) -> Report:
    report = Report()

    async def card() -> None:
        async with open_http() as http:
            with report.step("found at the well-known path"):
                found = await A2ACardResolver(http, base_url).get_agent_card()
            await check_card(report, found)

    await guarded(report, "card", card())
    for transport in TRANSPORTS:
        for streaming in (False, True):
            for scenario in EVERYWHERE + (STREAMING_ONLY if streaming else ONCE):
                name = f"{transport} {'stream' if streaming else 'single'} {scenario.__name__}"
                await guarded(report, name, play(report, base_url, transport, streaming, scenario))
    return report


def main() -> int:
    if not __debug__:
        sys.exit("conversation.py checks with `assert`: run it without -O and PYTHONOPTIMIZE")
    if len(sys.argv) != 2:
        sys.exit("usage: conversation.py BASE_URL   (for example http://127.0.0.1:8080)")
    faulthandler.dump_traceback_later(RUN_SECONDS, exit=True)
    report = asyncio.run(run(sys.argv[1].rstrip("/")))
    faulthandler.cancel_dump_traceback_later()
    print(f"{report.passed} passed, {report.failed} failed", flush=True)
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())

"""The Python A2A client holds the due-diligence conversation with an agent.

In: the base URL of a running agent; `--old` when it is a gateway to an agent of
version 0.3, whose SDK may drop times and cannot list tasks. Out: a line per
step, at the end a line `N passed, M failed`; the exit status is 1 when anything
failed.

Every scenario runs on each binding of the card, once with a client that
streams and once with one that does not. Scenarios share nothing, so a failure
ends only its own.
"""

import asyncio
import contextlib
import dataclasses
import datetime
import faulthandler
import sys

from a2a.client import A2ACardResolver
from a2a.helpers import get_artifact_text, get_message_text
from a2a.types import (
    AgentCard,
    GetTaskPushNotificationConfigRequest,
    Role,
    SubscribeToTaskRequest,
    Task,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import (
    PushNotificationNotSupportedError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)

from harness import (
    SCENARIO_SECONDS,
    Abandon,
    Report,
    Session,
    Turn,
    equal,
    in_order,
    open_http,
    refused,
    refused_with,
    state_name,
    user_message,
)

BINDINGS = ("JSONRPC", "HTTP+JSON", "GRPC")
ARTIFACT = "due-diligence-report"
SKILL = "supplier-due-diligence"
UNKNOWN_TASK = "no-such-task"

# The last resort: no run takes longer, whatever hangs.
RUN_SECONDS = 600


@dataclasses.dataclass(frozen=True)
class Script:
    """One language's way through the conversation."""

    request: str
    answer: str
    question_names: str
    line_ends: tuple[str, str, str]
    report: str | None


CHINESE = Script(
    request="请尽调星河科技",
    answer="地区：中国",
    question_names="地区",
    line_ends=("星河科技", "中国", "未发现高风险项"),
    report="供应商：星河科技\n注册地区：中国\n教学结论：未发现高风险项",
)
# The English wording of the labels is the agent's own; supplier and region
# are the caller's words and have to come back.
ENGLISH = Script(
    request="Check Star River Tech",
    answer="region: China",
    question_names="region",
    line_ends=("Star River Tech", "China", ""),
    report=None,
)

# Some readers of event streams take U+0085, U+2028 and U+2029 for ends of
# lines; the client's HTTP library is one. An agent has to keep them off the
# wire (JSON can escape them), or the event arrives cut in pieces.
AWKWARD_TEXT = "é 😀 a\u2028b\u2029c\u0085d \\ \" / \t"


def check_report(task: Task, script: Script) -> None:
    equal("names of the artifacts", [a.name for a in task.artifacts], [ARTIFACT])
    artifact = task.artifacts[0]
    assert artifact.artifact_id, "the artifact has no id"
    text = get_artifact_text(artifact)
    if script.report is not None:
        equal("text of the artifact", text, script.report)
    lines = text.split("\n")
    equal("number of lines in the report", len(lines), 3)
    for line, end in zip(lines, script.line_ends, strict=True):
        assert line and line.endswith(end), f"{line!r} does not end in {end!r}"


async def converse(session: Session, script: Script, *, with_context: bool = True) -> Task:
    """Plays both rounds and returns the task as GetTask sees it after them."""
    step = session.report.step
    with step(f"{script.request!r} asks for the region"):
        first = await session.send(script.request)
        task = first.task
        assert task.id, "the task has no id"
        assert task.context_id, "the task has no context id"
        equal("state", first.state, "INPUT_REQUIRED")
        assert task.status.HasField("message"), "the status has no message"
        equal("role of the question", task.status.message.role, Role.ROLE_AGENT)
        question = get_message_text(task.status.message)
        assert script.question_names in question.lower(), f"the question is {question!r}"
        equal("artifacts before the report", list(task.artifacts), [])

    with step(f"{script.answer!r} leads to the report"):
        ids = {"task_id": task.id}
        if with_context:
            ids["context_id"] = task.context_id
        second = await session.send(script.answer, **ids)
        equal("task id", second.task.id, task.id)
        equal("context id", second.task.context_id, task.context_id)
        if session.streaming:
            in_order(second.trail, ["WORKING", f"artifact {ARTIFACT}", "COMPLETED"])
            equal("the stream's last word", second.trail[-1], "COMPLETED")
        equal("state", second.state, "COMPLETED")
        check_report(second.task, script)

    with step("GetTask shows the same"):
        stored = await session.get(task.id)
        equal("task id", stored.id, task.id)
        equal("context id", stored.context_id, task.context_id)
        equal("state", state_name(stored.status.state), "COMPLETED")
        if not session.old:
            assert stored.status.timestamp.seconds > 0, "the status has no timestamp"
        check_report(stored, script)
        said = [get_message_text(m) for m in stored.history if m.role == Role.ROLE_USER]
        equal("what the user said", said, [script.request, script.answer])
    return stored


async def chinese(session: Session) -> None:
    step = session.report.step
    task = await converse(session, CHINESE)
    with step("GetTask obeys historyLength"):
        none = await session.get(task.id, history_length=0)
        equal("messages with historyLength 0", len(none.history), 0)
        one = await session.get(task.id, history_length=1)
        equal("messages with historyLength 1", list(one.history), [task.history[-1]])

    if session.old:
        await no_lists(session, task.context_id)
        return
    with step("ListTasks finds it by its context"):
        found = await session.list(task.context_id)
        equal("ids", [t.id for t in found.tasks], [task.id])
        equal("state", state_name(found.tasks[0].status.state), "COMPLETED")
        equal("artifacts unless asked for", list(found.tasks[0].artifacts), [])
        equal("total size", found.total_size, 1)
        equal("next page", found.next_page_token, "")

    with step("ListTasks with artifacts, state and time"):
        early, late = (
            datetime.datetime(year, 1, 1, microsecond=250_000, tzinfo=datetime.UTC)
            for year in (2020, 2199)
        )
        options = {
            "include_artifacts": True,
            "page_size": 10,
            "status": TaskState.TASK_STATE_COMPLETED,
        }
        found = await session.list(task.context_id, status_timestamp_after=early, **options)
        equal("ids", [t.id for t in found.tasks], [task.id])
        check_report(found.tasks[0], CHINESE)
        found = await session.list(task.context_id, status_timestamp_after=late, **options)
        equal("tasks of the future", len(found.tasks), 0)
        found = await session.list(task.context_id, status=TaskState.TASK_STATE_WORKING)
        equal("working tasks", len(found.tasks), 0)
        equal("total size of none", found.total_size, 0)


async def no_lists(session: Session, context_id: str) -> None:
    with (
        session.report.step("ListTasks raises UnsupportedOperationError"),
        refused_with(UnsupportedOperationError),
    ):
        await session.list(context_id)


async def english(session: Session) -> None:
    # The answer names the task alone: its context is for the agent to know.
    await converse(session, ENGLISH, with_context=False)


async def two_tasks(session: Session) -> None:
    step = session.report.step
    with step("a second task in the context of the first"):
        first = (await session.send(CHINESE.request)).task
        second = (await session.send(CHINESE.request, context_id=first.context_id)).task
        equal("context id", second.context_id, first.context_id)
        assert second.id != first.id, f"both tasks are {first.id}"

    if session.old:
        return
    with step("ListTasks gives them page by page, newest first"):
        page = await session.list(first.context_id, page_size=1)
        equal("first page", [t.id for t in page.tasks], [second.id])
        equal("page size", page.page_size, 1)
        equal("total size", page.total_size, 2)
        assert page.next_page_token, "no token for the second page"
        page = await session.list(
            first.context_id, page_size=1, page_token=page.next_page_token
        )
        equal("second page", [t.id for t in page.tasks], [first.id])
        equal("token after the last page", page.next_page_token, "")


async def awkward_text(session: Session) -> None:
    with session.report.step("awkward characters come back as they were sent"):
        message = user_message(CHINESE.request)
        # There are SDKs of version 0.3 that take null for zero.
        nothing = False if session.old else None
        message.metadata.update({"note": AWKWARD_TEXT, "list": [1, nothing, {"k": 1.5}]})
        turn = await session.send_message(message)
        for place, task in (("answer", turn.task), ("GetTask", await session.get(turn.task.id))):
            assert task.history, f"{place}: no history"
            back = task.history[0]
            equal(f"{place}: message id", back.message_id, message.message_id)
            equal(f"{place}: note", back.metadata["note"], AWKWARD_TEXT)
            equal(f"{place}: metadata", back.metadata, message.metadata)


async def other_ends(session: Session) -> None:
    for text, state in (("reject", "REJECTED"), ("fail", "FAILED")):
        with session.report.step(f"{text!r} ends in {state}"):
            turn = await session.send(text)
            equal("state", turn.state, state)
            stored = await session.get(turn.task.id)
            equal("state by GetTask", state_name(stored.status.state), state)


async def cancel(session: Session) -> None:
    step = session.report.step
    with step("'slow' returns immediately"):
        task = await session.start_slow()

    with step("CancelTask ends it"):
        canceled = await session.cancel(task.id)
        equal("task id", canceled.id, task.id)
        equal("state", state_name(canceled.status.state), "CANCELED")
        stored = await session.get(task.id)
        equal("state by GetTask", state_name(stored.status.state), "CANCELED")


async def leave_stream(session: Session) -> None:
    step = session.report.step
    turn = Turn()
    with step("the stream of 'slow' reaches WORKING, then the client leaves"):
        events = session.events(session.client, user_message("slow"))
        async with contextlib.aclosing(events):
            async for event in events:
                turn.add(event)
                if turn.state == "WORKING":
                    break
        equal("state", turn.state, "WORKING")

    with step("the task works on"):
        stored = await session.get(turn.task.id)
        equal("state", state_name(stored.status.state), "WORKING")

    with step("CancelTask ends it"):
        canceled = await session.cancel(turn.task.id)
        equal("state", state_name(canceled.status.state), "CANCELED")


async def subscribe(session: Session) -> None:
    step = session.report.step
    with step("'slow' returns immediately"):
        task = await session.start_slow()

    turn = Turn()
    with step("SubscribeToTask opens with the task and ends with its cancel"):
        request = SubscribeToTaskRequest(id=task.id)
        async for event in session.client.subscribe(request):
            turn.add(event)
            if len(turn.kinds) == 1:
                equal("task id", turn.task.id, task.id)
                assert turn.state in ("SUBMITTED", "WORKING"), f"state is {turn.state}"
                await session.cancel(task.id)
        assert len(turn.trail) > 1, "no event after the first"
        equal("the stream's last word", turn.trail[-1], "CANCELED")


async def unknown_task(session: Session) -> None:
    step = session.report.step
    calls = {
        "GetTask": lambda: session.get(UNKNOWN_TASK),
        "CancelTask": lambda: session.cancel(UNKNOWN_TASK),
        "SendMessage": lambda: session.send(CHINESE.answer, task_id=UNKNOWN_TASK),
    }
    if session.streaming:
        calls["SubscribeToTask"] = lambda: session.subscribe(UNKNOWN_TASK)
    for operation, call in calls.items():
        if session.old and operation == "SendMessage":
            # As what it is refused, not all SDKs of version 0.3 say.
            with step(f"{operation} is refused"), refused():
                await call()
            continue
        with step(f"{operation} raises TaskNotFoundError"), refused_with(TaskNotFoundError):
            await call()


async def refusals(session: Session) -> None:
    step = session.report.step
    with step("a rejected task is there"):
        task = (await session.send("reject")).task
        equal("state", state_name(task.status.state), "REJECTED")
    as_unsupported = refused() if session.old else refused_with(UnsupportedOperationError)
    with step("another message to it"), as_unsupported:
        await session.send("hello?", task_id=task.id)
    with step("cancel of it"), refused_with(TaskNotCancelableError):
        await session.cancel(task.id)
    config = TaskPushNotificationConfig(
        task_id=task.id, id="hook-1", url="http://127.0.0.1:9/hook", token="interop"
    )
    if session.card.capabilities.push_notifications:
        with step("a push config is made and found"):
            client = session.client
            equal("what is made", await client.create_task_push_notification_config(config), config)
            query = GetTaskPushNotificationConfigRequest(task_id=task.id, id="hook-1")
            equal("what is found", await client.get_task_push_notification_config(query), config)
    else:
        with step("a push config"), refused_with(PushNotificationNotSupportedError):
            await session.client.create_task_push_notification_config(config)
    if session.streaming:
        with step("a subscription to it"), refused_with(UnsupportedOperationError):
            await session.subscribe(task.id)


async def check_card(report: Report, card: AgentCard) -> None:
    with report.step("names, skill and capabilities"):
        assert card.name and card.description and card.version, "empty names"
        equal("skills", [skill.id for skill in card.skills], [SKILL])
        equal("streaming", card.capabilities.streaming, True)
        assert "text/plain" in card.default_input_modes, "no text/plain input"
        assert "text/plain" in card.default_output_modes, "no text/plain output"
    with report.step("the three bindings in version 1.0"):
        offered = {
            interface.protocol_binding
            for interface in card.supported_interfaces
            if interface.protocol_version == "1.0"
        }
        equal("bindings", offered, set(BINDINGS))


EVERYWHERE = (
    chinese, english, two_tasks, awkward_text, other_ends, cancel, unknown_task, refusals,
)
STREAMING_ONLY = (leave_stream, subscribe)


async def play(
    report: Report, base_url: str, old: bool, binding: str, streaming: bool, scenario
) -> None:
    async with open_http() as http:
        with report.step("the card resolves, a client is made from it"):
            card = await A2ACardResolver(http, base_url).get_agent_card()
            session = Session(report, card, binding, streaming, http, old)
            session.client = session.new_client(streaming=streaming)
        async with session.client:
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


async def run(base_url: str, old: bool) -> Report:
    report = Report()

    async def card() -> None:
        async with open_http() as http:
            with report.step("found at the well-known path"):
                found = await A2ACardResolver(http, base_url).get_agent_card()
            await check_card(report, found)

    await guarded(report, "card", card())
    for binding in BINDINGS:
        for streaming in (False, True):
            for scenario in EVERYWHERE + (STREAMING_ONLY if streaming else ()):
                name = f"{binding} {'stream' if streaming else 'single'} {scenario.__name__}"
                await guarded(
                    report, name, play(report, base_url, old, binding, streaming, scenario)
                )
    return report


def main() -> int:
    if not __debug__:
        sys.exit("conversation.py checks with `assert`: run it without -O and PYTHONOPTIMIZE")
    arguments = sys.argv[1:]
    old = "--old" in arguments
    if old:
        arguments.remove("--old")
    if len(arguments) != 1:
        sys.exit("usage: conversation.py [--old] BASE_URL   (for example http://127.0.0.1:8080)")
    faulthandler.dump_traceback_later(RUN_SECONDS, exit=True)
    report = asyncio.run(run(arguments[0].rstrip("/"), old))
    faulthandler.cancel_dump_traceback_later()
    print(f"{report.passed} passed, {report.failed} failed", flush=True)
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())

//! Looking at tasks: history, filters, pages.

use a2a_kit::types::Timestamp;
use a2a_kit::v1_0::{Task, TaskState};
use futures_util::TryStreamExt as _;

use super::conversation::converse;
use crate::report::{Checked, Fault, Played, ensure, equal};
use crate::script::CHINESE;
use crate::session::{Session, refused};

pub(super) async fn history(session: &Session) -> Played {
    let task = converse(session, &CHINESE, true).await?;
    let steps = &session.steps;
    steps
        .step("GetTask obeys historyLength", async {
            let get = || session.client.get_task(&task.id);
            let none = get().history_length(0).await?;
            equal("messages with historyLength 0", none.history.len(), 0)?;
            let one = get().history_length(1).await?;
            equal("messages with historyLength 1", one.history.len(), 1)?;
            equal("the message", one.history.last(), task.history.last())?;
            let all = get().history_length(100).await?;
            equal(
                "messages with historyLength 100",
                &all.history,
                &task.history,
            )
        })
        .await?;
    steps
        .step("SendMessage obeys historyLength", async {
            let task = session
                .say(CHINESE.request)
                .history_length(0)
                .send()
                .await?
                .into_task()?;
            equal("messages with historyLength 0", task.history.len(), 0)
        })
        .await
}

/// Version 0.3 has no lists.
async fn no_lists(session: &Session) -> Played {
    session
        .steps
        .step("ListTasks is not supported", async {
            refused(session.client.list_tasks().await, "UNSUPPORTED_OPERATION")
        })
        .await
}

pub(super) async fn filters(session: &Session) -> Played {
    if session.peer.is_old() {
        return no_lists(session).await;
    }
    let task = converse(session, &CHINESE, true).await?;
    let steps = &session.steps;
    let list = || session.client.list_tasks().in_context(&task.context_id);
    steps
        .step("ListTasks finds the task by its context", async {
            let found = list().await?;
            equal("ids", ids(&found.tasks), [task.id.as_str()])?;
            equal("state", found.tasks[0].state(), TaskState::Completed)?;
            equal(
                "artifacts unless asked for",
                found.tasks[0].artifacts.len(),
                0,
            )?;
            equal("total size", found.total_size, 1)?;
            equal("next page", found.next_page_token.as_str(), "")
        })
        .await?;
    steps
        .step("ListTasks with artifacts, state and time", async {
            let full = || {
                list()
                    .with_artifacts()
                    .page_size(10)
                    .status(TaskState::Completed)
            };
            let found = full().updated_after(at("2020-01-01T00:00:00.25Z")?).await?;
            equal("ids", ids(&found.tasks), [task.id.as_str()])?;
            CHINESE.check_report(&found.tasks[0])?;
            let found = full().updated_after(at("2199-01-01T00:00:00.25Z")?).await?;
            equal("tasks of the future", found.tasks.len(), 0)?;
            let found = list().status(TaskState::Working).await?;
            equal("working tasks", found.tasks.len(), 0)?;
            equal("total size of none", found.total_size, 0)
        })
        .await?;
    steps
        .step("ListTasks obeys historyLength", async {
            let found = list().history_length(0).await?;
            equal("ids", ids(&found.tasks), [task.id.as_str()])?;
            equal(
                "messages with historyLength 0",
                found.tasks[0].history.len(),
                0,
            )
        })
        .await
}

pub(super) async fn pages(session: &Session) -> Played {
    if session.peer.is_old() {
        return no_lists(session).await;
    }
    let steps = &session.steps;
    let (context, made) = steps
        .step("three tasks in one context", async {
            let first = session.send(session.say(CHINESE.request)).await?.task;
            let mut made = vec![first.id];
            for _ in 0..2 {
                let message = session.say(CHINESE.request).in_context(&first.context_id);
                let task = session.send(message).await?.task;
                equal("context id", &task.context_id, &first.context_id)?;
                ensure(!made.contains(&task.id), || {
                    format!("two tasks are {}", task.id)
                })?;
                made.push(task.id);
            }
            Ok((first.context_id, made))
        })
        .await?;
    let list = || {
        session
            .client
            .list_tasks()
            .in_context(&context)
            .page_size(2)
    };
    steps
        .step("ListTasks gives them page by page, newest first", async {
            let first = list().await?;
            equal("tasks of the first page", first.tasks.len(), 2)?;
            equal("page size", first.page_size, 2)?;
            equal("total size", first.total_size, 3)?;
            ensure(!first.next_page_token.is_empty(), || {
                "no token for the second page".to_owned()
            })?;
            let second = list().page_token(&first.next_page_token).await?;
            equal("tasks of the second page", second.tasks.len(), 1)?;
            equal(
                "token after the last page",
                second.next_page_token.as_str(),
                "",
            )?;
            let all: Vec<Task> = first.tasks.into_iter().chain(second.tasks).collect();
            newest_first(&all, &made)
        })
        .await?;
    steps
        .step("the client reads all pages as one list", async {
            let all: Vec<Task> = list().all().try_collect().await?;
            newest_first(&all, &made)
        })
        .await
}

/// Checks that these are the tasks, and that their status gets older from one to the next. Tasks
/// of the same instant may come in any order.
fn newest_first(tasks: &[Task], made: &[String]) -> Checked {
    let mut got = ids(tasks);
    let mut wanted: Vec<&str> = made.iter().map(String::as_str).collect();
    got.sort_unstable();
    wanted.sort_unstable();
    equal("ids", got, wanted)?;
    let times: Vec<_> = tasks
        .iter()
        .map(|task| {
            task.status
                .as_ref()
                .and_then(|status| status.timestamp.as_ref())
        })
        .map(|time| time.map(|time| (time.seconds, time.nanos)))
        .collect();
    ensure(times.is_sorted_by(|newer, older| newer >= older), || {
        format!("the times of the tasks are {times:?}")
    })
}

fn ids(tasks: &[Task]) -> Vec<&str> {
    tasks.iter().map(|task| task.id.as_str()).collect()
}

fn at(time: &str) -> Checked<Timestamp> {
    time.parse()
        .map_err(|error| Fault::new(format!("{time} is no time: {error:?}")))
}

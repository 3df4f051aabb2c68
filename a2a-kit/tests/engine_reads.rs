//! GetTask and ListTasks: history, pages, filters (specification 3.1.3, 3.1.4).

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use a2a_kit::agent::{Reply, TaskContext, artifact};
use a2a_kit::engine::Engine;
use a2a_kit::types::Timestamp;
use a2a_kit::v1_0::{ListTasksRequest, ListTasksResponse, TaskState};
use a2a_kit::{A2aService, Error, Shared};
use support::*;

/// Ends as it is told, with an artifact.
async fn obedient(task: TaskContext) -> Result<Reply, a2a_kit::agent::AgentError> {
    let reply = match task.text().as_str() {
        "reject" => Reply::rejected("no"),
        "fail" => Reply::failed("broken"),
        "ask" => Reply::input_required("What?"),
        _ => Reply::completed(),
    };
    Ok(reply.with_artifact(artifact("a", "x")))
}

/// An engine whose clock is turned by hand.
fn clocked() -> (Engine, Arc<AtomicI64>) {
    let time = Arc::new(AtomicI64::new(1000));
    let shown = Arc::clone(&time);
    let engine = builder(obedient)
        .clock(move || Timestamp::new(shown.load(Ordering::SeqCst), 0))
        .build()
        .unwrap();
    (engine, time)
}

async fn list(
    engine: &Engine,
    change: impl FnOnce(&mut ListTasksRequest),
) -> Result<Shared<ListTasksResponse>, Error> {
    let mut request = ListTasksRequest::default();
    change(&mut request);
    engine.list_tasks(call(), request).await
}

fn ids(list: &ListTasksResponse) -> Vec<&str> {
    list.tasks.iter().map(|task| task.id.as_str()).collect()
}

#[tokio::test]
async fn a_task_that_is_read_twice_is_encoded_once() {
    let engine = engine(obedient);
    let task = send(&engine, request("ask")).await.unwrap();
    let one = get(&engine, &task.id).await.unwrap();
    let two = get(&engine, &task.id).await.unwrap();
    assert_eq!(one.proto().as_ptr(), two.proto().as_ptr());
    assert_eq!(one.json().unwrap().as_ptr(), two.json().unwrap().as_ptr());
    // A change is seen, and what was read before stays as it was.
    send(&engine, to_task(&task.id, "go")).await.unwrap();
    let three = get(&engine, &task.id).await.unwrap();
    assert_eq!(
        (state(&two), state(&three)),
        (TaskState::InputRequired, TaskState::Completed)
    );
    assert_ne!(two.proto(), three.proto());
}

#[tokio::test]
async fn history_length_is_all_none_or_the_newest() {
    let engine = engine(obedient);
    let task = send(&engine, request("ask")).await.unwrap();
    for _ in 0..2 {
        send(&engine, to_task(&task.id, "ask")).await.unwrap();
    }
    let all = [
        "user: ask",
        "agent: What?",
        "user: ask",
        "agent: What?",
        "user: ask",
    ];
    for (length, expected) in [
        (None, &all[..]),
        (Some(0), &[]),
        (Some(1), &all[4..]),
        (Some(2), &all[3..]),
        (Some(5), &all[..]),
        (Some(i32::MAX), &all[..]),
    ] {
        let mut request = get_request(&task.id);
        request.history_length = length;
        let read = engine.get_task(call(), request).await.unwrap();
        assert_eq!(history(&read), expected, "{length:?}");
        assert_eq!(read.artifacts.len(), 3);
        let listed = list(&engine, |request| request.history_length = length)
            .await
            .unwrap();
        assert_eq!(history(&listed.tasks[0]), expected, "{length:?} in a list");
        let json = String::from_utf8(read.json().unwrap().to_vec()).unwrap();
        assert_eq!(json.contains("\"history\""), length != Some(0), "{json}");
    }
    for length in [-1, -5, i32::MIN] {
        let mut request = get_request(&task.id);
        request.history_length = Some(length);
        assert_eq!(
            engine
                .get_task(call(), request)
                .await
                .unwrap_err()
                .violations()[0]
                .field,
            "historyLength"
        );
        let error = list(&engine, |request| request.history_length = Some(length))
            .await
            .unwrap_err();
        assert_eq!(error.violations()[0].field, "historyLength");
    }
    let mut asked = to_task(&task.id, "ask");
    config(&mut asked).history_length = Some(0);
    assert_eq!(send(&engine, asked).await.unwrap().history.len(), 0);
}

#[tokio::test]
async fn a_missing_task_is_not_found_and_an_empty_id_is_invalid() {
    let engine = engine(obedient);
    for id in ["nope", "urn:x:7", "t1:cancel", "\u{7}"] {
        assert!(get(&engine, id).await.unwrap_err().is_task_not_found());
        assert!(cancel(&engine, id).await.unwrap_err().is_task_not_found());
    }
    assert_eq!(
        get(&engine, "").await.unwrap_err().violations()[0].field,
        "id"
    );
    assert_eq!(
        cancel(&engine, "").await.unwrap_err().violations()[0].field,
        "id"
    );
    assert_eq!(
        subscribe(&engine, "").await.err().unwrap().violations()[0].field,
        "id"
    );
}

#[tokio::test]
async fn the_newest_status_is_listed_first_and_artifacts_only_when_asked_for() {
    let (engine, time) = clocked();
    let mut made = Vec::new();
    for text in ["ask", "go", "reject"] {
        time.fetch_add(10, Ordering::SeqCst);
        made.push(send(&engine, request(text)).await.unwrap().id);
    }
    let listed = list(&engine, |_| {}).await.unwrap();
    assert_eq!(ids(&listed), [&made[2], &made[1], &made[0]]);
    assert_eq!(
        (
            listed.total_size,
            listed.page_size,
            listed.next_page_token.as_str()
        ),
        (3, 50, "")
    );
    assert!(listed.tasks.iter().all(|task| task.artifacts.is_empty()));
    // A new status moves a task to the front.
    time.fetch_add(10, Ordering::SeqCst);
    send(&engine, to_task(&made[0], "ask")).await.unwrap();
    let listed = list(&engine, |request| request.include_artifacts = Some(true))
        .await
        .unwrap();
    assert_eq!(ids(&listed), [&made[0], &made[2], &made[1]]);
    assert!(listed.tasks.iter().all(|task| !task.artifacts.is_empty()));
    let listed = list(&engine, |request| request.include_artifacts = Some(false))
        .await
        .unwrap();
    assert!(listed.tasks.iter().all(|task| task.artifacts.is_empty()));
    let json = String::from_utf8(listed.json().unwrap().to_vec()).unwrap();
    assert!(
        json.contains("\"nextPageToken\":\"\"") && !json.contains("artifacts"),
        "{json}"
    );
}

#[tokio::test]
async fn pages_with_equal_times_lose_and_double_nothing() {
    let (engine, _) = clocked();
    let mut made = Vec::new();
    for _ in 0..23 {
        made.push(send(&engine, request("go")).await.unwrap().id);
    }
    made.sort();
    for size in [1, 7, 22, 23, 24, 100] {
        let (mut found, mut token) = (Vec::new(), String::new());
        loop {
            let page = list(&engine, |request| {
                request.page_size = Some(size);
                request.page_token.clone_from(&token);
            })
            .await
            .unwrap();
            assert_eq!((page.total_size, page.page_size), (23, size));
            assert!(page.tasks.len() <= size as usize && !page.tasks.is_empty());
            found.extend(page.tasks.iter().map(|task| task.id.clone()));
            token.clone_from(&page.next_page_token);
            if token.is_empty() {
                break;
            }
        }
        found.sort();
        assert_eq!(found, made, "pages of {size}");
    }
}

#[tokio::test]
async fn a_page_goes_on_where_it_ended_while_new_tasks_come() {
    let (engine, time) = clocked();
    for _ in 0..6 {
        time.fetch_add(1, Ordering::SeqCst);
        send(&engine, request("go")).await.unwrap();
    }
    let all = list(&engine, |_| {}).await.unwrap();
    let first = list(&engine, |request| request.page_size = Some(3))
        .await
        .unwrap();
    time.fetch_add(1, Ordering::SeqCst);
    send(&engine, request("go")).await.unwrap();
    let second = list(&engine, |request| {
        request.page_size = Some(3);
        request.page_token.clone_from(&first.next_page_token);
    })
    .await
    .unwrap();
    assert_eq!([ids(&first), ids(&second)].concat(), ids(&all));
    assert_eq!(
        (second.total_size, second.next_page_token.as_str()),
        (7, "")
    );
}

#[tokio::test]
async fn filters_of_lists_hold_together() {
    let (engine, time) = clocked();
    for (text, context) in [
        ("ask", "x"),
        ("go", "x"),
        ("ask", "y"),
        ("fail", "y"),
        ("ask", "x"),
    ] {
        time.fetch_add(10, Ordering::SeqCst);
        let mut sent = request(text);
        sent.message.as_mut().unwrap().context_id = context.into();
        send(&engine, sent).await.unwrap();
    }
    // Statuses were set at 1010, 1020, 1030, 1040, 1050.
    let asks = TaskState::InputRequired as i32;
    for (context, status, after, expected) in [
        ("", 0, None, vec![1050, 1040, 1030, 1020, 1010]),
        ("x", 0, None, vec![1050, 1020, 1010]),
        ("z", 0, None, vec![]),
        ("", asks, None, vec![1050, 1030, 1010]),
        ("", TaskState::Working as i32, None, vec![]),
        ("", 0, Some(1030), vec![1050, 1040, 1030]),
        ("", 0, Some(1051), vec![]),
        ("x", asks, Some(1020), vec![1050]),
        ("", TaskState::Failed as i32, Some(1040), vec![1040]),
    ] {
        let listed = list(&engine, |request| {
            request.context_id = context.into();
            request.status = status;
            request.status_timestamp_after = after.map(|seconds| Timestamp::new(seconds, 0));
        })
        .await
        .unwrap();
        let times: Vec<i64> = listed
            .tasks
            .iter()
            .map(|task| task.status.as_ref().unwrap().timestamp.unwrap().seconds)
            .collect();
        assert_eq!(times, expected, "{context:?} {status} {after:?}");
        assert_eq!(listed.total_size as usize, expected.len());
    }
}

#[tokio::test]
async fn what_a_list_cannot_take_is_refused_with_its_field() {
    let engine = engine(obedient);
    for _ in 0..3 {
        send(&engine, request("go")).await.unwrap();
    }
    let token = list(&engine, |request| request.page_size = Some(1))
        .await
        .unwrap()
        .next_page_token
        .clone();
    for size in [0, -1, 101, i32::MIN, i32::MAX] {
        let error = list(&engine, |request| request.page_size = Some(size))
            .await
            .unwrap_err();
        assert_eq!(
            (error.json_rpc_code(), error.violations()[0].field.as_str()),
            (-32602, "pageSize")
        );
    }
    for status in [9, 99, -1] {
        let error = list(&engine, |request| request.status = status)
            .await
            .unwrap_err();
        assert_eq!(error.violations()[0].field, "status");
        assert!(error.message().contains("TASK_STATE_WORKING"), "{error}");
    }
    for bad in ["x", "!", &token[1..], &token[..token.len() / 3]] {
        let error = list(&engine, |request| request.page_token = bad.into())
            .await
            .unwrap_err();
        assert_eq!(error.violations()[0].field, "pageToken", "{bad}");
    }
    let error = list(&engine, |request| {
        request.page_token.clone_from(&token);
        request.context_id = "other".into();
    })
    .await
    .unwrap_err();
    assert_eq!(error.violations()[0].field, "pageToken");
    assert!(
        list(&engine, |request| request.page_token.clone_from(&token))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn times_of_a_task_never_run_backwards() {
    let (engine, time) = clocked();
    let task = send(&engine, request("ask")).await.unwrap();
    let before = task.status.unwrap().timestamp.unwrap();
    time.store(10, Ordering::SeqCst);
    let task = send(&engine, to_task(&task.id, "go")).await.unwrap();
    assert_eq!(task.status.unwrap().timestamp.unwrap(), before);
}

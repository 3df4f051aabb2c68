//! ListTasks (specification 3.1.4): order, pages, filters, what is left out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use a2a_kit::types::Timestamp;
use e2e::client::http;
use e2e::{Binding, Client, Served, Setup, at_once, request, state, string, to_task};
use serde_json::{Value, json};

fn ids(page: &Value) -> Vec<String> {
    let tasks = page["tasks"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    tasks.iter().map(|task| string(task, "/id")).collect()
}

fn next(page: &Value) -> &str {
    // Protobuf leaves an empty text out.
    page.get("nextPageToken")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// All pages of a list, and how long each was.
async fn pages(client: &Client, mut request: Value) -> (Vec<String>, Vec<usize>) {
    let (mut all, mut sizes) = (Vec::new(), Vec::new());
    loop {
        let page = client.ok("ListTasks", request.clone()).await;
        sizes.push(ids(&page).len());
        all.extend(ids(&page));
        if next(&page).is_empty() {
            return (all, sizes);
        }
        request["pageToken"] = next(&page).into();
    }
}

/// An agent whose clock stands still, with so many finished tasks; their ids in the order of the list.
async fn at_one_time(count: usize) -> (Served, Vec<String>) {
    let served = Setup::new()
        .engine(|engine| engine.clock(|| Timestamp::new(1_767_323_045, 250_000_000)))
        .start()
        .await;
    let client = served.client(Binding::Rest);
    for index in 0..count {
        client.send(request(&format!("report {index}"))).await;
    }
    let page = client.ok("ListTasks", json!({"pageSize": 100})).await;
    let order = ids(&page);
    assert_eq!(order.len(), count);
    (served, order)
}

#[tokio::test]
async fn the_newest_status_comes_first() {
    let now = Arc::new(AtomicI64::new(1_000));
    let clock = Arc::clone(&now);
    let setup = Setup::new().engine(move |engine| {
        engine.clock(move || Timestamp::new(clock.fetch_add(1, Ordering::SeqCst), 0))
    });
    let served = setup.start().await;
    let client = served.client(Binding::Rest);
    let mut made = Vec::new();
    for name in ["one?", "two?", "three?"] {
        made.push(string(
            &client.send(request(&format!("ask {name}"))).await,
            "/id",
        ));
    }
    let [one, two, three] = &made[..] else {
        panic!("three tasks")
    };
    for binding in Binding::ALL {
        let page = served.client(binding).ok("ListTasks", json!({})).await;
        assert_eq!(ids(&page), [three.as_str(), two, one], "{binding:?}");
    }
    // A new status moves a task to the front; the order is by status, not by creation.
    client.send(to_task(one, "ask again?")).await;
    for binding in Binding::ALL {
        let page = served.client(binding).ok("ListTasks", json!({})).await;
        assert_eq!(ids(&page), [one.as_str(), three, two], "{binding:?}");
    }
    client.ok("CancelTask", json!({"id": two})).await;
    assert_eq!(
        ids(&client.ok("ListTasks", json!({})).await),
        [two.as_str(), one, three]
    );
}

#[tokio::test]
async fn the_page_token_is_always_there_and_empty_at_the_end() {
    let (served, order) = at_one_time(3).await;
    for binding in Binding::JSON {
        let client = served.client(binding);
        for (request, more) in [
            (json!({}), false),
            (json!({"pageSize": 3}), false),
            (json!({"pageSize": 2}), true),
            (json!({"contextId": "none"}), false),
        ] {
            let page = client.ok("ListTasks", request.clone()).await;
            let token = page["nextPageToken"]
                .as_str()
                .unwrap_or_else(|| panic!("{request}: {page}"));
            assert_eq!(!token.is_empty(), more, "{request}: {page}");
            for required in ["tasks", "pageSize", "totalSize"] {
                assert!(page.get(required).is_some(), "{required}: {page}");
            }
        }
        let empty = client.ok("ListTasks", json!({"contextId": "none"})).await;
        assert_eq!(
            empty,
            json!({"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0})
        );
    }
    assert_eq!(
        pages(&served.client(Binding::Grpc), json!({"pageSize": 2})).await,
        (order, vec![2, 1])
    );
}

#[tokio::test]
async fn pages_of_equal_timestamps_lose_and_repeat_nothing() {
    let (served, order) = at_one_time(23).await;
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 23);
    for binding in Binding::ALL {
        let client = served.client(binding);
        for size in [1, 2, 7, 22, 23, 24, 100] {
            let (all, sizes) = pages(&client, json!({"pageSize": size})).await;
            assert_eq!(all, order, "{binding:?} {size}");
            assert_eq!(
                sizes.len(),
                23_usize.div_ceil(size),
                "no page is empty: {sizes:?}"
            );
        }
    }
    // A token of one binding is one of the others.
    let page = served
        .client(Binding::Rest)
        .ok("ListTasks", json!({"pageSize": 20}))
        .await;
    let rest = served
        .client(Binding::Grpc)
        .ok(
            "ListTasks",
            json!({"pageSize": 20, "pageToken": next(&page)}),
        )
        .await;
    assert_eq!(ids(&rest), order[20..]);
}

#[tokio::test]
async fn a_cursor_stays_where_it_is_while_tasks_come_and_change() {
    let (served, order) = at_one_time(6).await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let page = client
            .ok("ListTasks", json!({"pageSize": 3, "contextId": ""}))
            .await;
        let token = next(&page).to_owned();
        assert!(
            token
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
            "it fits a query: {token}"
        );
        let mut later = request("report later");
        later["message"]["contextId"] = "later".into();
        client.send(later).await;
        let rest = client
            .ok("ListTasks", json!({"pageSize": 100, "pageToken": token}))
            .await;
        let known: Vec<String> = ids(&rest)
            .into_iter()
            .filter(|id| order.contains(id))
            .collect();
        let seen: Vec<String> = ids(&page)
            .into_iter()
            .filter(|id| order.contains(id))
            .collect();
        assert_eq!([seen, known].concat(), order, "{binding:?}");
    }
}

#[tokio::test]
async fn page_sizes_are_from_1_to_100_and_50_by_default() {
    let (served, order) = at_one_time(60).await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for size in [0, 101, -1, i32::MIN, i32::MAX] {
            client
                .fault("ListTasks", json!({"pageSize": size}))
                .await
                .assert_invalid(&["pageSize"]);
        }
        for (request, size, found) in [
            (json!({}), 50, 50),
            (json!({"pageSize": 1}), 1, 1),
            (json!({"pageSize": 100}), 100, 60),
        ] {
            let page = client.ok("ListTasks", request.clone()).await;
            assert_eq!(
                (&page["pageSize"], &page["totalSize"]),
                (&json!(size), &json!(60)),
                "{request}"
            );
            assert_eq!(ids(&page), order[..found], "{request}");
        }
    }
}

#[tokio::test]
async fn total_size_is_that_of_the_filtered_list_before_paging() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    for index in 0..5 {
        let mut request = request(if index < 3 { "report fine" } else { "fail" });
        request["message"]["contextId"] = if index % 2 == 0 { "even" } else { "odd" }.into();
        client.send(request).await;
    }
    for binding in Binding::ALL {
        let client = served.client(binding);
        for (filter, total) in [
            (json!({}), 5),
            (json!({"status": "TASK_STATE_FAILED"}), 2),
            (json!({"contextId": "even"}), 3),
            (
                json!({"contextId": "even", "status": "TASK_STATE_FAILED"}),
                1,
            ),
        ] {
            let mut request = filter.clone();
            request["pageSize"] = 1.into();
            let first = client.ok("ListTasks", request.clone()).await;
            assert_eq!(
                (&first["totalSize"], ids(&first).len()),
                (&json!(total), 1),
                "{binding:?} {filter}: {first}"
            );
            let (all, _) = pages(&client, request.clone()).await;
            assert_eq!(all.len(), total, "{binding:?} {filter}");
            if total > 1 {
                request["pageToken"] = next(&first).into();
                let second = client.ok("ListTasks", request).await;
                assert_eq!(
                    second["totalSize"], total,
                    "the same on each page: {second}"
                );
            }
        }
    }
}

#[tokio::test]
async fn artifacts_are_left_out_unless_asked_for() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Rest);
    client.send(request("report fine")).await;
    client.send(request("no report")).await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        for request in [json!({}), json!({"includeArtifacts": false})] {
            let page = client.ok("ListTasks", request).await;
            for task in page["tasks"].as_array().expect("tasks") {
                assert_eq!(
                    task.get("artifacts"),
                    None,
                    "neither empty nor null: {task}"
                );
                assert!(task["history"].is_array(), "{task}");
            }
        }
        let page = client
            .ok("ListTasks", json!({"includeArtifacts": true}))
            .await;
        let with: Vec<&Value> = page["tasks"]
            .as_array()
            .expect("tasks")
            .iter()
            .filter(|task| {
                task.get("artifacts")
                    .is_some_and(|artifacts| artifacts != &json!([]))
            })
            .collect();
        assert_eq!(with.len(), 1, "{page}");
        assert_eq!(e2e::text(&with[0]["artifacts"][0]), "fine");
    }
    let raw = http::call(served.addr, "GET", "/tasks").await.text();
    assert!(!raw.contains("artifacts"), "{raw}");
}

#[tokio::test]
async fn states_contexts_and_times_filter() {
    let now = Arc::new(AtomicI64::new(1_000));
    let clock = Arc::clone(&now);
    let setup = Setup::new().engine(move |engine| {
        engine.clock(move || Timestamp::new(clock.load(Ordering::SeqCst), 500_000_000))
    });
    let served = setup.start().await;
    let client = served.client(Binding::Rest);
    let mut made = Vec::new();
    for words in [
        "report fine",
        "ask what?",
        "fail",
        "reject",
        "auth",
        "work gate",
    ] {
        made.push(string(&client.send(at_once(request(words))).await, "/id"));
        client.finished_or_waiting(&made[made.len() - 1]).await;
        now.fetch_add(10, Ordering::SeqCst);
    }
    for binding in Binding::ALL {
        let client = served.client(binding);
        for (state, index) in [
            ("COMPLETED", 0),
            ("INPUT_REQUIRED", 1),
            ("FAILED", 2),
            ("REJECTED", 3),
            ("AUTH_REQUIRED", 4),
            ("WORKING", 5),
        ] {
            let page = client
                .ok(
                    "ListTasks",
                    json!({"status": format!("TASK_STATE_{state}")}),
                )
                .await;
            assert_eq!(ids(&page), [made[index].as_str()], "{binding:?} {state}");
        }
        assert!(
            ids(&client
                .ok("ListTasks", json!({"status": "TASK_STATE_CANCELED"}))
                .await)
            .is_empty()
        );
        let all = client
            .ok("ListTasks", json!({"status": "TASK_STATE_UNSPECIFIED"}))
            .await;
        assert_eq!(all["totalSize"], 6, "unspecified filters nothing: {all}");
        // The times of the statuses are 1000.5 s, 1010.5 s, …
        for (after, total) in [
            ("1970-01-01T00:17:00Z", 4),
            ("1970-01-01T00:17:11.000Z", 2),
            ("1970-01-01T05:47:11+05:30", 2),
            // At that time counts, too.
            ("1970-01-01T00:17:20.500Z", 2),
            ("1970-01-01T00:17:20.500000001Z", 1),
            ("1970-01-01T01:00:00Z", 0),
        ] {
            let page = client
                .ok("ListTasks", json!({"statusTimestampAfter": after}))
                .await;
            assert_eq!(ids(&page).len(), total, "{binding:?} {after}: {page}");
        }
    }
    served.gates.gate("gate").open();
}

#[tokio::test]
async fn a_token_that_is_none_or_of_another_list_is_refused() {
    let (served, _) = at_one_time(3).await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let page = client.ok("ListTasks", json!({"pageSize": 1})).await;
        let token = next(&page).to_owned();
        for bad in [
            "0",
            "x",
            "é",
            &token[1..],
            &format!("{token}A"),
            &"A".repeat(4000),
        ] {
            client
                .fault("ListTasks", json!({"pageToken": bad}))
                .await
                .assert_invalid(&["pageToken"]);
        }
        let other = json!({"pageToken": token, "contextId": "c-1"});
        client
            .fault("ListTasks", other)
            .await
            .assert_invalid(&["pageToken"]);
    }
}

#[tokio::test]
async fn a_list_shows_the_task_as_get_task_does() {
    let served = Setup::new().start().await;
    for binding in Binding::ALL {
        let client = served.client(binding);
        let id = string(&client.send(request("ask one?")).await, "/id");
        client.send(to_task(&id, "report fine")).await;
        let page = client
            .ok(
                "ListTasks",
                json!({"includeArtifacts": true, "pageSize": 1}),
            )
            .await;
        let task = client.get(&id).await;
        assert_eq!(
            (state(&task), &page["tasks"][0]),
            ("COMPLETED", &task),
            "{binding:?}"
        );
    }
}

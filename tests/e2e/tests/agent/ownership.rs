//! Owners: what lists, page tokens, contexts and webhooks tell of another's tasks, which is nothing;
//! callers who do not say who they are; and an authorizer that lets several callers share. That every
//! operation finds nothing of another's is in `tests/callers`.

use a2a_kit::engine::{Access, AccessRequest, Action, Authorizer};
use a2a_kit::{Code, Error};
use e2e::client::http;
use e2e::{Binding, Client, Fault, Served, Setup, errors, request, string, text, to_task};
use serde_json::{Value, json};

const ALICE_AND_BOB: [(&str, &[&str]); 2] = [("alice", &[]), ("bob", &[])];

fn as_caller(served: &Served, binding: Binding, name: &str) -> Client {
    served.client(binding).caller(name)
}

/// A list in short: its total and the ids on the page.
fn listed(page: &Value) -> (i64, Vec<String>) {
    let tasks = page["tasks"].as_array().map(Vec::as_slice);
    let ids = tasks
        .unwrap_or_default()
        .iter()
        .map(|task| string(task, "/id"));
    (
        page["totalSize"].as_i64().unwrap_or_default(),
        ids.collect(),
    )
}

async fn list(client: &Client, filter: Value) -> (i64, Vec<String>) {
    listed(&client.ok("ListTasks", filter).await)
}

#[tokio::test]
async fn lists_and_their_totals_hold_the_caller_s_own_tasks_whatever_they_are_filtered_by() {
    for binding in Binding::ALL {
        let served = Setup::new().callers(&ALICE_AND_BOB).start().await;
        let (alice, bob) = (
            as_caller(&served, binding, "alice"),
            as_caller(&served, binding, "bob"),
        );
        let mut hers = Vec::new();
        for _ in 0..3 {
            hers.push(alice.send(request("ask what?")).await);
        }
        let his = bob.send(request("ask what?")).await;
        let context = string(&hers[0], "/contextId");
        for filter in [
            json!({}),
            json!({"contextId": context}),
            json!({"status": "TASK_STATE_INPUT_REQUIRED"}),
            json!({"pageSize": 1}),
            json!({"statusTimestampAfter": "2020-01-01T00:00:00Z"}),
        ] {
            let (total, ids) = list(&bob, filter.clone()).await;
            let expected = i64::from(filter.get("contextId").is_none());
            assert_eq!(total, expected, "{binding:?} {filter}");
            assert!(
                ids.iter().all(|id| *id == his["id"]),
                "{binding:?} {filter}"
            );
        }
        assert_eq!(list(&alice, json!({})).await.0, 3, "{binding:?}");
    }
}

#[tokio::test]
async fn a_page_token_is_of_no_use_to_another_caller_and_tells_them_nothing() {
    for binding in Binding::ALL {
        let served = Setup::new().callers(&ALICE_AND_BOB).start().await;
        let (alice, bob) = (
            as_caller(&served, binding, "alice"),
            as_caller(&served, binding, "bob"),
        );
        let hook =
            |task: &str, id: &str| json!({"taskId": task, "id": id, "url": "https://a.test/"});
        let mut tasks = Vec::new();
        for client in [&alice, &bob] {
            for _ in 0..3 {
                tasks.push(string(&client.send(request("ask what?")).await, "/id"));
            }
            let newest = tasks.last().expect("a task");
            for id in ["a", "b", "c"] {
                client
                    .ok("CreateTaskPushNotificationConfig", hook(newest, id))
                    .await;
            }
        }
        let (hers, his) = (&tasks[2], &tasks[5]);
        let first = |operation: &'static str, task: &str| match operation {
            "ListTasks" => json!({"pageSize": 1}),
            _ => json!({"pageSize": 1, "taskId": task}),
        };
        for operation in ["ListTasks", "ListTaskPushNotificationConfigs"] {
            let page = alice.ok(operation, first(operation, hers)).await;
            let token = string(&page, "/nextPageToken");
            let with_token = |task: &str| {
                let mut request = first(operation, task);
                request["pageToken"] = token.clone().into();
                request
            };
            alice.ok(operation, with_token(hers)).await;
            let fault = bob.fault(operation, with_token(his)).await;
            fault.assert_invalid(&["pageToken"]);
            // One of a task that never was is refused in the same words.
            let other = alice.ok(operation, first(operation, hers)).await;
            let again = as_caller(&served, binding, "bob")
                .fault(operation, {
                    let mut request = first(operation, his);
                    request["pageToken"] = other["nextPageToken"].clone();
                    request
                })
                .await;
            assert_eq!(again.message, fault.message, "{binding:?} {operation}");
        }
    }
}

#[tokio::test]
async fn a_context_is_a_label_and_belongs_to_nobody() {
    for binding in Binding::ALL {
        let served = Setup::new().callers(&ALICE_AND_BOB).start().await;
        let (alice, bob) = (
            as_caller(&served, binding, "alice"),
            as_caller(&served, binding, "bob"),
        );
        let hers = alice.send(request("ask what?")).await;
        let context = hers["contextId"].clone();
        let mut labelled = request("history");
        labelled["message"]["contextId"] = context.clone();
        let his = bob.send(labelled).await;
        assert_eq!(his["contextId"], context, "{binding:?}");
        assert!(!text(&his).contains("what?"), "{binding:?}: {his}");
        for (client, task) in [(&alice, &hers), (&bob, &his)] {
            let found = list(client, json!({"contextId": context})).await;
            assert_eq!(found, (1, vec![string(task, "/id")]), "{binding:?}");
        }
    }
}

#[tokio::test]
async fn a_message_that_names_another_s_task_in_any_field_is_answered_as_if_it_were_not_there() {
    let served = Setup::new().callers(&ALICE_AND_BOB).start().await;
    for binding in Binding::ALL {
        let alice = as_caller(&served, binding, "alice");
        let bob = as_caller(&served, binding, "bob");
        let hers = alice.send(request("ask what?")).await;
        let id = string(&hers, "/id");
        let mut requests = vec![to_task("ID", "hi")];
        let mut both = to_task("ID", "hi");
        both["message"]["contextId"] = hers["contextId"].clone();
        requests.push(both);
        let mut refers = request("hi");
        refers["message"]["referenceTaskIds"] = json!(["ID"]);
        requests.push(refers);
        for to in [request("hi"), to_task("ID", "hi")] {
            let mut inline = to;
            inline["configuration"]["taskPushNotificationConfig"] =
                json!({"taskId": "ID", "url": "https://a.test/"});
            requests.push(inline);
        }
        for request in requests {
            for operation in ["SendMessage", "SendStreamingMessage"] {
                let named = |id: &str| -> Value {
                    let text = request
                        .to_string()
                        .replace("\"ID\"", &json!(id).to_string());
                    serde_json::from_str(&text).expect("JSON")
                };
                let foreign = bob.fault(operation, named(&id)).await;
                let missing = bob.fault(operation, named("never-was")).await;
                let shown = |fault: &Fault, id: &str| {
                    let Fault { http, code, .. } = fault.clone();
                    let details = Value::Array(fault.details.clone()).to_string();
                    let text = format!("{http} {code} {} {details}", fault.message);
                    text.replace(id, "ID")
                };
                assert_eq!(
                    shown(&foreign, &id),
                    shown(&missing, "never-was"),
                    "{binding:?} {operation}"
                );
            }
        }
        assert_eq!(alice.get(&id).await, hers, "nothing has happened to it");
        assert_eq!(list(&bob, json!({})).await.0, 0, "{binding:?}");
    }
    assert_eq!(served.live_tasks(), 0, "nothing is kept at hand either");
}

#[tokio::test]
async fn callers_who_do_not_say_who_they_are_are_one_owner() {
    let everybody = Setup::new().start().await;
    let mixed = Setup::new()
        .callers_and_others(&ALICE_AND_BOB)
        .start()
        .await;
    for binding in Binding::ALL {
        // Where nobody is asked, there is one owner.
        let task = everybody.client(binding).start("ask what?").await;
        everybody.client(Binding::Rest).get(&task).await;
        // Where some are known, the others are one owner, and none of the known ones.
        let hers = as_caller(&mixed, binding, "alice").start("ask what?").await;
        let nobody_s = as_caller(&mixed, binding, "").start("ask what?").await;
        as_caller(&mixed, binding, "").get(&nobody_s).await;
        for (caller, task) in [("", &hers), ("alice", &nobody_s), ("bob", &nobody_s)] {
            let fault = as_caller(&mixed, binding, caller)
                .fault("GetTask", json!({"id": task}))
                .await;
            fault.assert_is(errors::TASK_NOT_FOUND);
        }
    }
}

/// Who has the scope `team` works on what is the team's; guests only look at it.
struct Team;

impl Authorizer for Team {
    async fn authorize(&self, request: AccessRequest<'_>) -> Result<Access, Error> {
        let caller = request.caller();
        if caller.has_scope("guest") {
            return match request.action {
                Action::Read | Action::List => Ok(Access::of("team:blue")),
                _ => Err(Error::new(Code::PermissionDenied, "guests only look")),
            };
        }
        Ok(match caller.has_scope("team") {
            true => Access::of("team:blue").and_own(),
            false => Access::own(),
        })
    }
}

#[tokio::test]
async fn an_authorizer_lets_a_team_share_and_guests_look() {
    let known: [(&str, &[&str]); 4] = [
        ("alice", &["team"]),
        ("bob", &["team"]),
        ("guest", &["guest"]),
        ("eve", &[]),
    ];
    for binding in Binding::ALL {
        let served = Setup::new()
            .callers(&known)
            .engine(|engine| engine.authorizer(Team))
            .start()
            .await;
        let client = |name: &str| as_caller(&served, binding, name);
        let shared = client("alice").start("ask what?").await;
        let eves = client("eve").start("ask what?").await;
        client("bob").finished_or_waiting(&shared).await;
        let answered = client("bob").send(to_task(&shared, "report done")).await;
        assert_eq!(e2e::state(&answered), "COMPLETED", "{binding:?}");
        client("guest").get(&shared).await;
        for name in ["alice", "bob", "guest"] {
            let found = list(&client(name), json!({})).await;
            assert_eq!(found, (1, vec![shared.clone()]), "{binding:?} {name}");
        }
        let fault = client("eve").fault("GetTask", json!({"id": shared})).await;
        fault.assert_is(errors::TASK_NOT_FOUND);
        // Whether there is such a task is not said to who may not do it.
        for task in [&shared, &eves, "never-was"] {
            for (operation, request) in [
                ("CancelTask", json!({"id": task})),
                ("SendMessage", to_task(task, "hi")),
                (
                    "DeleteTaskPushNotificationConfig",
                    json!({"taskId": task, "id": "w"}),
                ),
            ] {
                let fault = client("guest").fault(operation, request).await;
                match binding {
                    Binding::Grpc => assert_eq!(fault.code, 7),
                    _ => assert_eq!(fault.http, 403),
                }
                assert_eq!(fault.message, "guests only look");
                fault.assert_plain();
            }
        }
    }
}

#[tokio::test]
async fn no_cache_may_keep_what_belongs_to_a_caller() {
    let served = Setup::new().callers(&ALICE_AND_BOB).start().await;
    let task = as_caller(&served, Binding::Rest, "alice")
        .start("report x")
        .await;
    for (path, status) in [
        (format!("/tasks/{task}"), 200),
        ("/tasks".to_owned(), 200),
        ("/tasks/never-was".to_owned(), 404),
        (format!("/tasks/{task}/pushNotificationConfigs"), 200),
    ] {
        let request = http::request("GET", &path).header("x-key", "key-of-alice");
        let answer = http::exchange(served.addr, request.body(bytes::Bytes::new()).unwrap()).await;
        assert_eq!(answer.status, status, "{path}");
        let kept = answer.header("cache-control");
        assert!(kept.contains("no-store"), "{path}: {kept}");
        let vary: Vec<_> = answer.headers.get_all("vary").iter().collect();
        for name in ["authorization", "x-key"] {
            assert!(vary.iter().any(|vary| *vary == name), "{path}: {vary:?}");
        }
    }
}

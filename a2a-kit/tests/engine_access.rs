//! An authorizer says whose tasks a call may see.

mod support;

use std::sync::{Arc, Mutex};

use a2a_kit::agent::{AgentError, Reply, TaskContext};
use a2a_kit::engine::{Access, AccessRequest, Action, Authorizer, Engine, Tenants};
use a2a_kit::v1_0::{
    GetExtendedAgentCardRequest, ListTasksRequest, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig,
};
use a2a_kit::{
    A2A_SERVICE, A2aService, BoxA2aService, CallContext, Caller, Code, Dispatch, Error, Input,
};
use bytes::Bytes;
use serde_json::{Value, json};
use support::*;

async fn asker(_: TaskContext) -> Result<Reply, AgentError> {
    Ok(Reply::input_required("?"))
}

/// Does what a closure does, and remembers what it was asked about.
struct Rule<F> {
    decide: F,
    asked: Arc<Mutex<Vec<Question>>>,
}

/// Operation, action, tenant, task, caller.
type Question = (String, Action, String, String, String);

impl<F> Authorizer for Rule<F>
where
    F: Fn(AccessRequest<'_>) -> Result<Access, Error> + Send + Sync + 'static,
{
    async fn authorize(&self, request: AccessRequest<'_>) -> Result<Access, Error> {
        let text = |text: Option<&str>| text.unwrap_or("-").to_owned();
        self.asked.lock().unwrap().push((
            request.operation.to_owned(),
            request.action,
            text(request.tenant),
            text(request.task),
            text(request.caller().id()),
        ));
        (self.decide)(request)
    }
}

fn ruled(
    decide: impl Fn(AccessRequest<'_>) -> Result<Access, Error> + Send + Sync + 'static,
) -> (Engine, Arc<Mutex<Vec<Question>>>) {
    let asked = Arc::default();
    let rule = Rule {
        decide,
        asked: Arc::clone(&asked),
    };
    let engine = builder(asker)
        .tenants(Tenants::Any)
        .extended_card(card())
        .authorizer(rule)
        .build()
        .unwrap();
    (engine, asked)
}

/// Members of a team work on what is the team's, and see what was theirs before.
fn team(request: AccessRequest<'_>) -> Result<Access, Error> {
    Ok(
        match request.caller().claim("team").and_then(Value::as_str) {
            Some(team) => Access::of(format!("team:{team}")).and_own(),
            None => Access::own(),
        },
    )
}

fn member(id: &str, team: &str) -> CallContext {
    let claims = json!({"team": team}).as_object().unwrap().clone();
    call().with_caller(Caller::known(id).with_claims(claims))
}

/// A request that could be answered, about the task `t` of the tenant `north`.
fn sample(operation: &str) -> Value {
    let said = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]});
    let mut request = match operation {
        "SendMessage" | "SendStreamingMessage" => json!({"message": said}),
        "ListTasks" | "GetExtendedAgentCard" => json!({}),
        "CreateTaskPushNotificationConfig" => json!({"taskId": "t", "url": "https://a.test/"}),
        "ListTaskPushNotificationConfigs" => json!({"taskId": "t"}),
        other if other.ends_with("PushNotificationConfig") => json!({"taskId": "t", "id": "c"}),
        _ => json!({"id": "t"}),
    };
    request["tenant"] = "north".into();
    request
}

async fn dispatch(engine: &Engine, operation: &str, request: &Value) -> Result<(), Error> {
    let service = BoxA2aService::new(engine.clone());
    let index = A2A_SERVICE
        .operations
        .iter()
        .position(|known| known.name == operation)
        .unwrap();
    let input = Input::Json(Bytes::from(request.to_string()));
    service
        .call(index, call_of("alice"), input)
        .await
        .map(|_| ())
}

#[tokio::test]
async fn every_operation_asks_and_who_is_refused_learns_nothing_and_changes_nothing() {
    let (engine, asked) = ruled(|request| {
        let who = request.caller().id().unwrap_or_default();
        match who {
            "alice" => Err(Error::new(Code::PermissionDenied, "not on Sundays")),
            _ => Ok(Access::of("alice")),
        }
    });
    for operation in A2A_SERVICE.operations {
        // There is no such task, which nobody has looked for.
        let error = dispatch(&engine, operation.name, &sample(operation.name)).await;
        let error = error.unwrap_err();
        assert_eq!(
            (error.code(), error.message()),
            (Code::PermissionDenied, "not on Sundays"),
            "{}",
            operation.name
        );
        let (name, action, tenant, task, caller) = asked.lock().unwrap().pop().unwrap();
        assert_eq!(
            (&*name, &*tenant, &*caller),
            (operation.name, "north", "alice")
        );
        let names_task = sample(operation.name).to_string().contains("\"t\"");
        assert_eq!(task == "t", names_task, "{name}");
        let expected = match operation.name {
            "SendMessage" | "SendStreamingMessage" => Action::Create,
            "ListTasks" => Action::List,
            name if name.starts_with("Get") || name.starts_with("List") => Action::Read,
            "SubscribeToTask" => Action::Read,
            _ => Action::Write,
        };
        assert_eq!(action, expected, "{name}");
    }
    assert!(asked.lock().unwrap().is_empty(), "once for each operation");
    // Who goes on with a task writes.
    let mut follow_up = sample("SendMessage");
    follow_up["message"]["taskId"] = "t".into();
    dispatch(&engine, "SendMessage", &follow_up)
        .await
        .unwrap_err();
    let (_, action, _, task, _) = asked.lock().unwrap().pop().unwrap();
    assert_eq!((action, &*task), (Action::Write, "t"));
    // Nothing has been written for her.
    let mut list = list_request();
    list.tenant = "north".into();
    let listed = engine.list_tasks(call_of("auditor"), list).await.unwrap();
    assert_eq!(listed.total_size, 0);
    assert_eq!(engine.live_tasks(), 0);
}

#[tokio::test]
async fn who_is_shown_nothing_cannot_tell_it_from_there_being_nothing() {
    let (engine, _) = ruled(|request| {
        Ok(match request.caller().id() {
            Some("stranger") => Access::none(),
            _ => Access::own(),
        })
    });
    let task = send_as(&engine, call_of("alice"), request("ask"))
        .await
        .unwrap();
    let stranger = || call_of("stranger");
    let hidden = engine.get_task(stranger(), get_request(&task.id)).await;
    let other = engine.get_task(call_of("bob"), get_request(&task.id)).await;
    let missing = engine.get_task(call_of("bob"), get_request("nope")).await;
    let texts = [hidden, other, missing].map(|answer| {
        let error = answer.unwrap_err();
        assert!(error.is_task_not_found());
        error.message().replace(&task.id, "nope")
    });
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    let listed = engine.list_tasks(stranger(), list_request()).await.unwrap();
    assert_eq!((listed.total_size, listed.tasks.len()), (0, 0));
    let card = GetExtendedAgentCardRequest::default();
    let card = engine.get_extended_agent_card(stranger(), card).await;
    assert!(card.unwrap_err().is_extended_agent_card_not_configured());
    // Also when the message would be answered without a task.
    for text in ["ask", "hello"] {
        let refused = engine.send_message(stranger(), request(text)).await;
        assert_eq!(refused.unwrap_err().code(), Code::PermissionDenied);
    }
}

#[tokio::test]
async fn a_team_works_on_tasks_together_and_the_agent_sees_who_calls() {
    async fn who(task: TaskContext) -> Result<Reply, AgentError> {
        let who = task.caller().id().unwrap_or("nobody").to_owned();
        Ok(Reply::input_required(who))
    }
    let engine = builder(who)
        .authorizer(Rule {
            decide: team,
            asked: Arc::default(),
        })
        .build()
        .unwrap();
    let (alice, bob) = (|| member("alice", "blue"), || member("bob", "blue"));
    let own = send_as(&engine, call_of("alice"), request("ask"))
        .await
        .unwrap();
    let shared = send_as(&engine, alice(), request("ask")).await.unwrap();
    assert_eq!(said(&shared), "alice");
    // A new task belongs to the first owner, which is the team.
    let answered = send_as(&engine, bob(), to_task(&shared.id, "go on"))
        .await
        .unwrap();
    assert_eq!(said(&answered), "bob");
    let found =
        async |call: CallContext, id: &str| engine.get_task(call, get_request(id)).await.is_ok();
    assert!(found(bob(), &shared.id).await);
    assert!(found(alice(), &own.id).await, "her own, from before");
    assert!(!found(bob(), &own.id).await);
    for stranger in [call(), call_of("alice"), member("eve", "red")] {
        assert!(!found(stranger, &shared.id).await);
    }
    // The whole surface finds it where it is.
    let mut hook = TaskPushNotificationConfig::default();
    (hook.task_id, hook.id, hook.url) = (shared.id.clone(), "w".into(), "https://a.test/".into());
    let kept = engine
        .create_task_push_notification_config(bob(), hook)
        .await;
    assert_eq!(kept.unwrap().task_id, shared.id);
    let mut follow = SubscribeToTaskRequest::default();
    follow.id.clone_from(&shared.id);
    let mut events = engine.subscribe_to_task(bob(), follow).await.unwrap();
    assert_eq!(next(&mut events).await.unwrap(), "task INPUT_REQUIRED");
    let mut stop = a2a_kit::v1_0::CancelTaskRequest::default();
    stop.id.clone_from(&shared.id);
    let stopped = engine.cancel_task(bob(), stop).await.unwrap();
    assert_eq!(stopped.state(), a2a_kit::v1_0::TaskState::Canceled);
}

/// Asks for pages of `size`, and gives the ids of all tasks.
async fn pages(
    engine: &Engine,
    call: impl Fn() -> CallContext,
    size: i32,
    total: i32,
) -> Vec<String> {
    let mut ids = Vec::new();
    let mut token = String::new();
    for _ in 0..100 {
        let mut request = ListTasksRequest::default();
        request.page_size = Some(size);
        request.page_token.clone_from(&token);
        let page = engine.list_tasks(call(), request).await.unwrap();
        assert_eq!(page.total_size, total);
        assert!(page.tasks.len() <= usize::try_from(size).unwrap());
        ids.extend(page.tasks.iter().map(|task: &Task| task.id.clone()));
        token.clone_from(&page.next_page_token);
        if token.is_empty() {
            return ids;
        }
    }
    panic!("the list has no end");
}

#[tokio::test]
async fn a_list_of_several_owners_is_one_list_with_one_total() {
    let (engine, _) = ruled(|request| {
        Ok(match request.caller().id() {
            // Twice is once.
            Some("auditor") => Access::of("alice").and("bob").and("alice").and_own(),
            _ => Access::own(),
        })
    });
    let mut made = Vec::new();
    for index in 0..9 {
        let owner = ["alice", "bob", "carol"][index % 3];
        let task = send_as(&engine, call_of(owner), request("ask"))
            .await
            .unwrap();
        if owner != "carol" {
            made.push(task.id);
        }
    }
    let all = pages(&engine, || call_of("auditor"), 100, 6).await;
    let mut sorted = all.clone();
    sorted.sort_unstable();
    let mut expected = made.clone();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    for size in [1, 2, 3, 5, 6] {
        assert_eq!(
            pages(&engine, || call_of("auditor"), size, 6).await,
            all,
            "{size}"
        );
    }
    assert_eq!(pages(&engine, || call_of("alice"), 2, 3).await.len(), 3);
}

#[tokio::test]
async fn what_a_message_refers_to_is_asked_about_and_reaches_the_agent() {
    async fn reads(task: TaskContext) -> Result<Reply, AgentError> {
        let read = task.referenced_tasks().await?;
        let ids: Vec<&str> = read.iter().map(|task| &*task.id).collect();
        Ok(Reply::completed().with_message(ids.join(" ")))
    }
    let asked = Arc::default();
    let rule = Rule {
        decide: team,
        asked: Arc::clone(&asked),
    };
    let engine = builder(reads).authorizer(rule).build().unwrap();
    let own = send_as(&engine, call_of("alice"), request("go"))
        .await
        .unwrap();
    let shared = send_as(&engine, member("bob", "blue"), request("go"))
        .await
        .unwrap();
    let foreign = send_as(&engine, call_of("carol"), request("go"))
        .await
        .unwrap();
    let refers = |ids: &[&str]| {
        let mut request = request("go");
        let ids = ids.iter().map(ToString::to_string).collect();
        request.message.as_mut().unwrap().reference_task_ids = ids;
        request
    };
    let alice = || member("alice", "blue");
    asked.lock().unwrap().clear();
    let both = send_as(&engine, alice(), refers(&[&own.id, &shared.id]))
        .await
        .unwrap();
    assert_eq!(said(&both), format!("{} {}", own.id, shared.id));
    let questions: Vec<_> = asked.lock().unwrap().clone();
    let reads = |id: &str| {
        let read = |one: &&Question| one.0 == "GetTask" && one.1 == Action::Read && one.3 == id;
        questions.iter().filter(read).count()
    };
    // Before anything is written, and when the agent reads them.
    assert_eq!((reads(&own.id), reads(&shared.id)), (2, 2), "{questions:?}");
    let error = send_as(&engine, alice(), refers(&[&own.id, &foreign.id])).await;
    assert!(error.unwrap_err().is_task_not_found());
    let error = send_as(&engine, member("bob", "blue"), refers(&[&own.id])).await;
    assert!(error.unwrap_err().is_task_not_found());
}

#[tokio::test]
async fn an_owner_without_a_name_is_a_fault_and_not_everybody() {
    let (engine, _) = ruled(|request| {
        let team = request.caller().claim("team").and_then(Value::as_str);
        Ok(Access::of(team.unwrap_or_default()))
    });
    let error = send_as(&engine, call_of("alice"), request("ask"))
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    let listed = engine.list_tasks(call(), list_request()).await;
    assert_eq!(listed.unwrap_err().code(), Code::Internal);
}

#[tokio::test]
async fn a_webhook_in_a_message_is_asked_about_as_one_by_itself_is() {
    let (engine, asked) = ruled(|request| {
        let adds = request.operation == "CreateTaskPushNotificationConfig";
        match request.caller().id() {
            Some("refused") if adds => Err(Error::new(Code::PermissionDenied, "no webhooks")),
            Some("elsewhere") if adds => Ok(Access::of("somebody else")),
            _ => Ok(Access::own()),
        }
    });
    let with_hook = |mut request: a2a_kit::v1_0::SendMessageRequest| {
        let mut hook = TaskPushNotificationConfig::default();
        hook.url = "https://a.test/".into();
        let configuration = request.configuration.get_or_insert_default();
        configuration.task_push_notification_config = Some(hook);
        request
    };
    for who in ["refused", "elsewhere"] {
        let task = send_as(&engine, call_of(who), request("ask"))
            .await
            .unwrap();
        for request in [request("ask"), to_task(&task.id, "go on")] {
            let error = send_as(&engine, call_of(who), with_hook(request)).await;
            assert_eq!(error.unwrap_err().code(), Code::PermissionDenied, "{who}");
        }
        // Nothing of it has been written.
        let listed = engine.list_tasks(call_of(who), list_request()).await;
        assert_eq!(listed.unwrap().total_size, 1, "{who}");
    }
    asked.lock().unwrap().clear();
    let task = send_as(&engine, call_of("alice"), with_hook(request("ask")))
        .await
        .unwrap();
    send_as(
        &engine,
        call_of("alice"),
        with_hook(to_task(&task.id, "go on")),
    )
    .await
    .unwrap();
    let asked = asked.lock().unwrap();
    let of_hooks: Vec<_> = asked
        .iter()
        .filter(|one| one.0 == "CreateTaskPushNotificationConfig")
        .map(|one| (one.1, &*one.3))
        .collect();
    assert_eq!(of_hooks, [(Action::Write, "-"), (Action::Write, &*task.id)]);
}

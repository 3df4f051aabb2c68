//! Everything that a client can do, on every binding.

use std::collections::BTreeSet;

use a2a_kit::client::{Client, Outcome, Update, Updates};
use a2a_kit::v1_0::{AgentCapabilities, TaskPushNotificationConfig, TaskState};
use a2a_kit::{Binding, Code, Error, Parts};
use futures_util::TryStreamExt as _;

use crate::agent::{ALL, Served};
use crate::peer::quick;

/// What came of a stream: states, pieces of artifacts, texts.
fn shown(update: &Update) -> String {
    match update {
        Update::Task(task) => format!("task {:?}", task.state()),
        Update::Message(message) => format!("message {}", message.parts[0].as_text().unwrap()),
        Update::Status(update) => format!("{:?}", update.status.as_ref().unwrap().state()),
        Update::Artifact(update) => {
            let artifact = update.artifact.as_ref().unwrap();
            let texts: String = artifact
                .parts
                .iter()
                .filter_map(|part| part.as_text())
                .collect();
            format!("{}{texts}", if update.append { "+" } else { "=" })
        }
    }
}

pub(crate) async fn rest(updates: Updates) -> Result<Vec<String>, Error> {
    updates.map_ok(|update| shown(&update)).try_collect().await
}

#[tokio::test]
async fn messages_are_answered_by_messages_and_tasks() {
    let agent = Served::start().await;
    for binding in ALL {
        let client = agent.by(binding).await;
        assert_eq!(client.interface().protocol_binding, binding.card_name());
        let answer = client.message("hello").send().await.unwrap();
        assert_eq!(
            answer.message().map(|message| message.task_id.as_str()),
            Some(""),
            "{binding:?}"
        );
        assert_eq!(answer.text(), "hello to you");
        let content = Parts::from("é😀\u{2028}").and("two");
        let answer = client
            .message(content)
            .accept("text/plain")
            .metadata("key", 7)
            .send()
            .await
            .unwrap();
        let task = answer.task().unwrap();
        assert_eq!(
            (task.state(), answer.text()),
            (TaskState::Completed, "é😀\u{2028}\ntwo".to_owned()),
            "{binding:?}"
        );
        let answer = client.message("reject no time").send().await.unwrap();
        assert_eq!(
            (answer.task().unwrap().state(), answer.text()),
            (TaskState::Rejected, "no time".to_owned())
        );
    }
}

#[tokio::test]
async fn a_conversation_is_one_task() {
    let agent = Served::start().await;
    for binding in ALL {
        let client = agent.by(binding).await;
        let first = client
            .message("ask which region?")
            .send()
            .await
            .unwrap()
            .into_task()
            .unwrap();
        assert_eq!(first.state(), TaskState::InputRequired, "{binding:?}");
        let second = client
            .message("China")
            .in_task(&first.id)
            .in_context(&first.context_id)
            .history_length(1)
            .send()
            .await
            .unwrap();
        let Outcome::Task(second) = second else {
            panic!("{second:?}")
        };
        assert_eq!(
            (second.id.as_str(), second.state()),
            (first.id.as_str(), TaskState::Completed)
        );
        assert_eq!(second.history.len(), 1);
        let whole = client.get_task(&first.id).await.unwrap();
        assert!(whole.history.len() >= 3, "{binding:?}: {whole:?}");
        assert!(
            client
                .get_task(&first.id)
                .history_length(0)
                .await
                .unwrap()
                .history
                .is_empty()
        );
        let error = client
            .message("more")
            .in_task(&first.id)
            .send()
            .await
            .unwrap_err();
        assert!(error.is_unsupported_operation(), "{binding:?}: {error:?}");
    }
}

#[tokio::test]
async fn streams_tell_what_happens() {
    let agent = Served::start().await;
    for binding in ALL {
        let client = agent.by(binding).await;
        let mut updates = client.message("chunks He l lo").stream().await.unwrap();
        let first = updates.try_next().await.unwrap().unwrap();
        assert!(
            matches!(&first, Update::Task(task) if Some(task.id.as_str()) == updates.task_id())
        );
        let rest = rest(updates).await.unwrap();
        assert_eq!(
            rest.last().map(String::as_str),
            Some("Completed"),
            "{binding:?}: {rest:?}"
        );
        let text: String = rest
            .iter()
            .filter_map(|seen| seen.strip_prefix(['=', '+']))
            .collect();
        assert_eq!(text, "Hello.", "{binding:?}");
        let said = self::rest(client.message("hello").stream().await.unwrap())
            .await
            .unwrap();
        assert_eq!(said, ["message hello to you"], "{binding:?}");
        let asked = self::rest(client.message("ask who?").stream().await.unwrap())
            .await
            .unwrap();
        assert_eq!(
            asked.last().map(String::as_str),
            Some("InputRequired"),
            "{binding:?}"
        );
        let outcome = client
            .message("chunks a b")
            .stream()
            .await
            .unwrap()
            .outcome()
            .await
            .unwrap();
        assert_eq!(outcome.text(), "a\nb\n.", "{binding:?}");
    }
}

#[tokio::test]
async fn tasks_are_followed_and_canceled() {
    let agent = Served::start().await;
    for binding in ALL {
        let client = agent.by(binding).await;
        let task = client
            .message("wait here")
            .return_immediately()
            .send()
            .await
            .unwrap()
            .into_task()
            .unwrap();
        assert!(!task.state().is_terminal(), "{binding:?}");
        let mut updates = client.subscribe(&task.id).await.unwrap();
        assert!(
            matches!(updates.try_next().await.unwrap(), Some(Update::Task(_))),
            "{binding:?}"
        );
        agent.go_on();
        let rest = rest(updates).await.unwrap();
        assert_eq!(
            rest.iter().filter(|seen| *seen == "=here").count(),
            1,
            "{binding:?}: {rest:?}"
        );
        assert_eq!(rest.last().map(String::as_str), Some("Completed"));
        // It has ended: it cannot be subscribed to, but followed.
        let refused = match client.subscribe(&task.id).await {
            Ok(mut updates) => updates.try_next().await.unwrap_err(),
            Err(error) => error,
        };
        assert!(
            refused.is_unsupported_operation(),
            "{binding:?}: {refused:?}"
        );
        assert_eq!(
            self::rest(client.follow(&task.id).await.unwrap())
                .await
                .unwrap(),
            ["task Completed"],
            "{binding:?}"
        );

        let other = client
            .message("wait there")
            .return_immediately()
            .send()
            .await
            .unwrap()
            .into_task()
            .unwrap();
        let canceled = client
            .cancel(&other.id)
            .metadata("why", "enough")
            .await
            .unwrap();
        assert_eq!(canceled.state(), TaskState::Canceled, "{binding:?}");
        let error = client.cancel(&task.id).await.unwrap_err();
        assert!(error.is_task_not_cancelable(), "{binding:?}: {error:?}");
    }
}

#[tokio::test]
async fn lists_have_pages() {
    let agent = Served::start().await;
    let client = agent.client().await;
    let mut made = BTreeSet::new();
    for number in 0..7 {
        let task = client
            .message(format!("task {number}"))
            .in_context("c-list")
            .send()
            .await
            .unwrap()
            .into_task()
            .unwrap();
        made.insert(task.id);
    }
    client.message("ask elsewhere").send().await.unwrap();
    for binding in ALL {
        let client = agent.by(binding).await;
        let list = || client.list_tasks().in_context("c-list").page_size(3);
        let page = list().await.unwrap();
        assert_eq!((page.tasks.len(), page.total_size), (3, 7), "{binding:?}");
        let next = list()
            .page_token(&page.next_page_token)
            .with_artifacts()
            .await
            .unwrap();
        assert!(next.tasks.iter().all(|task| !task.artifacts.is_empty()));
        let all: BTreeSet<String> = list()
            .all()
            .map_ok(|task| task.id)
            .try_collect()
            .await
            .unwrap();
        assert_eq!(all, made, "{binding:?}");
        let waiting: Vec<_> = client
            .list_tasks()
            .status(TaskState::InputRequired)
            .history_length(0)
            .all()
            .try_collect()
            .await
            .unwrap();
        assert_eq!(waiting.len(), 1, "{binding:?}");
        let error = client.list_tasks().page_size(0).await.unwrap_err();
        assert_eq!(
            (error.code(), error.violations()[0].field.as_str()),
            (Code::InvalidArgument, "pageSize"),
            "{binding:?}"
        );
    }
}

#[tokio::test]
async fn webhooks_are_kept_and_removed() {
    let agent = Served::start().await;
    for binding in ALL {
        let client = agent.by(binding).await;
        let task = client
            .message("ask who?")
            .send()
            .await
            .unwrap()
            .into_task()
            .unwrap();
        let url = "https://hook.example.com/x";
        let made = client
            .create_push_config(&task.id, url)
            .id("p 1")
            .token("t")
            .authentication("Bearer", "b")
            .await
            .unwrap();
        assert_eq!(
            (made.id.as_str(), made.url.as_str()),
            ("p 1", url),
            "{binding:?}"
        );
        let second = client.create_push_config(&task.id, url).await.unwrap();
        let found = client.get_push_config(&task.id, "p 1").await.unwrap();
        assert_eq!(found.task_id, task.id);
        let page = client
            .list_push_configs(&task.id)
            .page_size(1)
            .await
            .unwrap();
        assert_eq!(page.configs.len(), 1, "{binding:?}");
        let all: BTreeSet<String> = client
            .list_push_configs(&task.id)
            .page_size(1)
            .all()
            .map_ok(|config| config.id)
            .try_collect()
            .await
            .unwrap();
        assert_eq!(
            all,
            BTreeSet::from([made.id.clone(), second.id.clone()]),
            "{binding:?}"
        );
        for _ in 0..2 {
            client.delete_push_config(&task.id, "p 1").await.unwrap();
        }
        let error = client.get_push_config(&task.id, "p 1").await.unwrap_err();
        assert!(error.is_task_not_found(), "{binding:?}: {error:?}");
        client
            .delete_push_config(&task.id, &second.id)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn the_extended_card_takes_the_place_of_the_public_one() {
    let agent = Served::start().await;
    for binding in ALL {
        let client = agent.by(binding).await;
        assert_eq!(client.card().name, "Worker");
        let card = client.extended_card().await.unwrap();
        assert_eq!(card.name, "Worker, extended", "{binding:?}");
        assert_eq!(client.card().name, "Worker, extended");
        assert_eq!(
            client.clone().card().name,
            "Worker, extended",
            "clones share it"
        );
        client.message("hello").send().await.unwrap();
    }
}

#[tokio::test]
async fn errors_are_the_same_on_every_binding() {
    let agent = Served::start().await;
    for binding in ALL {
        let client = agent.by(binding).await;
        let missing = client.get_task("missing").await.unwrap_err();
        assert!(missing.is_task_not_found(), "{binding:?}: {missing:?}");
        assert_eq!(missing.reason(), Some("TASK_NOT_FOUND"));
        let wrong = client.message("nonsense").send().await.unwrap_err();
        assert_eq!(wrong.code(), Code::InvalidArgument, "{binding:?}");
        let violation = &wrong.violations()[0];
        assert_eq!(
            (violation.field.as_str(), violation.description.as_str()),
            ("message.parts[0].text", "makes no sense")
        );
        // Ids that are awkward in paths arrive as they are, or are not sent.
        for id in [
            "a/b",
            "a:b",
            "100%",
            "a b",
            "任务",
            "a%2Fb",
            "?x=1",
            "t1:cancel",
        ] {
            let error = client.get_task(id).await.unwrap_err();
            assert!(error.is_task_not_found(), "{binding:?} {id}: {error:?}");
        }
        for id in ["", "..", "."] {
            let error = client.get_task(id).await.unwrap_err();
            let refused = binding == Binding::Rest
                && error.peer_status().is_none()
                && error.code() == Code::InvalidArgument;
            assert!(
                refused || error.is_task_not_found() || error.code() == Code::InvalidArgument,
                "{binding:?} {id:?}: {error:?}"
            );
        }
    }
}

#[tokio::test]
async fn what_the_card_does_not_promise_is_refused_as_the_server_refuses_it() {
    let agent = Served::with_card(|card| card.capabilities = Some(AgentCapabilities::new())).await;
    for binding in ALL {
        let client = agent.connect(quick().bindings([binding])).await;
        // A client that was told more by another card: the server refuses.
        let mut card = (*client.card()).clone();
        card.capabilities = crate::agent::card(agent.address).capabilities;
        let told = Client::builder()
            .bindings([binding])
            .with_card(card)
            .unwrap();
        let pairs = [
            (
                client
                    .create_push_config("t", "https://h")
                    .await
                    .unwrap_err(),
                told.create_push_config("t", "https://h").await.unwrap_err(),
            ),
            (
                client.extended_card().await.unwrap_err(),
                told.extended_card().await.unwrap_err(),
            ),
            (stream_error(&client).await, stream_error(&told).await),
        ];
        for (here, there) in pairs {
            assert_eq!(
                (here.spec(), here.message()),
                (there.spec(), there.message()),
                "{binding:?}"
            );
            assert!(here.spec().is_some());
        }
        let webhook = TaskPushNotificationConfig::new().with_url("https://h");
        assert!(
            client
                .message("x")
                .notify(webhook)
                .send()
                .await
                .unwrap_err()
                .is_push_notification_not_supported()
        );
        // What does not stream is followed by questions.
        let updates = client.message("chunks a b").follow().await.unwrap();
        let outcome = updates.outcome().await.unwrap();
        assert_eq!(outcome.text(), "a\nb\n.", "{binding:?}");
    }
}

async fn stream_error(client: &Client) -> Error {
    match client.message("x").stream().await {
        Ok(mut updates) => updates.try_next().await.unwrap_err(),
        Err(error) => error,
    }
}

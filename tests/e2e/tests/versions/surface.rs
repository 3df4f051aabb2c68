//! Our own clients of v0.3 against an agent, on every binding: the whole surface.

use a2a_kit::v1_0::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, Part, SubscribeToTaskRequest, TaskPushNotificationConfig, TaskState, part,
    send_message_response,
};
use a2a_kit::wire::adapt::FileBytes;
use a2a_kit::{A2aService as _, Binding as KitBinding, BoxA2aService, CallContext, Client, Error};
use bytes::Bytes;
use e2e::{Binding, Served, Setup, card, within};
use futures_util::StreamExt as _;

use super::{
    V0_3, V1_0, at_once, brief, briefs, call, client, gate_name, request, send, serving, to_task,
};

const EXTENSION: &str = "https://a.test/ext/one/v1";

async fn on_all(test: impl AsyncFn(&Served, BoxA2aService)) {
    for versions in [&[V0_3][..], &[V1_0, V0_3]] {
        let setup = Setup::new().card(|card| card::extension(card, EXTENSION, false));
        let served = serving(setup, versions).start().await;
        for binding in Binding::ALL {
            println!("{binding:?}, served {versions:?}");
            test(&served, client(served.addr, binding, V0_3)).await;
        }
    }
}

fn get(id: &str) -> GetTaskRequest {
    GetTaskRequest::new().with_id(id)
}

#[tokio::test]
async fn messages_make_tasks_and_tasks_are_read_and_canceled() {
    on_all(async |served, client| {
        let done = send(&client, request("report all is well, é😀")).await;
        assert_eq!(done.state(), TaskState::Completed);
        assert_eq!(done.artifacts[0].name, "report");
        let again = client.get_task(call(), get(&done.id)).await.unwrap();
        assert_eq!((&again.id, &again.artifacts), (&done.id, &done.artifacts));

        // What v0.3 does not ask for is left out on our side.
        let full = client.get_task(call(), get(&done.id)).await.unwrap();
        assert!(!full.history.is_empty());
        let none = client.get_task(call(), get(&done.id).with_history_length(0));
        assert!(none.await.unwrap().history.is_empty());
        let one = client.get_task(call(), get(&done.id).with_history_length(1));
        assert_eq!(one.await.unwrap().history.len(), 1);

        let asked = send(&client, request("ask which region?")).await;
        assert_eq!(asked.state(), TaskState::InputRequired);
        let answered = send(&client, to_task(&asked.id, "report north")).await;
        assert_eq!(
            (answered.state(), answered.id),
            (TaskState::Completed, asked.id)
        );

        let name = gate_name();
        let worked_on = send(&client, at_once(request(&format!("work {name}")))).await;
        assert!(!worked_on.state().is_terminal(), "{worked_on:?}");
        let cancel = |id: &str| CancelTaskRequest::new().with_id(id);
        let canceled = client.cancel_task(call(), cancel(&worked_on.id)).await;
        assert_eq!(canceled.unwrap().state(), TaskState::Canceled);
        served.gates.gate(&name).open();

        let refused = client
            .cancel_task(call(), cancel(&done.id))
            .await
            .unwrap_err();
        assert!(refused.is_task_not_cancelable(), "{refused:?}");
        let missing = client.get_task(call(), get("none")).await.unwrap_err();
        assert!(missing.is_task_not_found(), "{missing:?}");

        let message = client.send_message(call(), request("hello there")).await;
        assert!(matches!(
            message.unwrap().payload,
            Some(send_message_response::Payload::Message(_))
        ));
    })
    .await;
}

#[tokio::test]
async fn what_v0_3_has_no_name_for_is_not_called() {
    on_all(async |_, client| {
        let error = client.list_tasks(call(), ListTasksRequest::new()).await;
        let error = error.unwrap_err();
        assert!(error.is_unsupported_operation(), "{error:?}");
        assert_eq!(error.peer_status(), None, "{error:?}");
        assert!(error.message().contains("0.3"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn streams_begin_with_the_task_and_end_with_the_final_event() {
    on_all(async |_, client| {
        let stream = async |text: &str| {
            let events = client.send_streaming_message(call(), request(text)).await;
            briefs(events.unwrap()).await
        };
        let chunks = stream("chunks A B C").await;
        assert_eq!(chunks[0], "task Submitted", "{chunks:?}");
        assert_eq!(chunks.last().unwrap(), "Completed", "{chunks:?}");
        let pieces: Vec<_> = chunks
            .iter()
            .filter(|event| event.starts_with("artifact"))
            .collect();
        assert_eq!(
            pieces,
            ["artifact A", "artifact +B", "artifact +C !"],
            "{chunks:?}"
        );
        assert_eq!(stream("ask whom?").await.last().unwrap(), "InputRequired");
        assert_eq!(stream("auth").await.last().unwrap(), "AuthRequired");
        assert_eq!(stream("fail").await.last().unwrap(), "Failed");
        assert_eq!(stream("hello there").await, ["message hello there to you"]);
    })
    .await;
}

#[tokio::test]
async fn tasks_are_followed_and_finished_ones_are_refused_as_in_v1_0() {
    on_all(async |served, client| {
        let subscribe =
            |id: &str| client.subscribe_to_task(call(), SubscribeToTaskRequest::new().with_id(id));
        let done = send(&client, request("report x")).await;
        // On the wire the task comes, and the stream ends; for callers it is the service of v1.0.
        let over = subscribe(&done.id).await.err().unwrap();
        assert!(over.is_unsupported_operation(), "{over:?}");

        let name = gate_name();
        let gate = served.gates.gate(&name);
        let task = send(&client, at_once(request(&format!("work {name}")))).await;
        let mut events = subscribe(&task.id).await.unwrap();
        let first = within(events.next()).await.unwrap().unwrap();
        assert!(brief(&first).starts_with("task "), "{first:?}");
        gate.open();
        assert_eq!(briefs(events).await.last().unwrap(), "Completed");

        // Whoever waits for somebody does not go on by itself.
        let asked = send(&client, request("ask-inside whom?")).await;
        assert_eq!(asked.state(), TaskState::InputRequired);
        let mut events = subscribe(&asked.id).await.unwrap();
        let first = within(events.next()).await.unwrap().unwrap();
        assert_eq!(brief(&first), "task InputRequired");
        let answer = send(&client, to_task(&asked.id, "north")).await;
        assert_eq!(answer.state(), TaskState::Completed);
        assert_eq!(briefs(events).await.last().unwrap(), "Completed");

        let missing = subscribe("none").await.err().unwrap();
        assert!(missing.is_task_not_found(), "{missing:?}");
    })
    .await;
}

#[tokio::test]
async fn webhooks_are_registered_read_listed_and_deleted() {
    on_all(async |_, client| {
        let task = send(&client, request("report x")).await.id;
        let hook = |id: &str| {
            TaskPushNotificationConfig::new()
                .with_task_id(&task)
                .with_id(id)
                .with_url(format!("https://a.test/{id}"))
                .with_token("secret")
        };
        for id in ["a", "b"] {
            let kept = client.create_task_push_notification_config(call(), hook(id));
            assert_eq!(*kept.await.unwrap(), hook(id));
        }
        let get = |id: &str| {
            let request = GetTaskPushNotificationConfigRequest::new()
                .with_task_id(&task)
                .with_id(id);
            client.get_task_push_notification_config(call(), request)
        };
        assert_eq!(*get("b").await.unwrap(), hook("b"));
        assert!(get("none").await.unwrap_err().is_task_not_found());
        let list = || {
            let request = ListTaskPushNotificationConfigsRequest::new().with_task_id(&task);
            client.list_task_push_notification_configs(call(), request)
        };
        assert_eq!(list().await.unwrap().configs, [hook("a"), hook("b")]);
        let delete = DeleteTaskPushNotificationConfigRequest::new()
            .with_task_id(&task)
            .with_id("a");
        client
            .delete_task_push_notification_config(call(), delete)
            .await
            .unwrap();
        assert_eq!(list().await.unwrap().configs, [hook("b")]);
        // Nameless ones get a name.
        let kept = client
            .create_task_push_notification_config(call(), hook(""))
            .await;
        assert!(!kept.unwrap().id.is_empty());
        assert_eq!(list().await.unwrap().configs.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn the_extended_card_comes_or_is_not_configured() {
    on_all(async |_, client| {
        let card = client.get_extended_agent_card(call(), GetExtendedAgentCardRequest::new());
        let card = card.await.unwrap();
        assert_eq!(card.name, "Scripted, extended");
        assert!(
            card.supported_interfaces
                .iter()
                .all(|interface| interface.protocol_version == "0.3")
        );
    })
    .await;
    let served = serving(Setup::bare(), &[V0_3]).start().await;
    for binding in Binding::ALL {
        let client = client(served.addr, binding, V0_3);
        let error = client
            .get_extended_agent_card(call(), GetExtendedAgentCardRequest::new())
            .await
            .unwrap_err();
        assert!(error.is_extended_agent_card_not_configured(), "{error:?}");
    }
}

#[tokio::test]
async fn extensions_are_asked_for_and_confirmed_under_the_name_of_the_version() {
    on_all(async |_, client| {
        let context = CallContext::default().with_extensions(vec![EXTENSION.to_owned()]);
        let answer = client
            .send_message(context.clone(), request("extensions"))
            .await;
        answer.unwrap();
        assert_eq!(context.activated_extensions(), [EXTENSION]);
    })
    .await;
}

#[tokio::test]
async fn errors_keep_their_names_and_what_v0_3_does_not_know_is_an_invalid_request() {
    on_all(async |_, client| {
        let mut wrong = request("hi");
        if let Some(message) = &mut wrong.message {
            message.reference_task_ids = vec!["none".into()];
        }
        let error = client.send_message(call(), wrong).await.unwrap_err();
        assert!(error.is_task_not_found(), "{error:?}");
        let error = client
            .send_message(call(), request("refuse"))
            .await
            .unwrap_err();
        assert!(error.is_invalid_argument(), "{error:?}");
    })
    .await;
    let setup = Setup::new().card(|card| card::extension(card, EXTENSION, true));
    let served = serving(setup, &[V0_3]).start().await;
    for binding in Binding::ALL {
        let client = client(served.addr, binding, V0_3);
        let error = client
            .send_message(call(), request("hi"))
            .await
            .unwrap_err();
        assert!(error.message().contains(EXTENSION), "{error:?}");
        assert!(!error.is_task_not_found(), "{error:?}");
    }
}

/// The bytes of a file that a task keeps in its history.
async fn kept(client: &Client, bytes: &[u8]) -> Result<Bytes, Error> {
    let mut request = request("report with a file");
    if let Some(message) = &mut request.message {
        message
            .parts
            .push(Part::new().with_raw(bytes.to_vec()).with_filename("a.bin"));
    }
    let answer = within(client.send_message(call(), request)).await?;
    let Some(send_message_response::Payload::Task(task)) = answer.into_inner().payload else {
        panic!("a task was expected");
    };
    let raw = task.history[0]
        .parts
        .iter()
        .find_map(|part| match &part.content {
            Some(part::Content::Raw(raw)) => Some(raw.clone()),
            _ => None,
        });
    Ok(raw.expect("the file is in the history"))
}

#[tokio::test]
async fn bytes_of_files_go_in_the_form_that_both_sides_have_been_told() {
    let connect = |served: &Served, binding: KitBinding, form| {
        let mut interface = card::interface(binding.card_name(), "");
        interface.url = format!("http://{}", served.addr);
        interface.protocol_version = V0_3.to_string();
        let mut card = card::full();
        card.supported_interfaces = vec![interface];
        let builder = Client::builder().v0_3_file_bytes(form);
        builder.with_card(card).unwrap()
    };
    let bindings = [KitBinding::JsonRpc, KitBinding::Rest, KitBinding::Grpc];
    for form in [FileBytes::Raw, FileBytes::Base64Text] {
        let setup = Setup::new().server(move |server| server.v0_3_file_bytes(form));
        let served = serving(setup, &[V0_3]).start().await;
        for binding in bindings {
            let client = connect(&served, binding, form);
            // No UTF-8, and what could be base64 as well.
            for bytes in [&b"\xff\x00\xfe"[..], b"true", b"TWFu"] {
                let kept = kept(&client, bytes).await.unwrap();
                assert_eq!(kept, bytes, "{form:?} over {binding:?}");
            }
        }
    }
    let setup = Setup::new().server(|server| server.v0_3_file_bytes(FileBytes::Base64Text));
    let served = serving(setup, &[V0_3]).start().await;
    for binding in [KitBinding::Rest, KitBinding::Grpc] {
        let client = connect(&served, binding, FileBytes::Raw);
        let refused = kept(&client, b"\xff\x00\xfe").await.unwrap_err();
        assert!(refused.is_invalid_argument(), "{binding:?}: {refused:?}");
    }
    // Over JSON-RPC there is one form.
    let client = connect(&served, KitBinding::JsonRpc, FileBytes::Raw);
    assert_eq!(kept(&client, b"\xff").await.unwrap(), &b"\xff"[..]);
}

//! Calls with one answer.

use std::time::{Duration, Instant};

use a2a_kit::client::{ChannelOptions, TransportErrorKind};
use a2a_kit::v1_0::{
    DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest, GetTaskRequest,
    ListTasksRequest, Part, SendMessageRequest,
};
use a2a_kit::{A2aService as _, Binding, Code};
use http::HeaderMap;

use crate::support::{EXTENSION, Running, card, context, said, say};

#[tokio::test]
async fn answers_are_the_same_on_every_binding() {
    let server = Running::plain().await;
    for (binding, client) in server.clients() {
        for text in ["hello", "é😀\u{2028}\u{0}\"\\", ""] {
            let answer = client.send_message(context(), say(text)).await.unwrap();
            assert_eq!(said(&answer), text, "{binding:?}");
        }
        for id in ["t1", "urn:x:7:cancel", "a/b", "..", "100%", "a b", "任务"] {
            let request = GetTaskRequest::new().with_id(id);
            match client.get_task(context(), request).await {
                Ok(task) => assert_eq!(task.id, id, "{binding:?}"),
                // It cannot stand in a path, and is not sent.
                Err(error) => assert!(binding == Binding::Rest && id == "..", "{id}: {error:?}"),
            }
        }
        let request = GetExtendedAgentCardRequest::new();
        let found = client.get_extended_agent_card(context(), request).await;
        assert_eq!(*found.unwrap(), card(), "{binding:?}");
        let request = DeleteTaskPushNotificationConfigRequest::new()
            .with_task_id("t1")
            .with_id("c1");
        let deleted = client
            .delete_task_push_notification_config(context(), request)
            .await;
        assert!(deleted.is_ok(), "{binding:?}: {deleted:?}");
    }
}

#[tokio::test]
async fn the_service_sees_the_caller_s_context() {
    let server = Running::plain().await;
    let mut headers = HeaderMap::new();
    headers.insert("authorization", "Bearer x".parse().unwrap());
    headers.insert("x-own", "1".parse().unwrap());
    for (binding, client) in server.clients() {
        let context = context()
            .with_headers(headers.clone())
            .with_extensions(vec![EXTENSION.into(), "urn:unknown".into()])
            .with_deadline(Instant::now() + Duration::from_secs(600));
        let answer = client.send_message(context.clone(), say("context")).await;
        let deadline = binding == Binding::Grpc;
        let expected =
            format!("{binding:?} 1.0 [{EXTENSION:?}, \"urn:unknown\"] Bearer x 1 {deadline}");
        assert_eq!(said(&answer.unwrap()), expected);
        assert_eq!(context.activated_extensions(), [EXTENSION], "{binding:?}");
    }
}

#[tokio::test]
async fn errors_are_the_same_on_every_binding() {
    let server = Running::plain().await;
    for (binding, client) in server.clients() {
        let error = client
            .send_message(context(), say("missing"))
            .await
            .unwrap_err();
        assert!(error.is_task_not_found(), "{binding:?}: {error:?}");
        assert_eq!(
            error.message(),
            "there is no task \"t1\", é €",
            "{binding:?}"
        );
        assert_eq!(error.metadata()["taskId"], "t1", "{binding:?}");
        assert_eq!(error.reason(), Some("TASK_NOT_FOUND"));
        assert!(!error.is_unsent());

        let error = client
            .send_message(context(), say("invalid"))
            .await
            .unwrap_err();
        assert_eq!(
            (error.code(), error.spec()),
            (Code::InvalidArgument, None),
            "{binding:?}"
        );
        let found: Vec<_> = error
            .violations()
            .iter()
            .map(|fault| &fault.field[..])
            .collect();
        assert_eq!(found, ["message.parts", "tenant"], "{binding:?}");

        // JSON-RPC has no code for it.
        let error = client
            .send_message(context(), say("own"))
            .await
            .unwrap_err();
        assert_eq!(error.message(), "come back later", "{binding:?}");
        if binding != Binding::JsonRpc {
            assert_eq!(error.code(), Code::ResourceExhausted, "{binding:?}");
        }

        let request = SendMessageRequest::new();
        let error = client.send_message(context(), request).await.unwrap_err();
        assert_eq!(
            error.violations()[0].field,
            "message",
            "{binding:?}: {error:?}"
        );

        let request = ListTasksRequest::new();
        let error = client.list_tasks(context(), request).await.unwrap_err();
        assert_eq!(error.code(), Code::Unimplemented, "{binding:?}: {error:?}");
    }
}

#[tokio::test]
async fn large_messages_come_through_up_to_the_limit() {
    let server = Running::plain().await;
    let bytes: Vec<u8> = (0..5_000_000_u32)
        .flat_map(u32::to_le_bytes)
        .take(5 << 20)
        .collect();
    let mut request = say("large");
    request
        .message
        .as_mut()
        .unwrap()
        .parts
        .push(Part::raw(bytes.clone()));
    for (binding, client) in server.clients() {
        let answer = client
            .send_message(context(), request.clone())
            .await
            .unwrap();
        assert!(
            answer.as_message().unwrap().parts[1].as_raw().unwrap() == &bytes,
            "{binding:?}"
        );
    }
    let small = ChannelOptions::default().answer_limit(1 << 20);
    for (binding, client) in server.clients_with(small) {
        let error = client
            .send_message(context(), request.clone())
            .await
            .unwrap_err();
        assert_eq!(
            error.code(),
            Code::ResourceExhausted,
            "{binding:?}: {error:?}"
        );
        // The channel is not broken by it.
        assert!(
            client.send_message(context(), say("small")).await.is_ok(),
            "{binding:?}"
        );
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_ends_on_both_sides() {
    let server = Running::plain().await;
    let short = ChannelOptions::default().call_timeout(Duration::from_millis(50));
    for (binding, client) in server.clients_with(short) {
        let error = client
            .send_message(context(), say("wait"))
            .await
            .unwrap_err();
        assert_eq!(
            error.code(),
            Code::DeadlineExceeded,
            "{binding:?}: {error:?}"
        );
        server.desk.until_open(0).await;
    }
    for (binding, client) in server.clients() {
        let context = context().with_deadline(Instant::now() + Duration::from_millis(50));
        let error = client.send_message(context, say("wait")).await.unwrap_err();
        assert_eq!(
            error.code(),
            Code::DeadlineExceeded,
            "{binding:?}: {error:?}"
        );
        server.desk.until_open(0).await;
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_on_the_other_side() {
    let server = Running::plain().await;
    for (_, client) in server.clients() {
        let call =
            tokio::spawn(
                async move { client.send_message(context(), say("wait")).await.map(drop) },
            );
        server.desk.until_open(1).await;
        call.abort();
        server.desk.until_open(0).await;
    }
}

#[tokio::test]
async fn where_nobody_listens_nothing_was_sent() {
    let server = Running::plain().await;
    let clients = server.clients();
    drop(server);
    for (binding, client) in clients {
        // The listener may take a moment to go.
        let error = loop {
            match client.send_message(context(), say("hello")).await {
                Err(error) if error.is_unsent() => break error,
                _ => tokio::task::yield_now().await,
            }
        };
        assert_eq!(error.code(), Code::Unavailable, "{binding:?}");
        let transport = error.transport().unwrap();
        assert_eq!(
            transport.kind(),
            TransportErrorKind::Connect,
            "{binding:?}: {error:?}"
        );
    }
}

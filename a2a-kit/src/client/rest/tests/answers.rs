//! What the channel makes of answers, and which requests it sends for them.

use a2a_wire::v1_0::DeleteTaskPushNotificationConfigRequest;

use super::*;

const SUBSCRIBE: usize = 5;

const SSE: &str = "text/event-stream; charset=utf-8";
const JSON: &str = "application/a2a+json";
const TASK_EVENT: &str = "data: {\"task\":{\"id\":\"t1\"}}\n\n";
const NO_TASK: &str = r#"{"error":{"code":404,"status":"NOT_FOUND","message":"no task t1","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}"#;
const NO_TASK_SUBSCRIBE: &str = r#"{"error":{"code":404,"status":"NOT_FOUND","message":"no task 't1:subscribe'","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}"#;

async fn subscribe(client: &A2aServiceClient) -> Result<Vec<String>, Error> {
    let request = SubscribeToTaskRequest::new().with_id("t1");
    let mut events: EventStream<StreamResponse> =
        client.subscribe_to_task(context(), request).await?;
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        seen.push(String::from_utf8(event?.json()?.to_vec()).unwrap());
    }
    Ok(seen)
}

#[tokio::test]
async fn subscribe_is_tried_by_post_when_get_is_not_served_and_remembered() {
    for (status, media_type, body) in [
        (405, "", ""),
        (404, "text/html", "<h1>not here</h1>"),
        (404, JSON, r#"{"detail":"Not Found"}"#),
        (404, JSON, NO_TASK_SUBSCRIBE),
        (
            200,
            JSON,
            r#"{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}"#,
        ),
        (200, "text/html", "<h1>welcome</h1>"),
        (200, "", ""),
    ] {
        let script = Script::default()
            .answer(status, media_type, body)
            .answer(200, SSE, TASK_EVENT)
            .answer(200, SSE, TASK_EVENT)
            .answer(404, JSON, NO_TASK);
        let client = script.client();
        assert_eq!(
            subscribe(&client).await.unwrap().len(),
            1,
            "{status} {body}"
        );
        assert_eq!(
            script.asked(),
            ["GET /tasks/t1:subscribe", "POST /tasks/t1:subscribe"],
            "{status} {body}"
        );
        assert_eq!(
            subscribe(&client).await.unwrap().len(),
            1,
            "{status} {body}"
        );
        assert_eq!(
            script.asked(),
            ["POST /tasks/t1:subscribe"],
            "{status} {body}"
        );
        // The same for tenants.
        let request = SubscribeToTaskRequest::new()
            .with_id("t1")
            .with_tenant("acme");
        let error = client
            .subscribe_to_task(context(), request)
            .await
            .err()
            .unwrap();
        assert!(error.is_task_not_found());
        assert_eq!(
            script.asked(),
            ["POST /acme/tasks/t1:subscribe"],
            "{status} {body}"
        );
    }
}

#[tokio::test]
async fn an_answer_of_the_protocol_is_no_missing_route() {
    for (status, media_type, body, code) in [
        (404, JSON, NO_TASK, Code::NotFound),
        (401, "", "", Code::Unauthenticated),
        (500, "text/plain", "oops", Code::Internal),
        (503, "", "", Code::Unavailable),
        (200, JSON, NO_TASK, Code::NotFound),
    ] {
        let script = Script::default().answer(status, media_type, body);
        let error = subscribe(&script.client()).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(error.peer_status(), Some(status));
        assert_eq!(script.asked(), ["GET /tasks/t1:subscribe"]);
    }
}

#[tokio::test]
async fn the_second_way_is_remembered_only_when_it_works() {
    // Neither is served: the first one's error counts.
    let script = Script::default()
        .answer(405, "", "")
        .answer(404, "text/plain", "no");
    let client = script.client();
    let error = subscribe(&client).await.unwrap_err();
    assert_eq!(error.peer_status(), Some(405));
    assert_eq!(script.asked().len(), 2);
    // A task that is not there is an answer: the route is.
    let script = script
        .answer(405, "", "")
        .answer(404, JSON, NO_TASK)
        .answer(404, JSON, NO_TASK);
    assert!(subscribe(&client).await.unwrap_err().is_task_not_found());
    assert_eq!(script.asked().len(), 2);
    assert!(subscribe(&client).await.unwrap_err().is_task_not_found());
    assert_eq!(script.asked(), ["POST /tasks/t1:subscribe"]);
}

#[tokio::test]
async fn clones_share_what_they_have_learned() {
    let script = Script::default()
        .answer(405, "", "")
        .answer(200, SSE, TASK_EVENT)
        .answer(200, SSE, TASK_EVENT);
    let channel = script.channel();
    subscribe(&A2aServiceClient::new(channel.clone()))
        .await
        .unwrap();
    subscribe(&A2aServiceClient::new(channel.clone()))
        .await
        .unwrap();
    assert_eq!(script.asked().len(), 3);
    let request = SubscribeToTaskRequest::new().with_id("t1");
    let request = channel
        .request(&A2A_SERVICE, SUBSCRIBE, &context(), &request)
        .unwrap();
    assert_eq!(request.method(), "POST");
}

#[tokio::test]
async fn operations_with_one_way_have_one_way() {
    let script = Script::default().answer(404, "", "").answer(405, "", "");
    let client = script.client();
    let get = client
        .get_task(context(), GetTaskRequest::new().with_id("t1"))
        .await
        .unwrap_err();
    assert_eq!(
        (get.code(), get.spec(), get.peer_status()),
        (Code::NotFound, None, Some(404))
    );
    // What may have changed something is not asked for a second time.
    let send = client
        .send_message(context(), SendMessageRequest::new())
        .await
        .unwrap_err();
    assert_eq!(send.peer_status(), Some(405));
    assert_eq!(script.asked(), ["GET /tasks/t1", "POST /message:send"]);
}

#[tokio::test]
async fn answers_that_say_nothing_are_right_where_nothing_is_expected() {
    for (status, body) in [
        (204, ""),
        (200, ""),
        (200, "{}"),
        (200, " null\n"),
        (202, "\r\n"),
        (200, "{\"more\":1}"),
    ] {
        let client = Script::default().answer(status, "", body).client();
        let request = DeleteTaskPushNotificationConfigRequest::new()
            .with_task_id("t1")
            .with_id("c1");
        client
            .delete_task_push_notification_config(context(), request)
            .await
            .unwrap();
    }
    for (status, media_type, body, text) in [
        (204, "", "", "without a body"),
        (200, JSON, "", "without a body"),
        (200, JSON, "null", "no lf.a2a.v1.Task"),
        (200, "text/html", "<h1>welcome</h1>", "no lf.a2a.v1.Task"),
        (200, JSON, "{\"id\":7}", "id: expected a string"),
        (200, SSE, TASK_EVENT, "event stream"),
    ] {
        let client = Script::default().answer(status, media_type, body).client();
        let error = client
            .get_task(context(), GetTaskRequest::new().with_id("t1"))
            .await
            .unwrap_err();
        assert!(error.message().contains(text), "{error}");
        assert!(error.is_invalid_agent_response(), "{error}");
    }
}

#[tokio::test]
async fn any_success_is_one() {
    for status in [200, 201, 202, 203, 206] {
        let client = Script::default()
            .answer(status, "", r#"{"id":"t1"}"#)
            .client();
        let task = client
            .get_task(context(), GetTaskRequest::new().with_id("t1"))
            .await
            .unwrap();
        assert_eq!(task.id, "t1");
    }
}

#[tokio::test]
async fn an_error_under_a_success_is_an_error() {
    let client = Script::default()
        .answer(200, JSON, NO_TASK)
        .answer(200, JSON, r#" { "error" : "broken" } "#)
        .client();
    let get = || client.get_task(context(), GetTaskRequest::new().with_id("t1"));
    assert!(get().await.unwrap_err().is_task_not_found());
    assert_eq!(get().await.unwrap_err().message(), "broken");
}

#[tokio::test]
async fn errors_end_streams() {
    for (body, text) in [
        (
            r#"{"error":{"code":500,"status":"INTERNAL","message":"late"}}"#,
            "late",
        ),
        (r#"{"error":"late"}"#, "late"),
    ] {
        for kind in ["", "event: error\n"] {
            let text_of_stream = format!("{TASK_EVENT}{kind}data: {body}\n\n{TASK_EVENT}").leak();
            let client = Script::default().answer(200, SSE, text_of_stream).client();
            let mut events = client
                .send_streaming_message(context(), SendMessageRequest::new())
                .await
                .unwrap();
            assert!(events.next().await.unwrap().is_ok());
            assert_eq!(events.next().await.unwrap().unwrap_err().message(), text);
            assert!(events.next().await.is_none());
        }
    }
    let client = Script::default()
        .answer(200, SSE, "event: error\ndata: what?\n\n")
        .client();
    let mut events = client
        .send_streaming_message(context(), SendMessageRequest::new())
        .await
        .unwrap();
    let error = events.next().await.unwrap().unwrap_err();
    assert!(error.message().contains("what?"), "{error}");
}

#[tokio::test]
async fn what_is_no_stream_is_never_an_empty_one() {
    for (status, media_type, body, text) in [
        (
            200,
            JSON,
            r#"{"error":{"code":400,"message":"no such skill"}}"#,
            "no such skill",
        ),
        (200, "", TASK_EVENT, "without a content type"),
        (200, JSON, r#"{"task":{"id":"t1"}}"#, "application/a2a+json"),
        (204, "", "", "without a content type"),
        (307, "", "", "redirects"),
        (400, "text/plain", "no", "400"),
    ] {
        let script = Script::default().answer(status, media_type, body);
        let error = script
            .client()
            .send_streaming_message(context(), SendMessageRequest::new())
            .await
            .err()
            .unwrap();
        assert!(error.message().contains(text), "{error}");
        assert_eq!(error.peer_status(), Some(status));
        assert_eq!(script.asked(), ["POST /message:stream"]);
    }
}

//! Tasks that are asked for, ends, and streams through a gateway.

use super::*;

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_stream_is_asked() {
    let mut card = json_rpc_card();
    card.capabilities = None;
    let script = plays(vec![
        answer(json!({"task": task("SUBMITTED")})),
        answer(task("WORKING")),
        answer(task("WORKING")),
        answer(task_with("COMPLETED", &[("a", &["x"])])),
    ]);
    let (seen, error) = read(
        script
            .client(card.clone())
            .message("hi")
            .follow()
            .await
            .unwrap(),
    )
    .await;
    assert_eq!(seen, ["task Submitted 0", "Working", "a=x", "Completed"]);
    assert!(error.is_none());
    assert_eq!(script.methods(), ["SendMessage", GET, GET, GET]);
    assert_eq!(
        body(&script.requests()[0])["params"]["configuration"]["returnImmediately"],
        true
    );

    let message =
        json!({"message": {"messageId": "m1", "role": "ROLE_AGENT", "parts": [{"text": "x"}]}});
    let script = plays(vec![answer(message)]);
    assert_eq!(
        read(
            script
                .client(card.clone())
                .message("hi")
                .follow()
                .await
                .unwrap()
        )
        .await
        .0,
        ["message m1"]
    );

    let script = plays(vec![answer(task("WORKING")), answer(task("CANCELED"))]);
    assert_eq!(
        read(script.client(card).follow("t1").await.unwrap())
            .await
            .0,
        ["task Working 0", "Canceled"]
    );
    // It streams, but not of a task that has ended.
    let script = plays(vec![fault(-32004), answer(task("COMPLETED"))]);
    assert_eq!(
        read(script.client(json_rpc_card()).follow("t1").await.unwrap())
            .await
            .0,
        ["task Completed 0"]
    );
    // The same, from a server that sends the head of a stream before it looks.
    let script = plays(vec![fault_in_stream(-32004), answer(task("COMPLETED"))]);
    let client = script.client(json_rpc_card());
    let (seen, error) = read(client.follow("t1").await.unwrap()).await;
    assert_eq!(seen, ["task Completed 0"]);
    assert!(error.is_none());
    assert_eq!(script.methods(), [AGAIN, GET]);
    // An agent that does not stream, although its card says so, has not taken the message.
    let script = plays(vec![
        fault(-32004),
        answer(json!({"task": task("WORKING")})),
        answer(task("COMPLETED")),
    ]);
    let client = script.client(json_rpc_card());
    let (seen, error) = read(client.message("hi").follow().await.unwrap()).await;
    assert_eq!(seen, ["task Working 0", "Completed"]);
    assert!(error.is_none());
    assert_eq!(script.methods(), [SEND, "SendMessage", GET]);
    let ids: Vec<Value> = script.requests()[..2]
        .iter()
        .map(|request| body(request)["params"]["message"]["messageId"].clone())
        .collect();
    assert_eq!(ids[0], ids[1]);
    // Who subscribes wants to know.
    let script = plays(vec![fault_in_stream(-32004)]);
    let client = script.client(json_rpc_card());
    let (seen, error) = read(client.subscribe("t1").await.unwrap()).await;
    assert!(seen.is_empty() && error.unwrap().is_unsupported_operation());
    // And what comes later is no refusal of the stream.
    let script = plays(vec![Box::new(|request| {
        let id = &body(request)["id"];
        let first = json!({"jsonrpc": "2.0", "id": id, "result": whole("WORKING")});
        let then = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32004, "message": "no"}});
        with_header(
            status(200, format!("data: {first}\n\ndata: {then}\n\n")),
            "content-type",
            "text/event-stream",
        )
    })]);
    let client = script.client(json_rpc_card());
    let (seen, error) = read(client.follow("t1").await.unwrap()).await;
    assert_eq!(seen, ["task Working 0"]);
    assert!(error.unwrap().is_unsupported_operation());
}

#[tokio::test(start_paused = true)]
async fn a_stream_does_not_outlive_its_deadline() {
    let script = plays(vec![stream(vec![whole("WORKING")], Then::Break), gone()]);
    let client = script.client(json_rpc_card());
    let (seen, error) = read(
        client
            .message("hi")
            .timeout(Duration::from_millis(50))
            .stream()
            .await
            .unwrap(),
    )
    .await;
    assert_eq!(seen.len(), 1);
    assert!(error.is_some());
    assert_eq!(script.methods(), [SEND]);
}

#[tokio::test(start_paused = true)]
async fn the_outcome_of_a_stream_is_the_task_at_its_end() {
    let script = plays(vec![
        stream(
            vec![whole("WORKING"), status_update("COMPLETED")],
            Then::End,
        ),
        answer(task_with("COMPLETED", &[("a", &["x"])])),
    ]);
    let outcome = script
        .client(json_rpc_card())
        .message("hi")
        .stream()
        .await
        .unwrap()
        .outcome()
        .await
        .unwrap();
    assert_eq!(outcome.text(), "x");
    assert_eq!(script.methods(), [SEND, GET]);
}

#[tokio::test(start_paused = true)]
async fn a_gateway_hands_out_a_healed_stream() {
    let script = plays(vec![
        stream(vec![whole("WORKING"), piece("a", "x", false)], Then::Break),
        stream(
            vec![json!({"task": task_with("COMPLETED", &[("a", &["x", "y"])])})],
            Then::End,
        ),
    ]);
    let client = script.client(json_rpc_card());
    let request = client.message("hi").request;
    let events: Vec<_> = client
        .send_streaming_message(crate::client::call::local(), request)
        .await
        .unwrap()
        .try_collect()
        .await
        .unwrap();
    let kinds: Vec<bool> = events
        .iter()
        .map(|event| event.as_artifact_update().is_some())
        .collect();
    assert_eq!(kinds, [false, true, true, false]);
}

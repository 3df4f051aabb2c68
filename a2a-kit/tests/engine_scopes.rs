//! Owners and tenants: another's task does not exist (specification 13.1).

mod support;

use a2a_kit::agent::{Reply, TaskContext};
use a2a_kit::engine::{Engine, Tenants};
use a2a_kit::v1_0::{CancelTaskRequest, GetExtendedAgentCardRequest, SubscribeToTaskRequest, Task};
use a2a_kit::{A2aService, CallContext, Error, Shared};
use support::*;

async fn asker(_: TaskContext) -> Result<Reply, a2a_kit::agent::AgentError> {
    Ok(Reply::input_required("?"))
}

#[tokio::test]
async fn a_task_of_another_owner_does_not_exist() {
    let engine = engine(asker);
    let mine = engine
        .send_message(call_of("alice"), request("ask"))
        .await
        .unwrap();
    let id = match &mine.payload {
        Some(a2a_kit::v1_0::send_message_response::Payload::Task(task)) => task.id.clone(),
        other => panic!("{other:?}"),
    };
    for other in [call(), call_of("bob")] {
        let missing = engine
            .get_task(other.clone(), get_request("nope"))
            .await
            .unwrap_err();
        let foreign = engine
            .get_task(other.clone(), get_request(&id))
            .await
            .unwrap_err();
        assert!(foreign.is_task_not_found());
        // Not a word gives away which of them exists.
        assert_eq!(
            foreign.message().replace(&id, "ID"),
            missing.message().replace("nope", "ID")
        );
        let mut stop = CancelTaskRequest::default();
        stop.id.clone_from(&id);
        assert!(
            engine
                .cancel_task(other.clone(), stop)
                .await
                .unwrap_err()
                .is_task_not_found()
        );
        let mut follow = SubscribeToTaskRequest::default();
        follow.id.clone_from(&id);
        assert!(
            engine
                .subscribe_to_task(other.clone(), follow)
                .await
                .err()
                .unwrap()
                .is_task_not_found()
        );
        assert!(
            engine
                .send_message(other.clone(), to_task(&id, "hi"))
                .await
                .unwrap_err()
                .is_task_not_found()
        );
        assert_eq!(
            engine
                .list_tasks(other, list_request())
                .await
                .unwrap()
                .total_size,
            0
        );
    }
    assert_eq!(
        engine
            .list_tasks(call_of("alice"), list_request())
            .await
            .unwrap()
            .total_size,
        1
    );
    let nobody = engine
        .list_tasks(call_of(""), list_request())
        .await
        .unwrap_err();
    assert_eq!(nobody.code(), a2a_kit::Code::Unauthenticated);
}

async fn task_of_tenant(engine: &Engine, tenant: &str) -> Result<Task, Error> {
    let mut sent = request("ask");
    sent.tenant = tenant.into();
    send(engine, sent).await
}

async fn get_of_tenant(engine: &Engine, tenant: &str, id: &str) -> Result<Shared<Task>, Error> {
    let mut request = get_request(id);
    request.tenant = tenant.into();
    engine.get_task(call(), request).await
}

#[tokio::test]
async fn an_agent_without_tenants_refuses_any_on_every_operation() {
    let engine = engine(asker);
    let error = task_of_tenant(&engine, "acme").await.unwrap_err();
    assert_eq!(
        (error.json_rpc_code(), error.violations()[0].field.as_str()),
        (-32602, "tenant")
    );
    assert!(!error.message().contains("0.3"));
    let hint = task_of_tenant(&engine, "v1").await.unwrap_err();
    assert!(
        hint.message().contains("/v1/") && hint.message().contains("0.3"),
        "{hint}"
    );
    let mut card = GetExtendedAgentCardRequest::default();
    card.tenant = "acme".into();
    let mut follow = SubscribeToTaskRequest::default();
    (follow.tenant, follow.id) = ("acme".into(), "t".into());
    let mut stop = CancelTaskRequest::default();
    (stop.tenant, stop.id) = ("acme".into(), "t".into());
    let mut listed = list_request();
    listed.tenant = "acme".into();
    let mut streamed = request("ask");
    streamed.tenant = "acme".into();
    for error in [
        get_of_tenant(&engine, "acme", "t").await.unwrap_err(),
        engine.list_tasks(call(), listed).await.unwrap_err(),
        engine
            .get_extended_agent_card(call(), card)
            .await
            .unwrap_err(),
        engine
            .subscribe_to_task(call(), follow)
            .await
            .err()
            .unwrap(),
        engine.cancel_task(call(), stop).await.unwrap_err(),
        open_stream(&engine, streamed).await.err().unwrap(),
    ] {
        assert_eq!(error.violations()[0].field, "tenant");
    }
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        0
    );
}

#[tokio::test]
async fn tenants_are_declared_taken_from_the_card_any_or_resolved() {
    let declared = builder(asker)
        .tenants(Tenants::declared(["north", "south"]))
        .build()
        .unwrap();
    let mut with_interfaces = card();
    with_interfaces.supported_interfaces = vec![interface("north"), interface("")];
    let from_card = Engine::builder(Script(asker), with_interfaces)
        .build()
        .unwrap();
    for engine in [&declared, &from_card] {
        let task = task_of_tenant(engine, "north").await.unwrap();
        assert!(get_of_tenant(engine, "north", &task.id).await.is_ok());
        assert!(
            get_of_tenant(engine, "", &task.id)
                .await
                .unwrap_err()
                .is_task_not_found()
        );
        assert_eq!(
            task_of_tenant(engine, "east")
                .await
                .unwrap_err()
                .violations()[0]
                .field,
            "tenant"
        );
    }
    assert!(task_of_tenant(&declared, "south").await.is_ok());

    let any = builder(asker).tenants(Tenants::Any).build().unwrap();
    let task = task_of_tenant(&any, "whoever").await.unwrap();
    assert!(
        get_of_tenant(&any, "whatever", &task.id)
            .await
            .unwrap_err()
            .is_task_not_found()
    );

    let resolve = async |call: CallContext, named: String| match call.caller().id() {
        Some(_) => Ok(named),
        None => Ok(named.to_lowercase()),
    };
    let resolved = builder(asker)
        .tenants(Tenants::resolved_by(resolve))
        .build()
        .unwrap();
    let task = task_of_tenant(&resolved, "North").await.unwrap();
    assert!(get_of_tenant(&resolved, "NORTH", &task.id).await.is_ok());
}

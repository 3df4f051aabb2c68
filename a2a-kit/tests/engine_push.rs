//! Webhooks are kept, listed and forgotten; capabilities, extended card, media types
//! (specification 3.1.7 to 3.1.11, 3.3.4).

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use a2a_kit::agent::{Reply, TaskContext};
use a2a_kit::engine::Engine;
use a2a_kit::store::{MemoryStore, Scope, Store as _};
use a2a_kit::v1_0::part::Content;
use a2a_kit::v1_0::send_message_response::Payload;
use a2a_kit::v1_0::{
    AuthenticationInfo, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest,
    TaskPushNotificationConfig,
};
use a2a_kit::{A2aService, Binding, CallContext, Error, ProtocolVersion, Shared};
use support::*;

async fn asker(_: TaskContext) -> Result<Reply, a2a_kit::agent::AgentError> {
    Ok(Reply::input_required("?"))
}

fn config_for(task: &str, id: &str, url: &str) -> TaskPushNotificationConfig {
    let mut config = TaskPushNotificationConfig::default();
    config.task_id = task.into();
    config.id = id.into();
    config.url = url.into();
    config
}

async fn create(
    engine: &Engine,
    config: TaskPushNotificationConfig,
) -> Result<Shared<TaskPushNotificationConfig>, Error> {
    engine
        .create_task_push_notification_config(call(), config)
        .await
}

async fn read(
    engine: &Engine,
    task: &str,
    id: &str,
) -> Result<Shared<TaskPushNotificationConfig>, Error> {
    let mut request = GetTaskPushNotificationConfigRequest::default();
    request.task_id = task.into();
    request.id = id.into();
    engine
        .get_task_push_notification_config(call(), request)
        .await
}

async fn delete(engine: &Engine, task: &str, id: &str) -> Result<Shared<()>, Error> {
    let mut request = DeleteTaskPushNotificationConfigRequest::default();
    request.task_id = task.into();
    request.id = id.into();
    engine
        .delete_task_push_notification_config(call(), request)
        .await
}

fn list_request_for(task: &str, size: i32, token: &str) -> ListTaskPushNotificationConfigsRequest {
    let mut request = ListTaskPushNotificationConfigsRequest::default();
    request.task_id = task.into();
    request.page_size = size;
    request.page_token = token.into();
    request
}

#[tokio::test]
async fn a_webhook_is_kept_under_an_id_and_can_be_forgotten_twice() {
    let engine = engine(asker);
    let task = send(&engine, request("go")).await.unwrap();
    let mut wanted = config_for(&task.id, "", "https://c.test/hook?x=1");
    wanted.token = "secret".into();
    let mut authentication = AuthenticationInfo::default();
    authentication.scheme = "Bearer".into();
    authentication.credentials = "abc".into();
    wanted.authentication = Some(authentication);
    let made = create(&engine, wanted.clone()).await.unwrap();
    assert!(!made.id.is_empty());
    wanted.id.clone_from(&made.id);
    assert_eq!(*made, wanted);
    assert_eq!(*read(&engine, &task.id, &made.id).await.unwrap(), wanted);
    // The client's own id; the same id again takes its place.
    create(
        &engine,
        config_for(&task.id, "mine", "http://127.0.0.1:9/a"),
    )
    .await
    .unwrap();
    create(
        &engine,
        config_for(&task.id, "mine", "http://127.0.0.1:9/b"),
    )
    .await
    .unwrap();
    assert_eq!(
        read(&engine, &task.id, "mine").await.unwrap().url,
        "http://127.0.0.1:9/b"
    );
    for _ in 0..2 {
        delete(&engine, &task.id, "mine").await.unwrap();
    }
    assert!(
        read(&engine, &task.id, "mine")
            .await
            .unwrap_err()
            .is_task_not_found()
    );
    assert!(read(&engine, &task.id, &made.id).await.is_ok());
}

#[tokio::test]
async fn webhooks_of_unknown_and_foreign_tasks_do_not_exist() {
    let engine = engine(asker);
    let task = send(&engine, request("go")).await.unwrap();
    create(&engine, config_for(&task.id, "mine", "https://c.test/"))
        .await
        .unwrap();
    assert!(
        create(&engine, config_for("nope", "", "https://c.test/"))
            .await
            .unwrap_err()
            .is_task_not_found()
    );
    assert!(
        read(&engine, "nope", "mine")
            .await
            .unwrap_err()
            .is_task_not_found()
    );
    assert!(
        delete(&engine, "nope", "mine")
            .await
            .unwrap_err()
            .is_task_not_found()
    );
    let bob = call_of("bob");
    let mut request = GetTaskPushNotificationConfigRequest::default();
    (request.task_id, request.id) = (task.id.clone(), "mine".into());
    assert!(
        engine
            .get_task_push_notification_config(bob.clone(), request)
            .await
            .unwrap_err()
            .is_task_not_found()
    );
    let foreign = engine
        .list_task_push_notification_configs(bob.clone(), list_request_for(&task.id, 0, ""))
        .await;
    assert!(foreign.unwrap_err().is_task_not_found());
    let foreign = engine
        .create_task_push_notification_config(bob, config_for(&task.id, "", "https://c.test/"))
        .await;
    assert!(foreign.unwrap_err().is_task_not_found());
}

#[tokio::test]
async fn webhooks_are_listed_in_pages() {
    let engine = engine(asker);
    let task = send(&engine, request("go")).await.unwrap();
    let listed = engine
        .list_task_push_notification_configs(call(), list_request_for(&task.id, 0, ""))
        .await
        .unwrap();
    assert_eq!(
        (listed.configs.len(), listed.next_page_token.as_str()),
        (0, "")
    );
    for number in 0..130 {
        create(
            &engine,
            config_for(&task.id, &format!("c{number}"), "https://c.test/"),
        )
        .await
        .unwrap();
    }
    for (size, first) in [(0, 100), (1, 1), (7, 7), (100, 100), (5000, 100)] {
        let (mut found, mut token, mut pages) = (BTreeSet::new(), String::new(), 0);
        loop {
            let page = engine
                .list_task_push_notification_configs(
                    call(),
                    list_request_for(&task.id, size, &token),
                )
                .await
                .unwrap();
            if pages == 0 {
                assert_eq!(page.configs.len(), first);
            }
            for config in &page.configs {
                assert!(found.insert(config.id.clone()), "{} came twice", config.id);
            }
            pages += 1;
            token.clone_from(&page.next_page_token);
            if token.is_empty() {
                break;
            }
        }
        assert_eq!(found.len(), 130, "pages of {size}");
    }
    for (size, token, field) in [
        (-1, "", "pageSize"),
        (0, "x", "pageToken"),
        (0, "AAAA", "pageToken"),
    ] {
        let error = engine
            .list_task_push_notification_configs(call(), list_request_for(&task.id, size, token))
            .await
            .unwrap_err();
        assert_eq!(error.violations()[0].field, field);
    }
}

#[tokio::test]
async fn a_webhook_needs_an_absolute_web_address() {
    let engine = engine(asker);
    let task = send(&engine, request("go")).await.unwrap();
    for url in [
        "",
        "hook",
        "/hook",
        "c.test/hook",
        "ftp://c.test/",
        "http://",
        "https:///x",
        "mailto:a@b",
        "http://c test/",
        "file:///etc/passwd",
        "//c.test/x",
        "\u{0}",
    ] {
        let error = create(&engine, config_for(&task.id, "", url))
            .await
            .unwrap_err();
        assert_eq!(
            (error.json_rpc_code(), error.violations()[0].field.as_str()),
            (-32602, "url"),
            "{url:?}"
        );
        let mut inline = request("go");
        config(&mut inline).task_push_notification_config = Some(config_for("", "", url));
        let error = send(&engine, inline).await.unwrap_err();
        assert_eq!(
            error.violations()[0].field,
            "configuration.taskPushNotificationConfig.url",
            "{url:?}"
        );
    }
    let mut without_scheme = config_for(&task.id, "", "https://c.test/");
    without_scheme.authentication = Some(AuthenticationInfo::default());
    assert_eq!(
        create(&engine, without_scheme)
            .await
            .unwrap_err()
            .violations()[0]
            .field,
        "authentication.scheme"
    );
    assert_eq!(
        create(&engine, config_for("", "", "https://c.test/"))
            .await
            .unwrap_err()
            .violations()[0]
            .field,
        "taskId"
    );
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        1
    );
}

#[tokio::test]
async fn a_webhook_inside_a_message_belongs_to_its_task() {
    let engine = engine(asker);
    let mut inline = request("go");
    config(&mut inline).task_push_notification_config =
        Some(config_for("", "mine", "https://c.test/1"));
    let task = send(&engine, inline).await.unwrap();
    assert_eq!(
        read(&engine, &task.id, "mine").await.unwrap().task_id,
        task.id
    );
    let mut more = to_task(&task.id, "go");
    config(&mut more).task_push_notification_config =
        Some(config_for(&task.id, "more", "https://c.test/2"));
    send(&engine, more.clone()).await.unwrap();
    assert_eq!(
        read(&engine, &task.id, "more").await.unwrap().url,
        "https://c.test/2"
    );
    config(&mut more).task_push_notification_config =
        Some(config_for("other", "more", "https://c.test/2"));
    let error = send(&engine, more).await.unwrap_err();
    assert_eq!(
        error.violations()[0].field,
        "configuration.taskPushNotificationConfig.taskId"
    );
}

#[tokio::test]
async fn without_the_capability_webhooks_are_not_supported() {
    let mut card = card();
    card.capabilities.as_mut().unwrap().push_notifications = Some(false);
    let engine = Engine::builder(Script(asker), card).build().unwrap();
    let task = send(&engine, request("go")).await.unwrap();
    let mut inline = request("go");
    config(&mut inline).task_push_notification_config = Some(config_for("", "", "https://c.test/"));
    for error in [
        create(&engine, config_for(&task.id, "", "https://c.test/"))
            .await
            .unwrap_err(),
        read(&engine, &task.id, "x").await.unwrap_err(),
        delete(&engine, &task.id, "x").await.unwrap_err(),
        engine
            .list_task_push_notification_configs(call(), list_request_for(&task.id, 0, ""))
            .await
            .unwrap_err(),
        send(&engine, inline.clone()).await.unwrap_err(),
    ] {
        assert!(error.is_push_notification_not_supported(), "{error:?}");
        assert_eq!(error.json_rpc_code(), -32003);
    }
    assert_eq!(
        engine
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        1
    );
}

#[tokio::test]
async fn the_extended_card_is_unsupported_unconfigured_or_there() {
    let ask = || GetExtendedAgentCardRequest::default();
    let mut without = card();
    without.capabilities.as_mut().unwrap().extended_agent_card = None;
    let engine = Engine::builder(Script(asker), without.clone())
        .build()
        .unwrap();
    assert!(
        engine
            .get_extended_agent_card(call(), ask())
            .await
            .unwrap_err()
            .is_unsupported_operation()
    );
    let engine = Engine::builder(Script(asker), card()).build().unwrap();
    assert!(
        engine
            .get_extended_agent_card(call(), ask())
            .await
            .unwrap_err()
            .is_extended_agent_card_not_configured()
    );
    let mut extended = card();
    extended.name = "More".into();
    let engine = Engine::builder(Script(asker), card())
        .extended_card(extended.clone())
        .build()
        .unwrap();
    let read = engine.get_extended_agent_card(call(), ask()).await.unwrap();
    assert_eq!(read.name, "More");
    // A card that nobody could ask for is a mistake.
    let error = Engine::builder(Script(asker), without)
        .extended_card(extended)
        .build()
        .err()
        .unwrap();
    assert_eq!(
        error.violations()[0].field,
        "capabilities.extendedAgentCard"
    );
}

#[tokio::test]
async fn a_part_of_another_media_type_is_refused_unless_that_is_switched_off() {
    let mut sent = request("go");
    sent.message.as_mut().unwrap().parts[0].media_type = "text/html".into();
    let mut data = request("go");
    data.message.as_mut().unwrap().parts[0].content = Some(Content::Data(1.into()));
    let strict = builder(asker).build().unwrap();
    for refused in [&sent, &data] {
        let error = send(&strict, refused.clone()).await.unwrap_err();
        assert!(error.is_content_type_not_supported());
        assert_eq!(error.json_rpc_code(), -32005);
        assert!(
            open_stream(&strict, refused.clone())
                .await
                .err()
                .unwrap()
                .is_content_type_not_supported()
        );
    }
    assert_eq!(
        strict
            .list_tasks(call(), list_request())
            .await
            .unwrap()
            .total_size,
        0
    );
    let lenient = builder(asker).check_media_types(false).build().unwrap();
    for taken in [sent, data] {
        assert!(send(&lenient, taken).await.is_ok());
    }
}

#[tokio::test]
async fn a_webhook_remembers_the_version_in_which_it_was_registered() {
    let store = Arc::new(MemoryStore::new());
    let engine = builder(asker).store(Arc::clone(&store)).build().unwrap();
    let in_version = |version| CallContext::new(Binding::JsonRpc, version);
    let (old, new) = (ProtocolVersion::V0_3, ProtocolVersion::V1_0);

    // With the message, and later on.
    let mut first = request("go");
    let configuration = first.configuration.get_or_insert_default();
    configuration.task_push_notification_config = Some(config_for("", "a", "https://c.test/"));
    let answer = engine.send_message(in_version(old), first).await.unwrap();
    let Some(Payload::Task(task)) = &answer.payload else {
        panic!("{answer:?}");
    };
    for (id, version) in [("b", new), ("c", old)] {
        engine
            .create_task_push_notification_config(
                in_version(version),
                config_for(&task.id, id, "https://c.test/"),
            )
            .await
            .unwrap();
    }
    let kept = store
        .push_configs(&Scope::new("", ""), &task.id, None, 9)
        .await
        .unwrap();
    let versions: Vec<_> = kept
        .configs
        .iter()
        .map(|config| (&*config.id, config.version))
        .collect();
    assert_eq!(versions, [("a", old), ("b", new), ("c", old)]);
}

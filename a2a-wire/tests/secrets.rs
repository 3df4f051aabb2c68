//! What shows messages shows no credentials, in both versions, wherever they stand.

use a2a_wire::{v0_3, v1_0};

#[test]
fn credentials_of_webhooks_are_not_shown() {
    let authentication = v1_0::AuthenticationInfo::new()
        .with_scheme("Bearer")
        .with_credentials("s3cret");
    let config = v1_0::TaskPushNotificationConfig::new()
        .with_id("c-1")
        .with_token("s3cret")
        .with_authentication(authentication);
    let configuration =
        v1_0::SendMessageConfiguration::new().with_task_push_notification_config(config.clone());
    let request = v1_0::SendMessageRequest::new().with_configuration(configuration);
    let list = v1_0::ListTaskPushNotificationConfigsResponse::new().with_configs([config]);
    shows_all_but_the_secrets(&request);
    shows_all_but_the_secrets(&list);

    let authentication = v0_3::AuthenticationInfo::new()
        .with_schemes(["Bearer".to_owned()])
        .with_credentials("s3cret");
    let config = v0_3::PushNotificationConfig::new()
        .with_id("c-1")
        .with_token("s3cret")
        .with_authentication(authentication);
    let configuration =
        v0_3::SendMessageConfiguration::new().with_push_notification(config.clone());
    let request = v0_3::SendMessageRequest::new().with_configuration(configuration);
    let config = v0_3::TaskPushNotificationConfig::new().with_push_notification_config(config);
    shows_all_but_the_secrets(&request);
    shows_all_but_the_secrets(&config);
}

fn shows_all_but_the_secrets(value: &impl std::fmt::Debug) {
    for shown in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(!shown.contains("s3cret"), "{shown}");
        assert_eq!(shown.matches("<hidden>").count(), 2, "{shown}");
        for told in ["c-1", "Bearer"] {
            assert!(shown.contains(told), "{shown}");
        }
    }
}

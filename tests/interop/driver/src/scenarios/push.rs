//! Configurations of push notifications. Whether notifications come is the peer's affair; here nobody
//! listens.

use a2a_kit::v1_0::{AuthenticationInfo, Task, TaskPushNotificationConfig};
use futures_util::TryStreamExt as _;

use crate::report::{Checked, Fault, Played, ensure, equal};
use crate::session::{Session, refused, refused_somehow};

const HOOK: &str = "http://127.0.0.1:9/hook?for=星河";

pub(super) async fn configs(session: &Session) -> Played {
    let steps = &session.steps;
    let declared = session.declared().push_notifications == Some(true);
    let task = steps
        .step("'slow' returns immediately", session.start_slow())
        .await?;
    if declared {
        steps
            .step(
                "a configuration is made, found, listed and deleted",
                round(session, &task),
            )
            .await?;
    } else {
        steps
            .step("push configurations are refused", none(session, &task))
            .await?;
    }
    steps
        .step("the task is canceled", async {
            Ok(session.client.cancel(&task.id).await.map(drop)?)
        })
        .await?;
    steps
        .step(
            "a configuration within a message",
            within_a_message(session, declared),
        )
        .await
}

async fn within_a_message(session: &Session, declared: bool) -> Checked {
    let client = &session.client;
    let config = TaskPushNotificationConfig::new()
        .with_id("hook-1")
        .with_url(HOOK);
    let outcome = session
        .say("slow")
        .return_immediately()
        .notify(config.clone())
        .send()
        .await;
    if !declared {
        return refused(outcome, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    }
    let task = outcome?.into_task()?;
    let found = client.get_push_config(&task.id, "hook-1").await?;
    equal("what is found", &found, &config.with_task_id(&task.id))?;
    client.cancel(&task.id).await?;
    Ok(())
}

async fn round(session: &Session, task: &Task) -> Checked {
    let client = &session.client;
    let create = client
        .create_push_config(&task.id, HOOK)
        .id("hook-1")
        .token("interop")
        .authentication("Bearer", "secret");
    let wanted = TaskPushNotificationConfig::new()
        .with_id("hook-1")
        .with_task_id(&task.id)
        .with_url(HOOK)
        .with_token("interop")
        .with_authentication(
            AuthenticationInfo::new()
                .with_scheme("Bearer")
                .with_credentials("secret"),
        );
    equal("what is made", &create.await?, &wanted)?;
    equal(
        "what is found",
        &client.get_push_config(&task.id, "hook-1").await?,
        &wanted,
    )?;

    if session.peer.habits.is_loose {
        return listed_and_deleted(session, wanted).await;
    }
    let named = client.create_push_config(&task.id, HOOK).await?;
    ensure(!named.id.is_empty(), || {
        "the configuration was given no id".to_owned()
    })?;
    let mut both = vec![wanted, named.clone()];
    let mut listed = client.list_push_configs(&task.id).await?.configs;
    let mut read: Vec<_> = client
        .list_push_configs(&task.id)
        .all()
        .try_collect()
        .await?;
    for configs in [&mut both, &mut listed, &mut read] {
        configs.sort_by(|one, other| one.id.cmp(&other.id));
    }
    equal("what is listed", &listed, &both)?;
    equal("what is listed, page by page", &read, &both)?;

    for id in ["hook-1", &named.id] {
        client.delete_push_config(&task.id, id).await?;
        refused(client.get_push_config(&task.id, id).await, "TASK_NOT_FOUND")?;
    }
    equal(
        "what is listed in the end",
        client.list_push_configs(&task.id).await?.configs,
        [],
    )
}

/// What is left with SDKs that give no ids, or one to all.
async fn listed_and_deleted(session: &Session, made: TaskPushNotificationConfig) -> Checked {
    let client = &session.client;
    let (task, id) = (made.task_id.clone(), made.id.clone());
    if session.tells_little() {
        refused_somehow(client.list_push_configs(&task).await)?;
        return refused_somehow(client.delete_push_config(&task, &id).await);
    }
    let listed = async || Ok::<_, Fault>(client.list_push_configs(&task).await?.configs);
    equal("what is listed", listed().await?, [made])?;
    client.delete_push_config(&task, &id).await?;
    refused_somehow(client.get_push_config(&task, &id).await)?;
    equal("what is listed in the end", listed().await?, [])
}

async fn none(session: &Session, task: &Task) -> Checked {
    let client = &session.client;
    let reason = "PUSH_NOTIFICATION_NOT_SUPPORTED";
    refused(client.create_push_config(&task.id, HOOK).await, reason)?;
    refused(client.get_push_config(&task.id, "hook-1").await, reason)?;
    refused(client.list_push_configs(&task.id).await, reason)?;
    refused(client.delete_push_config(&task.id, "hook-1").await, reason)
}

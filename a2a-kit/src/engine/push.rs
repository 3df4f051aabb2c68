//! Webhooks that wait for news of a task: kept, listed, forgotten. Sending comes with a sender.

use std::sync::Arc;

use a2a_wire::v1_0::{
    DeleteTaskPushNotificationConfigRequest, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    TaskPushNotificationConfig,
};
use prost::Message as _;
use uuid::Uuid;

use super::access::{Action, Deed};
use super::check;
use super::core::Core;
use super::page::{self, Reader};
use crate::store::{PushConfig, Scope};
use crate::{CallContext, Code, Error, ProtocolVersion};

/// How many webhooks a task may have.
const MAX_CONFIGS: usize = 1000;
/// How many are on a page, when the caller does not say, and at most.
const PAGE: usize = 100;

/// Checks a webhook that comes with a message to `task_id` (empty: to a new task).
pub(super) fn check_inline(
    config: &TaskPushNotificationConfig,
    tenant: &str,
    task_id: &str,
) -> Result<(), Error> {
    let at = "configuration.taskPushNotificationConfig";
    if !config.tenant.is_empty() && config.tenant != tenant {
        return Err(Error::invalid_field(
            format!("{at}.tenant"),
            "is not the tenant of the message; leave it out",
        ));
    }
    if !config.task_id.is_empty() && config.task_id != task_id {
        return Err(Error::invalid_field(
            format!("{at}.taskId"),
            "is not the task of the message; leave it out",
        ));
    }
    check_config(config, &format!("{at}."))
}

fn check_config(config: &TaskPushNotificationConfig, at: &str) -> Result<(), Error> {
    let is_web = |url: &http::Uri| {
        matches!(url.scheme_str(), Some("http" | "https"))
            && url.host().is_some_and(|host| !host.is_empty())
    };
    if !config.url.parse().is_ok_and(|url: http::Uri| is_web(&url)) {
        return Err(Error::invalid_field(
            format!("{at}url"),
            "must be an absolute URL with http or https and a host",
        ));
    }
    if config
        .authentication
        .as_ref()
        .is_some_and(|authentication| authentication.scheme.is_empty())
    {
        return Err(Error::invalid_field(
            format!("{at}authentication.scheme"),
            "is required",
        ));
    }
    Ok(())
}

impl Core {
    /// Keeps a webhook of a task that exists, under a new id if it has none.
    pub(super) async fn keep_push_config(
        &self,
        scope: &Scope,
        task: &str,
        version: ProtocolVersion,
        mut config: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, Error> {
        config.task_id = task.to_owned();
        if config.id.is_empty() {
            config.id = Uuid::new_v4().to_string();
        }
        let known = self
            .store
            .push_configs(scope, task, None, MAX_CONFIGS)
            .await?;
        if known.configs.len() >= MAX_CONFIGS
            && !known.configs.iter().any(|known| *known.id == *config.id)
        {
            return Err(Error::new(
                Code::ResourceExhausted,
                format!("the task has {MAX_CONFIGS} webhooks already; delete one first"),
            ));
        }
        let stored = PushConfig {
            id: Arc::from(config.id.as_str()),
            version,
            data: config.encode_to_vec().into(),
        };
        self.store.put_push_config(scope, task, stored).await?;
        Ok(config)
    }

    pub(super) async fn create_push_config(
        &self,
        call: &CallContext,
        config: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, Error> {
        let operation = "CreateTaskPushNotificationConfig";
        self.require(operation)?;
        let task = check::required("taskId", &config.task_id)?.to_owned();
        let tenant = config.tenant.clone();
        let reach = self.reach(call, tenant, write(operation, &task)).await?;
        check_config(&config, "")?;
        let (scope, _) = self.locate(&reach, &task).await?;
        self.keep_push_config(&scope, &task, call.version(), config)
            .await
    }

    pub(super) async fn push_config(
        &self,
        call: &CallContext,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, Error> {
        let operation = "GetTaskPushNotificationConfig";
        self.require(operation)?;
        let GetTaskPushNotificationConfigRequest {
            tenant,
            task_id,
            id,
            ..
        } = request;
        check::required("taskId", &task_id)?;
        check::required("id", &id)?;
        let reach = self.reach(call, tenant, read(operation, &task_id)).await?;
        let (scope, _) = self.locate(&reach, &task_id).await?;
        match self.store.push_config(&scope, &task_id, &id).await? {
            Some(data) => decode(&data),
            None => {
                let id: String = id.chars().take(80).collect();
                Err(Error::task_not_found(format!(
                    "the task has no push notification config {id:?}"
                )))
            }
        }
    }

    pub(super) async fn push_configs(
        &self,
        call: &CallContext,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error> {
        let operation = "ListTaskPushNotificationConfigs";
        self.require(operation)?;
        let ListTaskPushNotificationConfigsRequest {
            tenant,
            task_id,
            page_size,
            page_token,
            ..
        } = request;
        check::required("taskId", &task_id)?;
        let reach = self.reach(call, tenant, read(operation, &task_id)).await?;
        let limit = match usize::try_from(page_size) {
            Ok(0) => PAGE,
            Ok(size) => size.min(PAGE),
            Err(_) => {
                return Err(Error::invalid_field(
                    "pageSize",
                    "must not be negative; 0 leaves it to the agent",
                ));
            }
        };
        let reader = Reader::of(&reach, call);
        let after = if page_token.is_empty() {
            None
        } else {
            Some(page::read_id(&page_token, &task_id, reader)?)
        };
        let (scope, _) = self.locate(&reach, &task_id).await?;
        let page = self
            .store
            .push_configs(&scope, &task_id, after.as_deref(), limit)
            .await?;
        let mut response = ListTaskPushNotificationConfigsResponse::default();
        if page.more
            && let Some(last) = page.configs.last()
        {
            response.next_page_token = page::write_id(&last.id, &task_id, reader);
        }
        response.configs = page
            .configs
            .iter()
            .map(|config| decode(&config.data))
            .collect::<Result<_, Error>>()?;
        Ok(response)
    }

    pub(super) async fn delete_push_config(
        &self,
        call: &CallContext,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), Error> {
        let operation = "DeleteTaskPushNotificationConfig";
        self.require(operation)?;
        let DeleteTaskPushNotificationConfigRequest {
            tenant,
            task_id,
            id,
            ..
        } = request;
        check::required("taskId", &task_id)?;
        check::required("id", &id)?;
        let reach = self.reach(call, tenant, write(operation, &task_id)).await?;
        let (scope, _) = self.locate(&reach, &task_id).await?;
        // Twice is as good as once.
        self.store.delete_push_config(&scope, &task_id, &id).await?;
        Ok(())
    }
}

/// Webhooks of a task are read.
fn read<'a>(operation: &'static str, task: &'a str) -> Deed<'a> {
    Deed {
        operation,
        action: Action::Read,
        task: Some(task),
    }
}

/// Webhooks of a task are changed.
fn write<'a>(operation: &'static str, task: &'a str) -> Deed<'a> {
    Deed {
        operation,
        action: Action::Write,
        task: Some(task),
    }
}

fn decode(data: &[u8]) -> Result<TaskPushNotificationConfig, Error> {
    TaskPushNotificationConfig::decode(data).map_err(|error| {
        Error::internal("the store holds a push notification config that cannot be read")
            .with_source(error)
    })
}

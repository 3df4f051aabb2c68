//! The request that registers a push notification configuration: in v0.3 a parent, an id and a
//! configuration that is named; in v1.0 the configuration itself.
//!
//! Comes in: the message of one version. Goes out: that of the other one. The id may stand in three
//! places, the task in two; what is said twice must be the same.

use crate::adapt::{Adapter, Down, Name, Refused, Up};
use crate::{v0_3, v1_0};

/// Tenants.
#[cfg(test)]
pub(super) const LOSSES: &[&str] = &["D1"];

/// The name of a configuration.
pub(crate) const CONFIG: Name<2> = Name {
    before: ["tasks/", "/pushNotificationConfigs/"],
    after: "",
    fields: ["taskId", "id"],
    last_may_be_missing: true,
};

/// The name of a task.
const TASK: Name<1> = Name {
    before: ["tasks/"],
    after: "",
    fields: ["taskId"],
    last_may_be_missing: false,
};

impl Up<v1_0::TaskPushNotificationConfig> for v0_3::CreateTaskPushNotificationConfigRequest {
    fn up(self, adapter: &Adapter) -> Result<v1_0::TaskPushNotificationConfig, Refused> {
        let Some(config) = self.config else {
            return Err(Refused::at("config", "is required"));
        };
        let mut new: v1_0::TaskPushNotificationConfig = adapter.field("config", |adapter| {
            let inner = config.push_notification_config.unwrap_or_default();
            let mut new: v1_0::TaskPushNotificationConfig =
                adapter.up("pushNotificationConfig", inner)?;
            if !config.name.is_empty() {
                let [task, id] = adapter.field("name", |_| CONFIG.read(&config.name))?;
                adapter.settle(&mut new.id, id, "pushNotificationConfig.id")?;
                new.task_id = task;
            }
            Ok(new)
        })?;
        adapter.settle(
            &mut new.id,
            self.config_id,
            "config.pushNotificationConfig.id",
        )?;
        // Whoever says the task in the configuration's name only, has said it.
        if !self.parent.is_empty() || new.task_id.is_empty() {
            let task = adapter.field("parent", |_| task_of(&self.parent))?;
            adapter.settle(&mut new.task_id, task, "config.name")?;
        }
        Ok(new)
    }
}

impl Down<v0_3::CreateTaskPushNotificationConfigRequest> for v1_0::TaskPushNotificationConfig {
    fn down(
        self,
        adapter: &Adapter,
    ) -> Result<v0_3::CreateTaskPushNotificationConfigRequest, Refused> {
        Ok(v0_3::CreateTaskPushNotificationConfigRequest {
            parent: TASK.write([&self.task_id])?,
            config_id: self.id.clone(),
            config: Some(self.down(adapter)?),
        })
    }
}

/// The task in `tasks/{id}`, and in what the route of the proto takes for it:
/// `task/{id}/pushNotificationConfigs`.
pub(crate) fn task_of(parent: &str) -> Result<String, Refused> {
    let as_written = parent
        .strip_prefix("tasks/")
        .or_else(|| parent.strip_prefix("task/"))
        .and_then(|rest| rest.strip_suffix("/pushNotificationConfigs"))
        .filter(|task| !task.is_empty() && !task.contains('/'));
    match as_written {
        Some(task) => Ok(task.to_owned()),
        None => TASK.read(parent).map(|[task]| task),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::WireMessage as _;
    use crate::adapt::{Options, down, up};
    use v0_3::CreateTaskPushNotificationConfigRequest as Request;
    use v1_0::TaskPushNotificationConfig as Config;

    fn request(json: &Value) -> Request {
        Request::read_json(json.to_string().as_bytes()).unwrap()
    }

    #[track_caller]
    fn ids(json: &Value) -> (String, String) {
        let (config, losses): (Config, _) = up(request(json), &Options::default()).unwrap();
        assert!(losses.is_empty());
        assert_eq!(config.url, "u");
        (config.task_id, config.id)
    }

    #[track_caller]
    fn fault(json: &Value) -> String {
        up::<_, Config>(request(json), &Options::default())
            .unwrap_err()
            .path
    }

    #[test]
    fn ids_may_stand_in_any_of_their_places() {
        let both = ("t".to_owned(), "c".to_owned());
        for known in [
            json!({"parent": "tasks/t", "config": {"pushNotificationConfig": {"id": "c", "url": "u"}}}),
            json!({"parent": "tasks/t", "configId": "c", "config": {"pushNotificationConfig": {"url": "u"}}}),
            json!({"config": {"name": "tasks/t/pushNotificationConfigs/c", "pushNotificationConfig": {"url": "u"}}}),
            json!({"parent": "task/t/pushNotificationConfigs", "configId": "c",
                "config": {"name": "tasks/t/pushNotificationConfigs/c", "pushNotificationConfig": {"id": "c", "url": "u"}}}),
            json!({"parent": "tasks/t/pushNotificationConfigs", "configId": "c",
                "config": {"name": "tasks/t/pushNotificationConfigs/None", "pushNotificationConfig": {"url": "u"}}}),
        ] {
            assert_eq!(ids(&known), both, "{known}");
        }
        let unknown =
            json!({"parent": "tasks/t", "config": {"pushNotificationConfig": {"url": "u"}}});
        assert_eq!(ids(&unknown), ("t".to_owned(), String::new()));
    }

    #[test]
    fn what_contradicts_itself_or_is_missing_is_refused() {
        let config =
            |name: &str| json!({"name": name, "pushNotificationConfig": {"id": "c", "url": "u"}});
        assert_eq!(fault(&json!({"parent": "tasks/t"})), "config");
        for parent in ["", "t", "tasks/", "tasks/a/b", "task/t", "x/tasks/t"] {
            assert_eq!(
                fault(&json!({"parent": parent, "config": config("")})),
                "parent"
            );
        }
        assert_eq!(fault(&json!({"config": config("t/c")})), "config.name");
        let other = config("tasks/t/pushNotificationConfigs/d");
        assert_eq!(
            fault(&json!({"config": other})),
            "config.pushNotificationConfig.id"
        );
        let named = config("tasks/t/pushNotificationConfigs/c");
        assert_eq!(
            fault(&json!({"parent": "tasks/u", "config": named})),
            "config.name"
        );
        let request = json!({"parent": "tasks/t", "configId": "d", "config": config("")});
        assert_eq!(fault(&request), "config.pushNotificationConfig.id");
    }

    #[test]
    fn everything_is_said_where_peers_look_for_it() {
        let config = Config::new()
            .with_tenant("x")
            .with_task_id("t")
            .with_id("c")
            .with_url("u");
        let (found, losses): (Request, _) = down(config.clone(), &Options::default()).unwrap();
        assert_eq!(
            found,
            request(&json!({"parent": "tasks/t", "configId": "c", "config": {
                "name": "tasks/t/pushNotificationConfigs/c",
                "pushNotificationConfig": {"id": "c", "url": "u"},
            }}))
        );
        assert_eq!((losses.len(), losses[0].id), (1, "D1"));
        let unnamed = Config::new().with_task_id("t").with_url("u");
        let (found, _): (Request, _) = down(unnamed.clone(), &Options::default()).unwrap();
        assert_eq!(up(found, &Options::default()), Ok((unnamed, vec![])));
        let nowhere = down::<_, Request>(Config::new(), &Options::default());
        assert_eq!(nowhere.unwrap_err().path, "taskId");
    }
}

//! The body with which a push notification configuration is registered over HTTP: peers of v0.3 write
//! and read it in several shapes.
//!
//! Comes in: what path and query say, or a body as the proto has it. Goes out: the registration, or a
//! body in which every peer finds what it looks for.

use a2a_wire::__codegen::WireMessage;
use a2a_wire::adapt::{Adapter, Refused, Up};
use a2a_wire::v0_3::CreateTaskPushNotificationConfigRequest;
use a2a_wire::v1_0::TaskPushNotificationConfig;
use bytes::Bytes;

use crate::adapted::Shapes;
use crate::error::Error;

impl Shapes<TaskPushNotificationConfig> for CreateTaskPushNotificationConfigRequest {
    fn place(
        mut self,
        new: &mut TaskPushNotificationConfig,
        adapter: &Adapter,
    ) -> Result<(), Refused> {
        // The configuration is in the body, and was read from there.
        self.config = Some(a2a_wire::v0_3::TaskPushNotificationConfig::default());
        let placed: TaskPushNotificationConfig = self.up(adapter)?;
        adapter.settle(&mut new.task_id, placed.task_id, "taskId")?;
        adapter.settle(&mut new.id, placed.id, "pushNotificationConfig.id")
    }

    /// Most agents look for `config`, some for what is in it: so its members are said twice. And
    /// most look for `parent`, though the path says it.
    fn widen(&self, _body: Bytes) -> Result<Bytes, Error> {
        let body = json(self)?;
        let Some(config) = &self.config else {
            return Ok(body.into());
        };
        let inner = json(config)?;
        let (Some(outer), Some(inner)) = (
            body.strip_suffix(b"}").filter(|outer| outer.len() > 1),
            inner.strip_prefix(b"{").filter(|inner| inner.len() > 1),
        ) else {
            return Ok(body.into());
        };
        Ok([outer, b",", inner].concat().into())
    }
}

fn json(message: &impl WireMessage) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    message
        .write_json(&mut out)
        .map_err(|error| Error::invalid_field(error.path(), error.message()))?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Outgoing as _;
    use a2a_wire::adapt::Down;

    fn registration() -> TaskPushNotificationConfig {
        TaskPushNotificationConfig::new()
            .with_task_id("t1")
            .with_id("c1")
            .with_url("https://example.com/hook")
    }

    #[test]
    fn a_body_says_it_in_both_shapes() {
        let old: CreateTaskPushNotificationConfigRequest =
            registration().down(&Adapter::default()).unwrap();
        let body = old.widen(old.json_without(&["parent"]).unwrap()).unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["configId"], "c1");
        assert_eq!(body["parent"], "tasks/t1");
        assert_eq!(body["config"]["name"], body["name"]);
        assert_eq!(body["name"], "tasks/t1/pushNotificationConfigs/c1");
        assert_eq!(
            body["config"]["pushNotificationConfig"],
            body["pushNotificationConfig"]
        );
        assert_eq!(
            body["pushNotificationConfig"]["url"],
            "https://example.com/hook"
        );
    }

    #[test]
    fn path_and_query_are_put_in_unless_they_contradict() {
        let placed = |parent: &str, id: &str, new: &mut TaskPushNotificationConfig| {
            let mut old = CreateTaskPushNotificationConfigRequest::default();
            old.parent = parent.to_owned();
            old.config_id = id.to_owned();
            old.place(new, &Adapter::default())
        };
        let mut new = TaskPushNotificationConfig::new().with_url("https://example.com");
        placed("tasks/t1", "c1", &mut new).unwrap();
        assert_eq!((&*new.task_id, &*new.id), ("t1", "c1"));
        // What the route of the proto captures.
        let mut new = TaskPushNotificationConfig::default();
        placed("task/t1/pushNotificationConfigs", "", &mut new).unwrap();
        assert_eq!((&*new.task_id, &*new.id), ("t1", ""));
        assert!(placed("tasks/t2", "", &mut registration()).is_err());
        assert!(placed("tasks/t1", "c2", &mut registration()).is_err());
    }

    /// A peer that knows the members of the schema and no others, and answers as such do.
    #[cfg(feature = "client")]
    #[derive(Debug, Default)]
    struct Strict(std::sync::Mutex<Vec<serde_json::Value>>);

    #[cfg(feature = "client")]
    impl crate::client::Channel for Strict {
        fn call<'a>(
            &'a self,
            _service: &'static crate::ServiceSpec,
            _operation: usize,
            _context: crate::CallContext,
            request: &'a dyn crate::client::Outgoing,
        ) -> crate::BoxFuture<'a, Result<crate::client::Answer, Error>> {
            let body = request.json_without(&["parent"]).unwrap();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let is_known = body.get("name").is_none();
            let answer = body["config"].to_string();
            self.0.lock().unwrap().push(body);
            Box::pin(async move {
                if is_known {
                    let payload = crate::client::Payload::ProtoJson(answer.into());
                    Ok(crate::client::Answer::Unary(payload))
                } else {
                    Err(Error::internal("unknown exception").with_peer_status(500))
                }
            })
        }
    }

    #[cfg(feature = "client")]
    #[tokio::test]
    async fn a_strict_peer_gets_it_once_more_as_the_schema_has_it() {
        use crate::A2aService as _;
        let strict = std::sync::Arc::new(Strict::default());
        let peer = crate::v0_3::Peer::new(std::sync::Arc::clone(&strict) as _);
        let kept = peer
            .create_task_push_notification_config(crate::CallContext::default(), registration())
            .await
            .unwrap();
        assert_eq!(*kept, registration());
        let bodies = strict.0.lock().unwrap();
        assert_eq!(bodies.len(), 2);
        assert!(bodies[0].get("pushNotificationConfig").is_some());
        let members: Vec<_> = bodies[1].as_object().unwrap().keys().collect();
        assert_eq!(members, ["config", "configId", "parent"]);
    }
}

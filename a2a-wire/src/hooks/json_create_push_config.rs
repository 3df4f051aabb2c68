//! The body of a request that registers a push notification configuration over REST.
//!
//! Comes in: any of the four forms that agents and clients of v0.3 use for it:
//! `{parent, configId, config: {…}}`, `{config: {…}}`, `{name, pushNotificationConfig}` and
//! `{taskId, pushNotificationConfig}`. Goes out: a v1.0 configuration, and the last form again.

use serde::de::{self, MapAccess};
use serde::ser::SerializeMap;

use super::create_push_config::{CONFIG, task_of};
use crate::__codegen::json::{Context, Entry, Fields, OldObject, Seen, Str};
use crate::adapt::Adapter;
use crate::json::old::{hooked, in_member, missing};
use crate::v0_3_json::{PushNotificationConfig, TaskPushNotificationConfig as Inner};
use crate::v1_0::TaskPushNotificationConfig;

/// What the codec notes by itself.
#[cfg(test)]
pub(crate) const LOSSES: &[&str] = &[];

/// The request.
#[derive(Debug)]
pub struct Codec;

/// What was read of it.
#[derive(Debug, Default)]
pub struct State {
    parent: String,
    config_id: String,
    name: String,
    task_id: String,
    config: Option<TaskPushNotificationConfig>,
    inner: Option<TaskPushNotificationConfig>,
}

impl OldObject for Codec {
    type Value = TaskPushNotificationConfig;
    type State = State;

    const NAME: &'static str = "CreateTaskPushNotificationConfigRequest";
    const JSON_NAMES: &'static [&'static str] = &[
        "parent",
        "configId",
        "name",
        "taskId",
        "config",
        "pushNotificationConfig",
    ];

    fn member(name: &str) -> Option<usize> {
        match name {
            "parent" => Some(0),
            "configId" | "config_id" => Some(1),
            "name" => Some(2),
            "taskId" | "task_id" => Some(3),
            "config" => Some(4),
            "pushNotificationConfig" | "push_notification_config" => Some(5),
            _ => None,
        }
    }

    fn read_member<'de, A: MapAccess<'de>>(
        state: &mut State,
        index: usize,
        input: Entry<'_, '_, A>,
    ) -> Result<bool, A::Error> {
        match index {
            0 => input.value::<Str>(&mut state.parent),
            1 => input.value::<Str>(&mut state.config_id),
            2 => input.value::<Str>(&mut state.name),
            3 => input.value::<Str>(&mut state.task_id),
            4 => input.maybe::<Inner>(&mut state.config),
            5 => input.maybe::<PushNotificationConfig>(&mut state.inner),
            _ => input.passed(),
        }
    }

    fn finish<E: de::Error>(
        state: State,
        _seen: Seen,
        cx: &Context<'_>,
    ) -> Result<TaskPushNotificationConfig, E> {
        let (mut config, other) = match (state.config, state.inner) {
            (Some(config), other) => (config, other),
            (None, Some(inner)) => (inner, None),
            (None, None) => return Err(missing(cx, "config")),
        };
        // Some clients send both, so that either kind of server finds its own.
        if let Some(other) = other {
            let is_same = config.url == other.url
                && config.token == other.token
                && config.authentication == other.authentication;
            if !is_same {
                let error = cx.fault("is another registration than that in `config`; send one");
                return Err(in_member(cx, "pushNotificationConfig", error));
            }
            hooked(cx, |adapter| {
                adapter.settle(&mut config.id, other.id, "pushNotificationConfig.id")
            })?;
        }
        hooked(cx, |adapter| {
            adapter.settle(&mut config.task_id, state.task_id, "taskId")?;
            if !state.name.is_empty() {
                let [task, id] = adapter.field("name", |_| CONFIG.read(&state.name))?;
                adapter.settle(&mut config.task_id, task, "name")?;
                adapter.settle(&mut config.id, id, "name")?;
            }
            if !state.parent.is_empty() {
                let task = adapter.field("parent", |_| task_of(&state.parent))?;
                adapter.settle(&mut config.task_id, task, "parent")?;
            }
            adapter.settle(&mut config.id, state.config_id, "configId")
        })?;
        Ok(config)
    }

    fn note_dropped(config: &TaskPushNotificationConfig, adapter: &Adapter) {
        Inner::note_dropped(config, adapter);
    }

    fn write_members<S: SerializeMap>(
        config: &TaskPushNotificationConfig,
        output: &mut Fields<'_, '_, S>,
    ) -> Result<(), S::Error> {
        Inner::write_members(config, output)
    }
}

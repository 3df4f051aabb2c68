//! The official client of the A2A project.

use a2a::{GetTaskRequest, Message, Part, Role, SendMessageRequest, SendMessageResponse, Task};
use a2a_client::A2AClient;
use a2a_client::jsonrpc::JsonRpcTransport;
use serde_json::Value;

use super::{Caller, MESSAGE_ID};

pub(super) struct Official(A2AClient<JsonRpcTransport>);

impl Official {
    pub(super) fn new(url: &str) -> Self {
        let client = reqwest::Client::builder().no_proxy();
        let client = client.build().expect("a client is made");
        let transport = JsonRpcTransport::new(client, url.to_owned());
        Self(A2AClient::new(transport))
    }
}

impl Caller for Official {
    type Task = Task;

    async fn get_task(&self, id: &str) -> Task {
        let request = GetTaskRequest {
            id: id.to_owned(),
            history_length: None,
            tenant: None,
        };
        self.0.get_task(&request).await.expect("there is a task")
    }

    async fn send(&self, text: &str) -> Task {
        let mut message = Message::new(Role::User, vec![Part::text(text)]);
        message.message_id = MESSAGE_ID.to_owned();
        let request = SendMessageRequest {
            message,
            configuration: None,
            metadata: None,
            tenant: None,
        };
        match self.0.send_message(&request).await {
            Ok(SendMessageResponse::Task(task)) => task,
            other => unreachable!("the message is answered by a task, not by {other:?}"),
        }
    }

    fn json(task: &Task) -> Value {
        serde_json::to_value(task).expect("it has a JSON form")
    }
}

/// A value as the official client reads it: its numbers are all floating.
pub(super) fn with_floats(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or(Value::Number(number), Value::from),
        Value::Array(list) => list.into_iter().map(with_floats).collect(),
        Value::Object(map) => {
            let entries = map.into_iter();
            Value::Object(
                entries
                    .map(|(name, value)| (name, with_floats(value)))
                    .collect(),
            )
        }
        other => other,
    }
}

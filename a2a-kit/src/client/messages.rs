//! Messages to an agent, and what it answers.
//!
//! Comes in: content, and how the answer is wanted. Goes out: a task or a message, or a stream of
//! updates.

use a2a_wire::v1_0::send_message_response::Payload;
use a2a_wire::v1_0::{
    Message, Role, SendMessageConfiguration, SendMessageRequest, SendMessageResponse,
    StreamResponse, Task, TaskPushNotificationConfig,
};
use serde_json::Value;
use uuid::Uuid;

use super::call::{Client, Operation};
use super::channel::{Answer, Payload as Encoded};
use super::operations::Call;
use super::retry::Safety;
use super::session::Lane;
use super::stream::{Follow, Start, Updates};
use crate::content::{Parts, text_of};
use crate::context::CallContext;
use crate::error::Error;
use crate::shared::Shared;

/// What an agent answers a message with.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "answers are looked at one at a time"
)]
pub enum Outcome {
    /// A task: the agent works on it, or has done so.
    Task(Task),
    /// A message: all that there is to say.
    Message(Message),
}

impl Outcome {
    /// The task, if it is one.
    #[must_use]
    pub fn task(&self) -> Option<&Task> {
        match self {
            Self::Task(task) => Some(task),
            Self::Message(_) => None,
        }
    }

    /// The message, if it is one.
    #[must_use]
    pub fn message(&self) -> Option<&Message> {
        match self {
            Self::Message(message) => Some(message),
            Self::Task(_) => None,
        }
    }

    /// The task.
    ///
    /// # Errors
    /// `InvalidAgentResponseError` when it is a message, for callers that can only do with a task.
    pub fn into_task(self) -> Result<Task, Error> {
        match self {
            Self::Task(task) => Ok(task),
            Self::Message(_) => Err(Error::invalid_agent_response(
                "the agent answered with a message where a task was expected",
            )),
        }
    }

    /// The reason that the agent gave for the failure of the task; see
    /// [`failure_reason`](super::failure_reason).
    #[must_use]
    pub fn failure_reason(&self) -> Option<&str> {
        self.task().and_then(super::failure_reason)
    }

    /// The texts of the answer, one per line: of the message; of the task's artifacts; or, when it
    /// has none, of what the agent says about its state.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Message(message) => text_of(&message.parts),
            Self::Task(task) if task.artifacts.is_empty() => {
                let said = task
                    .status
                    .as_ref()
                    .and_then(|status| status.message.as_ref());
                said.map(|message| text_of(&message.parts))
                    .unwrap_or_default()
            }
            Self::Task(task) => task
                .artifacts
                .iter()
                .map(|artifact| text_of(&artifact.parts))
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }

    fn read(response: SendMessageResponse) -> Option<Self> {
        match response.payload? {
            Payload::Task(task) => Some(Self::Task(task)),
            Payload::Message(message) => Some(Self::Message(message)),
        }
    }
}

impl Client {
    /// A message to the agent: `client.message("hello").send().await?`.
    ///
    /// ```no_run
    /// # async fn example(client: a2a_kit::client::Client) -> Result<(), a2a_kit::Error> {
    /// use a2a_kit::Parts;
    ///
    /// let first = client.message("Check Star River Tech").accept("text/plain").send().await?;
    /// if let Some(task) = first.task() {
    ///     let region = Parts::from("China").and(Parts::file("licence.pdf", "application/pdf", vec![37, 80, 68, 70]));
    ///     let second = client.message(region).in_task(&task.id).send().await?;
    ///     println!("{}", second.text());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn message(&self, content: impl Into<Parts>) -> Call<SendMessageRequest> {
        let message = Message::new()
            .with_message_id(Uuid::new_v4().to_string())
            .with_role(Role::User)
            .with_parts(content.into().0);
        Call::new(
            self.clone(),
            SendMessageRequest::new().with_message(message),
        )
    }

    /// Sends a message that was put together elsewhere.
    pub fn request(&self, request: impl Into<SendMessageRequest>) -> Call<SendMessageRequest> {
        Call::new(self.clone(), request.into())
    }

    pub(super) async fn send(
        &self,
        operation: Operation,
        context: &CallContext,
        request: &mut SendMessageRequest,
    ) -> Result<Shared<SendMessageResponse>, Error> {
        self.admit_webhook(request)?;
        let answer = self
            .exchange(operation, context, request, self.options().retry)
            .await?;
        let raw = match &answer {
            Answer::Unary(Encoded::Json(text) | Encoded::ProtoJson(text)) => text.clone(),
            _ => bytes::Bytes::new(),
        };
        let response: Shared<SendMessageResponse> = answer.unary(Self::service())?;
        if response.payload.is_some() {
            return Ok(response);
        }
        let error = Error::invalid_agent_response(
            "the agent's answer to the message has neither a task nor a message",
        );
        Err(if raw.is_empty() {
            error
        } else {
            error.with_peer_body(&raw)
        })
    }

    /// A message that registers a webhook needs the capability too.
    pub(super) fn admit_webhook(&self, request: &SendMessageRequest) -> Result<(), Error> {
        let registers = request
            .configuration
            .as_ref()
            .is_some_and(|wanted| wanted.task_push_notification_config.is_some());
        if registers {
            self.admit(Operation::CREATE_PUSH)
        } else {
            Ok(())
        }
    }
}

impl Call<SendMessageRequest> {
    fn message(&mut self) -> &mut Message {
        self.request.message.get_or_insert_default()
    }

    fn configuration(&mut self) -> &mut SendMessageConfiguration {
        self.request.configuration.get_or_insert_default()
    }

    /// Adds content.
    pub fn and(mut self, more: impl Into<Parts>) -> Self {
        self.message().parts.extend(more.into().0);
        self
    }

    /// Goes on with a task: answers its question, or adds to what it works on.
    pub fn in_task(mut self, id: impl Into<String>) -> Self {
        self.message().task_id = id.into();
        self
    }

    /// Says which skill of the agent the message is for, by the skill's id, to agents that read it
    /// ([`SKILL_KEY`](super::SKILL_KEY)); agents of this kit do.
    pub fn skill(self, id: impl Into<String>) -> Self {
        let id = id.into();
        self.for_skill(id.as_str())
            .message_metadata(super::SKILL_KEY, id)
    }

    /// Places the message in a conversation.
    pub fn in_context(mut self, id: impl Into<String>) -> Self {
        self.message().context_id = id.into();
        self
    }

    /// Points the agent to another task.
    pub fn referring_to(mut self, task: impl Into<String>) -> Self {
        self.message().reference_task_ids.push(task.into());
        self
    }

    /// Gives the message an id; otherwise it has a random one.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.message().message_id = id.into();
        self
    }

    /// Adds a media type that the answer may have; without any, the agent chooses.
    pub fn accept(mut self, media_type: impl Into<String>) -> Self {
        self.configuration()
            .accepted_output_modes
            .push(media_type.into());
        self
    }

    /// How many of the newest messages of its history the task in the answer has at most.
    pub fn history_length(mut self, messages: u32) -> Self {
        self.configuration().history_length = Some(i32::try_from(messages).unwrap_or(i32::MAX));
        self
    }

    /// Has the agent answer as soon as there is a task, while it works on it. Otherwise the answer
    /// comes when the task rests.
    pub fn return_immediately(mut self) -> Self {
        self.configuration().return_immediately = true;
        self
    }

    /// Registers a webhook for the updates of the task.
    pub fn notify(mut self, webhook: impl Into<TaskPushNotificationConfig>) -> Self {
        self.configuration().task_push_notification_config = Some(webhook.into());
        self
    }

    /// Sets an entry of the metadata of the call.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.request
            .metadata
            .get_or_insert_default()
            .0
            .insert(key.into(), value.into());
        self
    }

    /// Sets an entry of the metadata of the message itself.
    pub fn message_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.message()
            .metadata
            .get_or_insert_default()
            .0
            .insert(key.into(), value.into());
        self
    }

    /// Says that the agent takes two messages with the same id for one, so that this one may be sent
    /// again when it is not known whether it arrived (see [`Retry`](super::Retry)).
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    fn operation(&self, operation: Operation) -> Operation {
        let safety = if self.idempotent {
            Safety::Safe
        } else {
            operation.safety
        };
        Operation {
            safety,
            ..operation
        }
    }

    /// Sends the message and waits for the answer.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn send(mut self) -> Result<Outcome, Error> {
        let mut operation = self.operation(Operation::SEND);
        if self
            .request
            .configuration
            .as_ref()
            .is_some_and(|wanted| wanted.return_immediately)
        {
            operation.lane = Lane::Read;
        }
        let context = self.context()?;
        let response = self
            .client
            .send(operation, &context, &mut self.request)
            .await?;
        Outcome::read(response.into_inner())
            .ok_or_else(|| Error::internal("an answer without content was let through"))
    }

    /// As [`Call::send`], and checks the result against the schema that the agent's card publishes for
    /// the skill: see [`check_task`](super::check_task). The skill of a message that is answered by
    /// a message is the one that [`Call::skill`] names.
    ///
    /// # Errors
    /// Why there is no answer; `InvalidAgentResponseError` when there is one that does not fit.
    #[cfg(feature = "contracts")]
    pub async fn send_checked(mut self) -> Result<Outcome, Error> {
        let card = self.client.card();
        let facts = self.message().metadata.as_ref();
        let skill = facts.and_then(|facts| Some(facts.get(super::SKILL_KEY)?.as_str()?.to_owned()));
        let outcome = self.send().await?;
        match (&outcome, skill) {
            (Outcome::Task(task), _) => super::check_task(&card, task)?,
            (Outcome::Message(message), Some(skill)) => {
                super::check_message(&card, &skill, message)?;
            }
            (Outcome::Message(_), None) => {}
        }
        Ok(outcome)
    }

    /// Sends the message and hands out what happens as it happens. The stream survives cuts of the
    /// connection; see [`Updates`].
    ///
    /// # Errors
    /// Why there is no stream: `UnsupportedOperationError` when the agent does not stream;
    /// [`Call::follow`] goes on then.
    pub async fn stream(mut self) -> Result<Updates, Error> {
        self.client.admit_webhook(&self.request)?;
        let (operation, context) = (self.operation(Operation::STREAM), self.context()?);
        let retry = self.client.options().retry;
        let events = self
            .client
            .streaming(operation, &context, &mut self.request, retry)
            .await?;
        let events = Follow::start(self.client.clone(), context, Start::Message(events));
        Ok(Updates::new(self.client, events))
    }

    /// As [`Call::stream`]; from an agent that does not stream, the task is asked for from time to
    /// time, and what is new about it handed out.
    ///
    /// # Errors
    /// Why there is neither.
    pub async fn follow(mut self) -> Result<Updates, Error> {
        if self.client.admit(Operation::STREAM).is_ok() {
            let again = self.clone();
            match self.stream().await {
                // Its card says that it streams, but it does not. It has not taken the message.
                Err(error) if Follow::cannot_subscribe(&error) => self = again,
                followed => return followed,
            }
        }
        self.configuration().return_immediately = true;
        let (client, context) = (self.client.clone(), self.context()?);
        let events = match self.send().await? {
            Outcome::Task(task) => Follow::start(client.clone(), context, Start::Task(task)),
            Outcome::Message(message) => {
                let event = Ok(Shared::new(StreamResponse::message(message)));
                Box::pin(futures_util::stream::iter([event]))
            }
        };
        Ok(Updates::new(client, events))
    }
}

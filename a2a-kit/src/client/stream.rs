//! Streams of a task's updates that survive the connections that they come over.
//!
//! Comes in: the events of a stream, as the binding delivers them. Goes out: the same events; and
//! when the connection is cut before the task rests, those of further streams, without what was
//! there before.
//!
//! After a cut the task is subscribed to again. The first event of that is the task as it is now,
//! which is the truth; what of it is news goes out as updates. Where the agent cannot be subscribed
//! to, the task is asked for from time to time. When neither is possible, the stream ends with an
//! error.

mod follow;
mod seen;

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use a2a_wire::v1_0::stream_response::Payload;
use a2a_wire::v1_0::{
    Message, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use futures_core::Stream;
use futures_util::StreamExt as _;

pub(super) use follow::{Follow, Start};

use super::call::Client;
use super::messages::Outcome;
use crate::error::Error;
use crate::shared::{EventStream, Shared};

/// How streams that were cut are taken up again.
///
/// ```
/// use std::time::Duration;
/// use a2a_kit::client::{Client, Reconnect};
/// let patient = Client::builder().reconnect(Reconnect::default().times(20));
/// let strict = Client::builder().reconnect(Reconnect::never());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reconnect {
    pub(super) times: u32,
    pub(super) first_wait: Duration,
    pub(super) longest_wait: Duration,
    pub(super) poll_every: Duration,
}

impl Default for Reconnect {
    fn default() -> Self {
        Self {
            times: 6,
            first_wait: Duration::from_millis(200),
            longest_wait: Duration::from_secs(10),
            poll_every: Duration::from_secs(1),
        }
    }
}

impl Reconnect {
    /// A stream that was cut ends with an error.
    #[must_use]
    pub fn never() -> Self {
        Self::default().times(0)
    }

    /// How often it is tried, without news in between, before the stream ends with an error: six
    /// times by default.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = times;
        self
    }

    /// How long is waited before the first time, 200 milliseconds by default, and twice as long
    /// before each further one.
    #[must_use]
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// How long is waited at most, between questions too: 10 seconds by default.
    #[must_use]
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// How soon a task that cannot be subscribed to is asked for again, one second by default. When
    /// there is no news, the waits grow.
    #[must_use]
    pub fn poll_every(mut self, wait: Duration) -> Self {
        self.poll_every = wait;
        self
    }
}

/// What is new about a task, or the message that stands in its place.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "updates are looked at one at a time"
)]
pub enum Update {
    /// The task as it is: the first update of nearly every stream. When one comes later, what was
    /// there before no longer holds.
    Task(Task),
    /// A message, with which the agent answers instead of working on a task.
    Message(Message),
    /// The task has a new status.
    Status(TaskStatusUpdateEvent),
    /// The task has an artifact, or more of one.
    Artifact(TaskArtifactUpdateEvent),
}

impl Update {
    /// The status that it tells of.
    #[must_use]
    pub fn status(&self) -> Option<&TaskStatus> {
        match self {
            Self::Task(task) => task.status.as_ref(),
            Self::Status(update) => update.status.as_ref(),
            Self::Message(_) | Self::Artifact(_) => None,
        }
    }

    /// The state that it tells of.
    #[must_use]
    pub fn state(&self) -> Option<TaskState> {
        self.status().map(TaskStatus::state)
    }

    /// Reads an event. One that holds nothing is a fault of the agent.
    fn read(event: Shared<StreamResponse>) -> Result<Self, Error> {
        match event.into_inner().payload {
            Some(Payload::Task(task)) => Ok(Self::Task(task)),
            Some(Payload::Message(message)) => Ok(Self::Message(message)),
            Some(Payload::StatusUpdate(update)) => Ok(Self::Status(update)),
            Some(Payload::ArtifactUpdate(update)) => Ok(Self::Artifact(update)),
            None => Err(Error::invalid_agent_response(
                "an event of the stream has neither task, message, statusUpdate nor artifactUpdate",
            )),
        }
    }
}

/// The updates of a task, as a stream. It ends when the task rests: in a state that it never leaves,
/// or when it waits for somebody and the agent has nothing more to say; and after an error.
///
/// ```no_run
/// use a2a_kit::client::{Client, Update};
/// use futures_util::StreamExt as _;
///
/// # async fn example(client: Client) -> Result<(), a2a_kit::Error> {
/// let mut updates = client.message("Check Star River Tech").stream().await?;
/// while let Some(update) = updates.next().await {
///     match update? {
///         Update::Artifact(piece) => println!("{:?}", piece.artifact),
///         other => println!("{:?}", other.state()),
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a stream does nothing until it is read"]
pub struct Updates {
    events: EventStream<StreamResponse>,
    client: Client,
    task_id: Option<String>,
}

impl Updates {
    pub(super) fn new(client: Client, events: EventStream<StreamResponse>) -> Self {
        Self {
            events,
            client,
            task_id: None,
        }
    }

    /// The task, once an update has named it.
    #[must_use]
    pub fn task_id(&self) -> Option<&str> {
        self.task_id.as_deref()
    }

    /// Waits for the end, and asks for the task as it is then.
    ///
    /// # Errors
    /// Those of the stream, and of the question.
    pub async fn outcome(mut self) -> Result<Outcome, Error> {
        while let Some(update) = self.next().await {
            if let Update::Message(message) = update? {
                return Ok(Outcome::Message(message));
            }
        }
        match self.task_id {
            Some(id) => self.client.get_task(id).await.map(Outcome::Task),
            None => Err(Error::invalid_agent_response(
                "the stream has ended and named neither task nor message",
            )),
        }
    }

    fn note(&mut self, update: &Update) {
        if self.task_id.is_none() {
            self.task_id = match update {
                Update::Task(task) => Some(task.id.clone()),
                Update::Status(update) => Some(update.task_id.clone()),
                Update::Artifact(update) => Some(update.task_id.clone()),
                Update::Message(_) => None,
            };
        }
    }
}

impl Stream for Updates {
    type Item = Result<Update, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = std::task::ready!(self.events.poll_next_unpin(cx))
            .map(|event| event.and_then(Update::read));
        if let Some(Ok(update)) = &next {
            self.note(update);
        }
        Poll::Ready(next)
    }
}

impl fmt::Debug for Updates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Updates")
            .field("task_id", &self.task_id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

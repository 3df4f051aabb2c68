//! A client that is bound to one binding of one peer, and how it talks.
//!
//! Comes in: what a scenario wants to say. Goes out: checked answers of the library's client.

use std::fmt::Debug;
use std::sync::Arc;

use a2a_kit::client::{Call, Client, Reconnect, Retry, Updates};
use a2a_kit::v1_0::{AgentCapabilities, SendMessageRequest, Task, TaskState};
use a2a_kit::{Binding, Code, Error};
use futures_util::StreamExt as _;

use crate::peer::Peer;
use crate::report::{Checked, Fault, Steps, ensure, equal};
use crate::turn::{Turn, mark};

/// One client of one peer.
pub(crate) struct Session {
    pub(crate) steps: Steps,
    pub(crate) peer: Arc<Peer>,
    pub(crate) binding: Binding,
    /// Whether messages are sent as streams.
    pub(crate) streaming: bool,
    pub(crate) client: Client,
}

impl Session {
    pub(crate) async fn open(
        steps: Steps,
        peer: Arc<Peer>,
        binding: Binding,
        streaming: bool,
    ) -> Checked<Self> {
        // What fails is to be seen: nothing is tried again.
        let client = Client::builder()
            .bindings([binding])
            .require_version(peer.version)
            .retry(Retry::never())
            .reconnect(Reconnect::never())
            .connect(&peer.card_url)
            .await?;
        equal(
            "binding",
            client.interface().protocol_binding.as_str(),
            binding.card_name(),
        )?;
        Ok(Self {
            steps,
            peer,
            binding,
            streaming,
            client,
        })
    }

    /// What the card declares.
    pub(crate) fn declared(&self) -> AgentCapabilities {
        self.client.card().capabilities.clone().unwrap_or_default()
    }

    /// See [`Habits::slashes_part_paths`](crate::peer::Habits::slashes_part_paths).
    pub(crate) fn misreads_slashes(&self) -> bool {
        self.peer.habits.slashes_part_paths && self.binding == Binding::Rest
    }

    /// True where messages are those of the proto of version 0.3.
    pub(crate) fn is_old_proto(&self) -> bool {
        self.peer.is_old() && self.binding != Binding::JsonRpc
    }

    /// See [`Habits::puts_little_into_protos`](crate::peer::Habits::puts_little_into_protos).
    pub(crate) fn tells_little(&self) -> bool {
        self.peer.habits.puts_little_into_protos && self.is_old_proto()
    }

    /// See [`Habits::drops_part_details`](crate::peer::Habits::drops_part_details).
    pub(crate) fn drops_details(&self) -> bool {
        self.peer.habits.drops_part_details && self.is_old_proto()
    }

    /// What the user says.
    pub(crate) fn say(&self, text: &str) -> Call<SendMessageRequest> {
        self.client.message(text).accept("text/plain")
    }

    /// Sends a first message as the session does, and takes all that comes back until the agent is
    /// done.
    pub(crate) async fn send(&self, message: Call<SendMessageRequest>) -> Checked<Turn> {
        if !self.streaming {
            return Ok(Turn::answered(message.send().await?.into_task()?));
        }
        let turn = read(Turn::default(), message.stream().await?).await?;
        ensure(turn.opened_with_task, || {
            "the stream does not open with the task".to_owned()
        })?;
        Ok(turn)
    }

    /// Sends a message that goes on with a task, as the session does.
    pub(crate) async fn go_on(
        &self,
        task: &Task,
        message: Call<SendMessageRequest>,
    ) -> Checked<Turn> {
        let message = message.in_task(&task.id);
        if !(self.streaming && self.peer.habits.follow_ups_open_with_an_update) {
            return self.send(message).await;
        }
        let turn = read(Turn::of(task.clone()), message.stream().await?).await?;
        ensure(!turn.opened_with_task, || {
            "the stream opens with the task, which is no habit of this peer".to_owned()
        })?;
        Ok(turn)
    }

    /// Sends a message as the session does, and waits for no more than the first thing that comes
    /// back.
    pub(crate) async fn try_send(&self, message: Call<SendMessageRequest>) -> Result<(), Error> {
        if self.streaming {
            return first(message.stream().await).await;
        }
        message.send().await.map(drop)
    }

    /// Starts a task that works until it is canceled, without waiting for it.
    pub(crate) async fn start_slow(&self) -> Checked<Task> {
        let task = self
            .say("slow")
            .return_immediately()
            .send()
            .await?
            .into_task()?;
        ensure(
            matches!(task.state(), TaskState::Submitted | TaskState::Working),
            || format!("state is {}", mark(task.state())),
        )?;
        Ok(task)
    }
}

/// Reads a stream to its end.
async fn read(mut turn: Turn, mut updates: Updates) -> Checked<Turn> {
    while let Some(update) = updates.next().await {
        turn.add(update?)?;
    }
    ensure(turn.updates > 0, || "the stream holds no event".to_owned())?;
    Ok(turn)
}

/// Waits for the first update of a stream, or the error in its place.
pub(crate) async fn first(updates: Result<Updates, Error>) -> Result<(), Error> {
    updates?.next().await.transpose().map(drop)
}

/// Checks that a call was refused with one of A2A's own errors.
pub(crate) fn refused<T: Debug>(outcome: Result<T, Error>, reason: &str) -> Checked {
    match outcome {
        Ok(answer) => Err(Fault::new(format!(
            "expected {reason}, the call succeeded: {answer:?}"
        ))),
        Err(error) if error.reason() == Some(reason) && error.spec().is_some() => Ok(()),
        Err(error) => {
            Err(Fault::from(error).within(&format!("expected {reason}, the call failed otherwise")))
        }
    }
}

/// Checks that a call was refused, as whatever.
pub(crate) fn refused_somehow<T: Debug>(outcome: Result<T, Error>) -> Checked {
    match outcome {
        Ok(answer) => Err(Fault::new(format!("the call succeeded: {answer:?}"))),
        Err(_) => Ok(()),
    }
}

/// Checks that a call was refused as one with invalid arguments. A2A has no error of its own for
/// it: what the SDKs say besides the code differs.
pub(crate) fn refused_as_invalid<T: Debug>(outcome: Result<T, Error>) -> Checked {
    match outcome {
        Ok(answer) => Err(Fault::new(format!(
            "expected an invalid argument, the call succeeded: {answer:?}"
        ))),
        Err(error) => equal("code", error.code(), Code::InvalidArgument)
            .map_err(|fault| fault.within(&error.to_string())),
    }
}

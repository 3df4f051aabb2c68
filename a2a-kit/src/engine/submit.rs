//! A message that has passed all checks becomes part of a task, and someone works on it.

use std::sync::Arc;

use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::{TaskPushNotificationConfig, TaskState};
use bytes::Bytes;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::core::{Core, cause, not_found, said};
use super::execution::{INBOX_MESSAGES, Run};
use super::fold::Folded;
use super::live::{LiveRef, State};
use super::record::{Change, bare};
use super::restart::Begin;
use super::send::{Accepted, Started, has_ended};
use super::turn::Delivery;
use crate::agent::AgentMessage;
use crate::{Code, Error};

/// Who works on a message that has been taken in.
enum Next {
    /// An execution of this process that begins.
    Execute(Arc<Run>, Delivery),
    /// The execution of this process that goes on.
    Delivered,
    /// Another process, as long as it is there.
    Elsewhere(Delivery),
    /// Nobody: the task has ended.
    Nobody,
}

impl Core {
    /// Takes a message in, in a task of its own: a caller who leaves must not leave half of it
    /// undone.
    pub(super) fn submit(
        self: &Arc<Self>,
        accepted: Accepted,
    ) -> oneshot::Receiver<Result<Started, Error>> {
        let (sender, receiver) = oneshot::channel();
        tokio::spawn(Arc::clone(self).see_to(accepted, sender));
        receiver
    }

    /// Takes a message in, tells the caller, and executes the task when nobody else does.
    async fn see_to(
        self: Arc<Self>,
        accepted: Accepted,
        started: oneshot::Sender<Result<Started, Error>>,
    ) {
        match self.take_in(accepted).await {
            Ok((start, next)) => {
                let (live, sequence) = (start.live.clone(), start.sequence);
                // A caller who has left is fine.
                let _ = started.send(Ok(start));
                // In boxes, so that what does not happen takes no room.
                match next {
                    Next::Execute(run, delivery) => Box::pin(self.run(live, run, delivery)).await,
                    Next::Elsewhere(delivery) => {
                        Box::pin(self.stand_by(live, sequence, Some(delivery))).await;
                    }
                    Next::Nobody => Box::pin(self.settle(live)).await,
                    Next::Delivered => {}
                }
            }
            Err(error) => {
                let _ = started.send(Err(error));
            }
        }
    }

    async fn take_in(self: &Arc<Self>, accepted: Accepted) -> Result<(Started, Next), Error> {
        let Accepted {
            scope,
            message,
            live,
            context_id,
            handling,
            envelope,
            mut push,
            history,
            streams,
            at_once,
        } = accepted;
        let is_new = live.is_none();
        let live = live.unwrap_or_else(|| self.hold(&scope, &Uuid::new_v4().to_string()));
        let mut guard = live.state.lock().await;
        let state = &mut *guard;
        if is_new {
            let folded = Folded::new(&live.key.task, &context_id);
            live.loaded(&folded);
            state.folded = Some(folded);
        }
        // A new task is executed here, so its log stays as long as this process follows it.
        let watch = match is_new {
            true => None,
            false => Some(self.store.watch(&scope, &live.key.task).await?),
        };
        // Before the message: what follows it must not fail, for the task goes on with it.
        if !is_new && let Some(config) = push.take() {
            let version = envelope.call.version();
            self.keep_push_config(&scope, &live.key.task, version, config)
                .await?;
        }
        let mut message = bare(message);
        for part in &mut message.parts {
            // The task may stay for long: not with it the request that they are a piece of.
            if let Some(Content::Raw(bytes)) = &mut part.content {
                *bytes = Bytes::copy_from_slice(bytes);
            }
        }
        let before = state.run.clone();
        let (mut rested, mut written) = (true, 0);
        let counted = state.running.start(&envelope.call)?;
        let sequence = self
            .write(&live, state, |folded, now| {
                if folded.is_terminal() {
                    return Err(has_ended(folded.state()));
                }
                if before
                    .as_ref()
                    .is_some_and(|run| run.waiting() >= INBOX_MESSAGES)
                {
                    return Err(Error::new(
                        Code::ResourceExhausted,
                        "too many messages wait for this task; send this one later",
                    ));
                }
                rested = is_new || folded.rests;
                let mut changes = vec![Change::Message(message.clone())];
                let news = Some(&handling.metadata);
                if is_new {
                    changes.push(self.status(folded, now, TaskState::Submitted, None, news, false));
                } else if folded.is_interrupted() {
                    changes.push(self.status(folded, now, TaskState::Working, None, news, false));
                }
                written = changes.len() as u64;
                Ok(changes)
            })
            .await;
        let sequence = match sequence {
            Ok(sequence) => sequence,
            Err(error) => {
                if counted {
                    state.running.rest();
                }
                return Err(error);
            }
        };
        let following = live.follow(streams);
        // Before anybody works on it: what that does can be seen behind it.
        let folded = state
            .folded
            .as_ref()
            .ok_or_else(|| not_found(&live.key.task))?;
        let task = at_once.then(|| folded.view(history));
        let delivery = Delivery {
            message,
            sequence: sequence + 1 - written,
            envelope,
            began: None,
        };
        let next = match self.set_out(&live, state, push, rested, delivery).await {
            Ok(next) => next,
            Err(error) => {
                if counted {
                    state.running.rest();
                }
                if is_new {
                    self.give_up(&live, state).await;
                } else {
                    // The message has been taken in all the same.
                    self.guard_of(&live, state);
                }
                return Err(error);
            }
        };
        drop(guard);
        Ok((
            Started {
                live,
                following,
                watch,
                sequence,
                task,
                history,
            },
            next,
        ))
    }

    /// Keeps the webhook, and hands the message to whoever executes the task, or to a new execution.
    async fn set_out(
        &self,
        live: &LiveRef,
        state: &mut State,
        push: Option<TaskPushNotificationConfig>,
        rested: bool,
        delivery: Delivery,
    ) -> Result<Next, Error> {
        if let Some(config) = push {
            let scope = &live.key.scope;
            let version = delivery.envelope.call.version();
            self.keep_push_config(scope, &live.key.task, version, config)
                .await?;
        }
        if let Some(run) = &state.run {
            run.deliver(delivery);
            return Ok(Next::Delivered);
        }
        let next = match self.begin(live, state, rested, delivery).await? {
            Begin::Run(run, delivery) => return Ok(Next::Execute(run, delivery)),
            Begin::Elsewhere(delivery) => Next::Elsewhere(delivery),
            Begin::Over => Next::Nobody,
        };
        // It counts where it is executed.
        state.running.rest();
        Ok(next)
    }

    /// Fails a task that could not be set out on. Its client has no id to ask for it.
    async fn give_up(&self, live: &LiveRef, state: &mut State) {
        let message = said(AgentMessage::from("the task could not be started"));
        let failed = self
            .write(live, state, |folded, now| {
                Ok::<_, Error>(vec![self.status(
                    folded,
                    now,
                    TaskState::Failed,
                    message.clone(),
                    None,
                    true,
                )])
            })
            .await;
        if let Err(error) = failed {
            tracing::error!(task = %live.key.task, error = cause(&error), "a task was left before it was started");
        }
    }
}

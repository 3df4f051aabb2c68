//! Follows a task: over a stream, over the next one when that is cut, or by questions.
//!
//! Comes in: a stream as a binding delivers it, or a task. Goes out: the events of the task, up to
//! where it rests.

use std::collections::VecDeque;
use std::time::Duration;

use a2a_wire::v1_0::stream_response::Payload;
use a2a_wire::v1_0::{GetTaskRequest, StreamResponse, SubscribeToTaskRequest, Task, TaskState};
use futures_util::StreamExt as _;
use futures_util::stream::unfold;

use super::Reconnect;
use super::seen::Seen;
use crate::client::call::{Client, Operation, has_time};
use crate::client::retry::{Backoff, Retry};
use crate::client::transport::TransportErrorKind;
use crate::context::CallContext;
use crate::error::{Code, Error};
use crate::shared::{EventStream, Shared};

/// What is followed from.
#[allow(clippy::large_enum_variant, reason = "one for each stream, moved once")]
pub(in crate::client) enum Start {
    /// The stream that answers a message.
    Message(EventStream<StreamResponse>),
    /// The stream of a subscription to the task of this id.
    Subscription(String, EventStream<StreamResponse>),
    /// The same, of a task that is to be asked for if the stream turns out to be refused.
    Attempt(String, EventStream<StreamResponse>),
    /// A task that cannot be subscribed to.
    Task(Task),
}

/// See the module.
pub(in crate::client) struct Follow {
    client: Client,
    context: CallContext,
    policy: Reconnect,
    seen: Seen,
    queue: VecDeque<Shared<StreamResponse>>,
    source: Source,
    /// The stream that answers a message ends when the agent asks something; a subscription does
    /// not.
    ends_at_question: bool,
    /// What the first stream begins with may be its refusal, for which the task is asked for.
    attempt: bool,
    /// It is not the first stream any more.
    resumed: bool,
    /// How often it could not be taken up again, without news in between.
    failures: u32,
    /// How often a question brought no news, in a row.
    quiet: u32,
}

enum Source {
    Live(EventStream<StreamResponse>),
    /// The stream was cut, perhaps by an error.
    Cut(Option<Error>),
    /// The task is asked for, after a while.
    Poll(Duration),
    End,
}

impl Follow {
    pub(in crate::client) fn start(
        client: Client,
        context: CallContext,
        start: Start,
    ) -> EventStream<StreamResponse> {
        let policy = client.options().reconnect;
        let mut follow = Self {
            client,
            context,
            policy,
            seen: Seen::default(),
            queue: VecDeque::new(),
            source: Source::End,
            ends_at_question: false,
            attempt: false,
            resumed: false,
            failures: 0,
            quiet: 0,
        };
        match start {
            Start::Message(events) => {
                follow.ends_at_question = true;
                follow.source = Source::Live(events);
            }
            Start::Subscription(id, events) => {
                follow.seen = Seen::of(&id);
                follow.source = Source::Live(events);
            }
            Start::Attempt(id, events) => {
                follow.seen = Seen::of(&id);
                follow.source = Source::Live(events);
                follow.attempt = true;
            }
            Start::Task(task) => {
                follow.source = Source::Poll(follow.poll_wait());
                follow.catch_up(task);
            }
        }
        Box::pin(unfold(follow, |mut follow| async move {
            follow.next().await.map(|next| (next, follow))
        }))
    }

    /// True when a subscription is refused for what it is: the agent has none, or none to a task that
    /// has ended.
    pub(in crate::client) fn cannot_subscribe(error: &Error) -> bool {
        let no_route = error.spec().is_none() && matches!(error.peer_status(), Some(404 | 405));
        error.is_unsupported_operation() || error.code() == Code::Unimplemented || no_route
    }

    async fn next(&mut self) -> Option<Result<Shared<StreamResponse>, Error>> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Some(Ok(event));
            }
            let went_on = match &mut self.source {
                Source::End => return None,
                Source::Live(events) => match events.next().await {
                    Some(Ok(event)) => self.accept(event),
                    Some(Err(error)) => self.cut(Some(error)),
                    None => self.cut(None),
                },
                Source::Cut(cause) => {
                    let cause = cause.take();
                    self.resume(cause).await
                }
                Source::Poll(wait) => {
                    let wait = *wait;
                    self.client.sleep(wait).await;
                    self.poll().await
                }
            };
            if let Err(error) = went_on {
                self.source = Source::End;
                return Some(Err(error));
            }
        }
    }

    /// Hands an event on.
    fn accept(&mut self, event: Shared<StreamResponse>) -> Result<(), Error> {
        if event.payload.is_none() {
            return Err(Error::invalid_agent_response(
                "an event of the stream has neither task, message, statusUpdate nor artifactUpdate",
            ));
        }
        if self.resumed && self.seen.is_repeated(&event) {
            return Ok(());
        }
        self.failures = 0;
        self.attempt = false;
        self.seen.note(&event);
        let message = matches!(event.payload, Some(Payload::Message(_)));
        self.queue.push_back(event);
        if message || self.has_ended() {
            self.source = Source::End;
        }
        Ok(())
    }

    /// Goes by a task as it is now: what of it is news goes on.
    fn catch_up(&mut self, task: Task) {
        let news = self.seen.catch_up(task);
        self.quiet = if news.is_empty() {
            self.quiet.saturating_add(1)
        } else {
            0
        };
        if !news.is_empty() {
            self.failures = 0;
        }
        self.queue.extend(news.into_iter().map(Shared::new));
        let rests = matches!(self.source, Source::Poll(_)) && self.seen.state().is_interrupted();
        if rests || self.has_ended() {
            self.source = Source::End;
        }
    }

    fn has_ended(&self) -> bool {
        let state = self.seen.state();
        state.is_terminal()
            || (self.resumed && self.ends_at_question && state == TaskState::InputRequired)
    }

    /// Decides what the end of a stream means.
    fn cut(&mut self, error: Option<Error>) -> Result<(), Error> {
        // Some servers send the head of a stream before they know whether there is one.
        let attempt = std::mem::take(&mut self.attempt);
        if attempt && error.as_ref().is_some_and(Self::cannot_subscribe) {
            return self.poll_now();
        }
        if let Some(error) = &error
            && !(is_cut(error) && has_time(&self.context, Duration::ZERO))
        {
            return Err(error.clone());
        }
        if self.seen.state().is_interrupted() {
            // Nothing more was to come.
            self.source = Source::End;
            return Ok(());
        }
        if self.seen.task_id.is_empty() {
            return Err(before_the_task(error));
        }
        self.source = Source::Cut(error);
        Ok(())
    }

    async fn resume(&mut self, cause: Option<Error>) -> Result<(), Error> {
        let wait = self.try_again(cause)?;
        self.client.sleep(wait).await;
        let mut request = SubscribeToTaskRequest::new().with_id(self.seen.task_id.as_str());
        let subscribed = self
            .client
            .streaming(
                Operation::SUBSCRIBE,
                &self.context,
                &mut request,
                Retry::never(),
            )
            .await;
        self.resumed = true;
        let mut events: EventStream<StreamResponse> = match subscribed {
            Ok(events) => events,
            // It has ended meanwhile, or the agent has no subscriptions.
            Err(error) if Self::cannot_subscribe(&error) => return self.poll_now(),
            Err(error) => return self.failed(error),
        };
        match events.next().await {
            Some(Ok(event)) => {
                let task = match event.into_inner().payload {
                    Some(Payload::Task(task)) => task,
                    // A server that begins with what happens next. What it has sent by now is in
                    // the task that is asked for after it.
                    _ => match self.fetch().await {
                        Ok(task) => task,
                        Err(error) => return self.failed(error),
                    },
                };
                if task.id != self.seen.task_id {
                    return Err(another_task(&self.seen.task_id, &task.id));
                }
                self.source = Source::Live(events);
                self.catch_up(task);
                Ok(())
            }
            Some(Err(error)) if Self::cannot_subscribe(&error) => self.poll_now(),
            Some(Err(error)) => self.failed(error),
            None => self.poll_now(),
        }
    }

    fn poll_now(&mut self) -> Result<(), Error> {
        self.source = Source::Poll(Duration::ZERO);
        Ok(())
    }

    async fn poll(&mut self) -> Result<(), Error> {
        match self.fetch().await {
            Ok(task) => {
                self.catch_up(task);
                if let Source::Poll(_) = self.source {
                    self.source = Source::Poll(self.poll_wait());
                }
                Ok(())
            }
            Err(error) if is_cut(&error) => {
                let wait = self.try_again(Some(error))?;
                self.source = Source::Poll(wait);
                Ok(())
            }
            Err(error) => Err(gone(&error)),
        }
    }

    fn poll_wait(&self) -> Duration {
        Backoff::new(self.policy.poll_every, self.policy.longest_wait).nth(self.quiet)
    }

    async fn fetch(&mut self) -> Result<Task, Error> {
        let mut request = GetTaskRequest::new().with_id(self.seen.task_id.as_str());
        self.client
            .exchange(Operation::GET, &self.context, &mut request, Retry::never())
            .await?
            .unary(Client::service())
            .map(Shared::into_inner)
    }

    /// Notes that taking it up again did not work, and whether it is tried once more.
    fn failed(&mut self, error: Error) -> Result<(), Error> {
        if is_cut(&error) {
            self.source = Source::Cut(Some(error));
            Ok(())
        } else {
            Err(gone(&error))
        }
    }

    /// How long to wait before the next attempt.
    ///
    /// # Errors
    /// When there were enough.
    fn try_again(&mut self, cause: Option<Error>) -> Result<Duration, Error> {
        let wait = match cause.as_ref().and_then(Error::retry_after) {
            Some(wait) if wait <= self.policy.longest_wait => wait,
            _ => Backoff::new(self.policy.first_wait, self.policy.longest_wait).nth(self.failures),
        };
        if self.failures >= self.policy.times || !has_time(&self.context, wait) {
            return Err(self.lost(cause));
        }
        self.failures += 1;
        Ok(wait)
    }

    fn lost(&self, cause: Option<Error>) -> Error {
        let id = &self.seen.task_id;
        let tried = match self.failures {
            0 => String::new(),
            times => format!(", and could not be taken up again ({times} attempts)"),
        };
        let message = format!(
            "the stream of task {id:?} was cut in state {}{tried}",
            self.seen.state().as_str_name()
        );
        match cause {
            Some(cause) => Error::new(Code::Unavailable, format!("{message}: {}", cause.message()))
                .with_source(cause),
            None => Error::new(
                Code::Unavailable,
                format!("{message}: it ended although the task does not rest"),
            ),
        }
    }
}

/// True when the connection is at fault, not the call.
fn is_cut(error: &Error) -> bool {
    match error.transport() {
        Some(fault) => !matches!(
            fault.kind(),
            TransportErrorKind::Request | TransportErrorKind::Tls | TransportErrorKind::Credentials
        ),
        None => error.spec().is_none() && matches!(error.code(), Code::Unavailable),
    }
}

/// What a task's stream is taken up with must be of that task.
fn another_task(wanted: &str, found: &str) -> Error {
    let found: String = found.chars().take(64).collect();
    Error::invalid_agent_response(format!(
        "the stream of task {wanted:?} was cut, and the agent took it up again with task {found:?}"
    ))
}

fn gone(error: &Error) -> Error {
    error.clone().with_message(|message| {
        format!("the stream was cut, and the task cannot be followed again: {message}")
    })
}

fn before_the_task(error: Option<Error>) -> Error {
    match error {
        Some(error) => Error::new(
            Code::Unavailable,
            format!("the stream was cut before the agent named a task; whether the agent has the message is not known: {}", error.message()),
        )
        .with_source(error),
        None => Error::invalid_agent_response("the stream ended before its first event"),
    }
}

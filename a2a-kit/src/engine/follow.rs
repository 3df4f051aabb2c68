//! Readers of a task: those who wait until it rests, and those who read all its events.
//!
//! A reader knows the number of the last event that it has seen and asks for the next one: among
//! the newest events of the live task, else in the store. So no reader misses an event or sees one
//! twice, a slow one holds nobody up, and it does not matter which process has made the event.

use std::collections::VecDeque;
use std::sync::Arc;

use a2a_wire::v1_0::stream_response::Payload;
use a2a_wire::v1_0::{StreamResponse, TaskState};

use super::core::{Core, LOG_PAGE, not_found};
use super::live::{Event, Following, Key, LiveRef};
use super::record::{Change, is_interrupted, is_terminal};
use crate::store::{LogRecord, Watch};
use crate::{Error, EventStream, Shared};

/// When a stream ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// When the task ends, or waits for its client and nobody executes it any more.
    Rest,
    /// When the task ends.
    End,
}

impl Until {
    fn is_reached(self, state: TaskState, rests: bool) -> bool {
        match self {
            _ if is_terminal(state) => true,
            Self::Rest => {
                state == TaskState::InputRequired || (state == TaskState::AuthRequired && rests)
            }
            Self::End => false,
        }
    }
}

/// A reader of a task.
pub(super) struct Follower {
    core: Arc<Core>,
    live: LiveRef,
    /// Goes before `following`, so that nobody is thought to read the log when nobody does.
    watch: Option<Watch>,
    _following: Following,
    /// The last event that has been read.
    after: u64,
    /// Records that have been loaded and not been read yet.
    page: VecDeque<LogRecord>,
}

impl Follower {
    /// A reader of what comes behind `after`. With a `watch` from before that place was reached,
    /// no process compacts what has not been read.
    pub(super) fn new(
        core: Arc<Core>,
        live: LiveRef,
        following: Following,
        watch: Option<Watch>,
        after: u64,
    ) -> Self {
        Self {
            core,
            live,
            watch,
            _following: following,
            after,
            page: VecDeque::new(),
        }
    }

    /// Waits until the task has ended or waits for its client. Returns where that was.
    pub(super) async fn rests(&mut self) -> Result<u64, Error> {
        while self.load().await? {
            while let Some(record) = self.page.pop_front() {
                self.after = record.sequence;
                if !record.kind.is_status() {
                    continue;
                }
                if let Change::Status(change) = Change::decode(record.kind, &record.data)?
                    && (is_terminal(change.state()) || is_interrupted(change.state()))
                {
                    return Ok(self.after);
                }
            }
        }
        // Compacted, so it has ended.
        Ok(self.after)
    }

    /// The next event of a stream. `None` when events are gone that have not been read.
    async fn next(&mut self) -> Result<Option<Event>, Error> {
        loop {
            let sequence = self.after + 1;
            if let Some(event) = self.live.recent(sequence) {
                self.after = sequence;
                return Ok(Some(event));
            }
            while self
                .page
                .front()
                .is_some_and(|record| record.sequence <= self.after)
            {
                self.page.pop_front();
            }
            if let Some(record) = self.page.pop_front() {
                let event = self.live.event(&Change::decode(record.kind, &record.data)?);
                self.after = record.sequence;
                return Ok(Some(self.live.share(record.sequence, event)));
            }
            if !self.load().await? {
                return Ok(None);
            }
        }
    }

    /// Loads the next records, and waits for them if need be. False when they are gone: the log
    /// has been compacted. With a stream, the ring may be faster than the log: then no records are
    /// loaded.
    async fn load(&mut self) -> Result<bool, Error> {
        let Key { scope, task } = &self.live.key;
        loop {
            let page = self
                .core
                .store
                .read_log(scope, task, self.after, LOG_PAGE)
                .await?;
            if page.sequence == 0 {
                return Err(not_found(task));
            }
            if page.base > self.after {
                self.after = page.sequence;
                return Ok(false);
            }
            if !page.records.is_empty() {
                self.page = page.records.into();
                return Ok(true);
            }
            let Some(watch) = &mut self.watch else {
                // Read again behind it: what came in between is not told of.
                self.watch = Some(self.core.store.watch(scope, task).await?);
                continue;
            };
            if watch.changed().await.is_none() {
                return Err(not_found(task));
            }
            if self.live.recent(self.after + 1).is_some() {
                return Ok(true);
            }
        }
    }

    /// The task itself, to go on with when events are gone.
    async fn resync(&mut self) -> Result<(Shared<StreamResponse>, TaskState), Error> {
        let Key { scope, task } = &self.live.key;
        let task = self.core.read_task(scope, task, None).await?;
        let state = task
            .status
            .as_ref()
            .map_or(TaskState::Unspecified, a2a_wire::v1_0::TaskStatus::state);
        Ok((task_event(&task), state))
    }
}

/// A stream's event that holds a whole task.
pub(super) fn task_event(task: &a2a_wire::v1_0::Task) -> Shared<StreamResponse> {
    let mut response = StreamResponse::default();
    response.payload = Some(Payload::Task(task.clone()));
    Shared::new(response)
}

struct Reading {
    follower: Follower,
    opening: Option<Shared<StreamResponse>>,
    until: Until,
    ended: bool,
}

/// A stream that opens with `opening` and goes on with all that comes behind it.
pub(super) fn stream(
    follower: Follower,
    opening: Shared<StreamResponse>,
    until: Until,
) -> EventStream<StreamResponse> {
    let reading = Reading {
        follower,
        opening: Some(opening),
        until,
        ended: false,
    };
    Box::pin(futures_util::stream::unfold(
        reading,
        |mut reading| async move {
            let event = reading.next().await?;
            Some((event, reading))
        },
    ))
}

impl Reading {
    async fn next(&mut self) -> Option<Result<Shared<StreamResponse>, Error>> {
        if let Some(opening) = self.opening.take() {
            return Some(Ok(opening));
        }
        while !self.ended {
            match self.step().await {
                Ok(Some(response)) => return Some(Ok(response)),
                Ok(None) => {}
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }

    async fn step(&mut self) -> Result<Option<Shared<StreamResponse>>, Error> {
        let Some(event) = self.follower.next().await? else {
            let (response, state) = self.follower.resync().await?;
            self.ended = self.until.is_reached(state, true);
            return Ok(Some(response));
        };
        self.ended = event
            .state
            .is_some_and(|(state, rests)| self.until.is_reached(state, rests));
        Ok(event.response)
    }
}

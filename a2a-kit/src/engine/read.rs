//! Tasks are read, listed, followed and canceled.

use std::sync::Arc;

use a2a_wire::v1_0::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskState,
};
use tokio::sync::oneshot;

use super::cache::View;
use super::check;
use super::core::{Core, not_found};
use super::fold::Folded;
use super::follow::{Follower, Until, stream, task_event};
use super::live::{Key, LiveRef};
use super::page;
use crate::agent::{CancelContext, Envelope};
use crate::store::{History, ListQuery, Listed, Position, Scope, Select};
use crate::{CallContext, Error, EventStream, Shared};

/// Page sizes of ListTasks.
const PAGE: i32 = 50;
const MAX_PAGE: i32 = 100;

impl Core {
    pub(super) async fn get(
        &self,
        call: &CallContext,
        request: GetTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        let GetTaskRequest {
            tenant,
            id,
            history_length,
            ..
        } = request;
        let scope = self.scope(call, tenant).await?;
        check::required("id", &id)?;
        let history = check::history(history_length, "historyLength")?;
        self.read_task(&scope, &id, history).await
    }

    /// A task with the newest `history` messages. Whoever reads it again while it has not changed
    /// gets the same value, with its encodings.
    pub(super) async fn read_task(
        &self,
        scope: &Scope,
        id: &str,
        history: Option<u32>,
    ) -> Result<Shared<Task>, Error> {
        let head = self
            .store
            .snapshot(scope, id, Select::HEAD)
            .await?
            .ok_or_else(|| not_found(id))?;
        let view = View {
            key: Key {
                scope: scope.clone(),
                task: Arc::from(id),
            },
            history,
        };
        if let Some(task) = self.cache.get(&view, head.sequence) {
            return Ok(task);
        }
        let (sequence, task) = match self.folded_here(&view, head.sequence) {
            Some(found) => found,
            None => {
                let select = Select {
                    history: history.map_or(History::All, History::Last),
                    artifacts: true,
                };
                let snapshot = self
                    .store
                    .snapshot(scope, id, select)
                    .await?
                    .ok_or_else(|| not_found(id))?;
                (
                    snapshot.sequence,
                    Folded::load(id, &snapshot)?.view(history),
                )
            }
        };
        let task = Shared::new(task);
        self.cache.put(view, sequence, &task);
        Ok(task)
    }

    /// The task as this process has it at hand, when it is no older than the store's.
    fn folded_here(&self, view: &View, sequence: u64) -> Option<(u64, Task)> {
        let live = self.lives.find(&view.key)?;
        // Whoever changes the task at this moment need not be waited for: the store has it all.
        let state = live.state.try_lock().ok()?;
        let folded = state
            .folded
            .as_ref()
            .filter(|folded| folded.sequence >= sequence)?;
        Some((folded.sequence, folded.view(view.history)))
    }

    pub(super) async fn list(
        &self,
        call: &CallContext,
        request: ListTasksRequest,
    ) -> Result<ListTasksResponse, Error> {
        let ListTasksRequest {
            tenant,
            context_id,
            status,
            page_size,
            page_token,
            history_length,
            status_timestamp_after,
            include_artifacts,
            ..
        } = request;
        let scope = self.scope(call, tenant).await?;
        let history = check::history(history_length, "historyLength")?;
        let page_size = page_size.unwrap_or(PAGE);
        if !(1..=MAX_PAGE).contains(&page_size) {
            return Err(Error::invalid_field(
                "pageSize",
                format!("must be from 1 to {MAX_PAGE}; leave it out for {PAGE}"),
            ));
        }
        let artifacts = include_artifacts == Some(true);
        let mut query = ListQuery {
            context_id: Some(context_id).filter(|id| !id.is_empty()).map(Arc::from),
            state: state_filter(status)?,
            since: status_timestamp_after,
            after: None,
            limit: usize::try_from(page_size).unwrap_or_default(),
            select: Select {
                history: history.map_or(History::All, History::Last),
                artifacts,
            },
        };
        if !page_token.is_empty() {
            query.after = Some(page::read_position(&page_token, &query)?);
        }
        let page = self.store.list(&scope, query.clone()).await?;
        let mut response = ListTasksResponse::default();
        response.page_size = page_size;
        response.total_size = i32::try_from(page.total).unwrap_or(i32::MAX);
        if page.more
            && let Some(Listed { task, snapshot }) = page.tasks.last()
        {
            let last = Position {
                status_timestamp: snapshot.index.status_timestamp,
                task: Arc::clone(task),
            };
            response.next_page_token = page::write_position(&last, &query);
        }
        let tasks = page
            .tasks
            .iter()
            .map(|Listed { task, snapshot }| Ok(Folded::load(task, snapshot)?.task));
        response.tasks = tasks.collect::<Result<_, Error>>()?;
        Ok(response)
    }

    pub(super) async fn subscribe(
        self: &Arc<Self>,
        call: &CallContext,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        self.require("SubscribeToTask")?;
        let SubscribeToTaskRequest { tenant, id, .. } = request;
        let scope = self.scope(call, tenant).await?;
        check::required("id", &id)?;
        let live = self
            .open(&scope, &id)
            .await?
            .ok_or_else(|| not_found(&id))?;
        let mut state = live.state.lock().await;
        // Before the task is read, so that nothing behind it can be missed.
        let following = live.follow(true);
        let watch = self.store.watch(&scope, &id).await?;
        self.catch_up(&live, &mut state).await?;
        let folded = state.folded.as_ref().ok_or_else(|| not_found(&id))?;
        if folded.is_terminal() {
            return Err(Error::unsupported_operation(format!(
                "the task has ended ({}), so there is nothing to subscribe to; read it with GetTask",
                folded.state().as_str_name()
            )));
        }
        let sequence = folded.sequence;
        let opening = match &state.opening {
            Some((at, opening)) if *at == sequence => opening.clone(),
            _ => {
                let opening = task_event(&folded.task);
                state.opening = Some((sequence, opening.clone()));
                opening
            }
        };
        drop(state);
        let follower = Follower::new(Arc::clone(self), live, following, Some(watch), sequence);
        Ok(stream(follower, opening, Until::End))
    }

    pub(super) async fn cancel(
        self: &Arc<Self>,
        call: CallContext,
        request: CancelTaskRequest,
    ) -> Result<Shared<Task>, Error> {
        let CancelTaskRequest {
            tenant,
            id,
            metadata,
            ..
        } = request;
        let scope = self.scope(&call, tenant).await?;
        check::required("id", &id)?;
        let envelope = Envelope {
            call,
            tenant: Arc::from(scope.tenant()),
            metadata,
            accepted_output_modes: Vec::new(),
        };
        let live = self
            .open(&scope, &id)
            .await?
            .ok_or_else(|| not_found(&id))?;
        // In a task of its own: a caller who leaves must not leave half of it undone.
        let (sender, receiver) = oneshot::channel();
        let core = Arc::clone(self);
        tokio::spawn(async move {
            // A caller who has left is fine.
            let _ = sender.send(core.stop(&live, envelope).await);
            core.settle(live).await;
        });
        receiver
            .await
            .map_err(|_| Error::internal("the engine failed to cancel the task"))?
    }

    async fn stop(&self, live: &LiveRef, envelope: Envelope) -> Result<Shared<Task>, Error> {
        let task = {
            let mut state = live.state.lock().await;
            self.catch_up(live, &mut state).await?;
            let folded = state
                .folded
                .as_ref()
                .ok_or_else(|| not_found(&live.key.task))?;
            if folded.is_terminal() {
                return already(folded);
            }
            folded.task.clone()
        };
        // Not under the lock: the agent may take its time, and the task goes on meanwhile.
        if let Err(error) = self.may_cancel(CancelContext::new(task, envelope)).await {
            return Err(Error::task_not_cancelable(error.message().to_owned()));
        }
        let mut state = live.state.lock().await;
        self.write(live, &mut state, |folded, now| {
            if folded.is_terminal() {
                return Ok::<_, Error>(Vec::new());
            }
            Ok(vec![self.status(
                folded,
                now,
                TaskState::Canceled,
                None,
                None,
                true,
            )])
        })
        .await?;
        if let Some(run) = &state.run {
            run.token.cancel();
        }
        already(
            state
                .folded
                .as_ref()
                .ok_or_else(|| not_found(&live.key.task))?,
        )
    }
}

/// The answer to a cancellation of a task that has ended, by this call or another: canceled is
/// canceled.
fn already(folded: &Folded) -> Result<Shared<Task>, Error> {
    match folded.state() {
        TaskState::Canceled => Ok(Shared::new(folded.task.clone())),
        state => Err(Error::task_not_cancelable(format!(
            "the task has ended already ({})",
            state.as_str_name()
        ))),
    }
}

/// The state that a list is filtered by.
fn state_filter(status: i32) -> Result<Option<i32>, Error> {
    match TaskState::try_from(status) {
        Ok(TaskState::Unspecified) => Ok(None),
        Ok(state) => Ok(Some(state as i32)),
        Err(_) => {
            let known: Vec<&str> = (1..=8)
                .filter_map(|number| Some(TaskState::try_from(number).ok()?.as_str_name()))
                .collect();
            Err(Error::invalid_field(
                "status",
                format!(
                    "{status} is no task state; it must be one of {}",
                    known.join(", ")
                ),
            ))
        }
    }
}

//! Tasks are read, listed, followed and canceled.

use std::cmp::Reverse;
use std::sync::Arc;

use a2a_wire::v1_0::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskState,
};
use tokio::sync::oneshot;

use super::access::{Action, Deed, Reach};
use super::cache::View;
use super::check;
use super::core::{Core, not_found};
use super::fold::Folded;
use super::follow::{Follower, Until, stream, task_event};
use super::live::{Key, LiveRef};
use super::page::{self, Reader};
use crate::agent::{CancelContext, Envelope};
use crate::store::{History, ListPage, ListQuery, Listed, Position, Scope, Select};
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
        check::required("id", &id)?;
        let deed = Deed {
            operation: "GetTask",
            action: Action::Read,
            task: Some(&id),
        };
        let reach = self.reach(call, tenant, deed).await?;
        let history = check::history(history_length, "historyLength")?;
        self.read_in(&reach, &id, history).await
    }

    /// The task with this id that a call may see.
    pub(super) async fn read_in(
        &self,
        reach: &Reach,
        id: &str,
        history: Option<u32>,
    ) -> Result<Shared<Task>, Error> {
        let (scope, head) = self.locate(reach, id).await?;
        self.read_since(scope, id, head.sequence, history).await
    }

    /// A task with the newest `history` messages.
    pub(super) async fn read_task(
        &self,
        scope: &Scope,
        id: &str,
        history: Option<u32>,
    ) -> Result<Shared<Task>, Error> {
        let head = self.store.snapshot(scope, id, Select::HEAD).await?;
        let head = head.ok_or_else(|| not_found(id))?;
        self.read_since(scope.clone(), id, head.sequence, history)
            .await
    }

    /// A task of the store that stands at `sequence`, or further on. Whoever reads it again while it
    /// has not changed gets the same value, with its encodings.
    async fn read_since(
        &self,
        scope: Scope,
        id: &str,
        sequence: u64,
        history: Option<u32>,
    ) -> Result<Shared<Task>, Error> {
        let view = View {
            key: Key {
                scope,
                task: Arc::from(id),
            },
            history,
        };
        if let Some(task) = self.cache.get(&view, sequence) {
            return Ok(task);
        }
        let (sequence, task) = match self.folded_here(&view, sequence) {
            Some(found) => found,
            None => {
                let select = Select {
                    history: history.map_or(History::All, History::Last),
                    artifacts: true,
                };
                let snapshot = self
                    .store
                    .snapshot(&view.key.scope, id, select)
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
        let deed = Deed {
            operation: "ListTasks",
            action: Action::List,
            task: None,
        };
        let reach = self.reach(call, tenant, deed).await?;
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
        let reader = Reader::of(&reach, call);
        if !page_token.is_empty() {
            query.after = Some(page::read_position(&page_token, &query, reader)?);
        }
        let page = self.list_in(reach.scopes(), &query).await?;
        let mut response = ListTasksResponse::default();
        response.page_size = page_size;
        response.total_size = i32::try_from(page.total).unwrap_or(i32::MAX);
        if page.more
            && let Some(last) = page.tasks.last()
        {
            response.next_page_token = page::write_position(&position(last), &query, reader);
        }
        let tasks = page
            .tasks
            .iter()
            .map(|Listed { task, snapshot }| Ok(Folded::load(task, snapshot)?.task));
        response.tasks = tasks.collect::<Result<_, Error>>()?;
        Ok(response)
    }

    /// A page of the tasks of all scopes, sorted together.
    pub(super) async fn list_in(
        &self,
        scopes: &[Scope],
        query: &ListQuery,
    ) -> Result<ListPage, Error> {
        if let [scope] = scopes {
            return Ok(self.store.list(scope, query.clone()).await?);
        }
        let mut all = ListPage::default();
        for scope in scopes {
            let page = self.store.list(scope, query.clone()).await?;
            all.tasks.extend(page.tasks);
            all.more |= page.more;
            all.total += page.total;
        }
        all.tasks
            .sort_by_cached_key(|listed| Reverse(position(listed)));
        all.more |= all.tasks.len() > query.limit;
        all.tasks.truncate(query.limit);
        Ok(all)
    }

    pub(super) async fn subscribe(
        self: &Arc<Self>,
        call: &CallContext,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream<StreamResponse>, Error> {
        self.require("SubscribeToTask")?;
        let SubscribeToTaskRequest { tenant, id, .. } = request;
        check::required("id", &id)?;
        let deed = Deed {
            operation: "SubscribeToTask",
            action: Action::Read,
            task: Some(&id),
        };
        let reach = self.reach(call, tenant, deed).await?;
        let live = self.open_in(&reach, &id).await?;
        let mut state = live.state.lock().await;
        // Before the task is read, so that nothing behind it can be missed.
        let following = live.follow(true);
        let watch = self.store.watch(&live.key.scope, &id).await?;
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
        self.guard_of(&live, &mut state);
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
        check::required("id", &id)?;
        let deed = Deed {
            operation: "CancelTask",
            action: Action::Write,
            task: Some(&id),
        };
        let reach = self.reach(&call, tenant, deed).await?;
        let envelope = Envelope {
            call,
            tenant: Arc::clone(reach.tenant()),
            metadata,
            accepted_output_modes: Vec::new(),
        };
        let live = self.open_in(&reach, &id).await?;
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
        // Before anybody can see it: who does may start another one.
        state.running.rest();
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

/// Where a task is in a list.
fn position(listed: &Listed) -> Position {
    Position {
        status_timestamp: listed.snapshot.index.status_timestamp,
        task: Arc::clone(&listed.task),
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

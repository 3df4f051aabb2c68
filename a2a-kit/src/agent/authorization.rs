//! What an agent gets when it asks its client for an authorization.

use std::fmt;
use std::sync::Arc;

use a2a_wire::v1_0::Message;
use serde_json::Value;

use crate::engine::Grants;

/// What came of [`TaskContext::require_auth`](super::TaskContext::require_auth).
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Granted {
    /// What [`AuthHandle::grant`] was given: a credential, or what stands for it. It is in memory
    /// only, and in no record of the task.
    OutOfBand(Value),
    /// The client has sent a message instead. By itself it authorizes nothing.
    Message(Message),
}

/// Without the value, which may be a credential.
impl fmt::Debug for Granted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBand(_) => f.write_str("OutOfBand(..)"),
            Self::Message(message) => f.debug_tuple("Message").field(message).finish(),
        }
    }
}

/// Grants what an execution asks for with
/// [`TaskContext::require_auth`](super::TaskContext::require_auth). Cheap to clone, and keeps nothing
/// of the task in memory.
#[derive(Clone)]
pub struct AuthHandle {
    task_id: Arc<str>,
    grants: Grants,
}

impl AuthHandle {
    pub(super) fn new(task_id: &str, grants: Grants) -> Self {
        Self {
            task_id: Arc::from(task_id),
            grants,
        }
    }

    /// Id of the task.
    #[must_use]
    pub fn task_id(&self) -> &str {
        &self.task_id
    }

    /// Grants it: the execution goes on with this value. Before it has asked, it finds the grant
    /// when it does.
    ///
    /// False when it no longer waits: it has got a grant or a message already, the task has ended, or
    /// the process has been started anew.
    #[must_use = "false says that nobody waits for this grant"]
    pub fn grant(&self, value: impl Into<Value>) -> bool {
        self.grants.grant(value.into())
    }
}

impl fmt::Debug for AuthHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthHandle")
            .field("task_id", &self.task_id)
            .finish_non_exhaustive()
    }
}

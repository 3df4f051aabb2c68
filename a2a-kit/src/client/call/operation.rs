//! The operations of the service, as the client calls them.
//!
//! Comes in: nothing. Goes out: for each operation its place in the service's table, how long it may
//! take, and what a second call of it could do.

use crate::client::channel::Outgoing;
use crate::client::retry::Safety;
use crate::client::session::Lane;
use crate::error::Error;
use crate::generated::v1_0::A2A_SERVICE;
use crate::service::OperationSpec;

/// How an operation is called.
#[derive(Debug, Clone, Copy)]
pub(in crate::client) struct Operation {
    /// Its place in the table of the service.
    pub(in crate::client) index: usize,
    pub(in crate::client) lane: Lane,
    pub(in crate::client) safety: Safety,
}

impl Operation {
    const fn new(index: usize, lane: Lane, safety: Safety) -> Self {
        Self {
            index,
            lane,
            safety,
        }
    }

    pub(in crate::client) const SEND: Self = Self::new(0, Lane::Send, Safety::Send);
    pub(in crate::client) const STREAM: Self = Self::new(1, Lane::Stream, Safety::Send);
    pub(in crate::client) const GET: Self = Self::new(2, Lane::Read, Safety::Safe);
    pub(in crate::client) const LIST: Self = Self::new(3, Lane::Read, Safety::Safe);
    pub(in crate::client) const CANCEL: Self = Self::new(4, Lane::Read, Safety::Effect);
    pub(in crate::client) const SUBSCRIBE: Self = Self::new(5, Lane::Stream, Safety::Safe);
    pub(in crate::client) const CREATE_PUSH: Self = Self::new(6, Lane::Read, Safety::Effect);
    pub(in crate::client) const GET_PUSH: Self = Self::new(7, Lane::Read, Safety::Safe);
    pub(in crate::client) const LIST_PUSH: Self = Self::new(8, Lane::Read, Safety::Safe);
    pub(in crate::client) const EXTENDED_CARD: Self = Self::new(9, Lane::Read, Safety::Safe);
    /// Deleting twice is the same as once (specification 3.1.10).
    pub(in crate::client) const DELETE_PUSH: Self = Self::new(10, Lane::Read, Safety::Safe);

    pub(super) fn spec(self) -> Result<&'static OperationSpec, Error> {
        A2A_SERVICE
            .operations
            .get(self.index)
            .ok_or_else(|| Error::internal("an operation that the service does not have"))
    }
}

/// A request of the service, to which an interface adds its tenant.
pub(in crate::client) trait Addressed: Outgoing {
    fn set_tenant(&mut self, tenant: &str);
}

macro_rules! addressed {
    ($($request:ident)*) => {$(
        impl Addressed for a2a_wire::v1_0::$request {
            fn set_tenant(&mut self, tenant: &str) {
                tenant.clone_into(&mut self.tenant);
            }
        }
    )*};
}

addressed! {
    SendMessageRequest GetTaskRequest ListTasksRequest CancelTaskRequest SubscribeToTaskRequest TaskPushNotificationConfig
    GetTaskPushNotificationConfigRequest ListTaskPushNotificationConfigsRequest DeleteTaskPushNotificationConfigRequest
    GetExtendedAgentCardRequest
}

//! A gateway: an agent, wherever it is and whatever it speaks, behind every binding in both
//! versions.
//!
//! Comes in: a client of the agent, and the address at which the gateway is reached. Goes out: a
//! [`Server`]. A client is an `A2aService`, so nothing is left to do but to write the cards anew:
//! they name the gateway's interfaces in place of the agent's.

use a2a_kit::client::Client;
use a2a_kit::v1_0::{
    AgentCard, AgentInterface, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use a2a_kit::{A2aService, CallContext, Error, EventStream, Server, Shared};

/// What is served: each binding in each version, best first.
const VERSIONS: [&str; 2] = ["1.0", "0.3"];
const BINDINGS: [&str; 3] = ["JSONRPC", "HTTP+JSON", "GRPC"];

/// A server that hands every call to the client's agent. Callers reach it at `authority`, such as
/// `127.0.0.1:8081`.
///
/// # Errors
/// When the agent's card has faults.
pub fn gateway(upstream: Client, authority: &str) -> Result<Server, Error> {
    let card = own_card(&upstream.card(), authority);
    let gateway = Gateway {
        upstream,
        authority: authority.to_owned(),
    };
    Server::builder(gateway, card).build()
}

/// The agent's card, as it is true of the gateway.
#[must_use]
pub fn own_card(upstream: &AgentCard, authority: &str) -> AgentCard {
    let mut card = upstream.clone();
    card.supported_interfaces = interfaces(authority);
    // They are for the card as it was.
    card.signatures.clear();
    // The gateway asks for no credentials: the agent's are its own affair, and it has its own.
    card.security_schemes.clear();
    card.security_requirements.clear();
    for skill in &mut card.skills {
        skill.security_requirements.clear();
    }
    card
}

fn interfaces(authority: &str) -> Vec<AgentInterface> {
    let of_version = |version: &'static str| {
        BINDINGS.map(|binding| {
            let url = match binding {
                // Clients of gRPC take an authority; with a scheme in front, many cannot connect.
                "GRPC" => authority.to_owned(),
                _ => format!("http://{authority}"),
            };
            AgentInterface::new()
                .with_url(url)
                .with_protocol_binding(binding)
                .with_protocol_version(version)
        })
    };
    VERSIONS.into_iter().flat_map(of_version).collect()
}

/// The client, but for one answer: the extended card names interfaces too. Whoever went by the
/// agent's would call past the gateway from then on.
struct Gateway {
    upstream: Client,
    authority: String,
}

/// Operations that are the client's.
macro_rules! hand_on {
    ($($operation:ident($request:ty) -> $answer:ty;)*) => {$(
        async fn $operation(
            &self,
            context: CallContext,
            request: $request,
        ) -> Result<$answer, Error> {
            A2aService::$operation(&self.upstream, context, request).await
        }
    )*};
}

impl A2aService for Gateway {
    hand_on! {
        send_message(SendMessageRequest) -> Shared<SendMessageResponse>;
        send_streaming_message(SendMessageRequest) -> EventStream<StreamResponse>;
        get_task(GetTaskRequest) -> Shared<Task>;
        list_tasks(ListTasksRequest) -> Shared<ListTasksResponse>;
        cancel_task(CancelTaskRequest) -> Shared<Task>;
        subscribe_to_task(SubscribeToTaskRequest) -> EventStream<StreamResponse>;
        create_task_push_notification_config(TaskPushNotificationConfig)
            -> Shared<TaskPushNotificationConfig>;
        get_task_push_notification_config(GetTaskPushNotificationConfigRequest)
            -> Shared<TaskPushNotificationConfig>;
        list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest)
            -> Shared<ListTaskPushNotificationConfigsResponse>;
        delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest)
            -> Shared<()>;
    }

    async fn get_extended_agent_card(
        &self,
        context: CallContext,
        request: GetExtendedAgentCardRequest,
    ) -> Result<Shared<AgentCard>, Error> {
        let card = self
            .upstream
            .get_extended_agent_card(context, request)
            .await?;
        Ok(Shared::new(own_card(&card, &self.authority)))
    }
}

//! An agent that asks for credentials, with two tenants, and what Alice has there.

use a2a_kit::ServerBuilder;
use a2a_kit::engine::Tenants;
use a2a_kit::store::Scope;
use e2e::guarded::{self, Issuer};
use e2e::{Binding, Served, Setup, card, request, string};
use serde_json::json;

use super::sample::About;
use super::store::Noting;

/// What only Alice has said.
pub(crate) const SECRET: &str = "what-alice-alone-knows";
/// Her webhook.
pub(crate) const CONFIG: &str = "alices-config";

/// The agent, and its store.
pub(crate) struct World {
    pub(crate) served: Served,
    pub(crate) store: Noting,
}

impl World {
    pub(crate) async fn new(issuer: &Issuer) -> Self {
        Self::with(issuer, |server| server).await
    }

    /// With other options of the server.
    pub(crate) async fn with(
        issuer: &Issuer,
        options: impl FnOnce(ServerBuilder) -> ServerBuilder + Send + 'static,
    ) -> Self {
        let mut card = card::full();
        guarded::declare(&mut card);
        let authentication = guarded::authentication(&card, issuer);
        let store = Noting::default();
        let kept = store.clone();
        let served = Setup::new()
            .card(guarded::declare)
            .engine(|engine| {
                engine
                    .store(kept)
                    .tenants(Tenants::declared(["north", "south"]))
            })
            .server(|server| options(server.authentication(authentication)))
            .start()
            .await;
        Self { served, store }
    }

    /// Alice begins a conversation in a tenant, and waits to be asked on; a webhook is told of it.
    pub(crate) async fn alices_task(&self, tenant: &'static str) -> About {
        // Which is at the same place in every agent.
        let client = self.served.client(Binding::Grpc);
        let client = client.header("x-key", "key-of-alice");
        let mut first = request(&format!("ask {SECRET}"));
        first["tenant"] = tenant.into();
        first["configuration"] = json!({"taskPushNotificationConfig": {
            "id": CONFIG, "url": format!("https://{SECRET}.test/"), "token": SECRET}});
        let task = client.send(first).await;
        About {
            tenant,
            task: string(&task, "/id"),
            config: CONFIG,
            context: string(&task, "/contextId"),
        }
    }
}

/// Where the store has what a caller of this id made in a tenant.
pub(crate) fn scope(tenant: &str, caller: &str) -> Scope {
    Scope::new(tenant, caller)
}

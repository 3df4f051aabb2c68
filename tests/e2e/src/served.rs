//! The agent under test behind a server on a free port.

use std::net::SocketAddr;

use a2a_kit::engine::{Engine, EngineBuilder};
use a2a_kit::v1_0::AgentCard;
use a2a_kit::{A2aService, Server, ServerBuilder};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::agent::{Handles, Scripted};
use crate::{Binding, Client, Gates, card};

type Change<T> = Box<dyn FnOnce(T) -> T + Send>;

/// What the agent under test is like. Unless told otherwise: all bindings, all capabilities, an
/// extended card.
pub struct Setup {
    card: AgentCard,
    extended: bool,
    engine: Change<EngineBuilder>,
    server: Change<ServerBuilder>,
}

impl Default for Setup {
    fn default() -> Self {
        Self::new()
    }
}

impl Setup {
    /// An agent with everything.
    #[must_use]
    pub fn new() -> Self {
        Self {
            card: card::full(),
            extended: true,
            engine: Box::new(|builder| builder),
            server: Box::new(|builder| builder),
        }
    }

    /// An agent without a capability.
    #[must_use]
    pub fn bare() -> Self {
        Self {
            card: card::bare(),
            extended: false,
            ..Self::new()
        }
    }

    /// Changes the card.
    #[must_use]
    pub fn card(mut self, change: impl FnOnce(&mut AgentCard)) -> Self {
        change(&mut self.card);
        self
    }

    /// The card may promise an extended card; there is none.
    #[must_use]
    pub fn without_extended_card(mut self) -> Self {
        self.extended = false;
        self
    }

    /// Changes options of the engine.
    #[must_use]
    pub fn engine(
        mut self,
        change: impl FnOnce(EngineBuilder) -> EngineBuilder + Send + 'static,
    ) -> Self {
        self.engine = Box::new(change);
        self
    }

    /// Changes options of the server.
    #[must_use]
    pub fn server(
        mut self,
        change: impl FnOnce(ServerBuilder) -> ServerBuilder + Send + 'static,
    ) -> Self {
        self.server = Box::new(change);
        self
    }

    /// Starts the agent.
    ///
    /// # Panics
    /// When card and options are refused.
    pub async fn start(self) -> Served {
        let (gates, handles) = (Gates::default(), Handles::default());
        let agent = Scripted {
            gates: gates.clone(),
            handles: handles.clone(),
        };
        let mut builder = Engine::builder(agent, self.card.clone());
        if self.extended {
            let mut extended = self.card.clone();
            extended.name = "Scripted, extended".into();
            builder = builder.extended_card(extended);
        }
        let engine = (self.engine)(builder).build().expect("the engine is built");
        let server = (self.server)(Server::builder(engine.clone(), self.card));
        let mut served = Served::start(server, Some(engine), gates).await;
        served.handles = handles;
        served
    }

    /// Starts another service than the engine, with the card and the options of the server.
    ///
    /// # Panics
    /// When card and options are refused.
    pub async fn start_service(self, service: impl A2aService) -> Served {
        let server = (self.server)(Server::builder(service, self.card));
        Served::start(server, None, Gates::default()).await
    }
}

/// An agent that is served. It ends with this value.
#[derive(Debug)]
pub struct Served {
    /// Where it is.
    pub addr: SocketAddr,
    /// Where the agent waits.
    pub gates: Gates,
    /// What the agent has asked to be granted.
    pub handles: Handles,
    engine: Option<Engine>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Served {
    async fn start(server: ServerBuilder, engine: Option<Engine>, gates: Gates) -> Self {
        let server = server.build().expect("the server is built");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = listener.local_addr().expect("the listener has an address");
        let serving = tokio::spawn(async move { server.serve(listener).await });
        Self {
            addr,
            gates,
            handles: Handles::default(),
            engine,
            serving,
        }
    }

    /// A client for a binding, which speaks version 1.0.
    #[must_use]
    pub fn client(&self, binding: Binding) -> Client {
        Client::new(self.addr, binding)
    }

    /// How many tasks the engine works on or is followed at.
    ///
    /// # Panics
    /// When another service is served.
    #[must_use]
    pub fn live_tasks(&self) -> usize {
        self.engine
            .as_ref()
            .expect("an engine is served")
            .live_tasks()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

//! An agent that does what a message says, behind a server on a free port.

use std::net::SocketAddr;
use std::sync::Arc;

use a2a_kit::agent::{
    Agent, AgentError, AgentMessage, Handling, Incoming, MessageContext, Reply, TaskContext,
    artifact,
};
use a2a_kit::client::{Client, ClientBuilder};
use a2a_kit::engine::Engine;
use a2a_kit::v1_0::{AgentCapabilities, AgentCard, AgentInterface, AgentSkill};
use a2a_kit::{Binding, Error, Server};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;

pub(crate) const ALL: [Binding; 3] = [Binding::JsonRpc, Binding::Rest, Binding::Grpc];

/// See [`Agent::execute`].
#[derive(Clone)]
struct Worker {
    gate: Arc<Semaphore>,
}

impl Agent for Worker {
    fn accept(&self, incoming: &Incoming<'_>) -> Result<Handling, Error> {
        match text(incoming).as_str() {
            "hello" => Ok(Handling::message()),
            "nonsense" => Err(Error::invalid_field(
                "message.parts[0].text",
                "makes no sense",
            )),
            _ => Ok(Handling::task()),
        }
    }

    async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
        let text = task.text();
        match text.split_once(' ').unwrap_or((&text, "")) {
            ("ask", question) if task.history().is_empty() => Ok(Reply::input_required(question)),
            ("chunks", words) => {
                let mut writer = task.write_artifact("chunks");
                for word in words.split(' ') {
                    writer.push(word).await?;
                }
                writer.finish(".").await?;
                Ok(Reply::completed())
            }
            ("wait", words) => {
                task.working("waiting").await?;
                tokio::select! {
                    passed = self.gate.acquire() => passed.map_err(|_| AgentError::new("there is no gate"))?.forget(),
                    () = task.cancellation().cancelled() => return Err(AgentError::new("canceled")),
                }
                Ok(Reply::completed().with_artifact(artifact("waited", words)))
            }
            ("reject", reason) => Ok(Reply::rejected(reason)),
            _ => Ok(Reply::completed().with_artifact(artifact("echo", text))),
        }
    }

    async fn answer(&self, message: MessageContext) -> Result<AgentMessage, AgentError> {
        Ok(format!("{} to you", message.text()).into())
    }
}

fn text(incoming: &Incoming<'_>) -> String {
    incoming
        .message
        .parts
        .iter()
        .filter_map(|part| part.as_text())
        .collect()
}

/// A card with all bindings and capabilities.
pub(crate) fn card(address: SocketAddr) -> AgentCard {
    let interface = |binding: Binding| {
        let url = match binding {
            Binding::Grpc => address.to_string(),
            _ => format!("http://{address}/"),
        };
        AgentInterface::new()
            .with_url(url)
            .with_protocol_binding(binding.card_name())
            .with_protocol_version("1.0")
    };
    AgentCard::new()
        .with_name("Worker")
        .with_description("Does what it is told.")
        .with_version("1.0.0")
        .with_capabilities(
            AgentCapabilities::new()
                .with_streaming(true)
                .with_push_notifications(true)
                .with_extended_agent_card(true),
        )
        .with_default_input_modes(["text/plain".to_owned()])
        .with_default_output_modes(["text/plain".to_owned()])
        .with_skills([AgentSkill::new()
            .with_id("work")
            .with_name("Work")
            .with_description("Works.")
            .with_tags(["work".to_owned()])])
        .with_supported_interfaces(ALL.map(interface))
}

/// An agent that is served. It ends with this value.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    gate: Arc<Semaphore>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Served {
    pub(crate) async fn start() -> Self {
        Self::with_card(|_| {}).await
    }

    /// With another card; the extended one has the same changes, and another name.
    pub(crate) async fn with_card(change: impl FnOnce(&mut AgentCard)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut card = card(address);
        change(&mut card);
        let extended = card.clone().with_name("Worker, extended");
        let worker = Worker {
            gate: Arc::new(Semaphore::new(0)),
        };
        let gate = Arc::clone(&worker.gate);
        let mut engine = Engine::builder(worker, card.clone());
        if card
            .capabilities
            .as_ref()
            .is_some_and(|capabilities| capabilities.extended_agent_card == Some(true))
        {
            engine = engine.extended_card(extended);
        }
        Self::serve(
            Server::builder(engine.build().unwrap(), card)
                .build()
                .unwrap(),
            listener,
            gate,
        )
    }

    /// A client of an agent as an agent of its own.
    pub(crate) async fn gateway(client: Client) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let card = card(listener.local_addr().unwrap());
        let gate = Arc::new(Semaphore::new(0));
        Self::serve(
            Server::builder(client, card).build().unwrap(),
            listener,
            gate,
        )
    }

    fn serve(server: Server, listener: TcpListener, gate: Arc<Semaphore>) -> Self {
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let until = async {
            let _ = stopped.await;
        };
        let serving =
            tokio::spawn(async move { server.serve_with_shutdown(listener, until).await });
        Self {
            address,
            gate,
            stop: Some(stop),
            serving,
        }
    }

    /// Lets a task that waits go on.
    pub(crate) fn go_on(&self) {
        self.gate.add_permits(1);
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) async fn client(&self) -> Client {
        self.connect(Client::builder()).await
    }

    /// A client that speaks one binding alone.
    pub(crate) async fn by(&self, binding: Binding) -> Client {
        self.connect(Client::builder().bindings([binding])).await
    }

    pub(crate) async fn connect(&self, builder: ClientBuilder) -> Client {
        builder.connect(self.url()).await.unwrap()
    }

    /// Ends the server; its port then refuses connections.
    pub(crate) async fn stop(mut self) -> SocketAddr {
        self.stop.take().unwrap().send(()).unwrap();
        (&mut self.serving).await.unwrap().unwrap();
        self.address
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

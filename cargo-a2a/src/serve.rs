//! `cargo a2a serve`: an agent to try things with.
//!
//! Comes in: where to listen, which bindings and versions. Goes out: an agent that goes through every
//! state when it is told to, until Ctrl-C.

mod echo;

use a2a_kit::engine::Engine;
use a2a_kit::v1_0::{AgentCapabilities, AgentCard, AgentInterface, AgentSkill};
use a2a_kit::{Binding, Error, ProtocolVersion, Server};
use tokio::net::TcpListener;

use crate::call::interrupted;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use echo::Echo;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
It says what it is told. Some first words mean more:
  input [QUESTION]  asks, and says the answer
  auth              asks for authentication; the next message grants it
  fail, reject      ends as failed, or rejected
  slow SECONDS      works as long as that
  stream NUMBER     writes an artifact in so many pieces
  file, data        hands over a file, or JSON
  message           answers with a message, without a task

The first line on standard output is the agent's address.

  cargo a2a serve --listen 127.0.0.1:0")]
pub(crate) struct Serve {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: String,
    /// How clients reach it, when that is another address: host:port
    #[arg(long, value_name = "ADDRESS")]
    public: Option<String>,
    /// Serve these bindings: jsonrpc, rest, grpc
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = crate::agent::binding, default_value = "jsonrpc,rest,grpc")]
    bindings: Vec<Binding>,
    /// Serve these versions: 1.0, 0.3
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "1.0,0.3"
    )]
    versions: Vec<ProtocolVersion>,
}

impl Serve {
    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let (listener, authority) = listen(&self.listen, self.public.as_deref()).await?;
        let interfaces = interfaces(&authority, &self.bindings, &self.versions);
        let server = server(card(interfaces))?;
        console.line(&format!("http://{authority}"))?;
        console.note(&format!(
            "card http://{authority}/.well-known/agent-card.json\ntry  cargo a2a send http://{authority} hello"
        ))?;
        server.serve_with_shutdown(listener, interrupted()).await?;
        Ok(Exit::Done)
    }
}

/// Listens, and says how callers get there.
pub(crate) async fn listen(
    address: &str,
    public: Option<&str>,
) -> Result<(TcpListener, String), Failure> {
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| Failure::tool(format!("cannot listen on {address}: {error}")))?;
    let authority = match public {
        Some(public) => public.to_owned(),
        None => listener.local_addr()?.to_string(),
    };
    Ok((listener, authority))
}

/// Each binding in each version, in the order in which they are given.
pub(crate) fn interfaces(
    authority: &str,
    bindings: &[Binding],
    versions: &[ProtocolVersion],
) -> Vec<AgentInterface> {
    let of_version = |version: &ProtocolVersion| {
        let version = version.to_string();
        bindings.iter().map(move |binding| {
            let url = match binding {
                // Clients of gRPC take an authority; with a scheme in front, many cannot connect.
                Binding::Grpc => authority.to_owned(),
                _ => format!("http://{authority}"),
            };
            AgentInterface::new()
                .with_url(url)
                .with_protocol_binding(binding.card_name())
                .with_protocol_version(version.clone())
        })
    };
    versions.iter().flat_map(of_version).collect()
}

fn card(interfaces: Vec<AgentInterface>) -> AgentCard {
    let any = "application/octet-stream";
    let modes = ["text/plain", "application/json", any];
    let skill = AgentSkill::new()
        .with_id("echo")
        .with_name("Echo")
        .with_description("Says what it is told, and goes through the states of a task when its first word names one.")
        .with_tags(["test"])
        .with_examples(["hello", "input For which region?", "stream 20"]);
    AgentCard::new()
        .with_name("Echo")
        .with_description("An agent to try clients with.")
        .with_version(env!("CARGO_PKG_VERSION"))
        .with_supported_interfaces(interfaces)
        .with_capabilities(
            AgentCapabilities::new()
                .with_streaming(true)
                .with_push_notifications(true)
                .with_extended_agent_card(true),
        )
        .with_default_input_modes(modes)
        .with_default_output_modes(modes)
        .with_skills([skill])
}

fn server(card: AgentCard) -> Result<Server, Error> {
    let extended = card
        .clone()
        .with_description("An agent to try clients with, as those see it who ask for more.");
    let engine = Engine::builder(Echo, card.clone())
        .extended_card(extended)
        // Whatever it is told, it says.
        .check_media_types(false)
        .build()?;
    Server::builder(engine, card).build()
}

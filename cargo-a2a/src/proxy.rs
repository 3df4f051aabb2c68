//! `cargo a2a proxy`: an agent behind every binding, in both versions.
//!
//! Comes in: where the agent is and how to reach it. Goes out: a server that hands every call to it,
//! and a line for each call, until Ctrl-C.

mod service;

use std::collections::BTreeMap;
use std::sync::Arc;

use a2a_kit::v1_0::{AgentCard, AgentInterface};
use a2a_kit::{Binding, ProtocolVersion, Server};
use tokio::sync::mpsc;

use crate::agent::Connection;
use crate::call::interrupted;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::serve::{interfaces, listen};
use crate::text;
use service::Proxy as Service;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
An agent of 0.3 is served as 1.0 too, one of gRPC over JSON-RPC, and so on. The proxy asks its own \
callers for no credentials; those that are given here are shown to the agent.

The first line on standard output is the proxy's address, each further one a call.

  cargo a2a proxy --upstream https://old-agent.example.com --listen 127.0.0.1:8081")]
pub(crate) struct Proxy {
    /// The agent's address, or that of its card
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8081")]
    listen: String,
    /// How clients reach it, when that is another address: host:port
    #[arg(long, value_name = "ADDRESS")]
    public: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

/// How many lines may wait to be printed; more are counted and left out.
const WAITING: usize = 1024;

impl Proxy {
    pub(crate) async fn run(&self, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let upstream = self.connection.connect(&self.upstream).await?;
        let (listener, authority) = listen(&self.listen, self.public.as_deref()).await?;
        let interfaces = interfaces(
            &authority,
            &[Binding::JsonRpc, Binding::Rest, Binding::Grpc],
            &[ProtocolVersion::V1_0, ProtocolVersion::V0_3],
        );
        let name = text::bounded_line(&upstream.card().name, 200);
        let interface = upstream.interface();
        let card = own_card(&upstream.card(), &interfaces);
        let (log, mut calls) = mpsc::channel(WAITING);
        let service = Service {
            upstream,
            interfaces: Arc::from(interfaces),
            log,
        };
        let server = Server::builder(service, card).build()?;
        console.line(&format!("http://{authority}"))?;
        console.note(&format!(
            "hands calls to {name}: {} {} at {}",
            text::bounded_line(&interface.protocol_binding, 50),
            text::bounded_line(&interface.protocol_version, 20),
            text::bounded_line(&interface.url, 500),
        ))?;
        let mut served = std::pin::pin!(server.serve_with_shutdown(listener, interrupted()));
        loop {
            tokio::select! {
                ended = &mut served => {
                    ended?;
                    return Ok(Exit::Done);
                }
                Some(line) = calls.recv() => console.line(&line)?,
            }
        }
    }
}

/// The agent's card, as it is true of the proxy.
fn own_card(upstream: &AgentCard, interfaces: &[AgentInterface]) -> AgentCard {
    let mut card = upstream.clone();
    card.supported_interfaces = interfaces.to_vec();
    // They are for the card as it was.
    card.signatures.clear();
    // The proxy asks for no credentials: the agent's are its own affair.
    card.security_schemes = BTreeMap::new();
    card.security_requirements.clear();
    for skill in &mut card.skills {
        skill.security_requirements.clear();
    }
    card
}

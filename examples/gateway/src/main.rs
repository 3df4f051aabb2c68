//! The gateway as a program.

use std::error::Error;

use a2a_kit::Binding;
use a2a_kit::client::{Client, Credentials};
use clap::Parser;
use tokio::net::TcpListener;

/// Serves an agent of A2A 1.0 or 0.3 as both, on all bindings.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The agent's address, or that of its card
    upstream: String,
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:8081")]
    listen: String,
    /// How clients reach it, when that is another address: host:port
    #[arg(long)]
    public: Option<String>,
    /// Call the agent over this binding and no other: JSONRPC, HTTP+JSON or GRPC
    #[arg(long, value_parser = binding)]
    binding: Option<Binding>,
    /// An environment variable with a bearer token for the agent
    #[arg(long, value_name = "NAME")]
    bearer_env: Option<String>,
}

fn binding(name: &str) -> Result<Binding, String> {
    Binding::from_card_name(name)
        .ok_or_else(|| "write it as cards do: JSONRPC, HTTP+JSON or GRPC".to_owned())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments = Arguments::parse();
    let mut client = Client::builder();
    if let Some(binding) = arguments.binding {
        client = client.bindings([binding]);
    }
    if let Some(name) = &arguments.bearer_env {
        let token = std::env::var(name).map_err(|error| format!("{name}: {error}"))?;
        client = client.credentials(Credentials::bearer(token));
    }
    let upstream = client.connect(&arguments.upstream).await?;

    let listen = &arguments.listen;
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|error| format!("cannot listen on {listen}: {error}"))?;
    let authority = match arguments.public {
        Some(authority) => authority,
        None => listener.local_addr()?.to_string(),
    };
    let interface = upstream.interface();
    println!(
        "agent {} over {} {}",
        upstream.card().name,
        interface.protocol_binding,
        interface.protocol_version
    );
    let server = gateway::gateway(upstream, &authority)?;
    println!("card  http://{authority}/.well-known/agent-card.json");
    server
        .serve_with_shutdown(listener, async {
            // Without a handler for it, Ctrl-C ends the program just the same.
            let _ = tokio::signal::ctrl_c().await;
        })
        .await?;
    Ok(())
}

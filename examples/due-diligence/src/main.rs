//! An agent that checks suppliers, and a demonstration of it.

use std::error::Error;

use a2a_kit::Server;
use a2a_kit::engine::Engine;
use a2a_kit::v1_0::AgentCard;
use clap::{Parser, Subcommand};
use tokio::net::TcpListener;

mod agent;
mod check;
mod demo;

/// Checks suppliers: an A2A agent without a model.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:8080")]
    addr: String,
    /// How clients reach it, when that is another address: host:port
    #[arg(long)]
    public: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Plays a conversation with itself and prints its trace
    Demo,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::Demo) => demo::run().await,
        None => serve(&arguments.addr, arguments.public).await,
    }
}

async fn serve(addr: &str, public: Option<String>) -> Result<(), Box<dyn Error + Send + Sync>> {
    let listener = TcpListener::bind(addr)
        .await
        .map_err(|error| format!("cannot listen on {addr}: {error}"))?;
    let authority = match public {
        Some(authority) => authority,
        None => listener.local_addr()?.to_string(),
    };
    let server = server(agent::card(&authority))?;
    println!("card  http://{authority}/.well-known/agent-card.json");
    println!(
        r#"try   curl -s http://{authority}/message:send -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' -d '{{"message":{{"messageId":"m-1","role":"ROLE_USER","parts":[{{"text":"Check Star River Tech"}}]}}}}'"#
    );
    server
        .serve_with_shutdown(listener, async {
            // Without a handler for it, Ctrl-C ends the program just the same.
            let _ = tokio::signal::ctrl_c().await;
        })
        .await?;
    Ok(())
}

/// The agent behind its three bindings.
fn server(card: AgentCard) -> Result<Server, a2a_kit::Error> {
    let engine = Engine::builder(agent::DueDiligence, card.clone()).build()?;
    Server::builder(engine, card).build()
}

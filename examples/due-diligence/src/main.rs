//! An agent that checks suppliers, and a demonstration of it.

use std::error::Error;

use clap::{Parser, Subcommand};
use tokio::net::TcpListener;

use crate::agent::DueDiligence;

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
    let mut agent = DueDiligence.into_agent();
    let authority = match public {
        Some(authority) => {
            agent = agent.public_url(format!("http://{authority}"));
            authority
        }
        None => listener.local_addr()?.to_string(),
    };
    println!("card  http://{authority}/.well-known/agent-card.json");
    println!(
        r#"try   curl -s http://{authority}/message:send -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' -d '{{"message":{{"messageId":"m-1","role":"ROLE_USER","parts":[{{"text":"Check Star River Tech"}}]}}}}'"#
    );
    Ok(agent.serve_on(listener).await?)
}

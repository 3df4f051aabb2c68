//! An agent that plans trips: typed data, files, streams, callers, tenants, an extended card.

use std::error::Error;

use clap::Parser;
use tokio::net::TcpListener;

mod agent;
mod ledger;

/// Plans trips: an A2A agent with an API key, `demo-key` in the header `X-API-Key`.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:8080")]
    addr: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let Arguments { addr } = Arguments::parse();
    let listener = TcpListener::bind(&addr)
        .await
        .map_err(|error| format!("cannot listen on {addr}: {error}"))?;
    println!(
        "card  http://{}/.well-known/agent-card.json",
        listener.local_addr()?
    );
    println!("key   X-API-Key: {}", agent::DEMO_KEY);
    Ok(agent::app().serve_on(listener).await?)
}

//! An agent that asks for credentials, in a process of its own, for clients that nobody here wrote.
//!
//! Comes in: nothing. Goes out: lines of two words and a value: where the card is, and credentials
//! that hold and that do not. It ends when it is told to.

use a2a_kit::Server;
use a2a_kit::engine::Engine;
use e2e::agent::Scripted;
use e2e::card;
use e2e::guarded::{self, Issuer};
use tokio::net::TcpListener;

/// How long tokens hold, in seconds.
const LONG: i64 = 3600;

#[tokio::main]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("the listener has an address");
    let mut card = card::full();
    guarded::declare(&mut card);
    for interface in &mut card.supported_interfaces {
        interface.url = format!("http://{address}/");
    }
    let issuer = Issuer::new();
    let authentication = guarded::authentication(&card, &issuer);
    let mut extended = card.clone();
    extended.name = "Scripted, extended".into();
    let engine = Engine::builder(Scripted::default(), card.clone())
        .extended_card(extended)
        .build()
        .expect("the engine is built");
    let server = Server::builder(engine, card)
        .authentication(authentication)
        .build()
        .expect("the server is built");
    let token = |subject: &str, scope: &str, seconds: i64| {
        let header = issuer.token(subject, scope, seconds);
        header.trim_start_matches("Bearer ").to_owned()
    };
    for (holder, what, value) in [
        ("alice", "key", "key-of-alice".to_owned()),
        ("bob", "key", "key-of-bob".to_owned()),
        ("weak", "key", "weak".to_owned()),
        ("wrong", "key", "wrong".to_owned()),
        ("alice", "token", token("alice", "call", LONG)),
        ("bob", "token", token("bob", "call", LONG)),
        ("weak", "token", token("alice", "read", LONG)),
        ("wrong", "token", Issuer::new().token("alice", "call", LONG)),
        ("expired", "token", token("alice", "call", -LONG)),
    ] {
        let value = value.trim_start_matches("Bearer ");
        println!("{what} {holder} {value}");
    }
    println!("card  http://{address}/.well-known/agent-card.json");
    server.serve(listener).await.expect("it is served");
}

//! `due-diligence demo`: the agent and a client in one process, over a real socket.
//!
//! The client here is as plain as can be: JSON-RPC by hand, so that what travels can be seen.

use std::error::Error;
use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::agent::{SKILL, card};

type BoxError = Box<dyn Error + Send + Sync>;

/// Plays the conversation and prints its trace.
pub(crate) async fn run() -> Result<(), BoxError> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = crate::server(card(&address.to_string()))?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        // The sender is dropped at the end of the conversation.
        let end = async { drop(stopped.await) };
        server.serve_with_shutdown(listener, end).await
    });
    let played = play(&Peer::new(address)).await;
    drop(stop);
    serving.await??;
    for line in played? {
        println!("{line}");
    }
    Ok(())
}

async fn play(peer: &Peer) -> Result<Vec<String>, BoxError> {
    let card = peer.get("/.well-known/agent-card.json").await?;
    let skill = text(&card, "/skills/0/id")?;
    let interface = card
        .pointer("/supportedInterfaces/0")
        .ok_or("the card has no interface")?;
    let mut trace = vec![
        format!("发现: {} / {skill}", text(&card, "/name")?),
        format!(
            "协商: {} A2A {}",
            text(interface, "/protocolBinding")?,
            text(interface, "/protocolVersion")?
        ),
    ];
    if skill != SKILL {
        return Err(format!("the card lists the skill {skill}, not {SKILL}").into());
    }

    let first = peer
        .send(
            json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "请尽调星河科技"}]}),
        )
        .await?;
    trace.push(format!("第一轮: {}", text(&first, "/task/status/state")?));

    let second = peer
        .send(json!({
            "messageId": "m-2",
            "taskId": text(&first, "/task/id")?,
            "contextId": text(&first, "/task/contextId")?,
            "role": "ROLE_USER",
            "parts": [{"text": "地区：中国"}],
        }))
        .await?;
    trace.push(format!("第二轮: {}", text(&second, "/task/status/state")?));
    trace.extend(
        text(&second, "/task/artifacts/0/parts/0/text")?
            .lines()
            .map(str::to_owned),
    );
    Ok(trace)
}

/// An agent that is called by hand.
struct Peer {
    http: Client<HttpConnector, Full<Bytes>>,
    base: String,
}

impl Peer {
    fn new(address: SocketAddr) -> Self {
        Self {
            http: Client::builder(TokioExecutor::new()).build_http(),
            base: format!("http://{address}"),
        }
    }

    async fn get(&self, path: &str) -> Result<Value, BoxError> {
        let request = http::Request::get(format!("{}{path}", self.base)).body(Full::default())?;
        self.answer(request).await
    }

    async fn send(&self, message: Value) -> Result<Value, BoxError> {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}});
        let request = http::Request::post(format!("{}/", self.base))
            .header("content-type", "application/json")
            .header("a2a-version", "1.0")
            .body(Full::from(call.to_string()))?;
        let mut answer = self.answer(request).await?;
        match answer.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(format!("the agent answered with an error: {answer}").into()),
        }
    }

    async fn answer(&self, request: http::Request<Full<Bytes>>) -> Result<Value, BoxError> {
        let response = self.http.request(request).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        serde_json::from_slice(&body)
            .map_err(|error| format!("HTTP {status}, and the body is no JSON: {error}").into())
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> Result<&'a str, BoxError> {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.ok_or_else(|| format!("there is no text at {pointer} in {value}").into())
}

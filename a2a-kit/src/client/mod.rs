//! Calls services that live somewhere else.
//!
//! Comes in: a typed request and its context. Goes out: a typed answer or stream, through one of
//! the channels, one for each binding, over any [`Transport`].
//!
//! [`Client`] finds its own way from the card of an agent. Here it calls an agent in the same
//! program:
//!
//! ```
//! use a2a_kit::agent::{Agent, AgentError, Reply, TaskContext, artifact};
//! use a2a_kit::client::{Client, Update};
//! use a2a_kit::engine::Engine;
//! use a2a_kit::v1_0::{AgentCapabilities, AgentCard, AgentInterface, AgentSkill, TaskState};
//! use a2a_kit::{Error, Server};
//! use futures_util::{StreamExt as _, TryStreamExt as _};
//! use tokio::net::TcpListener;
//!
//! struct Checker;
//!
//! impl Agent for Checker {
//!     async fn execute(&self, task: TaskContext) -> Result<Reply, AgentError> {
//!         match task.text().as_str() {
//!             "Check" => Ok(Reply::input_required("Whom?")),
//!             name => Ok(Reply::completed().with_artifact(artifact("report", format!("{name}: fine")))),
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let listener = TcpListener::bind("127.0.0.1:0").await?;
//! let url = format!("http://{}", listener.local_addr()?);
//! let interface = AgentInterface::new()
//!     .with_url(&url)
//!     .with_protocol_binding("JSONRPC")
//!     .with_protocol_version("1.0");
//! let card = AgentCard::new()
//!     .with_name("Checker")
//!     .with_description("Checks suppliers.")
//!     .with_version("0.1.0")
//!     .with_capabilities(AgentCapabilities::new().with_streaming(true))
//!     .with_default_input_modes(["text/plain"])
//!     .with_default_output_modes(["text/plain"])
//!     .with_skills([AgentSkill::new()
//!         .with_id("check")
//!         .with_name("Check")
//!         .with_description("Checks a supplier.")
//!         .with_tags(["risk"])])
//!     .with_supported_interfaces([interface]);
//! let engine = Engine::builder(Checker, card.clone()).build()?;
//! let server = Server::builder(engine, card).build()?;
//! tokio::spawn(async move { server.serve(listener).await });
//!
//! // The card is read, and its interface chosen.
//! let client = Client::connect(&url).await?;
//!
//! // A question, and the answer on the same task.
//! let asked = client.message("Check").send().await?.into_task()?;
//! assert_eq!(asked.state(), TaskState::InputRequired);
//! let done = client.message("Star River Tech").in_task(&asked.id).send().await?;
//! assert_eq!(done.text(), "Star River Tech: fine");
//!
//! // What happens, as it happens. The stream survives cuts of the connection.
//! let mut updates = client.message("Moon Lake").stream().await?;
//! let mut report = None;
//! while let Some(update) = updates.next().await {
//!     if let Update::Artifact(piece) = update? {
//!         report = piece.artifact;
//!     }
//! }
//! assert_eq!(report.map(|report| report.name).as_deref(), Some("report"));
//!
//! // One page of tasks, or all of them, page by page.
//! let page = client.list_tasks().page_size(1).await?;
//! assert_eq!((page.tasks.len(), page.total_size), (1, 2));
//! let all: Vec<_> = client.list_tasks().status(TaskState::Completed).all().try_collect().await?;
//! assert_eq!(all.len(), 2);
//!
//! // Errors have names on every binding.
//! let waiting = client.message("Check").send().await?.into_task()?;
//! assert_eq!(client.cancel(&waiting.id).await?.state(), TaskState::Canceled);
//! let refused: Error = client.cancel(&asked.id).await.unwrap_err();
//! assert!(refused.is_task_not_cancelable());
//! # Ok(())
//! # }
//! ```

mod channel;
mod query;

#[cfg(feature = "client")]
mod address;
#[cfg(feature = "client")]
mod builder;
#[cfg(feature = "client")]
mod call;
#[cfg(feature = "client")]
mod card;
#[cfg(feature = "client")]
mod challenge;
#[cfg(feature = "client")]
mod credentials;
#[cfg(feature = "client")]
mod errors;
#[cfg(feature = "client")]
mod events;
#[cfg(feature = "client")]
mod gateway;
#[cfg(all(feature = "client", feature = "grpc"))]
mod grpc;
#[cfg(feature = "client")]
mod headers;
#[cfg(feature = "client")]
mod jsonrpc;
#[cfg(feature = "client")]
mod line;
#[cfg(feature = "client")]
mod location;
#[cfg(feature = "client")]
mod messages;
#[cfg(all(feature = "client", feature = "oauth2"))]
mod oauth;
#[cfg(feature = "client")]
mod operations;
#[cfg(feature = "client")]
mod rest;
#[cfg(feature = "client")]
mod retry;
#[cfg(feature = "client")]
mod scheme;
#[cfg(all(test, feature = "client"))]
mod script;
#[cfg(all(test, feature = "client", feature = "server"))]
pub(crate) mod scripted;
#[cfg(feature = "client")]
mod select;
#[cfg(feature = "client")]
mod served;
#[cfg(feature = "client")]
mod session;
#[cfg(all(feature = "client", not(target_family = "wasm")))]
mod socket;
#[cfg(feature = "client")]
mod sse;
#[cfg(feature = "client")]
mod stream;
#[cfg(feature = "client")]
mod token;
#[cfg(feature = "client")]
mod transport;

#[cfg(all(feature = "client", feature = "contracts"))]
pub use crate::contract::result::{check_message, check_task};
#[cfg(feature = "client")]
pub use crate::contract::{REASON_KEY, SKILL_KEY, SKILL_SCHEMAS_URI, failure_reason};
#[cfg(feature = "client")]
pub use builder::ClientBuilder;
#[cfg(feature = "client")]
pub use call::Client;
#[cfg(feature = "jwt")]
pub(crate) use card::lifetime;
pub(crate) use channel::invalid_answer;
pub use channel::{Answer, AnswerStream, Channel, Outgoing, Payload, call_stream, call_unary};
#[cfg(feature = "client")]
pub use credentials::{Credentials, Interceptor};
#[cfg(all(feature = "client", feature = "grpc"))]
pub use grpc::GrpcChannel;
#[cfg(feature = "client")]
pub use jsonrpc::JsonRpcChannel;
#[cfg(feature = "client")]
pub use messages::Outcome;
#[cfg(all(feature = "client", feature = "oauth2"))]
pub use oauth::OAuthClient;
#[cfg(feature = "client")]
pub use operations::{Call, Items};
pub use query::QueryWriter;
#[cfg(feature = "client")]
pub use rest::RestChannel;
#[cfg(feature = "client")]
pub use retry::Retry;
#[cfg(feature = "client")]
pub use scheme::SchemeCredentials;
#[cfg(all(feature = "client", not(target_family = "wasm")))]
pub use socket::{HttpTransport, HttpTransportBuilder};
#[cfg(feature = "client")]
pub use sse::{SseEvent, SseParser, SseTooLarge};
#[cfg(feature = "client")]
pub use stream::{Reconnect, Update, Updates};
#[cfg(feature = "client")]
pub use token::{Token, TokenRequest, TokenSource};
#[cfg(feature = "client")]
pub use transport::{CallOptions, ChannelOptions, Transport, TransportError, TransportErrorKind};

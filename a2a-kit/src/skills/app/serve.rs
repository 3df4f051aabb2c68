//! From an agent with its options to a port that is served.

use std::fmt::Display;
use std::future::Future;
use std::net::SocketAddr;

use a2a_wire::v1_0::AgentCard;
use tokio::net::TcpListener;

use super::checks::{self, Given};
use super::environment::{self, ADDR, PUBLIC_URL};
use super::interfaces::{self, PublicUrl};
use super::{AgentApp, assemble};
use crate::auth::Authentication;
use crate::skills::Skills;
use crate::{Code, Error, Server};

const DEFAULT_ADDR: &str = "127.0.0.1:8080";

impl<A: Skills> AgentApp<A> {
    /// The public card, with interfaces as far as the agent's URL is known beforehand.
    ///
    /// # Errors
    /// When the public URL is none.
    pub fn card(&self) -> Result<AgentCard, Error> {
        let url = self.known_url()?;
        let description = A::description();
        let interfaces = interfaces::interfaces(&description, url.as_ref());
        let mut card = assemble(description, &A::skills(), false);
        card.supported_interfaces = interfaces;
        if self.extended.is_some() {
            let capabilities = card.capabilities.get_or_insert_default();
            capabilities.extended_agent_card = Some(true);
        }
        Ok(card)
    }

    /// The agent behind its bindings. It needs a public URL, from [`AgentApp::public_url`] or the
    /// environment, since it is not known where it will listen.
    ///
    /// Tasks that an earlier process has left in the store are looked after from now on; see
    /// [`Engine::recover`](crate::engine::Engine::recover).
    ///
    /// # Errors
    /// All that does not fit together, each with what to write; what is wrong with the store.
    pub async fn build(self) -> Result<Server, Error> {
        self.build_at(None).await
    }

    /// As [`AgentApp::build`], as a router to be merged, nested and layered.
    ///
    /// # Errors
    /// As [`AgentApp::build`].
    pub async fn router(self) -> Result<axum::Router, Error> {
        Ok(self.build().await?.router())
    }

    /// Serves the agent at this address until the process is asked to stop (Ctrl-C, SIGTERM); then
    /// open calls may end. Says in the log where it is.
    ///
    /// # Errors
    /// As [`AgentApp::build`], and when it cannot listen there.
    pub async fn serve(self, addr: impl Display) -> Result<(), Error> {
        let listener = listen(&addr.to_string()).await?;
        self.serve_on(listener).await
    }

    /// As [`AgentApp::serve`], at the address that `A2A_ADDR` says, else at `127.0.0.1:8080`.
    ///
    /// # Errors
    /// As [`AgentApp::serve`].
    pub async fn serve_from_env(self) -> Result<(), Error> {
        let addr = self.environment.get(ADDR);
        let addr = addr.unwrap_or_else(|| DEFAULT_ADDR.to_owned());
        self.serve(addr).await
    }

    /// As [`AgentApp::serve`], with a listener that is bound already: tests bind port 0.
    ///
    /// # Errors
    /// As [`AgentApp::build`].
    pub async fn serve_on(self, listener: TcpListener) -> Result<(), Error> {
        self.serve_until(listener, asked_to_stop()).await
    }

    /// As [`AgentApp::serve_on`], until `shutdown` is ready.
    ///
    /// # Errors
    /// As [`AgentApp::build`].
    pub async fn serve_until(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), Error> {
        let addr = listener.local_addr().map_err(io)?;
        let server = self.build_at(Some(addr)).await?;
        server
            .serve_with_shutdown(listener, shutdown)
            .await
            .map_err(io)
    }

    /// The URL that builder or environment say.
    fn known_url(&self) -> Result<Option<PublicUrl>, Error> {
        let (origin, text) = match (&self.public_url, self.environment.get(PUBLIC_URL)) {
            (Some(text), _) => ("public_url", text.clone()),
            (None, Some(text)) => (PUBLIC_URL, text),
            (None, None) => return Ok(None),
        };
        match PublicUrl::parse(&text) {
            Ok(url) => Ok(Some(url)),
            Err(why) => Err(Error::invalid_field(origin, why)),
        }
    }

    /// Builds the agent for a listener, if there is one.
    async fn build_at(mut self, listener: Option<SocketAddr>) -> Result<Server, Error> {
        let description = A::description();
        let url = match (self.known_url()?, listener) {
            (Some(url), _) => Some(url),
            (None, _) if !description.interfaces.is_empty() => None,
            (None, Some(addr)) => {
                Some(PublicUrl::at(addr).map_err(|why| Error::invalid_field("public_url", why))?)
            }
            (None, None) => {
                return Err(Error::invalid_field(
                    "public_url",
                    "is not known, and the card must say where the agent is: write .public_url(\"https://agent.example.com\"), or A2A_PUBLIC_URL=https://agent.example.com",
                ));
            }
        };
        let interfaces = interfaces::interfaces(&description, url.as_ref());
        if self.store.is_none() {
            self.store = environment::store(&self.environment, &self.backends).await?;
        }
        let authenticators = std::mem::take(&mut self.authenticators);
        let server_changes = std::mem::take(&mut self.server);
        let skills = A::skills();
        let faults = checks::faults(
            &description,
            &assemble(description.clone(), &skills, true),
            &Given {
                schemes: authenticators
                    .iter()
                    .map(|(name, _)| name.as_deref())
                    .collect(),
                extended: self.extended.is_some() || skills.iter().any(|skill| skill.is_extended),
            },
        );
        if !faults.is_empty() {
            return Err(Error::invalid(faults));
        }
        let engine = self.into_engine(|mut card| {
            if card.supported_interfaces.is_empty() {
                card.supported_interfaces.clone_from(&interfaces);
            }
            card
        })?;
        let engine = engine.build()?;
        let card = engine.card().clone();
        let has_security = !card.security_requirements.is_empty() || !authenticators.is_empty();
        let authentication = has_security.then(|| {
            let builder = Authentication::for_card(&card);
            let adds = authenticators.into_iter().map(|(_, add)| add);
            adds.fold(builder, |builder, add| add(builder)).build()
        });
        let tenants: Vec<_> = engine.tenant_cards().collect();
        let mut server = Server::builder(engine.clone(), card.clone()).tenant_cards(tenants);
        if let Some(authentication) = authentication {
            server = server.authentication(authentication?);
        }
        let server = server_changes
            .into_iter()
            .fold(server, |server, change| change(server))
            .build()?;
        engine.keep_recovering();
        if let Some(addr) = listener {
            let at = url
                .as_ref()
                .map_or_else(|| format!("http://{addr}"), |url| url.base().to_owned());
            tracing::info!(agent = card.name, %addr, card = %format!("{at}/.well-known/agent-card.json"), "serving");
        }
        Ok(server)
    }
}

async fn listen(addr: &str) -> Result<TcpListener, Error> {
    TcpListener::bind(addr).await.map_err(|error| {
        Error::new(
            Code::Unavailable,
            format!("cannot listen at {addr}: {error}"),
        )
        .with_source(error)
    })
}

fn io(error: std::io::Error) -> Error {
    Error::new(
        Code::Unavailable,
        format!("the agent cannot be served: {error}"),
    )
    .with_source(error)
}

/// Waits for Ctrl-C or SIGTERM. Where there are no signals, for ever: the process then ends as
/// others do.
async fn asked_to_stop() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let terminated = async {
            match signal(SignalKind::terminate()) {
                Ok(mut signal) => {
                    signal.recv().await;
                }
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            () = interrupted => {}
            () = terminated => {}
        }
    }
    #[cfg(not(unix))]
    interrupted.await;
}

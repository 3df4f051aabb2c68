//! An agent made of skills, ready to be served.
//!
//! Comes in: an agent. Goes out: an [`Engine`] with its cards.

use std::fmt;

use a2a_wire::v1_0::AgentCard;

use super::card::assemble;
use super::dispatch::SkillAgent;
use super::{AgentSpec, Skills};
use crate::Error;
use crate::engine::{Engine, EngineBuilder};

/// An agent made of skills, ready to be served: what `into_agent()` gives.
pub struct AgentApp<A> {
    agent: A,
}

impl<A: AgentSpec> AgentApp<A> {
    /// An agent with the options that its attributes say.
    #[must_use]
    pub fn new(agent: A) -> Self {
        Self { agent }
    }
}

impl<A: Skills> AgentApp<A> {
    /// An engine for the agent, to be completed and built: for those who serve it themselves.
    /// `finish` completes the public card and the extended one, by interfaces for example.
    ///
    /// # Errors
    /// When two skills have the same id, or several are the default one.
    pub fn into_engine(
        self,
        finish: impl Fn(AgentCard) -> AgentCard,
    ) -> Result<EngineBuilder, Error> {
        let skills = A::skills();
        let public = finish(assemble(A::description(), &skills, false));
        let has_more = skills.iter().any(|skill| skill.is_extended);
        let extended = has_more.then(|| finish(assemble(A::description(), &skills, true)));
        let agent = SkillAgent::new(self.agent, skills, extended.as_ref().unwrap_or(&public))?;
        let builder = Engine::builder(agent, public);
        Ok(match extended {
            Some(card) => builder.extended_card(card),
            None => builder,
        })
    }

    /// The agent as a service, with its tasks in memory: for tests, and for calls from inside the
    /// process.
    ///
    /// # Errors
    /// As [`AgentApp::into_engine`].
    pub fn into_service(self) -> Result<Engine, Error> {
        self.into_engine(|card| card)?.build()
    }
}

impl<A> fmt::Debug for AgentApp<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentApp").finish_non_exhaustive()
    }
}

//! What methods may look like.

use std::sync::Arc;

use a2a_kit::agent::MessageContext as Conversation;
use a2a_kit::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Facts about a supplier.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// Where it is.
    pub region: String,
}

/// A result by another name.
pub type Outcome<T> = Result<Json<T>, SkillError>;

/// What can go wrong.
#[derive(Debug, Failure)]
#[failure(display)]
pub enum CheckError {
    /// No supplier has this name.
    UnknownSupplier(String),
    /// The register is closed.
    #[failure(reason = "CLOSED")]
    RegisterIsClosed {
        /// When it opens.
        hour: u8,
    },
    /// Not the description.
    #[failure(description = "The HTTP server is gone.")]
    HTTPGone,
    /// Is not there.
    #[cfg(feature = "never")]
    Never(Missing),
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownSupplier(name) => write!(f, "no supplier is called {name}"),
            Self::RegisterIsClosed { hour } => write!(f, "the register opens at {hour}"),
            Self::HTTPGone => f.write_str("gone"),
        }
    }
}

/// Has methods of every shape.
#[a2a_agent(name = "Shapes", capabilities(streaming))]
#[derive(Debug, Default)]
pub struct Shapes {
    count: Arc<std::sync::atomic::AtomicUsize>,
}

#[a2a_skills]
impl Shapes {
    /// Nothing in, nothing out.
    #[skill(tags("a"))]
    async fn nothing(&self) {}

    /// The context comes last.
    #[skill(tags("a"))]
    async fn context_last(&self, text: Text, task: &TaskContext) -> Result<Text, SkillError> {
        task.working("Reading").await?;
        Ok(text)
    }

    /// The context comes in the middle.
    #[skill(tags("a"))]
    async fn context_between(&self, text: Text, task: &TaskContext, facts: Json<Facts>) -> Reply {
        let _ = (text, task, facts);
        Reply::completed()
    }

    /// The receiver is written out, and patterns take the values apart.
    #[skill(tags("a"))]
    #[allow(clippy::needless_arbitrary_self_type, reason = "it shows that it can")]
    async fn patterns(
        self: &Self,
        Text(text): Text,
        Json(Facts { region }): Json<Facts>,
    ) -> String {
        self.count
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        text + &region
    }

    /// The most parameters that there may be.
    #[skill(tags("a"))]
    #[allow(
        clippy::too_many_arguments,
        clippy::many_single_char_names,
        reason = "it shows that it can"
    )]
    async fn eight(
        &self,
        a: Option<Text>,
        b: Option<Json<Facts>>,
        c: Option<Json<Facts>>,
        d: Option<File>,
        e: Option<File>,
        f: Option<File>,
        g: Message,
        h: Parts,
    ) -> Parts {
        let _ = (a, b, c, d, e, f, g);
        h
    }

    /// A result by another name.
    #[skill(tags("a"))]
    async fn named(&self, facts: Json<Facts>) -> Outcome<Facts> {
        Ok(facts)
    }

    /// An error with reasons.
    #[skill(tags("a"), on_restart = "replay")]
    async fn fails(&self, name: Text) -> Result<(), CheckError> {
        Err(CheckError::UnknownSupplier(name.0))
    }

    /// Names that mean something in cards, or in Rust.
    #[skill(tags("a"))]
    async fn name(&self) {}
    /// One more.
    #[skill(tags("a"))]
    async fn skills(&self) {}
    /// One more.
    #[skill(tags("a"))]
    async fn description(&self) {}
    /// One more.
    #[skill(tags("a"))]
    async fn r#type(&self) {}
    /// One more, which is not called as the attribute.
    #[skill(tags("a"))]
    async fn skill(&self) {}
    /// The names that the code has for itself.
    #[skill(tags("a"))]
    async fn turn(&self, agent: Text, turn: Json<Facts>) -> &'static str {
        let _ = (agent, turn);
        "done"
    }

    /// Answers without a task, and calls the context by another name.
    #[skill(tags("a"), reply = "message")]
    async fn answers(&self, text: Text, message: &Conversation) -> Result<String, SkillError> {
        let _ = message;
        Ok(text.0)
    }
}

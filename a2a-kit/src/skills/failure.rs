//! Failures with reasons that programs can tell apart.

use a2a_wire::types::Struct;
use a2a_wire::v1_0::Message;

use crate::agent::{AgentError, AgentMessage, Reply};
use crate::content::part;
use crate::contract::{REASON_KEY, SKILL_SCHEMAS_URI};
use crate::v1_0::part::Content;

/// The error type of a skill.
///
/// Derived for an enum whose variants are the reasons, with their doc comments as descriptions; or
/// [`SkillError`](super::SkillError), which has words and no reasons. Reasons are published in the
/// card, and arrive at the client: see [`failure_reason`](super::failure_reason).
///
/// ```
/// use a2a_kit::skills::{Failure, FailureReason, SkillError};
///
/// enum CheckError {
///     Unknown(String),
///     Closed,
/// }
///
/// // What `#[derive(Failure)]` writes:
/// impl Failure for CheckError {
///     const REASONS: &'static [FailureReason] = &[
///         FailureReason::new("UNKNOWN", "No supplier has this name."),
///         FailureReason::new("CLOSED", "The register is closed."),
///     ];
///
///     fn reason(&self) -> Option<&'static str> {
///         Some(match self {
///             Self::Unknown(_) => "UNKNOWN",
///             Self::Closed => "CLOSED",
///         })
///     }
///
///     fn into_error(self) -> SkillError {
///         match self {
///             Self::Unknown(name) => SkillError::new(format!("no supplier is called {name}")),
///             Self::Closed => SkillError::new("the register is closed; try again tomorrow"),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a skill",
    label = "not a `Failure`",
    note = "use `SkillError`, or write `#[derive(Failure)]` on an enum of reasons"
)]
pub trait Failure: Sized + Send + 'static {
    /// All reasons that there are.
    const REASONS: &'static [FailureReason];

    /// The name of this one's reason; `None` when it has only words.
    fn reason(&self) -> Option<&'static str>;

    /// The words for the client, and the cause for the log.
    fn into_error(self) -> AgentError;
}

/// A reason for which a skill fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailureReason {
    /// Its name, such as `UNKNOWN_SUPPLIER`: for programs, so it stays as it is.
    pub name: &'static str,
    /// What it means: for people.
    pub description: &'static str,
}

impl FailureReason {
    /// A reason of this name.
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self { name, description }
    }
}

impl Failure for AgentError {
    const REASONS: &'static [FailureReason] = &[];

    fn reason(&self) -> Option<&'static str> {
        None
    }

    fn into_error(self) -> AgentError {
        self
    }
}

/// How a failure ends its task: with its reason when it has one, else as an error.
pub(super) fn reply(failure: impl Failure) -> Result<Reply, AgentError> {
    let reason = failure.reason();
    let error = failure.into_error();
    match reason {
        Some(reason) if !error.is_ended() => {
            tracing::warn!(
                reason,
                error = error
                    .source()
                    .map(|source| source as &dyn std::error::Error),
                "a skill failed: {error}"
            );
            Ok(Reply::failed(words(reason, error.message())))
        }
        _ => Err(error),
    }
}

/// What an agent says about a failure with a reason.
pub(super) fn words(reason: &str, text: &str) -> AgentMessage {
    Message::new()
        .with_parts([part(Content::Text(text.to_owned()))])
        .with_extensions([SKILL_SCHEMAS_URI])
        .with_metadata(Struct::from([(REASON_KEY, reason)]))
        .into()
}

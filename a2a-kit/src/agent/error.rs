//! Why an agent could not do its work.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use crate::Error;

/// Why an agent could not do its work.
///
/// Two texts are kept apart: what the client reads, and the cause, which only the log does.
/// [`AgentError::new`] sets the first. Any other error can be handed on with `?`; the client then
/// reads that the agent failed, and no more, since the words of a library may hold secrets.
///
/// ```
/// use a2a_kit::agent::AgentError;
///
/// fn read(path: &str) -> Result<String, AgentError> {
///     std::fs::read_to_string(path).map_err(|error| AgentError::new("the register is closed").with_source(error))
/// }
///
/// let error = read("/no/such/register").unwrap_err();
/// assert_eq!(error.message(), "the register is closed");
/// ```
pub struct AgentError {
    message: Cow<'static, str>,
    ended: bool,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What a client reads of an error that says nothing for clients.
pub(crate) const UNEXPECTED: &str = "the agent failed while it worked on this";

impl AgentError {
    /// An error with a text for the client.
    #[must_use]
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            message: message.into(),
            ended: false,
            source: None,
        }
    }

    /// The task has ended without its executor: it was canceled, or ran out of time.
    pub(crate) fn ended() -> Self {
        Self {
            message: Cow::Borrowed("the task has ended, so nothing more can be reported on it"),
            ended: true,
            source: None,
        }
    }

    /// Keeps the cause for the log.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What the client reads.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// True when news came too late: the task has been canceled, or has ended otherwise.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// What the log reads.
    pub(crate) fn source(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.source.as_deref()
    }

    /// The answer to a call that has no task to fail.
    pub(crate) fn into_error(self) -> Error {
        match self.source {
            Some(source) => match source.downcast::<Error>() {
                Ok(error) => *error,
                Err(source) => Error::internal(self.message).with_source(source),
            },
            None => Error::internal(self.message),
        }
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for AgentError {
    fn from(error: E) -> Self {
        // Errors of this crate are written for clients.
        let message = match (&error as &dyn Any).downcast_ref::<Error>() {
            Some(error) => Cow::Owned(error.message().to_owned()),
            None => Cow::Borrowed(UNEXPECTED),
        };
        Self {
            message,
            ended: false,
            source: Some(Box::new(error)),
        }
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentError")
            .field("message", &self.message)
            .field("source", &self.source)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<u8, AgentError> {
        Ok(text.parse()?)
    }

    #[test]
    fn a_handed_on_error_keeps_its_words_from_the_client() {
        let error = number("secret").unwrap_err();
        assert_eq!(error.message(), UNEXPECTED);
        assert!(
            error
                .source()
                .is_some_and(|source| source.to_string().contains("invalid digit"))
        );
        let answer = error.into_error();
        assert_eq!(
            (answer.code(), answer.message()),
            (crate::Code::Internal, UNEXPECTED)
        );
    }

    #[test]
    fn an_error_of_this_crate_is_told_as_it_is() {
        let error = AgentError::from(Error::invalid_field("message.parts[0]", "must be a number"));
        assert_eq!(error.message(), "message.parts[0]: must be a number");
        assert_eq!(error.into_error().violations()[0].field, "message.parts[0]");
    }
}

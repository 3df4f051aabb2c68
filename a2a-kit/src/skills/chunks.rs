//! Results that come piece by piece.
//!
//! Comes in: a stream of pieces. Goes out: an artifact that is begun by the first one and appended
//! to by the others; the last one says that it is the last.

use std::fmt;
use std::pin::Pin;

use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::{Artifact, Part};
use futures_core::Stream;
use futures_util::StreamExt as _;

use super::Parts;
use super::sealed::Sealed;
use crate::agent::{AgentError, Reply, TaskContext, artifact};

/// A stream as the result of a skill: its pieces become one artifact, each sent as it comes.
///
/// ```
/// use a2a_kit::skills::{Chunks, SkillError};
/// use futures_util::stream;
///
/// let poem = Chunks::new(stream::iter(["Roses are red, ", "violets are blue."])).named("poem");
/// let tokens = Chunks::try_new(stream::iter([Ok("One "), Err(SkillError::new("the model is gone"))]));
/// ```
///
/// To know which piece is the last, each one waits for the next. Pieces without content are left
/// out, and a stream without a piece makes no artifact. When a piece is an error, those before it
/// have been handed over, the artifact is not closed, and the task fails. When the task is
/// canceled, the stream is dropped.
#[must_use = "a stream is handed over when the skill returns it"]
pub struct Chunks {
    head: Option<Artifact>,
    pieces: Pin<Box<dyn Stream<Item = Result<Parts, AgentError>> + Send>>,
}

impl Chunks {
    /// The pieces of a stream: texts, or [`Parts`].
    pub fn new<P: Into<Parts>>(pieces: impl Stream<Item = P> + Send + 'static) -> Self {
        Self {
            head: None,
            pieces: Box::pin(pieces.map(|piece| Ok(piece.into()))),
        }
    }

    /// The pieces of a stream that may fail.
    pub fn try_new<P: Into<Parts>, E: Into<AgentError>>(
        pieces: impl Stream<Item = Result<P, E>> + Send + 'static,
    ) -> Self {
        let pieces = pieces.map(|piece| piece.map(Into::into).map_err(Into::into));
        Self {
            head: None,
            pieces: Box::pin(pieces),
        }
    }

    /// Names the artifact; without it, it is called as the skill.
    pub fn named(self, name: impl Into<String>) -> Self {
        self.artifact(artifact(name, Parts::default()))
    }

    /// Says all that the artifact is besides its parts.
    pub fn artifact(mut self, head: impl Into<Artifact>) -> Self {
        self.head = Some(head.into());
        self
    }

    pub(super) async fn hand_over(
        self,
        task: &TaskContext,
        name: &str,
    ) -> Result<Reply, AgentError> {
        let Self { head, mut pieces } = self;
        let head = head.unwrap_or_else(|| artifact(name, Parts::default()));
        let mut writer = task.write_artifact_as(head);
        let mut held: Option<Parts> = None;
        loop {
            let next = tokio::select! {
                biased;
                () = task.cancellation().cancelled() => return Err(AgentError::ended()),
                next = pieces.next() => next,
            };
            let piece = match next.transpose() {
                Ok(piece) => piece.map(with_content),
                Err(error) => {
                    if let Some(last) = held {
                        writer.push(last).await?;
                    }
                    return Err(error);
                }
            };
            match (held.take(), piece) {
                (before, Some(piece)) if piece.is_empty() => held = before,
                (Some(before), Some(piece)) => {
                    writer.push(before).await?;
                    held = Some(piece);
                }
                (None, Some(piece)) => held = Some(piece),
                (Some(last), None) => {
                    writer.finish(last).await?;
                    return Ok(Reply::completed());
                }
                (None, None) => return Ok(Reply::completed()),
            }
        }
    }
}

/// A piece without the texts that are empty, of which models send many.
fn with_content(mut piece: Parts) -> Parts {
    let says_something =
        |part: &Part| !matches!(&part.content, Some(Content::Text(text)) if text.is_empty());
    piece.0.retain(says_something);
    piece
}

impl Sealed for Chunks {}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks")
            .field("head", &self.head)
            .finish_non_exhaustive()
    }
}

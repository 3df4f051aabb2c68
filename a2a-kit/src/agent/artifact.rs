//! Artifacts that are handed over piece by piece.

use a2a_wire::v1_0::Artifact;
use futures_core::Stream;
use futures_util::StreamExt as _;

use super::{AgentError, Parts, TaskContext};

/// Hands over an artifact piece by piece, as the pieces come to be: the first one makes it, later
/// ones are appended, the last one says that it is the last.
///
/// ```
/// # use a2a_kit::agent::{AgentError, Reply, TaskContext};
/// async fn execute(task: TaskContext) -> Result<Reply, AgentError> {
///     let mut poem = task.write_artifact("poem");
///     poem.push("Roses are red, ").await?;
///     poem.push("violets are ").await?;
///     poem.finish("blue.").await?;
///     Ok(Reply::completed())
/// }
/// ```
///
/// When it cannot be known which piece is the last, just stop: an artifact is complete when its
/// task is.
#[derive(Debug)]
pub struct ArtifactWriter<'a> {
    task: &'a TaskContext,
    /// The artifact without its parts; what else it has goes out with the first piece.
    head: Artifact,
    begun: bool,
}

impl<'a> ArtifactWriter<'a> {
    pub(super) fn new(task: &'a TaskContext, mut head: Artifact) -> Self {
        head.parts.clear();
        Self {
            task,
            head,
            begun: false,
        }
    }

    /// The id under which clients put the pieces together.
    #[must_use]
    pub fn artifact_id(&self) -> &str {
        &self.head.artifact_id
    }

    /// Hands over a piece.
    ///
    /// # Errors
    /// When the task has ended meanwhile, or the piece is empty.
    pub async fn push(&mut self, piece: impl Into<Parts> + Send) -> Result<(), AgentError> {
        let piece = piece.into();
        self.send(piece, false).await
    }

    /// Hands over the last piece.
    ///
    /// # Errors
    /// As [`ArtifactWriter::push`].
    pub async fn finish(mut self, piece: impl Into<Parts> + Send) -> Result<(), AgentError> {
        let piece = piece.into();
        self.send(piece, true).await
    }

    /// Hands over all pieces of a stream, and closes the artifact with the last one. To know which
    /// that is, each piece waits for the next one. A stream without a piece makes no artifact.
    ///
    /// # Errors
    /// As [`ArtifactWriter::push`].
    pub async fn write_all<P: Into<Parts> + Send>(
        mut self,
        pieces: impl Stream<Item = P> + Send,
    ) -> Result<(), AgentError> {
        let mut pieces = std::pin::pin!(pieces);
        let Some(mut piece) = pieces.next().await.map(Into::into) else {
            return Ok(());
        };
        while let Some(next) = pieces.next().await {
            let ready = std::mem::replace(&mut piece, next.into());
            self.send(ready, false).await?;
        }
        self.send(piece, true).await
    }

    async fn send(&mut self, piece: Parts, last: bool) -> Result<(), AgentError> {
        let mut artifact = if self.begun {
            let mut artifact = Artifact::default();
            artifact.artifact_id.clone_from(&self.head.artifact_id);
            artifact
        } else {
            self.head.clone()
        };
        artifact.parts = piece.0;
        self.task.artifact_chunk(artifact, self.begun, last).await?;
        self.begun = true;
        Ok(())
    }
}

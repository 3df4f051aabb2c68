//! What becomes of work that a process has left.

/// What becomes of a task whose process has ended in the middle of a turn: see
/// [`Agent::on_restart`](super::Agent::on_restart).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OnRestart {
    /// The task fails, with a message that says why.
    #[default]
    Fail,
    /// The turn is executed again from its beginning, with the message that it began with.
    ///
    /// What it has said before is not said again: the first `working` of this execution is the first
    /// one of the last, artifacts are known by their ids or names, and the k-th
    /// [`ask`](super::TaskContext::ask) is answered at once by the k-th answer. The execution takes
    /// over where the last one stopped. So it has to ask the same questions again; one that asks
    /// something else is failed, since the answer would be to another question.
    ///
    /// What it does besides is done again. Give calls that must not be made twice the
    /// [`operation_id`](super::TaskContext::operation_id).
    ///
    /// A turn that is cut short again and again is failed after some attempts: it may be what ends
    /// the process.
    Replay,
}

//! Skills whose types rustc may have refused already.
//!
//! Comes in: the types of a skill method. Goes out: the skill; or, where a type is none that a skill may
//! have, nothing more to complain about. The code of `#[a2a_skills]` asks for each type once, at its
//! place ([`takes`], [`gives`], [`answers`]). Everything else that needs these types to be right goes by
//! [`Typed`], whose own functions are there for right ones; for wrong ones those of [`Refused`] are, so
//! that one fault is one error.

use std::future::Future;
use std::marker::PhantomData;

use a2a_wire::v1_0::AgentSkill;

use super::{AgentSpec, Extract, Inputs, IntoMessage, IntoReply, MessageTurn, Skill, TaskTurn};
use crate::BoxFuture;
use crate::agent::{AgentError, AgentMessage, Reply};

/// A parameter of a skill is an extractor.
pub const fn takes<T: Extract>() {}

/// The result of a skill is a reply.
pub const fn gives<T: IntoReply>() {}

/// The result of a skill that answers without a task is a message.
pub const fn answers<T: IntoMessage>() {}

type TaskMethod<A, I> =
    for<'a> fn(&'a A, &'a TaskTurn<I>) -> BoxFuture<'a, Result<Reply, AgentError>>;
type MessageMethod<A, I> =
    for<'a> fn(&'a A, &'a MessageTurn<I>) -> BoxFuture<'a, Result<AgentMessage, AgentError>>;

/// What a skill takes and gives.
#[derive(Debug)]
pub struct Typed<I, O>(PhantomData<(I, O)>);

impl<I: Inputs, O: IntoReply> Typed<I, O> {
    /// The result is handed over piece by piece.
    pub const STREAMS: bool = O::STREAMS;

    /// See [`Skill::task`].
    pub fn task<A: Sync + 'static>(entry: AgentSkill, method: TaskMethod<A, I>) -> Skill<A> {
        Skill::task::<I, O>(entry, method)
    }

    /// See [`TaskTurn::reply`].
    pub fn reply(
        turn: &TaskTurn<I>,
        output: O,
    ) -> impl Future<Output = Result<Reply, AgentError>> + Send {
        turn.reply(output)
    }
}

impl<I: Inputs, O: IntoMessage> Typed<I, O> {
    /// See [`Skill::message`].
    pub fn message<A: Sync + 'static>(entry: AgentSkill, method: MessageMethod<A, I>) -> Skill<A> {
        Skill::message::<I, O>(entry, method)
    }

    /// See [`MessageTurn::reply`].
    pub fn answer(
        turn: &MessageTurn<I>,
        output: O,
    ) -> impl Future<Output = Result<AgentMessage, AgentError>> + Send {
        turn.reply(output)
    }
}

impl<A: AgentSpec> Typed<A, ()> {
    /// The agent has the capability to stream.
    pub const STREAMING: bool = A::STREAMING;
}

/// What a [`Typed`] has when its types are wrong. rustc has said so, and none of this is ever run.
pub trait Refused<I, O>: Sized {
    /// Nobody knows.
    const STREAMS: bool = false;
    /// Nobody knows.
    const STREAMING: bool = true;

    /// Never run.
    fn task<A>(_: AgentSkill, _: TaskMethod<A, I>) -> Skill<A> {
        unreachable!("rustc refuses the types of this skill")
    }

    /// Never run.
    fn reply(_: &TaskTurn<I>, _: O) -> BoxFuture<'static, Result<Reply, AgentError>> {
        unreachable!("rustc refuses the types of this skill")
    }

    /// Never run.
    fn message<A>(_: AgentSkill, _: MessageMethod<A, I>) -> Skill<A> {
        unreachable!("rustc refuses the types of this skill")
    }

    /// Never run.
    fn answer(_: &MessageTurn<I>, _: O) -> BoxFuture<'static, Result<AgentMessage, AgentError>> {
        unreachable!("rustc refuses the types of this skill")
    }
}

impl<I, O> Refused<I, O> for Typed<I, O> {}

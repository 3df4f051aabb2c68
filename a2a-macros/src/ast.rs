//! What the attributes say, in the terms of an agent card.
//!
//! Comes in: attributes and the items that they stand on. Goes out: agents and skills. A part that is
//! broken is left out, and is a fault; what parts have to do with each other is `valid`'s.

mod agent;
mod docs;
mod method;
mod path;
mod security;
mod signature;
mod skills;

pub(crate) use agent::{Agent, Extension, Interface, Struct};
pub(crate) use docs::description;
pub(crate) use method::{Member, Method};
pub(crate) use path::runtime;
pub(crate) use security::{Flow, Requirement, Scheme, SchemeKind};
pub(crate) use signature::Parameter;
pub(crate) use skills::{Block, Impl, Skill};

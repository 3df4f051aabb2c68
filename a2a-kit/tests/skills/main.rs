//! Agents made of skills, written as `#[a2a_agent]` and `#[a2a_skills]` write them.

mod card;
mod chunks;
#[cfg(all(feature = "client", feature = "contracts"))]
mod contracts;
mod desk;
mod dispatch;
mod inputs;
mod lives;
mod replies;
#[path = "../support/mod.rs"]
mod support;

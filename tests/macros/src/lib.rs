//! Agents in every place where the attributes have to work. That this compiles without a warning is
//! most of the test; `tests/pass.rs` looks at what comes out.

#![deny(warnings, clippy::pedantic)]

pub mod full;
pub mod places;
pub mod signatures;

//! What the measurements have in common: the task that they read and write, the same task as
//! `serde` derives it, an agent to be called, and the comparison of two pieces of code on a busy
//! machine.

pub mod derived;
pub mod echo;
pub mod pairs;
pub mod sample;

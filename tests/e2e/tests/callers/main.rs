//! Who may call what, and sees what: every operation of the table, in both versions, on every binding
//! and route, with credentials of every kind.
//!
//! Requests are made from the schemas, so that a new operation is called without a new line here.

mod edges;
mod foreign;
mod refused;
mod right;
mod sample;
mod store;
mod wire;
mod world;

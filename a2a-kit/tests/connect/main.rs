//! The client that finds its own way from a card: against agents of this library on every binding,
//! and against servers that misbehave, over real sockets.

mod agent;
mod misbehaving;
mod surface;

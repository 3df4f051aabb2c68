//! The client that finds its own way from a card: against agents of this library on every binding,
//! and against servers that misbehave, over real sockets. `../README.md` says which test shows what.

mod agent;
mod answers;
mod connections;
mod credentials;
mod cuts;
mod discovery;
mod events;
mod grpc;
mod interfaces;
mod misbehaving;
mod peer;
mod surface;
mod time;

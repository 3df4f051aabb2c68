//! The channels of the client against the server of this library, over real sockets, with TLS and
//! without.

mod calls;
mod credentials;
mod identity;
mod streams;
mod support;
mod tls;

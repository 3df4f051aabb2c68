//! The server as clients see it: real sockets on the loopback, HTTP/1.1 and HTTP/2.

mod card;
mod connections;
mod hostile;
mod limits;
mod mount;
mod operations;
mod paths;
mod streams;
mod support;

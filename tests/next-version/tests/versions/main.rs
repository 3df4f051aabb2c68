//! A next version of the protocol, dropped in: an agent of version 1.1 and callers of both versions,
//! callers of version 1.1 and an agent of version 1.0, over sockets and on every binding.

mod agent;
mod next;
mod older_agent;
mod older_callers;
mod port;
mod rules;

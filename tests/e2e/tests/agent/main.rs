//! What an agent must show, on every binding; see the table in `README.md`.

mod authorization_required;
mod cancel;
mod capabilities;
mod card;
mod endings;
mod errors;
mod extended_card;
mod extensions;
mod grpc;
mod hostile;
mod json_rpc;
mod limits;
mod lists;
mod media_types;
mod ownership;
mod refusals;
mod restart;
mod routes;
mod scenarios;
mod stream_ends;
mod streams;
mod tasks;
mod tenants;
mod turns;
mod versions;

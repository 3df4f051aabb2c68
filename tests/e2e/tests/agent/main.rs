//! What an agent must show, on every binding; see the table in `README.md`.

mod errors;
mod json_rpc;
mod routes;
mod scenarios;
mod tasks;
mod turns;
mod versions;

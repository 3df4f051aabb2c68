//! What an agent must show, on every binding; see the table in `README.md`.

mod errors;
mod scenarios;
mod versions;

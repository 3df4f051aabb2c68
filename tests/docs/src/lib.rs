//! The Rust of the guide, compiled; `tests/run.rs` runs what can be run.
//!
//! Comes in: what `build.rs` has made of the pages. Goes out: a table of snippets. A snippet may use
//! `client`, `task` and `?`.

use std::error::Error;
use std::pin::Pin;

use a2a_kit::client::Client;
use a2a_kit::v1_0::Task;

/// How a snippet ends.
pub type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// A snippet while it runs.
pub type Running = Pin<Box<dyn Future<Output = Outcome>>>;

/// A snippet that can be run.
#[derive(Debug, Clone, Copy)]
pub struct Snippet {
    /// Page and line.
    pub place: &'static str,
    /// Runs it, with a client of an agent that checks suppliers, and a task that waits for a region.
    pub run: fn(Client, Task) -> Running,
}

/// What the generator has written of the inventory of `examples/custom-service`.
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/inventory.rs"));
}

/// What the generator has written of the two versions in the page about such.
pub mod old {
    include!(concat!(env!("OUT_DIR"), "/parcels_v1.rs"));
}
/// The newer version.
pub mod new {
    include!(concat!(env!("OUT_DIR"), "/parcels_v2.rs"));
}
/// What stands between them.
pub mod adapters {
    include!(concat!(env!("OUT_DIR"), "/adapters.rs"));
}

pub mod files;

#[rustfmt::skip]
mod snippets {
    include!(concat!(env!("OUT_DIR"), "/snippets.rs"));
}
pub use snippets::SNIPPETS;

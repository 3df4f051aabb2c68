//! What is played with every peer. Scenarios share nothing: each has a client of its own.

mod card;
mod conversation;
mod endings;
mod push;
mod refusals;
mod streams;
mod tasks;

use std::future::Future;
use std::pin::Pin;

use crate::report::Played;
use crate::session::Session;

pub(crate) use card::card;

/// A scenario: what it is called, when it is played, and how.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) when: When,
    pub(crate) play: fn(Session) -> Pin<Box<dyn Future<Output = Played> + Send>>,
}

/// When a scenario is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Once with plain answers, once with streams.
    BothWays,
    /// With streams only: it is about them.
    Streaming,
    /// Once: it sends no message, or how it does so is no matter.
    Once,
}

macro_rules! scenarios {
    ($($when:ident $module:ident::$name:ident,)*) => {
        &[$(Scenario {
            name: stringify!($name),
            when: When::$when,
            play: |session| Box::pin(async move { $module::$name(&session).await }),
        },)*]
    };
}

pub(crate) const SCENARIOS: &[Scenario] = scenarios![
    BothWays conversation::chinese,
    BothWays conversation::english,
    BothWays conversation::awkward,
    BothWays conversation::content,
    BothWays endings::others,
    Once endings::returns_immediately,
    Once endings::cancel,
    Once endings::cancel_while_it_waits,
    Streaming streams::leave,
    Streaming streams::subscribe,
    Once tasks::history,
    Once tasks::filters,
    Once tasks::pages,
    Once refusals::unknown_task,
    BothWays refusals::closed_task,
    Once refusals::bad_input,
    BothWays refusals::media_type,
    Once push::configs,
    Once card::extended,
];

//! An agent in edition 2021, in a crate where a2a-kit is called `kit`.

#![deny(warnings)]

use kit::prelude::*;
use kit::skills::FailureReason;

/// Counts.
#[a2a_agent(
    name = "Counter",
    crate = "::kit",
    capabilities(streaming),
    scheme(key, api_key(in = "header", name = "X-Key")),
    extension(uri = "urn:example:limits", params = { "most": [1, 2] }),
    bindings(rest),
    versions("1.0")
)]
pub struct Counter;

/// Why a text is not counted.
#[derive(Debug, Failure)]
#[failure(crate = "kit")]
pub enum Uncounted {
    /// There is no text.
    Empty,
}

#[a2a_skills(crate = "kit")]
impl Counter {
    /// Counts the letters of a text.
    #[skill(tags("text"), security(key), default)]
    async fn count(&self, _task: &TaskContext, text: Text) -> Result<String, Uncounted> {
        match text.chars().count() {
            0 => Err(Uncounted::Empty),
            letters => Ok(letters.to_string()),
        }
    }
}

/// What clients can be told.
#[must_use]
pub fn reasons() -> &'static [FailureReason] {
    Uncounted::REASONS
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_card_is_there() {
        let card = super::Counter::card();
        assert_eq!(card.skills[0].id, "count");
        assert_eq!(card.version, env!("CARGO_PKG_VERSION"));
        assert_eq!(super::reasons()[0].name, "EMPTY");
    }
}

//! What the library tells the log, for tests.
//!
//! Events are kept apart by thread. The subscriber is installed for the whole process: one for a
//! thread is not asked about events that another test's thread was the first to come by, and these
//! stay off for good.

use std::cell::RefCell;
use std::fmt;
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::span;
use tracing::{Event, Level, Metadata, Subscriber};

thread_local! {
    static EVENTS: RefCell<Vec<Told>> = const { RefCell::new(Vec::new()) };
}

/// An event.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) target: &'static str,
    pub(crate) level: Level,
    /// The fields, the message among them.
    pub(crate) text: String,
}

/// Begins to listen, with nothing heard so far on this thread.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::subscriber::set_global_default(Log).expect("the only one in this process");
        // An event that was met since the subscriber was made and before it counted.
        tracing::callsite::rebuild_interest_cache();
    });
    EVENTS.take();
}

/// All that was told by this thread since it began to listen, or since it was asked last.
pub(crate) fn all() -> Vec<Told> {
    EVENTS.take()
}

/// What was told under a target by this thread since it began to listen, or since it was asked last.
pub(crate) fn heard(target: &str) -> Vec<Told> {
    let told = all().into_iter();
    told.filter(|told| told.target == target).collect()
}

struct Log;

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0 += &format!("{field}={value:?} ");
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("a2a_kit")
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        let told = Told {
            target: event.metadata().target(),
            level: *event.metadata().level(),
            text: text.0,
        };
        EVENTS.with_borrow_mut(|events| events.push(told));
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

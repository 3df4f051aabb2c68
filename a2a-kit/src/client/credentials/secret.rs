//! A secret of this side.
//!
//! Comes in: a text. Goes out: the same, for a request that it belongs into. It is never shown, and
//! it is overwritten when the last one who has it is gone. The copy in a request cannot be, and is
//! marked as sensitive.

use std::sync::Arc;

use http::HeaderValue;
use zeroize::Zeroizing;

/// A text that is never shown: it has no `Debug`. Cheap to clone; there is one copy.
#[derive(Clone)]
pub(in crate::client) struct Secret(Arc<Zeroizing<String>>);

impl Secret {
    pub(in crate::client) fn new(text: impl Into<String>) -> Self {
        Self(Arc::new(Zeroizing::new(text.into())))
    }

    /// The parts, one after the other.
    pub(in crate::client) fn joined(parts: &[&str]) -> Self {
        // Of the right size from the start: a text that grows leaves copies behind.
        let mut text = String::with_capacity(parts.iter().map(|part| part.len()).sum());
        for part in parts {
            text.push_str(part);
        }
        Self::new(text)
    }

    pub(in crate::client) fn text(&self) -> &str {
        &self.0
    }

    /// The secret as the value of a header; `None` when headers cannot hold it.
    pub(in crate::client) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::try_from(self.text()).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

//! A secret that a caller has to know.
//!
//! Comes in: a text from the configuration. Goes out: whether something else is the same text. It is
//! neither shown nor compared in a time that depends on it, and it is overwritten when it is dropped.

use subtle::{Choice, ConstantTimeEq as _};
use zeroize::Zeroizing;

/// A text that is never shown: it has no `Debug` and no way out.
pub(super) struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    pub(super) fn new(text: String) -> Self {
        Self(Zeroizing::new(text.into_bytes()))
    }

    /// An empty one would be known to everybody.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Compares in a time that depends on what was presented and on nothing else, its length
    /// neither.
    pub(super) fn is(&self, presented: &[u8]) -> Choice {
        let mut same = (self.0.len() as u64).ct_eq(&(presented.len() as u64));
        // An empty secret equals nothing: there is no letter to compare with.
        same &= Choice::from(u8::from(!self.0.is_empty()));
        for (byte, known) in presented.iter().zip(self.0.iter().cycle()) {
            same &= byte.ct_eq(known);
        }
        same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_equals_itself_and_nothing_else() {
        let secret = Secret::new("abab".into());
        assert!(bool::from(secret.is(b"abab")));
        for other in ["", "a", "ab", "aba", "ababa", "abababab", "abaB", "Abab"] {
            assert!(!bool::from(secret.is(other.as_bytes())), "{other}");
        }
        let empty = Secret::new(String::new());
        assert!(empty.is_empty());
        assert!(!bool::from(empty.is(b"")) && !bool::from(empty.is(b"a")));
    }
}

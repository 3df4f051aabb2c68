//! How generated code shows a field that holds a secret.
//!
//! Comes in: the field. Goes out: for `Debug`, whether something is there, but not what.

use std::fmt;

/// What is set shows as `<hidden>`, what is not as it is.
pub struct Secret<'a, T>(pub &'a T);

impl<T: fmt::Debug + Default + PartialEq> fmt::Debug for Secret<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self.0 == T::default() {
            self.0.fmt(f)
        } else {
            f.write_str("<hidden>")
        }
    }
}

//! Well-known types of `google.protobuf`, as Rust wants them.
//!
//! Comes in: JSON, protobuf, and the types of `serde_json` and `std`. Goes out: the same. `Struct`,
//! [`Value`] and [`ListValue`] hold `serde_json` values, so that integers stay integers and no copy
//! stands between a message and the user's data. [`Timestamp`] and [`Duration`] convert to and from
//! `std::time`.

mod any;
mod duration;
mod field_mask;
mod time_text;
mod timestamp;
mod value;
mod value_proto;

pub use any::Any;
pub use duration::Duration;
pub use field_mask::FieldMask;
pub use timestamp::Timestamp;
pub use value::{ListValue, Struct, Value};

/// A text or a number that is no value of a well-known type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub(crate) std::borrow::Cow<'static, str>);

impl Invalid {
    pub(crate) const fn new(message: &'static str) -> Self {
        Self(std::borrow::Cow::Borrowed(message))
    }
}

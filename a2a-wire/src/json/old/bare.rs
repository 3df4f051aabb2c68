//! Where the older version has no object at all.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny};
use serde::ser::Serializer;

use super::super::codec::Codec;
use super::super::context::Context;

/// An answer that is `null`; anything is read.
#[derive(Debug)]
pub struct Nothing;

impl Codec for Nothing {
    type Value = ();

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null")
    }

    fn read<'de, D: Deserializer<'de>>(
        _cx: &Context<'_>,
        input: D,
    ) -> Result<Option<()>, D::Error> {
        input.deserialize_ignored_any(IgnoredAny).map(|_| Some(()))
    }

    fn write<S: Serializer>(_cx: &Context<'_>, _value: &(), output: S) -> Result<S::Ok, S::Error> {
        output.serialize_unit()
    }
}

//! Where the older version has no object at all.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny};
use serde::ser::Serializer;

use super::super::codec::Codec;
use super::super::context::Context;
use super::super::{Error, read_adapting, write_adapting};
use crate::adapt::{Adapter, JsonForm};

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

impl JsonForm<()> for Nothing {
    fn read_json(text: &[u8], adapter: &Adapter) -> Result<(), Error> {
        read_adapting::<Self>(text, adapter)
    }

    fn write_json(value: &(), out: &mut Vec<u8>, adapter: &Adapter) -> Result<(), Error> {
        write_adapting::<Self>(value, adapter, out)
    }
}

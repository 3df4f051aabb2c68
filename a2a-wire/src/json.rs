//! ProtoJSON between bytes and message types, on the tokenizer of `serde_json`.
//!
//! Comes in: one JSON text, or a message. Goes out: a message, or its JSON. Nothing is read into a
//! tree of values on the way. [`WireMessage::read_json`](crate::WireMessage::read_json) and
//! [`WireMessage::write_json`](crate::WireMessage::write_json) are the usual doors; the `serde`
//! implementations of the messages are there for those who embed a message in data of their own.
//! They read and write the same JSON, but only the former have a [budget](#budget).
//!
//! Accepted and written is what ProtoJSON lays down: proto names and JSON names, enums by name or
//! number, 64-bit numbers as strings, base64 in both alphabets, `null` as absence. Of two equal
//! members the last one counts and replaces the first. A fault names its place, as in
//! `message.parts[0].url`.
//!
//! # Budget
//!
//! A small text can ask for a lot of memory: `[0,0,…]` needs 32 bytes for 2, and an object of one
//! short member over 600 for 8. What elements of lists and maps cost is therefore counted, and a
//! text that wants more than 24 MiB and twice its own length is refused. At the usual limit of
//! 32 MiB per request that is less than four times the limit, the text itself included. Ordinary
//! messages come nowhere near it: it is enough for some hundred thousand short parts or cells of a
//! table.

mod any;
mod codec;
pub(crate) mod context;
mod error;
mod list;
mod message;
mod number;
pub(crate) mod old;
mod scalar;
mod value;
mod wellknown;
mod without;
mod writer;

use serde::de::Deserializer;
use serde::ser::Serializer;

use context::Context;

use crate::adapt::Adapter;

pub use error::Error;
pub(crate) use without::leave_out;

/// What generated code names of this module.
#[doc(hidden)]
pub mod generated {
    pub use super::any::Any;
    pub(crate) use super::codec::As;
    pub use super::codec::{Codec, Implicit};
    pub use super::context::Context;
    pub use super::list::{
        BoolKey, Int32Key, Int64Key, List, Map, MapKey, StrKey, Uint32Key, Uint64Key,
    };
    pub use super::message::{Boxed, Entry, Fields, JsonMessage, Message};
    pub(crate) use super::number::NumberCodec;
    pub use super::number::{Double, Float, Int32, Int64, Num, Uint32, Uint64};
    pub use super::old::{
        InBox, Nothing, OldEnum, OldEnumeration, OldObject, OldUnion, OldWords, Seen, Settle,
        Variant, Word, hooked, hooked_down, missing, union_object, union_text, unwritable,
        write_variant,
    };
    pub(crate) use super::scalar::from_base64;
    pub use super::scalar::{Bool, Bytes, EnumNames, Enumeration, Str};
    pub use super::value::{ListValue, Struct, Value};
    pub use super::wellknown::{Duration, Empty, FieldMask, Timestamp};
    pub use super::{
        Error, deserialize, no_body_field, read, read_adapting, read_field, serialize, write,
        write_adapting, write_field,
    };
    pub use serde_json::Error as TextError;
}

use generated::{Codec, JsonMessage, Message};

/// Reads a message from one complete text. Called by generated code, once per message type.
///
/// # Errors
/// When the text is no JSON, or no message of this type.
pub fn read<M: JsonMessage>(text: &[u8]) -> Result<M, Error> {
    read_whole::<Message<M>>(text)
}

/// Reads a whole text that must not be `null`.
pub(crate) fn read_whole<C: Codec>(text: &[u8]) -> Result<C::Value, Error> {
    match read_value::<C>(text)? {
        Some(value) => Ok(value),
        None => Err(Error::data("", "expected an object, found null")),
    }
}

/// Appends a message to a text. Called by generated code, once per message type.
///
/// # Errors
/// When a value has no JSON form; nothing is appended then.
pub fn write<M: JsonMessage>(message: &M, out: &mut Vec<u8>) -> Result<(), Error> {
    write_value::<Message<M>>(message, out)
}

/// Reads a value that is one field of a message; `null` is `None`.
///
/// # Errors
/// As [`read`]; the path begins with the field's name.
pub fn read_field<C: Codec>(name: &'static str, text: &[u8]) -> Result<Option<C::Value>, Error> {
    read_value::<C>(text).map_err(|error| error.below(name))
}

/// Appends a value that is one field of a message.
///
/// # Errors
/// As [`write()`]; the path begins with the field's name.
pub fn write_field<C: Codec>(
    name: &'static str,
    value: &C::Value,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    write_value::<C>(value, out).map_err(|error| error.below(name))
}

/// The error of a field that is the body of no route.
#[must_use]
#[cold]
pub fn no_body_field(message: &str, field: &str) -> Error {
    Error::data(
        field,
        format!("{message} has no field {field:?} that is the body of a route"),
    )
}

/// Reads a whole text of an older version, which must not be `null` unless that is a value of it.
/// Called by generated code, once per codec.
///
/// # Errors
/// When the text is no JSON, or does not fit.
pub fn read_adapting<C: Codec>(text: &[u8], adapter: &Adapter) -> Result<C::Value, Error> {
    let text = checked(text)?;
    let cx = Context::for_text(text.len()).adapting(adapter);
    match C::read_text(&cx, text) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(Error::data("", "expected a value, found null")),
        Err(error) => Err(Error::from_reading(&cx, &error)),
    }
}

/// Appends a value as the JSON of an older version. Called by generated code, once per codec.
///
/// # Errors
/// When a value has no form in the older version; nothing is appended then.
pub fn write_adapting<C: Codec>(
    value: &C::Value,
    adapter: &Adapter,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    write_in::<C>(&Context::unbounded().adapting(adapter), value, out)
}

fn read_value<C: Codec>(text: &[u8]) -> Result<Option<C::Value>, Error> {
    let text = checked(text)?;
    let cx = Context::for_text(text.len());
    C::read_text(&cx, text).map_err(|error| Error::from_reading(&cx, &error))
}

fn checked(text: &[u8]) -> Result<&str, Error> {
    // Checked once for the whole text: then also what is skipped is known to be UTF-8, and strings
    // need no check of their own.
    let text = std::str::from_utf8(text).map_err(|error| {
        Error::syntax(format!(
            "not UTF-8: invalid bytes at position {}",
            error.valid_up_to()
        ))
    })?;
    if text.starts_with('\u{feff}') {
        return Err(Error::syntax(
            "not valid JSON: it begins with a byte order mark; send UTF-8 without one",
        ));
    }
    Ok(text)
}

fn write_value<C: Codec>(value: &C::Value, out: &mut Vec<u8>) -> Result<(), Error> {
    write_in::<C>(&Context::unbounded(), value, out)
}

fn write_in<C: Codec>(cx: &Context, value: &C::Value, out: &mut Vec<u8>) -> Result<(), Error> {
    let start = out.len();
    C::write(cx, value, &mut writer::Writer::new(&mut *out)).map_err(|error| {
        out.truncate(start);
        Error::from_writing(cx, &error)
    })
}

/// The body of `Serialize` of a generated type.
///
/// # Errors
/// When a value has no JSON form, and those of the output.
pub fn serialize<C: Codec, S: Serializer>(value: &C::Value, output: S) -> Result<S::Ok, S::Error> {
    let cx = Context::unbounded();
    C::write(&cx, value, output).map_err(|error| cx.explained_writing(error))
}

/// The body of `Deserialize` of a generated type.
///
/// # Errors
/// When the input does not fit, and its own.
pub fn deserialize<'de, C: Codec, D: Deserializer<'de>>(input: D) -> Result<C::Value, D::Error> {
    let cx = Context::unbounded();
    match C::read(&cx, input) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(codec::wrong::<C, D::Error>(&cx, &codec::Found::Null)),
        Err(error) => Err(cx.explained(error)),
    }
}

macro_rules! serde_by_codec {
    ($($rust:ty => $codec:ty;)*) => {$(
        impl serde::Serialize for $rust {
            fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
                serialize::<$codec, S>(self, output)
            }
        }

        impl<'de> serde::Deserialize<'de> for $rust {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                deserialize::<$codec, D>(input)
            }
        }
    )*};
}

serde_by_codec! {
    crate::types::Any => generated::Any;
    crate::types::Duration => generated::Duration;
    crate::types::FieldMask => generated::FieldMask;
    crate::types::ListValue => generated::ListValue;
    crate::types::Struct => generated::Struct;
    crate::types::Timestamp => generated::Timestamp<0>;
    crate::types::Value => generated::Value;
    crate::rpc::BadRequest => Message<crate::rpc::BadRequest>;
    crate::rpc::ErrorInfo => Message<crate::rpc::ErrorInfo>;
    crate::rpc::FieldViolation => Message<crate::rpc::FieldViolation>;
    crate::rpc::Status => Message<crate::rpc::Status>;
}

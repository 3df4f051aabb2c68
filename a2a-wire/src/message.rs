//! What routers, clients and the engine need of a message type.
//!
//! Comes in: bytes, path and query texts. Goes out: a typed message, or an error that names the
//! place of the fault. Generated code implements [`WireMessage`] for every message of a schema.

use std::borrow::Cow;

use bytes::Bytes;

use crate::check::Violations;
use crate::json;
use crate::protobuf;
use crate::query::TextWriteError;
use crate::text::{BindError, Bound, Rule};

/// A message type of a schema: protobuf through [`prost::Message`], JSON, path and query texts,
/// and the check of required fields.
///
/// Implementations are generated. Readers and writers are ordinary functions, not generic ones, so
/// that they are compiled once, in the crate that holds the types.
pub trait WireMessage:
    prost::Message + std::fmt::Debug + Default + Clone + PartialEq + Send + Sync + 'static
{
    /// Full proto name, for example `lf.a2a.v1.Task`.
    const NAME: &'static str;

    /// What the fields cost in memory, for weighing protobuf before it is read.
    fn shape() -> &'static protobuf::Shape;

    /// Reads the message from protobuf that comes from elsewhere: weighed first, so that a small
    /// one cannot take a lot of memory. For protobuf of one's own, `decode` is enough.
    ///
    /// # Errors
    /// When the bytes are no protobuf of this type, or ask for too much memory.
    fn read_protobuf(bytes: Bytes) -> Result<Self, protobuf::Error> {
        protobuf::read(Self::shape(), &bytes)
    }

    /// Reads the message from one complete JSON text.
    ///
    /// # Errors
    /// When the text is not JSON or does not fit the schema; the error holds the JSON path.
    fn read_json(text: &[u8]) -> Result<Self, json::Error>;

    /// Appends the message as JSON.
    ///
    /// # Errors
    /// When a value has no JSON form, for example a timestamp out of range. Nothing is appended
    /// then.
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), json::Error>;

    /// Appends the message as JSON without the fields at some dotted paths of JSON names: what of
    /// it is elsewhere in a request.
    ///
    /// # Errors
    /// As [`WireMessage::write_json`].
    fn write_json_without(&self, fields: &[&str], out: &mut Vec<u8>) -> Result<(), json::Error> {
        let start = out.len();
        self.write_json(out)?;
        json::leave_out(out, start, fields);
        Ok(())
    }

    /// Reports every required field that is not set, here and below.
    fn check(&self, found: &mut Violations);

    /// Sets the field at a dotted `path` (proto or JSON names, mixed) from a path or query text.
    ///
    /// # Errors
    /// When there is no such field, when it cannot be written as text, or when the text is no
    /// value of its type.
    fn bind_text(&mut self, path: &str, text: Cow<'_, str>, rule: Rule)
    -> Result<Bound, BindError>;

    /// The text of the field at a dotted path (proto or JSON names, mixed), as a path or a query
    /// holds it. `None` when nothing is set there, when the text would be empty, and when there is
    /// no such field or it has no text.
    fn text_of(&self, path: &str) -> Option<Cow<'_, str>>;

    /// Hands all fields that are set to `out`, each with its name in a query (dotted JSON names) and
    /// its text, except those at the dotted paths `without` (JSON names) and below. The texts are
    /// not yet percent-encoded.
    ///
    /// # Errors
    /// When a field is set that no query can hold: a map, a list of messages, free JSON, an empty
    /// message. `out` may have got some fields by then.
    fn write_query(
        &self,
        without: &[&str],
        out: &mut dyn FnMut(&str, Cow<'_, str>),
    ) -> Result<(), TextWriteError>;

    /// Reads one field (by its proto name) from a whole JSON text: an HTTP body that is a field.
    /// Known are the fields that the schema's routes name.
    ///
    /// # Errors
    /// As [`WireMessage::read_json`].
    fn read_body_field(&mut self, field: &str, text: &[u8]) -> Result<(), json::Error> {
        let _ = text;
        Err(json::no_body_field(Self::NAME, field))
    }

    /// Appends one field (by its proto name) as a whole JSON text. An unset field still makes a
    /// valid text: `null`, `[]`, `{}` or the default. Known are the fields that the schema's routes
    /// name.
    ///
    /// # Errors
    /// As [`WireMessage::write_json`].
    fn write_body_field(&self, field: &str, out: &mut Vec<u8>) -> Result<(), json::Error> {
        let _ = out;
        Err(json::no_body_field(Self::NAME, field))
    }
}

/// `google.protobuf.Empty`. Members that another side puts there are ignored.
impl WireMessage for () {
    const NAME: &'static str = "google.protobuf.Empty";

    fn shape() -> &'static protobuf::Shape {
        protobuf::nothing()
    }

    fn read_json(text: &[u8]) -> Result<Self, json::Error> {
        json::read_whole::<json::generated::Empty<false>>(text)
    }

    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), json::Error> {
        out.extend_from_slice(b"{}");
        Ok(())
    }

    fn check(&self, _found: &mut Violations) {}

    fn bind_text(
        &mut self,
        path: &str,
        _text: Cow<'_, str>,
        _rule: Rule,
    ) -> Result<Bound, BindError> {
        Err(BindError {
            path: path.to_owned(),
            kind: crate::text::BindErrorKind::UnknownField,
        })
    }

    fn text_of(&self, _path: &str) -> Option<Cow<'_, str>> {
        None
    }

    fn write_query(
        &self,
        _without: &[&str],
        _out: &mut dyn FnMut(&str, Cow<'_, str>),
    ) -> Result<(), TextWriteError> {
        Ok(())
    }
}

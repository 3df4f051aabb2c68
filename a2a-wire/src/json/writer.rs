//! Compact JSON into a vector, with strings copied in long runs.
//!
//! Comes in: anything that serialises itself. Goes out: the same text as `serde_json` writes, byte
//! for byte, in less time: most of a message is strings and names, and those need a look at eight
//! bytes at a time, not at each. Numbers are left to `serde_json`.

mod text;

use std::fmt::{self, Write as _};

use serde::ser::{self, Error as _, Impossible, Serialize, Serializer};
use serde_json::Error;

use super::value::is_number_token;
use text::{escape, quote};

/// Writes one value to the end of a vector.
#[derive(Debug)]
pub(super) struct Writer<'o> {
    out: &'o mut Vec<u8>,
    /// The next string needs no escapes.
    plain: bool,
}

impl<'o> Writer<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, plain: false }
    }

    #[inline]
    fn text(&mut self, text: &str) {
        let plain = std::mem::take(&mut self.plain);
        quote(text.as_bytes(), plain, self.out);
    }

    fn number(&mut self, number: impl Serialize) -> Result<(), Error> {
        number.serialize(&mut serde_json::Serializer::new(&mut *self.out))
    }
}

/// A field's name that needs no escapes. Other serializers see a string; [`Writer`] copies it.
#[derive(Debug)]
pub(super) struct PlainName(pub(super) &'static str);

/// Says to [`Writer`] that a string needs no escapes.
const PLAIN: &str = "$a2a_wire::plain";

impl Serialize for PlainName {
    #[inline]
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_newtype_struct(PLAIN, self.0)
    }
}

impl<'w, 'o> Serializer for &'w mut Writer<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'w, 'o>;
    type SerializeTuple = Compound<'w, 'o>;
    type SerializeTupleStruct = Compound<'w, 'o>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Compound<'w, 'o>;
    type SerializeStruct = Compound<'w, 'o>;
    type SerializeStructVariant = Impossible<(), Error>;

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.out
            .extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.text(value);
        Ok(())
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        struct Escaped<'o>(&'o mut Vec<u8>);
        impl fmt::Write for Escaped<'_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                escape(text.as_bytes(), self.0);
                Ok(())
            }
        }
        self.out.push(b'"');
        write!(Escaped(self.out), "{value}").map_err(Error::custom)?;
        self.out.push(b'"');
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.text(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.number(value)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.plain = name == PLAIN;
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<(), Error> {
        Err(variants())
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Compound<'w, 'o>, Error> {
        self.out.push(b'[');
        Ok(Compound::new(self, b']'))
    }

    fn serialize_tuple(self, len: usize) -> Result<Compound<'w, 'o>, Error> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        len: usize,
    ) -> Result<Compound<'w, 'o>, Error> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        Err(variants())
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Compound<'w, 'o>, Error> {
        self.out.push(b'{');
        Ok(Compound::new(self, b'}'))
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Compound<'w, 'o>, Error> {
        // A number under serde_json's `arbitrary_precision`: its only field is its text.
        if is_number_token(name) {
            return Ok(Compound {
                writer: self,
                first: true,
                close: None,
            });
        }
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        Err(variants())
    }
}

/// Neither messages nor free JSON hold enums with data.
#[cold]
fn variants() -> Error {
    Error::custom("an enum with data is no part of a message")
}

/// An array or object that is being written.
#[derive(Debug)]
pub(super) struct Compound<'w, 'o> {
    writer: &'w mut Writer<'o>,
    first: bool,
    /// The closing bracket; `None` for a number that is written as a text without quotes.
    close: Option<u8>,
}

impl<'w, 'o> Compound<'w, 'o> {
    fn new(writer: &'w mut Writer<'o>, close: u8) -> Self {
        Self {
            writer,
            first: true,
            close: Some(close),
        }
    }

    fn comma(&mut self) {
        if self.first {
            self.first = false;
        } else {
            self.writer.out.push(b',');
        }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.comma();
        value.serialize(&mut *self.writer)
    }

    fn finish(self) {
        self.writer.out.extend(self.close);
    }
}

impl ser::SerializeSeq for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeTuple for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeTupleStruct for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.element(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeMap for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.comma();
        let start = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        // Keys of maps may be numbers and truth values, which JSON has as strings there.
        if self.writer.out.get(start) != Some(&b'"') {
            self.writer.out.insert(start, b'"');
            self.writer.out.push(b'"');
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.writer.out.push(b':');
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

impl ser::SerializeStruct for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        if self.close.is_some() {
            return ser::SerializeMap::serialize_entry(self, key, value);
        }
        let start = self.writer.out.len();
        value.serialize(&mut *self.writer)?;
        // The digits come as a string; they stand without quotes.
        if self.writer.out.get(start) == Some(&b'"') {
            self.writer.out.pop();
            self.writer.out.remove(start);
        }
        Ok(())
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

#[cfg(test)]
mod tests;

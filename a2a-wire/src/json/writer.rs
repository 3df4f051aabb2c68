//! Compact JSON into a vector, with strings copied in long runs.
//!
//! Comes in: anything that serialises itself. Goes out: the same text as `serde_json` writes, byte
//! for byte, in less time: most of a message is strings and names, and those need a look at eight
//! bytes at a time, not at each. Numbers are left to `serde_json`.

use std::fmt::{self, Write as _};

use serde::ser::{self, Error as _, Impossible, Serialize, Serializer};
use serde_json::Error;

use super::value::is_number_token;

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
        let text = text.as_bytes();
        let plain = std::mem::take(&mut self.plain);
        if quote_short(text, plain, self.out) {
            return;
        }
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        if plain {
            self.out.extend_from_slice(text);
        } else {
            escape(text, self.out);
        }
        self.out.push(b'"');
    }

    fn number(&mut self, number: impl Serialize) -> Result<(), Error> {
        number.serialize(&mut serde_json::Serializer::new(&mut *self.out))
    }
}

/// Appends a string of at most 15 bytes in quotes, unless it needs escapes or is longer: then
/// nothing is done. Most names and many values are no longer, and for them the way through slices
/// costs more than the bytes.
#[inline]
fn quote_short(text: &[u8], plain: bool, out: &mut Vec<u8>) -> bool {
    const QUOTE: u64 = b'"' as u64;
    let length = text.len();
    let end = out.len() + length + 2;
    // The bytes as a number, the first one lowest: put together from two pieces that cover them;
    // where these overlap, they agree. A copy of fixed length needs no call; what it has written
    // too much is cut off.
    if let (8..=15, Some(first), Some(last)) = (length, text.first_chunk(), text.last_chunk()) {
        let [first, last] = [first, last].map(|word| u64::from_le_bytes(*word));
        let plain = plain || (is_plain(first) && is_plain(last));
        if !plain {
            return false;
        }
        let bytes = u128::from(first) | u128::from(last) << (8 * (length - 8));
        let closed = bytes | u128::from(QUOTE) << (8 * length);
        out.push(b'"');
        out.extend_from_slice(&closed.to_le_bytes());
    } else {
        let bytes = match (length, text.first_chunk(), text.last_chunk()) {
            (..=7, Some(first), Some(last)) => {
                let [first, last] = [first, last].map(|half| u32::from_le_bytes(*half));
                u64::from(first) | u64::from(last) << (8 * (length - 4))
            }
            (1..=3, _, _) => {
                let at = |index: usize| u64::from(text[index]) << (8 * index);
                at(0) | at(length / 2) | at(length - 1)
            }
            (0, _, _) => 0,
            _ => return false,
        };
        if !plain && !is_plain(bytes | SPACES << (8 * length)) {
            return false;
        }
        let closed = bytes | QUOTE << (8 * length);
        out.push(b'"');
        out.extend_from_slice(&closed.to_le_bytes());
    }
    out.truncate(end);
    true
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
const SPACES: u64 = 0x2020_2020_2020_2020;

/// True when none of eight bytes needs an escape: none is below 0x20, a quote or a backslash.
#[inline]
fn is_plain(word: u64) -> bool {
    let quote = word ^ (ONES * 0x22);
    let backslash = word ^ (ONES * 0x5c);
    // Each term has a bit set when there is such a byte, and none when there is not.
    ((word.wrapping_sub(SPACES) & !word)
        | (quote.wrapping_sub(ONES) & !quote)
        | (backslash.wrapping_sub(ONES) & !backslash))
        & HIGH
        == 0
}

/// Appends bytes of a string, escaped as JSON wants it: words without escapes in long runs, others
/// byte by byte.
fn escape(mut text: &[u8], out: &mut Vec<u8>) {
    loop {
        let (plain, rest) = text.split_at(plain_prefix(text));
        out.extend_from_slice(plain);
        if rest.is_empty() {
            return;
        }
        let (word, rest) = rest.split_at(rest.len().min(8));
        escape_each(word, out);
        text = rest;
    }
}

/// The bytes at the start of a text, in words of eight, that need no escape; the last word may
/// be shorter.
fn plain_prefix(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks::<8>();
    let plain = |word: &[u8; 8]| is_plain(u64::from_le_bytes(*word));
    if let Some(found) = words.iter().position(|word| !plain(word)) {
        return found * 8;
    }
    // The words are plain, so the last eight bytes say of the rest whether it is.
    let all = match text.last_chunk() {
        Some(word) => plain(word),
        None => text.iter().all(|byte| ESCAPES[usize::from(*byte)] == 0),
    };
    if all {
        text.len()
    } else {
        text.len() - rest.len()
    }
}

/// Appends a few bytes one by one.
fn escape_each(bytes: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.reserve(2 * bytes.len());
    for byte in bytes {
        match ESCAPES[usize::from(*byte)] {
            0 => out.push(*byte),
            b'u' => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(byte >> 4)]);
                out.push(HEX[usize::from(byte & 15)]);
            }
            short => {
                out.push(b'\\');
                out.push(short);
            }
        }
    }
}

/// What stands behind the backslash of a byte that needs an escape: `u` for four hexadecimal
/// digits; 0 for a byte that needs none.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = b'u';
        byte += 1;
    }
    table[0x08] = b'b';
    table[b'\t' as usize] = b't';
    table[b'\n' as usize] = b'n';
    table[0x0c] = b'f';
    table[b'\r' as usize] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

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
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn written(value: &impl Serialize) -> String {
        let mut out = Vec::new();
        value.serialize(&mut Writer::new(&mut out)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_byte_is_written_as_serde_json_writes_it() {
        // Each character at each place of a word.
        for character in (0..=0x7f_u8)
            .map(char::from)
            .chain(['é', '€', '😀', '\u{2028}', '\u{80}'])
        {
            for before in 0..17 {
                let text = format!("{}{character}{}", "x".repeat(before), "yé".repeat(before));
                assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
            }
        }
    }

    #[test]
    fn strings_of_every_length_with_an_escape_anywhere() {
        for length in 0..50 {
            let plain: String = ('0'..).take(length).collect();
            for text in [&plain, &plain.replace('\\', "/")] {
                assert_eq!(written(text), serde_json::to_string(text).unwrap());
            }
            for at in 0..length {
                for character in ['"', '\\', '\n', '\u{1f}', ' ', '!', '#', '\u{7f}'] {
                    let mut text = "a".repeat(length);
                    text.replace_range(at..=at, character.encode_utf8(&mut [0; 4]));
                    assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
                }
            }
        }
    }

    #[test]
    fn names_are_copied_whatever_their_length() {
        const NAMES: &str = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
        for length in 0..NAMES.len() {
            let name = &NAMES[..length];
            assert_eq!(written(&PlainName(name)), format!("{name:?}"));
        }
    }

    #[test]
    fn plain_names_are_strings_to_others() {
        struct Entries;
        impl Serialize for Entries {
            fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
                output.collect_map([(PlainName("a"), "\"")])
            }
        }
        assert_eq!(written(&Entries), r#"{"a":"\""}"#);
        assert_eq!(serde_json::to_string(&Entries).unwrap(), r#"{"a":"\""}"#);
        assert_eq!(serde_json::to_value(Entries).unwrap(), json!({"a": "\""}));
    }

    #[test]
    fn maps_have_string_keys() {
        let map = std::collections::BTreeMap::from([(-5, true), (7, false)]);
        assert_eq!(written(&map), r#"{"-5":true,"7":false}"#);
        assert_eq!(
            written(&std::collections::BTreeMap::from([(true, 1)])),
            r#"{"true":1}"#
        );
    }

    #[test]
    fn displayed_values_are_escaped() {
        struct Shown;
        impl Serialize for Shown {
            fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
                output.collect_str("a\"\n")
            }
        }
        assert_eq!(written(&Shown), r#""a\"\n""#);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[\\x00-\\x7f]{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..8)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_json_is_written_as_serde_json_writes_it(value in any_json()) {
            prop_assert_eq!(written(&value), serde_json::to_string(&value).unwrap());
        }
    }

    #[test]
    fn numbers_of_all_sizes() {
        let value = json!([0, -1, 1.5, -0.0, 1e300, u64::MAX, i64::MIN, 0.1]);
        assert_eq!(written(&value), serde_json::to_string(&value).unwrap());
    }
}

//! Protobuf of `Struct`, `Value` and `ListValue`, written by hand over `serde_json`.
//!
//! Reading recurses through [`prost::encoding::message::merge`], so prost's own depth guard counts
//! every level. Writing measures each nested value once, before the first byte is written.

use bytes::{Buf, BufMut};
use prost::encoding::{
    DecodeContext, WireType, double, encode_key, encode_varint, encoded_len_varint, int32, message,
    skip_field, string,
};
use prost::{DecodeError, Message};
use serde_json::{Map, Number, Value as Json};

use super::{ListValue, Struct, Value};

// Field numbers of google.protobuf.Value.
const NULL: u32 = 1;
const NUMBER: u32 = 2;
const STRING: u32 = 3;
const BOOL: u32 = 4;
const STRUCT: u32 = 5;
const LIST: u32 = 6;

// Field numbers of Struct, of the entries of its map, and of ListValue.
const FIELDS: u32 = 1;
const KEY: u32 = 1;
const VALUE: u32 = 2;
const VALUES: u32 = 1;

/// An entry of `Struct.fields`.
#[derive(Default, Debug)]
struct Entry {
    key: String,
    value: Value,
}

impl Message for Struct {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        let mut lengths = Lengths::default();
        lengths.object(&self.0);
        write_object(&self.0, &mut lengths.read(1), buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        if tag != FIELDS {
            return skip_field(wire_type, tag, buf, ctx);
        }
        let mut entry = Entry::default();
        message::merge(wire_type, &mut entry, buf, ctx)
            .map_err(|error| located(error, "Struct", "fields"))?;
        self.0.insert(entry.key, entry.value.0);
        Ok(())
    }

    fn encoded_len(&self) -> usize {
        Lengths::default().object(&self.0)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl Message for ListValue {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        let mut lengths = Lengths::default();
        lengths.array(&self.0);
        write_array(&self.0, &mut lengths.read(1), buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        if tag != VALUES {
            return skip_field(wire_type, tag, buf, ctx);
        }
        let mut value = Value::default();
        message::merge(wire_type, &mut value, buf, ctx)
            .map_err(|error| located(error, "ListValue", "values"))?;
        self.0.push(value.0);
        Ok(())
    }

    fn encoded_len(&self) -> usize {
        Lengths::default().array(&self.0)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl Message for Value {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        let mut lengths = Lengths::default();
        lengths.value(&self.0);
        write_value(&self.0, &mut lengths.read(0), buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        match tag {
            NULL => {
                int32::merge(wire_type, &mut 0, buf, ctx)
                    .map_err(|error| located(error, "Value", "null_value"))?;
                self.0 = Json::Null;
            }
            NUMBER => {
                let mut number = 0.0;
                double::merge(wire_type, &mut number, buf, ctx)
                    .and_then(|()| read_number(number))
                    .map(|number| self.0 = Json::Number(number))
                    .map_err(|error| located(error, "Value", "number_value"))?;
            }
            STRING => {
                let mut text = String::new();
                string::merge(wire_type, &mut text, buf, ctx)
                    .map_err(|error| located(error, "Value", "string_value"))?;
                self.0 = Json::String(text);
            }
            BOOL => {
                let mut truth = false;
                prost::encoding::bool::merge(wire_type, &mut truth, buf, ctx)
                    .map_err(|error| located(error, "Value", "bool_value"))?;
                self.0 = Json::Bool(truth);
            }
            // A second struct or list is merged into the first one, as the protobuf rules for
            // members of a oneof have it.
            STRUCT => {
                let mut object = Struct(match self.0.take() {
                    Json::Object(object) => object,
                    _ => Map::new(),
                });
                message::merge(wire_type, &mut object, buf, ctx)
                    .map_err(|error| located(error, "Value", "struct_value"))?;
                self.0 = Json::Object(object.0);
            }
            LIST => {
                let mut list = ListValue(match self.0.take() {
                    Json::Array(list) => list,
                    _ => Vec::new(),
                });
                message::merge(wire_type, &mut list, buf, ctx)
                    .map_err(|error| located(error, "Value", "list_value"))?;
                self.0 = Json::Array(list.0);
            }
            _ => skip_field(wire_type, tag, buf, ctx)?,
        }
        Ok(())
    }

    fn encoded_len(&self) -> usize {
        Lengths::default().value(&self.0)
    }

    fn clear(&mut self) {
        self.0 = Json::Null;
    }
}

impl Message for Entry {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        string::encode(KEY, &self.key, buf);
        message::encode(VALUE, &self.value, buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        match tag {
            KEY => string::merge(wire_type, &mut self.key, buf, ctx),
            VALUE => message::merge(wire_type, &mut self.value, buf, ctx),
            _ => skip_field(wire_type, tag, buf, ctx),
        }
    }

    fn encoded_len(&self) -> usize {
        string::encoded_len(KEY, &self.key) + message::encoded_len(VALUE, &self.value)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

fn located(mut error: DecodeError, message: &'static str, field: &'static str) -> DecodeError {
    error.push(message, field);
    error
}

/// A double as JSON has it: whole numbers become integers, so that they print without `.0`.
fn read_number(number: f64) -> Result<Number, DecodeError> {
    // 2^63 and 2^64 are exact as f64; below them a whole double is exact as an integer. Minus zero
    // is kept as it is.
    const I64_END: f64 = 9_223_372_036_854_775_808.0;
    const U64_END: f64 = 18_446_744_073_709_551_616.0;
    if number.fract() == 0.0 && !(number == 0.0 && number.is_sign_negative()) {
        if (-I64_END..I64_END).contains(&number) {
            #[allow(clippy::cast_possible_truncation, reason = "whole and in range")]
            return Ok(Number::from(number as i64));
        }
        if (0.0..U64_END).contains(&number) {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole and in range"
            )]
            return Ok(Number::from(number as u64));
        }
    }
    // There is no other way to refuse a value that is no valid Value: JSON has neither NaN nor
    // infinities.
    #[allow(
        deprecated,
        reason = "prost offers nothing else to hand-written messages"
    )]
    Number::from_f64(number)
        .ok_or_else(|| DecodeError::new("NaN and infinities are no JSON values"))
}

/// Body lengths of the objects and arrays in a value, in the order in which they are written.
///
/// Scalars are measured where they are written; only what nests is kept, so a flat object needs
/// one entry.
#[derive(Default)]
struct Lengths(Vec<usize>);

/// The lengths in writing order.
struct Reader {
    lengths: Vec<usize>,
    next: usize,
}

impl Reader {
    fn take(&mut self) -> usize {
        let length = self.lengths.get(self.next).copied().unwrap_or_default();
        self.next += 1;
        length
    }
}

impl Lengths {
    /// For writing; `skip` entries at the start belong to a container whose length the caller has
    /// already written.
    fn read(self, skip: usize) -> Reader {
        Reader {
            lengths: self.0,
            next: skip,
        }
    }

    fn object(&mut self, object: &Map<String, Json>) -> usize {
        let slot = self.reserve();
        let length = object
            .iter()
            .map(|(key, value)| field_len(entry_len(key, self.value(value))))
            .sum();
        self.0[slot] = length;
        length
    }

    fn array(&mut self, array: &[Json]) -> usize {
        let slot = self.reserve();
        let length = array.iter().map(|value| field_len(self.value(value))).sum();
        self.0[slot] = length;
        length
    }

    fn value(&mut self, value: &Json) -> usize {
        match value {
            Json::Object(object) => field_len(self.object(object)),
            Json::Array(array) => field_len(self.array(array)),
            scalar => scalar_len(scalar),
        }
    }

    fn reserve(&mut self) -> usize {
        self.0.push(0);
        self.0.len() - 1
    }
}

/// Length of a length-delimited field with a one-byte key.
fn field_len(body: usize) -> usize {
    1 + encoded_len_varint(body as u64) + body
}

fn entry_len(key: &str, value: usize) -> usize {
    field_len(key.len()) + field_len(value)
}

fn scalar_len(value: &Json) -> usize {
    match value {
        Json::Null | Json::Bool(_) => 2,
        Json::Number(number) => match number.as_f64() {
            Some(_) => 9,
            None => field_len(number.to_string().len()),
        },
        Json::String(text) => field_len(text.len()),
        Json::Object(_) | Json::Array(_) => 0,
    }
}

fn write_object(object: &Map<String, Json>, lengths: &mut Reader, buf: &mut impl BufMut) {
    for (key, value) in object {
        let value_len = value_len(value, lengths);
        write_head(FIELDS, entry_len(key, value_len), buf);
        write_text(KEY, key, buf);
        write_head(VALUE, value_len, buf);
        write_value(value, lengths, buf);
    }
}

fn write_array(array: &[Json], lengths: &mut Reader, buf: &mut impl BufMut) {
    for value in array {
        write_head(VALUES, value_len(value, lengths), buf);
        write_value(value, lengths, buf);
    }
}

/// Length of a value whose turn is next, without taking it.
fn value_len(value: &Json, lengths: &Reader) -> usize {
    match value {
        Json::Object(_) | Json::Array(_) => field_len(
            lengths
                .lengths
                .get(lengths.next)
                .copied()
                .unwrap_or_default(),
        ),
        scalar => scalar_len(scalar),
    }
}

fn write_value(value: &Json, lengths: &mut Reader, buf: &mut impl BufMut) {
    match value {
        Json::Null => {
            encode_key(NULL, WireType::Varint, buf);
            encode_varint(0, buf);
        }
        Json::Bool(truth) => {
            encode_key(BOOL, WireType::Varint, buf);
            encode_varint(u64::from(*truth), buf);
        }
        Json::Number(number) => match number.as_f64() {
            Some(number) => {
                encode_key(NUMBER, WireType::SixtyFourBit, buf);
                buf.put_f64_le(number);
            }
            // Only with serde_json's `arbitrary_precision`: more than a double can hold. Its digits
            // are worth more than an infinity, which no reader could turn back into JSON.
            None => write_text(STRING, &number.to_string(), buf),
        },
        Json::String(text) => write_text(STRING, text, buf),
        Json::Object(object) => {
            write_head(STRUCT, lengths.take(), buf);
            write_object(object, lengths, buf);
        }
        Json::Array(array) => {
            write_head(LIST, lengths.take(), buf);
            write_array(array, lengths, buf);
        }
    }
}

fn write_head(tag: u32, length: usize, buf: &mut impl BufMut) {
    encode_key(tag, WireType::LengthDelimited, buf);
    encode_varint(length as u64, buf);
}

fn write_text(tag: u32, text: &str, buf: &mut impl BufMut) {
    write_head(tag, text.len(), buf);
    buf.put_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn through_protobuf(value: Json) -> Json {
        let bytes = Value(value.clone()).encode_to_vec();
        assert_eq!(bytes.len(), Value(value).encoded_len());
        Value::decode(bytes.as_slice()).unwrap().0
    }

    #[test]
    fn values_survive_protobuf() {
        for value in [
            json!(null),
            json!(true),
            json!(0),
            json!(-7),
            json!(2.5),
            json!(9_007_199_254_740_991_i64),
            json!(""),
            json!("é😀\u{2028}"),
            json!([]),
            json!({}),
            json!({"a": {}, "b": [], "c": null}),
            json!([[[1, [2]], {"k": [{"x": "y"}]}], 3]),
            json!({"": ""}),
        ] {
            assert_eq!(through_protobuf(value.clone()), value);
        }
    }

    #[test]
    fn whole_doubles_are_read_as_integers() {
        for (wire, text) in [
            (1.0, "1"),
            (-3.0, "-3"),
            (1e18, "1000000000000000000"),
            (1e19, "10000000000000000000"),
            (0.5, "0.5"),
            (0.0, "0"),
        ] {
            let mut bytes = vec![0x11];
            bytes.extend_from_slice(&f64::to_le_bytes(wire));
            assert_eq!(Value::decode(bytes.as_slice()).unwrap().0.to_string(), text);
        }
    }

    #[test]
    fn what_json_cannot_hold_is_refused() {
        for wire in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut bytes = vec![0x11];
            bytes.extend_from_slice(&wire.to_le_bytes());
            let error = Value::decode(bytes.as_slice()).unwrap_err().to_string();
            assert!(
                error.contains("Value.number_value") && error.contains("NaN and infinities"),
                "{error}"
            );
        }
    }

    #[test]
    fn an_unset_kind_is_null_and_null_is_written() {
        assert_eq!(Value::decode(&[][..]).unwrap(), Value(Json::Null));
        assert_eq!(Value(Json::Null).encode_to_vec(), [0x08, 0]);
        // A list of one unset value.
        assert_eq!(ListValue::decode(&[0x0a, 0][..]).unwrap().0, [Json::Null]);
    }

    #[test]
    fn repeated_members_merge_and_the_last_kind_wins() {
        let mut bytes = Value(json!({"a": 1, "b": 2})).encode_to_vec();
        bytes.extend(Value(json!({"b": 3, "c": 4})).encode_to_vec());
        assert_eq!(
            Value::decode(bytes.as_slice()).unwrap().0,
            json!({"a": 1, "b": 3, "c": 4})
        );
        bytes.extend(Value(json!("x")).encode_to_vec());
        assert_eq!(Value::decode(bytes.as_slice()).unwrap().0, json!("x"));
        let mut bytes = Value(json!([1])).encode_to_vec();
        bytes.extend(Value(json!([2])).encode_to_vec());
        assert_eq!(Value::decode(bytes.as_slice()).unwrap().0, json!([1, 2]));
    }

    #[test]
    fn unknown_fields_are_skipped() {
        // Field 15, varint 1, before a bool.
        assert_eq!(
            Value::decode(&[0x78, 1, 0x20, 1][..]).unwrap().0,
            json!(true)
        );
    }

    #[test]
    fn nesting_is_bounded_when_read_and_not_when_written() {
        let deep = (0..120).fold(json!(1), |inner, _| json!([inner]));
        let bytes = Value(deep).encode_to_vec();
        let error = Value::decode(bytes.as_slice()).unwrap_err().to_string();
        assert!(error.contains("recursion limit"), "{error}");
        let fine = (0..30).fold(json!(1), |inner, _| json!({"k": inner}));
        assert_eq!(through_protobuf(fine.clone()), fine);
    }
}

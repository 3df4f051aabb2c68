//! Protobuf that is weighed before it is read.
//!
//! Comes in: bytes and the [`Shape`] of a message, a generated table. Goes out: the message, or an
//! error when the bytes ask for more memory than their length justifies: an empty element of a list
//! takes two bytes on the wire, and a hundred times as much in memory. The budget is that of
//! [`json`](crate::json#budget), so that one limit on the size of a request holds on all bindings.

use std::fmt;

use serde_json::Value as Json;

use crate::json::context::{SHORT_TEXT, TOO_MANY, budget, map_entry};

/// Bytes that are no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
    too_large: bool,
}

impl Error {
    /// True when the bytes are protobuf, but ask for too much memory.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        self.too_large
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Reads a message after it was weighed. Called by generated code.
///
/// # Errors
/// When the bytes are no protobuf of this type, or ask for too much memory.
pub fn read<M: prost::Message + Default>(shape: &Shape, bytes: &[u8]) -> Result<M, Error> {
    let mut left = budget(bytes.len());
    if !weigh(bytes, shape, &mut left, DEEPEST) {
        return Err(Error {
            message: TOO_MANY.to_owned(),
            too_large: true,
        });
    }
    // From a slice, not from `Bytes`: a field of bytes would share them, and so keep the whole
    // request for as long as the message lives.
    M::decode(bytes).map_err(|error| Error {
        message: error.to_string(),
        too_large: false,
    })
}

/// What the fields of a message cost. Generated.
#[derive(Debug)]
pub struct Shape {
    /// Fields that cost more than their bytes on the wire, or hold such fields.
    pub fields: &'static [Cost],
}

/// What one occurrence of a field costs.
#[derive(Debug)]
pub struct Cost {
    number: u32,
    kept: Kept,
    below: Option<fn() -> &'static Shape>,
}

/// How a field's values are kept. Sizes are those of one value in memory.
#[derive(Debug, Clone, Copy)]
enum Kept {
    /// In the message itself.
    Inline,
    /// In a box.
    Box(usize),
    /// In a string or bytes.
    Text,
    /// In a list.
    List(usize),
    /// In a list of strings or bytes.
    TextList(usize),
    /// In a list of numbers, which may come packed.
    NumberList(usize),
    /// In a map.
    Map(usize),
}

impl Cost {
    const fn new(number: u32, kept: Kept) -> Self {
        Self {
            number,
            kept,
            below: None,
        }
    }

    /// A message in its parent.
    #[must_use]
    pub const fn inline(number: u32) -> Self {
        Self::new(number, Kept::Inline)
    }

    /// A message in a box.
    #[must_use]
    pub const fn boxed<T>(number: u32) -> Self {
        Self::new(number, Kept::Box(size_of::<T>()))
    }

    /// A string or bytes.
    #[must_use]
    pub const fn text(number: u32) -> Self {
        Self::new(number, Kept::Text)
    }

    /// A list.
    #[must_use]
    pub const fn list<T>(number: u32) -> Self {
        Self::new(number, Kept::List(size_of::<T>()))
    }

    /// A list of strings or bytes.
    #[must_use]
    pub const fn texts<T>(number: u32) -> Self {
        Self::new(number, Kept::TextList(size_of::<T>()))
    }

    /// A list of numbers.
    #[must_use]
    pub const fn numbers<T>(number: u32) -> Self {
        Self::new(number, Kept::NumberList(size_of::<T>()))
    }

    /// A map.
    #[must_use]
    pub const fn map<K, V>(number: u32) -> Self {
        Self::new(number, Kept::Map(size_of::<K>() + size_of::<V>()))
    }

    /// The same field, which holds messages of this shape.
    #[must_use]
    pub const fn of(self, below: fn() -> &'static Shape) -> Self {
        Self {
            below: Some(below),
            ..self
        }
    }
}

/// As deep as prost goes; what is deeper is refused by it.
const DEEPEST: u32 = 100;

/// Subtracts what the fields of a message cost; false when it is more than there is.
///
/// Bytes that are no protobuf are weighed up to the fault: there prost stops reading, too.
fn weigh(mut bytes: &[u8], shape: &Shape, left: &mut usize, depth: u32) -> bool {
    let mut before = 0;
    while let Some(key) = take_varint(&mut bytes) {
        let Ok(number) = u32::try_from(key >> 3) else {
            return true;
        };
        let cost = shape.fields.iter().find(|cost| cost.number == number);
        let (payload, packed): (&[u8], bool) = match key & 7 {
            0 => match take_varint(&mut bytes) {
                Some(_) => (&[], false),
                None => return true,
            },
            1 => match bytes.split_off(..8) {
                Some(_) => (&[], false),
                None => return true,
            },
            5 => match bytes.split_off(..4) {
                Some(_) => (&[], false),
                None => return true,
            },
            2 => {
                let payload = take_varint(&mut bytes)
                    .and_then(|length| usize::try_from(length).ok())
                    .and_then(|length| bytes.split_off(..length));
                match payload {
                    Some(payload) => (payload, true),
                    None => return true,
                }
            }
            // Groups: what is inside is weighed as if it stood outside.
            3 | 4 => (&[], false),
            _ => return true,
        };
        if let Some(cost) = cost {
            let price = match cost.kept {
                Kept::Inline => 0,
                Kept::Box(size) => size,
                Kept::Text => SHORT_TEXT,
                // Lists double when they grow.
                Kept::List(size) => 2 * size,
                Kept::TextList(size) => 2 * size + SHORT_TEXT,
                // A number takes at least one byte.
                Kept::NumberList(size) if packed => 2 * size * payload.len(),
                Kept::NumberList(size) => 2 * size,
                Kept::Map(size) => map_entry(size, before != number) + SHORT_TEXT,
            };
            match left.checked_sub(price) {
                Some(rest) => *left = rest,
                None => return false,
            }
            if let Some(below) = cost.below
                && packed
                && depth > 0
                && !weigh(payload, below(), left, depth - 1)
            {
                return false;
            }
        }
        before = number;
    }
    true
}

/// Takes a varint off the start, as prost reads it: at most ten bytes.
fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(value);
        }
    }
    None
}

/// `google.protobuf.Value`.
#[must_use]
pub fn value() -> &'static Shape {
    static SHAPE: Shape = Shape {
        fields: &[
            Cost::text(3),
            Cost::inline(5).of(object),
            Cost::inline(6).of(list),
        ],
    };
    &SHAPE
}

/// `google.protobuf.Struct`.
#[must_use]
pub fn object() -> &'static Shape {
    static SHAPE: Shape = Shape {
        fields: &[Cost::map::<String, Json>(1).of(entry)],
    };
    &SHAPE
}

/// `google.protobuf.ListValue`.
#[must_use]
pub fn list() -> &'static Shape {
    static SHAPE: Shape = Shape {
        fields: &[Cost::list::<Json>(1).of(value)],
    };
    &SHAPE
}

/// An entry of a `Struct`.
fn entry() -> &'static Shape {
    static SHAPE: Shape = Shape {
        fields: &[Cost::inline(2).of(value)],
    };
    &SHAPE
}

/// `google.protobuf.FieldMask`.
#[must_use]
pub fn field_mask() -> &'static Shape {
    static SHAPE: Shape = Shape {
        fields: &[Cost::texts::<String>(1)],
    };
    &SHAPE
}

/// A message that holds nothing of weight.
#[must_use]
pub fn nothing() -> &'static Shape {
    static SHAPE: Shape = Shape { fields: &[] };
    &SHAPE
}

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use serde_json::json;

    use super::*;
    use crate::types::Value;

    fn weight(bytes: &[u8], shape: &Shape) -> usize {
        let mut left = usize::MAX;
        assert!(weigh(bytes, shape, &mut left, DEEPEST));
        usize::MAX - left
    }

    #[test]
    fn free_json_weighs_what_it_takes() {
        let of = |value: serde_json::Value| weight(&Value(value).encode_to_vec(), value_shape());
        fn value_shape() -> &'static Shape {
            super::value()
        }
        let json = size_of::<Json>();
        assert_eq!(of(json!(null)), 0);
        assert_eq!(of(json!(1.5)), 0);
        assert_eq!(of(json!("a")), SHORT_TEXT);
        assert_eq!(of(json!([1, 2, 3])), 3 * 2 * json);
        assert_eq!(of(json!([[1], ["a"]])), 4 * 2 * json + SHORT_TEXT);
        let entry = size_of::<String>() + json;
        assert_eq!(of(json!({"a": 1})), map_entry(entry, true) + SHORT_TEXT);
        assert_eq!(
            of(json!({"a": 1, "b": 2})),
            map_entry(entry, true) + map_entry(entry, false) + 2 * SHORT_TEXT
        );
    }

    #[test]
    fn every_wire_type_is_stepped_over() {
        static SHAPE: Shape = Shape {
            fields: &[
                Cost::numbers::<u64>(1),
                Cost::texts::<[u8; 24]>(2),
                Cost::boxed::<[u8; 100]>(3).of(nothing),
            ],
        };
        for (bytes, expected) in [
            (&[][..], 0),
            // Varint, packed varints, 64 bits, 32 bits.
            (&[0x08, 0x80, 0x01], 16),
            (&[0x0a, 3, 1, 2, 3], 48),
            (&[0x09, 0, 0, 0, 0, 0, 0, 0, 0], 16),
            (&[0x0d, 0, 0, 0, 0], 16),
            (&[0x12, 0, 0x12, 1, b'a'], 2 * (48 + SHORT_TEXT)),
            (&[0x1a, 0], 100),
            // Unknown fields, a group among them, and then a known one.
            (&[0x78, 1, 0x7a, 1, 9, 0x7b, 0x1a, 0, 0x7c, 0x1a, 0], 200),
            // Faults end the weighing.
            (&[0x1a, 0, 0x0a, 5, 1], 100),
            (&[0x1a, 0, 0x08], 100),
            (&[0x1a, 0, 0x0f], 100),
            (
                &[
                    0x1a, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
                ],
                100,
            ),
        ] {
            assert_eq!(weight(bytes, &SHAPE), expected, "{bytes:?}");
        }
    }

    #[test]
    fn more_than_the_budget_is_refused() {
        let mut left = 3 * 2 * size_of::<Json>();
        let bytes = Value(json!([1, 2, 3, 4])).encode_to_vec();
        assert!(!weigh(&bytes, value(), &mut left, DEEPEST));
    }

    #[test]
    fn nesting_is_followed_as_deep_as_prost_goes() {
        let mut bytes = vec![0x1a, 0];
        for level in 0..1000 {
            // Lists in values, values in lists.
            let mut outer = vec![if level % 2 == 0 { 0x0a } else { 0x32 }];
            prost::encoding::encode_varint(bytes.len() as u64, &mut outer);
            outer.extend(bytes);
            bytes = outer;
        }
        let mut left = usize::MAX;
        assert!(weigh(&bytes, value(), &mut left, DEEPEST));
        assert!(Value::decode(bytes.as_slice()).is_err());
    }
}

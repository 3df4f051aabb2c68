//! Well-known types of `google.protobuf`, as Rust wants them.

use bytes::{Buf, BufMut, Bytes};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType};

/// `google.protobuf.Struct`: a JSON object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Struct(pub serde_json::Map<String, serde_json::Value>);

/// `google.protobuf.Value`: any JSON value; the default is `null`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Value(pub serde_json::Value);

/// `google.protobuf.ListValue`: a JSON array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListValue(pub Vec<serde_json::Value>);

macro_rules! bootstrap {
    ($($t:ty),*) => {$(
        impl prost::Message for $t {
            fn encode_raw(&self, _: &mut impl BufMut) {}
            fn merge_field(&mut self, tag: u32, wire: WireType, buf: &mut impl Buf, ctx: DecodeContext) -> Result<(), DecodeError> {
                prost::encoding::skip_field(wire, tag, buf, ctx)
            }
            fn encoded_len(&self) -> usize { 0 }
            fn clear(&mut self) { *self = Self::default(); }
        }
    )*};
}
bootstrap!(Struct, Value, ListValue);

/// `google.protobuf.Timestamp`: a moment in UTC.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Message)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// Nanoseconds within the second, 0 to 999 999 999.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

/// `google.protobuf.Duration`: a span of time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, prost::Message)]
pub struct Duration {
    /// Whole seconds.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// Nanoseconds, of the same sign.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

/// `google.protobuf.FieldMask`: a set of field paths.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct FieldMask {
    /// Dotted paths in proto names.
    #[prost(string, repeated, tag = "1")]
    pub paths: Vec<String>,
}

/// `google.protobuf.Any`: a message of a named type.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct Any {
    /// `type.googleapis.com/` and the full proto name.
    #[prost(string, tag = "1")]
    pub type_url: String,
    /// The encoded message.
    #[prost(bytes = "bytes", tag = "2")]
    pub value: Bytes,
}

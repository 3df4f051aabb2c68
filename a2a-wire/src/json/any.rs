//! `Any`: an object with `@type`, for the few types that are known here.

use std::fmt;

use prost::Message as _;
use serde::de::{self, MapAccess};
use serde::ser::{self, SerializeMap, Serializer};
use serde_json::{Map, Value as Json};

use super::codec::{As, Codec};
use super::context::Context;
use super::message::{Fields, JsonMessage, Message};
use super::value::Struct as AnyObject;
use super::{number, scalar, value, wellknown};
use crate::path::{Segment, shortened};
use crate::rpc::{BadRequest, ErrorInfo, RetryInfo, Status};
use crate::types;

const KNOWN: &str = "google.rpc.ErrorInfo, google.rpc.BadRequest, google.rpc.RetryInfo, google.rpc.Status and the types of google.protobuf";

/// `google.protobuf.Any`.
#[derive(Debug)]
pub struct Any;

impl Codec for Any {
    type Value = types::Any;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with @type")
    }

    fn object<'de, A: MapAccess<'de>>(cx: &Context, input: A) -> Result<types::Any, A::Error> {
        // `@type` may come anywhere, so the members are kept until it is known.
        let mut members = AnyObject::object(cx, input)?.0;
        let type_url = match members.remove("@type") {
            Some(Json::String(url)) => url,
            Some(_) => {
                return Err(cx.inside(
                    Segment::Key("@type".to_owned()),
                    cx.fault("expected a string"),
                ));
            }
            None if members.is_empty() => return Ok(types::Any::default()),
            None => {
                return Err(
                    cx.fault("expected an object with @type, which names the type of the message")
                );
            }
        };
        match pack(cx, type_url.rsplit('/').next().unwrap_or_default(), members) {
            Some(Ok(value)) => Ok(types::Any {
                type_url,
                value: value.into(),
            }),
            Some(Err(error)) => Err(cx.fault(error)),
            None => Err(cx.fault(unknown(&type_url))),
        }
    }

    fn write<S: Serializer>(cx: &Context, any: &types::Any, output: S) -> Result<S::Ok, S::Error> {
        let mut output = output.serialize_map(None)?;
        if !any.type_url.is_empty() || !any.value.is_empty() {
            output.serialize_entry("@type", &any.type_url)?;
            unpack(cx, any, &mut output)?;
        }
        output.end()
    }
}

fn unknown(type_url: &str) -> String {
    format!(
        "the JSON of {:?} is not known here; an Any may hold {KNOWN}",
        shortened(type_url, 80)
    )
}

/// Reads the members as the named type, and encodes it. `None` when the type is not known.
fn pack(
    cx: &Context,
    name: &str,
    mut members: Map<String, Json>,
) -> Option<Result<Vec<u8>, serde_json::Error>> {
    fn message<M: JsonMessage + prost::Message>(
        cx: &Context,
        members: Map<String, Json>,
    ) -> Option<Result<Vec<u8>, serde_json::Error>> {
        let read = Message::<M>::read(cx, Json::Object(members));
        Some(read.map(|message| {
            message
                .map(|message| message.encode_to_vec())
                .unwrap_or_default()
        }))
    }
    fn member<C: Codec<Value: prost::Message>>(
        cx: &Context,
        members: &mut Map<String, Json>,
    ) -> Option<Result<Vec<u8>, serde_json::Error>> {
        let Some(value) = members.remove("value") else {
            return Some(Err(de::Error::custom("expected a member named value")));
        };
        let read =
            C::read(cx, value).map_err(|error| cx.inside(Segment::Key("value".to_owned()), error));
        Some(read.map(|value| value.map(|value| value.encode_to_vec()).unwrap_or_default()))
    }
    match name {
        "google.rpc.ErrorInfo" => message::<ErrorInfo>(cx, members),
        "google.rpc.BadRequest" => message::<BadRequest>(cx, members),
        "google.rpc.RetryInfo" => message::<RetryInfo>(cx, members),
        "google.rpc.Status" => message::<Status>(cx, members),
        "google.protobuf.Empty" => Some(Ok(Vec::new())),
        "google.protobuf.Timestamp" => member::<wellknown::Timestamp<0>>(cx, &mut members),
        "google.protobuf.Duration" => member::<wellknown::Duration>(cx, &mut members),
        "google.protobuf.FieldMask" => member::<wellknown::FieldMask>(cx, &mut members),
        "google.protobuf.Struct" => member::<AnyObject>(cx, &mut members),
        "google.protobuf.Value" => member::<value::Value>(cx, &mut members),
        "google.protobuf.ListValue" => member::<value::ListValue>(cx, &mut members),
        "google.protobuf.BoolValue" => member::<scalar::Bool>(cx, &mut members),
        "google.protobuf.StringValue" => member::<scalar::Str>(cx, &mut members),
        "google.protobuf.BytesValue" => member::<scalar::Bytes>(cx, &mut members),
        "google.protobuf.Int32Value" => member::<number::Int32>(cx, &mut members),
        "google.protobuf.Int64Value" => member::<number::Int64>(cx, &mut members),
        "google.protobuf.UInt32Value" => member::<number::Uint32>(cx, &mut members),
        "google.protobuf.UInt64Value" => member::<number::Uint64>(cx, &mut members),
        "google.protobuf.FloatValue" => member::<number::Float>(cx, &mut members),
        "google.protobuf.DoubleValue" => member::<number::Double>(cx, &mut members),
        _ => None,
    }
}

/// Writes the members of what an `Any` holds.
fn unpack<S: SerializeMap>(cx: &Context, any: &types::Any, output: &mut S) -> Result<(), S::Error> {
    fn decoded<M: prost::Message + Default, E: ser::Error>(
        cx: &Context,
        any: &types::Any,
    ) -> Result<M, E> {
        M::decode(any.value.clone()).map_err(|error| {
            cx.unwritable(format_args!(
                "the bytes are no {}: {error}",
                shortened(any.type_name(), 80)
            ))
        })
    }
    fn message<M: JsonMessage + prost::Message, S: SerializeMap>(
        cx: &Context,
        any: &types::Any,
        output: &mut S,
    ) -> Result<(), S::Error> {
        decoded::<M, S::Error>(cx, any)?.write_fields(&mut Fields::new::<M>(cx, output))
    }
    fn member<C: Codec<Value: prost::Message + Default>, S: SerializeMap>(
        cx: &Context,
        any: &types::Any,
        output: &mut S,
    ) -> Result<(), S::Error> {
        let value = decoded::<C::Value, S::Error>(cx, any)?;
        output.serialize_entry("value", &As::<C>::new(cx, &value))
    }
    match any.type_name() {
        "google.rpc.ErrorInfo" => message::<ErrorInfo, S>(cx, any, output),
        "google.rpc.BadRequest" => message::<BadRequest, S>(cx, any, output),
        "google.rpc.RetryInfo" => message::<RetryInfo, S>(cx, any, output),
        "google.rpc.Status" => message::<Status, S>(cx, any, output),
        "google.protobuf.Empty" => Ok(()),
        "google.protobuf.Timestamp" => member::<wellknown::Timestamp<0>, S>(cx, any, output),
        "google.protobuf.Duration" => member::<wellknown::Duration, S>(cx, any, output),
        "google.protobuf.FieldMask" => member::<wellknown::FieldMask, S>(cx, any, output),
        "google.protobuf.Struct" => member::<AnyObject, S>(cx, any, output),
        "google.protobuf.Value" => member::<value::Value, S>(cx, any, output),
        "google.protobuf.ListValue" => member::<value::ListValue, S>(cx, any, output),
        "google.protobuf.BoolValue" => member::<scalar::Bool, S>(cx, any, output),
        "google.protobuf.StringValue" => member::<scalar::Str, S>(cx, any, output),
        "google.protobuf.BytesValue" => member::<scalar::Bytes, S>(cx, any, output),
        "google.protobuf.Int32Value" => member::<number::Int32, S>(cx, any, output),
        "google.protobuf.Int64Value" => member::<number::Int64, S>(cx, any, output),
        "google.protobuf.UInt32Value" => member::<number::Uint32, S>(cx, any, output),
        "google.protobuf.UInt64Value" => member::<number::Uint64, S>(cx, any, output),
        "google.protobuf.FloatValue" => member::<number::Float, S>(cx, any, output),
        "google.protobuf.DoubleValue" => member::<number::Double, S>(cx, any, output),
        _ => Err(cx.unwritable(unknown(&any.type_url))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc;
    use serde_json::json;

    fn through(text: &str) -> Json {
        let any: types::Any =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        serde_json::to_value(&any).unwrap()
    }

    #[test]
    fn known_types_round_trip_with_the_type_anywhere() {
        for (text, written) in [
            (
                r#"{"reason":"TASK_NOT_FOUND","@type":"type.googleapis.com/google.rpc.ErrorInfo","metadata":{"a":"b"}}"#,
                json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "metadata": {"a": "b"}}),
            ),
            (
                r#"{"@type":"x/google.rpc.BadRequest","fieldViolations":[{"field":"a.b","description":"bad"}]}"#,
                json!({"@type": "x/google.rpc.BadRequest", "fieldViolations": [{"field": "a.b", "description": "bad"}]}),
            ),
            (
                r#"{"value":"1.5s","@type":"type.googleapis.com/google.protobuf.Duration"}"#,
                json!({"@type": "type.googleapis.com/google.protobuf.Duration", "value": "1.500s"}),
            ),
            (
                r#"{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"@type":5}}"#,
                json!({"@type": "type.googleapis.com/google.protobuf.Struct", "value": {"@type": 5}}),
            ),
            (
                r#"{"@type":"type.googleapis.com/google.protobuf.Int64Value","value":7}"#,
                json!({"@type": "type.googleapis.com/google.protobuf.Int64Value", "value": "7"}),
            ),
            (
                r#"{"@type":"type.googleapis.com/google.protobuf.Empty"}"#,
                json!({"@type": "type.googleapis.com/google.protobuf.Empty"}),
            ),
            ("{}", json!({})),
        ] {
            assert_eq!(through(text), written, "{text}");
        }
    }

    #[test]
    fn other_types_say_what_is_known() {
        for (text, part) in [
            (
                r#"{"@type":"type.googleapis.com/ex.Thing","a":1}"#,
                "google.rpc.ErrorInfo",
            ),
            (r#"{"a":1}"#, "an object with @type"),
            (r#"{"@type":7}"#, "expected a string"),
            (
                r#"{"@type":"x/google.protobuf.Duration"}"#,
                "a member named value",
            ),
            (
                r#"{"@type":"x/google.protobuf.Duration","value":"7"}"#,
                "a duration in seconds",
            ),
            (
                r#"{"@type":"x/google.rpc.ErrorInfo","reason":7}"#,
                "expected a string",
            ),
        ] {
            let error = serde_json::from_str::<types::Any>(text)
                .unwrap_err()
                .to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let any = rpc::pack("ex.Thing", &());
        assert!(
            serde_json::to_string(&any)
                .unwrap_err()
                .to_string()
                .contains("google.rpc.ErrorInfo")
        );
        let broken = types::Any {
            type_url: "x/google.rpc.ErrorInfo".into(),
            value: vec![0xff].into(),
        };
        assert!(
            serde_json::to_string(&broken)
                .unwrap_err()
                .to_string()
                .contains("the bytes are no google.rpc.ErrorInfo")
        );
    }
}

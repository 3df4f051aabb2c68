//! The JSON-RPC 2.0 request object.
//!
//! Comes in: the bytes of a request. Goes out: its id, method and params, borrowed; or the error,
//! with the id when there was one. Nothing is parsed twice but the params, which the operation
//! reads.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{Code, Error};

/// Ids are sent back with every event of a stream; a longer one is refused.
const LONGEST_ID: usize = 4096;

/// A request that has the right form.
#[derive(Debug)]
pub(super) struct Envelope<'a> {
    /// The id as it was written.
    pub(super) id: &'a str,
    /// The method, of any name.
    pub(super) method: Cow<'a, str>,
    params: Option<&'a str>,
}

impl<'a> Envelope<'a> {
    /// The params, a JSON object. `null` counts as none, since clients write it for operations
    /// without parameters.
    pub(super) fn params(&self) -> Result<Option<&'a str>, Error> {
        match self.params {
            None | Some("null") => Ok(None),
            Some(params) if params.starts_with('{') => Ok(Some(params)),
            Some(params) => {
                let found = kind(params);
                Err(Error::new(
                    Code::InvalidArgument,
                    format!("params must be an object with the fields of the request, not {found}"),
                ))
            }
        }
    }
}

/// A request that has not the right form.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The id as it was written, when it could be read.
    pub(super) id: Option<String>,
    /// What is wrong.
    pub(super) error: Error,
}

/// Reads a request.
pub(super) fn read(body: &[u8]) -> Result<Envelope<'_>, Refusal> {
    let nameless = |error| Refusal { id: None, error };
    let text = std::str::from_utf8(body).map_err(|error| {
        nameless(no_json(format!(
            "the request is not UTF-8 from byte {} on",
            error.valid_up_to()
        )))
    })?;
    match text
        .trim_start_matches([' ', '\t', '\r', '\n'])
        .as_bytes()
        .first()
    {
        Some(b'{') => {}
        first => {
            // Only valid JSON can be an invalid request.
            serde_json::from_str::<IgnoredAny>(text)
                .map_err(|error| nameless(no_json(format!("the request is not JSON: {error}"))))?;
            let hint = if first == Some(&b'[') {
                "batches are not supported: send each request by itself"
            } else {
                "a request is a JSON object"
            };
            return Err(nameless(no_request(hint)));
        }
    }
    let members: Members<'_> = serde_json::from_str(text)
        .map_err(|error| nameless(no_json(format!("the request is not JSON: {error}"))))?;
    members.check()
}

#[derive(Default)]
struct Members<'a> {
    jsonrpc: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    params: Option<&'a str>,
    twice: Option<&'static str>,
}

impl<'a> Members<'a> {
    fn check(self) -> Result<Envelope<'a>, Refusal> {
        let nameless = |message: &'static str| Refusal {
            id: None,
            error: no_request(message),
        };
        let id = match self.id {
            // Every operation has an answer, so a call that asks for none is a mistake.
            None => {
                return Err(nameless(
                    "the request has no id; notifications are not supported",
                ));
            }
            Some(_) if self.twice == Some("id") => return Err(nameless("the request has two ids")),
            Some(id) if id.len() > LONGEST_ID => {
                return Err(nameless("the id is longer than 4096 bytes"));
            }
            Some(id) if is_id(id) => id,
            Some(_) => return Err(nameless("id must be a string, a whole number or null")),
        };
        let refuse = |error| Refusal {
            id: Some(id.to_owned()),
            error,
        };
        if let Some(name) = self.twice {
            return Err(refuse(no_request(format!(
                "the request has the member {name} twice"
            ))));
        }
        match self.jsonrpc.map(string) {
            Some(Some(version)) if version == "2.0" => {}
            None => {
                return Err(refuse(no_request(
                    "the member jsonrpc is missing; it must be \"2.0\"",
                )));
            }
            Some(_) => {
                return Err(refuse(no_request(
                    "the member jsonrpc must be the string \"2.0\"",
                )));
            }
        }
        let method = match self.method.map(string) {
            Some(Some(method)) => method,
            None => return Err(refuse(no_request("the member method is missing"))),
            Some(None) => return Err(refuse(no_request("the member method must be a string"))),
        };
        Ok(Envelope {
            id,
            method,
            params: self.params,
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON-RPC request object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Members::default();
                while let Some(name) = map.next_key()? {
                    let (slot, name) = match name {
                        Name::JsonRpc => (&mut members.jsonrpc, "jsonrpc"),
                        Name::Id => (&mut members.id, "id"),
                        Name::Method => (&mut members.method, "method"),
                        Name::Params => (&mut members.params, "params"),
                        Name::Other => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    let value: &RawValue = map.next_value()?;
                    if slot.replace(value.get()).is_some() {
                        members.twice = members.twice.or(Some(name));
                    }
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

enum Name {
    JsonRpc,
    Id,
    Method,
    Params,
    Other,
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl Visitor<'_> for Reader {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Name, E> {
                Ok(match name {
                    "jsonrpc" => Name::JsonRpc,
                    "id" => Name::Id,
                    "method" => Name::Method,
                    "params" => Name::Params,
                    _ => Name::Other,
                })
            }
        }

        deserializer.deserialize_str(Reader)
    }
}

/// The text of a JSON string; `None` when it is another value, or no text (a lone surrogate).
fn string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(raw).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

fn is_id(raw: &str) -> bool {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    raw == "null" || raw.starts_with('"') || digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn kind(raw: &str) -> &'static str {
    match raw.as_bytes().first() {
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        _ => "a number",
    }
}

fn no_json(message: String) -> Error {
    Error::new(Code::InvalidArgument, message).with_json_rpc_code(-32700)
}

fn no_request(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Code::InvalidArgument, message).with_json_rpc_code(-32600)
}

//! The form of a case that leads from one version of A2A to the other.
//!
//! Comes in: the JSON of a case. Goes out: [`Case`], or a sentence that says what is not understood.
//! What stands beside a case for people (`note`, `what` of a loss, what some SDK did) is not kept.

use std::collections::BTreeSet;

use a2a_kit::wire::adapt::{FileBytes, Language, Options};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// A case that leads from one version to the other.
#[derive(Debug, Clone)]
pub struct Case {
    /// From v0.3 to v1.0, or the other way.
    pub direction: Direction,
    /// What the v0.3 side is written in.
    pub encoding: Encoding,
    /// What is converted: a type, or a matter such as `method` or `headers`.
    pub kind: String,
    /// What comes in.
    pub input: Value,
    /// The same as protobuf, where the case has it.
    pub input_bytes: Option<Vec<u8>>,
    /// What must come out.
    pub expected: Expected,
    /// The same as protobuf, where the case has it.
    pub expected_bytes: Option<Vec<u8>>,
    /// What differs from peer to peer.
    pub settings: Settings,
    /// The ids of the losses that must be declared.
    pub losses: BTreeSet<String>,
    /// Whether the input is valid by the JSON schema of v0.3, where the case says it.
    pub input_is_valid: Option<bool>,
}

/// Which way a case leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From v0.3 to v1.0.
    Up,
    /// From v1.0 to v0.3.
    Down,
}

/// What the v0.3 side is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// JSON of its JSON schema.
    Schema,
    /// `ProtoJSON` of its proto.
    ProtoJson,
    /// Protobuf.
    Protobuf,
    /// JSON-RPC: methods and errors.
    JsonRpc,
    /// HTTP: routes, headers, bodies, statuses.
    Http,
    /// gRPC: paths and statuses.
    Grpc,
}

/// What must come out.
#[derive(Debug, Clone)]
pub enum Expected {
    /// One of these, the recommended one first.
    Values(Vec<Value>),
    /// Nothing: it is refused, with this code of JSON-RPC and this status of gRPC where they are
    /// named.
    Refused {
        /// The code of JSON-RPC.
        json_rpc: Option<i64>,
        /// The name of the gRPC status.
        grpc: Option<String>,
    },
}

/// What differs from peer to peer.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Those of values.
    pub options: Options,
    /// Errors that go down keep their typed details.
    pub error_data: bool,
}

impl Case {
    /// Reads a case.
    ///
    /// # Errors
    /// A sentence, when something in it is not understood.
    pub fn read(case: &Map<String, Value>) -> Result<Self, String> {
        if let Some(key) = case.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!(
                "it has a key `{key}` that this runner does not know"
            ));
        }
        let direction = match text(case, "direction")? {
            UP => Direction::Up,
            DOWN => Direction::Down,
            other => {
                return Err(format!(
                    "unknown direction {other:?}; known are {UP} and {DOWN}"
                ));
            }
        };
        let encoding = match text(case, "encoding")? {
            "json-schema" => Encoding::Schema,
            "protojson-0.3" => Encoding::ProtoJson,
            "protobuf" => Encoding::Protobuf,
            "jsonrpc" => Encoding::JsonRpc,
            "http" => Encoding::Http,
            "grpc" => Encoding::Grpc,
            other => {
                return Err(format!(
                    "unknown encoding {other:?}; known are json-schema, protojson-0.3, protobuf, jsonrpc, http and grpc"
                ));
            }
        };
        Ok(Self {
            direction,
            encoding,
            kind: text(case, "type")?.to_owned(),
            input: case.get("input").ok_or("there is no `input`")?.clone(),
            input_bytes: bytes(case, "input_b64")?,
            expected: expected(case)?,
            expected_bytes: bytes(case, "expected_b64")?,
            settings: settings(case, encoding)?,
            losses: losses(case)?,
            input_is_valid: case.get("input_schema_valid").and_then(Value::as_bool),
        })
    }
}

impl Case {
    /// A case of which only the result is of interest.
    #[must_use]
    pub fn new(direction: Direction, encoding: Encoding, kind: &str, input: Value) -> Self {
        let mut options = Options::default();
        options.file_bytes = FileBytes::Raw;
        Self {
            direction,
            encoding,
            kind: kind.to_owned(),
            input,
            input_bytes: None,
            expected: Expected::Values(Vec::new()),
            expected_bytes: None,
            settings: Settings {
                options,
                error_data: false,
            },
            losses: BTreeSet::new(),
            input_is_valid: None,
        }
    }

    /// The same case of another input.
    #[must_use]
    pub fn clone_for(&self, input: Value) -> Self {
        Self {
            input,
            ..self.clone()
        }
    }
}

/// How files write that a case is of this form.
pub(crate) const UP: &str = "0.3->1.0";
/// The other way.
pub(crate) const DOWN: &str = "1.0->0.3";

const KEYS: &[&str] = &[
    "id",
    "direction",
    "encoding",
    "type",
    "input",
    "input_b64",
    "input_message",
    "input_schema_valid",
    "options",
    "expected",
    "expected_b64",
    "expected_error",
    "expected_message",
    "also_acceptable",
    "loss",
    "note",
    "reference_python_1_3_0",
];

fn text<'a>(case: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    case.get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("there is no text `{key}`"))
}

fn bytes(case: &Map<String, Value>, key: &str) -> Result<Option<Vec<u8>>, String> {
    let Some(value) = case.get(key) else {
        return Ok(None);
    };
    let text = value
        .as_str()
        .ok_or_else(|| format!("`{key}` is no text"))?;
    let bytes = STANDARD.decode(text);
    bytes.map(Some).map_err(|error| format!("`{key}`: {error}"))
}

fn expected(case: &Map<String, Value>) -> Result<Expected, String> {
    match (case.get("expected"), case.get("expected_error")) {
        (Some(value), None) => {
            let others = match case.get("also_acceptable") {
                None => &[][..],
                Some(Value::Array(others)) => others,
                Some(_) => return Err("`also_acceptable` is no list".to_owned()),
            };
            Ok(Expected::Values(
                std::iter::once(value).chain(others).cloned().collect(),
            ))
        }
        (None, Some(error)) => Ok(Expected::Refused {
            json_rpc: error.get("jsonrpc").and_then(Value::as_i64),
            grpc: error.get("grpc").and_then(Value::as_str).map(str::to_owned),
        }),
        _ => Err("there must be one of `expected` and `expected_error`".to_owned()),
    }
}

fn settings(case: &Map<String, Value>, encoding: Encoding) -> Result<Settings, String> {
    let mut options = Options::default();
    options.file_bytes = FileBytes::Raw;
    if matches!(encoding, Encoding::ProtoJson | Encoding::Http) {
        options.language = Language::Proto;
    }
    let mut settings = Settings {
        options,
        error_data: false,
    };
    let given = match case.get("options") {
        None => return Ok(settings),
        Some(Value::Object(given)) => given,
        Some(_) => return Err("`options` is no object".to_owned()),
    };
    for (name, value) in given {
        let known = match (name.as_str(), value.as_str(), value.as_bool()) {
            ("tolerant", _, Some(tolerant)) => {
                settings.options.tolerant = tolerant;
                true
            }
            ("last_event_of_stream", _, Some(last)) => {
                settings.options.last_event = last;
                true
            }
            ("file_bytes", Some(how), _) => {
                settings.options.file_bytes = match how {
                    "raw" => FileBytes::Raw,
                    "base64-text" => FileBytes::Base64Text,
                    "auto" => FileBytes::Auto,
                    _ => return Err(format!("unknown file_bytes {how:?}")),
                };
                true
            }
            ("error_data", Some(how), _) => {
                settings.error_data = how == "array";
                matches!(how, "omit" | "array")
            }
            // What is always so.
            ("descriptor", Some(which), _) => which == "union",
            ("unknown_codes", Some(how), _) => how == "map",
            ("park", Some(what), _) => what == "only data_part_compat",
            _ => false,
        };
        if !known {
            return Err(format!(
                "an option `{name}` of {value}, which this runner does not know"
            ));
        }
    }
    Ok(settings)
}

fn losses(case: &Map<String, Value>) -> Result<BTreeSet<String>, String> {
    let Some(Value::Array(losses)) = case.get("loss") else {
        return Err("there is no list `loss`".to_owned());
    };
    losses
        .iter()
        .map(|loss| {
            loss.get("id")
                .and_then(Value::as_str)
                .map(str::to_owned)
                .ok_or_else(|| "a loss has no `id`".to_owned())
        })
        .collect()
}

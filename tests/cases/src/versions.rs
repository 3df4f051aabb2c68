//! Cases that lead from one version of A2A to the other.
//!
//! Comes in: a case of the form of `data/versions.json`. Goes out: nothing, or a sentence that says
//! what is wrong.
//!
//! - [`case`] reads a case.
//! - [`values`] converts what stands alone: messages, parts, cards, in each encoding of v0.3.
//! - [`gateway`] sends a whole call through a server of the one version and a client of the other.
//! - [`calls`] are cases of methods, paths, headers and bodies of calls, [`errors`] of their errors.
//! - [`requests`] makes the requests of such calls.
//! - [`definitions`] knows the JSON schema of v0.3, by which everything that is written is judged.

pub mod calls;
pub mod case;
pub mod definitions;
pub mod errors;
pub mod gateway;
pub mod requests;
pub mod values;

use std::collections::BTreeSet;

use prost_reflect::MessageDescriptor;
use serde_json::Value;

use crate::answer::short;
use crate::compare::{self, Absence};
use crate::schema::Schemas;
use crate::time;

use case::{Case, Direction, Encoding, Expected};
use definitions::Definitions;

/// What cases are run with.
#[derive(Debug)]
pub struct Tools<'a> {
    /// The descriptors.
    pub schemas: &'a Schemas,
    /// The JSON schema of v0.3.
    pub definitions: &'a Definitions,
}

/// What came of a case.
#[derive(Debug)]
pub enum Outcome {
    /// It was converted.
    Became(Became),
    /// It was refused.
    Refused {
        /// What was said.
        why: String,
        /// The code of JSON-RPC, where there is one.
        json_rpc: Option<i64>,
        /// The name of the gRPC status, where there is one.
        grpc: Option<String>,
    },
}

/// What something has become.
#[derive(Debug)]
pub struct Became {
    /// As JSON.
    pub value: Value,
    /// What it is.
    pub form: Form,
    /// As protobuf.
    pub bytes: Option<Vec<u8>>,
    /// What was lost: the id of its rule, and where it was.
    pub losses: Vec<(String, String)>,
}

/// What a value is, and so how two of them are compared.
#[derive(Debug)]
pub enum Form {
    /// `ProtoJSON` of a message.
    Message(MessageDescriptor),
    /// JSON of the JSON schema of v0.3, by this definition of it; empty where there is none.
    Definition(&'static str),
    /// Something else: equal when it is the same JSON.
    Plain,
}

impl Outcome {
    /// A refusal that says no more than why.
    #[must_use]
    pub fn refused(why: impl std::fmt::Display) -> Self {
        Self::Refused {
            why: why.to_string(),
            json_rpc: None,
            grpc: None,
        }
    }

    /// Something that is compared as it stands, without losses.
    #[must_use]
    pub fn plain(value: Value) -> Self {
        Self::Became(Became {
            value,
            form: Form::Plain,
            bytes: None,
            losses: Vec::new(),
        })
    }
}

/// Runs a case.
///
/// # Errors
/// What is wrong, as `expected … got …`.
pub async fn run(case: &Case, tools: &Tools<'_>) -> Result<(), String> {
    let told = |outcome: Result<Outcome, String>| judge(case, tools, outcome);
    match (case.encoding, case.kind.as_str()) {
        (Encoding::JsonRpc | Encoding::Http | Encoding::Grpc, "error" | "error-status") => {
            told(errors::convert(case).await)
        }
        (Encoding::JsonRpc | Encoding::Http | Encoding::Grpc, _) => {
            for outcome in calls::convert(case, tools).await? {
                told(Ok(outcome))?;
            }
            Ok(())
        }
        (Encoding::Schema, kind) if kind.starts_with("method:") => told(calls::whole(case).await),
        (Encoding::Schema, _) => told(values::schema(case, tools)),
        (Encoding::ProtoJson | Encoding::Protobuf, _) => {
            told(values::proto(case, tools))?;
            // What agents write as `ProtoJSON` is read by the readers of the other JSON, which
            // must make the same of it.
            match (case.encoding, case.direction) {
                (Encoding::ProtoJson, Direction::Up) => match values::either(case, tools) {
                    Some(outcome) => told(outcome),
                    None => Ok(()),
                },
                _ => Ok(()),
            }
        }
    }
}

/// Judges what came of a case: it is right when it is one of the values expected, with the losses
/// that the case names. Where it is not the recommended one, losses may be missing.
fn judge(case: &Case, tools: &Tools<'_>, outcome: Result<Outcome, String>) -> Result<(), String> {
    let wrong = |expected: String, got: String| {
        Err(format!("expected {} got {}", short(&expected), short(&got)))
    };
    match (&case.expected, outcome) {
        (Expected::Values(values), Err(why)) => wrong(values[0].to_string(), why),
        (Expected::Refused { .. }, Err(why)) => wrong("refused".to_owned(), why),
        (Expected::Values(values), Ok(Outcome::Refused { why, .. })) => {
            wrong(values[0].to_string(), format!("refused ({why})"))
        }
        (Expected::Refused { .. }, Ok(Outcome::Became(became))) => {
            wrong("refused".to_owned(), became.value.to_string())
        }
        (
            Expected::Refused { json_rpc, grpc },
            Ok(Outcome::Refused {
                why,
                json_rpc: code,
                grpc: status,
            }),
        ) => {
            // A value that is refused alone has no code yet.
            if json_rpc.is_some() && code.is_some() && *json_rpc != code {
                return wrong(format!("{json_rpc:?}"), format!("{code:?} ({why})"));
            }
            if grpc.is_some() && *grpc != status {
                return wrong(format!("{grpc:?}"), format!("{status:?} ({why})"));
            }
            Ok(())
        }
        (Expected::Values(values), Ok(Outcome::Became(became))) => {
            right(case, tools, values, &became)
        }
    }
}

fn right(case: &Case, tools: &Tools<'_>, values: &[Value], became: &Became) -> Result<(), String> {
    let mut first = None;
    let mut found = None;
    for (index, value) in values.iter().enumerate() {
        match same(&became.form, value, &became.value) {
            Ok(()) => {
                found = Some(index);
                break;
            }
            Err(difference) => {
                first.get_or_insert(difference);
            }
        }
    }
    let got = || short(&became.value.to_string());
    let Some(index) = found else {
        let difference = first
            .map(|difference| difference.to_string())
            .unwrap_or_default();
        return Err(format!(
            "expected {} got {}; {}",
            short(&values[0].to_string()),
            got(),
            short(&difference)
        ));
    };
    if let Form::Definition(name) = became.form {
        let faults = tools.definitions.faults(name, &became.value)?;
        if !faults.is_empty() {
            return Err(format!(
                "expected a valid {name} got {}; {}",
                got(),
                short(&faults.join("; "))
            ));
        }
    }
    if let (Some(expected), Some(bytes)) = (&case.expected_bytes, &became.bytes)
        && expected != bytes
    {
        return Err(format!(
            "expected the bytes {expected:02x?} got {bytes:02x?}"
        ));
    }
    let losses: BTreeSet<String> = became.losses.iter().map(|(id, _)| id.clone()).collect();
    let are_right = if index == 0 {
        losses == case.losses
    } else {
        losses.is_subset(&case.losses)
    };
    if are_right {
        Ok(())
    } else {
        Err(format!(
            "expected the losses {:?} got {losses:?}",
            case.losses
        ))
    }
}

/// Compares two values of a form.
fn same(form: &Form, expected: &Value, got: &Value) -> Result<(), compare::Difference> {
    match form {
        Form::Message(kind) => compare::messages(kind, expected, got, Absence::Default),
        Form::Plain => compare::values(expected, got),
        Form::Definition(_) => {
            let (mut expected, mut got) = (expected.clone(), got.clone());
            times_by_value(&mut expected);
            times_by_value(&mut got);
            compare::values(&expected, &got)
        }
    }
}

/// Writes every time of a status alike.
fn times_by_value(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(times_by_value),
        Value::Object(members) => {
            let is_status = members.contains_key("state");
            for (name, member) in members {
                match member.as_str().and_then(time::timestamp) {
                    Some((seconds, nanos)) if is_status && name == "timestamp" => {
                        *member = Value::from(format!("{seconds} {nanos}"));
                    }
                    _ => times_by_value(member),
                }
            }
        }
        _ => {}
    }
}

//! The typed details of a peer's error.
//!
//! Comes in: details as JSON, in any shape, or what was found in protobuf. Goes out: those that are
//! known here: `ErrorInfo`, `BadRequest`, `RetryInfo`, and what a version leaves free.

use std::collections::BTreeMap;
use std::time::Duration;

use a2a_wire::__codegen::Violation;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::{Raw, object, read, shown, text_of};
use crate::error::{ErrorSpec, ErrorStyle};
use crate::service::ServiceSpec;

/// Longer details are not read: they would take a multiple of it in memory.
pub(super) const LONGEST_DETAILS: usize = 1 << 20;
/// How many wrong fields are kept.
const MOST_VIOLATIONS: usize = 256;

/// The typed details of an error, as far as they are known here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Details {
    pub(crate) reason: Option<String>,
    pub(crate) domain: String,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) violations: Vec<Violation>,
    pub(crate) retry_after: Option<Duration>,
    /// What is none of these, where a version lets it be anything.
    pub(crate) data: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Detail<'a> {
    #[serde(borrow, default, rename = "@type")]
    kind: Raw<'a>,
    #[serde(borrow, default)]
    reason: Raw<'a>,
    #[serde(borrow, default)]
    domain: Raw<'a>,
    #[serde(borrow, default)]
    metadata: Raw<'a>,
    #[serde(
        borrow,
        default,
        rename = "fieldViolations",
        alias = "field_violations"
    )]
    violations: Raw<'a>,
    #[serde(borrow, default, rename = "retryDelay", alias = "retry_delay")]
    retry_delay: Raw<'a>,
}

#[derive(Deserialize)]
struct FieldFault<'a> {
    #[serde(borrow, default)]
    field: Raw<'a>,
    #[serde(borrow, default)]
    description: Raw<'a>,
}

impl Details {
    /// Reads JSON details: a list of objects with `@type`. Anything else has none; v0.3 puts there
    /// what it likes.
    pub(crate) fn from_json(raw: &RawValue) -> Self {
        let mut details = Self::default();
        let text = raw.get();
        if text.len() > LONGEST_DETAILS {
            return details;
        }
        let each: Vec<&RawValue> = if text.starts_with('[') {
            read(text).unwrap_or_default()
        } else {
            vec![raw]
        };
        for detail in each {
            let Ok(detail) = object::<Detail<'_>>(detail.get().as_bytes()) else {
                continue;
            };
            match detail
                .kind
                .and_then(text_of)
                .as_deref()
                .map(|kind| kind.rsplit_once('/').map_or(kind, |(_, name)| name))
            {
                Some("google.rpc.ErrorInfo") => {
                    let metadata: BTreeMap<String, &RawValue> = detail
                        .metadata
                        .and_then(|metadata| read(metadata.get()))
                        .unwrap_or_default();
                    let metadata = metadata
                        .into_iter()
                        .map(|(key, value)| (key, shown(value).into_owned()));
                    details.info(
                        detail
                            .reason
                            .and_then(text_of)
                            .unwrap_or_default()
                            .into_owned(),
                        detail
                            .domain
                            .and_then(text_of)
                            .unwrap_or_default()
                            .into_owned(),
                        metadata.collect(),
                    );
                }
                Some("google.rpc.BadRequest") => {
                    let faults: Vec<FieldFault<'_>> = detail
                        .violations
                        .and_then(|faults| read(faults.get()))
                        .unwrap_or_default();
                    details.faults(faults.into_iter().map(|fault| {
                        Violation {
                            field: fault.field.map(shown).unwrap_or_default().into_owned(),
                            description: fault
                                .description
                                .map(shown)
                                .unwrap_or_default()
                                .into_owned(),
                        }
                    }));
                }
                Some("google.rpc.RetryInfo") => {
                    let delay = detail.retry_delay.and_then(text_of);
                    details.retry(delay.and_then(|delay| delay.parse().ok()));
                }
                _ => {}
            }
        }
        details
    }

    /// Reads what an error says beside code and text. In versions without typed details it is free:
    /// the members of an object are facts about the occurrence of one of the protocol's own errors,
    /// everything else is kept as it is.
    pub(super) fn of(service: &ServiceSpec, raw: &RawValue) -> Self {
        let mut details = Self::from_json(raw);
        if service.error_style == ErrorStyle::CodeAndMessage
            && details == Self::default()
            && raw.get().len() <= LONGEST_DETAILS
        {
            let facts: BTreeMap<String, &RawValue> =
                object(raw.get().as_bytes()).unwrap_or_default();
            details.metadata = facts
                .into_iter()
                .map(|(key, value)| (key, shown(value).into_owned()))
                .collect();
            details.data = read(raw.get()).filter(|data: &serde_json::Value| {
                let nothing = [json!(null), json!([]), json!({})];
                !nothing.contains(data)
            });
        }
        details
    }

    /// The first one counts.
    pub(crate) fn info(
        &mut self,
        reason: String,
        domain: String,
        metadata: BTreeMap<String, String>,
    ) {
        if self.reason.is_none() && !reason.is_empty() {
            (self.reason, self.domain, self.metadata) = (Some(reason), domain, metadata);
        }
    }

    pub(crate) fn faults(&mut self, faults: impl Iterator<Item = Violation>) {
        let room = MOST_VIOLATIONS.saturating_sub(self.violations.len());
        self.violations.extend(faults.take(room));
    }

    /// The first one counts; one that is in the past says nothing.
    pub(crate) fn retry(&mut self, delay: Option<a2a_wire::types::Duration>) {
        let delay = delay.and_then(|delay| delay.try_into().ok());
        self.retry_after = self.retry_after.or(delay);
    }

    /// The error of the protocol that the reason names. Reasons are names within their domain; a
    /// peer that leaves the domain out is taken to mean ours.
    pub(super) fn spec(&self, service: &ServiceSpec) -> Option<&'static ErrorSpec> {
        let reason = self.reason.as_deref()?;
        service.errors.iter().copied().find(|spec| {
            spec.reason == reason && (self.domain.is_empty() || self.domain == spec.domain)
        })
    }
}

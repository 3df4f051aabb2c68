//! What changes between two versions of a protocol, for people.
//!
//! Comes in: the models of an older and a newer version, their profiles, and the rules between
//! them, if there are any. Goes out: a [`Report`] of plain values, and from it a
//! [`Document`](document::Document) of sections and tables that any template can print.
//!
//! The [plan](crate::plan) says what becomes of each field; this adds what the plan never looks at:
//! numbers, routes, names on the wire, and what a receiver of the other version would make of it
//! without an adapter. Planning may end in faults: they are the rules that still have to be
//! written, and everything else is reported all the same.

use crate::model::Api;
use crate::plan::rules::Rules;
use crate::plan::{Plans, plan_partly};
use crate::profile::Profile;

pub mod document;
mod enums;
mod facts;
mod fields;
mod losses;
mod messages;
pub mod model;
mod operations;
mod parameters;
mod routes;
mod statistics;
mod traps;
mod words;

use messages::Pairs;
use model::{Missing, Report, RulesState, VersionInfo};

/// One of the two versions.
#[derive(Debug, Clone, Copy)]
pub struct Version<'a> {
    /// How people call it, `1.0`.
    pub name: &'a str,
    /// Its protos.
    pub api: &'a Api,
    /// Its JSON schema, if it has one; that of a newer version is not looked at.
    pub schema: Option<&'a Api>,
    /// What its protos do not say.
    pub profile: &'a Profile,
}

/// Compares two versions.
///
/// `rules` come with the name of their file.
///
/// ```
/// use a2a_codegen::load::{Sources, load_protos};
/// use a2a_codegen::lower::lower;
/// use a2a_codegen::profile::Profile;
/// use a2a_codegen::report::{Version, report};
///
/// let profile = Profile::default();
/// let read = |name: &str, field: &str| {
///     let text = format!(
///         "syntax = \"proto3\"; package {name}; message Page {{ string {field} = 1; }}
///          service Pages {{ rpc Turn(Page) returns (Page); }}"
///     );
///     lower(&load_protos(&Sources::new().virtual_file(name, text).file(name))?, &profile)
/// };
/// let (old, new) = (read("v1", "author")?, read("v2", "title")?);
/// let version = |name, api| Version { name, api, schema: None, profile: &profile };
/// let report = report(&version("1", &old), &version("2", &new), None);
/// // Read with the other version's types, an author would pass for a title.
/// assert_eq!(report.traps[0].old, "Page.author");
/// assert_eq!(report.traps[0].new, "Page.title");
/// # Ok::<(), a2a_codegen::diagnostics::Diagnostics>(())
/// ```
#[must_use]
pub fn report(old: &Version<'_>, new: &Version<'_>, rules: Option<(&str, &Rules)>) -> Report {
    let none = Rules::default();
    let written = rules.map_or(&none, |(_, rules)| rules);
    let (plans, faults) = plan_partly(old.api, old.schema, new.api, written);
    let missing: Vec<Missing> = faults.iter().map(Missing::from).collect();
    let input = Input {
        old: *old,
        new: *new,
        rules: written,
        plans: &plans,
    };
    let pairs = Pairs::new(&input);
    let messages = pairs.rows();
    let operations = operations::operations(&input, &messages);
    Report {
        traps: traps::traps(&input, &pairs, &messages),
        facts: facts::facts(&input, &messages),
        errors: facts::errors(&input),
        enums: enums::enums(&input),
        losses: losses::losses(&input),
        statistics: statistics::statistics(&input, &pairs),
        rules: RulesState {
            file: rules.map(|(file, _)| file.to_owned()),
            complete: missing.is_empty(),
        },
        old: VersionInfo::from(old),
        new: VersionInfo::from(new),
        operations,
        messages,
        missing,
    }
}

/// Everything that a part of the report is made from.
struct Input<'a> {
    old: Version<'a>,
    new: Version<'a>,
    rules: &'a Rules,
    plans: &'a Plans,
}

impl<'a> Input<'a> {
    /// The plans, each with the older model that it is about.
    fn spellings(&self) -> impl Iterator<Item = (&'a Api, &'a crate::plan::model::ConversionPlan)> {
        let json = self.old.schema.zip(self.plans.json.as_ref());
        std::iter::once((self.old.api, &self.plans.proto)).chain(json)
    }
}

#[cfg(test)]
mod tests;

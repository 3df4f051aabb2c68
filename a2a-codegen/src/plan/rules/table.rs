//! Reads TOML tables with the places of everything in them.
//!
//! Comes in: a parsed TOML document. Goes out: values of the kind that was asked for; whatever else
//! is there is a fault with file, line and column.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Each, RuleRef};
use crate::diagnostics::{Diagnostic, Diagnostics, did_you_mean, line_and_column};
use crate::model::Origin;

/// A value and where it stands.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// The text that is read, and what was found wrong so far.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a str,
    pub(super) faults: Diagnostics,
}

impl<'a> Reader<'a> {
    pub(super) fn origin(&self, offset: usize, key: &str) -> Origin {
        let (line, column) = line_and_column(self.text, offset);
        Origin {
            file: self.file.into(),
            line,
            column,
            proto_path: key.into(),
        }
    }

    pub(super) fn fault(&mut self, offset: usize, message: String, hint: &str) {
        let origin = self.origin(offset, "");
        self.faults
            .push(Diagnostic::new(origin, message).hint(hint));
    }

    /// The rows of a section, each with its key.
    pub(super) fn rows<'t>(
        &mut self,
        value: &'t Value<'a>,
        section: &str,
    ) -> Vec<(RuleRef, &'t Value<'a>)> {
        let Some(table) = value.get_ref().as_table() else {
            let what = value.get_ref().type_str();
            self.fault(
                value.span().start,
                format!("`{section}` is a table, not {what}"),
                &format!("write rows under `[{section}]`"),
            );
            return Vec::new();
        };
        let rows = table.iter().map(|(key, value)| {
            let rule = RuleRef {
                key: key.get_ref().to_string(),
                origin: self.origin(key.span().start, key.get_ref()),
            };
            (rule, value)
        });
        rows.collect()
    }

    /// The members of a row, all of which must be known.
    pub(super) fn members<'t>(
        &mut self,
        value: &'t Value<'a>,
        known: &[&str],
        example: &str,
    ) -> Members<'t, 'a> {
        let Some(table) = value.get_ref().as_table() else {
            let what = value.get_ref().type_str();
            self.fault(
                value.span().start,
                format!("a table is expected here, not {what}"),
                &format!("write it as in `{example}`"),
            );
            return Members(None);
        };
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let hint = match did_you_mean(name, known.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("known here: {}", known.join(", ")),
                };
                let message = format!("unknown entry `{}`", name.escape_debug());
                self.fault(key.span().start, message, &hint);
            }
        }
        Members(Some(table))
    }

    pub(super) fn text(&mut self, value: &Value<'a>) -> Option<String> {
        match value.get_ref().as_str() {
            Some(text) if !text.is_empty() => Some(text.to_owned()),
            _ => {
                self.wrong(value, "a text");
                None
            }
        }
    }

    pub(super) fn truth(&mut self, value: &Value<'a>) -> Option<bool> {
        let truth = value.get_ref().as_bool();
        if truth.is_none() {
            self.wrong(value, "`true` or `false`");
        }
        truth
    }

    /// A text, or a list of texts.
    pub(super) fn texts(&mut self, value: &Value<'a>) -> Option<Vec<String>> {
        match value.get_ref().as_array() {
            Some(list) => list.iter().map(|each| self.text(each)).collect(),
            None => self.text(value).map(|text| vec![text]),
        }
    }

    pub(super) fn wrong(&mut self, value: &Value<'a>, wanted: &str) {
        let what = value.get_ref().type_str();
        self.fault(
            value.span().start,
            format!("{wanted} is expected here, not this {what}"),
            &format!("write {wanted}"),
        );
    }

    /// One value for both spellings, or a table with `proto` and `json`.
    pub(super) fn each<T: Clone>(
        &mut self,
        value: Option<&Value<'a>>,
        read: impl Fn(&mut Self, &Value<'a>) -> Option<T>,
    ) -> Each<T> {
        let Some(value) = value else {
            return Each::default();
        };
        let split = value.get_ref().as_table().filter(|table| {
            let is_spelling = |key: &str| key == "proto" || key == "json";
            !table.is_empty() && table.keys().all(|key| is_spelling(key.get_ref()))
        });
        match split {
            Some(table) => Each {
                proto: table.get("proto").and_then(|value| read(self, value)),
                json: table.get("json").and_then(|value| read(self, value)),
            },
            None => {
                let both = read(self, value);
                Each {
                    proto: both.clone(),
                    json: both,
                }
            }
        }
    }
}

/// The members of a row; none when it was no table.
#[derive(Clone, Copy)]
pub(super) struct Members<'t, 'a>(Option<&'t DeTable<'a>>);

impl<'t, 'a> Members<'t, 'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'t Value<'a>> {
        self.0.and_then(|table| table.get(key))
    }
}

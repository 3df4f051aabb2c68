//! Newer fields that no plan of their own message has: a plan further out must have them.

use super::model::{FieldKind, How, RuleRef};
use super::names::Side;
use super::rules::fault;
use super::{Planner, suggest};
use crate::diagnostics::Diagnostic;
use crate::model::{Cardinality, Message, Type};

/// A field that is not accounted for yet.
#[derive(Debug)]
pub(super) enum Owed {
    /// A row names an older field of another message for it, so that some pair must lift that one
    /// here.
    Lifted {
        /// The row.
        key: String,
        /// What is said if none does.
        fault: Box<Diagnostic>,
    },
    /// The plan of an inlined message must have it.
    Inlined {
        /// The newer type.
        new: String,
        /// The field.
        field: usize,
        /// The inlined type.
        inner: String,
    },
    /// A hook of an outer message must have it.
    Hook {
        /// The hook.
        name: String,
        /// The row that says so.
        rule: RuleRef,
    },
}

impl Planner<'_> {
    /// Checks, once all pairs are planned, that nothing is owed any more.
    pub(super) fn check_owed(&mut self) {
        for owed in std::mem::take(&mut self.owed) {
            match owed {
                Owed::Lifted { key, fault } => {
                    if !self.lifted.contains(&key) {
                        self.faults.push(*fault);
                    }
                }
                Owed::Inlined { new, field, inner } => {
                    if !self.carries(&new, field, &inner)
                        && let Some(message) = self.new.api.messages.get(&new)
                        && let Some(field) = message.fields.get(field)
                    {
                        let fault = suggest::no_older(self, message, field, None);
                        self.faults.push(fault);
                    }
                }
                Owed::Hook { name, rule } => {
                    if !self.field_hooks.contains(&name) {
                        let message = format!("no plan has the hook `{name}`");
                        self.faults.push(fault(&rule, message).hint(
                            "name the hook of a row with `hook = …` that makes the message around",
                        ));
                    }
                }
            }
        }
    }

    /// True when the plan of a pair has a newer field, and does not drop it.
    fn carries(&self, new: &str, field: usize, old: &str) -> bool {
        let plan = self
            .messages
            .iter()
            .find(|plan| plan.new == new && plan.old == old);
        let Some(How::Fields(fields)) = plan.map(|plan| &plan.how) else {
            return plan.is_some();
        };
        fields.iter().any(|plan| match &plan.kind {
            FieldKind::Carry { new, .. } | FieldKind::Gather { new, .. } => *new == field,
            FieldKind::Lift { new, .. } => new.first() == Some(&field),
            FieldKind::Template { pieces, .. } => super::template::fields(pieces).contains(&field),
            _ => false,
        })
    }
}

/// In a schema that is nothing but circles, nobody wants to wait for the last way.
const MOST_STEPS: usize = 100_000;

/// The ways from a message down to another one, through single messages, as indices of fields; two
/// of them where there are more, since only one can be meant.
pub(super) fn paths(side: Side<'_>, from: &Message, to: &Message) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<(&Message, Vec<usize>, Vec<&str>)> =
        vec![(from, Vec::new(), vec![&from.proto_name])];
    let mut steps = 0;
    while let Some((message, path, seen)) = open.pop() {
        steps += 1;
        if found.len() > 1 || steps > MOST_STEPS {
            break;
        }
        for (index, field) in message.fields.iter().enumerate() {
            let (Cardinality::Explicit, Type::Message(name)) = (&field.cardinality, &field.ty)
            else {
                continue;
            };
            let Some(next) = side.api.messages.get(name) else {
                continue;
            };
            if seen.contains(&next.proto_name.as_str()) {
                continue;
            }
            let path = [path.as_slice(), &[index]].concat();
            if next.proto_name == to.proto_name {
                found.push(path);
                continue;
            }
            let seen = [seen.as_slice(), &[next.proto_name.as_str()]].concat();
            open.push((next, path, seen));
        }
    }
    found
}

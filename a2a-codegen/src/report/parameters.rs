//! Parameters: the fields of a request, what stands in one field of it included.

use super::Input;
use super::model::{Change, FieldChange, FieldSide, MessageChange};
use super::words::short;
use crate::model::{Api, Type};
use crate::plan::model::{Encoding, FieldKind, FieldPlan, How};

/// How far inside changes are looked for.
const MAX_DEPTH: usize = 4;

/// The fields of a request. Of what is further inside, only what changes, and nothing of what a
/// hook takes care of.
pub(super) fn fields(
    input: &Input<'_>,
    messages: &[MessageChange],
    encoding: Encoding,
    new: &str,
    old: &str,
) -> Vec<FieldChange> {
    let mut walk = Walk {
        input,
        messages,
        encoding,
        rows: Vec::new(),
    };
    let request = Around {
        own: true,
        ..Around::default()
    };
    walk.pair(new, old, &request);
    walk.rows
}

/// Names of the fields around, on both sides.
#[derive(Debug, Clone, Default)]
struct Around {
    new: String,
    old: String,
    /// They are the request's own, or stand for its own.
    own: bool,
    depth: usize,
}

struct Walk<'w, 'a> {
    input: &'w Input<'a>,
    messages: &'w [MessageChange],
    encoding: Encoding,
    rows: Vec<FieldChange>,
}

impl<'a> Walk<'_, 'a> {
    fn pair(&mut self, new: &str, old: &str, around: &Around) {
        let Some((api, plan)) = self.planned(new, old, around.own) else {
            return;
        };
        let types = (short(self.input.new.api, new), short(api, old));
        let found = self.messages.iter().find(|message| {
            message.spelling == self.encoding.into()
                && message.new.as_deref() == Some(types.0)
                && message.old.as_deref() == Some(types.1)
        });
        for row in found.iter().flat_map(|message| &message.fields) {
            let only = |change: &Change| *change == Change::Required;
            let unchanged = row.changes.iter().all(only) && row.how.is_empty();
            // What the message around an inlined one adds has its row there.
            let again = around.own && around.depth > 0 && row.old.is_empty();
            if !again && (around.own || !unchanged) {
                self.rows.push(within(row, around));
            }
        }
        if around.depth < MAX_DEPTH {
            for field in plan {
                self.inside(api, (new, old), field, around);
            }
        }
    }

    /// The plans of the fields of a pair.
    fn planned(&self, new: &str, old: &str, own: bool) -> Option<(&'a Api, &'a [FieldPlan])> {
        let mut spellings = self.input.spellings();
        let (api, plan) = spellings.find(|(_, plan)| plan.encoding == self.encoding)?;
        let plan = plan.message(new, old)?;
        match &plan.how {
            How::Fields(fields) => Some((api, fields)),
            // Only of a request itself is it worth telling what a hook does.
            How::Hook(_) if own => Some((api, &[])),
            _ => None,
        }
    }

    fn inside(&mut self, api: &Api, (new, old): (&str, &str), plan: &FieldPlan, around: &Around) {
        let newer = self.input.new.api.messages.get(new);
        let older = api.messages.get(old);
        match &plan.kind {
            FieldKind::Carry { new, old, .. } => {
                let newer = newer.and_then(|message| message.fields.get(*new));
                let older = older.and_then(|message| message.fields.get(*old));
                let (Some(newer), Some(older)) = (newer, older) else {
                    return;
                };
                if let (Type::Message(new), Type::Message(old)) = (&newer.ty, &older.ty) {
                    let name = |field| super::words::written(field, self.encoding);
                    let around = Around {
                        new: format!("{}{}.", around.new, name(newer)),
                        old: format!("{}{}.", around.old, name(older)),
                        own: false,
                        depth: around.depth + 1,
                    };
                    self.pair(new, old, &around);
                }
            }
            FieldKind::Inline { old, inner } => {
                let older = older.and_then(|message| message.fields.get(*old));
                let Some(older) = older else { return };
                let name = super::words::written(older, self.encoding);
                let around = Around {
                    new: around.new.clone(),
                    old: format!("{}{name}.", around.old),
                    own: around.own,
                    depth: around.depth + 1,
                };
                self.pair(new, inner, &around);
            }
            _ => {}
        }
    }
}

/// A row with the names of the fields around.
fn within(row: &FieldChange, around: &Around) -> FieldChange {
    let place = |sides: &[FieldSide], before: &str| -> Vec<FieldSide> {
        let longer = |side: &FieldSide| FieldSide {
            name: format!("{before}{}", side.name),
            ..side.clone()
        };
        sides.iter().map(longer).collect()
    };
    FieldChange {
        old: place(&row.old, &around.old),
        new: place(&row.new, &around.new),
        ..row.clone()
    }
}

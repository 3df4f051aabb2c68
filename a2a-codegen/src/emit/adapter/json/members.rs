//! Under which names members of an older object are read.
//!
//! Comes in: a pair of types. Goes out: for each older field all names that peers use for it: the
//! schema's, the same in snake_case, those of the field of the older proto that stands for the same
//! newer field, and what the rules add; besides, resource names of the older proto.

use std::collections::BTreeSet;

use super::{Json, fields_of, short};
use crate::model::{Field, Message};
use crate::plan::model::{FieldKind, MessagePlan, Piece};

/// The names of an object's members.
pub(super) struct Members {
    /// By index of the older field.
    pub(super) names: Vec<Vec<String>>,
    /// Resource names that only the older proto has.
    pub(super) templates: Vec<Template>,
    /// All names that are taken.
    taken: BTreeSet<String>,
}

/// A text that holds newer fields.
pub(super) struct Template {
    pub(super) names: Vec<String>,
    pub(super) pieces: Vec<Piece>,
}

impl Members {
    /// The names of one more member, without those that another one has.
    pub(super) fn more(&mut self, names: impl IntoIterator<Item = String>) -> Vec<String> {
        let names = names.into_iter();
        names
            .filter(|name| self.taken.insert(name.clone()))
            .collect()
    }
}

impl Json<'_> {
    pub(super) fn members(&self, pair: &MessagePlan, old: &Message) -> Members {
        let mut members = Members {
            names: Vec::new(),
            templates: Vec::new(),
            taken: old.constants.iter().map(|c| c.json_name.clone()).collect(),
        };
        // The schema's own names come first: an older `id` is what the schema says it is.
        let own = old.fields.iter().map(|field| vec![field.json_name.clone()]);
        let own: Vec<_> = own.collect();
        for names in own {
            let names = members.more(names);
            members.names.push(names);
        }
        for (index, field) in old.fields.iter().enumerate() {
            let mut further = vec![field.proto_name.clone()];
            further.extend(self.further_names(pair, index));
            let further = members.more(further);
            if let Some(names) = members.names.get_mut(index) {
                names.extend(further);
            }
        }
        for (plan, proto) in self.in_proto(pair) {
            for field in fields_of(plan) {
                let FieldKind::Template { old, pieces } = &field.kind else {
                    continue;
                };
                let names = members.more(proto.fields.get(*old).into_iter().flat_map(spellings));
                if !names.is_empty() {
                    members.templates.push(Template {
                        names,
                        pieces: pieces.clone(),
                    });
                }
            }
        }
        members
    }

    /// Pairs of the same newer type with messages of the older proto: the one of the same older
    /// name, or all.
    fn in_proto(&self, pair: &MessagePlan) -> Vec<(&MessagePlan, &Message)> {
        let all = self.input.proto.messages.iter();
        let all = all.filter(|plan| plan.new == pair.new).filter_map(|plan| {
            let message = self.input.old.messages.get(&plan.old)?;
            Some((plan, message))
        });
        let all: Vec<_> = all.collect();
        match all.iter().find(|(plan, _)| short(&plan.old) == pair.old) {
            Some(same) => vec![*same],
            None => all,
        }
    }

    /// What rules and the older proto call the member.
    fn further_names(&self, pair: &MessagePlan, index: usize) -> Vec<String> {
        let mut names = Vec::new();
        for field in fields_of(pair) {
            match &field.kind {
                FieldKind::Carry {
                    new,
                    old,
                    read_also,
                    ..
                } if *old == index => {
                    names.extend(read_also.iter().cloned());
                    names.extend(self.proto_names(
                        pair,
                        |kind, _| matches!(kind, FieldKind::Carry { new: same, .. } if same == new),
                    ));
                }
                FieldKind::Lift { new, old } if *old == index => {
                    names.extend(self.proto_names(
                        pair,
                        |kind, _| matches!(kind, FieldKind::Lift { new: same, .. } if same == new),
                    ));
                }
                FieldKind::Inline { old, .. } if *old == index => {
                    names.extend(
                        self.proto_names(pair, |kind, _| matches!(kind, FieldKind::Inline { .. })),
                    );
                }
                FieldKind::Gather { new, old, .. } => {
                    let Some(place) = old.iter().position(|old| *old == index) else {
                        continue;
                    };
                    names.extend(self.proto_names(pair, |kind, proto_index| {
                        matches!(
                            kind,
                            FieldKind::Gather { new: same, old, .. }
                                if same == new && old.get(place) == Some(&proto_index)
                        )
                    }));
                }
                _ => {}
            }
        }
        names
    }

    /// Names of older proto fields whose plan is as wanted.
    fn proto_names(
        &self,
        pair: &MessagePlan,
        wanted: impl Fn(&FieldKind, usize) -> bool,
    ) -> Vec<String> {
        let mut names = Vec::new();
        for (plan, proto) in self.in_proto(pair) {
            for field in fields_of(plan) {
                let also = match &field.kind {
                    FieldKind::Carry { read_also, .. } => read_also.as_slice(),
                    _ => &[],
                };
                for index in olds(&field.kind) {
                    if wanted(&field.kind, index) {
                        names.extend(proto.fields.get(index).into_iter().flat_map(spellings));
                        names.extend(also.iter().cloned());
                    }
                }
            }
        }
        names
    }

    /// Names of the members that wrap an object of a union: those of the newer oneof's member, and
    /// of the older proto's.
    pub(super) fn wrappers(&self, pair: &MessagePlan, new: &Field, index: usize) -> Vec<String> {
        let mut names = spellings(new).to_vec();
        names.extend(self.proto_names(
            pair,
            |kind, _| matches!(kind, FieldKind::Carry { new, .. } if *new == index),
        ));
        names.sort();
        names.dedup();
        names
    }
}

/// The older fields that a plan reads.
pub(super) fn olds(kind: &FieldKind) -> Vec<usize> {
    match kind {
        FieldKind::Carry { old, .. }
        | FieldKind::Lift { old, .. }
        | FieldKind::Inline { old, .. }
        | FieldKind::Template { old, .. }
        | FieldKind::OnlyOld { old, .. } => vec![*old],
        FieldKind::Gather { old, .. } => old.clone(),
        FieldKind::OnlyNew { .. } => Vec::new(),
    }
}

/// Both names that ProtoJSON knows.
pub(super) fn spellings(field: &Field) -> [String; 2] {
    [field.json_name.clone(), field.proto_name.clone()]
}

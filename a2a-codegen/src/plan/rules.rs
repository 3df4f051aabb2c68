//! What names do not say about two versions, from a rules file.
//!
//! Comes in: TOML text. Goes out: [`Rules`], one row for each newer type, field, enum or operation
//! that does not speak for itself. Whether the names in them exist is checked by
//! [`plan`](crate::plan::plan), which knows both schemas.
//!
//! | section | a row | says |
//! |---|---|---|
//! | `[type]` | `New = { proto = "Old" }` | types of other names that stand in the same place |
//! | `[field]` | `"New.a" = { proto = "Old.b" }` | a field of another name, or deeper inside the older or newer message |
//! | | `"New.a" = { …, via = "not" }` | its value changes: [`ViaRule`] |
//! | | `"New.a" = { …, absent = { value = true, loss = "U1" } }` | what the absence of the older value means: [`AbsentRule`] |
//! | | `"New.a" = { …, down = "always" }` | it is written also when it is unset |
//! | | `"New.a" = { proto = "Old.name", template = "as/{a}/bs/{b}" }` | a text that holds newer texts |
//! | | `"New.a" = { proto = ["Old.b", "Old.c"], hook = "name" }` | a hook makes it of several older fields |
//! | | `"New.a" = { drop = { down = "D1" } }` | the older side has nothing like it; with `up` too, nothing but the name |
//! | | `"New.a" = { by = "name" }` | a hook around its message takes care of it |
//! | `[only_old]` | `"Old.a" = { drop = "U1" }` | the newer side has nothing like it |
//! | | `"Old.a" = { hook = "name" }` | a hook makes it, and judges it |
//! | | `"Old.a" = { inline = true }` | its own fields are those of the newer message around it |
//! | `[value.New]` | `values.NEW_A = { proto = "OLD_A" }` | values of other names; those of one side alone |
//! | `[hook.name]` | `new = "New"`, `fields = […]`, `proto = { type = "Old", fields = […] }` | a hook converts the whole message |
//! | `[method]` | `New = { proto = "Old" }`, `New = { refused = "D1" }` | operations of other names; new ones |
//! | `[only_old_method]` | `Old = { refused = "U1" }` | operations that went away |
//! | `[loss.up]`, `[loss.down]` | `U1 = "what is lost"` | what people are told |
//!
//! A row is anchored on the newer side and serves both spellings of the older version: where
//! something differs between its proto and its JSON schema, the row says `proto = …`, `json = …`
//! instead of one value. Names of types are short: `Task`, or `Outer.Inner`.

use std::collections::BTreeMap;

use super::model::{Encoding, RuleRef};
use crate::diagnostics::{Diagnostic, Diagnostics, Texts};
use crate::model::Origin;

mod losses;
mod read;
mod table;

pub use read::read_rules;

/// A rules file.
///
/// ```
/// let text = r#"
/// loss.down = { D1 = "where a document is kept" }
/// field."Document.shelf" = { drop = { down = "D1" } }
/// field."Document.title" = { proto = "Document.name" }
/// "#;
/// let rules = a2a_codegen::plan::rules::read_rules(text, "rules.toml")?;
/// assert_eq!(rules.fields.len(), 2);
/// # Ok::<(), a2a_codegen::diagnostics::Diagnostics>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Rules {
    /// Types whose names differ, `[type]`.
    pub types: Vec<TypeRule>,
    /// Types that a hook in Rust converts as a whole, `[hook]`.
    pub hooks: Vec<HookRule>,
    /// Newer fields, `[field]`.
    pub fields: Vec<FieldRule>,
    /// Older fields without a newer one, `[only_old]`.
    pub only_old: Vec<OnlyOldRule>,
    /// Enums, `[value]`.
    pub values: Vec<ValueRule>,
    /// Newer operations, `[method]`.
    pub methods: Vec<MethodRule>,
    /// Older operations without a newer one, `[only_old_method]`.
    pub only_old_methods: Vec<MethodRule>,
    /// What may be lost or refused, by id, `[loss]`.
    pub losses: BTreeMap<String, LossRule>,
    /// Ids that no row names, since they are noted by what stands around the messages.
    pub elsewhere: Vec<RuleRef>,
    pub(crate) texts: Texts,
}

/// A declared loss.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LossRule {
    /// What people are told.
    pub text: String,
    /// On which way it happens; `None` for both.
    pub direction: Option<Direction>,
    /// Where it is declared.
    pub origin: Origin,
}

/// One of the two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the older version to the newer one.
    Up,
    /// From the newer version to the older one.
    Down,
}

/// Something that may differ between the two spellings of the older version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Each<T> {
    /// For its proto.
    pub proto: Option<T>,
    /// For its JSON schema.
    pub json: Option<T>,
}

impl<T> Default for Each<T> {
    fn default() -> Self {
        Self {
            proto: None,
            json: None,
        }
    }
}

impl<T> Each<T> {
    /// What it is in a spelling.
    pub fn get(&self, encoding: Encoding) -> Option<&T> {
        match encoding {
            Encoding::Proto => self.proto.as_ref(),
            Encoding::Json => self.json.as_ref(),
        }
    }

    fn is_empty(&self) -> bool {
        self.proto.is_none() && self.json.is_none()
    }
}

impl<T: Clone> Each<T> {
    /// This, and where it says nothing, the other one.
    pub(crate) fn or(&self, other: &Self) -> Self {
        Self {
            proto: self.proto.clone().or_else(|| other.proto.clone()),
            json: self.json.clone().or_else(|| other.json.clone()),
        }
    }
}

/// `SubscribeToTaskRequest = { proto = "TaskSubscriptionRequest", json = "TaskIdParams" }`
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TypeRule {
    /// The newer type or enum.
    pub rule: RuleRef,
    /// The older ones that it stands for.
    pub old: Each<Vec<String>>,
}

/// A hook that converts messages of a type.
///
/// It says all fields that it takes care of, so that a field that is added to either side later is
/// not lost in it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookRule {
    /// Its name.
    pub rule: RuleRef,
    /// The newer type.
    pub new: String,
    /// The newer type's fields that it takes care of.
    pub fields: Vec<String>,
    /// The older side.
    pub old: Each<HookSide>,
    /// Newer types, further inside, that it leaves to their own plans.
    pub pairs: Vec<String>,
    /// Losses that it may note.
    pub losses: HookLossRule,
}

/// The older side of a [`HookRule`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookSide {
    /// The older type.
    pub ty: String,
    /// The older fields that it takes care of, with their types: `FilePart.name`.
    pub fields: Vec<String>,
}

/// Losses that a hook may note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookLossRule {
    /// Coming up.
    pub up: Each<Vec<String>>,
    /// Going down.
    pub down: Each<Vec<String>>,
}

/// A row about a newer field, `"Message.parts" = { proto = "Message.content" }`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FieldRule {
    /// The newer field, with its type; `*` stands for any type: `*.tenant`.
    pub rule: RuleRef,
    /// The older field that stands for it, with its type; several for a hook.
    pub old: Each<Vec<String>>,
    /// The older field is a text with this form, in which newer fields stand in braces.
    pub template: Each<String>,
    /// What happens to the value.
    pub via: Each<ViaRule>,
    /// What the absence of the older value means.
    pub absent: Each<AbsentRule>,
    /// It is written going down also when it is unset.
    pub always_down: Each<bool>,
    /// Further names under which readers take it.
    pub read_also: Vec<String>,
    /// A hook makes it from several older fields.
    pub hook: Option<String>,
    /// A hook around this message takes care of it.
    pub by: Option<String>,
    /// Losses of the conversion; one each way, but for hooks.
    pub losses: HookLossRule,
    /// Loss of the older field of the same name, which is not taken for this one.
    pub drop_up: Each<String>,
    /// Loss of this field, where there is no older one.
    pub drop_down: Each<String>,
}

/// What happens to a value, as a rule says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViaRule {
    /// `not`
    Not,
    /// `zero_is_unset`
    ZeroIsUnset,
    /// `first`
    First,
    /// `lenient_time`
    LenientTime,
    /// `empty_is_unset`
    EmptyIsUnset,
    /// `{ one_of = "D1" }`: refused with this id when it is none of them.
    OneOf(String),
    /// `{ hook = "name" }`
    Hook(String),
}

/// What the absence of an older value means, as a rule says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AbsentRule {
    /// `{ value = true, loss = "U8" }`, or only `true`.
    Bool {
        /// The older value that is meant.
        value: bool,
        /// Loss to declare.
        loss: Option<String>,
    },
    /// `{ loss = "U8" }`
    Lost(String),
    /// `{ refused = "U9" }`
    Refused(String),
}

/// A row about an older field that has no newer one.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OnlyOldRule {
    /// The older field, with its type.
    pub rule: RuleRef,
    /// How it is called where its name is not the same in both spellings.
    pub old: Each<String>,
    /// What is done.
    pub kind: OnlyOldKind,
}

/// What is done with an older field that has no newer one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnlyOldKind {
    /// It is lost coming up.
    Drop(Each<String>),
    /// A hook makes it going down and judges it coming up.
    Hook {
        /// Its name.
        hook: String,
        /// Losses that it may note.
        losses: HookLossRule,
    },
    /// Its own fields stand for fields of the newer message around it.
    Inline,
}

/// A row about an enum.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ValueRule {
    /// The newer enum.
    pub rule: RuleRef,
    /// Its values that do not speak for themselves, by name.
    pub values: BTreeMap<String, OneValueRule>,
    /// Older values without a newer one, by name: the newer value's name and the loss.
    pub only_old: BTreeMap<String, StandInRule>,
    /// Loss of a value that neither version knows.
    pub unknown: Each<String>,
}

/// A row about one value of a newer enum.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OneValueRule {
    /// The value.
    pub rule: RuleRef,
    /// The older value.
    pub old: Each<String>,
    /// Loss coming up.
    pub up: Each<String>,
    /// Loss going down, for a value in whose place another one goes down.
    pub down: Each<String>,
    /// The id with which it is refused going down.
    pub refused: Each<String>,
}

/// What an older value becomes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StandInRule {
    /// The older value.
    pub rule: RuleRef,
    /// The newer value's name.
    pub new: String,
    /// Loss coming up.
    pub loss: String,
}

/// A row about an operation.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MethodRule {
    /// Its name: the newer one, and in `[only_old_method]` the older one.
    pub rule: RuleRef,
    /// The older name.
    pub old: Each<String>,
    /// The older type that it answers, where its schema does not say.
    pub response: Each<String>,
    /// The id with which it is refused where the other side does not have it.
    pub refused: Option<String>,
}

impl Rules {
    /// The row of a newer field, what a row for any type of that field name says put in where it
    /// says nothing.
    pub(crate) fn field(&self, ty: &str, field: &str) -> Option<FieldRule> {
        let find = |key: &str| self.fields.iter().find(|row| row.rule.key == key);
        let exact = find(&format!("{ty}.{field}"));
        let any = find(&format!("*.{field}"));
        match (exact, any) {
            (Some(exact), Some(any)) => Some(exact.or(any)),
            (exact, any) => exact.or(any).cloned(),
        }
    }

    /// Where the lines of the file are, for errors that show them.
    pub(crate) fn with_texts(&self, faults: Diagnostics) -> Diagnostics {
        faults.with_texts(&self.texts)
    }

    /// The next id of a direction that is not declared yet, for suggestions.
    pub(crate) fn free_id(&self, direction: Direction) -> String {
        let ids = self
            .losses
            .iter()
            .filter(|(_, loss)| loss.direction == Some(direction));
        let split = |id: &str| {
            let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
            let number = id.get(letters.len()..)?.parse::<u32>().ok()?;
            Some((letters.to_owned(), number))
        };
        let last = ids.filter_map(|(id, _)| split(id)).max_by_key(|(_, n)| *n);
        let (letters, number) = last.unwrap_or_else(|| {
            let letter = match direction {
                Direction::Up => "U",
                Direction::Down => "D",
            };
            (letter.to_owned(), 0)
        });
        (number.saturating_add(1)..)
            .map(|number| format!("{letters}{number}"))
            .find(|id| !self.losses.contains_key(id))
            .unwrap_or(letters)
    }
}

impl FieldRule {
    fn or(&self, other: &Self) -> Self {
        Self {
            rule: self.rule.clone(),
            old: self.old.or(&other.old),
            template: self.template.or(&other.template),
            via: self.via.or(&other.via),
            absent: self.absent.or(&other.absent),
            always_down: self.always_down.or(&other.always_down),
            read_also: [self.read_also.as_slice(), &other.read_also].concat(),
            hook: self.hook.clone().or_else(|| other.hook.clone()),
            by: self.by.clone().or_else(|| other.by.clone()),
            losses: HookLossRule {
                up: self.losses.up.or(&other.losses.up),
                down: self.losses.down.or(&other.losses.down),
            },
            drop_up: self.drop_up.or(&other.drop_up),
            drop_down: self.drop_down.or(&other.drop_down),
        }
    }
}

/// A fault of a row.
pub(crate) fn fault(rule: &RuleRef, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(rule.origin.clone(), message)
}

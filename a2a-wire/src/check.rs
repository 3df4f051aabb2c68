//! Collects required fields that are missing, with their JSON paths.
//!
//! Comes in: a message, through its generated `check`. Goes out: the violations, each with the path
//! of the field and what is expected there.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::message::WireMessage;
use crate::path::{Segment, render};

/// One fault of a message, in the words of `google.rpc.BadRequest.FieldViolation`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON path of the field, for example `message.parts[0].url`.
    pub field: String,
    /// What is wrong and what is expected.
    pub description: String,
}

/// As many faults as are reported at once: enough to correct a message, too few to fill a reply.
const MOST: usize = 64;

/// The faults found so far, and the place where the check stands.
///
/// ```
/// use a2a_wire::{Violations, WireMessage};
/// use a2a_wire::v1_0::GetTaskRequest;
///
/// let mut found = Violations::default();
/// GetTaskRequest::default().check(&mut found);
/// assert_eq!(found.found[0].field, "id");
/// ```
#[derive(Debug, Default)]
pub struct Violations {
    /// The faults.
    pub found: Vec<Violation>,
    path: Vec<Segment>,
    lenient_lists: bool,
}

impl Violations {
    /// For messages in which a required list may be empty, such as agent cards.
    #[must_use]
    pub fn lenient_lists() -> Self {
        Self {
            lenient_lists: true,
            ..Self::default()
        }
    }

    /// Reports a fault of a field of the message that is being checked.
    #[cold]
    pub fn report(&mut self, field: &'static str, description: impl Display) {
        if self.found.len() < MOST {
            self.path.push(Segment::Field(field));
            self.found.push(Violation {
                field: render(&self.path),
                description: description.to_string(),
            });
            self.path.pop();
        }
    }

    /// A required string or bytes.
    #[inline]
    pub fn content(&mut self, field: &'static str, is_empty: bool) {
        if is_empty {
            self.report(field, "is required and must not be empty");
        }
    }

    /// A required field whose absence is known.
    #[inline]
    pub fn presence(&mut self, field: &'static str, is_set: bool) {
        if !is_set {
            self.report(field, "is required");
        }
    }

    /// A required list: in strict mode it must have an element.
    #[inline]
    pub fn elements(&mut self, field: &'static str, is_empty: bool) {
        if is_empty && !self.lenient_lists {
            self.report(field, "is required: at least one element");
        }
    }

    /// A required enum: its zero stands for absence.
    #[inline]
    pub fn choice<E: crate::json::generated::EnumNames>(
        &mut self,
        field: &'static str,
        value: i32,
    ) {
        if value == 0 {
            self.report(field, Choices::<E>(std::marker::PhantomData));
        }
    }

    /// A oneof of which one member must be set. The place of the fault is the message itself, since
    /// JSON does not know the name of the oneof.
    #[inline]
    pub fn one_of(&mut self, oneof: &'static str, members: &'static str, is_set: bool) {
        if is_set {
            return;
        }
        let description = format!("one of {members} must be set");
        if self.path.is_empty() {
            self.report(oneof, description);
        } else if self.found.len() < MOST {
            self.found.push(Violation {
                field: render(&self.path),
                description,
            });
        }
    }

    /// Goes into a message, if it is set.
    #[inline]
    pub fn below<M: WireMessage>(&mut self, field: &'static str, message: Option<&M>) {
        if let Some(message) = message {
            self.inside(Segment::Field(field), message);
        }
    }

    /// Goes into every message of a list.
    #[inline]
    pub fn each<M: WireMessage>(&mut self, field: &'static str, messages: &[M]) {
        self.path.push(Segment::Field(field));
        for (index, message) in messages.iter().enumerate() {
            self.inside(Segment::Index(index), message);
        }
        self.path.pop();
    }

    /// Goes into every message of a map.
    #[inline]
    pub fn entries<K: Display, M: WireMessage>(
        &mut self,
        field: &'static str,
        messages: &BTreeMap<K, M>,
    ) {
        self.path.push(Segment::Field(field));
        for (key, message) in messages {
            self.inside(Segment::Key(key.to_string()), message);
        }
        self.path.pop();
    }

    #[inline]
    fn inside<M: WireMessage>(&mut self, segment: Segment, message: &M) {
        self.path.push(segment);
        message.check(self);
        self.path.pop();
    }
}

struct Choices<E>(std::marker::PhantomData<E>);

impl<E: crate::json::generated::EnumNames> Display for Choices<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("is required: one of ")?;
        let choices = E::NAMES.iter().filter(|(_, number)| *number != 0);
        for (index, (name, _)) in choices.take(20).enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            f.write_str(name)?;
        }
        Ok(())
    }
}

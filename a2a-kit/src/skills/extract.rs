//! What a skill takes: the values of its parameters, out of a message.
//!
//! Comes in: a message. Goes out: the parameters, or which parts were expected and which came, with
//! the path of the fault. Parameters take parts one after the other; what is left over is a fault,
//! too.

mod tuples;
mod types;

use a2a_wire::__codegen::Violation;
use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::{Message, Part};
use schemars::Schema;

use super::sealed::Sealed;
use crate::Error;

/// A parameter of a skill. [`Text`](super::Text), [`Json<T>`](super::Json), [`File`](super::File),
/// [`Parts`](super::Parts), [`Message`](super::Message), and `Option` of them.
///
/// The kit's own types only: what they take has to be known before a skill runs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a skill",
    label = "not an extractor",
    note = "a skill takes `Text`, `Json<T>` (with `T: Deserialize + JsonSchema`), `File`, `Parts`, `Message`, `Option` of these, and `&TaskContext`"
)]
pub trait Extract: Sealed + Sized + Send + 'static {
    /// Takes what others leave, so it comes last, wherever it stands.
    #[doc(hidden)]
    const TAKES_REST: bool = false;

    /// Adds what it takes to what the skill takes.
    #[doc(hidden)]
    fn describe(wants: &mut Wants);

    /// True when there is something for it to take.
    #[doc(hidden)]
    fn is_there(parts: &Pending<'_>) -> bool;

    /// Takes its parts.
    #[doc(hidden)]
    fn extract(parts: &mut Pending<'_>) -> Result<Self, Misfit>;

    /// Takes its parts and only looks whether they fit.
    #[doc(hidden)]
    fn check(parts: &mut Pending<'_>) -> Result<(), Misfit> {
        Self::extract(parts).map(drop)
    }
}

/// The parameters of a skill: a tuple of up to eight [`Extract`]s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the parameters of a skill",
    label = "a skill has at most eight parameters beside `&self` and `&TaskContext`, each of them an extractor",
    note = "a skill takes `Text`, `Json<T>` (with `T: Deserialize + JsonSchema`), `File`, `Parts`, `Message`, `Option` of these, and `&TaskContext`"
)]
pub trait Inputs: Sealed + Sized + Send + 'static {
    #[doc(hidden)]
    fn wants() -> Wants;

    #[doc(hidden)]
    fn extract(message: &Message) -> Result<Self, Misfit>;

    #[doc(hidden)]
    fn check(message: &Message) -> Result<(), Misfit>;
}

/// What a skill takes.
#[derive(Debug, Default)]
pub struct Wants {
    /// In words, one for each parameter.
    pub(crate) words: Vec<&'static str>,
    /// Kinds of parts.
    pub(crate) text: bool,
    pub(crate) data: bool,
    pub(crate) files: bool,
    pub(crate) anything: bool,
    /// Schemas of the data parts, in order.
    pub(crate) data_schemas: Vec<DataSchema>,
    optional: bool,
}

/// The schema of a data part, made when asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DataSchema {
    pub(crate) schema: fn() -> Schema,
    pub(crate) is_optional: bool,
}

impl Wants {
    /// What it takes, in a sentence.
    pub(crate) fn sentence(&self) -> String {
        match &self.words[..] {
            [] => "anything".to_owned(),
            words => words.join(" and "),
        }
    }

    fn data(&mut self, word: &'static str, schema: fn() -> Schema) {
        self.words.push(word);
        self.data = true;
        self.data_schemas.push(DataSchema {
            schema,
            is_optional: self.optional,
        });
    }

    fn optionally(&mut self, describe: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.optional, true);
        describe(self);
        self.optional = before;
    }
}

/// How many parts an error names.
const MOST_NAMED: usize = 8;

/// The parts of a message that no parameter has taken yet.
#[derive(Debug)]
pub struct Pending<'a> {
    message: &'a Message,
    taken: Vec<bool>,
    /// Someone has the message as a whole.
    seen: bool,
}

impl<'a> Pending<'a> {
    fn new(message: &'a Message) -> Self {
        Self {
            message,
            taken: vec![false; message.parts.len()],
            seen: false,
        }
    }

    /// Takes the next part of a kind.
    fn next<T>(&mut self, pick: impl Fn(&'a Part) -> Option<T>) -> Option<(usize, T)> {
        let parts = self.message.parts.iter().enumerate();
        let (at, value) = parts
            .filter(|(at, _)| !self.taken.get(*at).copied().unwrap_or(true))
            .find_map(|(at, part)| Some((at, pick(part)?)))?;
        if let Some(taken) = self.taken.get_mut(at) {
            *taken = true;
        }
        Some((at, value))
    }

    /// True when a part of a kind is there to be taken.
    fn has(&self, is_it: impl Fn(&Part) -> bool) -> bool {
        let parts = self.message.parts.iter().zip(&self.taken);
        parts.into_iter().any(|(part, taken)| !taken && is_it(part))
    }

    /// Takes all that is left.
    fn rest(&mut self) -> impl Iterator<Item = &'a Part> {
        let taken = std::mem::take(&mut self.taken);
        let parts = self.message.parts.iter().zip(taken);
        parts.filter(|(_, taken)| !taken).map(|(part, _)| part)
    }

    /// A part of this kind is missing.
    fn missing(&self, expected: &'static str) -> Misfit {
        let came = match &self.message.parts[..] {
            [] => "no part".to_owned(),
            parts => {
                let kinds: Vec<_> = parts.iter().map(kind).take(MOST_NAMED).collect();
                match parts.len() - kinds.len() {
                    0 => kinds.join(", "),
                    more => format!("{}, and {more} more", kinds.join(", ")),
                }
            }
        };
        Misfit::of_shape(
            "message.parts".to_owned(),
            format!("expected {expected}, but the message has: {came}"),
        )
    }

    /// Whatever is left over has been sent in vain.
    fn finish(self, wants: impl FnOnce() -> Wants) -> Result<(), Misfit> {
        let left = self.taken.iter().position(|taken| !taken);
        let Some(at) = left.filter(|_| !self.seen) else {
            return Ok(());
        };
        let kind = self.message.parts.get(at).map_or("empty", kind);
        Err(Misfit::of_shape(
            format!("message.parts[{at}]"),
            format!(
                "this part ({kind}) is not taken; expected: {}",
                wants().sentence()
            ),
        ))
    }
}

fn kind(part: &Part) -> &'static str {
    match part.content {
        Some(Content::Text(_)) => "text",
        Some(Content::Data(_)) => "data",
        Some(Content::Raw(_)) => "file (raw)",
        Some(Content::Url(_)) => "file (url)",
        None => "empty",
    }
}

/// Why a message is not what a skill takes.
#[derive(Debug)]
pub struct Misfit {
    violations: Vec<Violation>,
    /// The parts are not of the kinds that the skill takes; else they are, and one of them is wrong
    /// inside.
    pub(crate) in_shape: bool,
}

impl Misfit {
    fn of_shape(field: String, description: String) -> Self {
        Self {
            violations: vec![Violation { field, description }],
            in_shape: true,
        }
    }

    fn of_content(violations: Vec<Violation>) -> Self {
        Self {
            violations,
            in_shape: false,
        }
    }

    pub(crate) fn into_error(self) -> Error {
        Error::invalid(self.violations)
    }
}

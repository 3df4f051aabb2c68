//! Between two versions of a protocol: what adapters share.
//!
//! Comes in: a value of one version. Goes out: the value of the other one, and what was lost on the
//! way ([`Loss`]); what has no form in the other version is refused, with its path ([`Refused`]).
//! The adapters themselves are generated from a plan, or are hooks that a rules file names; nothing
//! here knows a message.
//!
//! [`up`] is from the older version to the newer one, [`down`] the way back. Values are moved, not
//! copied.
//!
//! ```
//! use a2a_wire::adapt::{self, Adapter, Down, Options, Refused, Up};
//!
//! struct Old { names: Vec<String> }
//! struct New { name: String }
//!
//! impl Up<New> for Old {
//!     fn up(self, adapter: &Adapter) -> Result<New, Refused> {
//!         let name = adapter.first("names", self.names, Some(("U1", "only one name is kept")), None);
//!         Ok(New { name: name.ok_or_else(|| Refused::at("names", "must hold a name"))? })
//!     }
//! }
//!
//! impl Down<Old> for New {
//!     fn down(self, _: &Adapter) -> Result<Old, Refused> {
//!         Ok(Old { names: vec![self.name] })
//!     }
//! }
//!
//! let old = Old { names: vec!["Ada".into(), "Augusta".into()] };
//! let (new, losses): (New, _) = adapt::up(old, &Options::default())?;
//! assert_eq!(new.name, "Ada");
//! assert_eq!((losses[0].id, losses[0].path.as_str()), ("U1", "names"));
//! # Ok::<(), Refused>(())
//! ```

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::path::{Segment, render};

mod carry;
mod json_form;
mod names;

pub use carry::{FreeData, Numbers, Told, Values, name_of_number, number_of_name, set};
pub use json_form::{JsonForm, ProtoJson};
pub use names::Name;

/// More losses of one conversion are counted, not kept.
const MOST_LOSSES: usize = 100;

/// Something that the other version cannot hold.
///
/// ```
/// use a2a_wire::adapt::{Adapter, Options};
///
/// let adapter = Adapter::new(Options::default());
/// adapter.loss_of("D1", "tenant", "the older version has no tenants");
/// let losses = adapter.into_losses();
/// assert_eq!(losses[0].to_string(), "tenant: the older version has no tenants (D1)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The id of the rule that declares it, `D2`.
    pub id: &'static str,
    /// JSON path of what was lost, in the version that was given: `parts[1].filename`.
    pub path: String,
    /// What happened, for people.
    pub detail: &'static str,
}

/// For people: place, what happened, and the rule.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{} ({})", self.detail, self.id)
    }
}

/// A value that has no form in the other version.
///
/// ```
/// use a2a_wire::adapt::Refused;
///
/// let fault = Refused::at("location", "must be `header`, `query` or `cookie`");
/// let fault = fault.inside("key").inside("securitySchemes");
/// assert_eq!(fault.path, "securitySchemes.key.location");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// JSON path of the fault, in the version that was given.
    pub path: String,
    /// What is wrong, and what to do.
    pub message: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for Refused {}

/// How the bytes of a file stand in the older version's protobuf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileBytes {
    /// As they are, which is what the schema says.
    Raw,
    /// As base64 text, which several SDKs write.
    Base64Text,
    /// Written raw, as the schema says; read as base64 when the bytes are canonical base64 text of at
    /// least four letters, else raw.
    ///
    /// Peers in Python and Go write base64 text, peers in JavaScript raw bytes, and nothing in a
    /// message says which. Nearly every file has a byte or a length that base64 text has not, so a
    /// guess is right but for raw files such as the four letters `test`, which come up as other
    /// bytes. Taking all for raw would get every file of Python and Go wrong instead. Who knows the
    /// peer says so: [`FileBytes::Raw`] never guesses, and peers in Python and Go read only what
    /// [`FileBytes::Base64Text`] writes.
    #[default]
    Auto,
}

/// Which of its two JSON languages a text of the older version is taken for where its shape does
/// not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// Of its JSON schema.
    #[default]
    Schema,
    /// ProtoJSON of its proto.
    Proto,
}

/// Who sends what comes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// A client: these are requests.
    Client,
    /// An agent: these are answers and events.
    Agent,
}

/// What may differ from peer to peer.
///
/// ```
/// use a2a_wire::adapt::{FileBytes, Options};
///
/// let mut python = Options::default();
/// python.file_bytes = FileBytes::Base64Text;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Unknown states, wrong times and similar slips are losses, not errors.
    pub tolerant: bool,
    /// How the bytes of files stand in protobuf.
    pub file_bytes: FileBytes,
    /// What a JSON text is taken for where its shape does not say.
    pub language: Language,
    /// Who sends what comes up, and so speaks in a message that says no role. Where it is not known,
    /// such a role is left open.
    pub sender: Option<Sender>,
    /// The event that goes down is the last one of its stream.
    pub last_event: bool,
    /// A push configuration may be asked for without its id; the answer is up to the caller.
    pub config_id_optional: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerant: true,
            file_bytes: FileBytes::default(),
            language: Language::default(),
            sender: None,
            last_event: false,
            config_id_optional: false,
        }
    }
}

/// One conversion: its options, and the losses so far. Not shared between threads and not kept.
#[derive(Debug, Default)]
pub struct Adapter {
    options: Options,
    losses: RefCell<Vec<Pending>>,
    /// How many losses there are; asked for at every member, so it is kept beside them.
    noted: Cell<usize>,
    unkept: RefCell<BTreeMap<&'static str, usize>>,
    gone: RefCell<BTreeSet<String>>,
}

/// A loss whose path still grows at its front; innermost segment first.
#[derive(Debug)]
struct Pending {
    id: &'static str,
    path: Vec<Segment>,
    detail: &'static str,
}

impl Adapter {
    /// A conversion with options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Notes a loss at the value at hand.
    pub fn loss(&self, id: &'static str, detail: &'static str) {
        self.note(id, detail, None);
    }

    /// Notes a loss of a member of the object at hand.
    pub fn loss_of(&self, id: &'static str, field: &'static str, detail: &'static str) {
        self.note(id, detail, Some(Segment::Field(field)));
    }

    fn note(&self, id: &'static str, detail: &'static str, segment: Option<Segment>) {
        let mut losses = self.losses.borrow_mut();
        if losses.len() < MOST_LOSSES || !losses.iter().any(|loss| loss.id == id) {
            losses.push(Pending {
                id,
                path: segment.into_iter().collect(),
                detail,
            });
            self.noted.set(losses.len());
        } else {
            *self.unkept.borrow_mut().entry(id).or_default() += 1;
        }
    }

    /// Converts what stands in a member of the object at hand: losses and refusals get its name.
    ///
    /// # Errors
    /// Those of the conversion.
    pub fn field<T>(
        &self,
        name: &'static str,
        convert: impl FnOnce(&Self) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        self.within(|| Segment::Field(name), convert)
    }

    /// As [`Adapter::field`], for an element of the list at hand.
    ///
    /// # Errors
    /// Those of the conversion.
    pub fn element<T>(
        &self,
        index: usize,
        convert: impl FnOnce(&Self) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        self.within(|| Segment::Index(index), convert)
    }

    /// As [`Adapter::field`], for an entry of the map at hand.
    ///
    /// # Errors
    /// Those of the conversion.
    pub fn entry<T>(
        &self,
        key: &str,
        convert: impl FnOnce(&Self) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        self.within(|| Segment::key(key), convert)
    }

    /// The segment is made only when there is something to say about what is below it.
    fn within<T>(
        &self,
        segment: impl Fn() -> Segment,
        convert: impl FnOnce(&Self) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        let mark = self.mark();
        let converted = convert(self);
        if self.mark() > mark {
            self.place(mark, &segment());
        }
        converted.map_err(|refused| refused.inside(&render(&[segment()])))
    }

    /// How many losses were kept so far: a mark for [`Adapter::place`].
    #[inline]
    pub(crate) fn mark(&self) -> usize {
        self.noted.get()
    }

    /// Puts a segment before the paths of the losses noted since a mark.
    pub(crate) fn place(&self, mark: usize, segment: &Segment) {
        let mut losses = self.losses.borrow_mut();
        for loss in losses.iter_mut().skip(mark) {
            loss.path.push(segment.clone());
        }
    }

    /// Remembers the name of something that did not come over, so that what refers to it is left
    /// out too.
    pub fn leave_out(&self, name: String) {
        self.gone.borrow_mut().insert(name);
    }

    /// True when something of this name did not come over.
    #[must_use]
    pub fn is_left_out(&self, name: &str) -> bool {
        self.gone.borrow().contains(name)
    }

    /// The losses, in the order in which they were noted. However many there are, no id is left
    /// out; of losses with one id, those after the first hundred of all are only
    /// [counted](Adapter::unkept).
    #[must_use]
    pub fn into_losses(self) -> Vec<Loss> {
        let losses = self.losses.into_inner();
        let losses = losses.into_iter().map(|loss| Loss {
            id: loss.id,
            path: render(loss.path.iter().rev()),
            detail: loss.detail,
        });
        losses.collect()
    }

    /// How many losses were not kept.
    #[must_use]
    pub fn unkept(&self) -> usize {
        self.unkept.borrow().values().sum()
    }
}

impl Refused {
    /// A fault at the value at hand.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            message: message.into(),
        }
    }

    /// A fault at a member of the object at hand.
    #[must_use]
    pub fn at(field: &str, message: impl Into<String>) -> Self {
        Self {
            path: field.to_owned(),
            message: message.into(),
        }
    }

    /// The same fault, seen from the object around.
    #[must_use]
    pub fn inside(self, segment: &str) -> Self {
        let path = if self.path.is_empty() {
            segment.to_owned()
        } else if self.path.starts_with('[') {
            format!("{segment}{}", self.path)
        } else {
            format!("{segment}.{}", self.path)
        };
        Self { path, ..self }
    }
}

/// A value of an older version that becomes one of a newer version.
pub trait Up<New>: Sized {
    /// Converts.
    ///
    /// # Errors
    /// When it has no form in the newer version.
    fn up(self, adapter: &Adapter) -> Result<New, Refused>;
}

/// A value of a newer version that becomes one of an older version.
pub trait Down<Old>: Sized {
    /// Converts.
    ///
    /// # Errors
    /// When it has no form in the older version.
    fn down(self, adapter: &Adapter) -> Result<Old, Refused>;
}

/// Who says nothing in either version.
impl Up<()> for () {
    fn up(self, _: &Adapter) -> Result<(), Refused> {
        Ok(())
    }
}

impl Down<()> for () {
    fn down(self, _: &Adapter) -> Result<(), Refused> {
        Ok(())
    }
}

/// Converts a value of an older version, and tells what was lost.
///
/// # Errors
/// When it has no form in the newer version.
pub fn up<Old: Up<New>, New>(old: Old, options: &Options) -> Result<(New, Vec<Loss>), Refused> {
    let adapter = Adapter::new(options.clone());
    let new = old.up(&adapter)?;
    Ok((new, adapter.into_losses()))
}

/// Converts a value of a newer version, and tells what was lost.
///
/// # Errors
/// When it has no form in the older version.
pub fn down<New: Down<Old>, Old>(new: New, options: &Options) -> Result<(Old, Vec<Loss>), Refused> {
    let adapter = Adapter::new(options.clone());
    let old = new.down(&adapter)?;
    Ok((old, adapter.into_losses()))
}

#[cfg(test)]
mod tests;

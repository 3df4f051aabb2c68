//! What generated adapters do with the values of fields: one call for each kind of field.
//!
//! Comes in: values of one version, and the names and losses that a plan gives them. Goes out: the
//! values of the other version. Lists, maps and optional values convert as their elements do.

use std::collections::BTreeMap;

use super::{Adapter, Down, Refused, Up};
use crate::types::{ListValue, Struct, Value};

/// The id of a loss, and what people are told.
pub type Told = (&'static str, &'static str);

/// How the values of an enum of the older version and those of one of the newer version stand for
/// each other. Both are open, as those of protobuf are: a number may have no name.
///
/// ```
/// use a2a_wire::adapt::{Adapter, Options, Values};
///
/// const COLORS: Values = Values {
///     pairs: &[(0, 0, None, None), (1, 2, None, None)],
///     only_old: &[(7, 0, ("U1", "infrared is gone"))],
///     refused: &[(9, "D1")],
///     unknown: Some(("U2", "an unknown color counts as none")),
/// };
/// let adapter = Adapter::new(Options::default());
/// assert_eq!(COLORS.up(1, &adapter)?, 2);
/// assert_eq!(COLORS.down(2, &adapter)?, 1);
/// assert_eq!(COLORS.up(7, &adapter)?, 0);
/// assert!(COLORS.down(9, &adapter).is_err());
/// assert_eq!(adapter.into_losses()[0].id, "U1");
/// # Ok::<(), a2a_wire::adapt::Refused>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Values {
    /// Older number, newer number, and the losses coming up and going down.
    pub pairs: &'static [(i32, i32, Option<Told>, Option<Told>)],
    /// Older numbers without a newer one, and what they become.
    pub only_old: &'static [(i32, i32, Told)],
    /// Newer numbers without an older one, and the id with which they are refused.
    pub refused: &'static [(i32, &'static str)],
    /// The loss with which a number that neither version knows becomes 0; without one it is
    /// refused, as it is in a strict conversion.
    pub unknown: Option<Told>,
}

impl Values {
    /// The newer number.
    ///
    /// # Errors
    /// When there is none.
    pub fn up(&self, old: i32, adapter: &Adapter) -> Result<i32, Refused> {
        if let Some((_, new, loss, _)) = self.pairs.iter().find(|pair| pair.0 == old) {
            note(adapter, *loss);
            return Ok(*new);
        }
        if let Some((_, new, loss)) = self.only_old.iter().find(|each| each.0 == old) {
            note(adapter, Some(*loss));
            return Ok(*new);
        }
        self.unknown(old, adapter)
    }

    /// The older number.
    ///
    /// # Errors
    /// When there is none.
    pub fn down(&self, new: i32, adapter: &Adapter) -> Result<i32, Refused> {
        if let Some((old, _, _, loss)) = self.pairs.iter().find(|pair| pair.1 == new) {
            note(adapter, *loss);
            return Ok(*old);
        }
        if let Some((_, id)) = self.refused.iter().find(|each| each.0 == new) {
            return Err(Refused::new(format!(
                "the value {new} has no counterpart in the older version ({id}); choose another one"
            )));
        }
        self.unknown(new, adapter)
    }

    fn unknown(&self, number: i32, adapter: &Adapter) -> Result<i32, Refused> {
        match self.unknown {
            Some(loss) if adapter.options().tolerant => {
                note(adapter, Some(loss));
                Ok(0)
            }
            _ => Err(Refused::new(format!(
                "the number {number} is no value of this enum in either version"
            ))),
        }
    }
}

/// Numbers of enums: one, or as many as a field holds.
pub trait Numbers: Sized {
    /// The same with every number converted.
    ///
    /// # Errors
    /// The first of the conversions.
    fn each(self, convert: impl Fn(i32) -> Result<i32, Refused>) -> Result<Self, Refused>;
}

impl Numbers for i32 {
    fn each(self, convert: impl Fn(i32) -> Result<i32, Refused>) -> Result<Self, Refused> {
        convert(self)
    }
}

impl Numbers for Option<i32> {
    fn each(self, convert: impl Fn(i32) -> Result<i32, Refused>) -> Result<Self, Refused> {
        self.map(convert).transpose()
    }
}

impl Numbers for Vec<i32> {
    fn each(self, convert: impl Fn(i32) -> Result<i32, Refused>) -> Result<Self, Refused> {
        self.into_iter().map(convert).collect()
    }
}

impl<K: Ord> Numbers for BTreeMap<K, i32> {
    fn each(self, convert: impl Fn(i32) -> Result<i32, Refused>) -> Result<Self, Refused> {
        self.into_iter()
            .map(|(key, number)| Ok((key, convert(number)?)))
            .collect()
    }
}

/// A value whose default stands for absence, where absence is known.
///
/// ```
/// assert_eq!(a2a_wire::adapt::set(0), None);
/// assert_eq!(a2a_wire::adapt::set("x"), Some("x"));
/// ```
pub fn set<T: Default + PartialEq>(value: T) -> Option<T> {
    (value != T::default()).then_some(value)
}

/// The text of the newer version for a value of an enum of the older one; empty for 0.
///
/// # Errors
/// When the number has no name.
pub fn name_of_number(
    number: i32,
    name: impl FnOnce(i32) -> Option<&'static str>,
) -> Result<String, Refused> {
    if number == 0 {
        return Ok(String::new());
    }
    name(number)
        .map(str::to_owned)
        .ok_or_else(|| Refused::new(format!("the number {number} is no value of this enum")))
}

/// The value of an enum of the older version for a text of the newer one; 0 for none.
///
/// # Errors
/// When the enum has no value of this name; the text names the rule that says so.
pub fn number_of_name(
    text: &str,
    rule: &str,
    number: impl FnOnce(&str) -> Option<i32>,
) -> Result<i32, Refused> {
    if text.is_empty() {
        return Ok(0);
    }
    number(text).ok_or_else(|| {
        Refused::new(format!(
            "{:?} has no counterpart in the older version ({rule})",
            crate::path::shortened(text, 100)
        ))
    })
}

fn note(adapter: &Adapter, loss: Option<Told>) {
    if let Some((id, detail)) = loss {
        adapter.loss(id, detail);
    }
}

impl Adapter {
    /// Converts the value of a member upwards.
    ///
    /// # Errors
    /// When it has no form in the newer version.
    pub fn up<Old: Up<New>, New>(&self, name: &'static str, old: Old) -> Result<New, Refused> {
        self.field(name, |adapter| old.up(adapter))
    }

    /// Converts the value of a member downwards.
    ///
    /// # Errors
    /// When it has no form in the older version.
    pub fn down<New: Down<Old>, Old>(&self, name: &'static str, new: New) -> Result<Old, Refused> {
        self.field(name, |adapter| new.down(adapter))
    }

    /// Converts the numbers in a member upwards.
    ///
    /// # Errors
    /// When one has no counterpart.
    pub fn numbers_up<N: Numbers>(
        &self,
        name: &'static str,
        values: &Values,
        numbers: N,
    ) -> Result<N, Refused> {
        self.field(name, |adapter| {
            numbers.each(|number| values.up(number, adapter))
        })
    }

    /// Converts the numbers in a member downwards.
    ///
    /// # Errors
    /// When one has no counterpart.
    pub fn numbers_down<N: Numbers>(
        &self,
        name: &'static str,
        values: &Values,
        numbers: N,
    ) -> Result<N, Refused> {
        self.field(name, |adapter| {
            numbers.each(|number| values.down(number, adapter))
        })
    }

    /// The first of several values; the others are lost, and so is a list that is empty if a loss
    /// is named for it.
    pub fn first<T>(
        &self,
        name: &'static str,
        values: Vec<T>,
        others: Option<Told>,
        none: Option<Told>,
    ) -> Option<T> {
        if values.len() > 1
            && let Some((id, detail)) = others
        {
            self.loss_of(id, name, detail);
        }
        let first = values.into_iter().next();
        if first.is_none()
            && let Some((id, detail)) = none
        {
            self.loss_of(id, name, detail);
        }
        first
    }

    /// Notes the loss of a member when it is set.
    pub fn lost_if(&self, is_set: bool, name: &'static str, loss: Told) {
        if is_set {
            self.loss_of(loss.0, name, loss.1);
        }
    }

    /// A member that must be there.
    ///
    /// # Errors
    /// When it is not; the text names the rule that says so.
    pub fn required<T>(&self, value: Option<T>, name: &str, rule: &str) -> Result<T, Refused> {
        value.ok_or_else(|| Refused::at(name, format!("is required ({rule})")))
    }

    /// Refuses a message that holds none of several members.
    ///
    /// # Errors
    /// Always.
    #[cold]
    pub fn empty<T>(&self, members: &str) -> Result<T, Refused> {
        Err(Refused::new(format!(
            "holds nothing; exactly one of {members} must be set"
        )))
    }

    /// Notes the loss of a member of free data whose integers do not fit the numbers of protobuf,
    /// which are doubles.
    pub fn doubles(&self, name: &'static str, data: &impl FreeData, loss: Told) {
        if !data.fits_doubles() {
            self.loss_of(loss.0, name, loss.1);
        }
    }
}

/// Free JSON in messages.
pub trait FreeData {
    /// True when all numbers are doubles, or integers that a double holds exactly.
    fn fits_doubles(&self) -> bool;
}

impl FreeData for serde_json::Value {
    fn fits_doubles(&self) -> bool {
        /// Two to the power of 53: up to here every integer is a double.
        const EXACT: u64 = 1 << 53;
        // The depth is that of a text or of protobuf that was read, both of which bound it.
        match self {
            Self::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => number <= EXACT || is_exact(u128::from(number)),
                (None, Some(number)) => {
                    number.unsigned_abs() <= EXACT || is_exact(u128::from(number.unsigned_abs()))
                }
                (None, None) => true,
            },
            Self::Array(values) => values.iter().all(Self::fits_doubles),
            Self::Object(members) => members.values().all(Self::fits_doubles),
            Self::Null | Self::Bool(_) | Self::String(_) => true,
        }
    }
}

/// True when the significant bits of an integer fit into those of a double.
fn is_exact(number: u128) -> bool {
    number == 0 || 128 - number.leading_zeros() - number.trailing_zeros() <= 53
}

impl FreeData for Struct {
    fn fits_doubles(&self) -> bool {
        self.0.values().all(FreeData::fits_doubles)
    }
}

impl FreeData for Value {
    fn fits_doubles(&self) -> bool {
        self.0.fits_doubles()
    }
}

impl FreeData for ListValue {
    fn fits_doubles(&self) -> bool {
        self.0.iter().all(FreeData::fits_doubles)
    }
}

impl<T: FreeData> FreeData for Option<T> {
    fn fits_doubles(&self) -> bool {
        self.as_ref().is_none_or(FreeData::fits_doubles)
    }
}

impl<T: FreeData> FreeData for Vec<T> {
    fn fits_doubles(&self) -> bool {
        self.iter().all(FreeData::fits_doubles)
    }
}

impl<K, T: FreeData> FreeData for BTreeMap<K, T> {
    fn fits_doubles(&self) -> bool {
        self.values().all(FreeData::fits_doubles)
    }
}

macro_rules! as_their_elements {
    ($direction:ident, $convert:ident) => {
        impl<A: $direction<B>, B> $direction<Option<B>> for Option<A> {
            fn $convert(self, adapter: &Adapter) -> Result<Option<B>, Refused> {
                self.map(|value| value.$convert(adapter)).transpose()
            }
        }

        impl<A: $direction<B>, B> $direction<Box<B>> for Box<A> {
            fn $convert(self, adapter: &Adapter) -> Result<Box<B>, Refused> {
                (*self).$convert(adapter).map(Box::new)
            }
        }

        impl<A: $direction<B>, B> $direction<Vec<B>> for Vec<A> {
            fn $convert(self, adapter: &Adapter) -> Result<Vec<B>, Refused> {
                self.into_iter()
                    .enumerate()
                    .map(|(index, value)| adapter.element(index, |adapter| value.$convert(adapter)))
                    .collect()
            }
        }

        impl<K: Ord + ToString, A: $direction<B>, B> $direction<BTreeMap<K, B>> for BTreeMap<K, A> {
            fn $convert(self, adapter: &Adapter) -> Result<BTreeMap<K, B>, Refused> {
                self.into_iter()
                    .map(|(key, value)| {
                        let mark = adapter.mark();
                        let segment = |key: &K| crate::path::Segment::key(&key.to_string());
                        let converted = value.$convert(adapter);
                        if adapter.mark() > mark {
                            adapter.place(mark, &segment(&key));
                        }
                        match converted {
                            Ok(value) => Ok((key, value)),
                            Err(refused) => {
                                Err(refused.inside(&crate::path::render(&[segment(&key)])))
                            }
                        }
                    })
                    .collect()
            }
        }
    };
}

as_their_elements!(Up, up);
as_their_elements!(Down, down);

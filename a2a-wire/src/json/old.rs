//! Objects of an older version, read straight into types of a newer one and written from them.
//!
//! Comes in: members in any order, under all names that peers of the older version use. Goes out:
//! one value of the newer type; what it cannot hold is noted with the [`Adapter`] that the
//! [`Context`] carries. Readers are lenient, writers write exactly what the older version's schema
//! lays down. Implementations of [`OldObject`] are generated from a plan, or are hooks.

mod bare;
mod enums;
mod members;
mod union;

use std::fmt;

use serde::de::{self, IgnoredAny, MapAccess};
use serde::ser::{self, SerializeMap as _, Serializer};

use super::codec::Codec;
use super::context::Context;
use super::message::{Entry, Fields, Found, Name};
use crate::adapt::{Adapter, Refused};
use crate::path::{Segment, shortened};

pub use bare::Nothing;
pub use enums::{OldEnum, OldEnumeration, OldWords, Word};
pub use members::InBox;
pub(crate) use members::is_strict;
pub use union::{OldUnion, Variant, union_object, union_text};

/// The JSON of an object of an older version. Every implementor is a [`Codec`].
///
/// What is read is collected in a state first, since one member of the newer type may be made from
/// several, which come in any order.
pub trait OldObject: Sized + 'static {
    /// The newer type.
    type Value;

    /// What was read so far.
    type State: Default;

    /// Name of the definition, for errors.
    const NAME: &'static str;

    /// Names of the members, in the order of their indices; for errors and losses.
    const JSON_NAMES: &'static [&'static str];

    /// No name needs an escape.
    const PLAIN_NAMES: bool = true;

    /// Members that are not known are refused, not ignored: in objects that say who may call, an
    /// overlooked member would open a door.
    const REJECT_UNKNOWN: bool = false;

    /// The index of a member from any of its names.
    fn member(name: &str) -> Option<usize>;

    /// Reads the value of one member. False when it was `null`, which stands for absence.
    ///
    /// # Errors
    /// When it does not fit.
    fn read_member<'de, A: MapAccess<'de>>(
        state: &mut Self::State,
        index: usize,
        input: Entry<'_, '_, A>,
    ) -> Result<bool, A::Error>;

    /// Makes the value once all members are there.
    ///
    /// # Errors
    /// When something is missing, or members contradict each other.
    fn finish<E: de::Error>(
        state: Self::State,
        seen: Seen,
        cx: &Context<'_>,
    ) -> Result<Self::Value, E>;

    /// Notes what is set and has no place in the older version at all.
    fn note_dropped(_value: &Self::Value, _adapter: &Adapter) {}

    /// Writes all members that are to be written.
    ///
    /// # Errors
    /// When a value has no form in the older version, and those of the output.
    fn write_members<S: ser::SerializeMap>(
        value: &Self::Value,
        output: &mut Fields<'_, '_, S>,
    ) -> Result<(), S::Error>;
}

/// What a hook for a member does with the whole object around it.
pub trait Settle<New> {
    /// Called when all members are read.
    fn after_reading(_new: &mut New, _adapter: &Adapter) {}

    /// Called before any member is written.
    fn before_writing(_new: &New, _adapter: &Adapter) {}
}

/// Which members of an object were there and not `null`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen(u64);

impl Seen {
    /// True when the member was there.
    #[must_use]
    pub fn has(self, index: usize) -> bool {
        self.0 & Self::bit(index) != 0
    }

    fn add(&mut self, index: usize) {
        self.0 |= Self::bit(index);
    }

    /// Members beyond the 64th are not told apart; no known schema has as many.
    fn bit(index: usize) -> u64 {
        u32::try_from(index)
            .ok()
            .and_then(|index| 1_u64.checked_shl(index))
            .unwrap_or_default()
    }
}

impl<T: OldObject> Codec for T {
    type Value = T::Value;

    const NOTES: bool = true;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn object<'de, A: MapAccess<'de>>(
        cx: &Context<'_>,
        mut input: A,
    ) -> Result<Self::Value, A::Error> {
        let mut state = T::State::default();
        let mut seen = Seen::default();
        while let Some(name) = input.next_key_seed(Name {
            find: T::member,
            keep: T::REJECT_UNKNOWN,
        })? {
            match name {
                Found::Field(index) => {
                    let name = || T::JSON_NAMES.get(index).copied().unwrap_or_default();
                    let mark = cx.mark();
                    let entry = Entry::new(cx, &mut input);
                    match T::read_member(&mut state, index, entry) {
                        Ok(true) => seen.add(index),
                        Ok(false) => {}
                        Err(error) => return Err(cx.inside(Segment::Field(name()), error)),
                    }
                    cx.below(mark, || Segment::Field(name()));
                }
                Found::Other(None) => {
                    input.next_value::<IgnoredAny>()?;
                }
                Found::Other(Some(name)) => return Err(unknown_member(cx, T::NAME, name)),
                Found::Number => return Err(cx.fault("expected an object, found a number")),
            }
        }
        T::finish(state, seen, cx)
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        value: &Self::Value,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        if let Some(adapter) = cx.adapter() {
            T::note_dropped(value, adapter);
        }
        write_object::<T, S>(cx, value, output)
    }
}

/// Writes an object without a word about what it cannot hold.
fn write_object<T: OldObject, S: Serializer>(
    cx: &Context<'_>,
    value: &T::Value,
    output: S,
) -> Result<S::Ok, S::Error> {
    let mut output = output.serialize_map(None)?;
    T::write_members(value, &mut Fields::named(cx, &mut output, T::PLAIN_NAMES))?;
    output.end()
}

#[cold]
pub(crate) fn unknown_member<E: de::Error>(cx: &Context<'_>, object: &str, name: String) -> E {
    let error = cx.fault(format_args!(
        "{object} has no member named {:?}, and it must not be overlooked here",
        shortened(&name, 60)
    ));
    cx.inside(Segment::Key(name), error)
}

/// Puts the key of a map before the path of an error.
#[cold]
pub(crate) fn in_key<E>(cx: &Context<'_>, key: String, error: E) -> E {
    cx.inside(Segment::Key(key), error)
}

/// Puts the name of a member before the path of an error.
#[cold]
pub(crate) fn in_member<E>(cx: &Context<'_>, name: &'static str, error: E) -> E {
    cx.inside(Segment::Field(name), error)
}

/// The error of a member that must be there.
#[cold]
pub fn missing<E: de::Error>(cx: &Context<'_>, name: &'static str) -> E {
    let error = cx.fault("is required, but is not there");
    cx.inside(Segment::Field(name), error)
}

/// Writes a value of a codec in the place of what holds it under a name.
///
/// # Errors
/// Those of the codec.
pub fn write_variant<C: Codec, S: Serializer>(
    cx: &Context<'_>,
    given: &'static str,
    value: &C::Value,
    output: S,
) -> Result<S::Ok, S::Error> {
    let mark = cx.mark();
    let written = C::write(cx, value, output);
    cx.below(mark, || Segment::Field(given));
    written.map_err(|error| cx.inside(Segment::Field(given), error))
}

/// The error of a value that has no form in the older version.
#[cold]
pub fn unwritable<E: ser::Error>(cx: &Context<'_>, message: &str) -> E {
    cx.unwritable(message)
}

/// Calls a hook that comes up.
///
/// # Errors
/// Those of the hook.
pub fn hooked<T, E: de::Error>(
    cx: &Context<'_>,
    hook: impl FnOnce(&Adapter) -> Result<T, Refused>,
) -> Result<T, E> {
    with_adapter(cx, hook).map_err(|refused| {
        let error = cx.fault(&refused.message);
        at(cx, refused.path, error)
    })
}

/// Calls a hook that goes down.
///
/// # Errors
/// Those of the hook.
pub fn hooked_down<T, E: ser::Error>(
    cx: &Context<'_>,
    hook: impl FnOnce(&Adapter) -> Result<T, Refused>,
) -> Result<T, E> {
    with_adapter(cx, hook).map_err(|refused| {
        let error = cx.unwritable(&refused.message);
        at(cx, refused.path, error)
    })
}

/// Without an adapter losses are not wanted; hooks still need one.
fn with_adapter<T>(cx: &Context<'_>, call: impl FnOnce(&Adapter) -> T) -> T {
    match cx.adapter() {
        Some(adapter) => call(adapter),
        None => call(&Adapter::default()),
    }
}

fn at<E>(cx: &Context<'_>, path: String, error: E) -> E {
    if path.is_empty() {
        error
    } else {
        cx.inside(Segment::Path(path), error)
    }
}

#[cfg(test)]
mod tests;

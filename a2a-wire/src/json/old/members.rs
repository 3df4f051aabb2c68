//! What happens to the value of one member on its way between the versions.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess};
use serde::ser::{SerializeMap, Serializer};

use super::super::codec::{As, Codec, Implicit, Reader};
use super::super::context::Context;
use super::super::list::List;
use super::super::message::{Entry, Fields};
use super::super::number::Num;
use super::super::scalar::Bool;
use super::super::value::Struct;
use super::super::writer::PlainName;
use super::{OldObject, write_object};
use crate::adapt::Adapter;
use crate::path::Segment;
use crate::types;

impl<'de, A: MapAccess<'de>> Entry<'_, '_, A> {
    /// A member for which absence is the default.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn value<C: Implicit>(self, slot: &mut C::Value) -> Result<bool, A::Error> {
        let value = self.read::<C>()?;
        let there = value.is_some();
        *slot = value.unwrap_or_default();
        Ok(there)
    }

    /// A member whose absence is known.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn maybe<C: Codec>(self, slot: &mut Option<C::Value>) -> Result<bool, A::Error> {
        *slot = self.read::<C>()?;
        Ok(slot.is_some())
    }

    /// A value that is kept until all members are there.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn kept<C: Codec>(self, slot: &mut C::Value) -> Result<bool, A::Error> {
        let value = self.read::<C>()?;
        let there = value.is_some();
        if let Some(value) = value {
            *slot = value;
        }
        Ok(there)
    }

    /// A member that is one of several in the newer version; the last one counts.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn chosen<C: Codec, O>(
        self,
        slot: &mut Option<O>,
        wrap: fn(C::Value) -> O,
    ) -> Result<bool, A::Error> {
        let value = self.read::<C>()?;
        let there = value.is_some();
        if let Some(value) = value {
            *slot = Some(wrap(value));
        }
        Ok(there)
    }

    /// Free data of which `{}` comes up as unset.
    ///
    /// # Errors
    /// When it is no object.
    pub fn unless_empty(
        self,
        slot: &mut Option<types::Struct>,
        loss: Option<&'static str>,
    ) -> Result<bool, A::Error> {
        let cx = self.cx;
        *slot = self.read::<Struct>()?;
        let there = slot.is_some();
        if slot.as_ref().is_some_and(|value| value.is_empty()) {
            *slot = None;
            if let Some(loss) = loss {
                cx.note(loss, "an empty object is the same as none");
            }
        }
        Ok(there)
    }

    /// A truth value that means the opposite.
    ///
    /// # Errors
    /// When it is none.
    pub fn negated(self, slot: &mut bool) -> Result<bool, A::Error> {
        let truth = self.read::<Bool>()?;
        if let Some(truth) = truth {
            *slot = !truth;
        }
        Ok(truth.is_some())
    }

    /// A number of which 0 is the same as none.
    ///
    /// # Errors
    /// When it is no number.
    pub fn unless_zero<C: Implicit>(
        self,
        slot: &mut Option<C::Value>,
        loss: Option<&'static str>,
    ) -> Result<bool, A::Error> {
        let cx = self.cx;
        *slot = self.read::<C>()?;
        let there = slot.is_some();
        if slot.as_ref().is_some_and(C::is_default) {
            *slot = None;
            if let Some(loss) = loss {
                cx.note(loss, "0 is taken as no limit");
            }
        }
        Ok(there)
    }

    /// A list of which the first element counts.
    ///
    /// # Errors
    /// When an element does not fit.
    pub fn first<C: Codec<Value: Default>>(
        self,
        slot: &mut C::Value,
        rest: Option<&'static str>,
        none: Option<&'static str>,
    ) -> Result<bool, A::Error> {
        let cx = self.cx;
        let Some(list) = self.read::<List<C>>()? else {
            return Ok(false);
        };
        let more = list.len() > 1;
        match (list.into_iter().next(), rest, none) {
            (Some(first), rest, _) => {
                *slot = first;
                if let (true, Some(rest)) = (more, rest) {
                    cx.note(rest, "only the first of the list is kept");
                }
            }
            (None, _, Some(none)) => cx.note(none, "the list is empty, but one is required"),
            (None, ..) => {}
        }
        Ok(true)
    }

    /// A member that the newer version has no place for. It is a loss unless it says nothing.
    ///
    /// # Errors
    /// When it is no JSON.
    pub fn forgotten(
        self,
        loss: Option<&'static str>,
        detail: &'static str,
    ) -> Result<bool, A::Error> {
        let cx = self.cx;
        let says = self.read::<Says>()?.unwrap_or_default();
        if let (true, Some(loss)) = (says, loss) {
            cx.note(loss, detail);
        }
        Ok(says)
    }

    /// Skips the value.
    ///
    /// # Errors
    /// When it is no JSON.
    pub fn passed(self) -> Result<bool, A::Error> {
        self.skip().map(|()| true)
    }
}

/// Any value; true when it says something: it is not `null`, `false`, nor empty.
struct Says;

impl Codec for Says {
    type Value = bool;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn read<'de, D: Deserializer<'de>>(
        cx: &Context<'_>,
        input: D,
    ) -> Result<Option<bool>, D::Error> {
        input.deserialize_any(Reader::<Self>::new(cx))
    }

    fn text<E: de::Error>(_cx: &Context<'_>, text: &str) -> Result<bool, E> {
        Ok(!text.is_empty())
    }

    fn truth<E: de::Error>(_cx: &Context<'_>, truth: bool) -> Result<bool, E> {
        Ok(truth)
    }

    fn number<E: de::Error>(_cx: &Context<'_>, _number: Num) -> Result<bool, E> {
        Ok(true)
    }

    fn list<'de, A: SeqAccess<'de>>(_cx: &Context<'_>, mut list: A) -> Result<bool, A::Error> {
        let mut says = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            says = true;
        }
        Ok(says)
    }

    fn object<'de, A: MapAccess<'de>>(_cx: &Context<'_>, mut object: A) -> Result<bool, A::Error> {
        let mut says = false;
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            says = true;
        }
        Ok(says)
    }

    fn write<S: Serializer>(_cx: &Context<'_>, says: &bool, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_bool(*says)
    }
}

impl<'c, S: SerializeMap> Fields<'c, '_, S> {
    /// The run that this is part of.
    #[must_use]
    pub fn context(&self) -> &'c Context<'c> {
        self.cx
    }

    /// Notes a loss at a member of the value that is written.
    pub fn note(&self, loss: &'static str, member: &'static str, detail: &'static str) {
        if let Some(adapter) = self.cx.adapter() {
            adapter.loss_of(loss, member, detail);
        }
    }

    /// Writes a member that always has the same text, which needs no escapes.
    ///
    /// # Errors
    /// Those of the output.
    pub fn constant(&mut self, name: &'static str, text: &'static str) -> Result<(), S::Error> {
        self.output
            .serialize_entry(&PlainName(name), &PlainName(text))
    }

    /// Writes a member of any kind.
    ///
    /// # Errors
    /// Those of the output.
    pub(crate) fn any(
        &mut self,
        name: &'static str,
        value: &impl serde::Serialize,
    ) -> Result<(), S::Error> {
        self.output.serialize_entry(name, value)
    }

    /// Writes a member; `given` is its name in the value that is written.
    ///
    /// # Errors
    /// When the value has no form in the older version.
    pub fn old<C: Codec>(
        &mut self,
        name: &'static str,
        given: &'static str,
        value: &C::Value,
    ) -> Result<(), S::Error> {
        let mark = if C::NOTES { self.cx.mark() } else { 0 };
        let value = As::<C>::new(self.cx, value);
        let written = if self.plain_names {
            self.output.serialize_entry(&PlainName(name), &value)
        } else {
            self.output.serialize_entry(name, &value)
        };
        if C::NOTES {
            self.cx.below(mark, || Segment::Field(given));
        }
        written.map_err(|error| self.cx.inside(Segment::Field(given), error))
    }

    /// Writes a member unless it is the default.
    ///
    /// # Errors
    /// As [`Fields::old`].
    pub fn old_implicit<C: Implicit>(
        &mut self,
        name: &'static str,
        given: &'static str,
        value: &C::Value,
    ) -> Result<(), S::Error> {
        if C::is_default(value) {
            Ok(())
        } else {
            self.old::<C>(name, given, value)
        }
    }

    /// Writes a member if it is there.
    ///
    /// # Errors
    /// As [`Fields::old`].
    pub fn old_optional<C: Codec>(
        &mut self,
        name: &'static str,
        given: &'static str,
        value: &Option<C::Value>,
    ) -> Result<(), S::Error> {
        match value {
            Some(value) => self.old::<C>(name, given, value),
            None => Ok(()),
        }
    }

    /// Writes a member that the older version wants and the newer one may leave out.
    ///
    /// # Errors
    /// As [`Fields::old`].
    pub fn old_required<C: Codec<Value: Default>>(
        &mut self,
        name: &'static str,
        given: &'static str,
        value: &Option<C::Value>,
        loss: Option<&'static str>,
    ) -> Result<(), S::Error> {
        match (value, loss) {
            (Some(value), _) => self.old::<C>(name, given, value),
            (None, loss) => {
                if let Some(loss) = loss {
                    self.note(loss, given, MADE_UP);
                }
                self.old::<C>(name, given, &C::Value::default())
            }
        }
    }

    /// Writes a member that both versions want.
    ///
    /// # Errors
    /// When it is not set; and as [`Fields::old`].
    pub fn old_wanted<C: Codec>(
        &mut self,
        name: &'static str,
        given: &'static str,
        value: &Option<C::Value>,
    ) -> Result<(), S::Error> {
        match value {
            Some(value) => self.old::<C>(name, given, value),
            None => {
                let error = self.cx.unwritable("is required, but is not set");
                Err(self.cx.inside(Segment::Field(given), error))
            }
        }
    }

    /// Writes a member that the older version wants and of which the newer one may hold a default.
    ///
    /// # Errors
    /// As [`Fields::old`].
    pub fn old_made_up<C: Implicit>(
        &mut self,
        name: &'static str,
        given: &'static str,
        value: &C::Value,
        loss: Option<&'static str>,
    ) -> Result<(), S::Error> {
        if let (true, Some(loss)) = (C::is_default(value), loss) {
            self.note(loss, given, MADE_UP);
        }
        self.old::<C>(name, given, value)
    }

    /// Writes an object that has the same newer type as the one around it.
    ///
    /// # Errors
    /// When it has no form in the older version.
    pub fn inline<T: OldObject>(
        &mut self,
        name: &'static str,
        value: &T::Value,
    ) -> Result<(), S::Error> {
        let value = As::<Inlined<T>>::new(self.cx, value);
        if self.plain_names {
            self.output.serialize_entry(&PlainName(name), &value)
        } else {
            self.output.serialize_entry(name, &value)
        }
    }

    /// Writes one value as a list of it; a default makes an empty one.
    ///
    /// # Errors
    /// As [`Fields::old`].
    pub fn old_list_of<C: Implicit<Value: Clone>>(
        &mut self,
        name: &'static str,
        given: &'static str,
        value: &C::Value,
    ) -> Result<(), S::Error> {
        let list = if C::is_default(value) {
            Vec::new()
        } else {
            vec![value.clone()]
        };
        self.old::<List<C>>(name, given, &list)
    }
}

/// The older version requires it, the newer one has none.
const MADE_UP: &str = "required by the older version and not set: written as a default";

/// An object whose newer type is that of the object around it: what has no place in it is the
/// outer one's to say.
#[derive(Debug)]
pub(crate) struct Inlined<T>(PhantomData<T>);

impl<T: OldObject> Codec for Inlined<T> {
    type Value = T::Value;

    const NOTES: bool = true;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::expected(f)
    }

    fn object<'de, A: MapAccess<'de>>(cx: &Context<'_>, input: A) -> Result<T::Value, A::Error> {
        T::object(cx, input)
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        value: &T::Value,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        write_object::<T, S>(cx, value, output)
    }
}

/// A value that is stored in a box.
#[derive(Debug)]
pub struct InBox<C>(PhantomData<C>);

impl<C: Codec> Codec for InBox<C> {
    type Value = Box<C::Value>;

    const NOTES: bool = C::NOTES;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        C::expected(f)
    }

    fn read<'de, D: Deserializer<'de>>(
        cx: &Context<'_>,
        input: D,
    ) -> Result<Option<Box<C::Value>>, D::Error> {
        Ok(C::read(cx, input)?.map(Box::new))
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        value: &Box<C::Value>,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        C::write(cx, value, output)
    }
}

/// True when an adapter is strict, or there is none.
pub(crate) fn is_strict(adapter: Option<&Adapter>) -> bool {
    adapter.is_none_or(|adapter| !adapter.options().tolerant)
}

//! Messages: objects whose members are known by name.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};

use super::codec::{As, Codec, Implicit, Seed};
use super::context::Context;
use super::value::is_number_token;
use super::writer::PlainName;
use crate::path::{Segment, shortened};

/// The JSON of a message type. Implementations are generated; they hold tables and one call per
/// field, all loops are here.
pub trait JsonMessage: Default + 'static {
    /// Full proto name, for errors.
    const PROTO_NAME: &'static str;

    /// JSON names of the fields, in the order of their indices.
    const JSON_NAMES: &'static [&'static str];

    /// No JSON name needs an escape.
    const PLAIN_NAMES: bool = true;

    /// Members that the schema does not know are refused, not ignored.
    const REJECT_UNKNOWN: bool;

    /// The index of a field from its JSON name or its proto name.
    fn field_index(name: &str) -> Option<usize>;

    /// Reads the value of one field.
    ///
    /// # Errors
    /// When it does not fit.
    fn read_field<'de, A: MapAccess<'de>>(
        &mut self,
        index: usize,
        input: Entry<'_, '_, A>,
    ) -> Result<(), A::Error>;

    /// Writes all fields that are to be written, in declaration order.
    ///
    /// # Errors
    /// When a value has no JSON form, and those of the output.
    fn write_fields<S: SerializeMap>(&self, output: &mut Fields<'_, '_, S>)
    -> Result<(), S::Error>;
}

/// A field's value that is still to be read.
#[derive(Debug)]
pub struct Entry<'c, 'm, A> {
    pub(super) cx: &'c Context<'c>,
    input: &'m mut A,
}

impl<'c, 'm, A> Entry<'c, 'm, A> {
    pub(super) fn new(cx: &'c Context<'c>, input: &'m mut A) -> Self {
        Self { cx, input }
    }
}

impl<'de, A: MapAccess<'de>> Entry<'_, '_, A> {
    /// The value; `None` for `null`.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn read<C: Codec>(self) -> Result<Option<C::Value>, A::Error> {
        self.input.next_value_seed(Seed::<C>::new(self.cx))
    }

    /// A field for which `null` means the default: scalars, lists and maps.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn implicit<C: Implicit>(self, slot: &mut C::Value) -> Result<(), A::Error> {
        *slot = self.read::<C>()?.unwrap_or_default();
        Ok(())
    }

    /// A field whose absence is known.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn explicit<C: Codec>(self, slot: &mut Option<C::Value>) -> Result<(), A::Error> {
        *slot = self.read::<C>()?;
        Ok(())
    }

    /// A member of a oneof: refused when another member is set. `null` is no member.
    ///
    /// # Errors
    /// When it does not fit, or another member is there already.
    pub fn member<C: Codec, O>(
        self,
        slot: &mut Option<O>,
        members: &'static str,
        is_same: fn(&O) -> bool,
        wrap: fn(C::Value) -> O,
    ) -> Result<(), A::Error> {
        let cx = self.cx;
        let value = self.read::<C>()?;
        let other = slot.as_ref().is_some_and(|set| !is_same(set));
        match value {
            Some(_) if other => Err(cx.fault(format_args!(
                "only one of {members} may be set, and another one is already"
            ))),
            Some(value) => {
                *slot = Some(wrap(value));
                Ok(())
            }
            None if other => Ok(()),
            None => {
                *slot = None;
                Ok(())
            }
        }
    }

    /// Reads the value and forgets it.
    ///
    /// # Errors
    /// When it is no JSON.
    pub fn skip(self) -> Result<(), A::Error> {
        self.input.next_value::<IgnoredAny>().map(|_| ())
    }
}

/// The members of an object that is being written.
#[derive(Debug)]
pub struct Fields<'c, 'm, S> {
    pub(super) cx: &'c Context<'c>,
    pub(super) output: &'m mut S,
    pub(super) plain_names: bool,
}

impl<'c, 'm, S: SerializeMap> Fields<'c, 'm, S> {
    pub(crate) fn new<M: JsonMessage>(cx: &'c Context<'c>, output: &'m mut S) -> Self {
        Self::named(cx, output, M::PLAIN_NAMES)
    }

    pub(crate) fn named(cx: &'c Context<'c>, output: &'m mut S, plain_names: bool) -> Self {
        Self {
            cx,
            output,
            plain_names,
        }
    }

    /// Writes a member.
    ///
    /// # Errors
    /// When the value has no JSON form.
    pub fn field<C: Codec>(
        &mut self,
        name: &'static str,
        value: &C::Value,
    ) -> Result<(), S::Error> {
        let value = As::<C>::new(self.cx, value);
        let written = if self.plain_names {
            self.output.serialize_entry(&PlainName(name), &value)
        } else {
            self.output.serialize_entry(name, &value)
        };
        written.map_err(|error| self.cx.inside(Segment::Field(name), error))
    }

    /// Writes a member unless it is the default.
    ///
    /// # Errors
    /// When the value has no JSON form.
    pub fn implicit<C: Implicit>(
        &mut self,
        name: &'static str,
        value: &C::Value,
    ) -> Result<(), S::Error> {
        if C::is_default(value) {
            Ok(())
        } else {
            self.field::<C>(name, value)
        }
    }

    /// Writes a member if it is there.
    ///
    /// # Errors
    /// When the value has no JSON form.
    pub fn optional<C: Codec>(
        &mut self,
        name: &'static str,
        value: &Option<C::Value>,
    ) -> Result<(), S::Error> {
        match value {
            Some(value) => self.field::<C>(name, value),
            None => Ok(()),
        }
    }
}

/// A message of a schema.
#[derive(Debug)]
pub struct Message<M>(PhantomData<M>);

/// A message that is stored in a box.
#[derive(Debug)]
pub struct Boxed<M>(PhantomData<M>);

impl<M: JsonMessage> Codec for Message<M> {
    type Value = M;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn object<'de, A: MapAccess<'de>>(cx: &Context, mut input: A) -> Result<M, A::Error> {
        let mut message = M::default();
        while let Some(name) = input.next_key_seed(Name {
            find: M::field_index,
            keep: M::REJECT_UNKNOWN,
        })? {
            match name {
                Found::Field(index) => {
                    if let Err(error) = message.read_field(
                        index,
                        Entry {
                            cx,
                            input: &mut input,
                        },
                    ) {
                        let name = M::JSON_NAMES.get(index).copied().unwrap_or_default();
                        return Err(cx.inside(Segment::Field(name), error));
                    }
                }
                Found::Other(None) => {
                    input.next_value::<IgnoredAny>()?;
                }
                Found::Other(Some(name)) => {
                    let error = cx.fault(format_args!(
                        "{} has no field named {:?}",
                        M::PROTO_NAME,
                        shortened(&name, 60)
                    ));
                    return Err(cx.inside(Segment::Key(name), error));
                }
                Found::Number => return Err(cx.fault("expected an object, found a number")),
            }
        }
        Ok(message)
    }

    fn write<S: Serializer>(cx: &Context, message: &M, output: S) -> Result<S::Ok, S::Error> {
        let mut output = output.serialize_map(None)?;
        message.write_fields(&mut Fields::new::<M>(cx, &mut output))?;
        output.end()
    }
}

impl<M: JsonMessage> Codec for Boxed<M> {
    type Value = Box<M>;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Message::<M>::expected(f)
    }

    fn read<'de, D: Deserializer<'de>>(cx: &Context, input: D) -> Result<Option<Box<M>>, D::Error> {
        Ok(Message::<M>::read(cx, input)?.map(Box::new))
    }

    fn write<S: Serializer>(cx: &Context, message: &Box<M>, output: S) -> Result<S::Ok, S::Error> {
        Message::<M>::write(cx, message, output)
    }
}

/// The name of a member. One reader for all message types: it asks through a function pointer.
pub(super) struct Name {
    pub(super) find: fn(&str) -> Option<usize>,
    pub(super) keep: bool,
}

pub(super) enum Found {
    Field(usize),
    Other(Option<String>),
    Number,
}

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Found, D::Error> {
        input.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Found, E> {
        Ok(match (self.find)(name) {
            Some(index) => Found::Field(index),
            None if is_number_token(name) => Found::Number,
            None => Found::Other(self.keep.then(|| name.to_owned())),
        })
    }
}

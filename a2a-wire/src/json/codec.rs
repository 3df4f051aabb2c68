//! How one JSON value becomes one Rust value and back: the trait that all readers and writers of
//! fields share.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::context::Context;
use super::number::Num;
use crate::path::shortened;

/// The JSON form of one type. Implementors are empty types that generated code names.
///
/// What a form does not take is refused by the default methods, which name what was expected and
/// what was found.
pub trait Codec: Sized + 'static {
    /// The Rust value.
    type Value;

    /// True when reading or writing may note a loss, so that paths have to be kept.
    const NOTES: bool = false;

    /// Writes what is expected: `a string`.
    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Reads a value; `None` is `null`, which stands for an absent field.
    fn read<'de, D: Deserializer<'de>>(
        cx: &Context,
        input: D,
    ) -> Result<Option<Self::Value>, D::Error> {
        input.deserialize_any(Reader::<Self>::new(cx))
    }

    /// Reads a whole text.
    ///
    /// # Errors
    /// When it is no JSON, or does not fit.
    fn read_text(cx: &Context, text: &str) -> Result<Option<Self::Value>, serde_json::Error> {
        let mut input = serde_json::Deserializer::from_str(text);
        Self::read(cx, &mut input).and_then(|value| input.end().map(|()| value))
    }

    /// `null`.
    fn null() -> Option<Self::Value> {
        None
    }

    /// A string.
    fn text<E: de::Error>(cx: &Context, text: &str) -> Result<Self::Value, E> {
        Err(wrong::<Self, E>(cx, &Found::Text(text)))
    }

    /// A string that is already owned.
    fn owned_text<E: de::Error>(cx: &Context, text: String) -> Result<Self::Value, E> {
        Self::text(cx, &text)
    }

    /// `true` or `false`.
    fn truth<E: de::Error>(cx: &Context, truth: bool) -> Result<Self::Value, E> {
        Err(wrong::<Self, E>(cx, &Found::Truth(truth)))
    }

    /// A number, as the tokenizer hands it over.
    fn number<E: de::Error>(cx: &Context, number: Num) -> Result<Self::Value, E> {
        Err(wrong::<Self, E>(cx, &Found::Number(number)))
    }

    /// An array.
    fn list<'de, A: SeqAccess<'de>>(cx: &Context, _list: A) -> Result<Self::Value, A::Error> {
        Err(wrong::<Self, A::Error>(cx, &Found::List))
    }

    /// An object; or a number, when serde_json's `arbitrary_precision` is on in the graph.
    fn object<'de, A: MapAccess<'de>>(cx: &Context, object: A) -> Result<Self::Value, A::Error> {
        // Number's own reader knows how numbers travel under that feature, and refuses objects.
        match serde_json::Number::deserialize(MapAccessDeserializer::new(object)) {
            Ok(number) => Self::long_number(cx, &number.to_string()),
            Err(_) => Err(wrong::<Self, A::Error>(cx, &Found::Object)),
        }
    }

    /// A number as text, when serde_json's `arbitrary_precision` is on in the graph.
    fn long_number<E: de::Error>(cx: &Context, text: &str) -> Result<Self::Value, E> {
        Err(wrong::<Self, E>(cx, &Found::LongNumber(text)))
    }

    /// Writes a value.
    fn write<S: Serializer>(
        cx: &Context,
        value: &Self::Value,
        output: S,
    ) -> Result<S::Ok, S::Error>;
}

/// A type whose default stands for absence: scalars, enums, lists and maps.
pub trait Implicit: Codec<Value: Default> {
    /// True when the value need not be written.
    fn is_default(value: &Self::Value) -> bool;
}

/// What stood in the place of what was expected.
pub(crate) enum Found<'a> {
    Null,
    Text(&'a str),
    Truth(bool),
    Number(Num),
    LongNumber(&'a str),
    List,
    Object,
}

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Text(text) => write!(f, "the string {:?}", shortened(text, 40)),
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::Number(number) => write!(f, "the number {number}"),
            Self::LongNumber(text) => write!(f, "the number {}", shortened(text, 40)),
            Self::List => f.write_str("an array"),
            Self::Object => f.write_str("an object"),
        }
    }
}

struct Expected<C>(PhantomData<C>);

impl<C: Codec> fmt::Display for Expected<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        C::expected(f)
    }
}

/// The error of a value that does not fit.
#[cold]
pub(crate) fn wrong<C: Codec, E: de::Error>(cx: &Context, found: &Found<'_>) -> E {
    cx.fault(format_args!(
        "expected {}, found {found}",
        Expected::<C>(PhantomData)
    ))
}

/// Hands what the tokenizer finds to a codec.
pub(crate) struct Reader<'c, C> {
    cx: &'c Context<'c>,
    codec: PhantomData<C>,
}

impl<'c, C> Reader<'c, C> {
    pub(crate) fn new(cx: &'c Context<'c>) -> Self {
        Self {
            cx,
            codec: PhantomData,
        }
    }
}

impl<'de, C: Codec> Visitor<'de> for Reader<'_, C> {
    type Value = Option<C::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        C::expected(f)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(C::null())
    }

    fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(C::null())
    }

    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        C::read(self.cx, input)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        C::read(self.cx, input)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        C::text(self.cx, text).map(Some)
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Self::Value, E> {
        C::owned_text(self.cx, text).map(Some)
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Self::Value, E> {
        C::truth(self.cx, truth).map(Some)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        C::number(self.cx, Num::Signed(number)).map(Some)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        C::number(self.cx, Num::Unsigned(number)).map(Some)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        C::number(self.cx, Num::Double(number)).map(Some)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        C::list(self.cx, list).map(Some)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        C::object(self.cx, object).map(Some)
    }
}

/// Reads one value where serde wants a seed.
pub(crate) struct Seed<'c, C> {
    cx: &'c Context<'c>,
    codec: PhantomData<C>,
}

impl<'c, C> Seed<'c, C> {
    pub(crate) fn new(cx: &'c Context<'c>) -> Self {
        Self {
            cx,
            codec: PhantomData,
        }
    }
}

impl<'de, C: Codec> DeserializeSeed<'de> for Seed<'_, C> {
    type Value = Option<C::Value>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        C::read(self.cx, input)
    }
}

/// Writes one value where serde wants something that serialises itself.
pub(crate) struct As<'c, 'v, C: Codec> {
    cx: &'c Context<'c>,
    value: &'v C::Value,
}

impl<'c, 'v, C: Codec> As<'c, 'v, C> {
    pub(crate) fn new(cx: &'c Context<'c>, value: &'v C::Value) -> Self {
        Self { cx, value }
    }
}

impl<C: Codec> Serialize for As<'_, '_, C> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        C::write(self.cx, self.value, output)
    }
}

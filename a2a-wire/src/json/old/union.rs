//! One of several objects, told apart by a member such as `kind`.
//!
//! Comes in: a text. Goes out: the value, read by the codec of the object that it is. The text is
//! looked through first, up to the tag, which nearly always comes first; without a known tag, a
//! member that wraps the object says which it is (`{"task": {…}}`), else the shape does.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::super::codec::{Codec, Reader};
use super::super::context::Context;
use super::super::value::Struct;
use crate::path::{Segment, shortened};

/// One of several objects of an older version. Implementations are generated.
pub trait OldUnion: Codec {
    /// Name of the member that tells the objects apart.
    const TAG: &'static str;

    /// The objects.
    const VARIANTS: &'static [Variant];

    /// Reads the object with this index.
    ///
    /// # Errors
    /// When it does not fit.
    fn read_variant<'de, D: Deserializer<'de>>(
        index: usize,
        cx: &Context<'_>,
        input: D,
    ) -> Result<Option<Self::Value>, D::Error>;
}

/// One object of an [`OldUnion`].
#[derive(Debug)]
pub struct Variant {
    /// Value of the tag.
    pub tag: &'static str,
    /// Members that wrap this object in ProtoJSON.
    pub wrappers: &'static [&'static str],
    /// Members that must be there, each under all its names.
    pub required: &'static [&'static [&'static str]],
}

/// Variants that are told apart by shape; more are told apart by tag alone.
const MOST: usize = 8;
/// Required members that count.
const MOST_REQUIRED: u32 = 32;

/// What a look at the members says.
#[derive(Debug, Default)]
struct Look {
    /// The variant that the tag names.
    tagged: Option<usize>,
    /// A tag that names none.
    odd_tag: Option<String>,
    /// The variant that a member wraps.
    wrapped: Option<usize>,
    /// By variant, which of the required members are there.
    there: [u32; MOST],
}

impl Look {
    /// Takes note of a member. True when the tag has said everything.
    fn member<U: OldUnion>(&mut self, name: &str, tag: impl FnOnce() -> Option<String>) -> bool {
        if name == U::TAG {
            let Some(value) = tag() else { return false };
            self.tagged = U::VARIANTS.iter().position(|variant| variant.tag == value);
            self.odd_tag = self.tagged.is_none().then_some(value);
            return self.tagged.is_some();
        }
        for (variant, there) in U::VARIANTS.iter().zip(&mut self.there) {
            for (bit, names) in (0..MOST_REQUIRED).zip(variant.required) {
                if names.contains(&name) {
                    *there |= 1 << bit;
                }
            }
        }
        if self.wrapped.is_none() {
            self.wrapped = U::VARIANTS
                .iter()
                .position(|variant| variant.wrappers.contains(&name));
        }
        false
    }

    fn verdict<U: OldUnion>(&self) -> Verdict {
        if let Some(index) = self.tagged {
            return Verdict::Bare(index);
        }
        if self.wrapped.is_some() {
            return Verdict::Wrapped;
        }
        let missing = U::VARIANTS.iter().zip(&self.there).map(|(variant, there)| {
            let wanted = u32::try_from(variant.required.len()).unwrap_or(MOST_REQUIRED);
            wanted.min(MOST_REQUIRED) - there.count_ones()
        });
        let missing: Vec<u32> = missing.collect();
        let fewest = missing.iter().min().copied().unwrap_or_default();
        let mut best = (0..missing.len()).filter(|index| missing.get(*index) == Some(&fewest));
        match (best.next(), best.next()) {
            // Without any of its members it would be a guess.
            (Some(index), None) if self.there.get(index).is_some_and(|there| *there > 0) => {
                Verdict::Bare(index)
            }
            _ => Verdict::Unclear,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Bare(usize),
    Wrapped,
    Unclear,
}

/// Reads one from a whole text.
///
/// # Errors
/// When it is none, or cannot be told apart.
pub fn union_text<U: OldUnion>(
    cx: &Context<'_>,
    text: &str,
) -> Result<Option<U::Value>, serde_json::Error> {
    let mut look = Look::default();
    // What is wrong with the text is found again, and told, when it is read.
    let _ = serde_json::Deserializer::from_str(text).deserialize_map(Looking::<U> {
        look: &mut look,
        union: PhantomData,
    });
    let mut input = serde_json::Deserializer::from_str(text);
    let read = if text.trim_ascii_start().starts_with('{') {
        read_as::<U, _>(cx, &look, &mut input)
    } else {
        input.deserialize_any(Reader::<U>::new(cx))
    };
    read.and_then(|value| input.end().map(|()| value))
}

/// Reads one that is part of a text: its members are kept until it is known what it is.
///
/// # Errors
/// When it is none, or cannot be told apart.
pub fn union_object<'de, U: OldUnion, A: MapAccess<'de>>(
    cx: &Context<'_>,
    input: A,
) -> Result<U::Value, A::Error> {
    let members = Struct::object(cx, input)?.0;
    let mut look = Look::default();
    for (name, value) in &members {
        if look.member::<U>(name, || value.as_str().map(str::to_owned)) {
            break;
        }
    }
    match read_as::<U, _>(cx, &look, serde_json::Value::Object(members)) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(unclear::<U, _>(cx, &look)),
        Err(error) => Err(de::Error::custom(error)),
    }
}

fn read_as<'de, U: OldUnion, D: Deserializer<'de>>(
    cx: &Context<'_>,
    look: &Look,
    input: D,
) -> Result<Option<U::Value>, D::Error> {
    match look.verdict::<U>() {
        Verdict::Bare(index) => U::read_variant(index, cx, input),
        Verdict::Wrapped => input.deserialize_map(Unwrap::<U> {
            cx,
            union: PhantomData,
        }),
        Verdict::Unclear => {
            // Reads it, so that a text that is no JSON is told as such.
            input.deserialize_map(Pass)?;
            Err(unclear::<U, _>(cx, look))
        }
    }
}

#[cold]
fn unclear<U: OldUnion, E: de::Error>(cx: &Context<'_>, look: &Look) -> E {
    let tags = U::VARIANTS.iter().map(|variant| variant.tag);
    let tags = tags.collect::<Vec<_>>().join(", ");
    let found = match &look.odd_tag {
        Some(tag) => format!("found the string {:?}", shortened(tag, 40)),
        None => "found none, and the other members do not say which it is".to_owned(),
    };
    let error = cx.fault(format_args!("expected one of {tags}, {found}"));
    cx.inside(Segment::Field(U::TAG), error)
}

/// Looks at the members up to the tag.
struct Looking<'l, U> {
    look: &'l mut Look,
    union: PhantomData<U>,
}

impl<'de, U: OldUnion> Visitor<'de> for Looking<'_, U> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<(), A::Error> {
        while let Some(name) = input.next_key::<Cow<'de, str>>()? {
            let value = input.next_value::<&RawValue>()?.get();
            let text = || serde_json::from_str::<String>(value).ok();
            if self.look.member::<U>(&name, text) {
                break;
            }
        }
        Ok(())
    }
}

/// Reads past all members.
struct Pass;

impl<'de> Visitor<'de> for Pass {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<(), A::Error> {
        while input.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// Reads what a member wraps.
struct Unwrap<'c, U> {
    cx: &'c Context<'c>,
    union: PhantomData<U>,
}

impl<'de, U: OldUnion> Visitor<'de> for Unwrap<'_, U> {
    type Value = Option<U::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<Self::Value, A::Error> {
        let cx = self.cx;
        let mut found: Option<(usize, U::Value)> = None;
        while let Some(name) = input.next_key::<String>()? {
            let index = U::VARIANTS
                .iter()
                .position(|variant| variant.wrappers.contains(&name.as_str()));
            let Some(index) = index else {
                input.next_value::<IgnoredAny>()?;
                continue;
            };
            let mark = cx.mark();
            let read = input.next_value_seed(VariantSeed::<U> {
                index,
                cx,
                union: PhantomData,
            });
            let other = found.as_ref().is_some_and(|(known, _)| *known != index);
            match read {
                Ok(Some(_)) if other => {
                    let error = cx.fault("another object is there already, only one may be");
                    return Err(cx.inside(Segment::Key(name), error));
                }
                Ok(Some(value)) => found = Some((index, value)),
                Ok(None) => {}
                Err(error) => return Err(cx.inside(Segment::Key(name), error)),
            }
            cx.below(mark, || Segment::Key(name));
        }
        match found {
            Some((_, value)) => Ok(Some(value)),
            None => Err(unclear::<U, _>(cx, &Look::default())),
        }
    }
}

struct VariantSeed<'c, U> {
    index: usize,
    cx: &'c Context<'c>,
    union: PhantomData<U>,
}

impl<'de, U: OldUnion> DeserializeSeed<'de> for VariantSeed<'_, U> {
    type Value = Option<U::Value>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        U::read_variant(self.index, self.cx, input)
    }
}

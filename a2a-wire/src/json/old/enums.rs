//! Enums that are texts in the older version.

use std::fmt;
use std::marker::PhantomData;

use serde::de;
use serde::ser::Serializer;

use super::super::codec::{Codec, Found, Implicit, wrong};
use super::super::context::Context;
use super::super::number::{Int32, Num};
use super::members::is_strict;
use crate::path::shortened;

/// The texts of an enum. Implementations are generated.
pub trait OldEnum: 'static {
    /// What is written: texts, the newer version's numbers, and the id of what is lost.
    const TEXTS: &'static [(&'static str, i32, Option<&'static str>)];

    /// Id of the loss of an unknown text that comes up as 0 where slips are tolerated. Without one
    /// it is refused.
    const UNKNOWN: Option<&'static str>;

    /// The number of a text in any spelling that peers use, and the id of what is lost with it.
    fn number(text: &str) -> Option<(i32, Option<&'static str>)>;
}

/// An enum of an older version; in Rust the newer version's number.
#[derive(Debug)]
pub struct OldEnumeration<E>(PhantomData<E>);

impl<N: OldEnum> OldEnumeration<N> {
    fn unknown<E: de::Error>(cx: &Context<'_>, found: &Found<'_>) -> Result<i32, E> {
        match N::UNKNOWN {
            Some(loss) if !is_strict(cx.adapter()) => {
                cx.note(loss, "unknown value, taken as unspecified");
                Ok(0)
            }
            _ => Err(wrong::<Self, E>(cx, found)),
        }
    }
}

impl<N: OldEnum> Codec for OldEnumeration<N> {
    type Value = i32;

    const NOTES: bool = true;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of ")?;
        for (index, (text, ..)) in N::TEXTS.iter().enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            f.write_str(text)?;
        }
        Ok(())
    }

    fn text<E: de::Error>(cx: &Context<'_>, text: &str) -> Result<i32, E> {
        match N::number(text) {
            Some((number, loss)) => {
                if let Some(loss) = loss {
                    cx.note(loss, "this value is the same as another one");
                }
                Ok(number)
            }
            // Some write an unset value so.
            None if text.is_empty() => Ok(0),
            None => Self::unknown(cx, &Found::Text(text)),
        }
    }

    fn number<E: de::Error>(cx: &Context<'_>, number: Num) -> Result<i32, E> {
        let value = Int32::number(cx, number)?;
        if value == 0 || N::TEXTS.iter().any(|(_, known, _)| *known == value) {
            Ok(value)
        } else {
            Self::unknown(cx, &Found::Number(number))
        }
    }

    fn long_number<E: de::Error>(cx: &Context<'_>, text: &str) -> Result<i32, E> {
        let value = Int32::long_number(cx, text)?;
        Self::number(cx, Num::Signed(value.into()))
    }

    fn write<S: Serializer>(cx: &Context<'_>, value: &i32, output: S) -> Result<S::Ok, S::Error> {
        match N::TEXTS.iter().find(|(_, known, _)| known == value) {
            Some((text, _, loss)) => {
                if let Some(loss) = loss {
                    cx.note(loss, "another value stands in for it");
                }
                output.serialize_str(text)
            }
            None => Err(cx.unwritable(format_args!(
                "the older version has no word for the value {value}"
            ))),
        }
    }
}

impl<N: OldEnum> Implicit for OldEnumeration<N> {
    fn is_default(value: &i32) -> bool {
        *value == 0
    }
}

/// The words that a text may be. Implementations are generated.
pub trait OldWords: 'static {
    /// All of them.
    const WORDS: &'static [&'static str];
}

/// A text that is free in the newer version and one of a few words in the older one.
#[derive(Debug)]
pub struct Word<W>(PhantomData<W>);

impl<W: OldWords> Word<W> {
    fn is_known(text: &str) -> bool {
        W::WORDS.contains(&text)
    }
}

impl<W: OldWords> Codec for Word<W> {
    type Value = String;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", W::WORDS.join(", "))
    }

    fn text<E: de::Error>(cx: &Context<'_>, text: &str) -> Result<String, E> {
        if Self::is_known(text) {
            Ok(text.to_owned())
        } else {
            Err(wrong::<Self, E>(cx, &Found::Text(text)))
        }
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        value: &String,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        if Self::is_known(value) {
            output.serialize_str(value)
        } else {
            Err(cx.unwritable(format_args!(
                "must be one of {} for the older version, and is {:?}",
                W::WORDS.join(", "),
                shortened(value, 40)
            )))
        }
    }
}

impl<W: OldWords> Implicit for Word<W> {
    fn is_default(value: &String) -> bool {
        value.is_empty()
    }
}

//! Times as agents of v0.3 write them.
//!
//! Comes in: a JSON string. Goes out: a moment. The schema of v0.3 says no more than "ISO 8601", so
//! offsets, missing zones and spaces are met; a time that is none must not make a task unreadable.

use std::fmt;

use serde::de;
use serde::ser::Serializer;

use crate::__codegen::json::{Codec as Json, Context, Implicit, Timestamp};
use crate::json::old::is_strict;
use crate::types;

/// What the codec notes by itself.
#[cfg(test)]
pub(crate) const LOSSES: &[&str] = &["U7", "U8"];

/// A time of a v0.3 object, written with at least so many digits of fraction.
#[derive(Debug)]
pub(crate) struct Codec<const DIGITS: u8>;

impl<const DIGITS: u8> Json for Codec<DIGITS> {
    type Value = Option<types::Timestamp>;

    const NOTES: bool = true;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Timestamp::<DIGITS>::expected(f)
    }

    fn text<E: de::Error>(cx: &Context<'_>, text: &str) -> Result<Self::Value, E> {
        if text.ends_with('Z')
            && let Ok(time) = text.parse()
        {
            return Ok(Some(time));
        }
        match read(text) {
            Some((time, zone)) => {
                match zone {
                    Zone::Utc => {}
                    Zone::Offset => cx.note("U7", "the offset from UTC is not kept"),
                    Zone::Absent => cx.note("U8", "no zone is given: taken as UTC"),
                }
                Ok(Some(time))
            }
            None if is_strict(cx.adapter()) => Timestamp::<DIGITS>::text(cx, text).map(Some),
            None => {
                cx.note("U7", "this is no time, and is left out");
                Ok(None)
            }
        }
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        value: &Self::Value,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(time) => Timestamp::<DIGITS>::write(cx, time, output),
            None => output.serialize_none(),
        }
    }
}

impl<const DIGITS: u8> Implicit for Codec<DIGITS> {
    fn is_default(value: &Self::Value) -> bool {
        value.is_none()
    }
}

/// What a time says of its zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zone {
    Utc,
    Offset,
    Absent,
}

/// Puts a time of another spelling into that of RFC 3339, and reads it.
fn read(text: &str) -> Option<(types::Timestamp, Zone)> {
    let text = text.trim();
    let (date, rest) = text.split_at_checked(10)?;
    if rest.is_empty() {
        let time = format!("{date}T00:00:00Z").parse().ok()?;
        return Some((time, Zone::Absent));
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let clock_end = rest
        .find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, ':' | '.' | ','))
        .unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(clock_end);
    let (whole, fraction) = match clock.split_once(['.', ',']) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (clock, None),
    };
    let seconds = if whole.len() == 5 { ":00" } else { "" };
    // More digits than nanoseconds are cut.
    let fraction = match fraction {
        Some(digits) => format!(".{}", digits.get(..9).unwrap_or(digits)),
        None => String::new(),
    };
    let (offset, zone) = read_zone(zone.trim())?;
    let time = format!("{date}T{whole}{seconds}{fraction}{offset}");
    Some((time.parse().ok()?, zone))
}

fn read_zone(zone: &str) -> Option<(String, Zone)> {
    if zone.is_empty() {
        return Some(("Z".to_owned(), Zone::Absent));
    }
    if matches!(zone, "Z" | "z" | "UTC") {
        return Some(("Z".to_owned(), Zone::Utc));
    }
    let sign = zone.get(..1).filter(|sign| matches!(*sign, "+" | "-"))?;
    let digits: String = zone[1..].chars().filter(|letter| *letter != ':').collect();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = match digits.len() {
        2 => (digits.as_str(), "00"),
        4 => digits.split_at(2),
        _ => return None,
    };
    let is_zero = hours == "00" && minutes == "00";
    let zone = if is_zero { Zone::Utc } else { Zone::Offset };
    Some((format!("{sign}{hours}:{minutes}"), zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_many_spellings() {
        let noon = Some(types::Timestamp::new(1_767_355_200, 0));
        for (text, zone) in [
            ("2026-01-02T12:00:00+00:00", Zone::Utc),
            ("2026-01-02t12:00:00z", Zone::Utc),
            ("2026-01-02 12:00:00 UTC", Zone::Utc),
            ("2026-01-02T14:00:00+02:00", Zone::Offset),
            ("2026-01-02T14:00+0200", Zone::Offset),
            ("2026-01-02T10:00:00.000000000000-02", Zone::Offset),
            ("2026-01-02T12:00:00", Zone::Absent),
            ("2026-01-02 12:00:00,000", Zone::Absent),
            (" 2026-01-02T12:00 ", Zone::Absent),
        ] {
            let found = read(text);
            assert_eq!(found.map(|(time, _)| time), noon, "{text}");
            assert_eq!(found.map(|(_, zone)| zone), Some(zone), "{text}");
        }
        assert_eq!(
            read("2026-01-02"),
            Some((types::Timestamp::new(1_767_312_000, 0), Zone::Absent))
        );
    }

    #[test]
    fn what_is_no_time() {
        for text in [
            "",
            "yesterday",
            "2026-13-02T12:00:00Z",
            "2026-01-02T25:00:00",
            "2026-01-02T12:00:00+99:00",
            "2026-01-02T12:00:00+2:00",
            "2026-01-02Tééééé",
            "2026-01-0é",
            "20é6-01-02T12:00:00",
            "2026-01-02T12:00:00 CET",
            "2026-01-02T12:00:00.",
            "1767355200",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

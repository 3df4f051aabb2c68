//! Spans of time, in the text form `1.5s`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration as StdDuration;

use super::Invalid;
use super::time_text::{NANOS, Text, take_fraction};

/// About 10 000 years.
const MOST: i64 = 315_576_000_000;

/// `google.protobuf.Duration`: a span of time, to the nanosecond, of either sign.
///
/// ```
/// use a2a_wire::types::Duration;
///
/// let span: Duration = "-1.5s".parse()?;
/// assert_eq!((span.seconds, span.nanos), (-1, -500_000_000));
/// # Ok::<(), a2a_wire::types::Invalid>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Message)]
pub struct Duration {
    /// Whole seconds.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// Nanoseconds, of the same sign as the seconds.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

impl Duration {
    /// A span from its seconds and nanoseconds, both of one sign.
    #[must_use]
    pub const fn new(seconds: i64, nanos: i32) -> Self {
        Self { seconds, nanos }
    }

    /// True when the span has a text form: at most 315 576 000 000 seconds, both parts of one sign.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.seconds >= -MOST
            && self.seconds <= MOST
            && self.nanos > -NANOS
            && self.nanos < NANOS
            && (self.seconds == 0 || self.nanos == 0 || (self.seconds < 0) == (self.nanos < 0))
            && (self.seconds.abs() != MOST || self.nanos == 0)
    }

    /// The text with 0, 3, 6 or 9 digits of fraction.
    pub(crate) fn text(&self) -> Result<Text, Invalid> {
        if !self.is_valid() {
            return Err(Invalid(
                format!(
                    "a duration of {} seconds and {} nanoseconds has no text: at most {MOST} seconds, both of one sign",
                    self.seconds, self.nanos
                )
                .into(),
            ));
        }
        let mut text = Text::new();
        if self.seconds < 0 || self.nanos < 0 {
            text.push(b'-');
        }
        text.number(self.seconds.unsigned_abs(), 1);
        text.fraction(self.nanos.unsigned_abs(), 0);
        text.push(b's');
        Ok(text)
    }
}

/// The text of ProtoJSON. A span that has no such text is written as two counts.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Ok(text) => f.pad(text.as_str()),
            Err(_) => write!(f, "{} s and {} ns", self.seconds, self.nanos),
        }
    }
}

/// Seconds with up to 9 digits of fraction and an `s`: `0s`, `1.5s`, `-0.000000001s`.
impl FromStr for Duration {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        read(text.as_bytes())
            .filter(Self::is_valid)
            .ok_or(Invalid::new(
                "expected a duration in seconds with an s, for example 1.5s",
            ))
    }
}

fn read(text: &[u8]) -> Option<Duration> {
    let (negative, text) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let mut seconds = 0_i64;
    for digit in &text[..digits] {
        seconds = seconds
            .checked_mul(10)?
            .checked_add(i64::from(digit - b'0'))?;
    }
    let (nanos, rest) = take_fraction(&text[digits..])?;
    if rest != b"s" {
        return None;
    }
    Some(if negative {
        Duration::new(-seconds, -nanos)
    } else {
        Duration::new(seconds, nanos)
    })
}

impl TryFrom<StdDuration> for Duration {
    type Error = Invalid;

    fn try_from(span: StdDuration) -> Result<Self, Invalid> {
        let seconds = i64::try_from(span.as_secs()).ok();
        let nanos = i32::try_from(span.subsec_nanos()).ok();
        seconds
            .zip(nanos)
            .map(|(seconds, nanos)| Self { seconds, nanos })
            .ok_or(Invalid::new(
                "the duration is longer than a protobuf duration can be",
            ))
    }
}

impl TryFrom<Duration> for StdDuration {
    type Error = Invalid;

    fn try_from(span: Duration) -> Result<Self, Invalid> {
        let seconds = u64::try_from(span.seconds).ok();
        let nanos = u32::try_from(span.nanos)
            .ok()
            .filter(|nanos| *nanos < NANOS.unsigned_abs());
        seconds
            .zip(nanos)
            .map(|(seconds, nanos)| Self::new(seconds, nanos))
            .ok_or(Invalid::new(
                "a negative duration has no counterpart in std::time",
            ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        for (text, seconds, nanos, written) in [
            ("0s", 0, 0, "0s"),
            ("1s", 1, 0, "1s"),
            ("1.5s", 1, 500_000_000, "1.500s"),
            ("-0.5s", 0, -500_000_000, "-0.500s"),
            ("-3.000000001s", -3, -1, "-3.000000001s"),
            ("1.000100s", 1, 100_000, "1.000100s"),
            ("007s", 7, 0, "7s"),
            ("315576000000s", MOST, 0, "315576000000s"),
            ("-315576000000s", -MOST, 0, "-315576000000s"),
        ] {
            let read: Duration = text.parse().unwrap_or_else(|_| panic!("{text}"));
            assert_eq!((read.seconds, read.nanos), (seconds, nanos), "{text}");
            assert_eq!(read.to_string(), written, "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "s",
            "1",
            "1m",
            "1m30s",
            "+1s",
            "--1s",
            "1.s",
            ".5s",
            "1.1234567890s",
            "1,5s",
            "1 s",
            " 1s",
            "1s ",
            "1e3s",
            "315576000001s",
            "315576000000.000000001s",
            "99999999999999999999999s",
        ] {
            assert!(text.parse::<Duration>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_has_no_text_is_no_text() {
        for (seconds, nanos) in [
            (MOST + 1, 0),
            (1, -1),
            (-1, 1),
            (0, NANOS),
            (i64::MIN + 1, 0),
            (i64::MIN, 0),
        ] {
            let span = Duration { seconds, nanos };
            assert!(span.text().is_err(), "{seconds} {nanos}");
            assert!(span.to_string().contains(" ns"));
        }
    }

    #[test]
    fn std_durations_convert_both_ways() {
        let span = StdDuration::new(3, 7);
        assert_eq!(
            StdDuration::try_from(Duration::try_from(span).unwrap()).unwrap(),
            span
        );
        assert!(StdDuration::try_from(Duration::new(-1, 0)).is_err());
        assert!(Duration::try_from(StdDuration::MAX).is_err());
    }
}

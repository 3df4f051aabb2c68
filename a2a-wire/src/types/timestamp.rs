//! Moments in UTC, strictly in the text form of RFC 3339.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration as StdDuration, SystemTime, UNIX_EPOCH};

use super::Invalid;
use super::time_text::{NANOS, Text, take_digits, take_fraction};

/// 0001-01-01T00:00:00Z.
const FIRST: i64 = -62_135_596_800;
/// 9999-12-31T23:59:59Z.
const LAST: i64 = 253_402_300_799;
const DAY: i64 = 86_400;

/// `google.protobuf.Timestamp`: a moment in UTC, to the nanosecond.
///
/// ```
/// use a2a_wire::types::Timestamp;
///
/// let moment: Timestamp = "2026-01-02T05:04:05+02:00".parse()?;
/// assert_eq!(moment.to_string(), "2026-01-02T03:04:05Z");
/// # Ok::<(), a2a_wire::types::Invalid>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Message)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// Nanoseconds within the second, 0 to 999 999 999.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

impl Timestamp {
    /// A moment from its seconds since 1970 and the nanoseconds within the second.
    #[must_use]
    pub const fn new(seconds: i64, nanos: i32) -> Self {
        Self { seconds, nanos }
    }

    /// The present, by the system's clock.
    #[must_use]
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// True when the moment has a text form: years 0001 to 9999, nanoseconds within a second.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.seconds >= FIRST && self.seconds <= LAST && self.nanos >= 0 && self.nanos < NANOS
    }

    /// The text in UTC with `Z` and 0, 3, 6 or 9 digits of fraction, at least `minimum`; never cut.
    pub(crate) fn text(&self, minimum: u8) -> Result<Text, Invalid> {
        if !self.is_valid() {
            return Err(Invalid(
                format!(
                    "a timestamp of {} seconds and {} nanoseconds is outside of the years 0001 to 9999",
                    self.seconds, self.nanos
                )
                .into(),
            ));
        }
        let (days, second) = (
            self.seconds.div_euclid(DAY),
            self.seconds.rem_euclid(DAY).unsigned_abs(),
        );
        let (year, month, day) = civil(days);
        let mut text = Text::new();
        text.number(year, 4);
        text.push(b'-');
        text.number(month, 2);
        text.push(b'-');
        text.number(day, 2);
        text.push(b'T');
        text.number(second / 3600, 2);
        text.push(b':');
        text.number(second / 60 % 60, 2);
        text.push(b':');
        text.number(second % 60, 2);
        text.fraction(self.nanos.unsigned_abs(), minimum);
        text.push(b'Z');
        Ok(text)
    }
}

/// RFC 3339 in UTC. A moment that has no such text is written as a count of seconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text(0) {
            Ok(text) => f.pad(text.as_str()),
            Err(_) => write!(f, "{} s and {} ns after 1970", self.seconds, self.nanos),
        }
    }
}

/// Strict RFC 3339: upper-case `T` and `Z`, an offset of `±hh:mm` or `Z`, up to 9 digits of
/// fraction, a real day of the calendar, no leap second, and within the years 0001 to 9999 in UTC.
impl FromStr for Timestamp {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        read(text.as_bytes())
            .filter(Self::is_valid)
            .ok_or(Invalid::new(
                "expected a time as in RFC 3339, for example 2026-01-02T03:04:05.678Z",
            ))
    }
}

fn read(text: &[u8]) -> Option<Timestamp> {
    let (year, text) = take_digits(text, 4)?;
    let text = text.strip_prefix(b"-")?;
    let (month, text) = take_digits(text, 2)?;
    let text = text.strip_prefix(b"-")?;
    let (day, text) = take_digits(text, 2)?;
    let text = text.strip_prefix(b"T")?;
    let (hour, text) = take_digits(text, 2)?;
    let text = text.strip_prefix(b":")?;
    let (minute, text) = take_digits(text, 2)?;
    let text = text.strip_prefix(b":")?;
    let (second, text) = take_digits(text, 2)?;
    let (nanos, text) = take_fraction(text)?;
    let offset = match text {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), text @ ..] => {
            let (hours, text) = take_digits(text, 2)?;
            let (minutes, text) = take_digits(text.strip_prefix(b":")?, 2)?;
            if !text.is_empty() || hours > 23 || minutes > 59 {
                return None;
            }
            let offset = hours * 3600 + minutes * 60;
            if *sign == b'+' { offset } else { -offset }
        }
        _ => return None,
    };
    if !(1..=12).contains(&month)
        || day < 1
        || day > month_len(year, month)
        || hour > 23
        || minute > 59
        || second > 59
    {
        return None;
    }
    Some(Timestamp {
        seconds: days(year, month, day) * DAY + hour * 3600 + minute * 60 + second - offset,
        nanos,
    })
}

fn month_len(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

// Days of the Gregorian calendar, counted in eras of 400 years (146 097 days) that begin on the
// first of March, so that the leap day is the last of its year.

/// Days from 1970-01-01 to a day of the calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The year, month and day that lie `days` after 1970-01-01; the year must not be negative.
fn civil(days: i64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (
        year.unsigned_abs(),
        month.unsigned_abs(),
        day.unsigned_abs(),
    )
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self {
                seconds: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
                nanos: i32::try_from(after.subsec_nanos()).unwrap_or_default(),
            },
            Err(error) => {
                let before = error.duration();
                let seconds = i64::try_from(before.as_secs()).map_or(i64::MIN, |seconds| -seconds);
                match i32::try_from(before.subsec_nanos()).unwrap_or_default() {
                    0 => Self { seconds, nanos: 0 },
                    nanos => Self {
                        seconds: seconds.saturating_sub(1),
                        nanos: NANOS - nanos,
                    },
                }
            }
        }
    }
}

impl TryFrom<Timestamp> for SystemTime {
    type Error = Invalid;

    fn try_from(timestamp: Timestamp) -> Result<Self, Invalid> {
        let nanos = u32::try_from(timestamp.nanos)
            .ok()
            .filter(|nanos| *nanos < NANOS.unsigned_abs());
        let fraction = nanos.map(|nanos| StdDuration::new(0, nanos));
        let whole = StdDuration::from_secs(timestamp.seconds.unsigned_abs());
        let second = if timestamp.seconds < 0 {
            UNIX_EPOCH.checked_sub(whole)
        } else {
            UNIX_EPOCH.checked_add(whole)
        };
        second
            .zip(fraction)
            .and_then(|(second, fraction)| second.checked_add(fraction))
            .ok_or(Invalid::new(
                "the timestamp is outside of what the system's clock can hold",
            ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        for (text, seconds, nanos, written) in [
            ("1970-01-01T00:00:00Z", 0, 0, "1970-01-01T00:00:00Z"),
            (
                "2024-02-29T12:00:00.123456789Z",
                1_709_208_000,
                123_456_789,
                "2024-02-29T12:00:00.123456789Z",
            ),
            (
                "2024-02-29T12:00:00.5Z",
                1_709_208_000,
                500_000_000,
                "2024-02-29T12:00:00.500Z",
            ),
            (
                "2024-02-29T12:00:00.000100Z",
                1_709_208_000,
                100_000,
                "2024-02-29T12:00:00.000100Z",
            ),
            (
                "2024-02-29T12:00:00.000Z",
                1_709_208_000,
                0,
                "2024-02-29T12:00:00Z",
            ),
            (
                "2026-01-02T05:04:05+05:30",
                1_767_310_445,
                0,
                "2026-01-01T23:34:05Z",
            ),
            (
                "1969-12-31T23:59:59.25Z",
                -1,
                250_000_000,
                "1969-12-31T23:59:59.250Z",
            ),
            ("0001-01-01T00:00:00Z", FIRST, 0, "0001-01-01T00:00:00Z"),
            (
                "0000-12-31T23:59:59-00:01",
                FIRST + 59,
                0,
                "0001-01-01T00:00:59Z",
            ),
            (
                "9999-12-31T23:59:59.999999999Z",
                LAST,
                999_999_999,
                "9999-12-31T23:59:59.999999999Z",
            ),
            (
                "2000-02-29T00:00:00-23:59",
                951_782_400 + 86_340,
                0,
                "2000-02-29T23:59:00Z",
            ),
        ] {
            let read: Timestamp = text.parse().unwrap_or_else(|_| panic!("{text}"));
            assert_eq!((read.seconds, read.nanos), (seconds, nanos), "{text}");
            assert_eq!(read.to_string(), written, "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "not-a-time",
            "2024-02-29",
            "2024-02-29T12:00:00",
            "2024-02-29t12:00:00Z",
            "2024-02-29T12:00:00z",
            "2024-02-29 12:00:00Z",
            "2024-02-29T12:00Z",
            "2024-02-29T12:00:00.Z",
            "2024-02-29T12:00:00.1234567890Z",
            "2024-02-29T12:00:00,5Z",
            "2024-02-29T12:00:00+0530",
            "2024-02-29T12:00:00+05",
            "2024-02-29T12:00:00+24:00",
            "2024-02-29T12:00:00+05:60",
            "2024-02-29T12:00:00Z ",
            " 2024-02-29T12:00:00Z",
            "2023-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2023-04-31T00:00:00Z",
            "2023-00-01T00:00:00Z",
            "2023-13-01T00:00:00Z",
            "2023-01-00T00:00:00Z",
            "2023-02-28T24:00:00Z",
            "2023-02-28T23:60:00Z",
            "2016-12-31T23:59:60Z",
            "0000-12-31T23:59:59Z",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "10000-01-01T00:00:00Z",
            "-001-01-01T00:00:00Z",
            "2024-02-29T12:00:00\u{661}Z",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn digits_are_at_least_the_minimum_and_never_cut() {
        for (nanos, minimum, fraction) in [
            (0, 3, ".000Z"),
            (0, 6, ".000000Z"),
            (0, 9, ".000000000Z"),
            (1_000, 3, ".000001Z"),
            (1, 0, ".000000001Z"),
        ] {
            let text = Timestamp { seconds: 0, nanos }.text(minimum).unwrap();
            assert_eq!(text.as_str(), format!("1970-01-01T00:00:00{fraction}"));
        }
    }

    #[test]
    fn what_has_no_text_is_no_text() {
        for (seconds, nanos) in [
            (FIRST - 1, 0),
            (LAST + 1, 0),
            (0, -1),
            (0, NANOS),
            (i64::MIN, i32::MIN),
        ] {
            let timestamp = Timestamp { seconds, nanos };
            assert!(timestamp.text(0).is_err());
            assert!(timestamp.to_string().contains("after 1970"));
        }
    }

    #[test]
    fn every_day_of_eight_hundred_years_round_trips() {
        for day in days(1600, 1, 1)..days(2400, 1, 1) {
            let (year, month, day_of_month) = civil(day);
            let back = days(
                year.cast_signed(),
                month.cast_signed(),
                day_of_month.cast_signed(),
            );
            assert_eq!(back, day);
        }
    }

    #[test]
    fn system_times_convert_both_ways() {
        for timestamp in [
            Timestamp::new(0, 0),
            Timestamp::new(-1, 250_000_000),
            Timestamp::new(1_709_208_000, 5),
        ] {
            assert_eq!(
                Timestamp::from(SystemTime::try_from(timestamp).unwrap()),
                timestamp
            );
        }
        assert!(SystemTime::try_from(Timestamp::new(0, -1)).is_err());
        assert!(Timestamp::now() > Timestamp::new(1_700_000_000, 0));
    }
}

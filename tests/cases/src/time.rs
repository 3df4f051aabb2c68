//! Timestamps and durations of `ProtoJSON`, by value.

/// Seconds since 1970 and nanoseconds of an RFC 3339 text.
#[must_use]
pub fn timestamp(text: &str) -> Option<(i64, u32)> {
    let (date, time) = text.split_once('T')?;
    let (year, rest) = date.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let (time, offset) = match time.strip_suffix('Z') {
        Some(time) => (time, 0),
        None => {
            let at = time.rfind(['+', '-'])?;
            let (hours, minutes) = time[at + 1..].split_once(':')?;
            let seconds = digits(hours, 2)? * 3600 + digits(minutes, 2)? * 60;
            (
                &time[..at],
                if time[at..].starts_with('-') {
                    -seconds
                } else {
                    seconds
                },
            )
        }
    };
    let (clock, fraction) = time
        .split_once('.')
        .map_or((time, None), |(clock, fraction)| (clock, Some(fraction)));
    let mut parts = clock.split(':').map(|part| digits(part, 2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let days = days(digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
    Some((
        days * 86400 + hour * 3600 + minute * 60 + second - offset,
        nanos(fraction)?,
    ))
}

/// Nanoseconds of a text like `-1.5s`.
#[must_use]
pub fn duration(text: &str) -> Option<i128> {
    let text = text.strip_suffix('s')?;
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
    let (seconds, fraction) = text
        .split_once('.')
        .map_or((text, None), |(seconds, fraction)| {
            (seconds, Some(fraction))
        });
    let seconds = digits(seconds, seconds.len())?;
    Some(sign * (i128::from(seconds) * 1_000_000_000 + i128::from(nanos(fraction)?)))
}

/// Whether a timestamp is written as `ProtoJSON` writes it: `Z`, and 0, 3, 6 or 9 digits.
#[must_use]
pub fn canonical_timestamp(text: &str) -> bool {
    text.strip_suffix('Z').is_some_and(groups_of_three)
}

/// Whether a duration is written with 0, 3, 6 or 9 digits.
#[must_use]
pub fn canonical_duration(text: &str) -> bool {
    text.strip_suffix('s').is_some_and(groups_of_three)
}

fn groups_of_three(text: &str) -> bool {
    text.split_once('.')
        .is_none_or(|(_, fraction)| matches!(fraction.len(), 3 | 6 | 9))
}

fn digits(text: &str, length: usize) -> Option<i64> {
    let plain =
        !text.is_empty() && text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

fn nanos(fraction: Option<&str>) -> Option<u32> {
    let Some(fraction) = fraction else {
        return Some(0);
    };
    if fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    digits(&format!("{fraction:0<9}"), 9).and_then(|nanos| u32::try_from(nanos).ok())
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last of its year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (month * 153 + 2) / 5
        + day
        - 719_469
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read() {
        let table = [
            ("1970-01-01T00:00:00Z", Some((0, 0))),
            (
                "2025-01-01T00:00:00.120Z",
                Some((1_735_689_600, 120_000_000)),
            ),
            (
                "2025-01-01T02:00:00.12+02:00",
                Some((1_735_689_600, 120_000_000)),
            ),
            ("2024-12-31T19:00:00-05:00", Some((1_735_689_600, 0))),
            ("0001-01-01T00:00:00Z", Some((-62_135_596_800, 0))),
            (
                "9999-12-31T23:59:59.999999999Z",
                Some((253_402_300_799, 999_999_999)),
            ),
            ("2000-02-29T00:00:00Z", Some((951_782_400, 0))),
            ("2025-01-01", None),
            ("2025-01-01T00:00:00", None),
            ("2025-01-01T00:00:00.Z", None),
            ("2025-01-01T00:00:00.1234567890Z", None),
        ];
        for (text, expected) in table {
            assert_eq!(timestamp(text), expected, "{text}");
        }
    }

    #[test]
    fn durations_are_read() {
        for (text, expected) in [
            ("1s", Some(1_000_000_000)),
            ("-0.5s", Some(-500_000_000)),
            ("-0.500s", Some(-500_000_000)),
            ("1", None),
            ("s", None),
            ("1.2.3s", None),
        ] {
            assert_eq!(duration(text), expected, "{text}");
        }
    }

    #[test]
    fn the_canonical_spelling_is_known() {
        assert!(canonical_timestamp("2025-01-01T00:00:00.120Z"));
        assert!(!canonical_timestamp("2025-01-01T00:00:00.12Z"));
        assert!(!canonical_timestamp("2025-01-01T00:00:00.120+00:00"));
        assert!(canonical_duration("1.500s"));
        assert!(!canonical_duration("1.5s"));
    }
}

//! The deadline of a call.
//!
//! Comes in: the metadata `grpc-timeout`. Goes out: the moment after which the caller no longer
//! waits.

use std::time::{Duration, Instant};

use http::HeaderMap;

use crate::error::{Code, Error};

/// Nothing waits longer than this; it keeps sums of moments in range.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// When the caller stops waiting.
///
/// # Errors
/// When the value is none: waiting for ever would not be what the caller wants.
pub(super) fn deadline(headers: &HeaderMap) -> Result<Option<Instant>, Error> {
    let Some(value) = headers.get("grpc-timeout") else {
        return Ok(None);
    };
    let timeout = value.to_str().ok().and_then(parse).ok_or_else(|| {
        Error::new(
            Code::InvalidArgument,
            "grpc-timeout must be up to eight digits and one of the units H, M, S, m, u, n",
        )
    })?;
    // The clock of the runtime, which tests can stop.
    Ok(Some(
        (tokio::time::Instant::now() + timeout.min(LONGEST)).into_std(),
    ))
}

fn parse(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let amount: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(amount * 60 * 60),
        "M" => Duration::from_secs(amount * 60),
        "S" => Duration::from_secs(amount),
        "m" => Duration::from_millis(amount),
        "u" => Duration::from_micros(amount),
        "n" => Duration::from_nanos(amount),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_read_by_the_grpc_grammar() {
        let cases = [
            ("1H", Some(Duration::from_secs(3600))),
            ("2M", Some(Duration::from_secs(120))),
            ("3S", Some(Duration::from_secs(3))),
            ("250m", Some(Duration::from_millis(250))),
            ("7u", Some(Duration::from_micros(7))),
            ("99999999n", Some(Duration::from_nanos(99_999_999))),
            ("0m", Some(Duration::ZERO)),
            ("99999999H", Some(Duration::from_secs(99_999_999 * 3600))),
            ("100000000S", None),
            ("", None),
            ("S", None),
            ("1", None),
            ("1s", None),
            ("-1S", None),
            ("+1S", None),
            (" 1S", None),
            ("1.5S", None),
            ("1é", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }
}

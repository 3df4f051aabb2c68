//! What a request becomes when it is read.
//!
//! Comes in: a request that keeps the size limit. Goes out: a refusal when it is made of so many
//! tiny values that its messages would take many times that limit: two bytes of protobuf (or three
//! of JSON) can stand for a whole empty message. The scan counts, it does not read, and it is left
//! out for requests that are too small to do harm.

use crate::error::{Code, Error};

/// What the values of a request may take, in sizes of the limit: together with its bytes, four.
const TIMES: usize = 3;
/// What they may always take, so that a small limit does not refuse ordinary requests.
const LEAST: usize = 8 << 20;
/// An estimate of a message in memory.
const MESSAGE: usize = 128;
/// An estimate of any other value.
const VALUE: usize = 32;
/// The fewest bytes that a message takes on the wire.
const SHORTEST: usize = 2;

fn budget(limit: usize) -> usize {
    limit.saturating_mul(TIMES).max(LEAST)
}

fn harmless(length: usize, budget: usize) -> bool {
    length / SHORTEST <= budget / MESSAGE
}

fn refused(limit: usize) -> Error {
    Error::new(
        Code::ResourceExhausted,
        format!("the request has too many values: they would take more than {} bytes in memory", budget(limit)),
    )
    .with_http_status(413)
    .with_json_rpc_code(-32600)
}

/// Refuses JSON with too many values. Whether it is JSON at all is not looked at.
///
/// # Errors
/// Resource exhausted, HTTP 413.
pub(crate) fn check_json(text: &[u8], limit: usize) -> Result<(), Error> {
    let budget = budget(limit);
    if harmless(text.len(), budget) || json(text, budget) { Ok(()) } else { Err(refused(limit)) }
}

fn json(text: &[u8], budget: usize) -> bool {
    let mut left = budget;
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        let weight = match byte {
            b'{' => MESSAGE,
            b'[' | b',' => VALUE,
            b'"' => {
                // To the end of the string.
                while let Some(byte) = rest.find(|byte| matches!(byte, b'"' | b'\\')) {
                    if *byte == b'"' {
                        break;
                    }
                    rest.next();
                }
                continue;
            }
            _ => continue,
        };
        match left.checked_sub(weight) {
            Some(remaining) => left = remaining,
            None => return false,
        }
    }
    true
}

/// Refuses protobuf with too many values. Whether it is valid is not looked at.
///
/// # Errors
/// Resource exhausted, HTTP 413.
#[cfg_attr(not(feature = "grpc"), allow(dead_code, reason = "only gRPC sends protobuf"))]
pub(crate) fn check_proto(message: &[u8], limit: usize) -> Result<(), Error> {
    let budget = budget(limit);
    let light = harmless(message.len(), budget) || weigh(message, 0).is_none_or(|weight| weight <= budget);
    if light { Ok(()) } else { Err(refused(limit)) }
}

/// Deeper than any decoder goes.
const DEEPEST: usize = 128;

/// What the fields of a message weigh, when the bytes can be one: the schema is not known here, and
/// a text may look like a message by chance, up to its end. Numbers weigh nothing, they take about
/// as much in memory. Each byte is looked at once at most: what is in a field is skipped on the
/// level of the field.
fn weigh(mut bytes: &[u8], depth: usize) -> Option<usize> {
    let mut weight = 0_usize;
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        if tag >> 3 == 0 || tag > u64::from(u32::MAX) {
            return None;
        }
        let skip = match tag & 7 {
            0 => {
                varint(&mut bytes)?;
                0
            }
            1 => 8,
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                let content = bytes.get(..length)?;
                let inner = if depth < DEEPEST { weigh(content, depth + 1) } else { None };
                weight = weight.saturating_add(inner.map_or(VALUE, |inner| inner.saturating_add(MESSAGE)));
                length
            }
            // Groups: their fields are on this level.
            3 | 4 => 0,
            5 => 4,
            _ => return None,
        };
        bytes = bytes.get(skip..)?;
    }
    Some(weight)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for (index, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            *bytes = &bytes[index + 1..];
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 4 << 20;

    /// Field 1, length-delimited, with this content.
    fn field(content: &[u8]) -> Vec<u8> {
        let mut out = vec![0x0a];
        prost::encoding::encode_varint(content.len() as u64, &mut out);
        out.extend_from_slice(content);
        out
    }

    #[test]
    fn many_empty_messages_are_refused() {
        let bomb = [0x12, 0x00].repeat(LIMIT / 2 - 64);
        assert!(check_proto(&bomb, LIMIT).is_err());
        assert!(check_proto(&field(&bomb), LIMIT).is_err());
        assert!(check_proto(&field(&field(&bomb)), LIMIT).is_err());
        let error = check_proto(&bomb, LIMIT).unwrap_err();
        assert_eq!((error.code(), error.http_status(), error.json_rpc_code()), (Code::ResourceExhausted, 413, -32600));
    }

    #[test]
    fn large_values_pass_whatever_they_hold() {
        for byte in 0..=255 {
            // Of any length, since some bytes make a message of some lengths.
            for length in 10_000..10_012 {
                let weight = weigh(&field(&vec![byte; length]), 0).unwrap();
                assert!(weight <= TIMES * length, "{length} bytes {byte:#x} weigh {weight}");
            }
        }
        for byte in [0, b'a', b'x', 0x0a, 0xff] {
            assert!(check_proto(&field(&field(&vec![byte; LIMIT - 100])), LIMIT).is_ok(), "{byte:#x}");
        }
    }

    #[test]
    fn nesting_is_bounded_and_scanned_in_one_go() {
        let mut nested = vec![b'x'; LIMIT / 2];
        for _ in 0..1000 {
            nested = field(&nested);
        }
        assert!(check_proto(&nested, LIMIT).is_ok());
        // Cut anywhere, it is still just counted.
        for cut in 0..64 {
            assert!(check_proto(&nested[..nested.len() - cut], LIMIT).is_ok());
        }
    }

    #[test]
    fn many_empty_objects_are_refused() {
        let bomb = format!("{{\"parts\":[{}{{}}]}}", "{},".repeat(LIMIT / 3 - 16));
        assert!(check_json(bomb.as_bytes(), LIMIT).is_err());
        let ones = format!("[{}1]", "1,".repeat(LIMIT / 2 - 16));
        assert!(check_json(ones.as_bytes(), LIMIT).is_err());
        assert!(check_json("[".repeat(LIMIT).as_bytes(), LIMIT).is_err());
    }

    #[test]
    fn strings_weigh_nothing_here() {
        let text = format!("{{\"a\":\"{}\"}}", "{[,\\\"\\\\".repeat(LIMIT / 8));
        assert!(check_json(text.as_bytes(), LIMIT).is_ok());
        let open = format!("{{\"a\":\"{}", "{,".repeat(LIMIT / 4));
        assert!(check_json(open.as_bytes(), LIMIT).is_ok());
    }

    #[test]
    fn ordinary_large_data_passes() {
        let numbers = format!("{{\"data\":[{}0.5]}}", "0.12345678,".repeat(LIMIT / 12));
        assert!(check_json(numbers.as_bytes(), LIMIT).is_ok());
        let rows = format!("[{}{{}}]", "{\"name\":\"Star River\",\"score\":1.5},".repeat(LIMIT / 80));
        assert!(check_json(rows.as_bytes(), LIMIT).is_ok());
        // A small limit still takes what is ordinary for its size.
        assert!(check_json("{\"a\":{}}".repeat(100).as_bytes(), 1024).is_ok());
    }
}

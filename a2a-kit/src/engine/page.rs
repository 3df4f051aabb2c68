//! Page tokens: opaque to clients, bound to the list that they continue.

use a2a_wire::types::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::Error;
use crate::store::{ListQuery, Position};

/// First byte of a token: what it continues, and in which form.
const TASKS: u8 = 1;
const CONFIGS: u8 = 2;

fn bad_token(reason: &str) -> Error {
    Error::invalid_field(
        "pageToken",
        format!("{reason}; use nextPageToken of the page before as it is, or none"),
    )
}

fn decode(token: &str, kind: u8) -> Result<Vec<u8>, Error> {
    let bytes = URL_SAFE_NO_PAD
        .decode(token)
        .map_err(|_| bad_token("is no page token"))?;
    match bytes.split_first() {
        Some((found, rest)) if *found == kind => Ok(rest.to_vec()),
        _ => Err(bad_token("is no page token of this list")),
    }
}

/// A token for the tasks behind `position`.
pub(super) fn write_position(position: &Position, query: &ListQuery) -> String {
    let mut bytes = vec![TASKS];
    bytes.extend_from_slice(&filters(query).to_be_bytes());
    bytes.extend_from_slice(&position.status_timestamp.seconds.to_be_bytes());
    bytes.extend_from_slice(&position.status_timestamp.nanos.to_be_bytes());
    bytes.extend_from_slice(position.task.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The place that a token stands for.
pub(super) fn read_position(token: &str, query: &ListQuery) -> Result<Position, Error> {
    let bytes = decode(token, TASKS)?;
    let unreadable = || bad_token("is no page token");
    let (fingerprint, rest) = bytes.split_first_chunk().ok_or_else(unreadable)?;
    let (seconds, rest) = rest.split_first_chunk().ok_or_else(unreadable)?;
    let (nanos, task) = rest.split_first_chunk().ok_or_else(unreadable)?;
    if u64::from_be_bytes(*fingerprint) != filters(query) {
        return Err(bad_token("belongs to a list with other filters"));
    }
    let status_timestamp = Timestamp::new(i64::from_be_bytes(*seconds), i32::from_be_bytes(*nanos));
    let task = std::str::from_utf8(task).map_err(|_| unreadable())?;
    Ok(Position {
        status_timestamp,
        task: task.into(),
    })
}

/// A token for the webhooks behind `id`.
pub(super) fn write_id(id: &str) -> String {
    URL_SAFE_NO_PAD.encode([&[CONFIGS], id.as_bytes()].concat())
}

/// The id that a token stands for.
pub(super) fn read_id(token: &str) -> Result<String, Error> {
    String::from_utf8(decode(token, CONFIGS)?).map_err(|_| bad_token("is no page token"))
}

/// A fingerprint of the filters (FNV-1a), the same in every process and version.
fn filters(query: &ListQuery) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    if let Some(context) = &query.context_id {
        add(context.as_bytes());
    }
    add(&[0xff]);
    add(&query.state.unwrap_or_default().to_be_bytes());
    if let Some(since) = query.since {
        add(&since.seconds.to_be_bytes());
        add(&since.nanos.to_be_bytes());
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::store::Select;

    fn query(context: Option<&str>, state: Option<i32>) -> ListQuery {
        ListQuery {
            context_id: context.map(Arc::from),
            state,
            since: None,
            after: None,
            limit: 1,
            select: Select::HEAD,
        }
    }

    fn position(task: &str) -> Position {
        let status_timestamp = Timestamp::new(-3, 999_999_999);
        Position {
            status_timestamp,
            task: Arc::from(task),
        }
    }

    #[test]
    fn a_token_leads_back_to_its_place() {
        for task in ["", "t1", "é😀/:?&"] {
            let token = write_position(&position(task), &query(Some("c"), Some(2)));
            assert!(
                token
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'),
                "{token}"
            );
            assert_eq!(
                read_position(&token, &query(Some("c"), Some(2))).unwrap(),
                position(task)
            );
            assert_eq!(read_id(&write_id(task)).unwrap(), task);
        }
    }

    #[test]
    fn a_token_that_is_none_or_of_another_list_is_refused() {
        let token = write_position(&position("t"), &query(Some("c"), None));
        let of_another_kind = write_id("t");
        for bad in [
            "x",
            "!!!",
            "AAAA",
            "====",
            &token[..8],
            &token[1..],
            &of_another_kind,
            "\u{0}",
            &"A".repeat(10_000),
        ] {
            let error = read_position(bad, &query(Some("c"), None)).unwrap_err();
            assert_eq!(error.violations()[0].field, "pageToken", "{bad}");
        }
        for (context, state) in [(None, None), (Some("d"), None), (Some("c"), Some(3))] {
            let error = read_position(&token, &query(context, state)).unwrap_err();
            assert!(error.message().contains("other filters"), "{error}");
        }
        assert!(read_id(&token).is_err());
    }
}

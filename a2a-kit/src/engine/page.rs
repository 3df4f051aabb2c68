//! Page tokens: opaque to clients, bound to the list that they continue.
//!
//! Comes in: a place in a list, and what the list is of: its filters, and who reads it in which tenant.
//! Goes out: a token, and the place again for the same list. A token of one caller is none of
//! another's, so nobody can tell by it whether its task exists.

use a2a_wire::types::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::access::Reach;
use crate::store::{ListQuery, Position};
use crate::{CallContext, Error};

/// First byte of a token: what it continues, and in which form.
const TASKS: u8 = 1;
const CONFIGS: u8 = 2;

/// Who reads a list.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    tenant: &'a str,
    caller: Option<&'a str>,
}

impl<'a> Reader<'a> {
    pub(super) fn of(reach: &'a Reach, call: &'a CallContext) -> Self {
        Self {
            tenant: reach.tenant(),
            caller: call.caller().id(),
        }
    }
}

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
pub(super) fn write_position(position: &Position, query: &ListQuery, reader: Reader<'_>) -> String {
    let mut bytes = vec![TASKS];
    bytes.extend_from_slice(&tasks(query, reader).to_be_bytes());
    bytes.extend_from_slice(&position.status_timestamp.seconds.to_be_bytes());
    bytes.extend_from_slice(&position.status_timestamp.nanos.to_be_bytes());
    bytes.extend_from_slice(position.task.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The place that a token stands for.
pub(super) fn read_position(
    token: &str,
    query: &ListQuery,
    reader: Reader<'_>,
) -> Result<Position, Error> {
    let bytes = decode(token, TASKS)?;
    let unreadable = || bad_token("is no page token");
    let (fingerprint, rest) = bytes.split_first_chunk().ok_or_else(unreadable)?;
    let (seconds, rest) = rest.split_first_chunk().ok_or_else(unreadable)?;
    let (nanos, task) = rest.split_first_chunk().ok_or_else(unreadable)?;
    if u64::from_be_bytes(*fingerprint) != tasks(query, reader) {
        return Err(other_list());
    }
    let status_timestamp = Timestamp::new(i64::from_be_bytes(*seconds), i32::from_be_bytes(*nanos));
    let task = std::str::from_utf8(task).map_err(|_| unreadable())?;
    Ok(Position {
        status_timestamp,
        task: task.into(),
    })
}

/// A token for the webhooks of a task behind `id`.
pub(super) fn write_id(id: &str, task: &str, reader: Reader<'_>) -> String {
    let list = configs(task, reader).to_be_bytes();
    URL_SAFE_NO_PAD.encode([&[CONFIGS], &list[..], id.as_bytes()].concat())
}

/// The id that a token stands for.
pub(super) fn read_id(token: &str, task: &str, reader: Reader<'_>) -> Result<String, Error> {
    let bytes = decode(token, CONFIGS)?;
    let unreadable = || bad_token("is no page token");
    let (fingerprint, id) = bytes.split_first_chunk().ok_or_else(unreadable)?;
    if u64::from_be_bytes(*fingerprint) != configs(task, reader) {
        return Err(other_list());
    }
    String::from_utf8(id.to_vec()).map_err(|_| unreadable())
}

fn other_list() -> Error {
    bad_token("belongs to a list with other filters, or of another caller")
}

/// A fingerprint of a list of tasks.
fn tasks(query: &ListQuery, reader: Reader<'_>) -> u64 {
    let mut list = Fingerprint::of(reader);
    list.add(query.context_id.as_deref().unwrap_or_default().as_bytes());
    list.add(&query.state.unwrap_or_default().to_be_bytes());
    if let Some(since) = query.since {
        list.add(&since.seconds.to_be_bytes());
        list.add(&since.nanos.to_be_bytes());
    }
    list.0
}

/// A fingerprint of a list of webhooks.
fn configs(task: &str, reader: Reader<'_>) -> u64 {
    let mut list = Fingerprint::of(reader);
    list.add(task.as_bytes());
    list.0
}

/// FNV-1a, the same in every process and version. Nobody gains by making a token of their own: a place
/// is only a place, in a list of what they may see.
struct Fingerprint(u64);

impl Fingerprint {
    fn of(reader: Reader<'_>) -> Self {
        let mut list = Self(0xcbf2_9ce4_8422_2325);
        list.add(reader.tenant.as_bytes());
        list.add(reader.caller.unwrap_or_default().as_bytes());
        list
    }

    fn add(&mut self, bytes: &[u8]) {
        // No text has the byte behind it, so that two texts are not taken for others.
        for byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
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

    const ALICE: Reader<'_> = Reader {
        tenant: "north",
        caller: Some("alice"),
    };

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
            let token = write_position(&position(task), &query(Some("c"), Some(2)), ALICE);
            assert!(
                token
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'),
                "{token}"
            );
            assert_eq!(
                read_position(&token, &query(Some("c"), Some(2)), ALICE).unwrap(),
                position(task)
            );
            let token = write_id(task, "t", ALICE);
            assert_eq!(read_id(&token, "t", ALICE).unwrap(), task);
        }
    }

    #[test]
    fn a_token_that_is_none_or_of_another_list_is_refused() {
        let token = write_position(&position("t"), &query(Some("c"), None), ALICE);
        let of_another_kind = write_id("t", "t", ALICE);
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
            let error = read_position(bad, &query(Some("c"), None), ALICE).unwrap_err();
            assert_eq!(error.violations()[0].field, "pageToken", "{bad}");
        }
        for (context, state) in [(None, None), (Some("d"), None), (Some("c"), Some(3))] {
            let error = read_position(&token, &query(context, state), ALICE).unwrap_err();
            assert!(error.message().contains("other filters"), "{error}");
        }
        assert!(read_id(&token, "t", ALICE).is_err());
        assert!(read_id(&of_another_kind, "u", ALICE).is_err());
    }

    #[test]
    fn a_token_is_its_caller_s_alone() {
        let query = query(None, None);
        let tasks = write_position(&position("t"), &query, ALICE);
        let configs = write_id("w", "t", ALICE);
        for (tenant, caller) in [
            ("north", Some("bob")),
            ("north", None),
            ("south", Some("alice")),
            ("northalice", None),
            ("north\u{ff}alice", None),
            ("", Some("northalice")),
        ] {
            let other = Reader { tenant, caller };
            let errors = [
                read_position(&tasks, &query, other).unwrap_err(),
                read_id(&configs, "t", other).unwrap_err(),
            ];
            for error in errors {
                assert!(error.message().contains("of another caller"), "{error}");
            }
        }
    }
}

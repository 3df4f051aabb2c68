//! What an answer says about credentials.
//!
//! Comes in: the head of an answer, or the trailers of one over gRPC. Goes out: whether the
//! credentials of the request were refused, or which scopes they lack.

use std::collections::BTreeSet;

use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, StatusCode};

use crate::error::{Code, Error};

/// As many scopes as a challenge may ask for.
const MOST_SCOPES: usize = 32;
/// As long as a scope may be.
const LONGEST_SCOPE: usize = 256;

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Its credentials do not hold.
    Credentials,
    /// They lack these scopes.
    Scopes(BTreeSet<String>),
}

impl Refusal {
    /// What the head of an answer says. Nothing has happened when it says so: credentials are looked
    /// at first.
    pub(super) fn of(status: StatusCode, headers: &HeaderMap) -> Option<Self> {
        let code = match status {
            StatusCode::UNAUTHORIZED => Some(Code::Unauthenticated),
            StatusCode::FORBIDDEN => Some(Code::PermissionDenied),
            status if status.is_success() => grpc_code(headers),
            _ => None,
        };
        match code? {
            Code::Unauthenticated => Some(Self::Credentials),
            Code::PermissionDenied => missing_scopes(headers).map(Self::Scopes),
            _ => None,
        }
    }
}

/// The status of a call over gRPC, in the head of an answer or in its trailers.
pub(super) fn grpc_code(headers: &HeaderMap) -> Option<Code> {
    let status = headers.get("grpc-status")?.to_str().ok()?;
    Code::from_number(status.trim().parse().ok()?)
}

/// Adds to an error what the answer says about the credentials that it wants.
pub(super) fn with_challenge(error: Error, headers: &HeaderMap) -> Error {
    match error.code() {
        Code::Unauthenticated => {
            let challenges: Vec<&str> = texts(headers).collect();
            if challenges.is_empty() {
                return error;
            }
            let start: String = challenges.join(", or ").chars().take(256).collect();
            error.with_message(|message| format!("{message} (it asks for {start})"))
        }
        Code::PermissionDenied => {
            let scopes = missing_scopes(headers).unwrap_or_default();
            let is_told = |scope: &String| error.message().contains(scope.as_str());
            if scopes.iter().all(is_told) {
                return error;
            }
            let scopes: Vec<String> = scopes.into_iter().collect();
            error.with_message(|message| {
                format!("{message} (it asks for the scopes {})", scopes.join(" "))
            })
        }
        _ => error,
    }
}

fn texts(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(WWW_AUTHENTICATE).into_iter();
    values.filter_map(|value| value.to_str().ok())
}

/// The scopes of the challenge that says that some are missing (RFC 6750, 3.1).
fn missing_scopes(headers: &HeaderMap) -> Option<BTreeSet<String>> {
    let mut all = texts(headers).flat_map(challenges);
    let found = all.find(|challenge| {
        challenge
            .iter()
            .any(|(name, value)| name == "error" && value == "insufficient_scope")
    })?;
    let scope = found.into_iter().find(|(name, _)| name == "scope");
    let (_, scope) = scope.unwrap_or_default();
    let scopes = scope
        .split(' ')
        .filter(|scope| is_scope(scope))
        .take(MOST_SCOPES);
    Some(scopes.map(str::to_owned).collect())
}

/// What may be a scope (RFC 6749, 3.3).
fn is_scope(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    !text.is_empty() && text.len() <= LONGEST_SCOPE && text.bytes().all(letter)
}

/// The parameters of each challenge in a header (RFC 9110, 11.6.1); names in small letters.
fn challenges(text: &str) -> Vec<Vec<(String, String)>> {
    let mut found: Vec<Vec<(String, String)>> = Vec::new();
    for item in items(text) {
        let (before, value) = item.split_once('=').unwrap_or((&item, ""));
        let before = before.trim();
        // `Bearer realm` begins a challenge, `scope` goes on with it.
        let (scheme, name) = match before.rsplit_once([' ', '\t']) {
            Some((_, name)) => (true, name),
            None => (!item.contains('='), before),
        };
        if scheme || found.is_empty() {
            found.push(Vec::new());
        }
        if let Some(last) = found.last_mut() {
            last.push((name.to_ascii_lowercase(), unquoted(value.trim())));
        }
    }
    found
}

/// The parts between commas, except those in quotes.
fn items(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for letter in text.chars() {
        match letter {
            ',' if !quoted => {
                items.push(String::new());
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = quoted && letter == '\\' && !escaped;
        if let Some(last) = items.last_mut() {
            last.push(letter);
        }
    }
    let items = items.iter().map(|item| item.trim().to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

fn unquoted(text: &str) -> String {
    let Some(inside) = text
        .strip_prefix('"')
        .map(|text| text.strip_suffix('"').unwrap_or(text))
    else {
        return text.to_owned();
    };
    let mut out = String::with_capacity(inside.len());
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => out.extend(letters.next()),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &str)]) -> Option<Refusal> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        Refusal::of(StatusCode::from_u16(status).unwrap(), &map)
    }

    fn scopes(scopes: &[&str]) -> Option<Refusal> {
        let scopes = scopes.iter().map(|scope| (*scope).to_owned());
        Some(Refusal::Scopes(scopes.collect()))
    }

    #[test]
    fn credentials_are_refused_by_status_on_every_binding() {
        assert_eq!(answer(401, &[]), Some(Refusal::Credentials));
        assert_eq!(
            answer(200, &[("grpc-status", "16")]),
            Some(Refusal::Credentials)
        );
        for (status, grpc) in [(200, "0"), (200, "5"), (200, "x"), (404, "16"), (500, "16")] {
            assert_eq!(answer(status, &[("grpc-status", grpc)]), None);
        }
        for status in [200, 302, 400, 403, 407, 503] {
            assert_eq!(answer(status, &[]), None, "{status}");
        }
    }

    #[test]
    fn missing_scopes_are_read_from_the_challenge_that_tells_of_them() {
        let lacks = r#"error="insufficient_scope""#;
        for (challenges, expected) in [
            (
                vec![format!(r#"Bearer realm="a", scope="x y", {lacks}"#)],
                scopes(&["x", "y"]),
            ),
            (vec![format!("bearer {lacks},scope=x")], scopes(&["x"])),
            (
                vec![
                    r#"Basic realm="scope=no, error=\"insufficient_scope\"", charset="UTF-8""#
                        .to_owned(),
                    format!(r#"Bearer {lacks}, SCOPE = "x  x z""#),
                ],
                scopes(&["x", "z"]),
            ),
            (
                vec![format!(
                    r#"Negotiate, Bearer scope="other", Bearer {lacks}, scope="x""#
                )],
                scopes(&["x"]),
            ),
            (vec![format!("Bearer {lacks}")], scopes(&[])),
            (
                vec![format!(r#"Bearer {lacks}, scope="a\"b c""#)],
                scopes(&["c"]),
            ),
            (
                vec![r#"Bearer error="invalid_token", scope="x""#.to_owned()],
                None,
            ),
            (vec!["Bearer".to_owned()], None),
            (vec![r#"",",=,"\"#.to_owned()], None),
        ] {
            let headers: Vec<_> = challenges
                .iter()
                .map(|challenge| ("www-authenticate", challenge.as_str()))
                .collect();
            assert_eq!(answer(403, &headers), expected, "{challenges:?}");
            let mut grpc = headers.clone();
            grpc.push(("grpc-status", "7"));
            assert_eq!(answer(200, &grpc), expected, "{challenges:?}");
        }
    }

    #[test]
    fn a_challenge_cannot_ask_for_everything() {
        let many: Vec<String> = (0..1000).map(|number| format!("s{number}")).collect();
        let long = "x".repeat(LONGEST_SCOPE + 1);
        let challenge = format!(
            r#"Bearer error="insufficient_scope", scope="{long} {}""#,
            many.join(" ")
        );
        let Some(Refusal::Scopes(scopes)) = answer(403, &[("www-authenticate", &challenge)]) else {
            panic!("scopes are missing");
        };
        assert_eq!(scopes.len(), MOST_SCOPES);
        assert!(!scopes.contains(&long));
    }
}

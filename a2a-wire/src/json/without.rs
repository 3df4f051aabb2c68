//! Takes members out of a JSON text.
//!
//! Comes in: an object as [`super::write`] writes it, compact and valid, and dotted names. Goes out:
//! the same text without those members. So the fast way of writing needs to know nothing of members
//! that are left out, which a few requests ask for.

use std::ops::Range;

/// Takes members out of the object that begins at `start`. Names that are not there are ignored.
pub(crate) fn leave_out(text: &mut Vec<u8>, start: usize, paths: &[&str]) {
    for path in paths {
        if let Some(range) = member(text, start, path) {
            text.drain(range);
        }
    }
}

/// Where a member stands, with one of the commas beside it.
fn member(text: &[u8], object: usize, path: &str) -> Option<Range<usize>> {
    let (first, below) = match path.split_once('.') {
        Some((first, below)) => (first, Some(below)),
        None => (path, None),
    };
    let begin = object + 1;
    let mut at = begin;
    while text.get(at) == Some(&b'"') {
        let colon = string_end(text, at)?;
        let key = &text[at..colon];
        let value = colon + 1;
        if let (true, Some(below)) = (is_named(key, first), below) {
            return match text.get(value) {
                Some(b'{') => member(text, value, below),
                _ => None,
            };
        }
        let end = value_end(text, value)?;
        let has_next = text.get(end) == Some(&b',');
        if is_named(key, path) {
            return Some(match (has_next, at > begin) {
                (true, _) => at..end + 1,
                (false, true) => at - 1..end,
                (false, false) => at..end,
            });
        }
        at = end + usize::from(has_next);
    }
    None
}

/// True when a string of the text, in its quotes, stands for a name.
fn is_named(key: &[u8], name: &str) -> bool {
    if key.contains(&b'\\') {
        serde_json::from_slice::<String>(key).is_ok_and(|key| key == name)
    } else {
        key.get(1..key.len().saturating_sub(1)) == Some(name.as_bytes())
    }
}

/// One past the string that begins at `at`.
fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// One past the value that begins at `at`.
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    let (mut at, mut depth) = (at, 0_usize);
    loop {
        match text.get(at)? {
            b'"' => at = string_end(text, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            // The end of the object around it.
            b',' | b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_taken_out_with_their_commas() {
        let text = r#"{"a":1,"b":{"c":[{"d":"}"},2],"d\"":"x,\\","e":null},"f":"a"}"#;
        for (paths, expected) in [
            (
                &["a"][..],
                r#"{"b":{"c":[{"d":"}"},2],"d\"":"x,\\","e":null},"f":"a"}"#,
            ),
            (&["b"], r#"{"a":1,"f":"a"}"#),
            (
                &["f"],
                r#"{"a":1,"b":{"c":[{"d":"}"},2],"d\"":"x,\\","e":null}}"#,
            ),
            (&["a", "b", "f"], "{}"),
            (&["f", "b", "a"], "{}"),
            (&["b.c", "a"], r#"{"b":{"d\"":"x,\\","e":null},"f":"a"}"#),
            (&["b.d\"", "b.e", "b.c"], r#"{"a":1,"b":{},"f":"a"}"#),
            (&["c", "d", "e", "b.c.d", "a.b", "f.a", ""], text),
        ] {
            let mut out = format!("[{text}").into_bytes();
            leave_out(&mut out, 1, paths);
            assert_eq!(
                String::from_utf8(out).unwrap(),
                format!("[{expected}"),
                "{paths:?}"
            );
        }
    }

    #[test]
    fn what_is_no_object_stays() {
        for text in ["", "{", "{}", "{\"", "{\"a", "{\"a\"", "{\"a\":", "[1]"] {
            let mut out = text.as_bytes().to_vec();
            leave_out(&mut out, 0, &["a", "a.b"]);
            assert_eq!(out, text.as_bytes());
        }
    }
}

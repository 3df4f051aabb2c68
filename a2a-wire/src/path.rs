//! JSON paths: where in a message a fault is.

use std::fmt::Write as _;

/// One step down a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// A field, by its JSON name.
    Field(&'static str),
    /// An element of a list.
    Index(usize),
    /// Several steps, as they are written.
    Path(String),
    /// An entry of a map, or a member of free JSON.
    Key(String),
}

/// Longest path that is written out. Longer ones end in `…`, so that an error about hostile input
/// stays small.
const LONGEST: usize = 400;

/// Writes segments as `message.parts[0].url`. Keys that are no plain words are quoted in brackets.
pub(crate) fn render<'a>(segments: impl IntoIterator<Item = &'a Segment>) -> String {
    let mut path = String::new();
    for segment in segments {
        if path.len() > LONGEST {
            path.push('…');
            break;
        }
        match segment {
            Segment::Field(name) => {
                dot(&mut path);
                path.push_str(name);
            }
            Segment::Index(index) => {
                let _ = write!(path, "[{index}]");
            }
            Segment::Path(more) => {
                if !more.starts_with('[') {
                    dot(&mut path);
                }
                path.push_str(&shortened(more, LONGEST));
            }
            Segment::Key(key) if is_plain(key) => {
                dot(&mut path);
                path.push_str(key);
            }
            Segment::Key(key) => {
                let _ = write!(path, "[{:?}]", shortened(key, 60));
            }
        }
    }
    path
}

fn dot(path: &mut String) {
    if !path.is_empty() {
        path.push('.');
    }
}

fn is_plain(key: &str) -> bool {
    (1..=60).contains(&key.len())
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The first `most` characters of a text, for error messages about texts of any size.
pub(crate) fn shortened(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_people_write_them() {
        let path = [
            Segment::Field("message"),
            Segment::Field("parts"),
            Segment::Index(0),
            Segment::Field("metadata"),
            Segment::Key("plain-key".into()),
            Segment::Key("a b\n".into()),
            Segment::Index(12),
        ];
        assert_eq!(
            render(&path),
            r#"message.parts[0].metadata.plain-key["a b\n"][12]"#
        );
        assert_eq!(
            render(&[Segment::Index(3), Segment::Key("x".into())]),
            "[3].x"
        );
        assert_eq!(render(&[Segment::Key(String::new())]), r#"[""]"#);
    }

    #[test]
    fn hostile_paths_stay_small() {
        let deep: Vec<_> = (0..5000)
            .map(|_| Segment::Key("k".repeat(10_000)))
            .collect();
        assert!(render(&deep).len() < 1000);
    }
}

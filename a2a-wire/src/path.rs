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

/// Longest key that is written out; of longer ones the start is.
const LONGEST_KEY: usize = 60;

impl Segment {
    /// An entry of a map. No more of the key is kept than is written out: a key can be as long as the
    /// text that it is from, and a path is kept for each of many losses.
    pub(crate) fn key(key: &str) -> Self {
        match key.char_indices().nth(LONGEST_KEY + 1) {
            Some((end, _)) => Self::Key(key[..end].to_owned()),
            None => Self::Key(key.to_owned()),
        }
    }
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
                let _ = write!(path, "[{:?}]", shortened(key, LONGEST_KEY));
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
    (1..=LONGEST_KEY).contains(&key.len())
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

    #[test]
    fn of_a_long_key_the_start_is_kept() {
        for key in [
            "k".repeat(59),
            "k".repeat(60),
            "k".repeat(61),
            "é".repeat(70),
        ] {
            let kept = Segment::key(&key);
            assert_eq!(render([&kept]), render([&Segment::Key(key)]));
            assert!(matches!(kept, Segment::Key(kept) if kept.chars().count() <= 61));
        }
    }
}

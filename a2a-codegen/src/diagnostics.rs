//! What is wrong with a schema, for people.
//!
//! Comes in: faults, one by one, from every stage that reads what a user wrote.
//! Goes out: [`Diagnostics`], an error that holds all of them, each with its place, what is wrong
//! and the line that fixes it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::model::Origin;

/// Texts of source files by their names, for errors that show the line.
pub(crate) type Texts = BTreeMap<String, Arc<str>>;

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// Where it is.
    pub origin: Origin,
    /// What to write instead.
    pub hint: Option<String>,
    /// Other places that have a part in it.
    pub notes: Vec<Note>,
}

/// Another place that has a part in a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// What is there.
    pub message: String,
    /// Where it is.
    pub origin: Origin,
}

impl Diagnostic {
    /// A fault without a hint.
    pub fn new(origin: Origin, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            origin,
            hint: None,
            notes: Vec::new(),
        }
    }

    /// Says how to mend it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Points at another place that has a part in it.
    #[must_use]
    pub fn also(mut self, origin: Origin, message: impl Into<String>) -> Self {
        self.notes.push(Note {
            message: message.into(),
            origin,
        });
        self
    }
}

/// `file:line:col: what`, then a line per note and one for the hint.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.origin)?;
        f.write_str(&self.message)?;
        for note in &self.notes {
            f.write_str("\n  = also here: ")?;
            write_place(f, &note.origin)?;
            f.write_str(&note.message)?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  = help: {hint}")?;
        }
        Ok(())
    }
}

/// `file:line:col: `, as much of it as is known.
fn write_place(f: &mut fmt::Formatter<'_>, origin: &Origin) -> fmt::Result {
    if origin.file.is_empty() {
        return Ok(());
    }
    if origin.line == 0 {
        return write!(f, "{}: ", origin.file);
    }
    write!(f, "{}:{}:{}: ", origin.file, origin.line, origin.column)
}

/// All faults of one run.
///
/// `Display` and `Debug` both print the whole list, so that a bare `unwrap` in a `build.rs` is
/// readable; [`Diagnostics::render`] adds the source lines.
///
/// ```
/// let faults = a2a_codegen::profile::read_profile("versoin = \"1.0\"", "profile.toml").unwrap_err();
/// assert!(faults.to_string().starts_with("profile.toml:1:1: unknown field `versoin`"));
/// ```
#[derive(Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    texts: Texts,
}

impl Diagnostics {
    /// A collection without a fault so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fault; the same one twice counts once.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    /// Adds the faults of another collection.
    pub fn append(&mut self, other: Self) {
        for diagnostic in other.list {
            self.push(diagnostic);
        }
        self.texts.extend(other.texts);
    }

    /// True when there is no fault.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many faults there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The faults.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// The value when there is no fault; otherwise the faults, in the order of their places.
    ///
    /// # Errors
    /// When there is a fault.
    pub fn into_result<T>(mut self, value: T) -> Result<T, Self> {
        if self.list.is_empty() {
            return Ok(value);
        }
        // A stable sort: faults of one place stay in the order in which they were found.
        self.list.sort_by(|a, b| place_key(a).cmp(&place_key(b)));
        Err(self)
    }

    /// Keeps the texts of the files that the faults name, for [`Diagnostics::render`].
    pub(crate) fn with_texts(mut self, texts: &Texts) -> Self {
        let notes = self
            .list
            .iter()
            .flat_map(|d| d.notes.iter().map(|n| &n.origin));
        let named = self.list.iter().map(|d| &d.origin).chain(notes);
        self.texts.extend(
            named
                .filter_map(|o| texts.get_key_value(&*o.file))
                .map(|(k, v)| (k.clone(), v.clone())),
        );
        self
    }

    /// The list with the source line of each fault and a caret under its place.
    pub fn render(&self) -> String {
        let mut out = String::new();
        for diagnostic in &self.list {
            let text = diagnostic.to_string();
            let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
            out.push_str(first);
            out.push('\n');
            self.render_line(&diagnostic.origin, &mut out);
            if !rest.is_empty() {
                out.push_str(rest);
                out.push('\n');
            }
        }
        out
    }

    fn render_line(&self, origin: &Origin, out: &mut String) {
        let text = self.texts.get(&*origin.file);
        let index = (origin.line as usize).checked_sub(1);
        let Some(line) = text
            .zip(index)
            .and_then(|(text, index)| text.lines().nth(index))
        else {
            return;
        };
        let number = origin.line.to_string();
        let pad = " ".repeat(number.len());
        // The caret's line repeats the tabs of the line above, so that the two stay in step.
        let before = line
            .char_indices()
            .take_while(|(at, _)| at + 1 < origin.column as usize);
        let indent: String = before
            .map(|(_, c)| if c == '\t' { '\t' } else { ' ' })
            .collect();
        out.push_str(&format!("{pad} |\n{number} | {line}\n{pad} | {indent}^\n"));
    }
}

/// Where a fault sorts.
fn place_key(diagnostic: &Diagnostic) -> (&str, u32, u32) {
    let origin = &diagnostic.origin;
    (&origin.file, origin.line, origin.column)
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            list: vec![diagnostic],
            texts: Texts::new(),
        }
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.list.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            diagnostic.fmt(f)?;
        }
        Ok(())
    }
}

/// As `Display`: what `unwrap` prints is for people.
impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Diagnostics {}

/// The 1-based line and column (in bytes, as the compiler counts them) of a byte offset.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (u32, u32) {
    let offset = offset.min(text.len());
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    (number(line), number(offset - start + 1))
}

/// The candidate that `wanted` is most likely a misspelling of.
pub(crate) fn did_you_mean<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = folded(wanted);
    // A third of the letters may be wrong, so none of a name of two.
    let limit = (wanted.len() / 3).min(3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, &folded(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        // `min_by_key` takes the first of equals, so the order of declaration decides.
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Case and underscores are what people confuse first; they do not count.
fn folded(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .collect()
}

/// Levenshtein distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let value = (diagonal + usize::from(x != y))
                .min(left + 1)
                .min(*cell + 1);
            diagonal = std::mem::replace(cell, value);
            left = value;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(line: u32, column: u32) -> Origin {
        Origin {
            file: "a.proto".into(),
            line,
            column,
            proto_path: "a.B".into(),
        }
    }

    #[test]
    fn prints_place_message_notes_and_hint() {
        let fault = Diagnostic::new(origin(3, 5), "what is wrong")
            .also(origin(1, 2), "the first one")
            .hint("do this");
        let text = "a.proto:3:5: what is wrong\n  = also here: a.proto:1:2: the first one\n  = help: do this";
        assert_eq!(fault.to_string(), text);
        assert_eq!(format!("{:?}", Diagnostics::from(fault)), text);
    }

    #[test]
    fn prints_as_much_of_a_place_as_is_known() {
        assert_eq!(Diagnostic::new(origin(0, 0), "x").to_string(), "a.proto: x");
        assert_eq!(Diagnostic::new(Origin::default(), "x").to_string(), "x");
    }

    #[test]
    fn sorts_by_place_and_drops_repetitions() {
        let mut faults = Diagnostics::new();
        faults.push(Diagnostic::new(origin(9, 1), "late"));
        faults.push(Diagnostic::new(origin(2, 7), "early"));
        faults.push(Diagnostic::new(origin(9, 1), "late"));
        let faults = faults.into_result(()).unwrap_err();
        assert_eq!(faults.to_string(), "a.proto:2:7: early\na.proto:9:1: late");
    }

    #[test]
    fn renders_the_line_with_a_caret() {
        let texts = Texts::from([("a.proto".to_owned(), Arc::from("one\n\ttwo three\n"))]);
        let faults = Diagnostics::from(Diagnostic::new(origin(2, 6), "here").hint("look"))
            .with_texts(&texts);
        let text = "a.proto:2:6: here\n  |\n2 | \ttwo three\n  | \t    ^\n  = help: look\n";
        assert_eq!(faults.render(), text);
    }

    #[test]
    fn renders_without_a_text_too() {
        assert_eq!(
            Diagnostics::from(Diagnostic::new(origin(9, 9), "x")).render(),
            "a.proto:9:9: x\n"
        );
    }

    #[test]
    fn finds_line_and_column_of_an_offset() {
        for (offset, place) in [
            (0, (1, 1)),
            (3, (1, 4)),
            (4, (2, 1)),
            (6, (2, 3)),
            (99, (2, 4)),
        ] {
            assert_eq!(line_and_column("one\ntwo", offset), place, "{offset}");
        }
    }

    #[test]
    fn suggests_what_was_probably_meant() {
        let names = ["task_id", "id", "context_id"];
        for (wanted, answer) in [
            ("taskId", Some("task_id")),
            ("contextid", Some("context_id")),
            ("task_idd", Some("task_id")),
            ("ids", Some("id")),
            ("nope", None),
        ] {
            assert_eq!(did_you_mean(wanted, names), answer, "{wanted}");
        }
    }
}

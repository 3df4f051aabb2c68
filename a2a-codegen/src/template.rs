//! Path templates of `google.api.http`.
//!
//! Comes in: the text of a template. Goes out: a [`PathTemplate`] with its variables flattened
//! into segments, or a [`TemplateError`] that knows the character where it went wrong. Whether
//! the fields of the variables exist is for [`crate::lower`] to say.
//!
//! ```text
//! Template = "/" [ Segments [ ":" Verb ] ]
//! Segments = Segment { "/" Segment }
//! Segment  = "*" | "**" | Literal | Variable
//! Variable = "{" Field { "." Field } [ "=" Segments ] "}"
//! ```
//!
//! Rules beyond the grammar: variables do not nest and no field occurs twice; after `**` only
//! literals may follow; a verb is what follows the first `:` after a variable or wildcard that
//! ends the template, and the last `:` of a literal that does; other colons belong to their
//! literal. Literals and verbs are kept percent-decoded.

use std::fmt;

use crate::model::{PathTemplate, PathVariable, Segment};

mod literal;
mod print;

/// A template that is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateError {
    /// Byte offset into the template.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

impl TemplateError {
    fn new(offset: usize, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            offset,
            message: message.into(),
            hint: hint.into(),
        }
    }

    fn empty_segment(offset: usize) -> Self {
        Self::new(
            offset,
            "the segment is empty",
            "remove the `/`, or write what stands between; only the template `/` has no segment",
        )
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at offset {})", self.message, self.offset)
    }
}

impl std::error::Error for TemplateError {}

/// Parses a template.
///
/// ```
/// use a2a_codegen::model::Segment;
/// use a2a_codegen::template::parse_template;
///
/// let template = parse_template("/{tenant}/tasks/{id=*}:cancel")?;
/// assert_eq!(template.segments, [Segment::Single, Segment::Literal("tasks".into()), Segment::Single]);
/// assert_eq!(template.verb.as_deref(), Some("cancel"));
/// assert_eq!(template.variables[1].field_path, ["id"]);
/// # Ok::<(), a2a_codegen::template::TemplateError>(())
/// ```
///
/// # Errors
/// When the text is not a template.
pub fn parse_template(text: &str) -> Result<PathTemplate, TemplateError> {
    let mut parser = Parser {
        text,
        at: 0,
        segments: Vec::new(),
        variables: Vec::new(),
        after_multi: false,
    };
    let verb = parser.template()?;
    Ok(PathTemplate {
        segments: parser.segments,
        verb,
        variables: parser.variables,
        text: text.to_owned(),
    })
}

struct Parser<'a> {
    text: &'a str,
    /// Byte offset of what comes next; always on a character boundary.
    at: usize,
    segments: Vec<Segment>,
    variables: Vec<PathVariable>,
    /// `**` has been seen.
    after_multi: bool,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Takes a character when it comes next.
    fn take(&mut self, character: char) -> bool {
        let found = self.rest().starts_with(character);
        if found {
            self.at += character.len_utf8();
        }
        found
    }

    /// Takes everything up to the first of some characters, or to the end.
    fn take_until(&mut self, stops: &[char]) -> &'a str {
        let rest = self.rest();
        let length = rest.find(stops).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// The whole template; returns its verb.
    fn template(&mut self) -> Result<Option<String>, TemplateError> {
        if !self.take('/') {
            return Err(TemplateError::new(
                0,
                "it does not start with `/`",
                format!("write `/{}`", self.text),
            ));
        }
        if self.at_end() {
            return Ok(None);
        }
        loop {
            let verb = if self.rest().starts_with('{') {
                self.variable()?;
                self.verb_after_variable()?
            } else {
                self.plain_segment()?
            };
            if verb.is_some() || !self.take('/') {
                return Ok(verb);
            }
        }
    }

    /// A segment that is no variable, with the verb when it is the last one.
    fn plain_segment(&mut self) -> Result<Option<String>, TemplateError> {
        let start = self.at;
        let token = self.take_until(&['/']);
        if let Some(at) = token.find(['{', '}']) {
            return Err(stray_brace(start + at, token.get(at..).unwrap_or_default()));
        }
        let wildcard = token.starts_with('*');
        let colon = match (self.at_end(), wildcard) {
            (false, _) => None,
            (true, true) => token.find(':'),
            (true, false) => token.rfind(':'),
        };
        let segment = colon.map_or(token, |colon| token.get(..colon).unwrap_or_default());
        self.segment(start, segment)?;
        match colon {
            None => Ok(None),
            Some(colon) => verb(
                token.get(colon + 1..).unwrap_or_default(),
                start + colon + 1,
            )
            .map(Some),
        }
    }

    /// What stands between a variable and the next `/`: nothing, or the verb.
    fn verb_after_variable(&mut self) -> Result<Option<String>, TemplateError> {
        let start = self.at;
        let token = self.take_until(&['/']);
        if token.is_empty() {
            return Ok(None);
        }
        let Some(text) = token.strip_prefix(':') else {
            return Err(TemplateError::new(
                start,
                "a variable must be a whole segment",
                "put a `/` after `}`, or `:` and a verb at the end of the template",
            ));
        };
        if !self.at_end() {
            return Err(TemplateError::new(
                start,
                "a verb stands before the end of the template",
                "move it behind the last segment, or write `/` in place of `:`",
            ));
        }
        verb(text, start + 1).map(Some)
    }

    /// Adds one segment, given as text.
    fn segment(&mut self, offset: usize, text: &str) -> Result<(), TemplateError> {
        let segment = match text {
            "" => return Err(TemplateError::empty_segment(offset)),
            "*" => Segment::Single,
            "**" => Segment::Multi,
            _ => Segment::Literal(literal::decode_segment(text, offset)?),
        };
        if !matches!(segment, Segment::Literal(_)) {
            self.refuse_after_multi(offset)?;
        }
        self.after_multi |= segment == Segment::Multi;
        self.segments.push(segment);
        Ok(())
    }

    fn refuse_after_multi(&self, offset: usize) -> Result<(), TemplateError> {
        if !self.after_multi {
            return Ok(());
        }
        Err(TemplateError::new(
            offset,
            "a wildcard or variable follows `**`",
            "only literals may follow `**`, which matches any number of segments",
        ))
    }

    /// A variable, from its `{` to its `}`.
    fn variable(&mut self) -> Result<(), TemplateError> {
        let open = self.at;
        self.refuse_after_multi(open)?;
        self.take('{');
        let name_at = self.at;
        let name = self.take_until(&['=', '}', '{', '/']);
        let field_path = field_path(name, name_at)?;
        if self
            .variables
            .iter()
            .any(|variable| variable.field_path == field_path)
        {
            return Err(TemplateError::new(
                open,
                format!("the field `{name}` is bound twice"),
                "write `*` for the part of the path that need not be bound",
            ));
        }
        let start = self.segments.len();
        if self.take('=') {
            self.pattern(open)?;
        } else {
            self.segments.push(Segment::Single);
        }
        self.close(open)?;
        let end = self.segments.len();
        let multi = end - start != 1 || self.segments.last() == Some(&Segment::Multi);
        self.variables.push(PathVariable {
            field_path,
            start,
            end,
            multi,
        });
        Ok(())
    }

    /// The segments that a variable stands for.
    fn pattern(&mut self, open: usize) -> Result<(), TemplateError> {
        loop {
            let start = self.at;
            let token = self.take_until(&['/', '}', '{']);
            if self.rest().starts_with('{') {
                return Err(nested(self.at));
            }
            if self.at_end() {
                return Err(unterminated(open));
            }
            self.segment(start, token)?;
            if !self.take('/') {
                return Ok(());
            }
        }
    }

    /// The `}` of a variable.
    fn close(&mut self, open: usize) -> Result<(), TemplateError> {
        if self.take('}') {
            return Ok(());
        }
        if self.rest().starts_with('{') {
            return Err(nested(self.at));
        }
        Err(unterminated(open))
    }
}

fn nested(offset: usize) -> TemplateError {
    TemplateError::new(
        offset,
        "a variable stands inside of another",
        "bind the two fields to separate segments",
    )
}

fn unterminated(open: usize) -> TemplateError {
    TemplateError::new(open, "the variable is not closed", "add the missing `}`")
}

/// A brace inside of a literal.
fn stray_brace(offset: usize, rest: &str) -> TemplateError {
    if rest.starts_with('}') {
        return TemplateError::new(
            offset,
            "there is no `{` for this `}`",
            "remove it, or write `%7D` for the character",
        );
    }
    TemplateError::new(
        offset,
        "a variable must be a whole segment",
        "put a `/` before `{`, or write `%7B` for the character",
    )
}

/// The verb of a template, without its `:`.
fn verb(text: &str, offset: usize) -> Result<String, TemplateError> {
    if text.is_empty() {
        return Err(TemplateError::new(
            offset,
            "the verb is empty",
            "write a verb after `:`, or remove the `:` (`%3A` is the character itself)",
        ));
    }
    if let Some(at) = text.find(['{', '}']) {
        return Err(TemplateError::new(
            offset + at,
            "a variable stands in the verb",
            "a verb is fixed text",
        ));
    }
    literal::decode(text, offset)
}

/// `book.name` as its parts.
fn field_path(text: &str, offset: usize) -> Result<Vec<String>, TemplateError> {
    if text.is_empty() {
        return Err(TemplateError::new(
            offset,
            "the variable has no field",
            "name a field of the request, `{id}`, or write `*`",
        ));
    }
    let mut at = offset;
    let mut path = Vec::new();
    for part in text.split('.') {
        if !is_identifier(part) {
            return Err(TemplateError::new(
                at,
                format!("`{}` is no field path", text.escape_debug()),
                "write the names of fields joined by `.`, `{book.name}`",
            ));
        }
        path.push(part.to_owned());
        at += part.len() + 1;
    }
    Ok(path)
}

fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests;

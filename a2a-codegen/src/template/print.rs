//! Writes a template back as text, from its segments.

use std::collections::BTreeMap;

use super::literal::encode;
use crate::model::{PathTemplate, PathVariable, Segment};

impl PathTemplate {
    /// The template as text, in its canonical spelling: `{id}` for `{id=*}`, and no escapes but
    /// those that are needed. Parsing it gives the same template.
    ///
    /// ```
    /// let template = a2a_codegen::template::parse_template("/b%6Foks/{name=*}:read")?;
    /// assert_eq!(template.canonical(), "/books/{name}:read");
    /// # Ok::<(), a2a_codegen::template::TemplateError>(())
    /// ```
    pub fn canonical(&self) -> String {
        self.print(true)
    }

    /// What the template matches, without the names of its variables: two routes of one shape
    /// and method cannot be told apart.
    ///
    /// ```
    /// let template = a2a_codegen::template::parse_template("/{name=shelves/*}/books")?;
    /// assert_eq!(template.shape(), "/shelves/*/books");
    /// # Ok::<(), a2a_codegen::template::TemplateError>(())
    /// ```
    pub fn shape(&self) -> String {
        self.print(false)
    }

    fn print(&self, with_variables: bool) -> String {
        let variables = self.variables.iter().filter(|_| with_variables);
        let by_start: BTreeMap<usize, &PathVariable> = variables.map(|v| (v.start, v)).collect();
        let mut out = String::new();
        let mut index = 0;
        while let Some(segment) = self.segments.get(index) {
            out.push('/');
            match by_start.get(&index) {
                // A variable covers a segment at least; the maximum keeps a hand-made one from
                // standing still.
                Some(variable) => {
                    out.push_str(&self.print_variable(variable));
                    index = variable.end.max(index + 1);
                }
                None => {
                    out.push_str(&print_segment(segment));
                    index += 1;
                }
            }
        }
        if out.is_empty() {
            out.push('/');
        }
        if let Some(verb) = &self.verb {
            out.push(':');
            out.push_str(&encode(verb));
        }
        out
    }

    fn print_variable(&self, variable: &PathVariable) -> String {
        let name = variable.field_path.join(".");
        let covered = self
            .segments
            .get(variable.start..variable.end)
            .unwrap_or_default();
        if covered == [Segment::Single] {
            return format!("{{{name}}}");
        }
        let pattern: Vec<String> = covered.iter().map(print_segment).collect();
        format!("{{{name}={}}}", pattern.join("/"))
    }
}

fn print_segment(segment: &Segment) -> String {
    match segment {
        Segment::Literal(text) => encode(text),
        Segment::Single => "*".to_owned(),
        Segment::Multi => "**".to_owned(),
    }
}

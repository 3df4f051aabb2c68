//! Comments of a schema as documentation.
//!
//! Comes in: the text of a comment. Goes out: `#[doc]` attributes in which rustdoc finds neither
//! code to run nor links to follow: people write protos without Rust's Markdown in mind.

use proc_macro2::TokenStream;
use quote::quote;

/// Attributes for a comment; `otherwise` stands in for one that is missing.
pub(crate) fn docs(comment: &str, otherwise: &str) -> TokenStream {
    let text = if comment.trim().is_empty() {
        otherwise.trim()
    } else {
        comment.trim_matches('\n')
    };
    let mut in_code = false;
    let lines = text.lines().map(|line| {
        let line = line.trim_end();
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            // A fence without a language would be run as a test.
            return if in_code {
                " ```text".to_owned()
            } else {
                " ```".to_owned()
            };
        }
        if in_code {
            format!(" {line}")
        } else {
            prose(line)
        }
    });
    let mut lines: Vec<String> = lines.collect();
    if in_code {
        lines.push(" ```".to_owned());
    }
    quote!(#(#[doc = #lines])*)
}

/// One line outside of fences, with a space before it unless it is empty.
fn prose(line: &str) -> String {
    let text = line.trim_start();
    if text.is_empty() {
        return String::new();
    }
    // Four spaces would make it a block of code; fewer keep the nesting of a list.
    let indent = (line.len() - text.len()).min(3);
    let mut out = " ".repeat(indent + 1);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '`' => code_span(rest),
            'h' if !out.ends_with(char::is_alphanumeric) => url(rest),
            _ => 0,
        };
        let (piece, tail) = rest.split_at(if taken == 0 { first.len_utf8() } else { taken });
        match first {
            '[' | ']' | '<' | '>' => out.extend(['\\', first]),
            'h' if taken > 0 => out.extend(["<", piece, ">"]),
            _ => out.push_str(piece),
        }
        rest = tail;
    }
    out
}

/// Length of the code span that the text begins with; 0 when it is not closed on this line.
fn code_span(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    text[ticks..]
        .find(&text[..ticks])
        .map_or(0, |end| ticks + end + ticks)
}

/// Length of the address that the text begins with, if it begins with one.
fn url(text: &str) -> usize {
    if !text.starts_with("http://") && !text.starts_with("https://") {
        return 0;
    }
    let end = text
        .find(|c: char| c.is_whitespace() || "<>()[]`\"'".contains(c))
        .unwrap_or(text.len());
    text[..end]
        .trim_end_matches(['.', ',', ';', ':', '!', '?'])
        .len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rustdoc_sees_only_prose() {
        // A comment, and the lines of documentation that it becomes.
        let cases: [(&str, &[&str]); 9] = [
            ("Reads a book.", &[" Reads a book."]),
            ("", &[" otherwise"]),
            ("One.\n\n    indented\n", &[" One.", "", "    indented"]),
            (
                "See [foo] and <bar>, a[0].",
                &[" See \\[foo\\] and \\<bar\\>, a\\[0\\]."],
            ),
            (
                "Code `a[0] <b>` stays; ` does not close [x]",
                &[" Code `a[0] <b>` stays; ` does not close \\[x\\]"],
            ),
            (
                "See https://example.com/x?a=1.",
                &[" See <https://example.com/x?a=1>."],
            ),
            (
                "(http://a.b/c), xhttp://d",
                &[" (<http://a.b/c>), xhttp://d"],
            ),
            (
                "```\nlet x = [1];\n```",
                &[" ```text", " let x = [1];", " ```"],
            ),
            ("```json\n{}", &[" ```text", " {}", " ```"]),
        ];
        for (comment, expected) in cases {
            let expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
            let expected = quote!(#(#[doc = #expected])*).to_string();
            assert_eq!(
                docs(comment, "otherwise").to_string(),
                expected,
                "{comment}"
            );
        }
    }
}

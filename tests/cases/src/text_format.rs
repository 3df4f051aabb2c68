//! Messages in protobuf's text format, as case files write them.
//!
//! Comes in: a text and the type of the message. Goes out: the message.
//!
//! Two things go beyond the text format: `{}` stands for the empty message, and a field of type
//! `Struct`, `Value` or `ListValue` may be written by its content (`metadata { n: 3 }`) instead of
//! by its members (`metadata { fields { key: "n" value { number_value: 3 } } }`). The second is
//! rewritten to the long form before prost-reflect, which does the rest, reads it.

use prost_reflect::{DynamicMessage, Kind, MessageDescriptor};

/// Reads a message.
///
/// # Errors
/// A sentence that says what is wrong with the text.
pub fn parse(message: &MessageDescriptor, text: &str) -> Result<DynamicMessage, String> {
    let mut tokens = Tokens { rest: text };
    let braced = tokens.peek()? == Some("{");
    if braced {
        tokens.next()?;
    }
    let fields = fields(&mut tokens, if braced { Some("}") } else { None })?;
    if let Some(token) = tokens.next()? {
        return Err(format!("the text goes on after its end, with {token}"));
    }
    let mut long = String::new();
    write_message(message, &fields, &mut long);
    DynamicMessage::parse_text_format(message.clone(), &long).map_err(|error| {
        format!(
            "the text is no {}: {error} (read as: {long})",
            message.full_name()
        )
    })
}

struct Field<'a> {
    name: &'a str,
    value: Content<'a>,
}

enum Content<'a> {
    /// Tokens of a scalar, more than one for a sign or for texts that are put together.
    Scalar(Vec<&'a str>),
    Message(Vec<Field<'a>>),
    List(Vec<Content<'a>>),
}

struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn peek(&mut self) -> Result<Option<&'a str>, String> {
        let rest = self.rest;
        let token = self.next();
        self.rest = rest;
        token
    }

    fn next(&mut self) -> Result<Option<&'a str>, String> {
        loop {
            self.rest = self.rest.trim_start();
            if !self.rest.starts_with('#') {
                break;
            }
            self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
        }
        let Some(first) = self.rest.chars().next() else {
            return Ok(None);
        };
        let length = match first {
            '"' | '\'' => quoted(self.rest, first)?,
            _ if word(first) => word_length(self.rest),
            _ => first.len_utf8(),
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(Some(token))
    }
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.')
}

/// Length of the name or number (with the sign of its exponent) that a text begins with.
fn word_length(text: &str) -> usize {
    let number = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let exponent = number && matches!(before, 'e' | 'E') && matches!(c, '+' | '-');
        if !word(c) && !exponent {
            return at;
        }
        before = c;
    }
    text.len()
}

fn quoted(text: &str, quote: char) -> Result<usize, String> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Ok(at + 1),
            _ => {}
        }
    }
    Err(format!("the quote {text} has no end"))
}

fn fields<'a>(tokens: &mut Tokens<'a>, end: Option<&str>) -> Result<Vec<Field<'a>>, String> {
    let mut fields = Vec::new();
    loop {
        let Some(token) = tokens.next()? else {
            return match end {
                None => Ok(fields),
                Some(end) => Err(format!("{end} is missing at the end")),
            };
        };
        if Some(token) == end {
            return Ok(fields);
        }
        if token == "," || token == ";" {
            continue;
        }
        if !token.starts_with(word) {
            return Err(format!(
                "there is {token} where the name of a field was expected"
            ));
        }
        if tokens.peek()? == Some(":") {
            tokens.next()?;
        }
        fields.push(Field {
            name: token,
            value: content(tokens)?,
        });
    }
}

fn content<'a>(tokens: &mut Tokens<'a>) -> Result<Content<'a>, String> {
    match tokens.next()? {
        Some("{") => Ok(Content::Message(fields(tokens, Some("}"))?)),
        Some("<") => Ok(Content::Message(fields(tokens, Some(">"))?)),
        Some("[") => {
            let mut list = Vec::new();
            loop {
                match tokens.peek()? {
                    Some("]") => {
                        tokens.next()?;
                        return Ok(Content::List(list));
                    }
                    Some(",") => {
                        tokens.next()?;
                    }
                    _ => list.push(content(tokens)?),
                }
            }
        }
        Some("-") => match tokens.next()? {
            Some(number) if number.starts_with(word) => Ok(Content::Scalar(vec!["-", number])),
            _ => Err("- stands before no number".to_owned()),
        },
        Some(text) if text.starts_with(['"', '\'']) => {
            let mut parts = vec![text];
            while let Some(more) = tokens.peek()?.filter(|more| more.starts_with(['"', '\''])) {
                parts.push(more);
                tokens.next()?;
            }
            Ok(Content::Scalar(parts))
        }
        Some(token) if token.starts_with(word) => Ok(Content::Scalar(vec![token])),
        Some(token) => Err(format!("there is {token} where a value was expected")),
        None => Err("the text ends where a value was expected".to_owned()),
    }
}

/// Writes the long form of a message's content, without braces.
fn write_message(message: &MessageDescriptor, fields: &[Field<'_>], out: &mut String) {
    let short = match message.full_name() {
        "google.protobuf.Struct" => !fields.iter().all(|field| field.name == "fields"),
        "google.protobuf.Value" => !fields
            .iter()
            .all(|field| message.get_field_by_name(field.name).is_some()),
        _ => false,
    };
    if short && message.full_name() == "google.protobuf.Value" {
        out.push_str("struct_value {");
        write_members(fields, out);
        out.push_str("} ");
        return;
    }
    if short {
        return write_members(fields, out);
    }
    for field in fields {
        let kind = message
            .get_field_by_name(field.name)
            .map(|field| field.kind());
        let inner = match &kind {
            Some(Kind::Message(inner)) => Some(inner),
            _ => None,
        };
        match (&field.value, inner) {
            (Content::List(items), Some(inner))
                if inner.full_name() == "google.protobuf.ListValue" =>
            {
                out.push_str(field.name);
                out.push_str(" {");
                items.iter().for_each(|item| write_item(item, out));
                out.push_str("} ");
            }
            (Content::List(items), _) => items
                .iter()
                .for_each(|item| write_field(field.name, inner, item, out)),
            (value, inner) => write_field(field.name, inner, value, out),
        }
    }
}

/// Writes one occurrence of a field.
fn write_field(
    name: &str,
    inner: Option<&MessageDescriptor>,
    value: &Content<'_>,
    out: &mut String,
) {
    out.push_str(name);
    match (value, inner) {
        (Content::Message(fields), Some(inner)) => {
            out.push_str(" {");
            write_message(inner, fields, out);
            out.push_str("} ");
        }
        (value, Some(inner)) if inner.full_name() == "google.protobuf.Value" => {
            out.push_str(" {");
            write_value(value, out);
            out.push_str("} ");
        }
        (value, _) => {
            out.push_str(": ");
            write_raw(value, out);
        }
    }
}

/// Writes the members of a `Struct` from its short form.
fn write_members(fields: &[Field<'_>], out: &mut String) {
    for field in fields {
        out.push_str("fields { key: \"");
        out.push_str(field.name);
        out.push_str("\" value {");
        write_value(&field.value, out);
        out.push_str("} } ");
    }
}

fn write_item(item: &Content<'_>, out: &mut String) {
    out.push_str("values {");
    write_value(item, out);
    out.push_str("} ");
}

/// Writes the member of a `Value` that holds what the short form says.
fn write_value(value: &Content<'_>, out: &mut String) {
    match value {
        Content::Message(fields) => {
            out.push_str("struct_value {");
            write_members(fields, out);
            out.push('}');
        }
        Content::List(items) => {
            out.push_str("list_value {");
            items.iter().for_each(|item| write_item(item, out));
            out.push('}');
        }
        Content::Scalar(tokens) => {
            out.push_str(match tokens.first() {
                Some(&"null") => return out.push_str("null_value: NULL_VALUE "),
                Some(&("true" | "false")) => "bool_value: ",
                Some(text) if text.starts_with(['"', '\'']) => "string_value: ",
                _ => "number_value: ",
            });
            write_raw(value, out);
        }
    }
}

/// Writes what has no short form as it was.
fn write_raw(value: &Content<'_>, out: &mut String) {
    match value {
        Content::Scalar(tokens) => tokens.iter().for_each(|token| {
            out.push_str(token);
            out.push(' ');
        }),
        Content::Message(fields) => {
            out.push('{');
            for field in fields {
                out.push_str(field.name);
                out.push_str(": ");
                write_raw(&field.value, out);
            }
            out.push_str("} ");
        }
        Content::List(items) => items.iter().for_each(|item| write_raw(item, out)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schemas;

    fn json(message: &str, text: &str) -> Result<String, String> {
        let schemas = Schemas::compiled_in().unwrap();
        let schema = if message.starts_with("lf.") {
            schemas.get("a2a-v1")
        } else {
            schemas.get("scalars")
        };
        let descriptor = schema.unwrap().message(message).unwrap();
        parse(&descriptor, text).map(|message| serde_json::to_string(&message).unwrap())
    }

    #[test]
    fn reads_the_text_format() {
        let table = [
            ("", "{}"),
            ("{}", "{}"),
            (" { } ", "{}"),
            ("{i32: 1}", r#"{"i32":1}"#),
            (
                "i32:-5 i64: -6, u64: 0x10; flag: true # a comment\n s: 'it\\'s' \"!\"",
                r#"{"i32":-5,"i64":"-6","u64":"16","flag":true,"s":"it's!"}"#,
            ),
            (
                "d: 1e-5 f: inf e: EN_TWO re: [EN_ONE, 7]",
                r#"{"f":"Infinity","d":0.00001,"e":"EN_TWO","re":["EN_ONE",7]}"#,
            ),
            (
                "d: -inf by: \"\\373\\x01\"",
                r#"{"d":"-Infinity","by":"+wE="}"#,
            ),
            (
                "nested_msg < a: 1 child { a: 2 } > ri: [1, 2] ri: 3",
                r#"{"nestedMsg":{"a":1,"child":{"a":2}},"ri":[1,2,3]}"#,
            ),
            (
                "by_num { key: 3 value: 'x' } ws { value: '' } ts { seconds: 1 }",
                r#"{"byNum":{"3":"x"},"ts":"1970-01-01T00:00:01Z","ws":""}"#,
            ),
        ];
        for (text, expected) in table {
            assert_eq!(json("sc.T", text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_struct_may_be_written_by_its_content() {
        let table = [
            ("st { n: 3 }", r#"{"st":{"n":3.0}}"#),
            (
                "st { a: 'x' b: true c: null d { e: -1.5 } f: [1, 'y', [], {}] }",
                r#"{"st":{"a":"x","b":true,"c":null,"d":{"e":-1.5},"f":[1.0,"y",[],{}]}}"#,
            ),
            ("st {}", r#"{"st":{}}"#),
            (
                "st { fields { key: 'n' value { number_value: 3 } } }",
                r#"{"st":{"n":3.0}}"#,
            ),
            ("va: 3", r#"{"va":3.0}"#),
            ("va { number_value: 3 }", r#"{"va":3.0}"#),
            ("va { k: 3 }", r#"{"va":{"k":3.0}}"#),
            ("va { null_value: NULL_VALUE }", r#"{"va":null}"#),
            ("va: null", r#"{"va":null}"#),
            ("rv: [null, 1] rv: 'x'", r#"{"rv":[null,1.0,"x"]}"#),
            ("lv: [1, 'x']", r#"{"lv":[1.0,"x"]}"#),
            ("lv { values { number_value: 1 } }", r#"{"lv":[1.0]}"#),
        ];
        for (text, expected) in table {
            assert_eq!(json("sc.T", text).as_deref(), Ok(expected), "{text}");
        }
        let task = json("lf.a2a.v1.Task", "id:\"t\" status{state:99} metadata{n:3}");
        assert_eq!(
            task.as_deref(),
            Ok(r#"{"id":"t","status":{"state":99},"metadata":{"n":3.0}}"#)
        );
    }

    #[test]
    fn refuses_what_is_no_text_of_the_message() {
        for text in [
            "nope: 1",
            "i32: 'x'",
            "i32:",
            "nested_msg {",
            "s: \"x",
            "}",
            "i32: 1 }",
            "{} {}",
            "{i32:1} 2",
            "ri: [1",
            "i32: 3000000000",
            ":",
        ] {
            assert!(json("sc.T", text).is_err(), "{text}");
        }
    }
}

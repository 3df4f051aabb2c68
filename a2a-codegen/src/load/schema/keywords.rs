//! Keywords of JSON Schema: what each of them says, and which are not understood.
//!
//! Comes in: the tree of a text. Goes out: its definitions, and a fault for everything that a
//! reader or writer would have to know but that is not understood here. Keywords that only inform
//! people are passed over.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::json::{Member, Node, Value};
use super::{Form, Property, Schema};
use crate::diagnostics::{Diagnostic, Diagnostics, did_you_mean};
use crate::model::Origin;

mod plain;

/// Keywords that change neither what is written nor what is read: for people, or what an absent
/// value means to the one who reads it.
const PASSED_OVER: &[&str] = &[
    "$schema", "$id", "$comment", "title", "examples", "default", "format",
];

const UNDERSTOOD: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "deprecated",
    "description",
    "enum",
    "items",
    "oneOf",
    "properties",
    "required",
    "type",
];

/// The keywords that say what a value is; the rest may stand beside any of them.
const SAYING: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "enum",
    "items",
    "oneOf",
    "properties",
    "required",
    "type",
];

/// Longer names would make those longer that are put together from them.
const MAX_NAME: usize = 128;

/// Nobody reads more at once.
const MAX_FAULTS: usize = 200;

/// The definitions of a schema file.
pub(super) fn definitions(
    root: &Node,
    text: &str,
    file: &Arc<str>,
    diagnostics: &mut Diagnostics,
) -> Vec<Property> {
    let mut reader = Reader {
        file: Arc::clone(file),
        starts: line_starts(text),
        diagnostics,
    };
    reader.root(root)
}

struct Reader<'d> {
    file: Arc<str>,
    /// Byte offset of each line.
    starts: Vec<usize>,
    diagnostics: &'d mut Diagnostics,
}

/// The keywords of one schema, each at most once.
struct Keywords<'n> {
    members: &'n [Member],
    path: Arc<str>,
    at: usize,
}

impl<'n> Keywords<'n> {
    fn get(&self, key: &str) -> Option<&'n Member> {
        self.members.iter().find(|member| member.key == key)
    }

    /// Those of some keywords that are there.
    fn among(&self, keys: &[&str]) -> Vec<&'n Member> {
        let among = |member: &&Member| keys.contains(&member.key.as_str());
        self.members.iter().filter(among).collect()
    }
}

impl Reader<'_> {
    fn origin(&self, at: usize, path: &Arc<str>) -> Origin {
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self.starts.get(line.saturating_sub(1)).copied();
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Origin {
            file: Arc::clone(&self.file),
            line: number(line),
            column: number(at - start.unwrap_or(0) + 1),
            proto_path: Arc::clone(path),
        }
    }

    /// A fault; the message is preceded by the path of what it is about.
    fn fault(&mut self, at: usize, path: &Arc<str>, message: &str, hint: impl Into<String>) {
        if self.diagnostics.len() >= MAX_FAULTS {
            return;
        }
        let message = match &**path {
            "" => message.to_owned(),
            path => format!("`{path}`: {message}"),
        };
        let origin = self.origin(at, path);
        self.diagnostics
            .push(Diagnostic::new(origin, message).hint(hint));
    }

    fn root(&mut self, root: &Node) -> Vec<Property> {
        let path: Arc<str> = Arc::default();
        let hint = "write `{ \"definitions\": { … } }`";
        let Value::Object(members) = &root.value else {
            self.fault(root.at, &path, "a JSON schema is an object", hint);
            return Vec::new();
        };
        self.no_repetition(members, &path);
        let mut definitions = None;
        for member in members {
            match member.key.as_str() {
                "definitions" => definitions = Some(self.properties(member, &path)),
                "description" => {}
                key if PASSED_OVER.contains(&key) => {}
                key => {
                    let message =
                        format!("the keyword `{key}` is not understood beside `definitions`");
                    let hint = "move what it says into `definitions`";
                    self.fault(member.at, &path, &message, hint);
                }
            }
        }
        if definitions.is_none() {
            self.fault(root.at, &path, "the schema has no `definitions`", hint);
        }
        definitions.unwrap_or_default()
    }

    /// Definitions, or the properties of an object.
    fn properties(&mut self, member: &Member, path: &Arc<str>) -> Vec<Property> {
        let Value::Object(members) = &member.node.value else {
            let message = format!("`{}` is no object", member.key);
            let hint = "write an object with a schema for each name";
            self.fault(member.node.at, path, &message, hint);
            return Vec::new();
        };
        self.no_repetition(members, path);
        let properties = members.iter().filter_map(|member| {
            if member.key.len() > MAX_NAME {
                let message = format!("a name is longer than {MAX_NAME} bytes");
                self.fault(member.at, path, &message, "choose a shorter one");
                return None;
            }
            let path: Arc<str> = match &**path {
                "" => member.key.as_str().into(),
                path => format!("{path}.{}", member.key).into(),
            };
            Some(Property {
                name: member.key.clone(),
                origin: self.origin(member.at, &path),
                schema: self.schema(&member.node, &path),
            })
        });
        properties.collect()
    }

    fn no_repetition(&mut self, members: &[Member], path: &Arc<str>) {
        let mut seen = BTreeSet::new();
        for member in members {
            if !seen.insert(&member.key) {
                let message = format!("the key `{}` is there twice", member.key);
                self.fault(member.at, path, &message, "remove one of them");
            }
        }
    }

    fn schema(&mut self, node: &Node, path: &Arc<str>) -> Schema {
        let mut schema = Schema {
            form: Form::Any,
            nullable: false,
            deprecated: false,
            docs: String::new(),
            origin: self.origin(node.at, path),
        };
        let members = match &node.value {
            Value::Object(members) => members,
            // The schema that allows everything.
            Value::Bool(true) => return schema,
            _ => {
                let hint = "write an object such as `{ \"type\": \"string\" }`";
                self.fault(node.at, path, "a schema is an object", hint);
                return schema;
            }
        };
        self.no_repetition(members, path);
        let keywords = Keywords {
            members,
            path: Arc::clone(path),
            at: node.at,
        };
        for member in members {
            self.known(member, path);
        }
        if let Some(member) = keywords.get("description") {
            schema.docs = lines(self.text(member, path));
        }
        if let Some(member) = keywords.get("deprecated") {
            schema.deprecated = matches!(member.node.value, Value::Bool(true));
        }
        schema.form = self.form(&keywords, &mut schema.nullable);
        schema
    }

    fn known(&mut self, member: &Member, path: &Arc<str>) {
        let key = member.key.as_str();
        if PASSED_OVER.contains(&key) || UNDERSTOOD.contains(&key) {
            return;
        }
        let hint = match did_you_mean(key, UNDERSTOOD.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!(
                "remove it; understood are {} and what only informs people",
                UNDERSTOOD.join(", ")
            ),
        };
        self.fault(
            member.at,
            path,
            &format!("the keyword `{key}` is not understood"),
            hint,
        );
    }

    fn text<'n>(&mut self, member: &'n Member, path: &Arc<str>) -> &'n str {
        match &member.node.value {
            Value::Text(text) => text,
            _ => {
                let message = format!("`{}` is no text", member.key);
                self.fault(member.node.at, path, &message, "write a text in quotes");
                ""
            }
        }
    }

    /// What the keywords say together.
    fn form(&mut self, keywords: &Keywords<'_>, nullable: &mut bool) -> Form {
        let types = self.types(keywords, nullable);
        let alone = |key: &str| keywords.get(key);
        if let Some(member) = alone("$ref") {
            self.only(keywords, member, &[]);
            return self.reference(member, &keywords.path);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(member) = alone(key) {
                self.only(keywords, member, &[]);
                return self.choice(member, &keywords.path, nullable);
            }
        }
        if let Some(member) = alone("const") {
            self.only(keywords, member, &["type"]);
            return match &member.node.value {
                Value::Null => Form::Null,
                Value::Text(text) => Form::Constant(Ok(text.clone())),
                other => Form::Constant(Err(shown(other))),
            };
        }
        if let Some(member) = alone("enum") {
            self.only(keywords, member, &["type"]);
            return self.enumeration(member, &keywords.path, nullable);
        }
        let form = self.plain(keywords, types.as_deref());
        match alone("allOf") {
            Some(member) => {
                let own = Schema {
                    form,
                    nullable: false,
                    deprecated: false,
                    docs: String::new(),
                    origin: self.origin(keywords.at, &keywords.path),
                };
                self.all(member, &keywords.path, own)
            }
            None => form,
        }
    }

    /// Refuses keywords beside one that says everything by itself.
    fn only(&mut self, keywords: &Keywords<'_>, member: &Member, allowed: &[&str]) {
        for other in keywords.among(SAYING) {
            if other.key != member.key && !allowed.contains(&other.key.as_str()) {
                let message = format!("`{}` beside `{}` is not understood", other.key, member.key);
                let hint = format!(
                    "remove one of them, or put both into `allOf` of their own definitions: `{}` says what the value is",
                    member.key
                );
                self.fault(other.at, &keywords.path, &message, hint);
            }
        }
    }

    /// The types other than null; none when nothing is said.
    fn types<'n>(&mut self, keywords: &Keywords<'n>, nullable: &mut bool) -> Option<Vec<&'n str>> {
        const TYPES: &[&str] = &[
            "array", "boolean", "integer", "null", "number", "object", "string",
        ];
        let member = keywords.get("type")?;
        let nodes = match &member.node.value {
            Value::List(nodes) => nodes.as_slice(),
            _ => std::slice::from_ref(&member.node),
        };
        let mut types = Vec::new();
        for node in nodes {
            match &node.value {
                Value::Text(name) if TYPES.contains(&name.as_str()) => types.push(name.as_str()),
                other => {
                    let message = format!("{} is no type", shown(other));
                    let hint = format!("write one of {}", TYPES.join(", "));
                    self.fault(node.at, &keywords.path, &message, hint);
                }
            }
        }
        if types.len() > 1 && types.contains(&"null") {
            *nullable = true;
            types.retain(|name| *name != "null");
        }
        Some(types)
    }

    fn reference(&mut self, member: &Member, path: &Arc<str>) -> Form {
        let text = self.text(member, path);
        match text.strip_prefix("#/definitions/") {
            // The escapes of JSON pointers.
            Some(name) if !name.contains('/') => {
                Form::Reference(name.replace("~1", "/").replace("~0", "~"))
            }
            _ if text.is_empty() => Form::Any,
            _ => {
                let message = format!("the reference `{text}` does not lead to a definition");
                let hint =
                    "write `#/definitions/…`: other files and inner parts cannot be referred to";
                self.fault(member.node.at, path, &message, hint);
                Form::Any
            }
        }
    }

    fn schemas(&mut self, member: &Member, path: &Arc<str>) -> Vec<Schema> {
        match &member.node.value {
            Value::List(nodes) if !nodes.is_empty() => {
                nodes.iter().map(|node| self.schema(node, path)).collect()
            }
            _ => {
                let message = format!("`{}` is no list of schemas", member.key);
                let hint = "write a list such as `[ { \"$ref\": \"#/definitions/…\" } ]`";
                self.fault(member.node.at, path, &message, hint);
                Vec::new()
            }
        }
    }

    fn choice(&mut self, member: &Member, path: &Arc<str>, nullable: &mut bool) -> Form {
        let mut schemas = self.schemas(member, path);
        let all = schemas.len();
        schemas.retain(|schema| !matches!(schema.form, Form::Null));
        *nullable |= schemas.len() < all || schemas.iter().any(|schema| schema.nullable);
        match (schemas.len(), schemas.pop()) {
            (1, Some(only)) => only.form,
            (_, Some(last)) => {
                schemas.push(last);
                Form::Choice(schemas)
            }
            (_, None) if all > 0 => Form::Null,
            (_, None) => Form::Any,
        }
    }

    /// `allOf`, and what stands beside it as one more part.
    fn all(&mut self, member: &Member, path: &Arc<str>, own: Schema) -> Form {
        let mut schemas = self.schemas(member, path);
        match own.form {
            // `"type": "object"` says nothing that the parts do not say.
            Form::Any | Form::FreeObject => {}
            _ => schemas.push(own),
        }
        match (schemas.len(), schemas.pop()) {
            (1, Some(only)) => only.form,
            (_, Some(last)) => {
                schemas.push(last);
                Form::All(schemas)
            }
            (_, None) => Form::Any,
        }
    }

    fn enumeration(&mut self, member: &Member, path: &Arc<str>, nullable: &mut bool) -> Form {
        let hint = "write a list of different texts";
        let Value::List(nodes) = &member.node.value else {
            self.fault(member.node.at, path, "`enum` is no list", hint);
            return Form::Any;
        };
        let mut values: Vec<String> = Vec::new();
        let mut seen = BTreeSet::new();
        for node in nodes {
            match &node.value {
                Value::Null => *nullable = true,
                Value::Text(text) if seen.insert(text.as_str()) => values.push(text.clone()),
                Value::Text(text) => {
                    let message = format!("the value `{text}` is in `enum` twice");
                    self.fault(node.at, path, &message, "remove one of them");
                }
                other => {
                    let message = format!("{} in `enum` is no text", shown(other));
                    self.fault(node.at, path, &message, hint);
                }
            }
        }
        if nodes.is_empty() {
            self.fault(member.node.at, path, "`enum` has no value", hint);
        }
        if values.is_empty() {
            return Form::Null;
        }
        Form::Enumeration(values)
    }
}

/// A value for people.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(text) => text.clone(),
        Value::Text(text) => format!("`{text}`"),
        Value::List(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    lines.join("\n")
}

fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0)
        .chain(ends.map(|(at, _)| at + 1))
        .collect()
}

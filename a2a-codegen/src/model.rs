//! The model: what the generator knows about a schema once it has been read and checked.
//!
//! Comes in: nothing; these are plain types that [`crate::lower`] fills.
//! Goes out: the only thing that emitters read. Every name is kept in up to three spellings that
//! are never mixed: `proto_name` (as in the schema), `json_name` (as on the wire in JSON) and
//! `rust_name` (as in the generated code). Every node knows its [`Origin`].
//!
//! A JSON schema is lowered to the same types. What it does not have stays empty: packages,
//! numbers, oneofs, HTTP bindings. What only it has says so: [`Api::unions`],
//! [`Message::constants`], [`Message::bare`] and [`Method::json_rpc_name`].

use std::collections::BTreeMap;
use std::sync::Arc;

/// Where something was declared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The file as the compiler was given it, for example `a2a/v1.0/a2a.proto`.
    pub file: Arc<str>,
    /// 1-based line, 0 when the source positions are not known.
    pub line: u32,
    /// 1-based column, 0 when the source positions are not known.
    pub column: u32,
    /// The full proto path of the declaration, for example `lf.a2a.v1.Task.history`.
    pub proto_path: Arc<str>,
}

/// Everything that was read from one set of sources: the root of the model.
#[derive(Debug, Clone, Default)]
pub struct Api {
    /// Messages of [`Api::files`] by full proto name (`lf.a2a.v1.Task`), map entries excluded.
    pub messages: BTreeMap<String, Message>,
    /// Enums of [`Api::files`] by full proto name.
    pub enums: BTreeMap<String, Enum>,
    /// Unions by name; only a JSON schema has them.
    pub unions: BTreeMap<String, Union>,
    /// Services of the requested files, in declaration order.
    pub services: Vec<Service>,
    /// The source files that were asked for, in the order given (for the header line).
    pub sources: Vec<String>,
    /// The files whose messages and enums are here, each after its imports: those asked for, and
    /// those that declare a type which they use (never those of `google.protobuf`).
    pub files: Vec<String>,
}

/// A message type.
#[derive(Debug, Clone)]
pub struct Message {
    /// Full proto name, `lf.a2a.v1.Task`; for a JSON schema, the name of the definition.
    pub proto_name: String,
    /// Proto package, `lf.a2a.v1`; empty for a JSON schema.
    pub package: String,
    /// Path of the Rust type below the module of its package, as prost-build names it:
    /// `["Task"]`, or `["outer", "Inner"]` for a nested message.
    pub rust_path: Vec<String>,
    /// Fields in declaration order, members of oneofs included.
    pub fields: Vec<Field>,
    /// Real oneofs (proto3 `optional` is not one), in declaration order.
    pub oneofs: Vec<Oneof>,
    /// Members whose value the schema fixes, such as `"kind": "task"`, in declaration order. They
    /// are no fields. Only a JSON schema has them.
    pub constants: Vec<Constant>,
    /// True when its JSON is the value of its only field, without an object around it: a list or a
    /// map that stands where the model knows single values only (in a list or map, or as the
    /// result of a method). Only a JSON schema has such messages. They are named by their shape, so
    /// that equal ones are one: `StringList`, `StringListMap`, `TaskList`. The field is called
    /// `value`.
    pub bare: bool,
    /// Documentation comment, unindented lines joined by `\n`; empty when there is none.
    pub docs: String,
    /// True when the schema marks it as deprecated.
    pub deprecated: bool,
    /// Where it was declared.
    pub origin: Origin,
}

impl Message {
    /// The full name of what is declared in it: `lf.a2a.v1.Task.history`.
    #[must_use]
    pub fn full_name(&self, inner: &str) -> String {
        format!("{}.{inner}", self.proto_name)
    }
}

/// A member of an object whose value is always the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// Name in JSON, `kind`.
    pub json_name: String,
    /// The text that it always is, `task`.
    pub value: String,
    /// Where it was declared.
    pub origin: Origin,
}

/// One of several objects (`anyOf` or `oneOf` in a JSON schema).
#[derive(Debug, Clone)]
pub struct Union {
    /// Name of the definition, `Part`; for a union without one, that of the definition and the
    /// property that it stands in: `FilePartFile`.
    pub name: String,
    /// Name in JSON of the constant that tells the variants apart, `kind`; none when the schema
    /// has no such constant.
    pub tag: Option<String>,
    /// The objects, in declaration order; a union among them is replaced by its own variants.
    pub variants: Vec<UnionVariant>,
    /// Documentation comment.
    pub docs: String,
    /// Where it was declared.
    pub origin: Origin,
}

/// One object of a [`Union`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnionVariant {
    /// Name of the message, `TextPart`.
    pub message: String,
    /// Its value of the tag, `text`; none when the union has no tag.
    pub tag_value: Option<String>,
}

/// A oneof: at most one of its members is set.
#[derive(Debug, Clone)]
pub struct Oneof {
    /// Name in the schema, `content`.
    pub proto_name: String,
    /// Name of the Rust field that holds it, `content`.
    pub rust_name: String,
    /// Path of the Rust enum below the package's module: `["part", "Content"]`.
    pub rust_path: Vec<String>,
    /// Indices into [`Message::fields`], in declaration order.
    pub fields: Vec<usize>,
    /// Documentation comment.
    pub docs: String,
    /// Where it was declared.
    pub origin: Origin,
}

/// A field of a message.
#[derive(Debug, Clone)]
pub struct Field {
    /// Name in the schema, `context_id`.
    pub proto_name: String,
    /// Name in JSON, `contextId` (the `json_name` option where it is given).
    pub json_name: String,
    /// Name in Rust as prost-build writes it, raw (`type`, not `r#type`), `context_id`.
    /// For a member of a oneof: the enum's variant, `Text`.
    pub rust_name: String,
    /// Field number; 0 for a JSON schema.
    pub number: u32,
    /// Type of one value.
    pub ty: Type,
    /// How many values there are and whether absence can be told from the default.
    pub cardinality: Cardinality,
    /// Marked `REQUIRED` by `google.api.field_behavior`, or `required` in a JSON schema.
    pub required: bool,
    /// True when prost-build stores it in a `Box` (recursive messages).
    pub boxed: bool,
    /// True when the schema marks it as deprecated.
    pub deprecated: bool,
    /// Documentation comment.
    pub docs: String,
    /// Where it was declared.
    pub origin: Origin,
}

/// How many values a field has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cardinality {
    /// One value, the default stands for absence (proto3 scalars without `optional`).
    Implicit,
    /// One value whose absence is known (messages, `optional`).
    Explicit,
    /// A member of the oneof with this index in [`Message::oneofs`].
    Oneof(usize),
    /// A list.
    Repeated,
    /// A map; [`Field::ty`] is the type of a value.
    Map {
        /// Type of the keys.
        key: Scalar,
    },
}

/// The type of one value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A number, text, bytes or truth value.
    Scalar(Scalar),
    /// An enum, by full proto name.
    Enum(String),
    /// A message of the schema, by full proto name.
    Message(String),
    /// A well-known type with a JSON form of its own.
    WellKnown(WellKnown),
    /// A union, by name; only a JSON schema has them.
    Union(String),
}

/// Scalar types, by their proto names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the proto language")]
pub enum Scalar {
    Double,
    Float,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Bool,
    String,
    Bytes,
}

/// Types of `google.protobuf` with a JSON form of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of google.protobuf")]
pub enum WellKnown {
    Timestamp,
    Duration,
    FieldMask,
    Struct,
    Value,
    ListValue,
    Empty,
    Any,
    /// One of the wrappers (`Int32Value` and the like): JSON and Rust as its scalar.
    Wrapper(Scalar),
}

/// An enum.
#[derive(Debug, Clone)]
pub struct Enum {
    /// Full proto name.
    pub proto_name: String,
    /// Proto package.
    pub package: String,
    /// Path of the Rust enum below the package's module.
    pub rust_path: Vec<String>,
    /// Values in declaration order, aliases included.
    pub values: Vec<EnumValue>,
    /// Documentation comment.
    pub docs: String,
    /// Where it was declared.
    pub origin: Origin,
}

/// A value of an enum.
#[derive(Debug, Clone)]
pub struct EnumValue {
    /// Name in the schema and in JSON, `TASK_STATE_WORKING`; for a JSON schema, the text.
    pub proto_name: String,
    /// Variant as prost-build names it, `Working`; the first declared name for an alias.
    pub rust_name: String,
    /// Number on the wire; for a JSON schema, the place in the list.
    pub number: i32,
    /// Documentation comment.
    pub docs: String,
}

/// A service.
#[derive(Debug, Clone)]
pub struct Service {
    /// Full proto name, `lf.a2a.v1.A2AService`; also the first part of a gRPC path. A JSON schema
    /// names no service; there it is `JsonRpc`.
    pub proto_name: String,
    /// Proto package.
    pub package: String,
    /// Name of the Rust trait, `A2aService`.
    pub rust_name: String,
    /// Methods in declaration order.
    pub methods: Vec<Method>,
    /// Documentation comment.
    pub docs: String,
    /// Where it was declared.
    pub origin: Origin,
}

/// A method of a service.
#[derive(Debug, Clone)]
pub struct Method {
    /// Name in the schema, `SendMessage`; for a JSON schema, the stem of `SendMessageRequest`.
    pub proto_name: String,
    /// Name of the Rust method, `send_message`.
    pub rust_name: String,
    /// Method name of JSON-RPC, `message/send`, where the schema itself says it: only a JSON schema
    /// does. For a proto, the profile has it.
    pub json_rpc_name: Option<String>,
    /// Full proto name of the request, or `google.protobuf.Empty`. For a JSON schema, the name of a
    /// message or union.
    pub request: String,
    /// Full proto name of the response, or `google.protobuf.Empty`. For a JSON schema, the name of
    /// a message or union; empty when the schema does not say what the method answers.
    pub response: String,
    /// The response is a stream. A JSON schema cannot say so: there it is always false, and what
    /// streams is known from the profile.
    pub server_streaming: bool,
    /// Ways to call it over HTTP: the annotation first, then its additional bindings. Empty when
    /// the method has no annotation.
    pub bindings: Vec<HttpBinding>,
    /// True when the schema marks it as deprecated.
    pub deprecated: bool,
    /// Documentation comment.
    pub docs: String,
    /// Where it was declared.
    pub origin: Origin,
}

/// One way to call a method over HTTP (`google.api.HttpRule`).
#[derive(Debug, Clone)]
pub struct HttpBinding {
    /// `GET`, `POST`, …, or `*` for any method.
    pub method: String,
    /// The path.
    pub template: PathTemplate,
    /// What of the request stands in the body.
    pub body: Body,
    /// Index into the response's [`Message::fields`] of the field that is the whole body, if one
    /// was chosen.
    pub response_body: Option<usize>,
    /// Where the annotation stands.
    pub origin: Origin,
}

/// What of a request stands in the HTTP body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Nothing: what is not in the path is in the query.
    None,
    /// Everything that is not in the path (`body: "*"`).
    All,
    /// One field, as an index into the request's [`Message::fields`]; the rest is in the query.
    Field(usize),
}

/// A parsed and checked path template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTemplate {
    /// Segments of the flattened path: variables are replaced by the segments that they match.
    pub segments: Vec<Segment>,
    /// The part after `:` in the last segment, canonical (percent-decoded).
    pub verb: Option<String>,
    /// Variables, in order of their first segment.
    pub variables: Vec<PathVariable>,
    /// As written in the schema.
    pub text: String,
}

/// One segment of a path template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Must be equal, canonical (percent-decoded).
    Literal(String),
    /// `*`: exactly one, not empty.
    Single,
    /// `**`: zero or more. At most one in a template; only literals may follow it.
    Multi,
}

/// A variable of a path template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathVariable {
    /// Proto names of the fields from the request down to the leaf: `["book", "name"]`.
    pub field_path: Vec<String>,
    /// First segment that it covers.
    pub start: usize,
    /// One past the last segment that it covers.
    pub end: usize,
    /// True when its pattern is not exactly one segment (then `%2F` stays as it is when decoded).
    pub multi: bool,
}

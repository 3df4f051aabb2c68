//! The report: plain values, as they are written in JSON.
//!
//! Comes in: nothing; [`report`](super::report) fills them. Goes out: what documents and programs
//! read. Names of types are short; `up` is from the older version to the newer one. In JSON, what a
//! field or a value has nothing to say about is left out.

use serde::Serialize;

use crate::diagnostics::Diagnostic;

/// What changes between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The older version.
    pub old: VersionInfo,
    /// The newer version.
    pub new: VersionInfo,
    /// The rules between them.
    pub rules: RulesState,
    /// What a receiver would take for something else, without a word.
    pub traps: Vec<Trap>,
    /// Operations, in the newer order; those that went away last.
    pub operations: Vec<Operation>,
    /// What else differs.
    pub facts: Vec<Fact>,
    /// The protocol's own errors, by JSON-RPC code.
    pub errors: Vec<ErrorChange>,
    /// Messages, once for each spelling of the older version.
    pub messages: Vec<MessageChange>,
    /// Enums, once for each spelling of the older version.
    pub enums: Vec<EnumChange>,
    /// What is lost or refused.
    pub losses: Vec<Loss>,
    /// Rules that still have to be written.
    pub missing: Vec<Missing>,
    /// How much is the same.
    pub statistics: Statistics,
}

/// One of the two versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VersionInfo {
    /// How people call it.
    pub name: String,
    /// Its files.
    pub sources: Vec<String>,
    /// Full name of its service.
    pub service: Option<String>,
}

/// What is known of the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RulesState {
    /// Their file; none when there are none.
    pub file: Option<String>,
    /// Nothing is left to be said.
    pub complete: bool,
}

/// A spelling of the older version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    /// Its proto: gRPC and ProtoJSON.
    Proto,
    /// Its JSON schema.
    Json,
    /// Its HTTP routes.
    Http,
}

/// A way in which a receiver of the other version takes something for something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Trap {
    /// What is the same although it means another thing.
    pub kind: TrapKind,
    /// Where it happens.
    pub spelling: Spelling,
    /// What the older version means, `GetTaskRequest.name`.
    pub old: String,
    /// What the newer version takes it for, `GetTaskRequest.tenant`.
    pub new: String,
    /// What exactly is the same, and what comes of it.
    pub why: String,
    /// What has to be done with the older one instead.
    pub instead: String,
    /// It always passes; otherwise only where the bytes happen to fit.
    pub always: bool,
}

/// What is the same although it means another thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrapKind {
    /// The name.
    Name,
    /// The name, and most values; one of them means something else.
    Value,
    /// The field number, or the number of an enum's value.
    Number,
    /// The route.
    Route,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Operation {
    /// What happened to its name.
    pub change: Change,
    /// As it was.
    pub old: Option<OperationSide>,
    /// As it is.
    pub new: Option<OperationSide>,
    /// The id with which it is refused where the other side does not have it.
    pub refused: Option<String>,
    /// What its request is made of, once for each spelling of the older version.
    pub parameters: Vec<Parameters>,
    /// What its answer is, where that changes.
    pub answers: Vec<Answer>,
}

/// One side of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OperationSide {
    /// Its name, also in gRPC.
    pub name: String,
    /// Its path in gRPC.
    pub grpc: String,
    /// Its method in JSON-RPC.
    pub json_rpc: Option<String>,
    /// Its routes.
    pub routes: Vec<Route>,
    /// Type of its request.
    pub request: String,
    /// Type of its answer.
    pub response: String,
    /// It answers with a stream.
    pub stream: bool,
    /// The capability that it needs.
    pub capability: Option<String>,
}

/// A route.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Route {
    /// HTTP method.
    pub method: String,
    /// Path template.
    pub path: String,
    /// `*` for the whole request, the name of a field, or nothing.
    pub body: String,
    /// The schema says it; otherwise the profile does.
    pub declared: bool,
    /// It is another route with a variable in front.
    pub prefixed: bool,
}

/// What a request is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Parameters {
    /// The spelling of the older version.
    pub spelling: Spelling,
    /// Its fields; with those further inside that change.
    pub fields: Vec<FieldChange>,
}

/// What an answer is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The spelling of the older version.
    pub spelling: Spelling,
    /// As it was.
    pub old: String,
    /// As it is.
    pub new: String,
}

/// Something else that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Fact {
    /// What it is about.
    pub topic: String,
    /// As it was.
    pub old: Option<String>,
    /// As it is.
    pub new: Option<String>,
}

/// One of the protocol's own errors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ErrorChange {
    /// Its JSON-RPC code.
    pub code: i32,
    /// As it was.
    pub old: Option<ErrorSide>,
    /// As it is.
    pub new: Option<ErrorSide>,
}

/// One side of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ErrorSide {
    /// Its name.
    pub name: String,
    /// Its gRPC status.
    pub grpc: String,
    /// Its HTTP status.
    pub http: u16,
}

/// What happens to a type, a field or a value. Nothing at all is an empty list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Of the same name.
    Kept,
    /// It has another name.
    Renamed,
    /// It has another number.
    Renumbered,
    /// It is in another message.
    Moved,
    /// One became several, or several became one.
    Reshaped,
    /// It has another type.
    Type,
    /// Whether its absence can be told from its default.
    Presence,
    /// It has to be there now.
    Required,
    /// It may be left out now.
    Optional,
    /// The same value means something else.
    Meaning,
    /// Only the newer version has it.
    Added,
    /// Only the older version has it.
    Removed,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MessageChange {
    /// The spelling of the older version.
    pub spelling: Spelling,
    /// [`Change::Kept`], [`Change::Renamed`], [`Change::Reshaped`], [`Change::Added`] or
    /// [`Change::Removed`].
    pub change: Change,
    /// The older type.
    pub old: Option<String>,
    /// The newer type.
    pub new: Option<String>,
    /// What is done with it as a whole.
    pub how: Option<String>,
    /// Its fields.
    pub fields: Vec<FieldChange>,
    /// Losses of a hook for all of it.
    pub up: Vec<String>,
    /// The same going down.
    pub down: Vec<String>,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FieldChange {
    /// The older fields; several where they become one.
    pub old: Vec<FieldSide>,
    /// The newer fields.
    pub new: Vec<FieldSide>,
    /// What changes; empty when nothing does.
    pub changes: Vec<Change>,
    /// What is done with the value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub how: Vec<String>,
    /// Ids of losses coming up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub up: Vec<String>,
    /// Ids of losses going down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub down: Vec<String>,
    /// The rule that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// One side of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FieldSide {
    /// Its name; with those of the fields around it where it is further inside.
    pub name: String,
    /// Its number; 0 in a JSON schema.
    pub number: u32,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
}

/// An enum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EnumChange {
    /// The spelling of the older version.
    pub spelling: Spelling,
    /// The older type.
    pub old: String,
    /// The newer type.
    pub new: String,
    /// Its values.
    pub values: Vec<ValueChange>,
}

/// A value of an enum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ValueChange {
    /// As it was.
    pub old: Option<String>,
    /// As it is.
    pub new: Option<String>,
    /// Ids of losses coming up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub up: Vec<String>,
    /// Ids of losses going down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub down: Vec<String>,
}

/// Which way something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// From the older version to the newer one.
    Up,
    /// From the newer version to the older one.
    Down,
}

/// Something that is lost or refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// Its id.
    pub id: String,
    /// Which way.
    pub way: Way,
    /// What it is.
    pub text: String,
    /// Where it happens: newer fields, types and operations; older ones where there is no newer
    /// one.
    pub at: Vec<String>,
}

/// A rule that still has to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Missing {
    /// What is not accounted for.
    pub what: String,
    /// Where it is declared.
    pub place: String,
    /// Lines to write, one of them.
    pub rules: Vec<String>,
}

impl From<&Diagnostic> for Missing {
    fn from(fault: &Diagnostic) -> Self {
        let origin = &fault.origin;
        let hints = fault.hint.iter().flat_map(|hint| hint.split("; or "));
        Self {
            what: fault.message.clone(),
            place: match (&*origin.file, origin.line) {
                ("", _) => String::new(),
                (file, 0) => file.to_owned(),
                (file, line) => format!("{file}:{line}:{}", origin.column),
            },
            rules: hints.map(str::to_owned).collect(),
        }
    }
}

/// How much is the same, by what the schemas alone say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// The older version's protos.
    pub old: Counts,
    /// The newer version's protos.
    pub new: Counts,
    /// The older protos' fields, each in one class.
    pub proto: ProtoClasses,
    /// The older schema's properties, each in one class.
    pub json: Option<JsonClasses>,
}

/// What a version has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Operations.
    pub operations: usize,
    /// Messages.
    pub messages: usize,
    /// Their fields.
    pub fields: usize,
    /// Enums.
    pub enums: usize,
}

/// What a comparison of descriptors finds out about older fields, without any rule for a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProtoClasses {
    /// Name, number, type and presence are the same.
    pub same: usize,
    /// Name, type and presence are.
    pub renumbered: usize,
    /// The JSON name and the type are.
    pub same_json_name: usize,
    /// Name and type are; presence is not.
    pub presence: usize,
    /// Number and type are the same, and the name is not: these are guesses.
    pub same_number: usize,
    /// The name is the same, and the type is not.
    pub type_changed: usize,
    /// No newer field is like it.
    pub no_counterpart: usize,
    /// Its message went away.
    pub message_gone: usize,
}

/// The same for a JSON schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct JsonClasses {
    /// Messages that stand for a newer one.
    pub messages: usize,
    /// Properties in them, constants included.
    pub properties: usize,
    /// Of these, those whose key the newer message has too.
    pub same_key: usize,
    /// Of those, the ones whose key means another thing.
    pub false_friends: usize,
    /// Constants that only tell types apart.
    pub constants: usize,
    /// All others.
    pub rest: usize,
}

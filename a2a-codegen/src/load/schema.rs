//! Reads a JSON Schema: the part of draft 07 that describes messages.
//!
//! Comes in: a [`SchemaSource`], a file on disk or a text. Goes out: a [`LoadedSchema`], its
//! definitions with their places, every keyword understood. What definitions say to each other is
//! checked by [`lower_schema`](crate::lower::lower_schema).

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostics::{Diagnostic, Diagnostics, Texts, line_and_column};
use crate::model::Origin;

mod json;
mod keywords;

/// Far more than schemas have. It bounds the work that a wrong file can make.
const MAX_BYTES: usize = 2 << 20;

/// Where a JSON Schema is.
///
/// ```
/// use a2a_codegen::load::SchemaSource;
///
/// let on_disk = SchemaSource::file("proto/a2a/v0.3/a2a.schema.json").named("a2a/v0.3/a2a.schema.json");
/// let in_memory = SchemaSource::text("t.schema.json", r#"{ "definitions": {} }"#);
/// assert_ne!(on_disk, in_memory);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaSource {
    name: String,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    File(PathBuf),
    Text(String),
}

impl SchemaSource {
    /// A file on disk. Faults and headers name it by this path, unless it gets a name.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            name: path.display().to_string().replace('\\', "/"),
            content: Content::File(path),
        }
    }

    /// A text in memory.
    pub fn text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            content: Content::Text(text.into()),
        }
    }

    /// Chooses the name that faults and headers use, so that they do not depend on the machine.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

/// A JSON Schema that was read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadedSchema {
    /// The name that faults and headers use.
    pub name: String,
    /// The file that was read, for `cargo::rerun-if-changed`.
    pub path: Option<PathBuf>,
    /// In the order of the text; no name twice.
    pub(crate) definitions: Vec<Property>,
    /// The text, for errors that show the line.
    pub(crate) texts: Texts,
}

/// A definition, or a property of an object.
#[derive(Debug, Clone)]
pub(crate) struct Property {
    /// The key.
    pub(crate) name: String,
    /// Where the key is.
    pub(crate) origin: Origin,
    pub(crate) schema: Schema,
}

/// What a value may be.
#[derive(Debug, Clone)]
pub(crate) struct Schema {
    pub(crate) form: Form,
    /// Null is allowed too.
    pub(crate) nullable: bool,
    pub(crate) deprecated: bool,
    pub(crate) docs: String,
    pub(crate) origin: Origin,
}

/// The forms of values.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// Any JSON.
    Any,
    /// Nothing but null.
    Null,
    /// `$ref`: the name of a definition, which need not exist.
    Reference(String),
    /// `const`: a text, or what else it is for people.
    Constant(Result<String, String>),
    /// `enum` of texts.
    Enumeration(Vec<String>),
    Text,
    Integer,
    Number,
    Boolean,
    /// Any object.
    FreeObject,
    Object {
        properties: Vec<Property>,
        required: Vec<String>,
    },
    Map(Box<Schema>),
    List(Box<Schema>),
    /// `anyOf` or `oneOf`, with two alternatives at least.
    Choice(Vec<Schema>),
    /// `allOf`, with two parts at least.
    All(Vec<Schema>),
}

/// Reads a JSON Schema.
///
/// ```
/// use a2a_codegen::load::{SchemaSource, load_schema};
///
/// let text = r#"{ "definitions": { "Greeting": { "typ": "object" } } }"#;
/// let faults = load_schema(&SchemaSource::text("greet.json", text)).unwrap_err();
/// assert!(faults.to_string().starts_with("greet.json:1:34: `Greeting`: the keyword `typ`"));
/// assert!(faults.to_string().contains("did you mean `type`?"));
/// ```
///
/// # Errors
/// When the file is missing, is no JSON, or says something that is not understood; with all
/// places.
pub fn load_schema(source: &SchemaSource) -> Result<LoadedSchema, Diagnostics> {
    let file: Arc<str> = source.name.as_str().into();
    let (text, path) = match &source.content {
        Content::Text(text) => (text.clone(), None),
        Content::File(path) => (read(path, &file)?, Some(path.clone())),
    };
    if text.len() > MAX_BYTES {
        return Err(too_large(&file).into());
    }
    let texts: Texts = BTreeMap::from([(source.name.clone(), Arc::from(text.as_str()))]);
    let mut diagnostics = Diagnostics::new();
    let definitions = match json::parse(&text) {
        Ok(root) => keywords::definitions(&root, &text, &file, &mut diagnostics),
        Err(fault) => {
            let (line, column) = fault.place;
            let origin = Origin {
                file: Arc::clone(&file),
                line,
                column,
                proto_path: Arc::default(),
            };
            diagnostics.push(Diagnostic::new(origin, fault.message).hint(fault.hint));
            Vec::new()
        }
    };
    let loaded = LoadedSchema {
        name: source.name.clone(),
        path,
        definitions,
        texts: texts.clone(),
    };
    diagnostics
        .into_result(loaded)
        .map_err(|faults| faults.with_texts(&texts))
}

fn read(path: &Path, file: &Arc<str>) -> Result<String, Diagnostic> {
    let origin = Origin {
        file: Arc::clone(file),
        ..Origin::default()
    };
    let mut bytes = Vec::new();
    // One byte more than allowed shows that there are too many.
    let limit = u64::try_from(MAX_BYTES)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    std::fs::File::open(path)
        .and_then(|opened| opened.take(limit).read_to_end(&mut bytes))
        .map_err(|error| {
            Diagnostic::new(origin.clone(), format!("the file cannot be read: {error}"))
                .hint("check the path of the JSON schema")
        })?;
    if bytes.len() > MAX_BYTES {
        return Err(too_large(file));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes().get(..valid).unwrap_or_default());
        let (line, column) = line_and_column(&text, valid);
        let origin = Origin {
            line,
            column,
            ..origin
        };
        Diagnostic::new(origin, "the file is no UTF-8 text").hint("save it as UTF-8")
    })
}

fn too_large(file: &Arc<str>) -> Diagnostic {
    let origin = Origin {
        file: Arc::clone(file),
        ..Origin::default()
    };
    let message = format!("the schema is larger than {} MiB", MAX_BYTES >> 20);
    Diagnostic::new(origin, message).hint("split it, or take out what is not needed")
}

#[cfg(test)]
mod tests;

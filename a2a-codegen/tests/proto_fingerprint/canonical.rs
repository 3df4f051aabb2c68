//! In: the text of a proto. Out: its descriptor without anything that declares nothing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, ReflectMessage as _, Value};
use protox::file::{
    ChainFileResolver, File, FileResolver, GoogleFileResolver, IncludeFileResolver,
};
use sha2::{Digest as _, Sha256};

fn proto_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto")
}

/// The text of a file below `proto/`.
pub(crate) fn our_text(name: &str) -> String {
    std::fs::read_to_string(proto_dir().join(name))
        .unwrap_or_else(|error| panic!("proto/{name} is not readable: {error}"))
}

/// Serves one file from memory.
struct InMemory {
    name: String,
    text: String,
}

impl FileResolver for InMemory {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if name == self.name {
            File::from_source(name, &self.text)
        } else {
            Err(protox::Error::file_not_found(name))
        }
    }
}

/// Compiles `text` as the file `name`; imports come from `proto/` and from protox.
pub(crate) fn compile(name: &str, text: &str) -> DescriptorPool {
    let mut resolver = ChainFileResolver::new();
    resolver.add(InMemory {
        name: name.to_owned(),
        text: text.to_owned(),
    });
    resolver.add(IncludeFileResolver::new(proto_dir()));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(true);
    compiler
        .open_file(name)
        .unwrap_or_else(|error| panic!("{name} does not compile: {error}"));
    // The encoded set, since protox's typed one has no room for extensions.
    DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice())
        .expect("protox encodes a valid set")
}

/// The canonical `FileDescriptorProto` of `text` as the file `name`.
pub(crate) fn canonical(name: &str, text: &str) -> DynamicMessage {
    let pool = compile(name, text);
    let descriptor = pool
        .get_message_by_name("google.protobuf.FileDescriptorProto")
        .expect("google.api imports descriptor.proto");
    let file = pool.get_file_by_name(name).expect("the file was compiled");
    let mut file = DynamicMessage::decode(descriptor, file.encode_to_vec().as_slice())
        .expect("own bytes decode");
    file.clear_field_by_name("name");
    file.clear_field_by_name("source_code_info");
    normalise(&mut file);
    file
}

/// Drops what a compiler adds without being told: a `json_name` that follows from the name.
/// Refuses what it does not understand, since that could be an option that nobody compares.
fn normalise(message: &mut DynamicMessage) {
    let kind = message.descriptor().full_name().to_owned();
    assert_eq!(
        message.unknown_fields().count(),
        0,
        "{kind} has fields that no descriptor explains"
    );
    if kind == "google.protobuf.FieldDescriptorProto" {
        let default = default_json_name(&text_of(message, "name"));
        if text_of(message, "json_name") == default {
            message.clear_field_by_name("json_name");
        }
    }
    message
        .fields_mut()
        .for_each(|(_, value)| normalise_value(value));
    message
        .extensions_mut()
        .for_each(|(_, value)| normalise_value(value));
}

fn normalise_value(value: &mut Value) {
    match value {
        Value::Message(inner) => normalise(inner),
        Value::List(items) => items.iter_mut().for_each(normalise_value),
        _ => {}
    }
}

/// The JSON name that a field has when none is given.
fn default_json_name(name: &str) -> String {
    let mut out = String::new();
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.push(c.to_ascii_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}

pub(crate) fn text_of(message: &DynamicMessage, field: &str) -> String {
    message
        .get_field_by_name(field)
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

pub(crate) fn sha256(message: &DynamicMessage) -> String {
    Sha256::digest(message.encode_to_vec())
        .iter()
        .fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

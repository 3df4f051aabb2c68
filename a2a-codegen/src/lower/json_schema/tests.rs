//! What lowering makes of JSON schemas, and what it says about wrong ones.

use crate::diagnostics::Diagnostics;
use crate::load::{SchemaSource, load_schema};
use crate::lower::lower_schema;
use crate::model::{Api, Cardinality, Field, Message, Scalar, Type, WellKnown};

mod a2a;
mod faults;
mod mutations;
mod shapes;

fn lower(text: &str) -> Result<Api, Diagnostics> {
    lower_schema(&load_schema(&SchemaSource::text("t.json", text))?)
}

/// Lowers these definitions, of which the first is on line 1.
fn lowered(definitions: &str) -> Api {
    lower(&file(definitions)).unwrap_or_else(|faults| panic!("{definitions}: {faults}"))
}

fn faults_of(definitions: &str) -> String {
    lower(&file(definitions))
        .expect_err("the schema is wrong")
        .to_string()
}

fn file(definitions: &str) -> String {
    format!("{{\"definitions\":{{{definitions}}}}}")
}

/// All messages, unions, enums and methods, one a line, so that tests can say what they expect.
fn printed(api: &Api) -> String {
    let mut lines = Vec::new();
    for message in api.messages.values() {
        lines.push(printed_message(message));
    }
    for enumeration in api.enums.values() {
        let values: Vec<&str> = enumeration
            .values
            .iter()
            .map(|v| v.proto_name.as_str())
            .collect();
        lines.push(format!(
            "enum {} {{ {} }}",
            enumeration.proto_name,
            values.join(", ")
        ));
    }
    for union in api.unions.values() {
        let variants = union
            .variants
            .iter()
            .map(|variant| match &variant.tag_value {
                Some(value) => format!("{value}={}", variant.message),
                None => variant.message.clone(),
            });
        let tag = union.tag.as_deref().unwrap_or("-");
        lines.push(format!(
            "union {} by {tag} {{ {} }}",
            union.name,
            variants.collect::<Vec<_>>().join(", ")
        ));
    }
    for method in api.services.iter().flat_map(|service| &service.methods) {
        let json_rpc = method.json_rpc_name.as_deref().unwrap_or("-");
        lines.push(format!(
            "rpc {} {json_rpc} ({}) ({})",
            method.proto_name, method.request, method.response
        ));
    }
    lines.join("\n")
}

fn printed_message(message: &Message) -> String {
    let constants = message
        .constants
        .iter()
        .map(|c| format!("{}={}", c.json_name, c.value));
    let fields = message.fields.iter().map(printed_field);
    let members: Vec<String> = constants.chain(fields).collect();
    let bare = if message.bare { "bare " } else { "" };
    format!("{bare}{} {{ {} }}", message.proto_name, members.join(", "))
}

/// `!` is required, `?` is a value whose absence is known.
fn printed_field(field: &Field) -> String {
    let ty = match &field.ty {
        Type::Scalar(scalar) => format!("{scalar:?}"),
        Type::WellKnown(known) => format!("{known:?}"),
        Type::Message(name) => name.clone(),
        Type::Enum(name) => format!("enum {name}"),
        Type::Union(name) => format!("union {name}"),
    };
    let ty = match &field.cardinality {
        Cardinality::Implicit => ty,
        Cardinality::Explicit => format!("{ty}?"),
        Cardinality::Repeated => format!("[{ty}]"),
        Cardinality::Map { key } => {
            assert_eq!(*key, Scalar::String);
            format!("<{ty}>")
        }
        Cardinality::Oneof(_) => panic!("a JSON schema has no oneofs"),
    };
    let mark = if field.required { "!" } else { "" };
    format!("{}{mark}: {ty}", field.json_name)
}

#[test]
fn names_come_in_three_spellings() {
    let api = lowered(
        r#""HTTPThing":{"properties":{"oauth2MetadataUrl":{"type":"string","description":"Where."},"self":{}}}"#,
    );
    let message = &api.messages["HTTPThing"];
    assert_eq!(message.rust_path, ["HttpThing"]);
    assert_eq!(message.package, "");
    let [url, own] = message.fields.as_slice() else {
        panic!("two fields");
    };
    assert_eq!(url.json_name, "oauth2MetadataUrl");
    assert_eq!(url.proto_name, "oauth2_metadata_url");
    assert_eq!(url.rust_name, "oauth2_metadata_url");
    assert_eq!(
        (url.docs.as_str(), url.number, url.boxed),
        ("Where.", 0, false)
    );
    assert_eq!((url.origin.line, url.origin.column), (1, 44));
    assert_eq!(
        (own.proto_name.as_str(), own.rust_name.as_str()),
        ("self", "self_")
    );
    assert_eq!(own.ty, Type::WellKnown(WellKnown::Value));
    assert_eq!(api.sources, ["t.json"]);
}

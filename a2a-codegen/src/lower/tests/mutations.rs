//! Descriptors that no compiler would write: whatever they are, they lower or they are refused.

use proptest::prelude::*;
use prost::Message;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    FileDescriptorSet, MessageOptions,
};

use crate::diagnostics::Diagnostics;
use crate::load::{Loaded, Sources, load_protos};
use crate::lower::lower;
use crate::lower::options::{CustomPattern, HttpRule, MethodOptions, Pattern};
use crate::model::Api;
use crate::profile::Profile;

/// A service as it is encoded, with the annotations that the typed descriptors would lose.
#[derive(Clone, PartialEq, Message)]
struct AnnotatedService {
    #[prost(string, optional, tag = "1")]
    name: Option<String>,
    #[prost(message, repeated, tag = "2")]
    method: Vec<AnnotatedMethod>,
}

#[derive(Clone, PartialEq, Message)]
struct AnnotatedMethod {
    #[prost(string, optional, tag = "1")]
    name: Option<String>,
    #[prost(string, optional, tag = "2")]
    input_type: Option<String>,
    #[prost(string, optional, tag = "3")]
    output_type: Option<String>,
    #[prost(message, optional, tag = "4")]
    options: Option<MethodOptions>,
    #[prost(bool, optional, tag = "5")]
    client_streaming: Option<bool>,
}

/// Services, to be appended to an encoded file: fields of one number are one list.
#[derive(Clone, PartialEq, Message)]
struct MoreServices {
    #[prost(message, repeated, tag = "6")]
    service: Vec<AnnotatedService>,
}

/// A set of encoded files.
#[derive(Clone, PartialEq, Message)]
struct EncodedSet {
    #[prost(bytes = "vec", repeated, tag = "1")]
    file: Vec<Vec<u8>>,
}

const SEED: &str = r#"syntax = "proto3";
package p;
import "google/protobuf/timestamp.proto";
import "google/protobuf/struct.proto";
message A {
  string id = 1; B b = 2; repeated A list = 3; map<string, B> by_name = 4; optional int32 maybe = 5;
  oneof pick { string name = 6; A again = 7; Kind kind = 8; }
  google.protobuf.Timestamp at = 9; google.protobuf.Value any = 10;
  message Inner { string x = 1; enum Deep { DEEP_ZERO = 0; DEEP_ONE = 1; } Deep deep = 2; }
  Inner inner = 11;
}
message B { A a = 1; Kind kind = 2; bytes raw = 3; double d = 4; }
enum Kind { KIND_UNSPECIFIED = 0; KIND_ONE = 1; KIND_TWO = 2; }
"#;

fn seed() -> FileDescriptorSet {
    let loaded = load_protos(&Sources::new().virtual_file("t.proto", SEED).file("t.proto"))
        .expect("the seed loads");
    FileDescriptorSet {
        file: loaded.pool.file_descriptor_protos().cloned().collect(),
    }
}

/// The linker itself panics at a syntax that it does not know. No text reaches that: the parser
/// refuses it before.
fn linker_bears(bytes: &[u8]) -> bool {
    let set = FileDescriptorSet::decode(bytes).unwrap_or_default();
    set.file
        .iter()
        .all(|file| matches!(file.syntax(), "" | "proto2" | "proto3"))
}

fn lower_set(bytes: &[u8]) -> Result<Api, Diagnostics> {
    let loaded = Loaded::from_descriptor_set(bytes, &["t.proto"])?;
    lower(&loaded, &Profile::default())
}

/// One change of the seed; the numbers choose where and what.
#[derive(Debug, Clone)]
struct Change {
    what: u8,
    place: u16,
    name: &'static str,
    number: i32,
}

/// Names that stand for something, and names that never should.
const NAMES: [&str; 24] = [
    "A",
    "B",
    "Inner",
    "id",
    "a",
    "key",
    "value",
    "by_name",
    "byName",
    "ByNameEntry",
    "_",
    "",
    "self",
    "Self",
    "A.B",
    ".p.A",
    ".p.B",
    ".p.Kind",
    ".p.A.ByNameEntry",
    ".google.protobuf.Timestamp",
    ".google.protobuf.Value",
    ".nope.X",
    "Ä",
    "p",
];

fn change() -> impl Strategy<Value = Change> {
    let number = prop_oneof![
        0..12_i32,
        Just(-1),
        Just(i32::MIN),
        Just(i32::MAX),
        Just(19_000),
        any::<i32>()
    ];
    (
        any::<u8>(),
        any::<u16>(),
        proptest::sample::select(NAMES.to_vec()),
        number,
    )
        .prop_map(|(what, place, name, number)| Change {
            what,
            place,
            name,
            number,
        })
}

fn pick<T>(list: &mut [T], place: u16) -> Option<&mut T> {
    let length = list.len();
    (length > 0).then(|| &mut list[usize::from(place) % length])
}

/// Some message of a file, nested ones included.
fn pick_message(file: &mut FileDescriptorProto, place: u16) -> Option<&mut DescriptorProto> {
    let message = pick(&mut file.message_type, place)?;
    if place.is_multiple_of(3) || message.nested_type.is_empty() {
        return Some(message);
    }
    pick(&mut message.nested_type, place / 3)
}

fn pick_field(file: &mut FileDescriptorProto, place: u16) -> Option<&mut FieldDescriptorProto> {
    pick(&mut pick_message(file, place)?.field, place / 5)
}

fn pick_enum(file: &mut FileDescriptorProto, place: u16) -> Option<&mut EnumDescriptorProto> {
    if place.is_multiple_of(2) {
        return pick(&mut file.enum_type, place);
    }
    file.message_type.iter_mut().find_map(|message| {
        message
            .nested_type
            .iter_mut()
            .find_map(|m| m.enum_type.first_mut())
    })
}

fn apply(file: &mut FileDescriptorProto, change: &Change) -> Option<()> {
    let name = (!change.name.is_empty()).then(|| change.name.to_owned());
    let Change { place, number, .. } = *change;
    match change.what % 24 {
        0 => pick_message(file, place)?.name = name,
        1 => pick_field(file, place)?.name = name,
        2 => pick_field(file, place)?.number = Some(number),
        3 => pick_field(file, place)?.number = None,
        4 => pick_field(file, place)?.r#type = Some(number.rem_euclid(20)),
        5 => pick_field(file, place)?.r#type = Some(number),
        6 => pick_field(file, place)?.r#type = None,
        7 => pick_field(file, place)?.type_name = name,
        8 => pick_field(file, place)?.label = Some(number.rem_euclid(5)),
        9 => pick_field(file, place)?.set_label(Label::Repeated),
        10 => pick_field(file, place)?.oneof_index = Some(number),
        11 => pick_field(file, place)?.proto3_optional = Some(number % 2 == 0),
        12 => pick_field(file, place)?.json_name = Some(change.name.to_owned()),
        13 => {
            pick_message(file, place)?.options = Some(MessageOptions {
                map_entry: Some(true),
                ..MessageOptions::default()
            });
        }
        14 => drop(pick_message(file, place)?.field.pop()),
        15 => {
            let message = pick_message(file, place)?;
            let twin = message.field.first()?.clone();
            message.field.push(twin);
        }
        // No other syntax: see `linker_bears`.
        16 => file.syntax = (number % 2 == 0).then(|| "proto2".to_owned()),
        17 => drop(file.dependency.pop()),
        18 => pick(&mut pick_enum(file, place)?.value, place)?.number = Some(number),
        19 => pick(&mut pick_enum(file, place)?.value, place)?.name = name,
        20 => {
            let outer = file.message_type.first()?.clone();
            pick_message(file, place)?.nested_type.push(outer);
        }
        21 => pick(&mut pick_message(file, place)?.oneof_decl, place)?.name = name,
        22 => {
            let location = pick(&mut file.source_code_info.as_mut()?.location, place)?;
            location.span = vec![number; usize::from(place % 6)];
        }
        _ => {
            let field = pick_field(file, place)?;
            field.set_type(Type::Group);
        }
    }
    Some(())
}

fn rule(depth: u32) -> BoxedStrategy<HttpRule> {
    let path = prop_oneof![
        "(/|/[a-z]{1,3}|/\\{(id|b\\.kind|b\\.a\\.id|name|kind|list|by_name|inner\\.x|zz)(=\\*|=\\*\\*|=x/\\*)?\\}|/\\*|/\\*\\*){0,4}(:[a-z]{0,2})?",
        "\\PC{0,8}",
    ];
    let pattern =
        (0..7_u8, path, "(GET|\\*|get|[A-Z ]{0,3})").prop_map(|(kind, path, method)| match kind {
            0 => Some(Pattern::Get(path)),
            1 => Some(Pattern::Put(path)),
            2 => Some(Pattern::Post(path)),
            3 => Some(Pattern::Delete(path)),
            4 => Some(Pattern::Patch(path)),
            5 => Some(Pattern::Custom(CustomPattern { kind: method, path })),
            _ => None,
        });
    let inner = if depth == 0 {
        Just(Vec::new()).boxed()
    } else {
        proptest::collection::vec(rule(depth - 1), 0..3).boxed()
    };
    (pattern, "(|\\*|id|b|b.a|list|zz)", "(|\\*|id|zz)", inner)
        .prop_map(
            |(pattern, body, response_body, additional_bindings)| HttpRule {
                pattern,
                body,
                response_body,
                additional_bindings,
            },
        )
        .boxed()
}

fn services() -> impl Strategy<Value = Vec<AnnotatedService>> {
    let name = || proptest::sample::select(NAMES.to_vec());
    let ty = || {
        proptest::sample::select(vec![
            ".p.A",
            ".p.A",
            ".p.B",
            ".p.A.Inner",
            ".p.Kind",
            ".google.protobuf.Value",
            "A",
            ".p.A.ByNameEntry",
        ])
    };
    let method = (
        name(),
        ty(),
        ty(),
        proptest::option::of(rule(2)),
        any::<u8>(),
    );
    let method = method.prop_map(|(name, input, output, http, streaming)| AnnotatedMethod {
        name: Some(name.to_owned()),
        input_type: Some(input.to_owned()),
        output_type: Some(output.to_owned()),
        options: Some(MethodOptions { http }),
        client_streaming: Some(streaming < 10),
    });
    let service = (name(), proptest::collection::vec(method, 0..3));
    let service = service.prop_map(|(name, method)| AnnotatedService {
        name: Some(name.to_owned()),
        method,
    });
    proptest::collection::vec(service, 0..3)
}

/// Encodes the seed with changes and further services in its last file.
fn encode(changes: &[Change], services: Vec<AnnotatedService>) -> Vec<u8> {
    let mut files = seed().file;
    if let Some(file) = files.last_mut() {
        for change in changes {
            let _ = apply(file, change);
        }
    }
    let mut file: Vec<Vec<u8>> = files.iter().map(Message::encode_to_vec).collect();
    if let Some(last) = file.last_mut() {
        last.extend(MoreServices { service: services }.encode_to_vec());
    }
    EncodedSet { file }.encode_to_vec()
}

/// The bindings of what was lowered are as sound as their templates.
fn check_lowered(api: &Api) {
    for method in api.services.iter().flat_map(|service| &service.methods) {
        for binding in &method.bindings {
            assert!(!binding.method.is_empty());
            assert!(crate::template::parse_template(&binding.template.text).is_ok());
        }
    }
    for message in api.messages.values() {
        let members = message.oneofs.iter().flat_map(|oneof| &oneof.fields);
        assert!(
            members
                .into_iter()
                .all(|index| *index < message.fields.len())
        );
    }
}

#[test]
fn the_seed_lowers() {
    let api = lower_set(&encode(&[], Vec::new())).expect("nothing is wrong with the seed");
    assert_eq!(api.messages.len(), 3);
    check_lowered(&api);
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn changed_descriptors_never_panic(changes in proptest::collection::vec(change(), 0..4), services in services()) {
        match lower_set(&encode(&changes, services)) {
            Ok(api) => check_lowered(&api),
            Err(faults) => prop_assert!(!faults.is_empty() && !faults.to_string().is_empty()),
        }
    }

    #[test]
    fn random_rules_never_panic(services in services()) {
        match lower_set(&encode(&[], services)) {
            Ok(api) => check_lowered(&api),
            Err(faults) => prop_assert!(!faults.is_empty()),
        }
    }

    #[test]
    fn changed_bytes_never_panic(edits in proptest::collection::vec((any::<u32>(), any::<u8>()), 1..6), cut in proptest::option::weighted(0.2, any::<u32>())) {
        let mut bytes = a2a();
        for (place, byte) in edits {
            let place = place as usize % bytes.len();
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut as usize % bytes.len());
        }
        if linker_bears(&bytes) && let Err(faults) = lower_set(&bytes) {
            prop_assert!(!faults.is_empty());
        }
    }
}

/// The descriptor set of A2A with its annotations, named as the others are.
fn a2a() -> Vec<u8> {
    use std::sync::OnceLock;
    static SET: OnceLock<Vec<u8>> = OnceLock::new();
    let compile = || {
        let text = std::fs::read_to_string(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../proto/a2a/v1.0/a2a.proto"
        ))
        .expect("the schema of A2A is part of the repository");
        load_protos(&Sources::new().virtual_file("t.proto", text).file("t.proto"))
            .expect("it loads")
            .descriptor_set
    };
    SET.get_or_init(compile).clone()
}

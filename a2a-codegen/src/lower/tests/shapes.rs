//! What the model says of messages, fields, enums and services.

use super::{file, lower_text};
use crate::model::{Api, Cardinality, Field, Scalar, Type, WellKnown};

fn fields<'a>(api: &'a Api, message: &str) -> Vec<(&'a str, &'a Cardinality, &'a Type)> {
    let fields = api.messages[message].fields.iter();
    fields
        .map(|field| (field.proto_name.as_str(), &field.cardinality, &field.ty))
        .collect()
}

fn field<'a>(api: &'a Api, message: &str, name: &str) -> &'a Field {
    api.messages[message]
        .fields
        .iter()
        .find(|field| field.proto_name == name)
        .expect("the field is there")
}

#[test]
fn scalars_enums_and_messages() {
    let names = [
        "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32",
        "fixed64", "sfixed32", "sfixed64", "bool", "string", "bytes",
    ];
    let scalars = [
        Scalar::Double,
        Scalar::Float,
        Scalar::Int32,
        Scalar::Int64,
        Scalar::Uint32,
        Scalar::Uint64,
        Scalar::Sint32,
        Scalar::Sint64,
        Scalar::Fixed32,
        Scalar::Fixed64,
        Scalar::Sfixed32,
        Scalar::Sfixed64,
        Scalar::Bool,
        Scalar::String,
        Scalar::Bytes,
    ];
    let declared: String = (1..)
        .zip(names)
        .map(|(n, name)| format!("{name} f_{name} = {n};"))
        .collect();
    let api = lower_text(&file(&format!(
        "message M {{ {declared} E e = 100; M m = 101; M.N n = 102; M.I i = 103; enum I {{ Z = 0; }} message N {{}} }} enum E {{ ZERO = 0; }}"
    )));
    let found = fields(&api, "p.M");
    for (scalar, (name, cardinality, ty)) in scalars.into_iter().zip(&found) {
        assert_eq!(
            (*cardinality, *ty),
            (&Cardinality::Implicit, &Type::Scalar(scalar)),
            "{name}"
        );
    }
    let named = |name: &str| name.to_owned();
    assert_eq!(
        found[names.len()..],
        [
            ("e", &Cardinality::Implicit, &Type::Enum(named("p.E"))),
            ("m", &Cardinality::Explicit, &Type::Message(named("p.M"))),
            ("n", &Cardinality::Explicit, &Type::Message(named("p.M.N"))),
            ("i", &Cardinality::Implicit, &Type::Enum(named("p.M.I"))),
        ]
    );
}

#[test]
fn cardinalities() {
    let api = lower_text(&file(
        "message M { optional int32 a = 9; repeated string b = 8; map<bool, M> c = 7; oneof first { int32 d = 6; M e = 5; } \
         optional M f = 4; repeated M g = 3; oneof second { string h = 2; } map<string, E> i = 1; } enum E { Z = 0; }",
    ));
    let (int, text, message) = (
        Type::Scalar(Scalar::Int32),
        Type::Scalar(Scalar::String),
        Type::Message("p.M".to_owned()),
    );
    // In the order of declaration, not of numbers.
    assert_eq!(
        fields(&api, "p.M"),
        [
            ("a", &Cardinality::Explicit, &int),
            ("b", &Cardinality::Repeated, &text),
            ("c", &Cardinality::Map { key: Scalar::Bool }, &message),
            ("d", &Cardinality::Oneof(0), &int),
            ("e", &Cardinality::Oneof(0), &message),
            ("f", &Cardinality::Explicit, &message),
            ("g", &Cardinality::Repeated, &message),
            ("h", &Cardinality::Oneof(1), &text),
            (
                "i",
                &Cardinality::Map {
                    key: Scalar::String
                },
                &Type::Enum("p.E".to_owned())
            ),
        ]
    );
    let oneofs = &api.messages["p.M"].oneofs;
    let outline: Vec<_> = oneofs
        .iter()
        .map(|o| (o.proto_name.as_str(), o.fields.as_slice()))
        .collect();
    assert_eq!(
        outline,
        [("first", [3, 4].as_slice()), ("second", [7].as_slice())]
    );
    assert!(
        !api.messages.contains_key("p.M.CEntry"),
        "entries of maps are no messages"
    );
}

#[test]
fn well_known_types() {
    let known = [
        ("Timestamp", WellKnown::Timestamp),
        ("Duration", WellKnown::Duration),
        ("FieldMask", WellKnown::FieldMask),
        ("Struct", WellKnown::Struct),
        ("Value", WellKnown::Value),
        ("ListValue", WellKnown::ListValue),
        ("Empty", WellKnown::Empty),
        ("Any", WellKnown::Any),
        ("DoubleValue", WellKnown::Wrapper(Scalar::Double)),
        ("FloatValue", WellKnown::Wrapper(Scalar::Float)),
        ("Int64Value", WellKnown::Wrapper(Scalar::Int64)),
        ("UInt64Value", WellKnown::Wrapper(Scalar::Uint64)),
        ("Int32Value", WellKnown::Wrapper(Scalar::Int32)),
        ("UInt32Value", WellKnown::Wrapper(Scalar::Uint32)),
        ("BoolValue", WellKnown::Wrapper(Scalar::Bool)),
        ("StringValue", WellKnown::Wrapper(Scalar::String)),
        ("BytesValue", WellKnown::Wrapper(Scalar::Bytes)),
    ];
    let imports: String = [
        "timestamp",
        "duration",
        "field_mask",
        "struct",
        "empty",
        "any",
        "wrappers",
    ]
    .map(|name| format!("import \"google/protobuf/{name}.proto\";"))
    .concat();
    let declared: String = (1..)
        .zip(known)
        .map(|(n, (name, _))| {
            format!(
                "google.protobuf.{name} f{n} = {n}; repeated google.protobuf.{name} r{n} = {};",
                n + 100
            )
        })
        .collect();
    let api = lower_text(&file(&format!("{imports} message M {{ {declared} }}")));
    for (found, (name, expected)) in fields(&api, "p.M").chunks(2).zip(known) {
        let ty = Type::WellKnown(expected);
        assert_eq!(
            (found[0].1, found[0].2),
            (&Cardinality::Explicit, &ty),
            "{name}"
        );
        assert_eq!(
            (found[1].1, found[1].2),
            (&Cardinality::Repeated, &ty),
            "{name}"
        );
    }
    assert_eq!(
        api.messages.len(),
        1,
        "well-known types are no messages of the schema"
    );
    assert_eq!(api.files, ["t.proto"]);
}

#[test]
fn names_numbers_and_options() {
    let api = lower_text(&file(
        "message M { string context_id = 7 [(google.api.field_behavior) = REQUIRED, deprecated = true]; \
         string odd = 8 [json_name = \"oddball\"]; string seen = 9 [(google.api.field_behavior) = OUTPUT_ONLY, (google.api.field_behavior) = REQUIRED]; \
         message N { string inner = 1 [(google.api.field_behavior) = REQUIRED]; string free = 2; } option deprecated = true; }",
    ));
    let found = field(&api, "p.M", "context_id");
    assert_eq!(
        (
            found.json_name.as_str(),
            found.number,
            found.required,
            found.deprecated
        ),
        ("contextId", 7, true, true)
    );
    assert_eq!(field(&api, "p.M", "odd").json_name, "oddball");
    assert!(!field(&api, "p.M", "odd").required && !field(&api, "p.M", "odd").deprecated);
    assert!(
        field(&api, "p.M", "seen").required,
        "one behavior of several"
    );
    assert!(field(&api, "p.M.N", "inner").required);
    assert!(!field(&api, "p.M.N", "free").required);
    assert!(api.messages["p.M"].deprecated && !api.messages["p.M.N"].deprecated);
}

#[test]
fn recursive_fields_are_boxed_as_prost_build_does_it() {
    let api = lower_text(&file(
        "message M { M own = 1; repeated M list = 2; map<int32, M> map = 3; oneof o { M member = 4; A other = 5; } Leaf leaf = 6; } \
         message A { B b = 1; } message B { repeated M through_list = 1; M back = 2; } message Leaf {}",
    ));
    for (message, name, boxed) in [
        ("p.M", "own", true),
        ("p.M", "list", false),
        ("p.M", "map", false),
        ("p.M", "member", true),
        ("p.M", "other", true),
        ("p.M", "leaf", false),
        ("p.A", "b", true),
        ("p.B", "through_list", false),
        ("p.B", "back", true),
    ] {
        assert_eq!(field(&api, message, name).boxed, boxed, "{message}.{name}");
    }
}

#[test]
fn enums() {
    let api = lower_text(&file(
        "enum Level { option allow_alias = true; LEVEL_LOW = 0; LEVEL_HIGH = -3; LEVEL_TOP = -3;\n/* The middle. */\nLEVEL_MID = 5; } message M { enum In { Z = 0; } }",
    ));
    let values: Vec<_> = api.enums["p.Level"]
        .values
        .iter()
        .map(|value| {
            (
                value.proto_name.as_str(),
                value.rust_name.as_str(),
                value.number,
                value.docs.as_str(),
            )
        })
        .collect();
    assert_eq!(
        values,
        [
            ("LEVEL_LOW", "Low", 0, ""),
            ("LEVEL_HIGH", "High", -3, ""),
            ("LEVEL_TOP", "High", -3, ""),
            ("LEVEL_MID", "Mid", 5, "The middle."),
        ]
    );
    assert_eq!(api.enums["p.M.In"].rust_path, ["m", "In"]);
}

#[test]
fn services_and_methods() {
    let api = lower_text(&file(
        "import \"google/protobuf/empty.proto\"; message M {} // Serves.\nservice A2AThing { rpc GetHTTPThing(M) returns (stream p.M) { option deprecated = true; } // After.\n \
         rpc Nothing(google.protobuf.Empty) returns (google.protobuf.Empty); } service Bare {}",
    ));
    let service = &api.services[0];
    assert_eq!(
        (
            service.proto_name.as_str(),
            service.rust_name.as_str(),
            service.package.as_str()
        ),
        ("p.A2AThing", "A2aThing", "p")
    );
    let method = &service.methods[0];
    assert_eq!(
        (method.proto_name.as_str(), method.rust_name.as_str()),
        ("GetHTTPThing", "get_http_thing")
    );
    assert_eq!(
        (method.request.as_str(), method.response.as_str()),
        ("p.M", "p.M")
    );
    assert!(method.server_streaming && method.deprecated && method.bindings.is_empty());
    let nothing = &service.methods[1];
    assert_eq!(
        (nothing.request.as_str(), nothing.response.as_str()),
        ("google.protobuf.Empty", "google.protobuf.Empty")
    );
    assert!(!nothing.server_streaming && !nothing.deprecated);
    assert_eq!(
        (
            api.services[1].rust_name.as_str(),
            api.services[1].methods.len()
        ),
        ("Bare", 0)
    );
}

#[test]
fn documentation_keeps_its_lines_and_loses_its_margin() {
    let api = lower_text(&file(
        "//  First line,\n//  second line.\n//\n//    - indented\nmessage M {\n  /* A block.\n   * With stars.\n   */\n  string a = 1;\n  string b = 2; // Behind.\n  // Above.\n  string c = 3; // And behind.\n  // The choice.\n  oneof o { int32 d = 4; }\n}\n\n// Stands alone.\n\nmessage N {}",
    ));
    assert_eq!(
        api.messages["p.M"].docs,
        "First line,\nsecond line.\n\n  - indented"
    );
    assert_eq!(field(&api, "p.M", "a").docs, "A block.\nWith stars.");
    assert_eq!(field(&api, "p.M", "b").docs, "Behind.");
    assert_eq!(field(&api, "p.M", "c").docs, "Above.\n\nAnd behind.");
    assert_eq!(api.messages["p.M"].oneofs[0].docs, "The choice.");
    assert_eq!(api.messages["p.N"].docs, "");
}

#[test]
fn origins() {
    let api = lower_text(&file(
        "message M {\n  string a = 1;\n  oneof o { int32 b = 2; }\n  enum E { Z = 0; }\n}\nservice S {\n  rpc R(M) returns (M);\n}",
    ));
    let message = &api.messages["p.M"];
    let service = &api.services[0];
    for (origin, line, column, path) in [
        (&message.origin, 2, 1, "p.M"),
        (&message.fields[0].origin, 3, 3, "p.M.a"),
        (&message.oneofs[0].origin, 4, 3, "p.M.o"),
        (&message.fields[1].origin, 4, 13, "p.M.b"),
        (&api.enums["p.M.E"].origin, 5, 3, "p.M.E"),
        (&service.origin, 7, 1, "p.S"),
        (&service.methods[0].origin, 8, 3, "p.S.R"),
    ] {
        assert_eq!(
            (
                &*origin.file,
                origin.line,
                origin.column,
                &*origin.proto_path
            ),
            ("t.proto", line, column, path)
        );
    }
}

#[test]
fn lowering_twice_gives_the_same() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../proto/a2a/v1.0/a2a.proto"
    ))
    .expect("the schema of A2A is part of the repository");
    let (one, other) = (lower_text(&text), lower_text(&text));
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
    assert_eq!(one.services[0].methods.len(), 11);
    assert_eq!(
        one.services[0]
            .methods
            .iter()
            .map(|method| method.bindings.len())
            .sum::<usize>(),
        22
    );
}

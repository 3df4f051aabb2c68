//! Invariants of generated code, found by walking it.
//!
//! In: protos with everything that could go wrong in names and shapes. Out: the walk finds no
//! import, no path that a name of the schema could bend, no public item without documentation;
//! two runs give the same text.

use a2a_codegen::emit::Paths;
use a2a_codegen::{Builder, Emit};
use syn::visit::{self, Visit};

/// Names of Rust's prelude as messages, names of the generated code's own as methods.
const HOSTILE: &str = include_str!("protos/hostile.proto");
const PROFILE: &str = include_str!("protos/hostile.toml");

fn hostile() -> Builder {
    Builder::new()
        .virtual_file("hostile.proto", HOSTILE)
        .file("hostile.proto")
        .virtual_profile("hostile.toml", PROFILE)
}

fn a2a(part: Emit) -> Builder {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../proto");
    Builder::new()
        .file(format!("{root}/a2a/v1.0/a2a.proto"))
        .include(root)
        .profile(format!("{root}/a2a/v1.0/profile.toml"))
        .emit([part])
}

/// The text without the lines that message types bring; what prost-build writes is its own.
fn services_and_errors(builder: Builder) -> String {
    builder
        .emit([Emit::Services, Emit::Errors])
        .generate()
        .expect("code")
        .text
}

#[derive(Default)]
struct Walk {
    faults: Vec<String>,
}

/// Names that mean the same everywhere.
const PRIMITIVE: [&str; 8] = ["Self", "self", "usize", "bool", "str", "u16", "i32", "u32"];
/// Names that the code itself gives: arguments and the type parameter of the erasing impl.
const LOCAL: [&str; 8] = [
    "channel",
    "context",
    "request",
    "operation",
    "input",
    "service",
    "message",
    "S",
];

impl<'ast> Visit<'ast> for Walk {
    fn visit_item_use(&mut self, _: &'ast syn::ItemUse) {
        self.faults.push("an import".to_owned());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let first = path
            .segments
            .first()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        let rooted = path.leading_colon.is_some()
            || ["crate", "self", "super", "Self"].contains(&first.as_str());
        let single = path.segments.len() == 1
            && (PRIMITIVE.contains(&first.as_str()) || LOCAL.contains(&first.as_str()));
        if !rooted && !single {
            let segments: Vec<String> = path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect();
            self.faults.push(format!(
                "a path that is not rooted: {}",
                segments.join("::")
            ));
        }
        visit::visit_path(self, path);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        // `must_use`, `doc`, `derive` and the like are no paths that a schema could bend; what is
        // derived is.
        if attribute.path().is_ident("derive") {
            let derived = attribute.parse_args_with(
                syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated,
            );
            derived
                .expect("paths")
                .iter()
                .for_each(|path| self.visit_path(path));
        }
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (name, visibility, attributes) = match item {
            syn::Item::Trait(item) => (&item.ident, &item.vis, &item.attrs),
            syn::Item::Struct(item) => (&item.ident, &item.vis, &item.attrs),
            syn::Item::Static(item) => (&item.ident, &item.vis, &item.attrs),
            syn::Item::Mod(item) => (&item.ident, &item.vis, &item.attrs),
            _ => return visit::visit_item(self, item),
        };
        self.documented(&name.to_string(), visibility, attributes);
        if let syn::Item::Trait(item) = item
            && !is_hidden(&item.attrs)
        {
            for each in &item.items {
                let syn::TraitItem::Fn(function) = each else {
                    continue;
                };
                let name = format!("{}::{}", item.ident, function.sig.ident);
                self.documented(&name, &item.vis, &function.attrs);
            }
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.documented(
            &function.sig.ident.to_string(),
            &function.vis,
            &function.attrs,
        );
        visit::visit_impl_item_fn(self, function);
    }
}

impl Walk {
    fn documented(
        &mut self,
        name: &str,
        visibility: &syn::Visibility,
        attributes: &[syn::Attribute],
    ) {
        let public = matches!(visibility, syn::Visibility::Public(_));
        if public
            && !attributes
                .iter()
                .any(|attribute| attribute.path().is_ident("doc"))
        {
            self.faults
                .push(format!("public without documentation: {name}"));
        }
    }
}

fn is_hidden(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("doc")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|ident| ident == "hidden")
    })
}

fn faults(text: &str) -> Vec<String> {
    let mut walk = Walk::default();
    walk.visit_file(&syn::parse_file(text).expect("Rust"));
    walk.faults
}

#[test]
fn code_imports_nothing_and_names_everything_in_full() {
    let own = Paths {
        kit: "crate".to_owned(),
        wire: "::a2a_wire".to_owned(),
        types: "::a2a_wire::v1_0".to_owned(),
        ..Paths::default()
    };
    let texts = [
        services_and_errors(hostile()),
        services_and_errors(hostile().paths(own.clone())),
        services_and_errors(a2a(Emit::Services)),
        services_and_errors(a2a(Emit::Services).paths(own)),
    ];
    for text in texts {
        assert_eq!(faults(&text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_walk_finds_what_it_looks_for() {
    let cases = [
        ("use std::fmt;", "an import"),
        ("mod a { fn f() { use std::fmt; } }", "an import"),
        (
            "fn f() -> Result<u16, crate::E> {}",
            "a path that is not rooted: Result",
        ),
        (
            "fn f() { std::mem::drop(1); }",
            "a path that is not rooted: std::mem::drop",
        ),
        (
            "#[derive(Clone)] struct A;",
            "a path that is not rooted: Clone",
        ),
        ("pub struct A;", "public without documentation: A"),
        (
            "/// A.\npub trait A { fn f(); }",
            "public without documentation: A::f",
        ),
        (
            "impl crate::A { pub fn f() {} }",
            "public without documentation: f",
        ),
    ];
    for (code, fault) in cases {
        assert_eq!(faults(code), [fault], "{code}");
    }
}

#[test]
fn two_runs_write_the_same() {
    for make in [
        hostile,
        || a2a(Emit::Messages),
        || a2a(Emit::Services),
        || a2a(Emit::Errors),
    ] {
        assert_eq!(
            make().generate().expect("code"),
            make().generate().expect("code")
        );
    }
}

#[test]
fn comments_of_the_schema_are_harmless_documentation() {
    let text = services_and_errors(hostile());
    let expected =
        "    /// Calls \\[something\\].\n    /// ```text\n    /// assert!(false);\n    /// ```\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("    /// `Service`.\n"), "{text}");
    assert!(
        text.contains("/// The service `hostile.v1.Empty`.\n"),
        "{text}"
    );
}

#[test]
fn names_that_are_taken_get_an_underscore() {
    let text = services_and_errors(hostile());
    // `BoxGreeter` is a message; `GREETER_SERVICE` belongs to the service that comes first.
    for item in [
        "pub struct BoxGreeter_(",
        "pub static GREETER_SERVICE:",
        "pub static GREETER_SERVICE_:",
        "pub trait GreeterService:",
    ] {
        assert!(text.contains(item), "{item}\n{text}");
    }
}

#[test]
fn what_the_profile_adds_stands_in_the_tables() {
    let text = services_and_errors(hostile());
    for line in [
        "json_rpc_method: ::core::option::Option::Some(\"Call\"),",
        "major: 2,",
        "minor: 7,",
        "errors: &[&self::NO_SUCH_THING],",
        "media_type: \"application/json\",",
        "conflicts: ::a2a_kit::__codegen::Rule::Overwrite,",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let plain = Builder::new()
        .virtual_file("hostile.proto", HOSTILE)
        .file("hostile.proto");
    let text = services_and_errors(plain);
    assert!(
        !text.contains("json_rpc_method: ::core::option::Option::Some"),
        "{text}"
    );
    assert!(
        text.contains("version: ::core::option::Option::None,"),
        "{text}"
    );
}

#[test]
fn a_header_of_the_profile_is_a_constant_in_lower_case() {
    let constant = "pub const GREETER_EXTENSIONS_HEADER: &str = \"x-greeter\";";
    let text = services_and_errors(hostile());
    assert!(!text.contains("EXTENSIONS_HEADER"), "{text}");
    let named = hostile().virtual_profile(
        "hostile.toml",
        format!("extensions_header = \"X-Greeter\"\n{PROFILE}"),
    );
    let text = services_and_errors(named);
    assert!(text.contains(constant), "{text}");
    assert_eq!(faults(&text), Vec::<String>::new(), "{text}");
}

#[test]
fn several_packages_are_a_tree_of_modules() {
    let one = "syntax = \"proto3\"; package acme.books.v1; message Book { string id = 1; }";
    let two = r#"
        syntax = "proto3"; package acme.shop; import "one.proto";
        service Shop { rpc Buy(acme.books.v1.Book) returns (acme.books.v1.Book); }"#;
    let builder = || {
        Builder::new()
            .virtual_file("one.proto", one)
            .virtual_file("two.proto", two)
            .file("two.proto")
            .file("one.proto")
    };
    let file = builder().generate().expect("code");
    assert_eq!(file.path.to_str(), Some("two.rs"));
    for part in [
        "pub mod acme {",
        "pub mod books {",
        "pub mod v1 {",
        "pub mod shop {",
        "request: self::super::books::v1::Book,",
    ] {
        assert!(file.text.contains(part), "{part}\n{}", file.text);
    }
    // A package that is elsewhere leaves one.
    let file = builder()
        .package("acme.books.v1", "::books::v1")
        .file_name("shop.rs")
        .generate()
        .expect("code");
    assert_eq!(file.path.to_str(), Some("shop.rs"));
    assert!(!file.text.contains("pub mod"), "{}", file.text);
    assert!(
        file.text.contains("request: ::books::v1::Book,"),
        "{}",
        file.text
    );
}

//! Invariants of generated message types, found by walking them.

use a2a_codegen::{Builder, Emit};
use syn::visit::{self, Visit};

const HOSTILE: &str = include_str!("protos/hostile.proto");

/// Comments with everything that rustdoc would take for something else.
const COMMENTED: &str = r#"
    syntax = "proto3";
    package commented;
    // See [Nothing], <b>bold</b>, `code [a]` and https://example.com/a?b=[c].
    //
    //     let indented = "code";
    message Message {
      // ```
      // assert!(false);
      string field = 1 [deprecated = true];
      oneof pick {
        // A [member].
        string member = 2;
      }
    }
    // An enum.
    enum Kind {
      // None.
      KIND_NONE = 0;
      KIND_SOME = 1;
    }
"#;

fn messages(name: &str, text: &str) -> String {
    Builder::new()
        .virtual_file(name, text)
        .file(name)
        .emit([Emit::Messages])
        .generate()
        .expect("code")
        .text
}

/// What a reader of the documentation would miss, and what could change the meaning of names.
#[derive(Default)]
struct Walk {
    faults: Vec<String>,
}

impl Walk {
    fn documented(&mut self, what: &str, vis: &syn::Visibility, attributes: &[syn::Attribute]) {
        let is_public = matches!(vis, syn::Visibility::Public(_));
        if is_public
            && !attributes
                .iter()
                .any(|attribute| attribute.path().is_ident("doc"))
        {
            self.faults.push(format!("{what} has no documentation"));
        }
    }
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_item_use(&mut self, _: &'ast syn::ItemUse) {
        self.faults.push("an import".to_owned());
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let name = item.ident.to_string();
        self.documented(&name, &item.vis, &item.attrs);
        for field in &item.fields {
            let field_name = field
                .ident
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            self.documented(&format!("{name}.{field_name}"), &field.vis, &field.attrs);
        }
        if !item
            .attrs
            .iter()
            .any(|attribute| attribute.path().is_ident("non_exhaustive"))
        {
            self.faults.push(format!("{name} is exhaustive"));
        }
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        let name = item.ident.to_string();
        self.documented(&name, &item.vis, &item.attrs);
        for variant in &item.variants {
            self.documented(
                &format!("{name}::{}", variant.ident),
                &item.vis,
                &variant.attrs,
            );
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.documented(&item.ident.to_string(), &item.vis, &item.attrs);
        visit::visit_item_mod(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.documented(&item.sig.ident.to_string(), &item.vis, &item.attrs);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident("allow") {
            let text = quote::quote!(#attribute).to_string();
            if !text.contains("reason") {
                self.faults.push(format!("{text} has no reason"));
            }
        }
    }
}

fn faults(text: &str) -> Vec<String> {
    let mut walk = Walk::default();
    walk.visit_file(&syn::parse_file(text).expect("Rust"));
    walk.faults
}

#[test]
fn everything_public_is_documented_and_nothing_is_imported() {
    for (name, text) in [("hostile.proto", HOSTILE), ("commented.proto", COMMENTED)] {
        assert_eq!(faults(&messages(name, text)), [""; 0], "{name}");
    }
}

#[test]
fn the_walk_finds_what_it_looks_for() {
    for (text, fault) in [
        ("pub mod a { use std::fmt; }", "a has no documentation"),
        ("/// A.\npub mod a { use std::fmt; }", "an import"),
        (
            "/// A.\n#[non_exhaustive] pub struct A { pub a: u8 }",
            "A.a has no documentation",
        ),
        ("/// A.\npub struct A {}", "A is exhaustive"),
        ("/// A.\npub enum A { B }", "A::B has no documentation"),
        ("impl A { pub fn f() {} }", "f has no documentation"),
        (
            "#[allow(dead_code)] fn f() {}",
            "# [allow (dead_code)] has no reason",
        ),
    ] {
        assert!(
            faults(text).contains(&fault.to_owned()),
            "{text}: {:?}",
            faults(text)
        );
    }
}

#[test]
fn comments_become_harmless_documentation() {
    let text = messages("commented.proto", COMMENTED);
    for line in [
        r"/// See \[Nothing\], \<b\>bold\</b\>, `code [a]` and <https://example.com/a?b=>\[c\].",
        "    /// ```text",
        "    /// assert!(false);",
        r"        /// A \[member\].",
        "    /// The value `KIND_SOME`.",
        "    /// The oneof `pick`.",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn two_runs_write_the_same() {
    assert_eq!(
        messages("hostile.proto", HOSTILE),
        messages("hostile.proto", HOSTILE)
    );
}

#[test]
fn the_runtime_has_one_door() {
    let text = messages("hostile.proto", HOSTILE);
    for line in text.lines().filter(|line| line.contains("a2a_")) {
        let code = line.trim_start();
        assert!(
            code.starts_with("//")
                || !code
                    .replace("::a2a_kit::wire::__codegen", "")
                    .contains("a2a_"),
            "{line}"
        );
    }
    // What prost-build would name by itself.
    for path in [" prost::", "::prost_types", "(::prost::"] {
        assert!(!text.contains(path), "{path}");
    }
}

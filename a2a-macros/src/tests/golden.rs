//! The code of the smallest agent, as it is printed, and what follows from doc comments and names.

use std::fs;
use std::path::Path;

use proc_macro2::{Spacing, TokenStream, TokenTree};

/// As long as the code of the smallest agent may be.
const LIMIT: usize = 150;

const AGENT: &str = r#"
    /// Says hello.
    struct Greeter;
"#;

const BLOCK: &str = r#"
    impl Greeter {
        /// Greets by name.
        #[skill(tags("greeting"))]
        async fn greet(&self, name: Text) -> String {
            format!("Hello, {name}!")
        }
    }
"#;

fn print(code: TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(code).unwrap())
}

fn smallest() -> String {
    let arguments = quote::quote!(name = "Greeter");
    let agent = crate::expand::agent(arguments, &AGENT.parse().unwrap());
    let skills = crate::expand::skills(TokenStream::new(), &BLOCK.parse().unwrap());
    format!("{}\n{}", print(agent), print(skills))
}

#[test]
fn the_smallest_agent_is_as_it_was() {
    let code = smallest();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/smallest.rs");
    if std::env::var_os("A2A_BLESS").is_some() {
        fs::write(&path, &code).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap();
    assert!(
        code == golden,
        "golden/smallest.rs is out of date; read the difference and write it again with \
         `A2A_BLESS=1 cargo test -p a2a-macros`\n{code}"
    );
    assert!(
        code.lines().count() <= LIMIT,
        "{} lines",
        code.lines().count()
    );
}

#[test]
fn every_path_begins_at_the_root_or_at_self() {
    let code: TokenStream = smallest().parse().unwrap();
    let found = loose_paths(code);
    assert!(found.is_empty(), "{found:?}");
}

/// Names in front of `::` that are neither at the root nor `Self`.
fn loose_paths(code: TokenStream) -> Vec<String> {
    let trees: Vec<TokenTree> = code.into_iter().collect();
    let begins_colons = |at: usize| {
        let tree = trees.get(at);
        matches!(tree, Some(TokenTree::Punct(sign)) if sign.as_char() == ':' && sign.spacing() == Spacing::Joint)
    };
    let keywords = ["Self", "impl", "as", "static", "use", "clippy"];
    let mut found = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => found.extend(loose_paths(group.stream())),
            TokenTree::Ident(word) if begins_colons(at + 1) => {
                let rooted = at.checked_sub(2).is_some_and(&begins_colons);
                if !rooted && !keywords.contains(&word.to_string().as_str()) {
                    found.push(word.to_string());
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn paragraphs_of_a_doc_comment_are_lines_of_the_description() {
    let item: syn::ItemStruct = syn::parse_quote! {
        /// Checks suppliers against
        ///   public records.
        ///
        /// Slowly.
        #[derive(Debug)]
        #[doc = "And\n\nthoroughly."]
        struct Agent;
    };
    assert_eq!(
        crate::ast::description(&item.attrs).unwrap(),
        "Checks suppliers against public records.\n\nSlowly. And\n\nthoroughly."
    );
    let bare: syn::ItemStruct = syn::parse_quote!(
        #[doc = "  "]
        #[doc(hidden)]
        struct Agent;
    );
    assert_eq!(crate::ast::description(&bare.attrs), None);
}

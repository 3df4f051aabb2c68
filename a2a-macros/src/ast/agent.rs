//! `#[a2a_agent(…)]` and the struct under it.

use proc_macro2::{Span, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, LitStr, Token, Visibility};

use super::{Requirement, Scheme, description, runtime};
use crate::attr::{Entry, Faults, Fields, Flag, Form, Json, Texts, entries, listed_in};
use crate::names::{BINDINGS, CAPABILITIES, VERSIONS};

pub(crate) struct Agent {
    pub(crate) runtime: TokenStream,
    pub(crate) ident: Ident,
    pub(crate) visibility: Visibility,
    /// `name`, `description`, … as the members of the card are called.
    pub(crate) texts: Vec<(&'static str, LitStr)>,
    /// `organization` and `url`.
    pub(crate) provider: Option<Vec<(&'static str, LitStr)>>,
    pub(crate) capabilities: Vec<(&'static str, Flag)>,
    pub(crate) extensions: Vec<Extension>,
    pub(crate) schemes: Vec<Scheme>,
    pub(crate) security: Vec<Requirement>,
    pub(crate) input_modes: Option<Texts>,
    pub(crate) output_modes: Option<Texts>,
    /// Variants of `Binding`.
    pub(crate) bindings: Vec<&'static str>,
    /// Constants of `ProtocolVersion`.
    pub(crate) versions: Vec<&'static str>,
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) tenants: Option<Texts>,
}

pub(crate) struct Extension {
    pub(crate) uri: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) required: Option<Flag>,
    pub(crate) params: Option<Json>,
}

pub(crate) struct Interface {
    pub(crate) binding: Option<&'static str>,
    pub(crate) version: Option<&'static str>,
    pub(crate) url: Option<LitStr>,
    pub(crate) tenant: Option<LitStr>,
}

/// What of a struct counts here.
pub(crate) struct Struct {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) ident: Ident,
    pub(crate) generics: syn::Generics,
}

const ONCE: [&str; 13] = [
    "name",
    "description",
    "version",
    "documentation_url",
    "icon_url",
    "provider",
    "capabilities",
    "input_modes",
    "output_modes",
    "bindings",
    "versions",
    "tenants",
    "crate",
];
const OFTEN: [&str; 4] = ["extension", "scheme", "security", "interface"];

impl Struct {
    /// Fails on what is no struct.
    pub(crate) fn read(item: TokenStream) -> syn::Result<Self> {
        let read = |input: ParseStream<'_>| {
            let attributes = input.call(Attribute::parse_outer)?;
            let visibility = input.parse()?;
            if !input.peek(Token![struct]) {
                return Err(input.error(
                    "#[a2a_agent] stands on a struct: its fields are what the skills work with",
                ));
            }
            input.parse::<Token![struct]>()?;
            let read = Self {
                attributes,
                visibility,
                ident: input.parse()?,
                generics: input.parse()?,
            };
            // Fields are nobody's business here.
            input.parse::<TokenStream>()?;
            Ok(read)
        };
        read.parse2(item)
    }
}

impl Agent {
    pub(crate) fn read(arguments: TokenStream, item: Struct, faults: &mut Faults) -> Self {
        let mut fields = Fields::read(
            "#[a2a_agent]",
            Span::call_site(),
            arguments,
            &ONCE,
            &OFTEN,
            faults,
        );
        let mut texts = Vec::new();
        texts.extend(
            fields
                .needed_text("name", faults)
                .map(|text| ("name", text)),
        );
        let documented = || {
            let text = description(&item.attributes)?;
            Some(LitStr::new(&text, Span::call_site()))
        };
        let said = fields.has("description");
        match fields.text("description", faults).or_else(documented) {
            Some(text) => texts.push(("description", text)),
            None if said => {}
            None => faults.on(
                &item.ident,
                "an agent needs a description: write a doc comment (`/// …`) above the struct, or description = \"…\" in #[a2a_agent]",
            ),
        }
        for key in ["version", "documentation_url", "icon_url"] {
            texts.extend(fields.text(key, faults).map(|text| (key, text)));
        }
        Self {
            runtime: runtime(&mut fields, faults),
            provider: read_provider(&mut fields, faults),
            capabilities: read_capabilities(&mut fields, faults),
            extensions: each(&mut fields, "extension", faults, Extension::read),
            schemes: each(&mut fields, "scheme", faults, Scheme::read),
            security: Requirement::read_all(&mut fields, faults),
            input_modes: fields.texts("input_modes", faults),
            output_modes: fields.texts("output_modes", faults),
            bindings: read_bindings(&mut fields, faults),
            versions: read_versions(&mut fields, faults),
            interfaces: each(&mut fields, "interface", faults, Interface::read),
            tenants: fields.texts("tenants", faults),
            texts,
            ident: item.ident,
            visibility: item.visibility,
        }
    }

    pub(crate) fn has(&self, capability: &str) -> bool {
        let said = self.capabilities.iter();
        said.filter(|(name, _)| *name == capability)
            .any(|(_, flag)| flag.value)
    }
}

fn each<T>(
    fields: &mut Fields,
    key: &str,
    faults: &mut Faults,
    read: impl Fn(Entry, &mut Faults) -> Option<T>,
) -> Vec<T> {
    let said = fields.all(key).into_iter();
    said.filter_map(|entry| read(entry, faults)).collect()
}

fn read_provider(fields: &mut Fields, faults: &mut Faults) -> Option<Vec<(&'static str, LitStr)>> {
    let keys = ["organization", "url"];
    let mut provider = fields.fields("provider", &keys, &[], faults)?;
    let mut texts = Vec::new();
    for key in keys {
        let text = provider.needed_text(key, faults);
        texts.extend(text.map(|text| (key, text)));
    }
    Some(texts)
}

fn read_capabilities(fields: &mut Fields, faults: &mut Faults) -> Vec<(&'static str, Flag)> {
    let Some(mut said) = fields.fields("capabilities", &CAPABILITIES, &[], faults) else {
        return Vec::new();
    };
    let flags = CAPABILITIES.into_iter();
    flags
        .filter_map(|name| Some((name, said.flag(name, faults)?)))
        .collect()
}

fn read_bindings(fields: &mut Fields, faults: &mut Faults) -> Vec<&'static str> {
    let Some(entry) = fields.one("bindings") else {
        return Vec::new();
    };
    let Some((span, list)) =
        listed_in(entry, faults, || "bindings(jsonrpc, rest, grpc)".to_owned())
    else {
        return Vec::new();
    };
    if list.is_empty() {
        faults.at(span, "an agent without bindings cannot be called: name one, or leave `bindings` out for all of them");
    }
    let mut bindings = Vec::new();
    for entry in entries(list, faults) {
        let Some(binding) = binding_of(&entry, faults) else {
            continue;
        };
        if bindings.contains(&binding) {
            let word = entry.head.text();
            faults.at(entry.head.span(), format!("`{word}` is said twice"));
        } else {
            bindings.push(binding);
        }
    }
    bindings
}

fn binding_of(entry: &Entry, faults: &mut Faults) -> Option<&'static str> {
    if let Form::Value(_) | Form::List(_) = entry.form {
        faults.at(
            entry.head.span(),
            "a binding stands alone: bindings(jsonrpc, rest, grpc)",
        );
        return None;
    }
    let words = BINDINGS.map(|(word, _)| word);
    let word = entry.head.one_of("binding", &words, faults)?;
    variant_of(word, &BINDINGS)
}

fn variant_of(word: &str, known: &[(&str, &'static str)]) -> Option<&'static str> {
    let found = known.iter().find(|(known, _)| *known == word);
    found.map(|(_, variant)| *variant)
}

fn read_versions(fields: &mut Fields, faults: &mut Faults) -> Vec<&'static str> {
    let Some(said) = fields.texts("versions", faults) else {
        return Vec::new();
    };
    let versions = said.texts.iter();
    let versions: Vec<&str> = versions
        .filter_map(|text| version_of(text, faults))
        .collect();
    if said.texts.is_empty() {
        faults.at(said.span, "an agent without versions cannot be called: name one, or leave `versions` out for all of them");
    }
    versions
}

fn version_of(text: &LitStr, faults: &mut Faults) -> Option<&'static str> {
    let value = text.value();
    let found = variant_of(&value, &VERSIONS);
    if found.is_none() {
        let known = VERSIONS.map(|(version, _)| format!("{version:?}"));
        faults.on(
            text,
            format!(
                "unknown version of A2A {value:?}: there are {}",
                known.join(" and ")
            ),
        );
    }
    found
}

impl Extension {
    fn read(entry: Entry, faults: &mut Faults) -> Option<Self> {
        let (span, list) = listed_in(entry, faults, || "extension(uri = \"…\")".to_owned())?;
        let keys = ["uri", "description", "required", "params"];
        let mut fields = Fields::read("extension(…)", span, list, &keys, &[], faults);
        Some(Self {
            uri: fields.needed_text("uri", faults),
            description: fields.text("description", faults),
            required: fields.flag("required", faults),
            params: fields
                .one("params")
                .and_then(|entry| read_params(entry, faults)),
        })
    }
}

fn read_params(entry: Entry, faults: &mut Faults) -> Option<Json> {
    const PARAMS: &str = "`params` takes a JSON object: params = { \"key\": \"value\" }";
    let Form::Value(value) = entry.form else {
        faults.at(entry.head.span(), PARAMS);
        return None;
    };
    match Json::read(value.clone(), faults)? {
        object @ Json::Object(_) => Some(object),
        _ => {
            faults.on(value, PARAMS);
            None
        }
    }
}

impl Interface {
    fn read(entry: Entry, faults: &mut Faults) -> Option<Self> {
        const INTERFACE: &str =
            "interface(binding = jsonrpc, version = \"1.0\", url = \"https://…\")";
        let (span, list) = listed_in(entry, faults, || INTERFACE.to_owned())?;
        let keys = ["binding", "version", "url", "tenant"];
        let mut fields = Fields::read("interface(…)", span, list, &keys, &[], faults);
        let binding = match fields.one("binding") {
            Some(entry) => read_binding(entry, faults),
            None => {
                faults.at(span, format!("interface(…) needs a `binding`: {INTERFACE}"));
                None
            }
        };
        Some(Self {
            binding,
            version: fields
                .needed_text("version", faults)
                .and_then(|text| version_of(&text, faults)),
            url: fields.needed_text("url", faults),
            tenant: fields.text("tenant", faults),
        })
    }
}

/// `binding = jsonrpc`
fn read_binding(entry: Entry, faults: &mut Faults) -> Option<&'static str> {
    let span = entry.head.span();
    let mut words = match entry.form {
        Form::Value(value) => entries(value, faults).into_iter(),
        Form::Bare | Form::List(_) => {
            faults.at(span, "`binding` takes a word: binding = jsonrpc");
            return None;
        }
    };
    words.next().and_then(|word| binding_of(&word, faults))
}

//! Security schemes and requirements.

use proc_macro2::TokenStream;
use syn::LitStr;
use syn::parse::{ParseStream, Parser};

use crate::attr::{Entry, Faults, Fields, Flag, Form, Head, entries, listed_in, split, texts_of};
use crate::names::{AUTHORIZATION_CODE, FLOWS, KEY_PLACES, OAUTH2, SCHEMES, Text, Variant};

/// `scheme(key, api_key(…))`.
pub(crate) struct Scheme {
    pub(crate) name: Head,
    /// `None` after a fault.
    pub(crate) kind: Option<SchemeKind>,
}

pub(crate) struct SchemeKind {
    pub(crate) variant: &'static Variant,
    pub(crate) texts: Vec<(&'static str, LitStr)>,
    /// For OAuth 2.0.
    pub(crate) flow: Option<Flow>,
}

pub(crate) struct Flow {
    pub(crate) variant: &'static Variant,
    pub(crate) texts: Vec<(&'static str, LitStr)>,
    pub(crate) scopes: Vec<(LitStr, LitStr)>,
    pub(crate) pkce_required: Option<Flag>,
}

/// `security(key, token("read"))`: what must be presented together.
pub(crate) struct Requirement {
    pub(crate) schemes: Vec<(Head, Vec<LitStr>)>,
}

const SCHEME: &str =
    "scheme(name, kind(…)), such as scheme(key, api_key(in = \"header\", name = \"X-API-Key\"))";

impl Scheme {
    pub(crate) fn read(entry: Entry, faults: &mut Faults) -> Option<Self> {
        let (span, list) = listed_in(entry, faults, || SCHEME.to_owned())?;
        let mut parts = entries(list, faults).into_iter();
        let Some(name) = parts.next() else {
            faults.at(span, format!("the name of the scheme is missing: {SCHEME}"));
            return None;
        };
        if let Form::Value(_) | Form::List(_) = name.form {
            faults.at(
                name.head.span(),
                format!("the name of a scheme comes first, alone: {SCHEME}"),
            );
            return None;
        }
        if name.head.text().trim().is_empty() {
            faults.at(name.head.span(), "the name of the scheme is empty");
            return None;
        }
        let name = name.head;
        let kind = match parts.next() {
            Some(kind) => read_kind(kind, faults),
            None => {
                let words: Vec<&str> = SCHEMES.iter().map(|kind| kind.word).collect();
                faults.at(
                    name.span(),
                    format!(
                        "what `{}` is is missing: one of {} comes behind the name",
                        name.text(),
                        words.join(", "),
                    ),
                );
                None
            }
        };
        if let Some(more) = parts.next() {
            faults.at(
                more.head.span(),
                format!(
                    "a scheme is of one kind; its settings stand in the kind's own list: {SCHEME}"
                ),
            );
        }
        Some(Self { name, kind })
    }
}

fn read_kind(entry: Entry, faults: &mut Faults) -> Option<SchemeKind> {
    let variant = variant_of(&entry.head, "kind of scheme", &SCHEMES, faults)?;
    // `mtls` has no settings that are needed.
    let bare = matches!(entry.form, Form::Bare) && variant.texts.iter().all(|text| !text.needed);
    let (span, list) = if bare && variant.word != OAUTH2 {
        (entry.head.span(), TokenStream::new())
    } else {
        listed_in(entry, faults, || format!("{}(…)", variant.word))?
    };
    let flows: Vec<&str> = match variant.word {
        OAUTH2 => FLOWS.iter().map(|flow| flow.word).collect(),
        _ => Vec::new(),
    };
    let keys: Vec<&str> = variant.texts.iter().map(|text| text.key).collect();
    let keys: Vec<&'static str> = keys.into_iter().chain(flows.iter().copied()).collect();
    let owner = format!("{}(…)", variant.word);
    let mut fields = Fields::read(owner, span, list, &keys, &[], faults);
    let texts = read_texts(variant.texts, &mut fields, faults);
    if let Some((_, place)) = texts.iter().find(|(member, _)| *member == "location") {
        Head::Text(place.clone()).one_of("place of a key", &KEY_PLACES, faults);
    }
    let flow = read_flow(&flows, &mut fields, faults);
    Some(SchemeKind {
        variant,
        texts,
        flow,
    })
}

fn read_flow(flows: &[&'static str], fields: &mut Fields, faults: &mut Faults) -> Option<Flow> {
    let mut said: Vec<Entry> = flows.iter().filter_map(|flow| fields.one(flow)).collect();
    if said.is_empty() {
        if !flows.is_empty() {
            faults.at(
                fields.span(),
                format!("oauth2(…) needs a flow: one of {}", flows.join(", ")),
            );
        }
        return None;
    }
    let entry = said.remove(0);
    for more in said {
        faults.at(
            more.head.span(),
            "a scheme of OAuth 2.0 has one flow: write a second scheme(…) for this one",
        );
    }
    let variant = variant_of(&entry.head, "flow", &FLOWS, faults)?;
    let (span, list) = listed_in(entry, faults, || format!("{}(…)", variant.word))?;
    let mut keys: Vec<&str> = variant.texts.iter().map(|text| text.key).collect();
    keys.push("scopes");
    if variant.word == AUTHORIZATION_CODE {
        keys.push("pkce_required");
    }
    let owner = format!("{}(…)", variant.word);
    let mut fields = Fields::read(owner, span, list, &keys, &[], faults);
    Some(Flow {
        variant,
        texts: read_texts(variant.texts, &mut fields, faults),
        scopes: read_scopes(&mut fields, faults),
        pkce_required: fields.flag("pkce_required", faults),
    })
}

/// `scopes("read" = "Reads", …)`. A flow without scopes says so: `scopes()`.
fn read_scopes(fields: &mut Fields, faults: &mut Faults) -> Vec<(LitStr, LitStr)> {
    const SCOPES: &str = "scopes(\"read\" = \"what it allows\")";
    let Some(entry) = fields.one("scopes") else {
        let owner = fields.owner().to_owned();
        faults.at(
            fields.span(),
            format!("{owner} needs its scopes: add {SCOPES}, or scopes() if there are none"),
        );
        return Vec::new();
    };
    let Some((_, list)) = listed_in(entry, faults, || SCOPES.to_owned()) else {
        return Vec::new();
    };
    let mut scopes: Vec<(LitStr, LitStr)> = Vec::new();
    for piece in split(list, faults) {
        let scope = |input: ParseStream<'_>| -> syn::Result<(LitStr, LitStr)> {
            let scope = input.parse()?;
            input.parse::<syn::Token![=]>()?;
            Ok((scope, input.parse()?))
        };
        match scope.parse2(piece.clone()) {
            Ok((scope, _))
                if scopes
                    .iter()
                    .any(|(other, _)| other.value() == scope.value()) =>
            {
                let value = scope.value();
                faults.on(scope, format!("the scope {value:?} is said twice"));
            }
            Ok(scope) => scopes.push(scope),
            Err(_) => faults.on(
                piece,
                format!("a scope comes with its explanation: {SCOPES}"),
            ),
        }
    }
    scopes
}

fn read_texts(
    texts: &'static [Text],
    fields: &mut Fields,
    faults: &mut Faults,
) -> Vec<(&'static str, LitStr)> {
    let read = texts.iter().filter_map(|text| {
        let value = if text.needed {
            fields.needed_text(text.key, faults)
        } else {
            fields.text(text.key, faults)
        };
        Some((text.member, value?))
    });
    read.collect()
}

fn variant_of(
    head: &Head,
    what: &str,
    variants: &'static [Variant],
    faults: &mut Faults,
) -> Option<&'static Variant> {
    let words: Vec<&str> = variants.iter().map(|variant| variant.word).collect();
    let word = head.one_of(what, &words, faults)?;
    variants.iter().find(|variant| variant.word == word)
}

impl Requirement {
    /// All `security(…)` of a list.
    pub(crate) fn read_all(fields: &mut Fields, faults: &mut Faults) -> Vec<Self> {
        let said = fields.all("security").into_iter();
        said.filter_map(|entry| Self::read(entry, faults)).collect()
    }

    fn read(entry: Entry, faults: &mut Faults) -> Option<Self> {
        const SECURITY: &str = "security(key), or with scopes security(token(\"read\"))";
        let (_, list) = listed_in(entry, faults, || SECURITY.to_owned())?;
        let mut schemes: Vec<(Head, Vec<LitStr>)> = Vec::new();
        for entry in entries(list, faults) {
            let name = entry.head.text();
            if schemes.iter().any(|(other, _)| other.text() == name) {
                faults.at(
                    entry.head.span(),
                    format!("`{name}` is said twice in one security(…): scopes of one scheme stand together, another security(…) is an alternative"),
                );
                continue;
            }
            let scopes = match entry.form {
                Form::Bare => Vec::new(),
                Form::List(list) => texts_of(&name, list, faults),
                Form::Value(value) => {
                    faults.on(value, format!("scopes stand in a list: {name}(\"read\")"));
                    continue;
                }
            };
            schemes.push((entry.head, scopes));
        }
        Some(Self { schemes })
    }
}

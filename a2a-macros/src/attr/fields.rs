//! Entries by their keys.
//!
//! Comes in: entries, and which keys there are. Goes out: values of the type that is asked for. What
//! is unknown, said twice, of another type or missing becomes a fault that says what to write.

use proc_macro2::{Span, TokenStream};
use syn::LitStr;
use syn::parse::{ParseStream, Parser};

use super::{Entry, Faults, Form, Head, entries, nearest, split};

/// The entries of one list.
pub(crate) struct Fields {
    /// As messages call it: `#[skill]`, `provider(…)`.
    owner: String,
    /// What is pointed at when something is missing.
    span: Span,
    read: Vec<(&'static str, Entry)>,
}

/// A word that is there or not: `streaming`, or `streaming = true`.
#[derive(Clone, Copy)]
pub(crate) struct Flag {
    pub(crate) span: Span,
    pub(crate) value: bool,
}

/// `tags("a", "b")`.
pub(crate) struct Texts {
    pub(crate) span: Span,
    pub(crate) texts: Vec<LitStr>,
}

impl Fields {
    /// Reads a list in which the keys `once` may stand once, and `often` any number of times. An
    /// unknown key is read as what it probably was to be, so that nothing more is found missing.
    pub(crate) fn read(
        owner: impl Into<String>,
        span: Span,
        tokens: TokenStream,
        once: &[&'static str],
        often: &[&'static str],
        faults: &mut Faults,
    ) -> Self {
        let owner = owner.into();
        let known: Vec<&'static str> = once.iter().chain(often).copied().collect();
        let mut read: Vec<(&'static str, Entry)> = Vec::new();
        for entry in entries(tokens, faults) {
            let word = entry.head.text();
            let (key, meant) = match known.iter().find(|known| **known == word) {
                Some(key) => (Some(*key), None),
                None => {
                    let meant = nearest(&word, &known);
                    (meant, Some(meant))
                }
            };
            if let Some(meant) = meant {
                let help = match meant {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("it takes {}", listed(&known)),
                };
                faults.at(
                    entry.head.span(),
                    format!("unknown key `{word}` in {owner}: {help}"),
                );
            }
            let Some(key) = key else { continue };
            if once.contains(&key) && read.iter().any(|(other, _)| *other == key) {
                // What was only taken for the key is a fault already.
                if meant.is_none() {
                    faults.at(
                        entry.head.span(),
                        format!("`{key}` is said twice: it stands once in {owner}"),
                    );
                }
                continue;
            }
            read.push((key, entry));
        }
        Self { owner, span, read }
    }

    /// What messages call the list.
    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }

    /// What is pointed at when something is missing.
    pub(crate) fn span(&self) -> Span {
        self.span
    }

    pub(crate) fn all(&mut self, key: &str) -> Vec<Entry> {
        let (found, rest) = std::mem::take(&mut self.read)
            .into_iter()
            .partition(|(other, _)| *other == key);
        self.read = rest;
        let found: Vec<(&str, Entry)> = found;
        found.into_iter().map(|(_, entry)| entry).collect()
    }

    pub(crate) fn one(&mut self, key: &str) -> Option<Entry> {
        self.all(key).into_iter().next()
    }

    /// `key = "…"`; an empty text is a fault.
    pub(crate) fn text(&mut self, key: &str, faults: &mut Faults) -> Option<LitStr> {
        let entry = self.one(key)?;
        let value = match entry.form {
            Form::Value(value) => value,
            Form::Bare | Form::List(_) => {
                faults.at(
                    entry.head.span(),
                    format!("`{key}` takes a text: {key} = \"…\""),
                );
                return None;
            }
        };
        let Ok(text) = syn::parse2::<LitStr>(value.clone()) else {
            faults.on(
                value,
                format!("`{key}` takes a text in quotes: {key} = \"…\""),
            );
            return None;
        };
        if text.value().trim().is_empty() {
            faults.on(text, format!("`{key}` is empty: write a text"));
            return None;
        }
        Some(text)
    }

    /// The same, and it must be there.
    pub(crate) fn needed_text(&mut self, key: &str, faults: &mut Faults) -> Option<LitStr> {
        if !self.has(key) {
            faults.at(
                self.span,
                format!("{} needs a `{key}`: add {key} = \"…\"", self.owner),
            );
        }
        self.text(key, faults)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.read.iter().any(|(other, _)| *other == key)
    }

    pub(crate) fn flag(&mut self, key: &str, faults: &mut Faults) -> Option<Flag> {
        let entry = self.one(key)?;
        let span = entry.head.span();
        let value = match entry.form {
            Form::Bare => true,
            Form::Value(value) => match syn::parse2::<syn::LitBool>(value.clone()) {
                Ok(value) => value.value,
                Err(_) => {
                    faults.on(
                        value,
                        format!("`{key}` takes no value: write `{key}` alone, or true or false"),
                    );
                    return None;
                }
            },
            Form::List(_) => {
                faults.at(span, format!("`{key}` takes no list: write `{key}` alone"));
                return None;
            }
        };
        Some(Flag { span, value })
    }

    /// `key("…", "…")`.
    pub(crate) fn texts(&mut self, key: &str, faults: &mut Faults) -> Option<Texts> {
        let entry = self.one(key)?;
        let (span, list) = listed_in(entry, faults, || format!("{key}(\"…\", \"…\")"))?;
        let texts = texts_of(key, list, faults);
        Some(Texts { span, texts })
    }

    /// `key(…)`, read with the keys that such a list has.
    pub(crate) fn fields(
        &mut self,
        key: &'static str,
        once: &[&'static str],
        often: &[&'static str],
        faults: &mut Faults,
    ) -> Option<Self> {
        let entry = self.one(key)?;
        let (span, list) = listed_in(entry, faults, || format!("{key}(…)"))?;
        Some(Self::read(
            format!("{key}(…)"),
            span,
            list,
            once,
            often,
            faults,
        ))
    }
}

/// What stands in the parentheses of an entry that must have some.
pub(crate) fn listed_in(
    entry: Entry,
    faults: &mut Faults,
    example: impl Fn() -> String,
) -> Option<(Span, TokenStream)> {
    let span = entry.head.span();
    match entry.form {
        Form::List(list) => Some((span, list)),
        Form::Bare | Form::Value(_) => {
            let word = entry.head.text();
            faults.at(span, format!("`{word}` takes a list: {}", example()));
            None
        }
    }
}

/// Texts between commas; none of them is empty, none is there twice.
pub(crate) fn texts_of(key: &str, list: TokenStream, faults: &mut Faults) -> Vec<LitStr> {
    let mut texts: Vec<LitStr> = Vec::new();
    for piece in split(list, faults) {
        let text = |input: ParseStream<'_>| -> syn::Result<LitStr> {
            let text = input
                .parse()
                .map_err(|error| syn::Error::new(error.span(), expected(key)))?;
            if input.is_empty() {
                Ok(text)
            } else {
                Err(input.error("expected a comma before this"))
            }
        };
        match text.parse2(piece) {
            Ok(text) if text.value().trim().is_empty() => {
                faults.on(text, format!("a text in `{key}` is empty: take it out"));
            }
            Ok(text) if texts.iter().any(|other| other.value() == text.value()) => {
                let value = text.value();
                faults.on(text, format!("{value:?} is in `{key}` twice: take one out"));
            }
            Ok(text) => texts.push(text),
            Err(error) => faults.add(error),
        }
    }
    texts
}

fn expected(key: &str) -> String {
    format!("`{key}` takes texts in quotes: {key}(\"…\", \"…\")")
}

/// `a`, `b` and `c`.
pub(crate) fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl Head {
    /// One of `known`; anything else is a fault, and read as what it probably was to be.
    pub(crate) fn one_of<'a>(
        &self,
        what: &str,
        known: &[&'a str],
        faults: &mut Faults,
    ) -> Option<&'a str> {
        let word = self.text();
        if let Some(found) = known.iter().find(|known| **known == word) {
            return Some(found);
        }
        let meant = nearest(&word, known);
        let help = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", listed(known)),
        };
        faults.at(self.span(), format!("unknown {what} `{word}`: {help}"));
        meant
    }
}

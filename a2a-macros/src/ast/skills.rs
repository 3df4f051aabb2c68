//! `#[a2a_skills]`, the block under it, and the skills in it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Ident, LitStr, Token, Type, braced};

use super::method::Mark;
use super::signature::{Parameter, check_signature, output, parameters};
use super::{Member, Method, Requirement, description, runtime};
use crate::attr::{Faults, Fields, Flag, Head, Texts};

pub(crate) struct Block {
    pub(crate) runtime: TokenStream,
    pub(crate) agent: Type,
    pub(crate) skills: Vec<Skill>,
}

pub(crate) struct Skill {
    /// `#[cfg(…)]`s under which it is there.
    pub(crate) conditions: Vec<TokenStream>,
    pub(crate) method: Ident,
    pub(crate) id: LitStr,
    pub(crate) name: LitStr,
    pub(crate) description: LitStr,
    pub(crate) tags: Texts,
    pub(crate) examples: Option<Texts>,
    pub(crate) input_modes: Option<Texts>,
    pub(crate) output_modes: Option<Texts>,
    pub(crate) security: Vec<Requirement>,
    pub(crate) default: Option<Flag>,
    pub(crate) extended: Option<Flag>,
    /// It answers with a message, without a task.
    pub(crate) answers: bool,
    pub(crate) on_restart: Option<OnRestart>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) output: Type,
}

/// What becomes of a parked task when the agent is started again: a variant of `OnRestart`.
pub(crate) struct OnRestart {
    pub(crate) span: Span,
    pub(crate) variant: &'static str,
}

const ONCE: [&str; 11] = [
    "id",
    "name",
    "description",
    "tags",
    "examples",
    "input_modes",
    "output_modes",
    "default",
    "extended",
    "reply",
    "on_restart",
];
const OFTEN: [&str; 1] = ["security"];

/// An `impl` block as it was written.
pub(crate) struct Impl {
    attributes: Vec<Attribute>,
    before: TokenStream,
    generics: syn::Generics,
    of_trait: Option<TokenStream>,
    agent: Type,
    inner: Vec<Attribute>,
    members: Vec<Member>,
}

impl Parse for Impl {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let unsafety: Option<Token![unsafe]> = input.parse()?;
        if !input.peek(Token![impl]) {
            return Err(input.error(
                "#[a2a_skills] stands on an `impl` block: the one whose methods are the skills of the agent",
            ));
        }
        let word: Token![impl] = input.parse()?;
        let mut generics = match input.peek(Token![<]) {
            true => input.parse()?,
            false => syn::Generics::default(),
        };
        let mut agent: Type = input.parse()?;
        let mut of_trait = None;
        if input.peek(Token![for]) {
            let word: Token![for] = input.parse()?;
            of_trait = Some(quote!(#agent #word));
            agent = input.parse()?;
        }
        generics.where_clause = input.parse()?;
        let body;
        braced!(body in input);
        let inner = body.call(Attribute::parse_inner)?;
        let mut members = Vec::new();
        while !body.is_empty() {
            members.push(body.parse()?);
        }
        Ok(Self {
            attributes,
            before: quote!(#unsafety #word),
            generics,
            of_trait,
            agent,
            inner,
            members,
        })
    }
}

impl ToTokens for Impl {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            attributes,
            before,
            generics,
            of_trait,
            agent,
            inner,
            members,
        } = self;
        let bounds = &generics.where_clause;
        tokens.extend(quote! {
            #(#attributes)* #before #generics #of_trait #agent #bounds { #(#inner)* #(#members)* }
        });
    }
}

impl Impl {
    pub(crate) fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Whose block it is.
    pub(crate) fn agent(&self) -> &Type {
        &self.agent
    }

    /// Gives methods whose names are taken other ones, so that rustc does not find them taken, too.
    pub(crate) fn without_taken_names(mut self) -> Self {
        for member in &mut self.members {
            if let Member::Function(method) = member {
                let ident = &mut method.signature.ident;
                if TAKEN.iter().any(|name| ident == name) {
                    *ident = quote::format_ident!("{ident}_with_another_name");
                }
            }
        }
        self
    }

    pub(crate) fn is_of_trait(&self) -> bool {
        self.of_trait.is_some()
    }

    pub(crate) fn is_generic(&self) -> bool {
        !self.generics.params.is_empty()
    }
}

impl Block {
    pub(crate) fn read(arguments: TokenStream, item: &Impl, faults: &mut Faults) -> Self {
        let mut fields = Fields::read(
            "#[a2a_skills]",
            Span::call_site(),
            arguments,
            &["crate"],
            &[],
            faults,
        );
        if let Some(of_trait) = &item.of_trait {
            faults.on(
                of_trait,
                "skills are methods of the agent itself: write `impl Agent { … }`, without a trait",
            );
        }
        if !item.generics.params.is_empty() {
            faults.on(
                &item.generics,
                "an agent has no generic parameters: its card has to be known without them",
            );
        }
        let methods = item.members.iter().filter_map(|member| match member {
            Member::Function(method) => Some(method),
            Member::Other(_) => None,
        });
        let mut skills = Vec::new();
        for method in methods {
            taken_name(method, faults);
            for mark in &method.marks {
                skills.extend(Skill::read(mark, method, faults));
            }
        }
        let marked = item
            .members
            .iter()
            .any(|member| matches!(member, Member::Function(method) if !method.marks.is_empty()));
        if !marked {
            faults.on(
                &item.agent,
                "an agent without skills: write #[skill(tags(\"…\"))] on a method of this block",
            );
        }
        Self {
            runtime: runtime(&mut fields, faults),
            agent: item.agent.clone(),
            skills,
        }
    }
}

/// Functions that `#[a2a_agent]` writes.
const TAKEN: [&str; 2] = ["card", "into_agent"];

fn taken_name(method: &Method, faults: &mut Faults) {
    let name = method.signature.ident.unraw().to_string();
    if !TAKEN.contains(&name.as_str()) {
        return;
    }
    let help = match method.marks.is_empty() {
        true => String::new(),
        false => format!(", and keep the id: #[skill(id = {name:?})]"),
    };
    faults.on(
        &method.signature.ident,
        format!("every agent has a function `{name}` from #[a2a_agent]: give this one another name{help}"),
    );
}

impl Skill {
    /// `None` when what every skill has is missing.
    fn read(mark: &Mark, method: &Method, faults: &mut Faults) -> Option<Self> {
        let signature = &method.signature;
        check_signature(signature, faults);
        let arguments = match &mark.arguments {
            Ok(arguments) => arguments.clone(),
            Err(error) => {
                faults.add(error.clone());
                return None;
            }
        };
        let mut fields = Fields::read("#[skill]", mark.span, arguments, &ONCE, &OFTEN, faults);
        let ident = &signature.ident;
        let said_id = fields.has("id");
        let id = match fields.text("id", faults) {
            Some(id) => Some(id),
            None if said_id => None,
            None => Some(LitStr::new(&default_id(ident), ident.span())),
        };
        let said_name = fields.has("name");
        let name = match fields.text("name", faults) {
            None if !said_name => id.as_ref().map(default_name),
            name => name,
        };
        let description = skill_description(&mut fields, method, faults);
        let tags = skill_tags(&mut fields, faults);
        let answers = answers(&mut fields, faults);
        let examples = fields.texts("examples", faults);
        let input_modes = fields.texts("input_modes", faults);
        let output_modes = fields.texts("output_modes", faults);
        let security = Requirement::read_all(&mut fields, faults);
        let default = fields.flag("default", faults);
        let extended = fields.flag("extended", faults);
        let on_restart = on_restart(&mut fields, faults);
        let parameters = parameters(signature, faults);
        let output = output(signature, faults);
        Some(Self {
            conditions: method
                .conditions
                .iter()
                .chain(&mark.conditions)
                .cloned()
                .collect(),
            method: ident.clone(),
            id: id?,
            name: name?,
            description: description?,
            tags: tags?,
            examples,
            input_modes,
            output_modes,
            security,
            default,
            extended,
            answers,
            on_restart,
            parameters,
            output,
        })
    }
}

/// `find_flights` is `find-flights`.
fn default_id(method: &Ident) -> String {
    let name = method.unraw().to_string();
    name.trim_matches('_').replace('_', "-")
}

/// `find-flights` is `Find flights`.
fn default_name(id: &LitStr) -> LitStr {
    let words = id.value().replace(['-', '_'], " ");
    let mut letters = words.chars();
    let name: String = match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    };
    LitStr::new(&name, id.span())
}

fn skill_description(fields: &mut Fields, method: &Method, faults: &mut Faults) -> Option<LitStr> {
    if fields.has("description") {
        return fields.text("description", faults);
    }
    let Some(text) = description(&method.attributes) else {
        faults.on(
            &method.signature.ident,
            "a skill needs a description: write a doc comment (`/// …`) above the method, or description = \"…\" in #[skill]",
        );
        return None;
    };
    Some(LitStr::new(&text, Span::call_site()))
}

fn skill_tags(fields: &mut Fields, faults: &mut Faults) -> Option<Texts> {
    if !fields.has("tags") {
        faults.at(
            fields.span(),
            "#[skill] needs tags, words by which the skill is found: add tags(\"…\")",
        );
        return None;
    }
    let tags = fields.texts("tags", faults)?;
    if tags.texts.is_empty() {
        faults.at(tags.span, "no tags: name at least one, tags(\"…\")");
        return None;
    }
    Some(tags)
}

fn answers(fields: &mut Fields, faults: &mut Faults) -> bool {
    let Some(text) = fields.text("reply", faults) else {
        return false;
    };
    let head = Head::Text(text);
    head.one_of("kind of reply", &["task", "message"], faults) == Some("message")
}

fn on_restart(fields: &mut Fields, faults: &mut Faults) -> Option<OnRestart> {
    let text = fields.text("on_restart", faults)?;
    let span = text.span();
    let head = Head::Text(text);
    let variant = match head.one_of("policy", &["fail", "replay"], faults)? {
        "replay" => "Replay",
        _ => "Fail",
    };
    Some(OnRestart { span, variant })
}

impl Skill {
    /// Where the faults of its result are.
    pub(crate) fn output_span(&self) -> Span {
        match &self.output {
            Type::Verbatim(_) => self.method.span(),
            other => other.span(),
        }
    }
}

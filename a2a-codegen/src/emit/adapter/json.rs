//! Codecs of an older version's JSON schema: its JSON straight into the newer version's types, and
//! back.
//!
//! Comes in: the plan between the schema and the newer proto; also the plan between both protos,
//! since readers take the names of the older proto too. Goes out: one codec per pair of types, with
//! tables and one call per member.

mod bare;
mod enums;
mod fields;
mod finish;
mod members;
mod object;
mod read;
mod tagged;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::AdapterInput;
use crate::emit::fields::Schema;
use crate::emit::{Paths, ident, path};
use crate::model::{Api, Message, Type};
use crate::plan::model::{ConversionPlan, FieldKind, FieldPlan, How, MessagePlan, Via};

/// Hooks whose objects say who may call: in them and below them, what is not known is refused.
const STRICT: [&str; 3] = ["security_scheme", "security_requirement", "oauth_flows"];

/// Tokens of the module of codecs; nothing when the older version has no schema.
pub(crate) fn emit(input: &AdapterInput<'_>) -> TokenStream {
    let (Some(old), Some(plan)) = (input.old_schema, input.json) else {
        return TokenStream::new();
    };
    let json = Json::new(input, old, plan);
    let codecs = plan.messages.iter().map(|pair| json.codec_of_pair(pair));
    let requests = json.requests_of_the_proto();
    let enums = enums::emit(&json);
    quote! {
        #(#codecs)*
        #requests
        #enums
    }
}

/// What all parts of this emitter ask.
pub(super) struct Json<'a> {
    input: &'a AdapterInput<'a>,
    old: &'a Api,
    plan: &'a ConversionPlan,
    /// Types of the newer version.
    types: Schema<'a>,
    door: TokenStream,
    hooks: TokenStream,
    /// Names of codecs, by newer and older type.
    names: BTreeMap<(&'a str, &'a str), String>,
    /// Newer types that a card of both versions holds.
    hybrid: BTreeSet<&'a str>,
    /// Older types in which nothing may be overlooked.
    strict: BTreeSet<&'a str>,
    /// Newer fields that an outer plan fills, by type.
    lifted: BTreeMap<&'a str, BTreeSet<usize>>,
}

impl<'a> Json<'a> {
    fn new(input: &'a AdapterInput<'a>, old: &'a Api, plan: &'a ConversionPlan) -> Self {
        let packages = input
            .new
            .messages
            .values()
            .map(|message| (message.package.clone(), input.paths.new.clone()));
        let paths = Paths {
            wire: input.paths.wire.clone(),
            kit: input.paths.kit.clone(),
            types: "self".to_owned(),
            packages: packages.collect(),
        };
        // No package of a proto has this name, so all its types are found by their modules.
        let types = Schema::new(input.new, input.new_profile, "-", &paths);
        Self {
            input,
            old,
            plan,
            door: types.door.clone(),
            types,
            hooks: path(&input.paths.hooks),
            names: names(input, plan),
            hybrid: hybrid(input.new, plan),
            strict: strict(input.new, plan),
            lifted: lifted(input.new, plan),
        }
    }

    fn new_message(&self, name: &str) -> Option<&'a Message> {
        self.input.new.messages.get(name)
    }

    fn old_message(&self, name: &str) -> Option<&'a Message> {
        self.old.messages.get(name)
    }

    /// The codec's name of a pair.
    fn name(&self, pair: &MessagePlan) -> Ident {
        let name = self.names.get(&(pair.new.as_str(), pair.old.as_str()));
        ident(name.map_or("", String::as_str))
    }

    /// The codec of a newer type that stands as this older type; of the only one when the older
    /// type is another.
    fn codec(&self, new: &str, old: &Type) -> TokenStream {
        let old = match old {
            Type::Message(name) | Type::Union(name) => name.as_str(),
            _ => "",
        };
        let pairs = || self.plan.messages.iter().filter(|pair| pair.new == new);
        let pair = pairs()
            .find(|pair| pair.old == old)
            .or_else(|| pairs().next());
        match pair {
            Some(pair) => {
                let name = self.name(pair);
                quote!(self::#name)
            }
            None => TokenStream::new(),
        }
    }

    /// The Rust type of a newer message.
    fn new_type(&self, name: &str) -> TokenStream {
        self.types.rust_type(&Type::Message(name.to_owned()))
    }

    fn codec_of_pair(&self, pair: &'a MessagePlan) -> TokenStream {
        let Some(new) = self.new_message(&pair.new) else {
            return TokenStream::new();
        };
        match &pair.how {
            How::Fields(fields) => object::emit(self, pair, new, fields),
            How::Hook(hook) => self.hook(pair, hook),
            How::Tagged {
                oneof,
                tag,
                variants,
                dropped,
            } => tagged::emit(self, pair, new, (*oneof, tag), variants, dropped),
            How::Bare {
                new: field,
                dropped,
            } => bare::emit(self, pair, new, *field, dropped),
        }
    }

    fn hook(&self, pair: &MessagePlan, hook: &str) -> TokenStream {
        let (name, hooks, module) = (self.name(pair), &self.hooks, hook_module(hook));
        let form = self.form(&name, &self.new_type(&pair.new));
        quote! {
            pub use #hooks::#module::Codec as #name;

            #form
        }
    }

    /// The form of a codec: functions that are compiled once, where the codec is, and not in each
    /// crate that calls them.
    fn form(&self, name: &Ident, ty: &TokenStream) -> TokenStream {
        let door = &self.door;
        quote! {
            impl #door::adapt::JsonForm<#ty> for self::#name {
                fn read_json(
                    text: &[u8],
                    adapter: &#door::adapt::Adapter,
                ) -> ::core::result::Result<#ty, #door::json::Error> {
                    #door::json::read_adapting::<Self>(text, adapter)
                }

                fn write_json(
                    value: &#ty,
                    out: &mut ::std::vec::Vec<u8>,
                    adapter: &#door::adapt::Adapter,
                ) -> ::core::result::Result<(), #door::json::Error> {
                    #door::json::write_adapting::<Self>(value, adapter, out)
                }
            }
        }
    }

    /// Requests that only the older proto has, as hooks read their JSON.
    fn requests_of_the_proto(&self) -> TokenStream {
        let is_in_schema = |hook: &String| {
            self.plan
                .messages
                .iter()
                .any(|pair| matches!(&pair.how, How::Hook(known) if known == hook))
        };
        let hooks = &self.hooks;
        let uses = self.input.proto.messages.iter().filter_map(|pair| {
            let How::Hook(hook) = &pair.how else {
                return None;
            };
            let name = ident(short(&pair.old));
            let module = hook_module(hook);
            (!is_in_schema(hook)).then(|| {
                let form = self.form(&name, &self.new_type(&pair.new));
                quote! {
                    pub use #hooks::#module::Codec as #name;

                    #form
                }
            })
        });
        quote!(#(#uses)*)
    }

    /// What is told of a loss.
    fn told(&self, loss: &str) -> &'a str {
        self.plan.losses.get(loss).map_or("", String::as_str)
    }
}

/// The module of a hook's codec.
fn hook_module(hook: &str) -> Ident {
    ident(&format!("json_{hook}"))
}

/// The last part of a full name.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// A loss, or none.
fn loss(id: Option<&String>) -> TokenStream {
    match id {
        Some(id) => quote!(::core::option::Option::Some(#id)),
        None => quote!(::core::option::Option::None),
    }
}

/// Names the codecs: as the definition where it serves one newer type and is an object of its own,
/// else as the newer type.
fn names<'a>(
    input: &'a AdapterInput<'a>,
    plan: &'a ConversionPlan,
) -> BTreeMap<(&'a str, &'a str), String> {
    let is_object = |pair: &MessagePlan| {
        let schema = input.old_schema;
        let message = schema.and_then(|api| api.messages.get(&pair.old));
        match &pair.how {
            How::Tagged { .. } | How::Bare { .. } => false,
            How::Hook(_) => message.is_none_or(|message| !message.bare),
            How::Fields(_) => message.is_some_and(|message| !message.bare),
        }
    };
    let serves_one = |pair: &MessagePlan| {
        let same = plan.messages.iter().filter(|other| other.old == pair.old);
        same.count() == 1
    };
    let mut taken = BTreeSet::new();
    let mut names = BTreeMap::new();
    for pair in &plan.messages {
        let first = if is_object(pair) && serves_one(pair) {
            short(&pair.old)
        } else {
            short(&pair.new)
        };
        let mut name = first.to_owned();
        while !taken.insert(name.clone()) {
            name.push('_');
            name.push_str(short(&pair.old));
        }
        names.insert((pair.new.as_str(), pair.old.as_str()), name);
    }
    names
}

/// The name of the codec of a pair of types.
pub(super) fn name_of(input: &AdapterInput<'_>, new: &str, old: &str) -> Ident {
    let name = input
        .json
        .and_then(|plan| names(input, plan).remove(&(new, old)));
    ident(name.as_deref().unwrap_or_default())
}

fn fields_of(pair: &MessagePlan) -> &[FieldPlan] {
    match &pair.how {
        How::Fields(fields) => fields,
        _ => &[],
    }
}

/// Newer types from those of a first set downwards.
fn below<'a>(new: &'a Api, from: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut next: Vec<&str> = from.into_iter().collect();
    while let Some(name) = next.pop() {
        let Some(message) = new.messages.get(name) else {
            continue;
        };
        if found.insert(&message.proto_name) {
            next.extend(message.fields.iter().filter_map(|field| match &field.ty {
                Type::Message(name) => Some(name.as_str()),
                _ => None,
            }));
        }
    }
    found
}

/// Newer types at and below those that several older members make a field of: peers that serve both
/// versions at once put the newer members beside the older ones.
fn hybrid<'a>(new: &'a Api, plan: &'a ConversionPlan) -> BTreeSet<&'a str> {
    let gathers = plan.messages.iter().filter(|pair| {
        let mut fields = fields_of(pair).iter();
        fields.any(|field| matches!(field.kind, FieldKind::Gather { .. }))
    });
    below(new, gathers.map(|pair| pair.new.as_str()))
}

/// Older types at and below those whose hooks say who may call.
fn strict<'a>(new: &'a Api, plan: &'a ConversionPlan) -> BTreeSet<&'a str> {
    let hooks = plan
        .messages
        .iter()
        .filter(|pair| matches!(&pair.how, How::Hook(hook) if STRICT.contains(&hook.as_str())));
    let strict = below(new, hooks.map(|pair| pair.new.as_str()));
    plan.messages
        .iter()
        .filter(|pair| strict.contains(pair.new.as_str()))
        .map(|pair| pair.old.as_str())
        .collect()
}

fn lifted<'a>(new: &'a Api, plan: &'a ConversionPlan) -> BTreeMap<&'a str, BTreeSet<usize>> {
    let mut lifted: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for pair in &plan.messages {
        for field in fields_of(pair) {
            let FieldKind::Lift { new: path, .. } = &field.kind else {
                continue;
            };
            let mut name = pair.new.as_str();
            for (depth, index) in path.iter().enumerate() {
                let Some(field) = new.messages.get(name).and_then(|at| at.fields.get(*index))
                else {
                    break;
                };
                if depth + 1 == path.len() {
                    lifted.entry(name).or_default().insert(*index);
                } else if let Type::Message(inner) = &field.ty {
                    name = inner;
                }
            }
        }
    }
    lifted
}

/// True when the value of a field goes through a hook of its own.
fn hook_of(via: &Via) -> Option<&str> {
    match via {
        Via::Hook(hook) => Some(hook),
        _ => None,
    }
}

#[cfg(test)]
mod tests;

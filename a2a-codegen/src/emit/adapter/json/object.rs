//! An object that stands for a newer message, member by member.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::members::{Members, olds, spellings};
use super::{Json, hook_of, loss};
use crate::emit::ident;
use crate::model::{Cardinality, Field, Message};
use crate::plan::model::{FieldKind, FieldPlan, MessagePlan};

/// Everything about one object.
pub(super) struct Object<'j, 'a> {
    pub(super) json: &'j Json<'a>,
    pub(super) pair: &'j MessagePlan,
    pub(super) new: &'j Message,
    pub(super) old: &'j Message,
    pub(super) fields: &'j [FieldPlan],
    pub(super) members: Members,
    /// What is kept beside the value until all members are there.
    pub(super) kept: Vec<Kept>,
    /// Members beyond the older fields.
    pub(super) beyond: Vec<Beyond>,
    /// Nothing may be overlooked.
    pub(super) strict: bool,
    /// A missing member is the reader's to judge.
    pub(super) lenient: bool,
}

/// Something that is kept beside the value.
pub(super) struct Kept {
    pub(super) name: Ident,
    pub(super) ty: TokenStream,
    pub(super) what: What,
}

/// What is kept.
pub(super) enum What {
    /// The value of an older field.
    Old(usize),
    /// A resource name, by its place among the templates.
    Template(usize),
    /// A newer field under its newer name.
    New(usize),
}

/// A member that is no older field.
pub(super) struct Beyond {
    pub(super) names: Vec<String>,
    pub(super) read: TokenStream,
}

pub(super) fn emit(
    json: &Json<'_>,
    pair: &MessagePlan,
    new: &Message,
    fields: &[FieldPlan],
) -> TokenStream {
    // A request of which the older version says nothing has no definition.
    let nothing = super::bare::nothing();
    let old = json.old_message(&pair.old).unwrap_or(&nothing);
    let members = json.members(pair, old);
    let mut object = Object {
        json,
        pair,
        new,
        old,
        fields,
        members,
        kept: Vec::new(),
        beyond: Vec::new(),
        strict: json.strict.contains(pair.old.as_str()),
        lenient: json.hybrid.contains(pair.new.as_str()),
    };
    object.keep();
    object.go_beyond();
    object.tokens()
}

impl Object<'_, '_> {
    pub(super) fn new_field(&self, index: usize) -> Option<&Field> {
        self.new.fields.get(index)
    }

    pub(super) fn old_field(&self, index: usize) -> Option<&Field> {
        self.old.fields.get(index)
    }

    /// The plan of an older field.
    pub(super) fn plan_of(&self, old: usize) -> Option<&FieldPlan> {
        self.fields
            .iter()
            .find(|field| olds(&field.kind).contains(&old))
    }

    pub(super) fn kept_as(&self, wanted: impl Fn(&What) -> bool) -> Option<&Ident> {
        let kept = self.kept.iter().find(|kept| wanted(&kept.what));
        kept.map(|kept| &kept.name)
    }

    /// True when the plan says of a newer field what becomes of it.
    fn covers(&self, new: usize) -> bool {
        self.fields.iter().any(|field| match &field.kind {
            FieldKind::Carry { new: index, .. }
            | FieldKind::Gather { new: index, .. }
            | FieldKind::OnlyNew { new: index } => *index == new,
            FieldKind::Lift { new: path, .. } => path.first() == Some(&new) && path.len() == 1,
            FieldKind::Template { pieces, .. } => pieces.iter().any(
                |piece| matches!(piece, crate::plan::model::Piece::Field(index) if *index == new),
            ),
            FieldKind::Inline { .. } | FieldKind::OnlyOld { .. } => false,
        })
    }

    /// Finds what has to be kept: values that make one newer field together, that are judged by the
    /// whole, or that must wait for another member.
    fn keep(&mut self) {
        for field in self.fields {
            match &field.kind {
                FieldKind::Gather { old, .. } => {
                    for index in old {
                        if let Some(old) = self.old.fields.get(*index) {
                            let codec = self.json.hooked_codec(old);
                            self.keep_old(*index, &codec);
                        }
                    }
                }
                FieldKind::OnlyOld { old, hook: Some(_) } => {
                    if let Some(field) = self.old.fields.get(*old) {
                        let codec = self.json.hooked_codec(field);
                        self.keep_old(*old, &codec);
                    }
                }
                FieldKind::Lift { new, old } => {
                    let leaf = self.leaf(new).cloned();
                    if let (Some(leaf), Some(field)) = (leaf, self.old.fields.get(*old)) {
                        let codec = self.json.member_codec(&leaf, field);
                        self.keep_old(*old, &codec);
                    }
                }
                FieldKind::Template { old, .. } => {
                    let door = &self.json.door;
                    self.keep_old(*old, &quote!(#door::json::Str));
                }
                FieldKind::Carry { .. }
                | FieldKind::Inline { .. }
                | FieldKind::OnlyNew { .. }
                | FieldKind::OnlyOld { hook: None, .. } => {}
            }
        }
        for index in 0..self.members.templates.len() {
            self.kept.push(Kept {
                name: format_ident!("name_{index}"),
                ty: quote!(::std::string::String),
                what: What::Template(index),
            });
        }
    }

    fn keep_old(&mut self, index: usize, codec: &TokenStream) {
        let door = &self.json.door;
        self.kept.push(Kept {
            name: format_ident!("old_{index}"),
            ty: quote!(<#codec as #door::json::Codec>::Value),
            what: What::Old(index),
        });
    }

    /// The newer field at the end of a path.
    pub(super) fn leaf(&self, path: &[usize]) -> Option<&Field> {
        let mut message = self.new;
        let (last, before) = path.split_last()?;
        for index in before {
            let crate::model::Type::Message(name) = &message.fields.get(*index)?.ty else {
                return None;
            };
            message = self.json.new_message(name)?;
        }
        message.fields.get(*last)
    }

    /// Finds members that are no older fields: resource names; and in what peers write for both
    /// versions at once, newer members that have another name or no place in the older version.
    fn go_beyond(&mut self) {
        let door = self.json.door.clone();
        for index in 0..self.members.templates.len() {
            let names = self.members.templates[index].names.clone();
            let name = format_ident!("name_{index}");
            let read = quote!(input.value::<#door::json::Str>(&mut state.#name));
            self.beyond.push(Beyond { names, read });
        }
        let lifted = self.json.lifted.get(self.pair.new.as_str());
        for (index, field) in self.new.fields.iter().enumerate() {
            let is_lifted = lifted.is_some_and(|lifted| lifted.contains(&index));
            let only_new = self
                .fields
                .iter()
                .any(|plan| matches!(plan.kind, FieldKind::OnlyNew { new } if new == index));
            let in_place = (is_lifted && !self.covers(index)) || (only_new && self.strict);
            if in_place {
                let names = self.members.more(spellings(field));
                let read = self.read_newer(field);
                if !names.is_empty() {
                    self.beyond.push(Beyond { names, read });
                }
            } else if self.lenient && !only_new && self.covers(index) {
                self.newer_name(index, field);
            }
        }
        if self.strict {
            for constant in &self.old.constants {
                self.beyond.push(Beyond {
                    names: vec![constant.json_name.clone()],
                    read: quote!(input.passed()),
                });
            }
        }
    }

    /// A newer member beside its older form: it wins, in whatever order they come.
    fn newer_name(&mut self, index: usize, field: &Field) {
        let names = self.members.more(spellings(field));
        if names.is_empty() || matches!(field.cardinality, Cardinality::Oneof(_)) {
            return;
        }
        let door = &self.json.door;
        let plan = self.fields.iter().find_map(|plan| match &plan.kind {
            FieldKind::Carry { new, old, via, .. } if *new == index => Some((*old, via)),
            _ => None,
        });
        // What the older version has as well is read leniently in this form, too.
        let codec = match plan.and_then(|(old, via)| Some((self.old.fields.get(old)?, via))) {
            Some((old, via)) if hook_of(via).is_some() => self.json.codec_via(field, old, via),
            Some((old, _)) => self.json.member_codec(field, old),
            None => self.json.types.codec(field),
        };
        let name = format_ident!("new_{index}");
        self.kept.push(Kept {
            name: name.clone(),
            ty: quote!(::core::option::Option<<#codec as #door::json::Codec>::Value>),
            what: What::New(index),
        });
        self.beyond.push(Beyond {
            names,
            read: quote!(input.maybe::<#codec>(&mut state.#name)),
        });
    }

    /// A newer member that the older version has no place for.
    fn read_newer(&self, field: &Field) -> TokenStream {
        let (codec, slot) = (self.json.types.codec(field), ident(&field.rust_name));
        let value = self.value();
        match field.cardinality {
            Cardinality::Explicit => quote!(input.maybe::<#codec>(&mut #value.#slot)),
            Cardinality::Oneof(_) => quote!(input.passed()),
            _ => quote!(input.value::<#codec>(&mut #value.#slot)),
        }
    }

    /// Where the value is while it is read.
    pub(super) fn value(&self) -> TokenStream {
        if self.kept.is_empty() && self.members.templates.is_empty() {
            quote!(state)
        } else {
            quote!(state.value)
        }
    }

    fn tokens(&self) -> TokenStream {
        let json = self.json;
        let door = &json.door;
        let name = json.name(self.pair);
        let text = name.to_string();
        let ty = json.new_type(&self.pair.new);
        let allow = json.types.allow(self.new);
        let docs = format!(
            "The codec of `{}` in the older version's JSON, for [`{}`]({}).",
            super::short(&self.pair.old),
            super::short(&self.pair.new),
            json.link(self.new)
        );
        let shown = self.names_shown();
        let find = self.find();
        let odd_names = (!shown.iter().all(|name| is_plain(name))).then(|| {
            quote!(
                const PLAIN_NAMES: bool = false;
            )
        });
        let rejects = self.strict.then(|| {
            quote!(
                const REJECT_UNKNOWN: bool = true;
            )
        });
        let form = json.form(&name, &ty);
        let (state, state_type) = self.state(&name, &ty);
        let read = self.read();
        let finish = self.finish(&ty);
        let dropped = self.note_dropped();
        let write = self.write();
        quote! {
            #[doc = #docs]
            #[derive(Debug)]
            pub struct #name;

            #allow
            impl #door::json::OldObject for self::#name {
                type Value = #ty;
                type State = #state_type;

                const NAME: &'static str = #text;
                const JSON_NAMES: &'static [&'static str] = &[#(#shown),*];
                #odd_names
                #rejects

                #find
                #read
                #finish
                #dropped
                #write
            }

            #form

            #state
        }
    }

    /// The names that are told in errors.
    fn names_shown(&self) -> Vec<&str> {
        let own = self.old.fields.iter().map(|field| field.json_name.as_str());
        let beyond = self.beyond.iter();
        let beyond = beyond.map(|member| member.names.first().map_or("", String::as_str));
        own.chain(beyond).collect()
    }

    fn find(&self) -> TokenStream {
        let beyond = self.beyond.iter().map(|member| &member.names);
        let all = self.members.names.iter().chain(beyond);
        let arms = all.enumerate().filter(|(_, names)| !names.is_empty());
        let arms: Vec<_> = arms
            .map(|(index, names)| quote!(#(#names)|* => ::core::option::Option::Some(#index)))
            .collect();
        let body = if arms.is_empty() {
            quote! {
                let _ = name;
                ::core::option::Option::None
            }
        } else {
            quote! {
                match name {
                    #(#arms,)*
                    _ => ::core::option::Option::None,
                }
            }
        };
        quote! {
            fn member(name: &str) -> ::core::option::Option<usize> {
                #body
            }
        }
    }

    /// The type of what is read so far.
    fn state(&self, name: &Ident, ty: &TokenStream) -> (TokenStream, TokenStream) {
        if self.kept.is_empty() {
            return (TokenStream::new(), ty.clone());
        }
        let state = format_ident!("{name}State");
        let kept = self.kept.iter().map(|kept| {
            let (name, ty) = (&kept.name, &kept.ty);
            quote!(#name: #ty)
        });
        let tokens = quote! {
            #[doc(hidden)]
            #[allow(missing_debug_implementations, reason = "it is private to the reader")]
            #[derive(Default)]
            pub struct #state {
                value: #ty,
                #(#kept,)*
            }
        };
        (tokens, quote!(self::#state))
    }

    /// Notes newer fields that have no place.
    fn note_dropped(&self) -> TokenStream {
        let notes: Vec<_> = self
            .fields
            .iter()
            .filter_map(|field| self.dropped(field))
            .collect();
        if notes.is_empty() {
            return TokenStream::new();
        }
        let door = &self.json.door;
        quote! {
            fn note_dropped(value: &Self::Value, adapter: &#door::adapt::Adapter) {
                #(#notes)*
            }
        }
    }

    fn dropped(&self, plan: &FieldPlan) -> Option<TokenStream> {
        let FieldKind::OnlyNew { new } = plan.kind else {
            return None;
        };
        self.json.dropped(self.new_field(new)?, plan)
    }
}

impl Json<'_> {
    /// Notes a newer field that has no place, if it is set.
    pub(super) fn dropped(&self, field: &Field, plan: &FieldPlan) -> Option<TokenStream> {
        let id = plan.down_loss.as_ref()?;
        let (slot, name, told) = (ident(&field.rust_name), &field.json_name, self.told(id));
        let is_set = match field.cardinality {
            Cardinality::Explicit => quote!(value.#slot.is_some()),
            // Members of oneofs are the business of hooks.
            Cardinality::Oneof(_) => return None,
            _ => {
                let (codec, door) = (self.types.codec(field), &self.door);
                quote!(!<#codec as #door::json::Implicit>::is_default(&value.#slot))
            }
        };
        Some(quote! {
            if #is_set {
                adapter.loss_of(#id, #name, #told);
            }
        })
    }

    /// Where the docs find a newer type.
    pub(super) fn link(&self, new: &Message) -> String {
        format!("{}::{}", self.input.paths.new, new.rust_path.join("::"))
    }
}

/// True when a name needs no escapes in JSON.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c >= ' ' && c != '"' && c != '\\')
}

/// A loss of a field plan going up.
pub(super) fn up_loss(plan: &FieldPlan) -> TokenStream {
    loss(plan.up_loss.as_ref())
}

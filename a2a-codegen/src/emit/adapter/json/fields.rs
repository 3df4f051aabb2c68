//! Codecs of members: by the newer field, since that is the type of the value; with the older type
//! where the newer one is a message or an enum.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Json, hook_module};
use crate::emit::fields::map_key;
use crate::emit::ident;
use crate::model::{Cardinality, Field, Type, WellKnown};
use crate::plan::model::Via;

impl Json<'_> {
    /// The codec of a whole member that comes through unchanged.
    pub(super) fn member_codec(&self, new: &Field, old: &Field) -> TokenStream {
        let value = self.value_codec(new, old);
        self.in_container(new, value)
    }

    /// The codec of a whole member, as what happens to it wants it.
    pub(super) fn codec_via(&self, new: &Field, old: &Field, via: &Via) -> TokenStream {
        let (door, hooks) = (&self.door, &self.hooks);
        match via {
            Via::LenientTime => {
                let digits = self.input.new_profile.json.timestamp_digits;
                let digits = proc_macro2::Literal::u8_unsuffixed(digits);
                quote!(#hooks::json_lenient_time::Codec<#digits>)
            }
            Via::OneOf(_) => match &old.ty {
                Type::Enum(name) => {
                    let words = ident(super::short(name));
                    quote!(#door::json::Word<self::words::#words>)
                }
                _ => self.member_codec(new, old),
            },
            Via::Hook(hook) => {
                let module = hook_module(hook);
                quote!(#hooks::#module::Codec)
            }
            // One value of the newer field; the list is the older one's.
            Via::First => self.value_codec(new, old),
            Via::Same | Via::Not | Via::ZeroIsUnset | Via::EmptyIsUnset => {
                self.member_codec(new, old)
            }
        }
    }

    fn value_codec(&self, new: &Field, old: &Field) -> TokenStream {
        let door = &self.door;
        match &new.ty {
            Type::Message(name) => {
                let codec = self.codec(name, &old.ty);
                if new.boxed {
                    quote!(#door::json::InBox<#codec>)
                } else {
                    codec
                }
            }
            Type::Enum(name) => match self.plan.enums.get(name) {
                Some(plan) => {
                    let name = ident(super::short(&plan.old));
                    quote!(self::#name)
                }
                None => self.types.value_codec(new),
            },
            Type::Scalar(_) | Type::WellKnown(_) | Type::Union(_) => self.types.value_codec(new),
        }
    }

    /// The codec of a list or map of what another codec reads.
    fn in_container(&self, new: &Field, value: TokenStream) -> TokenStream {
        let door = &self.door;
        match &new.cardinality {
            Cardinality::Repeated => quote!(#door::json::List<#value>),
            Cardinality::Map { key } => {
                let key = map_key(*key);
                quote!(#door::json::Map<#door::json::#key, #value>)
            }
            Cardinality::Implicit | Cardinality::Explicit | Cardinality::Oneof(_) => value,
        }
    }

    /// The codec of an older member that a hook takes or makes: older messages are handed over as
    /// their newer counterparts.
    pub(super) fn hooked_codec(&self, old: &Field) -> TokenStream {
        match &old.ty {
            Type::Message(name) | Type::Union(name) => {
                let pair = self.plan.messages.iter().find(|pair| &pair.old == name);
                let codec = match pair {
                    Some(pair) => {
                        let name = self.name(pair);
                        quote!(self::#name)
                    }
                    None => TokenStream::new(),
                };
                self.in_container(old, codec)
            }
            Type::Enum(_) => {
                // Hooks see texts.
                let text = Field {
                    ty: Type::Scalar(crate::model::Scalar::String),
                    ..old.clone()
                };
                self.types.codec(&text)
            }
            Type::Scalar(_) | Type::WellKnown(_) => self.types.codec(old),
        }
    }
}

/// True for a text or a message, of which absence is a fault where both versions require it. Lists
/// are read leniently; a value of an enum or a truth value may be a default that ProtoJSON leaves
/// out.
pub(super) fn must_be_there(field: &Field) -> bool {
    let is_single = matches!(
        field.cardinality,
        Cardinality::Implicit | Cardinality::Explicit
    );
    let is_told = matches!(
        field.ty,
        Type::Message(_)
            | Type::Scalar(crate::model::Scalar::String)
            | Type::WellKnown(WellKnown::Struct)
    );
    is_single && is_told
}

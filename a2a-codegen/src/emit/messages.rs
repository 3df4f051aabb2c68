//! Message types: the structs and enums of prost-build, and everything that is ours on top.
//!
//! Comes in: descriptors, the model, the profile and one proto package. Goes out: tokens of that
//! package's module: types with protobuf, JSON, checks, texts and setters.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use prost::Message as _;
use prost_types::{FileDescriptorProto, FileDescriptorSet};
use quote::quote;

use super::docs::docs;
use super::fields::Schema;
use super::{Paths, check, debug, json, query, setters, shape, text};
use crate::load::Loaded;
use crate::model::{Api, Enum, EnumValue, Field, Message, Oneof};
use crate::profile::Profile;
use crate::write::Bug;

/// Emits the message types of a package.
///
/// # Errors
/// When prost-build cannot do what the model promises, which is a fault of this crate.
pub fn emit_messages(
    loaded: &Loaded,
    api: &Api,
    profile: &Profile,
    package: &str,
    paths: &Paths,
) -> Result<TokenStream, Bug> {
    let types = prost_types(loaded, api, profile, package, paths)?;
    let schema = Schema::new(api, profile, package, paths);
    let messages = api
        .messages
        .values()
        .filter(|message| message.package == package)
        .map(|message| {
            let json = json::emit_message(&schema, message);
            let wire = emit_wire(&schema, message);
            let text = text::emit_message(&schema, message);
            let query = query::emit_message(&schema, message);
            let setters = setters::emit_message(&schema, message);
            let debug = debug::emit_message(&schema, message);
            quote!(#debug #setters #wire #json #text #query)
        });
    let enums = api
        .enums
        .values()
        .filter(|each| each.package == package)
        .map(|each| emit_enum(&schema, each));
    Ok(quote!(#types #(#enums)* #(#messages)*))
}

/// What all bindings need of a message.
fn emit_wire(schema: &Schema<'_>, message: &Message) -> TokenStream {
    let door = &schema.door;
    let name = &message.proto_name;
    let ty = schema.message(message);
    let allow = schema.allow(message);
    let check = check::emit_body(schema, message);
    let shape = shape::emit_body(schema, message);
    let body_fields = json::emit_body_fields(schema, message);
    quote! {
        #allow
        impl #door::WireMessage for #ty {
            const NAME: &'static str = #name;

            fn shape() -> &'static #door::protobuf::Shape {
                #shape
            }

            fn read_json(text: &[u8]) -> ::core::result::Result<Self, #door::json::Error> {
                #door::json::read(text)
            }

            fn write_json(&self, out: &mut ::std::vec::Vec<u8>) -> ::core::result::Result<(), #door::json::Error> {
                #door::json::write(self, out)
            }

            fn check(&self, found: &mut #door::Violations) {
                #check
            }

            fn bind_text(
                &mut self,
                path: &str,
                text: ::std::borrow::Cow<'_, str>,
                rule: #door::Rule,
            ) -> ::core::result::Result<#door::Bound, #door::BindError> {
                #door::bind(self, path, text, rule)
            }

            fn text_of(&self, path: &str) -> ::core::option::Option<::std::borrow::Cow<'_, str>> {
                #door::text_of(self, path)
            }

            fn write_query(
                &self,
                without: &[&str],
                out: &mut dyn ::core::ops::FnMut(&str, ::std::borrow::Cow<'_, str>),
            ) -> ::core::result::Result<(), #door::TextWriteError> {
                #door::write_query(self, without, out)
            }

            #body_fields
        }
    }
}

/// Names of an enum's values.
fn emit_enum(schema: &Schema<'_>, each: &Enum) -> TokenStream {
    let door = &schema.door;
    let ty = schema.enumeration(each);
    let names = each.values.iter().map(|value| {
        let (name, number) = (&value.proto_name, value.number);
        quote!((#name, #number))
    });
    // The first name of each number: an alias is the variant of the first.
    let mut variants: BTreeMap<i32, &EnumValue> = BTreeMap::new();
    for value in &each.values {
        variants.entry(value.number).or_insert(value);
    }
    let first = each.values.iter().filter(|value| {
        variants
            .get(&value.number)
            .is_some_and(|first| first.proto_name == value.proto_name)
    });
    let as_name = first.clone().map(|value| {
        let (variant, name) = (super::ident(&value.rust_name), &value.proto_name);
        quote!(Self::#variant => #name)
    });
    let from_name = each.values.iter().map(|value| {
        let (variant, name) = (super::ident(&value.rust_name), &value.proto_name);
        quote!(#name => ::core::option::Option::Some(Self::#variant))
    });
    let allow = schema.allow_deprecated();
    quote! {
        #allow
        impl #ty {
            /// The name in the schema and in JSON.
            #[must_use]
            pub fn as_str_name(&self) -> &'static str {
                match self { #(#as_name,)* }
            }

            /// The value of a name in the schema.
            #[must_use]
            pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
                match value {
                    #(#from_name,)*
                    _ => ::core::option::Option::None,
                }
            }
        }

        impl #door::json::EnumNames for #ty {
            const NAMES: &'static [(&'static str, i32)] = &[#(#names),*];
        }
    }
}

/// The types as prost-build writes them, with our documentation.
fn prost_types(
    loaded: &Loaded,
    api: &Api,
    profile: &Profile,
    package: &str,
    paths: &Paths,
) -> Result<TokenStream, Bug> {
    let set = FileDescriptorSet::decode(loaded.descriptor_set.as_slice()).map_err(|error| {
        bug(
            &format!("the descriptors cannot be read back: {error}"),
            String::new(),
        )
    })?;
    let module = prost_build::Module::from_protobuf_package_name("wanted");
    let other = prost_build::Module::from_protobuf_package_name("other");
    let requests = set
        .file
        .into_iter()
        // Options of other files need no types; those of google.protobuf must be known, since
        // prost-build looks into them to see what can be copied and compared.
        .filter(|file| {
            file.package() == "google.protobuf" || api.files.iter().any(|name| name == file.name())
        })
        .map(|file| {
            let module = if file.package() == package {
                &module
            } else {
                &other
            };
            (module.clone(), without_services(file))
        })
        .collect();
    let mut modules = config(package, paths).generate(requests).map_err(|error| {
        bug(
            &format!("prost-build refuses a checked schema: {error}"),
            String::new(),
        )
    })?;
    let text = modules.remove(&module).unwrap_or_default();
    let file = syn::parse_file(&text).map_err(|error| bug(&error.to_string(), text.clone()))?;
    let mut items = file.items;
    Dress::new(api, profile, package).items(&mut Vec::new(), &mut items);
    Ok(quote!(#(#items)*))
}

fn bug(message: &str, text: String) -> Bug {
    Bug {
        message: message.to_owned(),
        text,
        saved: None,
    }
}

fn without_services(mut file: FileDescriptorProto) -> FileDescriptorProto {
    file.service.clear();
    file
}

fn config(package: &str, paths: &Paths) -> prost_build::Config {
    let door = format!("{}::__codegen", paths.wire);
    let mut config = prost_build::Config::new();
    config
        .btree_map(["."])
        .bytes(["."])
        .message_attribute(".", "#[non_exhaustive]")
        .disable_comments(["."])
        .prost_path(format!("{door}::prost"))
        // Ours instead of prost-types.
        .compile_well_known_types()
        .extern_path(".google.protobuf.Empty", "()");
    for ours in [
        "Any",
        "Duration",
        "FieldMask",
        "ListValue",
        "Struct",
        "Timestamp",
        "Value",
    ] {
        config.extern_path(
            format!(".google.protobuf.{ours}"),
            format!("{door}::types::{ours}"),
        );
    }
    let string = format!("{door}::prost::alloc::string::String");
    let bytes = format!("{door}::bytes::Bytes");
    for (wrapper, rust) in [
        ("BoolValue", "bool"),
        ("BytesValue", bytes.as_str()),
        ("DoubleValue", "f64"),
        ("FloatValue", "f32"),
        ("Int32Value", "i32"),
        ("Int64Value", "i64"),
        ("StringValue", string.as_str()),
        ("UInt32Value", "u32"),
        ("UInt64Value", "u64"),
    ] {
        config.extern_path(format!(".google.protobuf.{wrapper}"), rust);
    }
    for (other, module) in paths.packages.iter().filter(|(other, _)| *other != package) {
        config.extern_path(format!(".{other}"), module.clone());
    }
    config
}

/// Gives prost-build's items their documentation, and takes from them what is written by us.
struct Dress<'a> {
    profile: &'a Profile,
    messages: BTreeMap<&'a [String], &'a Message>,
    enums: BTreeMap<&'a [String], &'a Enum>,
    oneofs: BTreeMap<&'a [String], (&'a Message, &'a Oneof)>,
}

impl<'a> Dress<'a> {
    fn new(api: &'a Api, profile: &'a Profile, package: &str) -> Self {
        let messages = || {
            api.messages
                .values()
                .filter(|message| message.package == package)
        };
        Self {
            profile,
            messages: messages()
                .map(|message| (message.rust_path.as_slice(), message))
                .collect(),
            enums: api
                .enums
                .values()
                .filter(|each| each.package == package)
                .map(|each| (each.rust_path.as_slice(), each))
                .collect(),
            oneofs: messages()
                .flat_map(|message| message.oneofs.iter().map(move |oneof| (message, oneof)))
                .map(|(message, oneof)| (oneof.rust_path.as_slice(), (message, oneof)))
                .collect(),
        }
    }

    fn items(&self, module: &mut Vec<String>, items: &mut Vec<syn::Item>) {
        // Names of enum values: ours know the aliases.
        items.retain(|item| !matches!(item, syn::Item::Impl(_)));
        for item in items {
            match item {
                syn::Item::Struct(item) => self.message(module, item),
                syn::Item::Enum(item) => self.enumeration(module, item),
                syn::Item::Mod(item) => {
                    let Some((_, content)) = &mut item.content else {
                        continue;
                    };
                    item.attrs = attributes(
                        &quote!(#[doc = " Types that are declared inside of a message."]),
                    );
                    module.push(plain(&item.ident));
                    self.items(module, content);
                    module.pop();
                }
                _ => {}
            }
        }
    }

    fn message(&self, module: &[String], item: &mut syn::ItemStruct) {
        let Some(message) = self.messages.get(below(module, &item.ident).as_slice()) else {
            return;
        };
        let otherwise = format!(" The message `{}`.", message.proto_name);
        prepend(&mut item.attrs, &docs(&message.docs, &otherwise));
        if debug::is_ours(self.profile, message) {
            item.attrs.extend(attributes(&quote!(#[prost(skip_debug)])));
        }
        if message.deprecated {
            // The attribute would make the code that prost derives for the type warn.
            item.attrs.extend(attributes(
                &quote!(#[doc = ""] #[doc = " Deprecated in the schema."]),
            ));
        }
        for field in &mut item.fields {
            let Some(name) = field.ident.as_ref().map(plain) else {
                continue;
            };
            let docs = match message
                .fields
                .iter()
                .find(|known| known.rust_name == name && !is_member(known))
            {
                Some(known) => docs(&known.docs, &format!(" The field `{}`.", known.proto_name)),
                None => match message.oneofs.iter().find(|oneof| oneof.rust_name == name) {
                    Some(oneof) => {
                        docs(&oneof.docs, &format!(" The oneof `{}`.", oneof.proto_name))
                    }
                    None => continue,
                },
            };
            prepend(&mut field.attrs, &docs);
        }
    }

    fn enumeration(&self, module: &[String], item: &mut syn::ItemEnum) {
        let path = below(module, &item.ident);
        if let Some(each) = self.enums.get(path.as_slice()) {
            let otherwise = format!(" The enum `{}`.", each.proto_name);
            let mut attrs = docs(&each.docs, &otherwise);
            attrs.extend(quote! {
                #[allow(clippy::enum_variant_names, reason = "the names are those of the schema")]
            });
            prepend(&mut item.attrs, &attrs);
            for variant in &mut item.variants {
                let name = plain(&variant.ident);
                if let Some(value) = each.values.iter().find(|value| value.rust_name == name) {
                    prepend(
                        &mut variant.attrs,
                        &docs(&value.docs, &format!(" The value `{}`.", value.proto_name)),
                    );
                }
            }
        } else if let Some((message, oneof)) = self.oneofs.get(path.as_slice()) {
            let otherwise = format!(
                " Members of the oneof `{}.{}`.",
                message.proto_name, oneof.proto_name
            );
            let mut attrs = docs(&oneof.docs, &otherwise);
            attrs.extend(quote! {
                #[allow(
                    clippy::enum_variant_names,
                    clippy::large_enum_variant,
                    reason = "names and sizes are those of the schema"
                )]
            });
            prepend(&mut item.attrs, &attrs);
            if debug::is_our_oneof(self.profile, message, oneof) {
                item.attrs.extend(attributes(&quote!(#[prost(skip_debug)])));
            }
            let members: Vec<&Field> = oneof
                .fields
                .iter()
                .filter_map(|index| message.fields.get(*index))
                .collect();
            for variant in &mut item.variants {
                let name = plain(&variant.ident);
                if let Some(field) = members.iter().find(|field| field.rust_name == name) {
                    prepend(
                        &mut variant.attrs,
                        &docs(&field.docs, &format!(" The member `{}`.", field.proto_name)),
                    );
                }
            }
        }
    }
}

fn is_member(field: &Field) -> bool {
    matches!(field.cardinality, crate::model::Cardinality::Oneof(_))
}

fn below(module: &[String], ident: &syn::Ident) -> Vec<String> {
    let mut path = module.to_vec();
    path.push(plain(ident));
    path
}

/// The name without `r#`.
fn plain(ident: &syn::Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

fn attributes(tokens: &TokenStream) -> Vec<syn::Attribute> {
    syn::parse::Parser::parse2(syn::Attribute::parse_outer, tokens.clone()).unwrap_or_default()
}

fn prepend(attrs: &mut Vec<syn::Attribute>, tokens: &TokenStream) {
    attrs.splice(0..0, attributes(tokens));
}

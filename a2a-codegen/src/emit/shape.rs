//! What the fields of a message cost in memory, for weighing protobuf before it is read.
//!
//! Comes in: a message of the model. Goes out: the body of its `shape`, a static table.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::Schema;
use crate::model::{Cardinality, Field, Message, Scalar, Type, WellKnown};

pub(super) fn emit_body(schema: &Schema<'_>, message: &Message) -> TokenStream {
    let door = &schema.door;
    let costs = message.fields.iter().filter_map(|field| {
        let (kept, below) = (kept(schema, field), below(schema, field));
        let cost = match (kept, &below) {
            (Some(kept), _) => kept,
            (None, Some(_)) => quote!(inline),
            // What stands in the message itself and holds nothing costs nothing.
            (None, None) => return None,
        };
        let number = proc_macro2::Literal::u32_unsuffixed(field.number);
        let below = below.map(|shape| quote!(.of(#shape)));
        Some(quote!(#door::protobuf::Cost::#cost(#number)#below))
    });
    let costs: Vec<TokenStream> = costs.collect();
    if costs.is_empty() {
        return quote!(#door::protobuf::nothing());
    }
    quote! {
        static SHAPE: #door::protobuf::Shape = #door::protobuf::Shape { fields: &[#(#costs),*] };
        &SHAPE
    }
}

fn is_text(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Scalar(Scalar::String | Scalar::Bytes)
            | Type::WellKnown(WellKnown::Wrapper(Scalar::String | Scalar::Bytes))
    )
}

/// How the values of a field are kept; nothing when they stand in the message.
fn kept(schema: &Schema<'_>, field: &Field) -> Option<TokenStream> {
    let rust = schema.rust_type(&field.ty);
    match &field.cardinality {
        Cardinality::Map { key } => {
            let key = schema.scalar_type(*key);
            Some(quote!(map::<#key, #rust>))
        }
        Cardinality::Repeated if is_text(&field.ty) => Some(quote!(texts::<#rust>)),
        Cardinality::Repeated if matches!(field.ty, Type::Scalar(_) | Type::Enum(_)) => {
            Some(quote!(numbers::<#rust>))
        }
        Cardinality::Repeated => Some(quote!(list::<#rust>)),
        _ if field.boxed => Some(quote!(boxed::<#rust>)),
        _ if is_text(&field.ty) => Some(quote!(text)),
        _ => None,
    }
}

/// The shape of what a field holds: of a map, of its entries.
fn below(schema: &Schema<'_>, field: &Field) -> Option<TokenStream> {
    let door = &schema.door;
    let held = match &field.ty {
        Type::Message(_) => {
            let ty = schema.rust_type(&field.ty);
            quote!(<#ty as #door::WireMessage>::shape)
        }
        Type::WellKnown(WellKnown::Struct) => quote!(#door::protobuf::object),
        Type::WellKnown(WellKnown::Value) => quote!(#door::protobuf::value),
        Type::WellKnown(WellKnown::ListValue) => quote!(#door::protobuf::list),
        Type::WellKnown(WellKnown::FieldMask) => quote!(#door::protobuf::field_mask),
        _ => return None,
    };
    Some(match field.cardinality {
        // An entry has the value in its field 2.
        Cardinality::Map { .. } => quote! {
            || {
                static ENTRY: #door::protobuf::Shape =
                    #door::protobuf::Shape { fields: &[#door::protobuf::Cost::inline(2).of(#held)] };
                &ENTRY
            }
        },
        _ => held,
    })
}

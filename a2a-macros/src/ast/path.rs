//! Where the generated code finds a2a-kit.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::Parser;

use crate::attr::{Faults, Fields};

/// `crate = "…"`, or `::a2a_kit`. The tokens are the macro's own: lints of the user's crate do not
/// look at what is written with them.
pub(crate) fn runtime(fields: &mut Fields, faults: &mut Faults) -> TokenStream {
    let default = || quote!(::a2a_kit);
    let Some(text) = fields.text("crate", faults) else {
        return default();
    };
    let value = text.value();
    match syn::Path::parse_mod_style.parse_str(&value) {
        Ok(path) => respanned(path.into_token_stream()),
        Err(_) => {
            faults.on(
                text,
                format!("{value:?} is no path to a2a-kit: write it as in `use`, such as crate = \"::kit\""),
            );
            default()
        }
    }
}

fn respanned(tokens: TokenStream) -> TokenStream {
    let spanned = tokens.into_iter().map(|mut token| {
        token.set_span(Span::call_site());
        token
    });
    spanned.collect()
}

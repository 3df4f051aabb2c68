//! Lowers descriptors to the model, and checks everything on the way.
//!
//! Comes in: [`Loaded`] descriptors and a [`Profile`]. Goes out: an [`Api`] that emitters can
//! take at its word, or [`Diagnostics`] with everything that is wrong. No text or descriptor set
//! makes it panic. JSON schemas are lowered by [`lower_schema`].

use crate::diagnostics::Diagnostics;
use crate::load::Loaded;
use crate::model::Api;
use crate::profile::Profile;

mod collisions;
mod enums;
mod field_paths;
mod files;
mod http;
mod json_schema;
mod keys;
mod messages;
pub(crate) mod names;
mod options;
mod profiles;
mod recursion;
mod routes;
mod schema;
mod services;
mod types;

pub use json_schema::lower_schema;

use schema::Schema;

/// Lowers descriptors to the model.
///
/// ```
/// use a2a_codegen::load::{Sources, load_protos};
/// use a2a_codegen::lower::lower;
/// use a2a_codegen::profile::Profile;
///
/// let text = r#"
///     syntax = "proto3";
///     package greet;
///     import "google/api/annotations.proto";
///     message Hello { string name = 1; }
///     service Greeter {
///       rpc Greet(Hello) returns (Hello) { option (google.api.http) = { get: "/hello/{nme}" }; }
///     }"#;
/// let loaded = load_protos(&Sources::new().virtual_file("greet.proto", text).file("greet.proto"))?;
/// let faults = lower(&loaded, &Profile::default()).unwrap_err();
/// assert!(faults.to_string().contains("`greet.Hello` has no field `nme`"));
/// # Ok::<(), a2a_codegen::diagnostics::Diagnostics>(())
/// ```
///
/// # Errors
/// When the schema or the profile is wrong, or asks for something that is not supported.
pub fn lower(loaded: &Loaded, profile: &Profile) -> Result<Api, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let api = lower_into(loaded, profile, &mut diagnostics);
    diagnostics
        .into_result(api)
        .map_err(|faults| faults.with_texts(&loaded.texts))
}

fn lower_into(loaded: &Loaded, profile: &Profile, diagnostics: &mut Diagnostics) -> Api {
    let schema = Schema::new(loaded, diagnostics);
    let mut files = files::wanted(&schema, &loaded.files);
    files.retain(|index| {
        schema
            .files
            .get(*index)
            .is_some_and(|file| files::check(file, diagnostics))
    });
    let names = files
        .iter()
        .filter_map(|index| schema.files.get(*index))
        .map(|file| file.name.to_string());
    let mut api = Api {
        sources: loaded.files.clone(),
        files: names.collect(),
        ..Api::default()
    };
    enums::lower_enums(&schema, &files, &mut api, diagnostics);
    messages::lower_messages(&schema, &files, &mut api, diagnostics);
    services::lower_services(&schema, &loaded.files, &mut api, diagnostics);
    profiles::apply(profile, &mut api, diagnostics);
    keys::check_json_keys(&api, diagnostics);
    collisions::check_rust_names(&api, diagnostics);
    routes::check_routes(&api, diagnostics);
    api
}

#[cfg(test)]
mod tests;

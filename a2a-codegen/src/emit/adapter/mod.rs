//! Adapters between two versions: plan to tokens, one emitter per thing.
//!
//! Comes in: both models, both profiles, the plans and the paths of what stands elsewhere
//! ([`AdapterInput`]). Goes out: token streams, one per file. As all emitters, these cannot fail on
//! what a user wrote: the plan was checked when it was made.

pub(crate) mod json;
pub(crate) mod proto;
pub(crate) mod service;

use crate::model::Api;
use crate::plan::model::ConversionPlan;
use crate::profile::Profile;

/// Everything that adapters are made from.
#[derive(Debug, Clone, Copy)]
pub struct AdapterInput<'a> {
    /// The older version's proto.
    pub old: &'a Api,
    /// What the older protocol adds to its proto.
    pub old_profile: &'a Profile,
    /// The older version's JSON schema, where it has one.
    pub old_schema: Option<&'a Api>,
    /// The newer version's proto.
    pub new: &'a Api,
    /// What the newer protocol adds to its proto.
    pub new_profile: &'a Profile,
    /// Between the protos.
    pub proto: &'a ConversionPlan,
    /// Between the JSON schema and the newer proto, where there is one.
    pub json: Option<&'a ConversionPlan>,
    /// Where generated code finds what it refers to.
    pub paths: &'a AdapterPaths,
}

/// Where generated adapters find what they refer to, as Rust paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterPaths {
    /// The crate `a2a-wire`: `::a2a_wire` or `crate`.
    pub wire: String,
    /// The crate `a2a-kit`: `::a2a_kit` or `crate`.
    pub kit: String,
    /// The older version's messages: `::a2a_wire::v0_3`.
    pub old: String,
    /// The newer version's messages: `::a2a_wire::v1_0`.
    pub new: String,
    /// The codecs of the older version's JSON schema: `::a2a_wire::v0_3_json`.
    pub json: String,
    /// The hooks that rules name: `crate::hooks`.
    pub hooks: String,
    /// The trait, boxed form and tables of the newer version's services: `::a2a_kit`.
    pub new_services: String,
}

/// Paths for code in a module of a crate that depends on `a2a-kit`, with the versions beside it:
/// `super::old`, `super::new`, `super::old_json`, `super::hooks`; the newer services are where the
/// newer messages are.
impl Default for AdapterPaths {
    fn default() -> Self {
        Self {
            wire: "::a2a_kit::wire".to_owned(),
            kit: "::a2a_kit".to_owned(),
            old: "super::old".to_owned(),
            new: "super::new".to_owned(),
            json: "super::old_json".to_owned(),
            hooks: "super::hooks".to_owned(),
            new_services: "super::new".to_owned(),
        }
    }
}

//! What no rule says about the way between two versions, in Rust; the rules files name each of them.
//!
//! Comes in: values of one version. Goes out: those of the other, or why there are none. Files that
//! begin with `json_` are codecs of the JSON schema of v0.3.

pub(crate) mod card_endpoints;
pub(crate) mod create_push_config;
pub(crate) mod data_part;
pub(crate) mod file_bytes;
pub(crate) mod final_of_state;
pub(crate) mod json_create_push_config;
pub(crate) mod json_lenient_time;
pub(crate) mod json_oauth_flows;
pub(crate) mod json_part;
pub(crate) mod json_role;
pub(crate) mod json_security_requirement;
pub(crate) mod json_security_requirements;
pub(crate) mod json_security_scheme;
pub(crate) mod json_security_schemes;
pub(crate) mod part;
pub(crate) mod role;
pub(crate) mod security_requirements;
pub(crate) mod security_schemes;

#[cfg(test)]
mod tests;

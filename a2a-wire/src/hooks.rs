//! What no rule says about the way between two versions, in Rust; the rules files name each of them.
//!
//! Comes in: values of one version. Goes out: those of the other, or why there are none. Files that
//! begin with `json_` are codecs of the JSON schema of v0.3.

pub(crate) mod card_endpoints;
pub(crate) mod create_push_config;
pub(crate) mod data_part;
pub(crate) mod file_bytes;
pub(crate) mod final_of_state;
pub(crate) mod part;
pub(crate) mod security_requirements;
pub(crate) mod security_schemes;

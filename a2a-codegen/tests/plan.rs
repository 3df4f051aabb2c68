//! Plans between the versions of A2A that this repository has, and to one that might come.

#[path = "plan/completeness.rs"]
mod completeness;
#[path = "plan/json_kinds.rs"]
mod json_kinds;
#[path = "plan/kinds.rs"]
mod kinds;
#[path = "plan/next_version.rs"]
mod next_version;
#[path = "plan/real_pair.rs"]
mod real_pair;
#[path = "plan/rules_file.rs"]
mod rules_file;
#[path = "plan/shape.rs"]
mod shape;
#[path = "plan/versions.rs"]
mod versions;

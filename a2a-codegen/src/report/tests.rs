//! The report: of small protos that show one thing each, and of the two versions of A2A.

use std::path::{Path, PathBuf};

use super::model::Report;
use super::{Version, report};
use crate::load::{SchemaSource, Sources, load_protos, load_schema};
use crate::lower::{lower, lower_schema};
use crate::model::Api;
use crate::plan::rules::{Rules, read_rules};
use crate::profile::{Profile, read_profile};

mod a2a;
mod next;
mod small;

fn proto_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(proto_folder().join(path)).expect("the file is there")
}

fn lowered(name: &str, text: &str, profile: &Profile) -> Api {
    let sources = Sources::new().virtual_file(name, text).file(name);
    let loaded = load_protos(&sources).expect("the proto loads");
    lower(&loaded, profile).unwrap_or_else(|faults| panic!("{}", faults.render()))
}

/// The two versions of A2A that this repository has.
struct A2a {
    old: (Api, Profile),
    schema: Api,
    new: (Api, Profile),
    rules: Rules,
}

impl A2a {
    fn read() -> Self {
        Self::with(&read("a2a/v0.3/a2a.proto"))
    }

    /// With another proto of the older version.
    fn with(old: &str) -> Self {
        let side = |version: &str, text: &str| {
            let name = format!("a2a/{version}/profile.toml");
            let profile = read_profile(&read(&name), &name).expect("the profile reads");
            (
                lowered(&format!("a2a/{version}/a2a.proto"), text, &profile),
                profile,
            )
        };
        let name = "a2a/v0.3/a2a.schema.json";
        let schema = load_schema(&SchemaSource::text(name, read(name))).expect("the schema loads");
        let name = "a2a/v0.3-to-v1.0.toml";
        Self {
            old: side("v0.3", old),
            schema: lower_schema(&schema).expect("the schema lowers"),
            new: side("v1.0", &read("a2a/v1.0/a2a.proto")),
            rules: read_rules(&read(name), name).expect("the rules read"),
        }
    }

    fn report(&self, rules: Option<&Rules>) -> Report {
        let old = Version {
            name: "0.3",
            api: &self.old.0,
            schema: Some(&self.schema),
            profile: &self.old.1,
        };
        let new = Version {
            name: "1.0",
            api: &self.new.0,
            schema: None,
            profile: &self.new.1,
        };
        report(&old, &new, rules.map(|rules| ("v0.3-to-v1.0.toml", rules)))
    }
}

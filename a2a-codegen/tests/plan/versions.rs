//! The versions, as texts that tests change before they plan.

use std::path::{Path, PathBuf};

use a2a_codegen::diagnostics::Diagnostics;
use a2a_codegen::load::{SchemaSource, Sources, load_protos, load_schema};
use a2a_codegen::lower::{lower, lower_schema};
use a2a_codegen::model::Api;
use a2a_codegen::plan::rules::read_rules;
use a2a_codegen::plan::{Plans, plan_all};
use a2a_codegen::profile::Profile;

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn read(path: &str) -> String {
    let path = repository().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn proto(name: &str, text: &str) -> Api {
    let sources = Sources::new().virtual_file(name, text).file(name);
    let loaded = load_protos(&sources).expect("the proto loads");
    lower(&loaded, &Profile::default()).expect("the proto lowers")
}

pub(crate) fn schema(text: &str) -> Api {
    let loaded = load_schema(&SchemaSource::text("v0.3/a2a.schema.json", text));
    lower_schema(&loaded.expect("the schema loads")).expect("the schema lowers")
}

/// An older version, a newer one, and the rules between them.
pub(crate) struct Versions {
    pub(crate) old: Api,
    pub(crate) schema: Option<Api>,
    pub(crate) new: Api,
    pub(crate) rules: String,
}

impl Versions {
    pub(crate) fn real() -> Self {
        Self {
            old: proto("v0.3/a2a.proto", &read("proto/a2a/v0.3/a2a.proto")),
            schema: Some(schema(&read("proto/a2a/v0.3/a2a.schema.json"))),
            new: proto("v1.0/a2a.proto", &read("proto/a2a/v1.0/a2a.proto")),
            rules: read("proto/a2a/v0.3-to-v1.0.toml"),
        }
    }

    pub(crate) fn plan(&self) -> Result<Plans, Diagnostics> {
        self.plan_with(&self.rules)
    }

    pub(crate) fn plan_with(&self, rules: &str) -> Result<Plans, Diagnostics> {
        let rules = read_rules(rules, "rules.toml")?;
        plan_all(&self.old, self.schema.as_ref(), &self.new, &rules)
    }

    pub(crate) fn planned(&self) -> Plans {
        self.plan()
            .unwrap_or_else(|faults| panic!("{}", faults.render()))
    }
}

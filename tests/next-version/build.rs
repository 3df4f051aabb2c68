//! Generates version 1.1 from its proto, and from the rules what stands between it and version 1.0.

use a2a_codegen::emit::adapter::AdapterPaths;
use a2a_codegen::{AdapterBuilder, AdapterEmit, Builder, Error, Version};

const NEXT: &str = "../golden/protos/a2a";
const PROTO: &str = "../../proto";

fn main() -> Result<(), Error> {
    let proto = format!("{NEXT}/v1.1/a2a.proto");
    let profile = format!("{NEXT}/v1.1/profile.toml");
    Builder::new()
        .file(&proto)
        .include(NEXT)
        .include(PROTO)
        .profile(&profile)
        .file_name("v1_1.rs")
        .compile()?;
    AdapterBuilder::new()
        .old(
            Version::new()
                .file(format!("{PROTO}/a2a/v1.0/a2a.proto"))
                .include(PROTO)
                .profile(format!("{PROTO}/a2a/v1.0/profile.toml")),
        )
        .new_version(
            Version::new()
                .file(&proto)
                .include(NEXT)
                .include(PROTO)
                .profile(&profile),
        )
        .rules(format!("{NEXT}/v1.0-to-v1.1.toml"))
        .emit([AdapterEmit::ProtoAdapters, AdapterEmit::Services])
        .paths(AdapterPaths {
            old: "::a2a_kit::v1_0".to_owned(),
            new: "super::v1_1".to_owned(),
            new_services: "super::v1_1".to_owned(),
            ..AdapterPaths::default()
        })
        .file_name("v1_0.rs")
        .compile()
}

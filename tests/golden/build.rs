//! Generates code from protos that are hard on a generator.

use a2a_codegen::{AdapterBuilder, Builder, Error, Version};

fn main() -> Result<(), Error> {
    let hostile = "../../a2a-codegen/tests/protos";
    Builder::new()
        .file(format!("{hostile}/hostile.proto"))
        .include(hostile)
        .profile(format!("{hostile}/hostile.toml"))
        .compile()?;
    // Two packages that refer to each other's messages, and one that is written elsewhere.
    Builder::new()
        .file("protos/shop.proto")
        .file("protos/books.proto")
        .include("protos")
        .include("../../proto")
        .package("lf.a2a.v1", "::a2a_kit::v1_0")
        .compile()?;
    // Messages with names of Rust and of generated code; every type in every position; required
    // fields of every type; secret ones in every position.
    for name in ["names", "types", "required", "secrets"] {
        let mut builder = Builder::new()
            .file(format!("protos/{name}.proto"))
            .include("protos");
        if matches!(name, "required" | "secrets") {
            builder = builder.profile(format!("protos/{name}.toml"));
        }
        builder.compile()?;
    }
    // Two versions, and everything that can happen to a field between them.
    let shelf = |version: &str| format!("protos/shelf/{version}.proto");
    for version in ["v1", "v2"] {
        Builder::new()
            .file(shelf(version))
            .include("protos/shelf")
            .file_name(format!("shelf_{version}.rs"))
            .compile()?;
    }
    AdapterBuilder::new()
        .old(Version::new().file(shelf("v1")).include("protos/shelf"))
        .new_version(Version::new().file(shelf("v2")).include("protos/shelf"))
        .rules("protos/shelf/rules.toml")
        .file_name("shelf_adapters.rs")
        .compile()
}

//! Generates messages, service trait, routes and client from the proto.

fn main() -> Result<(), a2a_codegen::Error> {
    a2a_codegen::Builder::new()
        .file("proto/inventory.proto")
        .include("proto")
        .profile("proto/inventory.toml")
        .compile()
}

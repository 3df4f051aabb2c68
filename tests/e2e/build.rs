//! Compiles the descriptors by which the gRPC client reads and writes messages, without the
//! generated types that the agent has.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    println!("cargo:rerun-if-changed=../../proto");
    let mut compiler = protox::Compiler::new(["proto", "../../proto"])?;
    compiler.include_imports(true);
    compiler.open_files([
        "a2a/v1.0/a2a.proto",
        "a2a/v0.3/a2a.proto",
        "google/rpc/status.proto",
    ])?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("there is no OUT_DIR")?);
    std::fs::write(
        out.join("descriptors.bin"),
        compiler.encode_file_descriptor_set(),
    )?;
    Ok(())
}

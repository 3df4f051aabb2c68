//! Generates code from the protos in `data/transcoding.json`, and the descriptors that answers are
//! compared with.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use a2a_codegen::Builder;
use a2a_codegen::load::{Sources, load_protos};

const CASES: &str = "data/transcoding.json";
const PROTOS: &str = "../../proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={CASES}");
    println!("cargo:rerun-if-changed={PROTOS}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("there is no OUT_DIR")?);
    let cases: serde_json::Value = serde_json::from_slice(&fs::read(CASES)?)?;
    for key in ["lib", "scalars"] {
        let text = cases["protos"][key]
            .as_str()
            .ok_or_else(|| format!("{CASES} has no text protos.{key}"))?;
        let name = format!("{key}.proto");
        fs::write(out.join(&name), text)?;
        let builder = Builder::new().virtual_file(&name, text).file(&name);
        builder.compile()?;
        // Case files leave it open what is done with unknown fields, so both are built.
        builder
            .virtual_profile("lenient.toml", "[json]\nunknown_fields = \"ignore\"\n")
            .file_name(format!("lenient_{key}.rs"))
            .compile()?;
        write_descriptors(
            &out,
            key,
            &Sources::new().virtual_file(&name, text).file(&name),
        )?;
    }
    for (key, file) in [
        ("a2a-v1", "a2a/v1.0/a2a.proto"),
        ("a2a-v0.3", "a2a/v0.3/a2a.proto"),
    ] {
        write_descriptors(&out, key, &Sources::new().include(PROTOS).file(file))?;
    }
    Ok(())
}

fn write_descriptors(out: &Path, key: &str, sources: &Sources) -> Result<(), Box<dyn Error>> {
    fs::write(
        out.join(format!("{key}.bin")),
        load_protos(sources)?.descriptor_set,
    )?;
    Ok(())
}

//! Adapters between two versions of a protocol, all stages behind one builder.
//!
//! Comes in: the schemas and profiles of both versions, the rules between them, what to write and
//! where it will stand. Goes out: one Rust file, in memory or on disk.

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::quote;

use super::text::TextSource;
use super::{Error, compile, file_name};
use crate::emit::adapter::{self, AdapterInput, AdapterPaths};
use crate::load::{SchemaSource, Sources, load_protos, load_schema};
use crate::lower::{lower, lower_schema};
use crate::model::Api;
use crate::plan::plan_all;
use crate::plan::rules::read_rules;
use crate::profile::{Profile, read_profile};
use crate::write::{GeneratedFile, format_code};

/// The protos and the profile of one version.
///
/// ```
/// use a2a_codegen::Version;
///
/// let version = Version::new()
///     .file("proto/library/v2/library.proto")
///     .include("proto")
///     .profile("proto/library/v2/profile.toml");
/// # let _ = version;
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Version {
    sources: Sources,
    profile: TextSource,
}

impl Default for Version {
    fn default() -> Self {
        Self::new()
    }
}

impl Version {
    /// A version without a proto so far.
    pub fn new() -> Self {
        Self {
            sources: Sources::default(),
            profile: TextSource::None,
        }
    }

    /// Asks for a proto: a path below one of the include folders, or a name as an `import` has it.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.sources.files.push(path.into());
        self
    }

    /// Adds a folder in which protos and their imports are looked up.
    pub fn include(mut self, folder: impl Into<PathBuf>) -> Self {
        self.sources.includes.push(folder.into());
        self
    }

    /// Adds a proto in memory, under the name that an `import` or [`Version::file`] gives it.
    pub fn virtual_file(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.sources = self.sources.virtual_file(name, text);
        self
    }

    /// Takes a profile: what the protocol adds to its schema.
    pub fn profile(mut self, path: impl Into<PathBuf>) -> Self {
        self.profile = TextSource::File(path.into());
        self
    }

    /// Takes a profile from memory; `name` is what errors call it.
    pub fn virtual_profile(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.profile = TextSource::Text {
            name: name.into(),
            text: text.into(),
        };
        self
    }

    fn read(&self, read: &mut Read) -> Result<(Api, Profile), Error> {
        let profile = self.profile.read(read_profile)?;
        let loaded = load_protos(&self.sources)?;
        let api = lower(&loaded, &profile)?;
        read.sources.extend(api.sources.iter().cloned());
        read.inputs.extend(loaded.paths);
        self.profile.named(&mut read.sources, &mut read.inputs);
        Ok((api, profile))
    }
}

/// What was read, for the header of the file and for cargo.
#[derive(Debug, Default)]
struct Read {
    sources: Vec<String>,
    inputs: Vec<PathBuf>,
}

/// A part of the code between two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdapterEmit {
    /// Conversions between the messages of the two protos.
    ProtoAdapters,
    /// Codecs between the JSON schema of the older version and the messages of the newer one.
    JsonCodecs,
    /// The older version's tables and errors, and its services in the terms of the newer version.
    Services,
}

/// Generates the code between two versions of a protocol; for `build.rs`.
///
/// ```no_run
/// // build.rs
/// use a2a_codegen::{AdapterBuilder, AdapterEmit, Version};
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     AdapterBuilder::new()
///         .old(Version::new().file("proto/v1/library.proto").include("proto"))
///         .new_version(Version::new().file("proto/v2/library.proto").include("proto"))
///         .rules("proto/v1-to-v2.toml")
///         .emit([AdapterEmit::ProtoAdapters])
///         .compile()?;
///     Ok(())
/// }
/// ```
///
/// The code is one file in `OUT_DIR`, `adapters.rs` unless it gets another name. What is written
/// refers to messages, services and hooks by the [`AdapterPaths`].
#[derive(Debug, Clone)]
#[must_use = "nothing is generated before `compile` or `generate` is called"]
pub struct AdapterBuilder {
    old: Version,
    new: Version,
    schema: Option<SchemaSource>,
    rules: TextSource,
    parts: Vec<AdapterEmit>,
    paths: AdapterPaths,
    out_dir: Option<PathBuf>,
    file_name: PathBuf,
}

impl Default for AdapterBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl AdapterBuilder {
    /// A builder without versions, which writes the conversions between the protos.
    pub fn new() -> Self {
        Self {
            old: Version::new(),
            new: Version::new(),
            schema: None,
            rules: TextSource::None,
            parts: vec![AdapterEmit::ProtoAdapters],
            paths: AdapterPaths::default(),
            out_dir: None,
            file_name: PathBuf::from("adapters.rs"),
        }
    }

    /// The older version.
    pub fn old(mut self, version: Version) -> Self {
        self.old = version;
        self
    }

    /// The JSON schema of the older version, where it has one beside its proto.
    pub fn old_schema(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        self.schema = Some(SchemaSource::file(path));
        self
    }

    /// The newer version.
    pub fn new_version(mut self, version: Version) -> Self {
        self.new = version;
        self
    }

    /// The file with the rules between them.
    pub fn rules(mut self, path: impl Into<PathBuf>) -> Self {
        self.rules = TextSource::File(path.into());
        self
    }

    /// The rules from memory; `name` is what errors call them.
    pub fn virtual_rules(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.rules = TextSource::Text {
            name: name.into(),
            text: text.into(),
        };
        self
    }

    /// Writes these parts.
    pub fn emit(mut self, parts: impl IntoIterator<Item = AdapterEmit>) -> Self {
        self.parts = parts.into_iter().collect();
        self
    }

    /// Names the crates and modules that the generated code refers to.
    pub fn paths(mut self, paths: AdapterPaths) -> Self {
        self.paths = paths;
        self
    }

    /// The folder to write to; `OUT_DIR` by default.
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(folder.into());
        self
    }

    /// The file to write, `adapters.rs` by default.
    pub fn file_name(mut self, name: impl Into<PathBuf>) -> Self {
        self.file_name = name.into();
        self
    }

    /// Generates the file in memory.
    ///
    /// # Errors
    /// When something cannot be read or is wrong, and when a field of either version is neither
    /// matched by its name nor named in a rule.
    pub fn generate(&self) -> Result<GeneratedFile, Error> {
        Ok(self.run()?.0)
    }

    /// Generates the file and writes it; tells cargo what it was made from.
    ///
    /// # Errors
    /// As [`AdapterBuilder::generate`]; when the file cannot be written, or when there is no
    /// `OUT_DIR` and no [`AdapterBuilder::out_dir`].
    pub fn compile(&self) -> Result<(), Error> {
        compile(self.out_dir.as_deref(), || self.run())
    }

    fn run(&self) -> Result<(GeneratedFile, Vec<PathBuf>), Error> {
        let mut read = Read::default();
        let (old, old_profile) = self.old.read(&mut read)?;
        let schema = self.read_schema(&mut read)?;
        let (new, new_profile) = self.new.read(&mut read)?;
        let rules = self.rules.read(read_rules)?;
        self.rules.named(&mut read.sources, &mut read.inputs);
        let plans = plan_all(&old, schema.as_ref(), &new, &rules)?;
        let tokens = self.tokens(&AdapterInput {
            old: &old,
            old_profile: &old_profile,
            old_schema: schema.as_ref(),
            new: &new,
            new_profile: &new_profile,
            proto: &plans.proto,
            json: plans.json.as_ref(),
            paths: &self.paths,
        });
        let file = GeneratedFile {
            path: self.file_name.clone(),
            text: format_code(&read.sources, &tokens)?,
        };
        Ok((file, read.inputs))
    }

    fn read_schema(&self, read: &mut Read) -> Result<Option<Api>, Error> {
        let Some(source) = &self.schema else {
            return Ok(None);
        };
        let loaded = load_schema(source)?;
        let name = loaded.path.as_deref().map(file_name);
        read.sources
            .push(name.unwrap_or_else(|| loaded.name.clone()));
        read.inputs.extend(loaded.path.clone());
        Ok(Some(lower_schema(&loaded)?))
    }

    fn tokens(&self, input: &AdapterInput<'_>) -> TokenStream {
        let parts = self.parts.iter().map(|part| match part {
            AdapterEmit::ProtoAdapters => adapter::proto::emit(input),
            AdapterEmit::JsonCodecs => adapter::json::emit(input),
            AdapterEmit::Services => adapter::service::emit(input),
        });
        quote!(#(#parts)*)
    }
}

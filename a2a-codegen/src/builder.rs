//! The generator for build scripts: all stages behind one builder.
//!
//! Comes in: which protos, which profile, what to write and where it will stand. Goes out: one
//! Rust file, in memory or on disk.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::diagnostics::Diagnostics;
use crate::emit::Paths;
use crate::emit::json_schema::json_schema;
use crate::emit::markdown::markdown;
use crate::emit::openapi::openapi;
use crate::load::{Sources, load_protos};
use crate::lower::lower;
use crate::profile::read_profile;
use crate::write::{Bug, GeneratedFile, format_code, write_if_changed};

mod adapter;
mod output;
mod text;

pub use adapter::{AdapterBuilder, AdapterEmit, Version};
pub use output::{Document, Emit};
use text::TextSource;

/// Generates Rust code from annotated protos; for `build.rs`.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     a2a_codegen::Builder::new().file("proto/library.proto").include("proto").compile()?;
///     Ok(())
/// }
/// ```
///
/// The code is one file in `OUT_DIR`, named as the first proto, to be included where you want it:
///
/// ```ignore
/// pub mod library {
///     include!(concat!(env!("OUT_DIR"), "/library.rs"));
/// }
/// ```
///
/// Everything of one proto package stands in that module. When a run writes several packages, each
/// has a module of its own in it, nested as the parts of its name: `acme.books.v1` is in
/// `acme::books::v1`.
#[derive(Debug, Clone)]
#[must_use = "nothing is generated before `compile` or `generate` is called"]
pub struct Builder {
    sources: Sources,
    profile: TextSource,
    paths: Paths,
    errors: Option<String>,
    emit: Option<Vec<Emit>>,
    client: bool,
    out_dir: Option<PathBuf>,
    file_name: Option<PathBuf>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// A builder that has no proto yet.
    pub fn new() -> Self {
        Self {
            sources: Sources::default(),
            profile: TextSource::None,
            paths: Paths::default(),
            errors: None,
            emit: None,
            client: true,
            out_dir: None,
            file_name: None,
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

    /// Adds a proto in memory, under the name that an `import` or [`Builder::file`] gives it.
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

    /// Names the crate `a2a-kit` as the generated code finds it; `::a2a_kit` by default.
    pub fn runtime(mut self, path: impl Into<String>) -> Self {
        self.paths.kit = path.into();
        self.paths.wire = format!("{}::wire", self.paths.kit);
        self
    }

    /// Names all crates and modules that the generated code refers to.
    pub fn paths(mut self, paths: Paths) -> Self {
        self.paths = paths;
        self
    }

    /// Names the module of a package whose code is written elsewhere: `lf.a2a.v1` is in
    /// `::a2a_kit::v1_0`. Nothing is written for it.
    pub fn package(mut self, package: impl Into<String>, module: impl Into<String>) -> Self {
        self.paths.packages.insert(package.into(), module.into());
        self
    }

    /// Names the module of the profile's errors when they are written elsewhere.
    pub fn errors_module(mut self, module: impl Into<String>) -> Self {
        self.errors = Some(module.into());
        self
    }

    /// Writes only these parts; all of them by default.
    pub fn emit(mut self, parts: impl IntoIterator<Item = Emit>) -> Self {
        self.emit = Some(parts.into_iter().collect());
        self
    }

    /// Whether services have typed clients (`LibClient` for a service `Lib`); they do by default.
    /// Without, a crate that only serves compiles less.
    pub fn client(mut self, wanted: bool) -> Self {
        self.client = wanted;
        self
    }

    /// The folder to write to; `OUT_DIR` by default.
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(folder.into());
        self
    }

    /// The file to write; by default that of the first proto, with `.rs`.
    pub fn file_name(mut self, name: impl Into<PathBuf>) -> Self {
        self.file_name = Some(name.into());
        self
    }

    /// Generates the file in memory.
    ///
    /// ```
    /// let proto = r#"
    ///     syntax = "proto3";
    ///     package greet;
    ///     message Hello { string name = 1; }
    ///     service Greeter { rpc Greet(Hello) returns (Hello); }"#;
    /// let file = a2a_codegen::Builder::new().virtual_file("greet.proto", proto).file("greet.proto").generate()?;
    /// assert_eq!(file.path.to_str(), Some("greet.rs"));
    /// assert!(file.text.contains("pub trait Greeter"));
    /// # Ok::<(), a2a_codegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// When protos or profile cannot be read or are wrong.
    pub fn generate(&self) -> Result<GeneratedFile, Error> {
        Ok(self.run()?.0)
    }

    /// Makes a document about the API, in place of its code.
    ///
    /// ```
    /// use a2a_codegen::{Builder, Document};
    ///
    /// let proto = r#"
    ///     syntax = "proto3";
    ///     package greet;
    ///     message Hello { string name = 1; }"#;
    /// let builder = Builder::new().virtual_file("greet.proto", proto).file("greet.proto");
    /// let file = builder.document(Document::JsonSchema)?;
    /// assert_eq!(file.path.to_str(), Some("greet.schema.json"));
    /// # Ok::<(), a2a_codegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// When protos or profile cannot be read or are wrong.
    pub fn document(&self, document: Document) -> Result<GeneratedFile, Error> {
        let profile = self.profile.read(read_profile)?;
        let api = lower(&load_protos(&self.sources)?, &profile)?;
        let (text, extension) = match document {
            Document::OpenApi => (openapi(&api, &profile), "openapi.json"),
            Document::JsonSchema => (json_schema(&api, &profile), "schema.json"),
            Document::Markdown => (markdown(&api, &profile), "md"),
        };
        let path = self.output_name(&api.sources).with_extension(extension);
        Ok(GeneratedFile { path, text })
    }

    /// Generates the file and writes it; tells cargo what it was made from.
    ///
    /// # Errors
    /// As [`Builder::generate`]; when the file cannot be written, or when there is no `OUT_DIR` and
    /// no [`Builder::out_dir`].
    pub fn compile(&self) -> Result<(), Error> {
        compile(self.out_dir.as_deref(), || self.run())
    }

    /// The file, and the files that it was made from.
    fn run(&self) -> Result<(GeneratedFile, Vec<PathBuf>), Error> {
        let profile = self.profile.read(read_profile)?;
        let loaded = load_protos(&self.sources)?;
        let api = lower(&loaded, &profile)?;
        let mut sources = api.sources.clone();
        let mut inputs = loaded.paths.clone();
        self.profile.named(&mut sources, &mut inputs);
        let parts = self.emit.as_deref().unwrap_or(&Emit::ALL);
        let tokens = output::Output {
            loaded: &loaded,
            api: &api,
            profile: &profile,
            paths: &self.paths,
            errors: self.errors.as_deref(),
            parts,
            clients: self.client,
        }
        .tokens()?;
        let text = format_code(&sources, &tokens)?;
        Ok((
            GeneratedFile {
                path: self.output_name(&api.sources),
                text,
            },
            inputs,
        ))
    }

    fn output_name(&self, sources: &[String]) -> PathBuf {
        match (&self.file_name, sources.first()) {
            (Some(name), _) => name.clone(),
            (None, Some(first)) => PathBuf::from(file_name(Path::new(first))).with_extension("rs"),
            (None, None) => PathBuf::from("generated.rs"),
        }
    }
}

/// Writes what `run` makes to a folder, `OUT_DIR` by default, and tells cargo what it was made from.
fn compile(
    out_dir: Option<&Path>,
    run: impl FnOnce() -> Result<(GeneratedFile, Vec<PathBuf>), Error>,
) -> Result<(), Error> {
    let folder = match (out_dir, std::env::var_os("OUT_DIR")) {
        (Some(folder), _) => folder.to_owned(),
        (None, Some(folder)) => PathBuf::from(folder),
        (None, None) => return Err(Error::NoFolder),
    };
    let (file, inputs) = run().map_err(|error| error.saved_in(&folder))?;
    for path in inputs {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    let path = folder.join(&file.path);
    write_if_changed(&path, &file.text)
        .map_err(|error| Error::io(&path, error))
        .map(|_| ())
}

/// The last part of a path: folders differ from machine to machine, generated code should not.
fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

/// Why nothing was generated.
#[non_exhaustive]
pub enum Error {
    /// Protos or profile are wrong.
    Input(Diagnostics),
    /// A file cannot be written.
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// There is no folder to write to.
    NoFolder,
    /// The generator is wrong.
    Bug(Bug),
}

impl Error {
    fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    /// Saves the code of a bug, for a report.
    fn saved_in(self, folder: &Path) -> Self {
        match self {
            Self::Bug(mut bug) => {
                let path = folder.join("a2a-codegen-bug.rs");
                bug.saved = write_if_changed(&path, &bug.text).is_ok().then_some(path);
                Self::Bug(bug)
            }
            other => other,
        }
    }
}

/// For people: with the lines of the protos that are wrong.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(diagnostics) => f.write_str(diagnostics.render().trim_end()),
            Self::Io { path, source } => {
                write!(f, "{} cannot be written: {source}", path.display())
            }
            Self::NoFolder => f.write_str(
                "OUT_DIR is not set: outside of a build script, name a folder with `out_dir`",
            ),
            Self::Bug(bug) => bug.fmt(f),
        }
    }
}

/// As `Display`: what `unwrap` prints in a build script is for people.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Input(_) | Self::NoFolder | Self::Bug(_) => None,
        }
    }
}

impl From<Diagnostics> for Error {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::Input(diagnostics)
    }
}

impl From<Bug> for Error {
    fn from(bug: Bug) -> Self {
        Self::Bug(bug)
    }
}

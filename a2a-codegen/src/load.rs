//! Reads protos.
//!
//! Comes in: [`Sources`], files on disk or in memory. Goes out: [`Loaded`], linked descriptors
//! with their options, positions and comments. No `protoc` and no network. JSON schemas are read
//! by [`load_schema`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use prost_reflect::DescriptorPool;
use protox::Compiler;

use crate::diagnostics::{Diagnostic, Diagnostics, Texts};
use crate::model::Origin;

mod faults;
mod nesting;
mod resolver;
pub(crate) mod schema;

pub use schema::{LoadedSchema, SchemaSource, load_schema};

use resolver::{Found, Resolver};

/// What to read.
///
/// ```
/// use a2a_codegen::load::{Sources, load_protos};
///
/// let sources = Sources::new()
///     .virtual_file("greet.proto", "syntax = \"proto3\"; package greet; message Hello { string name = 1; }")
///     .file("greet.proto");
/// let loaded = load_protos(&sources)?;
/// assert!(loaded.pool.get_message_by_name("greet.Hello").is_some());
/// # Ok::<(), a2a_codegen::diagnostics::Diagnostics>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The files to generate from: paths on disk below one of the includes, or names as an
    /// `import` has them.
    pub files: Vec<PathBuf>,
    /// Folders in which files and imports are looked up, in this order.
    pub includes: Vec<PathBuf>,
    /// Files in memory by name; they come before those on disk.
    pub virtual_files: BTreeMap<String, String>,
}

impl Sources {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for a file.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(path.into());
        self
    }

    /// Adds a folder in which files and imports are looked up.
    #[must_use]
    pub fn include(mut self, path: impl Into<PathBuf>) -> Self {
        self.includes.push(path.into());
        self
    }

    /// Adds a file in memory. It can be imported, and be asked for with [`Sources::file`].
    #[must_use]
    pub fn virtual_file(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.virtual_files.insert(name.into(), text.into());
        self
    }
}

/// Linked descriptors.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Loaded {
    /// All files, those that were imported included, each after its imports.
    pub pool: DescriptorPool,
    /// The files that were asked for, by their proto names, in the order given.
    pub files: Vec<String>,
    /// The same as an encoded `FileDescriptorSet`, with imports, extension options, positions
    /// and comments.
    pub descriptor_set: Vec<u8>,
    /// The files on disk that were read, for `cargo::rerun-if-changed`.
    pub paths: Vec<PathBuf>,
    /// Texts of the files, as far as they are known, for errors that show the line.
    pub(crate) texts: Texts,
}

#[cfg(test)]
impl Loaded {
    /// Links descriptors that no compiler has seen, for tests that make up wrong ones.
    pub(crate) fn from_descriptor_set(
        descriptor_set: &[u8],
        files: &[&str],
    ) -> Result<Self, Diagnostics> {
        Ok(Self {
            pool: faults::link(descriptor_set, &Texts::new())?,
            files: files.iter().map(|name| (*name).to_owned()).collect(),
            descriptor_set: descriptor_set.to_vec(),
            paths: Vec::new(),
            texts: Texts::new(),
        })
    }
}

/// Reads and links protos.
///
/// `google/protobuf/*.proto` and the few files of `google/api` that carry annotations are built
/// in; a file of the same name in an include folder comes first.
///
/// # Errors
/// When a file is missing or wrong; with its position.
pub fn load_protos(sources: &Sources) -> Result<Loaded, Diagnostics> {
    let found = Rc::new(RefCell::new(Found::default()));
    let mut compiler = Compiler::with_file_resolver(Resolver::new(sources, Rc::clone(&found)));
    compiler.include_imports(true).include_source_info(true);

    let mut diagnostics = Diagnostics::new();
    let mut files = Vec::new();
    if sources.files.is_empty() {
        let nothing = Diagnostic::new(Origin::default(), "no proto file was asked for");
        diagnostics.push(nothing.hint("name at least one file to generate from"));
    }
    for path in &sources.files {
        match compiler.open_file(path) {
            Ok(_) => files.extend(newly_asked_for(&compiler, &files)),
            Err(error) => {
                let fault = found.borrow_mut().fault.take();
                diagnostics.append(match fault {
                    Some(fault) => fault.into(),
                    None => faults::of_compiler(&error, path, sources, &found.borrow()),
                });
            }
        }
    }
    let texts = std::mem::take(&mut found.borrow_mut().texts);
    diagnostics
        .into_result(())
        .map_err(|faults| faults.with_texts(&texts))?;

    // The typed descriptor set of the compiler drops extension options, `google.api.http` among
    // them; the encoded form keeps them.
    let descriptor_set = compiler.encode_file_descriptor_set();
    let pool = faults::link(&descriptor_set, &texts)?;
    let paths = compiler
        .files()
        .filter_map(|file| file.path().map(Path::to_path_buf))
        .collect();
    Ok(Loaded {
        pool,
        files,
        descriptor_set,
        paths,
        texts,
    })
}

/// The proto name of the file that was opened last; none when it had been asked for before.
fn newly_asked_for(compiler: &Compiler, known: &[String]) -> Option<String> {
    let mut asked_for = compiler
        .files()
        .filter(|file| !file.is_import())
        .map(protox::file::FileMetadata::name);
    asked_for
        .find(|name| !known.iter().any(|k| k == name))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests;

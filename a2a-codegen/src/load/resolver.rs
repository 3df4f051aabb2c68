//! Finds files by name: in memory, in the include folders, among those that are built in.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use prost_reflect::prost_types::FileDescriptorProto;
use protox::Error;
use protox::file::{File, FileResolver, GoogleFileResolver, IncludeFileResolver};

use super::Sources;
use super::nesting::{MAX_DEPTH, too_deep};
use crate::diagnostics::{Diagnostic, Texts, line_and_column};
use crate::model::Origin;

/// The annotations that schemas import, so that users need no copies of their own.
const BUILT_IN: [(&str, &str); 5] = [
    (
        "google/api/annotations.proto",
        include_str!("../../proto/google/api/annotations.proto"),
    ),
    (
        "google/api/client.proto",
        include_str!("../../proto/google/api/client.proto"),
    ),
    (
        "google/api/field_behavior.proto",
        include_str!("../../proto/google/api/field_behavior.proto"),
    ),
    (
        "google/api/http.proto",
        include_str!("../../proto/google/api/http.proto"),
    ),
    (
        "google/api/httpbody.proto",
        include_str!("../../proto/google/api/httpbody.proto"),
    ),
];

/// What was found on the way: the compiler does not hand out what it read.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) texts: Texts,
    /// The files that could be parsed, not linked yet.
    pub(super) parsed: Vec<FileDescriptorProto>,
    /// A fault of a text that the compiler was kept from reading.
    pub(super) fault: Option<Diagnostic>,
}

pub(super) struct Resolver {
    virtual_files: BTreeMap<String, String>,
    folders: Vec<PathBuf>,
    includes: Vec<IncludeFileResolver>,
    google: GoogleFileResolver,
    found: Rc<RefCell<Found>>,
}

impl Resolver {
    pub(super) fn new(sources: &Sources, found: Rc<RefCell<Found>>) -> Self {
        Self {
            virtual_files: sources.virtual_files.clone(),
            folders: sources.includes.clone(),
            includes: sources
                .includes
                .iter()
                .cloned()
                .map(IncludeFileResolver::new)
                .collect(),
            google: GoogleFileResolver::new(),
            found,
        }
    }

    /// Keeps a text for errors, and looks whether the compiler can bear it.
    fn keep(&self, name: &str, text: &str) -> Result<(), Error> {
        let mut found = self.found.borrow_mut();
        found.texts.insert(name.to_owned(), Arc::from(text));
        let Some(offset) = too_deep(text) else {
            return Ok(());
        };
        let (line, column) = line_and_column(text, offset);
        let origin = Origin {
            file: name.into(),
            line,
            column,
            ..Origin::default()
        };
        let message = format!("brackets are nested more than {MAX_DEPTH} deep");
        found.fault = Some(
            Diagnostic::new(origin, message.as_str())
                .hint("flatten the messages or option values here"),
        );
        Err(Error::new(message))
    }

    fn read_text(&self, name: &str, text: &str) -> Result<File, Error> {
        self.keep(name, text)?;
        File::from_source(name, text)
    }

    fn read_folder(
        &self,
        include: &IncludeFileResolver,
        folder: &Path,
        name: &str,
    ) -> Result<File, Error> {
        // The compiler reads the file once more; what cannot be read is its to report.
        if let Ok(text) = std::fs::read_to_string(folder.join(name)) {
            self.keep(name, &text)?;
        }
        include.open_file(name)
    }
}

impl FileResolver for Resolver {
    fn resolve_path(&self, path: &Path) -> Option<String> {
        // A name in memory is a name already, even where it looks like a path on disk.
        if path
            .to_str()
            .is_some_and(|name| self.virtual_files.contains_key(name))
        {
            return None;
        }
        self.includes
            .iter()
            .find_map(|include| include.resolve_path(path))
    }

    fn open_file(&self, name: &str) -> Result<File, Error> {
        let file = self.find(name)?;
        self.found
            .borrow_mut()
            .parsed
            .push(file.file_descriptor_proto().clone());
        Ok(file)
    }
}

impl Resolver {
    fn find(&self, name: &str) -> Result<File, Error> {
        if let Some(text) = self.virtual_files.get(name) {
            return self.read_text(name, text);
        }
        for (include, folder) in self.includes.iter().zip(&self.folders) {
            match self.read_folder(include, folder, name) {
                Err(error) if error.is_file_not_found() => {}
                answer => return answer,
            }
        }
        if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            return self.read_text(name, text);
        }
        self.google.open_file(name)
    }
}

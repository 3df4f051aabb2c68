//! `a2a.toml`: what a project generates.
//!
//! Comes in: the file. Goes out: builders of the generator, each with the file that it writes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use a2a_codegen::emit::Paths;
use a2a_codegen::write::GeneratedFile;
use a2a_codegen::{AdapterBuilder, Builder, Document, Emit, Error};
use serde::Deserialize;

mod adapter;

use adapter::Adapter;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// How a reader of this project writes the files again.
    #[serde(default = "command")]
    pub(crate) command: String,
    #[serde(default)]
    api: Vec<Api>,
    #[serde(default)]
    adapter: Vec<Adapter>,
}

/// What writes a file.
pub(crate) enum Job {
    Api(Box<Builder>),
    Document(Box<Builder>, Document),
    Adapter(Box<AdapterBuilder>),
}

impl Job {
    /// The file.
    ///
    /// # Errors
    /// Those of the generator.
    pub(crate) fn generate(&self) -> Result<GeneratedFile, Error> {
        match self {
            Self::Api(builder) => builder.generate(),
            Self::Document(builder, document) => builder.document(*document),
            Self::Adapter(builder) => builder.generate(),
        }
    }
}

fn command() -> String {
    "cargo a2a generate".to_owned()
}

/// Protos that are read together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Api {
    protos: Vec<PathBuf>,
    #[serde(default)]
    includes: Vec<PathBuf>,
    profile: Option<PathBuf>,
    /// Modules of packages that are written elsewhere.
    #[serde(default)]
    packages: BTreeMap<String, String>,
    output: Vec<Output>,
}

/// A file that is written from them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Output {
    path: PathBuf,
    /// All parts when there is no such line.
    emit: Option<Vec<Part>>,
    /// Whether services have typed clients; they do when there is no such line.
    client: Option<bool>,
    /// Where `a2a-kit` is.
    kit: Option<String>,
    /// Where `a2a-wire` is.
    wire: Option<String>,
    /// Where the messages are.
    types: Option<String>,
    /// Where the errors are.
    errors: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Part {
    Messages,
    Services,
    Errors,
    #[serde(rename = "openapi")]
    OpenApi,
    JsonSchema,
    Markdown,
}

impl Part {
    /// The document that it is, in place of code.
    fn document(self) -> Option<Document> {
        match self {
            Self::OpenApi => Some(Document::OpenApi),
            Self::JsonSchema => Some(Document::JsonSchema),
            Self::Markdown => Some(Document::Markdown),
            Self::Messages | Self::Services | Self::Errors => None,
        }
    }

    fn code(self) -> Option<Emit> {
        match self {
            Self::Messages => Some(Emit::Messages),
            Self::Services => Some(Emit::Services),
            Self::Errors => Some(Emit::Errors),
            Self::OpenApi | Self::JsonSchema | Self::Markdown => None,
        }
    }
}

impl Config {
    /// Reads the file.
    ///
    /// # Errors
    /// A sentence.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        let config: Self = toml::from_str(&text)
            .map_err(|error| format!("{}: {}", path.display(), error.to_string().trim_end()))?;
        if config.api.is_empty() && config.adapter.is_empty() {
            return Err(format!(
                "{} asks for nothing; write an [[api]] with its protos and an [[api.output]]",
                path.display()
            ));
        }
        let mut outputs = config.api.iter().flat_map(|api| &api.output);
        if let Some(output) = outputs.find(|output| output.mixes()) {
            return Err(format!(
                "{}: {} mixes a document with something else; give openapi, json-schema and markdown \
                 an [[api.output]] each",
                path.display(),
                output.path.display()
            ));
        }
        Ok(config)
    }

    /// The builders, and where what they generate belongs, relative to the folder of the file.
    pub(crate) fn outputs<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = (&'a Path, Job)> {
        let apis = self.api.iter().flat_map(move |api| {
            api.output.iter().map(move |output| {
                let builder = Box::new(output.builder(api, folder));
                let job = match output.document() {
                    Some(document) => Job::Document(builder, document),
                    None => Job::Api(builder),
                };
                (output.path.as_path(), job)
            })
        });
        let adapters = self
            .adapter
            .iter()
            .flat_map(move |adapter| adapter.outputs(folder));
        apis.chain(adapters.map(|(path, builder)| (path, Job::Adapter(Box::new(builder)))))
    }
}

impl Output {
    /// The document that it is, in place of code.
    fn document(&self) -> Option<Document> {
        match self.emit.as_deref() {
            Some([part]) => part.document(),
            _ => None,
        }
    }

    fn mixes(&self) -> bool {
        let parts = self.emit.as_deref().unwrap_or_default();
        parts.len() > 1 && parts.iter().any(|part| part.document().is_some())
    }

    fn builder(&self, api: &Api, folder: &Path) -> Builder {
        let mut builder = Builder::new().paths(self.paths(api));
        for proto in &api.protos {
            builder = builder.file(folder.join(proto));
        }
        for include in &api.includes {
            builder = builder.include(folder.join(include));
        }
        if let Some(profile) = &api.profile {
            builder = builder.profile(folder.join(profile));
        }
        if let Some(module) = &self.errors {
            builder = builder.errors_module(module);
        }
        if let Some(wanted) = self.client {
            builder = builder.client(wanted);
        }
        if let Some(parts) = &self.emit {
            builder = builder.emit(parts.iter().filter_map(|part| part.code()));
        }
        builder
    }

    fn paths(&self, api: &Api) -> Paths {
        let mut paths = Paths {
            packages: api.packages.clone(),
            ..Paths::default()
        };
        if let Some(kit) = &self.kit {
            paths.kit.clone_from(kit);
            paths.wire = format!("{kit}::wire");
        }
        if let Some(wire) = &self.wire {
            paths.wire.clone_from(wire);
        }
        if let Some(types) = &self.types {
            paths.types.clone_from(types);
        }
        paths
    }
}

//! `a2a.toml`: what a project generates.
//!
//! Comes in: the file. Goes out: builders of the generator, each with the file that it writes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use a2a_codegen::emit::Paths;
use a2a_codegen::write::GeneratedFile;
use a2a_codegen::{AdapterBuilder, Builder, Emit, Error};
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
        Ok(config)
    }

    /// The builders, and where what they generate belongs, relative to the folder of the file.
    pub(crate) fn outputs<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = (&'a Path, Job)> {
        let apis = self.api.iter().flat_map(move |api| {
            api.output.iter().map(move |output| {
                (
                    output.path.as_path(),
                    Job::Api(Box::new(output.builder(api, folder))),
                )
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
            builder = builder.emit(parts.iter().map(|part| match part {
                Part::Messages => Emit::Messages,
                Part::Services => Emit::Services,
                Part::Errors => Emit::Errors,
            }));
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

//! `[[adapter]]` in `a2a.toml`: what a project generates between two versions of a protocol.

use std::path::{Path, PathBuf};

use a2a_codegen::emit::adapter::AdapterPaths;
use a2a_codegen::{AdapterBuilder, AdapterEmit, Version};
use serde::Deserialize;

/// Two versions, and the rules between them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Adapter {
    old: OldSources,
    new: NewSources,
    rules: PathBuf,
    output: Vec<Output>,
}

/// The older version.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OldSources {
    protos: Vec<PathBuf>,
    #[serde(default)]
    includes: Vec<PathBuf>,
    profile: Option<PathBuf>,
    /// Its JSON schema, where it has one beside its proto.
    schema: Option<PathBuf>,
}

/// The newer version.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewSources {
    protos: Vec<PathBuf>,
    #[serde(default)]
    includes: Vec<PathBuf>,
    profile: Option<PathBuf>,
}

/// A file that is written from them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Output {
    path: PathBuf,
    emit: Vec<Part>,
    /// Where `a2a-kit` is.
    kit: Option<String>,
    /// Where `a2a-wire` is.
    wire: Option<String>,
    /// Where the older messages are.
    old: Option<String>,
    /// Where the newer messages are.
    new: Option<String>,
    /// Where the codecs of the older JSON schema are.
    json: Option<String>,
    /// Where the hooks are that the rules name.
    hooks: Option<String>,
    /// Where the newer services are.
    new_services: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Part {
    ProtoAdapters,
    JsonCodecs,
    Services,
}

impl Adapter {
    /// The builders, and where what they generate belongs.
    pub(super) fn outputs<'a>(
        &'a self,
        folder: &'a Path,
    ) -> impl Iterator<Item = (&'a Path, AdapterBuilder)> {
        self.output
            .iter()
            .map(move |output| (output.path.as_path(), self.builder(output, folder)))
    }

    fn builder(&self, output: &Output, folder: &Path) -> AdapterBuilder {
        let old = &self.old;
        let new = &self.new;
        let builder = AdapterBuilder::new()
            .old(version(
                &old.protos,
                &old.includes,
                old.profile.as_ref(),
                folder,
            ))
            .new_version(version(
                &new.protos,
                &new.includes,
                new.profile.as_ref(),
                folder,
            ))
            .rules(folder.join(&self.rules))
            .emit(output.emit.iter().map(|part| match part {
                Part::ProtoAdapters => AdapterEmit::ProtoAdapters,
                Part::JsonCodecs => AdapterEmit::JsonCodecs,
                Part::Services => AdapterEmit::Services,
            }))
            .paths(output.paths());
        match &old.schema {
            Some(schema) => builder.old_schema(folder.join(schema)),
            None => builder,
        }
    }
}

fn version(
    protos: &[PathBuf],
    includes: &[PathBuf],
    profile: Option<&PathBuf>,
    folder: &Path,
) -> Version {
    let mut version = Version::new();
    for proto in protos {
        version = version.file(folder.join(proto));
    }
    for include in includes {
        version = version.include(folder.join(include));
    }
    match profile {
        Some(profile) => version.profile(folder.join(profile)),
        None => version,
    }
}

impl Output {
    fn paths(&self) -> AdapterPaths {
        let mut paths = AdapterPaths::default();
        if let Some(kit) = &self.kit {
            paths.kit.clone_from(kit);
            paths.wire = format!("{kit}::wire");
        }
        let given = [
            (&self.wire, &mut paths.wire),
            (&self.old, &mut paths.old),
            (&self.new, &mut paths.new),
            (&self.json, &mut paths.json),
            (&self.hooks, &mut paths.hooks),
        ];
        for (given, path) in given {
            if let Some(given) = given {
                path.clone_from(given);
            }
        }
        // Services are beside their messages unless they are said to be elsewhere.
        paths
            .new_services
            .clone_from(self.new_services.as_ref().unwrap_or(&paths.new));
        paths
    }
}

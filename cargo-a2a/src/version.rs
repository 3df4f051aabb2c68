//! Versions: built in by name, or on disk by the path of a proto.
//!
//! Comes in: what the user typed. Goes out: models, profile and schema, or a sentence that says
//! what to type instead.

use std::path::{Path, PathBuf};

use a2a_codegen::Builder;
use a2a_codegen::diagnostics::Diagnostics;
use a2a_codegen::load::{SchemaSource, Sources, load_protos, load_schema};
use a2a_codegen::lower::{lower, lower_schema};
use a2a_codegen::model::Api;
use a2a_codegen::profile::{Profile, read_profile};
use a2a_codegen::report::Version;

use crate::exit::Failure;

/// A version of A2A that this command brings along.
struct BuiltIn {
    name: &'static str,
    proto: (&'static str, &'static str),
    profile: (&'static str, &'static str),
    schema: Option<(&'static str, &'static str)>,
}

/// A file of the repository, with the name that faults use.
macro_rules! built_in {
    ($path:literal) => {
        (
            $path,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/proto/", $path)),
        )
    };
}

const BUILT_IN: [BuiltIn; 2] = [
    BuiltIn {
        name: "0.3",
        proto: built_in!("a2a/v0.3/a2a.proto"),
        profile: built_in!("a2a/v0.3/profile.toml"),
        schema: Some(built_in!("a2a/v0.3/a2a.schema.json")),
    },
    BuiltIn {
        name: "1.0",
        proto: built_in!("a2a/v1.0/a2a.proto"),
        profile: built_in!("a2a/v1.0/profile.toml"),
        schema: None,
    },
];

/// The rules that are built in, where both versions are.
pub(crate) fn rules(old: &str, new: &str) -> Option<(String, String)> {
    let (name, text) = built_in!("a2a/v0.3-to-v1.0.toml");
    ((old, new) == ("0.3", "1.0")).then(|| (name.to_owned(), text.to_owned()))
}

/// A version that has been read.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) api: Api,
    pub(crate) schema: Option<Api>,
    pub(crate) profile: Profile,
}

impl Loaded {
    /// Reads what the user typed.
    pub(crate) fn read(typed: &str, includes: &[PathBuf]) -> Result<Self, Failure> {
        if let Some(version) = BUILT_IN.iter().find(|version| version.name == typed) {
            let (name, text) = version.proto;
            let sources = Sources::new().virtual_file(name, text).file(name);
            let schema = version
                .schema
                .map(|(name, text)| SchemaSource::text(name, text));
            let (name, text) = version.profile;
            return Self::new(typed, &sources, Some((name, text)), schema.as_ref());
        }
        let path = Path::new(typed);
        check(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut sources = Sources::new().file(path);
        for include in includes {
            sources = sources.include(include);
        }
        if let Some(own) = own_include(path, includes) {
            sources = sources.include(own);
        }
        let profile = folder.join("profile.toml");
        let profile_name = profile.display().to_string();
        let text = match profile.is_file() {
            true => Some(std::fs::read_to_string(&profile).map_err(|error| {
                Failure::tool(format!("{profile_name} cannot be read: {error}"))
            })?),
            false => None,
        };
        let schema = path.with_extension("schema.json");
        let schema = schema.is_file().then(|| SchemaSource::file(&schema));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::new(
            &stem,
            &sources,
            text.as_deref().map(|text| (profile_name.as_str(), text)),
            schema.as_ref(),
        )
    }

    fn new(
        name: &str,
        sources: &Sources,
        profile: Option<(&str, &str)>,
        schema: Option<&SchemaSource>,
    ) -> Result<Self, Failure> {
        let read = || -> Result<Self, Diagnostics> {
            let profile = match profile {
                Some((name, text)) => read_profile(text, name)?,
                None => Profile::default(),
            };
            let api = lower(&load_protos(sources)?, &profile)?;
            let schema = match schema {
                Some(schema) => Some(lower_schema(&load_schema(schema)?)?),
                None => None,
            };
            let name = profile.version.clone().unwrap_or_else(|| name.to_owned());
            Ok(Self {
                name,
                api,
                schema,
                profile,
            })
        };
        read().map_err(|faults| failure(&faults))
    }

    pub(crate) fn version(&self) -> Version<'_> {
        Version {
            name: &self.name,
            api: &self.api,
            schema: self.schema.as_ref(),
            profile: &self.profile,
        }
    }
}

/// A builder for what the user typed, with the profile that belongs to it.
pub(crate) fn builder(typed: &str, includes: &[PathBuf]) -> Result<Builder, Failure> {
    if let Some(version) = BUILT_IN.iter().find(|version| version.name == typed) {
        let (name, text) = version.proto;
        let builder = Builder::new().virtual_file(name, text).file(name);
        let (name, text) = version.profile;
        return Ok(builder.virtual_profile(name, text));
    }
    let path = Path::new(typed);
    check(path)?;
    let mut builder = Builder::new().file(path);
    for include in includes {
        builder = builder.include(include);
    }
    if let Some(own) = own_include(path, includes) {
        builder = builder.include(own);
    }
    let profile = path.with_file_name("profile.toml");
    if profile.is_file() {
        builder = builder.profile(profile);
    }
    Ok(builder)
}

/// The folder of a proto, where no other one has it. An empty path is no folder to the compiler.
fn own_include<'a>(path: &'a Path, includes: &[PathBuf]) -> Option<&'a Path> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let own = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let has = includes.iter().any(|include| path.starts_with(include));
    (!has).then_some(own)
}

/// Faults with the lines that are wrong.
pub(crate) fn failure(faults: &Diagnostics) -> Failure {
    Failure::tool(faults.render().trim_end())
}

/// Says what to type where a path cannot be a version.
fn check(path: &Path) -> Result<(), Failure> {
    let shown = path.display();
    if path.is_dir() {
        let entries = std::fs::read_dir(path)?.flatten();
        let mut protos: Vec<String> = entries
            .map(|entry| entry.path())
            .filter(|path| is_proto(path))
            .map(|path| path.display().to_string())
            .collect();
        protos.sort();
        return Err(Failure::tool(match protos.as_slice() {
            [] => format!("{shown} is a folder without a .proto; name a .proto file"),
            some => format!(
                "{shown} is a folder; name the proto in it: {}",
                some.join(" or ")
            ),
        }));
    }
    let names: Vec<&str> = BUILT_IN.iter().map(|version| version.name).collect();
    let names = names.join(" and ");
    if !path.exists() {
        return Err(Failure::tool(format!(
            "there is no version and no file `{shown}`; built in are {names}, any other version is \
             the path of a .proto"
        )));
    }
    if !is_proto(path) {
        return Err(Failure::tool(format!(
            "{shown} is no .proto; a version is named by its proto, and the JSON schema and \
             profile.toml beside it belong to it"
        )));
    }
    Ok(())
}

fn is_proto(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "proto")
}

//! `cargo a2a generate`: writes generated files, or checks that they are current.

use std::path::{Path, PathBuf};

use a2a_codegen::write::{compare, write_if_changed};
use a2a_codegen::{Document, Emit};

use crate::config::Config;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::version;

/// The file that is looked for.
const CONFIG: &str = "a2a.toml";

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --from, a2a.toml says what is generated. With it, no a2a.toml is needed:

  cargo a2a generate --from 1.0 --emit openapi --out openapi.json
  cargo a2a generate --from proto/library.proto --emit messages,server")]
pub(crate) struct Arguments {
    /// What to generate; by default the a2a.toml of this folder or of the nearest one above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Generate from this proto, or version (0.3, 1.0), with its profile.toml beside it
    #[arg(long, value_name = "PROTO|VERSION", conflicts_with = "config")]
    from: Option<String>,
    /// What to generate: documents one at a time, the others together
    #[arg(
        long,
        value_name = "PARTS",
        value_enum,
        value_delimiter = ',',
        requires = "from"
    )]
    emit: Vec<Part>,
    /// A folder in which protos and their imports are looked up; that of the proto itself is one
    #[arg(long, value_name = "FOLDER", requires = "from")]
    include: Vec<PathBuf>,
    /// Where to write it; standard output by default
    #[arg(long, value_name = "FILE", requires = "from")]
    out: Option<PathBuf>,
    /// Write nothing; fail with exit code 6 when a file is not as it would be written
    #[arg(long)]
    check: bool,
}

/// What is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Message types, with protobuf and JSON
    Messages,
    /// Service traits, their routers and tables, and the protocol's errors
    Server,
    /// Typed clients, beside what a server has
    Client,
    /// Adapters between two versions; they are asked for in a2a.toml
    Adapter,
    /// OpenAPI 3.1 of the HTTP binding
    Openapi,
    /// JSON schema 2020-12 of the messages
    JsonSchema,
    /// A reference page of operations, routes and fields
    Markdown,
}

impl Part {
    fn document(self) -> Option<Document> {
        match self {
            Self::Openapi => Some(Document::OpenApi),
            Self::JsonSchema => Some(Document::JsonSchema),
            Self::Markdown => Some(Document::Markdown),
            Self::Messages | Self::Server | Self::Client | Self::Adapter => None,
        }
    }
}

/// Generates one file from a proto, without an `a2a.toml`.
fn one(from: &str, arguments: &Arguments, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let parts = arguments.emit.as_slice();
    if parts.contains(&Part::Adapter) {
        return Err(Failure::usage(
            "an adapter stands between two versions and needs rules; ask for it in a2a.toml, with \
             [[adapter]], [adapter.old] and [adapter.new]",
        ));
    }
    let builder = version::builder(from, &arguments.include)?;
    let document = parts.iter().find_map(|part| part.document());
    let file = match (document, parts) {
        (Some(document), [_]) => builder.document(document),
        (Some(_), _) => {
            return Err(Failure::usage(
                "openapi, json-schema and markdown are files of their own; ask for one at a time",
            ));
        }
        (None, []) => builder.generate(),
        (None, parts) => {
            let mut code = Vec::new();
            if parts.contains(&Part::Messages) {
                code.push(Emit::Messages);
            }
            if parts.contains(&Part::Server) || parts.contains(&Part::Client) {
                code.extend([Emit::Services, Emit::Errors]);
            }
            let client = parts.contains(&Part::Client);
            builder.emit(code).client(client).generate()
        }
    };
    let file = file.map_err(Failure::tool)?;
    let Some(path) = &arguments.out else {
        if arguments.check {
            return Err(Failure::usage("--check needs --out, the file to look at"));
        }
        console.print(&file.text)?;
        return Ok(Exit::Done);
    };
    let shown = path.display();
    let fault = |error: std::io::Error| Failure::tool(format!("{shown}: {error}"));
    if arguments.check {
        return match compare(path, &file.text).map_err(fault)? {
            Some(difference) => {
                console.line(&format!("{shown} {difference}"))?;
                Err(Failure::Check)
            }
            None => {
                console.line(&format!("{shown} is current"))?;
                Ok(Exit::Done)
            }
        };
    }
    if write_if_changed(path, &file.text).map_err(fault)? {
        console.line(&format!("wrote {shown}"))?;
    } else {
        console.line(&format!("{shown} is current"))?;
    }
    Ok(Exit::Done)
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console<'_>) -> Result<Exit, Failure> {
    if let Some(from) = &arguments.from {
        return one(from, arguments, console);
    }
    let path = match &arguments.config {
        Some(path) => path.clone(),
        None => find()?,
    };
    let config = Config::read(&path).map_err(Failure::Tool)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut stale = 0;
    let mut files = 0;
    for (target, job) in config.outputs(folder) {
        let file = job
            .generate()
            .map_err(|error| Failure::tool(format!("{}:\n{error}", target.display())))?;
        let (shown, target) = (target.display(), folder.join(target));
        let fault = |error: std::io::Error| Failure::tool(format!("{shown}: {error}"));
        files += 1;
        if arguments.check {
            if let Some(difference) = compare(&target, &file.text).map_err(fault)? {
                stale += 1;
                console.line(&format!("{shown} {difference}"))?;
            }
        } else if write_if_changed(&target, &file.text).map_err(fault)? {
            console.line(&format!("wrote {shown}"))?;
        } else {
            console.line(&format!("{shown} is current"))?;
        }
    }
    if stale > 0 {
        console.line(&format!(
            "{stale} of {files} generated files are not current; write them again with `{}`",
            config.command
        ))?;
        return Err(Failure::Check);
    }
    if arguments.check {
        console.line(&format!("{files} generated files are current"))?;
    }
    Ok(Exit::Done)
}

/// The nearest `a2a.toml`, as a short path where it can be.
fn find() -> Result<PathBuf, Failure> {
    if Path::new(CONFIG).is_file() {
        return Ok(PathBuf::from(CONFIG));
    }
    let here = std::env::current_dir()?;
    let found = here
        .ancestors()
        .map(|folder| folder.join(CONFIG))
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        Failure::tool(format!(
            "there is no {CONFIG} in {} or above it; write one, or name one with --config",
            here.display()
        ))
    })
}

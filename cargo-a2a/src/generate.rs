//! `cargo a2a generate`: writes generated files, or checks that they are current.

use std::path::{Path, PathBuf};

use a2a_codegen::write::{compare, write_if_changed};

use crate::config::Config;
use crate::console::Console;
use crate::exit::{Exit, Failure};

/// The file that is looked for.
const CONFIG: &str = "a2a.toml";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What to generate; by default the a2a.toml of this folder or of the nearest one above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write nothing; fail with exit code 6 when a file is not as it would be written
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console<'_>) -> Result<Exit, Failure> {
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

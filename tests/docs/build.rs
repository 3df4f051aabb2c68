//! Makes a function of every Rust snippet of the guide.
//!
//! Comes in: the pages. Goes out: `snippets.rs`, with a module for each page and a table of what is
//! to be run; and the code that the pages use: of the inventory, and of the two versions whose protos
//! and rules stand in a page. A snippet is compiled as it stands, so that a page needs no lines that
//! its readers do not see.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use a2a_codegen::{AdapterBuilder, AdapterEmit, Builder, Version};

#[path = "src/files.rs"]
#[allow(unreachable_pub, reason = "the library has it too")]
mod files;

const PAGES: [&str; 10] = [
    "README.md",
    "docs/agents.md",
    "docs/callers.md",
    "docs/calling-agents.md",
    "docs/limits.md",
    "docs/running-agents.md",
    "docs/skill-schemas.md",
    "docs/versions.md",
    "docs/your-own-service.md",
    files::PAGE,
];

/// What the words behind the three ticks may be, and whether the snippet is run.
const KINDS: [(&str, bool); 2] = [("rust", true), ("rust,no_run", false)];

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let inventory = root.join("examples/custom-service/proto");
    Builder::new()
        .file(inventory.join("inventory.proto"))
        .include(&inventory)
        .profile(inventory.join("inventory.toml"))
        .compile()?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    versions(&root, &out)?;

    let (mut code, mut table) = (String::new(), String::new());
    for page in PAGES {
        let path = root.join(page);
        println!("cargo:rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| format!("{page}: {error}"))?;
        for snippet in snippets(page, &text)? {
            snippet.write(&mut code, &mut table)?;
        }
    }
    writeln!(
        code,
        "/// The snippets that are run.\npub const SNIPPETS: &[crate::Snippet] = &[\n{table}];"
    )?;
    fs::write(out.join("snippets.rs"), code)?;
    Ok(())
}

/// Generates what the page on two versions has its readers generate, from the files in it.
fn versions(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let page = fs::read_to_string(root.join(files::PAGE))?;
    let folder = out.join("proto");
    for (name, text) in files::files(&page) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        fs::write(path, text)?;
    }
    let proto = |version: &str| format!("{version}/parcels.proto");
    for version in ["v1", "v2"] {
        Builder::new()
            .file(folder.join(proto(version)))
            .include(&folder)
            .file_name(format!("parcels_{version}.rs"))
            .compile()?;
    }
    let version = |name: &str| Version::new().file(proto(name)).include(&folder);
    AdapterBuilder::new()
        .old(version("v1"))
        .new_version(version("v2"))
        .rules(folder.join("v1-to-v2.toml"))
        .emit([AdapterEmit::ProtoAdapters, AdapterEmit::Services])
        .compile()?;
    Ok(())
}

struct Snippet<'a> {
    page: &'a str,
    line: usize,
    run: bool,
    text: String,
}

fn snippets<'a>(page: &'a str, text: &str) -> Result<Vec<Snippet<'a>>, Box<dyn Error>> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        // Snippets in lists are indented.
        let Some(kind) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        let body: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| line.trim_start() != "```")
            .collect();
        if !kind.starts_with("rust") {
            continue;
        }
        let Some((_, run)) = KINDS.iter().find(|(name, _)| *name == kind) else {
            return Err(format!("{page}:{}: {kind} is none of {KINDS:?}", index + 1).into());
        };
        found.push(Snippet {
            page,
            line: index + 1,
            run: *run,
            text: body.join("\n"),
        });
    }
    if found.is_empty() {
        return Err(format!("{page} has no Rust").into());
    }
    Ok(found)
}

impl Snippet<'_> {
    fn write(&self, code: &mut String, table: &mut String) -> std::fmt::Result {
        let Self {
            page, line, text, ..
        } = self;
        let page_name: String = page
            .to_lowercase()
            .chars()
            .map(|letter| {
                if letter.is_ascii_alphanumeric() {
                    letter
                } else {
                    '_'
                }
            })
            .collect();
        let name = format!("{page_name}_line_{line}");
        writeln!(
            code,
            "/// {page}, line {line}.\n#[allow(unused, missing_docs, unreachable_pub, reason = \"it shows something\")]"
        )?;
        // What is a module, or a whole program, is no body of a function.
        if text.contains("fn main()") || text.contains("include!(") {
            return writeln!(code, "pub mod {name} {{\n{text}\n}}");
        }
        writeln!(
            code,
            "pub async fn {name}(client: ::a2a_kit::client::Client, task: ::a2a_kit::v1_0::Task) -> crate::Outcome {{\n{text}\nOk(())\n}}"
        )?;
        if self.run {
            writeln!(
                table,
                "crate::Snippet {{ place: \"{page}:{line}\", run: |client, task| Box::pin({name}(client, task)) }},"
            )?;
        }
        Ok(())
    }
}

//! What the attributes add to the public face of a crate: what rustdoc shows of it, and nothing else.
//!
//! rustdoc is called by hand with the library that this test is linked to, since its JSON is not
//! stable and a second cargo would build everything once more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// Items, and what their pages show apart from what every type has.
const PUBLIC: &[&str] = &[
    "enum CheckError",
    "enum CheckError: variant.Unknown",
    "enum CheckError: impl-Failure-for-CheckError",
    "enum CheckError: associatedconstant.REASONS",
    "enum CheckError: method.reason",
    "enum CheckError: method.into_error",
    "fn inner_card",
    "struct Checks",
    "struct Checks: structfield.limit",
    "struct Checks: impl-Checks",
    "struct Checks: impl-Checks-1",
    "struct Checks: method.into_agent",
    "struct Checks: method.card",
    "struct Checks: method.check",
    "struct Checks: impl-AgentSpec-for-Checks",
    "struct Checks: associatedconstant.STREAMING",
    "struct Checks: method.description",
    "struct Checks: impl-Skills-for-Checks",
    "struct Checks: method.skills",
];

/// The libraries of the kit beside this test, the newest first: others may have other features.
fn libraries(deps: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(SystemTime, PathBuf)> = fs::read_dir(deps)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| {
            let name = entry.file_name().into_string().unwrap_or_default();
            name.starts_with("liba2a_kit-") && name.ends_with(".rlib")
        })
        .map(|entry| (entry.metadata().unwrap().modified().unwrap(), entry.path()))
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}

/// Writes the documentation of `fixtures/agent.rs` and returns its folder.
fn document() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let deps = test.parent().unwrap();
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public_items");
    let _ = fs::remove_dir_all(&out);
    let rustdoc = Path::new(env!("CARGO")).with_file_name("rustdoc");
    let mut complaints = Vec::new();
    for library in libraries(deps) {
        let output = Command::new(&rustdoc)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args([
                "fixtures/agent.rs",
                "--edition=2024",
                "--crate-type=lib",
                "-Dwarnings",
            ])
            .arg("-L")
            .arg(format!("dependency={}", deps.display()))
            .arg("--extern")
            .arg(format!("a2a_kit={}", library.display()))
            .arg("--out-dir")
            .arg(&out)
            .env("CARGO_PKG_VERSION", "0.0.0")
            .output()
            .unwrap();
        if output.status.success() {
            return out.join("agent");
        }
        complaints.push(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    panic!(
        "rustdoc fails with each library:\n{}",
        complaints.join("\n")
    );
}

/// What stands between `start` and the next `end`, all over a text.
fn between<'a>(text: &'a str, start: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(start)
        .skip(1)
        .filter_map(move |rest| Some(rest.split_once(end)?.0))
}

#[test]
fn rustdoc_shows_what_was_meant_to_be_seen() {
    let folder = document();
    let all = fs::read_to_string(folder.join("all.html")).unwrap();
    let pages: Vec<&str> = between(&all, "href=\"", ".html\"")
        .filter(|page| !page.contains('/') && page.contains('.'))
        .collect();
    let mut found: Vec<String> = Vec::new();
    for page in pages {
        let item = page.replacen('.', " ", 1);
        found.push(item.clone());
        let text = fs::read_to_string(folder.join(format!("{page}.html"))).unwrap();
        // What follows is what every type has.
        let own = text
            .split("id=\"synthetic-implementations\"")
            .next()
            .unwrap();
        let ids = ["<section id=\"", "<span id=\""]
            .into_iter()
            .flat_map(|start| between(own, start, "\""))
            .filter(|id| !["main-content", "rustdoc-toc"].contains(id));
        found.extend(ids.map(|id| format!("{item}: {id}")));
    }
    found.sort();
    let mut public: Vec<String> = PUBLIC.iter().map(|item| (*item).to_owned()).collect();
    public.sort();
    assert_eq!(found, public);
}

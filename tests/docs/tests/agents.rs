//! What README and guide promise about agents.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_smallest_agent_has_less_than_twelve_lines() {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("## Write an agent").expect("the section");
    let snippet = rest.split("```").nth(1).expect("a snippet");
    let lines: Vec<&str> = snippet.trim_end().lines().skip(1).collect();
    assert!(
        lines.iter().any(|line| line.contains("#[a2a_agent")),
        "{lines:?}"
    );
    assert!(lines.len() < 12, "{} lines", lines.len());
}

#[test]
fn variables_of_the_environment_are_the_same_in_the_guide_and_in_the_reference() {
    let table = read("a2a-kit/src/skills/app/environment.md");
    assert!(read("docs/running-agents.md").contains(&table));
    let code = read("a2a-kit/src/skills/app/environment.rs");
    let named = |text: &str| -> Vec<String> {
        let mut found: Vec<String> = text
            .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .filter(|word| word.starts_with("A2A_"))
            .map(str::to_owned)
            .collect();
        found.sort();
        found.dedup();
        found
    };
    assert_eq!(named(&table), named(&code));
}

//! Text, Markdown, JSON and HTML.

use std::collections::BTreeSet;

use super::{folder, printed};

const SECTIONS: [(&str, &str); 10] = [
    ("traps", "Silent traps"),
    ("operations", "Operations"),
    ("parameters", "Parameters"),
    ("other", "Other changes"),
    ("errors", "Errors"),
    ("messages", "Messages and fields"),
    ("enums", "Enums"),
    ("losses", "Losses"),
    ("rules", "Rules to write"),
    ("statistics", "Statistics"),
];

/// The report of the two versions of A2A is committed, so that a change to a schema, a profile or
/// the rules shows what it means to people.
#[test]
fn the_report_of_a2a_is_the_golden_one() {
    for (format, file) in [
        ("text", "a2a-0.3-to-1.0.txt"),
        ("json", "a2a-0.3-to-1.0.json"),
    ] {
        let path = folder("tests/golden").join(file);
        let golden = std::fs::read_to_string(&path)
            .unwrap_or_default()
            .replace("\r\n", "\n");
        let now = printed(&["0.3", "1.0", "--format", format]);
        let differs = golden
            .lines()
            .zip(now.lines())
            .position(|(golden, now)| golden != now);
        let line = differs.unwrap_or_else(|| golden.lines().count().min(now.lines().count()));
        assert!(
            golden == now,
            "{file} is another from line {} on:\n  golden: {}\n  now:    {}\n\
             If that is meant: cargo run -q -p cargo-a2a -- diff 0.3 1.0 --format {format} > \
             cargo-a2a/tests/golden/{file}",
            line + 1,
            golden.lines().nth(line).unwrap_or_default(),
            now.lines().nth(line).unwrap_or_default(),
        );
    }
}

#[test]
fn text_is_for_terminals() {
    let text = printed(&["0.3", "1.0"]);
    assert_eq!(text, printed(&["0.3", "1.0", "--format", "text"]));
    for (_, title) in SECTIONS {
        let underlined = format!("\n{title}\n{}\n", "-".repeat(title.len()));
        assert!(text.contains(&underlined), "{title}");
    }
    assert!(!text.contains('\u{1b}') && !text.contains('`') && !text.contains('\t'));
    assert!(text.lines().all(|line| line == line.trim_end()));
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
}

#[test]
fn markdown_has_a_row_for_each_row() {
    let text = printed(&["0.3", "1.0", "--format", "md"]);
    for (_, title) in SECTIONS {
        assert!(text.contains(&format!("\n## {title}\n")), "{title}");
    }
    let mut columns = 0;
    let mut before = "";
    for line in text.lines() {
        if line.starts_with('|') {
            let cells = line.replace("\\|", "").matches('|').count();
            if !before.starts_with('|') {
                assert_eq!(before, "", "a table needs an empty line before it");
                columns = cells;
            }
            assert_eq!(cells, columns, "{line}");
        }
        before = line;
    }
}

#[test]
fn json_has_all_parts() {
    let text = printed(&["0.3", "1.0", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys: BTreeSet<&str> = report
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let expected = [
        "old",
        "new",
        "rules",
        "traps",
        "operations",
        "facts",
        "errors",
        "messages",
        "enums",
        "losses",
        "missing",
        "statistics",
    ];
    assert_eq!(keys, BTreeSet::from(expected));
    assert_eq!(report["traps"][0]["kind"], "name");
    assert_eq!(report["old"]["name"], "0.3");
    assert_eq!(report["statistics"]["new"]["messages"], 44);
}

#[test]
fn html_is_one_page_that_needs_nothing_else() {
    let page = printed(&["0.3", "1.0", "--format", "html"]);
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    check_tags(&page);
    for (id, title) in SECTIONS {
        assert!(
            page.contains(&format!("<section id=\"{id}\">\n<h2>{title}</h2>")),
            "{id}"
        );
        assert!(
            page.contains(&format!("<a href=\"#{id}\">{title}</a>")),
            "{id}"
        );
    }
    for outside in [
        "http:", "https:", "//", "src=", "<link", "<script", "<img", "<iframe", "@import", "url(",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
    for link in page.split("href=\"").skip(1) {
        assert!(
            link.starts_with('#'),
            "{}",
            link.split('"').next().unwrap_or_default()
        );
    }
    for needed in [
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
        "prefers-color-scheme: dark",
        "@media print",
        "@media screen and (max-width:",
    ] {
        assert!(page.contains(needed), "{needed}");
    }
}

#[test]
fn html_says_what_markdown_says() {
    let page = printed(&["0.3", "1.0", "--format", "html"]);
    let text = without_tags(&page);
    for row in super::tables::read() {
        for cell in &row.cells {
            assert!(text.contains(cell.as_str()), "{cell} of {}", row.table);
        }
    }
    let rows = page.matches("<tr><td").count();
    assert_eq!(rows, super::tables::read().len());
}

/// Every element is closed, in turn.
fn check_tags(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap();
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        let end = tag.find('>').expect("a tag ends");
        let name = tag[..end].split_whitespace().next().unwrap();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "at {}", &tag[..end.min(40)]),
            None if name == "meta" => {}
            None => open.push(name),
        }
        rest = &tag[end + 1..];
        if name == "style" {
            rest = &rest[rest.find("</style>").expect("the style ends")..];
        }
    }
    assert_eq!(open, [""; 0]);
}

fn without_tags(page: &str) -> String {
    let pieces = page
        .split('<')
        .map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    let text: String = pieces.collect();
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

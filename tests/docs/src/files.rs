//! Files that stand in the page on two versions: blocks whose first line is a comment with a path.
//!
//! Comes in: the page. Goes out: paths and texts.

/// The page.
pub const PAGE: &str = "docs/your-own-versions.md";

/// The files of a page.
pub fn files(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.split("\n```").filter_map(|block| {
        let (kind, text) = block.split_once('\n')?;
        let comment = match kind {
            "protobuf" => "// ",
            "toml" => "# ",
            _ => return None,
        };
        let name = text.lines().next()?.strip_prefix(comment)?;
        Some((name, text))
    })
}

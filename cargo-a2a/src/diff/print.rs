//! Prints a report.
//!
//! Comes in: the report and a format. Goes out: its text. The templates know sections and tables
//! only, so none of them can leave something out that another one has.

use a2a_codegen::report::document::Document;
use a2a_codegen::report::model::Report;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, Error, context};

use super::Format;
use crate::exit::Failure;
use crate::layout;

/// The templates, and the format of each.
const TEMPLATES: [(Format, &str, &str); 3] = [
    (
        Format::Text,
        "report.txt",
        include_str!("../../templates/report/report.txt"),
    ),
    (
        Format::Md,
        "report.md",
        include_str!("../../templates/report/report.md"),
    ),
    (
        Format::Html,
        "report.html",
        include_str!("../../templates/report/report.html"),
    ),
];

pub(super) fn print(report: &Report, format: Format) -> Result<String, Failure> {
    let template = TEMPLATES.iter().find(|(of, ..)| *of == format);
    let Some((_, name, text)) = template else {
        let json = serde_json::to_string_pretty(report).map_err(Failure::tool)?;
        return Ok(format!("{json}\n"));
    };
    fill(name, text, &Document::from(report))
        .map_err(|error| Failure::tool(format!("the template {name} is wrong: {error:#}")))
}

fn fill(name: &str, text: &str, document: &Document) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.add_filter("plain", plain);
    environment.add_filter("wrap", |text: &str| {
        layout::wrap(text, layout::WIDTH).join("\n")
    });
    environment.add_filter("rule", |text: &str, line: &str| {
        line.repeat(plain(text).chars().count())
    });
    environment.add_filter("columns", columns);
    environment.add_filter("cell", |text: &str| text.replace('|', "\\|"));
    environment.add_filter("code", code);
    environment.add_template(name, text)?;
    let document = Value::from(Serde(document));
    let text = environment.get_template(name)?.render(context!(document))?;
    Ok(format!("{}\n", text.trim_end()))
}

/// A text without the marks of code.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// A table in columns, for a terminal.
fn columns(table: &Value) -> Result<String, Error> {
    let texts = |cells: Value| -> Result<Vec<String>, Error> {
        let cells = cells.try_iter()?;
        Ok(cells
            .map(|cell| plain(cell.as_str().unwrap_or_default()))
            .collect())
    };
    let mut rows = vec![texts(table.get_attr("columns")?)?];
    for row in table.get_attr("rows")?.try_iter()? {
        rows.push(texts(row)?);
    }
    Ok(layout::columns(&rows))
}

/// A text as HTML: escaped, and what stands in backquotes as code.
fn code(text: &str) -> Value {
    let mut html = String::with_capacity(text.len());
    for (index, piece) in text.split('`').enumerate() {
        let is_code = index % 2 == 1;
        html.push_str(if is_code { "<code>" } else { "" });
        for letter in piece.chars() {
            match letter {
                '&' => html.push_str("&amp;"),
                '<' => html.push_str("&lt;"),
                '>' => html.push_str("&gt;"),
                '"' => html.push_str("&quot;"),
                '\'' => html.push_str("&#39;"),
                other => html.push(other),
            }
        }
        html.push_str(if is_code { "</code>" } else { "" });
    }
    Value::from_safe_string(html)
}

#[cfg(test)]
mod tests {
    use super::{code, plain};

    #[test]
    fn code_is_marked_and_everything_else_is_escaped() {
        let html = code("`a<b>` & \"c\" or `d");
        assert_eq!(
            html.as_str(),
            Some("<code>a&lt;b&gt;</code> &amp; &quot;c&quot; or <code>d</code>")
        );
        assert_eq!(plain("`a` b"), "a b");
    }
}

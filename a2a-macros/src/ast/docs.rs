//! Descriptions, from doc comments.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of the doc comment: lines of a paragraph become one line. `None` without a comment, or
/// with nothing in it.
pub(crate) fn description(attributes: &[Attribute]) -> Option<String> {
    let docs = attributes.iter().filter_map(doc);
    // Not `lines`: an empty doc comment is an empty line.
    let lines: Vec<String> = docs
        .flat_map(|doc| doc.split('\n').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let mut paragraphs: Vec<String> = Vec::new();
    for paragraph in lines.split(|line| line.trim().is_empty()) {
        let words: Vec<&str> = paragraph.iter().map(|line| line.trim()).collect();
        if !words.is_empty() {
            paragraphs.push(words.join(" "));
        }
    }
    (!paragraphs.is_empty()).then(|| paragraphs.join("\n\n"))
}

fn doc(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    if !pair.path.is_ident("doc") {
        return None;
    }
    let mut value = &pair.value;
    // In a macro_rules, fragments come in groups without delimiters.
    while let Expr::Group(group) = value {
        value = &group.expr;
    }
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

//! In: the text of a JSON schema. Out: what each definition declares, as sorted lines.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// Lines by the name of the definition.
pub(crate) type Definitions = BTreeMap<String, Vec<String>>;

/// Keywords that declare nothing.
const ANNOTATIONS: [&str; 3] = ["description", "examples", "title"];

/// Reads a schema. Refuses keywords that it does not know and references that lead nowhere.
pub(crate) fn declared(text: &str) -> Result<Definitions, String> {
    let schema: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let known = ["$schema", "definitions"];
    let is_known = |key: &str| known.contains(&key) || ANNOTATIONS.contains(&key);
    if let Some(key) = schema.keys().find(|key| !is_known(key)) {
        return Err(format!("unknown keyword `{key}` at the top"));
    }
    let Some(Value::Object(definitions)) = schema.get("definitions") else {
        return Err("there are no definitions".to_owned());
    };
    let mut out = Definitions::new();
    for (name, schema) in definitions {
        let mut lines = Vec::new();
        push_schema("", schema, &mut lines).map_err(|fault| format!("{name}: {fault}"))?;
        for target in lines.iter().filter_map(|line| line.split_once("$ref = ")) {
            let target = target.1.trim_matches('"');
            let name_of = target.strip_prefix("#/definitions/");
            if !name_of.is_some_and(|target| definitions.contains_key(target)) {
                return Err(format!("{name}: `{target}` is not defined"));
            }
        }
        lines.sort();
        out.insert(name.clone(), lines);
    }
    Ok(out)
}

/// Adds what a schema says, each line under the path of its keyword.
fn push_schema(path: &str, schema: &Value, out: &mut Vec<String>) -> Result<(), String> {
    let Value::Object(keywords) = schema else {
        return Err(format!("`{schema}` is no schema"));
    };
    // Anything fits; also a declaration.
    if keywords
        .keys()
        .all(|keyword| ANNOTATIONS.contains(&keyword.as_str()))
    {
        out.push(format!("{path} = {{}}"));
    }
    let dot = if path.is_empty() { "" } else { "." };
    for (keyword, value) in keywords {
        let at = format!("{path}{dot}{keyword}");
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, schema) in properties {
                    push_schema(&format!("{at}.{name}"), schema, out)?;
                }
            }
            ("items", _) | ("additionalProperties", Value::Object(_)) => {
                push_schema(&at, value, out)?;
            }
            ("anyOf", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    push_schema(&format!("{at}[{index}]"), schema, out)?;
                }
            }
            // A set; its order says nothing.
            ("required", Value::Array(names)) => {
                for name in names {
                    let name = name.as_str().ok_or("`required` lists names")?;
                    out.push(format!("{at}[{name}]"));
                }
            }
            ("enum" | "type", Value::Array(values)) => {
                let lines = values.iter().enumerate();
                out.extend(lines.map(|(index, value)| format!("{at}[{index}] = {value}")));
            }
            ("$ref" | "additionalProperties" | "const" | "default" | "type", _) => {
                out.push(format!("{at} = {value}"));
            }
            (annotation, _) if ANNOTATIONS.contains(&annotation) => {}
            _ => return Err(format!("unknown keyword `{at}`")),
        }
    }
    Ok(())
}

/// Says where `ours` first departs from `theirs`; `None` if it does not.
pub(crate) fn first_difference(ours: &Definitions, theirs: &Definitions) -> Option<String> {
    if let Some(missing) = theirs.keys().find(|name| !ours.contains_key(*name)) {
        return Some(format!("expected `{missing}`, found no such definition"));
    }
    for (name, our) in ours {
        let Some(their) = theirs.get(name) else {
            return Some(format!("expected no such definition, found `{name}`"));
        };
        let missing = their.iter().find(|line| !our.contains(line));
        let extra = our.iter().find(|line| !their.contains(line));
        let show = |line: Option<&String>| {
            line.map_or_else(|| "nothing".to_owned(), |line| format!("`{line}`"))
        };
        if missing.is_some() || extra.is_some() {
            let (missing, extra) = (show(missing), show(extra));
            return Some(format!("{name}: expected {missing}, found {extra}"));
        }
    }
    None
}

/// The first 16 digits of the SHA-256 of the lines of a definition.
fn hash(lines: &[String]) -> String {
    let digest = Sha256::digest(lines.join("\n"));
    digest[..8].iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The first definition that departs from the table, with all that it says now; `None` if none
/// departs.
pub(crate) fn first_departure(ours: &Definitions, table: &[(&str, &str)]) -> Option<String> {
    let known = |name: &str| table.iter().find(|(known, _)| *known == name);
    if let Some((missing, _)) = table.iter().find(|(name, _)| !ours.contains_key(*name)) {
        return Some(format!("expected `{missing}`, found no such definition"));
    }
    ours.iter().find_map(|(name, lines)| match known(name) {
        None => Some(format!("expected no such definition, found `{name}`")),
        Some((_, expected)) if *expected != hash(lines) => Some(format!(
            "`{name}` is not what it was; it now says:\n  {}",
            lines.join("\n  ")
        )),
        Some(_) => None,
    })
}

/// The constants of `committed.rs` as they would have to be.
pub(crate) fn constants(ours: &Definitions) -> String {
    let mut out = "pub(crate) const DEFINITIONS: &[(&str, &str)] = &[\n".to_owned();
    for (name, lines) in ours {
        let _ = writeln!(out, "    ({name:?}, {:?}),", hash(lines));
    }
    out + "];"
}

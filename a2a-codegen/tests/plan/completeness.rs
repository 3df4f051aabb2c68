//! Nothing is left out: what a rule says is needed, and what no rule says is refused.

use a2a_codegen::diagnostics::Diagnostics;
use toml::{Table, Value};

use super::shape::shape;
use super::versions::{Versions, proto, read, schema};

/// A place in a document: keys, and indices of lists.
type Place = Vec<String>;

/// Everything that can be taken out of a document, one thing at a time.
fn places(value: &Value, here: &Place, out: &mut Vec<Place>) {
    let mut add = |key: String, value: &Value| {
        let place: Place = here.iter().cloned().chain([key]).collect();
        out.push(place.clone());
        places(value, &place, out);
    };
    match value {
        Value::Table(table) => table
            .iter()
            .for_each(|(key, value)| add(key.clone(), value)),
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                add(index.to_string(), value);
            }
        }
        _ => {}
    }
}

fn without(document: &Value, place: &[String]) -> Value {
    let mut changed = document.clone();
    let (last, path) = place.split_last().unwrap();
    let mut at = &mut changed;
    for key in path {
        at = match at {
            Value::Array(list) => &mut list[key.parse::<usize>().unwrap()],
            other => other.get_mut(key.as_str()).unwrap(),
        };
    }
    match at {
        Value::Table(table) => drop(table.remove(last)),
        Value::Array(list) => drop(list.remove(last.parse().unwrap())),
        _ => unreachable!("places are in tables and lists"),
    }
    changed
}

/// The document with all ids declared as noted elsewhere, so that none is idle without its row.
fn patient(document: &Value) -> Value {
    let mut changed = document.clone();
    let ids = ["up", "down"].into_iter().flat_map(|way| {
        let ids = document["loss"][way].as_table().unwrap().keys();
        ids.map(|id| Value::String(id.clone()))
    });
    changed["elsewhere"] = Value::Array(ids.collect());
    changed
}

/// Every row, and everything in every row, does something.
#[test]
fn whatever_is_taken_out_of_the_rules_is_missed() {
    let versions = Versions::real();
    let document: Table = versions.rules.parse().unwrap();
    let document = Value::Table(document);
    let before = shape(&versions.planned());
    let mut all = Vec::new();
    places(&document, &Vec::new(), &mut all);
    assert!(all.len() > 300, "{}", all.len());
    let mut idle = Vec::new();
    let patient = patient(&document);
    for place in &all {
        let is_declaration = place[0] == "elsewhere" || place[0] == "loss";
        let whole = if is_declaration { &document } else { &patient };
        let text = toml::to_string(&without(whole, place)).unwrap();
        if let Ok(plans) = versions.plan_with(&text)
            && shape(&plans) == before
        {
            idle.push(place.join(" / "));
        }
    }
    assert!(idle.is_empty(), "{idle:#?}");
}

/// A row that is taken out is refused by the name of its field, with the row to write, unless the
/// fields' names are equal, so that the row was about the value alone.
#[test]
fn a_missing_row_is_refused_by_the_name_of_its_field() {
    const VALUES_ONLY: [&str; 8] = [
        "*.metadata",
        "AgentCard.security_schemes",
        "Message.role",
        "SendMessageConfiguration.history_length",
        "GetTaskRequest.history_length",
        "SendMessageRequest.configuration",
        "Task.status",
        "AgentCard.signatures",
    ];
    let versions = Versions::real();
    let document = patient(&Value::Table(versions.rules.parse().unwrap()));
    for section in ["field", "only_old"] {
        let Value::Table(rows) = &document[section] else {
            panic!("{section} is a table");
        };
        for key in rows.keys() {
            let changed = without(&document, &[section.to_owned(), key.clone()]);
            let result = versions.plan_with(&toml::to_string(&changed).unwrap());
            if VALUES_ONLY.contains(&key.as_str()) {
                assert!(result.is_ok(), "{key}");
                continue;
            }
            let faults = result
                .map(|plans| shape(&plans))
                .expect_err(key)
                .to_string();
            let (_, field) = key.rsplit_once('.').unwrap();
            assert!(faults.contains(field), "{key}: {faults}");
            assert!(faults.contains("under `["), "{key}: {faults}");
        }
    }
}

/// The rows of a hint, put at the end of the rules file.
fn with_hint(rules: &str, faults: &Diagnostics) -> String {
    let mut document: Table = rules.parse().unwrap();
    for fault in faults {
        let hint = fault.hint.as_deref().expect("every fault has a hint");
        let rows = hint.split("; or ").next().unwrap_or(hint);
        for row in rows.split(", and ") {
            let (section, row) = row
                .strip_prefix("under `[")
                .and_then(|row| row.split_once("]`: "))
                .unwrap_or_else(|| panic!("no ready row: {hint}"));
            let row: Table = row.parse().unwrap_or_else(|error| panic!("{row}: {error}"));
            let mut at = &mut document;
            for key in section.split('.') {
                let entry = at.entry(key).or_insert_with(|| Value::Table(Table::new()));
                at = entry.as_table_mut().expect("a section is a table");
            }
            at.extend(row);
        }
    }
    toml::to_string(&document).unwrap()
}

/// Messages of a proto's text.
fn messages(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("message "))
        .filter_map(|line| line.split_once(' '))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The text with a field more in a message.
fn with_field(text: &str, message: &str, field: &str) -> String {
    let head = format!("message {message} {{");
    assert!(text.contains(&head), "{head}");
    text.replacen(&head, &format!("{head}\n  {field}\n"), 1)
}

#[test]
fn a_field_more_in_version_1_0_needs_a_rule() {
    let text = read("proto/a2a/v1.0/a2a.proto");
    let mut versions = Versions::real();
    let hooked = [
        "Part",
        "SecurityScheme",
        "OAuthFlows",
        "SecurityRequirement",
    ];
    // Version 0.3 has nothing like these.
    let unpaired = [
        "ListTasksRequest",
        "ListTasksResponse",
        "DeviceCodeOAuthFlow",
        "AgentCardSignature",
    ];
    let mut tried = 0;
    for message in messages(&text) {
        let added = with_field(&text, &message, "optional string brand_new = 900;");
        versions.new = proto("v1.0/a2a.proto", &added);
        let result = versions.plan();
        if unpaired.contains(&message.as_str()) {
            assert!(result.is_ok(), "{message}");
            continue;
        }
        let faults = result.map(|plans| shape(&plans)).expect_err(&message);
        let named = format!("`lf.a2a.v1.{message}.brand_new`");
        assert!(
            faults.iter().all(|fault| fault.message.contains(&named)),
            "{message}: {faults}"
        );
        tried += 1;
        if hooked.contains(&message.as_str()) || message == "TaskPushNotificationConfig" {
            assert!(
                faults
                    .to_string()
                    .contains("add \"brand_new\" to its `fields`")
            );
            continue;
        }
        // What the error says to write is what was missing.
        if let Err(more) = versions.plan_with(&with_hint(&versions.rules, &faults)) {
            panic!("{message}: {faults}\n\nafter the hint: {more}");
        }
    }
    assert!(tried > 35, "{tried}");
}

#[test]
fn a_field_more_in_version_0_3_needs_a_rule() {
    let text = read("proto/a2a/v0.3/a2a.proto");
    let mut versions = Versions::real();
    for message in messages(&text) {
        if message == "AgentCardSignature" {
            continue;
        }
        let added = with_field(&text, &message, "string brand_new = 900;");
        versions.old = proto("v0.3/a2a.proto", &added);
        let faults = versions
            .plan()
            .map(|plans| shape(&plans))
            .expect_err(&message);
        let named = format!("`a2a.v1.{message}.brand_new`");
        assert!(
            faults.iter().all(|fault| fault.message.contains(&named)),
            "{message}: {faults}"
        );
        if faults.to_string().contains("the hook") {
            continue;
        }
        if let Err(more) = versions.plan_with(&with_hint(&versions.rules, &faults)) {
            panic!("{message}: {faults}\n\nafter the hint: {more}");
        }
    }
}

#[test]
fn a_property_more_in_the_schema_needs_a_rule() {
    let text = read("proto/a2a/v0.3/a2a.schema.json");
    let mut versions = Versions::real();
    for message in [
        "Task",
        "Message",
        "FileWithUri",
        "TaskIdParams",
        "OAuthFlows",
        "AgentCard",
    ] {
        let head = format!("\"{message}\": {{");
        let at = text.find(&head).expect("the definition is there");
        let (before, after) = text.split_at(at);
        let added = after.replacen(
            "\"properties\": {",
            "\"properties\": { \"brandNew\": { \"type\": \"string\" },",
            1,
        );
        versions.schema = Some(schema(&format!("{before}{added}")));
        let faults = versions
            .plan()
            .map(|plans| shape(&plans))
            .expect_err(message)
            .to_string();
        assert!(
            faults.contains(&format!("{message}.brandNew")) || faults.contains("brand_new"),
            "{message}: {faults}"
        );
    }
}

//! The report as sections of tables, ready to be printed.
//!
//! Comes in: a [`Report`]. Goes out: a [`Document`] of plain texts. What stands in backquotes is
//! code; nothing else in a text means anything to a template.

use serde::Serialize;

use super::model::{Change, ErrorChange, FieldChange, FieldSide, Missing, Report, Spelling, Way};

mod messages;
mod operations;
mod traps;

/// A report to be printed.
///
/// Templates need to know nothing of what is in it.
///
/// ```
/// use a2a_codegen::load::{Sources, load_protos};
/// use a2a_codegen::lower::lower;
/// use a2a_codegen::profile::Profile;
/// use a2a_codegen::report::document::Document;
/// use a2a_codegen::report::{Version, report};
///
/// let profile = Profile::default();
/// let text = "syntax = \"proto3\"; message Page { string text = 1; }";
/// let api = lower(&load_protos(&Sources::new().virtual_file("p.proto", text).file("p.proto"))?, &profile)?;
/// let version = |name| Version { name, api: &api, schema: None, profile: &profile };
/// let document = Document::from(&report(&version("1"), &version("2"), None));
/// assert_eq!(document.title, "From 1 to 2");
/// assert_eq!(document.sections[0].title, "Silent traps");
/// # Ok::<(), a2a_codegen::diagnostics::Diagnostics>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Document {
    /// What it is.
    pub title: String,
    /// What is most important, a sentence each.
    pub lead: Vec<String>,
    /// The parts; always the same ones.
    pub sections: Vec<Section>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Section {
    /// A name for links.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// What there is to say before the tables.
    pub intro: Vec<String>,
    /// The tables.
    pub tables: Vec<Table>,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Table {
    /// What it is about; empty for the only one of a section.
    pub title: String,
    /// Headings.
    pub columns: Vec<String>,
    /// As many texts as there are headings.
    pub rows: Vec<Vec<String>>,
    /// It warns.
    pub warning: bool,
}

impl Table {
    fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        Self {
            title: title.into(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            ..Self::default()
        }
    }

    fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl Section {
    fn new(id: &str, title: &str) -> Self {
        Self {
            id: id.to_owned(),
            title: title.to_owned(),
            intro: Vec::new(),
            tables: Vec::new(),
        }
    }

    fn say(mut self, sentence: impl Into<String>) -> Self {
        self.intro.push(sentence.into());
        self
    }

    /// Adds a table that has rows.
    fn table(mut self, table: Table) -> Self {
        if !table.rows.is_empty() {
            self.tables.push(table);
        }
        self
    }

    /// Says so when there is no table.
    fn or_say(self, sentence: &str) -> Self {
        if self.tables.is_empty() {
            self.say(sentence)
        } else {
            self
        }
    }
}

impl From<&Report> for Document {
    fn from(report: &Report) -> Self {
        Self {
            title: format!("From {} to {}", report.old.name, report.new.name),
            lead: lead(report),
            sections: vec![
                traps::section(report),
                operations::section(report),
                operations::parameters(report),
                facts(report),
                errors(report),
                messages::section(report),
                messages::enums(report),
                losses(report),
                missing(report),
                statistics(report),
            ],
        }
    }
}

/// The most important numbers.
fn lead(report: &Report) -> Vec<String> {
    let sources = |info: &super::model::VersionInfo| {
        format!(
            "{}: {}",
            info.name,
            code_list(info.sources.iter().map(String::as_str))
        )
    };
    let count = |change| {
        report
            .operations
            .iter()
            .filter(|each| each.change == change)
            .count()
    };
    let rules = match (&report.rules.file, report.missing.len()) {
        (Some(file), 0) => format!("The rules in `{file}` say everything that names do not."),
        (Some(file), open) => format!("Of the rules in `{file}`, {open} are missing or wrong."),
        (None, 0) => "No rules are needed: names say everything.".to_owned(),
        (None, open) => format!("There are no rules; {open} are needed to begin with."),
    };
    vec![
        sources(&report.old),
        sources(&report.new),
        format!(
            "Operations: {} of the same name, {} renamed, {} new, {} gone.",
            count(Change::Kept),
            count(Change::Renamed),
            count(Change::Added),
            count(Change::Removed),
        ),
        format!(
            "Silent traps, what the other version takes for something else without an error: {}.",
            report.traps.len()
        ),
        rules,
    ]
}

fn facts(report: &Report) -> Section {
    let mut table = Table::new("", &["what", &report.old.name, &report.new.name]);
    for fact in &report.facts {
        table.row([
            fact.topic.clone(),
            or_dash(fact.old.clone()),
            or_dash(fact.new.clone()),
        ]);
    }
    Section::new("other", "Other changes")
        .table(table)
        .or_say("Nothing else differs.")
}

fn errors(report: &Report) -> Section {
    let (old, new) = (&report.old.name, &report.new.name);
    let name = |what: &str, of: &str| format!("{what} in {of}");
    let columns = [
        "code".to_owned(),
        name("name", old),
        name("name", new),
        "gRPC status".to_owned(),
        "HTTP status".to_owned(),
    ];
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = Table::new("", &columns);
    for error in &report.errors {
        table.row(error_row(error));
    }
    Section::new("errors", "Errors")
        .table(table)
        .or_say("The profiles name no errors.")
}

fn error_row(error: &ErrorChange) -> [String; 5] {
    let name = |side: &Option<super::model::ErrorSide>| {
        or_dash(side.as_ref().map(|side| format!("`{}`", side.name)))
    };
    let both = |what: &dyn Fn(&super::model::ErrorSide) -> String| {
        let old = error.old.as_ref().map(what);
        let new = error.new.as_ref().map(what);
        if old == new {
            or_dash(new)
        } else {
            format!("{} → {}", or_dash(old), or_dash(new))
        }
    };
    let new_name = match (&error.old, &error.new) {
        (Some(old), Some(new)) if old.name == new.name => "the same".to_owned(),
        _ => name(&error.new),
    };
    [
        error.code.to_string(),
        name(&error.old),
        new_name,
        both(&|side| side.grpc.clone()),
        both(&|side| side.http.to_string()),
    ]
}

fn losses(report: &Report) -> Section {
    let table = |way: Way, title: String| {
        let mut table = Table::new(title, &["id", "what", "where"]);
        for loss in report.losses.iter().filter(|loss| loss.way == way) {
            table.row([loss.id.clone(), loss.text.clone(), or_dash_list(&loss.at)]);
        }
        table
    };
    let (old, new) = (&report.old.name, &report.new.name);
    Section::new("losses", "Losses")
        .table(table(Way::Up, format!("Up: from {old} to {new}")))
        .table(table(Way::Down, format!("Down: from {new} to {old}")))
        .or_say("No losses are declared.")
}

fn missing(report: &Report) -> Section {
    let mut table = Table::new("", &["what", "declared in", "rules, one of them"]);
    table.warning = true;
    for Missing { what, place, rules } in &report.missing {
        table.row([what.clone(), place.clone(), rules.join("; or ")]);
    }
    let section = Section::new("rules", "Rules to write");
    let section = match (&report.rules.file, report.missing.is_empty()) {
        (_, true) => section.say("None: every field of either version is accounted for."),
        (None, false) => section.say(
            "Without rules, types that have other names stand for nothing yet; once these rules are \
             written, more of the same kind follow for what is in them.",
        ),
        (Some(_), false) => section.say("The generator refuses to make adapters until these are written."),
    };
    section.table(table)
}

fn statistics(report: &Report) -> Section {
    let statistics = &report.statistics;
    let mut counts = Table::new(
        "What there is",
        &["of the protos", &report.old.name, &report.new.name],
    );
    let (old, new) = (&statistics.old, &statistics.new);
    for (what, old, new) in [
        ("operations", old.operations, new.operations),
        ("messages", old.messages, new.messages),
        ("fields", old.fields, new.fields),
        ("enums", old.enums, new.enums),
    ] {
        counts.row([what.to_owned(), old.to_string(), new.to_string()]);
    }
    let older = format!("fields of {}", report.old.name);
    let columns = [
        "compared with the newer message",
        older.as_str(),
        "a generator may take them",
    ];
    let mut proto = Table::new("What the protos say by themselves", &columns);
    let classes = &statistics.proto;
    for (what, count, safe) in [
        (
            "name, number, type and presence are the same",
            classes.same,
            "yes",
        ),
        ("another number", classes.renumbered, "yes, by name"),
        (
            "another name, the same JSON name and type",
            classes.same_json_name,
            "yes",
        ),
        (
            "another presence",
            classes.presence,
            "yes; what absence means needs a rule",
        ),
        (
            "another name, the same number and type",
            classes.same_number,
            "no: a guess",
        ),
        ("the same name, another type", classes.type_changed, "no"),
        ("nothing like it", classes.no_counterpart, "no"),
        ("in a message that went away", classes.message_gone, "no"),
    ] {
        proto.row([what.to_owned(), count.to_string(), safe.to_owned()]);
    }
    let section = Section::new("statistics", "Statistics")
        .say("Counted in the schemas alone; rules only say which messages got another name.")
        .table(counts)
        .table(proto);
    let Some(classes) = &statistics.json else {
        return section;
    };
    let mut json = Table::new(
        format!("What the JSON schema says: {} messages", classes.messages),
        &["compared with the newer message", "properties"],
    );
    for (what, count) in [
        ("all", classes.properties),
        ("the same key", classes.same_key),
        (
            "of these, keys that mean another thing",
            classes.false_friends,
        ),
        ("constants that only tell types apart", classes.constants),
        ("neither: rules say what becomes of them", classes.rest),
    ] {
        json.row([what.to_owned(), count.to_string()]);
    }
    section.table(json)
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

fn or_dash_list(texts: &[String]) -> String {
    if texts.is_empty() {
        "–".to_owned()
    } else {
        texts.join(", ")
    }
}

/// Names as code.
fn code_list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Names of fields as code, or a dash.
fn sides(sides: &[FieldSide]) -> String {
    if sides.is_empty() {
        return "–".to_owned();
    }
    code_list(sides.iter().map(|side| side.name.as_str()))
}

/// What becomes of a field, in words.
fn what(field: &FieldChange) -> String {
    let mut words: Vec<String> = field
        .changes
        .iter()
        .map(|change| word(*change, field))
        .collect();
    words.retain(|word| !word.is_empty());
    words.extend(field.how.iter().cloned());
    if words.is_empty() {
        return "the same".to_owned();
    }
    words.join(", ")
}

fn word(change: Change, field: &FieldChange) -> String {
    let number = |sides: &[FieldSide]| sides.first().map_or(0, |side| side.number);
    let ty = |sides: &[FieldSide]| sides.first().map_or(String::new(), |side| side.ty.clone());
    match change {
        Change::Kept => "the same".to_owned(),
        Change::Renamed => "renamed".to_owned(),
        Change::Renumbered => format!("number {} → {}", number(&field.old), number(&field.new)),
        Change::Moved => "moved".to_owned(),
        // What is done says it better.
        Change::Reshaped | Change::Meaning if !field.how.is_empty() => String::new(),
        Change::Added | Change::Removed if field.changes.len() > 1 => String::new(),
        Change::Reshaped => "reshaped".to_owned(),
        Change::Meaning => "means something else".to_owned(),
        Change::Type => format!("{} → {}", ty(&field.old), ty(&field.new)),
        Change::Presence => format!("presence: {} → {}", ty(&field.old), ty(&field.new)),
        Change::Required => "now required".to_owned(),
        Change::Optional => "no longer required".to_owned(),
        Change::Added => "new".to_owned(),
        Change::Removed => "went away".to_owned(),
    }
}

/// `up U1, down D1`, or a dash.
fn ids(up: &[String], down: &[String]) -> String {
    let way = |word: &str, ids: &[String]| {
        (!ids.is_empty()).then(|| format!("{word} {}", ids.join(", ")))
    };
    let words: Vec<String> = [way("up", up), way("down", down)]
        .into_iter()
        .flatten()
        .collect();
    or_dash((!words.is_empty()).then(|| words.join(", ")))
}

/// `JSON-RPC` for the schema: that is where it is spoken.
fn spelling(spelling: Spelling) -> &'static str {
    match spelling {
        Spelling::Proto => "gRPC and ProtoJSON",
        Spelling::Json => "JSON schema",
        Spelling::Http => "HTTP",
    }
}

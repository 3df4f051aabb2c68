//! Turns the compiler's errors into diagnostics with positions.

use std::path::Path;

use miette::{Diagnostic as Report, LabeledSpan};
use prost_reflect::{DescriptorError, DescriptorPool};

use super::Sources;
use super::resolver::Found;
use crate::diagnostics::{Diagnostic, Diagnostics, Texts, line_and_column};
use crate::model::Origin;

/// Links an encoded descriptor set.
pub(super) fn link(descriptor_set: &[u8], texts: &Texts) -> Result<DescriptorPool, Diagnostics> {
    DescriptorPool::decode(descriptor_set).map_err(|error| of_linker(&error, texts))
}

fn of_linker(error: &DescriptorError, texts: &Texts) -> Diagnostics {
    let mut faults = all(error, error.file(), texts);
    // Without source texts only the first error knows its place.
    if let (Some(file), Some(line), Some(column)) = (error.file(), error.line(), error.column())
        && let Some(first) = faults.first_mut()
        && first.origin.line == 0
    {
        first.origin = Origin {
            file: file.into(),
            line: one_based(line),
            column: one_based(column),
            ..Origin::default()
        };
    }
    collect(faults)
}

fn one_based(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1)
}

/// What the compiler found wrong while it opened `path`.
pub(super) fn of_compiler(
    error: &protox::Error,
    path: &Path,
    sources: &Sources,
    found: &Found,
) -> Diagnostics {
    let mut faults = all(error, error.file(), &found.texts);
    // What is wrong with the value of an option is known to the linker, but the compiler drops it.
    if faults
        .iter()
        .any(|fault| fault.message.starts_with("invalid value of type"))
        && let Some(error) = link_again(error, found)
    {
        faults = all(&error, error.file(), &found.texts);
    }
    for fault in &mut faults {
        fault.hint = fault.hint.take().or_else(|| hint_for(&fault.message));
    }
    if let Some(first) = faults.first_mut() {
        first.hint = first
            .hint
            .take()
            .or_else(|| hint(error, path, sources, &found.texts));
    }
    collect(faults)
}

/// Links the files once more, to get at the linker's own error.
fn link_again(error: &protox::Error, found: &Found) -> Option<DescriptorError> {
    let again = DescriptorPool::new()
        .add_file_descriptor_protos(found.parsed.iter().cloned())
        .err()?;
    if again.file() != error.file() {
        return None;
    }
    let text = found.texts.get(again.file()?)?;
    Some(again.with_source_code(text))
}

/// The line that mends a fault of which the compiler says only what it is.
fn hint_for(message: &str) -> Option<String> {
    if message.contains("'google.api.http'") && message.ends_with("is not defined") {
        return Some("add `import \"google/api/annotations.proto\";`".to_owned());
    }
    if message.contains("'google.api.field_behavior'") && message.ends_with("is not defined") {
        return Some("add `import \"google/api/field_behavior.proto\";`".to_owned());
    }
    let same_key = message.starts_with("camel-case name of field")
        || message.starts_with("a field with JSON name");
    same_key.then(|| "both would be one key in JSON; rename one of them".to_owned())
}

/// The line that mends a file that cannot be found or read.
fn hint(error: &protox::Error, path: &Path, sources: &Sources, texts: &Texts) -> Option<String> {
    if error.is_file_not_found() {
        return Some(hint_for_missing(error, path, sources));
    }
    if error.is_io() {
        return Some(format!(
            "`{}` must be a file that can be read",
            path.display()
        ));
    }
    let text = error.file().and_then(|file| texts.get(file))?;
    let first = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("//"))?;
    (error.is_parse() && first.starts_with("edition")).then(|| {
        "protobuf editions are not supported; start the file with `syntax = \"proto3\";`".to_owned()
    })
}

fn hint_for_missing(error: &protox::Error, path: &Path, sources: &Sources) -> String {
    let folders: Vec<String> = sources
        .includes
        .iter()
        .map(|folder| format!("`{}`", folder.display()))
        .collect();
    let looked = match folders.as_slice() {
        [] => "no include folder is given".to_owned(),
        folders => format!("the include folders are {}", folders.join(", ")),
    };
    // Without a file around it, the one that was asked for is missing itself.
    if error.file().is_none() && !path.is_file() {
        return format!("there is no such file; {looked}");
    }
    format!("{looked}; add the folder that its name starts from")
}

fn collect(faults: Vec<Diagnostic>) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    for fault in faults {
        diagnostics.push(fault);
    }
    diagnostics
}

/// The error itself and those that were found with it.
fn all(error: &dyn Report, file: Option<&str>, texts: &Texts) -> Vec<Diagnostic> {
    let mut faults = vec![one(error, file, texts)];
    if let Some(related) = error.related() {
        faults.extend(related.map(|error| one(error, file, texts)));
    }
    faults
}

fn one(error: &dyn Report, file: Option<&str>, texts: &Texts) -> Diagnostic {
    let text = file.and_then(|file| texts.get(file));
    let mut labels: Vec<LabeledSpan> = error.labels().into_iter().flatten().collect();
    let primary = (!labels.is_empty()).then(|| labels.remove(primary_label(&labels)));
    let place = |offset: usize| {
        let (line, column) = text.map_or((0, 0), |text| line_and_column(text, offset));
        Origin {
            file: file.unwrap_or_default().into(),
            line,
            column,
            ..Origin::default()
        }
    };
    let mut origin = place(0);
    match (&primary, text) {
        (Some(label), _) => origin = place(label.offset()),
        // The file ended too early: the end is the place.
        (None, Some(text)) if error.to_string().ends_with("end of file") => {
            origin = place(text.len());
        }
        (None, _) => (origin.line, origin.column) = (0, 0),
    }
    let message = match error.source() {
        Some(cause) if !error.to_string().contains(&cause.to_string()) => {
            format!("{error}: {cause}")
        }
        _ => error.to_string(),
    };
    let mut fault = Diagnostic::new(origin, message);
    for label in labels {
        fault = fault.also(place(label.offset()), label.label().unwrap_or("here"));
    }
    match error.help() {
        Some(help) => fault.hint(help.to_string()),
        None => fault,
    }
}

/// Of several places the one where the fault shows, as opposed to what it collides with.
fn primary_label(labels: &[LabeledSpan]) -> usize {
    let shows = |label: &LabeledSpan| {
        label
            .label()
            .is_some_and(|text| text.contains("found") || text.contains("again"))
    };
    labels.iter().position(shows).unwrap_or(0)
}

//! What is said to an agent.
//!
//! Comes in: texts, files and data as the user names them. Goes out: the parts of a message.

use std::io::Read as _;
use std::path::Path;

use a2a_kit::Parts;
use serde_json::Value;

use crate::exit::Failure;

/// The content of a message.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Content {
    /// What to say; `-` reads it from standard input
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// Send a file; its media type goes by its name, or stands behind it: `report.bin;type=text/csv`
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
    /// Send data: a JSON text, or the file (`-` for standard input) behind an @
    #[arg(long, value_name = "JSON|@FILE")]
    data: Vec<String>,
}

impl Content {
    /// The parts, in the order text, files, data.
    pub(crate) fn parts(&self) -> Result<Parts, Failure> {
        let mut parts = Parts::default();
        if self.text.iter().any(|word| word == "-") {
            parts = parts.and(stdin()?);
        } else if !self.text.is_empty() {
            parts = parts.and(self.text.join(" "));
        }
        for file in &self.file {
            parts = parts.and(read_file(file)?);
        }
        for data in &self.data {
            parts = parts.and(read_data(data)?);
        }
        if parts.is_empty() {
            return Err(Failure::usage(
                "there is nothing to send: give a TEXT, a --file or some --data",
            ));
        }
        Ok(parts)
    }
}

fn stdin() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Failure::tool(format!("standard input: {error}")))?;
    Ok(text)
}

fn read_file(named: &str) -> Result<Parts, Failure> {
    let (path, media_type) = match named.split_once(";type=") {
        Some((path, media_type)) => (path, media_type),
        None => (named, media_type(named)),
    };
    let bytes =
        std::fs::read(path).map_err(|error| Failure::tool(format!("--file {path}: {error}")))?;
    let name = Path::new(path).file_name().unwrap_or_default();
    Ok(Parts::file(name.to_string_lossy(), media_type, bytes))
}

fn read_data(given: &str) -> Result<Value, Failure> {
    let text = match given.strip_prefix('@') {
        None => given.to_owned(),
        Some("-") => stdin()?,
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| Failure::tool(format!("--data @{path}: {error}")))?,
    };
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!(
            "--data is no JSON: {error}; a text is written with quotes, '\"like this\"', and a file \
             with an @ before its name"
        ))
    })
}

/// The usual media types of files that people send to agents.
const MEDIA_TYPES: [(&str, &str); 27] = [
    ("bmp", "image/bmp"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    (
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("log", "text/plain"),
    ("md", "text/markdown"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    (
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("wav", "audio/wav"),
    ("webp", "image/webp"),
    (
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("zip", "application/zip"),
];

fn media_type(path: &str) -> &'static str {
    let extension = Path::new(path)
        .extension()
        .unwrap_or_default()
        .to_ascii_lowercase();
    MEDIA_TYPES
        .iter()
        .find(|(known, _)| extension == *known)
        .map_or("application/octet-stream", |(_, media_type)| media_type)
}

/// The extension that files of a media type usually have.
pub(super) fn extension(media_type: &str) -> &'static str {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    match essence {
        "text/plain" => return "txt",
        "image/jpeg" => return "jpg",
        "text/html" => return "html",
        _ => {}
    }
    MEDIA_TYPES
        .iter()
        .find(|(_, known)| known.eq_ignore_ascii_case(essence))
        .map_or("bin", |(extension, _)| extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_go_by_names() {
        assert_eq!(media_type("a/b.PDF"), "application/pdf");
        assert_eq!(media_type("Makefile"), "application/octet-stream");
        for (_, known) in MEDIA_TYPES {
            assert_eq!(media_type(&format!("x.{}", extension(known))), known);
        }
        assert_eq!(extension("text/plain; charset=utf-8"), "txt");
        assert_eq!(extension("x/../../y"), "bin");
    }
}

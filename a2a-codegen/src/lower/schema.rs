//! All declarations of the linked files by full name, with positions, comments and options.

use std::collections::BTreeMap;
use std::sync::Arc;

use prost::Message as _;
use prost_reflect::prost_types::source_code_info::Location;
use prost_reflect::prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto};

use super::names;
use super::options::FileOptions;
use crate::diagnostics::{Diagnostic, Diagnostics, line_and_column};
use crate::load::Loaded;
use crate::model::Origin;

// Field numbers of `descriptor.proto`: the steps of descriptor paths.
const FILE_MESSAGES: i32 = 4;
const FILE_ENUMS: i32 = 5;
pub(super) const FILE_SERVICES: i32 = 6;
pub(super) const FILE_EXTENSIONS: i32 = 7;
pub(super) const FILE_SYNTAX: i32 = 12;
pub(super) const MESSAGE_FIELDS: i32 = 2;
const MESSAGE_MESSAGES: i32 = 3;
const MESSAGE_ENUMS: i32 = 4;
pub(super) const MESSAGE_EXTENSIONS: i32 = 6;
pub(super) const MESSAGE_ONEOFS: i32 = 8;
pub(super) const ENUM_VALUES: i32 = 2;
pub(super) const SERVICE_METHODS: i32 = 2;
pub(super) const METHOD_OPTIONS: i32 = 4;

/// A file.
pub(super) struct File<'a> {
    pub(super) name: Arc<str>,
    pub(super) proto: &'a FileDescriptorProto,
    pub(super) options: FileOptions,
    locations: BTreeMap<&'a [i32], &'a Location>,
    text: Option<&'a str>,
}

/// A message or enum.
pub(super) struct Declaration<'a> {
    /// Index into [`Schema::files`].
    pub(super) file: usize,
    /// Where its descriptor is in the file's.
    pub(super) path: Vec<i32>,
    pub(super) package: &'a str,
    /// Path of the Rust type below the package's module.
    pub(super) rust_path: Vec<String>,
    pub(super) kind: Kind<'a>,
}

pub(super) enum Kind<'a> {
    Message(&'a DescriptorProto),
    Enum(&'a EnumDescriptorProto),
}

/// Everything that was linked.
pub(super) struct Schema<'a> {
    pub(super) files: Vec<File<'a>>,
    /// By full name, without a leading dot.
    pub(super) declarations: BTreeMap<String, Declaration<'a>>,
}

impl<'a> Schema<'a> {
    pub(super) fn new(loaded: &'a Loaded, diagnostics: &mut Diagnostics) -> Self {
        let mut schema = Self {
            files: Vec::new(),
            declarations: BTreeMap::new(),
        };
        for (descriptor, proto) in loaded
            .pool
            .files()
            .zip(loaded.pool.file_descriptor_protos())
        {
            let name: Arc<str> = proto.name().into();
            let options = FileOptions::decode(descriptor.encode_to_vec().as_slice())
                .unwrap_or_else(|error| {
                    let origin = Origin {
                        file: Arc::clone(&name),
                        ..Origin::default()
                    };
                    diagnostics.push(Diagnostic::new(
                        origin,
                        format!("`google.api` options cannot be read: {error}"),
                    ));
                    FileOptions::default()
                });
            let locations = proto
                .source_code_info
                .iter()
                .flat_map(|info| &info.location);
            schema.files.push(File {
                locations: locations
                    .map(|location| (location.path.as_slice(), location))
                    .collect(),
                text: loaded.texts.get(&*name).map(|text| &**text),
                name,
                proto,
                options,
            });
            schema.declare_file(proto);
        }
        schema
    }

    fn declare_file(&mut self, proto: &'a FileDescriptorProto) {
        let scope = Scope {
            file: self.files.len() - 1,
            package: proto.package(),
            full_name: proto.package().to_owned(),
            path: Vec::new(),
            modules: Vec::new(),
        };
        for (index, message) in (0..).zip(&proto.message_type) {
            self.declare_message(&scope, &[FILE_MESSAGES, index], message);
        }
        for (index, enumeration) in (0..).zip(&proto.enum_type) {
            self.declare_enum(&scope, &[FILE_ENUMS, index], enumeration);
        }
    }

    fn declare_message(
        &mut self,
        scope: &Scope<'a>,
        step: &[i32; 2],
        message: &'a DescriptorProto,
    ) {
        let inner = Scope {
            file: scope.file,
            package: scope.package,
            full_name: scope.name_of(message.name()),
            path: scope.path_of(step),
            modules: scope.modules_with(names::snake(message.name())),
        };
        for (index, nested) in (0..).zip(&message.nested_type) {
            self.declare_message(&inner, &[MESSAGE_MESSAGES, index], nested);
        }
        for (index, nested) in (0..).zip(&message.enum_type) {
            self.declare_enum(&inner, &[MESSAGE_ENUMS, index], nested);
        }
        let rust_path = scope.modules_with(names::upper_camel(message.name()));
        self.declare(inner, rust_path, Kind::Message(message));
    }

    fn declare_enum(
        &mut self,
        scope: &Scope<'a>,
        step: &[i32; 2],
        enumeration: &'a EnumDescriptorProto,
    ) {
        let inner = Scope {
            file: scope.file,
            package: scope.package,
            full_name: scope.name_of(enumeration.name()),
            path: scope.path_of(step),
            modules: Vec::new(),
        };
        let rust_path = scope.modules_with(names::upper_camel(enumeration.name()));
        self.declare(inner, rust_path, Kind::Enum(enumeration));
    }

    fn declare(&mut self, scope: Scope<'a>, rust_path: Vec<String>, kind: Kind<'a>) {
        let declaration = Declaration {
            file: scope.file,
            path: scope.path,
            package: scope.package,
            rust_path,
            kind,
        };
        self.declarations.insert(scope.full_name, declaration);
    }

    /// The message or enum that a descriptor names, `.lf.a2a.v1.Task`.
    pub(super) fn find(&self, type_name: &str) -> Option<(&str, &Declaration<'a>)> {
        let name = type_name.strip_prefix('.').unwrap_or(type_name);
        self.declarations
            .get_key_value(name)
            .map(|(name, declaration)| (name.as_str(), declaration))
    }

    /// The declarations of some files, in the order of their names.
    pub(super) fn of_files<'s>(
        &'s self,
        files: &'s [usize],
    ) -> impl Iterator<Item = (&'s str, &'s Declaration<'a>, &'s File<'a>)> {
        self.declarations.iter().filter_map(|(name, declaration)| {
            let file = self.files.get(declaration.file)?;
            files
                .contains(&declaration.file)
                .then_some((name.as_str(), declaration, file))
        })
    }
}

/// Where the walk over declarations stands.
struct Scope<'a> {
    file: usize,
    package: &'a str,
    full_name: String,
    path: Vec<i32>,
    modules: Vec<String>,
}

impl Scope<'_> {
    fn name_of(&self, name: &str) -> String {
        join_name(&self.full_name, name)
    }

    fn path_of(&self, step: &[i32; 2]) -> Vec<i32> {
        join_path(&self.path, step)
    }

    fn modules_with(&self, last: String) -> Vec<String> {
        let mut modules = self.modules.clone();
        modules.push(last);
        modules
    }
}

/// `scope.name`, or `name` where the scope has none.
pub(super) fn join_name(scope: &str, name: &str) -> String {
    if scope.is_empty() {
        return name.to_owned();
    }
    format!("{scope}.{name}")
}

/// A descriptor path and further steps.
pub(super) fn join_path(path: &[i32], steps: &[i32]) -> Vec<i32> {
    [path, steps].concat()
}

/// An index as a step of a descriptor path.
pub(super) fn step(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

impl File<'_> {
    /// Where the declaration at a descriptor path stands, or the nearest one around it.
    pub(super) fn origin(&self, path: &[i32], proto_path: &str) -> Origin {
        let around = (1..=path.len())
            .rev()
            .filter_map(|length| path.get(..length));
        let span = around
            .filter_map(|path| self.locations.get(path))
            .find_map(|location| position(location));
        let (line, column) = span.unwrap_or((0, 0));
        Origin {
            file: Arc::clone(&self.name),
            line,
            column,
            proto_path: proto_path.into(),
        }
    }

    /// Where a declaration stands, or the first thing inside of it: an option that is set piece by
    /// piece has no position of its own.
    pub(super) fn origin_of_option(&self, path: &[i32], proto_path: &str) -> Origin {
        let inside = self
            .locations
            .range(path..)
            .take_while(|(found, _)| found.starts_with(path));
        match inside.map(|(found, _)| *found).next() {
            Some(found) => self.origin(found, proto_path),
            None => self.origin(path, proto_path),
        }
    }

    /// Where a text stands as a literal inside of the declaration at a path, for each time that
    /// it is written there. The positions are those of the quotes.
    pub(super) fn literals(&self, path: &[i32], literal: &str) -> Vec<(u32, u32)> {
        let Some((text, start, end)) = self.text_of(path) else {
            return Vec::new();
        };
        let within = text.get(start..end).unwrap_or_default();
        let quoted = [format!("\"{literal}\""), format!("'{literal}'")];
        let matches = quoted
            .iter()
            .flat_map(|quoted| within.match_indices(quoted.as_str()));
        let mut found: Vec<usize> = matches.map(|(at, _)| at).collect();
        found.sort_unstable();
        found
            .into_iter()
            .map(|at| line_and_column(text, start + at))
            .collect()
    }

    /// The file's text with the byte range of the declaration at a path.
    fn text_of(&self, path: &[i32]) -> Option<(&str, usize, usize)> {
        let text = self.text?;
        let inside = self
            .locations
            .range(path..)
            .take_while(|(found, _)| found.starts_with(path));
        let ranges: Vec<_> = inside
            .filter_map(|(_, location)| byte_range(text, &location.span))
            .collect();
        let start = ranges.iter().map(|range| range.0).min()?;
        let end = ranges.iter().map(|range| range.1).max()?;
        Some((text, start, end))
    }

    /// The documentation of the declaration at a descriptor path.
    pub(super) fn docs(&self, path: &[i32]) -> String {
        let Some(location) = self.locations.get(path) else {
            return String::new();
        };
        let comments = [location.leading_comments(), location.trailing_comments()];
        let texts = comments
            .into_iter()
            .map(unindented)
            .filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

/// 1-based line and column.
fn position(location: &Location) -> Option<(u32, u32)> {
    let [line, column, ..] = *location.span else {
        return None;
    };
    let one_based = |number: i32| u32::try_from(number).ok()?.checked_add(1);
    Some((one_based(line)?, one_based(column)?))
}

/// A span as byte offsets.
fn byte_range(text: &str, span: &[i32]) -> Option<(usize, usize)> {
    let (start, end) = match *span {
        [line, start, end] => ((line, start), (line, end)),
        [first, start, last, end] => ((first, start), (last, end)),
        _ => return None,
    };
    Some((byte_offset(text, start)?, byte_offset(text, end)?))
}

fn byte_offset(text: &str, (line, column): (i32, i32)) -> Option<usize> {
    let mut start = 0;
    for _ in 0..line {
        start += text.get(start..)?.find('\n')? + 1;
    }
    Some(start + usize::try_from(column).ok()?)
}

/// A comment without the margin that all of its lines share.
fn unindented(comment: &str) -> String {
    let lines: Vec<&str> = comment.lines().map(str::trim_end).collect();
    let written = lines.iter().filter(|line| !line.is_empty());
    let margin = written
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.get(margin..).unwrap_or_default())
        .collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

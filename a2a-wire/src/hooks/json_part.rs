//! Parts in the JSON of v0.3.
//!
//! Comes in: `{"kind": "file", "file": {"uri": …}}` and its like, or what ProtoJSON of the v0.3
//! proto makes of a part. Goes out: a v1.0 part, and the first form again. Members that only parts of
//! v1.0 have are read as well: peers that speak both versions mix them up, and a media type that is
//! overlooked would be lost without a word.

use std::fmt;

use serde::de::{self, Deserializer, MapAccess};
use serde::ser::{self, SerializeMap, Serializer};

use super::data_part::{self as data, Wrapped};
use super::file_bytes;
use crate::__codegen::json::{
    Bytes, Codec as Json, Context, Entry, Fields, Implicit as _, OldObject, Seen, Str, Struct,
    Value,
};
use crate::adapt::{Adapter, Language};
use crate::json::old::{hooked, in_member, is_strict};
use crate::types;
use crate::v1_0::Part;
use crate::v1_0::part::Content;

/// What the codec notes by itself.
#[cfg(test)]
pub(crate) const LOSSES: &[&str] = &["D2", "D3", "U7", "U9"];

/// A part.
#[derive(Debug)]
pub struct Codec;

/// What was read of a part.
#[derive(Debug, Default)]
pub struct State {
    kind: Option<Kind>,
    text: Option<String>,
    file: Option<File>,
    data: Option<types::Value>,
    metadata: Option<types::Struct>,
    /// Parts of v0.3 have none of these, so they cost a pointer only.
    newer: Option<Box<Newer>>,
}

/// What parts of v1.0 say beside a text or data.
#[derive(Debug, Default)]
struct Newer {
    url: Option<String>,
    raw: Option<bytes::Bytes>,
    media_type: String,
    filename: String,
}

const TEXT: usize = 1;
const FILE: usize = 2;
const DATA: usize = 3;
const URL: usize = 5;
const RAW: usize = 6;

impl OldObject for Codec {
    type Value = Part;
    type State = State;

    const NAME: &'static str = "Part";
    const JSON_NAMES: &'static [&'static str] = &[
        "kind",
        "text",
        "file",
        "data",
        "metadata",
        "url",
        "raw",
        "mediaType",
        "filename",
    ];

    fn member(name: &str) -> Option<usize> {
        match name {
            "kind" => Some(0),
            "text" => Some(TEXT),
            "file" => Some(FILE),
            "data" => Some(DATA),
            "metadata" => Some(4),
            "url" => Some(URL),
            "raw" => Some(RAW),
            "mediaType" | "media_type" => Some(7),
            "filename" => Some(8),
            _ => None,
        }
    }

    fn read_member<'de, A: MapAccess<'de>>(
        state: &mut State,
        index: usize,
        input: Entry<'_, '_, A>,
    ) -> Result<bool, A::Error> {
        match index {
            0 => input.maybe::<Kind>(&mut state.kind),
            TEXT => input.maybe::<Str>(&mut state.text),
            FILE => input.maybe::<FileCodec>(&mut state.file),
            DATA => input.maybe::<Value>(&mut state.data),
            // `{}` is told from none only when `data_part_compat` has been looked for.
            4 => input.maybe::<Struct>(&mut state.metadata),
            URL => input.maybe::<Str>(&mut state.newer.get_or_insert_default().url),
            RAW => input.maybe::<Bytes>(&mut state.newer.get_or_insert_default().raw),
            7 => input.value::<Str>(&mut state.newer.get_or_insert_default().media_type),
            8 => input.value::<Str>(&mut state.newer.get_or_insert_default().filename),
            _ => input.passed(),
        }
    }

    fn finish<E: de::Error>(mut state: State, _seen: Seen, cx: &Context<'_>) -> Result<Part, E> {
        // Some write all members, with `null` for those that are not there.
        if state.data.as_ref().is_some_and(|data| data.is_null()) && state.is_other_than_data() {
            state.data = None;
        }
        let kind = match state.kind {
            Some(kind) => kind,
            None => kind_by_shape(&state, cx)?,
        };
        state.only(kind, cx)?;
        let newer = state.newer.map(|newer| *newer).unwrap_or_default();
        let mut part = Part {
            media_type: newer.media_type,
            filename: newer.filename,
            ..Part::default()
        };
        part.content = Some(match kind {
            Kind::Text => match state.text {
                Some(text) => Content::Text(text),
                None => return Err(without(cx, "text")),
            },
            Kind::File => {
                let is_newer = newer.url.is_some() || newer.raw.is_some();
                let Some(file) = state.file.or_else(|| is_newer.then(File::default)) else {
                    return Err(without(cx, "file"));
                };
                if !file.name.is_empty() {
                    part.filename = file.name;
                }
                if !file.media_type.is_empty() {
                    part.media_type = file.media_type;
                }
                content_of(file.uri.or(newer.url), file.bytes.or(newer.raw), cx)?
            }
            Kind::Data => match state.data {
                Some(value) => {
                    let is_proto = state.kind.is_none()
                        && cx
                            .adapter()
                            .is_some_and(|adapter| adapter.options().language == Language::Proto);
                    let value = if is_proto { data::inner(value) } else { value };
                    Content::Data(data::unwrap(value, &mut state.metadata))
                }
                None => return Err(without(cx, "data")),
            },
        });
        if state.metadata.as_ref().is_some_and(|data| data.is_empty()) {
            if let Some(adapter) = cx.adapter() {
                adapter.loss_of("U7", "metadata", "an empty object is the same as none");
            }
            state.metadata = None;
        }
        part.metadata = state.metadata;
        Ok(part)
    }

    fn note_dropped(part: &Part, adapter: &Adapter) {
        data::note_dropped(part, adapter);
    }

    fn write_members<S: SerializeMap>(
        part: &Part,
        output: &mut Fields<'_, '_, S>,
    ) -> Result<(), S::Error> {
        match &part.content {
            Some(Content::Text(text)) => {
                output.constant("kind", "text")?;
                output.old::<Str>("text", "text", text)?;
            }
            Some(Content::Raw(_)) => {
                output.constant("kind", "file")?;
                output.old::<FileWriter>("file", "raw", part)?;
            }
            Some(Content::Url(_)) => {
                output.constant("kind", "file")?;
                output.old::<FileWriter>("file", "url", part)?;
            }
            Some(Content::Data(value)) => {
                output.constant("kind", "data")?;
                if !value.is_object() {
                    output.any("data", &Wrapped(value))?;
                    return output.any("metadata", &data::Marked(part.metadata.as_ref()));
                }
                output.old::<Value>("data", "data", value)?;
            }
            None => {
                return Err(output.context().unwritable(
                    "holds nothing; exactly one of text, raw, url and data must be set",
                ));
            }
        }
        output.old_optional::<Struct>("metadata", "metadata", &part.metadata)
    }
}

impl State {
    fn is_file(&self) -> bool {
        let newer = self.newer.as_ref();
        self.file.is_some() || newer.is_some_and(|newer| newer.url.is_some() || newer.raw.is_some())
    }

    fn is_other_than_data(&self) -> bool {
        self.text.is_some() || self.is_file() || matches!(self.kind, Some(Kind::Text | Kind::File))
    }

    /// What another kind of part would hold has no place in this one.
    fn only<E: de::Error>(&self, kind: Kind, cx: &Context<'_>) -> Result<(), E> {
        let newer = self.newer.as_deref();
        for (member, is_there, of) in [
            ("text", self.text.is_some(), Kind::Text),
            ("file", self.file.is_some(), Kind::File),
            (
                "url",
                newer.is_some_and(|newer| newer.url.is_some()),
                Kind::File,
            ),
            (
                "raw",
                newer.is_some_and(|newer| newer.raw.is_some()),
                Kind::File,
            ),
            ("data", self.data.is_some(), Kind::Data),
        ] {
            if !is_there || of == kind {
                continue;
            }
            match cx.adapter() {
                Some(adapter) if !is_strict(Some(adapter)) => {
                    adapter.loss_of("U9", member, "a part of another kind holds it: left out");
                }
                _ => {
                    let error = cx.fault("must not be there: the part is of another kind");
                    return Err(in_member(cx, member, error));
                }
            }
        }
        Ok(())
    }
}

/// The kind of a part that does not say it: that of the only member that is there.
fn kind_by_shape<E: de::Error>(state: &State, cx: &Context<'_>) -> Result<Kind, E> {
    match (&state.text, state.is_file(), &state.data) {
        (Some(_), false, None) => Ok(Kind::Text),
        (None, true, None) => Ok(Kind::File),
        (None, false, Some(_)) => Ok(Kind::Data),
        _ => Err(in_member(
            cx,
            "kind",
            cx.fault("expected text, file or data, and exactly one member of that name"),
        )),
    }
}

#[cold]
fn without<E: de::Error>(cx: &Context<'_>, member: &'static str) -> E {
    in_member(cx, member, cx.fault("must be there: the kind says so"))
}

fn content_of<E: de::Error>(
    uri: Option<String>,
    bytes: Option<bytes::Bytes>,
    cx: &Context<'_>,
) -> Result<Content, E> {
    match (uri, bytes) {
        (None, Some(bytes)) => Ok(Content::Raw(bytes)),
        (Some(uri), None) => Ok(Content::Url(uri)),
        (Some(_), Some(bytes)) if !is_strict(cx.adapter()) => {
            if let Some(adapter) = cx.adapter() {
                adapter.loss_of("U7", "file", "has bytes and a uri: the bytes are kept");
            }
            Ok(Content::Raw(bytes))
        }
        (Some(_), Some(_)) => Err(in_member(
            cx,
            "file",
            cx.fault("holds both bytes and uri, only one of them may be there"),
        )),
        (None, None) => Err(in_member(
            cx,
            "file",
            cx.fault("holds neither bytes nor uri, one of them must be there"),
        )),
    }
}

/// What a part holds, and the codec of the member that says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Text.
    Text,
    /// A file.
    File,
    /// Data.
    Data,
}

impl Json for Kind {
    type Value = Self;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, file or data")
    }

    fn text<E: de::Error>(cx: &Context<'_>, text: &str) -> Result<Self, E> {
        match text {
            "text" => Ok(Self::Text),
            "file" => Ok(Self::File),
            "data" => Ok(Self::Data),
            _ => Err(cx.fault(format_args!(
                "expected text, file or data, found the string {:?}",
                crate::path::shortened(text, 40)
            ))),
        }
    }

    fn write<S: Serializer>(_: &Context<'_>, kind: &Self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(match kind {
            Self::Text => "text",
            Self::File => "file",
            Self::Data => "data",
        })
    }
}

/// What was read of a file.
#[derive(Debug, Default)]
struct File {
    uri: Option<String>,
    bytes: Option<bytes::Bytes>,
    media_type: String,
    name: String,
}

struct FileCodec;

impl OldObject for FileCodec {
    type Value = File;
    type State = File;

    const NAME: &'static str = "FilePart";
    const JSON_NAMES: &'static [&'static str] =
        &["uri", "bytes", "mimeType", "name", "fileWithBytes"];

    fn member(name: &str) -> Option<usize> {
        match name {
            "uri" | "fileWithUri" | "file_with_uri" => Some(0),
            "bytes" => Some(1),
            "mimeType" | "mime_type" => Some(2),
            "name" => Some(3),
            "fileWithBytes" | "file_with_bytes" => Some(4),
            _ => None,
        }
    }

    fn read_member<'de, A: MapAccess<'de>>(
        file: &mut File,
        index: usize,
        input: Entry<'_, '_, A>,
    ) -> Result<bool, A::Error> {
        match index {
            0 => input.maybe::<Str>(&mut file.uri),
            1 => input.maybe::<Bytes>(&mut file.bytes),
            2 => input.value::<Str>(&mut file.media_type),
            3 => input.value::<Str>(&mut file.name),
            4 => input.maybe::<ProtoBytes>(&mut file.bytes),
            _ => input.passed(),
        }
    }

    fn finish<E: de::Error>(file: File, _seen: Seen, _cx: &Context<'_>) -> Result<File, E> {
        Ok(file)
    }

    fn write_members<S: SerializeMap>(
        _file: &File,
        _output: &mut Fields<'_, '_, S>,
    ) -> Result<(), S::Error> {
        Err(ser::Error::custom("files are written from their part"))
    }
}

/// Bytes of the proto, in which some peers put base64 text.
struct ProtoBytes;

impl Json for ProtoBytes {
    type Value = bytes::Bytes;

    const NOTES: bool = true;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Bytes::expected(f)
    }

    fn text<E: de::Error>(cx: &Context<'_>, text: &str) -> Result<bytes::Bytes, E> {
        let bytes = Bytes::text(cx, text)?;
        hooked(cx, |adapter| file_bytes::up(bytes, adapter))
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        value: &bytes::Bytes,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        Bytes::write(cx, value, output)
    }
}

/// Writes the file of a part.
struct FileWriter;

impl Json for FileWriter {
    type Value = Part;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn read<'de, D: Deserializer<'de>>(_: &Context<'_>, _: D) -> Result<Option<Part>, D::Error> {
        Err(de::Error::custom("files are read into their part"))
    }

    fn write<S: Serializer>(cx: &Context<'_>, part: &Part, output: S) -> Result<S::Ok, S::Error> {
        let mut output = output.serialize_map(None)?;
        let mut fields = Fields::named(cx, &mut output, true);
        match &part.content {
            Some(Content::Raw(bytes)) => fields.old::<Bytes>("bytes", "raw", bytes)?,
            Some(Content::Url(uri)) => fields.old::<Str>("uri", "url", uri)?,
            _ => {}
        }
        if !Str::is_default(&part.media_type) {
            fields.old::<Str>("mimeType", "mediaType", &part.media_type)?;
        }
        if !Str::is_default(&part.filename) {
            fields.old::<Str>("name", "filename", &part.filename)?;
        }
        output.end()
    }
}

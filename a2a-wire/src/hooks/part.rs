//! Parts: in v0.3 a text, or a message for a file or for data; in v1.0 one flat message.
//!
//! Comes in: a part of one version. Goes out: that of the other one. JSON of the schema has a hook
//! of its own, which shares what is in [`data_part`] and [`file_bytes`].

use super::{data_part, file_bytes};
use crate::adapt::{Adapter, Down, Refused, Told, Up};
use crate::types::Value;
use crate::{v0_3, v1_0};

use v0_3::file_part::File;
use v0_3::part::Part as Old;
use v1_0::part::Content;

/// Names and media types of what is no file; a mark that the user made; integers that protobuf
/// cannot hold.
#[cfg(test)]
pub(super) const LOSSES: &[&str] = &["D2", "D3", "U7"];

/// What is said of integers that protobuf cannot hold.
const DOUBLES: Told = (
    "U7",
    "protobuf holds integers beyond 2^53 only approximately",
);

impl Up<v1_0::Part> for v0_3::Part {
    fn up(self, adapter: &Adapter) -> Result<v1_0::Part, Refused> {
        let mut part = v1_0::Part {
            metadata: self.metadata,
            ..v1_0::Part::default()
        };
        part.content = Some(match self.part {
            Some(Old::Text(text)) => Content::Text(text),
            Some(Old::File(file)) => {
                part.media_type = file.mime_type;
                part.filename = file.name;
                adapter.field("file", |adapter| content_of(file.file, adapter))?
            }
            Some(Old::Data(data)) => {
                let value = Value::from(data.data.unwrap_or_default());
                Content::Data(data_part::unwrap(value, &mut part.metadata))
            }
            None => return adapter.empty("text, file and data"),
        });
        Ok(part)
    }
}

fn content_of(file: Option<File>, adapter: &Adapter) -> Result<Content, Refused> {
    match file {
        Some(File::FileWithUri(uri)) => Ok(Content::Url(uri)),
        Some(File::FileWithBytes(bytes)) => {
            let bytes = adapter.field("fileWithBytes", |adapter| file_bytes::up(bytes, adapter));
            Ok(Content::Raw(bytes?))
        }
        None => adapter.empty("fileWithUri and fileWithBytes"),
    }
}

impl Down<v0_3::Part> for v1_0::Part {
    fn down(self, adapter: &Adapter) -> Result<v0_3::Part, Refused> {
        data_part::note_dropped(&self, adapter);
        let mut metadata = self.metadata;
        let file = |file| {
            Old::File(v0_3::FilePart {
                file: Some(file),
                mime_type: self.media_type,
                name: self.filename,
            })
        };
        let part = match self.content {
            Some(Content::Text(text)) => Old::Text(text),
            Some(Content::Raw(bytes)) => {
                file(File::FileWithBytes(file_bytes::down(bytes, adapter)))
            }
            Some(Content::Url(url)) => file(File::FileWithUri(url)),
            Some(Content::Data(data)) => {
                adapter.doubles("data", &data, DOUBLES);
                Old::Data(v0_3::DataPart {
                    data: Some(data_part::wrap(data, &mut metadata)),
                })
            }
            None => return adapter.empty("text, raw, url and data"),
        };
        adapter.doubles("metadata", &metadata, DOUBLES);
        Ok(v0_3::Part {
            metadata,
            part: Some(part),
        })
    }
}

#[cfg(test)]
mod tests;

//! Files in messages and artifacts.

use a2a_wire::v1_0::Part;
use a2a_wire::v1_0::part::Content;
use bytes::Bytes;

use super::Parts;
use crate::content::part;

/// A file: as a parameter, one file of the message; as a result, an artifact with one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name; empty when it has none.
    pub name: String,
    /// Its media type; empty when it is not said.
    pub media_type: String,
    /// What is in it, or where.
    pub content: FileContent,
}

/// What is in a file, or where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// The file itself.
    Bytes(Bytes),
    /// Where it is. Nothing is fetched by the kit: an agent that fetches addresses that clients name
    /// decides itself which ones it trusts.
    Url(String),
}

impl File {
    /// A file of these bytes.
    #[must_use]
    pub fn from_bytes(
        name: impl Into<String>,
        media_type: impl Into<String>,
        bytes: impl Into<Bytes>,
    ) -> Self {
        Self {
            name: name.into(),
            media_type: media_type.into(),
            content: FileContent::Bytes(bytes.into()),
        }
    }

    /// A file that is elsewhere.
    #[must_use]
    pub fn from_url(
        name: impl Into<String>,
        media_type: impl Into<String>,
        url: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            media_type: media_type.into(),
            content: FileContent::Url(url.into()),
        }
    }

    /// The bytes, if they came along.
    #[must_use]
    pub fn bytes(&self) -> Option<&Bytes> {
        match &self.content {
            FileContent::Bytes(bytes) => Some(bytes),
            FileContent::Url(_) => None,
        }
    }

    /// The address, if there is one instead of bytes.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match &self.content {
            FileContent::Bytes(_) => None,
            FileContent::Url(url) => Some(url),
        }
    }

    /// The file in a part; `None` when the part is none.
    pub(super) fn of(part: &Part) -> Option<Self> {
        let content = match &part.content {
            Some(Content::Raw(bytes)) => FileContent::Bytes(bytes.clone()),
            Some(Content::Url(url)) => FileContent::Url(url.clone()),
            _ => return None,
        };
        Some(Self {
            name: part.filename.clone(),
            media_type: part.media_type.clone(),
            content,
        })
    }
}

impl From<File> for Part {
    fn from(file: File) -> Self {
        let mut made = part(match file.content {
            FileContent::Bytes(bytes) => Content::Raw(bytes),
            FileContent::Url(url) => Content::Url(url),
        });
        made.filename = file.name;
        made.media_type = file.media_type;
        made
    }
}

impl From<File> for Parts {
    fn from(file: File) -> Self {
        Self(vec![file.into()])
    }
}

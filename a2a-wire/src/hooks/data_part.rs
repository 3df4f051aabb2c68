//! Data of parts that v0.3 cannot hold as it is: there `data` is an object, in v1.0 any JSON.
//!
//! Comes in: data and metadata of a part. Goes out: the same in the other version. What is no
//! object is wrapped as `{"value": …}` and marked in the metadata, as all SDKs do; so nothing of it
//! is lost.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::{Map, Value as Any};

use crate::adapt::Adapter;
use crate::types;
use crate::v1_0::Part;
use crate::v1_0::part::Content;

/// The key that marks wrapped data.
pub(crate) const FLAG: &str = "data_part_compat";

/// The member that holds what was wrapped.
const VALUE: &str = "value";

/// Takes wrapped data out of its wrapper, and the mark out of the metadata.
pub(crate) fn unwrap(
    mut value: types::Value,
    metadata: &mut Option<types::Struct>,
) -> types::Value {
    if !is_wrapper(&value, metadata.as_ref()) {
        return value;
    }
    let inner = value
        .as_object_mut()
        .and_then(|object| object.remove(VALUE));
    if let Some(data) = metadata {
        data.remove(FLAG);
        if data.is_empty() {
            *metadata = None;
        }
    }
    types::Value(inner.unwrap_or_default())
}

/// True when data and metadata are what wrapping makes.
pub(crate) fn is_wrapper(value: &types::Value, metadata: Option<&types::Struct>) -> bool {
    let is_marked = metadata.and_then(|data| data.get(FLAG)) == Some(&Any::Bool(true));
    let holds_value = |object: &Map<String, Any>| object.len() == 1 && object.contains_key(VALUE);
    is_marked && value.as_object().is_some_and(holds_value)
}

/// Puts data that is no object into a wrapper, and the mark into the metadata.
pub(crate) fn wrap(value: types::Value, metadata: &mut Option<types::Struct>) -> types::Struct {
    match value.0 {
        Any::Object(object) => types::Struct(object),
        other => {
            let mark = Any::Bool(true);
            metadata
                .get_or_insert_default()
                .insert(FLAG.to_owned(), mark);
            types::Struct::from([(VALUE, other)])
        }
    }
}

/// Notes what of a part v0.3 cannot hold, whichever way it is written.
pub(crate) fn note_dropped(part: &Part, adapter: &Adapter) {
    if let Some(Content::Data(value)) = &part.content {
        let metadata = part.metadata.as_ref();
        if is_wrapper(value, metadata) {
            // Data and metadata both come back as something else.
            adapter.loss("D3", "is taken for wrapped data by its data_part_compat");
        } else if !value.is_object() && metadata.is_some_and(|data| data.contains_key(FLAG)) {
            const DETAIL: &str = "its data_part_compat gives way to the mark of wrapped data";
            adapter.loss_of("D3", "metadata", DETAIL);
        }
    }
    if matches!(part.content, Some(Content::Text(_) | Content::Data(_))) {
        const DETAIL: &str = "only files have it in v0.3";
        adapter.lost_if(!part.media_type.is_empty(), "mediaType", ("D2", DETAIL));
        adapter.lost_if(!part.filename.is_empty(), "filename", ("D2", DETAIL));
    }
}

/// What the proto of v0.3 has around data: `{"data": {…}}`.
pub(crate) fn inner(mut value: types::Value) -> types::Value {
    let is_message = value
        .as_object()
        .is_some_and(|object| object.len() == 1 && object.contains_key("data"));
    let inner = value
        .as_object_mut()
        .filter(|_| is_message)
        .and_then(|object| object.remove("data"));
    match inner {
        Some(inner) => types::Value(inner),
        None => value,
    }
}

/// Writes `{"value": …}`.
#[derive(Debug)]
pub(crate) struct Wrapped<'v>(pub(crate) &'v Any);

impl Serialize for Wrapped<'_> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        let mut output = output.serialize_map(Some(1))?;
        output.serialize_entry(VALUE, self.0)?;
        output.end()
    }
}

/// Writes metadata with the mark.
#[derive(Debug)]
pub(crate) struct Marked<'v>(pub(crate) Option<&'v types::Struct>);

impl Serialize for Marked<'_> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        let mut output = output.serialize_map(None)?;
        for (key, value) in self.0.iter().flat_map(|data| data.iter()) {
            if key != FLAG {
                output.serialize_entry(key, value)?;
            }
        }
        output.serialize_entry(FLAG, &true)?;
        output.end()
    }
}

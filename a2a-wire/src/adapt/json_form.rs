//! The JSON of an older version, as a thing that values of the newer version are read from and
//! written as.
//!
//! Comes in: a JSON text of the older version, or a value of the newer one. Goes out: the other of
//! the two; losses go to the [`Adapter`]. An older version with a JSON schema of its own has
//! generated codecs for it (such as those of [`v0_3_json`](crate::v0_3_json)); one without is read
//! and written through its proto ([`ProtoJson`]).

use std::marker::PhantomData;

use super::{Adapter, Down, Refused, Up};
use crate::WireMessage;
use crate::json;

/// How values of a newer version stand in the JSON of an older one.
pub trait JsonForm<New> {
    /// Reads a value from one whole text.
    ///
    /// # Errors
    /// When the text is no JSON, does not fit, or has no form in the newer version.
    fn read_json(text: &[u8], adapter: &Adapter) -> Result<New, json::Error>;

    /// Appends a value.
    ///
    /// # Errors
    /// When it has no form in the older version; nothing is appended then.
    fn write_json(value: &New, out: &mut Vec<u8>, adapter: &Adapter) -> Result<(), json::Error>;
}

/// ProtoJSON of an older message, for versions that have no other JSON.
#[derive(Debug)]
pub struct ProtoJson<Old>(PhantomData<Old>);

impl<Old, New> JsonForm<New> for ProtoJson<Old>
where
    Old: WireMessage + Up<New>,
    New: Clone + Down<Old>,
{
    fn read_json(text: &[u8], adapter: &Adapter) -> Result<New, json::Error> {
        Old::read_json(text)?.up(adapter).map_err(json_error)
    }

    fn write_json(value: &New, out: &mut Vec<u8>, adapter: &Adapter) -> Result<(), json::Error> {
        let old: Old = value.clone().down(adapter).map_err(json_error)?;
        old.write_json(out)
    }
}

fn json_error(refused: Refused) -> json::Error {
    json::Error::data(refused.path, refused.message)
}

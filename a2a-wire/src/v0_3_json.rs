//! The JSON of A2A v0.3 as its JSON schema has it: what goes over JSON-RPC, agent cards, and all
//! that agents and clients of v0.3 send as JSON.
//!
//! Comes in: a JSON text of v0.3, or a value of [`v1_0`](crate::v1_0). Goes out: the other of the
//! two, without anything in between, and what was lost on the way. There are no types of v0.3 here:
//! each type below is a *codec*, named after what it reads and writes.
//!
//! Readers are lenient. They take the names and enum spellings of the schema, those of the v0.3 proto
//! and either in snake_case, whichever object they are in; parts and results without `kind`; times
//! without zone; cards that hold the forms of both versions. What is written is exactly the schema's.
//!
//! ```
//! use a2a_wire::adapt::Options;
//! use a2a_wire::{v0_3_json, v1_0};
//!
//! let text = br#"{"kind": "task", "id": "t1", "contextId": "c1", "status": {"state": "working"}}"#;
//! let (task, losses) = v0_3_json::read::<v0_3_json::Task>(text, &Options::default())?;
//! assert_eq!(task.status.unwrap().state(), v1_0::TaskState::Working);
//! assert!(losses.is_empty());
//!
//! let mut text = Vec::new();
//! let task = v1_0::Task::new().with_id("t1");
//! let losses = v0_3_json::write::<v0_3_json::Task>(&task, &Options::default(), &mut text)?;
//! assert_eq!(text, br#"{"kind":"task","contextId":"","id":"t1","status":{"state":"unknown"}}"#);
//! assert_eq!((losses[0].id, losses[0].path.as_str()), ("D9", "contextId"));
//! # Ok::<(), a2a_wire::json::Error>(())
//! ```

use crate::adapt::{Adapter, JsonForm, Loss, Options};
use crate::json::Error;
use crate::json::generated::Codec;

include!("generated/a2a_v0_3_json.rs");

/// The answer of an operation that answers nothing, which is `null`.
pub use crate::json::generated::Nothing;

/// Reads a value of v1.0 from a whole text of v0.3, and tells what was lost.
///
/// # Errors
/// When the text is no JSON, does not fit, or has no form in v1.0.
pub fn read<C: Codec + JsonForm<C::Value>>(
    text: &[u8],
    options: &Options,
) -> Result<(C::Value, Vec<Loss>), Error> {
    let adapter = Adapter::new(options.clone());
    let value = <C as JsonForm<C::Value>>::read_json(text, &adapter)?;
    Ok((value, adapter.into_losses()))
}

/// Appends a value of v1.0 as JSON of v0.3, and tells what was lost.
///
/// # Errors
/// When it has no form in v0.3; nothing is appended then.
pub fn write<C: Codec + JsonForm<C::Value>>(
    value: &C::Value,
    options: &Options,
    out: &mut Vec<u8>,
) -> Result<Vec<Loss>, Error> {
    let adapter = Adapter::new(options.clone());
    <C as JsonForm<C::Value>>::write_json(value, out, &adapter)?;
    Ok(adapter.into_losses())
}

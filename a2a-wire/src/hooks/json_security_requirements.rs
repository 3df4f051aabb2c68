//! The security requirements of a card or skill in the JSON of v0.3.
//!
//! Comes in: an array of requirements. Goes out: a list of them, and back without those that name a
//! scheme which [was left out](super::json_security_schemes); where none would be left, all of them
//! stay, since a card that asks for nothing would say that anybody may call.

use std::fmt;

use serde::de::SeqAccess;
use serde::ser::{SerializeSeq as _, Serializer};

use super::json_security_requirement::Codec as Requirement;
use super::security_requirements::{can_be_met, some_can_be_met};
use crate::__codegen::json::{As, Codec as Json, Context, Implicit, List, Settle};
use crate::v1_0::SecurityRequirement;

/// The losses stand at the schemes.
#[cfg(test)]
pub(crate) const LOSSES: &[&str] = &[];

/// All requirements.
#[derive(Debug)]
pub(crate) struct Codec;

impl Json for Codec {
    type Value = Vec<SecurityRequirement>;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn list<'de, A: SeqAccess<'de>>(cx: &Context<'_>, input: A) -> Result<Self::Value, A::Error> {
        List::<Requirement>::list(cx, input)
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        requirements: &Self::Value,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        let names = requirements.iter().map(|each| each.schemes.keys());
        let adapter = cx
            .adapter()
            .filter(|adapter| some_can_be_met(names, adapter));
        let mut output = output.serialize_seq(None)?;
        for requirement in requirements {
            if adapter.is_none_or(|adapter| can_be_met(requirement.schemes.keys(), adapter)) {
                output.serialize_element(&As::<Requirement>::new(cx, requirement))?;
            }
        }
        output.end()
    }
}

impl Implicit for Codec {
    fn is_default(requirements: &Self::Value) -> bool {
        requirements.is_empty()
    }
}

/// The schemes see to it.
impl<New> Settle<New> for Codec {}

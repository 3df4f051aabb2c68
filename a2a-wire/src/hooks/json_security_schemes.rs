//! The security schemes of a card in the JSON of v0.3, by name.
//!
//! Comes in: an object of schemes. Goes out: a map of those that v1.0 can say, and back. Where slips
//! are tolerated, one that cannot be understood is left out, and with it every requirement that
//! names it: a scheme without content would ask for no credentials at all.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, MapAccess};
use serde::ser::{SerializeMap as _, Serializer};

use super::json_security_scheme::Codec as Scheme;
use super::security_requirements::{can_be_met, some_can_be_met};
use super::security_schemes::has_device_code;
use crate::__codegen::json::{Codec as Json, Context, Implicit, Map, Settle, StrKey, Value};
use crate::adapt::Adapter;
use crate::json::old::{in_key, is_strict};
use crate::path::Segment;
use crate::v1_0::{AgentCard, SecurityRequirement, SecurityScheme};

/// What the codec notes by itself.
#[cfg(test)]
pub(crate) const LOSSES: &[&str] = &["U9", "D5", "D10"];

/// All schemes.
#[derive(Debug)]
pub(crate) struct Codec;

impl Json for Codec {
    type Value = BTreeMap<String, SecurityScheme>;

    const NOTES: bool = true;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn object<'de, A: MapAccess<'de>>(cx: &Context<'_>, input: A) -> Result<Self::Value, A::Error> {
        let mut schemes = BTreeMap::new();
        // Kept as free JSON first: a reader that stops in the middle of a text cannot go on.
        for (name, value) in Map::<StrKey, Value>::object(cx, input)? {
            let mark = cx.mark();
            match (Scheme::read(cx, value.0), cx.adapter()) {
                (Ok(Some(scheme)), _) => {
                    cx.below(mark, || Segment::key(&name));
                    schemes.insert(name, scheme);
                }
                (Ok(None), _) => {}
                (Err(_), Some(adapter)) if !is_strict(Some(adapter)) => {
                    cx.forgive();
                    adapter.loss("U9", "not understood; left out with all that requires it");
                    cx.below(mark, || Segment::key(&name));
                    adapter.leave_out(name);
                }
                (Err(error), _) => return Err(in_key(cx, name, de::Error::custom(error))),
            }
        }
        Ok(schemes)
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        schemes: &Self::Value,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        let is_kept = |name: &str| {
            !cx.adapter()
                .is_some_and(|adapter| adapter.is_left_out(name))
        };
        let mut output = output.serialize_map(None)?;
        for (name, scheme) in schemes.iter().filter(|(name, _)| is_kept(name)) {
            let mark = cx.mark();
            Scheme::entry(cx, name, scheme, &mut output)?;
            cx.below(mark, || Segment::key(name));
        }
        output.end()
    }
}

impl Implicit for Codec {
    fn is_default(schemes: &Self::Value) -> bool {
        schemes.is_empty()
    }
}

impl Settle<AgentCard> for Codec {
    /// Leaves out the requirements that name a scheme which was left out. A requirement stays whole
    /// or goes: without one of its schemes it would ask for less. Where none would be left they all
    /// stay, though nobody can meet them.
    fn after_reading(card: &mut AgentCard, adapter: &Adapter) {
        fn keep(requirements: &mut Vec<SecurityRequirement>, adapter: &Adapter) {
            if some_can_be_met(requirements.iter().map(|each| each.schemes.keys()), adapter) {
                requirements.retain(|each| can_be_met(each.schemes.keys(), adapter));
            }
        }
        keep(&mut card.security_requirements, adapter);
        for skill in &mut card.skills {
            keep(&mut skill.security_requirements, adapter);
        }
    }

    /// Finds the schemes that v0.3 cannot say, before a requirement is written.
    fn before_writing(card: &AgentCard, adapter: &Adapter) {
        for (name, scheme) in &card.security_schemes {
            let lost = if has_device_code(scheme) {
                Some((
                    "D5",
                    "the older version does not know the device code flow of OAuth",
                ))
            } else if !is_strict(Some(adapter)) && !can_be_said(scheme) {
                Some((
                    "D10",
                    "the older version cannot say this scheme: it is left out",
                ))
            } else {
                None
            };
            if let Some((id, detail)) = lost {
                let mark = adapter.mark();
                adapter.loss(id, detail);
                adapter.place(mark, &Segment::key(name));
                adapter.place(mark, &Segment::Field("securitySchemes"));
                adapter.leave_out(name.clone());
            }
        }
    }
}

/// True when a scheme has a form in v0.3.
fn can_be_said(scheme: &SecurityScheme) -> bool {
    crate::json::write_adapting::<Scheme>(scheme, &Adapter::default(), &mut Vec::new()).is_ok()
}

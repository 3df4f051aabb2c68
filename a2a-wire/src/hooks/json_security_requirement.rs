//! Security requirements in the JSON of v0.3: maps from schemes to scopes, without an object around
//! them; or as its proto has them.
//!
//! Comes in: `{"name": ["scope"]}` or `{"schemes": {"name": {"list": ["scope"]}}}`. Goes out: a
//! v1.0 requirement, and the first form again. Whatever else stands there is refused: a requirement
//! that is overlooked would open a door.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, MapAccess, SeqAccess};
use serde::ser::{SerializeMap as _, Serializer};

use crate::__codegen::json::{
    Codec as Json, Context, Entry, Fields, List, Map, OldObject, Seen, Str, StrKey,
};
use crate::v1_0::{SecurityRequirement, StringList};

/// What the codec notes by itself.
#[cfg(test)]
pub(crate) const LOSSES: &[&str] = &[];

/// A security requirement.
#[derive(Debug)]
pub struct Codec;

impl Json for Codec {
    type Value = SecurityRequirement;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of security schemes, each with a list of scopes")
    }

    fn object<'de, A: MapAccess<'de>>(
        cx: &Context<'_>,
        input: A,
    ) -> Result<SecurityRequirement, A::Error> {
        let mut schemes = BTreeMap::new();
        for (name, value) in Map::<StrKey, ScopesOrSchemes>::object(cx, input)? {
            match value {
                Value::Scopes(list) => {
                    schemes.insert(name, list);
                }
                Value::Schemes(more) if name == "schemes" => schemes.extend(more),
                Value::Schemes(_) => {
                    let error = cx.fault("expected a list of scopes, found an object");
                    return Err(crate::json::old::in_key(cx, name, error));
                }
            }
        }
        Ok(SecurityRequirement { schemes })
    }

    fn write<S: Serializer>(
        _cx: &Context<'_>,
        requirement: &SecurityRequirement,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        let mut output = output.serialize_map(Some(requirement.schemes.len()))?;
        for (name, scopes) in &requirement.schemes {
            output.serialize_entry(name, &scopes.list)?;
        }
        output.end()
    }
}

/// What stands beside a name.
enum Value {
    Scopes(StringList),
    Schemes(BTreeMap<String, StringList>),
}

struct ScopesOrSchemes;

impl Json for ScopesOrSchemes {
    type Value = Value;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of scopes")
    }

    fn list<'de, A: SeqAccess<'de>>(cx: &Context<'_>, input: A) -> Result<Value, A::Error> {
        Scopes::list(cx, input).map(Value::Scopes)
    }

    fn object<'de, A: MapAccess<'de>>(cx: &Context<'_>, input: A) -> Result<Value, A::Error> {
        Map::<StrKey, Scopes>::object(cx, input).map(Value::Schemes)
    }

    fn write<S: Serializer>(_cx: &Context<'_>, _: &Value, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_unit()
    }
}

/// Scopes: a list, or an object around one.
struct Scopes;

impl Json for Scopes {
    type Value = StringList;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of scopes")
    }

    fn list<'de, A: SeqAccess<'de>>(cx: &Context<'_>, input: A) -> Result<StringList, A::Error> {
        let list = List::<Str>::list(cx, input)?;
        Ok(StringList { list })
    }

    fn object<'de, A: MapAccess<'de>>(cx: &Context<'_>, input: A) -> Result<StringList, A::Error> {
        Wrapped::object(cx, input)
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        scopes: &StringList,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        List::<Str>::write(cx, &scopes.list, output)
    }
}

/// `{"list": [...]}`.
struct Wrapped;

impl OldObject for Wrapped {
    type Value = StringList;
    type State = StringList;

    const NAME: &'static str = "StringList";
    const JSON_NAMES: &'static [&'static str] = &["list"];
    const REJECT_UNKNOWN: bool = true;

    fn member(name: &str) -> Option<usize> {
        (name == "list").then_some(0)
    }

    fn read_member<'de, A: MapAccess<'de>>(
        state: &mut StringList,
        _index: usize,
        input: Entry<'_, '_, A>,
    ) -> Result<bool, A::Error> {
        input.value::<List<Str>>(&mut state.list)
    }

    fn finish<E: de::Error>(
        state: StringList,
        _seen: Seen,
        _cx: &Context<'_>,
    ) -> Result<StringList, E> {
        Ok(state)
    }

    fn write_members<S: serde::ser::SerializeMap>(
        value: &StringList,
        output: &mut Fields<'_, '_, S>,
    ) -> Result<(), S::Error> {
        output.old::<List<Str>>("list", "list", &value.list)
    }
}

//! Whether the values of two fields can stand for each other.
//!
//! Comes in: two fields and what a rule says happens to the value. Goes out: the pair of types
//! inside, which has to be in the plan too, or why they cannot.

use super::model::{Encoding, Via};
use crate::model::{Cardinality, Field, Scalar, Type, WellKnown};

/// Types whose pair has to be in the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inside {
    /// None: the values are the same.
    Nothing,
    /// Messages, or a message and a union: newer and older name.
    Messages(String, String),
    /// Enums: newer and older name.
    Enums(String, String),
}

/// What has to be planned for two fields that stand for each other.
///
/// `Err` says what is different, as the end of a sentence.
pub(super) fn relate(
    new: &Field,
    old: &Field,
    via: &Via,
    encoding: Encoding,
) -> Result<Inside, String> {
    if matches!(via, Via::Hook(_)) {
        // What a hook gets may be anything; but where the values could stand for each other without
        // it, it leaves what is in them to their own plans.
        return Ok(relate(new, old, &Via::Same, encoding).unwrap_or(Inside::Nothing));
    }
    shapes(new, old, via)?;
    let differ = || {
        let (new, old) = (describe(new), describe(old));
        Err(format!("the newer one is {new}, the older one {old}"))
    };
    match via {
        Via::Not => {
            let both = is_scalar(new, Scalar::Bool) && is_scalar(old, Scalar::Bool);
            return if both { Ok(Inside::Nothing) } else { differ() };
        }
        Via::ZeroIsUnset => {
            let both = is_integer(&new.ty) && is_integer(&old.ty);
            return if both { Ok(Inside::Nothing) } else { differ() };
        }
        Via::EmptyIsUnset => {
            let object = Type::WellKnown(WellKnown::Struct);
            let both = new.ty == object && old.ty == object;
            return if both { Ok(Inside::Nothing) } else { differ() };
        }
        Via::LenientTime => {
            let time = Type::WellKnown(WellKnown::Timestamp);
            let older = old.ty == time || is_scalar(old, Scalar::String);
            return if new.ty == time && older {
                Ok(Inside::Nothing)
            } else {
                differ()
            };
        }
        Via::OneOf(_) => {
            let text = is_scalar(new, Scalar::String) && matches!(old.ty, Type::Enum(_));
            return if text { Ok(Inside::Nothing) } else { differ() };
        }
        Via::Same | Via::First | Via::Hook(_) => {}
    }
    match (&new.ty, &old.ty) {
        (Type::Message(new), Type::Message(old) | Type::Union(old)) => {
            Ok(Inside::Messages(new.clone(), old.clone()))
        }
        (Type::Enum(new), Type::Enum(old)) => Ok(Inside::Enums(new.clone(), old.clone())),
        (a, b) if a == b => Ok(Inside::Nothing),
        (a, b) if encoding == Encoding::Json && both_numbers(a, b) => Ok(Inside::Nothing),
        _ => differ(),
    }
}

/// Lists stand for lists, maps for maps; members of a oneof for members of a oneof.
fn shapes(new: &Field, old: &Field, via: &Via) -> Result<(), String> {
    use Cardinality::{Map, Oneof, Repeated};
    if *via == Via::First {
        return match (&new.cardinality, &old.cardinality) {
            (Repeated | Map { .. }, _) => Err("the newer one is no single value".to_owned()),
            (_, Repeated) => Ok(()),
            _ => Err("the older one is no list".to_owned()),
        };
    }
    match (&new.cardinality, &old.cardinality) {
        (Repeated, Repeated) | (Oneof(_), Oneof(_)) => Ok(()),
        (Map { key: new }, Map { key: old }) if new == old => Ok(()),
        (Map { .. }, Map { .. }) => Err("their maps have other keys".to_owned()),
        (Repeated | Map { .. }, _) | (_, Repeated | Map { .. }) => Err(format!(
            "the newer one is {}, the older one {}",
            describe(new),
            describe(old)
        )),
        (Oneof(_), _) => Err("the newer one is in a oneof, the older one is not".to_owned()),
        (_, Oneof(_)) => Err("the older one is in a oneof, the newer one is not".to_owned()),
        _ => Ok(()),
    }
}

/// JSON has one kind of integer and one kind of number.
fn both_numbers(new: &Type, old: &Type) -> bool {
    let is_float = |ty: &Type| matches!(ty, Type::Scalar(Scalar::Double | Scalar::Float));
    (is_integer(new) && is_integer(old)) || (is_float(new) && is_float(old))
}

fn is_scalar(field: &Field, scalar: Scalar) -> bool {
    field.ty == Type::Scalar(scalar)
}

fn is_integer(ty: &Type) -> bool {
    let Type::Scalar(scalar) = ty else {
        return false;
    };
    !matches!(
        scalar,
        Scalar::Double | Scalar::Float | Scalar::Bool | Scalar::String | Scalar::Bytes
    )
}

/// What a field holds, for people: `a list of string`.
pub(super) fn describe(field: &Field) -> String {
    let ty = match &field.ty {
        Type::Scalar(scalar) => format!("{scalar:?}").to_lowercase(),
        Type::WellKnown(known) => format!("{known:?}"),
        Type::Message(name) | Type::Enum(name) | Type::Union(name) => format!("`{name}`"),
    };
    match &field.cardinality {
        Cardinality::Repeated => format!("a list of {ty}"),
        Cardinality::Map { .. } => format!("a map of {ty}"),
        _ => ty,
    }
}

/// True when values can be told from absence in the older JSON only by being there, and a writer
/// must put something: what the schema requires, but for lists and maps, which are written empty.
pub(super) fn needs_default(new: &Field, old: &Field) -> bool {
    let collection = matches!(
        old.cardinality,
        Cardinality::Repeated | Cardinality::Map { .. }
    );
    old.required && !new.required && !collection
}

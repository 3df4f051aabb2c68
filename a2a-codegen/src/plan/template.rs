//! Texts of the older version that hold newer texts: `tasks/{task_id}`.

use super::model::Piece;
use super::names::field;
use crate::model::{Cardinality, Message, Scalar, Type};

/// The pieces of a template; `Err` says what is wrong with it.
pub(super) fn pieces(text: &str, new: &Message) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((literal, after)) = rest.split_once('{') {
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal.to_owned()));
        }
        let (name, after) = after
            .split_once('}')
            .ok_or_else(|| format!("a brace of the template `{text}` is not closed"))?;
        let index = field(new, name)
            .ok_or_else(|| format!("`{}` has no field `{name}`", new.proto_name))?;
        let is_text = new.fields.get(index).is_some_and(|field| {
            field.ty == Type::Scalar(Scalar::String)
                && matches!(
                    field.cardinality,
                    Cardinality::Implicit | Cardinality::Explicit
                )
        });
        if !is_text {
            return Err(format!("`{}.{name}` is no text", new.proto_name));
        }
        if matches!(pieces.last(), Some(Piece::Field(_))) {
            return Err(format!(
                "nothing stands between two fields of the template `{text}`, so that it cannot be \
                 taken apart"
            ));
        }
        if pieces.contains(&Piece::Field(index)) {
            return Err(format!("`{name}` is twice in the template `{text}`"));
        }
        pieces.push(Piece::Field(index));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest.to_owned()));
    }
    Ok(pieces)
}

/// The newer fields of a template.
pub(super) fn fields(pieces: &[Piece]) -> Vec<usize> {
    let fields = pieces.iter().filter_map(|piece| match piece {
        Piece::Field(index) => Some(*index),
        Piece::Literal(_) => None,
    });
    fields.collect()
}

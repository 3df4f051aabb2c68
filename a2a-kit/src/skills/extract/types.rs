//! The extractors.

use a2a_wire::__codegen::Violation;
use a2a_wire::v1_0::part::Content;
use a2a_wire::v1_0::{Message, Part};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Extract, Misfit, Pending, Wants};
use crate::error::{SHOWN, cut};
use crate::skills::sealed::Sealed;
use crate::skills::{File, Json, Parts, Text, schema};

impl Sealed for Text {}

impl Extract for Text {
    fn describe(wants: &mut Wants) {
        wants.words.push("text");
        wants.text = true;
    }

    fn is_there(parts: &Pending<'_>) -> bool {
        parts.has(|part| text(part).is_some())
    }

    fn extract(parts: &mut Pending<'_>) -> Result<Self, Misfit> {
        let (_, first) = parts.next(text).ok_or_else(|| parts.missing("text"))?;
        let mut all = first.to_owned();
        while let Some((_, more)) = parts.next(text) {
            all.push('\n');
            all.push_str(more);
        }
        Ok(Self(all))
    }

    fn check(parts: &mut Pending<'_>) -> Result<(), Misfit> {
        parts.next(text).ok_or_else(|| parts.missing("text"))?;
        while parts.next(text).is_some() {}
        Ok(())
    }
}

fn text(part: &Part) -> Option<&str> {
    match &part.content {
        Some(Content::Text(text)) => Some(text),
        _ => None,
    }
}

impl<T> Sealed for Json<T> {}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Extract for Json<T> {
    fn describe(wants: &mut Wants) {
        wants.data("one data part", schema::of_input::<T>);
    }

    fn is_there(parts: &Pending<'_>) -> bool {
        parts.has(|part| data(part).is_some())
    }

    fn extract(parts: &mut Pending<'_>) -> Result<Self, Misfit> {
        let (at, value) = parts
            .next(data)
            .ok_or_else(|| parts.missing("one data part"))?;
        read(at, value).map(Self)
    }
}

fn data(part: &Part) -> Option<&Value> {
    match &part.content {
        Some(Content::Data(value)) => Some(&value.0),
        _ => None,
    }
}

/// Reads a value straight from the part. Only when that fails it is read again: with whole numbers as
/// integers, and to find out where the fault is.
fn read<T: DeserializeOwned>(at: usize, value: &Value) -> Result<T, Misfit> {
    if let Ok(read) = T::deserialize(value) {
        return Ok(read);
    }
    let mut value = value.clone();
    make_whole(&mut value);
    let (path, what) = match serde_path_to_error::deserialize::<_, T>(&value) {
        Ok(read) => return Ok(read),
        Err(found) => (found.path().to_string(), found.into_inner().to_string()),
    };
    let mut field = format!("message.parts[{at}].data");
    if path != "." {
        if !path.starts_with('[') {
            field.push('.');
        }
        field.push_str(cut(&path, SHOWN));
    }
    // What is missing has a path, too, though serde has not come to it.
    let description = match missing_field(&what) {
        Some(name) => {
            field.push('.');
            field.push_str(name);
            "is missing".to_owned()
        }
        None => without_middle(&what),
    };
    Err(Misfit::of_content(vec![Violation { field, description }]))
}

/// Serde quotes the value first and says last what it expected: both are told.
fn without_middle(what: &str) -> String {
    if what.len() <= SHOWN {
        return what.to_owned();
    }
    let mut end = what.len() - SHOWN / 2;
    while !what.is_char_boundary(end) {
        end += 1;
    }
    format!("{} … {}", cut(what, SHOWN / 2), &what[end..])
}

/// Makes integers of numbers such as `2.0`. Who has data as `google.protobuf.Value` knows doubles only,
/// and some write them so into JSON; for JSON Schema they are integers, for serde they are not.
fn make_whole(value: &mut Value) {
    /// From here on, a double may stand for another integer than it was.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number
                .as_f64()
                .filter(|n| n.fract() == 0.0 && n.abs() < EXACT);
            if let Some(whole) = whole {
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "it is whole and small enough"
                )]
                let integer = whole as i64;
                *value = integer.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_whole),
        Value::Object(members) => members.values_mut().for_each(make_whole),
        _ => {}
    }
}

/// The name in serde's own words for a member that is missing.
fn missing_field(what: &str) -> Option<&str> {
    what.strip_prefix("missing field `")?.strip_suffix('`')
}

impl Sealed for File {}

impl Extract for File {
    fn describe(wants: &mut Wants) {
        wants.words.push("one file");
        wants.files = true;
    }

    fn is_there(parts: &Pending<'_>) -> bool {
        parts.has(|part| matches!(part.content, Some(Content::Raw(_) | Content::Url(_))))
    }

    fn extract(parts: &mut Pending<'_>) -> Result<Self, Misfit> {
        let (_, file) = parts
            .next(Self::of)
            .ok_or_else(|| parts.missing("one file (raw or url)"))?;
        Ok(file)
    }
}

impl Sealed for Parts {}

impl Extract for Parts {
    const TAKES_REST: bool = true;

    fn describe(wants: &mut Wants) {
        wants.words.push("any parts");
        wants.anything = true;
    }

    fn is_there(parts: &Pending<'_>) -> bool {
        parts.has(|_| true)
    }

    fn extract(parts: &mut Pending<'_>) -> Result<Self, Misfit> {
        Ok(Self(parts.rest().cloned().collect()))
    }

    fn check(parts: &mut Pending<'_>) -> Result<(), Misfit> {
        drop(parts.rest());
        Ok(())
    }
}

impl Sealed for Message {}

impl Extract for Message {
    const TAKES_REST: bool = true;

    fn describe(wants: &mut Wants) {
        wants.words.push("any message");
        wants.anything = true;
    }

    fn is_there(_: &Pending<'_>) -> bool {
        true
    }

    fn extract(parts: &mut Pending<'_>) -> Result<Self, Misfit> {
        parts.seen = true;
        Ok(parts.message.clone())
    }

    fn check(parts: &mut Pending<'_>) -> Result<(), Misfit> {
        parts.seen = true;
        Ok(())
    }
}

impl<X: Sealed> Sealed for Option<X> {}

impl<X: Extract> Extract for Option<X> {
    const TAKES_REST: bool = X::TAKES_REST;

    fn describe(wants: &mut Wants) {
        wants.optionally(X::describe);
    }

    fn is_there(_: &Pending<'_>) -> bool {
        true
    }

    fn extract(parts: &mut Pending<'_>) -> Result<Self, Misfit> {
        match X::is_there(parts) {
            true => X::extract(parts).map(Some),
            false => Ok(None),
        }
    }

    fn check(parts: &mut Pending<'_>) -> Result<(), Misfit> {
        match X::is_there(parts) {
            true => X::check(parts),
            false => Ok(()),
        }
    }
}

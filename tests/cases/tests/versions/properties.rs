//! What goes down and up again, or up and down, is the same but for the losses that were told; and
//! what is written for v0.3 is valid by its JSON schema.

use std::sync::LazyLock;

use cases::case::json as read;
use cases::schema::Schemas;
use cases::schema::required;
use cases::versions::case::{Case, Direction, Encoding};
use cases::versions::definitions::Definitions;
use cases::versions::{Became, Outcome, Tools, values};
use proptest::prelude::*;
use prost_reflect::{Kind, MessageDescriptor};
use serde_json::{Value, json};

use crate::differences::{at, is_empty, missing, take_out};
use crate::kinds::{OfType, TYPES};
use crate::made::{self, Tape};

pub(crate) static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| Schemas::compiled_in().unwrap());
pub(crate) static DEFINITIONS: LazyLock<Definitions> =
    LazyLock::new(|| Definitions::new().unwrap());
static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let text = include_bytes!("../../../../proto/a2a/v0.3/a2a.schema.json");
    read(text).unwrap()
});

pub(crate) fn convert(case: &Case) -> Result<Outcome, String> {
    let tools = Tools {
        schemas: &SCHEMAS,
        definitions: &DEFINITIONS,
    };
    match case.encoding {
        Encoding::Schema => values::schema(case, &tools),
        _ => values::proto(case, &tools),
    }
}

fn converted(case: &Case) -> Option<Became> {
    match convert(case) {
        Ok(Outcome::Became(became)) => Some(became),
        Ok(Outcome::Refused { .. }) => None,
        Err(why) => panic!("{} {}: {why}", case.kind, case.input),
    }
}

/// The same value the other way, over protobuf where there is some.
fn back(case: &Case, became: &Became) -> Case {
    let direction = match case.direction {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
    };
    let mut back = Case::new(direction, case.encoding, &case.kind, became.value.clone());
    back.input_bytes.clone_from(&became.bytes);
    back
}

/// What is not the same after both ways, and was not told. Losses of the way back count where they
/// say that a value is written in another way.
fn untold(case: &Case, first: &Became, second: &Became) -> Vec<String> {
    let (mut from, mut to) = (case.input.clone(), second.value.clone());
    for (_, path) in &first.losses {
        take_out(&mut from, path);
        take_out(&mut to, path);
    }
    for (id, path) in &second.losses {
        assert!(
            ["U7", "U8", "U10", "D8", "D9"].contains(&id.as_str()) || case.kind == "AgentCard",
            "{id} at {path} on the way back of {}",
            case.input
        );
        take_out(&mut from, path);
        take_out(&mut to, path);
    }
    let mut found = missing(&from, &to);
    if case.direction == Direction::Down {
        found.extend(
            missing(&to, &from)
                .into_iter()
                .map(|path| format!("+{path}")),
        );
    }
    found
}

/// What no single loss tells of a card: which requirements go with a scheme, and what is the card's
/// interface in v0.3. Both have properties of their own below.
fn is_of_card_alone(path: &str) -> bool {
    let path = path.trim_start_matches('+');
    [
        "securitySchemes",
        "securityRequirements",
        "supportedInterfaces",
        "security",
        "skills",
        "additionalInterfaces",
        "preferredTransport",
        "protocolVersion",
        "url",
    ]
    .iter()
    .any(|name| path.starts_with(name))
}

fn tape() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<u32>(), 0..160)
}

fn a_type() -> impl Strategy<Value = OfType> {
    prop::sample::select(TYPES)
}

fn new_type(of: &OfType) -> MessageDescriptor {
    SCHEMAS.message(&format!("lf.a2a.v1.{}", of.new)).unwrap()
}

fn new_value(of: &OfType, tape: &[u32]) -> Value {
    made::message(&new_type(of), &mut Tape::new(tape), 0)
}

/// True when something is missing that v1.0 requires.
fn is_incomplete(kind: &MessageDescriptor, value: &Value) -> bool {
    kind.fields().any(|field| {
        let member = value.get(field.json_name()).unwrap_or(&Value::Null);
        let inner = match (field.kind(), member) {
            (Kind::Message(kind), Value::Array(items)) => {
                items.iter().any(|item| is_incomplete(&kind, item))
            }
            (Kind::Message(kind), Value::Object(members)) if field.is_map() => {
                let value = kind.map_entry_value_field();
                let kind = value.kind();
                let kind = kind.as_message();
                kind.is_some_and(|kind| members.values().any(|item| is_incomplete(kind, item)))
            }
            (Kind::Message(kind), Value::Object(_)) => is_incomplete(&kind, member),
            _ => false,
        };
        inner || (required(&field) && is_empty(member))
    })
}

/// A loss that says of a value that it is gone names a place where there is one.
fn names_something(case: &Case, became: &Became) -> Result<(), TestCaseError> {
    for (id, path) in &became.losses {
        if [
            "D1", "D2", "D4", "D6", "D11", "D12", "D13", "U1", "U3", "U5",
        ]
        .contains(&id.as_str())
        {
            let found = at(&case.input, path);
            let nothing = [json!(null), json!(""), json!([]), json!(0)];
            prop_assert!(
                found.is_some_and(|value| !nothing.contains(value)),
                "{} at {:?} of {}, where there is {:?}",
                id,
                path,
                case.input,
                found
            );
        }
    }
    Ok(())
}

fn down_and_up(
    encoding: Encoding,
    kind: &str,
    message: &MessageDescriptor,
    value: &Value,
) -> Result<(), TestCaseError> {
    let case = Case::new(Direction::Down, encoding, kind, value.clone());
    let Some(first) = converted(&case) else {
        return Ok(());
    };
    names_something(&case, &first)?;
    let way_back = back(&case, &first);
    let Some(second) = converted(&way_back) else {
        if is_incomplete(message, value) {
            return Ok(());
        }
        return Err(TestCaseError::fail(format!(
            "{} became {}, which is refused: {:?}",
            case.input,
            first.value,
            convert(&way_back)
        )));
    };
    let mut untold = untold(&case, &first, &second);
    if kind == "AgentCard" {
        untold.retain(|path| !is_of_card_alone(path));
    }
    prop_assert!(
        untold.is_empty(),
        "{:?} of {} {} became {} and {}, told were {:?} and {:?}",
        untold,
        kind,
        case.input,
        first.value,
        second.value,
        first.losses,
        second.losses
    );
    Ok(())
}

fn up_and_down(encoding: Encoding, kind: &str, value: &Value) -> Result<(), TestCaseError> {
    let case = Case::new(Direction::Up, encoding, kind, value.clone());
    let Some(first) = converted(&case) else {
        return Ok(());
    };
    names_something(&case, &first)?;
    // What v0.3 has no form for comes from readers that are lenient.
    let Some(second) = converted(&back(&case, &first)) else {
        return Ok(());
    };
    let mut untold = untold(&case, &first, &second);
    if kind == "AgentCard" {
        untold.retain(|path| !is_of_card_alone(path));
    }
    prop_assert!(
        untold.is_empty(),
        "{:?} of {} {} became {} and {}, told were {:?} and {:?}",
        untold,
        kind,
        case.input,
        first.value,
        second.value,
        first.losses,
        second.losses
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn down_and_up_by_the_schema(of in a_type(), tape in tape()) {
        if let Some(kind) = of.schema {
            down_and_up(Encoding::Schema, kind, &new_type(&of), &new_value(&of, &tape))?;
        }
    }

    #[test]
    fn down_and_up_by_the_proto(of in a_type(), tape in tape()) {
        if let Some(kind) = of.proto {
            let mut tape = Tape::new(&tape).without_large_numbers();
            let value = made::message(&new_type(&of), &mut tape, 0);
            down_and_up(Encoding::ProtoJson, kind, &new_type(&of), &value)?;
        }
    }

    #[test]
    fn up_and_down_by_the_proto(of in a_type(), tape in tape()) {
        if let Some(kind) = of.proto {
            let message = SCHEMAS.message(&format!("a2a.v1.{kind}")).unwrap();
            let value = made::message(&message, &mut Tape::new(&tape).without_large_numbers(), 0);
            up_and_down(Encoding::ProtoJson, kind, &value)?;
        }
    }

    #[test]
    fn up_and_down_by_the_schema(of in a_type(), tape in tape()) {
        if let (Some(kind), Some(name)) = (of.schema, of.definition) {
            let definitions = &SCHEMA["definitions"];
            let value = made::of_schema(&definitions[name], definitions, &mut Tape::new(&tape), 0);
            prop_assert_eq!(DEFINITIONS.faults(name, &value).unwrap(), Vec::<String>::new());
            up_and_down(Encoding::Schema, kind, &value)?;
        }
    }

    /// Whatever the value.
    #[test]
    fn what_is_written_is_valid(of in a_type(), tape in tape(), last in any::<bool>()) {
        let Some(kind) = of.schema else { return Ok(()) };
        let mut case = Case::new(Direction::Down, Encoding::Schema, kind, new_value(&of, &tape));
        case.settings.options.last_event = last;
        if let Some(became) = converted(&case) {
            let name = match &became.form {
                cases::versions::Form::Definition(name) => *name,
                other => panic!("{other:?}"),
            };
            let faults = DEFINITIONS.faults(name, &became.value).unwrap();
            prop_assert!(faults.is_empty(), "{:?}: {} became {}", faults, case.input, became.value);
        }
    }
}

//! Whatever the bytes are, nothing panics, and what was read can be written again or is refused.

use cases::versions::case::{Case, Direction, Encoding};
use proptest::prelude::*;
use serde_json::Value;

use crate::kinds::TYPES;
use crate::made::Tape;
use crate::properties::{SCHEMAS, convert};

fn every_way(value: &Value) {
    for of in TYPES {
        for (encoding, kind) in [
            (Encoding::Schema, of.schema),
            (Encoding::ProtoJson, of.proto),
        ] {
            let Some(kind) = kind else { continue };
            for direction in [Direction::Up, Direction::Down] {
                // What is no value of the type has no outcome; that there is an answer is enough.
                let _ = convert(&Case::new(direction, encoding, kind, value.clone()));
            }
        }
    }
}

/// Puts something else where something is.
fn damaged(value: &mut Value, tape: &mut std::slice::Iter<'_, u32>) {
    let mut next = || tape.next().copied().unwrap_or_default() as usize;
    match value {
        Value::Object(members) if !members.is_empty() && next() % 4 != 0 => {
            let index = next() % members.len();
            if let Some(member) = members.values_mut().nth(index) {
                damaged(member, tape);
            }
        }
        Value::Array(items) if !items.is_empty() && next() % 4 != 0 => {
            let index = next() % items.len();
            damaged(&mut items[index], tape);
        }
        value => {
            let others = [
                Value::Null,
                Value::from(""),
                Value::from(-1),
                Value::from(1e300),
                Value::from("task"),
                Value::Array(vec![Value::Null]),
                serde_json::json!({"kind": "task"}),
                serde_json::json!({"": {}}),
                Value::from(true),
            ];
            *value = others[next() % others.len()].clone();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn any_json(numbers in prop::collection::vec(any::<u32>(), 0..120)) {
        let mut tape = Tape::new(&numbers);
        let kind = SCHEMAS.message("google.protobuf.Value").unwrap();
        every_way(&crate::made::message(&kind, &mut tape, 0));
    }

    #[test]
    fn damaged_values_of_one_version_as_the_other(of in prop::sample::select(TYPES), numbers in prop::collection::vec(any::<u32>(), 0..160)) {
        let kind = SCHEMAS.message(&format!("lf.a2a.v1.{}", of.new)).unwrap();
        let mut value = crate::made::message(&kind, &mut Tape::new(&numbers), 0);
        every_way(&value);
        damaged(&mut value, &mut numbers.iter());
        every_way(&value);
        if let Some(kind) = of.schema
            && let Ok(cases::versions::Outcome::Became(mut became)) = convert(&Case::new(Direction::Down, Encoding::Schema, kind, value))
        {
            damaged(&mut became.value, &mut numbers.iter());
            every_way(&became.value);
        }
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for of in TYPES {
            let Some(kind) = of.proto else { continue };
            let mut case = Case::new(Direction::Up, Encoding::Protobuf, kind, Value::Object(Default::default()));
            case.input_bytes = Some(bytes.clone());
            let _ = convert(&case);
            case.direction = Direction::Down;
            let _ = convert(&case);
        }
    }
}

//! The result of a response object as nearly all servers write it, found without reading it.
//!
//! Comes in: the text of a response, the id that it must have. Goes out: where the result is; or
//! nothing, when it is not a plain success with the members `jsonrpc`, `id` and `result`. Then the
//! text is read by the rules, which says what is wrong with it.
//!
//! Of the result only the end is looked for, by counting brackets. That is enough: all the rest is
//! compared to the letter, so a text that is no JSON has its fault in the result, where it is found
//! when the message is read. Nothing is allocated, where `serde_json` would make a list of open
//! brackets for each event of a stream. (It takes as long as `serde_json` does.)

use std::ops::Range;

use memchr::memchr2;

/// Where the result is, when it is an object.
pub(super) fn result(text: &[u8], id: &str) -> Option<Range<usize>> {
    let mut rest = Rest { text, at: 0 };
    let (mut version, mut own, mut result) = (false, false, None);
    rest.eat(b"{")?;
    loop {
        if !version && rest.eat(b"\"jsonrpc\"").is_some() {
            rest.eat(b":")?;
            rest.eat(b"\"2.0\"")?;
            version = true;
        } else if !own && rest.eat(b"\"id\"").is_some() {
            rest.eat(b":")?;
            rest.eat(id.as_bytes())?;
            own = true;
        } else if result.is_none() && rest.eat(b"\"result\"").is_some() {
            rest.eat(b":")?;
            result = Some(rest.object()?);
        } else {
            return None;
        }
        if rest.eat(b",").is_none() {
            break;
        }
    }
    rest.eat(b"}")?;
    rest.skip_space();
    result.filter(|_| version && own && rest.at == text.len())
}

struct Rest<'a> {
    text: &'a [u8],
    at: usize,
}

impl Rest<'_> {
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    /// Steps over these bytes, and space before them, if they are there.
    fn eat(&mut self, expected: &[u8]) -> Option<()> {
        self.skip_space();
        self.text.get(self.at..)?.starts_with(expected).then(|| {
            self.at += expected.len();
        })
    }

    /// Steps over an object.
    fn object(&mut self) -> Option<Range<usize>> {
        self.eat(b"{")?;
        let start = self.at - 1;
        let mut open = 1_usize;
        while open > 0 {
            // A `}` ends an object; a list in it ends before that, so its brackets need no counting.
            match self.text.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    self.string()?;
                    continue;
                }
                b'{' => open += 1,
                b'}' => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Some(start..self.at)
    }

    /// Steps over a string whose first quote is behind.
    fn string(&mut self) -> Option<()> {
        loop {
            self.at += memchr2(b'"', b'\\', self.text.get(self.at..)?)? + 1;
            match self.text[self.at - 1] {
                b'"' => return Some(()),
                // What is escaped is one byte, or hexadecimal digits.
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::result;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn found(text: &str) -> Option<&str> {
        result(text.as_bytes(), "7").map(|range| &text[range])
    }

    #[test]
    fn the_members_may_come_in_any_order_and_with_space() {
        for text in [
            r#"{"jsonrpc":"2.0","id":7,"result":{"a":"}"}}"#,
            r#"{"id":7,"jsonrpc":"2.0","result":{"a":"}"}}"#,
            r#"{"result":{"a":"}"},"id":7,"jsonrpc":"2.0"}"#,
            " {\r\n\t\"jsonrpc\" : \"2.0\" , \"id\" : 7 , \"result\" : {\"a\":\"}\"} }\n",
        ] {
            assert_eq!(found(text), Some(r#"{"a":"}"}"#), "{text}");
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_rules() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
            r#"{"id":7,"result":{}}"#,
            r#"{"jsonrpc":"1.0","id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"7","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":[]}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{},"error":null}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{},"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{},}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}} {}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"a"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"a\"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"#,
            r#"{"jsonrpc":"2.0","id":7,"result":"#,
            r#"{"jsonrpc":"2.0" "id":7,"result":{}}"#,
            r#"{"jsonrpc""2.0","id":7,"result":{}}"#,
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn a_fault_in_the_result_stays_in_the_result() {
        for fault in [
            r#"{"a":]}"#,
            r#"{"a":[}"#,
            r#"{"a" "b"}"#,
            "{\u{0}}",
            r#"{"a":"\x"}"#,
        ] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{fault}}}"#);
            assert_eq!(found(&text), Some(fault));
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i32>().prop_map(Value::from),
            "[\"\\\\{}\\[\\],:a\u{7}é]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[\"\\\\{}a]{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_result_is_found_whole(value in value(), pretty in any::<bool>()) {
            let value = json!({ "in": value });
            let text = json!({"jsonrpc": "2.0", "id": 7, "result": value});
            let text = if pretty { format!("{text:#}") } else { text.to_string() };
            let found = found(&text).expect("it is plain");
            prop_assert_eq!(serde_json::from_str::<Value>(found).unwrap(), value);
        }

        #[test]
        fn a_text_that_was_changed_is_read_as_the_rules_do(
            value in value(), at in any::<prop::sample::Index>(), byte in prop::sample::select(&b"\"{}[]:,\\ 7a"[..])
        ) {
            let text = json!({"jsonrpc": "2.0", "id": 7, "result": { "in": value }});
            let mut text = text.to_string().into_bytes();
            let at = at.index(text.len());
            text[at] = byte;
            if let Some(range) = result(&text, "7") {
                let quick = serde_json::from_slice::<Value>(&text[range]).ok();
                let whole = serde_json::from_slice::<Value>(&text).ok();
                prop_assert_eq!(quick, whole.and_then(|mut whole| {
                    whole.get_mut("result").map(Value::take)
                }));
            }
        }
    }
}

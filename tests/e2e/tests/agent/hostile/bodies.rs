//! Bodies that are cut, deep, large, of wrong types, or garbled.

use e2e::client::encode;
use e2e::client::http;
use e2e::{Binding, Setup, string};
use serde_json::{Value, json};

use super::{Attack, Verdict, envelope, field, framed, nested, rich};

#[tokio::test]
async fn bodies_cut_at_every_byte() {
    let mut attack = Attack::new(Setup::new()).await;
    let params = rich().to_string();
    assert_eq!(
        attack.rest("/message:send", params.clone()).await,
        Verdict::Served
    );
    for end in 0..params.len() {
        let verdict = attack
            .rest("/message:send", params.as_bytes()[..end].to_vec())
            .await;
        assert_eq!(verdict, Verdict::Refused(400), "cut at {end}");
    }
    let body = envelope(&params);
    assert_eq!(attack.json_rpc(body.clone()).await, Verdict::Served);
    for end in 0..body.len() {
        let verdict = attack.json_rpc(body.as_bytes()[..end].to_vec()).await;
        assert_eq!(verdict, Verdict::Refused(-32700), "cut at {end}");
    }
    let message = encode("SendMessageRequest", &rich());
    let whole = framed(&message);
    assert_eq!(attack.grpc(whole.clone()).await, Verdict::Served);
    for end in 0..whole.len() {
        assert_eq!(
            attack.grpc(whole[..end].to_vec()).await,
            Verdict::Refused(3),
            "the frame cut at {end}"
        );
    }
    for end in 0..message.len() {
        // Between two fields a message is whole.
        let verdict = attack.grpc(framed(&message[..end])).await;
        assert!(
            [Verdict::Served, Verdict::Refused(3)].contains(&verdict),
            "the message cut at {end}: {verdict:?}"
        );
    }
    attack.end().await;
}

#[tokio::test]
async fn deep_nesting() {
    let mut attack = Attack::new(Setup::new()).await;
    for depth in [10, 60, 100, 127, 128, 129, 1_000, 100_000] {
        for (open, inner, close) in [("[", "", "]"), ("{\"a\":", "1", "}")] {
            let value = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
            let bodies = [
                format!(
                    r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"hi"}}],"metadata":{{"deep":{value}}}}}}}"#
                ),
                format!(
                    r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"hi"}}],"unknown":{value}}}}}"#
                ),
                format!(r#"{{"unknown":{value}}}"#),
                value,
            ];
            for (index, params) in bodies.into_iter().enumerate() {
                let rest = attack.rest("/message:send", params.clone()).await;
                let json_rpc = attack.json_rpc(envelope(&params)).await;
                let served = index < 2 && depth <= 60;
                assert!(
                    !served || (&rest, &json_rpc) == (&Verdict::Served, &Verdict::Served),
                    "{depth} {open} {index}: {rest:?} {json_rpc:?}"
                );
                // What is not known is passed over without being kept, however deep it is.
                if index > 1 || (index == 0 && depth >= 1_000) {
                    assert!(
                        rest != Verdict::Served && json_rpc != Verdict::Served,
                        "{depth} {open} {index}"
                    );
                }
            }
        }
    }
    attack.end().await;
}

#[tokio::test]
async fn what_one_binding_takes_the_others_can_answer() {
    let served = Setup::new().start().await;
    let client = served.client(Binding::Grpc);
    for depth in [1, 10, 20, 30, 40, 45, 48, 50, 60, 64, 80, 100, 1_000, 5_000] {
        let part = field(1, b"report fine");
        let entry = [field(1, b"deep"), field(2, &nested(depth))].concat();
        let metadata = field(6, &field(1, &entry));
        let message = [field(1, b"m"), vec![0x20, 1], field(5, &part), metadata].concat();
        let id = match client
            .grpc_message("SendMessage", &field(2, &message))
            .await
        {
            Ok(answer) => string(&answer.value, "/task/id"),
            Err(fault) => {
                assert!(depth >= 30 && fault.code == 3, "{depth}: {fault:?}");
                continue;
            }
        };
        for path in [format!("/tasks/{id}"), "/tasks".to_owned()] {
            let answer = http::call(served.addr, "GET", &path).await;
            assert_eq!(answer.status, 200, "{depth}: {answer:?}");
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": id}})
            .to_string();
        let answer = http::post(served.addr, "/", body).await;
        assert!(answer.text().contains("\"result\""), "{depth}: {answer:?}");
    }
}

#[tokio::test]
async fn megabytes_of_brackets_and_bombs_of_small_values() {
    let mut attack = Attack::new(Setup::new()).await;
    let (large, size) = (4 << 20, 1 << 19);
    let list = |item: &str| {
        format!(
            "[{}{item}]",
            format!("{item},").repeat(size / (item.len() + 1))
        )
    };
    for params in [
        "[".repeat(large),
        "{\"a\":".repeat(large / 5),
        format!(r#"{{"message":{}"#, "[".repeat(size)),
        format!(r#"{{"message":{{"parts":{}}}}}"#, list("{}")),
        format!(r#"{{"message":{{"parts":{}}}}}"#, list("null")),
        format!(r#"{{"message":{{"parts":{}}}}}"#, list(r#"{"text":5}"#)),
        format!(r#"{{"message":{{"extensions":{}}}}}"#, list("\"\"")),
        format!(r#"{{"message":{{"metadata":{{"a":{}}}}}}}"#, list("[]")),
        format!(r#"{{"unknown":{}}}"#, list("1")),
        "1".repeat(size),
        format!("\"{}", "a".repeat(size)),
        format!("\"{}\"", "\\u0000".repeat(size / 6)),
        " ".repeat(size),
        "\u{0}".repeat(size),
        format!("-{}", "0".repeat(size)),
        format!(r#"{{"{}":1}}"#, "k".repeat(size)),
    ] {
        let shown: String = params.chars().take(40).collect();
        assert!(
            matches!(
                attack.rest("/message:send", params.clone()).await,
                Verdict::Refused(400 | 413)
            ),
            "{shown}"
        );
        assert!(
            matches!(attack.json_rpc(params.clone()).await, Verdict::Refused(_)),
            "{shown}"
        );
        assert!(
            matches!(
                attack.json_rpc(envelope(&params)).await,
                Verdict::Refused(_)
            ),
            "{shown}"
        );
    }
    for message in [
        field(2, &[0x2a, 0].repeat(size / 2)),
        field(2, &[0x42, 0].repeat(size / 2)),
        vec![0xff; size],
        [0x12, 0].repeat(size / 2),
        vec![0x0b; size],
    ] {
        let verdict = attack.grpc(framed(&message)).await;
        assert!(
            matches!(verdict, Verdict::Refused(3 | 8)),
            "{:?}: {verdict:?}",
            &message[..4]
        );
    }
    attack.end().await;
}

#[tokio::test]
async fn wrong_types_in_every_place() {
    fn places(value: &Value, at: &str, out: &mut Vec<String>) {
        out.push(at.to_owned());
        match value {
            Value::Object(members) => members
                .iter()
                .for_each(|(name, value)| places(value, &format!("{at}/{name}"), out)),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(index, value)| places(value, &format!("{at}/{index}"), out)),
            _ => {}
        }
    }
    let mut attack = Attack::new(Setup::new()).await;
    let mut all = Vec::new();
    places(&rich(), "", &mut all);
    assert!(all.len() > 30);
    for place in all {
        for wrong in [
            "null",
            "true",
            "0",
            "-1",
            "1.5",
            "1e400",
            "99999999999999999999",
            "\"\"",
            "\"x\"",
            "[]",
            "{}",
            "[[]]",
            "[null]",
            "{\"a\":1}",
            "\"\\ud800\"",
            "\"\\u0000\"",
        ] {
            // Put in as text, since not all of it is a value that can be kept.
            let mut request = rich();
            *request.pointer_mut(&place).expect("a place") = json!("@here@");
            let params = request.to_string().replace("\"@here@\"", wrong);
            attack.rest("/message:send", params.clone()).await;
            attack.json_rpc(envelope(&params)).await;
        }
    }
    attack.end().await;
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).expect("small")
    }

    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.roll(3) {
            let at = self.roll(bytes.len());
            match self.roll(4) {
                0 => bytes[at] = u8::try_from(self.roll(256)).expect("a byte"),
                1 => bytes[at] ^= 1 << self.roll(8),
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"{}[]\",:\\\x00\xff0e-"[self.roll(13)]),
            }
        }
    }
}

#[tokio::test]
async fn requests_with_a_few_bytes_changed() {
    let mut attack = Attack::new(Setup::new()).await;
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (params, message) = (rich().to_string(), encode("SendMessageRequest", &rich()));
    for _ in 0..300 {
        let mut changed = params.clone().into_bytes();
        dice.mutate(&mut changed);
        attack.rest("/message:send", changed).await;
        let mut changed = envelope(&params).into_bytes();
        dice.mutate(&mut changed);
        attack.json_rpc(changed).await;
        let mut changed = message.to_vec();
        dice.mutate(&mut changed);
        attack.grpc(framed(&changed)).await;
        // All but the flag of compression, about which gRPC has rules of its own.
        let mut changed = framed(&message).split_off(1);
        dice.mutate(&mut changed);
        changed.insert(0, 0);
        attack.grpc(changed).await;
    }
    attack.end().await;
}

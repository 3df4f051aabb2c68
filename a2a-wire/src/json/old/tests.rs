//! Two small objects, written by hand as the generator writes them.

use super::*;
use crate::__codegen::json::{List, Str};
use crate::adapt::{Loss, Options};
use crate::json::{Error, read_adapting, write_adapting};
use crate::v1_0::{Message, Part, Role, SendMessageResponse, Task, send_message_response::Payload};
use serde::Deserializer;

struct OldRole;

impl OldEnum for OldRole {
    const TEXTS: &'static [(&'static str, i32, Option<&'static str>)] =
        &[("user", 1, None), ("agent", 2, None)];
    const UNKNOWN: Option<&'static str> = Some("U7");

    fn number(text: &str) -> Option<(i32, Option<&'static str>)> {
        match text {
            "user" | "ROLE_USER" => Some((1, None)),
            "agent" | "ROLE_AGENT" => Some((2, None)),
            _ => None,
        }
    }
}

struct OldMessage;

impl OldObject for OldMessage {
    type Value = Message;
    type State = Message;

    const NAME: &'static str = "Message";
    const JSON_NAMES: &'static [&'static str] = &["messageId", "role", "parts", "metadata"];

    fn member(name: &str) -> Option<usize> {
        match name {
            "messageId" | "message_id" => Some(0),
            "role" => Some(1),
            "parts" | "content" => Some(2),
            "metadata" => Some(3),
            _ => None,
        }
    }

    fn read_member<'de, A: MapAccess<'de>>(
        state: &mut Message,
        index: usize,
        input: Entry<'_, '_, A>,
    ) -> Result<bool, A::Error> {
        match index {
            0 => input.value::<Str>(&mut state.message_id),
            1 => input.value::<OldEnumeration<OldRole>>(&mut state.role),
            2 => input.value::<List<crate::hooks::json_part::Codec>>(&mut state.parts),
            3 => input.unless_empty(&mut state.metadata, Some("U7")),
            _ => input.passed(),
        }
    }

    fn finish<E: de::Error>(state: Message, seen: Seen, cx: &Context<'_>) -> Result<Message, E> {
        if seen.has(0) {
            Ok(state)
        } else {
            Err(missing(cx, "messageId"))
        }
    }

    fn note_dropped(message: &Message, adapter: &Adapter) {
        if !message.task_id.is_empty() {
            adapter.loss_of("D1", "taskId", "gone");
        }
    }

    fn write_members<S: ser::SerializeMap>(
        message: &Message,
        output: &mut Fields<'_, '_, S>,
    ) -> Result<(), S::Error> {
        output.constant("kind", "message")?;
        output.old::<Str>("messageId", "messageId", &message.message_id)?;
        output.old::<OldEnumeration<OldRole>>("role", "role", &message.role)?;
        output.old::<List<crate::hooks::json_part::Codec>>("content", "parts", &message.parts)
    }
}

struct OldTask;

impl OldObject for OldTask {
    type Value = Task;
    type State = Task;

    const NAME: &'static str = "Task";
    const JSON_NAMES: &'static [&'static str] = &["id", "history"];
    const REJECT_UNKNOWN: bool = true;

    fn member(name: &str) -> Option<usize> {
        match name {
            "id" => Some(0),
            "history" => Some(1),
            "kind" => Some(2),
            _ => None,
        }
    }

    fn read_member<'de, A: MapAccess<'de>>(
        state: &mut Task,
        index: usize,
        input: Entry<'_, '_, A>,
    ) -> Result<bool, A::Error> {
        match index {
            0 => input.value::<Str>(&mut state.id),
            1 => input.value::<List<OldMessage>>(&mut state.history),
            _ => input.passed(),
        }
    }

    fn finish<E: de::Error>(state: Task, _seen: Seen, _cx: &Context<'_>) -> Result<Task, E> {
        Ok(state)
    }

    fn write_members<S: ser::SerializeMap>(
        task: &Task,
        output: &mut Fields<'_, '_, S>,
    ) -> Result<(), S::Error> {
        output.constant("kind", "task")?;
        output.old::<Str>("id", "id", &task.id)?;
        output.old_implicit::<List<OldMessage>>("log", "history", &task.history)
    }
}

struct Either;

impl Codec for Either {
    type Value = SendMessageResponse;

    const NOTES: bool = true;

    fn expected(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn read_text(
        cx: &Context<'_>,
        text: &str,
    ) -> Result<Option<SendMessageResponse>, serde_json::Error> {
        union_text::<Self>(cx, text)
    }

    fn object<'de, A: MapAccess<'de>>(
        cx: &Context<'_>,
        input: A,
    ) -> Result<SendMessageResponse, A::Error> {
        union_object::<Self, A>(cx, input)
    }

    fn write<S: Serializer>(
        cx: &Context<'_>,
        value: &SendMessageResponse,
        output: S,
    ) -> Result<S::Ok, S::Error> {
        match &value.payload {
            Some(Payload::Task(task)) => OldTask::write(cx, task, output),
            Some(Payload::Message(message)) => OldMessage::write(cx, message, output),
            None => Err(cx.unwritable("nothing")),
        }
    }
}

impl OldUnion for Either {
    const TAG: &'static str = "kind";
    const VARIANTS: &'static [Variant] = &[
        Variant {
            tag: "task",
            wrappers: &["task"],
            required: &[&["id"]],
        },
        Variant {
            tag: "message",
            wrappers: &["message", "msg"],
            required: &[&["messageId", "message_id"], &["parts", "content"]],
        },
    ];

    fn read_variant<'de, D: Deserializer<'de>>(
        index: usize,
        cx: &Context<'_>,
        input: D,
    ) -> Result<Option<SendMessageResponse>, D::Error> {
        let payload = match index {
            0 => OldTask::read(cx, input)?.map(Payload::Task),
            _ => OldMessage::read(cx, input)?.map(Payload::Message),
        };
        Ok(payload.map(|payload| SendMessageResponse {
            payload: Some(payload),
        }))
    }
}

fn read<C: Codec>(text: &str) -> Result<(C::Value, Vec<Loss>), Error> {
    let adapter = Adapter::new(Options::default());
    let value = read_adapting::<C>(text.as_bytes(), &adapter)?;
    Ok((value, adapter.into_losses()))
}

fn written<C: Codec>(value: &C::Value) -> Result<(String, Vec<Loss>), Error> {
    let adapter = Adapter::new(Options::default());
    let mut out = Vec::new();
    write_adapting::<C>(value, &adapter, &mut out)?;
    Ok((String::from_utf8(out).unwrap(), adapter.into_losses()))
}

fn told(losses: &[Loss]) -> Vec<String> {
    losses
        .iter()
        .map(|loss| format!("{} {}", loss.id, loss.path))
        .collect()
}

#[test]
fn members_come_in_any_order_and_under_any_name() {
    let expected = Message::new()
        .with_message_id("m")
        .with_role(Role::Agent)
        .with_parts([Part::text("a")]);
    for text in [
        r#"{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"a"}]}"#,
        r#"{"content":[{"text":"a"}],"role":"ROLE_AGENT","message_id":"m"}"#,
        r#"{"role":2,"x":[{}],"parts":[{"text":"a","kind":"text"}],"messageId":"m","metadata":null}"#,
    ] {
        let (message, losses) = read::<OldMessage>(text).unwrap();
        assert_eq!(message, expected, "{text}");
        assert!(losses.is_empty(), "{text}");
    }
}

#[test]
fn losses_have_paths_as_errors_have() {
    let text = r#"{"id":"t","history":[
        {"messageId":"a"},{"messageId":"b","metadata":{},"role":"boss"}]}"#;
    let (_, losses) = read::<OldTask>(text).unwrap();
    assert_eq!(
        told(&losses),
        ["U7 history[1].metadata", "U7 history[1].role"]
    );
    let error = read::<OldTask>(r#"{"history":[{"messageId":"a"},{"role":"user"}]}"#).unwrap_err();
    assert_eq!(error.path(), "history[1].messageId");

    let message = Message::new().with_role(Role::User).with_task_id("t");
    let part = Part::text("x").with_filename("f");
    let task = Task::new().with_history([message.clone().with_parts([part])]);
    let (text, losses) = written::<OldTask>(&task).unwrap();
    assert_eq!(
        text,
        r#"{"kind":"task","id":"","log":[{"kind":"message","messageId":"","role":"user","content":[{"kind":"text","text":"x"}]}]}"#
    );
    // Paths are those of the version that was given.
    assert_eq!(
        told(&losses),
        ["D1 history[0].taskId", "D2 history[0].parts[0].filename"]
    );
    let task = Task::new().with_history([message.with_role(Role::Unspecified)]);
    assert_eq!(
        written::<OldTask>(&task).unwrap_err().path(),
        "history[0].role"
    );
}

#[test]
fn strict_readers_refuse_what_others_tolerate() {
    let adapter = Adapter::new(Options {
        tolerant: false,
        ..Options::default()
    });
    let error = read_adapting::<OldMessage>(br#"{"messageId":"m","role":"boss"}"#, &adapter);
    let error = error.unwrap_err();
    assert_eq!(error.path(), "role");
    assert!(
        error.message().contains("expected one of user, agent"),
        "{error}"
    );
}

#[test]
fn unknown_members_are_overlooked_only_where_they_may_be() {
    let error = read::<OldTask>(r#"{"id":"t","color":1}"#).unwrap_err();
    assert_eq!(error.path(), "color");
    assert!(error.message().contains("Task has no member"), "{error}");
    assert!(read::<OldMessage>(r#"{"messageId":"t","color":1}"#).is_ok());
}

#[test]
fn objects_of_a_union_are_told_apart() {
    for (text, is_task) in [
        (r#"{"kind":"task","messageId":"m"}"#, None),
        (r#" {"id":"t","kind":"task"}"#, Some(true)),
        (r#"{"messageId":"m","kind":"message"}"#, Some(false)),
        (r#"{"task":{"id":"t"}}"#, Some(true)),
        (r#"{"msg":{"messageId":"m"}}"#, Some(false)),
        (r#"{"x":1,"message":{"message_id":"m"}}"#, Some(false)),
        (r#"{"id":"t"}"#, Some(true)),
        (r#"{"messageId":"m","parts":[]}"#, Some(false)),
        (
            r#"{"kind":"chat","messageId":"m","content":[],"role":"user"}"#,
            Some(false),
        ),
        (r#"{"kind":7,"id":"t"}"#, Some(true)),
    ] {
        match (read::<Either>(text), is_task) {
            (Ok((response, _)), Some(is_task)) => {
                assert_eq!(
                    matches!(response.payload, Some(Payload::Task(_))),
                    is_task,
                    "{text}"
                );
            }
            (Err(error), None) => assert_eq!(error.path(), "messageId", "{text}"),
            (found, _) => panic!("{text}: {found:?}"),
        }
        let nested = format!("[{text}]");
        assert_eq!(
            read::<List<Either>>(&nested).is_ok(),
            is_task.is_some(),
            "{text}"
        );
    }
}

#[test]
fn what_cannot_be_told_apart_is_refused() {
    for (text, path, part) in [
        ("{}", "", "expected one of task, message"),
        (r#"{"kind":"chat"}"#, "kind", "found the string \"chat\""),
        (r#"{"task":null}"#, "", "expected one of task, message"),
        ("null", "", "found null"),
        ("[]", "", "expected an object, found an array"),
        ("7", "", "expected an object, found the number 7"),
        (
            r#"{"task":{"id":"t"},"message":{"messageId":"m"}}"#,
            "message",
            "only one",
        ),
        (
            r#"{"message":{"messageId":7}}"#,
            "message.messageId",
            "expected a string",
        ),
    ] {
        let error = read::<Either>(text).unwrap_err();
        assert!(
            error.path() == path || error.path() == "kind",
            "{text}: {error}"
        );
        assert!(error.message().contains(part), "{text}: {error}");
        assert!(!error.is_syntax(), "{text}: {error}");
    }
    for text in [
        "",
        "{",
        r#"{"id":"t"}x"#,
        r#"{"kind":"task","id":tru}"#,
        r#"{"a"}"#,
        r#"{"a":1"#,
    ] {
        assert!(read::<Either>(text).unwrap_err().is_syntax(), "{text}");
    }
}

#[test]
fn what_says_nothing_is_no_loss() {
    struct Forgets;
    impl OldObject for Forgets {
        type Value = bool;
        type State = bool;
        const NAME: &'static str = "Forgets";
        const JSON_NAMES: &'static [&'static str] = &["a"];
        fn member(name: &str) -> Option<usize> {
            (name == "a").then_some(0)
        }
        fn read_member<'de, A: MapAccess<'de>>(
            state: &mut bool,
            _index: usize,
            input: Entry<'_, '_, A>,
        ) -> Result<bool, A::Error> {
            *state = input.forgotten(Some("U1"), "gone")?;
            Ok(*state)
        }
        fn finish<E: de::Error>(state: bool, seen: Seen, _cx: &Context<'_>) -> Result<bool, E> {
            assert_eq!(state, seen.has(0));
            Ok(state)
        }
        fn write_members<S: ser::SerializeMap>(
            _value: &bool,
            _output: &mut Fields<'_, '_, S>,
        ) -> Result<(), S::Error> {
            Ok(())
        }
    }
    for (value, says) in [
        ("null", false),
        ("false", false),
        ("\"\"", false),
        ("[]", false),
        ("{}", false),
        ("true", true),
        ("0", true),
        ("1.5", true),
        ("\"x\"", true),
        ("[null]", true),
        ("{\"x\":[]}", true),
    ] {
        let (found, losses) = read::<Forgets>(&format!("{{\"a\":{value}}}")).unwrap();
        assert_eq!(found, says, "{value}");
        assert_eq!(!losses.is_empty(), says, "{value}");
    }
}

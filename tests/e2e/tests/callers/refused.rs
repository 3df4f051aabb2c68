//! Callers without the right credentials: all of them are refused in the same way, whatever they ask
//! for, and nothing happens.

use e2e::guarded::Issuer;

use super::wire::{Binding, Seen, Way};
use super::world::{SECRET, World, scope};

/// Headers, the status over HTTP, that over gRPC, and a part of the message.
type Refused<'a> = (&'a [(&'a str, &'a str)], u16, i64, &'a str);

#[tokio::test]
async fn without_the_right_credentials_nothing_is_answered_and_nothing_happens() {
    let issuer = Issuer::new();
    let world = World::new(&issuer).await;
    let in_tenant = world.alices_task("north").await;
    let in_none = world.alices_task("").await;
    let (expired, weak) = (
        issuer.token("alice", "call", -120),
        issuer.token("alice", "read", 60),
    );
    let foreign = Issuer::new().token("alice", "call", 60);
    let (basic, twice) = ("Basic YTpi", "key-of-alice");
    let refused: [Refused<'_>; 10] = [
        (&[], 401, 16, "asks for credentials: key, or token"),
        (&[("x-key", "wrong")], 401, 16, "the API key is not known"),
        (&[("x-key", "")], 401, 16, "the API key is not known"),
        (
            &[("x-key", twice), ("x-key", twice)],
            401,
            16,
            "is there twice",
        ),
        (
            &[("authorization", "Bearer x")],
            401,
            16,
            "no JSON Web Token",
        ),
        (
            &[("authorization", &expired)],
            401,
            16,
            "the token has expired",
        ),
        (
            &[("authorization", &foreign)],
            401,
            16,
            "the token's signature is wrong",
        ),
        (&[("authorization", basic)], 401, 16, "asks for credentials"),
        (&[("x-key", "weak")], 403, 7, "lack the scopes call"),
        (&[("authorization", &weak)], 403, 7, "lack the scopes call"),
    ];
    let owner = scope("north", "alice");
    let before = world.store.content(&owner, &in_tenant.task).await;
    for way in Way::all() {
        let about = if way.is_old() { &in_none } else { &in_tenant };
        let mut nowhere = about.clone();
        nowhere.task = about.task.chars().rev().collect();
        for (credentials, http, grpc, message) in refused {
            world.store.take();
            let addr = world.served.addr;
            let seen = way.call(addr, credentials, about, way.request(about)).await;
            let asked = world.store.take();
            let missing = way
                .call(addr, credentials, &nowhere, way.request(&nowhere))
                .await;
            let what = format!("{way:?} {credentials:?}: {seen:#?}");
            check(&way, &seen, http, grpc, message, &what);
            assert!(seen.headers.contains_key("www-authenticate"), "{what}");
            assert_eq!(seen, missing, "{what}");
            assert!(!seen.text().contains(SECRET), "{what}");
            // Her own executions may still end.
            let asked = asked
                .iter()
                .filter(|asked| !asked.method.ends_with("_lease"));
            assert_eq!(asked.count(), 0, "{what}");
        }
    }
    let after = world.store.content(&owner, &in_tenant.task).await;
    assert_eq!(after, before);
}

/// The status of a refusal, its code and its text; and nothing else.
fn check(way: &Way, seen: &Seen, http: u16, grpc: i64, message: &str, what: &str) {
    let (code, text) = match way.binding {
        Binding::Rest(_) if way.is_old() => (&seen.body["code"], &seen.body["message"]),
        Binding::Rest(_) => (&seen.body["error"]["code"], &seen.body["error"]["message"]),
        Binding::JsonRpc => (&seen.body["error"]["code"], &seen.body["error"]["message"]),
        Binding::Grpc => {
            let (code, text, details) = seen.status.as_ref().expect(what);
            assert_eq!((seen.http, *code), (200, grpc), "{what}");
            assert!(text.contains(message) && details.is_empty(), "{what}");
            return;
        }
    };
    assert_eq!(seen.http, http, "{what}");
    match way.binding {
        Binding::Rest(_) if !way.is_old() => assert_eq!(*code, http, "{what}"),
        _ => assert_eq!(*code, -32000, "{what}"),
    }
    assert!(text.as_str().expect(what).contains(message), "{what}");
}

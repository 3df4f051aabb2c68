use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use http::Request;
use http::request::Parts;
use tokio::time::advance;

use super::*;
use crate::auth::{ApiKeys, Authentication, PeerAddress};
use crate::context::{Binding, CallContext, ProtocolVersion};
use crate::error::Code;
use crate::service::OperationSpec;
use crate::test_log::{heard, listen};
use crate::v1_0::{
    AgentCard, ApiKeySecurityScheme, SecurityRequirement, SecurityScheme, StringList,
};
use crate::{A2A_SERVICE, admission};

const SECOND: Duration = Duration::from_secs(1);

/// A request from an address, with a key unless that is empty.
fn head(peer: &str, key: &str) -> Parts {
    let mut request = Request::get("/tasks");
    if !key.is_empty() {
        request = request.header("x-key", key);
    }
    let (mut parts, ()) = request.body(()).unwrap().into_parts();
    if !peer.is_empty() {
        let peer = PeerAddress(std::net::SocketAddr::new(peer.parse().unwrap(), 1));
        parts.extensions.insert(peer);
    }
    parts
}

/// Lets in whose key is `alice`, `bob`, or `weak`, which lacks the scope.
fn keys() -> Authentication {
    let scheme = ApiKeySecurityScheme::new()
        .with_location("header")
        .with_name("X-Key");
    let mut card = AgentCard::new();
    card.security_schemes.insert(
        "key".into(),
        SecurityScheme::new().with_api_key_security_scheme(scheme),
    );
    let mut requirement = SecurityRequirement::new();
    let scopes = StringList::new().with_list(["call".to_owned()]);
    requirement.schemes.insert("key".into(), scopes);
    card.security_requirements.push(requirement);
    let keys = ApiKeys::header("X-Key")
        .key("alice", Caller::known("alice").with_scopes(["call"]))
        .key("bob", Caller::known("bob").with_scopes(["call"]))
        .key("weak", Caller::known("weak"));
    Authentication::for_card(&card)
        .scheme("key", keys)
        .build()
        .unwrap()
}

/// Makes a call, and says what it would have been answered.
async fn call(limits: &Arc<Limits>, parts: &mut Parts) -> Result<(), Error> {
    admit(None, Some(limits), parts).await
}

/// How many of so many calls are let in.
async fn let_in(limits: &Arc<Limits>, calls: usize, parts: impl Fn() -> Parts) -> usize {
    let mut count = 0;
    for _ in 0..calls {
        count += usize::from(call(limits, &mut parts()).await.is_ok());
    }
    count
}

/// A call of this caller, as it reaches the engine.
async fn context(limits: &Arc<Limits>, caller: &str) -> CallContext {
    let mut parts = head("10.0.0.1", "");
    parts.headers.insert("a2a-version", "1.0".parse().unwrap());
    parts.extensions.insert(Caller::known(caller));
    call(limits, &mut parts).await.unwrap();
    admission::call_context(&A2A_SERVICE, Binding::Rest, &parts).unwrap()
}

fn operation(name: &str) -> &'static OperationSpec {
    let mut operations = A2A_SERVICE.operations.iter();
    operations.find(|operation| operation.name == name).unwrap()
}

fn of(quota: Quota) -> Arc<Limits> {
    Arc::new(Limits::per_caller(quota))
}

#[tokio::test(start_paused = true)]
async fn calls_come_in_at_the_rate_beside_the_burst_and_not_one_more() {
    let limits = of(Quota::new().calls(4, SECOND).burst(2));
    let alice = || {
        let mut parts = head("10.0.0.1", "");
        parts.extensions.insert(Caller::known("alice"));
        parts
    };
    assert_eq!(let_in(&limits, 5, alice).await, 2);
    let error = call(&limits, &mut alice()).await.unwrap_err();
    assert_eq!(
        (error.code(), error.http_status(), error.retry_after()),
        (
            Code::ResourceExhausted,
            429,
            Some(Duration::from_millis(250))
        )
    );
    assert_eq!(
        error.message(),
        "too many calls: one caller may make 4 in 1s; try again in 250ms"
    );
    // What was refused costs nothing.
    advance(Duration::from_millis(249)).await;
    let error = call(&limits, &mut alice()).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_millis(1)));
    advance(Duration::from_millis(1)).await;
    assert_eq!(let_in(&limits, 3, alice).await, 1);
    advance(SECOND * 3600).await;
    assert_eq!(let_in(&limits, 10, alice).await, 2);
}

#[tokio::test(start_paused = true)]
async fn without_a_burst_as_many_come_at_once_as_in_the_time() {
    let minute = of(Quota::new().calls(10, 60 * SECOND));
    assert_eq!(let_in(&minute, 20, || head("10.0.0.1", "")).await, 10);
    advance(6 * SECOND).await;
    assert_eq!(let_in(&minute, 20, || head("10.0.0.1", "")).await, 1);
}

#[tokio::test(start_paused = true)]
async fn the_ends_of_the_numbers_are_limits_like_others() {
    let all = u32::MAX;
    for (quota, expected) in [
        (Quota::new().calls(0, SECOND), 0),
        (Quota::new().calls(0, Duration::ZERO), 0),
        (Quota::new().calls(1, SECOND).burst(0), 1),
        (Quota::new().calls(1, Duration::MAX), 1),
        (Quota::new().calls(all, Duration::ZERO), 9),
        (Quota::new().calls(all, Duration::MAX).burst(all), 1),
        (Quota::new().calls(1, 24 * 3600 * SECOND).burst(9), 9),
        (Quota::new().calls(1, SECOND).burst(all), 9),
        (Quota::new(), 9),
    ] {
        let limits = of(quota);
        let count = let_in(&limits, 9, || head("10.0.0.1", "")).await;
        assert_eq!(count, expected, "{quota:?}");
    }
    let none = of(Quota::new().calls(0, SECOND));
    let error = call(&none, &mut head("", "")).await.unwrap_err();
    assert_eq!(error.retry_after(), None, "it will never be let in");
}

#[tokio::test(start_paused = true)]
async fn callers_count_by_their_id_and_others_by_their_address() {
    let limits = of(Quota::new().calls(3, SECOND));
    let by = |peer: &'static str, caller: Option<&'static str>| {
        move || {
            let mut parts = head(peer, "");
            parts
                .extensions
                .insert(caller.map_or(Caller::anonymous(), Caller::known));
            parts
        }
    };
    assert_eq!(let_in(&limits, 9, by("10.0.0.1", Some("alice"))).await, 3);
    // The same caller from elsewhere, another one from there, and somebody from there.
    assert_eq!(let_in(&limits, 9, by("10.0.0.2", Some("alice"))).await, 0);
    assert_eq!(let_in(&limits, 9, by("10.0.0.1", Some("bob"))).await, 3);
    assert_eq!(let_in(&limits, 9, by("10.0.0.1", None)).await, 3);
    assert_eq!(let_in(&limits, 9, by("10.0.0.2", None)).await, 3);
    // A caller who is called as an address is none.
    assert_eq!(let_in(&limits, 9, by("", Some("10.0.0.1"))).await, 3);
    // One host has many addresses of IPv6, and one of IPv4 in two forms.
    assert_eq!(let_in(&limits, 9, by("2001:db8::1", None)).await, 3);
    assert_eq!(let_in(&limits, 9, by("2001:db8::ffff:1", None)).await, 0);
    assert_eq!(let_in(&limits, 9, by("2001:db8:0:1::1", None)).await, 3);
    assert_eq!(let_in(&limits, 9, by("::ffff:10.0.0.2", None)).await, 0);
    // Where no address is known, all are one.
    assert_eq!(let_in(&limits, 9, by("", None)).await, 3);
    assert_eq!(let_in(&limits, 9, by("", None)).await, 0);
}

#[tokio::test(start_paused = true)]
async fn some_callers_have_other_limits_by_whatever_is_known_of_them() {
    let limits = Limits::per_caller(Quota::new().calls(2, SECOND)).for_callers(|caller| {
        if caller.has_scope("bulk") {
            return Some(Quota::new().calls(5, SECOND));
        }
        caller.id().is_none().then(|| Quota::new().calls(1, SECOND))
    });
    let limits = Arc::new(limits);
    let by = |caller: Caller| {
        move || {
            let mut parts = head("10.0.0.1", "");
            parts.extensions.insert(caller.clone());
            parts
        }
    };
    let bulk = Caller::known("alice").with_scopes(["bulk"]);
    assert_eq!(let_in(&limits, 9, by(bulk)).await, 5);
    assert_eq!(let_in(&limits, 9, by(Caller::known("alice"))).await, 2);
    assert_eq!(let_in(&limits, 9, by(Caller::anonymous())).await, 1);
}

#[tokio::test(start_paused = true)]
async fn wrong_credentials_count_for_the_address_and_never_against_right_ones() {
    let authentication = keys();
    let limits = of(Quota::new().calls(3, SECOND));
    let code = async |peer: &str, key: &str| {
        let mut parts = head(peer, key);
        let admitted = admit(Some(&authentication), Some(&limits), &mut parts).await;
        admitted.map_or_else(|error| error.code().name(), |()| "OK")
    };
    for expected in ["UNAUTHENTICATED"; 3]
        .into_iter()
        .chain(["RESOURCE_EXHAUSTED"; 5])
    {
        assert_eq!(code("10.0.0.1", "wrong").await, expected);
    }
    assert_eq!(code("10.0.0.1", "").await, "RESOURCE_EXHAUSTED");
    assert_eq!(code("10.0.0.2", "").await, "UNAUTHENTICATED");
    for _ in 0..3 {
        assert_eq!(code("10.0.0.1", "alice").await, "OK");
    }
    assert_eq!(code("10.0.0.1", "alice").await, "RESOURCE_EXHAUSTED");
    assert_eq!(code("10.0.0.1", "bob").await, "OK");
    // Who is known, and may not, counts as who it is.
    for expected in ["PERMISSION_DENIED"; 3]
        .into_iter()
        .chain(["RESOURCE_EXHAUSTED"; 2])
    {
        assert_eq!(code("10.0.0.3", "weak").await, expected);
    }
    assert_eq!(code("10.0.0.3", "wrong").await, "UNAUTHENTICATED");
}

#[tokio::test(start_paused = true)]
async fn a_flood_does_not_flood_the_log() {
    listen();
    let authentication = keys();
    let limits = of(Quota::new().calls(2, SECOND).open_streams(0));
    let flood = async |key: &str, calls: usize| {
        for _ in 0..calls {
            let mut parts = head("10.0.0.7", key);
            let _ = admit(Some(&authentication), Some(&limits), &mut parts).await;
        }
    };
    flood("alice", 1000).await;
    let told = heard("a2a_kit::limits");
    assert_eq!(told.len(), 1, "{told:#?}");
    assert_eq!(told[0].level, tracing::Level::WARN);
    assert_eq!(
        told[0].text,
        r#"message=a call was refused: there are too many caller="alice" limit="calls" untold=0 "#
    );
    flood("wrong", 1000).await;
    let (mut limited, mut refused) = (0, 0);
    for told in crate::test_log::all() {
        assert!(!told.text.contains("wrong"), "{told:?}");
        match told.target {
            "a2a_kit::limits" => {
                assert!(
                    told.text.contains("peer=Some(10.0.0.7) limit=\"calls\""),
                    "{told:?}"
                );
                limited += 1;
            }
            _ => refused += 1,
        }
    }
    assert_eq!(
        (limited, refused),
        (1, 2),
        "those beyond the limit are one line"
    );
    // After a while it says what it has not told.
    advance(11 * SECOND).await;
    flood("alice", 10).await;
    let told = heard("a2a_kit::limits");
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].text.contains("untold=997"), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn whoever_has_been_idle_is_forgotten() {
    let limits = of(Quota::new().calls(10, SECOND).open_streams(3));
    let mut kept = Vec::new();
    for index in 0..100_000_u32 {
        let mut parts = head("", "");
        parts.extensions.insert(Caller::known(index.to_string()));
        call(&limits, &mut parts).await.unwrap();
        // One in a thousand goes on for ever.
        if index % 1000 == 0 {
            kept.push(parts);
        }
        advance(Duration::from_millis(1)).await;
    }
    let known = limits.book.callers.len();
    // A thousand have not been idle for a second, a hundred have calls that go on.
    assert!(known >= 1100, "{known}");
    assert!(known <= 3 * 1100, "{known}");
    drop(kept);
}

#[tokio::test(start_paused = true)]
async fn there_is_an_end_to_the_addresses_and_tenants_that_are_known() {
    const ROOM: u32 = 1000;
    let once = Quota::new().calls(1, 3600 * SECOND);
    let limits = Arc::new(Limits::with_room_for(ROOM as usize, once).per_tenant(once));
    let address = |index: u32| std::net::Ipv4Addr::from(index).to_string();
    for index in 0..ROOM {
        let mut parts = head(&address(index), "");
        call(&limits, &mut parts).await.unwrap();
    }
    // Further ones share what there is for those whom nobody knows.
    call(&limits, &mut head(&address(ROOM), "")).await.unwrap();
    for index in ROOM + 1..3 * ROOM {
        call(&limits, &mut head(&address(index), ""))
            .await
            .unwrap_err();
    }
    assert_eq!(limits.book.addresses.len(), 1 + ROOM as usize);
    // Known callers are not touched by it, and room comes back.
    let alice = context(&limits, "alice").await;
    advance(3600 * SECOND).await;
    for index in ROOM..2 * ROOM {
        call(&limits, &mut head(&address(index), "")).await.unwrap();
    }
    for index in 0..2 * ROOM {
        let share = limits.share_of_tenant(&format!("t{index}")).unwrap();
        assert_eq!(share.call().is_ok(), index <= ROOM, "{index}");
    }
    assert_eq!(limits.book.tenants.len(), 1 + ROOM as usize);
    drop(alice);
}

#[tokio::test]
async fn a_stream_counts_until_it_is_dropped() {
    let limits = of(Quota::new().open_streams(2));
    let streaming = operation("SubscribeToTask");
    let open = async |caller: &str| OpenStream::begin(streaming, &context(&limits, caller).await);
    let (first, second) = (open("alice").await.unwrap(), open("alice").await.unwrap());
    let error = open("alice").await.err().unwrap();
    assert_eq!(
        (error.code(), error.retry_after()),
        (Code::ResourceExhausted, Some(SECOND))
    );
    assert_eq!(
        error.message(),
        "too many open streams: one caller may have 2 at a time; close one first"
    );
    assert!(open("bob").await.is_ok());
    let unary = OpenStream::begin(operation("GetTask"), &context(&limits, "alice").await);
    assert!(unary.unwrap().is_none());
    drop(first);
    let third = open("alice").await.unwrap();
    assert!(open("alice").await.is_err());
    drop((second, third));
    assert!(open("alice").await.is_ok());
}

#[tokio::test]
async fn a_task_counts_while_it_runs() {
    let limits = of(Quota::new().running_tasks(2));
    let alice = context(&limits, "alice").await;
    let [mut first, mut second, mut third] = <[RunningTask; 3]>::default();
    assert!(first.start(&alice).unwrap());
    assert!(!first.start(&alice).unwrap(), "it is counted already");
    assert!(second.start(&alice).unwrap());
    assert!(third.start(&alice).is_err());
    assert!(third.start(&context(&limits, "bob").await).is_ok());
    third.rest();
    first.rest();
    assert!(third.start(&alice).is_ok());
    // What goes on by itself cannot be refused, but it counts.
    first.go_on();
    second.rest();
    assert!(second.start(&alice).is_err());
    drop(first);
    assert!(second.start(&alice).is_ok());
    // A call that is not limited counts for nobody.
    let local = CallContext::new(Binding::Local, ProtocolVersion::V1_0);
    for _ in 0..10 {
        assert!(RunningTask::default().start(&local).unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn the_callers_of_a_tenant_count_together() {
    let quota = Quota::new()
        .calls(3, SECOND)
        .open_streams(1)
        .running_tasks(1);
    let limits = Limits::per_caller(Quota::new())
        .per_tenant(quota)
        .for_tenants(|tenant| (tenant == "large").then(Quota::new));
    let limits = Arc::new(limits);
    let enter = async |caller: &str, tenant: &str| {
        let call = context(&limits, caller).await;
        let entered = call.limits().unwrap().enter_tenant(tenant);
        entered.map(|()| call)
    };
    let alice = enter("alice", "north").await.unwrap();
    // A call counts once, however many steps it has.
    for _ in 0..9 {
        alice.limits().unwrap().enter_tenant("north").unwrap();
    }
    let bob = enter("bob", "north").await.unwrap();
    enter("carol", "north").await.unwrap();
    let error = enter("dave", "north").await.unwrap_err();
    assert!(
        error
            .message()
            .contains("all callers of this tenant together"),
        "{error}"
    );
    for tenant in ["south", "large", ""] {
        for _ in 0..3 {
            enter("dave", tenant).await.unwrap();
        }
    }
    enter("dave", "south").await.unwrap_err();
    enter("dave", "large").await.unwrap();
    let mut running = RunningTask::default();
    running.start(&alice).unwrap();
    RunningTask::default().start(&bob).unwrap_err();
    running.rest();
    RunningTask::default().start(&bob).unwrap();

    advance(SECOND).await;
    let streaming = operation("SubscribeToTask");
    let open = async |caller: &str| {
        let call = context(&limits, caller).await;
        let stream = OpenStream::begin(streaming, &call)?;
        call.limits().unwrap().enter_tenant("north")?;
        // The agent may keep the context of the call.
        Ok::<_, Error>((call, stream))
    };
    let (kept, stream) = open("alice").await.unwrap();
    open("bob").await.err().unwrap();
    drop(stream);
    assert!(open("bob").await.is_ok());
    drop(kept);
}

#[test]
fn nothing_is_allocated_where_nothing_is_limited() {
    let mut parts = head("10.0.0.1", "");
    let context = CallContext::new(Binding::Rest, ProtocolVersion::V1_0);
    let streaming = operation("SubscribeToTask");
    let mut running = RunningTask::default();
    let counted = allocation_counter::measure(|| {
        let admitted = admit(None, None, &mut parts).now_or_never().unwrap();
        assert!(admitted.is_ok());
        assert!(OpenStream::begin(streaming, &context).unwrap().is_none());
        running.start(&context).unwrap();
        running.rest();
        running.go_on();
    });
    assert_eq!(counted.count_total, 0);
}

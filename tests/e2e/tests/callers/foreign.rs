//! What belongs to others: who asks for it gets what they would get if it were not there, and where
//! it is not there, nothing else is done either.
//!
//! Two agents are asked the same: one where Alice has a task, and one where she has never been.

use e2e::guarded::Issuer;

use super::sample::{self, About, Expected};
use super::wire::{Binding, Seen, Way};
use super::world::{SECRET, World, scope};

/// Who asks, and where Alice has her task.
struct Stranger {
    caller: &'static str,
    /// In which tenant it is asked, over version 1.0.
    tenant: &'static str,
    /// Where the task is, for calls of version 1.0 and of 0.3.
    places: [&'static str; 2],
}

#[tokio::test]
async fn another_owner_s_is_not_there() {
    let bob = Stranger {
        caller: "bob",
        tenant: "north",
        places: ["north", ""],
    };
    nothing_is_there_for(bob).await;
}

#[tokio::test]
async fn another_tenant_s_is_not_there_even_for_its_owner() {
    let alice = Stranger {
        caller: "alice",
        tenant: "south",
        places: ["north", "north"],
    };
    nothing_is_there_for(alice).await;
}

async fn nothing_is_there_for(stranger: Stranger) {
    let issuer = Issuer::new();
    let (full, empty) = (World::new(&issuer).await, World::new(&issuer).await);
    let key = format!("key-of-{}", stranger.caller);
    let credentials = [("x-key", key.as_str())];
    for way in Way::all() {
        let place = stranger.places[usize::from(way.is_old())];
        let hers = full.alices_task(place).await;
        let about = About {
            tenant: way.tenant(stranger.tenant),
            ..hers.clone()
        };
        let owner = scope(place, "alice");
        let before = full.store.content(&owner, &hers.task).await;
        let plain = way.request(&about);
        let itself = match plain.to_string().contains(&hers.task) {
            true => Expected::NotFound,
            false => Expected::Done,
        };
        let mut requests = vec![(plain.clone(), itself)];
        for place in sample::places(way.operation, &about) {
            if plain.pointer(&place.pointer).is_none() {
                let mut request = plain.clone();
                place.fill(&mut request, &about);
                let expected = match itself {
                    Expected::Done => place.expected(),
                    _ => itself,
                };
                requests.push((request, expected));
            }
        }
        for (request, expected) in requests {
            let what = format!("{way:?} {request}");
            full.store.take();
            empty.store.take();
            let seen = way
                .call(full.served.addr, &credentials, &about, request.clone())
                .await;
            let missing = way
                .call(empty.served.addr, &credentials, &about, request)
                .await;
            // Ids and times are of this call.
            assert_eq!(
                plain_text(&seen, &hers),
                plain_text(&missing, &hers),
                "{what}"
            );
            assert!(!seen.text().contains(SECRET), "{what}: {seen:#?}");
            let code = match (expected, way.binding) {
                (Expected::NotFound, Binding::Rest(_)) => 404,
                (Expected::NotFound, Binding::JsonRpc) => -32001,
                (Expected::NotFound, Binding::Grpc) => 5,
                (Expected::Refused, Binding::Rest(_)) => 400,
                (Expected::Refused, Binding::JsonRpc) => -32602,
                (Expected::Refused, Binding::Grpc) => 3,
                (Expected::Done, Binding::Rest(_)) => 200,
                (Expected::Done, _) => 0,
            };
            assert_eq!(way.code(&seen), code, "{what}: {seen:#?}");
            assert_eq!(
                way.is_done(&seen),
                expected == Expected::Done,
                "{what}: {seen:#?}"
            );
            let about_hers = |world: &World| {
                let asked = world.store.take().into_iter();
                let mut asked: Vec<_> = asked
                    .filter(|asked| asked.task == hers.task || asked.method == "list")
                    .collect();
                asked.retain(|asked| asked.scope != owner || !asked.method.ends_with("_lease"));
                asked
            };
            let asked = about_hers(&full);
            assert!(
                asked.iter().all(|asked| asked.scope != owner),
                "{what}: {asked:?}"
            );
            assert_eq!(asked, about_hers(&empty), "{what}");
            assert_eq!(
                full.store.content(&owner, &hers.task).await,
                before,
                "{what}"
            );
        }
    }
}

/// An answer as text, in which new ids and times are all the same; that of her task stays.
fn plain_text(seen: &Seen, hers: &About) -> String {
    let text = seen.text().replace(&hers.task, "HERS");
    let text = text.replace(&hers.context, "HER CONTEXT");
    let mut plain = String::new();
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '.');
    for word in text.split_inclusive(|c| !is_of_word(c)) {
        let (body, end) = word.split_at(word.trim_end_matches(|c| !is_of_word(c)).len());
        let is_id = body.len() == 36 && body.matches('-').count() == 4;
        let is_time = body.ends_with('Z') && body.contains('T') && body.matches(':').count() == 2;
        plain += if is_id {
            "ID"
        } else if is_time {
            "TIME"
        } else {
            body
        };
        plain += end;
    }
    plain
}

/// So that what is not told to others above is there to be told.
#[tokio::test]
async fn its_owner_is_told_what_was_said_in_the_conversation() {
    let world = World::new(&Issuer::new()).await;
    let hers = world.alices_task("north").await;
    let client = world.served.client(e2e::Binding::Rest);
    let mut request = e2e::request("context");
    request["tenant"] = hers.tenant.into();
    request["message"]["contextId"] = hers.context.clone().into();
    let told = client.header("x-key", "key-of-alice").send(request).await;
    assert!(e2e::text(&told).contains(SECRET), "{told}");
}

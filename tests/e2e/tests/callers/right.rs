//! Callers with the right credentials: every operation is done for them, in every way.

use e2e::guarded::Issuer;

use super::wire::Way;
use super::world::World;

#[tokio::test]
async fn with_the_right_credentials_every_operation_is_done_in_every_way() {
    let issuer = Issuer::new();
    let world = World::new(&issuer).await;
    let token = issuer.token("alice", "call more", 600);
    let mut done = 0;
    for way in Way::all() {
        for credentials in [("x-key", "key-of-alice"), ("authorization", &*token)] {
            let about = world.alices_task(way.tenant("north")).await;
            let request = way.request(&about);
            let seen = way
                .call(world.served.addr, &[credentials], &about, request.clone())
                .await;
            assert!(way.is_done(&seen), "{way:?}: {request} {seen:#?}");
            done += 1;
        }
    }
    assert!(done > 2 * 3 * (11 + 10), "{done}");
}

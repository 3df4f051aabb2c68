//! Drives agents with this project's client: every operation, on every binding of their cards.
//!
//! Comes in: the addresses of cards, as arguments. Goes out: a line for each step, at the end a
//! line `N passed, M failed`; the exit status is 1 when anything failed.
//!
//! Every scenario has a client of its own, and a failure ends only its own scenario.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

mod peer;
mod report;
mod scenarios;
mod script;
mod session;
mod turn;

use a2a_kit::Binding;

use peer::Peer;
use report::{Abandoned, Counts, Fault, Played, Steps};
use scenarios::{SCENARIOS, Scenario, When};
use session::Session;

/// A scenario takes well under a second; this ends one that hangs.
const SCENARIO: Duration = Duration::from_secs(30);

const USAGE: &str = "usage: interop [NAME=]CARD_URL...   (NAME is one of python, js and rust, with -0.3 behind it for that version)";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let peers: Result<Vec<Peer>, Fault> = std::env::args()
        .skip(1)
        .map(|argument| Peer::parse(&argument))
        .collect();
    let peers = match peers {
        Ok(peers) if !peers.is_empty() => peers,
        Ok(_) => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
        Err(fault) => {
            eprintln!("interop: {fault}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let counts = Arc::new(Counts::default());
    for peer in peers {
        drive(Arc::new(peer), &counts).await;
    }
    println!("{} passed, {} failed", counts.passed(), counts.failed());
    if counts.failed() == 0 && counts.passed() > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Plays everything with one peer.
async fn drive(peer: Arc<Peer>, counts: &Arc<Counts>) {
    let steps = Steps::new(format!("{} card", peer.name), counts);
    let known = Arc::clone(&peer);
    let looked = steps.clone();
    let card = isolated(
        &steps,
        async move { scenarios::card(&looked, &known).await },
    )
    .await;
    let Some(bindings) = card else { return };
    for binding in bindings {
        for scenario in SCENARIOS {
            for &streaming in ways(scenario) {
                play(&peer, binding, streaming, scenario, counts).await;
            }
        }
    }
}

fn ways(scenario: &Scenario) -> &'static [bool] {
    match scenario.when {
        When::BothWays => &[false, true],
        When::Streaming => &[true],
        When::Once => &[false],
    }
}

async fn play(
    peer: &Arc<Peer>,
    binding: Binding,
    streaming: bool,
    scenario: &Scenario,
    counts: &Arc<Counts>,
) {
    let way = if streaming { "stream" } else { "single" };
    let name = format!(
        "{} {} {way} {}",
        peer.name,
        binding.card_name(),
        scenario.name
    );
    let steps = Steps::new(name, counts);
    let peer = Arc::clone(peer);
    let taken = steps.clone();
    let scenario = scenario.play;
    isolated(&steps, async move {
        let opened = Session::open(taken.clone(), peer, binding, streaming);
        let session = taken.step("a client is made", opened).await?;
        scenario(session).await
    })
    .await;
}

/// Plays a scenario in a task of its own, so that whatever happens in it stays in it.
async fn isolated<T: Send + 'static>(
    steps: &Steps,
    scenario: impl Future<Output = Played<T>> + Send + 'static,
) -> Option<T> {
    let mut playing = tokio::spawn(scenario);
    match tokio::time::timeout(SCENARIO, &mut playing).await {
        Ok(Ok(Ok(value))) => Some(value),
        Ok(Ok(Err(Abandoned))) => None,
        Ok(Err(error)) => {
            steps.fail("outside of a step", &Fault::from(error));
            None
        }
        Err(_) => {
            playing.abort();
            steps.fail(
                "the whole",
                &Fault::new(format!("not done after {SCENARIO:?}")),
            );
            None
        }
    }
}

//! The agent under test in a process of its own, so that what it takes can be measured.
//!
//! Comes in: its request limit in bytes, as the only argument. Goes out: its address, on the first
//! line. It ends when its input does.

use std::io::{Read as _, Write as _};

use e2e::Setup;

#[tokio::main]
async fn main() {
    let limit = std::env::args()
        .nth(1)
        .and_then(|limit| limit.parse().ok())
        .expect("a limit in bytes");
    let served = Setup::new()
        .server(move |server| server.request_limit(limit))
        .start()
        .await;
    let mut out = std::io::stdout();
    writeln!(out, "{}", served.addr)
        .and_then(|()| out.flush())
        .expect("standard output");
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0]));
    // Nobody writes to it.
    let _ = ended.await;
}

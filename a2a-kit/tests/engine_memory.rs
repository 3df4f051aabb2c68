//! What a finished task keeps in memory. Alone in its file, since it measures its process.

mod support;

use a2a_kit::A2aService as _;
use support::*;

/// Resident bytes of this process, where the system tells.
fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(
        line.trim()
            .trim_end_matches("kB")
            .trim()
            .parse::<usize>()
            .ok()?
            * 1024,
    )
}

#[tokio::test]
async fn a_finished_echo_task_keeps_less_than_1500_bytes() {
    const TASKS: usize = 20_000;
    let engine = engine(echo);
    // Tables have their size, buffers are warm.
    for _ in 0..500 {
        send(&engine, request("warm up")).await.unwrap();
    }
    let before = resident();
    for number in 0..TASKS {
        let mut sent = request(&format!("a message of usual length, number {number}"));
        // As long as a UUID, as clients send them.
        sent.message.as_mut().unwrap().message_id = format!("{number:036}");
        send(&engine, sent).await.unwrap();
    }
    until(async || engine.live_tasks() == 0).await;
    let listed = engine.list_tasks(call(), list_request()).await.unwrap();
    assert_eq!(listed.total_size as usize, TASKS + 500);
    match (before, resident()) {
        (Some(before), Some(after)) => {
            let each = after.saturating_sub(before) / TASKS;
            println!("a finished echo task keeps {each} bytes");
            assert!(
                each > 0 && each < 1500,
                "a finished echo task keeps {each} bytes"
            );
        }
        _ => println!("this system does not tell how much memory is used; nothing was measured"),
    }
}

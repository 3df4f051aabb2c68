//! What happens when the user, or who reads for him, leaves.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use super::{Served, command, run};

#[test]
#[cfg(unix)]
fn ctrl_c_leaves_the_task_running_and_says_how_to_come_back() {
    let agent = Served::echo(&[]);
    let mut child = command(&["stream", &agent.url, "slow 60"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut err = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    while !line.contains("of 60 seconds") {
        line.clear();
        assert_ne!(err.read_line(&mut line).expect("a line"), 0, "it has ended");
    }
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill").success());
    let mut rest = String::new();
    err.read_to_string(&mut rest).expect("its last words");
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{rest}");
    let line = |verb: &str| {
        let prefix = format!("  cargo a2a {verb} ");
        let found = rest.lines().find(|line| line.starts_with(&prefix));
        let words = found.unwrap_or_else(|| panic!("{verb}: {rest}")).trim();
        words.split(' ').skip(2).collect::<Vec<_>>()
    };
    // The task is there, and can be stopped as it says.
    let back = line("subscribe");
    let (code, _, err) = run(&["get", back[1], back[2]]);
    assert_eq!(code, 0);
    assert!(err.contains("working"), "{err}");
    let (code, _, err) = run(&line("cancel"));
    assert_eq!(code, 0, "{err}");
    let (code, _, _) = run(&back);
    assert_eq!(code, 3);
}

#[test]
fn a_reader_that_leaves_ends_a_stream_quietly() {
    let agent = Served::echo(&[]);
    let mut child = command(&["stream", &agent.url, "stream 100000", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    drop(out);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

//! The command as a process: both ways to call it, help, exit codes, pipes.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn a2a(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command runs")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-a2a"));
    command.args(arguments).stdin(Stdio::null());
    // Help is wrapped at the width of the terminal; here there is none.
    command.env_remove("COLUMNS").env_remove("LINES");
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[test]
fn it_is_called_by_cargo_and_by_itself() {
    let (by_cargo, alone) = (a2a(&["a2a", "routes", "1.0"]), a2a(&["routes", "1.0"]));
    assert!(by_cargo.status.success());
    assert_eq!(by_cargo, alone);
}

#[test]
fn wrong_usage_is_told_on_standard_error() {
    for arguments in [
        &["fly"][..],
        &["routes"],
        &["routes", "1.0", "--json", "--markdown"],
        &[],
    ] {
        let output = a2a(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(text(&output.stderr).contains("Usage:"), "{arguments:?}");
    }
}

#[test]
fn faults_are_json_where_a_program_reads() {
    let output = a2a(&["routes", "no.proto", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr), "");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!(json["error"]["kind"], "fault");
    let message = json["error"]["message"].as_str().expect("a message");
    assert!(message.contains("no.proto"), "{message}");
}

#[test]
fn a_pipe_that_is_closed_ends_quietly() {
    let mut child = command(&["diff", "0.3", "1.0", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    // The report is longer than a pipe holds, so more is written to nobody.
    drop(out);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn shells_complete_the_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = a2a(&["completions", shell]);
        assert!(output.status.success(), "{shell}");
        assert!(text(&output.stdout).contains("routes"), "{shell}");
    }
}

/// The help of the command and of each of its subcommands, also of theirs.
#[test]
fn help_is_as_it_was_read_last() {
    let mut stale = Vec::new();
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let output = a2a(&arguments);
        assert!(output.status.success(), "{arguments:?}");
        let help = text(&output.stdout);
        for name in subcommands(help) {
            open.push([path.as_slice(), &[name]].concat());
        }
        let name = if path.is_empty() {
            "a2a".to_owned()
        } else {
            path.join("-")
        };
        let golden = format!("tests/golden/help/{name}.txt");
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(&golden);
        let expected = std::fs::read_to_string(file).unwrap_or_default();
        if expected.replace("\r\n", "\n") != help {
            let arguments = arguments.join(" ");
            stale.push(format!(
                "cargo run -q -p cargo-a2a -- {arguments} > cargo-a2a/{golden}"
            ));
        }
        seen += 1;
        assert!(seen < 100, "subcommands without end");
    }
    assert!(
        stale.is_empty(),
        "help has changed; if it was meant to, write it again and read it:\n{}",
        stale.join("\n")
    );
}

/// The names under `Commands:`, but for `help`.
fn subcommands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // The descriptions of long lists are indented further.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

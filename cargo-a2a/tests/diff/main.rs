//! `cargo a2a diff`: what it reads, what it says of the two versions of A2A, and in which forms.

use std::ffi::OsString;
use std::path::PathBuf;

mod arguments;
mod breaking;
mod forms;
mod tables;

/// Exit code, standard output and standard error of `diff` with these arguments.
fn diff(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let command = ["cargo-a2a", "a2a", "diff"].iter().chain(arguments);
    let code = cargo_a2a::run(command.map(OsString::from), &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (code, text(out), text(err))
}

/// What a `diff` prints that must succeed.
fn printed(arguments: &[&str]) -> String {
    let (code, out, err) = diff(arguments);
    assert_eq!((code, err.as_str()), (0, ""));
    out
}

fn folder(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

//! `cases [--verbose] FILE...`: runs case files and says which cases fail.
//!
//! Exit status: 0 when none failed, 1 when some did, 2 when nothing could be run.

use std::io::Write as _;
use std::process::ExitCode;

const USAGE: &str = "usage: cases [--verbose] FILE...";

fn main() -> ExitCode {
    let mut verbose = false;
    let mut files = Vec::new();
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--verbose" | "-v") => verbose = true,
            Some("--help" | "-h") => return say(USAGE, ExitCode::SUCCESS),
            Some(option) if option.starts_with('-') => {
                return fail(&format!("unknown option {option}; {USAGE}"));
            }
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        return fail(&format!("no file was named; {USAGE}"));
    }
    let mut out = std::io::stdout().lock();
    match cases::run(&files, verbose, &mut out) {
        Ok(sums) if sums.failed == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(why) => fail(&why),
    }
}

fn say(line: &str, code: ExitCode) -> ExitCode {
    match writeln!(std::io::stdout(), "{line}") {
        Ok(()) => code,
        Err(_) => ExitCode::from(2),
    }
}

fn fail(line: &str) -> ExitCode {
    // Nobody is left to be told when standard error is closed too.
    let _ = writeln!(std::io::stderr(), "cases: {line}");
    ExitCode::from(2)
}

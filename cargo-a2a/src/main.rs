//! `cargo a2a`: see [`cargo_a2a`].

use std::io::{stderr, stdout};
use std::process::ExitCode;

use cargo_a2a::{Console, run_on};

fn main() -> ExitCode {
    let (mut out, mut err) = (stdout(), stderr());
    let mut console = Console::standard(&mut out, &mut err);
    ExitCode::from(run_on(std::env::args_os(), &mut console).code())
}

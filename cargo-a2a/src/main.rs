//! `cargo a2a`: see [`cargo_a2a`].

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cargo_a2a::run(
        std::env::args_os(),
        &mut std::io::stdout(),
        &mut std::io::stderr(),
    ))
}

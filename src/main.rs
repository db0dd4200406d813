//! The `stackgazer` program: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    stackgazer::cli::run(std::env::args_os())
}

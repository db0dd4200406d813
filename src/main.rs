//! The `stackgazer` program: arguments in, exit code out.

use stackgazer::cli::Memory;
use std::process::ExitCode;

#[global_allocator]
static MEMORY: Memory = Memory;

fn main() -> ExitCode {
    stackgazer::cli::run(std::env::args_os())
}

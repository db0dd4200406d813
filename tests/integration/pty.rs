//! Runs the program on a terminal of a given size, as people do.

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a terminal of so many columns and lines shows, and the exit code.
pub(crate) fn on_terminal(
    folder: &Path,
    arguments: &[&str],
    (columns, lines): (u16, u16),
    environment: &[(&str, &str)],
) -> (String, Option<i32>) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("a terminal for us");
    unlockpt(&terminal).expect("a terminal that can be opened");
    let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).expect("a size");
    let name = ptsname(&terminal, Vec::new()).expect("a name");
    let side = || {
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        Stdio::from(rustix::fs::open(&*name, flags, Mode::empty()).expect("the other side"))
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_stackgazer"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("TERM", "xterm-256color")
        .envs(environment.iter().copied())
        .stdin(side())
        .stdout(side())
        .stderr(side())
        .spawn()
        .expect("stackgazer starts");
    let mut shown = Vec::new();
    // Once nobody has the other side open, reading fails.
    let mut terminal = std::fs::File::from(terminal);
    let mut buffer = [0; 1 << 14];
    while let Ok(read @ 1..) = terminal.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..read]);
    }
    let code = child.wait().expect("stackgazer ends").code();
    (String::from_utf8_lossy(&shown).replace("\r\n", "\n"), code)
}

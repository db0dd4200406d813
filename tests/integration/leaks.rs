//! The dumps of `testdata/leaks`: planted leaks, their healthy twin, a healthy server.

use crate::sandbox::{Sandbox, testdata};
use std::io::Read;

/// The versions of Go that made them.
pub(crate) const VERSIONS: [&str; 4] = ["go1.24.11", "go1.25.5", "go1.26.6", "go1.27.3"];

/// The mistakes of the program.
pub(crate) const MISTAKES: [&str; 8] = [
    "premature-return",
    "abandoned-sender",
    "unclosed-range",
    "broadcast",
    "forgotten-cancel",
    "lost-lock",
    "growing-pool",
    "ticker",
];

/// One file of an archive.
pub(crate) fn dump(version: &str, name: &str) -> Vec<u8> {
    let path = testdata(&format!("leaks/{version}.zip"));
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    let mut member = archive.by_name(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut bytes = Vec::new();
    member.read_to_end(&mut bytes).expect("a member");
    bytes
}

/// Puts files of a folder of an archive where a run finds them.
pub(crate) fn unpack(sandbox: &Sandbox, version: &str, folder: &str, names: &[&str]) {
    for name in names {
        sandbox.file(name, dump(version, &format!("{folder}/{name}")));
    }
}

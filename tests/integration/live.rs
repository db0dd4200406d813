//! `pid:N` and `capture`: what is said where there is nothing to read. Real Go processes are for
//! tests/go/live.py, which needs toolchains.

use crate::sandbox::stackgazer;
use std::process::{Child, Command, Stdio};

/// A process that ends with the test.
struct Running(Child);

impl Running {
    fn sleep() -> Running {
        let sleep = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn();
        Running(sleep.expect("sleep runs"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nothing can be done about one that has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_is_no_number_is_refused_before_anything_is_read() {
    for input in ["pid:", "pid:shop", "pid:-1", "pid:0", "pid:99999999999"] {
        let ran = stackgazer(["summarize", "missing.txt", input]).code(2);
        let said = ran.stderr.clone();
        ran.says("isn't the number of a process; write it as pid:1234");
        assert!(!said.contains("missing.txt"), "{said}");
    }
}

#[test]
fn a_process_that_is_not_there_is_told() {
    // More than the kernel gives out.
    for arguments in [["summarize", "pid:2147483646"], ["capture", "2147483646"]] {
        stackgazer(arguments).code(2).says("pid:2147483646: no such process\n");
    }
    // No command is needed, as of a file.
    stackgazer(["pid:2147483646"]).code(2).says("pid:2147483646: no such process\n");
}

#[test]
fn a_process_that_is_not_one_of_go_is_told_and_goes_on_running() {
    let mut sleep = Running::sleep();
    let input = format!("pid:{}", sleep.0.id());
    stackgazer(["export", &input]).code(2).says("isn't a Go program");
    stackgazer(["capture", &sleep.0.id().to_string()]).code(2).says("isn't a Go program");
    assert!(sleep.0.try_wait().expect("a child").is_none());
}

#[test]
fn nothing_is_written_where_nothing_could_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("dump.txt");
    let file = file.to_str().expect("a path");
    std::fs::write(file, "what was there").expect("a file");
    stackgazer(["capture", "2147483646", "--to", file]).code(2);
    assert_eq!(std::fs::read_to_string(file).expect("a file"), "what was there");
    stackgazer(["capture", "2147483646", "--to", folder.path().to_str().expect("a path")])
        .code(2)
        .says("is a directory");
}

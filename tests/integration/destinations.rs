//! Where output goes: descriptors, pipes and devices are written to, files are whole or as they were.

#![cfg(unix)]

use crate::sandbox::{Sandbox, testdata};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(super) const DUMP: &str = "goroutine 1 [select]:\nmain.work(0x1)\n\t/src/a.go:9 +0x1d\n\n";

/// Runs a line of a shell in the sandbox; `$S` is the program.
pub(super) fn shell(sandbox: &Sandbox, line: &str) -> (Option<i32>, String, String) {
    let output = Command::new("bash")
        .args(["-c", line])
        .current_dir(sandbox.path())
        .env("S", env!("CARGO_BIN_EXE_stackgazer"))
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

pub(super) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    sandbox
}

pub(super) fn read(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.path().join(name)).expect("a file")
}

#[test]
fn descriptors_are_written_to_and_not_replaced() {
    let sandbox = sandbox();
    let plain = sandbox.run(["summarize", "dump.txt"]).quiet().text().to_owned();
    for to in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let line = format!(
            "echo before > log; $S summarize dump.txt --to {to} >> log; echo behind >> log"
        );
        assert_eq!(shell(&sandbox, &line), (Some(0), String::new(), String::new()));
        assert_eq!(read(&sandbox, "log"), format!("before\n{plain}behind\n"), "{to}");
    }
    // A descriptor of a file stays behind what was written through it.
    let line =
        "exec 5> log; echo before >&5; $S summarize dump.txt --to /dev/fd/5; echo behind >&5";
    assert_eq!(shell(&sandbox, line), (Some(0), String::new(), String::new()));
    assert_eq!(read(&sandbox, "log"), format!("before\n{plain}behind\n"));
    // Into a pipe, through another descriptor, into a process of the shell, and to stderr.
    for line in [
        "$S summarize dump.txt --to /dev/stdout | cat",
        "$S summarize dump.txt --to /proc/self/fd/3 3>&1 | cat",
        "$S summarize dump.txt --to >(cat); wait $!",
        "$S summarize dump.txt --to /dev/stderr 2>&1 > log",
        "ln -s /dev/stdout out; $S summarize dump.txt --to out | cat",
    ] {
        assert_eq!(shell(&sandbox, line), (Some(0), plain.clone(), String::new()), "{line}");
    }
    let left: Vec<_> = std::fs::read_dir(sandbox.path()).expect("a folder").collect();
    assert_eq!(left.len(), 3, "dump.txt, log and out: {left:?}");
}

#[test]
fn a_dash_is_stdout_wherever_a_file_may_be_named() {
    let sandbox = sandbox();
    for line in [
        "$S summarize dump.txt --to - | grep -c main",
        "$S check dump.txt --report sarif=- | grep -c sarif-2.1.0",
        "$S check dump.txt --write-baseline - 2>&1 | grep -c 'written to -'",
    ] {
        let (code, text, told) = shell(&sandbox, line);
        assert_eq!((code, told.as_str()), (Some(0), ""), "{line}: {text}");
        assert!(!sandbox.path().join("-").exists(), "{line}");
    }
    let (_, text, _) = shell(&sandbox, "$S check dump.txt --report sarif=-");
    assert!(text.contains("sarif-2.1.0") || text.contains("\"2.1.0\""), "{text}");
}

#[test]
fn a_named_pipe_is_opened_once() {
    let sandbox = sandbox();
    let plain = sandbox.run(["summarize", "dump.txt"]).quiet().text().to_owned();
    // A reader that takes the first end of what it gets for the last.
    let line = "mkfifo pipe; timeout 20 cat pipe & $S summarize dump.txt --to pipe; wait $!";
    assert_eq!(shell(&sandbox, line), (Some(0), plain, String::new()));
}

#[test]
fn a_reader_that_closes_early_is_an_error_only_where_it_was_named() {
    let sandbox = sandbox();
    // Much more than a pipe holds.
    sandbox.file("large.txt", DUMP.repeat(10_000));
    for (line, code) in [
        ("| head -c 1", "0\n"),
        ("--to /dev/stdout | head -c 1", "0\n"),
        ("--to >(head -c 1)", "2\n"),
        ("--to pipe", "2\n"),
    ] {
        let line = format!(
            "mkfifo pipe; (timeout 20 head -c 1 pipe) > log & \
             ($S export -o debug2 large.txt {line}) > log; echo ${{PIPESTATUS[0]}}; rm pipe; kill $!"
        );
        let (_, text, said) = shell(&sandbox, &line);
        assert_eq!(text, code, "{line}: {said}");
        assert_eq!(
            said.contains("reader left before all was written"),
            code == "2\n",
            "{line}: {said}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_stdout_is_an_error_where_something_has_to_be_written_to_it() {
    let sandbox = sandbox();
    for arguments in [
        "--help",
        "--version",
        "summarize -h",
        "dump.txt",
        "export dump.txt -o json",
        "man",
        "completions bash",
        "export dump.txt -o json --to /dev/stdout",
        "check dump.txt",
    ] {
        let (code, _, said) = shell(&sandbox, &format!("$S {arguments} >&-"));
        assert_eq!(code, Some(2), "{arguments}: {said}");
        assert!(said.starts_with("stackgazer: stdout: Bad file desc"), "{arguments}: {said}");
    }
    // As it is opened for those whose output nobody wants.
    for line in [
        "$S export dump.txt -o json --to new >&-",
        "$S dump.txt > /dev/null",
        "$S dump.txt <> /dev/null >&0",
    ] {
        assert_eq!(shell(&sandbox, line), (Some(0), String::new(), String::new()), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_program_itself_is_not_written_over() {
    let sandbox = sandbox();
    let program = sandbox.path().join("copy");
    std::fs::copy(env!("CARGO_BIN_EXE_stackgazer"), &program).unwrap();
    let run = || {
        Command::new(&program)
            .args(["summarize", "dump.txt", "--to", "/proc/self/exe"])
            .current_dir(sandbox.path())
            .output()
            .unwrap()
    };
    let ran = run();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("is a program that is running"));
    assert_eq!(run().status.code(), Some(2), "it still runs");
}

/// Runs this in vain, with a message, while nobody ever writes to a FIFO in its inputs: a program that reads
/// before it refuses waits for that.
fn assert_refused_unread(sandbox: &Sandbox, line: &str, what: &str) {
    let (code, out, said) = shell(sandbox, &format!("timeout 20 $S {line}"));
    assert_eq!((code, out.as_str()), (Some(2), ""), "{line}: {said}");
    assert!(said.contains(what), "{line}: {said}");
}

#[test]
fn one_file_is_written_once_and_inputs_are_not_written_over() {
    let sandbox = sandbox();
    symlink("dump.txt", sandbox.path().join("link")).expect("a link");
    assert_eq!(shell(&sandbox, "mkfifo pipe").0, Some(0));
    let over = "would write over an input";
    for (line, what) in [
        ("summarize pipe dump.txt --to link", "--to would write over an input"),
        ("summarize pipe - --to dump.txt < dump.txt", over),
        ("export -o json pipe dump.txt --to ./dump.txt", over),
        ("diff pipe dump.txt --to link", over),
        ("check pipe dump.txt --report json=link", over),
        (
            "check pipe --report json=a --report sarif=./a",
            "--report and --report would both write it",
        ),
        ("check pipe --to a --write-baseline a", "--to and --write-baseline would both write it"),
    ] {
        assert_refused_unread(&sandbox, line, what);
    }
    assert_eq!(read(&sandbox, "dump.txt"), DUMP);
}

#[test]
fn what_a_link_in_a_folder_leads_to_is_an_input_too() {
    for (link, dump) in [
        ("ln -s ../dump.txt in/a", "dump.txt"),
        ("ln dump.txt in/a", "dump.txt"),
        ("mkdir other; mv dump.txt other; ln -s ../other in/a", "other/dump.txt"),
    ] {
        let sandbox = sandbox();
        shell(&sandbox, &format!("mkdir in; {link}"));
        for to in ["export in -o csv --to", "check in --report", "summarize in 1<>"] {
            let equals = if to.ends_with("report") { " json=" } else { " " };
            let (code, _, said) = shell(&sandbox, &format!("$S {to}{equals}{dump}"));
            assert_eq!(code, Some(2), "{link}: {to}: {said}");
            assert!(said.contains("would write over an input"), "{link}: {to}: {said}");
            assert_eq!(read(&sandbox, dump), DUMP, "{link}: {to}");
        }
    }
    // What was never read may be written.
    let sandbox = sandbox();
    sandbox.file("report.txt", "of the last run\n");
    let line = "mkdir in; cp dump.txt in; ln -s ../report.txt in; $S summarize in --to report.txt";
    assert_eq!(shell(&sandbox, line), (Some(0), String::new(), String::new()));
}

#[cfg(feature = "parquet")]
#[test]
fn tables_that_are_read_through_a_link_are_not_written_over() {
    let sandbox = sandbox();
    let line = "$S export dump.txt -o parquet --to t; mkdir in; ln -s ../t in/t; \
                $S export in -o parquet --to t --where 'state==\"running\"'";
    let (code, _, said) = shell(&sandbox, line);
    assert!(code == Some(2) && said.contains("would write over an input"), "{said}");
}

/// Whether a program that is started here ignores a signal: shells have those in the background ignore
/// SIGINT, nohup has them ignore SIGHUP.
pub(crate) fn is_ignored(signal: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:\t"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

#[test]
fn a_signal_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    sandbox.file("old", "as it was");
    let files = || std::fs::read_dir(sandbox.path()).expect("a folder").count();
    for (number, signal) in [
        (2, "INT"),
        (15, "TERM"),
        (1, "HUP"),
        (3, "QUIT"),
        (6, "ABRT"),
        (10, "USR1"),
        (12, "USR2"),
        (14, "ALRM"),
        (24, "XCPU"),
        (26, "VTALRM"),
        (27, "PROF"),
        (16, "16"),
        (29, "29"),
        (30, "PWR"),
        (5, "TRAP"),
        (31, "SYS"),
        (35, "35"),
        (64, "64"),
    ] {
        if is_ignored(number) {
            let why = format!("whoever started this test has it ignore SIG{signal}");
            let _ = writeln!(std::io::stderr(), "skipped: {why}");
            continue;
        }
        let mut child = Command::new("sh")
            .args(["-c", "ulimit -c 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_stackgazer")])
            .args(["export", "-o", "json", "--to", "old"])
            .args(vec![testdata("bundle.zip"); 40])
            .current_dir(sandbox.path())
            .spawn()
            .expect("stackgazer starts");
        let started = Instant::now();
        while files() == 1 {
            assert!(started.elapsed() < Duration::from_secs(60), "nothing is written");
            std::thread::sleep(Duration::from_millis(1));
        }
        Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().expect("kill");
        let status = child.wait().expect("an end");
        assert!(status.signal().is_some(), "ended before {signal}: {status:?}");
        assert_eq!(read(&sandbox, "old"), "as it was");
        assert_eq!(files(), 1, "{signal} left a temporary file");
    }
}

#[cfg(all(target_os = "linux", feature = "parquet"))]
#[test]
fn a_file_that_may_not_be_so_large_is_an_error_and_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    sandbox.file("old", "as it was");
    let ran = Command::new("sh")
        .args(["-c", "ulimit -f 1; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_stackgazer")])
        .args(["export", "-o", "json", "--to", "old"])
        .arg(testdata("bundle.zip"))
        .current_dir(sandbox.path())
        .output()
        .expect("stackgazer runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.starts_with("stackgazer: old: "), "{said}");
    assert_eq!(read(&sandbox, "old"), "as it was");
    assert_eq!(std::fs::read_dir(sandbox.path()).expect("a folder").count(), 1, "a temporary file");
}

#[cfg(target_os = "linux")]
#[test]
fn a_piped_archive_for_which_there_is_no_room_is_an_error() {
    let sandbox = Sandbox::new();
    let zip = testdata("bundle.zip");
    let line = format!(
        "(cat {}; head -c 20000000 /dev/zero) | (ulimit -f 1; exec \"$S\" summarize -)",
        zip.display()
    );
    let (code, _, said) = shell(&sandbox, &line);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("no temporary file can be written"), "{said}");
}

#[test]
fn a_signal_leaves_nothing_of_goroutines_that_wait_on_disk_for_their_tables() {
    let sandbox = Sandbox::new();
    // More than are held in memory, and as many again, so that there is something left to read.
    let dump: String =
        (0..2 << 17).map(|id| format!("goroutine {id} [select]:\nf()\n\t/a.go:1\n\n")).collect();
    sandbox.file("dump.txt", dump);
    std::fs::create_dir(sandbox.path().join("tables")).expect("a folder");
    for (number, signal) in [(2, "INT"), (15, "TERM")] {
        if is_ignored(number) {
            let why = format!("whoever started this test has it ignore SIG{signal}");
            let _ = writeln!(std::io::stderr(), "skipped: {why}");
            continue;
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_stackgazer"))
            .args(["export", "-o", "parquet", "--to", "tables", "dump.txt"])
            .current_dir(sandbox.path())
            .spawn()
            .expect("stackgazer starts");
        // What has no name anymore, or never had one, is called so among the files that are open.
        let is_on_disk = || {
            let open = std::fs::read_dir(format!("/proc/{}/fd", child.id())).expect("open files");
            let mut open = open.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
            open.any(|file| file.starts_with(sandbox.path().join("tables")))
        };
        let started = Instant::now();
        while !is_on_disk() {
            assert!(started.elapsed() < Duration::from_secs(60), "nothing is on disk");
            std::thread::sleep(Duration::from_millis(1));
        }
        Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().expect("kill");
        let status = child.wait().expect("an end");
        assert!(status.signal().is_some(), "ended before {signal}: {status:?}");
        let left = std::fs::read_dir(sandbox.path().join("tables")).expect("a folder").count();
        assert_eq!(left, 0, "{signal} left something");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_becomes_full_leaves_a_file_with_two_names_as_it_was() {
    let sandbox = sandbox();
    sandbox.file("long.txt", DUMP.repeat(3000).replace("goroutine 1 ", "goroutine 12345 "));
    // There is room for what is written and half of it once more.
    let line = "$S export -o json long.txt --to whole && mkdir disk && \
                mount -t tmpfs -o size=$(($(stat -c %s whole) * 3 / 2)) tmpfs disk && \
                echo old > disk/a && ln disk/a disk/b || exit 9; \
                $S export -o json long.txt --to disk/a; echo $? $(cat disk/b) $(ls disk)";
    let line = format!("unshare --user --map-root-user --mount bash -c '{line}'");
    let (code, out, told) = shell(&sandbox, &line);
    if code != Some(0) {
        let _ = writeln!(std::io::stderr(), "skipped: nothing is mounted here: {told}");
        return;
    }
    assert_eq!(out, "2 old a b\n", "{told}");
    assert!(told.contains("stackgazer: disk/a: "), "{told}");
}

#[test]
fn the_name_of_a_directory_is_refused_before_anything_is_read() {
    let sandbox = sandbox();
    assert_eq!(shell(&sandbox, "mkfifo pipe").0, Some(0));
    for line in ["summarize --to new/ pipe", "check --report json=dump.txt/ pipe"] {
        assert_refused_unread(&sandbox, line, "names a directory");
    }
    assert_eq!(read(&sandbox, "dump.txt"), DUMP);
}

/// As a container has a file of its host.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_a_mount_is_written_over_in_place() {
    let sandbox = sandbox();
    let line = "echo old > host && echo old > inside && mount --bind host inside || exit 9; \
                $S summarize dump.txt --to inside; echo $? $(wc -l < host); \
                $S check --report json=inside dump.txt > out; echo $? $(cut -c 1-10 host); ls";
    let line = format!("unshare --user --map-root-user --mount bash -c '{line}'");
    let (code, out, told) = shell(&sandbox, &line);
    if code != Some(0) {
        let _ = writeln!(std::io::stderr(), "skipped: nothing is mounted here: {told}");
        return;
    }
    let lines = sandbox.run(["summarize", "dump.txt"]).text().lines().count();
    assert_eq!(out, format!("0 {lines}\n0 {{\"schema\":\ndump.txt\nhost\ninside\nout\n"), "{told}");
}

#[test]
fn help_and_version_into_a_full_device_fail() {
    let sandbox = Sandbox::new();
    for arguments in ["--help", "--version", "summarize --help", "man", "completions bash"] {
        let (code, _, said) = shell(&sandbox, &format!("$S {arguments} > /dev/full"));
        assert_eq!(code, Some(2), "{arguments}: {said}");
        assert!(said.starts_with("stackgazer: stdout: "), "{arguments}: {said}");
    }
}

#[test]
fn the_gate_does_not_wait_for_what_stands_in_the_place_of_a_go_mod() {
    let sandbox = sandbox();
    std::fs::create_dir_all(sandbox.path().join("a")).expect("a folder");
    assert_eq!(
        shell(&sandbox, "mkdir .git && mkfifo go.mod && ln -s /dev/zero a/go.mod").0,
        Some(0)
    );
    let line = "ulimit -v 2000000; timeout 20 $S check dump.txt --report sarif=out";
    let (code, _, said) = shell(&sandbox, line);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said.matches("go.mod: isn't a regular file").count(), 2, "{said}");
    // Nor for settings that aren't a file.
    assert_eq!(shell(&sandbox, "mkfifo stackgazer.toml").0, Some(0));
    let (code, _, said) = shell(&sandbox, "timeout 20 $S summarize dump.txt");
    assert_eq!(code, Some(2));
    assert!(said.contains("stackgazer.toml: isn't a regular file"), "{said}");
    sandbox.file("set.toml", "[check]\nallow = [\"go.mod\"]\n");
    let (code, _, said) = shell(&sandbox, "timeout 20 $S check --config set.toml dump.txt");
    assert_eq!(code, Some(2));
    assert!(said.contains("go.mod: isn't a regular file"), "{said}");
}

#[test]
fn programs_and_what_comes_on_stdin_are_not_written_over_and_addresses_are_no_files() {
    let sandbox = sandbox();
    sandbox.file("prog", crate::binaries::binary("go1.27-elf"));
    sandbox.file("a.txt", "0x401000\n");
    sandbox.file("allow.toml", "[[allow]]\nfunction = \"main.*\"\nreason = \"x\"\n");
    let program = "would write over a program or a core file";
    let addresses = "name files, not addresses";
    for (line, says) in [
        ("summarize dump.txt --to prog", program),
        ("capture --core dump.txt --binary prog --to prog", "the file of --binary"),
        ("check dump.txt --report json=prog", program),
        ("capture 1 --native --to prog", program),
        ("summarize dump.txt >> prog", program),
        ("symbolize prog -o addr2line < a.txt >> a.txt", "would write over an input"),
        ("symbolize prog --to a.txt < a.txt", "would write over an input"),
        ("check dump.txt --allow - --to allow.toml < allow.toml", "the file of --allow"),
        ("check dump.txt --to s3://bucket/x", addresses),
        ("check dump.txt --report json=http://u:secret@h/x", addresses),
        ("export dump.txt -o parquet --to http://u:secret@h/x", addresses),
    ] {
        let before = ["prog", "a.txt", "allow.toml"]
            .map(|name| std::fs::read(sandbox.path().join(name)).expect("a file"));
        let (code, _, said) = shell(&sandbox, &format!("$S {line}"));
        assert!(code == Some(2) && said.contains(says), "{line}: {said}");
        assert!(!said.contains("secret"), "{line}: {said}");
        let after = ["prog", "a.txt", "allow.toml"]
            .map(|name| std::fs::read(sandbox.path().join(name)).expect("a file"));
        assert!(before == after, "{line}");
    }
}

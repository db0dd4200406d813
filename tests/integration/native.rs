//! `capture --native`, of processes that the test starts itself.

use crate::sandbox::stackgazer;
use crate::schema::{assert_valid, validator};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Threads that wait in known places, in code without frame pointers.
const THREADS: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
static int ends[2];
static volatile int sum;
__attribute__((noinline)) void waits_for_a_byte(void) { char c; sum += read(ends[0], &c, 1); }
__attribute__((noinline)) void calls(int depth) {
    if (depth) calls(depth - 1); else waits_for_a_byte();
    sum++;
}
static void *waiter(void *unused) { prctl(PR_SET_NAME, "waiter"); calls(3); return 0; }
__attribute__((noinline)) void computes(void) { for (;;) sum++; }
static void *worker(void *unused) { prctl(PR_SET_NAME, "worker"); computes(); return 0; }
int main(void) {
    pthread_t thread;
    if (pipe(ends)) return 1;
    pthread_create(&thread, 0, waiter, 0);
    pthread_create(&thread, 0, worker, 0);
    usleep(20000);
    puts("ready");
    fflush(stdout);
    pause();
}
"#;

struct Target {
    child: Child,
    folder: tempfile::TempDir,
}

impl Target {
    /// The program of this source, compiled so; `None` where it can't be.
    fn compiled(source: &str, options: &[&str]) -> Option<Target> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("target.c");
        std::fs::write(&file, source).expect("a file");
        let program = folder.path().join("target");
        let compiler = Command::new("cc")
            .args(options)
            .args([Path::new("-pthread"), Path::new("-o"), &program, &file])
            .status();
        if !compiler.is_ok_and(|status| status.success()) {
            skip("no C compiler");
            return None;
        }
        let mut child = Command::new(&program)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("a line");
        assert_eq!(line, "ready\n");
        let target = Target { child, folder };
        let refused = stackgazer(["capture", &target.pid(), "--native"]).stderr;
        if refused.contains("may not be stopped") {
            skip("ptrace of a child is refused here");
            return None;
        }
        Some(target)
    }

    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    fn text(&self, options: &[&str]) -> String {
        let pid = self.pid();
        stdout([&["capture", &pid, "--native"][..], options].concat())
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("target")
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // Nothing can be done about one that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stdout(arguments: Vec<&str>) -> String {
    String::from_utf8(stackgazer(arguments).code(0).stdout).expect("text")
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests has to know")]
fn skip(why: &str) {
    eprintln!("skipped: {why}");
}

/// The block of the thread of this name.
fn block<'a>(text: &'a str, name: &str) -> &'a str {
    let quoted = format!("\"{name}\"");
    let mut blocks = text.split("\n\n");
    blocks
        .find(|block| block.lines().next().is_some_and(|line| line.contains(&quoted)))
        .expect(name)
}

/// Checks that these stand one after the other in it.
#[track_caller]
fn stands_in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part} isn't in {text}"));
        rest = &rest[at + part.len()..];
    }
}

const CALLS: [&str; 5] = ["waits_for_a_byte+", "calls+", "calls+", "calls+", "calls+"];

#[test]
fn all_threads_have_their_calls_to_the_start() {
    let Some(target) = Target::compiled(THREADS, &["-O1", "-g", "-fomit-frame-pointer"]) else {
        return;
    };
    let text = target.text(&[]);
    assert_eq!(text.split("\n\n").count(), 3, "{text}");
    let waiter = block(&text, "waiter");
    stands_in_order(waiter, &CALLS);
    stands_in_order(waiter, &["calls+", "waiter+"]);
    stands_in_order(waiter, &["waits_for_a_byte+0x", "target.c:9) [target]\n"]);
    stands_in_order(
        block(&text, "worker"),
        &["#0", " computes+0x", "target.c:15) [target]", "#1", "worker+"],
    );
    stands_in_order(block(&text, "target"), &["main+"]);
    assert!(!text.contains("can't be told"), "{text}");
}

#[test]
fn names_are_told_without_debug_information_too() {
    let Some(target) = Target::compiled(THREADS, &["-O1", "-fomit-frame-pointer"]) else {
        return;
    };
    stands_in_order(block(&target.text(&[]), "waiter"), &CALLS);
}

#[test]
fn a_program_that_was_deleted_is_read_all_the_same() {
    let Some(target) = Target::compiled(THREADS, &["-O1", "-g"]) else { return };
    std::fs::remove_file(target.program()).expect("it is there");
    stands_in_order(block(&target.text(&[]), "waiter"), &CALLS);
}

#[test]
fn both_readers_read_the_same() {
    let Some(target) = Target::compiled(THREADS, &["-O1", "-g"]) else { return };
    let of = |reader| block(&target.text(&["--reader", reader]), "waiter").to_owned();
    assert_eq!(of("vm"), of("procmem"));
}

#[test]
fn threads_are_chosen_by_number_and_by_state() {
    let Some(target) = Target::compiled(THREADS, &["-O1"]) else { return };
    let pid = target.pid();
    let all = target.text(&["--show-state", "--show-sp"]);
    stands_in_order(block(&all, "waiter"), &[" state S sp 0x7"]);
    assert!(block(&all, "worker").starts_with("thread "), "{all}");
    let number = |name| block(&all, name).split(' ').nth(1).expect("a number").to_owned();
    let names = |text: &str| text.matches("thread ").count();
    let chosen = |arguments: &[&str]| stdout([&["capture"], arguments, &["--native"]].concat());
    let two = format!("{pid}/{},{}", number("waiter"), number("worker"));
    assert_eq!(names(&chosen(&[&two])), 2);
    let one = chosen(&[&pid, "--tid", &number("waiter")]);
    assert_eq!(names(&one), 1);
    stands_in_order(&one, &["\"waiter\""]);
    let running = chosen(&[&format!("{pid}/R")]);
    assert_eq!(names(&running), 1, "{running}");
    stands_in_order(&running, &["\"worker\""]);
    assert_eq!(names(&chosen(&[&pid, "--thread-state", "SD"])), 2);
    stackgazer(["capture", &format!("{pid}/1"), "--native"]).code(2).says("has no thread 1");
    stackgazer(["capture", &format!("{pid}/Z"), "--native"]).code(2).says("no thread in state Z");
    stackgazer(["capture", &format!("{pid}/R")]).code(2).says("--native alone");
}

#[test]
fn a_stack_that_is_not_copied_whole_says_so() {
    let Some(target) = Target::compiled(THREADS, &["-O1"]) else { return };
    let text = target.text(&["--max-stack", "16"]);
    stands_in_order(block(&text, "waiter"), &["more of its stack was not copied: see --max-stack"]);
    let pid = target.pid();
    stackgazer(["capture", &pid, "--native", "--max-stack", "1T"]).code(2).says("--max-stack");
}

/// 4,000 calls on the stack, of a function into which 200 others are inlined, are 800,000.
#[test]
fn inlined_calls_count_toward_the_limit_of_calls() {
    let inlined = |at: u32| {
        let next = at + 1;
        format!(
            "static inline __attribute__((always_inline)) void f{at}(int d) {{ f{next}(d); sum++; }}\n"
        )
    };
    let inlined: String = (0..200).rev().map(inlined).collect();
    let source = format!(
        "#include <stdio.h>\n#include <unistd.h>\nstatic volatile int sum;\nvoid deep(int d);\n\
         static inline __attribute__((always_inline)) void f200(int d) {{ deep(d); sum++; }}\n\
         {inlined}void deep(int d) {{ if (d) f0(d - 1); else {{ puts(\"ready\"); fflush(stdout); pause(); }} sum++; }}\n\
         int main(void) {{ deep(4000); }}\n"
    );
    let Some(target) = Target::compiled(&source, &["-O1", "-g"]) else { return };
    let way = ["capture", &target.pid(), "--native", "--max-stack", "1M"];
    stackgazer(way)
        .code(2)
        .says("count as more than 524288 calls, long names as several (native_calls)");
}

#[test]
fn documents_follow_the_schema_and_flames_have_the_same_calls() {
    let Some(target) = Target::compiled(THREADS, &["-O1", "-g"]) else { return };
    let document: Value = serde_json::from_str(&target.text(&["-o", "json"])).expect("JSON");
    assert_valid(&validator("native"), &document, "native");
    let threads = document["threads"].as_array().expect("threads");
    let waiter = threads.iter().find(|thread| thread["name"] == "waiter").expect("the waiter");
    assert_eq!(waiter["end"], "whole");
    let folded = target.text(&["-o", "folded"]);
    let line = folded.lines().find(|line| line.starts_with("waiter;")).expect("the waiter");
    stands_in_order(line, &[";waiter;calls;calls;calls;calls;waits_for_a_byte;"]);
    assert!(line.ends_with(" 1"), "{line}");
    let flames = target.text(&["-o", "flamegraph"]);
    stands_in_order(&flames, &["<svg", "threads: 3", "waits_for_a_byte", "</svg>"]);
}

#[test]
fn the_target_runs_on() {
    let Some(mut target) = Target::compiled(THREADS, &["-O1"]) else { return };
    let pid = target.pid();
    for _ in 0..5 {
        stackgazer(["capture", &pid, "--native", "--stats"])
            .code(0)
            .says(" 3 threads stopped for ");
    }
    assert!(target.child.try_wait().expect("a child").is_none());
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    assert!(status.contains("TracerPid:\t0\n"), "{status}");
}

#[test]
fn in_ci_no_name_becomes_a_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("##[error]x");
    std::fs::copy("/bin/sleep", &program).expect("a copy");
    let mut child = Command::new(&program).arg("60").spawn().expect("it starts");
    let stackgazer = |in_ci: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_stackgazer"))
            .args(["capture", "--native", &child.id().to_string()])
            .env_clear()
            .env("GITHUB_ACTIONS", in_ci)
            .output()
            .expect("it ends");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let (outside, inside) = (stackgazer("false"), stackgazer("true"));
    child.kill().expect("it runs");
    child.wait().expect("an end");
    assert!(outside.contains("##[error]x"), "{outside}");
    assert!(!inside.is_empty() && !inside.contains("##["), "{inside}");
}

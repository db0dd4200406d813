use super::*;
use crate::live::ignored_signals;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const SECOND: Duration = Duration::from_secs(1);

/// A process that answers on request, and ends with the test.
struct Target {
    child: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Target {
    fn start(command: &mut Command) -> Target {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = piped.spawn().unwrap();
        let asked = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Target { child, asked, answers }
    }

    /// A process with many threads: this test program, started again.
    fn with_threads() -> Target {
        Target::running("the_process_that_the_others_stop")
    }

    /// A process that runs one of these tests.
    fn running(test: &str) -> Target {
        let mut target = Target::start(&mut program(test));
        target.hears("ready");
        target
    }

    /// A shell that prints which signals reach it.
    fn shell() -> Target {
        let script = "trap 'echo usr1' USR1; trap 'echo urg' URG; trap 'echo rt' 36; echo ready; \
                      while :; do :; done";
        let mut target = Target::start(Command::new("sh").args(["-c", script]));
        target.hears("ready");
        target
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn hears(&mut self, wanted: &str) {
        let mut line = String::new();
        while self.answers.read_line(&mut line).unwrap() > 0 {
            if line.trim().ends_with(wanted) {
                return;
            }
            line.clear();
        }
        panic!("it ended before it said {wanted}");
    }

    fn answers(&mut self, word: &str) {
        self.answers_with(word, word);
    }

    fn answers_with(&mut self, word: &str, answer: &str) {
        writeln!(self.asked, "{word}").unwrap();
        self.hears(answer);
    }

    fn signal(&self, number: i32) {
        let kill = format!("kill -{number} {}", self.pid());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// The states of its threads.
    fn states(&self) -> String {
        let pid = self.pid();
        let state = |thread: u32| thread_state(pid, thread);
        threads(pid).unwrap().into_iter().filter_map(state).collect()
    }

    fn waits_until(&self, what: impl Fn(&Target) -> bool) {
        let started = Instant::now();
        while !what(self) {
            assert!(started.elapsed() < 10 * SECOND, "{}", self.states());
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn is_traced(&self) -> bool {
        let threads = threads(self.pid()).unwrap();
        threads.iter().any(|&thread| tracer(self.pid(), thread).is_some())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // It fails if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether the test can run; prints a note if ptrace isn't allowed, as in some containers.
fn is_possible(target: &Target) -> bool {
    let refused = trace(target.pid(), |_| true, |_| Ok(())).err();
    if let Some(Refusal::Stopping) = refused {
        #[expect(clippy::print_stderr, reason = "whoever runs the tests has to know")]
        {
            eprintln!("skipped: ptrace of a child is refused here");
        }
        return false;
    }
    assert!(refused.is_none(), "{refused:?}");
    target.waits_until(|target| !target.is_traced());
    true
}

/// This test program, to run one of these tests.
fn program(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let test = format!("live::linux::stop::tests::{test}");
    command.args([&test, "--exact", "--ignored", "--nocapture"]);
    command
}

const SLEEPING: usize = 6;

#[test]
#[ignore = "what the other tests start"]
fn the_process_that_the_others_stop() {
    for _ in 0..SLEEPING {
        thread::spawn(|| {
            loop {
                thread::park();
            }
        });
    }
    thread::spawn(|| {
        loop {
            std::hint::spin_loop();
        }
    });
    let mut out = std::io::stdout();
    writeln!(out, "ready").unwrap();
    for line in std::io::stdin().lines() {
        writeln!(out, "{}", line.unwrap()).unwrap();
    }
}

#[test]
fn all_threads_stand_still_with_their_registers_and_then_run_on() {
    let mut target = Target::with_threads();
    if !is_possible(&target) {
        return;
    }
    let pid = target.pid();
    for round in 0..200 {
        let stop = |seized: Seized| {
            let stopped = seized.stop(SECOND)?;
            let states = target.states();
            let registers = stopped.registers(|_| true);
            let times = stopped.resume();
            Ok((states, registers, times))
        };
        let (states, registers, times) = trace(pid, |_| true, stop).unwrap();
        assert!(states.bytes().all(|state| state == b't'), "{round}: {states}");
        assert!(states.len() > SLEEPING && registers.len() == states.len());
        assert!(times.total >= times.stopping + times.resuming && times.stopping > Duration::ZERO);
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
        let rights = |address: u64| {
            let mut lines = maps.lines();
            lines.find_map(|line| {
                let (range, rest) = line.split_once(' ')?;
                let (start, end) = range.split_once('-')?;
                let [start, end] = [start, end].map(|at| u64::from_str_radix(at, 16).unwrap());
                (start..end).contains(&address).then(|| rest.get(..3))?
            })
        };
        for (thread, Registers { pc, sp, .. }) in registers {
            assert_eq!(rights(pc), Some("r-x"), "{thread}: {pc:#x}");
            assert_eq!(rights(sp), Some("rw-"), "{thread}: {sp:#x}");
        }
        target.answers(&format!("round {round}"));
    }
    assert!(!target.is_traced());
}

#[test]
#[ignore = "what another test starts"]
fn the_process_that_starts_threads_all_the_time() {
    let ends = || drop(thread::spawn(|| thread::sleep(Duration::from_millis(3))));
    for _ in 0..2 {
        thread::spawn(move || {
            loop {
                ends();
                thread::sleep(Duration::from_micros(200));
            }
        });
    }
    writeln!(std::io::stdout(), "ready").unwrap();
    // It is killed.
    thread::sleep(60 * SECOND);
}

#[test]
fn threads_that_are_started_meanwhile_stand_still_too() {
    let target = Target::running("the_process_that_starts_threads_all_the_time");
    if !is_possible(&target) {
        return;
    }
    for round in 0..100 {
        let stop = |seized: Seized| {
            let stopped = seized.stop_all(SECOND)?;
            let states = target.states();
            stopped.resume();
            Ok(states)
        };
        let states = trace(target.pid(), |_| true, stop).unwrap();
        // Some are about to end.
        assert!(states.bytes().all(|state| b"tXZ".contains(&state)), "{round}: {states}");
        assert!(states.len() > 3, "{round}: {states}");
    }
}

#[test]
fn only_those_threads_are_stopped_that_are_wanted() {
    let target = Target::with_threads();
    if !is_possible(&target) {
        return;
    }
    let pid = target.pid();
    let stop = |seized: Seized| {
        let stopped = seized.stop(SECOND)?;
        Ok((stopped.registers(|_| true).len(), target.states()))
    };
    let (count, states) = trace(pid, |thread| thread == pid, stop).unwrap();
    assert_eq!(count, 1);
    assert_eq!(states.matches('t').count(), 1, "{states}");
}

// A Go program hangs forever if a SIGURG is lost, which its runtime preempts with.
#[test]
fn a_signal_that_comes_while_threads_are_stopped_is_handed_on() {
    let mut target = Target::shell();
    if !is_possible(&target) {
        return;
    }
    for (number, name) in [(10, "usr1"), (23, "urg"), (36, "rt")].repeat(20) {
        let stop = |seized: Seized| {
            target.signal(number);
            // It stops at the signal, before it is asked to stop.
            target.waits_until(|target| target.states() == "t");
            let stopped = seized.stop(SECOND)?;
            assert_eq!(stopped.seized.threads[0].state, State::Stopped(number));
            stopped.resume();
            Ok(())
        };
        trace(target.pid(), |_| true, stop).unwrap();
        target.hears(name);
    }
}

// The kernel does the same for a process that is killed as for a thread that ends.
#[test]
fn a_signal_is_handed_on_even_if_the_tracer_is_killed() {
    let mut target = Target::shell();
    if !is_possible(&target) {
        return;
    }
    for (number, name) in [(10, "usr1"), (23, "urg"), (36, "rt")].repeat(20) {
        let stop = |seized: Seized| {
            target.signal(number);
            target.waits_until(|target| target.states() == "t");
            let stopped = seized.stop(SECOND)?;
            assert_eq!(stopped.seized.threads[0].state, State::Stopped(number));
            std::mem::forget(stopped);
            Ok(())
        };
        trace(target.pid(), |_| true, stop).unwrap();
        target.hears(name);
    }
}

#[test]
fn an_error_and_a_panic_let_all_run_on() {
    let mut target = Target::with_threads();
    if !is_possible(&target) {
        return;
    }
    let failed: Result<(), Refusal> = trace(
        target.pid(),
        |_| true,
        |seized| {
            let _stopped = seized.stop(SECOND)?;
            Err(Refusal::Changed)
        },
    );
    assert!(matches!(failed, Err(Refusal::Changed)));
    target.answers("after the error");
    let pid = target.pid();
    let panicked = panic::catch_unwind(|| {
        trace::<()>(
            pid,
            |_| true,
            |seized| {
                let _stopped = seized.stop(SECOND)?;
                panic!("in the middle");
            },
        )
    });
    assert!(panicked.is_err());
    target.answers("after the panic");
    assert!(!target.is_traced());
}

/// The process that the next one stops.
const STOPS: &str = "STACKGAZER_TEST_STOPS";

#[test]
#[ignore = "what another test starts"]
fn the_process_that_stops_another() {
    let pid = std::env::var(STOPS).unwrap().parse().unwrap();
    let mut out = std::io::stdout();
    writeln!(out, "ready").unwrap();
    for _ in std::io::stdin().lines() {
        let stop = |seized: Seized| {
            let _stopped = seized.stop(SECOND)?;
            writeln!(std::io::stdout(), "stopped").unwrap();
            thread::sleep(Duration::from_millis(300));
            Ok(())
        };
        trace(pid, |_| true, stop).unwrap();
        writeln!(out, "released").unwrap();
    }
}

// SIGTSTP is what Ctrl-Z sends, SIGTTIN and SIGTTOU come when a process in the background uses the terminal.
#[test]
fn a_process_runs_on_before_the_one_that_stopped_it_is_suspended() {
    let mut target = Target::with_threads();
    if !is_possible(&target) || [20, 21, 22].into_iter().any(ignored_signals()) {
        return;
    }
    let mut command = program("the_process_that_stops_another");
    // As shells start it.
    command.env(STOPS, target.pid().to_string()).process_group(0);
    let mut tracer = Target::start(&mut command);
    tracer.hears("ready");
    let is_suspended = |tracer: &Target| tracer.states().bytes().all(|state| state == b'T');
    for number in [20, 21, 22] {
        tracer.answers_with("stop", "stopped");
        tracer.signal(number);
        tracer.waits_until(is_suspended);
        assert!(!target.is_traced(), "{number}: {}", target.states());
        target.answers("while the tracer is suspended");
        tracer.signal(18);
        tracer.hears("released");
        // At once if nothing is traced.
        tracer.signal(number);
        tracer.waits_until(is_suspended);
        tracer.signal(18);
    }
    tracer.answers_with("stop", "stopped");
    tracer.hears("released");
}

#[test]
fn a_process_that_its_user_has_stopped_stays_so_until_it_is_continued() {
    let mut target = Target::with_threads();
    if !is_possible(&target) {
        return;
    }
    let is_stopped = |target: &Target| target.states().bytes().all(|state| state == b'T');
    target.signal(19);
    target.waits_until(is_stopped);
    let count =
        trace(target.pid(), |_| true, |seized| Ok(seized.stop(SECOND)?.registers(|_| true).len()));
    assert!(count.unwrap() > SLEEPING);
    target.waits_until(is_stopped);
    target.signal(18);
    target.answers("after the stop");
}

#[test]
fn a_debugger_that_is_there_already_is_named() {
    let target = Target::with_threads();
    if !is_possible(&target) {
        return;
    }
    let pid = target.pid();
    let twice = |_: Seized| trace(pid, |_| true, |_| Ok(()));
    let refused = trace(pid, |_| true, twice);
    let itself = std::process::id();
    assert!(matches!(refused, Err(Refusal::Traced(by)) if by == itself), "{refused:?}");
}

#[test]
fn a_process_that_ended_is_gone() {
    let mut target = Target::with_threads();
    if !is_possible(&target) {
        return;
    }
    let pid = target.pid();
    let stopped = trace(
        pid,
        |_| true,
        |seized| {
            target.signal(9);
            thread::sleep(Duration::from_millis(20));
            Ok(seized.stop(SECOND)?.registers(|_| true).len())
        },
    );
    assert_eq!(stopped.unwrap(), 0);
    let _ = target.child.wait();
    let refused = trace(pid, |_| true, |_| Ok(()));
    assert!(matches!(refused, Err(Refusal::Gone)), "{refused:?}");
}

// `vfork`: the parent is suspended in the kernel until the child runs another program.
#[test]
fn a_thread_that_does_not_stop_is_named_and_the_others_run_on() {
    let folder = tempfile::tempdir().unwrap();
    let [source, program] = ["a.c", "a"].map(|name| folder.path().join(name));
    let text = "#include <unistd.h>\nint main(void) { write(1, \"ready\\n\", 6);\n\
                if (vfork() == 0) { usleep(500000); _exit(0); } write(1, \"done\\n\", 5); pause(); }\n";
    fs::write(&source, text).unwrap();
    let compiled = Command::new("cc").arg("-o").args([&program, &source]).status();
    if !compiled.is_ok_and(|status| status.success()) {
        #[expect(clippy::print_stderr, reason = "whoever runs the tests has to know")]
        {
            eprintln!("skipped: no C compiler");
        }
        return;
    }
    let mut target = Target::start(&mut Command::new(&program));
    target.hears("ready");
    target.waits_until(|target| target.states() == "D");
    let timeout = Duration::from_millis(20);
    let stopped = trace(target.pid(), |_| true, |seized| seized.stop(timeout).map(drop));
    if matches!(stopped, Err(Refusal::Stopping)) {
        return;
    }
    let (named, pid) = (target.pid(), target.pid());
    assert!(
        matches!(stopped, Err(Refusal::Unstoppable { thread, state: 'D', .. }) if thread == named),
        "{stopped:?}"
    );
    target.waits_until(|target| !target.is_traced());
    target.hears("done");
    let registers =
        trace(pid, |_| true, |seized| Ok(seized.stop(SECOND)?.registers(|_| true).len()));
    assert_eq!(registers.unwrap(), 1);
}

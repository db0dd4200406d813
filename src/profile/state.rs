//! States of goroutines, found from their frames.
//!
//! Count profiles and protos print no state; text dumps print `semacquire` for several things.

use super::Kind;
use super::flag::cut_decoration;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::sync::LazyLock;

/// What a frame shows if only parking frames of the runtime come before it.
#[derive(Clone, Copy)]
enum FrameState {
    /// The goroutine is parked; the next frame shows why.
    Parked,
    /// This state, unless the next frame shows a more exact one.
    AtLeast(&'static str),
    /// This state.
    State(&'static str),
}
use FrameState::{AtLeast, Parked, State};

/// Functions that park a goroutine, with the reason they give to `gopark` (Go 1.19 to 1.27).
///
/// Nil channels are missing: blocking on them is in the same functions, on another line.
const WAITS: &[(&str, FrameState)] = &[
    ("runtime.gopark", Parked),
    ("runtime.goparkunlock", Parked),
    ("runtime.chanrecv", State("chan receive")),
    ("runtime.chanrecv1", State("chan receive")),
    ("runtime.chanrecv2", State("chan receive")),
    ("runtime.chansend", State("chan send")),
    ("runtime.chansend1", State("chan send")),
    ("runtime.selectgo", State("select")),
    ("runtime.block", State("select (no cases)")),
    ("runtime.semacquire", AtLeast("semacquire")),
    ("runtime.semacquire1", AtLeast("semacquire")),
    ("sync.runtime_Semacquire", State("semacquire")),
    ("internal/poll.runtime_Semacquire", State("semacquire")),
    ("sync.runtime_SemacquireWaitGroup", State("sync.WaitGroup.Wait")),
    ("sync.runtime_SemacquireMutex", State(MUTEX)),
    ("internal/sync.runtime_SemacquireMutex", State(MUTEX)),
    ("sync.runtime_SemacquireRWMutexR", State("sync.RWMutex.RLock")),
    ("sync.runtime_SemacquireRWMutex", State("sync.RWMutex.Lock")),
    ("sync.runtime_notifyListWait", State("sync.Cond.Wait")),
    ("runtime.netpollblock", State("IO wait")),
    ("internal/poll.runtime_pollWait", State("IO wait")),
    ("internal/poll.runtime_pollWaitCanceled", State("IO wait")),
    ("time.Sleep", State("sleep")),
    ("runtime.notetsleepg", State("syscall")),
    ("runtime.sigNoteSleep", State("syscall")),
    ("runtime.cgocall", State("syscall")),
    ("os/signal.signal_recv", State("syscall")),
    ("runtime.coroswitch", State("coroutine")),
    ("runtime.corostart", State("coroutine")),
    ("internal/synctest.Run", State("synctest.Run")),
    ("internal/synctest.Wait", State("synctest.Wait")),
    ("runtime.stopTheWorld", State("stopping the world")),
    ("runtime.gcBgMarkWorker", State("GC worker (idle)")),
    ("runtime.gcParkAssist", State("GC assist wait")),
    ("runtime.gcWaitOnMark", State("wait for GC cycle")),
    ("runtime.gcParkStrongFromWeak", State("GC weak to strong wait")),
    ("runtime.bgsweep", State("GC sweep wait")),
    ("runtime.bgscavenge", State("GC scavenge wait")),
    ("runtime.(*scavengerState).park", State("GC scavenge wait")),
    ("runtime.(*scavengerState).sleep", State("sleep")),
    ("runtime.forcegchelper", State("force gc (idle)")),
    ("runtime.runfinq", State("finalizer wait")),
    ("runtime.runFinalizers", State("finalizer wait")),
    ("runtime.runCleanups", State("cleanup wait")),
    ("runtime.(*cleanupQueue).dequeue", State("cleanup wait")),
    ("runtime.updateMaxProcsGoroutine", State("GOMAXPROCS updater (idle)")),
    // The goroutine that writes the profile: each version hides the frames up to one of these.
    ("runtime.goroutineProfileWithLabels", State("running")),
    ("runtime.goroutineProfileWithLabelsConcurrent", State("running")),
    ("runtime.pprof_goroutineProfileWithLabels", State("running")),
    ("runtime.pprof_goroutineLeakProfileWithLabels", State("running")),
    ("runtime/pprof.runtime_goroutineProfileWithLabels", State("running")),
    ("runtime/pprof.writeRuntimeProfile", State("running")),
    ("runtime/pprof.writeGoroutine", State("running")),
];

/// Built once: it is used for every record of a count profile, and nearly always finds nothing.
static WAITS_BY_NAME: LazyLock<HashMap<&[u8], FrameState, FixedState>> = LazyLock::new(|| {
    WAITS.iter().map(|(name, frame_state)| (name.as_bytes(), *frame_state)).collect()
});

const MUTEX: &str = "sync.Mutex.Lock";

/// Packages whose functions are system calls.
const SYSCALL_PACKAGES: [&[u8]; 2] = [b"internal/runtime/syscall", b"runtime/internal/syscall"];

/// The state that Go would have printed for a goroutine with these functions, leaf first.
///
/// Only the innermost frames count. `None` if they don't show a state: code that is running or
/// runnable, and formats that hide what parked it (a channel in debug=1 text).
pub fn state_of_frames<'a>(
    mut functions: impl Iterator<Item = &'a [u8]> + Clone,
) -> Option<&'static [u8]> {
    let mut at_least = None;
    while let Some(function) = functions.next() {
        match frame_state(function) {
            Some(Parked) => {}
            Some(AtLeast(state)) => at_least = Some(state),
            // Up to Go 1.19 RWMutex used the function of Mutex, and the state was `semacquire` for
            // both.
            Some(State(MUTEX)) if functions.next().is_some_and(is_rwmutex) => {
                return Some(b"semacquire");
            }
            Some(State(state)) => return Some(state.as_bytes()),
            None => break,
        }
    }
    at_least.map(str::as_bytes)
}

/// Whether a function shows no state as a leaf: [`state_of_frames`] is `None` then, whatever the
/// callers are.
pub(super) fn shows_no_state(function: &[u8]) -> bool {
    frame_state(function).is_none()
}

fn is_rwmutex(function: &[u8]) -> bool {
    function.starts_with(b"sync.(*RWMutex).")
}

fn frame_state(function: &[u8]) -> Option<FrameState> {
    if let Some(frame_state) = WAITS_BY_NAME.get(function) {
        return Some(*frame_state);
    }
    is_syscall(function).then_some(State("syscall"))
}

/// `syscall.Syscall6`, `internal/runtime/syscall/linux.Syscall6`, `main._Cfunc_sleep`, ...
fn is_syscall(function: &[u8]) -> bool {
    if let Some(name) = function.strip_prefix(b"syscall.") {
        let name = name.strip_prefix(b"raw").or(name.strip_prefix(b"Raw")).unwrap_or(name);
        let name = name.get(..7).unwrap_or_default();
        return name.eq_ignore_ascii_case(b"syscall");
    }
    let in_package = SYSCALL_PACKAGES.iter().any(|package| {
        function
            .strip_prefix(*package)
            .is_some_and(|rest| rest.starts_with(b".") || rest.starts_with(b"/"))
    });
    let name = memchr::memrchr(b'.', function).map_or(function, |dot| &function[dot + 1..]);
    in_package || name.starts_with(b"_Cfunc_") || name.starts_with(b"_C2func_")
}

/// The kinds of the states, wait reasons and statuses of Go 1.19 to 1.27, by the text printed.
///
/// Anything that starts with `GC ` is [`Kind::Gc`]; the frames refine `semacquire`.
const STATE_KINDS: &[(&str, Kind)] = &[
    ("IO wait", Kind::Io),
    ("chan receive", Kind::ChanRecv),
    ("chan send", Kind::ChanSend),
    ("select", Kind::Select),
    ("semacquire", Kind::Sema),
    ("running", Kind::Running),
    ("runnable", Kind::Runnable),
    ("syscall", Kind::Syscall),
    ("sleep", Kind::Sleep),
    ("sync.Cond.Wait", Kind::Cond),
    ("sync.Mutex.Lock", Kind::Mutex),
    ("sync.RWMutex.RLock", Kind::RwMutexR),
    ("sync.RWMutex.Lock", Kind::RwMutexW),
    ("sync.WaitGroup.Wait", Kind::WaitGroup),
    ("chan receive (nil chan)", Kind::NilChan),
    ("chan send (nil chan)", Kind::NilChan),
    ("select (no cases)", Kind::EmptySelect),
    ("waiting for cgo callback", Kind::Syscall),
    ("copystack", Kind::Running),
    ("force gc (idle)", Kind::Gc),
    ("garbage collection", Kind::Gc),
    ("garbage collection scan", Kind::Gc),
    ("wait for GC cycle", Kind::Gc),
    ("GOMAXPROCS updater (idle)", Kind::Runtime),
    ("cleanup wait", Kind::Runtime),
    ("coroutine", Kind::Runtime),
    ("dead", Kind::Runtime),
    ("debug call", Kind::Runtime),
    ("dumping heap", Kind::Runtime),
    ("finalizer wait", Kind::Runtime),
    ("flushing proc caches", Kind::Runtime),
    ("idle", Kind::Runtime),
    ("page trace flush", Kind::Runtime),
    ("panicwait", Kind::Runtime),
    ("preempted", Kind::Runtime),
    ("stopping the world", Kind::Runtime),
    ("synctest.Run", Kind::Runtime),
    ("synctest.Wait", Kind::Runtime),
    ("timer goroutine (idle)", Kind::Runtime),
    ("trace goroutine status", Kind::Runtime),
    ("trace proc status", Kind::Runtime),
    ("trace reader (blocked)", Kind::Runtime),
];

/// The kind of a printed state; the functions, leaf first, show what a `semacquire` waits for.
pub fn kind_of<'a>(state: &[u8], functions: impl Iterator<Item = &'a [u8]> + Clone) -> Kind {
    let mut state = state;
    while let Some((bare, _)) = cut_decoration(state) {
        state = bare;
    }
    if state.starts_with(b"GC ") {
        return Kind::Gc;
    }
    match STATE_KINDS.iter().find(|(text, _)| text.as_bytes() == state) {
        Some((_, Kind::Sema)) => semaphore_kind(functions),
        Some((_, kind)) => *kind,
        None => Kind::Unknown,
    }
}

/// Methods of `sync` that wait for a semaphore.
const LOCKS: &[(&str, Kind)] = &[
    ("sync.(*WaitGroup).", Kind::WaitGroup),
    ("sync.(*RWMutex).RLock", Kind::RwMutexR),
    ("sync.(*RWMutex).", Kind::RwMutexW),
    ("sync.(*Mutex).", Kind::Mutex),
    ("internal/sync.(*Mutex).", Kind::Mutex),
    ("sync.(*Cond).", Kind::Cond),
];

/// What a `semacquire` waits for, judged by the innermost frame outside the runtime.
fn semaphore_kind<'a>(functions: impl Iterator<Item = &'a [u8]>) -> Kind {
    let inside = |function: &&[u8]| {
        function.starts_with(b"runtime.")
            || function.starts_with(b"sync.runtime_")
            || function.starts_with(b"internal/sync.runtime_")
    };
    let Some(caller) = { functions }.find(|function| !inside(function)) else {
        return Kind::Sema;
    };
    let known = LOCKS.iter().find(|(prefix, _)| caller.starts_with(prefix.as_bytes()));
    known.map_or(Kind::Sema, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(functions: &[&str]) -> Option<String> {
        state_of_frames(functions.iter().map(|function| function.as_bytes()))
            .map(|state| String::from_utf8_lossy(state).into_owned())
    }

    fn kind(state: &str, functions: &[&str]) -> Kind {
        kind_of(state.as_bytes(), functions.iter().map(|function| function.as_bytes()))
    }

    #[test]
    fn parking_frames_are_passed_over() {
        assert_eq!(
            state(&["runtime.gopark", "runtime.chanrecv", "runtime.chanrecv1", "main.f"])
                .as_deref(),
            Some("chan receive")
        );
        assert_eq!(
            state(&[
                "runtime.gopark",
                "runtime.goparkunlock",
                "runtime.semacquire1",
                "sync.runtime_SemacquireWaitGroup",
                "sync.(*WaitGroup).Wait"
            ])
            .as_deref(),
            Some("sync.WaitGroup.Wait")
        );
        assert_eq!(
            state(&["runtime.gopark", "runtime.block", "main.main"]).as_deref(),
            Some("select (no cases)")
        );
    }

    #[test]
    fn a_semaphore_of_nobody_known_is_semacquire() {
        let frames = ["runtime.gopark", "runtime.semacquire1", "runtime.semacquire", "main.f"];
        assert_eq!(state(&frames).as_deref(), Some("semacquire"));
    }

    #[test]
    fn frames_as_debug_1_shows_them_tell_too() {
        assert_eq!(state(&["internal/poll.runtime_pollWait"]).as_deref(), Some("IO wait"));
        assert_eq!(state(&["time.Sleep", "main.f"]).as_deref(), Some("sleep"));
        assert_eq!(state(&["main._Cfunc_sleep", "main.f"]).as_deref(), Some("syscall"));
    }

    #[test]
    fn only_the_innermost_frames_count() {
        assert_eq!(state(&["main.f", "sync.runtime_Semacquire", "main.g"]), None);
        assert_eq!(state(&["runtime.gopark", "main.f", "runtime.chanrecv"]), None);
        assert_eq!(state(&[]), None);
        assert!(shows_no_state(b"main.f") && !shows_no_state(b"runtime.gopark"));
    }

    #[test]
    fn go_1_19_has_one_semaphore_function_for_both_mutexes() {
        let read_lock = ["sync.runtime_SemacquireMutex", "sync.(*RWMutex).RLock", "main.f"];
        assert_eq!(state(&read_lock).as_deref(), Some("semacquire"));
        assert_eq!(kind("semacquire", &read_lock), Kind::RwMutexR);
        let lock = ["sync.runtime_SemacquireMutex", "sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock"];
        assert_eq!(state(&lock).as_deref(), Some("sync.Mutex.Lock"));
        assert_eq!(kind("semacquire", &lock), Kind::Mutex);
    }

    #[test]
    fn system_calls_are_told_by_package_and_name() {
        for leaf in [
            "syscall.Syscall",
            "syscall.RawSyscall6",
            "syscall.rawSyscallNoError",
            "internal/runtime/syscall.Syscall6",
            "internal/runtime/syscall/linux.Syscall6",
            "runtime/internal/syscall.EpollWait",
            "runtime.cgocall",
        ] {
            assert_eq!(state(&[leaf, "main.f"]).as_deref(), Some("syscall"), "{leaf}");
        }
        for leaf in ["syscall.Read", "syscall.raw", "example.com/syscall.Syscall", "main.syscall"] {
            assert_eq!(state(&[leaf, "main.f"]), None, "{leaf}");
        }
    }

    #[test]
    fn kinds_don_t_change_from_version_to_version() {
        assert_eq!(
            kind("semacquire", &["sync.runtime_Semacquire", "sync.(*WaitGroup).Wait"]),
            Kind::WaitGroup
        );
        assert_eq!(kind("sync.WaitGroup.Wait", &[]), Kind::WaitGroup);
        assert_eq!(
            kind("semacquire", &["sync.runtime_SemacquireMutex", "sync.(*RWMutex).Lock"]),
            Kind::RwMutexW
        );
        assert_eq!(kind("semacquire", &["internal/poll.runtime_Semacquire", "main.f"]), Kind::Sema);
        assert_eq!(kind("semacquire", &[]), Kind::Sema);
    }

    #[test]
    fn decorations_don_t_hide_the_kind() {
        assert_eq!(kind("select (no cases) (durable)", &[]), Kind::EmptySelect);
        assert_eq!(kind("chan receive (synctest)", &[]), Kind::ChanRecv);
        assert_eq!(kind("chan send (nil chan) (leaked)", &[]), Kind::NilChan);
        assert_eq!(kind("sync.Mutex.Lock (leaked) (scan)", &[]), Kind::Mutex);
    }

    #[test]
    fn every_reason_has_a_kind_and_others_have_none() {
        assert_eq!(kind("GC worker (idle)", &[]), Kind::Gc);
        assert_eq!(kind("stopping the world", &[]), Kind::Runtime);
        for unknown in ["", "???", "waiting", "unknown wait reason", "Select"] {
            assert_eq!(kind(unknown, &[]), Kind::Unknown, "{unknown}");
        }
    }
}

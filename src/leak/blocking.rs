//! What a stack says about its goroutine: which role it has in leaks, and whether it waits for others.

use crate::profile::{Kind, Profile, SampleKey, flag};

/// What a goroutine is for, as far as leaks are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Anything that can leak.
    Ordinary,
    /// The goroutine of `main.main`: it may block for ever, the program ends with it.
    Main,
    /// The goroutine that wrote the dump.
    Writer,
    /// Not a goroutine of the program.
    System,
}

/// Functions that write dumps; a goroutine that runs one exists because of the dump.
const WRITERS: [&[u8]; 6] = [
    b"runtime.Stack",
    b"runtime/debug.Stack",
    b"runtime/pprof.writeGoroutineStacks",
    b"runtime/pprof.writeGoroutine",
    b"runtime/pprof.writeGoroutineLeak",
    b"runtime/pprof.writeRuntimeProfile",
];

pub(super) fn role(profile: &Profile, key: &SampleKey) -> Role {
    if profile.has_flag(key.flags, flag::SYSTEM) {
        return Role::System;
    }
    let mut writes = false;
    // In protos, `runtime.main` may only be in the full stack, with the frames of the runtime.
    for &frame in profile.stack(key.full) {
        match profile.func(frame) {
            b"main.main" | b"runtime.main" => return Role::Main,
            name => writes |= WRITERS.contains(&name) || name.starts_with(b"net/http/pprof."),
        }
    }
    let runs = matches!(key.kind, Kind::Running | Kind::Runnable | Kind::Syscall | Kind::Unknown);
    if writes && runs { Role::Writer } else { Role::Ordinary }
}

/// Whether goroutines of this kind wait for other goroutines: leaks consist of those. The network,
/// timers and system calls end by themselves, or are waited for by design.
pub(super) fn waits_for_others(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ChanRecv
            | Kind::ChanSend
            | Kind::Select
            | Kind::Mutex
            | Kind::RwMutexR
            | Kind::RwMutexW
            | Kind::Cond
            | Kind::WaitGroup
            | Kind::Sema
            | Kind::NilChan
            | Kind::EmptySelect
    )
}

/// Whether a goroutine of this kind is neither blocked nor known to be: its kind doesn't show what it
/// does most of the time.
pub(super) fn is_passing(kind: Kind) -> bool {
    matches!(kind, Kind::Running | Kind::Runnable | Kind::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G};

    fn fixture(state: &str, frames: &[&str]) -> Profile {
        let mut fixture = Fixture::new("n1");
        fixture.add(G { id: 7, state, frames, ..G::default() });
        fixture.done().0
    }

    #[test]
    fn main_and_the_writer_of_the_dump_are_told_apart() {
        let role = |state, frames: &[&str]| {
            let profile = fixture(state, frames);
            role(&profile, &profile.samples[0].key)
        };
        assert_eq!(role("select (no cases)", &["kv.run", "main.main"]), Role::Main);
        assert_eq!(role("running", &["runtime/debug.Stack", "kv.TestX"]), Role::Writer);
        let frames = ["runtime/pprof.writeGoroutineStacks", "runtime/pprof.writeGoroutine", "kv.f"];
        assert_eq!(role("running", &frames), Role::Writer);
        assert_eq!(role("select", &["runtime/debug.Stack", "kv.TestX"]), Role::Ordinary);
        assert_eq!(role("running", &["kv.TestX"]), Role::Ordinary);
    }
}

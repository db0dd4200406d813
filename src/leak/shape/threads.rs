//! Goroutines that each hold a thread of the system.

use super::notes;
use crate::leak::check::{Check, a_dump, goroutines};
use crate::leak::context::{Context, Group, Member};
use crate::leak::finding::{FindingBuilder, Tier};
use crate::profile::{Kind, flag};

pub(in crate::leak) const CHECK: Check = Check {
    name: "thread-pile",
    tier: Tier::Shape,
    about: "many goroutines that each hold a thread: locked to it, in C, or in a system call",
    explanation: "\
A goroutine that called runtime.LockOSThread, that is in C code or in a system call keeps a thread of
the operating system to itself; Go ends the program at 10,000. Noted are 100 or more of a process at
one place. Files, pipes and name look-ups that block, and C libraries, are the usual reasons.",
    needs: a_dump,
    run,
};

const THREADS: i64 = 100;

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let holds = |group: &Group, member: &Member| {
        let flags = context.key(member).flags;
        group.kind == Kind::Syscall || context.profile.has_flag(flags, flag::LOCKED)
    };
    notes(context, &CHECK, THREADS, None, holds, |count, called| {
        format!("{} of {called} each hold a thread of the system", goroutines(count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    #[test]
    fn a_hundred_threads_at_one_place_are_noted() {
        let found = |count, state| {
            let mut stage = Stage::new(1);
            stage.at(0).count(count, G { state, ..G::default() });
            stage.findings(CHECK.name).len()
        };
        assert_eq!((found(100, "syscall"), found(99, "syscall"), found(100, "select")), (1, 0, 0));
    }
}

//! How likely a goroutine holds a lock, judging by its stack.

use super::is_lock;
use super::pile::Pile;
use crate::profile::{FrameId, Kind, Profile, Sample, SampleId};
use crate::view::frames::finder::FrameFinder;
use memchr::memmem;

/// How likely a goroutine holds the lock of a pile, the likeliest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Likelihood {
    /// In the function that the others wait in, on a line after their call.
    PastTheLock,
    /// Somewhere else.
    Elsewhere,
    /// It waits for work, so it hardly holds anything.
    Idle,
    /// It can't hold what the others wait for.
    Impossible,
}

impl Likelihood {
    pub(super) fn of(
        profile: &Profile,
        frames: &FrameFinder<'_>,
        pile: &Pile,
        only_readers_wait: bool,
        id: SampleId,
    ) -> Likelihood {
        let key = &profile.sample(id).key;
        let stack = profile.stack(key.stack);
        // `Cond.Wait` gives its lock back while it waits.
        if key.kind == Kind::Cond {
            return Likelihood::Impossible;
        }
        let lock_call = profile.frame(pile.place);
        let mut in_same_function =
            stack.iter().map(|&at| profile.frame(at)).filter(|at| at.func == lock_call.func);
        if in_same_function.clone().any(|at| at.file == lock_call.file && at.line > lock_call.line)
        {
            // Readers don't block readers.
            return if only_readers_wait {
                Likelihood::Impossible
            } else {
                Likelihood::PastTheLock
            };
        }
        if is_lock(key.kind) {
            // It waits for another lock, and may have taken this one anywhere before.
            return if only_readers_wait && in_same_function.next().is_some() {
                Likelihood::Impossible
            } else {
                Likelihood::Elsewhere
            };
        }
        if in_same_function.next().is_some() {
            // It is in the function, but not yet at the lock.
            return Likelihood::Impossible;
        }
        match is_idle(profile, frames, id) {
            true => Likelihood::Idle,
            false => Likelihood::Elsewhere,
        }
    }
}

/// Whether the goroutines of a sample will soon continue by themselves.
pub fn continues_soon(profile: &Profile, sample: SampleId) -> bool {
    let Sample { key, waits, .. } = profile.sample(sample);
    let is_young = waits.range().is_some_and(|(_, longest)| longest < 1.0);
    match key.kind {
        Kind::Running | Kind::Runnable | Kind::Gc | Kind::Runtime => true,
        Kind::Sleep => is_young,
        // It waits for a semaphore of the runtime (to stop the world, for instance), not of `sync`.
        Kind::Sema => {
            let function = |frame: &FrameId| profile.func(*frame);
            let waits = |frame| memmem::find(function(frame), b".runtime_Semacquire").is_some();
            is_young && !profile.stack(key.stack).iter().any(waits)
        }
        _ => false,
    }
}

/// Whether the goroutines of a sample seem to wait for work: in a select, or for a message in the
/// function that they were started with.
pub(super) fn is_idle(profile: &Profile, frames: &FrameFinder<'_>, id: SampleId) -> bool {
    let key = &profile.sample(id).key;
    match key.kind {
        Kind::Select => true,
        Kind::ChanRecv => profile.stack(key.stack).last() == frames.blocking(key.stack).as_ref(),
        _ => false,
    }
}

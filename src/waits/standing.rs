//! What a stack tells of whether it holds a lock.

use super::is_lock;
use super::pile::Pile;
use crate::profile::{FrameId, Kind, Profile, Sample, SampleId};
use crate::view::frames::finder::FrameFinder;
use memchr::memmem;

/// Where a goroutine stands that may hold a lock, the most telling first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Standing {
    /// In the function that the others wait in, behind the line of their call.
    Past,
    /// Somewhere else.
    Elsewhere,
    /// In what idle goroutines do all day: it hardly holds anything.
    Idle,
    /// Where it can't hold what the others wait for.
    Free,
}

impl Standing {
    pub(super) fn of(
        profile: &Profile,
        frames: &FrameFinder<'_>,
        pile: &Pile,
        is_read: bool,
        id: SampleId,
    ) -> Standing {
        let key = &profile.sample(id).key;
        let stack = profile.stack(key.stack);
        // It has given its lock back while it waits, and waits for what has a lock of its own.
        if key.kind == Kind::Cond {
            return Standing::Free;
        }
        let waits = profile.frame(pile.place);
        let mut there =
            stack.iter().map(|&at| profile.frame(at)).filter(|at| at.func == waits.func);
        if there.clone().any(|at| at.file == waits.file && at.line > waits.line) {
            // Readers don't keep readers out.
            return if is_read { Standing::Free } else { Standing::Past };
        }
        if is_lock(key.kind) {
            // It may have taken this lock, wherever that was, before it waits for the other one.
            return if is_read && there.next().is_some() {
                Standing::Free
            } else {
                Standing::Elsewhere
            };
        }
        if there.next().is_some() {
            // It hasn't come to the lock.
            return Standing::Free;
        }
        match is_idle(profile, frames, id) {
            true => Standing::Idle,
            false => Standing::Elsewhere,
        }
    }
}

/// Whether goroutines of a sample go on without anybody's help, and soon.
pub fn goes_on(profile: &Profile, sample: SampleId) -> bool {
    let Sample { key, waits, .. } = profile.sample(sample);
    let is_young = waits.range().is_some_and(|(_, longest)| longest < 1.0);
    match key.kind {
        Kind::Running | Kind::Runnable | Kind::Gc | Kind::Runtime => true,
        Kind::Sleep => is_young,
        // In the middle of its work: the runtime stops the world.
        Kind::Sema => {
            let function = |frame: &FrameId| profile.str(profile.frame(*frame).func);
            let waits = |frame| memmem::find(function(frame), b".runtime_Semacquire").is_some();
            is_young && !profile.stack(key.stack).iter().any(waits)
        }
        _ => false,
    }
}

/// Whether goroutines stand like this that wait for work: in a select, or in the function that they
/// were started with, for the next message.
pub(super) fn is_idle(profile: &Profile, frames: &FrameFinder<'_>, id: SampleId) -> bool {
    let key = &profile.sample(id).key;
    match key.kind {
        Kind::Select => true,
        Kind::ChanRecv => profile.stack(key.stack).last() == frames.blocking(key.stack).as_ref(),
        _ => false,
    }
}

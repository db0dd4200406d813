//! All goroutines as they are at one moment: what is copied of them while their process stands still.

use super::capture::Target;
use super::copied::{CopiedMemory, room};
use super::error::Refusal;
use super::labels;
use super::layout::Status;
use super::locate;
use super::memory::{Memory, Piece};
use super::sudog::{self, Waiter};
use std::collections::BTreeSet;
use std::time::Instant;

impl<'a, M: Memory> Target<'a, M> {
    /// An empty copy that has room for all goroutines that there are now, and for some more; and where it
    /// stands what these wait for.
    pub(super) fn prepare(&self) -> Result<(CopiedMemory, Vec<Piece>), Refusal> {
        let list = locate::list(self.memory, self.list).ok_or_else(|| self.changed())?;
        let addresses = locate::addresses(self.memory, self.list).ok_or_else(|| self.changed())?;
        let Needed { stacks, threads, waiters, .. } = self.needed(self.memory, &addresses);
        let threads = threads.into_iter().map(|m| self.machine(m)).collect();
        let sudogs = sudog::find(self.memory, &self.layout, &waiters).concat();
        let sudogs: Vec<Piece> = sudog::pieces(&self.layout, &sudogs).collect();
        let parts = [vec![list], self.goroutines(&addresses), stacks, threads, sudogs.clone()];
        let size = parts.map(room).into_iter().fold(SPARE, usize::saturating_add);
        Ok((CopiedMemory::with_room(size.saturating_add(size / 4))?, sudogs))
    }

    /// Copies all goroutines of a process that stands still, and what is told of them: what they wait for
    /// from where it stood before, too, as up to Go 1.25 nothing leads to locks but words of stacks. Tells
    /// which threads (`runtime.m`) run one.
    pub(super) fn copy(
        &self,
        copy: &mut CopiedMemory,
        sudogs: Vec<Piece>,
        until: Instant,
    ) -> Result<BTreeSet<u64>, Refusal> {
        let memory = self.memory;
        copy.add(memory, vec![locate::list_header(self.list)], until)?;
        let list = locate::list(copy, self.list).ok_or_else(|| self.changed())?;
        copy.add(memory, vec![list], until)?;
        let addresses = locate::addresses(copy, self.list).ok_or_else(|| self.changed())?;
        copy.add(memory, self.goroutines(&addresses), until)?;
        let needed = self.needed(copy, &addresses);
        copy.add(memory, needed.stacks, until)?;
        let threads = needed.threads.into_iter().map(|m| self.machine(m));
        copy.add(memory, threads.collect(), until)?;
        copy.add(memory, sudogs, until)?;
        let layout = self.layout;
        copy.add_asked(memory, until, |copy| {
            for &bubble in &needed.bubbles {
                layout.bubble_id(copy, bubble);
            }
            for &set in &needed.labels {
                labels::read(copy, &layout, set);
            }
            sudog::find_linked(copy, &layout, &needed.waiters);
        })?;
        Ok(needed.running)
    }

    /// The process as a copy has it.
    pub(super) fn in_copy<'c>(&'c self, memory: &'c CopiedMemory) -> Target<'c, CopiedMemory> {
        Target {
            memory,
            binary: self.binary,
            slide: self.slide,
            layout: self.layout.at_rest(),
            list: self.list,
            wait_reasons: self.wait_reasons.clone(),
            labels_shown: self.labels_shown,
            wanted: self.wanted,
        }
    }

    fn goroutines(&self, addresses: &[u64]) -> Vec<Piece> {
        addresses.iter().map(|&address| Piece { address, len: self.layout.size }).collect()
    }

    fn machine(&self, address: u64) -> Piece {
        Piece { address, len: self.layout.machine_size() }
    }

    /// What else is needed of these goroutines.
    fn needed(&self, memory: &impl Memory, addresses: &[u64]) -> Needed {
        let layout = self.layout.at_rest();
        let mut needed = Needed::default();
        locate::each(memory, addresses, layout.size, |at, bytes| {
            let address = addresses.get(at).copied().unwrap_or_default();
            let it = layout.parse(address, bytes);
            let it = it.filter(|it| it.is_plausible() && it.status != Status::Dead);
            let Some(it) = it else { return };
            needed.stacks.push(it.stack_piece());
            needed.waiters.extend(Waiter::of(&it, &self.wait_reasons));
            if it.m != 0 {
                needed.threads.insert(it.m);
                if !it.status.is_parked() {
                    needed.running.insert(it.m);
                }
            }
            if it.labels != 0 && self.labels_shown {
                needed.labels.insert(it.labels);
            }
            if it.bubble != 0 {
                needed.bubbles.insert(it.bubble);
            }
        });
        needed
    }
}

/// Bytes of labels and of what has come since.
const SPARE: usize = 1 << 20;

/// What is needed beside the goroutines themselves.
#[derive(Default)]
struct Needed {
    stacks: Vec<Piece>,
    waiters: Vec<Waiter>,
    /// `runtime.m` of those that are on a thread ...
    threads: BTreeSet<u64>,
    /// ... and of those that run.
    running: BTreeSet<u64>,
    labels: BTreeSet<u64>,
    bubbles: BTreeSet<u64>,
}

//! Copies everything that is needed of all goroutines while their process is stopped.

use super::capture::Target;
use super::copied::{CopiedMemory, bytes_needed};
use super::error::Refusal;
use super::labels;
use super::layout::Status;
use super::locate;
use super::memory::{Memory, Piece};
use super::sudog::{self, Waiter};
use std::collections::BTreeSet;
use std::time::Instant;

impl<'a, M: Memory> Target<'a, M> {
    /// Returns an empty copy with room for all present goroutines and some more, and the pieces that say
    /// what they wait for (`sudog`s).
    pub(super) fn prepare(&self) -> Result<(CopiedMemory, Vec<Piece>), Refusal> {
        let list = locate::list(self.memory, self.list).ok_or_else(|| self.changed())?;
        let all = locate::addresses(self.memory, self.list).ok_or_else(|| self.changed())?;
        let addresses = all.addresses;
        let Needed { stacks, threads, waiters, .. } = self.needed(self.memory, &addresses);
        let threads = threads.into_iter().map(|m| self.machine(m)).collect();
        let sudogs = sudog::find(self.memory, &self.layout, &waiters).concat();
        let sudogs: Vec<Piece> = sudog::pieces(&self.layout, &sudogs).collect();
        let parts = [list.to_vec(), self.goroutines(&addresses), stacks, threads, sudogs.clone()];
        let size = parts.map(bytes_needed).into_iter().fold(SPARE, usize::saturating_add);
        Ok((CopiedMemory::with_room(size.saturating_add(size / 4))?, sudogs))
    }

    /// Copies all goroutines of a stopped process, and everything that is printed about them; also
    /// `sudogs`, from before it was stopped, as up to Go 1.25 only words of stacks lead to those of locks.
    /// Returns the threads (`runtime.m`) that run a goroutine.
    pub(super) fn copy(
        &self,
        copy: &mut CopiedMemory,
        sudogs: Vec<Piece>,
        until: Instant,
    ) -> Result<BTreeSet<u64>, Refusal> {
        let memory = self.memory;
        copy.add(memory, vec![locate::list_header(self.list)], until)?;
        let list = locate::list(copy, self.list).ok_or_else(|| self.changed())?;
        for part in list {
            copy.add(memory, vec![part], until)?;
        }
        let all = locate::addresses(copy, self.list).ok_or_else(|| self.changed())?;
        let addresses = all.addresses;
        copy.add(memory, self.goroutines(&addresses), until)?;
        let needed = self.needed(copy, &addresses);
        copy.add(memory, needed.stacks, until)?;
        let threads = needed.threads.into_iter().map(|m| self.machine(m));
        copy.add(memory, threads.collect(), until)?;
        copy.add(memory, sudogs, until)?;
        let layout = self.layout;
        copy.add_missing(memory, until, |copy| {
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

    /// The same process, read from a copy.
    pub(super) fn in_copy<'c>(&'c self, memory: &'c CopiedMemory) -> Target<'c, CopiedMemory> {
        Target {
            memory,
            binary: self.binary,
            slide: self.slide,
            layout: self.layout.frozen(),
            list: self.list,
            wait_reasons: self.wait_reasons.clone(),
            labels_shown: self.labels_shown,
            wanted: self.wanted,
            most_text: self.most_text,
        }
    }

    /// The memory of these goroutines' `g`s.
    pub(super) fn goroutines(&self, addresses: &[u64]) -> Vec<Piece> {
        addresses.iter().map(|&address| Piece { address, len: self.layout.size }).collect()
    }

    fn machine(&self, address: u64) -> Piece {
        Piece { address, len: self.layout.machine_size() }
    }

    /// Returns what else is needed to print these goroutines.
    fn needed(&self, memory: &impl Memory, addresses: &[u64]) -> Needed {
        let layout = self.layout.frozen();
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

/// Bytes for labels, and for goroutines that start before the process is stopped.
const SPARE: usize = 1 << 20;

/// What is needed in addition to the `g`s.
#[derive(Default)]
struct Needed {
    stacks: Vec<Piece>,
    waiters: Vec<Waiter>,
    /// `runtime.m` of all goroutines that are on a thread.
    threads: BTreeSet<u64>,
    /// `runtime.m` of those that run.
    running: BTreeSet<u64>,
    labels: BTreeSet<u64>,
    bubbles: BTreeSet<u64>,
}

//! What the memory of a process tells of its goroutines, beside their text.

use super::{Keep, ProfileBuilder};
use crate::limits::LIMITS;
use crate::profile::{Address, Addressed, Captured, InputId, Profile, Wait, WaitRange};
use std::collections::HashMap;

impl ProfileBuilder {
    /// Forgets how long goroutines have been blocked: where that isn't told, saying nothing doesn't mean
    /// that it is short.
    pub fn forget_waits(&mut self) {
        let Profile { samples, goroutines, addresses, .. } = &mut self.profile;
        samples.iter_mut().for_each(|sample| sample.waits = WaitRange::default());
        goroutines.iter_mut().for_each(|goroutine| goroutine.wait = Wait::UNKNOWN);
        addresses.forget_waits();
    }

    /// Takes what the goroutines of the last input wait for in the place of what the arguments of their
    /// calls tell: of one that waits in a `select` nothing, as any of several may go on with it.
    pub fn know_waits(&mut self, captured: &Captured) {
        let Some(last) = self.profile.inputs.len().checked_sub(1) else { return };
        let Keep { addresses: true, .. } = self.keep else { return };
        let input = InputId(super::id(last));
        let known = captured.goroutines.iter().filter_map(|it| match it.waits_on.as_slice() {
            &[one] => Some((it.id, Address::new(one, true, 0)?)),
            _ => None,
        });
        let mut known: HashMap<u64, Address> = known.collect();
        let samples = &self.profile.samples;
        let is_here = |row: &Addressed| samples[row.sample.index()].key.input == input;
        for row in self.profile.addresses.rows_mut().filter(|row| is_here(row)) {
            if let Some(lock) = known.remove(&row.id) {
                (row.lock, row.waits) = (lock, true);
            }
        }
        // Of the others their arguments tell nothing.
        let mut ordinals = vec![0_u32; samples.len()];
        let mut more = Vec::new();
        for (position, goroutine) in self.profile.goroutines.iter().enumerate() {
            let ordinal = &mut ordinals[goroutine.sample.index()];
            let before = *ordinal;
            *ordinal = ordinal.saturating_add(1);
            if samples[goroutine.sample.index()].key.input == input
                && i64::from(before) < i64::from(LIMITS.addressed_waiters)
                && let Some(lock) = known.remove(&goroutine.id)
            {
                more.push(Addressed {
                    id: goroutine.id,
                    sample: goroutine.sample,
                    ordinal: before,
                    wait: goroutine.wait,
                    position: super::id(position),
                    waits: true,
                    lock,
                });
            }
        }
        for row in more {
            self.profile.addresses.push(row, &[]);
        }
    }
}

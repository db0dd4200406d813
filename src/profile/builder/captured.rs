//! Data about goroutines that comes from the memory of their process, not from their text.

use super::{Keep, ProfileBuilder};
use crate::limits::LIMITS;
use crate::profile::values::position;
use crate::profile::{Address, Addressed, Captured, InputId, Profile, Wait, WaitRange};
use std::collections::HashMap;

impl ProfileBuilder {
    /// Forgets how long goroutines have been blocked: if that isn't known, a header without a wait
    /// doesn't mean that the wait is short.
    pub fn forget_waits(&mut self) {
        let Profile { samples, goroutines, addresses, .. } = &mut self.profile;
        samples.iter_mut().for_each(|sample| sample.waits = WaitRange::default());
        goroutines.iter_mut().for_each(|goroutine| goroutine.wait = Wait::UNKNOWN);
        addresses.forget_waits();
    }

    /// Uses the addresses that the goroutines of the last input wait for, in place of those guessed
    /// from the arguments of their calls. A goroutine in a `select` with several cases is left as
    /// it is: any of several may let it go on.
    pub fn use_known_waits(&mut self, captured: &Captured) {
        let Some(last) = self.profile.inputs.len().checked_sub(1) else { return };
        let Keep { addresses: true, .. } = self.keep else { return };
        let input = InputId(position(last));
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
        // The arguments of the remaining goroutines held no addresses, so these have no rows yet.
        let mut ordinals = vec![0_u32; samples.len()];
        let mut more = Vec::new();
        for (at, goroutine) in self.profile.goroutines.iter().enumerate() {
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
                    position: position(at),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{
        CapturedGoroutine, Certainty, FlagsId, Input, InputFormat, LabelsId, NewAddresses,
        NewGoroutine, SampleSpec,
    };

    #[test]
    fn what_is_known_takes_the_place_of_arguments_and_of_nothing() {
        let keep = Keep { goroutines: true, addresses: true, ..Keep::default() };
        let mut builder = ProfileBuilder::new(keep);
        let input = builder.input(Input::new("n", "pid:1", InputFormat::Debug2));
        let frame = builder.frame(b"main.wait", b"main.go", 1);
        let stack = builder.stack(&[frame]);
        let sample = builder.sample(&SampleSpec {
            input,
            stack,
            full: stack,
            state: None,
            flags: FlagsId::NONE,
            labels: LabelsId::NONE,
            creator: None,
            elided: None,
        });
        let guess = Address::new(0xbad0, false, 0).unwrap();
        for id in [3, 4, 5, 6] {
            let new = NewGoroutine { id, created_by: None, wait: Wait::UNKNOWN };
            let position = builder.goroutine(sample, &new);
            if id < 5 {
                let found = NewAddresses { waits: false, lock: guess, words: &[guess] };
                builder.addresses(sample, &new, position, &found);
            }
        }
        let waits_on = [(3, vec![0xc000]), (4, vec![]), (5, vec![0xd000]), (6, vec![0xe000, 1])];
        let goroutines = waits_on.into_iter().map(|(id, waits_on)| CapturedGoroutine {
            id,
            certainty: Certainty::Exact,
            allocated: 2048,
            used: None,
            thread: None,
            blocked: None,
            waits_on,
        });
        builder
            .use_known_waits(&Captured { goroutines: goroutines.collect(), ..Captured::default() });
        let profile = builder.finish();
        let rows = profile.addresses.iter().map(|(row, words)| {
            (row.id, row.lock.word(), row.lock.is_sure(), row.waits, row.ordinal, words.len())
        });
        let expected = [
            (3, 0xc000, true, true, 0, 1),
            (4, 0xbad0, false, false, 1, 1),
            (5, 0xd000, true, true, 2, 0),
        ];
        assert_eq!(rows.collect::<Vec<_>>(), expected, "a select is no wait for one thing");
    }
}

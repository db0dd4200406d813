//! The selected part of a profile.

use crate::profile::{Goroutine, Profile, SampleId};

/// Which samples and goroutines of one profile were selected.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// By sample: how many of its goroutines are selected; in other profiles its value, or 0.
    pub counts: Vec<i64>,
    /// By goroutine; `None` if whole samples are selected.
    pub goroutines: Option<Vec<bool>>,
    /// Goroutines that failed a wait condition only because their wait isn't known.
    pub unknown_wait: i64,
    /// By sample: whether it is selected, whatever its count; `None` if everything is. A sample with
    /// several values can have 0 of the type that is shown.
    pub samples: Option<Vec<bool>>,
}

impl Selection {
    /// Whether any of a sample is selected, even if it counts 0.
    pub fn has(&self, sample: SampleId) -> bool {
        self.samples.as_ref().is_none_or(|selected| selected[sample.index()])
    }

    /// Sets the count of a sample.
    pub fn set_count(&mut self, sample: SampleId, count: i64) {
        self.counts[sample.index()] = count;
    }

    /// Deselects the samples that aren't in `kept`.
    pub fn retain(&mut self, profile: &Profile, kept: &[bool]) {
        let samples = self.samples.get_or_insert_with(|| vec![true; kept.len()]);
        for ((count, selected), kept) in self.counts.iter_mut().zip(samples).zip(kept) {
            if !kept {
                (*count, *selected) = (0, false);
            }
        }
        for (selected, goroutine) in self.goroutines.iter_mut().flatten().zip(&profile.goroutines) {
            *selected &= kept[goroutine.sample.index()];
        }
    }

    /// How many goroutines of a sample are selected; in other profiles its value, or 0.
    pub fn count(&self, sample: SampleId) -> i64 {
        self.counts[sample.index()]
    }

    /// The text of a note on goroutines that were dropped because their wait isn't known.
    pub fn unknown_wait_note(&self) -> Option<String> {
        let (number, them) = match self.unknown_wait {
            0 => return None,
            1 => ("1 goroutine".to_owned(), "its"),
            many => (format!("{many} goroutines"), "their"),
        };
        Some(format!("{number} left out: {them} wait isn't known"))
    }

    /// Whether the goroutine at this position of [`Profile::goroutines`] is selected.
    pub fn has_goroutine(&self, profile: &Profile, at: usize) -> bool {
        match &self.goroutines {
            Some(selected) => selected[at],
            None => self.count(profile.goroutines[at].sample) != 0,
        }
    }

    /// Like [`Selection::has_goroutine`], for a goroutine that isn't in the column if whole samples
    /// are selected.
    pub fn has_this(&self, at: usize, goroutine: &Goroutine) -> bool {
        match &self.goroutines {
            Some(selected) => selected.get(at) == Some(&true),
            None => self.count(goroutine.sample) != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::view::fixture::{Fixture, G, all, only};

    #[test]
    fn of_samples_that_are_dropped_no_goroutine_is_selected_and_of_others_those_that_were() {
        let mut fixture = Fixture::new("n1");
        for id in 1..5 {
            let frames: &[&str] = if id < 3 { &["main.a"] } else { &["main.b"] };
            fixture.add(G { id, frames, ..G::default() });
        }
        let (profile, _) = fixture.done();
        let mut selection = only(&profile, &[1, 3]);
        selection.retain(&profile, &[true, false]);
        assert_eq!(selection.counts, [1, 0]);
        assert_eq!(selection.samples, Some(vec![true, false]));
        assert_eq!(selection.goroutines, Some(vec![true, false, false, false]));
    }

    #[test]
    fn of_goroutines_on_disk_those_of_selected_samples_are_selected() {
        let mut fixture = Fixture::new("n1");
        fixture.add(G { id: 1, frames: &["main.a"], ..G::default() });
        fixture.add(G { id: 2, frames: &["main.b"], ..G::default() });
        let (profile, _) = fixture.done();
        let mut selection = all(&profile);
        selection.retain(&profile, &[false, true]);
        let nowhere = profile.goroutines.len();
        let has = |at: usize| selection.has_this(nowhere, &profile.goroutines[at]);
        assert_eq!((has(0), has(1)), (false, true));
    }
}

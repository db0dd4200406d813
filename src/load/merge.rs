//! Merges the results of the units, in order, and names the inputs.

use super::read::{EventKind, ReadPart, UnitRead};
use super::reader_state::Read;
use super::remains::Files;
use super::{LoadOptions, Loaded};
use crate::error::{Error, ErrorKind, Result};
use crate::profile::{Input, ProfileBuilder, Translation};
use crate::source::{self, GivenNames, Together};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Everything that has been merged so far.
pub(super) struct Merge<'a> {
    arguments: &'a [String],
    builder: ProfileBuilder,
    /// By number of a reader's state: the ids here of what is in its tables.
    translations: BTreeMap<usize, Translation>,
    /// Names found in the content of inputs, by position.
    extracted: Vec<Option<String>>,
    loaded: Loaded,
    /// By argument: whether it led to an input or an error.
    reported: Vec<bool>,
    /// By argument: its dumps, and its members in no known format.
    files: Vec<Files>,
    budget: u64,
    unpacked: u64,
    exhausted: bool,
    /// Bytes that earlier units of the current archive have unpacked.
    of_archive: u64,
    /// Units before this one aren't merged, as their archive has unpacked to more than it may.
    skipped_until: usize,
    units: usize,
    /// Whether `--member` picks among members.
    picks: bool,
    /// The folder for goroutines when there are many.
    spill: Option<&'a Path>,
    /// Why they couldn't be written there.
    unspilled: Option<Error>,
}

impl<'a> Merge<'a> {
    pub(super) fn new(
        arguments: &'a [String],
        errors: Vec<(usize, Error)>,
        budget: u64,
        unpacked: u64,
        units: usize,
        picks: bool,
        options: &'a LoadOptions,
    ) -> Merge<'a> {
        let mut merge = Merge {
            arguments,
            builder: ProfileBuilder::new(options.keep),
            translations: BTreeMap::new(),
            extracted: Vec::new(),
            loaded: Loaded::default(),
            reported: vec![false; arguments.len()],
            files: arguments.iter().map(|_| Files::default()).collect(),
            budget,
            unpacked,
            exhausted: false,
            of_archive: 0,
            skipped_until: 0,
            units,
            picks,
            spill: options.spill.as_deref(),
            unspilled: None,
        };
        for (point, error) in errors {
            merge.error(point, error);
        }
        merge
    }

    /// How many bytes the merged units have unpacked.
    pub(super) fn unpacked(&self) -> u64 {
        self.unpacked
    }

    /// Whether nothing more is merged: the run must not unpack, or hold, any more.
    pub(super) fn exhausted(&self) -> bool {
        self.exhausted
    }

    /// The number of the unit before which nothing is merged.
    pub(super) fn skipped_until(&self) -> usize {
        self.skipped_until
    }

    /// Merges the result of the next unit.
    pub(super) fn unit(&mut self, at: usize, unit: UnitRead) {
        if at < self.skipped_until {
            return;
        }
        let together = unit.together.unwrap_or(Together { units: at..at + 1, most: u64::MAX });
        if at == together.units.start {
            self.of_archive = 0;
        }
        for event in unit.events {
            if self.is_over(event.unpacked) {
                self.exhaust(unit.point, source::exhausted(event.path(), self.budget), at);
                return;
            }
            if self.of_archive.saturating_add(event.unpacked) > together.most {
                let error = source::archive_exhausted(event.path());
                self.skip_archive(unit.point, error, at, &together);
                self.unpacked = self.unpacked.saturating_add(event.unpacked);
                return;
            }
            match event.kind {
                EventKind::Error(error) => self.error(unit.point, error),
                EventKind::Part(part) => {
                    // Whoever read an input that is alone in its builder has checked that there is
                    // room for it.
                    let is_more = matches!(part.read, Read::Delta(..));
                    self.part(unit.point, part);
                    let path = self.builder.inputs().last().map_or("", |input| &input.path);
                    if is_more && let Some(error) = self.builder.out_of_room(path) {
                        self.exhaust(unit.point, error, at);
                        return;
                    }
                }
            }
        }
        if let Some(first) = unit.errors.iter().next() {
            if self.is_over(unit.unpacked) {
                self.exhaust(unit.point, source::exhausted(&first.error.input, self.budget), at);
                return;
            }
            self.mark_reported(unit.point);
        }
        self.loaded.errors.add_counted(unit.kinds);
        self.loaded.errors.append(unit.errors);
        self.unpacked = self.unpacked.saturating_add(unit.unpacked);
        self.of_archive = self.of_archive.saturating_add(unit.unpacked);
        self.loaded.warnings.append(unit.warnings);
        self.loaded.skipped += unit.skipped.skipped;
        if let Some(files) = self.files.get_mut(unit.point) {
            files.append(unit.skipped);
        }
    }

    fn is_over(&self, unpacked: u64) -> bool {
        self.unpacked.saturating_add(unpacked) > self.budget
    }

    fn skip_archive(&mut self, point: usize, mut error: Error, at: usize, archive: &Together) {
        self.skipped_until = archive.units.end;
        let rest = archive.units.end.saturating_sub(at + 1);
        if rest > 0 {
            error.what = format!("{}, so {rest} more of it aren't read", error.what);
        }
        self.error(point, error);
    }

    fn exhaust(&mut self, point: usize, mut error: Error, at: usize) {
        self.exhausted = true;
        let rest = self.units.saturating_sub(at + 1);
        if rest > 0 {
            error.what = format!("{}, so {rest} more aren't read", error.what);
        }
        self.error(point, error);
        // It is unknown whether later arguments hold anything.
        self.reported.iter_mut().skip(point).for_each(|reported| *reported = true);
    }

    fn error(&mut self, point: usize, error: Error) {
        self.mark_reported(point);
        self.loaded.errors.push(error);
    }

    fn mark_reported(&mut self, point: usize) {
        if let Some(reported) = self.reported.get_mut(point) {
            *reported = true;
        }
    }

    fn part(&mut self, point: usize, ReadPart { read, name }: ReadPart) {
        self.mark_reported(point);
        let names = read.inputs().iter().map(|input| {
            name.as_ref().map(|name| match input.format {
                // Protos have names in labels, where a number is as good a name as any.
                format if format.is_proto() && !name.is_empty() => name.clone(),
                _ => source::usable(name),
            })
        });
        self.extracted.extend(names);
        if let Some(files) = self.files.get_mut(point) {
            read.inputs().iter().for_each(|input| files.dump(&input.member));
        }
        match read {
            Read::Whole(builder) => self.builder.merge_builder(*builder),
            Read::Delta(part, state) => {
                self.builder.merge(&part, self.translations.entry(state).or_default());
            }
        }
        if let Some(folder) = self.spill
            && let Err(error) = self.builder.spill(folder)
        {
            self.unspilled = Some(Error::io(folder.display().to_string(), &error));
            self.exhausted = true;
        }
    }

    fn nothing_in(&self, argument: &str, skipped: Option<u64>) -> Error {
        let fail = |what: String| Error::new(ErrorKind::Unknown, argument, what);
        let unknown = "holds no goroutine dump or profile that is known";
        match skipped.unwrap_or(0) {
            0 if self.picks => fail("holds nothing that --member picks".to_owned()),
            0 => fail("holds no files".to_owned()),
            1 => fail(format!("{unknown}, only another file")),
            skipped => fail(format!("{unknown}, only {skipped} other files")),
        }
    }

    /// Names the inputs, and reports the arguments in which nothing was found.
    ///
    /// Fails if goroutines couldn't be written to disk.
    pub(super) fn finish(mut self, given: &GivenNames) -> Result<Loaded> {
        if let Some(error) = self.unspilled {
            return Err(error);
        }
        for (point, argument) in self.arguments.iter().enumerate() {
            if self.reported.get(point) == Some(&false) {
                let error =
                    self.nothing_in(argument, self.files.get(point).map(|files| files.skipped));
                self.loaded.errors.push(error);
            }
        }
        for files in self.files {
            self.loaded.warnings.append(files.remains());
        }
        self.loaded.profile = self.builder.finish();
        let inputs = &mut self.loaded.profile.inputs;
        let mut used = BTreeSet::new();
        let mut names = derive_names(inputs);
        for (at, (name, input)) in names.iter_mut().zip(inputs.iter()).enumerate() {
            if let Some((option, given)) = given.name_of(&input.path, &input.member) {
                used.insert(option);
                given.clone_into(name);
            } else if let Some(Some(extracted)) = self.extracted.get(at) {
                name.clone_from(extracted);
            }
        }
        source::make_unique(&mut names);
        for (input, name) in inputs.iter_mut().zip(names) {
            input.name = name;
        }
        self.loaded.errors.extend(given.unused(&used));
        Ok(self.loaded)
    }
}

/// The names that follow from paths: the shortest that distinguish the inputs of an argument, or
/// the base name if the argument is the input.
fn derive_names(inputs: &[Input]) -> Vec<String> {
    let mut names: Vec<String> = inputs.iter().map(|input| input.name.clone()).collect();
    let mut points = BTreeMap::<usize, Vec<usize>>::new();
    for (at, input) in inputs.iter().enumerate() {
        if !input.member.is_empty() {
            points.entry(input.point).or_default().push(at);
        }
    }
    for positions in points.values() {
        let own: BTreeSet<&str> = positions.iter().map(|&at| &*inputs[at].name).collect();
        if own.len() == positions.len() && positions.iter().all(|&at| inputs[at].is_from_tables) {
            continue;
        }
        let members: Vec<&str> = positions.iter().map(|&at| inputs[at].member.as_str()).collect();
        for (&at, name) in positions.iter().zip(source::distinct_names(&members)) {
            names[at] = name;
        }
    }
    names.iter().map(|name| source::usable(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::read::Event;

    #[test]
    fn an_archive_that_unpacks_to_too_much_is_left_and_the_next_one_read() {
        let options = LoadOptions::default();
        let mut merge = Merge::new(&[], Vec::new(), u64::MAX, 0, 6, false, &options);
        for at in 0..6 {
            let units = if at < 4 { 0..4 } else { 4..6 };
            let kind = EventKind::Error(Error::new(ErrorKind::Io, format!("m{at}"), "x"));
            let together = Some(Together { units, most: 10 });
            let events = vec![Event { unpacked: 6, kind }];
            merge.unit(at, UnitRead { events, unpacked: 5, together, ..UnitRead::default() });
        }
        let said: Vec<String> =
            merge.loaded.errors.iter().map(|one| one.error.to_string()).collect();
        assert_eq!(said.len(), 4, "{said:?}");
        assert_eq!([&said[0], &said[2]], ["m0: x", "m4: x"]);
        let rest = "MiB (archive_ratio_from), so 2 more of it aren't read; ";
        assert!(said[1].starts_with("m1: its archive") && said[1].contains(rest), "{}", said[1]);
        assert_eq!((merge.skipped_until(), merge.exhausted()), (6, false));
    }
}

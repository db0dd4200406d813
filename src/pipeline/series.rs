//! Inputs that are read again and again, each time as another point.

use super::Loaded;
use crate::error::Error;
use crate::profile::{Delta, Keep, ProfileBuilder, Translation, Unread};
use crate::source;

/// The points that were read so far. Memory grows with the differences between points: each stack is
/// kept once.
#[derive(Debug)]
pub struct Series {
    builder: ProfileBuilder,
    unread: Unread,
    points: usize,
}

impl Series {
    /// A series of inputs that keep these columns; no point was read yet.
    pub fn new(keep: Keep) -> Series {
        Series { builder: ProfileBuilder::new(keep), unread: Unread::default(), points: 0 }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points
    }

    /// Whether nothing was read yet.
    pub fn is_empty(&self) -> bool {
        self.points == 0
    }

    /// Adds what the inputs were when they were read once more; returns whether that gave another point.
    /// If not, the reason is among the errors of the series.
    pub fn add(&mut self, loaded: Loaded) -> bool {
        let Loaded { mut profile } = loaded;
        let Unread { failed, archives, skipped } = std::mem::take(&mut profile.unread);
        self.unread.failed.append(failed);
        self.unread.archives.append(archives);
        self.unread.skipped += skipped;
        if profile.inputs.is_empty() {
            return false;
        }
        profile.inputs.iter_mut().for_each(|input| input.point = self.points);
        self.builder.merge(&Delta::whole(profile), &mut Translation::default());
        self.points += 1;
        let path = self.builder.inputs().last().map_or("", |input| &input.path);
        match self.builder.out_of_room(path) {
            None => true,
            Some(error) => {
                self.end(error);
                false
            }
        }
    }

    /// Notes why there are no more points.
    pub fn end(&mut self, why: Error) {
        self.unread.failed.push(why);
    }

    /// All points that were read, as if each were an argument.
    pub fn loaded(&self) -> Loaded {
        let mut profile = self.builder.so_far();
        let mut names: Vec<String> =
            profile.inputs.iter().map(|input| input.name.clone()).collect();
        source::make_unique(&mut names);
        for (input, name) in profile.inputs.iter_mut().zip(names) {
            input.name = name;
        }
        profile.unread = self.unread.clone();
        Loaded { profile }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::LoadOptions;
    use crate::pipeline::Inputs;
    use crate::profile::Profile;

    fn dump(ids: std::ops::Range<u64>) -> String {
        ids.map(|id| format!("goroutine {id} [select]:\nmain.work()\n\t/src/a.go:3\n\n")).collect()
    }

    #[test]
    fn a_series_is_what_its_files_are_beside_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let keep = Keep { goroutines: true, ..Keep::default() };
        let options = || LoadOptions { threads: 1, keep, ..LoadOptions::default() };
        let now = path("now.txt").into_os_string();
        let again = Inputs { arguments: vec![now], options: options() };
        let mut series = Series::new(keep);
        let mut files = Vec::new();
        for point in 0..3 {
            let text =
                dump(1..2 + 2 * point) + "goroutine 99 [running]:\nmain.main()\n\t/src/b.go:1\n";
            std::fs::write(path("now.txt"), &text).unwrap();
            assert!(series.add(again.clone().load().unwrap()));
            std::fs::write(path(&format!("{point}.txt")), &text).unwrap();
            files.push(path(&format!("{point}.txt")).into_os_string());
        }
        let of = |loaded: Loaded| {
            let Profile { inputs, samples, goroutines, .. } = loaded.profile;
            let inputs: Vec<_> = inputs.iter().map(|one| (one.point, one.goroutines)).collect();
            (inputs, samples, goroutines)
        };
        let beside = Inputs { arguments: files, options: options() }.load().unwrap();
        assert_eq!(series.loaded().profile.inputs[2].name, "now.txt#3");
        assert_eq!(of(series.loaded()), of(beside));
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("now.txt");
        let options = LoadOptions { threads: 1, ..LoadOptions::default() };
        let inputs = Inputs { arguments: vec![path.clone().into_os_string()], options };
        let read = || inputs.clone().load().unwrap();
        let mut series = Series::new(Keep::default());
        assert!(!series.add(read()));
        std::fs::write(&path, dump(1..2)).unwrap();
        assert!(series.add(read()));
        std::fs::remove_file(&path).unwrap();
        assert!(!series.add(read()));
        assert_eq!((series.len(), series.loaded().profile.unread.failed.iter().count()), (1, 2));
    }
}

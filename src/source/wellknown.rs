//! The names that programs give to goroutine dumps in bundles.

use std::collections::HashSet;

/// Base names of goroutine dumps in order of preference, without a `.gz`, `.zst` or `.zip` at the end. Only
/// the first one found in a folder is read: the others are the same process in another form. Forms
/// with single goroutines (ids, waits, states) come before those that only count, and text before
/// protos, which have fewer facts.
pub const WELL_KNOWN: &[&str] = &[
    // debug=2: the names of `curl .../debug/pprof/goroutine?debug=2` and of support bundles.
    // CockroachDB's debug.zip has nodes/N/stacks.txt.
    "stacks.txt",
    "goroutine.debug2.txt",
    "goroutines.debug2.txt",
    "goroutine-debug2.txt",
    "goroutine_debug2.txt",
    "goroutine.debug2",
    "goroutine-debug2",
    "goroutine?debug=2",
    "goroutine-stacks.txt",
    "goroutine_stacks.txt",
    "goroutine-stacks-full.txt",
    "goroutines-full.txt",
    "full-goroutine-stack-dump.txt",
    "goroutine-dump.txt",
    "goroutine_dump.txt",
    "goroutines.txt",
    "goroutine.txt",
    "goroutines.log",
    "goroutine.log",
    "goroutines.stacks",
    "stackdump.txt",
    "goroutines",
    // A proto with one sample for each goroutine, written by CockroachDB since 26.1.
    "stacks.pprof",
    // Counts, with labels.
    "stacks_with_labels.txt",
    "goroutine.debug1.txt",
    "goroutines.debug1.txt",
    "goroutine-debug1.txt",
    "goroutine_debug1.txt",
    "goroutine.debug1",
    "goroutine-debug1",
    "goroutine?debug=1",
    // Protos.
    "stacks.pb",
    "goroutines.pb",
    "goroutine.pb",
    "goroutine.debug0.pb",
    "goroutine.pprof",
    "goroutines.pprof",
    "goroutine.prof",
    "goroutines.prof",
    "goroutine.profile",
    "goroutine.out",
    "goroutine?debug=0",
    "goroutine",
    // A folder of tables: the input it was made from says more.
    "inputs.parquet",
];

/// The rank of a base name in [`WELL_KNOWN`], lower being better: a packed file comes after the
/// same name unpacked.
pub(super) fn rank(base: &str) -> Option<usize> {
    let plain = [".gz", ".zst", ".zstd", ".zip"].iter().find_map(|end| base.strip_suffix(end));
    let name = plain.unwrap_or(base);
    let at = WELL_KNOWN.iter().position(|known| known.eq_ignore_ascii_case(name))?;
    Some(at.saturating_mul(2).saturating_add(usize::from(plain.is_some())))
}

/// Whether the file at a path is a dump by its name.
pub(super) fn is_well_known(path: &str) -> bool {
    rank(path.rsplit_once('/').map_or(path, |(_, base)| base)).is_some()
}

/// Endings of files that are compressed in a way that isn't read.
const UNREAD: &[&str] =
    &[".bz2", ".xz", ".lz4", ".7z", ".br", ".Z", ".lzma", ".lz", ".lzo", ".sz", ".rar"];

/// Whether a base name is well known, but for an ending that says that the file can't be read.
fn is_unread(base: &str) -> bool {
    let plain = UNREAD.iter().find_map(|end| base.strip_suffix(end));
    plain.is_some_and(|name| rank(name).is_some())
}

/// The positions of well-known paths that can't be read as they are compressed, in folders of which
/// nothing else was chosen.
pub(super) fn unread<'p>(
    count: usize,
    path: &impl Fn(usize) -> &'p str,
    chosen: &[usize],
) -> Vec<usize> {
    let split = |at| path(at).rsplit_once('/').unwrap_or(("", path(at)));
    let mut unread: Vec<usize> = (0..count).filter(|&at| is_unread(split(at).1)).collect();
    if !unread.is_empty() {
        let read: HashSet<&str> = chosen.iter().map(|&at| split(at).0).collect();
        unread.retain(|&at| !read.contains(split(at).0));
    }
    unread
}

/// Endings of archives.
const ARCHIVES: &[&str] = &[".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.zstd"];

/// The positions of archives, but for dumps that are packed in one.
pub(super) fn archives<'p>(count: usize, path: &impl Fn(usize) -> &'p str) -> Vec<usize> {
    let is_archive = |&at: &usize| {
        let (_, base) = path(at).rsplit_once('/').unwrap_or(("", path(at)));
        ARCHIVES.iter().any(|end| base.len() > end.len() && base.ends_with(end))
            && rank(base).is_none()
    };
    (0..count).filter(is_archive).collect()
}

/// The position of the best well-known path of each folder; all of them, if a tar has several members with
/// that path, which can be of several processes or moments.
pub(super) fn best_of_each_folder<'p>(
    count: usize,
    path: &impl Fn(usize) -> &'p str,
) -> Vec<usize> {
    let ranked = (0..count).filter_map(|at| {
        let (folder, base) = path(at).rsplit_once('/').unwrap_or(("", path(at)));
        Some((rank(base)?, at, folder.len()))
    });
    let mut ranked: Vec<(usize, usize, usize)> = ranked.collect();
    let folder = |&(_, at, length): &(usize, usize, usize)| &path(at)[..length];
    // By folder, the best first. Most archives have their members in nearly this order, from which
    // a stable sort benefits.
    ranked.sort_by(|a, b| folder(a).cmp(folder(b)).then(a.cmp(b)));
    ranked.dedup_by(|a, b| folder(a) == folder(b) && path(a.1) != path(b.1));
    let mut chosen: Vec<usize> = ranked.into_iter().map(|(_, at, _)| at).collect();
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_once() {
        let mut names = WELL_KNOWN.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), WELL_KNOWN.len());
    }

    #[test]
    fn a_folder_gives_one_form_of_its_process() {
        let paths = [
            "nodes/1/stacks_with_labels.txt",
            "nodes/1/stacks.txt",
            "nodes/1/heap.pprof",
            "nodes/2/goroutine.pprof",
            "nodes/2/stacks_with_labels.txt.gz",
            "nodes/3/stacks_with_labels.txt",
            "nodes/3/stacks.pprof",
            "stacks.txt.gz",
            "stacks.txt",
            "notes.txt",
        ];
        assert_eq!(best_of_each_folder(paths.len(), &|at| paths[at]), [1, 4, 6, 8]);
    }

    #[test]
    fn a_folder_of_which_nothing_can_be_read_is_told() {
        let paths = ["a/stacks.txt.xz", "b/goroutine.txt.bz2", "b/stacks.txt.gz", "c/heap.pb.xz"];
        let path = |at: usize| paths[at];
        let chosen = best_of_each_folder(paths.len(), &path);
        assert_eq!((chosen.as_slice(), unread(paths.len(), &path, &chosen)), (&[2][..], vec![0]));
    }

    #[test]
    fn archives_that_are_no_packed_dumps_are_found() {
        let paths =
            ["stacks.txt", "b/stacks.txt.zip", "b/node-2.tar.gz", "c.zip", ".zip", "d/logs.gz"];
        assert_eq!(archives(paths.len(), &|at| paths[at]), [2, 3]);
    }

    #[test]
    fn endings_of_compression_and_case_do_not_matter() {
        assert!(rank("Goroutine.Debug2.txt.zst").is_some());
        assert!(rank("goroutine?debug=2").is_some());
        assert!(rank("xstacks.txt").is_none());
        assert!(rank("heap.pb.gz").is_none());
    }
}

//! Links in a tar to files in it.

use super::{Kind, Member};
use crate::source::listing::Listing;
use std::collections::HashMap;

/// How many links are followed one after the other: as many as on Linux.
const LINKS: usize = 40;

/// The links of a tar, which may come before the files that they lead to.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// The position of each link among the members, and the path in the archive that it leads to.
    targets: Vec<(usize, Option<String>)>,
}

impl Links {
    /// Adds a hard link, whose target is a path of the archive.
    pub(super) fn push_hard(&mut self, at: usize, target: &str) {
        self.targets.push((at, inside("", target)));
    }

    /// Adds a symbolic link, whose target is relative to the folder of the link.
    pub(super) fn push_symbolic(&mut self, at: usize, link: &str, target: &str) {
        let folder = link.rsplit_once('/').map_or("", |(folder, _)| folder);
        let target = if target.starts_with('/') { None } else { inside(folder, target) };
        self.targets.push((at, target));
    }

    /// Gives each link that leads to a file of the archive the bytes of that file.
    pub(super) fn resolve(self, members: &mut Listing<Member>) {
        if self.targets.is_empty() {
            return;
        }
        let targets = self.targets.iter().filter_map(|(_, target)| target.as_deref());
        let mut files: HashMap<&str, Option<usize>> =
            targets.map(|target| (target, None)).collect();
        for at in 0..members.len() {
            // Of several members with one path, the last one is there when all are unpacked.
            if let Some(path) = inside("", members.path(at))
                && let Some(file) = files.get_mut(path.as_str())
            {
                *file = Some(at);
            }
        }
        let next = |(link, target): &(usize, Option<String>)| {
            let file = files.get(target.as_deref()?).copied().flatten()?;
            Some((*link, file))
        };
        let next: HashMap<usize, usize> = self.targets.iter().filter_map(next).collect();
        for (link, _) in &self.targets {
            let steps = std::iter::successors(Some(*link), |at| next.get(at).copied());
            let end = steps.take(LINKS).last().and_then(|at| members.get(at)).copied();
            if let (Some(end), Some(link)) = (end, members.get_mut(*link))
                && end.kind != Kind::Dangling
            {
                let kind = if end.kind == Kind::File { Kind::Link } else { end.kind };
                *link = Member { kind, ..end };
            }
        }
    }
}

/// A path relative to a folder of the archive without `.` and `..`; none if it leads out of the archive.
fn inside(folder: &str, path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(entry: usize, kind: Kind) -> Member {
        Member { entry, kind, ..Member::default() }
    }

    #[test]
    fn links_have_the_bytes_of_the_file_at_their_end() {
        let mut members = Listing::default();
        let mut links = Links::default();
        members.push("a/latest", member(0, Kind::Dangling));
        links.push_symbolic(0, "a/latest", "./../b/x");
        members.push("/b/x", member(1, Kind::Dangling));
        links.push_hard(1, "./c");
        members.push("c", member(2, Kind::File));
        members.push("c", member(3, Kind::File));
        for (at, target) in [(4, "/c"), (5, "../../c"), (6, "circle"), (7, "c/d")] {
            members.push("a/circle", member(at, Kind::Dangling));
            links.push_symbolic(at, "a/circle", target);
        }
        links.resolve(&mut members);
        let found = |at| members.get(at).map(|member: &Member| (member.entry, member.kind));
        assert_eq!(found(0), Some((3, Kind::Link)));
        assert_eq!(found(1), Some((3, Kind::Link)));
        for at in 4..8 {
            assert_eq!(found(at), Some((at, Kind::Dangling)));
        }
    }
}

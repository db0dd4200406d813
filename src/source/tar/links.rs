//! Links in a tar to files in it.

use super::{Kind, Member};
use crate::limits::LIMITS;
use crate::source::listing::Listing;
use std::collections::HashMap;

/// How many links are followed one after the other: as many as on Linux.
const LINKS: usize = 40;

/// What looking up a path costs beside its bytes, in bytes.
const LOOKUP: usize = 32;

/// The links of a tar, which may come before what they lead to.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// The position of each link among the members, and the path in the archive that it names.
    targets: Vec<(usize, String)>,
    /// The positions of hard links, and the paths of the archive that they name.
    hard: HashMap<usize, String>,
    /// Bytes of paths that were kept or looked up.
    spent: usize,
}

impl Links {
    /// Adds a hard link, whose target is a path of the archive.
    pub(super) fn push_hard(&mut self, at: usize, link: &str, target: &str) {
        if self.push(at, link, "", target)
            && let Some(target) = inside(target)
        {
            self.hard.insert(at, target);
        }
    }

    /// Adds a symbolic link, whose target is relative to the folder of the link. An absolute one leads out of the
    /// archive.
    pub(super) fn push_symbolic(&mut self, at: usize, link: &str, target: &str) {
        let folder = link.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !target.starts_with('/') {
            self.push(at, link, folder, target);
        }
    }

    /// Returns whether the link is kept.
    fn push(&mut self, at: usize, link: &str, folder: &str, target: &str) -> bool {
        let length = link.len().saturating_add(folder.len()).saturating_add(target.len());
        // Linux follows no longer path.
        let is_kept =
            link.len().max(target.len()) <= LIMITS.path && spend(&mut self.spent, length).is_some();
        if is_kept {
            self.targets.push((at, format!("{folder}/{target}")));
        }
        is_kept
    }

    /// Gives each link that leads to a file of the archive the bytes of that file.
    pub(super) fn resolve(mut self, members: &mut Listing<Member>) {
        self.resolve_hard(members);
        let is_open = |at| members.get(at).is_some_and(|link| link.kind == Kind::Dangling);
        self.targets.retain(|(at, _)| is_open(*at));
        if self.targets.is_empty() {
            return;
        }
        let paths = self.targets.iter().filter_map(|(at, _)| inside(members.path(*at)));
        let paths: Vec<String> = paths.collect();
        let positions = last_members(members, paths.iter().map(String::as_str));
        let targets: HashMap<usize, &str> =
            self.targets.iter().map(|(at, target)| (*at, target.as_str())).collect();
        let link = |path: &str| targets.get(positions.get(path)?).copied();
        let mut ends = Vec::new();
        for (at, target) in &self.targets {
            ends.extend(follow(target, link, &mut self.spent).map(|path| (*at, path)));
        }
        let files = last_members(members, ends.iter().map(|(_, path): &(_, String)| path.as_str()));
        for (at, path) in &ends {
            let end = files.get(path.as_str()).and_then(|at| members.get(*at)).copied();
            link_to(end, *at, members);
        }
    }

    /// Gives each hard link the bytes of the last file before it that has the name: a file may be added again
    /// with other bytes.
    fn resolve_hard(&self, members: &mut Listing<Member>) {
        if self.hard.is_empty() {
            return;
        }
        let mut last: HashMap<&str, Option<Member>> =
            self.hard.values().map(|target| (target.as_str(), None)).collect();
        for at in 0..members.len() {
            if let Some(target) = self.hard.get(&at) {
                link_to(last.get(target.as_str()).copied().flatten(), at, members);
            }
            if let Some(path) = inside(members.path(at))
                && let Some(last) = last.get_mut(path.as_str())
            {
                *last = members.get(at).copied();
            }
        }
    }
}

/// Gives a link the bytes of the file to which it leads.
fn link_to(end: Option<Member>, link: usize, members: &mut Listing<Member>) {
    if let (Some(end), Some(link)) = (end, members.get_mut(link))
        && end.kind != Kind::Dangling
    {
        let kind = if end.kind == Kind::File { Kind::Link } else { end.kind };
        *link = Member { kind, ..end };
    }
}

/// Adds to what the links of an archive cost; `None` if that is too much.
fn spend(spent: &mut usize, bytes: usize) -> Option<()> {
    *spent = spent.saturating_add(bytes);
    (*spent <= LIMITS.tar_links).then_some(())
}

/// The positions of the members with these paths. Of several with one path, it is the last one, which is there
/// when all are unpacked.
fn last_members<'p>(
    members: &Listing<Member>,
    paths: impl Iterator<Item = &'p str>,
) -> HashMap<&'p str, usize> {
    let mut found: HashMap<&str, Option<usize>> = paths.map(|path| (path, None)).collect();
    for at in 0..members.len() {
        if let Some(path) = inside(members.path(at))
            && let Some(position) = found.get_mut(path.as_str())
        {
            *position = Some(at);
        }
    }
    found.into_iter().filter_map(|(path, at)| Some((path, at?))).collect()
}

/// The path that a path leads to, whose folders may be links, too. `link` returns the target of a link.
fn follow<'t>(
    path: &'t str,
    link: impl Fn(&str) -> Option<&'t str>,
    spent: &mut usize,
) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').rev().collect();
    let mut reached = String::new();
    let mut links = 0..LINKS;
    while let Some(part) = parts.pop() {
        if !step(&mut reached, part)? {
            continue;
        }
        spend(spent, reached.len().saturating_add(LOOKUP))?;
        if let Some(target) = link(&reached) {
            links.next()?;
            reached.clear();
            parts.extend(target.split('/').rev());
        }
    }
    Some(reached)
}

/// Adds a part to a path of the archive; `None` if it leads out of the archive. Returns whether that may be a link.
fn step(path: &mut String, part: &str) -> Option<bool> {
    match part {
        "" | "." => return Some(false),
        ".." if path.is_empty() => return None,
        ".." => {
            path.truncate(path.rfind('/').unwrap_or(0));
            return Some(false);
        }
        _ => {}
    }
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(part);
    Some(true)
}

/// A path of the archive without `.` and `..`; none if it leads out of the archive.
fn inside(path: &str) -> Option<String> {
    let mut reached = String::new();
    path.split('/').try_for_each(|part| step(&mut reached, part).map(drop))?;
    Some(reached)
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
        links.push_hard(1, "/b/x", "./c");
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

    #[test]
    fn a_hard_link_is_the_file_that_came_before_it() {
        let mut members = Listing::default();
        let mut links = Links::default();
        members.push("c", member(0, Kind::File));
        for (at, path, target) in [(1, "a", "./c"), (2, "b", "a")] {
            members.push(path, member(at, Kind::Dangling));
            links.push_hard(at, path, target);
        }
        members.push("c", member(3, Kind::File));
        members.push("d", member(4, Kind::Dangling));
        links.push_hard(4, "d", "c");
        members.push("e", member(5, Kind::Dangling));
        links.push_symbolic(5, "e", "c");
        links.resolve(&mut members);
        let found = |at| members.get(at).map(|member: &Member| (member.entry, member.kind));
        for (at, entry) in [(1, 0), (2, 0), (4, 3), (5, 3)] {
            assert_eq!(found(at), Some((entry, Kind::Link)), "{at}");
        }
    }

    fn end_of(links: &[(&str, &str)], path: &str) -> Option<String> {
        let link = |path: &str| Some(links.iter().find(|(link, _)| *link == path)?.1);
        follow(path, link, &mut 0)
    }

    #[test]
    fn folders_of_a_target_may_be_links_too() {
        let links = [("k/..data", "k/..2026"), ("current", "n1"), ("n1/x", "n1/../current/y")];
        let links = [&links[..], &[("a", "b"), ("b", "a"), ("up", "d/e/f")]].concat();
        for (path, end) in [
            ("k/..data/stacks.txt", Some("k/..2026/stacks.txt")),
            ("n2/../current/x", Some("n1/y")),
            ("current", Some("n1")),
            // As on a file system, it is the folder above the target of the link.
            ("up/../g", Some("d/e/g")),
            ("up/../../../../g", None),
            ("a/x", None),
        ] {
            assert_eq!(end_of(&links, path).as_deref(), end, "{path}");
        }
    }

    #[test]
    fn following_links_has_a_limit() {
        let chain: Vec<(String, String)> =
            (0..41).map(|at| (format!("l{at}"), format!("l{}", at + 1))).collect();
        let chain: Vec<(&str, &str)> =
            chain.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(end_of(&chain, "l1/f").as_deref(), Some("l41/f"));
        assert_eq!(end_of(&chain, "l0/f"), None);
        let (mut links, long) = (Links::default(), "d/".repeat(LIMITS.path / 2));
        links.push_symbolic(0, "a", &format!("{long}x"));
        assert!(links.targets.is_empty());
        let mut spent = 0;
        let paths = (0..).map_while(|_| follow(&long, |_| None, &mut spent));
        assert!(paths.count() < LIMITS.tar_links / LIMITS.path);
        links.spent = spent;
        links.push_symbolic(0, "a", "x");
        assert!(links.targets.is_empty());
    }
}

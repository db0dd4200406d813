//! The built-in catalogue of goroutines that belong there.

use super::entry::{self, Entry};
use super::pattern::Functions;
use crate::profile::{FrameId, Profile, SampleKey};
use crate::rules::{Document, Names};
use crate::view::frames::function::{is_standard, package};
use std::cell::OnceCell;
use std::sync::LazyLock;

/// The catalogue, as it is built in.
pub(super) const TEXT: &str = include_str!("catalogue.toml");

/// The names of the checks that its entries may name.
const CHECKED: [&str; 2] = ["leftover", "growth"];

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    // A test parses it, so it is valid.
    entry::read(&Document { name: "built-in", text: TEXT }, &CHECKED).unwrap_or_default()
});

/// The entries for the Go version that made a profile; all of them if that isn't known.
fn entries(profile: &Profile) -> Vec<&'static Entry> {
    let version = go_version(profile);
    let holds = |entry: &&Entry| match (entry.go, version) {
        (Some((from, to)), Some(version)) => (from..=to).contains(&version),
        _ => true,
    };
    ENTRIES.iter().filter(holds).collect()
}

/// The entries for a profile, with a cache of which functions match them: each function name is
/// compared with their patterns once, not once for every stack.
pub(super) struct Catalogue<'a> {
    profile: &'a Profile,
    names: &'a Names,
    functions: &'a Functions<'a>,
    pub(super) entries: Vec<&'static Entry>,
    /// By function: for each key of [`Entry::matches_function`], a bit for each entry that may match.
    may_be: Vec<OnceCell<[u64; 4]>>,
}

impl<'a> Catalogue<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        names: &'a Names,
        functions: &'a Functions<'a>,
    ) -> Catalogue<'a> {
        let may_be = vec![OnceCell::new(); profile.strings.len()];
        Catalogue { profile, names, functions, entries: entries(profile), may_be }
    }

    /// The position of the first entry that explains goroutines of a sample.
    pub(super) fn explains(&self, key: &SampleKey) -> Option<usize> {
        let of = |frame: Option<FrameId>, at: usize| {
            frame.map_or(u64::MAX, |frame| self.may_be(frame)[at])
        };
        let frames = self.profile.stack(key.stack);
        let mut left = of(self.functions.frames.user(key.stack), 0)
            & of(self.functions.frames.blocking_outside_poller(key.stack), 1)
            & of(key.creator, 2);
        if !frames.is_empty() {
            left &= frames.iter().fold(0, |any, &frame| any | self.may_be(frame)[3]);
        }
        let may_explain = |at: &usize| left >> at & 1 == 1;
        (0..self.entries.len())
            .filter(may_explain)
            .find(|&at| self.entries[at].matches(self.profile, self.names, self.functions, key))
    }

    fn may_be(&self, frame: FrameId) -> [u64; 4] {
        let function = self.profile.frame(frame).func;
        *self.may_be[function.index()].get_or_init(|| {
            let mut bits = [0; 4];
            for (at, entry) in self.entries.iter().enumerate() {
                let asks = entry.matches_function(self.profile, self.functions, frame);
                for (bits, asks) in bits.iter_mut().zip(asks) {
                    *bits |= u64::from(asks) << at;
                }
            }
            bits
        })
    }
}

/// The minor version of Go, if the paths of the standard library show it: toolchains that the go
/// command fetched are in `toolchain@v0.0.1-go1.27.3.linux-amd64/`, others often in `go1.27.3/`.
/// `None` if they show none, or several.
pub(super) fn go_version(profile: &Profile) -> Option<u32> {
    let mut found = None;
    for frame in profile.frames() {
        let (func, file) = (profile.str(frame.func), profile.str(frame.file));
        if !is_standard(package(func)) {
            continue;
        }
        let version = memchr::memmem::find_iter(file, b"go1.").find_map(|at| {
            let digits: Vec<u8> =
                file[at + 4..].iter().copied().take_while(u8::is_ascii_digit).collect();
            std::str::from_utf8(&digits).ok()?.parse::<u32>().ok()
        });
        match (found, version) {
            (Some(one), Some(other)) if one != other => return None,
            (None, Some(version)) => found = Some(version),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::date::Date;
    use crate::leak::pattern::Functions;
    use crate::view::fixture::{Fixture, G};
    use crate::view::frames::finder::FrameFinder;

    #[test]
    fn every_entry_is_understood_and_says_how_many_and_why() {
        let entries = entry::read(&Document { name: "built-in", text: TEXT }, &CHECKED).unwrap();
        assert!(CHECKED.iter().all(|name| crate::leak::Check::named(name).is_some()));
        assert!((16..=64).contains(&entries.len()), "a bit of a word for each");
        for entry in &entries {
            assert!(!entry.id.is_empty() && !entry.reason.is_empty(), "{entry:?}");
            assert!(entry.max.is_some(), "{}: none is without a limit", entry.id);
            assert!(!entry.has_labels(), "{}: samples are only told apart by stack", entry.id);
            assert_eq!(entry.expires, None::<Date>);
        }
        let mut ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), entries.len());
    }

    fn excuses(state: &str, frames: &[&str]) -> bool {
        let mut fixture = Fixture::new("n1");
        fixture.add(G { id: 7, state, frames, ..G::default() });
        let (profile, names) = fixture.done();
        entries(&profile).iter().any(|entry| {
            entry.matches(
                &profile,
                &names,
                &Functions::of(&profile, &FrameFinder::new(&profile)),
                &profile.samples[0].key,
            )
        })
    }

    #[test]
    fn idle_connections_belong_there_and_handlers_do_not() {
        let reading = ["internal/poll.(*FD).Read", "net.(*conn).Read", "net/http.(*conn).serve"];
        assert!(excuses("IO wait", &reading));
        let handler = ["kv.handle", "net/http.(*ServeMux).ServeHTTP", "net/http.(*conn).serve"];
        assert!(!excuses("chan receive", &handler));
        assert!(excuses("select", &["net/http.(*persistConn).readLoop"]));
        assert!(!excuses("select", &["net/http.(*persistConn).roundTrip", "kv.fetch"]));
    }

    #[test]
    fn a_server_that_waits_for_connections_belongs_there() {
        let accept = [
            "internal/poll.(*FD).Accept",
            "net.(*netFD).accept",
            "net/http.(*Server).Serve",
            "kv.Serve",
        ];
        assert!(excuses("IO wait", &accept));
        assert!(!excuses(
            "IO wait",
            &accept
                .map(|name| name.replace("net/http", "ex.org/x"))
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
        ));
    }

    #[test]
    fn entries_hold_for_some_versions_of_go() {
        let ids = |root: &str| {
            let file = format!("runtime.gopark {root}/src/runtime/proc.go:1");
            let mut fixture = Fixture::new("n1");
            fixture.add(G { frames: &[file.as_str()], ..G::default() });
            let profile = fixture.done().0;
            (go_version(&profile), entries(&profile).iter().any(|entry| entry.id == "test-bubbles"))
        };
        assert_eq!(ids("/usr/local/go"), (None, true));
        assert_eq!(ids("/opt/go1.23.9"), (Some(23), false));
        assert_eq!(ids("/m/golang.org/toolchain@v0.0.1-go1.27.3.linux-amd64"), (Some(27), true));
    }

    #[test]
    fn the_version_of_go_is_told_by_the_paths_of_the_standard_library_unless_they_differ() {
        let version = |files: &[&str]| {
            let mut fixture = Fixture::new("n1");
            for file in files {
                fixture.add(G { frames: &[&format!("net.(*conn).Read {file}:1")], ..G::default() });
            }
            go_version(&fixture.done().0)
        };
        let fetched = "/m/golang.org/toolchain@v0.0.1-go1.27.3.linux-amd64/src/net/net.go";
        assert_eq!(version(&[fetched]), Some(27));
        assert_eq!(
            version(&["/opt/go1.26.1/src/net/net.go", "/usr/lib/go/src/net/x.go"]),
            Some(26)
        );
        assert_eq!(version(&[fetched, "/opt/go1.27.3/src/net/x.go"]), Some(27));
        assert_eq!(version(&[fetched, "/opt/go1.26.1/src/net/net.go"]), None);
        assert_eq!(version(&["/usr/lib/go/src/net/net.go"]), None);
    }
}

//! What stands where a dump should be: files without contents, with the first bytes of a dump, or with the answer
//! of a server that had none, that nobody named. Folders have other empty files too, so their names decide: those
//! of dumps beside them.

use super::file_names::{OTHERS, PROFILES, base_name, has_ending, is_log, is_proto, kind_of};
use crate::error::{Error, ErrorKind, Problems};
use crate::source::InputMeta;
use std::collections::BTreeMap;

/// How many first bytes of a file are kept: more than the first line of a dump has that broke off, and enough to see
/// that names without the rest of their profile are no text.
pub(super) const HEAD: usize = 256;

/// Kinds of names that are kept of an argument; dumps of one folder have few.
const KINDS: usize = 100;

/// What a file holds that isn't a dump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Held {
    Nothing,
    Zeros,
    /// The first bytes of a dump, or of a file that is packed.
    Start,
    /// Bytes that are no text.
    Binary,
    /// Frames of a dump that has lost its first lines.
    Frames,
    /// What Git LFS or git-annex puts in the place of a file that it hasn't fetched, as in CI jobs.
    Pointer,
    /// What a server answers that has no dump, such as `404 page not found`.
    Refusal,
    Other,
}

impl Held {
    /// What a file of so many bytes holds that begins with these; `base` is its name.
    pub(super) fn of(base: &str, head: &[u8], only_zeros: bool, bytes: u64) -> Held {
        match bytes {
            0 => Held::Nothing,
            // An archive without members has nothing else.
            _ if only_zeros && has_ending(base, &["tar", "tgz"]) => Held::Other,
            _ if only_zeros => Held::Zeros,
            _ if bytes == head.len() as u64 && is_start(head) => Held::Start,
            _ if base.starts_with("._") && head.starts_with(APPLE_DOUBLE) => Held::Other,
            _ if is_proto(base) && is_rest_of_proto(head) => Held::Binary,
            _ if !is_proto(base) && is_binary(head) => Held::Binary,
            // `curl -i` writes the headers of an answer in front of its bytes.
            _ if head.starts_with(b"HTTP/1.") && has_ending(base, &PROFILES) => Held::Binary,
            _ if POINTERS.iter().any(|start| head.starts_with(start)) => Held::Pointer,
            _ if bytes <= LONGEST_REFUSAL && is_refusal(head) => Held::Refusal,
            _ => Held::Other,
        }
    }

    fn words(self) -> Option<&'static str> {
        match self {
            Held::Nothing => Some("is empty"),
            Held::Zeros => Some("has nothing but zero bytes"),
            Held::Start => Some("is cut in the first bytes of a dump"),
            Held::Binary => Some("has bytes of no text or profile"),
            Held::Frames => Some("has frames without the header of their goroutine or profile"),
            Held::Pointer => {
                Some("is a pointer to a file that Git LFS or git-annex hasn't fetched")
            }
            Held::Refusal => Some("has the answer of a server that gave no dump"),
            Held::Other => None,
        }
    }
}

/// First lines of dumps, and the magic bytes of gzip, zstd and zip.
const STARTS: [&[u8]; 9] = [
    b"goroutine ",
    b"goroutine profile: total ",
    b"goroutineleak profile: total ",
    b"panic: ",
    b"fatal error: ",
    b"SIGQUIT: quit",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"PK\x03\x04",
];

/// What macOS puts into archives beside each file, as `._NAME`, starts with it.
const APPLE_DOUBLE: &[u8] = b"\0\x05\x16\x07";

/// Whether these are bytes of no text, nor of a format that starts with its name, as ELF, execution traces and dumps of
/// databases do. Command lines have NULs between words, texts of terminals backspaces, bells and escapes.
fn is_binary(head: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(byte, 0x01..=0x06 | 0x0e..=0x1a | 0x1c..=0x1f);
    let controls = head.iter().filter(is_control).count();
    // Old encodings of text have other bytes, and some texts have single control characters.
    let most = if is_utf8(head) { 2 } else { 0 };
    let start = head.iter().skip_while(|&&byte| byte == 0x7f);
    let has_name = start.take(3).all(|byte| matches!(byte, b' '..=b'~'));
    is_hole(head) || controls > most && !has_name
}

/// Whether a file with the name of a proto that isn't one has the bytes of one behind its first, which can start with
/// any name; only execution traces are known by theirs.
fn is_rest_of_proto(head: &[u8]) -> bool {
    let is_control = |byte: &u8| matches!(byte, 0x01..=0x08 | 0x0b | 0x0c | 0x0e..=0x1f);
    is_hole(head) || head.iter().any(is_control) && !head.starts_with(b"go 1.")
}

/// Whether all bytes are what the holes of files and of erased storage have.
fn is_hole(head: &[u8]) -> bool {
    [0, 0xff].iter().any(|hole| head.iter().all(|byte| byte == hole))
}

/// Whether a text is UTF-8; a character at the end may be cut.
fn is_utf8(head: &[u8]) -> bool {
    std::str::from_utf8(head).err().is_none_or(|error| error.error_len().is_none())
}

/// Whether all of a file is the start of a dump; of its first line there may be a number, too.
fn is_start(text: &[u8]) -> bool {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let without_number = text.get(..text.len() - digits).unwrap_or_default();
    let is_start = |start: &&[u8]| {
        start.starts_with(text) || digits > 0 && *start == without_number && start.ends_with(b" ")
    };
    STARTS.iter().any(is_start)
}

/// What the pointers of Git LFS and git-annex begin with.
const POINTERS: [&[u8]; 3] = [
    b"version https://git-lfs.github.com/spec/",
    b"version https://hawser.github.com/spec/",
    b"/annex/objects/",
];

/// Longer pages aren't about what could not be had.
const LONGEST_REFUSAL: u64 = 4 << 10;

/// Whether a file starts as Go's servers, proxies and curl answer instead of a dump.
fn is_refusal(head: &[u8]) -> bool {
    const REFUSALS: [&[u8]; 12] = [
        b"404 page not found",
        b"unknown profile",
        b"could not enable cpu profiling",
        b"profile duration exceeds",
        b"unauthorized",
        b"forbidden",
        b"bad gateway",
        b"internal server error",
        b"upstream connect error",
        b"<html",
        b"<!doctype html",
        b"curl: (",
    ];
    let text = head.trim_ascii_start().to_ascii_lowercase();
    REFUSALS.iter().any(|refusal| text.starts_with(refusal))
}

/// Files of one unit or argument that aren't dumps and that nobody named, and its dumps, by the kind of their names.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// How many aren't dumps.
    pub(super) skipped: u64,
    kinds: BTreeMap<String, Kind>,
    /// Pointers in the place of what is a dump by its ending. Git LFS tracks files by their endings, so mostly all of
    /// a kind are pointers.
    pointers: Problems,
}

#[derive(Debug, Default)]
struct Kind {
    dumps: u64,
    /// Files that hold something else.
    others: u64,
    /// Empty files, answers of servers and bytes of another kind: told where most files of the kind are dumps.
    doubtful: Problems,
    /// Files of zeros, and parts of dumps.
    cut: Problems,
}

impl Files {
    fn kind(&mut self, kind: String) -> Option<&mut Kind> {
        let is_kept = self.kinds.len() < KINDS || self.kinds.contains_key(&kind);
        is_kept.then(|| self.kinds.entry(kind).or_default())
    }

    /// Adds a dump, and the archives in which it is.
    pub(super) fn dump(&mut self, member: &str) {
        for file in member.split('!') {
            if let Some(kind) = self.kind(kind_of(base_name(file))) {
                kind.dumps += 1;
            }
        }
    }

    /// Adds a file that isn't one.
    pub(super) fn skip(&mut self, meta: &InputMeta, held: Held) {
        self.skipped += 1;
        let base = base_name(&meta.member);
        let words = held.words();
        if held == Held::Pointer
            && [&PROFILES[..], &OTHERS].iter().any(|known| has_ending(base, known))
        {
            let what = words.unwrap_or_default();
            let error = Error::new(ErrorKind::Damaged, meta.path.as_str(), what);
            self.pointers.push(error.advise("fetch it: `git lfs pull`"));
            return;
        }
        let Some(kind) = self.kind(kind_of(base)) else { return };
        let Some(words) = words else {
            kind.others += 1;
            return;
        };
        let what = format!("{words}, and dumps beside it have names of the same kind");
        let error = Error::new(ErrorKind::Damaged, meta.path.as_str(), what)
            .advise("take it anew, or remove it if it isn't one");
        match held {
            Held::Nothing if is_log(base) => {}
            Held::Nothing | Held::Refusal | Held::Binary => kind.doubtful.push(error),
            _ => kind.cut.push(error),
        }
    }

    /// Adds the files of another unit behind these.
    pub(super) fn append(&mut self, others: Files) {
        self.skipped += others.skipped;
        self.pointers.append(others.pointers);
        for (name, Kind { dumps, others, doubtful, cut }) in others.kinds {
            let Some(kind) = self.kind(name) else { continue };
            kind.dumps += dumps;
            kind.others += others;
            kind.doubtful.append(doubtful);
            kind.cut.append(cut);
        }
    }

    /// What is left of dumps.
    pub(super) fn remains(self) -> Problems {
        let mut all = self.pointers;
        for kind in self.kinds.into_values().filter(|kind| kind.dumps > 0) {
            all.append(kind.cut);
            // Where most files are something else, as among the logs of all containers of a cluster, an empty
            // one or an answer says nothing.
            if kind.dumps > kind.others {
                all.append(kind.doubtful);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_dump_is_told_from_other_short_files() {
        for start in
            ["gor", "goroutine 1", "goroutine profile: tot", "goroutine profile: total 31", "\x1f"]
        {
            assert!(is_start(start.as_bytes()), "{start}");
        }
        for other in ["", "gone", "1", "panic: boom", "panic: 5x", "SIGQUIT: quit7"] {
            assert!(other.is_empty() || !is_start(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn bytes_that_a_name_does_not_say_are_told_from_text() {
        for (base, head, held) in [
            ("a.pb.gz", &b"\x8b\x08\0\0\x02\x1f\x0e"[..], Held::Binary),
            ("a.out", b"\x1f\xef\xbf\xbd\x08\x01\x02", Held::Binary),
            ("a", b"PK\x03\x05x\x01\x02", Held::Binary),
            ("a.pb", b"\xff\xfe\x1f\0\x01\0\x0f", Held::Binary),
            ("a.txt", b"\x1b[31mtext\r\n\tx", Held::Other),
            ("a.txt", b"\xff\xfet\0e\0x\0t\0", Held::Other),
            ("a.log", b"\x1e{}\x07|\x08/\x08", Held::Other),
            ("a.pb.gz", b"HTTP/1.1 200 OK\r\n", Held::Binary),
            ("healthz.txt", b"HTTP/1.1 200 OK\r\n", Held::Other),
            ("a.prof", b"go 1.23 trace\0\0\0\x05\x01\x02", Held::Other),
            ("a.out", b"\x7fELF\x02\x01\x01\xff", Held::Other),
            ("a.pb.gz", b"/bin/shop\0-v\0", Held::Other),
            ("a.pb.gz", b"go 1.23 trace\0\0\0\x05\x01\x02", Held::Other),
            ("a.prof", b"main.startAll.func3\x32\x14main.", Held::Binary),
            ("a.pprof", b"main.startAll.func3\x32\x14main.", Held::Binary),
            ("a.pb", b"IB~I\xd8Q\xd9\x1f", Held::Binary),
            ("a.txt", b"main.startAll.func3\x32\x14main.", Held::Other),
            ("._a.txt", b"\0\x05\x16\x07\0\x02\0\0Mac OS X", Held::Other),
            ("a.pb.gz", &[0; HEAD], Held::Binary),
            ("a.pb.gz", &[0xff; HEAD], Held::Binary),
        ] {
            assert_eq!(Held::of(base, head, false, 100), held, "{base} {head:?}");
        }
    }

    #[test]
    fn answers_of_servers_are_told_from_other_texts() {
        let of = |text: &str| Held::of("a", text.as_bytes(), false, text.len() as u64);
        for refusal in [
            "404 page not found\n",
            "Unknown profile\n",
            "<HTML><body>502 Bad Gateway",
            "curl: (7) x",
        ] {
            assert_eq!(of(refusal), Held::Refusal, "{refusal}");
        }
        for other in ["404 items", "notes", "a <html> page"] {
            assert_eq!(of(other), Held::Other, "{other}");
        }
        assert_eq!(Held::of("a", b"<html>", false, 1 << 20), Held::Other);
    }
}

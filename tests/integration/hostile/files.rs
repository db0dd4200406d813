//! The small hostile files of `testdata/hostile/`, each with the answer that it must get.

use super::write::*;

/// A file; the exit code of the commands that read it; the goroutines that are read all the same,
/// where they can be told; what the message must say.
pub(super) struct Hostile {
    pub(super) name: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) code: i32,
    pub(super) goroutines: Option<i64>,
    /// Where that is nothing, there must be no message.
    pub(super) says: &'static str,
}

impl Hostile {
    /// What is read: of tables, their folder.
    pub(super) fn argument(&self) -> &'static str {
        self.name.strip_suffix("/inputs.parquet").unwrap_or(self.name)
    }
}

/// One goroutine.
pub(super) const ONE: &[u8] = b"goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n\n";

/// What starts lines, steers terminals and runs in spreadsheets, around a name.
pub(super) const EVIL: &str = "=1\u{1b}[31mX\u{1b}]0;t\u{7}\r\u{7f}\u{9b}2J\u{202e}\u{2066}";

pub(super) fn all() -> Vec<Hostile> {
    let mut files = archives();
    files.extend(compressed());
    files.extend(tars());
    files.extend(protos());
    files.extend(texts());
    #[cfg(feature = "parquet")]
    files.extend(super::tables::all());
    files.sort_by_key(|file| file.name);
    files
}

/// What is said of goroutines with the same id.
const REPEATED: &str = "goroutine 1 stands more than once; each is counted";

/// What is said of sums that don't fit.
const LARGE_SUMS: &str =
    "sums may be larger than 64 bits can hold and are then shown as the largest number";

fn ok(name: &'static str, bytes: Vec<u8>, goroutines: i64) -> Hostile {
    Hostile { name, bytes, code: 0, goroutines: Some(goroutines), says: "" }
}

fn warned(name: &'static str, bytes: Vec<u8>, goroutines: i64, says: &'static str) -> Hostile {
    Hostile { name, bytes, code: 0, goroutines: Some(goroutines), says }
}

fn bad(
    name: &'static str,
    bytes: Vec<u8>,
    goroutines: impl Into<Option<i64>>,
    says: &'static str,
) -> Hostile {
    Hostile { name, bytes, code: 2, goroutines: goroutines.into(), says }
}

fn archives() -> Vec<Hostile> {
    let a = member("a.txt", ONE.repeat(50));
    let whole = zip(std::slice::from_ref(&a));
    let with = |change: &dyn Fn(&mut Member)| {
        let mut changed = a.clone();
        change(&mut changed);
        zip(&[changed])
    };
    let paths =
        ["../../etc/evil.txt", "/abs/evil.txt", "a\\b.txt", "x\u{1b}[31mred.txt", "n\nl.txt"];
    let nested = |inner: Vec<u8>| zip(&[member("in.zip", inner)]);
    let inner = nested(nested(zip(&[member("deep.txt", ONE)])));
    vec![
        bad("overlap.zip", zip_with(std::slice::from_ref(&a), 20, None), None, "overlap"),
        warned(
            "declared.zip",
            with(&|a| a.declared = Some(0xffff_fffe)),
            50,
            "holds 2750 bytes where the archive announces 4294967294",
        ),
        bad("checksum.zip", with(&|a| a.checksum = Some(7)), None, "checksum"),
        bad("cut.zip", whole[..whole.len() - 30].to_vec(), None, "cut.zip"),
        bad("encrypted.zip", with(&|a| a.flags = 1), None, "encrypted"),
        bad("method.zip", with(&|a| a.method = 99), None, "method.zip"),
        ok("paths.zip", zip(&paths.map(|name| member(name, ONE))), 5),
        bad(
            "twice.zip",
            zip(&[member("a.txt", ONE), member("a.txt", ONE.repeat(2))]),
            None,
            "twice.zip",
        ),
        ok("nested.zip", nested(zip(&[member("in.txt", ONE)])), 1),
        bad("deep.zip", inner, None, "deep.zip"),
        warned(
            "prefix.zip",
            [b"#!/bin/sh\nexit 0\n".to_vec(), whole.clone()].concat(),
            50,
            REPEATED,
        ),
        bad("empty.zip", zip(&[]), None, "empty.zip"),
        bad("count.zip", zip_with(std::slice::from_ref(&a), 1, Some(0xfffe)), None, "count.zip"),
        warned(
            "names.zip",
            with(&|a| a.local_name = Some(b"b.txt".to_vec())),
            50,
            "is \"b.txt\" by its own header",
        ),
        bad(
            "sealed.zip",
            zip(&[member("none.txt", b""), member("b.bin", [0; 100])]),
            None,
            "sealed.zip",
        ),
    ]
}

fn compressed() -> Vec<Hostile> {
    let many = gzip(&ONE.repeat(1000), 0);
    let mut checksum = many.clone();
    let at = checksum.len() - 8;
    checksum[at] ^= 1;
    // One raw block behind a header that says nothing but a window of 128 KiB and more.
    let zstd = |window: u8, bytes: &[u8]| {
        let head = (bytes.len() as u32) << 3 | 1;
        [b"\x28\xb5\x2f\xfd\x00", &[window][..], &head.to_le_bytes()[..3], bytes].concat()
    };
    let skippable = [b"\x50\x2a\x4d\x18", &400_u32.to_le_bytes()[..], b"only a part"].concat();
    vec![
        bad("cut.gz", many[..many.len() / 2].to_vec(), None, "cut.gz"),
        warned("two.gz", [gzip(ONE, 0), gzip(ONE, 0)].concat(), 2, REPEATED),
        warned("junk.gz", [gzip(ONE, 0), b"garbage!".to_vec()].concat(), 1, "junk.gz"),
        bad("checksum.gz", checksum, None, "checksum"),
        bad("window.zst", zstd(0xff, ONE), None, "128 are allowed (zstd_window)"),
        bad("skippable.zst", [zstd(0x38, ONE), skippable].concat(), None, "skippable.zst"),
    ]
}

fn tars() -> Vec<Hostile> {
    let end = vec![0; 1024];
    let file = |name: &str| tar_entry(b'0', name.as_bytes(), ONE);
    let long = |kind: u8, length: usize| tar_entry(kind, b"././@LongLink", &vec![b'x'; length]);
    let link = tar_entry(b'2', b"link.txt", b"");
    vec![
        ok("two.tar", [file("a.txt"), end.clone(), file("b.txt"), end.clone()].concat(), 2),
        bad("cut.tar", [file("a.txt"), vec![0; 100]].concat(), 1, "cut.tar"),
        ok("name.tar", [long(b'L', 5000), file("a.txt"), end.clone()].concat(), 1),
        ok(
            "pax.tar",
            [tar_entry(b'x', b"pax", b"99 size=1\n"), file("a.txt"), end.clone()].concat(),
            1,
        ),
        warned(
            "link.tar",
            [link, file("../../a.txt"), end.clone()].concat(),
            1,
            "link.txt: is empty, and dumps beside it have names of the same kind",
        ),
        bad("size.tar", [file("a.txt")[..512].to_vec(), end].concat(), None, "size.tar"),
    ]
}

fn protos() -> Vec<Hostile> {
    let plain = Proto::default();
    let with = |change: &dyn Fn(&mut Proto)| {
        let mut changed = plain.clone();
        change(&mut changed);
        changed.bytes()
    };
    let sample = |stack: &[i64], values: &[i64]| (stack.to_vec(), values.to_vec(), Vec::new());
    let whole = plain.bytes();
    let mut deep = Vec::new();
    for _ in 0..5000 {
        deep = field(99, &deep);
    }
    let evil =
        |name: &str| format!("{name}{EVIL}\nstackgazer: forged\n::stop-commands::x").into_bytes();
    vec![
        bad("location.pb", with(&|p| p.samples[0].0 = vec![9]), None, "location 9"),
        bad("function.pb", with(&|p| p.locations[0].2 = vec![(77, 3)]), None, "function 77"),
        bad("string.pb", with(&|p| p.functions[0].1 = 99), None, "99"),
        bad("negative-string.pb", with(&|p| p.functions[0].1 = -1), None, "-1"),
        ok("mapping.pb", with(&|p| p.locations[0].1 = 9), 5),
        bad("zero.pb", with(&|p| p.locations[0].0 = 0), None, "0"),
        bad("twice.pb", with(&|p| p.locations.push((1, 1, vec![(1, 4)]))), None, "1"),
        ok(
            "huge-id.pb",
            with(&|p| {
                p.locations[0].0 = i64::MIN + 5;
                p.samples[0].0 = vec![i64::MIN + 5];
            }),
            5,
        ),
        bad("values.pb", with(&|p| p.samples[0].1 = vec![5, 6]), None, "values"),
        bad("types.pb", with(&|p| p.types.clear()), None, "types"),
        ok("negative.pb", with(&|p| p.samples[0].1 = vec![-5]), -5),
        Hostile {
            goroutines: None,
            ..warned(
                "overflow.pb",
                with(&|p| p.samples = vec![sample(&[1], &[i64::MAX]); 2]),
                0,
                LARGE_SUMS,
            )
        },
        warned("least.pb", with(&|p| p.samples[0].1 = vec![i64::MIN]), i64::MIN, LARGE_SUMS),
        bad("first-string.pb", with(&|p| p.strings[0] = b"full".to_vec()), None, "string"),
        bad("no-strings.pb", with(&|p| p.strings.clear()), None, "string"),
        warned(
            "not-utf8.pb",
            with(&|p| p.strings[3] = b"main.\xff\xfe".to_vec()),
            5,
            "names that aren't UTF-8 are shown with replacement characters",
        ),
        bad("cut.pb", whole[..whole.len() - 3].to_vec(), None, "cut.pb"),
        bad(
            "length.pb",
            with(&|p| p.extra = b"\x12\x80\x80\x80\x80\x80\x20".to_vec()),
            None,
            "byte",
        ),
        bad("group.pb", with(&|p| p.extra = b"\xc3\x02\xc4\x02".to_vec()), None, "group"),
        bad("varint.pb", vec![0xff; 11], None, "varint.pb"),
        bad("empty.pb", Vec::new(), None, "empty"),
        bad(
            "joined.pb",
            [with(&|p| p.extra = number(9, 5)), with(&|p| p.extra = number(9, 5))].concat(),
            None,
            "concatenated",
        ),
        bad(
            "times.pb",
            with(&|p| p.extra = [number(9, 5), number(9, 6)].concat()),
            None,
            "concatenated",
        ),
        ok("unknown.pb", with(&|p| p.extra = [field(99, b"xxx"), number(98, 7)].concat()), 5),
        ok("deep.pb", with(&|p| p.extra.clone_from(&deep)), 5),
        ok("labels.pb", with(&|p| p.samples[0].2 = vec![[3, 4, 0, 0]; 10_000]), 5),
        ok("recursive.pb", with(&|p| p.samples[0].0 = vec![1; 50_000]), 5),
        ok("line.pb", with(&|p| p.locations[0].2 = vec![(1, -7)]), 5),
        // One location of 3,000 inlined frames, and stacks that have it once, twice, and 400 times.
        bad(
            "inlined.pb",
            with(&|p| {
                p.locations[0].2 = vec![(1, 3); 3000];
                p.samples = [1, 2, 400].map(|depth| sample(&vec![1; depth], &[1])).to_vec();
            }),
            Some(2),
            "proto_frames",
        ),
        ok(
            "names.pb",
            with(&|p| {
                p.strings[3] = evil("main.f");
                p.strings[4] = evil("/src/a.go");
                p.strings.extend([evil("key"), evil("value")]);
                p.samples[0].2 = vec![[5, 6, 0, 0]];
            }),
            5,
        ),
    ]
}

fn texts() -> Vec<Hostile> {
    let many_states: String = (0..300)
        .map(|at| format!("goroutine {at} [state {at}]:\nmain.f()\n\t/a.go:1\n\n"))
        .collect();
    let repeated = ONE.repeat(20);
    let shifted = |bytes: &[u8]| -> Vec<u8> {
        [b"\xff\xfe".to_vec(), bytes.iter().flat_map(|&byte| [byte, 0]).collect()].concat()
    };
    let mut odd = shifted(ONE);
    odd.pop();
    // The first number that has more than 64 bits.
    let of_huge_id = String::from_utf8_lossy(ONE).replace(" 1 ", &format!(" {} ", 1_u128 << 64));
    let label =
        r#"{"level":"info","msg":"goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n"}"#;
    vec![
        ok("states.txt", many_states.into_bytes(), 300),
        warned("repeated-id.txt", repeated, 20, REPEATED),
        ok("escaped.jsonl", label.as_bytes().to_vec(), 1),
        bad("nul.txt", vec![0; 4096], None, "nul.txt"),
        bad("empty.txt", Vec::new(), None, "empty"),
        bad("nested.json", [b"[".repeat(50_000), b"]".repeat(50_000)].concat(), None, "nested.json"),
        warned("odd.utf16.txt", odd, 1, "UTF-16 with a byte too few or too many: characters are missing"),
        warned(
            "huge-id.txt",
            [ONE, of_huge_id.as_bytes()].concat(),
            1,
            "a line looks like the header of a goroutine and wasn't read as one (line 5)",
        ),
        warned("number.txt", b"goroutine 18446744073709551615 [select, 9999999999999999999 minutes]:\nmain.f()\n\t/a.go:99999999999999999999 +0x1d\n\n".to_vec(), 1, "a part of this goroutine is missing (line 1)"),
        warned("names.txt", format!(
            "goroutine 1 [{EVIL}] {{\"{EVIL}\":\"v{EVIL}\"}}:\nmain.{EVIL}()\n\t/src/{EVIL}.go:3 +0x1d\n\n"
        ).into_bytes(), 1, "a part of this goroutine is missing (line 1)"),
    ]
}

mod containers;

use super::*;
use crate::error::ErrorKind;
use crate::error::Problem;
use proptest::prelude::*;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

fn goroutines(ids: std::ops::Range<u32>) -> Vec<u8> {
    let one =
        |id| format!("goroutine {id} [select]:\nmain.work{}()\n\t/src/a.go:3 +0x1d\n\n", id % 7);
    ids.map(one).collect::<String>().into_bytes()
}

fn zip_of(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, ::zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> OsString {
        let path: PathBuf = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path.into()
    }
}

fn load_all(arguments: &[OsString], options: &LoadOptions) -> Loaded {
    load(arguments, options).unwrap()
}

fn names(loaded: &Loaded) -> Vec<&str> {
    loaded.profile.inputs.iter().map(|input| input.name.as_str()).collect()
}

fn counts(loaded: &Loaded) -> Vec<i64> {
    loaded.profile.inputs.iter().map(|input| input.goroutines).collect()
}

#[test]
fn the_result_is_the_same_for_any_number_of_threads() {
    let folder = Folder::new();
    let members: Vec<(String, Vec<u8>)> = (0..40)
        .map(|at| (format!("nodes/{at}/stacks.txt"), goroutines(at..at * 30 % 700 + 50)))
        .collect();
    let members: Vec<(&str, Vec<u8>)> =
        members.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let arguments = [
        folder.file("a.zip", zip_of(&members)),
        folder.file("b.txt", goroutines(0..5)),
        folder.file("c.txt", "no dump"),
    ];
    let keep = Keep { goroutines: true, addresses: true, ..Keep::default() };
    let with = |threads| {
        let options = LoadOptions { threads, keep, ..LoadOptions::default() };
        format!("{:?}", load_all(&arguments, &options))
    };
    let one = with(1);
    assert!(one == with(2) && one == with(8));
}

#[test]
fn a_file_whose_calls_have_addresses_is_read_by_one_reader_where_they_are_kept() {
    let folder = Folder::new();
    let call = |id| {
        let place = format!("/src/a.go:3 +0x1d fp=0xc000012fb8 sp=0xc000012f98 pc=0x47{id}");
        format!("goroutine {id} [select]:\nmain.f(0x1)\n\t{place}\n\n")
    };
    let arguments = [folder.file("dump.txt", (100..400).map(call).collect::<String>())];
    let keep = Keep { goroutines: true, calls: true, ..Keep::default() };
    let with = |threads| {
        let options = LoadOptions { threads, keep, ..LoadOptions::default() };
        load_all(&arguments, &options)
    };
    let one = with(1);
    assert!(one.profile.samples.len() >= 300, "parts of a file would be merged without addresses");
    assert_eq!(format!("{one:?}"), format!("{:?}", with(4)));
}

#[test]
fn goroutines_on_disk_are_those_that_would_be_in_memory() {
    let folder = Folder::new();
    let waiting = |id| {
        let frames = "sync.runtime_Semacquire(0xc000012350)\n\t/s/sema.go:7 +0x1d\n\
                      sync.(*WaitGroup).Wait(0xc000012348)\n\t/s/waitgroup.go:1 +0x1d\n";
        format!("goroutine {id} [sync.WaitGroup.Wait, {id} minutes]:\n{frames}\n")
    };
    let arguments: Vec<OsString> = (0..9)
        .map(|at| {
            let mut text = goroutines(0..at % 3 * 4 + at % 2);
            text.extend((1..at).map(waiting).collect::<String>().bytes());
            folder.file(&format!("{at}.txt"), text)
        })
        .collect();
    let keep = Keep { goroutines: true, addresses: true, ..Keep::default() };
    let rows = |threads, spill: Option<&std::path::Path>| {
        let spill = spill.map(ToOwned::to_owned);
        let options = LoadOptions { threads, keep, spill, ..LoadOptions::default() };
        let profile = load_all(&arguments, &options).profile;
        let goroutines = profile.all_goroutines().map(|row| format!("{:?}", row.unwrap()));
        let mut rows: Vec<String> = goroutines.collect();
        let addresses = profile.each_address(|row, words| {
            rows.push(format!("{row:?} {words:?}"));
            Ok(())
        });
        addresses.unwrap();
        (rows, format!("{:?}", profile.inputs), profile.goroutines.len(), profile.addresses.len())
    };
    let (all, inputs, count, addresses) = rows(1, None);
    assert!(count > 50 && addresses > 20 && inputs.contains("more than once"), "{count} {inputs}");
    for threads in [1, 4] {
        let (spilled, warned, held, addresses) = rows(threads, Some(folder.0.path()));
        assert!(held < 20 && addresses < 20, "{held} goroutines and {addresses} are in memory");
        assert_eq!((&spilled, &warned), (&all, &inputs), "{threads} threads");
    }
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 9, "nothing is left there");
    let nowhere = LoadOptions { keep, spill: Some("/no/folder".into()), ..LoadOptions::default() };
    assert_eq!(load(&arguments, &nowhere).unwrap_err().kind, ErrorKind::Io);
}

#[test]
fn members_are_named_by_what_tells_them_apart() {
    let folder = Folder::new();
    let archive = zip_of(&[
        ("debug/nodes/10/stacks.txt", goroutines(0..1)),
        ("debug/nodes/9/stacks.txt", goroutines(0..2)),
    ]);
    let arguments = [
        folder.file("debug.zip", archive),
        folder.file("x/stacks.txt", goroutines(0..3)),
        folder.file("y/stacks.txt", goroutines(0..4)),
        folder.file("123", goroutines(0..5)),
    ];
    let loaded = load_all(&arguments, &LoadOptions::default());
    assert_eq!(names(&loaded), ["n9", "n10", "stacks.txt", "stacks.txt#2", "n123"]);
    assert_eq!(counts(&loaded), [2, 1, 3, 4, 5]);
    let points: Vec<usize> = loaded.profile.inputs.iter().map(|input| input.point).collect();
    assert_eq!(points, [0, 0, 1, 2, 3]);
    assert_eq!(loaded.profile.inputs[0].member, "debug/nodes/9/stacks.txt");
    assert!(loaded.errors.is_empty(), "{:?}", loaded.errors);
}

#[test]
fn names_are_given_by_the_user_before_they_are_found_in_content() {
    let folder = Folder::new();
    let archive = zip_of(&[
        ("1/stacks.txt", goroutines(1..3)),
        ("2/stacks.txt", goroutines(20..23)),
        ("3/stacks.txt", goroutines(300..301)),
    ]);
    let mut options = LoadOptions::default();
    options.source.input_names = vec!["2/stacks.txt=web".to_owned()];
    options.extract = Some(Arc::new(|line: &[u8]| {
        let id = line.strip_prefix(b"goroutine ")?.split(|byte| *byte == b' ').next()?;
        (id.len() < 3).then(|| String::from_utf8_lossy(id).into_owned())
    }));
    let loaded = load_all(&[folder.file("a.zip", archive)], &options);
    assert_eq!(names(&loaded), ["n1", "web", "n3"]);
}

#[test]
fn a_name_for_no_input_is_an_error() {
    let folder = Folder::new();
    let mut options = LoadOptions::default();
    options.source.input_names = vec!["other=web".to_owned()];
    let loaded = load_all(&[folder.file("a.txt", goroutines(0..1))], &options);
    assert_eq!(loaded.errors.count(), 1);
    assert_eq!(names(&loaded), ["a.txt"]);
}

#[test]
fn labels_of_paths_stand_at_their_inputs() {
    let folder = Folder::new();
    let path = folder.file("nodes/3/stacks.txt", goroutines(0..1));
    let loaded = load_all(&[path], &LoadOptions::default());
    let profile = &loaded.profile;
    let labels = profile.labels(profile.inputs[0].labels);
    assert_eq!(labels.len(), 1);
    assert_eq!(profile.str(labels[0].key), b"node");
    assert_eq!(&*profile.label_text(labels[0].value), b"3");
}

#[test]
fn one_bad_input_does_not_take_the_others_down() {
    let folder = Folder::new();
    let mut damaged =
        zip_of(&[("a/stacks.txt", goroutines(0..9)), ("b/stacks.txt", goroutines(0..2))]);
    let central = damaged.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    damaged[central + 16] ^= 1;
    let arguments = [
        folder.file("damaged.zip", damaged),
        folder.file("unknown.txt", "nothing known"),
        folder.file("empty.txt", ""),
        folder.0.path().join("missing").into(),
        folder.file("good.txt", goroutines(0..3)),
    ];
    let loaded = load_all(&arguments, &LoadOptions::default());
    // Nothing of the member with the wrong checksum counts.
    assert_eq!(counts(&loaded), [2, 3]);
    let errors: Vec<String> = loaded.errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 4, "{errors:#?}");
    assert!(errors.iter().any(|error| error.contains("checksum")));
    assert!(errors.iter().any(|error| error.contains("empty.txt: is empty")));
}

#[test]
fn members_that_come_to_nothing_leave_no_trace_in_others() {
    let folder = Folder::new();
    let other = b"goroutine 1 [select]:\nmain.other()\n\t/src/other.go:3 +0x1d\n\n".to_vec();
    let good = |at| (["nodes/1/dump", "nodes/9/dump"][at], goroutines(0..at as u32 * 5 + 2));
    let with = |members: &[(&str, Vec<u8>)]| {
        let mut archive = zip_of(members);
        if let Some(at) = members.iter().position(|(_, bytes)| *bytes == other) {
            // The checksum of that member.
            let entries = archive.windows(4).enumerate().filter(|(_, at)| at == b"PK\x01\x02");
            let (entry, _) = entries.clone().nth(at).unwrap();
            archive[entry + 16] ^= 1;
        }
        let options = LoadOptions { threads: 1, ..LoadOptions::default() };
        load_all(&[folder.file("a.zip", archive)], &options)
    };
    let tables = |Loaded { profile, .. }: &Loaded| {
        let stacks: Vec<_> = profile.stacks().map(|id| profile.stack(id).to_vec()).collect();
        format!("{:?} {:?} {stacks:?}", profile.strings, profile.frames())
    };
    let alone = with(&[good(0), good(1)]);
    let readme = ("nodes/4/readme", b"text".to_vec());
    let among = with(&[readme, good(0), ("nodes/5/dump", other.clone()), good(1)]);
    assert_eq!((among.errors.count(), among.skipped), (1, 1), "{:?}", among.errors);
    assert_eq!(counts(&among), counts(&alone));
    assert_eq!(tables(&among), tables(&alone));
}

#[test]
fn sample_types_come_in_the_order_of_the_inputs() {
    let folder = Folder::new();
    let heap = "heap profile: 1: 5 [1: 5] @ heap/1048576\n1: 5 [1: 5] @ 0x1\n#\t0x1\tmain.f+0x1\t/a.go:1\n";
    let (dump, heap) = (folder.file("dump.txt", goroutines(0..1)), folder.file("heap.txt", heap));
    let types = |arguments: &[OsString]| -> Vec<String> {
        let Loaded { profile, .. } = load_all(arguments, &LoadOptions::default());
        let name = |kind: &crate::profile::SampleType| profile.str(kind.kind).to_vec();
        let names = profile.sample_types().iter().map(name);
        names.map(|name| String::from_utf8(name).unwrap()).collect()
    };
    assert_eq!(types(&[dump.clone(), heap.clone()]).first().unwrap(), "goroutine");
    assert_eq!(types(&[heap, dump]).last().unwrap(), "goroutine");
}

#[test]
fn what_was_whole_of_a_cut_input_counts() {
    let folder = Folder::new();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&goroutines(0..5000)).unwrap();
    let packed = encoder.finish().unwrap();
    let cut = folder.file("cut.gz", &packed[..packed.len() / 2]);
    let loaded = load_all(&[cut], &LoadOptions::default());
    let count = counts(&loaded)[0];
    assert!(count > 100 && count < 5000, "{count}");
    assert_eq!(loaded.errors.count(), 1);
    assert!(loaded.errors.iter().next().unwrap().error.to_string().contains("is cut"));
}

#[test]
fn a_name_from_the_label_of_a_proto_is_kept_as_it_is() {
    // One sample with the label `node` = 7, that has no stack.
    let proto = b"\x0a\x04\x08\x01\x10\x02\x12\x09\x12\x01\x01\x1a\x04\x08\x03\x18\x07\x32\0\
                  \x32\x09goroutine\x32\x05count\x32\x04node";
    let folder = Folder::new();
    let extract = |line: &[u8]| {
        let name = line.strip_prefix(b"node=").or_else(|| line.strip_prefix(b"goroutine "))?;
        Some(String::from_utf8_lossy(&name[..1]).into_owned())
    };
    let options = LoadOptions { extract: Some(Arc::new(extract)), ..LoadOptions::default() };
    let arguments = [folder.file("a.pb", proto), folder.file("a.txt", goroutines(8..9))];
    assert_eq!(names(&load_all(&arguments, &options)), ["7", "n8"]);
}

#[test]
fn the_budget_of_the_run_ends_at_the_same_input_for_any_number_of_threads() {
    let folder = Folder::new();
    let text = goroutines(0..100);
    let members: Vec<(String, Vec<u8>)> =
        (0..20).map(|at| (format!("{at}/stacks.txt"), text.clone())).collect();
    let members: Vec<(&str, Vec<u8>)> =
        members.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let archive = folder.file("a.zip", zip_of(&members));
    // The limit itself can be reached.
    for (threads, count, more) in
        [(1, 7, 10), (2, 7, 10), (8, 7, 10), (1, 7, 0), (2, 7, 0), (1, 19, 0), (2, 19, 0)]
    {
        let mut options = LoadOptions { threads, ..LoadOptions::default() };
        options.source.max_bytes = Some((text.len() * count + more) as u64);
        let loaded = load_all(std::slice::from_ref(&archive), &options);
        assert_eq!(counts(&loaded), vec![100; count], "{threads} threads");
        let [Problem { error, more: 0 }] = loaded.errors.iter().as_slice() else {
            panic!("{:?}", loaded.errors)
        };
        assert!(error.input.ends_with(&format!("!{count}/stacks.txt")), "{error}");
        let rest = error.what.split_once(", so ").map_or("", |(_, rest)| rest);
        assert_eq!(rest, if count == 7 { "12 more aren't read" } else { "" }, "{error}");
    }
}

#[test]
fn progress_ends_with_everything_done() {
    let folder = Folder::new();
    let text = goroutines(0..1000);
    let archive = zip_of(&[("a/stacks.txt", text.clone()), ("b/stacks.txt", text.clone())]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let options = LoadOptions {
        progress: Some(Arc::new(move |progress| tell.lock().unwrap().push(progress))),
        threads: 2,
        ..LoadOptions::default()
    };
    load_all(&[folder.file("a.zip", archive)], &options);
    let last = told.lock().unwrap().iter().max_by_key(|progress| progress.done).copied().unwrap();
    assert_eq!((last.done, last.total, last.bytes), (2, 2, text.len() as u64 * 2));
}

#[test]
fn a_panic_while_reading_is_the_error_of_that_input() {
    let folder = Folder::new();
    let options = LoadOptions {
        extract: Some(Arc::new(|line: &[u8]| {
            assert!(!line.starts_with(b"goroutine 77 "), "line");
            None
        })),
        ..LoadOptions::default()
    };
    let arguments =
        [folder.file("bad.txt", goroutines(77..80)), folder.file("good.txt", goroutines(1..3))];
    let loaded = load_all(&arguments, &options);
    assert_eq!(names(&loaded), ["good.txt"]);
    assert!(
        loaded.errors.iter().next().unwrap().error.to_string().contains("please report"),
        "{:?}",
        loaded.errors
    );
}

#[test]
fn a_panic_while_reading_is_told_of_an_input_that_was_cut_too() {
    let folder = Folder::new();
    let options = LoadOptions {
        // The last line is given once no more bytes come.
        extract: Some(Arc::new(|line: &[u8]| {
            assert!(!line.starts_with(b"goroutine 99 "), "line");
            None
        })),
        ..LoadOptions::default()
    };
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed.write_all(&[goroutines(1..99), b"goroutine 99 [sel".to_vec()].concat()).unwrap();
    let packed = packed.finish().unwrap();
    let cut = folder.file("cut.txt.gz", &packed[..packed.len() - 8]);
    let loaded = load_all(&[cut], &options);
    let told: Vec<_> = loaded.errors.iter().map(|problem| &*problem.error.what).collect();
    assert_eq!(told, [format!("{BUG}: line")]);
}

/// Texts as they occur between and in dumps.
const PIECES: [&str; 14] = [
    "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:9 +0x1d\n\n",
    "goroutine 7 [select, 5 minutes] {tenant: acme}:\nmain.f(0x1)\n\t/src/a b.go:3\n...4 frames elided...\ncreated by main.g in goroutine 1\n\t/src/a.go:4 +0x1\n\n",
    "goroutine 8 [chan send]:\nmain.cut(0x1)\n\n",
    "goroutine 9 [chan receive (leaked)]:\nmain.log()\n2026/01/02 a line of a log\n\t/src/a.go:3 +0x1d\n\n",
    "panic: boom\n\ngoroutine 5 [running]:\nnot a goroutine\n\n",
    "goroutine 2 [select]:\n[originating from goroutine 1]:\nmain.a(...)\n\t/src/a.go:3 +0x1\n\n",
    "some text\n",
    "\n",
    "-----\n\n",
    "fatal error: all goroutines are asleep - deadlock!\n\n",
    "==================\nWARNING: DATA RACE\n\ngoroutine 3 [running]:\n==================\n",
    "goroutine profile: total 2\n2 @ 0x1\n#\t0x1\tmain.f+0x1\t/src/a.go:3\n\n",
    "2026-01-02T10:31:41.123456789Z goroutine 4 [select]:\n2026-01-02T10:31:41.123456789Z main.f()\n2026-01-02T10:31:41.123456789Z \t/src/a.go:3 +0x1d\n2026-01-02T10:31:41.123456789Z \n",
    "runtime stack:\nruntime.throw()\n\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_file_read_in_parts_gives_what_one_reader_gives(
        odd in prop::collection::vec((0_usize..400, 0..PIECES.len()), 0..5),
        threads in 2_usize..6,
        cut in 0_usize..80,
    ) {
        let mut text = Vec::new();
        for at in 0..400_usize {
            for (_, piece) in odd.iter().filter(|(place, _)| *place == at) {
                text.extend_from_slice(PIECES[*piece].as_bytes());
            }
            text.extend(goroutines(at as u32..at as u32 + 1));
        }
        text.truncate(text.len() - cut);
        let folder = Folder::new();
        let arguments = [folder.file("dump.txt", text)];
        let keep = Keep { goroutines: true, ..Keep::default() };
        let with = |threads| {
            let options = LoadOptions { threads, keep, ..LoadOptions::default() };
            format!("{:?}", load_all(&arguments, &options))
        };
        prop_assert!(with(1) == with(threads));
    }
}

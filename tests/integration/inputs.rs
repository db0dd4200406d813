//! Which inputs are read, what they are called, and what isn't one.

use crate::containers::{gzip, tar_of, zip_of};
use crate::document::Document;
use crate::sandbox::{Sandbox, testdata};

const DUMP: &[u8] = b"goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n";
const TWO: &[u8] = b"goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n\n\
                     goroutine 9 [select, 5 minutes]:\nmain.work()\n\t/src/a.go:9 +0x1d\n";

fn names(document: &Document) -> Vec<&str> {
    document.inputs().iter().map(|input| input["name"].as_str().expect("a name")).collect()
}

#[test]
fn stdin_is_read_as_dash_and_when_nothing_is_named() {
    let sandbox = Sandbox::new();
    for arguments in [&["export", "-o", "json", "-"][..], &["export", "-o", "json"]] {
        let document = Document::new(sandbox.pipe(arguments, TWO).quiet().json());
        assert_eq!(document.count(), 2, "{arguments:?}");
    }
}

#[test]
fn a_zip_on_stdin_is_an_archive_too() {
    let archive = std::fs::read(testdata("bundle.zip")).expect("the bundle");
    let ran = Sandbox::new().pipe(["export", "-o", "json", "-"], &archive);
    assert_eq!(Document::new(ran.quiet().json()).inputs().len(), 3);
}

#[test]
fn what_the_bytes_are_decides_and_not_the_name() {
    let sandbox = Sandbox::new();
    sandbox.file("profile.pb.gz", gzip(TWO));
    sandbox.file("dump.txt", gzip(TWO));
    sandbox.file("notes.md", TWO);
    for name in ["profile.pb.gz", "dump.txt", "notes.md"] {
        let ran = sandbox.run(["export", "-o", "json", name]);
        assert_eq!(Document::new(ran.quiet().json()).count(), 2, "{name}");
    }
}

#[test]
fn names_are_base_names_digits_get_a_letter_and_equal_ones_a_number() {
    let sandbox = Sandbox::new();
    for name in ["a/dump.txt", "b/dump.txt", "1234"] {
        sandbox.file(name, DUMP);
    }
    let ran = sandbox.run(["export", "-o", "json", "a/dump.txt", "b/dump.txt", "1234"]);
    let document = Document::new(ran.quiet().json());
    let mut found = names(&document);
    found.sort_unstable();
    assert_eq!(found, ["dump.txt", "dump.txt#2", "n1234"]);
}

#[test]
fn input_name_gives_a_name() {
    let sandbox = Sandbox::new();
    sandbox.file("a/dump.txt", DUMP);
    let ran = sandbox.run(["export", "-o", "json", "--input-name", "a/dump.txt=web", "a/dump.txt"]);
    assert_eq!(names(&Document::new(ran.quiet().json())), ["web"]);
}

#[test]
fn members_are_told_apart_by_whole_path_components() {
    let sandbox = Sandbox::new();
    let members = ["d/nodes/10/stacks.txt", "d/nodes/11/stacks.txt", "d/nodes/2/stacks.txt"];
    sandbox.file("debug.zip", zip_of(&members.map(|name| (name, DUMP))));
    let document = Document::new(sandbox.run(["export", "-o", "json", "debug.zip"]).quiet().json());
    assert_eq!(names(&document), ["n2", "n10", "n11"], "in natural order");
    let nodes = document.inputs().iter().map(|input| input["labels"]["node"].as_str());
    assert_eq!(nodes.collect::<Vec<_>>(), [Some("2"), Some("10"), Some("11")]);
}

#[test]
fn label_of_the_path_selects_and_a_goroutines_own_wins() {
    let sandbox = Sandbox::new();
    let own = b"goroutine 1 [select] {node: 7}:\nmain.main()\n\t/src/a.go:3 +0x1d\n\n\
                goroutine 2 [select]:\nmain.main()\n\t/src/a.go:3 +0x1d\n";
    let members: [(&str, &[u8]); 2] = [("nodes/1/stacks.txt", own), ("nodes/3/stacks.txt", DUMP)];
    sandbox.file("debug.zip", zip_of(&members));
    for (label, count) in [("node=1", 1), ("node=3", 1), ("node=7", 1), ("node", 3)] {
        let ran = sandbox.run(["filter", "-o", "json", "--label", label, "debug.zip"]);
        assert_eq!(Document::new(ran.quiet().json()).count(), count, "{label}");
    }
}

#[test]
fn path_label_makes_labels_of_named_groups() {
    let sandbox = Sandbox::new();
    sandbox.file("eu-1/web/dump.txt", DUMP);
    sandbox.file("us-2/web/dump.txt", TWO);
    let pattern = "(?P<region>[a-z]+-[0-9])/(?P<job>[^/]+)/";
    let ran = sandbox.run([
        "filter",
        "-o",
        "json",
        "--path-label",
        pattern,
        "--label",
        "region=us-*",
        "eu-1/web/dump.txt",
        "us-2/web/dump.txt",
    ]);
    let document = Document::new(ran.quiet().json());
    assert_eq!(document.count(), 2);
    let input = document.inputs().iter().find(|input| input["labels"]["region"] == "us-2");
    assert_eq!(input.expect("the input of us-2")["labels"]["job"], "web");
}

#[test]
fn one_process_with_two_well_known_files_is_counted_once() {
    let sandbox = Sandbox::new();
    let count = b"goroutine profile: total 2\n2 @ 0x1\n#\t0x1\tmain.main+0x1\t/src/a.go:3\n";
    let members: [(&str, &[u8]); 3] =
        [("n/stacks.txt", TWO), ("n/stacks_with_labels.txt", count), ("n/notes.txt", b"nothing")];
    sandbox.file("debug.zip", zip_of(&members));
    let document = Document::new(sandbox.run(["export", "-o", "json", "debug.zip"]).quiet().json());
    assert_eq!((document.inputs().len(), document.count()), (1, 2));
}

#[test]
fn member_globs_pick_instead_of_the_well_known_names() {
    let sandbox = Sandbox::new();
    let members: [(&str, &[u8]); 2] = [("n/stacks.txt", TWO), ("n/other.txt", DUMP)];
    sandbox.file("debug.zip", zip_of(&members));
    let ran = sandbox.run(["export", "-o", "json", "--member", "**/other.txt", "debug.zip"]);
    assert_eq!(Document::new(ran.quiet().json()).count(), 1);
    sandbox.run(["export", "--member", "**/missing.txt", "debug.zip"]).code(2);
}

#[test]
fn directories_zips_and_tars_of_the_same_files_say_the_same() {
    let sandbox = Sandbox::new();
    sandbox.file("dir/nodes/1/stacks.txt", TWO);
    sandbox.file("d.zip", zip_of(&[("nodes/1/stacks.txt", TWO)]));
    sandbox.file("d.tar", tar_of("nodes/1/stacks.txt", TWO));
    sandbox.file("d.tar.gz", gzip(&tar_of("nodes/1/stacks.txt", TWO)));
    for name in ["dir", "d.zip", "d.tar", "d.tar.gz"] {
        let document = Document::new(sandbox.run(["export", "-o", "json", name]).quiet().json());
        assert_eq!(document.count(), 2, "{name}");
        assert_eq!(document.inputs()[0]["labels"]["node"], "1", "{name}");
    }
}

#[test]
fn unknown_content_is_an_error_when_named_and_skipped_when_found() {
    let sandbox = Sandbox::new();
    sandbox.file("notes.txt", "nothing to see here\n");
    sandbox.file("empty.txt", "");
    for name in ["notes.txt", "empty.txt", "missing.txt"] {
        sandbox.run(["summarize", name]).code(2).says(name);
    }
    sandbox.file("dir/notes.txt", "nothing to see here\n");
    sandbox.run(["summarize", "dir"]).code(2).says("dir");
    sandbox.file("dir/dump.txt", DUMP);
    let ran = sandbox.run(["export", "-o", "json", "dir"]).code(0);
    assert_eq!(Document::new(ran.json()).count(), 1);
}

/// A disk that was full, or a process that was killed before it wrote more.
#[test]
fn dumps_that_were_cut_to_nothing_are_told_by_the_names_of_those_beside_them() {
    let remains: [(&str, &[u8]); 7] = [
        ("empty", b""),
        ("zero bytes", &[0; 4096]),
        ("first bytes", b"goroutine 1"),
        ("first bytes", b"gor"),
        ("first bytes", b"goroutine profile: tot"),
        ("first bytes", b"\x1f\x8b"),
        ("the answer of a server", b"404 page not found\n"),
    ];
    for (told, bytes) in remains {
        let sandbox = Sandbox::new();
        sandbox.file("d/store-12.txt", DUMP);
        sandbox.file("d/api-7.txt", bytes);
        sandbox.file("d.zip", zip_of(&[("store-12.txt", DUMP), ("api-7.txt.gz", bytes)]));
        for input in ["d", "d.zip"] {
            sandbox.run(["summarize", input]).code(0).says("api-7.txt").says(told);
            sandbox.run(["summarize", "--strict", input]).code(2);
            sandbox.run(["check", input]).code(2).says("api-7.txt");
        }
    }
    // What can't be a dump by its name, and a folder that is mostly something else.
    let sandbox = Sandbox::new();
    sandbox.file("d/store-12.txt", DUMP);
    for other in ["__init__.py", ".gitkeep", "go.mod", "README", "stderr.txt", "build.log"] {
        sandbox.file(format!("d/{other}"), "");
    }
    sandbox.run(["check", "--strict", "d"]).code(0).quiet();
    sandbox.file("d/empty.txt", "");
    sandbox.run(["check", "--strict", "d"]).code(2).says("empty.txt");
    sandbox.file("d/notes.txt", "nothing to see here\n");
    sandbox.run(["check", "--strict", "d"]).code(0).quiet();
}

#[test]
fn one_bad_input_does_not_take_the_others_down() {
    let sandbox = Sandbox::new();
    sandbox.file("good.txt", TWO);
    let whole = gzip(&TWO.repeat(1000));
    sandbox.file("cut.gz", &whole[..whole.len() / 2]);
    let ran = sandbox.run(["export", "-o", "json", "cut.gz", "missing.txt", "good.txt"]);
    let ran = ran.code(2).says("cut.gz").says("missing.txt");
    let document = Document::new(ran.json());
    assert!(document.count() > 2, "what was whole in cut.gz counts too");
    let good = document.inputs().iter().find(|input| input["name"] == "good.txt");
    assert_eq!(good.expect("good.txt was read")["goroutines"], 2);
}

#[test]
fn a_cut_goroutine_is_a_warning_and_an_error_under_strict() {
    let sandbox = Sandbox::new();
    sandbox.file("cut.txt", &TWO[..TWO.len() - 30]);
    let ran = sandbox.run(["export", "-o", "json", "cut.txt"]).code(0).says("cut.txt");
    let document = Document::new(ran.json());
    assert_eq!(document.inputs()[0]["complete"], false);
    assert_eq!(document.count(), 2);
    assert!(document.goroutine("9").has_flag("truncated"));
    sandbox.run(["export", "-o", "json", "--strict", "cut.txt"]).code(2);
}

#[test]
fn an_announced_total_that_is_not_reached_is_a_warning() {
    let sandbox = Sandbox::new();
    let text = "goroutine profile: total 9\n2 @ 0x1\n#\t0x1\tmain.main+0x1\t/src/a.go:3\n";
    sandbox.file("count.txt", text);
    let ran = sandbox.run(["export", "-o", "json", "count.txt"]).code(0).says("9");
    let document = Document::new(ran.json());
    assert_eq!(document.warnings(), ["total"]);
    assert_eq!(document.inputs()[0]["announced"], 9);
}

#[test]
fn max_bytes_stops_an_input_that_unpacks_to_too_much() {
    let sandbox = Sandbox::new();
    sandbox.file("bomb.gz", gzip(&vec![b'a'; 4 << 20]));
    sandbox.run(["summarize", "--max-bytes", "1M", "bomb.gz"]).code(2).says("bomb.gz");
}

#[test]
fn what_is_packed_in_another_way_is_said_to_be_whatever_it_is_called() {
    let packed: [(&str, &[u8]); 10] = [
        ("xz", b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46\x02\0\x21\x01"),
        ("bzip2", b"BZh91AY&SY\xd9\xa0\x9d\xb5"),
        ("bzip2", b"BZh9\x17rE8P\x90\0\0\0\0"),
        ("lz4", b"\x04\x22\x4d\x18\x64\x40\xa7\x0f"),
        ("7z", b"7z\xbc\xaf\x27\x1c\0\x04"),
        ("rar", b"Rar!\x1a\x07\x01\0"),
        ("lzma", b"\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0\x3c"),
        ("compress", b"\x1f\x9d\x90\x78\xf0\xe0\xc1"),
        ("zlib", b"\x78\x9c\xab\xa8\xa0\x3d\0\0"),
        ("snappy", b"\xff\x06\0\0sNaPpY\x01\x05\0\0"),
    ];
    for (name, bytes) in packed {
        let what = format!("is packed ({name}) in a way that isn't read; unpack it first");
        is_told_in_every_place(&what, bytes);
    }
}

#[test]
fn what_is_encrypted_is_said_to_be() {
    let encrypted: [(&str, &[u8]); 4] = [
        ("openssl", b"Salted__\x01\x02\x03\x04\x05\x06\x07\x08\xf0"),
        ("age", b"age-encryption.org/v1\n-> X25519 abc\n"),
        ("age", b"-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n"),
        ("PGP", b"-----BEGIN PGP MESSAGE-----\n\nhQEMA\n"),
    ];
    for (name, bytes) in encrypted {
        is_told_in_every_place(&format!("is encrypted ({name}); decrypt it first"), bytes);
    }
}

/// A CI job that doesn't fetch them has pointers in the places of files.
#[test]
fn pointers_to_files_that_were_not_fetched_are_told_in_the_places_of_dumps() {
    let what = "is a pointer to a file that Git LFS or git-annex hasn't fetched";
    for pointer in [
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        "/annex/objects/SHA256E-s12345--4d7a.txt\n",
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("dump.txt", pointer);
        sandbox.run(["summarize", "dump.txt"]).code(2).says(what).says("`git lfs pull`");
        let dump = "goroutine 1 [running]:\nmain.main()\n\t/a.go:3 +0x1d\n";
        sandbox.file("folder/b.txt", dump);
        // Pictures have pointers, too.
        sandbox.file("folder/a.png", pointer);
        sandbox.run(["summarize", "--strict", "folder"]).code(0);
        for name in ["folder/a.txt", "folder/cpu.pb.gz"] {
            sandbox.file(name, pointer);
            let told = format!("{name}: {what}");
            sandbox.run(["summarize", "folder"]).code(0).says(&told);
            sandbox.run(["summarize", "--strict", "folder"]).code(2).says(&told);
        }
    }
}

fn is_told_in_every_place(what: &str, bytes: &[u8]) {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", bytes);
    sandbox.run(["summarize", "dump.txt"]).code(2).says(&format!("dump.txt: {what}"));
    sandbox.pipe(["summarize"], bytes).code(2).says(&format!("stdin: {what}"));
    sandbox.pipe(["summarize"], &gzip(bytes)).code(2).says(&format!("stdin: {what}"));
    // What was not asked for by its name is only told, unless it has to be whole.
    sandbox.file("folder/a", bytes);
    sandbox.file("folder/b", b"goroutine 1 [running]:\nmain.main()\n\t/a.go:3 +0x1d\n");
    let told = format!("folder/a: {what}");
    sandbox.run(["summarize", "folder"]).code(0).says(&told);
    sandbox.run(["summarize", "--strict", "folder"]).code(2).says(&told);
}

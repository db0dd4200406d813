//! Zip archives, whole and broken.

use super::*;

/// The position of the last occurrence of these bytes.
fn last(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).rposition(|window| window == what).unwrap()
}

fn put(bytes: &mut [u8], at: usize, what: &[u8]) {
    bytes[at..at + what.len()].copy_from_slice(what);
}

fn number_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// The position of the only entry of the central directory.
fn entry(bytes: &[u8]) -> usize {
    last(bytes, b"PK\x01\x02")
}

#[test]
fn of_each_folder_the_best_known_name_is_read_and_nothing_else() {
    let folder = Folder::new();
    let archive = folder.file(
        "debug.zip",
        zip_of(&[
            ("debug/nodes/10/stacks.txt", b"ten"),
            ("debug/nodes/2/stacks_with_labels.txt", b"counted"),
            ("debug/nodes/2/stacks.txt", b"two"),
            ("debug/nodes/3/stacks_with_labels.txt", b"three"),
            ("debug/nodes/1/other.txt", b"other"),
        ]),
    );
    let all = read(&[archive]);
    assert_eq!(all.texts(), ["two", "three", "ten"]);
    assert_eq!(all.paths(&folder)[0], "debug.zip!debug/nodes/2/stacks.txt");
    assert!(all.inputs.iter().all(|input| input.picked));
}

#[test]
fn without_known_names_every_member_is_looked_at() {
    let folder = Folder::new();
    let archive = folder.file("x.zip", zip_of(&[("b/x.txt", b"b"), ("a.txt", b"a")]));
    let all = read(&[archive]);
    assert_eq!(all.texts(), ["a", "b"]);
    assert!(all.inputs.iter().all(|input| !input.picked));
}

#[test]
fn member_globs_pick() {
    let folder = Folder::new();
    let members_of = [("a/x.txt", &b"x"[..]), ("a/y.log", b"y"), ("stacks.txt", b"s")];
    let archive = folder.file("x.zip", zip_of(&members_of));
    let all = read_with(&members(&["*.log", "a/x*"]), std::slice::from_ref(&archive));
    assert_eq!(all.texts(), ["x", "y"]);
    assert!(read_with(&members(&["*.nothing"]), &[archive]).inputs.is_empty());
}

#[test]
fn patterns_of_settings_pick() {
    let folder = Folder::new();
    let archive = folder.file("x.zip", zip_of(&[("a/x.txt", b"x"), ("stacks.txt", b"s")]));
    let options =
        SourceOptions { member_patterns: vec![r"x\.txt$".to_owned()], ..SourceOptions::default() };
    assert_eq!(read_with(&options, &[archive]).texts(), ["x"]);
}

#[test]
fn bytes_in_front_of_an_archive_do_not_matter() {
    let folder = Folder::new();
    let bytes = [b"#!/bin/sh\nexit 0\n".to_vec(), zip_of(&[("a.txt", b"text")])].concat();
    let all = read(&[folder.file("prefix.zip", bytes)]);
    assert_eq!((all.texts(), all.errors.len()), (vec!["text"], 0));
}

#[test]
fn an_empty_archive_gives_nothing() {
    let folder = Folder::new();
    let all = read(&[folder.file("empty.zip", zip_of(&[]))]);
    assert!(all.inputs.is_empty() && all.errors.is_empty());
}

#[test]
fn a_cut_archive_is_an_error_that_says_so() {
    let folder = Folder::new();
    let whole = zip_of(&[("a.txt", b"text")]);
    let all = read(&[folder.file("cut.zip", &whole[..whole.len() - 30])]);
    assert!(all.inputs.is_empty());
    assert!(all.error().contains("is cut"), "{}", all.error());
}

#[test]
fn every_prefix_of_an_archive_is_answered() {
    let folder = Folder::new();
    let whole = zip_of(&[("a.txt", &b"text".repeat(20)), ("b.txt", b"more")]);
    for length in 5..whole.len() {
        let all = read(&[folder.file("cut.zip", &whole[..length])]);
        assert!(all.inputs.is_empty() && all.errors.len() == 1, "{length}: {all:?}");
    }
}

#[test]
fn a_wrong_checksum_voids_the_member_and_no_other() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("b.txt", b"good"), ("c.txt", b"bad")]);
    let crc = entry(&bytes) + 16;
    put(&mut bytes, crc, &[0; 4]);
    let all = read(&[folder.file("crc.zip", bytes)]);
    assert!(!all.inputs[0].is_invalid && all.inputs[0].failure.is_none());
    assert!(all.inputs[1].is_invalid);
    let failure = all.inputs[1].failure.as_ref().unwrap().to_string();
    assert!(failure.contains("checksum") && failure.contains("at byte"), "{failure}");
}

#[test]
fn damaged_contents_void_the_member() {
    let folder = Folder::new();
    let text: Vec<u8> = (0..2000u32).flat_map(|n| n.to_string().into_bytes()).collect();
    let mut bytes = zip_of(&[("a.txt", &text)]);
    put(&mut bytes, 200, &[0xff; 40]);
    let all = read(&[folder.file("damaged.zip", bytes)]);
    assert!(all.inputs[0].is_invalid, "{all:?}");
}

#[test]
fn an_encrypted_member_fails_and_the_others_are_read() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"secret"), ("b.txt", b"plain")]);
    let first = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    bytes[first + 8] |= 1;
    bytes[6] |= 1;
    let all = read(&[folder.file("secret.zip", bytes)]);
    assert_eq!(all.texts(), ["plain"]);
    assert!(all.error().contains("a.txt: is encrypted"), "{}", all.error());
}

#[test]
fn an_unknown_method_is_named() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"text"), ("b.txt", b"plain")]);
    let first = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    put(&mut bytes, first + 10, &[14, 0]);
    put(&mut bytes, 8, &[14, 0]);
    let all = read(&[folder.file("lzma.zip", bytes)]);
    assert_eq!(all.texts(), ["plain"]);
    assert!(all.error().contains("method 14 (Lzma)"), "{}", all.error());
}

#[test]
fn members_of_equal_names_are_an_error_and_the_last_is_read() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"first"), ("b.txt", b"second")]);
    while let Some(at) = bytes.windows(5).position(|window| window == b"b.txt") {
        put(&mut bytes, at, b"a.txt");
    }
    let all = read(&[folder.file("twice.zip", bytes)]);
    assert_eq!(all.texts(), ["second"]);
    let error = all.error();
    assert!(error.contains("2 members") && error.contains("\"a.txt\""), "{error}");
}

#[test]
fn a_folder_may_be_listed_twice() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a/", b""), ("b/", b""), ("a/x.txt", b"text")]);
    while let Some(at) = bytes.windows(4).position(|window| window == b"b/PK") {
        put(&mut bytes, at, b"a/");
    }
    let all = read(&[folder.file("folders.zip", bytes)]);
    assert_eq!((all.texts(), all.errors.len()), (vec!["text"], 0), "{all:?}");
}

#[test]
fn members_that_others_begin_in_are_an_error_and_not_unpacked() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"first"), ("b.txt", b"second"), ("c.txt", b"third")]);
    // The second entry of the directory points at the first member too.
    let second = last(&bytes[..entry(&bytes)], b"PK\x01\x02");
    put(&mut bytes, second + 42, &[0; 4]);
    let all = read(&[folder.file("overlap.zip", bytes)]);
    assert_eq!(all.texts(), ["third"]);
    let told = |text: &str| all.errors.iter().filter(|error| error.what.contains(text)).count();
    assert_eq!((told("over one another"), told("another member inside")), (1, 2), "{all:?}");
}

#[test]
fn a_declared_size_is_not_believed() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"text")]);
    let size = entry(&bytes) + 24;
    put(&mut bytes, size, &0xffff_fffe_u32.to_le_bytes());
    let all = read(&[folder.file("declared.zip", bytes)]);
    assert_eq!(all.texts(), ["text"]);
    assert_eq!(all.inputs[0].notes, ["holds 4 bytes where the archive announces 4294967294"]);
}

#[test]
fn a_declared_size_that_is_too_small_hides_nothing() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"text")]);
    let size = entry(&bytes) + 24;
    put(&mut bytes, size, &[1, 0, 0, 0]);
    let all = read(&[folder.file("declared.zip", bytes)]);
    assert_eq!((all.texts(), all.inputs[0].notes.len()), (vec!["text"], 1));
}

/// A name that became another one's makes a profile the copy of a text, which isn't counted.
#[test]
fn a_member_with_another_name_in_its_own_header_is_told() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("nodes/c/goroutine.pb.gz", b"text")]);
    let at = last(&bytes, b"c/goroutine");
    put(&mut bytes, at, b"b");
    let all = read(&[folder.file("name.zip", bytes)]);
    assert_eq!(all.inputs[0].notes, ["is \"nodes/c/goroutine.pb.gz\" by its own header"]);
}

#[test]
fn members_packed_by_zstd_are_read() {
    let folder = Folder::new();
    let packed = zstd_of(b"text");
    // Stored, and then declared as zstd: the crate doesn't write zstd here.
    let mut writer = ::zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = ::zip::write::SimpleFileOptions::default()
        .compression_method(::zip::CompressionMethod::Stored);
    writer.start_file("a.txt", stored).unwrap();
    writer.write_all(&packed).unwrap();
    let mut bytes = writer.finish().unwrap().into_inner();
    let central = entry(&bytes);
    put(&mut bytes, central + 10, &[93, 0]);
    put(&mut bytes, 8, &[93, 0]);
    let mut crc = flate2::Crc::new();
    crc.update(b"text");
    put(&mut bytes, central + 16, &crc.sum().to_le_bytes());
    put(&mut bytes, central + 24, &4_u32.to_le_bytes());
    let all = read(&[folder.file("zstd.zip", bytes)]);
    assert_eq!((all.texts(), all.inputs[0].failure.is_none()), (vec!["text"], true));
}

#[test]
fn a_count_that_cannot_be_is_an_error() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"text")]);
    let end = last(&bytes, b"PK\x05\x06");
    put(&mut bytes, end + 8, &[0xfe, 0xff, 0xfe, 0xff]);
    assert_eq!(read(&[folder.file("count.zip", bytes)]).errors.len(), 1);
}

#[test]
fn a_count_lower_than_what_is_listed_is_an_error() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"text"), ("b.txt", b"hidden")]);
    let end = last(&bytes, b"PK\x05\x06");
    put(&mut bytes, end + 8, &[1, 0, 1, 0]);
    let all = read(&[folder.file("count.zip", bytes)]);
    assert_eq!(all.errors.len(), 1, "{all:?}");
}

#[test]
fn names_that_lead_elsewhere_are_only_labels() {
    let folder = Folder::new();
    let names = ["../../etc/evil.txt", "/abs/evil.txt", "x\x1b[31mred.txt"];
    let members: Vec<(&str, &[u8])> = names.iter().map(|&name| (name, &b"text"[..])).collect();
    let archive = folder.file("paths.zip", zip_of(&members));
    let all = read(&[archive]);
    assert_eq!(all.texts(), ["text"; 3]);
    assert!(all.inputs[0].path.ends_with("paths.zip!../../etc/evil.txt"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn backslashes_between_folders_are_understood() {
    let folder = Folder::new();
    let archive = folder.file("net.zip", zip_of(&[(r"a\stacks.txt", b"text"), ("b", b"b")]));
    let all = read(&[archive]);
    assert_eq!(all.paths(&folder), ["net.zip!a/stacks.txt"]);
}

#[test]
fn zip64_and_more_members_than_16_bits_count() {
    let folder = Folder::new();
    let all = read(&[folder.file("many.zip", zip64_of(66_000))]);
    assert_eq!((all.texts(), all.errors.len()), (vec!["text"], 0));
}

#[test]
fn a_bomb_ends_at_its_ratio() {
    let folder = Folder::new();
    let zeros = vec![0; 80 << 20];
    let archive = folder.file("bomb.zip", zip_of(&[("a.txt", &zeros), ("b.txt", b"text")]));
    let all = read(&[archive]);
    assert!(all.inputs[0].is_invalid);
    assert!(all.inputs[0].text.len() < zeros.len());
    let failure = all.inputs[0].failure.as_ref().unwrap().to_string();
    assert!(failure.contains("200 times"), "{failure}");
    assert_eq!(all.inputs[1].text, "text");
}

#[test]
fn members_of_an_archive_have_an_allowance_together() {
    let folder = Folder::new();
    let one = folder.file("one.zip", zip_of(&[("a.txt", b"text"), ("b.txt", b"text")]));
    let tar = folder.file("two.tar", tar_of(&[("a.txt", b"text")]));
    let arguments = [one, folder.file("c.txt", "text"), tar].map(OsString::from);
    let expanded = expand(&arguments, &SourceOptions::default()).unwrap();
    let together: Vec<_> =
        expanded.units.from(0).map(|(_, unit)| unit.together().cloned()).collect();
    let of = |units| {
        Some(crate::source::Together { units, most: crate::limits::LIMITS.archive_ratio_from })
    };
    assert_eq!(together, [of(0..2), of(0..2), None, of(3..4)]);
}

#[test]
fn no_changed_bit_loses_anything_without_a_word() {
    let folder = Folder::new();
    let texts = ["first".repeat(9), "second".repeat(9)];
    let whole = zip_of(&[("a.txt", texts[0].as_bytes()), ("b.txt", texts[1].as_bytes())]);
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            let all = read(&[folder.file("x.zip", bytes)]);
            let told = !all.errors.is_empty()
                || all.inputs.iter().any(|got| got.failure.is_some() || !got.notes.is_empty());
            // A changed name may change the order.
            let mut got = all.texts();
            got.sort_unstable();
            assert!(told || got == texts, "byte {at} bit {bit}: {all:?}");
        }
    }
}

/// Beside other dumps, a member whose name isn't that of one is passed over.
#[test]
fn no_changed_bit_of_a_name_hides_a_dump() {
    let folder = Folder::new();
    let whole = zip_of(&[("1/stacks.txt", b"one"), ("2/stacks.txt", b"two"), ("x", b"other")]);
    for at in entry(&whole)..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            let all = read(&[folder.file("x.zip", bytes)]);
            let told = [&all.errors, &all.warnings].iter().any(|told| !told.is_empty())
                || all.inputs.iter().any(|got| got.failure.is_some() || !got.notes.is_empty());
            assert!(told || all.texts().len() == 2, "byte {at} bit {bit}: {all:?}");
        }
    }
}

/// Nothing guards the entries of the directory: a hole in one takes the name and the lengths, and another end record lists
/// less.
#[test]
fn members_that_the_directory_has_lost_are_told() {
    let folder = Folder::new();
    let dump = b"goroutine 7 [select]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1d\ncreated by main.g in goroutine 1\n\t/src/a.go:9 +0x2\n";
    let whole = zip_of(&[("a.txt", &dump[..]), ("b.txt", dump), ("c.txt", dump)]);
    assert!(read(&[folder.file("whole.zip", whole.clone())]).errors.is_empty());
    let entries: Vec<usize> =
        (0..whole.len()).filter(|&at| whole[at..].starts_with(b"PK\x01\x02")).collect();
    for at in entries.clone() {
        let mut hole = whole.clone();
        // Checksum, lengths, and the length of the name, of which a part becomes the next entry's or none.
        hole[at + 16..at + 30].fill(0);
        hole.splice(at + 46..at + 51, []);
        let end = last(&hole, b"PK\x05\x06");
        let size = (number_at(&hole, end + 12) - 5).to_le_bytes();
        put(&mut hole, end + 12, &size);
        assert!(!read(&[folder.file("hole.zip", hole)]).errors.is_empty(), "{at}");
        let mut folder_entry = whole.clone();
        folder_entry[at + 16..at + 28].fill(0);
        folder_entry[at + 50] = b'/';
        assert!(!read(&[folder.file("folder.zip", folder_entry)]).errors.is_empty(), "{at}");
    }
    let mut fewer = whole.clone();
    let end = last(&fewer, b"PK\x05\x06");
    let less = (entries[1] - entries[0]) as u32;
    for (at, number) in
        [(12, number_at(&fewer, end + 12) - less), (16, number_at(&fewer, end + 16) + less)]
    {
        put(&mut fewer, end + at, &number.to_le_bytes());
    }
    put(&mut fewer, end + 8, &[2, 0, 2, 0]);
    let all = read(&[folder.file("fewer.zip", fewer)]);
    assert_eq!((all.inputs.len(), all.errors.len()), (2, 1));
    // Another archive between the entries and the end record.
    let other = zip_of(&[("d.txt", &dump[..])]);
    let local = &other[..entry(&other)];
    let behind = [&whole[..end], local, &whole[end..]].concat();
    assert_eq!(read(&[folder.file("behind.zip", behind)]).errors.len(), 1);
}

#[test]
fn an_end_record_inside_the_comment_is_none() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"text")]);
    let comment = [b"PK\x05\x06", &[0; 18][..], b"PK\x05\x06 and more"].concat();
    let at = bytes.len() - 2;
    put(&mut bytes, at, &(comment.len() as u16).to_le_bytes());
    bytes.extend(&comment);
    // Such a record leads to an empty directory, as long as it isn't known to be a comment.
    put(&mut bytes, at + 2 + 4, &[1]);
    let all = read(&[folder.file("comment.zip", &bytes)]);
    assert_eq!((all.texts(), all.errors.len()), (vec!["text"], 0));
    bytes.extend(b"junk");
    let all = read(&[folder.file("junk.zip", bytes)]);
    assert_eq!((all.texts(), all.errors.len()), (vec!["text"], 1));
}

#[test]
fn what_stands_before_or_after_an_archive_and_is_not_read_is_told() {
    let folder = Folder::new();
    let one = zip_of(&[("a.txt", b"one")]);
    let two = zip_of(&[("a.txt", b"two")]);
    let dump = b"goroutine 1 [running]:\n";
    for (before, after, told) in [
        (&one[..], &b""[..], Some("bytes before the zip archive aren't read")),
        (dump, b"", Some("bytes before the zip archive aren't read")),
        (b"", dump, Some("bytes after the zip archive aren't read")),
        // A program that unpacks itself, and padding.
        (b"#!/bin/sh\nexec unzip $0\n", b"", None),
        (b"", &[0; 512], None),
    ] {
        let all = read(&[folder.file("x.zip", [before, &two, after].concat())]);
        assert_eq!(all.texts(), ["two"]);
        let errors: Vec<String> = all.errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors.len(), usize::from(told.is_some()), "{errors:?}");
        assert!(errors.iter().all(|error| error.contains(told.unwrap_or("?"))), "{errors:?}");
    }
}

#[test]
fn a_split_archive_is_refused() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"text")]);
    let end = last(&bytes, b"PK\x05\x06");
    put(&mut bytes, end + 4, &[1, 0]);
    let all = read(&[folder.file("split.zip", bytes)]);
    assert!(all.error().contains("split into several files"), "{}", all.error());
}

/// A zip with the larger end record, as writers of more than 65,535 members make it.
fn zip64_of(count: u32) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = ::zip::write::SimpleFileOptions::default().large_file(true);
    for at in 0..count {
        writer.start_file(format!("{at}.txt"), options).unwrap();
    }
    writer.start_file("stacks.txt", options).unwrap();
    writer.write_all(b"text").unwrap();
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_large_end_record_may_be_moved_too() {
    let folder = Folder::new();
    let bytes = [b"#!/bin/sh\n".to_vec(), zip64_of(65_535)].concat();
    let all = read(&[folder.file("moved.zip", &bytes)]);
    assert_eq!((all.texts(), all.errors.len()), (vec!["text"], 0), "{:?}", all.errors);
    for (at, wrong) in [(24, 1), (48, 1), (56, 7)] {
        let mut bytes = bytes.clone();
        let end = last(&bytes, b"PK\x06\x06");
        put(&mut bytes, end + at, &[wrong]);
        let all = read(&[folder.file("wrong.zip", bytes)]);
        assert!(!all.errors.is_empty() || all.texts() == ["text"], "{at}: {all:?}");
    }
}

#[test]
fn a_count_of_16_bits_may_run_over() {
    let folder = Folder::new();
    let mut bytes = zip64_of(65_600);
    // Old writers have no other record, and only the lower bits of the count.
    let locator = last(&bytes, b"PK\x06\x07");
    let large = last(&bytes, b"PK\x06\x06");
    let (size, start) =
        (bytes[large + 40..large + 44].to_vec(), bytes[large + 48..large + 52].to_vec());
    bytes.drain(large..locator + 20);
    let end = last(&bytes, b"PK\x05\x06");
    put(&mut bytes, end + 8, &[65, 0, 65, 0]);
    put(&mut bytes, end + 12, &size);
    put(&mut bytes, end + 16, &start);
    let all = read(&[folder.file("old.zip", bytes)]);
    assert_eq!((all.texts(), all.errors.len()), (vec!["text"], 0), "{:?}", all.errors);
}

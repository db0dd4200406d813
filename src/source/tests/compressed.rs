//! gzip and zstd around files.

use super::*;

#[test]
fn compressed_files_are_unpacked_whatever_their_name_says() {
    let folder = Folder::new();
    let all = read(&[
        folder.file("a.txt", gzip_of(b"gzip")),
        folder.file("b.txt", zstd_of(b"zstd")),
        folder.file("c.txt.gz", b"plain"),
    ]);
    assert_eq!(all.texts(), ["gzip", "zstd", "plain"]);
}

#[test]
fn text_in_several_gzip_members_is_one_input() {
    let folder = Folder::new();
    let bytes = [gzip_of(b"one\n"), gzip_of(b"two\n")].concat();
    assert_eq!(read(&[folder.file("x.gz", bytes)]).texts(), ["one\ntwo\n"]);
    // An empty member at the front says nothing about the others.
    let bytes = [gzip_of(b""), gzip_of(b"one\n"), gzip_of(b"two\n")].concat();
    assert_eq!(read(&[folder.file("y.gz", bytes)]).texts(), ["one\ntwo\n"]);
}

#[test]
fn protos_in_several_gzip_members_are_several_inputs() {
    let folder = Folder::new();
    let bytes = [gzip_of(b"\x0a\x04\x08\x01"), gzip_of(b"\x0a\x04\x08\x02")].concat();
    let all = read(&[folder.file("x.pb.gz", &bytes)]);
    assert_eq!(all.texts(), ["\n\u{4}\u{8}\u{1}", "\n\u{4}\u{8}\u{2}"]);
    // bgzip ends a file with an empty one.
    let empty = gzip_of(b"");
    let all = read(&[folder.file("y.pb.gz", [&*bytes, &empty].concat())]);
    assert_eq!(all.inputs.len(), 2);
    assert!(all.inputs.iter().all(|input| input.failure.is_none()));
    let mut damaged = [&*bytes, &empty].concat();
    *damaged.iter_mut().rev().nth(5).unwrap() ^= 1;
    let all = read(&[folder.file("z.pb.gz", damaged)]);
    assert!(all.inputs.iter().any(|input| input.failure.is_some()));
}

#[test]
fn a_cut_file_gives_what_is_whole_and_an_error() {
    let folder = Folder::new();
    let text: Vec<u8> = (0..50_000u32).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    for whole in [gzip_of(&text), zstd_of(&text)] {
        let all = read(&[folder.file("x", &whole[..whole.len() / 2])]);
        let input = &all.inputs[0];
        assert!(!input.text.is_empty() && text.starts_with(input.text.as_bytes()));
        assert!(!input.is_invalid);
        let failure = input.failure.as_ref().unwrap().to_string();
        assert!(failure.contains("is cut") && failure.contains("at byte"), "{failure}");
    }
}

#[test]
fn damage_near_the_start_leaves_what_was_unpacked_before_it() {
    let folder = Folder::new();
    let text: Vec<u8> = (0..5000u32).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    let whole = gzip_of(&text);
    let mut shortest = usize::MAX;
    for at in 20..400 {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xff;
        let all = read(&[folder.file("x", damaged)]);
        let input = &all.inputs[0];
        assert!(input.failure.is_some(), "{at}");
        if !input.text.is_empty() {
            shortest = shortest.min(input.text.len());
        }
    }
    // The bytes that the last call had unpacked before the damage are lost, so the first ones are
    // short.
    assert!(shortest < 512, "{shortest}");
}

#[test]
fn bytes_behind_the_end_are_noted() {
    let folder = Folder::new();
    for whole in [gzip_of(b"text"), zstd_of(b"text")] {
        let all = read(&[folder.file("x", [&whole[..], b"garbage!"].concat())]);
        assert_eq!(all.texts(), ["text"]);
        assert!(all.inputs[0].failure.is_none());
        assert_eq!(all.inputs[0].notes.len(), 1);
    }
}

#[test]
fn bytes_behind_the_end_of_an_archive_are_told_of_the_archive() {
    let folder = Folder::new();
    let tar = tar_of(&[("stacks.txt", b"text")]);
    let zip = zip_of(&[("stacks.txt", b"text")]);
    for whole in [gzip_of(&tar), zstd_of(&tar), gzip_of(&zip)] {
        let all = read(&[folder.file("x", [&whole[..], b"garbage!"].concat())]);
        assert_eq!((all.texts(), all.warnings.len()), (vec!["text"], 1));
    }
}

#[test]
fn a_wrong_checksum_voids_what_was_read() {
    let folder = Folder::new();
    let mut whole = gzip_of(b"goroutine 1 [running]:\n");
    let crc = whole.len() - 8;
    whole[crc] ^= 0xff;
    let all = read(&[folder.file("x.gz", whole)]);
    assert!(all.inputs[0].is_invalid);
}

#[test]
fn a_zstd_frame_of_another_length_than_it_announces_is_damaged() {
    let folder = Folder::new();
    // One raw block, no checksum; the byte in front of it is the announced length.
    let frame =
        |announced: u8| [&b"\x28\xb5\x2f\xfd\x20"[..], &[announced], b"\x21\0\0text"].concat();
    for (announced, is_damaged) in [(4, false), (9, true), (3, true)] {
        let all = read(&[folder.file("x.zst", frame(announced))]);
        assert_eq!(all.inputs[0].failure.is_some(), is_damaged, "{announced}");
        assert!(is_damaged || all.texts() == ["text"], "{announced}");
    }
}

#[test]
fn every_prefix_is_answered() {
    let folder = Folder::new();
    for whole in [gzip_of(&b"text".repeat(40)), zstd_of(&b"text".repeat(40))] {
        for length in 5..whole.len() {
            let all = read(&[folder.file("x", &whole[..length])]);
            assert!(all.inputs[0].failure.is_some(), "{length} {all:?}");
        }
    }
}

#[test]
fn what_may_be_unpacked_ends() {
    let folder = Folder::new();
    let options = SourceOptions { max_bytes: Some(1000), ..SourceOptions::default() };
    let packed = folder.file("x.gz", gzip_of(&b"text".repeat(1000)));
    let plain = folder.file("x.txt", b"text".repeat(1000));
    let all = read_with(&options, &[packed, plain]);
    assert!(all.inputs[0].is_invalid);
    let failure = all.inputs[0].failure.as_ref().unwrap().to_string();
    assert!(failure.contains("1000 bytes") && failure.contains("--max-bytes"), "{failure}");
    assert!(all.inputs[1].failure.is_none());
}

#[test]
fn no_changed_bit_loses_anything_without_a_word() {
    let folder = Folder::new();
    let text = "some text ".repeat(20);
    for whole in [gzip_of(text.as_bytes()), gzip_of(&tar_of(&[("stacks.txt", text.as_bytes())]))] {
        for at in 3..whole.len() {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << bit;
                let all = read(&[folder.file("x.gz", bytes)]);
                let told = !all.errors.is_empty()
                    || !all.warnings.is_empty()
                    || all.inputs.iter().any(|got| got.failure.is_some() || !got.notes.is_empty());
                assert!(told || all.texts() == [&text], "byte {at} bit {bit}: {all:?}");
            }
        }
    }
}

#[test]
fn what_is_compressed_twice_is_told_as_such() {
    let folder = Folder::new();
    let twice =
        [gzip_of(&gzip_of(b"text")), gzip_of(&zstd_of(b"text")), zstd_of(&gzip_of(b"text"))];
    for bytes in twice {
        let path = folder.file("x.gz.gz", bytes);
        let all = read(&[path]);
        assert!(all.inputs.is_empty());
        let error = all.errors[0].to_string();
        assert!(error.ends_with("x.gz.gz: is compressed twice; unpack it once"), "{error}");
    }
}

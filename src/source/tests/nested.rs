//! Containers in containers.

use super::*;

#[test]
fn an_archive_in_an_archive_is_opened() {
    let folder = Folder::new();
    let inner = zip_of(&[("stacks.txt", b"text")]);
    let packed_inner = gzip_of(&tar_of(&[("stacks.txt", b"text")]));
    let outer = [("n1.zip", &inner[..]), ("n2.tgz", &packed_inner[..])];
    for bytes in
        [zip_of(&outer), tar_of(&outer), gzip_of(&tar_of(&outer)), zstd_of(&zip_of(&outer))]
    {
        let all = read(&[folder.file("x", bytes)]);
        assert_eq!(all.paths(&folder), ["x!n1.zip!stacks.txt", "x!n2.tgz!stacks.txt"]);
        assert_eq!((all.texts(), all.errors.len()), (vec!["text"; 2], 0));
    }
}

#[test]
fn a_third_archive_is_left_closed_and_told() {
    let folder = Folder::new();
    let mut bytes = zip_of(&[("a.txt", b"deep")]);
    for name in ["c.zip", "b.zip"] {
        bytes = zip_of(&[(name, &bytes), ("beside.txt", b"beside")]);
    }
    let all = read(&[folder.file("a.zip", &bytes)]);
    assert_eq!(all.texts(), ["beside", "beside"]);
    assert_eq!(all.warnings.len(), 1);
    assert!(all.errors.is_empty());
    // An error if it is wanted.
    let all = read_with(&members(&["*.zip"]), &[folder.file("a.zip", &bytes)]);
    assert_eq!(all.errors.len(), 1, "{all:?}");
}

#[test]
fn a_glob_reaches_into_archives_that_it_does_not_match() {
    let folder = Folder::new();
    let inner = zip_of(&[("a.txt", b"a"), ("b.txt", b"b")]);
    let archive = folder.file("x.zip", zip_of(&[("n.zip", &inner), ("c.log", b"c")]));
    let all = read_with(&members(&["b.*"]), &[archive]);
    assert_eq!(all.paths(&folder), ["x.zip!n.zip!b.txt"]);
}

#[test]
fn an_archive_picked_by_a_glob_is_read_as_if_it_had_been_named() {
    let folder = Folder::new();
    let inner = zip_of(&[("stacks.txt", b"a"), ("b.txt", b"b")]);
    let archive = folder.file("x.zip", zip_of(&[("n.zip", &inner), ("m.zip", b"PK\x05\x06")]));
    let all = read_with(&members(&["n.zip"]), &[archive]);
    assert_eq!(all.paths(&folder), ["x.zip!n.zip!stacks.txt"]);
    assert!(all.errors.is_empty());
}

#[test]
fn a_damaged_archive_beside_a_good_one_is_an_error_of_its_own() {
    let folder = Folder::new();
    let good = zip_of(&[("stacks.txt", b"text")]);
    let bad = &good[..40];
    let archive = folder.file("x.zip", zip_of(&[("bad.zip", bad), ("good.zip", &good)]));
    let all = read(&[archive]);
    assert_eq!(all.texts(), ["text"]);
    assert!(all.error().contains("bad.zip"), "{}", all.error());
}

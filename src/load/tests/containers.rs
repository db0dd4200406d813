//! What is in archives, folders and packed files, and what of it is told.

use super::*;

#[test]
fn an_odd_container_warns_its_input() {
    let folder = Folder::new();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&goroutines(0..5)).unwrap();
    let packed = [encoder.finish().unwrap(), b"garbage!".to_vec()].concat();
    let loaded = load_all(&[folder.file("x.gz", packed)], &LoadOptions::default());
    let warnings = &loaded.profile.inputs[0].warnings;
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].kind, crate::profile::WarningKind::Container);
    assert!(loaded.errors.is_empty());
}

#[test]
fn unknown_members_are_counted_and_an_argument_that_has_nothing_else_is_an_error() {
    let folder = Folder::new();
    let some = zip_of(&[("readme", b"text".to_vec()), ("dump", goroutines(0..2))]);
    let none = zip_of(&[("readme", b"text".to_vec()), ("notes", b"text".to_vec())]);
    let loaded = load_all(&[folder.file("some.zip", some)], &LoadOptions::default());
    assert_eq!((counts(&loaded), loaded.skipped, loaded.errors.count()), (vec![2], 1, 0));
    let loaded = load_all(&[folder.file("none.zip", none)], &LoadOptions::default());
    assert_eq!((loaded.skipped, loaded.errors.count()), (2, 1));
    assert!(
        loaded.errors.iter().next().unwrap().error.what.contains("only 2 other files"),
        "{:?}",
        loaded.errors
    );
}

#[test]
fn a_member_that_has_lost_its_first_bytes_is_told_beside_one_of_its_kind() {
    let folder = Folder::new();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&goroutines(0..2)).unwrap();
    let mut packed = encoder.finish().unwrap();
    packed[1] ^= 1;
    let text = goroutines(0..2);
    let one = goroutines(0..1);
    let frames = one.split_inclusive(|&byte| byte == b'\n').skip(1).collect::<Vec<_>>().concat();
    let log = b"INFO ready\n".to_vec();
    for (name, bytes, told) in [("b.txt.gz", packed, 1), ("b.txt", frames, 1), ("b.txt", log, 0)] {
        let archive = zip_of(&[("a.txt", text.clone()), (name, bytes)]);
        let loaded = load_all(&[folder.file("a.zip", archive)], &LoadOptions::default());
        let warnings = loaded.warnings.count();
        assert_eq!((counts(&loaded), warnings), (vec![2], told), "{:?}", loaded.warnings);
    }
}

#[test]
fn an_argument_in_which_nothing_was_found_says_why() {
    let folder = Folder::new();
    let error = |members: &[(&str, Vec<u8>)], picks: &[&str]| {
        let mut options = LoadOptions::default();
        options.source.members = picks.iter().map(|&glob| glob.to_owned()).collect();
        let loaded = load_all(&[folder.file("a.zip", zip_of(members))], &options);
        assert_eq!((counts(&loaded).len(), loaded.errors.count()), (0, 1));
        loaded.errors.iter().next().unwrap().error.what.clone()
    };
    assert_eq!(error(&[], &[]), "holds no files");
    let dump = [("dump", goroutines(0..2))];
    assert_eq!(error(&dump, &["n*.txt"]), "holds nothing that --member picks");
}

#[test]
fn a_program_beside_the_dumps_of_a_folder_is_passed_over_and_one_that_is_named_is_an_error() {
    let folder = Folder::new();
    let program = b"\x7fELF\x02\x01\x01\0\0\0\0".to_vec();
    let archive = zip_of(&[("server", program.clone()), ("dump", goroutines(0..2))]);
    let loaded = load_all(&[folder.file("a.zip", archive)], &LoadOptions::default());
    assert_eq!((counts(&loaded), loaded.skipped, loaded.errors.count()), (vec![2], 1, 0));
    let loaded = load_all(&[folder.file("server", program)], &LoadOptions::default());
    assert_eq!((counts(&loaded).len(), loaded.skipped), (0, 0));
    assert_eq!(loaded.errors.iter().next().unwrap().error.what, "is a binary");
}

#[test]
fn of_more_errors_than_are_kept_each_is_counted() {
    let folder = Folder::new();
    let all = LIMITS.problems_alike + 200;
    let members: Vec<String> = (0..all).map(|at| format!("{at}/stacks.txt")).collect();
    let members: Vec<(&str, Vec<u8>)> =
        members.iter().map(|name| (name.as_str(), b"text".to_vec())).collect();
    let archive = folder.file("a.zip", zip_of(&[("inner.zip", zip_of(&members))]));
    let loaded = load_all(&[archive], &LoadOptions::default());
    assert_eq!(loaded.errors.count(), all as u64);
}

#[test]
fn a_well_known_name_over_unknown_content_is_an_error() {
    let folder = Folder::new();
    let archive = zip_of(&[("stacks.txt", b"text".to_vec()), ("dump", goroutines(0..2))]);
    let loaded = load_all(&[folder.file("a.zip", archive)], &LoadOptions::default());
    assert_eq!((counts(&loaded).len(), loaded.errors.count()), (0, 1));
    assert!(loaded.errors.iter().next().unwrap().error.input.ends_with("a.zip!stacks.txt"));
}

#[test]
fn dumps_that_cannot_be_unpacked_are_told_once_for_each_container() {
    let folder = Folder::new();
    let nodes = |ending: &str| (1..4).map(|at| format!("{at}/goroutine.txt{ending}")).collect();
    let members: Vec<String> =
        [nodes(".bz2"), nodes(".Z"), vec!["n/stacks.txt".to_owned()]].concat();
    let members: Vec<(&str, Vec<u8>)> =
        members.iter().map(|name| (name.as_str(), goroutines(0..2))).collect();
    let archive = zip_of(&members);
    for (name, bytes) in &members {
        folder.file(&format!("d/{name}"), bytes);
    }
    let nested = zip_of(&[("n/stacks.txt.zip", archive.clone())]);
    let arguments = [
        folder.file("a.zip", archive),
        folder.file("nested.zip", nested),
        folder.0.path().join("d").into(),
    ];
    for argument in arguments {
        let loaded = load_all(&[argument], &LoadOptions::default());
        assert_eq!((counts(&loaded), loaded.errors.count()), (vec![2], 0));
        let [Problem { error, more: 0 }] = loaded.warnings.iter().as_slice() else {
            panic!("{:?}", loaded.warnings)
        };
        let what = "6 dumps in it are compressed in a way that isn't read: 1/goroutine.txt";
        assert!(error.what.starts_with(what), "{error}");
    }
}

#[test]
fn an_archive_beside_a_well_known_name_is_told_unless_the_user_picks() {
    let folder = Folder::new();
    let members = [
        ("node-1/stacks.txt", goroutines(0..2)),
        ("node-2.zip", zip_of(&[("stacks.txt", goroutines(0..3))])),
        ("node-3.tar.gz", b"text".to_vec()),
    ];
    for (name, bytes) in &members {
        folder.file(&format!("d/{name}"), bytes);
    }
    for argument in [folder.file("a.zip", zip_of(&members)), folder.0.path().join("d").into()] {
        let loaded = load_all(std::slice::from_ref(&argument), &LoadOptions::default());
        assert_eq!((counts(&loaded), loaded.errors.count()), (vec![2], 0));
        let told: Vec<String> =
            loaded.warnings.iter().map(|problem| problem.error.what.clone()).collect();
        let what =
            "2 archives in it aren't opened beside dumps with well-known names: node-2.zip, ...";
        assert_eq!(told, [what]);

        let mut picked = LoadOptions::default();
        picked.source.members = vec!["stacks.txt".to_owned()];
        let loaded = load_all(&[argument], &picked);
        assert_eq!((counts(&loaded), loaded.warnings.count()), (vec![2], 0));
    }
}

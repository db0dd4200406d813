//! Tar archives, plain and compressed.

use super::*;

const MEMBERS: &[(&str, &[u8])] = &[
    ("bundle/nodes/1/stacks.txt", b"one"),
    ("bundle/nodes/1/heap.pb.gz", b"heap"),
    ("bundle/nodes/10/stacks.txt", b"ten"),
    ("bundle/nodes/2/stacks.txt", b"two"),
];

#[test]
fn members_are_chosen_as_in_a_zip() {
    let folder = Folder::new();
    let all = read(&[folder.file("x.tar", tar_of(MEMBERS))]);
    assert_eq!(all.texts(), ["one", "two", "ten"]);
    assert_eq!(all.paths(&folder)[1], "x.tar!bundle/nodes/2/stacks.txt");
}

#[test]
fn compressed_archives_give_the_same_members() {
    let folder = Folder::new();
    for bytes in [gzip_of(&tar_of(MEMBERS)), zstd_of(&tar_of(MEMBERS))] {
        let all = read(&[folder.file("x.tgz", bytes)]);
        let mut texts = all.texts();
        texts.sort_unstable();
        assert_eq!((texts, all.errors.len()), (vec!["one", "ten", "two"], 0));
    }
}

#[test]
fn members_may_be_compressed() {
    let folder = Folder::new();
    let packed = gzip_of(b"text");
    let archive = tar_of(&[("stacks.txt.gz", &packed)]);
    assert_eq!(read(&[folder.file("x.tar", &archive)]).texts(), ["text"]);
    assert_eq!(read(&[folder.file("x.tar.gz", gzip_of(&archive))]).texts(), ["text"]);
}

#[test]
fn long_names_and_leading_dots_are_understood() {
    let folder = Folder::new();
    let long = format!("{}stacks.txt", "folder/".repeat(40));
    let mut builder = ::tar::Builder::new(Vec::new());
    for name in [long.as_str(), "./stacks.txt"] {
        let mut header = ::tar::Header::new_gnu();
        header.set_size(4);
        builder.append_data(&mut header, name, &b"text"[..]).unwrap();
    }
    let all = read(&[folder.file("x.tar", builder.into_inner().unwrap())]);
    assert_eq!(all.paths(&folder), [format!("x.tar!{long}"), "x.tar!stacks.txt".to_owned()]);
}

#[test]
fn a_path_that_is_too_long_to_have_copies_of_is_cut_and_its_member_read() {
    let folder = Folder::new();
    let long = format!("{}/stacks.txt", "\u{e4}".repeat(400_000));
    let tar = |names: &[&str], bytes: &[u8]| {
        let mut builder = ::tar::Builder::new(Vec::new());
        for name in names {
            let mut header = ::tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            builder.append_data(&mut header, name, bytes).unwrap();
        }
        builder.into_inner().unwrap()
    };
    let inner = tar(&["stacks.txt"], b"inner");
    for (bytes, text) in [(&b"text"[..], "text"), (&inner, "inner")] {
        let all = read(&[folder.file("x.tar", tar(&[&long], bytes))]);
        assert_eq!(all.texts(), [text]);
        let length = all.inputs[0].path.len();
        assert!((4000..4200).contains(&length), "{length}");
    }
    let all = read(&[folder.file("y.tar", tar(&["stacks.txt", &format!("{long}.xz")], b"text"))]);
    assert!(all.warnings[0].to_string().len() < 5000, "what is told of it");
    let extent = crate::source::extent::Extent::of_memory(tar(&[&long], b"text"));
    let listed = crate::source::tar::list(&extent);
    let kept = listed.members.path(0);
    assert!(kept.len() < 5000 && kept.ends_with("/stacks.txt"), "{}", kept.len());
}

/// A tar of members with a name, a type, a target of links and contents.
fn tar_with(members: &[(&str, u8, &str, &[u8])]) -> Vec<u8> {
    let mut builder = ::tar::Builder::new(Vec::new());
    for &(name, kind, target, bytes) in members {
        let mut header = ::tar::Header::new_gnu();
        header.set_path(name).unwrap();
        header.set_entry_type(::tar::EntryType::new(kind));
        header.set_link_name_literal(target).unwrap();
        header.set_size(bytes.len() as u64);
        if kind == b'S' {
            // First a hole, whose length is given as the target, then the contents.
            let hole: usize = target.parse().unwrap();
            let octal = |number| format!("{number:011o}\0").into_bytes().try_into().unwrap();
            let gnu = header.as_gnu_mut().unwrap();
            gnu.realsize = octal(bytes.len() + hole);
            gnu.sparse[0].offset = octal(hole);
            gnu.sparse[0].numbytes = octal(bytes.len());
        }
        header.set_cksum();
        builder.append(&header, bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

/// What is read of a tar, and of the same compressed, which is read in the order of the archive.
fn read_both(tar: &[u8]) -> [All; 2] {
    let folder = Folder::new();
    let mut both = [tar.to_vec(), gzip_of(tar)].map(|bytes| read(&[folder.file("x.tar", bytes)]));
    both[1].inputs.sort_by(|a, b| a.path.cmp(&b.path));
    both
}

#[test]
fn what_is_no_file_is_told_where_it_has_the_name_of_a_dump() {
    for (kind, what) in [
        (b'1', "is a link to what is no file in the archive"),
        (b'2', "is a link to what is no file in the archive"),
        (b'3', "isn't a regular file"),
        (b'6', "isn't a regular file"),
        (b'M', "starts in another archive"),
    ] {
        let odd = ("n2/stacks.txt", kind, "/etc/passwd", &b""[..]);
        for all in read_both(&tar_with(&[("n1/stacks.txt", b'0', "", b"one"), odd])) {
            assert_eq!(all.texts(), ["one"]);
            assert!(all.error().contains(&format!("!n2/stacks.txt: {what}")), "{}", all.error());
        }
        // Where all are tried, links to a file and devices are as good as nothing.
        let is_file = kind == b'M';
        for all in read_both(&tar_with(&[("a", b'0', "", b"one"), ("b", kind, "a", b"")])) {
            assert_eq!((all.texts(), all.errors.len()), (vec!["one"], 0));
            assert_eq!(all.warnings.len(), usize::from(is_file), "{what}: {:?}", all.warnings);
        }
    }
}

#[test]
fn a_link_to_no_file_counts_as_an_empty_one_where_all_are_tried() {
    for kind in [b'1', b'2'] {
        let link = ("b.txt", kind, "/etc/passwd", &b""[..]);
        for all in read_both(&tar_with(&[("a.txt", b'0', "", b"one"), link])) {
            assert_eq!((all.texts(), all.errors.len()), (vec!["one", ""], 0));
        }
    }
}

#[test]
fn links_are_read_as_the_files_that_they_lead_to_and_each_file_once() {
    let tar = tar_with(&[
        ("n1/stacks.txt", b'2', "./s.2.txt", b""),
        ("n1/s.1.txt", b'0', "", b"old"),
        ("n1/s.2.txt", b'0', "", b"new"),
        ("n2/stacks.txt", b'0', "", b"two"),
        ("n3/stacks.txt", b'1', "n2/stacks.txt", b""),
        ("n4/stacks.txt", b'1', "n2/stacks.txt", b"four"),
        ("n5/stacks.txt", b'Z', "", b"five"),
    ]);
    for all in read_both(&tar) {
        assert_eq!((all.texts(), all.errors.len()), (vec!["new", "two", "four", "five"], 0));
        assert!(all.inputs[0].path.ends_with("x.tar!n1/stacks.txt"), "{}", all.inputs[0].path);
    }
}

/// `lastlog`, databases and logs whose start was cut off have holes.
#[test]
fn a_file_that_was_stored_without_its_holes_has_them() {
    let tar = tar_with(&[
        ("a", b'0', "", b"one"),
        ("b", b'S', "10", b"two"),
        ("c", b'0', "", b"three"),
        ("d", b'2', "b", b""),
    ]);
    for all in read_both(&tar) {
        assert_eq!(all.texts(), ["one", "\0\0\0\0\0\0\0\0\0\0two", "three"]);
        assert_eq!((all.errors.len(), all.warnings.len()), (0, 0));
    }
    let folder = Folder::new();
    let options = SourceOptions { max_bytes: Some(9), ..SourceOptions::default() };
    let all = read_with(&options, &[folder.file("x.tar", &tar)]);
    let told = all.inputs.iter().filter_map(|input| input.failure.as_ref());
    let told: Vec<String> = told.chain(&all.errors).map(ToString::to_string).collect();
    assert!(told.concat().contains("--max-bytes"), "{told:?}");
}

/// Holes cost nothing in the archive, and terabytes of time.
#[test]
fn a_file_that_is_hardly_more_than_holes_is_refused() {
    let tar = |hole: &str| {
        tar_with(&[("n1/stacks.txt", b'0', "", b"one"), ("n2/stacks.txt", b'S', hole, b"two")])
    };
    for all in read_both(&tar("1000000000")) {
        assert_eq!(all.texts(), ["one"]);
        assert!(
            all.error().contains("!n2/stacks.txt: is more than 200 times larger"),
            "{}",
            all.error()
        );
    }
    for all in read_both(&tar("60000000")) {
        assert_eq!((all.texts().len(), all.errors.len()), (2, 0));
    }
}

/// Kubernetes mounts settings and logs like this.
#[test]
fn a_link_may_lead_through_links_to_folders() {
    let tar = tar_with(&[
        ("k/..2026_11_25/stacks.txt", b'0', "", b"one"),
        ("k/..data", b'2', "..2026_11_25", b""),
        ("k/stacks.txt", b'2', "..data/stacks.txt", b""),
        ("n1/x.txt", b'0', "", b"two"),
        ("n2/stacks.txt", b'2', "../current/x.txt", b""),
        ("current", b'2', "n1", b""),
    ]);
    for all in read_both(&tar) {
        assert_eq!((all.texts(), all.errors.len()), (vec!["one", "two"], 0));
        assert!(all.inputs[1].path.ends_with("x.tar!n2/stacks.txt"), "{}", all.inputs[1].path);
    }
}

/// `tar --append` adds them: of one process at several moments, or of several processes.
#[test]
fn of_several_members_with_the_name_of_a_dump_all_are_read() {
    let members =
        [("stacks.txt", &b"one"[..]), ("goroutine.txt", b"other form"), ("stacks.txt", b"two")];
    for all in read_both(&tar_of(&members)) {
        assert_eq!((all.texts(), all.errors.len()), (vec!["one", "two"], 0));
    }
}

#[test]
fn a_cut_member_gives_what_there_is_and_an_error() {
    let folder = Folder::new();
    let whole = tar_of(&[("a/stacks.txt", b"first"), ("b/stacks.txt", &[b'x'; 2000])]);
    let cut = &whole[..3 * 512 + 1000];
    for bytes in [cut.to_vec(), gzip_of(cut), zstd_of(cut)] {
        let all = read(&[folder.file("x.tar", bytes)]);
        assert_eq!(all.inputs[0].text, "first");
        assert_eq!(all.inputs[1].text.len(), 1000);
        let failure = all.inputs[1].failure.as_ref().expect("a cut is told").to_string();
        assert!(failure.contains("cut"), "{failure}");
        assert!(!all.inputs[1].is_invalid);
    }
}

#[test]
fn a_damaged_header_ends_the_list_but_not_what_came_before() {
    let folder = Folder::new();
    let mut whole = tar_of(&[("a/stacks.txt", b"first"), ("b/stacks.txt", b"second")]);
    whole[1024..1064].fill(b'z');
    for bytes in [whole.clone(), gzip_of(&whole)] {
        let all = read(&[folder.file("x.tar", bytes)]);
        assert_eq!(all.texts(), ["first"]);
        assert!(all.error().contains("damaged"), "{}", all.error());
    }
}

#[test]
fn a_cut_in_the_padding_or_before_the_end_mark_is_told() {
    let folder = Folder::new();
    let whole = tar_of(&[("a/stacks.txt", b"first"), ("b/stacks.txt", b"second")]);
    for length in [3 * 512 + 100, 4 * 512, 3 * 512 + 6] {
        for bytes in [whole[..length].to_vec(), gzip_of(&whole[..length])] {
            let all = read(&[folder.file("x.tar", bytes)]);
            assert_eq!(all.texts(), ["first", "second"]);
            let told = ["without its end mark", "unexpected EOF"];
            let told = told.iter().any(|told| all.error().contains(told));
            assert!(told, "{length}: {}", all.error());
        }
    }
    // Some writers leave out the second block of zeros, others write many.
    let mut long = whole.clone();
    long.resize(3 << 20, 0);
    for bytes in
        [whole[..5 * 512].to_vec(), gzip_of(&whole[..5 * 512]), long.clone(), zstd_of(&long)]
    {
        let all = read(&[folder.file("x.tar", bytes)]);
        assert_eq!((all.texts(), all.errors.len()), (vec!["first", "second"], 0));
    }
}

#[test]
fn archives_one_behind_the_other_are_one() {
    let folder = Folder::new();
    let both = [tar_of(&[("a/stacks.txt", b"first")]), tar_of(&[("b/stacks.txt", b"second")])];
    for bytes in [both.concat(), gzip_of(&both.concat()), both.map(|one| gzip_of(&one)).concat()] {
        let all = read(&[folder.file("x.tar", bytes)]);
        assert_eq!((all.texts(), all.errors.len()), (vec!["first", "second"], 0));
    }
}

#[test]
fn names_without_end_are_not_held_in_memory() {
    let folder = Folder::new();
    for kind in [b'L', b'x'] {
        let mut header = ::tar::Header::new_gnu();
        header.set_path("long").unwrap();
        header.set_entry_type(::tar::EntryType::new(kind));
        header.set_size(8 << 20);
        header.set_cksum();
        let first = tar_of(&[("a/stacks.txt", b"first")]);
        let mut bytes = [&first[..1024], header.as_bytes()].concat();
        bytes.resize(bytes.len() + (8 << 20), b'a');
        bytes.extend(tar_of(&[("b/stacks.txt", b"second")]));
        for bytes in [bytes.clone(), gzip_of(&bytes)] {
            let all = read(&[folder.file("x.tar", bytes)]);
            assert_eq!(all.texts(), ["first"]);
            assert!(all.error().contains("longer than 1048576"), "{}", all.error());
        }
    }
}

#[test]
fn a_damaged_extended_header_hides_no_member() {
    let name = "d/".repeat(60) + "stacks.txt";
    let mut builder = ::tar::Builder::new(Vec::new());
    builder.append_pax_extensions([("path", name.as_bytes())]).unwrap();
    let mut header = ::tar::Header::new_ustar();
    header.set_path("d/".repeat(50)).unwrap();
    header.set_size(4);
    header.set_cksum();
    builder.append(&header, &b"text"[..]).unwrap();
    let mut archive = builder.into_inner().unwrap();
    let folder = Folder::new();
    let whole = read(&[folder.file("x.tar", &archive)]);
    assert_eq!((whole.texts(), whole.errors.len()), (vec!["text"], 0));
    assert_eq!(whole.paths(&folder), [format!("x.tar!{name}")]);
    // The length of its only record.
    let record = archive.windows(6).position(|bytes| bytes == b" path=").unwrap();
    archive[record - 1] ^= 1;
    let damaged = read(&[folder.file("y.tar", &archive)]);
    assert_eq!(damaged.texts(), ["text"]);
}

#[test]
fn members_behind_a_megabyte_of_zeros_are_missed() {
    let folder = Folder::new();
    let first = tar_of(&[("stacks.txt", b"text")]);
    let hole = vec![0; 3 << 20];
    let whole = [&first[..], &hole].concat();
    assert!(read(&[folder.file("x.tar", &whole)]).errors.is_empty());
    let all = read(&[
        folder.file("x.tar", [&whole[..], &tar_of(&[("more/stacks.txt", b"more")])].concat())
    ]);
    assert_eq!(all.texts(), ["text"]);
    assert_eq!(all.errors.len(), 1, "{all:?}");
}

/// As behind a sparse file of a disk.
#[test]
fn more_zeros_than_are_looked_through_are_told() {
    let folder = Folder::new();
    let path = folder.file("x.tar", tar_of(&[("stacks.txt", b"text")]));
    let archive = std::fs::File::options().write(true).open(&path).unwrap();
    archive.set_len(1000 << 20).unwrap();
    assert!(read(std::slice::from_ref(&path)).errors.is_empty());
    archive.set_len(1100 << 20).unwrap();
    let all = read(&[path]);
    assert_eq!(all.texts(), ["text"]);
    assert!(all.error().contains("(tar_zeros)"), "{}", all.error());
}

/// `tar --label=dumps` (GNU tar 1.34) writes this header.
#[test]
fn a_label_is_no_damage() {
    let mut label = ::tar::Header::new_old();
    label.as_mut_bytes()[..5].copy_from_slice(b"dumps");
    label.as_mut_bytes()[136..147].copy_from_slice(b"15303153131");
    label.set_entry_type(::tar::EntryType::new(b'V'));
    label.set_cksum();
    let members = tar_of(&[("a/stacks.txt", b"first"), ("b/stacks.txt", b"second")]);
    let folder = Folder::new();
    let tar = [label.as_bytes(), &members[..]].concat();
    for bytes in [tar.clone(), gzip_of(&tar)] {
        let all = read(&[folder.file("x.tar", bytes)]);
        assert_eq!((all.texts(), all.errors.len()), (vec!["first", "second"], 0));
    }
    // A member with its type damaged is none.
    let mut damaged = members;
    damaged[156] = b'V';
    assert!(read(&[folder.file("y.tar", damaged)]).error().contains("damaged"));
}

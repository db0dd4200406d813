//! Files, directories, links, pipes.

use super::*;

#[test]
fn a_directory_gives_what_an_archive_of_it_would() {
    let folder = Folder::new();
    folder.file("d/nodes/10/stacks.txt", "ten");
    folder.file("d/nodes/9/stacks.txt.gz", gzip_of(b"nine"));
    folder.file("d/nodes/9/stacks_with_labels.txt", "counted");
    folder.file("d/readme", "text");
    let all = read(&[folder.path().join("d")]);
    assert_eq!(all.texts(), ["nine", "ten"]);
    assert_eq!(all.paths(&folder), ["d/nodes/9/stacks.txt.gz", "d/nodes/10/stacks.txt"]);
    let all = read_with(&members(&["nodes/9/*.txt"]), &[folder.path().join("d")]);
    assert_eq!(all.texts(), ["counted"]);
}

#[test]
fn a_directory_without_known_names_is_looked_through_archives_included() {
    let folder = Folder::new();
    folder.file("d/b.txt", "b");
    folder.file("d/a/n1.zip", zip_of(&[("stacks.txt", b"zipped"), ("other", b"other")]));
    let all = read(&[folder.path().join("d")]);
    assert_eq!(all.paths(&folder), ["d/a/n1.zip!stacks.txt", "d/b.txt"]);
}

#[test]
fn a_missing_file_does_not_stop_the_others() {
    let folder = Folder::new();
    let all = read(&[folder.path().join("missing"), folder.file("a", "text")]);
    assert_eq!(all.texts(), ["text"]);
    assert!(all.error().contains("missing"));
}

#[test]
fn an_empty_file_is_an_empty_input() {
    let folder = Folder::new();
    assert_eq!(read(&[folder.file("empty", "")]).texts(), [""]);
}

#[test]
fn stdin_can_be_named_once() {
    assert!(expand(&["-".into(), "-".into()], &SourceOptions::default()).is_err());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn links_are_followed_once_and_loops_fail_alone() {
        let folder = Folder::new();
        folder.file("elsewhere/b/c.txt", "c");
        folder.file("d/a.txt", "a");
        folder.file("d/real/d.txt", "d");
        let inside = |name: &str| folder.path().join("d").join(name);
        symlink(folder.path().join("elsewhere"), inside("linked")).unwrap();
        symlink(folder.path().join("elsewhere/b"), inside("twice")).unwrap();
        symlink(inside("linked"), folder.path().join("elsewhere/b/again")).unwrap();
        symlink(inside("real"), inside("latest")).unwrap();
        symlink(inside("a.txt"), inside("b.txt")).unwrap();
        symlink(inside("loop"), inside("loop")).unwrap();
        symlink(folder.path().join("d"), inside("circle")).unwrap();
        let all = read(&[folder.path().join("d")]);
        assert_eq!(all.paths(&folder), ["d/a.txt", "d/b.txt", "d/linked/b/c.txt", "d/real/d.txt"]);
        assert!(all.error().contains("loop"), "{}", all.error());
        assert!(all.warnings.is_empty(), "{:?}", all.warnings);
    }

    #[test]
    fn a_link_to_a_directory_around_it_is_told_and_not_followed() {
        let folder = Folder::new();
        folder.file("stacks.txt", "outside");
        folder.file("d/stacks.txt", "a");
        symlink("..", folder.path().join("d/up")).unwrap();
        symlink("/", folder.path().join("d/root")).unwrap();
        let all = read(&[folder.path().join("d")]);
        assert_eq!(all.paths(&folder), ["d/stacks.txt"]);
        let told: Vec<String> = all.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[1].contains("up: is a link to a folder around it"), "{told:?}");
    }

    #[test]
    fn names_that_are_not_utf8_are_read() {
        let folder = Folder::new();
        let name = std::ffi::OsStr::from_bytes(b"d\xff.txt");
        let path = folder.path().join(name);
        fs::write(&path, "text").unwrap();
        assert_eq!(read(&[path]).texts(), ["text"]);
        assert_eq!(read(&[folder.path().to_owned()]).texts(), ["text"]);
    }

    /// A pipe with a name, into which a process writes once. Opened a second time, it would block.
    fn pipe(folder: &Folder, name: &str, bytes: Vec<u8>) -> PathBuf {
        let path = folder.path().join(name);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let from = folder.file(&format!("{name}.bytes"), bytes);
        let script = r#"cat "$0" >"$1" 2>/dev/null &"#;
        Command::new("sh").args(["-c", script]).args([&from, &path]).status().unwrap();
        path
    }

    #[test]
    fn pipes_are_opened_once_and_read_once() {
        let folder = Folder::new();
        let text = b"goroutine 1 [running]:\n".repeat(10_000);
        let all = read(&[
            pipe(&folder, "plain", text.clone()),
            pipe(&folder, "packed", gzip_of(&text)),
            pipe(&folder, "zip", zip_of(&[("stacks.txt", &text)])),
            pipe(&folder, "tar", tar_of(&[("stacks.txt", &text)])),
            pipe(&folder, "tgz", gzip_of(&tar_of(&[("stacks.txt", &text)]))),
        ]);
        assert_eq!(all.inputs.len(), 5);
        assert!(all.inputs.iter().all(|input| input.text.as_bytes() == text));
        assert!(all.errors.is_empty());
        assert!(all.paths(&folder)[2].ends_with("zip!stacks.txt"));
    }

    #[test]
    fn an_archive_in_a_pipe_counts_as_unpacked() {
        let folder = Folder::new();
        let options = SourceOptions { max_bytes: Some(100), ..SourceOptions::default() };
        let noise: Vec<u8> = (0..500u32).map(|n| (n * n % 251) as u8).collect();
        let all = read_with(&options, &[pipe(&folder, "zip", zip_of(&[("stacks.txt", &noise)]))]);
        assert!(all.error().contains("--max-bytes"), "{}", all.error());
    }

    #[test]
    fn pipes_in_directories_are_left_alone() {
        let folder = Folder::new();
        folder.file("d/a.txt", "a");
        let path = folder.path().join("d/pipe");
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        assert_eq!(read(&[folder.path().join("d")]).texts(), ["a"]);
    }

    #[test]
    fn a_pipe_or_device_with_the_name_of_a_dump_is_an_error() {
        let folder = Folder::new();
        folder.file("d/n1/stacks.txt", "a");
        fs::create_dir(folder.path().join("d/n2")).unwrap();
        fs::create_dir(folder.path().join("d/n3")).unwrap();
        let path = folder.path().join("d/n2/stacks.txt");
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        symlink("/dev/zero", folder.path().join("d/n3/goroutine.txt")).unwrap();
        let all = read(&[folder.path().join("d")]);
        assert_eq!(all.texts(), ["a"]);
        assert_eq!(all.errors.len(), 2);
        let is_told = |error: &Error| error.to_string().contains("isn't a regular file");
        assert!(all.errors.iter().all(is_told), "{:?}", all.errors);
    }
}

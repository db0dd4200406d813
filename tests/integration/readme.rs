//! What README.md shows is what the program prints.

use std::path::Path;
use std::process::Command;

#[test]
fn examples_print_what_is_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let mut examples = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("\n```").next().expect("an end");
        let (command, shown) = block.split_once('\n').expect("a command and what it prints");
        let arguments = command.strip_prefix("$ stackgazer ").expect("a prompt");
        let output = Command::new(env!("CARGO_BIN_EXE_stackgazer"))
            .args(arguments.split(' '))
            .current_dir(root)
            .env_clear()
            .output()
            .expect("stackgazer starts");
        let printed = String::from_utf8_lossy(&output.stdout);
        let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
        assert_eq!(shown.lines().collect::<Vec<_>>(), printed, "{command}");
        examples += 1;
    }
    assert!(examples >= 2);
}

#[test]
fn the_first_command_is_the_one_that_builds_and_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let command = readme.split("```sh\n").nth(1).and_then(|block| block.lines().next());
    assert_eq!(command, Some("cargo run --release -- summarize testdata/bundle.zip"));
}

//! Hostile inputs: each gets its answer, in little memory, and takes no other input down.

mod files;
#[cfg(target_os = "linux")]
mod forging;
mod large;
mod large_answers;
mod large_calls;
mod large_names;
mod large_protos;
#[cfg(feature = "parquet")]
mod large_tables;
mod slow;
mod symbols;
#[cfg(feature = "parquet")]
mod tables;
pub(crate) mod write;

use crate::document::Document;
use crate::sandbox::{Ran, Sandbox, files_below, testdata};
use files::{Hostile, all};

/// Every way to show what was read: `export` and `check` have formats and reports that others
/// haven't; the help of each command tells which.
pub(crate) fn ways() -> Vec<Vec<String>> {
    let mut ways = Vec::new();
    for command in ["summarize", "filter", "name", "diff", "check", "tree", "export"] {
        let help = Sandbox::new().run([command, "--help"]).quiet();
        let (_, formats) = help.text().split_once("Formats of --output:\n").expect("formats");
        let lines = formats.lines().map(str::trim);
        for line in lines.take_while(|line| !line.is_empty()) {
            let format = line.split(' ').next().expect("a name");
            ways.push(vec![command.to_owned(), "-o".to_owned(), format.to_owned()]);
        }
    }
    let more = [
        "summarize --by function",
        "summarize --by name,state,input -n 0",
        "summarize --by stack -o csv",
        "summarize --by label:key",
        "summarize --by mapping",
        "summarize --peek .",
        "summarize --tree",
        "summarize --traces",
        "summarize --tags",
        "summarize --list .",
        "tree --waits",
        "tree --waits -o json",
        "name --explain",
        "name --unused",
        "filter --args",
        "check --report github",
        "check --report gitlab",
        "check --report junit",
        "check --report sarif",
        "check --report markdown",
    ];
    ways.extend(more.map(|way| way.split(' ').map(str::to_owned).collect()));
    ways
}

/// A folder with every hostile file in it.
fn sandbox() -> (Sandbox, Vec<Hostile>) {
    let (sandbox, files) = (Sandbox::new(), all());
    for file in &files {
        sandbox.file(file.name, &file.bytes);
    }
    (sandbox, files)
}

/// Neither a panic nor the end of memory: a limit comes before.
#[track_caller]
fn sound(ran: Ran) -> Ran {
    let ran = ran.no_panic();
    assert!(!ran.stderr.contains("out of memory"), "{}", ran.stderr);
    ran
}

#[test]
fn files_are_what_the_maker_writes() {
    let files = all();
    let folder = testdata("hostile");
    if std::env::var_os("STACKGAZER_BLESS").is_some() {
        std::fs::create_dir_all(&folder).expect("a folder");
        for file in &files {
            let path = folder.join(file.name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, &file.bytes).expect("a file");
        }
    }
    let mut stale: Vec<&str> = files
        .iter()
        .filter(|file| std::fs::read(folder.join(file.name)).ok().as_ref() != Some(&file.bytes))
        .map(|file| file.name)
        .collect();
    if files_below(&folder).len() != files.len() {
        stale.push("others");
    }
    assert!(stale.is_empty(), "STACKGAZER_BLESS=1 writes them anew: {stale:?}");
}

#[test]
fn every_hostile_file_gets_its_answer_in_little_memory() {
    let (sandbox, files) = sandbox();
    sandbox.file("good.txt", files::ONE);
    let mut wrong = Vec::new();
    for file in &files {
        let Hostile { code, goroutines, says, .. } = file;
        let name = file.argument();
        let ran = sound(sandbox.run_small(["export", "-o", "json", name]));
        if ran.code != Some(*code) {
            wrong.push(format!("{name}: code {:?}, expected {code}: {}", ran.code, ran.stderr));
        }
        if !ran.stderr.contains(says) || says.is_empty() && !ran.stderr.is_empty() {
            wrong.push(format!("{name}: doesn't say {says:?} alone: {}", ran.stderr));
        }
        let document: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap_or_default();
        if goroutines.is_some_and(|expected| document["total"].as_i64() != Some(expected)) {
            wrong.push(format!("{name}: {} goroutines: {}", document["total"], ran.stderr));
        }
        let ran = sound(sandbox.run_small(["export", "-o", "json", name, "good.txt"]));
        let document = Document::new(ran.json());
        let good = document.inputs().iter().find(|input| input["name"] == "good.txt");
        if good.is_none_or(|good| good["goroutines"] != 1) {
            wrong.push(format!("{name} takes another input down: {}", ran.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_command_shows_all_hostile_files_in_every_format_in_little_memory() {
    let (sandbox, files) = sandbox();
    let ways = ways();
    std::thread::scope(|scope| {
        for some in ways.chunks(ways.len().div_ceil(2)) {
            scope.spawn(|| some.iter().for_each(|way| shows_all(&sandbox, &files, way)));
        }
    });
}

/// One way to show things shows all hostile files at once, and fails for those that are damaged.
fn shows_all(sandbox: &Sandbox, files: &[Hostile], way: &[String]) {
    let mut arguments = way.to_vec();
    arguments.extend(["--config", "/dev/null"].map(str::to_owned));
    match way[0].as_str() {
        "diff" => arguments.push("states.txt".to_owned()),
        "check" => arguments.push("--fleet".to_owned()),
        _ => {}
    }
    arguments.extend(files.iter().map(|file| file.argument().to_owned()));
    let ran = sound(sandbox.run_small(&arguments));
    assert!(ran.code == Some(2), "{way:?}: {:?} {}", ran.code, ran.stderr);
}

#[test]
fn a_huge_sum_is_no_negative_number() {
    let (sandbox, _) = sandbox();
    let ran = sandbox.run(["summarize", "overflow.pb"]).no_panic();
    assert!(!ran.text().contains("-2 "), "{}", ran.text());
}

#[test]
fn of_many_members_that_fail_alike_the_first_is_named_and_the_others_are_counted() {
    let sandbox = Sandbox::new();
    let locked =
        |at: usize| write::Member { flags: 1, ..write::member(format!("{at}.txt"), files::ONE) };
    sandbox.file("many.zip", write::zip(&(0..3412).map(locked).collect::<Vec<_>>()));
    sandbox.file("few.zip", write::zip(&(0..3).map(locked).collect::<Vec<_>>()));
    let ran = sandbox.run(["summarize", "many.zip", "few.zip"]).code(2);
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("encrypted")).collect();
    assert_eq!(lines.len(), 4, "{}", ran.stderr);
    assert!(lines[0].starts_with("stackgazer: many.zip!0.txt: is encrypted"), "{}", lines[0]);
    assert!(lines[0].ends_with("; 3,411 more like it"), "{}", lines[0]);
    // A folder is an argument like an archive, and numbers in messages don't count.
    let damaged = |at: usize| [&[0x12_u8, 0x05, 0x08][..], &vec![0xff; at]].concat();
    for at in 1..=1000 {
        sandbox.file(format!("dumps/{}/{at}.pb.gz", at % 7), write::gzip(&damaged(at), 6));
        sandbox.file(format!("cut/{at}.txt.gz"), &write::gzip(files::ONE, 6)[..30]);
    }
    let ran = sandbox.run(["summarize", "dumps", "cut"]).code(2);
    assert!(ran.stderr.lines().count() < 20, "{}", ran.stderr);
}

#[test]
fn of_many_dumps_that_warn_alike_the_first_is_named_and_the_others_are_counted() {
    let sandbox = Sandbox::new();
    let dump = |announced: usize| {
        format!("goroutine profile: total {announced}\n1 @ 0x1\n#\t0x1\tmain.f+0x1\t/a.go:1\n\n")
    };
    let members = |count: usize| -> Vec<_> {
        (0..count).map(|at| write::member(format!("{at}.txt"), dump(5 + at))).collect()
    };
    sandbox.file("many.zip", write::zip(&members(3412)));
    sandbox.file("few.zip", write::zip(&members(3)));
    sandbox.file("joined.txt", [dump(7), dump(5).repeat(1200)].concat());
    let ran = sandbox.run(["summarize", "many.zip", "few.zip", "joined.txt"]).code(0);
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("announced")).collect();
    assert_eq!(lines.len(), 5, "{}", ran.stderr);
    let of = |name: &str| -> Vec<&str> {
        lines.iter().filter(|line| line.contains(name)).copied().collect()
    };
    assert!(of("many.zip!0.txt")[0].ends_with("; 3,411 more like it"), "{}", ran.stderr);
    assert!(of("few.zip").iter().all(|line| !line.contains("more like it")), "{}", ran.stderr);
    let [many] = of("joined.txt")[..] else { panic!("{}", ran.stderr) };
    assert!(many.contains("7 goroutines") && many.ends_with("; 1,200 more like it"), "{many}");
    sandbox.run(["summarize", "--strict", "many.zip"]).code(2);
}

//! What is small where it comes from and large where it arrives: too large to be kept here.

use super::sound;
use super::write::*;
use crate::sandbox::Sandbox;
use std::fmt::Write;

/// So many goroutines, each a text of its number.
pub(super) fn goroutines(count: usize, each: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = String::new();
    for at in 1..=count {
        let _ = write!(text, "{}", each(at));
    }
    text.into_bytes()
}

#[test]
fn one_long_name_does_not_pad_every_row() {
    let sandbox = Sandbox::new();
    let mut text = format!("goroutine 1 [select]:\nmain.{}()\n\t/a.go:1\n\n", "x".repeat(65_000));
    for at in 2..20_000 {
        let _ = write!(text, "goroutine {at} [select]:\nmain.f{at}()\n\t/a.go:{at}\n\n");
    }
    sandbox.file("wide.txt", text);
    for way in [&["summarize", "--by", "function", "-n", "0"][..], &["name"], &["diff", "wide.txt"]]
    {
        let ran = sound(sandbox.run_small(way.iter().chain(&["wide.txt"]))).code(0);
        assert!(ran.stdout.len() < 20 << 20, "{way:?}: {} bytes", ran.stdout.len());
    }
}

#[test]
fn distinct_things_without_end_are_refused_before_memory_ends() {
    let sandbox = Sandbox::new();
    let names = |at| format!("goroutine {at} [select]:\nmain.f{at}()\n\t/a.go:1\n\n");
    sandbox.file("names.txt", goroutines(150_000, names));
    let states = |at| format!("goroutine {at} [state {at}]:\nmain.f()\n\t/a.go:1\n\n");
    sandbox.file("states.txt", goroutines(450_000, states));
    for way in [["name", "names.txt"], ["summarize", "states.txt"]] {
        // Each thread takes 64 MiB of address space for itself when another one is busy.
        let way = [way[0], "--threads", "1", way[1]];
        // What it can't hold is left out and said; what came before is shown.
        let ran = sound(sandbox.run_in(256 << 10, way))
            .code(2)
            .says("MiB of memory that there are (memory)");
        assert!(!ran.stdout.is_empty(), "{way:?}");
    }
}

#[test]
fn tables_with_a_column_for_each_of_very_many_inputs_are_refused() {
    let sandbox = Sandbox::new();
    let record =
        |at| format!("goroutine profile: total 1\n1 @ 0x1\n#\t0x1\tmain.f{at}+0x1\t/a.go:1\n\n");
    sandbox.file("many.txt", goroutines(8_200, record));
    for way in [&["summarize", "--pivot", "input", "--by", "name"][..], &["diff", "--series"]] {
        let way = [way, &["many.txt"]].concat();
        sound(sandbox.run_small(&way)).code(2).says("67108864 cells (cells)");
    }
    let few = ["summarize", "--pivot", "input", "-n", "20", "many.txt"];
    sound(sandbox.run_small(few)).code(0);
}

#[test]
fn a_series_takes_the_memory_of_what_it_holds_not_of_every_stack_at_every_point() {
    let sandbox = Sandbox::new();
    let dump = |at| format!("goroutine 1 [select]:\nmain.f{at}()\n\t/a.go:3\n\n");
    let points = 1000;
    let members: Vec<_> = (0..points).map(|at| member(format!("{at}.txt"), dump(at))).collect();
    sandbox.file("series.zip", zip(&members));
    for way in [&["-o", "table"][..], &["-o", "json"], &["-o", "csv", "--by", "function"]] {
        let way = [&["diff", "--series", "series.zip", "--threads", "1"], way].concat();
        let ran = sound(sandbox.run_in(128 << 10, way)).code(0);
        let rows = String::from_utf8_lossy(&ran.stdout).matches("main.f").count();
        assert!(rows >= points, "{rows} rows");
    }
}

#[test]
fn running_out_of_memory_is_told_and_is_trouble() {
    let sandbox = Sandbox::new();
    // What one stack is shown with isn't known when it is read.
    let frame = "main.f()\n\t/a.go:1\n";
    let text = format!("goroutine 1 [running]:\n{}\n", frame.repeat(500_000));
    sandbox.file("deep.txt", text);
    let ran = sandbox.run_in(64 << 10, ["export", "-o", "json", "deep.txt"]).no_panic();
    let ran = ran.code(2).says("stackgazer: out of memory: ").says("(memory)");
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

/// Where more is not refused, the kernel ends the process without a word.
#[test]
#[cfg(target_os = "linux")]
fn the_system_refuses_more_memory_than_there_is() {
    let sandbox = Sandbox::new();
    let pipe = sandbox.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).expect("a FIFO");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_stackgazer"))
        .args(["summarize".as_ref(), pipe.as_os_str()])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("stackgazer starts");
    // Opens once the program reads.
    let writer = std::fs::OpenOptions::new().write(true).open(&pipe).expect("a pipe");
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", child.id())).expect("limits");
    drop(writer);
    child.wait().expect("stackgazer ends");
    let line = limits.lines().find(|line| line.starts_with("Max data size")).expect("a line");
    let most: u64 = line.split_whitespace().nth(3).and_then(|text| text.parse().ok()).expect(line);
    assert!(most <= 64 << 30, "{line}");
}

#[test]
fn bombs_are_stopped_by_ratio_and_budget() {
    let sandbox = Sandbox::new();
    sandbox.file("bomb.gz", gzip(&vec![0; 80 << 20], 9));
    // Long lines, as a build for tests takes half a minute for short ones.
    let line = [vec![b'x'; 4000], b"\n".to_vec()].concat();
    sandbox.file(
        "bomb.txt.gz",
        gzip(&[super::files::ONE.to_vec(), line.repeat(20 << 10)].concat(), 9),
    );
    for name in ["bomb.gz", "bomb.txt.gz"] {
        let budget = sandbox.run_small(["summarize", "--max-bytes", "8M", name]);
        sound(budget).code(2).says(name);
    }
    // What only holds zeros is given up long before.
    sound(sandbox.run_small(["summarize", "bomb.gz"])).code(2).says("isn't a goroutine dump");
    sound(sandbox.run_small(["summarize", "bomb.txt.gz"])).code(2).says("200 times");
}

#[test]
fn names_in_tars_are_not_kept_however_long() {
    let sandbox = Sandbox::new();
    let file = tar_entry(b'0', b"a.txt", super::files::ONE);
    for (name, kind) in [("long.tar.gz", b'L'), ("pax.tar.gz", b'x')] {
        let long = tar_entry(kind, b"long", &vec![b'x'; 60 << 20]);
        sandbox.file(name, gzip(&[long, file.clone(), vec![0; 1024]].concat(), 9));
        sound(sandbox.run_small(["summarize", name])).code(2).says("tar_names");
    }
}

#[test]
fn stacks_of_findings_are_written_frame_by_frame() {
    let sandbox = Sandbox::new();
    // A million frames: their places took 250 bytes each while all findings were kept with them.
    let mut proto = Proto { locations: Vec::new(), functions: Vec::new(), ..Proto::default() };
    let ids = 1..=20;
    for id in ids.clone() {
        proto.strings.push(format!("main.f{id}").into_bytes());
        proto.functions.push((id, proto.strings.len() as i64 - 1, 4));
        proto.locations.push((id, 1, vec![(id, 3); 2500]));
    }
    let stack = |first: i64| ids.clone().map(|at| (at + first) % 20 + 1).collect();
    proto.samples = ids.clone().map(|first| (stack(first), vec![1], Vec::new())).collect();
    sandbox.file("inlined.pb", proto.bytes());
    for report in ["junit", "json"] {
        let way = ["check", "--at-end", "--threads", "1", "--report", report, "inlined.pb"];
        let ran = sound(sandbox.run_in(160 << 10, way)).code(1);
        let frames = ran.text().matches("main.f").count();
        assert!(frames > 1_000_000, "{report}: {frames} frames");
    }
}

#[test]
fn threads_that_the_system_does_not_allow_are_done_without() {
    let sandbox = Sandbox::new();
    let dump = |at: usize| {
        goroutines(30_000, |id| format!("goroutine {id} [select]:\nmain.f{at}()\n\t/a.go:1\n\n"))
    };
    let files: Vec<String> = (0..4).map(|at| format!("{at}.txt")).collect();
    for (at, name) in files.iter().enumerate() {
        sandbox.file(name, dump(at));
    }
    let first = ["summarize", "-n", "0"].map(str::to_owned);
    let way = |threads: &str| {
        let threads = ["--threads", threads].map(str::to_owned);
        [&first[..], &threads, &files].concat()
    };
    // The stacks of 200 threads alone take 400 MiB of address space.
    let ran = sound(sandbox.run_in(300 << 10, way("200"))).code(0).quiet();
    assert_eq!(ran.text(), sandbox.run(way("1")).code(0).text());
}

#[test]
fn of_a_zip_of_very_many_members_little_is_held() {
    let sandbox = Sandbox::new();
    let empty = (0..50_000).map(|at| member(format!("{at}.txt"), b""));
    let mut members: Vec<_> = empty.collect();
    members.push(member("one.txt", super::files::ONE));
    sandbox.file("many.zip", zip(&members));
    // Unoptimized, the program alone takes 44 MiB of it; 500 bytes for each member would take another 24.
    let arguments = ["export", "-o", "json", "--threads", "1", "many.zip"];
    let document = sound(sandbox.run_in(60 << 10, arguments)).code(0).json();
    assert_eq!(document["total"], 1);
}

#[test]
fn of_very_many_members_that_fail_little_is_held_and_none_is_forgotten() {
    let sandbox = Sandbox::new();
    let locked = |at| Member { flags: 1, ..member(format!("{at}.txt"), super::files::ONE) };
    sandbox.file("many.zip", zip(&(0..50_000).map(locked).collect::<Vec<_>>()));
    // As above; an error for each member would take another 20 MiB.
    let arguments = ["export", "-o", "json", "--threads", "1", "many.zip"];
    let ran = sound(sandbox.run_in(60 << 10, arguments)).code(2);
    assert!(ran.stderr.contains("49,999 more like it"), "{}", ran.stderr);
    let document = ran.json();
    let failed = document["failed"].as_array().expect("what failed");
    let all: u64 = failed.iter().map(|row| 1 + row["more"].as_u64().unwrap_or(0)).sum();
    assert_eq!((failed.len(), all), (1000, 50_000));
    sandbox.file("one.txt", super::files::ONE);
    let ran = sandbox.run(["summarize", "many.zip", "one.txt"]).code(2);
    let verdict = ran.text();
    assert!(verdict.contains("50,000 inputs could not be read whole"), "{verdict}");
}

#[cfg(feature = "parquet")]
mod tables {
    use super::super::tables::Table;
    use super::*;
    use crate::sandbox::Ran;

    /// What is said of a folder with this table.
    fn told(table: &Table, options: &[&str]) -> Ran {
        let sandbox = Sandbox::new();
        sandbox.file("tables/inputs.parquet", table.bytes());
        sound(sandbox.run_small(["summarize", "tables"].iter().chain(options))).code(2)
    }

    #[test]
    fn pages_are_unpacked_within_the_budget_and_stand_in_one_row_group() {
        let mut table = Table::default();
        table.columns[1].value = vec![b'x'; 1 << 20];
        told(&table, &["--max-bytes", "512K"]).says("more than 524288 bytes would be unpacked");
        let table = Table { groups: 2, ..table };
        told(&table, &[]).says("inputs.parquet: has columns that share their bytes");
    }

    #[test]
    fn a_text_of_a_dictionary_counts_in_each_row() {
        let mut table = Table { rows: 1 << 20, ..Table::default() };
        table.columns[0].value = vec![b'x'; 1 << 20];
        told(&table, &["--max-bytes", "1G"]).says("more than 1073741824 bytes would be unpacked");
    }

    #[test]
    fn footers_without_end_are_refused() {
        let extra = |bytes: Vec<u8>| Table { extra: bytes, ..Table::default() };
        // Row groups in which nothing stands: a byte each.
        let mut list = vec![0x09, 8, 0xfc, 0x81, 0x80, 0x08];
        list.resize(list.len() + (1 << 17) + 1, 0);
        told(&extra(list), &[]).says("(table_chunks)");
        told(&extra(vec![0; (4 << 20) + 1]), &[]).says("(table_footer)");
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened_in_a_folder_of_tables() {
        let sandbox = Sandbox::new();
        sandbox.file("tables/inputs.parquet", Table::default().bytes());
        let pipe = sandbox.path().join("tables/stacks.parquet");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        assert!(made.success());
        let why = "isn't a regular file";
        sound(sandbox.run(["summarize", "tables"])).code(2).says(why);
        std::fs::remove_file(&pipe).expect("a pipe");
        std::os::unix::fs::symlink("/dev/zero", &pipe).expect("a link");
        sound(sandbox.run(["summarize", "tables"])).code(2).says(why);
    }
}

/// Decoders made for each archive left holes in memory.
#[test]
fn thousands_of_archives_in_an_archive_take_little_memory() {
    let sandbox = Sandbox::new();
    let packed = |at: usize| {
        let text = format!("goroutine {at} [select]:\nmain.f()\n\t/a.go:{at} +0x1d\n\n");
        let gzip = gzip(text.as_bytes(), 6);
        // Without the head of 10 bytes, the checksum and the length.
        let deflated = &gzip[10..gzip.len() - 8];
        Member {
            method: 8,
            checksum: Some(crc32fast::hash(text.as_bytes())),
            declared: Some(text.len() as u32),
            ..member("a.txt", deflated)
        }
    };
    let archives: Vec<_> =
        (0..4000).map(|at| member(format!("{at}.zip"), zip(&[packed(at)]))).collect();
    sandbox.file("all.zip.gz", gzip(&zip(&archives), 6));
    let ran = sound(sandbox.run_in(140 << 10, ["summarize", "--threads", "1", "all.zip.gz"]));
    assert!(ran.code(0).quiet().text().contains("4,000"));
}

#[test]
fn rules_that_double_a_text_are_cut_before_memory_ends() {
    let sandbox = Sandbox::new();
    let frames = |functions: &[&str]| -> String {
        functions.iter().map(|function| format!("{function}()\n\t/a.go:1\n")).collect()
    };
    let dump = |frames: &str| format!("goroutine 1 [select]:\n{frames}\n");
    sandbox.file("plain.txt", dump(&frames(&["main.g"])));
    sandbox.file("long.txt", dump(&frames(&[&format!("main.{}", "g".repeat(60_000))])));
    sandbox.file("deep.txt", dump(&frames(&["main.g", "main.h"]).repeat(1000)));
    let doubling = "$`$`".repeat(25);
    sandbox.file("id.txt", format!("id: {doubling}\n{}", dump(&frames(&["main.g"]))));
    let groups = r"(\$`\$`)".repeat(25);
    let order: String = (2..=26).map(|group| format!("${group}")).collect();
    let part = "x".repeat(40_000);
    for (dump, rules) in [
        ("plain.txt", format!("[name]\ntrim = [{}]", "{regex='^.*$', to='$&$&'},".repeat(40))),
        (
            "long.txt",
            format!("[name]\ntrim = [{{regex='g', to=\"{}\", all=true}}]", "$`$'".repeat(1000)),
        ),
        (
            "long.txt",
            format!("[category]\nmatch = [{{regex='^(.*)$', to='{}'}}]", "$1".repeat(100_000)),
        ),
        ("id.txt", format!("[input]\nname = [{{regex='(.*){groups}', to='x{order}'}}]")),
        (
            "deep.txt",
            format!(
                "[name]\nfold = [{{prefix='main.g', to='{part}'}}, {{prefix='main.h', to='{part}y'}}]"
            ),
        ),
    ] {
        sandbox.file("rules.toml", &rules);
        let way = ["summarize", "--config", "rules.toml", "-o", "json", dump];
        let ran = sound(sandbox.run_small(way)).code(0);
        let start = rules.get(..40).unwrap_or(&rules);
        let text = String::from_utf8_lossy(&ran.stdout);
        assert!(text.contains('…'), "{start}: {}", text.len());
        assert!(text.len() < 1 << 20, "{start}: {} bytes", text.len());
    }
}

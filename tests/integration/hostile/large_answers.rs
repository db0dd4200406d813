//! What is small and makes an answer large, or makes it read much.

use super::large::goroutines;
use super::sound;
use super::write::*;
use crate::sandbox::Sandbox;

/// Each finding has its counts at all points in documents.
#[test]
fn findings_of_very_many_points_are_refused_where_a_document_would_have_all_counts() {
    let sandbox = Sandbox::new();
    let stuck = "chan receive (nil chan)";
    sandbox.file("few.tgz", series(1000, stuck));
    sandbox.file("many.tgz", series(8200, stuck));
    let check = |more: &[&str]| {
        let way = [&["check", "--series", "--threads", "1"], more].concat();
        sound(sandbox.run_in(1 << 20, way))
    };
    let json = check(&["few.tgz", "-o", "json", "--report", "sarif=few.sarif"]).code(1);
    assert!(json.stdout.len() > 1000 * 1000 * 2, "all counts");
    let sarif = std::fs::metadata(sandbox.path().join("few.sarif")).expect("a report").len();
    assert!(sarif < 4 << 20, "{sarif} bytes");
    for way in [&["-o", "ndjson"], &["--report", "json=many.json"]] {
        check(&[&["many.tgz"], &way[..]].concat()).code(2).says("67108864 counts (cells)");
    }
    check(&["many.tgz", "--report", "sarif=many.sarif"]).code(1);
}

/// All were kept, once for each spelling of a path.
#[test]
fn sources_are_read_once_and_no_more_of_them_than_fit_into_memory() {
    let sandbox = Sandbox::new();
    let folder = std::fs::canonicalize(sandbox.path()).expect("a folder");
    let folder = folder.to_str().expect("a path");
    let dump = |paths: Vec<String>| {
        let one = |(at, path): (usize, &String)| {
            format!("goroutine {at} [select]:\nmain.f{at}()\n\t{path}:1 +0x1\n\n")
        };
        (1..).zip(&paths).map(one).collect::<String>()
    };
    sandbox.file("x/a.go", "\n".repeat(4 << 20));
    let spellings = (0..100).map(|at| format!("{folder}/x/{}a.go", "../x/".repeat(at)));
    sandbox.file("spelled.txt", dump(spellings.collect()));
    let list =
        |name| sound(sandbox.run_small(["summarize", "--threads", "1", name, "--list", "."]));
    list("spelled.txt").code(0);
    let names: Vec<String> = (0..5).map(|at| format!("x/many{at}.c")).collect();
    names.iter().for_each(|name| drop(sandbox.file(name, "\n".repeat(15 << 20))));
    sandbox.file("many.txt", dump(names.iter().map(|name| format!("{folder}/{name}")).collect()));
    list("many.txt").code(2).says("(sources)");
}

/// 100 KB of a packed proto were a page of 900 MB of memory, and 200 MB of a filter's text.
#[test]
fn outputs_with_a_value_of_each_of_many_types_for_each_of_many_samples_are_limited() {
    let sandbox = Sandbox::new();
    let mut proto = Proto { types: (5..1005).map(|text| (text, 2)).collect(), ..Proto::default() };
    proto.strings.extend((0..1000).map(|at| format!("t{at}").into_bytes()));
    proto.locations = (1..=100).map(|id| (id, 1, vec![(1, id)])).collect();
    let sample = |at: i64| (vec![1 + at % 100, 1 + at / 100], vec![1; 1000], Vec::new());
    proto.samples = (0..5000).map(sample).collect();
    sandbox.file("values.pb.gz", gzip(&proto.bytes(), 9));
    for way in [["export", "-o", "html"], ["summarize", "-o", "json"]] {
        let way = way.iter().chain(&["--threads", "1", "values.pb.gz"]);
        let ran = sound(sandbox.run_in(512 << 10, way)).code(2);
        assert!(ran.stderr.contains("have more than 4194304 values (sample_values)"));
        assert!(!ran.stdout.is_empty(), "what came before is shown");
    }
}

/// All goroutines of a circle were laid out at once, and all were named in one sentence.
#[test]
fn a_circle_of_very_many_goroutines_is_written_one_by_one() {
    let sandbox = Sandbox::new();
    let count = 30_000;
    let goroutine = |at: u64| {
        let (wanted, held) = (0xc0_0000_0000_u64 + at * 16, 0xc0_0000_0000 + (at + 1) % count * 16);
        format!(
            "goroutine {} [sync.Mutex.Lock]:\nsync.(*Mutex).Lock({wanted:#x})\n\t/go/src/sync/mutex.go:46\n\
             m.d{}({held:#x})\n\t/s.go:{}\n\n",
            at + 1,
            at % 100,
            at % 100
        )
    };
    sandbox.file("circle.txt", (0..count).map(goroutine).collect::<String>());
    let way = ["tree", "--waits", "-o", "json", "--threads", "1", "circle.txt"];
    let all = sound(sandbox.run_in(160 << 10, way)).code(0);
    let text = String::from_utf8_lossy(&all.stdout);
    assert_eq!(text.matches("\"frames\"").count() as u64, count);
    assert!(text.contains("and so on over 29950 more, the last of which waits for goroutine"));
}

/// All entries of the report were laid out before the first was written.
#[test]
fn a_report_for_gitlab_is_written_entry_by_entry() {
    let sandbox = Sandbox::new();
    let stack =
        |at| format!("goroutine {at} [chan receive (nil chan)]:\nmain.f{at}()\n\t/a.go:1\n\n");
    sandbox.file("many.txt", goroutines(40_000, stack));
    let way = ["check", "--at-end", "--threads", "1", "--report", "gitlab=report.json", "many.txt"];
    sound(sandbox.run_in(330 << 10, way)).code(1);
    let report = std::fs::read_to_string(sandbox.path().join("report.json")).expect("a report");
    assert!(report.matches("\"fingerprint\"").count() >= 40_000);
}

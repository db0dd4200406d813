//! `export -o html`: what the page holds. What it does in a browser is tested in `page/`.

use crate::sandbox::{Sandbox, stackgazer, testdata};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

/// 449, 246 and 193 goroutines on nodes 1, 2 and 3, by bundle.expect.json.
const GOROUTINES: i64 = 888;

fn page(input: &Path, more: &[&str]) -> String {
    let arguments = ["export", "-o", "html"].iter().chain(more).map(OsStr::new);
    stackgazer(arguments.chain([input.as_os_str()])).code(0).text().to_owned()
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end}")).0
}

const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(*chunk.get(at).unwrap_or(&0)));
        for at in 0..4 {
            let digit = (bits >> (18 - 6 * at) & 63) as usize;
            text.push(if at > chunk.len() { '=' } else { DIGITS.as_bytes()[digit] as char });
        }
    }
    text
}

fn unbase64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in text.trim_end_matches('=').as_bytes().chunks(4) {
        let digit = |at: usize| chunk.get(at).and_then(|&c| DIGITS.find(c as char)).unwrap_or(0);
        let bits = (0..4).fold(0_usize, |bits, at| bits << 6 | digit(at));
        bytes.extend(&[(bits >> 16) as u8, (bits >> 8) as u8, bits as u8][..chunk.len() - 1]);
    }
    bytes
}

/// What a page shows.
pub(crate) fn data(page: &str) -> Value {
    let packed = unbase64(between(page, "id=\"data\">", "</script>"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("gzip");
    serde_json::from_str(&text).expect("JSON")
}

fn sum(column: &Value) -> i64 {
    column.as_array().expect("a column").iter().filter_map(Value::as_i64).sum()
}

#[test]
fn a_page_holds_everything_that_was_selected_and_nothing_else() {
    let all = data(&page(&testdata("bundle.zip"), &[]));
    assert_eq!(all["page"]["schema"], "stackgazer.page/1");
    assert_eq!(sum(&all["page"]["groups"]["count"]), GOROUTINES);
    assert_eq!(sum(&all["page"]["groups"]["listed"]), GOROUTINES);
    assert_eq!(all["check"]["schema"], "stackgazer.check/1");
    assert!(!all["page"]["verdict"].as_array().expect("lines").is_empty());

    let some = data(&page(&testdata("bundle.zip"), &["--state", "select"]));
    assert_eq!(sum(&some["page"]["groups"]["count"]), 309);
    let strings = some["page"]["strings"].to_string();
    assert!(strings.contains("select") && !strings.contains("RWMutex"), "{strings}");
    let few = data(&page(&testdata("bundle.zip"), &["-n", "2"]));
    assert_eq!(few["page"]["stacks"]["id"].as_array().map(Vec::len), Some(2));
}

#[test]
fn names_of_the_input_never_stand_in_the_markup() {
    let sandbox = Sandbox::new();
    let evil = "</script><script>alert(1)</script>";
    let text = format!("goroutine 1 [{evil}]:\nmain.{evil}()\n\t/{evil}.go:9 +0x1d\n");
    let dump = sandbox.file("dump.txt", text);
    let page = page(&dump, &["--title", evil]);
    assert!(!page.contains("alert(1)</script>"), "as it came");
    assert_eq!(page.matches("&lt;script&gt;alert(1)").count(), 1, "in the title");
    assert!(data(&page)["page"]["strings"].to_string().contains("alert(1)"), "in the data");
}

#[test]
fn the_policy_names_the_script_and_the_style_that_are_there() {
    let page = page(&testdata("bundle.zip"), &[]);
    let policy = between(&page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
    let hash = |text: &str| format!("'sha256-{}'", base64(&Sha256::digest(text)));
    let script = between(&page, "<script type=\"module\">", "</script>");
    let style = between(&page, "<style>", "</style>");
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
            hash(script),
            hash(style)
        )
    );
}

#[test]
fn the_same_input_makes_the_same_bytes() {
    let bundle = testdata("bundle.zip");
    assert!(page(&bundle, &["--threads", "1"]) == page(&bundle, &["--threads", "4"]));
}

#[test]
fn the_title_is_that_of_the_inputs_unless_one_is_given() {
    let bundle = testdata("bundle.zip");
    assert_eq!(between(&page(&bundle, &[]), "<title>", "</title>"), "n1, n2, n3");
    for (title, shown) in
        [("Friday", "Friday"), ("http://me:SECRET@h/x?sig=SECRET", "http://h/x?sig=***")]
    {
        let titled = page(&bundle, &["--title", title]);
        assert_eq!(between(&titled, "<title>", "</title>"), shown);
        assert!(!titled.contains("SECRET"));
    }
}

#[test]
fn flags_of_pages_are_refused_where_there_is_none() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    let refused =
        |flags: &[&str]| stackgazer(["export", bundle].iter().chain(flags)).code(2).stderr;
    assert!(refused(&["--title", "x"]).contains("--title: has no effect on -o json; add -o html"));
    assert!(refused(&["-o", "html", "--open"]).contains("--open: there is no file to open"));
    let of_check =
        |flags: &[&str]| stackgazer(["check", bundle].iter().chain(flags)).code(2).stderr;
    assert!(of_check(&["--title", "x"]).contains("--title: has no effect on -o table"));
    let report = ["--report", "html=/dev/null", "--open"];
    assert!(of_check(&report).contains("--open: has no effect on -o table; add -o html"));
}

#[test]
fn a_page_opens_at_what_its_command_answers_and_holds_it() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    for (arguments, code, opens, document) in [
        (&["export"][..], 0, "stacks", None),
        (&["summarize", "--by", "state"], 0, "summary", Some("summary")),
        (&["diff", "--series"], 0, "changes", Some("diff")),
        (&["diff", bundle], 0, "changes", Some("diff")),
        (&["export", "--base", bundle], 0, "changes", Some("diff")),
        (&["summarize", "--base", bundle, "--by", "state"], 0, "changes", Some("diff")),
        (&["check"], 1, "findings", Some("check")),
    ] {
        let ran = stackgazer(arguments.iter().chain(&["-o", "html", bundle])).code(code);
        let data = data(ran.text());
        assert_eq!(data["page"]["opens"], opens, "{arguments:?}");
        for name in ["summary", "diff"] {
            assert_eq!(data[name].is_object(), Some(name) == document, "{name} of {arguments:?}");
        }
        assert_eq!(data["check"]["schema"], "stackgazer.check/1", "{arguments:?}");
        assert_eq!(data["waits"]["schema"], "stackgazer.waits/1", "{arguments:?}");
    }
}

#[test]
fn what_a_page_of_a_command_holds_is_what_the_command_writes() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    for (arguments, name) in [
        (&["summarize", "--by", "state,input", "-n", "3"][..], "summary"),
        (&["diff", "--series", "--by", "category"], "diff"),
        (&["check", "--today", "2026-11-21", "--max-goroutines", "5"], "check"),
    ] {
        let run = |format: &str| {
            let ran = stackgazer(arguments.iter().chain(&["-o", format, bundle])).no_panic();
            ran.text().to_owned()
        };
        let written: Value = serde_json::from_str(&run("json")).expect("JSON");
        let mut held = data(&run("html"))[name].clone();
        let mut expected = written.clone();
        // Pages show no commands: who opens them may not have the inputs.
        for document in [&mut held, &mut expected] {
            document["verdict"].as_object_mut().map(|verdict| verdict.remove("stuck"));
        }
        assert_eq!(held, expected, "{arguments:?}");
    }
}

#[test]
fn inputs_of_one_name_at_two_points_are_told_apart() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    let text = stackgazer(["diff", "-o", "html", bundle, bundle]).code(0);
    let data = data(text.text());
    let inputs = data["page"]["inputs"].as_array().expect("inputs");
    let points: Vec<&Value> = inputs.iter().map(|input| &input["point"]).collect();
    assert_eq!(points[..3], [&data["page"]["points"][0]; 3]);
    assert_eq!(points[3..], [&data["page"]["points"][1]; 3]);
    assert_eq!(sum(&data["page"]["groups"]["count"]), 2 * GOROUTINES);
    // The verdict is on the last point: nobody is counted twice.
    let verdict = data["page"]["verdict"].to_string();
    assert!(verdict.contains("55 wait for a mutex"), "{verdict}");
}

#[test]
fn a_deadlock_leads_to_the_goroutines_of_its_input() {
    let waits = |id: u64, wanted: &str, held: &str| {
        format!(
            "goroutine {id} [sync.Mutex.Lock, 5 minutes]:\nsync.(*Mutex).Lock({wanted})\n\t/go/mutex.go:3 +0x1\n\
             main.move({held}, {wanted})\n\t/s/main.go:4 +0x1\n\n"
        )
    };
    let [a, b] = ["0xc000010000", "0xc000020000"];
    let sandbox = Sandbox::new();
    for node in ["n1", "n2"] {
        sandbox.file(format!("dumps/{node}/stacks.txt"), waits(7, a, b) + &waits(9, b, a));
    }
    let data = data(&page(&sandbox.path().join("dumps"), &[]));
    let lines = data["page"]["verdict"].as_array().expect("lines").iter();
    let lines = lines.filter(|line| line["label"] == "deadlock");
    let about: Vec<&Value> = lines.map(|line| &line["goroutines"]).collect();
    assert_eq!(about, [&json!([[0, "7"], [0, "9"]]), &json!([[1, "7"], [1, "9"]])]);
}

#[test]
fn every_value_of_a_profile_is_in_its_page() {
    let heap = testdata("profiles/heap.1.pb.gz");
    let document = data(&page(&heap, &[]));
    let values = document["page"]["values"].as_array().expect("values");
    for value in values {
        let name = value["type"].as_str().expect("a name");
        let arguments = ["summarize", "-o", "json", "--value", name].map(OsStr::new);
        let summary = stackgazer(arguments.into_iter().chain([heap.as_os_str()])).quiet();
        let summary: Value = serde_json::from_str(summary.text()).expect("JSON");
        assert_eq!(sum(&value["by_group"]), summary["total"].as_i64().expect("a total"), "{name}");
    }
    assert_eq!(values.len(), 4);
    assert!(data(&page(&testdata("bundle.zip"), &[]))["page"]["values"].is_null());
}

/// A browser that writes down what it was asked to show.
#[cfg(unix)]
fn browser(sandbox: &Sandbox) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = sandbox.file("browser", "#!/bin/sh\necho \"$#:$1\" > \"$HOME/shown\"\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    path.to_str().expect("UTF-8").to_owned()
}

#[cfg(unix)]
fn shown(sandbox: &Sandbox) -> String {
    let path = sandbox.path().join("shown");
    for _ in 0..200 {
        match std::fs::read_to_string(&path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => std::thread::sleep(std::time::Duration::from_millis(25)),
        }
    }
    panic!("the browser was not started");
}

#[cfg(unix)]
#[test]
fn the_browser_is_shown_the_page_of_every_command() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    for (command, code) in [("export", 0), ("summarize", 0), ("check", 1)] {
        let sandbox = Sandbox::new();
        let browser = browser(&sandbox);
        let arguments = [command, bundle, "-o", "html", "--to", "a page.html", "--open"];
        let ran =
            sandbox.run_with(arguments, b"", &[("BROWSER", &browser), ("PATH", "/bin:/usr/bin")]);
        ran.code(code);
        let page = sandbox.path().join("a page.html");
        assert_eq!(shown(&sandbox), format!("1:{}\n", page.display()), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn what_was_lost_is_told_even_where_no_browser_can_be_started() {
    let sandbox = Sandbox::new();
    let dump = std::fs::read(testdata("traceback/go1.27.3.debug2.txt")).expect("a dump");
    let cut = sandbox.file("cut.txt", &dump[..dump.len() - 40]);
    for command in ["export", "summarize", "check"] {
        let page = format!("{command}.html");
        let arguments =
            [command, cut.to_str().expect("UTF-8"), "-o", "html", "--to", &page, "--open"];
        let ran = sandbox.run_with(arguments, b"", &[("BROWSER", "/nowhere/browser")]).code(2);
        let lost = ran.stderr.find("warning").unwrap_or_else(|| panic!("{}", ran.stderr));
        let failed = ran.stderr.find("is written, but /nowhere/browser can't be started");
        assert!(failed.is_some_and(|failed| lost < failed), "{command}: {}", ran.stderr);
        assert!(sandbox.path().join(page).exists(), "{command}");
    }
}

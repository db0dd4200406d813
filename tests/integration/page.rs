//! `export -o html`: what the page holds. What it does in a browser is tested in `page/`.

use crate::sandbox::{Sandbox, stackgazer, testdata};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

/// 449, 246 and 193 goroutines on nodes 1, 2 and 3, by bundle.expect.json.
const GOROUTINES: i64 = 888;

fn page(input: &Path, more: &[&str]) -> String {
    let arguments = ["export", "-o", "html"].iter().chain(more).map(OsStr::new);
    stackgazer(arguments.chain([input.as_os_str()])).quiet().text().to_owned()
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

fn data(page: &str) -> Value {
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
    let titled = page(&bundle, &["--title", "Friday"]);
    assert_eq!(between(&titled, "<title>", "</title>"), "Friday");
}

#[test]
fn flags_of_pages_are_refused_where_there_is_none() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    let refused =
        |flags: &[&str]| stackgazer(["export", bundle].iter().chain(flags)).code(2).stderr;
    assert!(refused(&["--title", "x"]).contains("--title: has no effect on -o json; add -o html"));
    assert!(refused(&["-o", "html", "--open"]).contains("--open: there is no file to open"));
    assert!(refused(&["-o", "html", "--base", bundle]).contains("html can't show a comparison"));
}

//! What is written of any input: what the program reads itself comes back the same, and the rest is
//! well formed.

use super::profile;
use super::xml::check_xml;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use stackgazer::filter::{Filter, Select, Selection};
use stackgazer::group::ids;
use stackgazer::leak::{Date, Own, Review};
use stackgazer::output::check::Shown;
use stackgazer::output::flamegraph::Picture;
use stackgazer::output::html::{Opens, Page};
use stackgazer::output::report::{Report, ReportFormat, Workspace};
use stackgazer::output::waits::Graph;
use stackgazer::output::{debug2, json, ndjson, pprof};
use stackgazer::profile::function::printed;
use stackgazer::profile::{Frame, InputFormat, Profile};
use stackgazer::rules::{Names, RuleSet};
use stackgazer::verdict::Verdict;
use stackgazer::view::calls::Calls;
use stackgazer::view::calls::flame::Flame;
use stackgazer::view::diff::timeline::{Layout, Timeline};
use stackgazer::view::frames::finder::FrameFinder;
use stackgazer::view::goroutines::export::{Export, note_large_sums};
use stackgazer::view::table::Order;
use stackgazer::view::table::key::Key;
use stackgazer::view::table::summary::{Options, summarize};
use stackgazer::view::values::options::{PercentBase, ValueOptions};
use stackgazer::waits::Waits;
use std::collections::BTreeMap;

/// Dumps, written again as dumps and as protos.
pub fn written(data: &[u8]) {
    let profile = profile(&mut &data[..], None);
    let Some((_, selection)) = selected(&profile) else { return };
    let mut proto = Vec::new();
    pprof::write(&profile, &selection, false, &mut proto).expect("a proto");
    let mut unpacked = Vec::new();
    let mut gzip = flate2::read::GzDecoder::new(&proto[..]);
    std::io::Read::read_to_end(&mut gzip, &mut unpacked).expect("gzip");
    let back = super::profile(&mut &unpacked[..], Some(InputFormat::Debug0));
    // The names of a proto are read as Go prints them, with `[...]` for type arguments.
    let as_printed = |frame: &Frame| printed(profile.str(frame.func)) == profile.str(frame.func);
    if profile.frames().iter().all(as_printed) {
        assert_eq!(stacks(&back), stacks(&profile), "pprof");
    }
    // A dump has no room for values, negative counts, and line breaks and blanks in names.
    let plain = |text: &[u8]| text.iter().all(|byte| byte.is_ascii_graphic());
    let frames = || profile.frames().iter();
    let is_dump = profile.counts_goroutines()
        && profile.samples.iter().all(|sample| sample.count > 0)
        && frames().all(|frame| plain(profile.str(frame.func)) && plain(profile.str(frame.file)));
    if is_dump {
        let mut text = Vec::new();
        debug2::write(&profile, &selection, &mut text).expect("a dump");
        let count = |profile: &Profile| -> i128 {
            profile.samples.iter().map(|sample| i128::from(sample.count)).sum()
        };
        let back = super::profile(&mut &text[..], None);
        assert_eq!(count(&back), count(&profile), "{}", String::from_utf8_lossy(&text));
    }
}

/// JSON, pictures, reports and pages of whatever comes.
pub fn formed(data: &[u8]) {
    let mut profile = profile(&mut &data[..], None);
    note_large_sums(&mut profile);
    let points = Timeline::arrange(&mut profile, Layout::Arguments, &["input".to_owned()]);
    let Some((names, selection)) = selected(&profile) else { return };
    let export = Export::new(&profile, &names, &selection);
    let mut out = Vec::new();
    json::write(&export, false, &[], &mut out).expect("a document");
    check_json(&out);
    out.clear();
    ndjson::write(&export, false, &mut out).expect("lines");
    out.split_inclusive(|&byte| byte == b'\n').for_each(check_json);
    let calls = Calls::of(&profile, &names, |_| false, |sample| selection.count(sample));
    let flame = Flame::new(&calls, false);
    out.clear();
    Picture::new(&profile, &calls, &flame, &["input"], None).write(&mut out).expect("a picture");
    check_xml(&out);
    let options = stackgazer::leak::Options::new(Date::read("2026-01-01").expect("a day"));
    let review = Review::new(&profile, &names, &selection, &points, &options);
    let workspace = Workspace::new("/work", Vec::new());
    let report =
        Report { profile: &profile, review: &review, workspace: &workspace, page: &|_| Ok(()) };
    for format in [ReportFormat::Sarif, ReportFormat::Gitlab, ReportFormat::Json] {
        out.clear();
        report.write(format, &mut out).expect("a report");
        check_json(&out);
    }
    out.clear();
    report.write(ReportFormat::Junit, &mut out).expect("a report");
    check_xml(&out);
    let waits = Waits::of(&profile, &selection, &FrameFinder::new(&profile));
    let own = Own::default();
    let shown =
        Shown { profile: &profile, review: &review, limit: None, suppressed: true, own: &own };
    let by = by_category(&profile, &selection);
    let total = summarize(&profile, &names, &selection, &by).expect("it is no pivot table");
    let page = Page {
        title: &String::from_utf8_lossy(data),
        points: &points.names,
        opens: Opens::Findings(shown),
        export: &export,
        verdict: &Verdict::new(&profile, &names, &selection, Some(&points)),
        total: &total,
        rules: &RuleSet::default(),
        check: Some(shown),
        waits: Graph::new(&profile, &names, &waits, None),
    };
    out.clear();
    page.write(&mut out).expect("a page");
    check_page(&out);
}

fn by_category(profile: &Profile, selection: &Selection) -> Options {
    let whole = Some(PercentBase::of(profile, selection, None).value(false));
    Options {
        by: vec![Key::Category],
        order: Order::Count,
        limit: None,
        selecting: false,
        value_options: ValueOptions { whole, ..ValueOptions::default() },
        pivot: None,
    }
}

fn selected(profile: &Profile) -> Option<(Names, Selection)> {
    let names = RuleSet::default().apply(profile);
    let all = Filter::compile(&Select::default()).expect("a filter");
    let selection = all.select(profile, &names);
    (!profile.samples.is_empty()).then_some((names, selection))
}

/// What each stack counts, by its id.
fn stacks(profile: &Profile) -> BTreeMap<String, i128> {
    let mut stacks = BTreeMap::new();
    for sample in &profile.samples {
        let id = ids::id(profile, sample.key.stack).to_string();
        *stacks.entry(id).or_default() += i128::from(sample.count);
    }
    stacks.retain(|_, count| *count != 0);
    stacks
}

/// A page's title ends where it should, and its data are a document.
fn check_page(page: &[u8]) {
    let page = std::str::from_utf8(page).expect("UTF-8");
    let (_, rest) = page.split_once("<title>").expect("a title");
    let (title, rest) = rest.split_once("</title>").expect("a title's end");
    assert!(!title.contains('<') && rest.trim_start().starts_with("<style>"), "{title}");
    let (_, rest) = rest.split_once("id=\"data\">").expect("data");
    let (packed, _) = rest.split_once("</script>").expect("the end of the data");
    let packed = STANDARD.decode(packed).expect("base64");
    let mut document = Vec::new();
    let mut gzip = flate2::read::GzDecoder::new(&packed[..]);
    std::io::Read::read_to_end(&mut gzip, &mut document).expect("gzip");
    check_json(&document);
}

fn check_json(text: &[u8]) {
    if let Err(error) = serde_json::from_slice::<serde_json::Value>(text) {
        panic!("{error}: {}", String::from_utf8_lossy(text));
    }
}

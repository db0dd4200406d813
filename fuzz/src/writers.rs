//! What is written of any input: what the program reads itself comes back the same, and the rest is
//! well formed.

use super::xml::check_xml;
use super::{profile, told};
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

/// Dumps and profiles, written again as protos, as tables and as dumps.
pub fn written(data: &[u8]) {
    let mut profile = profile(&mut &data[..], None);
    // As loading does, where a text has several dumps.
    for (at, input) in profile.inputs.iter_mut().enumerate() {
        input.name = format!("input {at}");
    }
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
    #[cfg(feature = "parquet")]
    as_tables(&profile, &selection);
    as_dump(&profile, &selection);
}

/// Through files, as loading reads them.
#[cfg(feature = "parquet")]
fn as_tables(profile: &Profile, selection: &Selection) {
    use stackgazer::limits::LIMITS;
    use stackgazer::load::LoadOptions;
    use stackgazer::output::parquet::{Tables, files};
    use stackgazer::profile::Keep;

    // The texts of tables are UTF-8, and none is longer.
    let fits = |text: &[u8]| text.len() <= LIMITS.text && std::str::from_utf8(text).is_ok();
    if !told::texts(profile).all(fits) {
        return;
    }
    let names = RuleSet::default().apply(profile).expect("no rules");
    let tables = Tables::new(profile, &names, selection);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in files() {
        let mut file = std::fs::File::create(folder.path().join(&name)).expect("a file");
        tables.write(&name, &mut file).expect("a table");
    }
    let keep = Keep { goroutines: true, addresses: true, ..Keep::default() };
    let options = LoadOptions { keep, threads: 1, ..LoadOptions::default() };
    let back = super::loaded(&[folder.path().as_os_str().to_owned()], &options);
    assert!(back.errors.is_empty(), "{:?}", back.errors);
    assert_eq!(told::of_tables(&back.profile), told::of_tables(profile), "parquet");
}

fn as_dump(profile: &Profile, selection: &Selection) {
    let count = |profile: &Profile| -> i128 {
        profile.samples.iter().map(|sample| i128::from(sample.count)).sum()
    };
    // A dump has no room for values, negative counts, larger sums, and line breaks and blanks in names.
    let plain = |text: &[u8]| text.iter().all(|byte| byte.is_ascii_graphic());
    let frames = || profile.frames().iter();
    let is_dump = profile.counts_goroutines()
        && profile.samples.iter().all(|sample| sample.count > 0)
        && i64::try_from(count(profile)).is_ok()
        && frames().all(|frame| plain(profile.str(frame.func)) && plain(profile.str(frame.file)));
    if !is_dump {
        return;
    }
    let mut text = Vec::new();
    debug2::write(profile, selection, &mut text).expect("a dump");
    let back = super::profile(&mut &text[..], None);
    let shown = || String::from_utf8_lossy(&text);
    assert_eq!(count(&back), count(profile), "{}", shown());
    // What has a meaning in the text is written as something else in names: compare what Go can have named.
    let letters = |text: &[u8], more: &[u8]| {
        text.iter().all(|byte| byte.is_ascii_alphanumeric() || more.contains(byte))
    };
    let holds = |text: &[u8], word: &[u8]| text.windows(word.len()).any(|part| part == word);
    let is_word = |text: &[u8]| {
        letters(text, b" .-()") && text == text.trim_ascii() && !holds(text, b"oroutine")
    };
    let headers = profile.samples.iter().flat_map(|sample| {
        let flags = profile.flags(sample.key.flags).iter().copied();
        sample.key.state.into_iter().chain(flags)
    });
    let is_of_go = headers.map(|text| profile.str(text)).all(is_word)
        && frames().all(|frame| {
            is_of_function(profile.str(frame.func)) && letters(profile.str(frame.file), b"._/-@")
        });
    if !is_of_go {
        return;
    }
    // Those that are the same would hide the others.
    let (mut back, mut written) = (told::of_dump(&back), told::of_dump(profile));
    written.retain(|key, group| match back.get(key) == Some(group) {
        true => back.remove(key).is_none(),
        false => true,
    });
    assert_eq!(back, written, "{}", shown());
}

/// `example.com/shop.(*Pool[...]).work`
fn is_of_function(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).replace("[...]", "");
    let is_word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    let is_path = |text: &str| text.split(['.', '/']).all(is_word);
    let mut parts = name.split(".(*");
    parts.next().is_some_and(is_path)
        && parts.all(|part| {
            part.split_once(").").is_some_and(|(of, name)| is_path(of) && is_path(name))
        })
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
    let flame = Flame::new(&calls, false).expect("a small tree");
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
    let names = RuleSet::default().apply(profile).expect("no rules");
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

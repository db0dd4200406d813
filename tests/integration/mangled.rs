//! Dumps as they arrive: bruised in every way that mail, terminals, editors, browsers and log
//! shippers have. Each of our own dumps gives the goroutines and stacks of the clean one, or it is
//! said what was lost.

mod ways;

use crate::containers::{WRAPPINGS, Wrapping};
use crate::cut::{counted, is_silent};
use crate::sandbox::{Sandbox, files_below, members, testdata};
use proptest::prelude::*;
use stackgazer::format::{self, ReadOptions};
use stackgazer::load::{self, LoadOptions};
use stackgazer::profile::{Input, InputFormat, Keep, Profile, ProfileBuilder};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::LazyLock;
use ways::{LOSSY, MANGLINGS};

fn read(text: &str) -> Profile {
    read_bytes(text.as_bytes())
}

pub(crate) fn read_bytes(mut bytes: &[u8]) -> Profile {
    let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
    let input = Input::new("t", "t.txt", InputFormat::Debug2);
    let outcome = format::read(&mut bytes, input, &mut ReadOptions::default(), &mut builder);
    outcome.expect("a slice can't fail");
    builder.finish()
}

pub(crate) fn goroutines(profile: &Profile) -> i64 {
    profile.inputs.iter().map(|input| input.goroutines).sum()
}

/// Each different stack, state and creator.
fn stacks(profile: &Profile) -> BTreeSet<String> {
    let text = |id| String::from_utf8_lossy(profile.str(id)).into_owned();
    let frame = |id| {
        let frame = profile.frame(id);
        format!("{} {}:{}", text(frame.func), text(frame.file), frame.line)
    };
    let stack = |sample: &stackgazer::profile::Sample| {
        let frames: Vec<String> =
            profile.stack(sample.key.stack).iter().map(|&id| frame(id)).collect();
        let creator = sample.key.creator.map(frame);
        format!("{frames:?} {:?} {creator:?}", sample.key.state.map(text))
    };
    profile.samples.iter().map(stack).collect()
}

pub(crate) fn complete(profile: &Profile) -> bool {
    !profile.inputs.is_empty() && profile.inputs.iter().all(Input::complete)
}

/// Our own dumps, each with its name. Of several versions of Go that wrote the same program's dump
/// the oldest and the newest are here.
pub(crate) fn dumps() -> &'static [(PathBuf, String)] {
    static DUMPS: LazyLock<Vec<(PathBuf, String)>> = LazyLock::new(|| {
        let is_of = |name: &str| ["go1.21", "go1.27"].iter().any(|version| name.contains(version));
        let folders = ["traceback", "log", "crashes", "goleak", "count"].map(testdata);
        let texts = folders.iter().flat_map(|folder| files_below(folder)).filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("go1") && name.ends_with(".txt") && is_of(&name)
        });
        let read = |path: PathBuf| (path.clone(), std::fs::read_to_string(path).expect("UTF-8"));
        let archives = ["bundle.zip", "leaks/stories.zip", "waits/go1.27.3.zip"];
        let members = archives.iter().flat_map(|archive| {
            let members = members(archive).into_iter();
            members.map(move |(name, text)| (testdata(archive).join(name), text))
        });
        let members = members.filter(|(path, text)| {
            let path = path.to_string_lossy();
            path.ends_with(".txt")
                && !path.ends_with("README.txt")
                && (is_of(&path) || path.contains("bundle.zip"))
                && text.len() < 200 << 10
        });
        texts.map(read).chain(members).collect()
    });
    &DUMPS
}

/// A value of a panic with a header in it looks like one again where its tab was lost.
fn tells_of_a_header(path: &std::path::Path) -> bool {
    path.to_string_lossy().ends_with(".panic.txt")
}

/// A blank line ends a goroutine whose creator was read: ancestors behind it are not its own.
fn loses_ancestors(name: &str, path: &std::path::Path) -> bool {
    (name.contains("doubled") || name.contains("third line"))
        && path.to_string_lossy().ends_with(".ancestors.txt")
}

#[test]
fn a_bruised_dump_gives_the_goroutines_and_stacks_of_the_clean_one() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (path, text) in dumps() {
        let clean = read(text);
        for (name, mangle) in MANGLINGS {
            let bruised = read(&mangle(text));
            compared += 1;
            if bruised.inputs.is_empty() && goroutines(&clean) == 0 {
                // Nothing but what was raised: unknown, which is an error.
                continue;
            }
            let what = format!("{name}: {}", path.file_name().unwrap().to_string_lossy());
            if goroutines(&bruised) != goroutines(&clean) {
                wrong.push(format!("{what}: {} of {}", goroutines(&bruised), goroutines(&clean)));
            } else if stacks(&bruised) != stacks(&clean) {
                wrong.push(format!("{what}: other stacks"));
            } else if complete(&bruised) != complete(&clean)
                && !tells_of_a_header(path)
                && !loses_ancestors(name, path)
            {
                let warnings: Vec<_> = bruised.inputs.iter().flat_map(|i| &i.warnings).collect();
                wrong.push(format!("{what}: {warnings:?}"));
            } else if bruised
                .inputs
                .iter()
                .map(|i| i.crash.as_ref().map(|c| c.kind))
                .ne(clean.inputs.iter().map(|i| i.crash.as_ref().map(|c| c.kind)))
            {
                wrong.push(format!("{what}: another crash"));
            }
        }
    }
    assert!(compared > 1000, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether the name of a file is that of an archive or of packed bytes.
fn is_packed(file: &str) -> bool {
    [".gz", ".zst", ".zip", ".tar", ".tgz"].iter().any(|end| file.ends_with(end))
}

/// Ways to wrap text that are read as text.
fn text_wrappings() -> impl Iterator<Item = &'static Wrapping> {
    WRAPPINGS.iter().filter(|(_, file, _)| !is_packed(file))
}

#[test]
fn a_bruised_dump_in_a_log_gives_its_goroutines_or_it_is_said() {
    let dumps: Vec<_> = dumps().iter().filter(|(_, text)| text.len() < 12 << 10).collect();
    let clean: Vec<_> = dumps.iter().map(|(_, text)| read(text)).collect();
    let (mut silent, mut right, mut all) = (Vec::new(), 0, 0);
    for (form, (name, mangle)) in MANGLINGS.iter().enumerate() {
        for (container, (wrapping, _, wrap)) in text_wrappings().enumerate() {
            let at = (form * 41 + container * 7) % dumps.len();
            let bruised = read_bytes(&wrap(mangle(&dumps[at].1).as_bytes()));
            if (*name, *wrapping) == ("lone CR", "CRI in parts") {
                // A carriage return at the end of a part is the container's.
                continue;
            }
            all += 1;
            if goroutines(&bruised) == goroutines(&clean[at])
                && stacks(&bruised) == stacks(&clean[at])
            {
                right += 1;
            } else if complete(&bruised) {
                let file = dumps[at].0.file_name().unwrap().to_string_lossy();
                let counts = [&bruised, &clean[at]].map(goroutines);
                silent.push(format!("{name} in {wrapping}: {file}: {counts:?}"));
            }
        }
    }
    assert!(silent.is_empty(), "{} of {all}:\n{}", silent.len(), silent.join("\n"));
    assert!(right * 100 >= all * 90, "{right} of {all} are right");
}

/// What takes whole files: each form arrives in each of them.
#[test]
fn a_bruised_dump_in_an_archive_gives_its_goroutines() {
    let sandbox = Sandbox::new();
    let archives = WRAPPINGS.iter().filter(|(_, file, _)| is_packed(file));
    let archives: Vec<_> = archives.collect();
    assert!(archives.len() >= 4, "{archives:?}");
    let dumps: Vec<_> = dumps().iter().filter(|(_, text)| text.len() < 30 << 10).collect();
    let mut wrong = Vec::new();
    for (form, (name, mangle)) in MANGLINGS.iter().enumerate() {
        for (container, (wrapping, file, wrap)) in archives.iter().enumerate() {
            let (path, text) = dumps[(form * archives.len() + container) % dumps.len()];
            let bruised = mangle(text);
            let plain = read(&bruised);
            let packed = sandbox.file(file, wrap(bruised.as_bytes()));
            let options = LoadOptions {
                keep: Keep { goroutines: true, ..Keep::default() },
                threads: 1,
                ..LoadOptions::default()
            };
            let loaded = load::load(&[packed.into_os_string()], &options).expect("it is read");
            if stacks(&loaded.profile) != stacks(&plain)
                || goroutines(&loaded.profile) != goroutines(&plain)
                || complete(&loaded.profile) != complete(&plain)
            {
                let file = path.file_name().unwrap().to_string_lossy();
                wrong.push(format!("{name} in {wrapping}: {file}: {:?}", loaded.errors));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_cut_dump_has_lost_is_said() {
    let mut silent = Vec::new();
    for (path, text) in dumps() {
        let whole = goroutines(&read(text));
        for (name, mangle) in LOSSY {
            let bruised = read(&mangle(text));
            if complete(&bruised) && goroutines(&bruised) > 0 && whole > 0 {
                silent.push(format!("{name}: {path:?}"));
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// Goroutines that a text tells of, whatever stands in front of its lines, as a person would count.
fn seen(text: &str) -> i64 {
    static HEADER: LazyLock<regex::Regex> = LazyLock::new(|| {
        let header = r"goroutine \d+ (gp=\S+ m=\S+ (mp=\S+ )?)?\[[^\]\n]*\]( \{[^\n]*\})?:\s";
        regex::Regex::new(header).unwrap()
    });
    // The one in the value of a panic is none.
    let headers = HEADER.find_iter(&(text.replace("[fake]", "") + "\n")).count();
    headers as i64 + counted(text.as_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_goroutine_is_lost_without_a_word(
        dump in 0..dumps().len(),
        first in 0..MANGLINGS.len(),
        second in 0..MANGLINGS.len(),
        lossy in proptest::option::of(0..LOSSY.len()),
        wrapping in proptest::option::of(0..text_wrappings().count()),
        noise in proptest::option::of("[ -~]{0,40}"),
        at in 0_usize..400,
    ) {
        let (path, text) = &dumps()[dump];
        let mut text = text.clone();
        let [(first_name, first), (second_name, second)] = [MANGLINGS[first], MANGLINGS[second]];
        // In one line, a word behind a header makes it prose.
        let in_one_line = lossy.is_some_and(|at| LOSSY[at].0 == "all in one line");
        if let Some(noise) = noise.filter(|_| !in_one_line) {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.insert(at % lines.len(), &noise);
            text = lines.join("\n") + "\n";
        }
        if let Some(lossy) = lossy {
            text = LOSSY[lossy].1(&text);
        }
        let seen = seen(&text);
        let text = second(&first(&text));
        let (container, bytes) = match wrapping.and_then(|at| text_wrappings().nth(at)) {
            Some((name, _, wrap)) => (*name, wrap(text.as_bytes())),
            None => ("nothing", text.into_bytes()),
        };
        let profile = read_bytes(&bytes);
        prop_assert!(
            profile.inputs.is_empty() || !is_silent(&profile, seen),
            "{first_name}, {second_name} in {container}: {} of {seen} in {path:?}, {lossy:?}: {:?}",
            goroutines(&profile),
            profile.inputs.iter().map(|input| &input.warnings).collect::<Vec<_>>()
        );
    }
}

use super::*;
use crate::profile::{
    Function, Input, InputFormat, Keep, Label, LabelValue, LabelsId, Line, Mapping, NewSample,
    ProfileBuilder, SampleSpec, Symbols,
};

/// A profile with one sample: locations from the leaf to the root, each with its inlined calls
/// first, all in the mapped file `/bin/mill`; labels as `key=value`, numbers as they are.
fn profile(stacks: &[&[&[&str]]], labels: &[(&str, &str)]) -> Profile {
    let mut builder = ProfileBuilder::new(Keep::default());
    let input = builder.input(Input::new("cpu", "cpu", InputFormat::Debug2));
    let kind = builder.sample_type(b"cpu", b"nanoseconds");
    let header = &mut builder.input_mut(input).header;
    (header.sample_types, header.default_type) = (vec![kind], Some(kind));
    let mut set: Vec<Label> = Vec::new();
    for (key, value) in labels {
        let key = builder.string(key.as_bytes());
        let value = match value.parse::<i64>() {
            Ok(number) => LabelValue::Number(number, builder.string(b"")),
            Err(_) => LabelValue::Text(builder.string(value.as_bytes())),
        };
        set.push(Label { key, value });
    }
    let labels = builder.labels(&mut set);
    let file = builder.string(b"/bin/mill");
    let build_id = builder.string(b"");
    let has = Symbols::default();
    let mapping = builder.mapping(Mapping { start: 0, limit: 9, offset: 0, file, build_id, has });
    for stack in stacks {
        let (mut locations, mut frames) = (Vec::new(), Vec::new());
        for lines in *stack {
            let mut made = Vec::new();
            for name in *lines {
                let frame = builder.frame(name.as_bytes(), b"mill.go", 1);
                let (name, file) = (builder.string(name.as_bytes()), builder.string(b"mill.go"));
                let system_name = name;
                let function =
                    builder.function(Function { name, system_name, file, start_line: 0 });
                made.push(Line { function, frame, line: 1, column: 0 });
                frames.push(frame);
            }
            locations.push(builder.location(Some(mapping), 1, false, &made));
        }
        let full = builder.stack(&frames);
        let locations = builder.locations(&locations);
        let spec = SampleSpec {
            input,
            stack: full,
            full,
            state: None,
            flags: crate::profile::FlagsId::NONE,
            labels: LabelsId::NONE,
            creator: None,
            elided: None,
        };
        builder.add_sample(&NewSample { spec, values: &[5], locations, labels });
    }
    builder.finish()
}

/// What is left of each sample, leaf first; `-` for samples that are dropped.
fn pruned(profile: &mut Profile, asked: &PruneOptions) -> Vec<String> {
    let pruned = Prune::compile(asked).unwrap().apply(profile).unwrap();
    let names = |id: SampleId| {
        let calls = profile.calls(id);
        let name = |call: &Call| profile.str(profile.frame(call.frame).func).to_vec();
        String::from_utf8(calls.iter().map(name).collect::<Vec<_>>().join(&b" "[..])).unwrap()
    };
    let kept = pruned.kept.unwrap_or_else(|| vec![true; profile.samples.len()]);
    profile.samples().map(|(id, _)| if kept[id.index()] { names(id) } else { "-".into() }).collect()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

const STACKS: &[&[&[&str]]] = &[
    // `join` was inlined into `hash`, that into `grind`.
    &[&["memmove"], &["join", "hash", "grind"], &["serve"], &["main"]],
    &[&["sort"], &["grind"], &["serve"], &["main"]],
    &[&["park"]],
];

fn left(asked: &PruneOptions) -> Vec<String> {
    pruned(&mut profile(STACKS, &[]), asked)
}

#[test]
fn focus_and_ignore_pick_whole_samples() {
    let all = "memmove join hash grind serve main";
    assert_eq!(
        left(&PruneOptions { focus: some("^hash$"), ..PruneOptions::default() }),
        [all, "-", "-"]
    );
    let ignore = PruneOptions { ignore: some("sort"), ..PruneOptions::default() };
    assert_eq!(left(&ignore), [all, "-", "park"]);
    let both =
        PruneOptions { focus: some("grind"), ignore: some("sort|park"), ..PruneOptions::default() };
    assert_eq!(left(&both), [all, "-", "-"]);
    // The mapped file counts too.
    let focus = PruneOptions { focus: some("bin/mill"), ..PruneOptions::default() };
    assert_eq!(left(&focus), [all, "sort grind serve main", "park"]);
}

#[test]
fn hide_and_show_pick_lines_of_locations() {
    let hide = PruneOptions { hide: some("hash|serve|park"), ..PruneOptions::default() };
    assert_eq!(left(&hide), ["memmove join grind main", "sort grind main", "-"]);
    // The mapped file doesn't match, so that only names do.
    let show = PruneOptions { show: some("^(hash|grind)$"), ..PruneOptions::default() };
    assert_eq!(left(&show), ["hash grind", "grind", "-"]);
}

#[test]
fn show_from_cuts_above_and_prune_from_below() {
    let show_from = PruneOptions { show_from: some("^hash$|sort"), ..PruneOptions::default() };
    assert_eq!(left(&show_from), ["memmove join hash", "sort", "-"]);
    let prune_from = PruneOptions { prune_from: some("hash|grind"), ..PruneOptions::default() };
    assert_eq!(left(&prune_from), ["hash grind serve main", "grind serve main", "park"]);
}

#[test]
fn what_a_proto_wants_dropped_is_dropped_with_all_that_it_calls() {
    let dropped = |drop: &str, keep: &str| {
        let mut profile = profile(STACKS, &[]);
        let (drop, keep) =
            (profile.strings.intern(drop.as_bytes()), profile.strings.intern(keep.as_bytes()));
        let header = &mut profile.inputs[0].header;
        (header.drop_frames, header.keep_frames) = (drop, keep);
        drop_frames(&mut profile);
        let left = pruned(&mut profile, &PruneOptions::default());
        let warnings = &profile.inputs[0].warnings;
        assert!(warnings.iter().all(|warning| !warning.text.contains('\n')), "{warnings:?}");
        (left, warnings.len())
    };
    // `hash` is in a location of its own code and of what it was inlined into.
    let expected = ["grind serve main", "sort grind serve main", "park"];
    assert_eq!(dropped("hash", ""), (expected.map(str::to_owned).to_vec(), 0));
    let expected = ["serve main", "serve main", "park"];
    assert_eq!(dropped("grind|hash|park", ""), (expected.map(str::to_owned).to_vec(), 0));
    // What is outermost stays, and so does what is kept.
    let all = ["memmove join hash grind serve main", "sort grind serve main", "park"];
    assert_eq!(dropped("main|.*k", "").0[2], "park");
    assert_eq!(dropped("has", ""), (all.map(str::to_owned).to_vec(), 0));
    assert_eq!(dropped("hash|sort", "h.*|s.*"), (all.map(str::to_owned).to_vec(), 0));
    assert_eq!(dropped("(", ""), (all.map(str::to_owned).to_vec(), 1));
}

/// Each has to be compiled, which can take milliseconds, and its member of a zip a few bytes.
#[test]
fn only_so_many_different_patterns_of_protos_are_obeyed() {
    for (others, is_dropped) in [(99, true), (100, false)] {
        let mut profile = profile(STACKS, &[]);
        for at in 0..others {
            let mut other = Input::new("cpu", "cpu", InputFormat::Debug2);
            other.header.drop_frames = profile.strings.intern(format!("x{at}").as_bytes());
            profile.inputs.push(other);
        }
        profile.inputs[0].header.drop_frames = profile.strings.intern(b"h.sh");
        drop_frames(&mut profile);
        let told = profile.unread.failed.count();
        assert_eq!(told, u64::from(!is_dropped), "{others}");
        let left = pruned(&mut profile, &PruneOptions::default());
        assert_eq!(left[0] == "grind serve main", is_dropped, "{others}: {left:?}");
    }
}

#[test]
fn inlined_calls_are_those_of_the_function_that_they_are_in() {
    let no_inlines = PruneOptions { no_inlines: true, ..PruneOptions::default() };
    let mut profile = profile(STACKS, &[]);
    let expected = ["memmove grind serve main", "sort grind serve main", "park"];
    assert_eq!(pruned(&mut profile, &no_inlines), expected);
    // The locations have changed with the stacks.
    let lines = profile.locations().map(|(id, _)| profile.lines(id).len()).max();
    assert_eq!(lines, Some(1));
}

#[test]
fn labels_become_frames_that_other_options_see() {
    let labels = [("customer", "acme"), ("class", "gold"), ("bytes", "2048")];
    let asked = PruneOptions {
        tag_root: some("customer,missing"),
        tag_leaf: some("class,bytes"),
        focus: some("^acme$"),
        ..PruneOptions::default()
    };
    let mut profile = profile(&[&[&["work"], &["main"]]], &labels);
    assert_eq!(pruned(&mut profile, &asked), ["2048 gold work main <unknown> acme"]);
    assert_eq!(profile.sample_locations(SampleId(0)).len(), 6);
}

#[test]
fn samples_are_picked_by_label_and_labels_by_key() {
    let labels = [("customer", "acme"), ("class", "gold"), ("bytes", "2048")];
    let stack: &[&[&[&str]]] = &[&[&["work"]]];
    for (focus, kept) in [
        ("acme", true),
        ("acme,gold", true),
        ("acme,iron", false),
        ("customer:acme", true),
        ("customer=iron,acme", true),
        ("class=acme", false),
        ("bytes=1kb:2kb", true),
        (":2047b", false),
        ("2kb", true),
    ] {
        let asked = PruneOptions { tag_focus: some(focus), ..PruneOptions::default() };
        let expected = if kept { "work" } else { "-" };
        assert_eq!(pruned(&mut profile(stack, &labels), &asked), [expected], "{focus}");
        let asked = PruneOptions { tag_ignore: some(focus), ..PruneOptions::default() };
        let expected = if kept { "-" } else { "work" };
        assert_eq!(pruned(&mut profile(stack, &labels), &asked), [expected], "{focus}");
    }
    let asked =
        PruneOptions { tag_show: some("c"), tag_hide: some("class"), ..PruneOptions::default() };
    let mut profile = profile(stack, &labels);
    pruned(&mut profile, &asked);
    let keys: Vec<&[u8]> =
        profile.all_labels(SampleId(0)).iter().map(|label| profile.str(label.key)).collect();
    assert_eq!(keys, [b"customer"]);
}

#[test]
fn options_without_effect_are_told() {
    let asked =
        PruneOptions { focus: some("nothing"), hide: some("sort"), ..PruneOptions::default() };
    let pruned = Prune::compile(&asked).unwrap().apply(&mut profile(STACKS, &[])).unwrap();
    assert_eq!(pruned.notes, ["--focus matches nothing"]);
}

#[test]
fn wrong_patterns_are_pointed_at() {
    let asked = PruneOptions { show_from: some("a(b"), ..PruneOptions::default() };
    let error = Prune::compile(&asked).unwrap_err().to_string();
    assert!(error.starts_with("--show-from: not a regular expression"), "{error}");
}

use super::*;
use crate::profile::{
    Address, InputFormat, Keep, NewAddresses, NewGoroutine, SampleSpec, Wait, WarningKind,
};
use proptest::prelude::*;

const KEEP: Keep =
    Keep { goroutines: true, creators: false, addresses: true, arguments: true, calls: false };

/// The functions of stacks, a label and a flag of one goroutine of an input. Goroutines with the
/// flag have no state except that shown by their functions.
type Has = (Vec<u8>, u8, bool);

fn read(builder: &mut ProfileBuilder, name: &str, goroutines: &[Has]) {
    let mut new = Input::new(name, name, InputFormat::Debug2);
    new.labels = builder.text_labels([("node", name)]);
    let input = builder.input(new);
    for (at, (functions, label, locked)) in goroutines.iter().enumerate() {
        let frames: Vec<FrameId> = functions
            .iter()
            .map(|function| {
                let name: &[u8] = match function {
                    0 => b"time.Sleep",
                    1 => b"runtime.gopark",
                    _ => &[b'f', *function],
                };
                builder.frame(name, b"a.go", i64::from(*function))
            })
            .collect();
        let stack = builder.stack(&frames);
        let flags =
            if *locked { builder.with_flag(FlagsId::NONE, b"locked") } else { FlagsId::NONE };
        let spec = SampleSpec {
            input,
            stack,
            full: stack,
            state: (!locked).then(|| builder.string(b"select")),
            flags,
            labels: builder.text_labels([("tenant", [*label])]),
            creator: frames.last().copied(),
            elided: None,
        };
        let sample = builder.sample(&spec);
        let goroutine =
            NewGoroutine { id: at as u64, created_by: None, wait: Wait::minutes(at as f32) };
        let column = builder.goroutine(sample, &goroutine).unwrap();
        let words: Vec<Address> =
            Address::new(u64::from(*label) << 12, true, 1).into_iter().collect();
        let lock = words.first().copied().unwrap_or_default();
        let told = NewAddresses { waits: *locked, lock, words: &words };
        builder.addresses(sample, &goroutine, Some(column), &told);
        let texts = [builder.string(b"0x1"), builder.string(&[b'0' + *label])];
        builder.arguments(column, &texts);
        builder.ancestor(column, Ancestor { id: 7, stack, creator: frames.first().copied() });
    }
}

fn goroutines() -> impl Strategy<Value = Vec<Has>> {
    prop::collection::vec((prop::collection::vec(0_u8..9, 0..4), 0_u8..3, any::<bool>()), 0..12)
}

proptest! {
    #[test]
    fn one_builder_for_all_inputs_gives_what_one_for_each_gives(
        inputs in prop::collection::vec((goroutines(), any::<bool>()), 0..6),
    ) {
        let mut apart = ProfileBuilder::new(KEEP);
        let mut together = ProfileBuilder::new(KEEP);
        let mut reader = ProfileBuilder::new(KEEP);
        let mut known = Translation::default();
        for (at, (goroutines, counts)) in inputs.iter().enumerate() {
            let name = format!("n{at}");
            read(&mut reader, &name, goroutines);
            if !counts {
                reader.drop_delta();
                continue;
            }
            together.merge(&reader.take_delta(), &mut known);
            let mut own = ProfileBuilder::new(KEEP);
            read(&mut own, &name, goroutines);
            apart.merge_builder(own);
        }
        prop_assert_eq!(format!("{:?}", apart.finish()), format!("{:?}", together.finish()));
    }
}

#[test]
fn a_part_holds_of_the_tables_only_what_is_new() {
    let mut builder = ProfileBuilder::new(KEEP);
    read(&mut builder, "n1", &[(vec![1, 2], 0, true)]);
    let first = builder.take_delta();
    read(&mut builder, "n2", &[(vec![1, 2], 0, true)]);
    let second = builder.take_delta();
    assert_eq!((first.frames.len(), first.stacks.len(), first.flags.len()), (2, 1, 1));
    assert_eq!((second.frames.len(), second.stacks.len(), second.flags.len()), (0, 0, 0));
    assert_eq!(second.strings.iter().collect::<Vec<_>>(), [b"n2"]);
    assert_eq!(second.rows.samples.len(), 1);
}

#[test]
fn a_generation_lasts_as_long_as_the_ids() {
    let mut builder = ProfileBuilder::new(KEEP);
    let start = builder.generation();
    builder.string(b"a");
    builder.take_delta();
    let taken = builder.generation();
    assert_eq!(taken.tables, start.tables);
    assert_ne!(taken.rows, start.rows);
    builder.drop_delta();
    assert_eq!(builder.generation().tables, start.tables);
    let text = builder.string(b"b");
    builder.drop_delta();
    assert_ne!(builder.generation().tables, start.tables);
    assert_eq!(builder.string(b"c"), text);
}

#[test]
fn ids_that_repeat_are_told_once_for_each_input() {
    let mut whole = ProfileBuilder::new(KEEP);
    for name in ["n1", "n2"] {
        let mut builder = ProfileBuilder::new(KEEP);
        read(&mut builder, name, &[(vec![1], 0, false)]);
        let stack = builder.stack(&[]);
        let spec = SampleSpec::new(InputId(0), stack);
        let sample = builder.sample(&spec);
        let same = NewGoroutine { id: 0, created_by: None, wait: Wait::UNKNOWN };
        builder.goroutine(sample, &same);
        whole.merge(&builder.take_delta(), &mut Translation::default());
    }
    for input in whole.finish().inputs {
        let kinds: Vec<WarningKind> = input.warnings.iter().map(|warning| warning.kind).collect();
        assert_eq!(kinds, [WarningKind::RepeatedId], "{}", input.name);
    }
}

#[test]
fn the_state_that_frames_tell_is_another_string_after_a_part_was_dropped() {
    let mut builder = ProfileBuilder::new(KEEP);
    let frame = builder.frame(b"time.Sleep", b"time.go", 1);
    let stack = builder.stack(&[frame]);
    builder.take_delta();
    let mut state = |text: &[u8]| {
        let input = builder.input(Input::new("n", "n", InputFormat::Debug1));
        let sample = builder.sample(&SampleSpec::new(input, stack));
        let state =
            builder.profile.sample(sample).key.state.map(|state| builder.str(state).to_vec());
        builder.drop_delta();
        builder.string(text);
        state
    };
    assert_eq!(state(b"what takes its place"), Some(b"sleep".to_vec()));
    assert_eq!(state(b""), Some(b"sleep".to_vec()));
}

//! Inputs that don't all measure the same: heap and CPU profiles, for instance.

use crate::error::{Error, Result};
use crate::group::order::inputs as order;
use crate::profile::{InputId, Profile, TypeId, lossy};
use hashbrown::HashMap;
use serde::Serialize;

/// How many inputs a note names; more are only counted.
const INPUTS_NAMED: usize = 3;

/// An input that doesn't have the selected sample type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Other {
    /// The input's name.
    pub input: String,
    /// The types that it has.
    #[serde(rename = "sample_types")]
    pub types: Vec<String>,
}

/// Inputs that don't have the selected sample type, with the types that they have.
pub fn others(profile: &Profile) -> Vec<Other> {
    let text = |&of: &TypeId| lossy(profile.str(profile.sample_type(of).kind));
    let others = order(profile).into_iter().filter(|&id| !is_counted(profile, id));
    let other = |id| Other {
        input: profile.input(id).name.clone(),
        types: profile.types_of(id).iter().map(text).collect(),
    };
    others.map(other).collect()
}

fn is_counted(profile: &Profile, input: InputId) -> bool {
    profile.value_type().is_none()
        || profile.counted_type(input).is_some()
        || profile.input(input).is_message()
}

/// If some inputs don't have the selected type, but all of them have another one, selects that one, as
/// `go tool pprof` does; preferably the default of an input.
pub fn choose_shared(profile: &mut Profile) {
    let inputs: Vec<InputId> = profile.inputs().map(|(id, _)| id).collect();
    if inputs.iter().all(|&id| is_counted(profile, id)) {
        return;
    }
    let shared = profile.shared_types(&inputs);
    let defaults = profile.inputs.iter().filter_map(|input| input.header.default_type);
    let chosen = defaults.into_iter().find(|of| shared.contains(of)).or(shared.first().copied());
    if let Some(chosen) = chosen {
        profile.use_value(chosen);
    }
}

/// The text of a note on inputs that are left out because they measure something else.
pub fn note(profile: &Profile) -> Option<String> {
    let others = others(profile);
    let mut types: Vec<&str> =
        others.iter().flat_map(|other| &other.types).map(String::as_str).collect();
    types.sort_unstable();
    types.dedup();
    let names: Vec<&str> = others.iter().map(|other| other.input.as_str()).collect();
    let (who, verb) = match names.as_slice() {
        [] => return None,
        [only] => ((*only).to_owned(), "it measures"),
        several if several.len() <= INPUTS_NAMED => (listed(several), "they measure"),
        several => {
            let more = several.len() - INPUTS_NAMED;
            let named = several[..INPUTS_NAMED].join(", ");
            (format!("{named} and {more} more"), "they measure")
        }
    };
    let in_force = lossy(profile.value_name().0);
    Some(format!("{who} left out: {verb} {}, not {in_force}; see --value", listed(&types)))
}

/// Fails if one side of a comparison measures nothing that the others do; `side` returns the side of an
/// input.
///
/// # Errors
/// Names what both sides measure.
pub fn check(profile: &Profile, side: &dyn Fn(InputId) -> usize) -> Result<()> {
    // The first input of each side, and whether any is counted.
    let mut sides: Vec<(InputId, bool)> = Vec::new();
    let mut known: HashMap<usize, usize> = HashMap::new();
    for (id, _) in profile.inputs() {
        let at = *known.entry(side(id)).or_insert(sides.len());
        match sides.get_mut(at) {
            Some((_, any)) => *any |= is_counted(profile, id),
            None => sides.push((id, is_counted(profile, id))),
        }
    }
    let find = |counted: bool| sides.iter().find(|(_, any)| *any == counted);
    let (Some(&(with, _)), Some(&(without, _))) = (find(true), find(false)) else {
        return Ok(());
    };
    let what = format!(
        "measures {}, which can't be compared with {} of {}",
        listed(&types(profile, without)),
        listed(&types(profile, with)),
        profile.input(with).name
    );
    let error = Error::misuse(&profile.input(without).path, what);
    let firsts: Vec<InputId> = sides.iter().map(|&(id, _)| id).collect();
    Err(match profile.shared_types(&firsts).as_slice() {
        [] => error.advise("compare profiles of one kind"),
        shared => {
            let shared: Vec<String> = shared.iter().map(|&of| type_text(profile, of)).collect();
            error.advise(format!("all have {}: choose with --value", listed(&shared)))
        }
    })
}

/// The types of an input: `cpu/nanoseconds`.
fn types(profile: &Profile, input: InputId) -> Vec<String> {
    profile.types_of(input).iter().map(|&of| type_text(profile, of)).collect()
}

fn type_text(profile: &Profile, of: TypeId) -> String {
    let of = profile.sample_type(of);
    let text = |text| lossy(profile.str(text));
    format!("{}/{}", text(of.kind), text(of.unit))
}

/// `a, b and c`
fn listed(list: &[impl AsRef<str>]) -> String {
    let list: Vec<&str> = list.iter().map(AsRef::as_ref).collect();
    match list.as_slice() {
        [] => "nothing".to_owned(),
        [only] => (*only).to_owned(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Input, InputFormat, Keep, ProfileBuilder};

    /// An input for each list of types, the last of which is its default.
    fn profile(inputs: &[&[(&str, &str)]]) -> Profile {
        let mut builder = ProfileBuilder::new(Keep::default());
        for (point, types) in inputs.iter().enumerate() {
            let name = format!("p{point}");
            let mut input = Input::new(&name, &name, InputFormat::ProfileDebug0);
            input.point = point;
            for (kind, unit) in *types {
                let of = builder.sample_type(kind.as_bytes(), unit.as_bytes());
                input.header.sample_types.push(of);
                input.header.default_type = Some(of);
            }
            builder.input(input);
        }
        builder.finish()
    }

    const CPU: &[(&str, &str)] = &[("samples", "count"), ("cpu", "nanoseconds")];
    const HEAP: &[(&str, &str)] = &[("objects", "count"), ("space", "bytes")];
    const SAMPLES: &[(&str, &str)] = &[("samples", "count")];

    fn compared(inputs: &[&[(&str, &str)]]) -> Option<String> {
        let mut profile = profile(inputs);
        choose_shared(&mut profile);
        let point = |input| profile.input(input).point;
        check(&profile, &point).err().map(|error| error.to_string())
    }

    #[test]
    fn what_has_no_type_in_common_can_t_be_compared() {
        assert_eq!(compared(&[CPU, CPU]), None);
        assert_eq!(
            compared(&[CPU, HEAP]).unwrap(),
            "p1: measures objects/count and space/bytes, which can't be compared with \
             samples/count and cpu/nanoseconds of p0; compare profiles of one kind"
        );
        let micros = &[("samples", "count"), ("cpu", "microseconds")];
        assert_eq!(compared(&[CPU, micros]), None, "both count samples");
        assert!(compared(&[&CPU[1..], &micros[1..]]).unwrap().contains("cpu/microseconds"));
    }

    #[test]
    fn a_type_that_all_have_counts_unless_another_was_chosen() {
        let mut agreed = profile(&[CPU, SAMPLES]);
        assert_eq!(agreed.value_name().0, b"cpu");
        assert!(note(&agreed).is_some());
        choose_shared(&mut agreed);
        assert_eq!((agreed.value_name().0, note(&agreed)), (&b"samples"[..], None));
        let chosen = profile(&[CPU, SAMPLES]);
        let error = check(&chosen, &|input| input.index()).unwrap_err().to_string();
        assert!(error.ends_with("; all have samples/count: choose with --value"), "{error}");
    }

    #[test]
    fn inputs_that_are_left_out_are_named() {
        let told = |inputs: &[&[(&str, &str)]]| note(&profile(inputs)).unwrap_or_default();
        assert_eq!(told(&[CPU, CPU]), "");
        assert_eq!(
            told(&[CPU, HEAP]),
            "p1 left out: it measures objects and space, not cpu; see --value"
        );
        assert_eq!(
            told(&[CPU, HEAP, HEAP, HEAP, HEAP]),
            "p1, p2, p3 and 1 more left out: they measure objects and space, not cpu; see --value"
        );
        let three = told(&[CPU, HEAP, HEAP, HEAP]);
        assert!(three.starts_with("p1, p2 and p3 left out: they measure"), "{three}");
        let six = told(&[CPU, HEAP, HEAP, HEAP, HEAP, HEAP, HEAP]);
        assert!(six.starts_with("p1, p2, p3 and 3 more left out"), "{six}");
    }

    /// Looking through all inputs for each of them would take minutes.
    #[test]
    fn many_inputs_of_something_else_beside_one_with_goroutines_take_no_time() {
        let mut builder = ProfileBuilder::new(Keep::default());
        let heap = builder.sample_type(b"space", b"bytes");
        for _ in 0..200_000 {
            let mut input = Input::new("heap", "heap", InputFormat::ProfileDebug1);
            input.header.sample_types.push(heap);
            input.header.default_type = Some(heap);
            builder.input(input);
        }
        builder.input(Input::new("stacks", "stacks", InputFormat::Debug2));
        let mut profile = builder.finish();
        let before = std::time::Instant::now();
        assert_eq!(others(&profile).len(), 200_000);
        profile.use_value(heap);
        assert_eq!(others(&profile).len(), 1);
        assert!(before.elapsed().as_secs() < 20, "{:?}", before.elapsed());
    }

    #[test]
    fn one_input_of_a_side_that_can_be_compared_is_enough() {
        let sides = |inputs: &[&[(&str, &str)]]| {
            check(&profile(inputs), &|input| input.index() / 2).map_err(|error| error.to_string())
        };
        assert_eq!(sides(&[CPU, HEAP, HEAP, CPU]), Ok(()));
        assert!(sides(&[CPU, HEAP, HEAP, HEAP]).unwrap_err().starts_with("p2: measures objects"));
    }
}

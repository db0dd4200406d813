//! The same program has the same shapes, whichever version of Go has built it.

use crate::agreement::export;
use crate::document::Goroutine;
use crate::sandbox::testdata;
use std::collections::BTreeMap;
use std::path::Path;

/// Each shape, with a goroutine that has it.
pub(crate) type Shapes = BTreeMap<String, Goroutine>;

pub(crate) fn shapes(path: &Path) -> Shapes {
    export(path).goroutines.into_iter().map(|one| (one.shape.clone(), one)).collect()
}

/// What only one side has, as sentences; `expected` says what may be so.
pub(crate) fn differences(
    (a, b): (&Shapes, &Shapes),
    expected: impl Fn(&Goroutine) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    for (these, others, side) in [(a, b, "first"), (b, a, "second")] {
        let only =
            these.iter().filter(|(shape, one)| !others.contains_key(*shape) && !expected(one));
        found.extend(only.map(|(_, one)| format!("only in {side}: {}", one.funcs().join(" < "))));
    }
    found
}

/// The goroutine that writes the dump: its way into the runtime is another in each form and version.
pub(crate) fn writes_the_dump(one: &Goroutine) -> bool {
    one.funcs().iter().any(|func| func.starts_with("runtime/pprof."))
}

#[test]
fn every_version_of_go_gives_one_program_the_same_shapes() {
    let versions = ["go1.21.13", "go1.23.9", "go1.25.5", "go1.26.6", "go1.27.3"];
    for form in ["traceback/{}.debug2.txt", "count/{}.debug1.txt", "pprof/{}.debug0.pb.gz"] {
        let of = |version| shapes(&testdata(&form.replace("{}", version)));
        let newest = of("go1.27.3");
        assert!(newest.len() > 15, "{form}: {} shapes", newest.len());
        for version in versions {
            // Up to Go 1.22 profiles keep 32 frames: the root of what is deeper is gone.
            let cut = |one: &Goroutine| {
                one.funcs().contains(&"example.com/shop/report.Depth") && version == "go1.21.13"
            };
            let found =
                differences((&of(version), &newest), |one| writes_the_dump(one) || cut(one));
            assert!(found.is_empty(), "{form} {version}:\n{}", found.join("\n"));
        }
    }
}

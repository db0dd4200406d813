//! One program, built by each version of Go from 1.19 to 1.27, has the same shapes.

use crate::document::Goroutine;
use crate::sandbox::corpus;
use crate::shapes::{Shapes, differences, shapes, writes_the_dump};
use std::path::Path;

/// A function, what dumps have a stack with it in one version only, and why.
const EXCEPTIONS: [(&str, &str); 3] = [
    (
        "(*Replica).Closures.",
        "Go 1.21 to 1.26 name a closure of a function that was inlined into another package after \
         that package: main.startAll.func13.(*Replica).Closures.1. Which package the method is of \
         stands nowhere, and methods of one name in two packages must stay apart",
    ),
    (
        "(*Stopper).Chain.",
        "the same for one way of three, from Go 1.24 to 1.26: main.startAll.func33.(*Stopper).Chain.2 \
         is stop.(*Stopper).Chain.func2 before and after",
    ),
    (
        "net/http.(*conn).serve",
        "an idle connection: Go 1.19 was dumped while it waited for the first request, the others \
         for the next one",
    ),
];

fn is_exception(one: &Goroutine) -> bool {
    let named = |name: &str| one.funcs().iter().any(|func| func.contains(name));
    EXCEPTIONS.iter().any(|(name, _)| named(name))
}

fn of(version: &Path, dump: &str) -> Option<Shapes> {
    let packed = format!("{dump}.gz");
    [dump, &packed].iter().map(|name| version.join(name)).find(|path| path.exists()).map(|path| {
        let shapes = shapes(&path);
        assert!(shapes.len() > 50, "{}: {} shapes", path.display(), shapes.len());
        shapes
    })
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn nine_versions_of_go_give_one_program_the_same_shapes() {
    let folder = corpus();
    let mut versions: Vec<_> = std::fs::read_dir(folder.join("corpus"))
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("VERSION").exists())
        .collect();
    versions.sort();
    let newest = versions.last().expect("a version").clone();
    let mut wrong = Vec::new();
    for process in ["dump", "aged"] {
        for form in ["goroutine.debug2.txt", "goroutine.debug1.txt", "goroutine.debug0.pb.gz"] {
            let dump = format!("{process}/{form}");
            let Some(last) = of(&newest, &dump) else { continue };
            for version in &versions {
                let Some(this) = of(version, &dump) else { continue };
                // Count profiles keep 32 frames up to Go 1.22 and 128 from then on, so that the
                // roots of what is deeper are gone; text keeps 100, from Go 1.21 on 50 of each end.
                let deep = |one: &Goroutine| one.frames.len() > 28;
                let expected =
                    |one: &Goroutine| writes_the_dump(one) || is_exception(one) || deep(one);
                for found in differences((&this, &last), expected) {
                    wrong.push(format!("{} {dump}: {found}", version.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

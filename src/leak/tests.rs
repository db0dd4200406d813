//! Dumps for the tests of checks.

use super::{Date, Options, Review};
use crate::format::{ReadOptions, read};
use crate::profile::{Input, InputFormat, Keep, ProfileBuilder};
use crate::rules::RuleSet;
use crate::view::diff::timeline::{Layout, Timeline};
use crate::view::fixture::all;

/// The review of a dump by all checks.
pub(super) fn review_of(text: &str) -> Review {
    let keep =
        Keep { goroutines: true, creators: false, addresses: true, arguments: false, calls: false };
    let mut builder = ProfileBuilder::new(keep);
    let input = Input::new("n1", "n1", InputFormat::Debug2);
    read(&mut text.as_bytes(), input, &mut ReadOptions::default(), &mut builder).unwrap();
    let mut profile = builder.finish();
    let names = RuleSet::default().apply(&profile).unwrap();
    let points = Timeline::arrange(&mut profile, Layout::Arguments, &["n1".to_owned()]);
    let options = Options::new(Date::read("2026-11-21").unwrap());
    Review::new(&profile, &names, &all(&profile), &points, &options)
}

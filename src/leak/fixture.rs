//! Profiles for the tests of checks: points, processes, and their goroutines.

use super::{AllowList, CHECKS, Finding, Level, Options, Review};
use crate::leak::date::Date;
use crate::profile::InputId;
use crate::view::diff::timeline::{Layout, Timeline};
use crate::view::fixture::{Fixture, all};
use std::collections::BTreeMap;

pub(super) struct Stage {
    fixture: Option<Fixture>,
    inputs: BTreeMap<(usize, String), InputId>,
    pub(super) options: Options,
}

impl Stage {
    /// `points` points of one process, `n1`.
    pub(super) fn new(points: usize) -> Stage {
        let today = Date::read("2026-11-21").unwrap();
        let mut stage =
            Stage { fixture: None, inputs: BTreeMap::new(), options: Options::new(today) };
        for point in 0..points {
            stage.process(point, "n1");
        }
        stage
    }

    /// The process `n1` at a point.
    pub(super) fn at(&mut self, point: usize) -> &mut Fixture {
        self.process(point, "n1")
    }

    /// A process at a point.
    pub(super) fn process(&mut self, point: usize, name: &str) -> &mut Fixture {
        let place = (point, name.to_owned());
        match self.inputs.get(&place) {
            Some(&input) => {
                let fixture = self.fixture.as_mut().unwrap();
                fixture.back_to(input);
                fixture
            }
            None => {
                let fixture = match &mut self.fixture {
                    Some(fixture) => {
                        fixture.input(name);
                        fixture
                    }
                    empty => empty.insert(Fixture::new(name)),
                };
                let input = fixture.current();
                input.point = point;
                input.member = format!("{name}.txt");
                self.inputs.insert(place, fixture.current_id());
                fixture
            }
        }
    }

    pub(super) fn review(&mut self) -> Review {
        let (mut profile, names) = self.fixture.clone().unwrap().done();
        let last = profile.inputs.iter().map(|input| input.point).max().unwrap();
        let arguments: Vec<String> = (0..=last).map(|point| format!("t{point}")).collect();
        let points = Timeline::arrange(&mut profile, Layout::Arguments, &arguments);
        Review::new(&profile, &names, &all(&profile), &points, &self.options)
    }

    /// The findings of one check.
    pub(super) fn findings(&mut self, check: &str) -> Vec<Finding> {
        let findings = self.review().findings;
        findings.into_iter().filter(|finding| finding.check == check).collect()
    }
}

/// An allow-list.
pub(super) fn allow(text: &str) -> AllowList {
    AllowList::read("a.toml", text, &CHECKS.map(|check| check.name), false).unwrap()
}

/// Function, level and counts of findings.
pub(super) fn found(findings: &[Finding]) -> Vec<(&str, Level, Vec<i64>)> {
    let row = |finding: &'_ Finding| (finding.level, finding.counts.iter().collect());
    findings
        .iter()
        .map(|one| {
            let (level, counts) = row(one);
            (one.function.as_ref().map_or("", |place| place.func.as_str()), level, counts)
        })
        .collect()
}

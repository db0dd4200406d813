//! A stage for the tests of checks: points, processes, and what is on them.

use super::{Finding, Level, Options, Review};
use crate::format::{ReadOptions, read};
use crate::leak::date::Date;
use crate::profile::{Input, InputFormat, InputId, Keep, ProfileBuilder};
use crate::rules::RuleSet;
use crate::view::points::{Layout, Points};
use crate::view::sketch::{Sketch, all};
use std::collections::BTreeMap;

pub(super) struct Stage {
    sketch: Option<Sketch>,
    inputs: BTreeMap<(usize, String), InputId>,
    pub(super) options: Options,
}

impl Stage {
    /// So many points of one process, `n1`.
    pub(super) fn new(points: usize) -> Stage {
        let today = Date::read("2026-11-21").unwrap();
        let mut stage =
            Stage { sketch: None, inputs: BTreeMap::new(), options: Options::new(today) };
        for point in 0..points {
            stage.process(point, "n1");
        }
        stage
    }

    /// The process `n1` at a point.
    pub(super) fn at(&mut self, point: usize) -> &mut Sketch {
        self.process(point, "n1")
    }

    /// A process at a point.
    pub(super) fn process(&mut self, point: usize, name: &str) -> &mut Sketch {
        let place = (point, name.to_owned());
        match self.inputs.get(&place) {
            Some(&input) => {
                let sketch = self.sketch.as_mut().unwrap();
                sketch.back_to(input);
                sketch
            }
            None => {
                let sketch = match &mut self.sketch {
                    Some(sketch) => {
                        sketch.input(name);
                        sketch
                    }
                    empty => empty.insert(Sketch::new(name)),
                };
                let input = sketch.current();
                input.point = point;
                input.member = format!("{name}.txt");
                self.inputs.insert(place, sketch.current_id());
                sketch
            }
        }
    }

    pub(super) fn review(&mut self) -> Review {
        let (mut profile, names) = self.sketch.clone().unwrap().done();
        let last = profile.inputs.iter().map(|input| input.point).max().unwrap();
        let arguments: Vec<String> = (0..=last).map(|point| format!("t{point}")).collect();
        let points = Points::arrange(&mut profile, Layout::Arguments, &arguments);
        Review::new(&profile, &names, &all(&profile), &points, &self.options)
    }

    /// What one check finds.
    pub(super) fn findings(&mut self, check: &str) -> Vec<Finding> {
        let findings = self.review().findings;
        findings.into_iter().filter(|finding| finding.check == check).collect()
    }
}

/// What all checks make of a dump.
pub(super) fn review_of(text: &str) -> Review {
    let keep = Keep { goroutines: true, addresses: true, arguments: false };
    let mut builder = ProfileBuilder::new(keep);
    let input = Input::new("n1", "n1", InputFormat::Debug2);
    read(&mut text.as_bytes(), input, &mut ReadOptions::default(), &mut builder).unwrap();
    let mut profile = builder.finish();
    let names = RuleSet::default().apply(&profile);
    let points = Points::arrange(&mut profile, Layout::Arguments, &["n1".to_owned()]);
    let options = Options::new(Date::read("2026-11-21").unwrap());
    Review::new(&profile, &names, &all(&profile), &points, &options)
}

/// Function, level and counts of findings.
pub(super) fn found(findings: &[Finding]) -> Vec<(&str, Level, Vec<i64>)> {
    let row = |finding: &'_ Finding| (finding.level, finding.counts.clone());
    findings
        .iter()
        .map(|one| {
            let (level, counts) = row(one);
            (one.function.as_ref().map_or("", |place| place.func.as_str()), level, counts)
        })
        .collect()
}

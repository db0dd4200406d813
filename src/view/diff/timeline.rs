//! Points in time, and the processes that are followed from one point to the next.
//!
//! Each argument of `diff` and `check` is a point; its inputs are processes, and an input of one point
//! is the same process as the input with the same path in another.

use crate::group::order::natural;
use crate::profile::{Input, InputId, Profile};
use hashbrown::{HashMap, HashSet};

/// How inputs are arranged in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Layout {
    /// Each argument is a point.
    #[default]
    Arguments,
    /// All inputs are processes of one point.
    Fleet,
    /// Each input is a point of one process, by natural order of their paths in the argument.
    Series,
    /// This many arguments are the base, one point; the others are another point.
    Sides(usize),
}

/// The point and process of each input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timeline {
    /// The points in their order, by name.
    pub names: Vec<String>,
    /// The processes in natural order of their names.
    pub processes: Vec<String>,
    process_of: Vec<usize>,
}

impl Timeline {
    /// Arranges the inputs in time: sets [`Input::point`], and removes the number from the names of
    /// inputs that only differ by it from the same process at another point, so that `--input n1` means
    /// that process at every point.
    ///
    /// `arguments` are short, unique names of the arguments, in order.
    pub fn arrange(profile: &mut Profile, layout: Layout, arguments: &[String]) -> Timeline {
        match layout {
            Layout::Arguments => {}
            Layout::Fleet => profile.inputs.iter_mut().for_each(|input| input.point = 0),
            Layout::Series => number_in_order(&mut profile.inputs),
            Layout::Sides(base) => {
                let side = |input: &mut Input| input.point = usize::from(input.point >= base);
                profile.inputs.iter_mut().for_each(side);
            }
        }
        let names = match layout {
            Layout::Arguments => point_names(&profile.inputs, arguments),
            Layout::Fleet => vec!["all".to_owned()],
            Layout::Sides(base) => {
                let (base, others) = arguments.split_at(base.min(arguments.len()));
                vec![base.join(" + "), others.join(" + ")]
            }
            Layout::Series => {
                let mut inputs: Vec<&Input> = profile.inputs.iter().collect();
                inputs.sort_by_key(|input| input.point);
                inputs.iter().map(|input| input.name.clone()).collect()
            }
        };
        let process_of = match layout {
            // Only paths could pair inputs, and a fleet has just one point.
            Layout::Fleet => (0..profile.inputs.len()).collect(),
            Layout::Series => vec![0; profile.inputs.len()],
            Layout::Arguments | Layout::Sides(_) => pair(&profile.inputs, names.len()),
        };
        Timeline::name_processes(profile, names, process_of)
    }

    fn name_processes(
        profile: &mut Profile,
        points: Vec<String>,
        mut process_of: Vec<usize>,
    ) -> Timeline {
        let count = process_of.iter().max().map_or(0, |last| last + 1);
        let mut names: Vec<Option<String>> = vec![None; count];
        let mut in_time: Vec<usize> = (0..profile.inputs.len()).collect();
        in_time.sort_by_key(|&at| profile.inputs[at].point);
        for at in in_time {
            let input = &mut profile.inputs[at];
            match &names[process_of[at]] {
                None => names[process_of[at]] = Some(input.name.clone()),
                Some(name) if unnumbered(&input.name) == Some(name) => input.name.clone_from(name),
                Some(_) => {}
            }
        }
        let names: Vec<String> = names.into_iter().map(Option::unwrap_or_default).collect();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| natural(names[a].as_bytes(), names[b].as_bytes()).then(a.cmp(&b)));
        let mut rank = vec![0; count];
        for (at, &process) in order.iter().enumerate() {
            rank[process] = at;
        }
        process_of.iter_mut().for_each(|process| *process = rank[*process]);
        let processes = order.iter().map(|&process| names[process].clone()).collect();
        Timeline { names: points, processes, process_of }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The process of an input, as a position in [`Timeline::processes`].
    pub fn process(&self, input: InputId) -> usize {
        self.process_of[input.index()]
    }

    /// The inputs of each point.
    pub fn inputs<'p>(&self, profile: &'p Profile) -> Vec<Vec<(InputId, &'p Input)>> {
        let mut inputs = vec![Vec::new(); self.len()];
        profile.inputs().for_each(|(id, input)| inputs[input.point].push((id, input)));
        inputs
    }
}

fn number_in_order(inputs: &mut [Input]) {
    let mut order: Vec<usize> = (0..inputs.len()).collect();
    // The sort is stable: dumps that follow each other in one file are points in that order.
    order.sort_by(|&a, &b| natural(inputs[a].member.as_bytes(), inputs[b].member.as_bytes()));
    for (point, at) in order.into_iter().enumerate() {
        inputs[at].point = point;
    }
}

/// A point that is one file has its input's name, unless that has a number to make it unique.
fn point_names(inputs: &[Input], arguments: &[String]) -> Vec<String> {
    let known: HashSet<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
    let mut names = arguments.to_vec();
    let mut at_point = vec![Vec::new(); names.len()];
    inputs.iter().for_each(|input| at_point[input.point].push(input));
    for (name, inputs) in names.iter_mut().zip(at_point) {
        let [only] = inputs[..] else { continue };
        if unnumbered(&only.name).is_some_and(|name| known.contains(name)) {
            return arguments.to_vec();
        }
        if only.member.is_empty() {
            name.clone_from(&only.name);
        }
    }
    let distinct = names.iter().collect::<HashSet<_>>().len() == names.len();
    if distinct { names } else { arguments.to_vec() }
}

/// The name without `#2`.
fn unnumbered(name: &str) -> Option<&str> {
    let (name, number) = name.rsplit_once('#')?;
    number.parse::<usize>().is_ok().then_some(name)
}

/// The process of each input, as any numbers.
fn pair(inputs: &[Input], points: usize) -> Vec<usize> {
    let mut at_point = vec![0_usize; points];
    for input in inputs {
        at_point[input.point] += 1;
    }
    // Whatever their paths are: one process was dumped again and again.
    if at_point.iter().all(|&count| count <= 1) {
        return vec![0; inputs.len()];
    }
    // Archives often have one folder named after the time they were made, and a folder of an archive is
    // an argument of its own once the archive is unpacked.
    for folders in [0, 1, usize::MAX] {
        let (paired, process_of) = pair_by(inputs, &below_shared(inputs, points, folders));
        if paired {
            return process_of;
        }
    }
    (0..inputs.len()).collect()
}

/// Pairs inputs whose paths are equal; several with one path at one point (dumps that follow each
/// other in one file) are paired in their order. Also returns whether any were paired across points.
fn pair_by(inputs: &[Input], paths: &[&str]) -> (bool, Vec<usize>) {
    let mut seen: HashMap<(usize, &str), usize> = HashMap::new();
    let mut processes: HashMap<(&str, usize), usize> = HashMap::new();
    let mut process_of = Vec::with_capacity(inputs.len());
    for (input, &path) in inputs.iter().zip(paths) {
        let nth = seen.entry((input.point, path)).or_default();
        *nth += 1;
        let new = processes.len();
        process_of.push(*processes.entry((path, *nth)).or_insert(new));
    }
    (processes.len() < inputs.len(), process_of)
}

/// The paths without the first folders (at most `folders`) that all inputs of a point share.
fn below_shared(inputs: &[Input], points: usize, folders: usize) -> Vec<&str> {
    let mut shared: Vec<Option<(&str, usize)>> = vec![None; points];
    for input in inputs {
        let member = input.member.as_str();
        let above = member.matches('/').count().min(folders);
        let (first, count) = shared[input.point].get_or_insert((member, above));
        let same = first.split('/').zip(member.split('/')).take_while(|(a, b)| a == b).count();
        *count = (*count).min(same).min(above);
    }
    let below = |input: &'_ Input| {
        let cut = shared[input.point].map_or(0, |(_, count)| count);
        let above = input.member.match_indices('/').map(|(at, _)| at + 1);
        cut.checked_sub(1).and_then(|last| above.clone().nth(last)).unwrap_or(0)
    };
    inputs.iter().map(|input| &input.member[below(input)..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{InputFormat, Keep, ProfileBuilder};

    /// Inputs as (name, point, member).
    fn profile(inputs: &[(&str, usize, &str)]) -> Profile {
        let mut builder = ProfileBuilder::new(Keep::default());
        for &(name, point, member) in inputs {
            let mut input = Input::new(name, name, InputFormat::Debug2);
            input.point = point;
            input.member = member.to_owned();
            builder.input(input);
        }
        builder.finish()
    }

    fn arrange(layout: Layout, profile: &mut Profile, arguments: &[&str]) -> Timeline {
        let arguments: Vec<String> = arguments.iter().map(|&name| name.to_owned()).collect();
        Timeline::arrange(profile, layout, &arguments)
    }

    /// The name, point and process of each input.
    fn shown(profile: &Profile, points: &Timeline) -> Vec<String> {
        let inputs = profile.inputs();
        inputs
            .map(|(id, input)| {
                let process = &points.processes[points.process(id)];
                format!("{}@{}={process}", input.name, points.names[input.point])
            })
            .collect()
    }

    #[test]
    fn files_are_points_of_one_process() {
        let mut profile = profile(&[("old.txt", 0, ""), ("new.txt", 1, "")]);
        let points = arrange(Layout::Arguments, &mut profile, &["old.txt", "new.txt"]);
        assert_eq!(points.names, ["old.txt", "new.txt"]);
        assert_eq!(points.processes, ["old.txt"]);
        assert_eq!((points.process(InputId(0)), points.process(InputId(1))), (0, 0));
    }

    #[test]
    fn one_file_at_each_point_is_one_process_wherever_the_files_lie() {
        let mut profile = profile(&[("a", 0, "monday/a.txt"), ("b", 1, "friday/b.txt")]);
        let points = arrange(Layout::Arguments, &mut profile, &["old", "new"]);
        assert_eq!(points.processes, ["a"]);
    }

    #[test]
    fn points_are_called_as_their_inputs_were_named() {
        let mut profile = profile(&[("before", 0, ""), ("after", 1, "")]);
        let points = arrange(Layout::Arguments, &mut profile, &["1.txt", "2.txt"]);
        assert_eq!(points.names, ["before", "after"]);
    }

    #[test]
    fn files_of_one_name_are_told_apart_by_their_arguments() {
        let mut profile = profile(&[("stacks.txt", 0, ""), ("stacks.txt#2", 1, "")]);
        let points = arrange(Layout::Arguments, &mut profile, &["old", "new"]);
        assert_eq!(
            shown(&profile, &points),
            ["stacks.txt@old=stacks.txt", "stacks.txt@new=stacks.txt"]
        );
    }

    #[test]
    fn processes_of_bundles_pair_by_path() {
        let mut profile = profile(&[
            ("n10", 0, "nodes/10/stacks.txt"),
            ("n2", 0, "nodes/2/stacks.txt"),
            ("n2#2", 1, "nodes/2/stacks.txt"),
            ("n3", 1, "nodes/3/stacks.txt"),
        ]);
        let points = arrange(Layout::Arguments, &mut profile, &["a.zip", "b.zip"]);
        assert_eq!(
            shown(&profile, &points),
            ["n10@a.zip=n10", "n2@a.zip=n2", "n2@b.zip=n2", "n3@b.zip=n3"]
        );
        assert_eq!(points.processes, ["n2", "n3", "n10"]);
    }

    #[test]
    fn a_folder_named_after_the_time_is_no_obstacle() {
        let mut profile = profile(&[
            ("n1", 0, "debug-08:00/1/stacks.txt"),
            ("n2", 0, "debug-08:00/2/stacks.txt"),
            ("2/stacks.txt", 1, "debug-09:00/2/stacks.txt"),
        ]);
        let points = arrange(Layout::Arguments, &mut profile, &["a.zip", "b.zip"]);
        assert_eq!(points.processes, ["n1", "n2"]);
        assert_eq!(points.process(InputId(2)), 1);
    }

    #[test]
    fn an_unpacked_part_of_a_bundle_pairs_with_it() {
        let mut profile = profile(&[
            ("n1", 0, "shop/nodes/1/stacks.txt"),
            ("n2", 0, "shop/nodes/2/stacks.txt"),
            ("n1#2", 1, "1/stacks.txt"),
            ("n2#2", 1, "2/stacks.txt"),
        ]);
        let points = arrange(Layout::Arguments, &mut profile, &["a.zip", "nodes"]);
        assert_eq!(points.processes, ["n1", "n2"]);
        assert_eq!(profile.inputs[2].name, "n1");
    }

    #[test]
    fn inputs_without_anything_in_common_are_processes_of_their_own() {
        let mut profile = profile(&[("a", 0, "x/a.txt"), ("b", 0, "x/b.txt"), ("c", 1, "y/c.txt")]);
        let points = arrange(Layout::Arguments, &mut profile, &["old", "new"]);
        assert_eq!(points.processes, ["a", "b", "c"]);
    }

    #[test]
    fn dumps_that_follow_each_other_in_files_pair_in_their_order() {
        let mut profile =
            profile(&[("a", 0, ""), ("a#2", 0, ""), ("b", 1, ""), ("b#2", 1, ""), ("b#3", 1, "")]);
        let points = arrange(Layout::Arguments, &mut profile, &["a", "b"]);
        let processes: Vec<usize> = (0..5).map(|at| points.process(InputId(at))).collect();
        assert_eq!(processes[..2], processes[2..4]);
        assert_eq!(points.processes.len(), 3);
    }

    #[test]
    fn a_series_follows_the_numbers_in_its_names() {
        let mut profile =
            profile(&[("t10", 0, "t10.txt"), ("t9", 0, "t9.txt"), ("t1", 0, "t1.txt")]);
        let points = arrange(Layout::Series, &mut profile, &["series.zip"]);
        assert_eq!(points.names, ["t1", "t9", "t10"]);
        let order: Vec<usize> = profile.inputs.iter().map(|input| input.point).collect();
        assert_eq!(order, [2, 1, 0]);
        assert_eq!(points.processes.len(), 1);
    }

    #[test]
    fn a_fleet_is_one_point_of_many_processes() {
        let mut profile = profile(&[("n1", 0, ""), ("n2", 1, "")]);
        let points = arrange(Layout::Fleet, &mut profile, &["n1", "n2"]);
        assert_eq!((points.len(), points.processes.len()), (1, 2));
        assert_eq!(points.inputs(&profile)[0].len(), 2);
    }
}

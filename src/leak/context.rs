//! The input of checks: goroutines grouped by what created them, where they are blocked, and how.

use super::blocking::{Role, is_passing, role};
use super::counts::Counts;
use super::limit::Scope;
pub(super) use super::member::Member;
use super::member::{dump_points, members};
use super::options::Options;
use super::own::{is_first_party, is_standard_only};
use super::pattern::Functions;
use crate::filter::Selection;
use crate::profile::{FrameId, InputFormat, Kind, Profile, SampleId, SampleKey, StackId, lossy};
use crate::rules::Names;
use crate::view::diff::timeline::Timeline;
use crate::view::frames::finder::FrameFinder;
use crate::waits::Waits;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::collections::{BTreeMap, HashSet};

/// Goroutines of all inputs that share creator, blocking user function and kind.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) kind: Kind,
    /// Whether own code runs or started any member, or only the standard library did: then nothing shows
    /// who asked for it, and it counts as own code.
    pub(super) first_party: bool,
    pub(super) members: Vec<Member>,
}

impl Group {
    /// How many goroutines there are at each point, of the members that `include` accepts.
    pub(super) fn counts(&self, points: usize, include: impl Fn(&Member) -> bool) -> Counts {
        let members = self.members.iter().filter(|member| include(member));
        Counts::sum(points, members.map(|member| (member.point, member.count)))
    }

    /// How many goroutines each process has, of the members that `include` accepts; processes without
    /// any are left out.
    pub(super) fn of_processes(&self, include: impl Fn(&Member) -> bool) -> BTreeMap<usize, i64> {
        let mut sums = BTreeMap::new();
        for member in self.members.iter().filter(|one| include(one)) {
            *sums.entry(member.process).or_default() += member.count;
        }
        sums
    }

    /// The largest of [`Group::of_processes`]; 0 if there is none.
    pub(super) fn most(&self, include: impl Fn(&Member) -> bool) -> i64 {
        self.of_processes(include).into_values().max().unwrap_or(0)
    }
}

/// Everything that checks look at.
pub(super) struct Context<'a> {
    pub(super) profile: &'a Profile,
    pub(super) names: &'a Names,
    pub(super) points: &'a Timeline,
    pub(super) options: &'a Options,
    pub(super) functions: Functions<'a>,
    pub(super) groups: Vec<Group>,
    /// Members of groups that no finding can be about: `main`, the goroutine that wrote the dump, and
    /// goroutines of the runtime. Checks that count or need all goroutines chain them.
    pub(super) others: Vec<Member>,
    /// Who waits for whom.
    pub(super) waits: &'a Waits,
    /// By frame: whether it is own code.
    pub(super) own: Vec<bool>,
    /// The points that hold dumps, in order.
    pub(super) dumps: Vec<usize>,
    /// Point, process and id of the goroutines of each group, sorted; see [`Context::kept`].
    ids: Vec<Vec<(usize, usize, u64)>>,
    /// Points at which the dump of a process prints no ids: debug=1 between others.
    without_ids: HashSet<(usize, usize)>,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        names: &'a Names,
        frames: &'a FrameFinder<'a>,
        selection: &'a Selection,
        points: &'a Timeline,
        options: &'a Options,
        waits: &'a Waits,
    ) -> Context<'a> {
        let functions = Functions::of(profile, frames);
        let members = members(profile, names, selection, points, options, &functions);
        let mut context = Context {
            profile,
            names,
            points,
            options,
            functions,
            groups: Vec::new(),
            others: Vec::new(),
            waits,
            own: options.own.frames(profile),
            dumps: dump_points(profile),
            ids: Vec::new(),
            without_ids: HashSet::new(),
        };
        context.group(members);
        if context.dumps.len() > 1 {
            context.note_ids(selection);
        }
        context
    }

    /// The context as it would be without the built-in catalogue: the groups with a member that the
    /// catalogue explains, and the position of each in `groups`. `None` if it explains nothing.
    pub(super) fn without_catalogue(mut self) -> Option<(Context<'a>, Vec<usize>)> {
        let excused = |group: &Group| group.members.iter().any(|member| member.excused);
        let mut ids = std::mem::take(&mut self.ids);
        ids.resize_with(self.groups.len(), Vec::new);
        let mut places = Vec::new();
        for (at, (mut group, ids)) in
            std::mem::take(&mut self.groups).into_iter().zip(ids).enumerate()
        {
            match excused(&group) {
                true => {
                    group.members.iter_mut().for_each(|member| member.excused = false);
                    self.groups.push(group);
                    self.ids.push(ids);
                    places.push(at);
                }
                // Checks that look at all goroutines still need these.
                false => self.others.extend(group.members),
            }
        }
        (!places.is_empty()).then_some((self, places))
    }

    /// The members of all groups.
    pub(super) fn grouped(&self) -> impl Iterator<Item = &Member> + Clone {
        self.groups.iter().flat_map(|group| &group.members)
    }

    /// All members: those of the groups, and the others.
    pub(super) fn members(&self) -> impl Iterator<Item = &Member> + Clone {
        self.grouped().chain(&self.others)
    }

    pub(super) fn key(&self, member: &Member) -> &'a SampleKey {
        &self.profile.sample(member.sample).key
    }

    /// Whether goroutines are among those that a limit holds for.
    pub(super) fn is_in(&self, member: &Member, scope: &Scope) -> bool {
        scope.holds(self.profile, self.names, self.key(member))
    }

    /// The last point that holds a dump.
    pub(super) fn last(&self) -> Option<usize> {
        self.dumps.last().copied()
    }

    /// The points of a trend: those that hold dumps, except the first ones, if these are skipped.
    pub(super) fn trend(&self) -> &[usize] {
        self.dumps.get(self.options.skip_first..).unwrap_or_default()
    }

    /// Sorts members into groups. Creators only make a difference if every input prints them.
    fn group(&mut self, members: Vec<Member>) {
        let profile = self.profile;
        let creators =
            profile.inputs.iter().all(|input| matches!(input.format, InputFormat::Debug2));
        type UserAndCreator<'k> = (&'k [u8], &'k [u8]);
        let place = |member: &Member| -> UserAndCreator<'a> {
            let key = &profile.sample(member.sample).key;
            let name = |frame: FrameId| profile.func(frame);
            let creator = key.creator.filter(|_| creators).map_or(&b""[..], name);
            (self.functions.frames.user(key.stack).map_or(&b""[..], name), creator)
        };
        let mut places: BTreeMap<UserAndCreator<'a>, BTreeMap<Kind, Vec<Member>>> = BTreeMap::new();
        for member in members {
            let key = &profile.sample(member.sample).key;
            match role(profile, key) {
                Role::Ordinary => {
                    places
                        .entry(place(&member))
                        .or_default()
                        .entry(key.kind)
                        .or_default()
                        .push(member);
                }
                _ => self.others.push(member),
            }
        }
        for kinds in places.into_values() {
            for (kind, members) in merge_unblocked(kinds) {
                let first_party =
                    members.iter().map(|one| &profile.sample(one.sample).key).any(|key| {
                        is_first_party(profile, &self.own, key) || is_standard_only(profile, key)
                    });
                self.groups.push(Group { kind, first_party, members });
            }
        }
    }

    fn note_ids(&mut self, selection: &Selection) {
        let mut group_of: HashMap<SampleId, usize, FixedState> = HashMap::default();
        for (at, group) in self.groups.iter().enumerate() {
            group_of.extend(group.members.iter().map(|member| (member.sample, at)));
        }
        self.ids = vec![Vec::new(); self.groups.len()];
        let inputs = self.profile.inputs();
        self.without_ids =
            inputs.map(|(id, input)| (input.point, self.points.process(id))).collect();
        for (at, goroutine) in self.profile.goroutines.iter().enumerate() {
            let input = self.profile.sample(goroutine.sample).key.input;
            let (point, process) = (self.profile.input(input).point, self.points.process(input));
            self.without_ids.remove(&(point, process));
            let Some(&group) = group_of.get(&goroutine.sample) else { continue };
            if selection.has_goroutine(self.profile, at) {
                self.ids[group].push((point, process, goroutine.id));
            }
        }
        self.ids.iter_mut().for_each(|ids| ids.sort_unstable());
    }

    /// The processes and ids of a group at a point; empty if the inputs don't print ids.
    fn ids_at(&self, group: usize, point: usize) -> &[(usize, usize, u64)] {
        let ids = self.ids.get(group).map_or(&[][..], Vec::as_slice);
        let start = ids.partition_point(|id| id.0 < point);
        let end = ids.partition_point(|id| id.0 <= point);
        &ids[start..end]
    }

    /// Of the goroutines of a group at these points, the share that is still in the group at the
    /// next point; `None` if no two dumps in a row print ids.
    pub(super) fn kept(&self, group: usize, points: &[usize]) -> Option<f64> {
        let (mut all, mut kept) = (0_u64, 0_u64);
        for pair in points.windows(2) {
            let next = self.ids_at(group, pair[1]);
            for &(_, process, id) in self.ids_at(group, pair[0]) {
                if self.without_ids.contains(&(pair[1], process)) {
                    continue;
                }
                all += 1;
                kept += u64::from(next.binary_search(&(pair[1], process, id)).is_ok());
            }
        }
        (all > 0).then(|| kept as f64 / all as f64)
    }

    /// How many goroutines of a group are in it at every one of these points that prints ids.
    pub(super) fn count_staying(&self, group: usize, points: &[usize]) -> usize {
        let Some((&first, rest)) = points.split_first() else { return 0 };
        let of_processes = self.ids_at(group, first).chunk_by(|one, other| one.1 == other.1);
        let staying = of_processes.map(|ids| {
            let mut staying: Vec<(usize, u64)> = ids.iter().map(|&(_, of, id)| (of, id)).collect();
            for &at in rest {
                let Some(&(process, _)) = staying.first() else { break };
                // A dump without ids is asked for once, not for each goroutine.
                if self.without_ids.contains(&(at, process)) {
                    continue;
                }
                let there = self.ids_at(group, at);
                staying.retain(|&(of, id)| there.binary_search(&(at, of, id)).is_ok());
            }
            staying.len()
        });
        staying.sum()
    }

    /// Whether these goroutines are in the last dump, and nothing explains them.
    pub(super) fn is_open_at_last(&self, member: &Member) -> bool {
        member.is_unexplained() && Some(member.point) == self.last()
    }

    /// The key of a sample with the most frequent stack; of equally frequent ones, the one whose frames
    /// come first by name.
    pub(super) fn most_frequent(&self, members: &[&Member]) -> Option<&'a SampleKey> {
        let mut counts: HashMap<_, i64, FixedState> = HashMap::default();
        for member in members {
            *counts.entry(self.key(member).stack).or_default() += member.count;
        }
        let most = counts.values().copied().max()?;
        let stacks = counts.iter().filter(|(_, count)| **count == most).map(|(stack, _)| *stack);
        let frames = |stack: StackId| {
            self.profile.stack(stack).iter().map(|&frame| {
                let frame = self.profile.frame(frame);
                (self.profile.str(frame.func), self.profile.str(frame.file), frame.line)
            })
        };
        let stack = stacks.min_by(|&a, &b| frames(a).cmp(frames(b)))?;
        let with_stack = members.iter().filter(|member| self.key(member).stack == stack);
        with_stack.min_by_key(|member| member.sample).map(|member| self.key(member))
    }

    /// The name of a group in sentences: its blocking user function, trimmed.
    pub(super) fn name_in_text(&self, group: &Group) -> String {
        let members: Vec<&Member> = group.members.iter().collect();
        let frame =
            self.most_frequent(&members).and_then(|key| self.functions.frames.user(key.stack));
        frame.map_or_else(
            || "a stack without frames".to_owned(),
            |frame| lossy(self.names.func(frame)),
        )
    }

    /// What the goroutines of a group are doing, as the verb of a sentence.
    pub(super) fn activity(&self, group: &Group) -> &'static str {
        match group.kind {
            Kind::ChanSend => "send to a channel",
            Kind::ChanRecv => "receive from a channel",
            Kind::Select => "wait in a select",
            Kind::Mutex => "wait for a mutex",
            Kind::RwMutexR | Kind::RwMutexW => "wait for an RWMutex",
            Kind::WaitGroup => "wait for a WaitGroup",
            Kind::Cond => "wait for a sync.Cond",
            Kind::Io => "wait for the network",
            Kind::Sleep => "sleep",
            Kind::NilChan => "wait on a nil channel",
            Kind::EmptySelect => "wait in select {}",
            Kind::Syscall => "are in a system call",
            _ => "stand",
        }
    }
}

/// Counts goroutines that are running, runnable or in an unknown state with those blocked at the same
/// place (of the most frequent kind): they were blocked a moment ago.
fn merge_unblocked(mut kinds: BTreeMap<Kind, Vec<Member>>) -> BTreeMap<Kind, Vec<Member>> {
    let total = |members: &[Member]| members.iter().map(|member| member.count).sum::<i64>();
    let blocked = kinds
        .iter()
        .filter(|(kind, _)| !is_passing(**kind))
        .map(|(kind, members)| (total(members), *kind))
        .max();
    if let Some((_, main)) = blocked {
        for passing in [Kind::Running, Kind::Runnable, Kind::Unknown] {
            let moved = kinds.remove(&passing).unwrap_or_default();
            kinds.entry(main).or_default().extend(moved);
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    /// Count and kind of what is left over at the end, of goroutines in these states in one function.
    fn left_over(states: &[(i64, &str)]) -> Vec<(i64, Option<String>)> {
        let mut stage = Stage::new(1);
        stage.options.at_end = true;
        for &(count, state) in states {
            stage.at(0).count(count, G { state, ..G::default() });
        }
        let findings = stage.findings("leftover").into_iter();
        findings.map(|finding| (finding.found, finding.kind)).collect()
    }

    #[test]
    fn who_runs_where_others_are_blocked_was_blocked_a_moment_ago() {
        let running = [(5, "running"), (4, "runnable"), (3, "of the future")];
        let with = |blocked: &[(i64, &str)]| left_over(&[&running, blocked].concat());
        assert_eq!(with(&[(2, "select")]), [(14, Some("select".to_owned()))]);
        let two = with(&[(1, "select"), (2, "chan receive")]);
        assert_eq!(two.len(), 2, "{two:?}");
        assert!(two.contains(&(14, Some("chan-recv".to_owned()))), "most receive: {two:?}");
        assert_eq!(with(&[]).len(), 3, "nothing shows that they belong together");
    }
}

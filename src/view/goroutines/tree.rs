//! Who created whom: the selected goroutines, their creators up to the root, and all that they created.

mod arrange;

use crate::error::{Error, ErrorKind, Result};
use crate::filter::Selection;
use crate::group::order;
use crate::profile::{FrameId, InputId, Lists, Profile};
use crate::rules::Names;
use crate::view::values::quantity::Quantity;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// "No goroutine" in tables of positions.
const NONE: u32 = u32::MAX;

/// Goroutines as a forest, each before those that it created.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The goroutines, depth first.
    pub nodes: Vec<Node>,
    /// Positions in `nodes` of goroutines without a creator that still exists: by input, creating
    /// function, id.
    pub roots: Vec<u32>,
    children: Vec<u32>,
    /// How many goroutines are selected.
    pub targets: usize,
    /// Trees that [`Tree::arrange`] left out.
    pub left_out: usize,
    /// Inputs that have goroutines but no ids: their format only counts.
    pub without_ids: Vec<InputId>,
}

/// How much of the forest to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Everything, as nothing restricts the selection.
    Everything,
    /// The selected goroutines, their creators up to the root, and all that they created.
    Lines,
    /// The whole trees of selected goroutines, including what their creators created besides.
    Trees,
}

/// Whether to show a goroutine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    No,
    /// Only as the creator of a selected one.
    OnTheWay,
    /// With everything that it created.
    WithCreated,
}

/// A goroutine in the forest.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its position in [`Profile::goroutines`].
    pub goroutine: u32,
    /// The position in [`Tree::nodes`] of its creator.
    pub parent: Option<u32>,
    /// Creators above it.
    pub depth: u32,
    /// Whether it is selected.
    pub target: bool,
    /// Whether its creator is below it, or is itself: ids that form a cycle.
    pub cyclic: bool,
    /// How many goroutines it created that still exist, whether they are shown or not.
    pub created: usize,
    /// The positions of its children in the list of all children.
    children: std::ops::Range<usize>,
}

impl Tree {
    /// The forest of the selected goroutines; needs the goroutine columns.
    pub fn new(profile: &Profile, names: &Names, selection: &Selection, extent: Extent) -> Tree {
        let creators = Creators::new(profile);
        let count = profile.goroutines.len();
        let selecting = extent != Extent::Everything;
        let mut wanted = vec![if selecting { Wanted::No } else { Wanted::WithCreated }; count];
        for at in (0..count).filter(|&at| selecting && selection.has_goroutine(profile, at)) {
            creators.want(at, extent, &mut wanted);
        }
        let is_root = |at: &u32| creators.creator[*at as usize] == NONE;
        let mut roots: Vec<u32> = (0..count as u32).filter(is_root).collect();
        roots.retain(|&at| wanted[at as usize] != Wanted::No);
        sort_roots(profile, names, &mut roots);
        let mut tree = Tree { without_ids: without_ids(profile), ..Tree::default() };
        for root in roots {
            tree.add_tree(root, &creators, &wanted);
        }
        for node in &mut tree.nodes {
            node.target = selecting && selection.has_goroutine(profile, node.goroutine as usize);
            tree.targets += usize::from(node.target);
        }
        tree
    }

    /// The goroutines that a node created, by id.
    pub fn children(&self, node: u32) -> &[u32] {
        &self.children[self.nodes[node as usize].children.clone()]
    }

    /// By node: a number that is equal for nodes that do the same, with everything below them; the waits
    /// don't matter. Selected goroutines, and those in a cycle, equal no other.
    pub fn looks(&self, profile: &Profile) -> Vec<u32> {
        let mut distinct: Lists<u32> = Lists::default();
        let mut looks = vec![0; self.nodes.len()];
        let mut look = Vec::new();
        // The goroutines that a node created come after it.
        for (at, node) in self.nodes.iter().enumerate().rev() {
            look.clear();
            let sample = profile.goroutines[node.goroutine as usize].sample;
            let key = &profile.sample(sample).key;
            look.push(key.stack.index() as u32);
            look.push(key.state.map_or(NONE, |state| state.index() as u32));
            if node.target || node.cyclic {
                look.extend([NONE, at as u32]);
            }
            look.extend(self.children(at as u32).iter().map(|&child| looks[child as usize]));
            look[2..].sort_unstable();
            looks[at] = distinct.intern(&look);
        }
        looks
    }

    /// Fails if inputs have no ids, so that their goroutines are missing here.
    ///
    /// # Errors
    /// Names the first of these inputs.
    pub fn check(&self, profile: &Profile) -> Result<()> {
        let Some(&first) = self.without_ids.first() else { return Ok(()) };
        let input = profile.input(first);
        let more = match self.without_ids.len() - 1 {
            0 => String::new(),
            1 => ", and another input too".to_owned(),
            more => format!(", and {more} other inputs too"),
        };
        let what = format!("{} only counts goroutines and has no ids{more}", input.format.name());
        Err(Error::new(ErrorKind::Unknown, &input.path, what)
            .advise("take a dump with debug=2, which tells who created whom"))
    }

    /// Fails if the values that are shown don't count goroutines.
    ///
    /// # Errors
    /// Names what the values are instead.
    pub fn check_goroutines(profile: &Profile) -> Result<()> {
        let (Quantity::Values { kind, .. }, Some(input)) =
            (Quantity::of(profile), profile.inputs.first())
        else {
            return Ok(());
        };
        let what = format!("measures {kind} and knows of no goroutines that created others");
        Err(Error::misuse(&input.path, what)
            .advise("summarize --call-tree shows which function calls which"))
    }

    /// Adds a root and everything below it, without recursion: creators can be a million deep.
    fn add_tree(&mut self, root: u32, creators: &Creators, wanted: &[Wanted]) {
        // A goroutine, its creator, and whether everything below it is shown.
        let mut left = vec![(root, None::<u32>, false)];
        self.roots.push(self.nodes.len() as u32);
        while let Some((goroutine, parent, whole)) = left.pop() {
            let whole = whole || wanted[goroutine as usize] == Wanted::WithCreated;
            let node = self.nodes.len() as u32;
            let depth = parent.map_or(0, |parent| self.nodes[parent as usize].depth + 1);
            let created = creators.created(goroutine);
            let shown = |child: &&u32| whole || wanted[**child as usize] != Wanted::No;
            let before = left.len();
            left.extend(
                created.iter().rev().filter(shown).map(|&child| (child, Some(node), whole)),
            );
            let new = Node {
                goroutine,
                parent,
                depth,
                target: false,
                cyclic: creators.cyclic[goroutine as usize],
                created: created.len(),
                children: 0..0,
            };
            self.add(new, left.len() - before);
        }
    }

    /// Adds a node after its parent, and reserves the positions of its children; each child fills its own
    /// when it is added.
    fn add(&mut self, mut node: Node, children: usize) {
        let (at, start) = (self.nodes.len() as u32, self.children.len());
        self.children.resize(start + children, NONE);
        node.children = start..start;
        if let Some(parent) = node.parent {
            let places = &mut self.nodes[parent as usize].children;
            self.children[places.end] = at;
            places.end += 1;
        }
        self.nodes.push(node);
    }
}

/// The creator of each goroutine, if it still exists.
struct Creators {
    /// By goroutine: its creator, without cycles.
    creator: Vec<u32>,
    /// By goroutine: whether a cycle was cut here.
    cyclic: Vec<bool>,
    /// All created goroutines, those of one creator together, by id.
    created: Vec<u32>,
    /// By goroutine: where the ones it created start in `created`; one more entry than there are
    /// goroutines.
    starts: Vec<usize>,
}

impl Creators {
    fn new(profile: &Profile) -> Creators {
        let mut creator = creators(profile);
        let cyclic = break_cycles(profile, &mut creator);
        let count = creator.len();
        let mut starts = vec![0; count + 1];
        for &at in creator.iter().filter(|&&at| at != NONE) {
            starts[at as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut by_id: Vec<u32> = (0..count as u32).collect();
        by_id.sort_by_key(|&at| (profile.goroutines[at as usize].id, at));
        let mut next = starts.clone();
        let mut created = vec![NONE; starts[count]];
        for at in by_id {
            let creator = creator[at as usize];
            if creator != NONE {
                let place = &mut next[creator as usize];
                created[*place] = at;
                *place += 1;
            }
        }
        Creators { creator, cyclic, created, starts }
    }

    /// Marks a selected goroutine, and its creators.
    fn want(&self, asked: usize, extent: Extent, wanted: &mut [Wanted]) {
        if extent == Extent::Lines {
            wanted[asked] = Wanted::WithCreated;
        }
        let mut at = asked;
        // The creators of a marked goroutine are marked already.
        while self.creator[at] != NONE {
            at = self.creator[at] as usize;
            if wanted[at] != Wanted::No {
                return;
            }
            wanted[at] = Wanted::OnTheWay;
        }
        if extent == Extent::Trees {
            wanted[at] = Wanted::WithCreated;
        }
    }

    fn created(&self, by: u32) -> &[u32] {
        &self.created[self.starts[by as usize]..self.starts[by as usize + 1]]
    }
}

/// By goroutine: the position of its creator in the same input. If an id is repeated, the first
/// goroutine with that id is taken for the creator.
fn creators(profile: &Profile) -> Vec<u32> {
    let input = |sample| profile.sample(sample).key.input;
    let mut places: HashMap<(InputId, u64), u32, FixedState> = HashMap::default();
    for (at, goroutine) in profile.goroutines.iter().enumerate() {
        places.entry((input(goroutine.sample), goroutine.id)).or_insert(at as u32);
    }
    let creator = |goroutine: &crate::profile::Goroutine| {
        let id = goroutine.creator()?;
        places.get(&(input(goroutine.sample), id)).copied()
    };
    profile.goroutines.iter().map(|goroutine| creator(goroutine).unwrap_or(NONE)).collect()
}

/// Makes the goroutine with the lowest id of every cycle a root; returns which ones these are.
fn break_cycles(profile: &Profile, creator: &mut [u32]) -> Vec<bool> {
    let mut cyclic = vec![false; creator.len()];
    // 0: not seen. Else the number of the walk that saw it: meeting the same walk again is a cycle.
    let mut seen = vec![0_u32; creator.len()];
    for start in 0..creator.len() {
        let walk = start as u32 + 1;
        let mut at = start;
        while seen[at] == 0 {
            seen[at] = walk;
            match creator[at] {
                NONE => break,
                up => at = up as usize,
            }
        }
        if seen[at] != walk || creator[at] == NONE {
            continue;
        }
        let mut lowest = at;
        let mut next = creator[at] as usize;
        while next != at {
            let rank = |at: usize| (profile.goroutines[at].id, at);
            if rank(next) < rank(lowest) {
                lowest = next;
            }
            next = creator[next] as usize;
        }
        creator[lowest] = NONE;
        cyclic[lowest] = true;
    }
    cyclic
}

fn sort_roots(profile: &Profile, names: &Names, roots: &mut [u32]) {
    let mut rank_of_input = vec![0; profile.inputs.len()];
    for (rank, input) in order::inputs(profile).into_iter().enumerate() {
        rank_of_input[input.index()] = rank;
    }
    roots.sort_by_cached_key(|&at| {
        let goroutine = profile.goroutines[at as usize];
        let key = &profile.sample(goroutine.sample).key;
        let creator = key.creator.map(|frame| names.func(frame));
        (rank_of_input[key.input.index()], creator, goroutine.id, at)
    });
}

/// The `go` statement that created a root, though the goroutine that ran it is gone.
pub fn created_by(profile: &Profile, node: &Node) -> Option<FrameId> {
    profile.sample(profile.goroutines[node.goroutine as usize].sample).key.creator
}

fn without_ids(profile: &Profile) -> Vec<InputId> {
    let mut has_ids = vec![false; profile.inputs.len()];
    for goroutine in &profile.goroutines {
        has_ids[profile.sample(goroutine.sample).key.input.index()] = true;
    }
    let missing =
        |input: &InputId| profile.input(*input).goroutines != 0 && !has_ids[input.index()];
    order::inputs(profile).into_iter().filter(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G, all, only};

    /// Goroutines that created each other, as (id, creator).
    fn fixture(pairs: &[(u64, u64)]) -> Fixture {
        let mut fixture = Fixture::new("n1");
        for &(id, by) in pairs {
            fixture.add(G { id, by: (by != 0).then_some(by), ..G::default() });
        }
        fixture
    }

    /// The tree as `1(2(3) 4)`, targets with a star.
    fn shown(profile: &Profile, tree: &Tree) -> String {
        let mut text = String::new();
        let mut depth = 0;
        for (at, node) in tree.nodes.iter().enumerate() {
            if at > 0 {
                match node.depth {
                    deeper if deeper > depth => text.push('('),
                    same => {
                        text.push_str(&")".repeat((depth - same) as usize));
                        text.push(' ');
                    }
                }
            }
            depth = node.depth;
            text += &profile.goroutines[node.goroutine as usize].id.to_string();
            text.push_str(if node.target { "*" } else { "" });
        }
        text + &")".repeat(depth as usize)
    }

    fn whole(pairs: &[(u64, u64)]) -> String {
        let (profile, names) = fixture(pairs).done();
        let tree = Tree::new(&profile, &names, &all(&profile), Extent::Everything);
        assert_eq!(tree.nodes.len(), pairs.len(), "every goroutine stands once");
        shown(&profile, &tree)
    }

    fn of(pairs: &[(u64, u64)], ids: &[u64], extent: Extent) -> String {
        let (profile, names) = fixture(pairs).done();
        let tree = Tree::new(&profile, &names, &only(&profile, ids), extent);
        assert_eq!(tree.targets, ids.len());
        shown(&profile, &tree)
    }

    #[test]
    fn children_stand_below_their_creator_by_id() {
        assert_eq!(whole(&[(5, 1), (1, 0), (3, 1), (4, 3), (9, 77)]), "1(3(4) 5) 9");
    }

    const PAIRS: &[(u64, u64)] = &[(1, 0), (2, 1), (3, 2), (4, 1), (5, 3), (10, 0), (11, 10)];

    #[test]
    fn a_selected_goroutine_brings_its_creators_and_all_that_it_created() {
        assert_eq!(of(PAIRS, &[3], Extent::Lines), "1(2(3*(5)))");
        assert_eq!(of(PAIRS, &[11, 4], Extent::Lines), "1(4*) 10(11*)");
        assert_eq!(of(PAIRS, &[1, 3], Extent::Lines), "1*(2(3*(5)) 4)");
        assert_eq!(of(PAIRS, &[3, 1], Extent::Lines), "1*(2(3*(5)) 4)");
    }

    #[test]
    fn whole_trees_hold_what_creators_created_besides() {
        assert_eq!(of(PAIRS, &[3], Extent::Trees), "1(2(3*(5)) 4)");
        assert_eq!(of(PAIRS, &[11], Extent::Trees), "10(11*)");
        assert_eq!(of(PAIRS, &[4, 5], Extent::Trees), "1(2(3(5*)) 4*)");
    }

    #[test]
    fn circles_begin_at_their_lowest_id() {
        assert_eq!(whole(&[(7, 7)]), "7");
        assert_eq!(whole(&[(3, 2), (2, 1), (1, 3), (8, 2)]), "1(2(3 8))");
        assert_eq!(of(&[(3, 2), (2, 3), (5, 0)], &[3], Extent::Lines), "2(3*)");
    }

    #[test]
    fn the_first_of_a_repeated_id_is_the_creator() {
        assert_eq!(whole(&[(1, 0), (2, 1), (1, 0), (3, 2)]), "1(2(3)) 1");
    }

    #[test]
    fn ids_of_different_inputs_have_nothing_to_do_with_each_other() {
        let mut fixture = fixture(&[(1, 0), (2, 1)]);
        fixture.input("n2");
        fixture.add(G { id: 2, by: Some(1), ..G::default() });
        let (profile, names) = fixture.done();
        let tree = Tree::new(&profile, &names, &all(&profile), Extent::Everything);
        assert_eq!(shown(&profile, &tree), "1(2) 2");
    }

    #[test]
    fn a_chain_of_creators_may_be_as_long_as_the_dump() {
        let pairs: Vec<(u64, u64)> = (1..=200_000).map(|id| (id, id - 1)).collect();
        let (profile, names) = fixture(&pairs).done();
        let tree = Tree::new(&profile, &names, &only(&profile, &[200_000]), Extent::Lines);
        assert_eq!(tree.nodes.len(), 200_000);
        assert_eq!(tree.nodes.last().map(|node| node.depth), Some(199_999));
    }

    #[test]
    fn trees_look_the_same_whose_goroutines_all_do_the_same() {
        let (profile, names) = fixture(&[(1, 0), (2, 1), (3, 1), (4, 2), (5, 3), (6, 1)]).done();
        let looks = |selection, extent| {
            let tree = Tree::new(&profile, &names, &selection, extent);
            let looks = tree.looks(&profile);
            tree.children(0).iter().map(|&child| looks[child as usize]).collect::<Vec<_>>()
        };
        let [two, three, six] = looks(all(&profile), Extent::Everything)[..] else { panic!() };
        assert!(two == three && three != six);
        let [two, three, _] = looks(only(&profile, &[5]), Extent::Trees)[..] else { panic!() };
        assert_ne!(two, three, "one of them has a goroutine that was asked for");
    }

    #[test]
    fn inputs_that_only_count_are_told() {
        let mut fixture = fixture(&[(1, 0)]);
        for (input, more) in [
            ("n2", "has no ids"),
            ("n3", "has no ids, and another input too"),
            ("n4", "has no ids, and 2 other inputs too"),
        ] {
            fixture.input(input);
            fixture.count(5, G::default());
            let (profile, names) = fixture.clone().done();
            let tree = Tree::new(&profile, &names, &all(&profile), Extent::Everything);
            let error = tree.check(&profile).unwrap_err();
            assert_eq!(error.input, "n2");
            assert!(error.what.ends_with(more), "{error}");
            assert!(error.advice.unwrap().contains("debug=2"));
        }
    }
}

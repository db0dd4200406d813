//! The part of a call graph that is drawn, chosen as `go tool pprof` does.

use super::Calls;
use super::graph::{Edge, Graph};
use crate::view::values::options::ValueOptions;
use hashbrown::{HashMap, HashSet};

/// With more calls than this, redundant ones aren't searched: nobody can read such a drawing either.
const MOST_EDGES: usize = 5_000;

/// The graph within the limits of options, and how many functions are left out.
pub fn trimmed(calls: &Calls<'_>, value_options: &ValueOptions) -> (Graph, usize) {
    let graph_of =
        |keep: &dyn Fn(u32) -> bool| Graph::of(calls.functions.len(), calls.stacks(), keep);
    let whole = graph_of(&|_| true);
    let total = calls.total();
    let (least_node, least_edge) = (value_options.least(total), value_options.least_edge(total));
    let mut kept = vec![false; calls.functions.len()];
    for node in &whole.nodes {
        let is_something = node.flat.value != 0 || node.cum.value != 0;
        kept[node.function as usize] = is_something && node.cum.value.unsigned_abs() >= least_node;
    }
    let mut graph = graph_of(&|at| kept[at as usize]);
    let mut by_entropy = graph.by_entropy();
    let most = value_options.node_count;
    if most > 0 && by_entropy.len() > most {
        let most: HashSet<u32> = by_entropy.into_iter().take(most).collect();
        graph = graph_of(&|at| most.contains(&at));
        by_entropy = graph.by_entropy();
    }
    graph.edges.retain(|edge| edge.value.unsigned_abs() >= least_edge);
    if graph.edges.len() <= MOST_EDGES {
        remove_redundant(&mut graph, &by_entropy);
    }
    let left_out = whole.nodes.len() - graph.nodes.len();
    (graph, left_out)
}

/// Removes indirect calls if other calls lead the same way, those of the least important functions
/// first.
fn remove_redundant(graph: &mut Graph, by_entropy: &[u32]) {
    // By function, the calls that lead to it: the smallest first.
    let mut into: HashMap<u32, Vec<Edge>> = HashMap::new();
    for edge in &graph.edges {
        into.entry(edge.to).or_default().push(*edge);
    }
    for edges in into.values_mut() {
        edges.sort_by(|a, b| {
            let size = |edge: &Edge| edge.value.unsigned_abs();
            size(a).cmp(&size(b)).then(b.from.cmp(&a.from))
        });
    }
    let mut removed = HashSet::new();
    for function in by_entropy.iter().rev() {
        // A call that is larger than a direct one stays, so that it doesn't seem to be smaller.
        let edges = into.get(function).cloned().unwrap_or_default();
        for edge in edges.iter().take_while(|edge| edge.indirect) {
            if has_other_way(edge, &into) {
                removed.insert((edge.from, edge.to));
                if let Some(edges) = into.get_mut(function) {
                    edges.retain(|other| other.from != edge.from);
                }
            }
        }
    }
    graph.edges.retain(|edge| !removed.contains(&(edge.from, edge.to)));
}

/// Whether there is another path of calls from this one's caller to its callee.
fn has_other_way(edge: &Edge, into: &HashMap<u32, Vec<Edge>>) -> bool {
    let mut seen: HashSet<u32> = HashSet::from_iter([edge.to]);
    let mut open = vec![edge.to];
    while let Some(at) = open.pop() {
        for other in into.get(&at).into_iter().flatten() {
            if other == edge || seen.contains(&other.from) {
                continue;
            }
            if other.from == edge.from {
                return true;
            }
            seen.insert(other.from);
            open.push(other.from);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::calls::tests::{calls, fixture};

    fn rows(stacks: &[(&str, i64)], value_options: &ValueOptions) -> (Vec<String>, usize) {
        let fixture = fixture(stacks, &[]);
        let calls = calls(&fixture);
        let (graph, left_out) = trimmed(&calls, value_options);
        let name = |at: u32| crate::profile::lossy(calls.function(at).name);
        let edge = |edge: &Edge| {
            let arrow = if edge.indirect { "~>" } else { "->" };
            format!("{} {arrow} {} {}", name(edge.from), name(edge.to), edge.value)
        };
        (graph.edges.iter().map(edge).collect(), left_out)
    }

    fn of_nodes(node_fraction: f64) -> ValueOptions {
        ValueOptions { node_fraction, ..ValueOptions::default() }
    }

    #[test]
    fn small_functions_and_calls_are_left_out() {
        let stacks = [("main;big", 995), ("main;small;big", 4), ("main;tiny", 1)];
        let (edges, left_out) = rows(&stacks, &ValueOptions::default());
        assert_eq!((edges.len(), left_out), (4, 0));
        let (edges, left_out) = rows(&stacks, &of_nodes(0.002));
        assert_eq!((edges.len(), left_out), (3, 1));
        let of_edges = ValueOptions { edge_fraction: 0.002, ..ValueOptions::default() };
        let (edges, left_out) = rows(&stacks, &of_edges);
        assert_eq!((edges.len(), left_out), (3, 0));
        // What is as large as the limit is shown.
        let (edges, left_out) = rows(&stacks, &of_nodes(0.004));
        assert_eq!((edges.len(), left_out), (3, 1));
        let of_edges = ValueOptions { edge_fraction: 0.004, ..ValueOptions::default() };
        let (edges, left_out) = rows(&stacks, &of_edges);
        assert_eq!((edges.len(), left_out), (3, 0));
    }

    #[test]
    fn functions_whose_changes_cancel_out_are_left_out() {
        let fixture = fixture(&[("grown;moved", 3), ("gone;moved", -3)], &[]);
        let (graph, _) = trimmed(&calls(&fixture), &ValueOptions::default());
        assert_eq!(graph.nodes.len(), 2);
    }

    #[test]
    fn indirect_calls_go_where_others_lead_the_same_way() {
        // Without `x`, which is small, `a` seems to call `c` directly.
        let stacks = [("a;b;c", 90), ("a;x;c", 9), ("a", 1)];
        assert_eq!(
            rows(&stacks, &of_nodes(0.5)),
            (vec!["a -> b 90".to_owned(), "b -> c 90".to_owned()], 1)
        );
        // An indirect call without another path stays.
        let stacks = [("a;b", 90), ("a;x;c", 60), ("a;y;c", 30)];
        let (edges, _) = rows(&stacks, &of_nodes(0.4));
        assert_eq!(edges, ["a -> b 90", "a ~> c 90"]);
        // So does one to a function that others call too.
        let stacks = [("a;b", 90), ("a;x;c", 30), ("e;c", 50)];
        let (edges, _) = rows(&stacks, &of_nodes(0.25));
        assert_eq!(edges, ["a -> b 90", "a ~> c 30", "e -> c 50"]);
        // Several of one function can go.
        let stacks = [("a;b;c", 90), ("d;b;c", 80), ("a;x;c", 9), ("d;y;c", 8)];
        let (edges, _) = rows(&stacks, &of_nodes(0.06));
        assert_eq!(edges, ["a -> b 90", "b -> c 170", "d -> b 80"]);
    }
}

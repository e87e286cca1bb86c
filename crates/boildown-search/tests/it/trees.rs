//! The tree schedule on trees that know no language.

use std::sync::Arc;

use boildown_search::list::{Halving, List, Sweep};
use boildown_search::tree::{Experience, Gaps, Node, NodeId, SiblingList, Slot, Tree, TreeSearch};
use boildown_search::{Restart as _, Search, Sequence, Subset, Verdict, run};
use proptest::prelude::*;

use crate::oracles::{Check as _, Oracle, oracles, width};
use crate::workers::SameAtAnyNumber;

/// The shape of a tree: a leaf is an atom, a node a row of children, with a separator atom between each two when it is so.
#[derive(Debug, Clone)]
enum Shape {
    Leaf,
    Row(Vec<Self>),
    Separated(Vec<Self>),
}

/// Builds a tree in which everything fits everywhere.
struct Builder {
    tree: Tree,
    atoms: usize,
}

impl Builder {
    fn tree(shape: &Shape) -> (Arc<Tree>, usize) {
        let slot = Slot {
            kinds: vec![0, 1],
            many: true,
        };
        let mut builder = Self {
            tree: Tree {
                slots: vec![slot],
                ..Tree::default()
            },
            atoms: 0,
        };
        builder.add(shape);
        (Arc::new(builder.tree), builder.atoms)
    }

    fn add(&mut self, shape: &Shape) -> NodeId {
        let id = self.tree.nodes.len();
        let start = self.atoms;
        self.tree.nodes.push(Node {
            atoms: start..start,
            end: id,
            kind: 0,
            slot: 0,
            lists: 0..0,
        });
        let (children, separators) = match shape {
            Shape::Leaf => {
                self.atoms += 1;
                ([].as_slice(), 0)
            }
            Shape::Row(children) => (children.as_slice(), 0),
            Shape::Separated(children) => (children.as_slice(), 1),
        };
        let mut elements = Vec::new();
        for (position, child) in children.iter().enumerate() {
            self.atoms += if position > 0 { separators } else { 0 };
            elements.push(self.add(child));
        }
        let lists = self.tree.lists.len();
        if !elements.is_empty() {
            self.tree.lists.push(SiblingList {
                elements,
                end: self.atoms,
                gaps: Gaps::Separators,
            });
        }
        let (end, last) = (self.tree.nodes.len(), self.tree.lists.len());
        let node = &mut self.tree.nodes[id];
        (node.end, node.atoms.end, node.lists, node.kind) =
            (end, self.atoms, lists..last, u16::from(last > lists));
        id
    }
}

fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = Just(Shape::Leaf);
    let rows = leaf.prop_recursive(3, 16, 4, |inner| {
        let children = proptest::collection::vec(inner, 1..4);
        prop_oneof![
            children.clone().prop_map(Shape::Row),
            children.prop_map(Shape::Separated)
        ]
    });
    rows.prop_map(|shape| Shape::Row(vec![shape]))
}

fn search(tree: &Arc<Tree>, atoms: usize) -> impl Search<Candidate = Subset> {
    TreeSearch::new(Halving::on, Arc::clone(tree), Subset::full(atoms), 1)
}

fn in_epochs(tree: &Arc<Tree>, atoms: usize, at_once: usize) -> impl Search<Candidate = Subset> {
    TreeSearch::new(Halving::on, Arc::clone(tree), Subset::full(atoms), 1).in_epochs(width(at_once))
}

fn promising(tree: &Arc<Tree>, atoms: usize) -> TreeSearch<fn(List) -> Halving> {
    let (tree, kept) = (Arc::clone(tree), Subset::full(atoms));
    TreeSearch::promising(Halving::on, tree, kept, 1, Experience::default())
}

/// Runs the schedule over a tree of leaves and rows, and returns what each question kept and what is left.
fn trace(shape: &Shape, hits: impl Fn(&[usize]) -> bool) -> (Vec<Vec<usize>>, Vec<usize>) {
    let (tree, atoms) = Builder::tree(shape);
    let mut asked = Vec::new();
    let best = run(search(&tree, atoms), |kept| {
        let kept: Vec<usize> = kept.iter().collect();
        let verdict = if hits(&kept) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        };
        asked.push(kept);
        verdict
    })
    .best();
    (asked, best.iter().collect())
}

#[test]
fn a_separator_goes_with_its_element_and_one_stays_between_two() {
    // Atoms: a , b , c  =  0 1 2 3 4.
    let list = Shape::Row(vec![Shape::Separated(vec![
        Shape::Leaf,
        Shape::Leaf,
        Shape::Leaf,
    ])]);
    let (asked, left) = trace(&list, |kept| {
        kept.contains(&0) && kept.contains(&4) && (kept.contains(&1) || kept.contains(&3))
    });
    assert_eq!(left, [0, 3, 4], "asked {asked:?}");
    assert!(
        asked.iter().all(|kept| kept != &[0, 1, 3, 4]),
        "no question leaves two separators in a row: {asked:?}"
    );
}

#[test]
fn a_node_is_replaced_by_what_it_wraps() {
    // (x) with x needed, and each parenthesis as long as the other is there: no single deletion works.
    let inside = Shape::Row(vec![Shape::Leaf]);
    let wrapped = Shape::Row(vec![Shape::Row(vec![Shape::Leaf, inside, Shape::Leaf])]);
    let (_, left) = trace(&wrapped, |kept| {
        kept.contains(&1) && kept.contains(&0) == kept.contains(&2)
    });
    assert_eq!(left, [1]);
}

proptest! {
    #[test]
    fn a_tree_is_searched_the_same_way_by_any_number_of_workers(
        (shape, oracle) in shapes().prop_flat_map(|shape| {
            let atoms = Builder::tree(&shape).1;
            (Just(shape), oracles(atoms))
        }),
        delays in any::<u64>(),
    ) {
        let (tree, atoms) = Builder::tree(&shape);
        let check = SameAtAnyNumber { oracle, delays };
        check.check(search(&tree, atoms)).map_err(TestCaseError::fail)?;
        check.check(in_epochs(&tree, atoms, 4)).map_err(TestCaseError::fail)?;
        check.check(promising(&tree, atoms)).map_err(TestCaseError::fail)?;
        let four = promising(&tree, atoms).in_epochs(width(4));
        check.check(four).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn the_tree_schedule_and_a_sweep_over_its_units_end_1_tree_minimal(
        (shape, oracle) in shapes().prop_flat_map(|shape| {
            let atoms = Builder::tree(&shape).1;
            (Just(shape), oracles(atoms))
        }),
    ) {
        let (tree, atoms) = Builder::tree(&shape);
        let units: Vec<_> = tree.units();
        let sweep = Sweep::units(Subset::full(atoms), units.iter().map(|unit| vec![unit.clone()]));
        let heaviest = Sequence::new(search(&tree, atoms), sweep.clone());
        let promising = Sequence::new(promising(&tree, atoms), sweep);
        let both = [
            run(heaviest, |kept| oracle.judge(kept)).best(),
            run(promising, |kept| oracle.judge(kept)).best(),
        ];
        for best in both {
            prop_assert_eq!(oracle.judge(&best), Verdict::Interesting);
            for unit in units.iter().filter(|unit| best.count_in((*unit).clone()) > 0) {
                prop_assert_ne!(oracle.judge(&best.without([unit.clone()])), Verdict::Interesting);
            }
        }
    }

    #[test]
    fn a_tree_search_ends_whatever_it_is_told(
        shape in shapes(),
        verdicts in proptest::collection::vec(0_u8..4, 1..40),
    ) {
        let (tree, atoms) = Builder::tree(&shape);
        prop_assert!(ends(search(&tree, atoms), &verdicts), "still asking");
        prop_assert!(ends(promising(&tree, atoms), &verdicts), "still asking");
    }
}

/// Whether a search ends when it is told the same few things again and again.
fn ends(mut search: impl Search, verdicts: &[u8]) -> bool {
    let mut verdicts = verdicts.iter().cycle();
    for _ in 0..20_000 {
        if search.ask().is_none() {
            return true;
        }
        match verdicts.next() {
            Some(0) => search.tell(Verdict::Interesting),
            Some(1) => search.tell(Verdict::Unresolved),
            Some(2) => search.skip(),
            _ => search.tell(Verdict::Uninteresting),
        }
    }
    false
}

/// The number of questions until less than half of the atoms is left.
fn questions_to_half(
    search: impl Search<Candidate = Subset>,
    oracle: &Oracle,
    atoms: usize,
) -> usize {
    let (mut asked, mut is_half) = (0, false);
    run(search, |kept| {
        let verdict = oracle.judge(kept);
        asked += usize::from(!is_half);
        is_half |= verdict == Verdict::Interesting && 2 * kept.count() < atoms;
        verdict
    });
    asked
}

#[test]
fn where_functions_stay_and_bodies_go_the_order_of_promise_learns_to_ask_about_bodies() {
    // Forty functions, a name and a body each; all names are needed, and every tenth body.
    let function = Shape::Row(vec![Shape::Leaf, Shape::Row(vec![Shape::Leaf; 20])]);
    let (tree, atoms) = Builder::tree(&Shape::Row(vec![function; 40]));
    let names = (0..40).map(|function| 21 * function);
    let bodies = (0..4).map(|tenth| 210 * tenth + 7);
    let oracle = Oracle::Needs(names.chain(bodies).collect());
    let heaviest = questions_to_half(search(&tree, atoms), &oracle, atoms);
    let promising = questions_to_half(promising(&tree, atoms), &oracle, atoms);
    assert!(3 * promising < 2 * heaviest, "{promising} and {heaviest}");
}

#[test]
fn a_monotone_oracle_leaves_its_needed_atoms_of_a_wide_tree() {
    let shape = Shape::Row((0..300).map(|_| Shape::Row(vec![Shape::Leaf; 7])).collect());
    let needed: Vec<usize> = vec![3, 700, 1999];
    let oracle = Oracle::Needs(needed.clone());
    let (tree, atoms) = Builder::tree(&shape);
    let mut asked = 0;
    let best = run(search(&tree, atoms), |kept| {
        asked += 1;
        oracle.judge(kept)
    })
    .best();
    assert_eq!(best.iter().collect::<Vec<_>>(), needed);
    assert!(asked < 120, "{asked}");
    // Restarting a sweep from the result proves it.
    let mut sweep = Sweep::windows(Subset::full(atoms), 1);
    sweep.restart(best.clone());
    assert_eq!(run(sweep, |kept| oracle.judge(kept)).best(), best);
}

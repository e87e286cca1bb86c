//! The best-first tree search on trees without a language.

use std::sync::Arc;

use boildown_search::list::{Halving, List, Sweep};
use boildown_search::tree::{Gaps, LearnedRates, Node, NodeId, Slot, SlotId, Tree, TreeSearch};
use boildown_search::{ListSearch as _, Search, Sequence, Subset, Verdict, run};
use proptest::prelude::*;

use crate::oracles::{Check as _, Oracle, oracles};
use crate::workers::SameAtAnyNumber;

/// The shape of a tree. A leaf is a token; a node is a list of children, which may have a separator
/// token between any two.
#[derive(Debug, Clone)]
enum Shape {
    Leaf,
    List(Vec<Self>),
    Separated(Vec<Self>),
}

/// Builds a tree in which every node fits every slot.
struct Builder {
    tree: Tree,
    tokens: usize,
}

impl Builder {
    fn tree(shape: &Shape) -> (Arc<Tree>, usize) {
        let slot = Slot {
            kinds: vec![0, 1],
            many: true,
        };
        let (tree, tokens) = (Tree::default(), 0);
        let mut builder = Self { tree, tokens };
        builder.tree.slots.push(slot);
        builder.add(shape);
        (Arc::new(builder.tree), builder.tokens)
    }

    fn add(&mut self, shape: &Shape) -> NodeId {
        let id = self.tree.nodes.next_id();
        let start = self.tokens;
        (self.tree.nodes).push(Node::new(start..start, id, 0, SlotId::default()));
        let (children, separators) = match shape {
            Shape::Leaf => {
                self.tokens += 1;
                ([].as_slice(), 0)
            }
            Shape::List(children) => (children.as_slice(), 0),
            Shape::Separated(children) => (children.as_slice(), 1),
        };
        let mut elements = Vec::new();
        for (position, child) in children.iter().enumerate() {
            self.tokens += if position > 0 { separators } else { 0 };
            elements.push(self.add(child));
        }
        let first = self.tree.lists.next_id();
        if !elements.is_empty() {
            (self.tree).push_list(elements, self.tokens, Gaps::Separators);
        }
        let (end, lists) = (self.tree.nodes.next_id(), self.tree.lists.ids_from(first));
        let kind = u16::from(lists.len() > 0);
        let node = &mut self.tree.nodes[id];
        node.end_at(self.tokens, end);
        (node.lists, node.kind) = (lists, kind);
        id
    }
}

fn shapes() -> impl Strategy<Value = Shape> {
    let leaf = Just(Shape::Leaf);
    let lists = leaf.prop_recursive(3, 16, 4, |inner| {
        let children = proptest::collection::vec(inner, 1..4);
        prop_oneof![
            children.clone().prop_map(Shape::List),
            children.prop_map(Shape::Separated)
        ]
    });
    lists.prop_map(|shape| Shape::List(vec![shape]))
}

fn search(tree: &Arc<Tree>, tokens: usize) -> impl Search<Candidate = Subset> {
    TreeSearch::new(Halving::on, Arc::clone(tree), Subset::full(tokens), 1)
}

fn by_expected_gain(tree: &Arc<Tree>, tokens: usize) -> TreeSearch<fn(List) -> Halving> {
    let (tree, kept) = (Arc::clone(tree), Subset::full(tokens));
    TreeSearch::by_expected_gain(Halving::on, tree, kept, 1, LearnedRates::default())
}

/// Runs the search over a tree, and returns the tokens that each query kept and those that are
/// left.
fn trace(shape: &Shape, hits: impl Fn(&[usize]) -> bool) -> (Vec<Vec<usize>>, Vec<usize>) {
    let (tree, tokens) = Builder::tree(shape);
    let mut asked = Vec::new();
    let best = run(search(&tree, tokens), |kept| {
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
fn a_separator_is_deleted_with_its_element_and_one_stays_between_two_elements() {
    // Tokens: a , b , c  =  0 1 2 3 4.
    let list = Shape::List(vec![Shape::Separated(vec![
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
        "no query leaves two separators in sequence: {asked:?}"
    );
}

#[test]
fn a_node_is_replaced_by_what_it_wraps() {
    // (x) where x is needed, and each parenthesis needs the other: no single deletion works.
    let inside = Shape::List(vec![Shape::Leaf]);
    let wrapped = Shape::List(vec![Shape::List(vec![Shape::Leaf, inside, Shape::Leaf])]);
    let (_, left) = trace(&wrapped, |kept| {
        kept.contains(&1) && kept.contains(&0) == kept.contains(&2)
    });
    assert_eq!(left, [1]);
}

#[test]
fn a_node_is_replaced_by_the_nearest_parts_that_fit_its_place() {
    let inner = Shape::List(vec![Shape::Leaf, Shape::Leaf]);
    let outer = Shape::List(vec![Shape::Leaf, inner]);
    let (tree, _) = Builder::tree(&Shape::List(vec![outer, Shape::Leaf]));
    // Tokens 0 to 2 are in the outer list, 1 and 2 of them in the inner one.
    let mut surroundings = tree.surroundings();
    surroundings.sort_by_key(|cuts| (cuts[0].start, cuts[0].end));
    assert_eq!(
        surroundings,
        [vec![0..1], vec![1..2], vec![1..3], vec![2..3]],
        "the outer list becomes its list or its leaf, the inner one either leaf"
    );
}

proptest! {
    #[test]
    fn a_tree_is_searched_the_same_way_by_any_number_of_workers(
        (shape, oracle) in shapes().prop_flat_map(|shape| {
            let tokens = Builder::tree(&shape).1;
            (Just(shape), oracles(tokens))
        }),
        delays in any::<u64>(),
    ) {
        let (tree, tokens) = Builder::tree(&shape);
        let check = SameAtAnyNumber { oracle, delays };
        check.check(search(&tree, tokens)).map_err(TestCaseError::fail)?;
        check.check(by_expected_gain(&tree, tokens)).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn the_tree_search_and_a_sweep_over_its_units_end_1_tree_minimal(
        (shape, oracle) in shapes().prop_flat_map(|shape| {
            let tokens = Builder::tree(&shape).1;
            (Just(shape), oracles(tokens))
        }),
    ) {
        let (tree, tokens) = Builder::tree(&shape);
        let units: Vec<_> = tree.units();
        let sweep = Sweep::units(Subset::full(tokens), units.iter().map(|unit| vec![unit.clone()]));
        let by_weight = Sequence::new(search(&tree, tokens), sweep.clone());
        let by_gain = Sequence::new(by_expected_gain(&tree, tokens), sweep);
        let both = [
            run(by_weight, |kept| oracle.judge(kept)).best(),
            run(by_gain, |kept| oracle.judge(kept)).best(),
        ];
        for best in both {
            prop_assert_eq!(oracle.judge(&best), Verdict::Interesting);
            for unit in units.iter().filter(|unit| best.count_in((*unit).clone()) > 0) {
                prop_assert_ne!(oracle.judge(&best.without([unit.clone()])), Verdict::Interesting);
            }
        }
    }

    #[test]
    fn a_tree_search_ends_on_arbitrary_verdicts(
        shape in shapes(),
        verdicts in proptest::collection::vec(0_u8..4, 1..40),
    ) {
        let (tree, tokens) = Builder::tree(&shape);
        prop_assert!(ends(search(&tree, tokens), &verdicts), "still asking");
        prop_assert!(ends(by_expected_gain(&tree, tokens), &verdicts), "still asking");
    }
}

/// Returns whether a search ends when it is told the same sequence of verdicts again and again.
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

/// Returns the number of queries until fewer than this number of tokens are left.
fn queries_to(search: impl Search<Candidate = Subset>, oracle: &Oracle, tokens: usize) -> usize {
    let (mut asked, mut is_there) = (0, false);
    run(search, |kept| {
        let verdict = oracle.judge(kept);
        asked += usize::from(!is_there);
        is_there |= verdict == Verdict::Interesting && kept.count() < tokens;
        verdict
    });
    asked
}

#[test]
fn the_order_by_expected_gain_learns_that_function_bodies_can_be_deleted() {
    // Forty functions with a name and a body each. All names are needed, and every tenth body.
    let function = Shape::List(vec![Shape::Leaf, Shape::List(vec![Shape::Leaf; 20])]);
    let (tree, tokens) = Builder::tree(&Shape::List(vec![function; 40]));
    let names = (0..40).map(|function| 21 * function);
    let bodies = (0..4).map(|tenth| 210 * tenth + 7);
    let oracle = Oracle::Needs(names.chain(bodies).collect());
    let by_weight = queries_to(search(&tree, tokens), &oracle, tokens / 2);
    let by_gain = queries_to(by_expected_gain(&tree, tokens), &oracle, tokens / 2);
    assert!(3 * by_gain < 2 * by_weight, "{by_gain} and {by_weight}");
}

#[test]
fn a_large_chunk_behind_small_ones_comes_before_small_hits_elsewhere() {
    let sizes = (0..3408).map(|element| 10 + 3 * (element * 7919 % 13));
    let element = |size| Shape::List(vec![Shape::Leaf, Shape::List(vec![Shape::Leaf; size - 1])]);
    let elements = sizes.clone().map(element).collect();
    let (tree, tokens) = Builder::tree(&Shape::List(elements));
    let start = |element: usize| sizes.clone().take(element).sum();
    let oracle = Oracle::Needs([852, 1704, 2556].map(start).into());
    let asked = queries_to(by_expected_gain(&tree, tokens), &oracle, tokens / 8);
    assert!(asked < 60, "{asked}");
}

#[test]
fn a_monotone_oracle_leaves_its_needed_tokens_of_a_wide_tree() {
    let shape = Shape::List(
        (0..300)
            .map(|_| Shape::List(vec![Shape::Leaf; 7]))
            .collect(),
    );
    let needed: Vec<usize> = vec![3, 700, 1999];
    let oracle = Oracle::Needs(needed.clone());
    let (tree, tokens) = Builder::tree(&shape);
    let mut asked = 0;
    let best = run(search(&tree, tokens), |kept| {
        asked += 1;
        oracle.judge(kept)
    })
    .best();
    assert_eq!(best.iter().collect::<Vec<_>>(), needed);
    assert!(asked < 120, "{asked}");
    // A sweep restarted from the result deletes nothing more.
    let mut sweep = Sweep::windows(Subset::full(tokens), 1);
    sweep.restart(best.clone());
    assert_eq!(run(sweep, |kept| oracle.judge(kept)).best(), best);
}

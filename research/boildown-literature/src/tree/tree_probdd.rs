//! ProbDD on a whole tree: a node is needed only if its parent is.

use std::ops::Range;
use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use boildown_search::algorithms::{Entry, Family};
use boildown_search::tree::{NodeId, Tree};
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::tree_index::TreeIndex;
use crate::list::Sigma;

/// Deletes the nodes of a tree with the largest expected number of tokens, and learns from every
/// answer how likely a node is needed, given that its parent is.
///
/// Each node is needed with a conditional probability, σ at first, if its parent is, and never
/// otherwise. A query deletes several nodes, none below another, in the order of tokens · (1 − P),
/// where P is the product of the probabilities from the root down: the prefix that maximises its
/// tokens times the chance that none of its nodes is needed. A miss raises the probabilities of its
/// nodes, and those of their parents; a hit lowers those of the parents. Nodes are considered once
/// their parent is needed with a probability of at least one half.
///
/// For example, with σ = 1/4, two nodes of equal size and more such nodes below them, the first
/// query deletes both (the chance is 9/16). After a miss each is needed with probability 4/7, so
/// that the nodes below are considered, with probability 1/7 each; but one of the two alone still
/// promises more.
///
/// # Guarantee
/// Ends with an interesting set. Each remaining node missed alone at some time, or could not be
/// asked about alone, or has the same tokens as one above it; so the result is minimal among the
/// sets that are made by deleting nodes if the oracle is monotone.
/// `Fixpoint<TreeProbDd>` is 1-tree-minimal under the conditions of [`Hdd`](super::Hdd).
/// # Cost
/// Fewer than three queries for each node that was considered, in all of our tests. `tell` takes
/// O(f log f + n / 64) for f nodes that are considered and undecided.
/// # Units
/// Elements are tokens, by their index in the input; they are never renumbered.
/// # Source
/// G. Wang et al., *Probabilistic Delta Debugging*, ESEC/FSE 2021, §7, names a model with the
/// probability of a parent and the conditional probability of its child as future work; the model
/// here is that one. The update is Bayes' rule for it, exact for each node by itself; as in ProbDD,
/// the dependencies that a miss leaves between nodes are dropped. The order and the objective are
/// those of [`WProbDd`](crate::list::WProbDd), with the longest of equal prefixes. The
/// root stays, and a chain of nodes with the same tokens counts as one. A group that is skipped is
/// asked about in halves, a single node that is skipped is taken for part of its parent.
#[derive(Debug, Clone)]
pub struct TreeProbDd {
    index: Arc<TreeIndex>,
    sigma: Sigma,
    kept: Subset,
    /// The nodes that are considered and undecided.
    frontier: RedBlackTreeMapSync<NodeId, NodeBelief>,
    /// Groups that are chosen; the last one is asked about. Empty when finished.
    chosen: Vec<Arc<[NodeId]>>,
    /// The query about the last group.
    next: Option<NextDeletion>,
}

#[derive(Debug, Clone, Copy)]
struct NodeBelief {
    /// The probability that the node is needed if its parent is.
    conditional: f64,
    /// The closest node above in the frontier. If it has left the frontier, it is needed.
    parent: Option<NodeId>,
    /// Whether the nodes below are in the frontier.
    is_open: bool,
}

#[derive(Debug, Clone)]
struct NextDeletion {
    cuts: Arc<[Range<usize>]>,
    odds: f64,
}

/// A node that may be deleted.
#[derive(Debug, Clone, Copy)]
struct Deletable {
    node: NodeId,
    tokens: usize,
    needed: f64,
}

impl Deletable {
    fn gain(self) -> f64 {
        self.tokens as f64 * (1.0 - self.needed)
    }
}

/// For a group, and the nodes of the frontier above it: by Bayes' rule, what an answer says.
#[derive(Debug, Clone, Copy)]
struct GroupChance {
    /// The probability that nothing of the group at or below this node is needed, if its parent is.
    free: f64,
    /// The same if the node itself is needed: 0 for a node of the group.
    free_if_needed: f64,
}

impl TreeProbDd {
    /// The highest probability after a miss of several nodes: none of them is certainly needed.
    const ALMOST_SURE: f64 = 1.0 - 1.0 / (1_u64 << 30) as f64;
    /// Gains that differ by less than this share are equal; they were computed in different orders.
    const TOLERANCE: f64 = 1e-12;
    /// The nodes below one that is needed with this probability are considered.
    const OPEN: f64 = 0.5;

    /// Starts on the tokens of `kept`, which holds all tokens of the tree that are not deleted yet.
    #[must_use]
    pub fn new(tree: Arc<Tree>, kept: Subset, sigma: Sigma) -> Self {
        let mut search = Self {
            index: TreeIndex::new(tree),
            sigma,
            kept: kept.clone(),
            frontier: RedBlackTreeMapSync::new_sync(),
            chosen: Vec::new(),
            next: None,
        };
        search.restart(kept);
        search
    }

    /// Adds the children of a node that is needed, or likely to be.
    fn open(&mut self, node: NodeId, parent: Option<NodeId>) {
        let node = self.index.innermost(&self.kept, node);
        let index = Arc::clone(&self.index);
        for child in index.tree.children(node) {
            if index.weight(&self.kept, child) > 0 {
                let belief = NodeBelief {
                    conditional: self.sigma.get(),
                    parent,
                    is_open: false,
                };
                self.frontier.insert_mut(child, belief);
            }
        }
    }

    /// Decides that a node stays: it leaves the frontier. `parent` is where the nodes below belong.
    fn decide(&mut self, node: NodeId, parent: Option<NodeId>) {
        if let Some(&belief) = self.frontier.get(&node) {
            self.frontier.remove_mut(&node);
            if !belief.is_open {
                self.open(node, parent);
            }
        }
    }

    /// Returns the probability that a node of the frontier is needed.
    fn needed(&self, node: NodeId) -> f64 {
        let above = std::iter::successors(self.frontier.get(&node), |belief| {
            self.frontier.get(&belief.parent?)
        });
        above.map(|belief| belief.conditional).product()
    }

    /// Returns the nodes of the frontier above a node, the closest first.
    fn above(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let parent = |node: NodeId| {
            let parent = self.frontier.get(&node)?.parent?;
            self.frontier.contains_key(&parent).then_some(parent)
        };
        std::iter::successors(parent(node), move |&node| parent(node))
    }

    /// Returns the nodes of a group and those of the frontier above them, in preorder, with their
    /// chances; and the chance that nothing of the group is needed.
    fn chances(&self, group: &[NodeId]) -> (Vec<(NodeId, GroupChance)>, f64) {
        let mut nodes: Vec<NodeId> = (group.iter())
            .flat_map(|&node| std::iter::once(node).chain(self.above(node)))
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut chances: Vec<(NodeId, GroupChance)> = (nodes.iter())
            .map(|&node| {
                let alone = if group.contains(&node) { 0.0 } else { 1.0 };
                let chance = GroupChance {
                    free: 1.0,
                    free_if_needed: alone,
                };
                (node, chance)
            })
            .collect();
        let mut all = 1.0;
        // Descendants come after their ancestors.
        for position in (0..chances.len()).rev() {
            let (node, chance) = &mut chances[position];
            let needed = self.frontier[&*node].conditional;
            chance.free = 1.0 - needed + needed * chance.free_if_needed;
            let free = chance.free;
            match self.above(*node).next() {
                None => all *= free,
                Some(parent) => {
                    let parent = nodes.partition_point(|&other| other < parent);
                    chances[parent].1.free_if_needed *= free;
                }
            }
        }
        (chances, all)
    }

    /// Updates the beliefs about a group and the nodes above it by Bayes' rule.
    fn learn(&mut self, group: &[NodeId], verdict: Verdict) {
        let (chances, all) = self.chances(group);
        // For each node, the chance that nothing outside of it is needed, if its parent is.
        let mut outside: Vec<f64> = Vec::with_capacity(chances.len());
        for &(node, chance) in &chances {
            let above = self.above(node).next();
            let beside = match above {
                None => all,
                Some(parent) => {
                    let parent = chances.partition_point(|&(other, _)| other < parent);
                    outside[parent] * chances[parent].1.free_if_needed
                }
            };
            outside.push(beside / chance.free);
        }
        for (&(node, chance), outside) in chances.iter().zip(&outside) {
            let mut belief = self.frontier[&node];
            let ratio = match verdict {
                Verdict::Interesting => chance.free_if_needed / chance.free,
                _ => (1.0 - outside * chance.free_if_needed) / (1.0 - outside * chance.free),
            };
            // Not a number where both are too small to be told from 0: then the node is needed.
            let conditional = (belief.conditional * ratio).min(Self::ALMOST_SURE);
            belief.conditional = conditional.max(1.0 - Self::ALMOST_SURE);
            self.frontier.insert_mut(node, belief);
        }
        if verdict != Verdict::Interesting {
            for (node, _) in chances {
                let belief = self.frontier[&node];
                if !belief.is_open && self.needed(node) >= Self::OPEN {
                    let is_open = true;
                    self.frontier
                        .insert_mut(node, NodeBelief { is_open, ..belief });
                    self.open(node, Some(node));
                }
            }
        }
    }

    /// Decides that a node that missed alone is needed, and so is everything above it.
    fn decide_needed(&mut self, node: NodeId) {
        let above: Vec<NodeId> = self.above(node).collect();
        for node in above.into_iter().chain([node]) {
            self.decide(node, None);
        }
    }

    /// Removes the nodes without tokens, and chooses the next group if none is left.
    fn advance(&mut self) {
        if self.chosen.is_empty() {
            let gone: Vec<NodeId> = (self.frontier.keys().copied())
                .filter(|&node| self.index.weight(&self.kept, node) == 0)
                .collect();
            for node in gone {
                self.frontier.remove_mut(&node);
            }
            let group = self.choose();
            if !group.is_empty() {
                self.chosen.push(group.into());
            }
        }
        self.next = self.chosen.last().map(|group| NextDeletion {
            cuts: self.cuts(group).into(),
            odds: self.chances(group).1,
        });
    }

    /// Returns the nodes of the best prefix.
    fn choose(&self) -> Vec<NodeId> {
        let mut order: Vec<Deletable> = (self.frontier.keys())
            .map(|&node| Deletable {
                node,
                tokens: self.index.weight(&self.kept, node),
                needed: self.needed(node),
            })
            .collect();
        order.sort_by(|one, other| {
            (other.gain().total_cmp(&one.gain()))
                .then(one.needed.total_cmp(&other.needed))
                .then(other.node.cmp(&one.node))
        });
        let all: usize = order.iter().map(|deletable| deletable.tokens).sum();
        let (mut group, mut length, mut highest, mut tokens) = (Vec::new(), 0, 0.0_f64, 0);
        for deletable in order {
            if group
                .iter()
                .any(|&node| self.is_nested(node, deletable.node))
            {
                continue;
            }
            group.push(deletable.node);
            tokens += deletable.tokens;
            let chance = self.chances(&group).1;
            let enough = highest * (1.0 - Self::TOLERANCE);
            if tokens as f64 * chance >= enough {
                length = group.len();
                highest = highest.max(tokens as f64 * chance);
            } else if all as f64 * chance < enough {
                break;
            }
        }
        group.truncate(length);
        group
    }

    /// Returns whether one of the nodes is below the other.
    fn is_nested(&self, one: NodeId, other: NodeId) -> bool {
        let nodes = &self.index.tree.nodes;
        (one..nodes[one].end).contains(&other) || (other..nodes[other].end).contains(&one)
    }

    /// Returns the tokens to delete with a group, with the separators.
    fn cuts(&self, group: &[NodeId]) -> Vec<Range<usize>> {
        let tree = &self.index.tree;
        let mut lists = Vec::new();
        let mut cuts = Vec::new();
        for &node in group {
            match self.index.list_position(node) {
                Some(position) => lists.push(position.list),
                None => cuts.push(self.index.tokens(node)),
            }
        }
        lists.sort_unstable();
        lists.dedup();
        for list in lists {
            let list = &tree.lists[list];
            let stays = |position: usize| {
                let element = tree.elements(list)[position];
                !group.contains(&element) && self.index.weight(&self.kept, element) > 0
            };
            cuts.extend(list.cuts(tree, stays));
        }
        cuts
    }
}

impl Search for TreeProbDd {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.next.as_ref().map(|next| Query {
            candidate: self.kept.without(next.cuts.iter().cloned()),
            odds: next.odds,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        let (Some(group), Some(next)) = (self.chosen.pop(), self.next.take()) else {
            return;
        };
        match (verdict, &*group) {
            (Verdict::Interesting, _) => {
                self.learn(&group, verdict);
                self.kept = self.kept.without(next.cuts.iter().cloned());
                self.kept.commit();
            }
            (_, &[node]) => self.decide_needed(node),
            _ => self.learn(&group, verdict),
        }
        self.advance();
    }

    fn skip(&mut self) {
        let Some(group) = self.chosen.pop() else {
            return;
        };
        match *group {
            [node] => {
                let above = self.above(node).next();
                self.decide(node, above);
            }
            _ => {
                let (first, second) = group.split_at(group.len().div_ceil(2));
                self.chosen.push(second.into());
                self.chosen.push(first.into());
            }
        }
        self.advance();
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl ListSearch for TreeProbDd {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.frontier = RedBlackTreeMapSync::new_sync();
        self.chosen = Vec::new();
        for root in self.index.root() {
            self.open(root, None);
        }
        self.advance();
    }
}

impl TreeProbDd {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "probdd-tree",
        family: Family::Tree,
        parameters: "",
        guarantee: "minimal if monotone; 1-tree-minimal when repeated to a fixed point",
        cost: "below 3 queries for each node in all our tests; of the list algorithm, only sigma \
            counts",
        source: "after Wang et al.: ProbDD, ESEC/FSE 2021, section 7",
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use boildown_search::list::List;
    use boildown_search::tree::{Gaps, Node, SlotId};

    use super::*;
    use crate::list::{Prefix, Ties, WProbDd, WProbDdOptions};

    /// Builds a tree from the parent of each node but the root, a node before it. A node without
    /// children is a token; children are in one list without separators.
    fn tree(parents: &[usize]) -> Arc<Tree> {
        let mut children = vec![Vec::new(); parents.len() + 1];
        for (index, &parent) in parents.iter().enumerate() {
            children[parent].push(index + 1);
        }
        let mut tree = Tree::default();
        add(&mut tree, &mut 0, &children, 0);
        Arc::new(tree)
    }

    fn add(tree: &mut Tree, tokens: &mut usize, children: &[Vec<usize>], of: usize) -> NodeId {
        let start = *tokens;
        let blank = Node::new(start..start, NodeId::default(), 0, SlotId::default());
        let node = tree.nodes.push(blank);
        *tokens += usize::from(children[of].is_empty());
        let elements: Vec<NodeId> = (children[of].iter())
            .map(|&child| add(tree, tokens, children, child))
            .collect();
        let first = tree.lists.next_id();
        if !elements.is_empty() {
            tree.push_list(elements, *tokens, Gaps::Ends);
        }
        let (end, lists) = (tree.nodes.next_id(), tree.lists.ids_from(first));
        let done = &mut tree.nodes[node];
        done.end_at(*tokens, end);
        done.lists = lists;
        node
    }

    fn start(tree: &Arc<Tree>, sigma: Sigma) -> TreeProbDd {
        let tokens = tree.nodes[NodeId::ROOT].tokens().len();
        TreeProbDd::new(Arc::clone(tree), Subset::full(tokens), sigma)
    }

    fn deleted(search: &TreeProbDd) -> Vec<usize> {
        let kept = search.ask().map(|query| query.candidate);
        let all = search.best();
        all.iter()
            .filter(|&token| kept.as_ref().is_some_and(|kept| !kept.contains(token)))
            .collect()
    }

    #[test]
    fn a_child_is_asked_about_when_its_parent_is_likely_to_be_needed() {
        // Two nodes of three tokens each.
        let tree = tree(&[0, 0, 1, 1, 1, 2, 2, 2]);
        let mut search = start(&tree, Sigma::QUARTER);
        assert_eq!(deleted(&search), [0, 1, 2, 3, 4, 5]);
        search.tell(Verdict::Uninteresting);
        // Each is needed with probability 4/7. The nodes below, with 1/7 each, promise 6/7 token
        // alone, and the whole 9/7.
        let [one, other] = [1, 5].map(NodeId::new);
        assert!((search.needed(one) - 4.0 / 7.0).abs() < 1e-12);
        assert!((search.needed(NodeId::new(2)) - 1.0 / 7.0).abs() < 1e-12);
        assert_eq!(deleted(&search), [3, 4, 5], "the last of two equal ones");
        search.tell(Verdict::Uninteresting);
        assert!(!search.frontier.contains_key(&other), "it missed alone");
        // The other is needed with 4/7 as before. Below the needed one, a token is with 1/4.
        assert!((search.frontier[&NodeId::new(6)].conditional - 0.25).abs() < 1e-12);
        let before = search.needed(one);
        while deleted(&search).iter().all(|&token| token >= 3) {
            search.tell(Verdict::Interesting);
        }
        assert!(
            (search.needed(one) - before).abs() < 1e-12,
            "answers elsewhere tell nothing"
        );
    }

    #[test]
    fn a_miss_of_a_child_makes_its_parent_needed() {
        let tree = tree(&[0, 0, 1, 1, 2, 2]);
        let mut search = start(&tree, Sigma::QUARTER);
        search.tell(Verdict::Uninteresting);
        let child = NodeId::new(2);
        assert!(search.frontier.contains_key(&child));
        search.decide_needed(child);
        assert!(!search.frontier.contains_key(&NodeId::new(1)));
        let other = search.needed(NodeId::new(3));
        assert!((other - 0.25).abs() < 1e-12, "given the parent");
    }

    /// Returns, for each node of the frontier, the exact probability that it is needed if its
    /// parent is, after an answer about a group, by all outcomes.
    fn posterior(search: &TreeProbDd, group: &[NodeId], verdict: Verdict) -> Vec<(NodeId, f64)> {
        let nodes: Vec<(NodeId, NodeBelief)> = search
            .frontier
            .iter()
            .map(|(&node, &belief)| (node, belief))
            .collect();
        let mut joint = vec![(0.0, 0.0); nodes.len()];
        for outcome in 0_u32..1 << nodes.len() {
            let is_needed = |node: Option<NodeId>| {
                let position = nodes.iter().position(|&(other, _)| Some(other) == node);
                position.is_none_or(|position| outcome >> position & 1 == 1)
            };
            let mut probability = 1.0;
            for &(node, belief) in &nodes {
                probability *= match (is_needed(belief.parent), is_needed(Some(node))) {
                    (true, true) => belief.conditional,
                    (true, false) => 1.0 - belief.conditional,
                    (false, true) => 0.0,
                    (false, false) => 1.0,
                };
            }
            let is_hit = !group.iter().any(|&node| is_needed(Some(node)));
            if is_hit == verdict.is_interesting() {
                for (position, &(node, belief)) in nodes.iter().enumerate() {
                    if is_needed(belief.parent) {
                        joint[position].1 += probability;
                        joint[position].0 += if is_needed(Some(node)) {
                            probability
                        } else {
                            0.0
                        };
                    }
                }
            }
        }
        nodes
            .iter()
            .zip(joint)
            .map(|(&(node, _), (both, parent))| (node, both / parent))
            .collect()
    }

    fn parents() -> impl Strategy<Value = Vec<usize>> {
        proptest::collection::vec(any::<proptest::sample::Index>(), 1..12).prop_map(|choices| {
            let choices = choices.iter().enumerate();
            choices
                .map(|(index, choice)| choice.index(index + 1))
                .collect()
        })
    }

    proptest! {
        #[test]
        fn beliefs_are_the_posterior_by_all_outcomes(
            parents in parents(),
            sigma in 0.05..0.9,
            verdicts in proptest::collection::vec(any::<bool>(), 1..20),
        ) {
            let mut search = start(&tree(&parents), Sigma::new(sigma).unwrap());
            for hit in verdicts {
                let Some(group) = search.chosen.last().cloned() else { break };
                let verdict = if hit { Verdict::Interesting } else { Verdict::Uninteresting };
                let expected = posterior(&search, &group, verdict);
                if group.len() > 1 || hit {
                    let mut learned = search.clone();
                    learned.learn(&group, verdict);
                    let (chances, _) = search.chances(&group);
                    for (node, expected) in expected {
                        // What is not above the group is as before.
                        if chances.iter().any(|&(other, _)| other == node) {
                            let found = learned.frontier[&node].conditional;
                            prop_assert!((found - expected).abs() < 1e-6, "{found} {expected}");
                        }
                    }
                }
                search.tell(verdict);
            }
        }

        #[test]
        fn on_a_tree_of_one_level_the_queries_are_those_of_wprobdd(
            n in 1_usize..30,
            sigma in 0.05..0.9,
            verdicts in proptest::collection::vec(0_u8..4, 1..40),
        ) {
            let sigma = Sigma::new(sigma).unwrap();
            let mut search = start(&tree(&vec![0; n]), sigma);
            let options = WProbDdOptions { sigma, ties: Ties::Last, prefix: Prefix::Longest, ..WProbDdOptions::DEFAULT };
            let mut list = WProbDd::with_options(List::uniform(n), options);
            for verdict in verdicts.iter().cycle() {
                let (ours, theirs) = (search.ask(), list.ask());
                let candidate = |query: Option<Query<Subset>>| query.map(|query| query.candidate);
                let theirs = candidate(theirs);
                prop_assert_eq!(candidate(ours), theirs.clone());
                if theirs.is_none() {
                    break;
                }
                let verdict = if *verdict == 0 { Verdict::Interesting } else { Verdict::Uninteresting };
                search.tell(verdict);
                list.tell(verdict);
            }
        }

        #[test]
        fn a_monotone_oracle_leaves_the_needed_tokens_after_linearly_many_queries(
            parents in parents(),
            sigma in 0.05..0.9,
            needed in any::<u16>(),
        ) {
            let tree = tree(&parents);
            let mut search = start(&tree, Sigma::new(sigma).unwrap());
            let all = search.best();
            let needed: Vec<usize> = all.iter().filter(|token| needed >> token & 1 == 1).collect();
            let mut asked = 0;
            while let Some(query) = search.ask() {
                asked += 1;
                let hit = needed.iter().all(|&token| query.candidate.contains(token));
                search.tell(if hit { Verdict::Interesting } else { Verdict::Uninteresting });
            }
            prop_assert_eq!(search.best().iter().collect::<Vec<_>>(), needed);
            prop_assert!(asked < 3 * tree.nodes.len(), "{} queries", asked);
        }
    }
}

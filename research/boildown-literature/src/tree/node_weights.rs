//! Weights of nodes by the structure of their subtrees.

use boildown_search::tree::{IdVec, NodeId, Tree};

/// The weight of a node as an element of a list: an option of every schedule, by
/// [`Tree::weights`].
///
/// Algorithms that respect weights ([`Wddmin`](crate::list::Wddmin),
/// [`WProbDd`](crate::list::WProbDd), [`Halving`](boildown_search::list::Halving)) split lists by
/// them; the others ignore them.
///
/// For example, `f(a, b)` has 6 tokens on 3 levels if the call, its list of arguments and the
/// arguments are nodes, so its volume is 18. Its two children, the name and the list, have 1 and 5
/// of the tokens.
///
/// # Cost
/// O(number of nodes) for a whole tree, once.
/// # Source
/// Y. Tao, J. Xue, *Structure-Aware Delta Debugging with Geometric-Information Weights* (SADD).
/// Only the abstract was available: a weight function of geometric volume, decision uniformity and
/// effective branching complexity, of which the volume is the foundation and the others refine. The
/// formulas are ours. The paper's algorithms are ddmin and ProbDD with these weights:
/// [`Wddmin`](crate::list::Wddmin) and [`WProbDd`](crate::list::WProbDd)
/// here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeWeights {
    /// The number of kept tokens, as in WDD.
    #[default]
    Tokens,
    /// The tokens times the levels of the subtree: the area of the box around it.
    Volume,
    /// The volume times (1 + U)·(1 + H). H is the mean entropy, in bits, of the choice of a child
    /// by its tokens, over all nodes of the subtree with children, by their tokens. U is the same
    /// with each entropy divided by its maximum, that of children of equal size. 2 to the power of
    /// H is an effective number of children.
    Structure,
}

impl NodeWeights {
    /// The names of all kinds of weights.
    pub const NAMES: [(&str, Self); 3] = [
        ("tokens", Self::Tokens),
        ("volume", Self::Volume),
        ("structure", Self::Structure),
    ];

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(_, known)| *known == self);
        named.map_or("", |(name, _)| name)
    }

    /// Returns the weights of all nodes for [`Tree::weights`]: none for tokens. Larger weights than
    /// `u32::MAX` are that.
    #[must_use]
    pub fn of(self, tree: &Tree) -> IdVec<NodeId, u32> {
        if self == Self::Tokens {
            return IdVec::default();
        }
        let shapes = SubtreeShape::all(tree);
        let weight = |shape: &SubtreeShape| match self {
            Self::Tokens => shape.tokens,
            Self::Volume => shape.volume(),
            Self::Structure => shape.structure(),
        };
        let weight = |shape| u32::try_from(weight(shape)).unwrap_or(u32::MAX);
        shapes.iter().map(weight).collect()
    }
}

/// The numbers that the weight of a node is computed from. Those in bits are in units of 2⁻¹⁶, so
/// that they are the same on every machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct SubtreeShape {
    tokens: u64,
    /// The number of nodes on the longest path down, with the node itself.
    levels: u64,
    /// The tokens of all nodes of the subtree that have children.
    choices: u64,
    /// The sum of their entropies, each times its tokens, in bits.
    entropy: u128,
    /// The same, each divided by its maximum.
    uniformity: u128,
}

impl SubtreeShape {
    /// One bit.
    const BIT: u128 = 1 << 16;

    fn all(tree: &Tree) -> IdVec<NodeId, Self> {
        let mut shapes = IdVec::filled(Self::default(), tree.nodes.len());
        // Preorder: the descendants of a node come after it.
        for index in (0..tree.nodes.len()).rev() {
            let node = NodeId::new(index);
            let mut shape = Self {
                tokens: tree.nodes[node].tokens().len() as u64,
                ..Self::default()
            };
            let (mut children, mut shared, mut split) = (0_u64, 0_u64, 0_u128);
            for child in tree.children(node) {
                let below: &Self = &shapes[child];
                shape.levels = shape.levels.max(below.levels);
                shape.choices += below.choices;
                shape.entropy += below.entropy;
                shape.uniformity += below.uniformity;
                if below.tokens > 0 {
                    children += 1;
                    shared += below.tokens;
                    split += u128::from(below.tokens) * log2(below.tokens);
                }
            }
            shape.levels += 1;
            if children > 0 {
                // The sum of tᵢ·(log T − log tᵢ) is T times the entropy.
                let entropy = (u128::from(shared) * log2(shared)).saturating_sub(split);
                shape.choices += shared;
                shape.entropy += entropy;
                if children > 1 {
                    shape.uniformity +=
                        (entropy * Self::BIT / log2(children)).min(u128::from(shared) * Self::BIT);
                }
            }
            shapes[node] = shape;
        }
        shapes
    }

    fn volume(&self) -> u64 {
        self.tokens * self.levels
    }

    fn structure(&self) -> u64 {
        let choices = u128::from(self.choices.max(1));
        let factor = |sum: u128| Self::BIT + sum / choices;
        let product = u128::from(self.volume()) * factor(self.uniformity) * factor(self.entropy)
            / (Self::BIT * Self::BIT);
        u64::try_from(product).unwrap_or(u64::MAX)
    }
}

/// Returns the binary logarithm of a positive number in units of 2⁻¹⁶, rounded down.
fn log2(number: u64) -> u128 {
    let whole = number.ilog2();
    // The mantissa in [1, 2), in units of 2⁻⁶³. Each squaring yields one binary digit.
    let mut mantissa = u128::from(number) << (63 - whole);
    let mut result = u128::from(whole);
    for _ in 0..16 {
        mantissa = (mantissa * mantissa) >> 63;
        let digit = mantissa >> 64;
        mantissa >>= digit;
        result = result << 1 | digit;
    }
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use boildown_search::tree::{Node, SlotId};

    use super::*;

    /// Builds a tree from the depth of each node in preorder; nodes without children are tokens.
    fn tree(depths: &[usize]) -> Tree {
        let mut tree = Tree::default();
        let mut tokens = 0;
        let end_of = |index: usize| {
            let after = depths[index + 1..].iter();
            index + 1 + after.take_while(|&&depth| depth > depths[index]).count()
        };
        for index in 0..depths.len() {
            let end = end_of(index);
            let leaves = (index..end)
                .filter(|&below| end_of(below) == below + 1)
                .count();
            let own = tokens..tokens + leaves;
            (tree.nodes).push(Node::new(own, NodeId::new(end), 0, SlotId::default()));
            tokens += usize::from(end == index + 1);
        }
        tree
    }

    fn weights(weights: NodeWeights, depths: &[usize]) -> Vec<u32> {
        weights.of(&tree(depths)).iter().copied().collect()
    }

    #[test]
    fn of_equal_tokens_the_deeper_and_the_more_even_subtree_weighs_more() {
        // Four tokens: flat, as two pairs, as a token and three.
        let flat = [0, 1, 1, 1, 1];
        let pairs = [0, 1, 2, 2, 1, 2, 2];
        let uneven = [0, 1, 1, 2, 2, 2];
        let of = |kind, depths: &[usize]| weights(kind, depths)[0];
        assert_eq!(NodeWeights::Tokens.of(&tree(&flat)).len(), 0);
        assert_eq!(of(NodeWeights::Volume, &flat), 4 * 2);
        assert_eq!(of(NodeWeights::Volume, &pairs), 4 * 3);
        // Two bits for one of four; all nodes are as even as can be.
        assert_eq!(of(NodeWeights::Structure, &flat), 8 * 2 * 3);
        // One bit at each of three nodes.
        assert_eq!(of(NodeWeights::Structure, &pairs), 12 * 2 * 2);
        // 0.811 bits of 4 tokens and 1.585 of 3; the first is uneven: 12 · 1.892 · 2.143.
        assert_eq!(of(NodeWeights::Structure, &uneven), 48);
        assert_eq!(weights(NodeWeights::Structure, &pairs)[2], 1, "a token");
    }

    proptest! {
        #[test]
        fn logarithms_are_those_of_floating_point(number in 1_u64..u64::MAX) {
            let exact = (number as f64).log2() * 65_536.0;
            prop_assert!((log2(number) as f64 - exact).abs() <= 1.001);
        }

        #[test]
        fn structure_agrees_with_its_formula(steps in proptest::collection::vec((0_usize..4, any::<bool>()), 1..40)) {
            let mut depths = vec![0_usize];
            for (up, down) in steps {
                let last: usize = depths[depths.len() - 1];
                depths.push(if down { last + 1 } else { last.saturating_sub(up).max(1) });
            }
            let tree = tree(&depths);
            let (mut choices, mut entropy, mut uniformity) = (0.0, 0.0, 0.0);
            for node in tree.nodes.ids() {
                let shares: Vec<f64> = tree.children(node).map(|child| tree.nodes[child].tokens().len() as f64).collect();
                let all: f64 = shares.iter().sum();
                let bits: f64 = shares.iter().map(|share| share / all * (all / share).log2()).sum();
                choices += all;
                entropy += all * bits;
                uniformity += if shares.len() > 1 { all * bits / (shares.len() as f64).log2() } else { 0.0 };
            }
            let tokens = tree.nodes[NodeId::ROOT].tokens().len() as f64;
            let levels = (depths.iter().max().unwrap() + 1) as f64;
            let expected = tokens * levels * (1.0 + uniformity / f64::max(choices, 1.0)) * (1.0 + entropy / f64::max(choices, 1.0));
            let found = f64::from(NodeWeights::Structure.of(&tree)[NodeId::ROOT]);
            prop_assert!((found - expected).abs() <= 1.0 + 1e-3 * expected, "{found} {expected}");
        }
    }
}

//! Units of a tree of changes by the grammars of its files: statements, and hunks that they join.

use std::collections::HashMap;

use boildown_changes::{ChangeTree, ChangeUnit, ChangesError, DisjointSets, WordTree};

use super::parse_check::ParseCheck;
use super::statements::StatementNodes;

/// Number of levels of nested statements that are told apart in the closing sweep.
const DEPTHS: usize = 4;

/// The groups of the elements of a tree of changes at the fine layers.
pub(super) struct ChangeUnits {
    /// The hunks. Those that change lines of the same outermost statement are one group: what is in
    /// a new statement is nowhere without it.
    pub(super) hunks: Vec<u32>,
    /// The outermost statements that are inserted, deleted or replaced, with all that is in them.
    pub(super) outermost: Vec<u32>,
    /// The statements of which lines are changed, without those in them. An old statement and the
    /// one that took its place are one group. Lines of files in no known language are groups.
    pub(super) statements: Vec<u32>,
    /// The statements in the outermost ones with all that is in them, a vector for each depth.
    pub(super) nested: Vec<Vec<u32>>,
}

/// Returns the groups of the elements of a tree with words, from those of the tree that was cut.
pub(super) fn of_words(groups: &[u32], words: &WordTree) -> Vec<u32> {
    let elements = 0..words.tree().len();
    elements.map(|it| groups[words.origin(it)]).collect()
}

/// Returns groups in which each word is alone.
pub(super) fn single_words(groups: &[u32], words: &WordTree) -> Vec<u32> {
    let elements = (0..).zip(groups);
    let number = |(element, group): (u32, &u32)| match words.is_word(element as usize) {
        true => 2 * element + 1,
        false => 2 * group,
    };
    elements.map(number).collect()
}

impl ChangeUnits {
    /// Returns the same units of a tree with words.
    pub(super) fn of_words(&self, words: &WordTree) -> Self {
        let cut = |groups: &Vec<u32>| of_words(groups, words);
        Self {
            hunks: cut(&self.hunks),
            outermost: cut(&self.outermost),
            statements: cut(&self.statements),
            nested: self.nested.iter().map(cut).collect(),
        }
    }

    /// Reads the units of a tree.
    pub(super) fn read(tree: &ChangeTree, check: &ParseCheck<'_>) -> Result<Self, ChangesError> {
        let count = u32::try_from(tree.len()).expect("memory holds fewer elements");
        let mut statements = DisjointSets::new(count);
        let mut deeper = vec![DisjointSets::new(count); DEPTHS];
        for file in 0..tree.files().len() {
            let Some(file) = check.statements(file)? else {
                continue;
            };
            let nodes = StatementNodes::new(&file);
            let mut first_of_unit: HashMap<usize, u32> = HashMap::new();
            let mut first_of_node: HashMap<usize, u32> = HashMap::new();
            let mut first_at_depth: HashMap<(usize, usize), u32> = HashMap::new();
            for edit in &nodes.edits {
                let element = u32::try_from(edit.element).expect("the count was one");
                for node in edit.nodes.into_iter().flatten() {
                    first_of_node.entry(node).or_insert(element);
                    let first = *first_of_unit.entry(nodes.unit(node)).or_insert(element);
                    statements.union(first, element);
                    let path = nodes.path(node);
                    for (depth, sets) in deeper.iter_mut().enumerate() {
                        let node = path[depth.min(path.len() - 1)];
                        let first = *first_at_depth.entry((depth, node)).or_insert(element);
                        sets.union(first, element);
                    }
                }
            }
            for (left, entered) in nodes.exchanged() {
                if let Some((one, two)) = first_of_node.get(&left).zip(first_of_node.get(&entered))
                {
                    statements.union(*one, *two);
                }
            }
        }
        let statements = statements.into_groups();
        let mut deeper = deeper.into_iter().map(|mut sets| {
            sets.union_groups(&statements);
            sets.into_groups()
        });
        let outermost = deeper.next().expect("there are several depths");
        let mut hunks = DisjointSets::new(count);
        hunks.union_groups(&outermost);
        hunks.union_groups(&tree.groups(ChangeUnit::Hunks));
        let nested = deeper.filter(|groups| *groups != outermost && *groups != statements);
        Ok(Self {
            hunks: hunks.into_groups(),
            nested: nested.collect(),
            outermost,
            statements,
        })
    }
}

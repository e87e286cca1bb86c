//! Completion of a culprit: half of a statement, or of lines that belong together, may fail alone
//! in a way that the whole does not.

use std::collections::BTreeSet;

use boildown_changes::{ChangeUnit, DisjointSets};
use boildown_oracle::Verdict;
use boildown_search::Subset;
use boildown_show::PartialStatementRecord;

use super::error::SearchError;
use super::file_maker::Checks;
use super::search::CulpritSearch;
use super::tree_search::{Announced, SearchLayer, SearchedTree};
use super::word_changes::first_characters;

/// Number of characters that are shown of the first line of a statement.
const MAX_HEAD: usize = 60;

/// A set of changes after its check.
pub(super) struct Completed {
    pub(super) best: Subset,
    /// The set with the other lines of these statements, if that makes the difference too.
    pub(super) whole: Option<Subset>,
    /// Its statements of which it has the first line and not all others.
    pub(super) partial_statements: Vec<PartialStatementRecord>,
}

impl CulpritSearch<'_> {
    /// Completes a set that makes the difference: by the other lines of statements of which it has
    /// the first one, and by lines that share its new words, such as two rows with one key. If what
    /// is complete makes no difference, the set was half of something else, and the changes are
    /// searched again with these lines together.
    pub(super) fn completed(
        &mut self,
        searched: &SearchedTree<'_>,
        best: Subset,
    ) -> Result<Completed, SearchError> {
        let SearchedTree { tree, units, .. } = *searched;
        let outermost = &units.outermost;
        let text = |head: u32| tree.inserted(head as usize).unwrap_or_default();
        // A group has the number of its first element.
        let heads: BTreeSet<u32> = (best.iter().map(|element| outermost[element]))
            .filter(|&head| best.contains(head as usize) && !text(head).is_empty())
            .collect();
        let other_lines = |head: u32| -> Vec<usize> {
            let lines = (0..tree.len()).filter(|&it| outermost[it] == head);
            lines.filter(|&it| !best.contains(it)).collect()
        };
        let statements: Vec<usize> = heads.iter().flat_map(|&head| other_lines(head)).collect();
        let companions = tree.companions(&best, self.states.contents)?;
        let (mut whole, mut partial_statements) = (None, Vec::new());
        for added in [&statements, &companions] {
            if added.is_empty() || self.stopped.is_some() {
                continue;
            }
            let mut completed = best.with(added.iter().map(|&it| it..it + 1));
            completed.commit();
            let files = searched.files(&completed, Checks::Strict)?;
            match self.try_files(files.ok().as_ref())?.verdict {
                Verdict::Uninteresting => {
                    let best = self.searched_together(searched, &best, added)?;
                    return Ok(Completed {
                        best,
                        whole: None,
                        partial_statements: Vec::new(),
                    });
                }
                Verdict::Interesting if added == &statements => {
                    let partial = heads.iter().map(|&head| PartialStatementRecord {
                        place: tree.location(head as usize),
                        head: first_characters(text(head).trim_ascii(), MAX_HEAD),
                        left_out: other_lines(head).len(),
                    });
                    partial_statements.extend(partial.filter(|it| it.left_out > 0));
                    whole = Some(completed);
                }
                _ => {}
            }
        }
        Ok(Completed {
            best,
            whole,
            partial_statements,
        })
    }

    /// Searches all changes by outermost statements, and with some of them in one group.
    fn searched_together(
        &mut self,
        searched: &SearchedTree<'_>,
        best: &Subset,
        added: &[usize],
    ) -> Result<Subset, SearchError> {
        let narrow = |element: usize| u32::try_from(element).expect("groups have numbers");
        let first = narrow(added[0]);
        let together = |groups: &[u32]| {
            let mut sets = DisjointSets::new(narrow(searched.tree.len()));
            sets.union_groups(groups);
            for element in best.iter().chain(added.iter().copied()) {
                sets.union(first, narrow(element));
            }
            sets.into_groups()
        };
        let coarse = searched
            .layers
            .iter()
            .take_while(|it| it.layer < ChangeUnit::Hunks);
        let mut layers: Vec<SearchLayer> = coarse
            .map(|it| SearchLayer {
                layer: it.layer,
                groups: together(&it.groups),
            })
            .collect();
        layers.push(SearchLayer {
            layer: ChangeUnit::Statements,
            groups: together(&searched.units.outermost),
        });
        let all = Subset::full(searched.tree.len());
        self.descend_layers(searched, &all, &layers, Checks::Loose, Announced::Yes)
    }
}

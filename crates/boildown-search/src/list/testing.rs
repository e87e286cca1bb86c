//! Helpers for the tests of list searches.

use crate::{Search, Subset, Verdict};

/// The elements that a query keeps, counted from 1 as in the papers, and whether it was a hit.
pub type TracedQuery = (Vec<usize>, bool);

/// Runs a search to its end and returns all queries, including repeated ones, and the elements that
/// are left. Elements are counted from 1.
pub fn trace<S: Search<Candidate = Subset>>(
    mut search: S,
    hits: impl Fn(&[usize]) -> bool,
) -> (Vec<TracedQuery>, Vec<usize>) {
    let names = |set: &Subset| set.iter().map(|element| element + 1).collect::<Vec<_>>();
    let mut asked = Vec::new();
    while let Some(query) = search.ask() {
        let kept = names(&query.candidate);
        let hit = hits(&kept);
        search.tell(if hit {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        });
        asked.push((kept, hit));
    }
    (asked, names(&search.best()))
}

/// Runs a search to its end and returns what each query keeps, and what is left.
pub fn kept_sets<S: Search<Candidate = Subset>>(
    search: S,
    hits: impl Fn(&[usize]) -> bool,
) -> (Vec<Vec<usize>>, Vec<usize>) {
    let to_indices = |names: Vec<usize>| names.into_iter().map(|name| name - 1).collect::<Vec<_>>();
    let (asked, left) = trace(search, |names| hits(&to_indices(names.to_vec())));
    (
        asked
            .into_iter()
            .map(|(names, _)| to_indices(names))
            .collect(),
        to_indices(left),
    )
}

/// Returns the number of different queries.
pub fn distinct(asked: &[TracedQuery]) -> usize {
    let mut kept: Vec<_> = asked.iter().map(|(kept, _)| kept).collect();
    kept.sort();
    kept.dedup();
    kept.len()
}

/// Decides the eight statements of the running example in the ProbDD paper (G. Wang et al.,
/// ESEC/FSE 2021, Fig. 1).
pub fn eight_statements(kept: &[usize]) -> bool {
    let has = |statement: usize| kept.contains(&statement);
    let needs = [
        (2, vec![1]),
        (4, vec![1]),
        (5, vec![2, 4]),
        (6, vec![2, 4]),
        (7, vec![2, 4, 5, 6]),
    ];
    has(8)
        && (needs.iter())
            .all(|(user, used)| !has(*user) || used.iter().all(|&statement| has(statement)))
        && (!has(4) || has(5) && has(6))
        && (has(3) || has(7))
}

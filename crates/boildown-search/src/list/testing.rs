//! What the tests of list machines share.

use crate::{Search, Subset, Verdict};

/// A question, as the elements it keeps counted from 1 like in the papers, and whether it was a hit.
pub(crate) type Asked = (Vec<usize>, bool);

/// Runs a machine to its end and returns every question, repeats too, and the elements left. Elements are counted from 1.
pub(crate) fn trace<S: Search<Candidate = Subset>>(
    mut machine: S,
    hits: impl Fn(&[usize]) -> bool,
) -> (Vec<Asked>, Vec<usize>) {
    let names = |set: &Subset| set.iter().map(|element| element + 1).collect::<Vec<_>>();
    let mut asked = Vec::new();
    while let Some(question) = machine.ask() {
        let kept = names(&question.candidate);
        let hit = hits(&kept);
        machine.tell(if hit {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        });
        asked.push((kept, hit));
    }
    (asked, names(&machine.best()))
}

/// Runs a machine to its end and returns what every question kept, and what is left.
pub(crate) fn kept_sets<S: Search<Candidate = Subset>>(
    machine: S,
    hits: impl Fn(&[usize]) -> bool,
) -> (Vec<Vec<usize>>, Vec<usize>) {
    let down = |names: Vec<usize>| names.into_iter().map(|name| name - 1).collect::<Vec<_>>();
    let (asked, left) = trace(machine, |names| hits(&down(names.to_vec())));
    (
        asked.into_iter().map(|(names, _)| down(names)).collect(),
        down(left),
    )
}

/// The number of different questions.
pub(crate) fn distinct(asked: &[Asked]) -> usize {
    let mut kept: Vec<_> = asked.iter().map(|(kept, _)| kept).collect();
    kept.sort();
    kept.dedup();
    kept.len()
}

/// The eight statements of the running example of the ProbDD paper (G. Wang et al., ESEC/FSE 2021, Fig. 1).
pub(crate) fn eight_statements(kept: &[usize]) -> bool {
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

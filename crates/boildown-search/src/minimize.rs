//! The closure form, for those who have a list and a query about it.

use crate::algorithms::Algorithm;
use crate::list::{List, ListAlgorithm, Sweep};
use crate::{Sequence, Subset, Verdict, run};

/// Returns the elements that are needed for a property to hold.
///
/// Runs the default algorithm with weights, then deletes single elements until none can go. The
/// property must hold on all elements together. Each subset is tested at most once.
///
/// # Guarantee
/// 1-minimal: without any one of the returned elements the verdict was `Uninteresting` or
/// `Unresolved`. The result is the minimum if the property is monotone and unambiguous.
/// # Cost
/// At most 2n − 1 queries for n elements, then those of a [`Sweep`]: one for each of the m
/// remaining elements, and up to m more for each that can still go; none can if the property is
/// monotone.
///
/// # Example
/// ```
/// use boildown_search::{Verdict, minimize};
///
/// // Which of these numbers are needed for a sum of at least 12?
/// let needed = minimize(&[1, 5, 2, 7, 4], |_| 1, |kept| {
///     match kept.iter().copied().sum::<i32>() {
///         12.. => Verdict::Interesting,
///         _ => Verdict::Uninteresting,
///     }
/// });
/// assert_eq!(needed, [&5, &7]);
/// ```
pub fn minimize<'a, T>(
    elements: &'a [T],
    weights: impl Fn(&T) -> u32,
    property: impl FnMut(&[&'a T]) -> Verdict,
) -> Vec<&'a T> {
    minimize_with(&Algorithm::default(), elements, weights, property)
}

/// Does the same as [`minimize()`] with another algorithm.
pub fn minimize_with<'a, T>(
    algorithm: &impl ListAlgorithm,
    elements: &'a [T],
    weights: impl Fn(&T) -> u32,
    mut property: impl FnMut(&[&'a T]) -> Verdict,
) -> Vec<&'a T> {
    let list = List::weighted(elements.iter().map(weights));
    let elements_of = |kept: &Subset| {
        kept.iter()
            .map(|element| &elements[element])
            .collect::<Vec<_>>()
    };
    let search = Sequence::new(algorithm.on(list.clone()), Sweep::on(list));
    let search = run(search, |kept| property(&elements_of(kept)));
    elements_of(&crate::Search::best(&search))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithms;

    #[test]
    fn every_algorithm_finds_what_is_needed_and_asks_about_no_subset_twice() {
        for known in Algorithms::default().lists() {
            let algorithm = known.algorithm();
            let mut asked = Vec::new();
            let letters: Vec<char> = "boildown".chars().collect();
            let needed = minimize_with(
                &algorithm,
                &letters,
                |_| 1,
                |kept| {
                    let text: String = kept.iter().copied().collect();
                    let holds = text.contains('i') && text.contains('w');
                    asked.push(
                        kept.iter()
                            .map(|&letter| std::ptr::from_ref(letter))
                            .collect::<Vec<_>>(),
                    );
                    if holds {
                        Verdict::Interesting
                    } else {
                        Verdict::Uninteresting
                    }
                },
            );
            assert_eq!(needed, [&'i', &'w'], "{algorithm}");
            let times = asked.len();
            asked.sort();
            asked.dedup();
            assert_eq!(asked.len(), times, "{algorithm}");
        }
    }
}

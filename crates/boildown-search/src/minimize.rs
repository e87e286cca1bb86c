//! The closure form, for those who have a list and a query about it.

use crate::algorithms::Algorithm;
use crate::list::{Clusters, List, ListAlgorithm, Sweep};
use crate::{AnyListSearch, Search, Sequence, Subset, Verdict, run};

/// Returns the elements that are needed for a property to hold.
///
/// Runs [`GroupTesting`](crate::list::GroupTesting), which finds out on the way how many elements
/// are needed, then deletes single elements, and groups of neighbours that cannot be deleted alone,
/// until none can go. The property must hold on all elements together. Each subset is tested at
/// most once.
///
/// # Guarantee
/// 1-minimal: without any one of the returned elements the verdict was `Uninteresting` or
/// `Unresolved`. The result is the minimum if the property is monotone and unambiguous.
/// # Cost
/// About n times the entropy of the share of needed elements, for n elements. Then those of a
/// [`Sweep`]: one for each of the m remaining elements, and up to m more for each that can still
/// go; none can if the property is monotone. Then max(m, 24) for [`Clusters`], at most.
///
/// # Example
/// ```
/// use boildown_search::{Verdict, minimize};
///
/// // Which of these numbers are needed for a sum of at least 12?
/// let needed = minimize(&[1, 5, 2, 7, 4], |kept| {
///     match kept.iter().copied().sum::<i32>() {
///         12.. => Verdict::Interesting,
///         _ => Verdict::Uninteresting,
///     }
/// });
/// assert_eq!(needed, [&5, &7]);
/// ```
pub fn minimize<'a, T>(elements: &'a [T], property: impl FnMut(&[&'a T]) -> Verdict) -> Vec<&'a T> {
    elements_needed(usual(&List::uniform(elements.len())), elements, property)
}

/// Returns elements that are needed for a property to hold, by an algorithm that may use weights,
/// and a [`Sweep`].
///
/// # Guarantee
/// That of [`minimize()`]: 1-minimal.
pub fn minimize_with<'a, T>(
    algorithm: &impl ListAlgorithm,
    elements: &'a [T],
    weights: impl Fn(&T) -> u32,
    property: impl FnMut(&[&'a T]) -> Verdict,
) -> Vec<&'a T> {
    let list = List::weighted(elements.iter().map(weights));
    let search = Sequence::new(algorithm.on(list.clone()), Sweep::on(list));
    elements_needed(search, elements, property)
}

/// Starts the usual sequence on a list: [`Algorithm::usual`], a [`Sweep`], then [`Clusters`], and a
/// sweep again if those could be deleted.
///
/// A query of the second sweep repeats one of the first as long as no group could be deleted: who
/// asks remembers verdicts, as [`run`] does.
#[must_use]
pub fn usual(list: &List) -> AnyListSearch {
    let sweep = || Sweep::on(list.clone());
    let single = Sequence::new(Algorithm::usual(list).on(list.clone()), sweep());
    let groups = Sequence::new(single, Clusters::on(list.clone()));
    AnyListSearch::new(Sequence::new(groups, sweep()))
}

fn elements_needed<'a, T>(
    search: impl Search<Candidate = Subset>,
    elements: &'a [T],
    mut property: impl FnMut(&[&'a T]) -> Verdict,
) -> Vec<&'a T> {
    let elements_of = |kept: &Subset| {
        let kept = kept.iter().map(|element| &elements[element]);
        kept.collect::<Vec<_>>()
    };
    let search = run(search, |kept| property(&elements_of(kept)));
    elements_of(&search.best())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithms;

    /// Returns the number of queries, and what is left of the numbers below `n`.
    fn minimized(n: u32, property: impl Fn(&[u32]) -> bool) -> (usize, Vec<u32>) {
        let (numbers, mut queries): (Vec<u32>, _) = ((0..n).collect(), 0);
        let left = minimize(&numbers, |kept| {
            queries += 1;
            let kept: Vec<u32> = kept.iter().copied().copied().collect();
            match property(&kept) {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            }
        });
        (queries, left.into_iter().copied().collect())
    }

    #[test]
    fn needles_in_a_large_list_take_little_more_than_their_information() {
        // Of 100,000 elements 50 are needed, which is a choice of 616 bits.
        let needed: Vec<u32> = (0..50_u32)
            .map(|index| (index * 38_197 + 7) % 100_000)
            .collect();
        let mut sorted = needed.clone();
        sorted.sort_unstable();
        let (queries, left) = minimized(100_000, |kept| {
            sorted
                .iter()
                .all(|needle| kept.binary_search(needle).is_ok())
        });
        assert_eq!(left, sorted);
        assert_eq!(queries, 717);
    }

    #[test]
    fn neighbours_that_go_in_pairs_go() {
        // Of 120 elements, 10 are needed, and the others have to stay in pairs.
        let (queries, left) = minimized(120, |kept| {
            let holds = |element: u32| kept.binary_search(&element).is_ok();
            let pairs = (0..60).filter(|pair| pair % 6 != 0);
            let mut pairs = pairs.map(|pair| [holds(2 * pair), holds(2 * pair + 1)]);
            (0..60).step_by(6).all(|pair| holds(2 * pair)) && pairs.all(|[one, two]| one == two)
        });
        assert_eq!(
            left,
            (0..60).step_by(6).map(|pair| 2 * pair).collect::<Vec<_>>()
        );
        assert_eq!(queries, 371);
    }

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

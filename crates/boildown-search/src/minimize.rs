//! The closure form, for those who have a list and a question about it.

use crate::list::{Algorithm, List, Minimise, Sweep};
use crate::{Sequence, Subset, Verdict, run};

/// Returns the elements that are needed for a property to hold.
///
/// Runs the usual algorithm, weighted, and then single deletions until none works. The property is taken to hold on all elements and is asked
/// about any subset once at most.
///
/// # Guarantee
/// 1-minimal: without any one of the returned elements the property was answered not to hold, or not to be decidable. The
/// minimum when the property is monotone and unambiguous.
/// # Cost
/// At most 2n − 1 questions for n elements, and then those of a [`Sweep`]: one for each of the m that are left, and up to m more for each that
/// still goes, which under monotony is none.
///
/// # Example
/// ```
/// use boildown_search::{Verdict, minimize};
///
/// // Which of these are needed for the sum to be 12?
/// let needed = minimize(&[1, 5, 2, 7, 4], |_| 1, |kept| {
///     if kept.iter().copied().sum::<i32>() >= 12 { Verdict::Interesting } else { Verdict::Uninteresting }
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

/// Does what [`minimize()`] does, with another algorithm.
pub fn minimize_with<'a, T>(
    algorithm: &impl Minimise,
    elements: &'a [T],
    weights: impl Fn(&T) -> u32,
    mut property: impl FnMut(&[&'a T]) -> Verdict,
) -> Vec<&'a T> {
    let list = List::weighted(elements.iter().map(weights));
    let of = |kept: &Subset| {
        kept.iter()
            .map(|element| &elements[element])
            .collect::<Vec<_>>()
    };
    let search = Sequence::new(algorithm.on(list.clone()), Sweep::on(list));
    let search = run(search, |kept| property(&of(kept)));
    of(&crate::Search::best(&search))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_finds_what_is_needed_and_asks_about_no_subset_twice() {
        for algorithm in Algorithm::ALL {
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

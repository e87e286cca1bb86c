//! Sets of changes that are asked about one by one, until one fails.

use std::sync::Arc;

use crate::{Query, Search, Subset, Verdict};

/// Asks about some sets of changes in the given order. The first one that fails is `best`; the rest
/// are not asked about.
///
/// # Guarantee
/// `best` was told `Interesting`, or is the start.
/// # Cost
/// One query for each set, at most.
/// # Example
/// Changes in lines that the failing run never executes are left out first, with one query:
/// ```
/// use boildown_search::changes::{DdPlus, GuessedSets};
/// use boildown_search::{Search as _, Subset, Verdict, run};
///
/// let fails = |applied: &Subset| match applied.contains(3) {
///     true => Verdict::Interesting,
///     false => Verdict::Uninteresting,
/// };
/// let all = Subset::full(1000);
/// // By the coverage of the failing run, only the first ten changes are executed.
/// let executed = all.only(0..10);
/// let guessed = run(GuessedSets::new(all.clone(), [executed]), fails).best();
/// assert_eq!(run(DdPlus::on(guessed), fails).best().iter().collect::<Vec<_>>(), [3]);
/// ```
/// If these changes alone do not fail, or cannot be built, the search continues with all of them.
#[derive(Debug, Clone)]
pub struct GuessedSets {
    guesses: Arc<[Subset]>,
    next: usize,
    best: Subset,
}

impl GuessedSets {
    /// Starts from a set that is known to fail.
    #[must_use]
    pub fn new(start: Subset, guesses: impl IntoIterator<Item = Subset>) -> Self {
        Self {
            guesses: guesses.into_iter().collect(),
            next: 0,
            best: start,
        }
    }
}

impl Search for GuessedSets {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        let candidate = self.guesses.get(self.next)?.clone();
        Some(Query {
            candidate,
            odds: 0.2,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        let Some(guess) = self.guesses.get(self.next) else {
            return;
        };
        if verdict.is_interesting() {
            self.best = guess.clone();
            self.next = self.guesses.len();
        } else {
            self.next += 1;
        }
    }

    fn skip(&mut self) {
        self.tell(Verdict::Unresolved);
    }

    fn best(&self) -> Subset {
        self.best.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{needs, trace};
    use super::*;

    #[test]
    fn the_first_guess_that_fails_is_the_best() {
        let all = Subset::full(4);
        let guesses = [0..1, 1..3, 2..4].map(|range| all.only(range));
        let (search, asked) = trace(GuessedSets::new(all.clone(), guesses.clone()), |set| {
            needs(set, &[3])
        });
        assert_eq!(asked, "1✓ 23✗");
        assert_eq!(search.best(), guesses[1]);
        let (search, _) = trace(GuessedSets::new(all.clone(), guesses), |_| {
            Verdict::Unresolved
        });
        assert_eq!(search.best(), all);
    }
}

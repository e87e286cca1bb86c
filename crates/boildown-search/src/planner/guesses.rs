//! Combinations of guessed answers to queries that are all asked, likeliest first.

use std::sync::Arc;

use crate::Verdict;

/// One guess for each of several queries: the likelier answer, except for some surprises.
///
/// For example, with the odds 0.9, 0.3 and 0.5 the likeliest guesses are yes, no, no; the next
/// likeliest turn the most doubtful one, the third, into a surprise.
#[derive(Debug, Clone)]
pub(crate) struct Guesses {
    /// The likelier answer to each query, and the ratio of the other answer's probability to its
    /// own; 0 if known.
    likely: Arc<[(Verdict, f64)]>,
    /// The queries without a known answer, the most doubtful first.
    doubtful: Arc<[usize]>,
    /// Indices into `doubtful` of the queries guessed the other way, ascending.
    surprises: Vec<usize>,
    /// The probability that all guesses are right.
    pub(crate) probability: f64,
}

impl Guesses {
    /// Returns the likeliest guesses for queries with known answers (`Ok`) or odds of being
    /// `Interesting` (`Err`).
    pub(crate) fn likeliest(queries: impl Iterator<Item = Result<Verdict, f64>>) -> Self {
        let likely: Arc<[(Verdict, f64)]> = queries
            .map(|query| match query {
                Ok(verdict) => (verdict, 0.0),
                Err(odds) if odds > 0.5 => (Verdict::Interesting, (1.0 - odds) / odds),
                Err(odds) => (Verdict::Uninteresting, odds / (1.0 - odds)),
            })
            .collect();
        let mut doubtful: Vec<usize> = (0..likely.len())
            .filter(|&query| likely[query].1 > 0.0)
            .collect();
        doubtful.sort_by(|&one, &other| likely[other].1.total_cmp(&likely[one].1));
        // The likelier answer has the probability 1 / (1 + ratio).
        let shares = likely.iter().map(|(_, ratio)| 1.0 / (1.0 + ratio));
        Self {
            probability: shares.product(),
            likely,
            doubtful: doubtful.into(),
            surprises: Vec::new(),
        }
    }

    /// Returns the guess for one query.
    pub(crate) fn verdict(&self, query: usize) -> Verdict {
        let is_surprise = |&index: &usize| self.doubtful[index] == query;
        match (self.likely[query].0, self.surprises.iter().any(is_surprise)) {
            (likely, false) => likely,
            (Verdict::Interesting, true) => Verdict::Uninteresting,
            (_, true) => Verdict::Interesting,
        }
    }

    /// Returns the successors of these guesses: with one more surprise, and with the last surprise
    /// moved to the next doubtful query. No successor is likelier. Starting without surprises,
    /// every set of surprises is reached exactly once.
    pub(crate) fn next(&self) -> impl Iterator<Item = Self> + '_ {
        let last = self.surprises.last().copied();
        let index = last.map_or(0, |last| last + 1);
        let ratio = |index: usize| self.likely[self.doubtful[index]].1;
        let with = move |surprises: &[usize], times: f64| Self {
            likely: Arc::clone(&self.likely),
            doubtful: Arc::clone(&self.doubtful),
            surprises: [surprises, &[index]].concat(),
            probability: self.probability * times,
        };
        let more = (index < self.doubtful.len()).then(|| with(&self.surprises, ratio(index)));
        let moved = last.filter(|_| more.is_some()).map(|last| {
            let others = &self.surprises[..self.surprises.len() - 1];
            with(others, ratio(index) / ratio(last))
        });
        more.into_iter().chain(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_of_answers_is_guessed_once_and_none_before_a_likelier_one() {
        let queries = [
            Err(0.9),
            Ok(Verdict::Unresolved),
            Err(0.3),
            Err(0.5),
            Err(0.2),
        ];
        let chance = |guesses: &Guesses| -> f64 {
            let right = queries
                .iter()
                .enumerate()
                .map(|(place, query)| match query {
                    Ok(verdict) => f64::from(u8::from(guesses.verdict(place) == *verdict)),
                    Err(odds) if guesses.verdict(place).is_interesting() => *odds,
                    Err(odds) => 1.0 - odds,
                });
            right.product()
        };
        let mut open = vec![Guesses::likeliest(queries.into_iter())];
        let mut seen = Vec::new();
        let mut before = 1.0;
        while !open.is_empty() {
            open.sort_by(|one, other| one.probability.total_cmp(&other.probability));
            let guesses = open.pop().expect("there is one");
            open.extend(guesses.next());
            assert!((guesses.probability - chance(&guesses)).abs() < 1e-9);
            assert!(guesses.probability <= before + 1e-9);
            before = guesses.probability;
            seen.push(
                (0..5)
                    .map(|place| guesses.verdict(place))
                    .collect::<Vec<_>>(),
            );
        }
        assert_eq!(seen.len(), 16);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 16);
    }
}

//! Guesses about questions that are all asked, likeliest first.

use std::sync::Arc;

use crate::Verdict;

/// A guess about each of several questions: the likelier answer, but for some surprises.
#[derive(Debug, Clone)]
pub(crate) struct Guesses {
    /// The likelier answer to each question, and how much less likely the other one is; 0 for what is known.
    likely: Arc<[(Verdict, f64)]>,
    /// The questions that are not known, the most doubtful first.
    doubtful: Arc<[usize]>,
    /// Which of the doubtful ones are taken the other way, ascending.
    surprises: Vec<usize>,
    /// The probability that all guesses are right.
    pub(crate) probability: f64,
}

impl Guesses {
    /// Guesses about questions whose answers are known, or have these odds of being `Interesting`.
    pub(crate) fn likeliest(questions: impl Iterator<Item = Result<Verdict, f64>>) -> Self {
        let likely: Arc<[(Verdict, f64)]> = questions
            .map(|question| match question {
                Ok(verdict) => (verdict, 0.0),
                Err(odds) if odds > 0.5 => (Verdict::Interesting, (1.0 - odds) / odds),
                Err(odds) => (Verdict::Uninteresting, odds / (1.0 - odds)),
            })
            .collect();
        let mut doubtful: Vec<usize> = (0..likely.len())
            .filter(|&question| likely[question].1 > 0.0)
            .collect();
        doubtful.sort_by(|&one, &other| likely[other].1.total_cmp(&likely[one].1));
        // The likelier answer has the share 1 / (1 + ratio).
        let shares = likely.iter().map(|(_, ratio)| 1.0 / (1.0 + ratio));
        Self {
            probability: shares.product(),
            likely,
            doubtful: doubtful.into(),
            surprises: Vec::new(),
        }
    }

    /// The guess about one question.
    pub(crate) fn verdict(&self, question: usize) -> Verdict {
        let is_surprise = |&place: &usize| self.doubtful[place] == question;
        match (
            self.likely[question].0,
            self.surprises.iter().any(is_surprise),
        ) {
            (likely, false) => likely,
            (Verdict::Interesting, true) => Verdict::Uninteresting,
            (_, true) => Verdict::Interesting,
        }
    }

    /// The guesses that follow from these: with one more surprise, and with the last surprise moved on. None of them is likelier. From
    /// no surprises at all, every set of surprises is come to exactly once.
    pub(crate) fn next(&self) -> impl Iterator<Item = Self> + '_ {
        let last = self.surprises.last().copied();
        let place = last.map_or(0, |last| last + 1);
        let ratio = |place: usize| self.likely[self.doubtful[place]].1;
        let with = move |surprises: &[usize], times: f64| Self {
            likely: Arc::clone(&self.likely),
            doubtful: Arc::clone(&self.doubtful),
            surprises: [surprises, &[place]].concat(),
            probability: self.probability * times,
        };
        let more = (place < self.doubtful.len()).then(|| with(&self.surprises, ratio(place)));
        let moved = last.filter(|_| more.is_some()).map(|last| {
            let others = &self.surprises[..self.surprises.len() - 1];
            with(others, ratio(place) / ratio(last))
        });
        more.into_iter().chain(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_of_answers_is_guessed_once_and_none_before_a_likelier_one() {
        let questions = [
            Err(0.9),
            Ok(Verdict::Unresolved),
            Err(0.3),
            Err(0.5),
            Err(0.2),
        ];
        let chance = |guesses: &Guesses| -> f64 {
            let right = questions
                .iter()
                .enumerate()
                .map(|(place, question)| match question {
                    Ok(verdict) => f64::from(u8::from(guesses.verdict(place) == *verdict)),
                    Err(odds) if guesses.verdict(place).is_interesting() => *odds,
                    Err(odds) => 1.0 - odds,
                });
            right.product()
        };
        let mut open = vec![Guesses::likeliest(questions.into_iter())];
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

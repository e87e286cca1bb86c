//! Bisection of a history by runs that do not always tell good from bad.

use crate::changes::Ancestry;
use crate::flaky::RunCounts;

/// Bisects a history whose revisions fail in some runs only, in the manner of Bayes.
///
/// Each commit has a probability of being the culprit. A commit at or after the culprit fails at
/// one rate, every other commit at a lower one. After each run, the probabilities follow from
/// Bayes' rule. The next run is on the commit that tells most, on average, about the culprit
/// (the largest
/// mutual information); without branches and noise that is the middle.
///
/// For example, the bad state fails in half of the runs and the good state never. A failure
/// excludes all younger commits at once. A pass halves the odds of the older ones only, so
/// commits near the
/// suspected culprit are run several times.
///
/// # Guarantee
/// When [`culprit`](Self::culprit) names a commit, its probability is at least 0.99, given the two
/// rates and one culprit that no commit repairs.
/// # Cost
/// At least log₂ n divided by the information of a run: 1 bit without noise, 0.32 at rates of 0.5
/// and 0. `tell` takes time proportional to the commits, once more for each merge.
/// # Units
/// Commits, by their number in the [`Ancestry`].
/// # Source
/// M. Ben-Or, A. Hassidim, *The Bayesian Learner is Optimal for Noisy Binary Search*, FOCS 2008,
/// for a line. T. A. D. Henderson and others, *Flake Aware Culprit Finding*, ICST 2023, for runs of
/// tests. Differs from both: histories with merges, and two rates that the runs on the two ends
/// measure.
/// # Example
/// ```
/// use boildown_search::changes::Ancestry;
/// use boildown_search::flaky::{FlakyBisect, RunCounts};
///
/// let bad = RunCounts { runs: 20, hits: 20 };
/// let good = RunCounts { runs: 20, hits: 0 };
/// let mut search = FlakyBisect::new(Ancestry::line(100), bad, good);
/// while let Some(commit) = search.next_run() {
///     search.tell(commit, commit >= 70);
/// }
/// assert_eq!(search.culprit(), Some(70));
/// ```
#[derive(Debug, Clone)]
pub struct FlakyBisect {
    commits: Ancestry,
    /// The probability that a commit fails in a run: at or after the culprit, and elsewhere.
    rates: [f64; 2],
    /// The probability of each commit. Invariant: the sum is 1.
    odds: Vec<f64>,
    /// The commits that cannot be judged.
    unresolved: Vec<bool>,
    runs: u64,
}

/// The probability from which a culprit is named.
const CERTAIN: f64 = 0.99;

/// The smallest information of a run, in bits, for which it is worth its time.
const USEFUL: f64 = 1e-4;

impl FlakyBisect {
    /// Starts from a history and from the runs on its last commit, and on the state before all of
    /// its commits.
    ///
    /// The rates are estimated with care: neither is taken to be 0 or 1, however often it was seen.
    ///
    /// # Panics
    /// If the history is empty.
    #[must_use]
    pub fn new(commits: Ancestry, bad: RunCounts, good: RunCounts) -> Self {
        assert!(!commits.is_empty(), "there is a commit that fails");
        // Half a hit and half a miss more (the estimate of Krichevsky and Trofimov).
        let rate =
            |counts: RunCounts| (f64::from(counts.hits) + 0.5) / (f64::from(counts.runs) + 1.0);
        let count = commits.len();
        Self {
            rates: [rate(bad), rate(good).min(rate(bad))],
            odds: vec![1.0 / count as f64; count],
            unresolved: vec![false; count],
            commits,
            runs: 0,
        }
    }

    /// Returns the commit to run next; `None` when the culprit is certain enough, or no commit that
    /// can be judged would tell more.
    #[must_use]
    pub fn next_run(&self) -> Option<usize> {
        if self.odds.iter().any(|odds| *odds >= CERTAIN) {
            return None;
        }
        let sums = self.commits.sums(|commit| self.odds[commit]);
        let [high, low] = self.rates;
        let testable = (0..self.commits.len()).filter(|commit| !self.unresolved[*commit]);
        let best = testable
            .map(|commit| (gain(sums[commit].clamp(0.0, 1.0), high, low), commit))
            // The oldest of equal ones.
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
        (best.0 > USEFUL).then_some(best.1)
    }

    /// Records a run on a commit: whether it failed.
    ///
    /// # Panics
    /// If there is no such commit.
    pub fn tell(&mut self, commit: usize, failed: bool) {
        let inside = self.commits.closure(commit);
        let [high, low] = self
            .rates
            .map(|rate| if failed { rate } else { 1.0 - rate });
        for (odds, inside) in self.odds.iter_mut().zip(inside) {
            *odds *= if inside { high } else { low };
        }
        let sum: f64 = self.odds.iter().sum();
        self.odds.iter_mut().for_each(|odds| *odds /= sum);
        self.runs += 1;
    }

    /// Records that a commit cannot be judged. It is not run again.
    ///
    /// # Panics
    /// If there is no such commit.
    pub fn skip(&mut self, commit: usize) {
        self.unresolved[commit] = true;
    }

    /// Returns the culprit, if it is certain enough.
    #[must_use]
    pub fn culprit(&self) -> Option<usize> {
        self.odds.iter().position(|odds| *odds >= CERTAIN)
    }

    /// Returns the likeliest commits that together are certain enough, in ascending order.
    #[must_use]
    pub fn suspects(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.odds.len()).collect();
        order.sort_by(|a, b| self.odds[*b].total_cmp(&self.odds[*a]).then(a.cmp(b)));
        let mut sum = 0.0;
        let is_needed = |commit: &usize| {
            let needed = sum < CERTAIN;
            sum += self.odds[*commit];
            needed
        };
        let mut suspects: Vec<usize> = order.into_iter().take_while(is_needed).collect();
        suspects.sort_unstable();
        suspects
    }

    /// Returns the number of runs so far.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Returns about how many more runs it takes: the uncertainty that is left, divided by what the
    /// best run tells.
    #[must_use]
    pub fn tests_left(&self) -> usize {
        let bits: f64 = self.odds.iter().map(|odds| bits(*odds)).sum();
        let [high, low] = self.rates;
        let best = (0..=20).map(|after| gain(f64::from(after) / 20.0, high, low));
        let best = best.fold(0.0, f64::max);
        // More than this is of no interest.
        (1..1000)
            .take_while(|runs| f64::from(*runs) * best < bits)
            .count()
    }
}

/// Returns the information of a run, in bits, on a commit that is at or after the culprit with a
/// probability of `after`.
fn gain(after: f64, high: f64, low: f64) -> f64 {
    entropy(after * high + (1.0 - after) * low)
        - after * entropy(high)
        - (1.0 - after) * entropy(low)
}

fn bits(probability: f64) -> f64 {
    match probability > 0.0 {
        true => -probability * probability.log2(),
        false => 0.0,
    }
}

/// Returns the entropy of an event with this probability, in bits.
fn entropy(probability: f64) -> f64 {
    bits(probability) + bits(1.0 - probability)
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_core::{Rng as _, SeedableRng as _};

    use super::*;

    fn history() -> Ancestry {
        // Twenty merges of branches of two commits into a main line.
        let mut parents: Vec<Vec<usize>> = vec![vec![]];
        let mut main = 0;
        for _ in 0..20 {
            let first = parents.len();
            parents.extend([vec![main], vec![first], vec![main, first + 1]]);
            main = parents.len() - 1;
        }
        Ancestry::new(parents)
    }

    /// The result of simulated searches.
    #[derive(Debug)]
    struct Simulated {
        right: f64,
        runs: f64,
    }

    /// Searches for many culprits, with rates that are known from runs on the two ends.
    fn simulate(history: &Ancestry, bad: f64, good: f64, searches: u32) -> Simulated {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut happens = |rate: f64| f64::from(random.next_u32()) < rate * 2_f64.powi(32);
        let (mut right, mut runs) = (0, 0);
        for search in 0..searches as usize {
            let culprit = search * 37 % history.len();
            let mut counts = |rate: f64| {
                let mut counts = RunCounts::default();
                (0..60).for_each(|_| counts.count(happens(rate)));
                counts
            };
            let ends = [counts(bad), counts(good)];
            let mut search = FlakyBisect::new(history.clone(), ends[0], ends[1]);
            while let Some(commit) = search.next_run() {
                let is_bad = history.with_ancestors(commit).contains(culprit);
                search.tell(commit, happens(if is_bad { bad } else { good }));
                assert!(search.runs() < 5000, "it ends");
            }
            right += u32::from(search.culprit() == Some(culprit));
            runs += search.runs();
        }
        Simulated {
            right: f64::from(right) / f64::from(searches),
            runs: runs as f64 / f64::from(searches),
        }
    }

    #[test]
    fn the_culprit_is_right_as_often_as_it_is_claimed() {
        for (bad, good) in [(1.0, 0.0), (0.9, 0.0), (0.5, 0.0), (1.0, 0.3), (0.8, 0.2)] {
            for history in [Ancestry::line(64), history()] {
                let simulated = simulate(&history, bad, good, 200);
                // Nineteen in twenty: the rates are known from sixty runs only.
                assert!(simulated.right >= 0.95, "{bad} {good}: {simulated:?}");
            }
        }
    }

    #[test]
    fn average_runs_at_each_pair_of_rates() {
        let rows = [
            (1.0, 0.0),
            (0.9, 0.0),
            (0.5, 0.0),
            (0.2, 0.0),
            (1.0, 0.3),
            (0.8, 0.2),
        ];
        let rows = rows.map(|(bad, good)| {
            let simulated = simulate(&Ancestry::line(64), bad, good, 200);
            format!(
                "bad {bad}, good {good}: {:.0} runs, {:.0} % right",
                simulated.runs,
                100.0 * simulated.right
            )
        });
        insta::assert_snapshot!(rows.join("\n"), @r"
        bad 1, good 0: 7 runs, 100 % right
        bad 0.9, good 0: 10 runs, 100 % right
        bad 0.5, good 0: 25 runs, 99 % right
        bad 0.2, good 0: 78 runs, 96 % right
        bad 1, good 0.3: 16 runs, 100 % right
        bad 0.8, good 0.2: 30 runs, 98 % right
        ");
    }

    #[test]
    fn past_commits_that_cannot_be_judged_there_are_suspects() {
        let ends = [
            RunCounts { runs: 20, hits: 20 },
            RunCounts { runs: 20, hits: 0 },
        ];
        let mut search = FlakyBisect::new(Ancestry::line(32), ends[0], ends[1]);
        while let Some(commit) = search.next_run() {
            match commit {
                10..=14 => search.skip(commit),
                _ => search.tell(commit, commit >= 12),
            }
        }
        assert_eq!(search.culprit(), None);
        assert_eq!(search.suspects(), [10, 11, 12, 13, 14, 15]);
    }

    #[test]
    fn the_runs_that_are_left_become_fewer() {
        let ends = [
            RunCounts { runs: 99, hits: 99 },
            RunCounts { runs: 99, hits: 0 },
        ];
        let mut search = FlakyBisect::new(Ancestry::line(64), ends[0], ends[1]);
        assert!((6..=7).contains(&search.tests_left()));
        let mut runs = 0;
        while let Some(commit) = search.next_run() {
            search.tell(commit, commit >= 5);
            runs += 1;
        }
        assert!(runs <= 9, "{runs}");
        assert!(search.tests_left() <= 1);
    }
}

//! Times of candidates near the least time that a property asks for, and what is decided from them.

use std::collections::{HashMap, HashSet};

/// A time is borderline when it differs from the least one by less than this share of it: another
/// run may be on the other side.
const SPARE: f64 = 0.2;

/// The most runs that decide about a new candidate.
const MOST_RUNS: usize = 4;

/// What is taken to be known about the noise before any run: this share of the time, with the
/// weight of three deviations.
const PRIOR_NOISE: f64 = 0.05;
const PRIOR_WEIGHT: f64 = 3.0;

/// The quantile of the normal distribution up to which a mean may be chance: one in twenty
/// candidates with the least time is above it.
const QUANTILE: f64 = 1.64;

/// Times of candidates, each as a share of the least one.
///
/// Times vary from run to run. A search that accepts each lucky run removes one token after the
/// other at the limit, and its result does not have the property in the next run. So a candidate
/// is accepted when the mean of its runs is above the limit by more than chance explains, and a
/// candidate that was accepted keeps the property as long as the mean of all its runs is not below
/// the limit. The noise is estimated from candidates with several runs.
///
/// Example: the limit is 4 s, and runs vary by 5 %. A first run of 4.4 s is enough; one of 4.1 s is
/// repeated, and four runs need a mean of 4.17 s.
#[derive(Debug, Default)]
pub(crate) struct CloseTimes {
    /// The runs of each accepted candidate, and of the first one, which is the input.
    accepted: HashMap<[u8; 32], Shares>,
    /// The sum of the squares of the deviations of runs from the mean of their candidate, and the
    /// number of deviations that are independent.
    squares: f64,
    deviations: f64,
    /// The candidates whose first run counted for nothing, because others ran beside it.
    not_alone: HashSet<[u8; 32]>,
}

/// The runs of a candidate.
#[derive(Debug, Clone, Copy, Default)]
struct Shares {
    runs: f64,
    sum: f64,
}

impl Shares {
    fn add(&mut self, share: f64) {
        self.runs += 1.0;
        self.sum += share;
    }

    fn mean(self) -> f64 {
        self.sum / self.runs.max(1.0)
    }
}

/// Returns whether a time is so near the least one that another run may have another verdict.
pub(crate) fn is_borderline(share: f64) -> bool {
    (1.0 - SPARE..1.0 + SPARE).contains(&share)
}

impl CloseTimes {
    /// Adds a run of a candidate that was accepted before, and returns the mean of its runs; `None`
    /// when it was not.
    pub(crate) fn add_to_accepted(&mut self, candidate: &[u8], share: f64) -> Option<f64> {
        let shares = self.accepted.get_mut(blake3::hash(candidate).as_bytes())?;
        shares.add(share);
        Some(shares.mean())
    }

    /// Returns whether a run of a candidate, which was long enough beside other runs, counts for
    /// nothing: the first one of a new candidate. The others may have made it longer.
    pub(crate) fn needs_to_be_alone(&mut self, candidate: &[u8]) -> bool {
        let key = *blake3::hash(candidate).as_bytes();
        !self.is_empty() && !self.accepted.contains_key(&key) && self.not_alone.insert(key)
    }

    /// Returns whether no candidate was accepted.
    pub(crate) fn is_empty(&self) -> bool {
        self.accepted.is_empty()
    }

    /// Returns the mean of the runs of a candidate that was accepted.
    pub(crate) fn mean_of(&self, candidate: &[u8]) -> Option<f64> {
        let shares = self.accepted.get(blake3::hash(candidate).as_bytes())?;
        Some(shares.mean())
    }

    /// Decides about a new candidate by its runs so far; `None` when it needs another one. The
    /// first candidate, which is the input, has no mean to exceed but the least time.
    pub(crate) fn decide(&mut self, candidate: &[u8], shares: &[f64]) -> Option<bool> {
        let mut all = Shares::default();
        shares.iter().for_each(|share| all.add(*share));
        let spare = all.mean() - 1.0;
        let is_first = self.accepted.is_empty();
        let needed = if is_first { 0.0 } else { self.chance(all.runs) };
        let is_last = shares.len() >= MOST_RUNS;
        let accepted = match spare {
            _ if spare >= needed && (!is_first || is_last) => true,
            _ if spare < 0.0 && !is_first || is_last => false,
            _ => return None,
        };
        self.learn_noise(shares, all.mean());
        if accepted {
            self.accepted
                .insert(*blake3::hash(candidate).as_bytes(), all);
        }
        Some(accepted)
    }

    /// Records a run of a candidate that shows the property with enough to spare.
    pub(crate) fn accept(&mut self, candidate: &[u8], share: f64) {
        let key = *blake3::hash(candidate).as_bytes();
        self.accepted.entry(key).or_default().add(share);
    }

    /// Returns whether a time is within the noise of the least one, above it or below it.
    pub(crate) fn is_within_noise(&self, share: f64) -> bool {
        (share - 1.0).abs() < self.chance(1.0)
    }

    /// Returns how far a mean of a number of runs may be above the true one by chance.
    fn chance(&self, runs: f64) -> f64 {
        let prior = PRIOR_WEIGHT * PRIOR_NOISE * PRIOR_NOISE;
        let variance = (prior + self.squares) / (PRIOR_WEIGHT + self.deviations);
        QUANTILE * (variance / runs).sqrt()
    }

    fn learn_noise(&mut self, shares: &[f64], mean: f64) {
        for (index, share) in shares.iter().enumerate() {
            self.squares += (share - mean).powi(2);
            self.deviations += f64::from(u8::from(index > 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns times after an input with much to spare.
    fn after_input() -> CloseTimes {
        let mut times = CloseTimes::default();
        times.accept(b"input", 1.5);
        times
    }

    #[test]
    fn a_time_within_the_noise_of_the_limit_needs_more_runs() {
        let mut times = after_input();
        assert_eq!(times.decide(b"a", &[1.1]), Some(true));
        assert_eq!(times.decide(b"b", &[1.02]), None);
        assert_eq!(times.decide(b"b", &[1.02, 0.95]), Some(false));
        assert_eq!(times.decide(b"c", &[1.02, 1.01, 1.03]), None);
        assert_eq!(times.decide(b"c", &[1.02, 1.01, 1.03, 1.02]), Some(false));
        assert_eq!(times.decide(b"d", &[1.05, 1.04, 1.06, 1.05]), Some(true));
        assert!(times.is_within_noise(0.96) && !times.is_within_noise(0.85));
    }

    #[test]
    fn less_noise_needs_less_to_spare() {
        let mut times = after_input();
        for _ in 0..20 {
            times.decide(b"b", &[1.021, 1.02, 1.02, 1.019]);
        }
        assert_eq!(times.decide(b"c", &[1.04]), Some(true));
        assert_eq!(times.decide(b"d", &[1.02, 1.02, 1.02, 1.02]), Some(true));
    }

    #[test]
    fn an_accepted_candidate_keeps_the_property_while_its_mean_does() {
        let mut times = after_input();
        assert_eq!(times.add_to_accepted(b"a", 1.1), None);
        times.decide(b"a", &[1.1]);
        assert!(times.add_to_accepted(b"a", 0.92).unwrap() > 1.0);
        assert!(times.add_to_accepted(b"a", 0.92).unwrap() < 1.0);
        assert!(times.mean_of(b"a").unwrap() < 1.0);
    }

    #[test]
    fn the_first_run_of_a_new_candidate_beside_others_counts_for_nothing() {
        assert!(!CloseTimes::default().needs_to_be_alone(b"input"));
        let mut times = after_input();
        assert!(!times.needs_to_be_alone(b"input"));
        assert!(times.needs_to_be_alone(b"a"));
        assert!(!times.needs_to_be_alone(b"a"), "it is not refused for ever");
    }

    #[test]
    fn the_input_may_be_at_the_limit_itself() {
        let mut times = CloseTimes::default();
        assert_eq!(times.decide(b"input", &[1.01]), None);
        let shares = [1.01, 0.98, 1.02, 1.01];
        assert_eq!(times.decide(b"input", &shares), Some(true));
        let mut times = CloseTimes::default();
        assert_eq!(times.decide(b"input", &[1.01, 0.9, 0.9, 0.9]), Some(false));
    }

    #[test]
    fn chance_seldom_accepts_a_time_at_the_limit() {
        // A fixed sequence with the spread of 10 %.
        let mut state = 7_u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24) * 0.2 - 0.1
        };
        let mut times = after_input();
        let mut accepted = |mean: f64| {
            let mut count = 0;
            for number in 0..1000_u32 {
                let mut shares = vec![mean + noise()];
                let candidate = [mean.to_le_bytes().as_slice(), &number.to_le_bytes()].concat();
                while shares[0] >= 1.0 {
                    if let Some(is_accepted) = times.decide(&candidate, &shares) {
                        count += u32::from(is_accepted);
                        break;
                    }
                    shares.push(mean + noise());
                }
            }
            count
        };
        assert!(accepted(0.97) < 20);
        assert!(accepted(1.0) < 150);
        assert!(accepted(1.1) > 900);
    }
}

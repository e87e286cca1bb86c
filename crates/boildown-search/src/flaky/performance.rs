//! The performance of a repeat policy: error rates and cost, computed exactly.

use super::{RepeatPolicy, RunCounts};

/// The probable results of a repeat policy for a candidate with a certain hit rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolicyPerformance {
    /// The probability that the candidate is accepted.
    pub accepted: f64,
    /// The probability that the limit on runs decides, not the evidence.
    pub undecided: f64,
    /// The average number of runs.
    pub runs: f64,
}

/// Computes the performance of a policy for a candidate with this hit rate. Enumerates all numbers
/// of runs and hits instead of sampling, so the result is exact.
///
/// # Cost
/// O(n²) steps for n = [`RepeatPolicy::LIMIT`].
#[must_use]
pub fn policy_performance(policy: RepeatPolicy, rate: f64) -> PolicyPerformance {
    let mut all = PolicyPerformance {
        accepted: 0.0,
        undecided: 0.0,
        runs: 0.0,
    };
    // The probability of each number of hits among the undecided cases.
    let mut open = vec![1.0];
    for runs in 1..=RepeatPolicy::LIMIT {
        let before = std::mem::replace(&mut open, vec![0.0; runs as usize + 1]);
        for (hits, probability) in before.into_iter().enumerate() {
            open[hits] += probability * (1.0 - rate);
            open[hits + 1] += probability * rate;
        }
        for (hits, open) in (0..).zip(&mut open) {
            let probability = *open;
            if probability <= 0.0 {
                continue;
            }
            if let Some(accepted) = policy.decide(RunCounts { runs, hits }) {
                all.runs += f64::from(runs) * probability;
                if accepted {
                    all.accepted += probability;
                } else if runs == RepeatPolicy::LIMIT {
                    all.undecided += probability;
                }
                *open = 0.0;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_run_accepts_with_the_probability_of_a_hit() {
        let all = policy_performance(RepeatPolicy::once(), 0.3);
        assert!((all.accepted - 0.3).abs() < 1e-12);
        assert!((all.runs - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_candidate_that_never_hits_is_rejected_after_five_runs() {
        // By hand: the evidence against it is 1/2 · 1/0.4ⁿ + 1/2 · (0.595/0.4)ⁿ, which is 22 after
        // four runs and 52 after five.
        let policy = RepeatPolicy::for_rate(RunCounts {
            runs: 1_000_000,
            hits: 600_000,
        })
        .unwrap();
        let never = policy_performance(policy, 0.0);
        assert!((never.runs - 5.0).abs() < 1e-9, "{never:?}");
        assert!(never.accepted <= 0.0 && never.undecided <= 0.0);
    }
}

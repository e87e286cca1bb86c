//! How a law fares, exactly.

use super::{Law, Tally};

/// What becomes of a candidate of some rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Performance {
    /// The probability that it is accepted.
    pub accepted: f64,
    /// The probability that the limit on runs decides and not the evidence.
    pub undecided: f64,
    /// How many runs it takes on average.
    pub runs: f64,
}

/// Computes what becomes of a candidate of this rate, by going through all that its runs can show: no sampling.
///
/// # Cost
/// O(n²) steps for n = [`Law::LIMIT`].
#[must_use]
pub fn performance(law: Law, rate: f64) -> Performance {
    let mut all = Performance {
        accepted: 0.0,
        undecided: 0.0,
        runs: 0.0,
    };
    // The probability of each number of hits, as long as nothing is decided.
    let mut open = vec![1.0];
    for runs in 1..=Law::LIMIT {
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
            if let Some(accepted) = law.decide(Tally { runs, hits }) {
                all.runs += f64::from(runs) * probability;
                if accepted {
                    all.accepted += probability;
                } else if runs == Law::LIMIT {
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
    fn the_law_of_one_run_fares_as_its_coin_does() {
        let all = performance(Law::once(), 0.3);
        assert!((all.accepted - 0.3).abs() < 1e-12);
        assert!((all.runs - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_candidate_that_never_hits_is_turned_down_after_runs_that_can_be_counted_by_hand() {
        // The evidence against it is 1/2 · 1/0.4ⁿ + 1/2 · (0.595/0.4)ⁿ: 22 after four runs, 52 after five.
        let law = Law::for_rate(Tally {
            runs: 1_000_000,
            hits: 600_000,
        })
        .unwrap();
        let never = performance(law, 0.0);
        assert!((never.runs - 5.0).abs() < 1e-9, "{never:?}");
        assert!(never.accepted <= 0.0 && never.undecided <= 0.0);
    }
}

//! Repeat policies: sequential tests that decide how often a candidate is run.

use super::RunCounts;

/// Maximum probability of accepting a candidate whose hit rate is clearly lower than the input's.
const ACCEPTED_WRONGLY: f64 = 0.01;

/// Maximum probability of rejecting a candidate whose hit rate equals the input's (ignoring the
/// limit on runs). A rejection only makes the result a little larger; a wrong acceptance loses the
/// property.
const REJECTED_WRONGLY: f64 = 0.02;

/// The weight of the hypothesis that a candidate never hits, in the evidence against it. High,
/// because most rejected candidates never hit.
const NEVER_HITS: f64 = 0.5;

/// Maximum average number of runs to accept a candidate with the input's rate, unless that rate is
/// very low.
const AFFORDABLE: f64 = 60.0;

/// A rate is clearly lower if it is at most this share of the input's.
const CLEARLY: f64 = 0.75;

/// If telling rates at the share `CLEARLY` apart takes more than `AFFORDABLE` runs, a smaller share
/// is used, but never a smaller one than this.
const VERY_CLEARLY: f64 = 0.5;

/// A rule for the number of runs of a candidate, which decides whether its hit rate is the input's
/// or clearly lower.
///
/// [`RepeatPolicy::once`] is for properties that hold always or never, [`RepeatPolicy::all_of`] for
/// those that should but were seen not to. [`RepeatPolicy::for_rate`] is a sequential test: after
/// each run, [`decide`](Self::decide) accepts, rejects or asks for another run.
///
/// # Guarantee
/// Each candidate is judged by runs of its own and compared with a cautious estimate of the input's
/// rate, never with the best candidate's, so that small losses do not add up. A candidate whose
/// rate is at most [`clearly_lower`](Self::clearly_lower) is accepted in at most 1 of 100 cases.
/// One with the input's rate is rejected in at most 2 of 100 cases, or because of the limit on
/// runs. Both hold for any number of calls of `decide`.
/// # Cost
/// For candidates that never hit, ln 100 / −ln(1 − rate) runs, which is 5 at a rate of 0.6. For
/// those with the input's rate, about 60 runs, fewer at high rates.
/// # Source
/// A. Wald, *Sequential Tests of Statistical Hypotheses*, Annals of Mathematical Statistics 16(2),
/// 1945. Differs from it: the alternative to the input's rate is a mixture of two lower ones; the
///       likelihood ratio of a mixture bounds errors in the same way (J. Ville, 1939).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RepeatPolicy(RepeatRule);

#[derive(Debug, Clone, Copy, PartialEq)]
enum RepeatRule {
    /// All of this many runs have to hit.
    All(u32),
    Sequential(SequentialTest),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct SequentialTest {
    /// Invariant: `0 < lower < reference < 1`.
    reference: f64,
    lower: f64,
    /// A candidate whose rate is clearly above this one is rejected.
    ceiling: f64,
}

impl RepeatPolicy {
    /// The maximum number of runs of a candidate. A candidate that is undecided then is rejected.
    pub const LIMIT: u32 = 1000;

    /// The lowest rate that can be distinguished from lower ones at an acceptable cost.
    pub const LOWEST: f64 = 0.05;

    /// Returns the policy for a property that holds always or never: one run decides.
    #[must_use]
    pub fn once() -> Self {
        Self::all_of(1)
    }

    /// Returns the policy for a property that should hold always or never, but was seen not to: all
    /// of `runs` runs have to hit.
    #[must_use]
    pub fn all_of(runs: u32) -> Self {
        Self(RepeatRule::All(runs.max(1)))
    }

    /// Returns the policy for a property that held this often on the input, or `None` if its rate
    /// is below [`LOWEST`](Self::LOWEST).
    #[must_use]
    pub fn for_rate(input: RunCounts) -> Option<Self> {
        if input.rate() < Self::LOWEST {
            return None;
        }
        // A cautious estimate: if the reference were higher than the true rate, candidates as good
        // as the input would lie between the two hypotheses, where a decision takes the most runs
        // and is wrong most often.
        let reference = input.cautious();
        Some(Self(RepeatRule::Sequential(SequentialTest {
            reference,
            lower: lower(reference),
            ceiling: 1.0,
        })))
    }

    /// Returns this policy, which also rejects candidates whose rate is clearly above the input's:
    /// they may fail for another reason. Other policies than sequential tests stay as they are.
    #[must_use]
    pub fn with_ceiling(self, input: RunCounts) -> Self {
        match self.0 {
            RepeatRule::All(_) => self,
            RepeatRule::Sequential(test) => Self(RepeatRule::Sequential(SequentialTest {
                ceiling: input.interval().high,
                ..test
            })),
        }
    }

    /// Returns the rate at and below which a candidate is to be rejected; `None` if the policy is
    /// not a sequential test.
    #[must_use]
    pub fn clearly_lower(self) -> Option<f64> {
        match self.0 {
            RepeatRule::All(_) => None,
            RepeatRule::Sequential(policy) => Some(policy.lower),
        }
    }

    /// Returns whether the candidate is accepted, or `None` if it needs more runs.
    #[must_use]
    pub fn decide(self, runs: RunCounts) -> Option<bool> {
        let SequentialTest {
            reference,
            lower,
            ceiling,
        } = match self.0 {
            RepeatRule::All(_) if runs.misses() > 0 => return Some(false),
            RepeatRule::All(all) => return (runs.hits >= all).then_some(true),
            RepeatRule::Sequential(policy) => policy,
        };
        let (hits, misses) = (f64::from(runs.hits), f64::from(runs.misses()));
        // The logarithm of the likelihood ratio: the input's rate to the lower one.
        let log_ratio =
            hits * (reference / lower).ln() + misses * ((1.0 - reference) / (1.0 - lower)).ln();
        if log_ratio >= -ACCEPTED_WRONGLY.ln() {
            return Some(runs.interval().low <= ceiling);
        }
        let never = if runs.hits == 0 {
            -misses * (1.0 - reference).ln()
        } else {
            f64::NEG_INFINITY
        };
        let against = NEVER_HITS * never.exp() + (1.0 - NEVER_HITS) * (-log_ratio).exp();
        (against >= 1.0 / REJECTED_WRONGLY || runs.runs >= Self::LIMIT).then_some(false)
    }
}

/// The largest affordable rate that counts as clearly lower.
fn lower(reference: f64) -> f64 {
    // The evidence for the input's rate that a run at that rate adds on average (Wald's
    // approximation).
    let evidence = |lower: f64| {
        reference * (reference / lower).ln()
            + (1.0 - reference) * ((1.0 - reference) / (1.0 - lower)).ln()
    };
    let needed = -ACCEPTED_WRONGLY.ln() / AFFORDABLE;
    let (mut low, mut high) = (VERY_CLEARLY * reference, CLEARLY * reference);
    if evidence(high) >= needed {
        return high;
    }
    // The evidence falls as the rates approach each other.
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if evidence(middle) >= needed {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::super::policy_performance;
    use super::*;

    const RATES: [f64; 8] = [0.06, 0.1, 0.3, 0.5, 0.6, 0.8, 0.95, 0.995];

    /// The policy for a property whose rate is known exactly.
    fn policy(rate: f64) -> RepeatPolicy {
        RepeatPolicy(RepeatRule::Sequential(SequentialTest {
            reference: rate,
            lower: lower(rate),
            ceiling: 1.0,
        }))
    }

    #[test]
    fn one_run_decides_if_the_property_holds_always_or_never() {
        let policy = RepeatPolicy::once();
        assert_eq!(policy.decide(RunCounts::default()), None);
        assert_eq!(policy.decide(RunCounts { runs: 1, hits: 1 }), Some(true));
        assert_eq!(policy.decide(RunCounts { runs: 1, hits: 0 }), Some(false));
        assert_eq!(policy.clearly_lower(), None);
        let policy = RepeatPolicy::all_of(3);
        assert_eq!(policy.decide(RunCounts { runs: 2, hits: 2 }), None);
        assert_eq!(policy.decide(RunCounts { runs: 3, hits: 3 }), Some(true));
        assert_eq!(policy.decide(RunCounts { runs: 2, hits: 1 }), Some(false));
    }

    #[test]
    fn a_clearly_lower_rate_is_accepted_in_one_of_a_hundred_cases_at_most() {
        for rate in RATES {
            let lower = policy(rate).clearly_lower().unwrap();
            assert!((0.5 * rate..=0.75 * rate).contains(&lower));
            for share in [1.0, 0.9, 0.5, 0.1, 0.0] {
                let accepted = policy_performance(policy(rate), share * lower).accepted;
                assert!(accepted <= 0.01, "{rate}, {share}: {accepted}");
            }
        }
    }

    #[test]
    fn the_inputs_rate_and_higher_ones_are_accepted() {
        for rate in RATES {
            for better in [rate, f64::midpoint(rate, 1.0), 1.0] {
                let all = policy_performance(policy(rate), better);
                // Candidates that are undecided at the limit are not covered by the guarantee.
                assert!(
                    all.accepted + all.undecided >= 0.98,
                    "{rate}, {better}: {all:?}"
                );
                if rate >= 0.1 {
                    assert!(all.undecided < 0.005, "{rate}, {better}: {all:?}");
                }
            }
        }
    }

    #[test]
    fn average_runs_at_each_rate() {
        let table: Vec<String> = RATES
            .iter()
            .map(|&rate| {
                let policy = policy(rate);
                let lower = policy.clearly_lower().unwrap();
                let [never, low, half_way, same] = [0.0, lower, f64::midpoint(lower, rate), rate].map(|rate| policy_performance(policy, rate));
                format!(
                    "{rate}: lower is {lower:.3}; never {:.0} runs, lower {:.0}, half way {:.0} ({:.0} % accepted), same {:.0} ({:.1} % accepted)",
                    never.runs, low.runs, half_way.runs, 100.0 * half_way.accepted, same.runs, 100.0 * same.accepted
                )
            })
            .collect();
        insta::assert_snapshot!(table.join("\n"), @"
        0.06: lower is 0.030; never 73 runs, lower 432, half way 679 (39 % accepted), same 380 (94.5 % accepted)
        0.1: lower is 0.050; never 43 runs, lower 257, half way 496 (51 % accepted), same 227 (97.8 % accepted)
        0.3: lower is 0.150; never 13 runs, lower 71, half way 162 (58 % accepted), same 66 (98.2 % accepted)
        0.5: lower is 0.311; never 7 runs, lower 62, half way 147 (52 % accepted), same 61 (98.4 % accepted)
        0.6: lower is 0.405; never 5 runs, lower 59, half way 145 (49 % accepted), same 60 (98.2 % accepted)
        0.8: lower is 0.600; never 3 runs, lower 44, half way 112 (42 % accepted), same 51 (98.5 % accepted)
        0.95: lower is 0.712; never 2 runs, lower 17, half way 44 (27 % accepted), same 26 (99.2 % accepted)
        0.995: lower is 0.746; never 1 runs, lower 7, half way 17 (14 % accepted), same 18 (99.3 % accepted)
        ");
    }

    #[test]
    fn a_property_that_held_in_all_runs_allows_for_misses() {
        let policy = RepeatPolicy::for_rate(RunCounts { runs: 60, hits: 60 }).unwrap();
        assert_eq!(policy.decide(RunCounts { runs: 1, hits: 0 }), None);
        let all = policy_performance(policy, 0.98);
        assert!(all.accepted > 0.97 && all.runs < 30.0, "{all:?}");
    }

    #[test]
    fn a_policy_with_a_ceiling_rejects_what_holds_much_more_often() {
        let input = RunCounts { runs: 32, hits: 13 };
        let loose = RepeatPolicy::for_rate(input).unwrap();
        let strict = loose.with_ceiling(input);
        let always = RunCounts { runs: 12, hits: 12 };
        assert_eq!(loose.decide(always), Some(true));
        assert_eq!(strict.decide(always), Some(false));
        let same = policy_performance(strict, 0.4);
        assert!(same.accepted > 0.95, "{same:?}");
        assert_eq!(
            RepeatPolicy::once().with_ceiling(input),
            RepeatPolicy::once()
        );
    }

    #[test]
    fn a_property_that_hardly_ever_holds_has_no_policy() {
        assert_eq!(
            RepeatPolicy::for_rate(RunCounts { runs: 200, hits: 9 }),
            None
        );
        assert!(
            RepeatPolicy::for_rate(RunCounts {
                runs: 200,
                hits: 10
            })
            .is_some()
        );
    }
}

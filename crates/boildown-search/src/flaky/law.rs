//! When the runs of a candidate are enough.

use super::Tally;

/// How likely a candidate whose rate is clearly lower is accepted all the same, at most.
const ACCEPTED_WRONGLY: f64 = 0.01;

/// How likely a candidate as good as the input is turned down, at most, but for the limit on runs. A text that stays a little larger is a smaller loss than a
/// property that gets lost.
const REJECTED_WRONGLY: f64 = 0.02;

/// Half of what counts as evidence against a candidate is for the guess that it never hits, because most that are turned down do not.
const NEVER_HITS: f64 = 0.5;

/// How many runs it may take on average to be convinced of a candidate as good as the input, unless its rate is very low.
const AFFORDABLE: f64 = 60.0;

/// A rate is clearly lower when it is below this share of the input's, …
const CLEARLY: f64 = 0.75;

/// … or, where that takes more runs than are affordable, below a smaller share, but never a smaller one than this.
const VERY_CLEARLY: f64 = 0.5;

/// How often a candidate is run to decide whether its rate is the input's or clearly lower.
///
/// [`Law::once`] is for properties that hold always or never, [`Law::all_of`] for those that should. [`Law::for_rate`] is a sequential test, to be asked after each run.
///
/// # Guarantee
/// Each candidate is judged by runs of its own and against the rate of the input, a cautious guess at it, never that of the best so far, so
/// that small losses do not add up. One whose rate is at most [`clearly_lower`](Self::clearly_lower) is accepted in at most 1 of 100 cases; one as good as the
/// input is turned down in at most 2 of 100, or because the limit on runs came first. Both hold at any number of looks.
/// # Cost
/// Of candidates that never hit: ln 100 / −ln(1 − rate) runs, which is 5 at a rate of 0.6. Of those as good as the input: about 60, fewer at high rates.
/// # Source
/// A. Wald, *Sequential Tests of Statistical Hypotheses*, Annals of Mathematical Statistics 16(2), 1945. Differs from it: against the
/// input's rate stands a mixture of two lower ones; a mixture's likelihood ratio bounds errors in the same way (J. Ville, 1939).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law(Rule);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    /// All of so many runs have to hit.
    All(u32),
    Sequential(Sequential),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Sequential {
    /// Invariant: `0 < lower < reference < 1`.
    reference: f64,
    lower: f64,
}

impl Law {
    /// The most often that a candidate is run. Not to have shown by then that its rate is the input's is a reason to turn it down.
    pub const LIMIT: u32 = 1000;

    /// The lowest rate that can be told from lower ones at a bearable cost.
    pub const LOWEST: f64 = 0.05;

    /// The law of a property that holds always or never: one run decides.
    #[must_use]
    pub fn once() -> Self {
        Self::all_of(1)
    }

    /// The law of a property that should hold always or never, but was seen not to: all of so many runs have to hit.
    #[must_use]
    pub fn all_of(runs: u32) -> Self {
        Self(Rule::All(runs.max(1)))
    }

    /// The law of a property that held so often on the input. `None` when it held too rarely.
    #[must_use]
    pub fn for_rate(input: Tally) -> Option<Self> {
        if input.rate() < Self::LOWEST {
            return None;
        }
        // Were it higher than the true rate, candidates as good as the input would be somewhere between good and bad: to decide about these
        // takes most runs, and goes wrong most often.
        let reference = input.cautious();
        Some(Self(Rule::Sequential(Sequential {
            reference,
            lower: lower(reference),
        })))
    }

    /// Returns the rate from which on downwards a candidate is to be turned down; `None` when one run decides.
    #[must_use]
    pub fn clearly_lower(self) -> Option<f64> {
        match self.0 {
            Rule::All(_) => None,
            Rule::Sequential(law) => Some(law.lower),
        }
    }

    /// Returns whether the candidate is as good as the input, once its runs tell.
    #[must_use]
    pub fn decide(self, runs: Tally) -> Option<bool> {
        let Sequential { reference, lower } = match self.0 {
            Rule::All(_) if runs.misses() > 0 => return Some(false),
            Rule::All(all) => return (runs.hits >= all).then_some(true),
            Rule::Sequential(law) => law,
        };
        let (hits, misses) = (f64::from(runs.hits), f64::from(runs.misses()));
        // How much likelier the runs are at the input's rate than at the lower one, as a logarithm.
        let likelier =
            hits * (reference / lower).ln() + misses * ((1.0 - reference) / (1.0 - lower)).ln();
        if likelier >= -ACCEPTED_WRONGLY.ln() {
            return Some(true);
        }
        let never = if runs.hits == 0 {
            -misses * (1.0 - reference).ln()
        } else {
            f64::NEG_INFINITY
        };
        let against = NEVER_HITS * never.exp() + (1.0 - NEVER_HITS) * (-likelier).exp();
        (against >= 1.0 / REJECTED_WRONGLY || runs.runs >= Self::LIMIT).then_some(false)
    }
}

/// The largest affordable rate that counts as clearly lower.
fn lower(reference: f64) -> f64 {
    // On average each run at the input's rate adds so much to the evidence for it (Wald's approximation).
    let evidence = |lower: f64| {
        reference * (reference / lower).ln()
            + (1.0 - reference) * ((1.0 - reference) / (1.0 - lower)).ln()
    };
    let needed = -ACCEPTED_WRONGLY.ln() / AFFORDABLE;
    let (mut low, mut high) = (VERY_CLEARLY * reference, CLEARLY * reference);
    if evidence(high) >= needed {
        return high;
    }
    // The evidence falls as the rates come closer.
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
    use super::super::performance;
    use super::*;

    const RATES: [f64; 8] = [0.06, 0.1, 0.3, 0.5, 0.6, 0.8, 0.95, 0.995];

    /// The law for a property measured exactly.
    fn law(rate: f64) -> Law {
        Law(Rule::Sequential(Sequential {
            reference: rate,
            lower: lower(rate),
        }))
    }

    #[test]
    fn one_run_decides_about_a_property_that_holds_always_or_never() {
        let law = Law::once();
        assert_eq!(law.decide(Tally::default()), None);
        assert_eq!(law.decide(Tally { runs: 1, hits: 1 }), Some(true));
        assert_eq!(law.decide(Tally { runs: 1, hits: 0 }), Some(false));
        assert_eq!(law.clearly_lower(), None);
        let law = Law::all_of(3);
        assert_eq!(law.decide(Tally { runs: 2, hits: 2 }), None);
        assert_eq!(law.decide(Tally { runs: 3, hits: 3 }), Some(true));
        assert_eq!(law.decide(Tally { runs: 2, hits: 1 }), Some(false));
    }

    #[test]
    fn a_clearly_lower_rate_is_accepted_in_one_of_a_hundred_cases_at_most() {
        for rate in RATES {
            let lower = law(rate).clearly_lower().unwrap();
            assert!((0.5 * rate..=0.75 * rate).contains(&lower));
            for share in [1.0, 0.9, 0.5, 0.1, 0.0] {
                let accepted = performance(law(rate), share * lower).accepted;
                assert!(accepted <= 0.01, "{rate}, {share}: {accepted}");
            }
        }
    }

    #[test]
    fn the_inputs_rate_and_higher_ones_are_accepted() {
        for rate in RATES {
            for better in [rate, f64::midpoint(rate, 1.0), 1.0] {
                let all = performance(law(rate), better);
                // What comes to the limit undecided is not covered by the law.
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
    fn what_it_costs() {
        let table: Vec<String> = RATES
            .iter()
            .map(|&rate| {
                let law = law(rate);
                let lower = law.clearly_lower().unwrap();
                let [never, low, half_way, same] = [0.0, lower, f64::midpoint(lower, rate), rate].map(|rate| performance(law, rate));
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
    fn a_rate_measured_as_certain_allows_for_misses() {
        let law = Law::for_rate(Tally { runs: 60, hits: 60 }).unwrap();
        assert_eq!(law.decide(Tally { runs: 1, hits: 0 }), None);
        let all = performance(law, 0.98);
        assert!(all.accepted > 0.97 && all.runs < 30.0, "{all:?}");
    }

    #[test]
    fn a_property_that_hardly_ever_holds_has_no_law() {
        assert_eq!(Law::for_rate(Tally { runs: 200, hits: 9 }), None);
        assert!(
            Law::for_rate(Tally {
                runs: 200,
                hits: 10
            })
            .is_some()
        );
    }
}

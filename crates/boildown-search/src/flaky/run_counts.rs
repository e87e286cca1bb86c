//! Counts of runs and hits, and estimates of the hit rate from them.

/// The numbers of runs and of hits: runs in which the property held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RunCounts {
    /// All runs.
    pub runs: u32,
    /// The runs in which the property held. Invariant: at most `runs`.
    pub hits: u32,
}

/// A confidence interval of a rate, in `0.0..=1.0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateInterval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl RunCounts {
    /// Counts a run.
    pub fn count(&mut self, hit: bool) {
        self.runs += 1;
        self.hits += u32::from(hit);
    }

    /// Returns the runs in which the property did not hold.
    #[must_use]
    pub fn misses(self) -> u32 {
        self.runs - self.hits
    }

    /// Returns the share of runs in which the property held, or 0 if there were none.
    #[must_use]
    pub fn rate(self) -> f64 {
        f64::from(self.hits) / f64::from(self.runs.max(1))
    }

    /// Returns whether there are both hits and misses.
    #[must_use]
    pub fn is_mixed(self) -> bool {
        self.hits > 0 && self.misses() > 0
    }

    /// Returns whether there are enough runs to tell the rate from half of it: 12 hits in at least
    /// 24 runs, or 100 runs. At a rate of 40 % that is about 30 runs.
    #[must_use]
    pub fn is_known_well(self) -> bool {
        self.hits >= 12 && self.runs >= 24 || self.runs >= 100
    }

    /// Returns the interval that holds the true rate in 95 of 100 cases, for any rate. Without
    /// runs, it is all of `0.0..=1.0`.
    ///
    /// # Source
    /// E. B. Wilson, *Probable Inference, the Law of Succession, and Statistical Inference*,
    /// Journal of the American Statistical Association 22(158), 1927. Used instead of the exact
    /// interval of Clopper and Pearson, which is wider than its confidence level requires.
    #[must_use]
    pub fn interval(self) -> RateInterval {
        self.within(1.959_963_984_540_054)
    }

    /// Returns a cautious estimate of the rate: the true rate is lower in about 1 of 6 cases.
    pub(super) fn cautious(self) -> f64 {
        self.within(1.0).low
    }

    /// Returns Wilson's interval: the rates from which the observed rate deviates by at most this
    /// many standard deviations.
    fn within(self, deviations: f64) -> RateInterval {
        if self.runs == 0 {
            return RateInterval {
                low: 0.0,
                high: 1.0,
            };
        }
        let (runs, rate, square) = (f64::from(self.runs), self.rate(), deviations * deviations);
        let scale = 1.0 + square / runs;
        let middle = (rate + square / (2.0 * runs)) / scale;
        let half =
            deviations / scale * (rate * (1.0 - rate) / runs + square / (4.0 * runs * runs)).sqrt();
        RateInterval {
            low: (middle - half).max(0.0),
            high: (middle + half).min(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(hits: u32, runs: u32) -> RunCounts {
        RunCounts { runs, hits }
    }

    #[track_caller]
    fn check(hits: u32, runs: u32, low: f64, high: f64) {
        let interval = counts(hits, runs).interval();
        assert!(
            (interval.low - low).abs() < 5e-4 && (interval.high - high).abs() < 5e-4,
            "{interval:?}"
        );
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        // The examples of R. G. Newcombe, Statistics in Medicine 17, 1998, table I.
        check(81, 263, 0.2553, 0.3662);
        check(15, 148, 0.0624, 0.1605);
        check(0, 20, 0.0, 0.1611);
        check(1, 29, 0.0061, 0.1718);
        assert_eq!(
            counts(0, 0).interval(),
            RateInterval {
                low: 0.0,
                high: 1.0
            }
        );
        assert!(counts(20, 20).interval().high > 0.999_999);
    }

    #[test]
    fn an_interval_holds_the_true_rate_in_about_95_of_100_cases() {
        // Computed from the binomial distribution; the mean is over all rates. Rates above a half
        // mirror those below.
        for runs in [20, 40, 100, 200] {
            let rates: Vec<f64> = (1..=100).map(|step| f64::from(step) / 200.0).collect();
            let covered = |rate: f64| -> f64 {
                let mut probability = (1.0 - rate).powi(i32::try_from(runs).unwrap());
                let mut covered = 0.0;
                for hits in 0..=runs {
                    let interval = counts(hits, runs).interval();
                    if (interval.low..=interval.high).contains(&rate) {
                        covered += probability;
                    }
                    probability *=
                        f64::from(runs - hits) / f64::from(hits + 1) * rate / (1.0 - rate);
                }
                covered
            };
            let all: Vec<f64> = rates.into_iter().map(covered).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            assert!((0.945..0.965).contains(&mean), "{runs} runs: {mean}");
            assert!(all.iter().all(|&share| share > 0.83), "{runs} runs");
        }
    }

    #[test]
    fn runs_and_hits_are_counted() {
        let mut counts = RunCounts::default();
        assert!(!counts.is_mixed());
        for hit in [true, true, false] {
            counts.count(hit);
        }
        assert_eq!((counts.hits, counts.misses(), counts.runs), (2, 1, 3));
        assert!(counts.is_mixed());
    }
}

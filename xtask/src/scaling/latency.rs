//! The virtual time that a test takes.

use boildown_search::Fingerprint;
use clap::ValueEnum;

/// The virtual time that the tests of a replay take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Latency {
    /// Each as long as any other.
    Equal,
    /// Exponentially distributed. The same candidate always takes the same time.
    Exponential,
    /// As long as it took when it was recorded, times what makes the mean of a typical test.
    Measured,
}

impl Latency {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Exponential => "exponential",
            Self::Measured => "measured",
        }
    }

    /// Returns the seconds of a test that took `measured` seconds once, when tests take `mean`
    /// seconds on average.
    pub(super) fn seconds(self, content: Fingerprint, measured: f64, mean: f64) -> f64 {
        match self {
            Self::Equal => mean,
            Self::Exponential => {
                // The fingerprint is well mixed, and independent of the verdict.
                let bits = (content.bits() >> 75) as f64;
                let unit = (bits + 0.5) / (1_u64 << 53) as f64;
                -mean * unit.ln()
            }
            Self::Measured => measured,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_times_have_the_mean_that_was_asked_for() {
        let count = 10_000_u64;
        let total: f64 = (0..count)
            .map(|number| {
                let mixed = u128::from(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) << 64;
                Latency::Exponential.seconds(Fingerprint::new(mixed), 9.0, 0.5)
            })
            .sum();
        let mean = total / count as f64;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}

//! A random number generator with the same results on every machine.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};

/// A `ChaCha8` generator: one of the independent streams of a seed.
#[derive(Debug, Clone)]
pub(crate) struct SeededRng(ChaCha8Rng);

impl SeededRng {
    /// Starts stream number `stream` of a seed.
    ///
    /// Streams are independent: the hundredth list of an experiment does not depend on how many
    /// random numbers the other lists used.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Self(rng)
    }

    /// Returns a number below `bound`, which must be at least 1. Its bias is below bound / 2⁶⁴.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let scaled = (u128::from(self.0.next_u64()) * bound as u128) >> 64;
        usize::try_from(scaled).expect("the number is below `bound`, a usize")
    }

    /// Returns a number in `0.0..1.0`: a multiple of 2⁻⁵³.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with this probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_a_seed_repeat_and_differ() {
        let draw = |seed, stream| {
            let mut rng = SeededRng::new(seed, stream);
            [rng.below(1000), rng.below(1000), rng.below(1000)]
        };
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
    }

    #[test]
    fn every_number_below_the_bound_is_about_equally_frequent() {
        let mut rng = SeededRng::new(7, 0);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6)] += 1;
        }
        assert!(
            counts.iter().all(|&count| count.abs_diff(10_000) < 500),
            "{counts:?}"
        );
        let hits = (0..60_000).filter(|_| rng.chance(0.1)).count();
        assert!(hits.abs_diff(6_000) < 400, "{hits}");
    }
}

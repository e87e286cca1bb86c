//! Hit rates that learn, from counts only.

/// A running estimate of how often questions of one kind are answered `Interesting`.
///
/// Exponentially weighted with a window of about 30 answers, so that it follows a search from its hopeful beginning to its
/// barren end. Deterministic: it depends on the verdicts told, never on the clock.
#[derive(Debug, Clone, Copy)]
pub struct HitRate(f64);

impl HitRate {
    /// How much the newest answer counts.
    const WEIGHT: f64 = 1.0 / 30.0;

    /// Starts from a guess in `0.0..=1.0`.
    #[must_use]
    pub fn new(guess: f64) -> Self {
        Self(guess)
    }

    /// Returns the current estimate, never quite 0 or 1.
    #[must_use]
    pub fn odds(self) -> f64 {
        self.0.clamp(0.001, 0.999)
    }

    /// Counts one answer.
    pub fn learn(&mut self, hit: Hit) {
        let target = match hit {
            Hit::Yes => 1.0,
            Hit::No => 0.0,
        };
        self.0 += (target - self.0) * Self::WEIGHT;
    }
}

/// Whether a question was answered `Interesting`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// It was.
    Yes,
    /// It was `Uninteresting` or `Unresolved`.
    No,
}

impl From<crate::Verdict> for Hit {
    fn from(verdict: crate::Verdict) -> Self {
        if verdict.is_interesting() {
            Self::Yes
        } else {
            Self::No
        }
    }
}

/// Hit rates by size class: deletions of 1, 2–3, 4–7, … elements.
#[derive(Debug, Clone, Copy)]
pub struct RatesBySize([HitRate; 16]);

impl RatesBySize {
    /// Starts every class from the same guess.
    #[must_use]
    pub fn new(guess: f64) -> Self {
        Self([HitRate::new(guess); 16])
    }

    /// Returns the odds of a deletion of `size` elements.
    #[must_use]
    pub fn odds(&self, size: usize) -> f64 {
        self.0[Self::class(size)].odds()
    }

    /// Counts one answer about a deletion of `size` elements.
    pub fn learn(&mut self, size: usize, hit: Hit) {
        self.0[Self::class(size)].learn(hit);
    }

    fn class(size: usize) -> usize {
        (size.max(1).ilog2() as usize).min(15)
    }
}

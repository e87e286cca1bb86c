//! Hit rates, estimated from the answers so far.

/// A running estimate of how often queries of one kind are answered `Interesting`.
///
/// Exponentially weighted with a window of about 30 answers, so that it adapts as hits become
/// rarer. Deterministic: it depends on the told verdicts only.
#[derive(Debug, Clone, Copy)]
pub struct HitRate(f64);

impl HitRate {
    /// The weight of the newest answer.
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

    /// Records one answer.
    pub fn learn(&mut self, hit: Hit) {
        let target = match hit {
            Hit::Yes => 1.0,
            Hit::No => 0.0,
        };
        self.0 += (target - self.0) * Self::WEIGHT;
    }
}

/// The two answers that a hit rate distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// `Interesting`.
    Yes,
    /// `Uninteresting` or `Unresolved`.
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
    /// Starts every class from the same estimate.
    #[must_use]
    pub fn new(guess: f64) -> Self {
        Self([HitRate::new(guess); 16])
    }

    /// Returns the odds of a deletion of `size` elements.
    #[must_use]
    pub fn odds(&self, size: usize) -> f64 {
        self.0[Self::class(size)].odds()
    }

    /// Records one answer to a deletion of `size` elements.
    pub fn learn(&mut self, size: usize, hit: Hit) {
        self.0[Self::class(size)].learn(hit);
    }

    fn class(size: usize) -> usize {
        (size.max(1).ilog2() as usize).min(15)
    }
}

/// Hit rates by kind of query and size class.
#[derive(Debug, Clone)]
pub struct Rates<const KINDS: usize> {
    guesses: [f64; KINDS],
    seen: [[Seen; SIZES]; KINDS],
    of_kind: [Seen; KINDS],
}

/// The number of size classes.
const SIZES: usize = 24;

/// The recent answers of one class.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    asked: f64,
    hits: f64,
}

impl<const KINDS: usize> Rates<KINDS> {
    /// The first estimate weighs as much as this many answers.
    const TRUST: f64 = 3.0;
    /// The factor by which older answers are discounted at each new answer of the class.
    const MEMORY: f64 = 29.0 / 30.0;

    /// Starts from one estimate for each kind.
    #[must_use]
    pub fn new(guesses: [f64; KINDS]) -> Self {
        Self {
            guesses,
            seen: [[Seen::default(); SIZES]; KINDS],
            of_kind: [Seen::default(); KINDS],
        }
    }

    /// Returns the class of a deletion of `size` elements: 0 for 1, 1 for 2–3, 2 for 4–7, …
    #[must_use]
    pub fn class(size: usize) -> usize {
        (size.max(1).ilog2() as usize).min(SIZES - 1)
    }

    /// Returns the odds of a query. Neighbouring size classes count half.
    #[must_use]
    pub fn odds(&self, kind: usize, class: usize) -> f64 {
        let row = &self.seen[kind];
        let mut asked = row[class].asked + Self::TRUST;
        let all = self.of_kind[kind];
        let usual = (all.hits + Self::TRUST * self.guesses[kind]) / (all.asked + Self::TRUST);
        let mut hits = row[class].hits + Self::TRUST * usual.midpoint(self.guesses[kind]);
        for near in [class.checked_sub(1), Some(class + 1)] {
            if let Some(near) = near.and_then(|near| row.get(near)) {
                asked += near.asked / 2.0;
                hits += near.hits / 2.0;
            }
        }
        hits / asked
    }

    /// Records one answer.
    pub fn learn(&mut self, kind: usize, class: usize, hit: Hit) {
        for seen in [&mut self.seen[kind][class], &mut self.of_kind[kind]] {
            seen.asked = seen.asked * Self::MEMORY + 1.0;
            seen.hits = seen.hits * Self::MEMORY + if hit == Hit::Yes { 1.0 } else { 0.0 };
        }
    }
}

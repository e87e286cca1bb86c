//! Fingerprints, by which equal candidates are recognised.

/// A 128-bit hash of the content of a candidate. Candidates with equal fingerprints are treated as
/// equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// Wraps the 128 bits of a hash of the candidate's content.
    #[must_use]
    pub fn new(bits: u128) -> Self {
        Self(bits)
    }

    /// Returns the 128 bits.
    #[must_use]
    pub fn bits(self) -> u128 {
        self.0
    }
}

impl std::fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A candidate with a fingerprint.
pub trait Fingerprinted {
    /// Returns the fingerprint of the tested content. Candidates made in different ways from the
    /// same content are equal.
    fn fingerprint(&self) -> Fingerprint;
}

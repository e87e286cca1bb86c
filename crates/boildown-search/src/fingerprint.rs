//! What makes two candidates the same question.

/// The content of a candidate in 128 bits: equal fingerprints are the same question.
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

/// A candidate that knows its own content.
pub trait Fingerprinted {
    /// Returns the fingerprint of what would be tested. Two candidates made in different ways that test the same are equal.
    fn fingerprint(&self) -> Fingerprint;
}

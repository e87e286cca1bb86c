//! The verdicts that a session does not believe.

/// The verdicts that a session that starts over does not use any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distrusted {
    /// Those from the stores of other runs.
    OfOthers,
    /// Those, and all of earlier sessions.
    Earlier,
}

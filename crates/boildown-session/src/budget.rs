//! When to stop before a search has ended.

use std::time::Duration;

use crate::drive::Spent;
use crate::event::{Progress, Stopped};

/// What a session may spend.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// Stop after so many answers to the search.
    pub questions: Option<u64>,
    /// Stop after this time. The only limit that makes the result depend on the clock.
    pub time: Option<Duration>,
}

/// The size of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// In tokens; while a pass sees lines or bytes, nobody counts them.
    Tokens(usize),
    /// In bytes.
    Bytes(usize),
}

impl Budget {
    /// Returns what is left of it.
    #[must_use]
    pub fn without(self, spent: &Spent) -> Self {
        Self {
            questions: (self.questions).map(|most| most.saturating_sub(spent.questions)),
            time: (self.time).map(|most| most.saturating_sub(spent.elapsed)),
        }
    }

    /// Returns why a session that has spent so much is to stop, when it is.
    pub(crate) fn exceeded(&self, spent: &Spent) -> Option<Stopped> {
        if (self.questions).is_some_and(|most| spent.questions >= most) {
            Some(Stopped::Questions)
        } else if (self.time).is_some_and(|most| spent.elapsed >= most) {
            Some(Stopped::Time)
        } else {
            None
        }
    }
}

impl Size {
    /// Returns whether the best result is no larger.
    pub(crate) fn is_reached(self, progress: &Progress) -> bool {
        match self {
            Self::Bytes(most) => progress.bytes <= most,
            Self::Tokens(most) => progress.tokens.is_some_and(|tokens| tokens <= most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_stops_at_the_first_limit_that_it_comes_to() {
        let budget = Budget {
            questions: Some(10),
            time: Some(Duration::from_secs(5)),
        };
        let at = |questions, seconds| Spent {
            questions,
            elapsed: Duration::from_secs(seconds),
            ..Spent::default()
        };
        assert_eq!(budget.exceeded(&at(9, 4)), None);
        assert_eq!(budget.exceeded(&at(10, 4)), Some(Stopped::Questions));
        assert_eq!(budget.exceeded(&at(9, 5)), Some(Stopped::Time));
        assert_eq!(Budget::default().exceeded(&at(u64::MAX, u64::MAX)), None);
    }

    #[test]
    fn a_size_in_tokens_is_not_reached_where_nobody_counts_them() {
        let at = |tokens| Progress {
            bytes: 9,
            tokens,
            ..Progress::default()
        };
        assert!(Size::Tokens(3).is_reached(&at(Some(3))));
        assert!(!Size::Tokens(3).is_reached(&at(Some(4))));
        assert!(!Size::Tokens(3).is_reached(&at(None)));
        assert!(Size::Bytes(9).is_reached(&at(None)));
        assert!(!Size::Bytes(8).is_reached(&at(None)));
    }
}

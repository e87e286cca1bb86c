//! When to stop before a search has ended.

use std::time::Duration;

use crate::event::{Progress, Stopped};

/// What a session may spend, and what is good enough.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// Stop after so many answers to the search.
    pub questions: Option<u64>,
    /// Stop after this time. The only limit that makes the result depend on the clock.
    pub time: Option<Duration>,
    /// Stop once the best result is no larger.
    pub size: Option<Size>,
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
    /// Returns why a session that has come so far is to stop, when it is.
    pub(crate) fn exceeded(&self, progress: &Progress) -> Option<Stopped> {
        let enough = match self.size {
            Some(Size::Bytes(bytes)) => progress.bytes <= bytes,
            Some(Size::Tokens(most)) => progress.tokens.is_some_and(|tokens| tokens <= most),
            None => false,
        };
        if enough {
            Some(Stopped::SmallEnough)
        } else if (self.questions).is_some_and(|most| progress.questions >= most) {
            Some(Stopped::Questions)
        } else if (self.time).is_some_and(|most| progress.elapsed >= most) {
            Some(Stopped::Time)
        } else {
            None
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
            size: Some(Size::Tokens(3)),
        };
        let at = |questions, seconds, tokens| Progress {
            questions,
            elapsed: Duration::from_secs(seconds),
            tokens,
            ..Progress::default()
        };
        assert_eq!(budget.exceeded(&at(9, 4, Some(4))), None);
        assert_eq!(
            budget.exceeded(&at(10, 4, Some(4))),
            Some(Stopped::Questions)
        );
        assert_eq!(budget.exceeded(&at(9, 5, Some(4))), Some(Stopped::Time));
        assert_eq!(
            budget.exceeded(&at(10, 5, Some(3))),
            Some(Stopped::SmallEnough)
        );
        assert_eq!(budget.exceeded(&at(9, 4, None)), None);
        assert_eq!(
            Budget::default().exceeded(&at(u64::MAX, u64::MAX, Some(0))),
            None
        );
    }
}

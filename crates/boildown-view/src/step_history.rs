//! The results of a run, one after the other, and what one step changed.

use std::sync::Arc;
use std::time::Duration;

use crate::case::{ChangedLine, MAX_DIFFERING, changed_lines, differing};

/// A result of the run. The first one is the input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepRow {
    /// Its size.
    pub bytes: u64,
    /// Its tokens, if they were counted.
    pub tokens: Option<u64>,
    /// The tests before it.
    pub tests: u64,
    /// The time since the beginning of the session that found it.
    pub elapsed: Duration,
    /// The pass that found it, if it is known.
    pub pass: String,
    /// Whether its text is stored, too.
    pub has_text: bool,
}

/// The results, and the one that the user looks at.
#[derive(Debug, Clone, Default)]
pub(crate) struct StepHistory {
    rows: Arc<[StepRow]>,
    at: usize,
    changes: StepChanges,
}

/// What a step changed.
#[derive(Debug, Clone, Default)]
pub(crate) enum StepChanges {
    /// The texts were not read yet.
    #[default]
    Unread,
    /// One of the texts is not stored.
    NotStored,
    /// The texts differ too much.
    TooLarge,
    Lines(Arc<[ChangedLine]>),
}

/// Lines that are shown around a change.
const CONTEXT: usize = 3;

impl StepHistory {
    /// Lists these results. Who looked at the last one, or at none, looks at the new last one.
    pub(crate) fn list(&mut self, rows: Vec<StepRow>) {
        let was_last = self.at + 1 >= self.rows.len();
        self.rows = rows.into();
        if was_last || self.at >= self.rows.len() {
            self.go_to(self.rows.len().saturating_sub(1));
        }
    }

    /// Looks at a result, or at the last one.
    pub(crate) fn go_to(&mut self, place: usize) {
        let place = place.min(self.rows.len().saturating_sub(1));
        if place != self.at {
            (self.at, self.changes) = (place, StepChanges::Unread);
        }
    }

    pub(crate) fn rows(&self) -> &[StepRow] {
        &self.rows
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn changes(&self) -> &StepChanges {
        &self.changes
    }

    /// Returns the number of lines of the step.
    pub(crate) fn lines(&self) -> usize {
        match &self.changes {
            StepChanges::Lines(lines) => lines.len(),
            _ => 0,
        }
    }

    /// Returns the result whose text, and the one before it, have to be read.
    pub(crate) fn wanted(&self) -> Option<usize> {
        let is_unread = matches!(self.changes, StepChanges::Unread);
        (is_unread && self.at > 0).then_some(self.at)
    }

    /// Takes the texts before and after a step.
    pub(crate) fn take_texts(&mut self, place: usize, texts: Option<&[Arc<[u8]>; 2]>) {
        if place != self.at {
            return;
        }
        self.changes = match texts {
            None => StepChanges::NotStored,
            Some([before, after]) => {
                let [old, new] = differing(before, after);
                match old.len().max(new.len()) > MAX_DIFFERING {
                    true => StepChanges::TooLarge,
                    false => StepChanges::Lines(changed_lines(before, after, CONTEXT).into()),
                }
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(sizes: &[u64]) -> Vec<StepRow> {
        let row = |bytes: &u64| StepRow {
            bytes: *bytes,
            ..StepRow::default()
        };
        sizes.iter().map(row).collect()
    }

    #[test]
    fn the_last_result_is_followed_and_an_earlier_one_stays() {
        let mut history = StepHistory::default();
        history.list(rows(&[9, 7, 5]));
        assert_eq!((history.at(), history.wanted()), (2, Some(2)));
        history.list(rows(&[9, 7, 5, 4]));
        assert_eq!(history.at(), 3);
        history.go_to(1);
        history.list(rows(&[9, 7, 5, 4, 3]));
        assert_eq!(history.at(), 1);
        history.go_to(usize::MAX);
        assert_eq!(history.at(), 4);
        history.go_to(0);
        assert_eq!(history.wanted(), None, "the input is no step");
    }

    #[test]
    fn texts_of_another_step_and_texts_that_are_not_stored_show_no_lines() {
        let mut history = StepHistory::default();
        history.list(rows(&[9, 7, 5]));
        let texts = [b"a\nb\n".as_slice().into(), b"a\n".as_slice().into()];
        history.take_texts(1, Some(&texts));
        assert_eq!((history.lines(), history.wanted()), (0, Some(2)));
        history.take_texts(2, Some(&texts));
        assert_eq!((history.lines(), history.wanted()), (2, None));
        history.go_to(1);
        history.take_texts(1, None);
        assert!(matches!(history.changes(), StepChanges::NotStored));
        let large = [vec![b'a'; 400_000].into(), b"".as_slice().into()];
        history.go_to(2);
        history.take_texts(2, Some(&large));
        assert!(matches!(history.changes(), StepChanges::TooLarge));
    }
}

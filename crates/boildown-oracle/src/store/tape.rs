//! The runs on the input that a run begins with.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::record::{Entry, fingerprint_of};
use crate::{Answer, Cancel, Oracle, OracleError};

/// The answers that checking the input took, in their order: those of an earlier session are played back, new ones recorded.
///
/// What is made of them, such as a deduced property and a time limit, is thus the same in every session.
#[derive(Debug, Default)]
pub struct Tape {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    to_play: VecDeque<Entry>,
    played: Vec<Entry>,
}

impl Tape {
    pub(super) fn of(entries: Vec<Entry>) -> Self {
        Self {
            inner: Mutex::new(Inner {
                to_play: entries.into(),
                played: Vec::new(),
            }),
        }
    }

    /// Returns the answer on the candidate that comes next on the tape, or else asks for it and records it.
    ///
    /// # Errors
    /// Those of `ask`. Nothing is recorded then.
    pub fn play(
        &self,
        candidate: &[u8],
        ask: impl FnOnce() -> Result<Answer, OracleError>,
    ) -> Result<Answer, OracleError> {
        let content = fingerprint_of(candidate);
        let next = {
            let mut inner = self.lock();
            let next = inner.to_play.pop_front();
            next.filter(|entry| entry.content == content)
        };
        let entry = match next {
            Some(entry) => entry,
            None => {
                // What comes after another question was an answer to other circumstances.
                self.lock().to_play.clear();
                let answer = ask()?;
                Entry { content, answer }
            }
        };
        let answer = entry.answer.clone();
        self.lock().played.push(entry);
        Ok(answer)
    }

    /// Returns an oracle that answers from the tape as long as it can.
    pub fn over<'a>(&'a self, oracle: &'a dyn Oracle) -> impl Oracle + 'a {
        Taped { tape: self, oracle }
    }

    /// Returns what was played and recorded so far.
    pub(super) fn entries(&self) -> Vec<Entry> {
        self.lock().played.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Taped<'a> {
    tape: &'a Tape,
    oracle: &'a dyn Oracle,
}

impl Oracle for Taped<'_> {
    fn judge(&self, candidate: &[u8], cancel: &Cancel) -> Result<Answer, OracleError> {
        self.tape
            .play(candidate, || self.oracle.judge(candidate, cancel))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FnOracle, Verdict};

    #[test]
    fn a_tape_answers_until_another_question_comes() {
        let answer = |verdict| Answer { verdict, run: None };
        let asked = Mutex::new(0);
        let oracle = FnOracle::new(|_: &[u8]| {
            *asked.lock().unwrap() += 1;
            Verdict::Unresolved
        });
        let cancel = Cancel::new().unwrap();
        let entry = |text: &[u8], verdict| Entry {
            content: fingerprint_of(text),
            answer: answer(verdict),
        };
        let recorded = vec![
            entry(b"a", Verdict::Interesting),
            entry(b"a", Verdict::Uninteresting),
            entry(b"b", Verdict::Interesting),
            entry(b"c", Verdict::Interesting),
        ];
        let tape = Tape::of(recorded.clone());
        let judge = |text: &[u8]| tape.over(&oracle).judge(text, &cancel).unwrap().verdict;
        assert_eq!(judge(b"a"), Verdict::Interesting);
        assert_eq!(judge(b"a"), Verdict::Uninteresting);
        assert_eq!(*asked.lock().unwrap(), 0);
        assert_eq!(judge(b"x"), Verdict::Unresolved);
        assert_eq!(judge(b"c"), Verdict::Unresolved);
        assert_eq!(*asked.lock().unwrap(), 2);
        let entries = tape.entries();
        assert_eq!(entries[..2], recorded[..2]);
        assert_eq!(entries.len(), 4);
    }
}

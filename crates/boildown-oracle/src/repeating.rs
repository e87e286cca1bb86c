//! An oracle that runs a candidate as often as it takes to be sure.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher, Hash};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use boildown_search::flaky::{Law, Tally};

use crate::{Answer, Cancel, Oracle, OracleError, Verdict};

/// An oracle that asks another one about each candidate as often as a [`Law`] says.
///
/// Of a property that should hold always or never, it asks again about some of the candidates on which the property held. One on
/// which it then does not hold is a contradiction: it counts as uninteresting, and [`contradictions`](Self::contradictions) counts it.
#[derive(Debug)]
pub struct Repeating<O> {
    oracle: O,
    law: Law,
    /// What the runs showed of candidates that were cancelled before it was enough, so that no run was in vain.
    unfinished: Mutex<HashMap<u64, Evidence>>,
    runs: AtomicU64,
    contradictions: AtomicU64,
}

/// What the runs of a candidate showed so far.
#[derive(Debug, Clone, Copy, Default)]
struct Evidence {
    tally: Tally,
    unresolved: u32,
}

/// Of the candidates on which a property held that should hold always or never, one in so many is run again.
const ONE_IN: u64 = 8;

/// The most unfinished candidates that are remembered.
const REMEMBERED: usize = 10_000;

impl<O> Repeating<O> {
    /// Returns an oracle that repeats questions to this one.
    pub fn new(oracle: O, law: Law) -> Self {
        Self {
            oracle,
            law,
            unfinished: Mutex::default(),
            runs: AtomicU64::new(0),
            contradictions: AtomicU64::new(0),
        }
    }

    /// Returns the oracle that is asked.
    pub fn inner(&self) -> &O {
        &self.oracle
    }

    /// Returns how often the other oracle has answered.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Returns how often a property that should hold always or never held on a candidate and then did not.
    pub fn contradictions(&self) -> u64 {
        self.contradictions.load(Ordering::Relaxed)
    }

    fn decide(&self, key: u64, tally: Tally) -> Option<bool> {
        let is_doubted = self.law == Law::once() && key.is_multiple_of(ONE_IN);
        if is_doubted && tally.is_mixed() {
            self.contradictions.fetch_add(1, Ordering::Relaxed);
            return Some(false);
        }
        let decided = self.law.decide(tally);
        let is_enough = !is_doubted || decided == Some(false) || tally.runs > 1;
        decided.filter(|_| is_enough)
    }

    fn unfinished(&self) -> MutexGuard<'_, HashMap<u64, Evidence>> {
        self.unfinished
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: ?Sized + Hash, O: Oracle<C>> Oracle<C> for Repeating<O> {
    fn judge(&self, candidate: &C, cancel: &Cancel) -> Result<Answer, OracleError> {
        // The same in every process, so that it is always the same candidates that are run again.
        let key = BuildHasherDefault::<DefaultHasher>::default().hash_one(candidate);
        let mut evidence = self.unfinished().remove(&key).unwrap_or_default();
        loop {
            let answer = self.oracle.judge(candidate, cancel).inspect_err(|_| {
                let mut unfinished = self.unfinished();
                if unfinished.len() >= REMEMBERED {
                    // They only save runs.
                    unfinished.clear();
                }
                unfinished.insert(key, evidence);
            })?;
            self.runs.fetch_add(1, Ordering::Relaxed);
            evidence.tally.count(answer.verdict.is_interesting());
            evidence.unresolved += u32::from(answer.verdict == Verdict::Unresolved);
            let Some(accepted) = self.decide(key, evidence.tally) else {
                continue;
            };
            let verdict = if accepted {
                Verdict::Interesting
            } else if evidence.unresolved == evidence.tally.runs {
                Verdict::Unresolved
            } else {
                Verdict::Uninteresting
            };
            return Ok(Answer {
                verdict,
                run: answer.run,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FnOracle;

    /// Answers by the number of the question, whatever the candidate.
    fn scripted(answers: &[Verdict]) -> FnOracle<impl Fn(&[u8]) -> Verdict + Send + Sync> {
        let answers = answers.to_vec();
        let next = AtomicU64::new(0);
        FnOracle::new(move |_: &[u8]| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            answers[usize::try_from(number).unwrap() % answers.len()]
        })
    }

    fn six_in_ten() -> Law {
        Law::for_rate(Tally {
            runs: 1_000_000,
            hits: 600_000,
        })
        .unwrap()
    }

    /// A text that is looked at twice, or once.
    fn text(doubted: bool) -> Vec<u8> {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        (0_u8..)
            .map(|number| vec![number])
            .find(|text| hasher.hash_one(&text[..]).is_multiple_of(ONE_IN) == doubted)
            .unwrap()
    }

    use Verdict::{Interesting, Uninteresting, Unresolved};

    #[test]
    fn a_candidate_is_run_until_its_rate_is_clear() {
        let cancel = Cancel::new().unwrap();
        for (answers, verdict, runs) in [
            (&[Uninteresting][..], Uninteresting, 5),
            (&[Unresolved], Unresolved, 5),
            (&[Unresolved, Uninteresting], Uninteresting, 5),
            (&[Interesting], Interesting, 12),
            (&[Interesting, Interesting, Uninteresting], Interesting, 32),
            (
                &[Interesting, Uninteresting, Uninteresting],
                Uninteresting,
                36,
            ),
        ] {
            let oracle = Repeating::new(scripted(answers), six_in_ten());
            let answer = oracle.judge(&b"x"[..], &cancel).unwrap();
            assert_eq!(
                (answer.verdict, oracle.runs()),
                (verdict, runs),
                "{answers:?}"
            );
            assert_eq!(oracle.contradictions(), 0);
        }
    }

    #[test]
    fn a_property_that_holds_always_or_never_is_asked_about_once_and_sometimes_twice() {
        let cancel = Cancel::new().unwrap();
        for (answers, doubted, verdict, runs, contradictions) in [
            (&[Interesting, Uninteresting][..], false, Interesting, 1, 0),
            (&[Interesting, Uninteresting], true, Uninteresting, 2, 1),
            (&[Interesting, Interesting], true, Interesting, 2, 0),
            (&[Uninteresting, Interesting], true, Uninteresting, 1, 0),
            (&[Unresolved, Interesting], true, Unresolved, 1, 0),
        ] {
            let oracle = Repeating::new(scripted(answers), Law::once());
            let answer = oracle.judge(&text(doubted)[..], &cancel).unwrap();
            let found = (answer.verdict, oracle.runs(), oracle.contradictions());
            assert_eq!(found, (verdict, runs, contradictions), "{answers:?}");
        }
    }

    #[test]
    fn a_candidate_that_was_cancelled_goes_on_where_it_was() {
        let cancel = Cancel::new().unwrap();
        let asked = AtomicU64::new(0);
        let stop = cancel.clone();
        // The fourth run is the last before somebody cancels.
        let never = FnOracle::new(|_: &[u8]| {
            if asked.fetch_add(1, Ordering::Relaxed) == 3 {
                stop.cancel();
            }
            Uninteresting
        });
        let oracle = Repeating::new(never, six_in_ten());
        assert!(matches!(
            oracle.judge(&b"x"[..], &cancel),
            Err(OracleError::Cancelled)
        ));
        let again = oracle.judge(&b"x"[..], &Cancel::new().unwrap()).unwrap();
        assert_eq!((again.verdict, oracle.runs()), (Uninteresting, 5));
        assert!(oracle.unfinished().is_empty());
    }
}

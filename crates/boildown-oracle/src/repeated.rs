//! An oracle that runs each candidate until the verdict is certain enough.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use boildown_search::flaky::{RepeatPolicy, RunCounts};

use crate::stable_hash::stable_hash;
use crate::{Answer, Interrupt, Oracle, OracleError, Verdict};

/// An oracle that runs another oracle on each candidate as often as a [`RepeatPolicy`] requires.
///
/// With [`RepeatPolicy::once`], the property is expected to hold always or never on a candidate. To
/// verify this, one in eight of the candidates on which it held is run a second time. If the second
/// run disagrees, the candidate counts as uninteresting, and
/// [`contradictions`](Self::contradictions) is incremented.
///
/// A stable hash of the candidate selects the candidates that are run twice, so the selection is
/// the same in every session.
#[derive(Debug)]
pub struct RepeatedOracle<O> {
    oracle: O,
    policy: RepeatPolicy,
    /// The runs of candidates that were interrupted before the verdict was certain, by the hash of
    /// the candidate. The next test of the candidate continues with them.
    unfinished: Mutex<HashMap<u64, Evidence>>,
    /// The runs on the candidates on which the property has held, by the hash of the candidate.
    held: Mutex<HashMap<u64, RunCounts>>,
    runs: AtomicU64,
    contradictions: AtomicU64,
}

/// Which interesting candidates of a deterministic property are run twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rechecks {
    OneInEight,
    None,
}

/// The runs of a candidate so far.
#[derive(Debug, Clone, Copy, Default)]
struct Evidence {
    counts: RunCounts,
    unresolved: u32,
}

/// With [`RepeatPolicy::once`], one in this many interesting candidates is run twice.
const RECHECKED_ONE_IN: u64 = 8;

/// The maximum number of unfinished candidates that are remembered.
const MAX_UNFINISHED: usize = 10_000;

impl<O> RepeatedOracle<O> {
    /// Returns an oracle that runs `oracle` as often as `policy` requires.
    pub fn new(oracle: O, policy: RepeatPolicy) -> Self {
        Self {
            oracle,
            policy,
            unfinished: Mutex::default(),
            held: Mutex::default(),
            runs: AtomicU64::new(0),
            contradictions: AtomicU64::new(0),
        }
    }

    /// Returns the oracle that is repeated.
    pub fn inner(&self) -> &O {
        &self.oracle
    }

    /// Returns how often the repeated oracle has answered.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Returns on how many candidates the property held in one run and not in another, though it
    /// was expected to hold always or never.
    pub fn contradictions(&self) -> u64 {
        self.contradictions.load(Ordering::Relaxed)
    }

    /// Returns the runs that led to the answers on a candidate, if the property has held on it.
    pub fn runs_on<C: ?Sized + Hash>(&self, candidate: &C) -> RunCounts {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.get(&stable_hash(candidate))
            .copied()
            .unwrap_or_default()
    }

    /// Returns this oracle without the second run of one in eight candidates: for candidates that
    /// are put to it several times to confirm them. It counts the same runs.
    pub fn without_rechecks(&self) -> WithoutRechecks<'_, O> {
        WithoutRechecks(self)
    }

    /// Returns whether a candidate with these runs is interesting; `None` when it needs another
    /// run.
    fn decide(&self, key: u64, counts: RunCounts, rechecks: Rechecks) -> Option<bool> {
        let is_rechecked =
            rechecks == Rechecks::OneInEight && self.policy == RepeatPolicy::once() && selects(key);
        if is_rechecked && counts.is_mixed() {
            self.contradictions.fetch_add(1, Ordering::Relaxed);
            return Some(false);
        }
        let decided = self.policy.decide(counts);
        let is_enough = !is_rechecked || decided == Some(false) || counts.runs > 1;
        decided.filter(|_| is_enough)
    }

    fn unfinished(&self) -> MutexGuard<'_, HashMap<u64, Evidence>> {
        self.unfinished
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether the candidate with this hash is run twice when it is interesting.
fn selects(key: u64) -> bool {
    key.is_multiple_of(RECHECKED_ONE_IN)
}

impl<O> RepeatedOracle<O> {
    /// Adds the runs of a candidate to those before, if the property has held on it.
    fn record(&self, key: u64, counts: RunCounts, accepted: bool) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if accepted || held.contains_key(&key) {
            let all = held.entry(key).or_default();
            all.runs += counts.runs;
            all.hits += counts.hits;
        }
    }

    fn judge_with<C: ?Sized + Hash>(
        &self,
        candidate: &C,
        rechecks: Rechecks,
        interrupt: &Interrupt,
    ) -> Result<Answer, OracleError>
    where
        O: Oracle<C>,
    {
        let key = stable_hash(candidate);
        let mut evidence = self.unfinished().remove(&key).unwrap_or_default();
        loop {
            let answer = self.oracle.judge(candidate, interrupt).inspect_err(|_| {
                let mut unfinished = self.unfinished();
                if unfinished.len() >= MAX_UNFINISHED {
                    // They only save runs, so forgetting them is harmless.
                    unfinished.clear();
                }
                unfinished.insert(key, evidence);
            })?;
            self.runs.fetch_add(1, Ordering::Relaxed);
            evidence.counts.count(answer.verdict.is_interesting());
            evidence.unresolved += u32::from(answer.verdict == Verdict::Unresolved);
            let Some(accepted) = self.decide(key, evidence.counts, rechecks) else {
                continue;
            };
            self.record(key, evidence.counts, accepted);
            let verdict = if accepted {
                Verdict::Interesting
            } else if evidence.unresolved == evidence.counts.runs {
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

impl<C: ?Sized + Hash, O: Oracle<C>> Oracle<C> for RepeatedOracle<O> {
    fn judge(&self, candidate: &C, interrupt: &Interrupt) -> Result<Answer, OracleError> {
        self.judge_with(candidate, Rechecks::OneInEight, interrupt)
    }
}

/// A [`RepeatedOracle`] that runs no candidate twice if its policy asks for one run.
#[derive(Debug)]
pub struct WithoutRechecks<'a, O>(&'a RepeatedOracle<O>);

impl<C: ?Sized + Hash, O: Oracle<C>> Oracle<C> for WithoutRechecks<'_, O> {
    fn judge(&self, candidate: &C, interrupt: &Interrupt) -> Result<Answer, OracleError> {
        (self.0).judge_with(candidate, Rechecks::None, interrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FnOracle;

    /// Returns an oracle that gives these answers one after the other, whatever the candidate is.
    fn scripted(answers: &[Verdict]) -> FnOracle<impl Fn(&[u8]) -> Verdict + Send + Sync> {
        let answers = answers.to_vec();
        let next = AtomicU64::new(0);
        FnOracle::new(move |_: &[u8]| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            answers[usize::try_from(number).unwrap() % answers.len()]
        })
    }

    fn six_in_ten() -> RepeatPolicy {
        RepeatPolicy::for_rate(RunCounts {
            runs: 1_000_000,
            hits: 600_000,
        })
        .unwrap()
    }

    /// Returns a candidate that is selected for a second run, or one that is not.
    fn candidate(selected: bool) -> Vec<u8> {
        (0_u8..)
            .map(|number| vec![number])
            .find(|text| selects(stable_hash(&text[..])) == selected)
            .unwrap()
    }

    use Verdict::{Interesting, Uninteresting, Unresolved};

    #[test]
    fn a_candidate_is_run_until_its_hit_rate_is_certain() {
        let interrupt = Interrupt::new().unwrap();
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
            let oracle = RepeatedOracle::new(scripted(answers), six_in_ten());
            let answer = oracle.judge(&b"x"[..], &interrupt).unwrap();
            assert_eq!(
                (answer.verdict, oracle.runs()),
                (verdict, runs),
                "{answers:?}"
            );
            assert_eq!(oracle.contradictions(), 0);
        }
    }

    #[test]
    fn one_in_eight_interesting_candidates_of_a_deterministic_property_is_run_twice() {
        let interrupt = Interrupt::new().unwrap();
        for (answers, selected, verdict, runs, contradictions) in [
            (&[Interesting, Uninteresting][..], false, Interesting, 1, 0),
            (&[Interesting, Uninteresting], true, Uninteresting, 2, 1),
            (&[Interesting, Interesting], true, Interesting, 2, 0),
            (&[Uninteresting, Interesting], true, Uninteresting, 1, 0),
            (&[Unresolved, Interesting], true, Unresolved, 1, 0),
        ] {
            let oracle = RepeatedOracle::new(scripted(answers), RepeatPolicy::once());
            let answer = oracle.judge(&candidate(selected)[..], &interrupt).unwrap();
            let found = (answer.verdict, oracle.runs(), oracle.contradictions());
            assert_eq!(found, (verdict, runs, contradictions), "{answers:?}");
        }
    }

    #[test]
    fn a_candidate_that_is_confirmed_is_run_once_each_time_and_all_its_runs_count() {
        let interrupt = Interrupt::new().unwrap();
        let oracle = RepeatedOracle::new(
            scripted(&[Interesting, Interesting, Interesting, Uninteresting]),
            RepeatPolicy::once(),
        );
        let selected = candidate(true);
        let ask = |oracle: &dyn Oracle| oracle.judge(&selected, &interrupt).unwrap().verdict;
        assert_eq!(ask(&oracle), Interesting);
        assert_eq!(oracle.runs(), 2);
        assert_eq!(ask(&oracle.without_rechecks()), Interesting);
        assert_eq!(ask(&oracle.without_rechecks()), Uninteresting);
        let counts = RunCounts { runs: 4, hits: 3 };
        assert_eq!(oracle.runs_on(&selected[..]), counts);
        assert_eq!((oracle.runs(), oracle.contradictions()), (4, 0));
        assert_eq!(oracle.runs_on(&candidate(false)[..]), RunCounts::default());
    }

    #[test]
    fn an_interrupted_candidate_keeps_its_runs() {
        let interrupt = Interrupt::new().unwrap();
        let asked = AtomicU64::new(0);
        let stop = interrupt.clone();
        // Triggers the interrupt during the fourth run.
        let never = FnOracle::new(|_: &[u8]| {
            if asked.fetch_add(1, Ordering::Relaxed) == 3 {
                stop.trigger();
            }
            Uninteresting
        });
        let oracle = RepeatedOracle::new(never, six_in_ten());
        assert!(matches!(
            oracle.judge(&b"x"[..], &interrupt),
            Err(OracleError::Interrupted)
        ));
        let again = oracle.judge(&b"x"[..], &Interrupt::new().unwrap()).unwrap();
        assert_eq!((again.verdict, oracle.runs()), (Uninteresting, 5));
        assert!(oracle.unfinished().is_empty());
    }
}

//! The recording of the baseline runs, which precede the search.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::record::{BaselineRun, fingerprint_of};
use boildown_oracle::{Answer, Interrupt, Oracle, OracleError, Run, Verdict};

/// The answers of the baseline runs, in order: those of an earlier session are replayed, new ones
/// are recorded.
///
/// A deduced property and the time limit follow from the baseline runs, so replaying them makes
/// both the same in every session.
///
/// A recording is replayed as long as the candidates come in the recorded order. For example, with
/// a recording of the candidates a, a, b, c: the sequence a, a, x, c replays the first two answers,
/// and asks the oracle about x and c.
#[derive(Debug, Default)]
pub struct BaselineRecording {
    state: Mutex<RecordingState>,
}

#[derive(Debug, Default)]
struct RecordingState {
    /// The runs of the earlier session that were not replayed yet.
    to_replay: VecDeque<BaselineRun>,
    /// The runs that were replayed or recorded in this session.
    done: Vec<BaselineRun>,
    /// The number of these that an earlier session made.
    replayed: usize,
}

impl BaselineRecording {
    pub(super) fn of_earlier_session(runs: Vec<BaselineRun>) -> Self {
        Self {
            state: Mutex::new(RecordingState {
                to_replay: runs.into(),
                ..RecordingState::default()
            }),
        }
    }

    /// Returns a recording that replays these runs on the candidate first, as if they had just been
    /// made. Their verdicts are not known yet.
    #[must_use]
    pub fn of_runs(candidate: &[u8], runs: impl IntoIterator<Item = Run>) -> Self {
        let content = fingerprint_of(candidate);
        let runs = runs.into_iter().map(|run| BaselineRun {
            content,
            answer: Answer {
                verdict: Verdict::Unresolved,
                run: Some(run),
            },
        });
        Self::of_earlier_session(runs.collect())
    }

    /// Returns the recorded answer if this candidate is the next of the recording. Otherwise calls
    /// `ask`, records its answer, and drops the rest of the earlier recording.
    ///
    /// # Errors
    /// Those of `ask`. Nothing is recorded then.
    pub fn replay_or_ask(
        &self,
        candidate: &[u8],
        ask: impl FnOnce() -> Result<Answer, OracleError>,
    ) -> Result<Answer, OracleError> {
        let content = fingerprint_of(candidate);
        let next = {
            let mut state = self.lock();
            let next = state.to_replay.pop_front();
            next.filter(|run| run.content == content)
        };
        let run = match next {
            Some(run) => {
                self.lock().replayed += 1;
                run
            }
            None => {
                // The runs after another candidate were made in other circumstances.
                self.lock().to_replay.clear();
                let answer = ask()?;
                BaselineRun { content, answer }
            }
        };
        let answer = run.answer.clone();
        self.lock().done.push(run);
        Ok(answer)
    }

    /// Returns whether all runs so far were made by an earlier session, so that they say nothing
    /// about the present.
    pub fn is_replay(&self) -> bool {
        let state = self.lock();
        !state.done.is_empty() && state.replayed == state.done.len()
    }

    /// Returns an oracle that replays this recording as long as possible, and then asks `oracle`.
    pub fn wrap<'a>(&'a self, oracle: &'a dyn Oracle) -> impl Oracle + 'a {
        RecordedOracle {
            recording: self,
            oracle,
        }
    }

    /// Returns the runs that were replayed or recorded so far.
    pub(super) fn runs(&self) -> Vec<BaselineRun> {
        self.lock().done.clone()
    }

    fn lock(&self) -> MutexGuard<'_, RecordingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct RecordedOracle<'a> {
    recording: &'a BaselineRecording,
    oracle: &'a dyn Oracle,
}

impl Oracle for RecordedOracle<'_> {
    fn judge(&self, candidate: &[u8], interrupt: &Interrupt) -> Result<Answer, OracleError> {
        self.recording
            .replay_or_ask(candidate, || self.oracle.judge(candidate, interrupt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use boildown_oracle::FnOracle;

    #[test]
    fn a_recording_is_replayed_until_another_candidate_comes() {
        let answer = |verdict| Answer { verdict, run: None };
        let asked = Mutex::new(0);
        let oracle = FnOracle::new(|_: &[u8]| {
            *asked.lock().unwrap() += 1;
            Verdict::Unresolved
        });
        let interrupt = Interrupt::new().unwrap();
        let run = |candidate: &[u8], verdict| BaselineRun {
            content: fingerprint_of(candidate),
            answer: answer(verdict),
        };
        let earlier = vec![
            run(b"a", Verdict::Interesting),
            run(b"a", Verdict::Uninteresting),
            run(b"b", Verdict::Interesting),
            run(b"c", Verdict::Interesting),
        ];
        let recording = BaselineRecording::of_earlier_session(earlier.clone());
        let recorded = recording.wrap(&oracle);
        let judge = |candidate: &[u8]| recorded.judge(candidate, &interrupt).unwrap().verdict;
        assert_eq!(judge(b"a"), Verdict::Interesting);
        assert_eq!(judge(b"a"), Verdict::Uninteresting);
        assert_eq!(*asked.lock().unwrap(), 0);
        assert!(recording.is_replay());
        assert_eq!(judge(b"x"), Verdict::Unresolved);
        assert_eq!(judge(b"c"), Verdict::Unresolved);
        assert_eq!(*asked.lock().unwrap(), 2);
        assert!(!recording.is_replay());
        let runs = recording.runs();
        assert_eq!(runs[..2], earlier[..2]);
        assert_eq!(runs.len(), 4);
    }
}

//! Steps of a reduction after which the command fails in another way, although the property holds.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use boildown_oracle::{Answer, Interrupt, Oracle, OracleError, Outcome, Run, Signature, Verdict};
use boildown_search::Fingerprint;
use boildown_store::fingerprint_of;

/// The form of a failure: how the run ended, and which crash its output reports. A property usually
/// states less.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureForm {
    outcome: Outcome,
    signature: Option<Signature>,
}

impl FailureForm {
    /// Returns the form of a run.
    #[must_use]
    pub fn of_run(run: &Run) -> Self {
        Self {
            outcome: run.outcome,
            signature: Signature::of_run(run),
        }
    }

    /// Returns this form for runs whose output is not read.
    #[must_use]
    pub fn without_output(&self) -> Self {
        Self {
            outcome: self.outcome,
            signature: None,
        }
    }

    /// Returns whether two failures differ in more than the number of an exit code: a compiler may
    /// exit with the number of its errors.
    fn is_another_kind(&self, other: &Self) -> bool {
        // A shell adds 128 to the number of a signal.
        let is_plain = |outcome| matches!(outcome, Outcome::Exited(1..=128));
        let is_other_end =
            self.outcome != other.outcome && !(is_plain(self.outcome) && is_plain(other.outcome));
        is_other_end || self.signature != other.signature
    }

    /// Returns the crash that the output reports.
    #[must_use]
    pub fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }
}

impl fmt::Display for FailureForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.signature {
            Some(signature) => write!(f, "{signature} ({})", self.outcome),
            None => write!(f, "{}, no crash reported", self.outcome),
        }
    }
}

/// The step at which the failure took the form that it has on the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedForm {
    /// The number of the improvement, from 1.
    pub step: u64,
    /// The number of improvements in all.
    pub steps: u64,
    /// The size after that step, in bytes.
    pub bytes: usize,
    /// The form before.
    pub before: FailureForm,
    /// The form since.
    pub after: FailureForm,
}

/// An oracle that passes on the answers of another one, and compares the form of the failure with
/// that of the input.
pub(super) struct FormObserver<'a> {
    oracle: &'a dyn Oracle,
    expected: &'a FailureForm,
    /// Whether candidates of another form are uninteresting.
    is_strict: bool,
    /// The forms of interesting candidates.
    seen: Mutex<HashMap<Fingerprint, Arc<FailureForm>>>,
}

impl<'a> FormObserver<'a> {
    pub(super) fn new(oracle: &'a dyn Oracle, expected: &'a FailureForm, is_strict: bool) -> Self {
        Self {
            oracle,
            expected,
            is_strict,
            seen: Mutex::default(),
        }
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<Fingerprint, Arc<FailureForm>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the form of the failure on the input.
    pub(super) fn expected(&self) -> &'a FailureForm {
        self.expected
    }

    /// Returns the form of the failure on an interesting text; `None` if this session did not run
    /// it.
    pub(super) fn form_of(&self, text: &[u8]) -> Option<Arc<FailureForm>> {
        self.seen().get(&fingerprint_of(text)).cloned()
    }
}

impl Oracle for FormObserver<'_> {
    fn judge(&self, candidate: &[u8], interrupt: &Interrupt) -> Result<Answer, OracleError> {
        let mut answer = self.oracle.judge(candidate, interrupt)?;
        if let (true, Some(run)) = (answer.verdict.is_interesting(), &answer.run) {
            let form = FailureForm::of_run(run);
            if self.is_strict && form != *self.expected {
                answer.verdict = Verdict::Uninteresting;
            } else {
                self.seen().insert(fingerprint_of(candidate), form.into());
            }
        }
        Ok(answer)
    }
}

/// Follows the form of the failure from one improvement to the next.
#[derive(Debug, Default)]
pub(super) struct FormHistory {
    /// Improvements so far.
    steps: u64,
    last: Option<Arc<FailureForm>>,
    /// The last change of form.
    change: Option<ChangedForm>,
}

impl FormHistory {
    /// Starts from a text whose failure has this form, if that is known.
    pub(super) fn starting_from(form: Option<Arc<FailureForm>>) -> Self {
        Self {
            last: form,
            ..Self::default()
        }
    }

    /// Adds an improvement to `bytes` bytes. Its form is `None` when this session did not run it.
    pub(super) fn add(
        &mut self,
        form: Option<Arc<FailureForm>>,
        expected: &FailureForm,
        bytes: usize,
    ) {
        self.steps += 1;
        let Some(form) = form else { return };
        let before = self.last.as_deref().unwrap_or(expected);
        if form.is_another_kind(before) {
            self.change = Some(ChangedForm {
                step: self.steps,
                steps: 0,
                bytes,
                before: before.clone(),
                after: FailureForm::clone(&form),
            });
        }
        self.last = Some(form);
    }

    /// Returns the step since which the failure has the form of the result, unless it is that of
    /// the input.
    pub(super) fn changed(&self, expected: &FailureForm) -> Option<ChangedForm> {
        let change = self
            .change
            .clone()
            .filter(|change| change.after.is_another_kind(expected))?;
        Some(ChangedForm {
            steps: self.steps,
            ..change
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn run(stderr: &str) -> Run {
        Run {
            outcome: Outcome::Signalled(6),
            stdout: Vec::new(),
            stderr: stderr.into(),
            took: Duration::ZERO,
        }
    }

    fn form(what: &str) -> FailureForm {
        FailureForm::of_run(&run(&format!("a.c:1: f: Assertion `{what}' failed.\n")))
    }

    #[test]
    fn the_last_change_counts_unless_it_leads_back() {
        let (input, other) = (form("depth"), form("width"));
        let mut history = FormHistory::default();
        let mut add = |form: Option<&FailureForm>| {
            history.add(form.cloned().map(Arc::new), &input, 9);
            history.changed(&input)
        };
        assert_eq!(add(Some(&input)), None);
        let changed = add(Some(&other)).unwrap();
        assert_eq!((changed.step, changed.steps, changed.bytes), (2, 2, 9));
        assert_eq!((&changed.before, &changed.after), (&input, &other));
        assert_eq!(
            add(None).map(|changed| (changed.step, changed.steps)),
            Some((2, 3))
        );
        assert_eq!(add(Some(&other)).map(|changed| changed.step), Some(2));
        assert_eq!(add(Some(&input)), None, "it is that of the input again");
    }

    #[test]
    fn another_exit_code_alone_is_no_change() {
        let ended = |outcome| FailureForm {
            outcome,
            signature: None,
        };
        let eight = ended(Outcome::Exited(8));
        for (outcome, is_change) in [
            (Outcome::Exited(1), false),
            (Outcome::Exited(0), true),
            (Outcome::Exited(139), true),
            (Outcome::Signalled(11), true),
            (Outcome::TimedOut, true),
        ] {
            let mut history = FormHistory::default();
            history.add(Some(ended(outcome).into()), &eight, 9);
            assert_eq!(history.changed(&eight).is_some(), is_change, "{outcome}");
        }
    }

    /// Its runs report an assertion with the text of the candidate.
    struct Asserts;

    impl Oracle for Asserts {
        fn judge(&self, candidate: &[u8], _: &Interrupt) -> Result<Answer, OracleError> {
            let what = String::from_utf8_lossy(candidate);
            Ok(Answer {
                verdict: Verdict::Interesting,
                run: Some(run(&format!("a.c:1: f: Assertion `{what}' failed.\n"))),
            })
        }
    }

    #[test]
    fn candidates_of_another_form_are_noted_or_refused() {
        let expected = form("depth");
        let interrupt = Interrupt::new().unwrap();
        for is_strict in [false, true] {
            let observer = FormObserver::new(&Asserts, &expected, is_strict);
            let is_hit = |text: &[u8]| {
                let answer = observer.judge(text, &interrupt).unwrap();
                answer.verdict.is_interesting()
            };
            assert!(is_hit(b"depth"));
            assert_eq!(is_hit(b"width"), !is_strict);
            assert_eq!(observer.form_of(b"depth").as_deref(), Some(&expected));
            assert_eq!(observer.form_of(b"width").is_some(), !is_strict);
        }
    }
}

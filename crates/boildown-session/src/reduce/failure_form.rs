//! The form of the failure: how a run ended, and which crash and which errors its output reports.
//! An oracle compares that of candidates with that of the input, and notes when it changes.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use boildown_oracle::{
    Answer, Interrupt, Oracle, OracleError, Outcome, Run, Signature, Verdict, errors_of_runs,
    is_of_kind,
};
use boildown_search::Fingerprint;
use boildown_show::ChangedFormRecord;
use boildown_store::fingerprint_of;

use super::stages::OracleStage;

/// The form of a failure: how the run ended, and which crash or errors its output reports. A
/// property usually states less.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureForm {
    /// `None` when it does not matter.
    outcome: Option<Outcome>,
    signature: Option<Signature>,
    /// The kinds of errors that were reported, unless the program crashed.
    errors: BTreeSet<String>,
}

/// The number of errors that are shown of a form.
const SHOWN_ERRORS: usize = 3;

impl FailureForm {
    /// Returns the form of a run.
    #[must_use]
    pub fn of_run(run: &Run) -> Self {
        Self::of_runs(&[run])
    }

    /// Returns the form of runs on the same input: that of the first one, in which what varies from
    /// run to run is left open.
    ///
    /// # Panics
    /// When there is no run.
    #[must_use]
    pub fn of_runs(runs: &[&Run]) -> Self {
        let mut signature = Signature::of_run(runs[0]);
        for other in runs[1..].iter().filter_map(|run| Signature::of_run(run)) {
            signature = signature.map(|signature| signature.opened_by(&other));
        }
        let errors = match signature {
            Some(_) => BTreeSet::new(),
            None => errors_of_runs(runs.iter().copied()),
        };
        Self {
            outcome: Some(runs[0].outcome),
            signature,
            errors,
        }
    }

    /// Returns this form for runs whose output is not read.
    #[must_use]
    pub fn without_output(&self) -> Self {
        Self {
            outcome: self.outcome,
            signature: None,
            errors: BTreeSet::new(),
        }
    }

    /// Returns this form for a property that does not depend on how a run ends, such as its time.
    #[must_use]
    pub fn without_outcome(self) -> Self {
        Self {
            outcome: None,
            ..self
        }
    }

    /// Returns whether two failures differ in more than the number of an exit code, which may be
    /// the number of errors of a compiler, or whether the other one lacks an error of this one.
    fn is_another_kind(&self, other: &Self) -> bool {
        // A shell adds 128 to the number of a signal.
        let is_plain = |outcome| matches!(outcome, Outcome::Exited(1..=128));
        let is_other_end = match (self.outcome, other.outcome) {
            (Some(own), Some(other)) => own != other && !(is_plain(own) && is_plain(other)),
            _ => false,
        };
        is_other_end || self.has_other_crash(other) || self.new_error(other).is_some()
    }

    fn has_other_crash(&self, other: &Self) -> bool {
        match (&self.signature, &other.signature) {
            (Some(own), Some(other)) => !own.is_of(other) && !other.is_of(own),
            (own, other) => own != other,
        }
    }

    /// Returns an error that the other failure does not report.
    fn new_error(&self, other: &Self) -> Option<&String> {
        self.errors
            .iter()
            .find(|error| !other.errors.iter().any(|kind| is_of_kind(error, kind)))
    }

    /// Returns the crash that the output reports.
    pub fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// Returns whether the failure is an error that a compiler or checker reports about its input.
    pub fn is_diagnostic(&self) -> bool {
        !self.errors.is_empty()
    }
}

impl fmt::Display for FailureForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.signature {
            Some(signature) => signature.to_string(),
            None if self.errors.is_empty() => "no crash reported".to_owned(),
            None => {
                let shown: Vec<_> = self.errors.iter().take(SHOWN_ERRORS).cloned().collect();
                let more = if self.errors.len() > SHOWN_ERRORS {
                    "; …"
                } else {
                    ""
                };
                format!("errors: {}{more}", shown.join("; "))
            }
        };
        match self.outcome {
            Some(outcome) => write!(f, "{what} ({outcome})"),
            None => f.write_str(&what),
        }
    }
}

/// The forms of failures that are refused, though the property holds on the candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedForms {
    /// None.
    None,
    /// Those with an error that the input does not report: the property is about one error, and
    /// the candidate has another one, such as a syntax error, as well.
    NewErrors,
    /// All others than that of the input.
    Others,
}

/// Compares the form of the failure with that of the input.
pub(super) struct FormObserver<'a> {
    expected: &'a FailureForm,
    refused: RefusedForms,
    /// The input, which is never refused: what runs on it report belongs to its failure.
    input: Fingerprint,
    /// The forms of interesting candidates.
    seen: Mutex<HashMap<Fingerprint, Arc<FailureForm>>>,
    /// New errors of candidates that were refused.
    new_errors: Mutex<HashMap<Fingerprint, Arc<str>>>,
}

impl<'a> FormObserver<'a> {
    pub(super) fn new(expected: &'a FailureForm, refused: RefusedForms, input: &[u8]) -> Self {
        Self {
            expected,
            refused,
            input: fingerprint_of(input),
            seen: Mutex::default(),
            new_errors: Mutex::default(),
        }
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<Fingerprint, Arc<FailureForm>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new_errors(&self) -> MutexGuard<'_, HashMap<Fingerprint, Arc<str>>> {
        self.new_errors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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

    /// Returns the new error because of which this session refused a text.
    pub(super) fn new_error_of(&self, text: &[u8]) -> Option<Arc<str>> {
        match self.refused {
            RefusedForms::None => None,
            _ => self.new_errors().get(&fingerprint_of(text)).cloned(),
        }
    }

    fn refuses(&self, form: &FailureForm) -> bool {
        let has_new_error = form.new_error(self.expected).is_some();
        match self.refused {
            RefusedForms::None => false,
            RefusedForms::NewErrors => has_new_error,
            RefusedForms::Others => {
                let expected = self.expected;
                let is_other_end = expected.outcome.is_some() && form.outcome != expected.outcome;
                has_new_error || is_other_end || form.has_other_crash(expected)
            }
        }
    }
}

impl OracleStage for FormObserver<'_> {
    fn judge(
        &self,
        inner: &dyn Oracle,
        candidate: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Answer, OracleError> {
        let mut answer = inner.judge(candidate, interrupt)?;
        if let (true, Some(run)) = (answer.verdict.is_interesting(), &answer.run) {
            let form = FailureForm::of_run(run);
            let fingerprint = fingerprint_of(candidate);
            if self.refuses(&form) && fingerprint != self.input {
                answer.verdict = Verdict::Uninteresting;
                if let Some(error) = form.new_error(self.expected) {
                    let error = Arc::from(&**error);
                    self.new_errors().insert(fingerprint, error);
                }
            } else {
                self.seen().insert(fingerprint, form.into());
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
    /// The last change of form, if it led to another one than that of the input.
    change: Option<ChangedFormRecord>,
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
    /// Returns whether the failure was of the form of the input before, and is not with it.
    pub(super) fn add(
        &mut self,
        form: Option<Arc<FailureForm>>,
        expected: &FailureForm,
        bytes: usize,
    ) -> bool {
        self.steps += 1;
        let Some(form) = form else { return false };
        let before = self.last.as_deref().unwrap_or(expected);
        let is_left = form.is_another_kind(expected) && !before.is_another_kind(expected);
        if form.is_another_kind(before) {
            self.change = form.is_another_kind(expected).then(|| ChangedFormRecord {
                step: self.steps,
                bytes: bytes as u64,
                before: before.to_string(),
                after: form.to_string(),
                ..ChangedFormRecord::default()
            });
        }
        self.last = Some(form);
        is_left
    }

    /// Returns the step since which the failure has the form of the result, unless it is that of
    /// the input.
    pub(super) fn changed(&self, expected: &FailureForm) -> Option<ChangedFormRecord> {
        let last = self.last.as_deref();
        last.filter(|last| last.is_another_kind(expected))?;
        Some(ChangedFormRecord {
            steps: self.steps,
            ..self.change.clone()?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(stderr: &str) -> Run {
        Run::ended(Outcome::Signalled(6), stderr)
    }

    fn form(what: &str) -> FailureForm {
        FailureForm::of_run(&run(&format!("a.c:1: f: Assertion `{what}' failed.\n")))
    }

    #[test]
    fn the_last_change_counts_unless_it_leads_back() {
        let (input, other) = (form("depth"), form("width"));
        let (mut history, mut was_other) = (FormHistory::default(), false);
        let mut add = |form: Option<&FailureForm>| {
            let is_left = history.add(form.cloned().map(Arc::new), &input, 9);
            assert_eq!(is_left, form == Some(&other) && !was_other);
            was_other |= is_left;
            history.changed(&input)
        };
        assert_eq!(add(Some(&input)), None);
        let changed = add(Some(&other)).unwrap();
        assert_eq!((changed.step, changed.steps, changed.bytes), (2, 2, 9));
        assert_eq!(changed.before, input.to_string());
        assert_eq!(changed.after, other.to_string());
        assert_eq!(
            add(None).map(|changed| (changed.step, changed.steps)),
            Some((2, 3))
        );
        assert_eq!(add(Some(&other)).map(|changed| changed.step), Some(2));
        assert_eq!(add(Some(&input)), None, "it is that of the input again");
    }

    #[test]
    fn what_varies_from_run_to_run_is_no_change() {
        let printed = |job: &str| {
            run(&format!(
                "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nE: job {job} in hall {job} lost its lease\n"
            ))
        };
        let (first, again, third) = (printed("ab"), printed("cd"), printed("ef"));
        let expected = FailureForm::of_runs(&[&first, &again]);
        assert!(!FailureForm::of_run(&third).is_another_kind(&expected));
        assert!(FailureForm::of_run(&third).is_another_kind(&FailureForm::of_run(&first)));
        assert!(FailureForm::of_run(&run("Segmentation fault")).is_another_kind(&expected));
    }

    #[test]
    fn another_exit_code_alone_is_no_change() {
        let ended = |outcome| FailureForm {
            outcome: Some(outcome),
            signature: None,
            errors: BTreeSet::new(),
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
            let timed = eight.clone().without_outcome();
            assert_eq!(history.changed(&timed), None, "{outcome}");
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
        for refused in [RefusedForms::None, RefusedForms::Others] {
            let is_strict = refused == RefusedForms::Others;
            let observer = FormObserver::new(&expected, refused, b"the input");
            let is_hit = |text: &[u8]| {
                let answer = observer.judge(&Asserts, text, &interrupt).unwrap();
                answer.verdict.is_interesting()
            };
            assert!(is_hit(b"depth"));
            assert_eq!(is_hit(b"width"), !is_strict);
            assert_eq!(observer.form_of(b"depth").as_deref(), Some(&expected));
            assert_eq!(observer.form_of(b"width").is_some(), !is_strict);
        }
    }

    /// Its runs print the text of the candidate.
    struct Prints;

    impl Oracle for Prints {
        fn judge(&self, candidate: &[u8], _: &Interrupt) -> Result<Answer, OracleError> {
            let mut run = run(&String::from_utf8_lossy(candidate));
            run.outcome = Outcome::Exited(1);
            Ok(Answer {
                verdict: Verdict::Interesting,
                run: Some(run),
            })
        }
    }

    #[test]
    fn candidates_with_a_new_error_are_refused_and_named() {
        let interrupt = Interrupt::new().unwrap();
        let of = |text: &str| {
            FailureForm::of_run(
                &Prints
                    .judge(text.as_bytes(), &interrupt)
                    .unwrap()
                    .run
                    .unwrap(),
            )
        };
        let expected = of("a.c:1: error: no member 'x'\na.c:2: error: no type 'y'\n");
        assert!(expected.is_diagnostic());
        assert!(!of("nothing\n").is_diagnostic());
        let observer =
            FormObserver::new(&expected, RefusedForms::NewErrors, b"the input: error: bad");
        let is_hit = |text: &str| {
            let answer = observer
                .judge(&Prints, text.as_bytes(), &interrupt)
                .unwrap();
            answer.verdict.is_interesting()
        };
        assert!(is_hit(
            "a.c:7: error: no member 'z'\na.c:7: warning: unused\n"
        ));
        let broken = "a.c:7: error: no member 'z'\na.c:7: error: expected ';'\n";
        assert!(!is_hit(broken));
        let error = observer.new_error_of(broken.as_bytes());
        assert_eq!(error.as_deref(), Some("expected '…'"));
        assert!(
            is_hit("the input: error: bad"),
            "errors of the input may vary"
        );
        // One error fewer is no change, and one more is.
        let mut history = FormHistory::default();
        let fewer = of("a.c:7: error: no member 'z'\n");
        assert!(!history.add(Some(fewer.into()), &expected, 9));
        assert_eq!(history.changed(&expected), None);
        assert!(history.add(Some(of(broken).into()), &expected, 8));
        let changed = history.changed(&expected).unwrap();
        let after = "errors: expected '…'; no member '…' (exited with 1)";
        assert_eq!((changed.step, changed.after.as_str()), (2, after));
        assert!(!history.add(Some(expected.clone().into()), &expected, 7));
        assert_eq!(history.changed(&expected), None);
    }
}

//! The part of a session that is specific to reductions: the best result, skips, confirmation.

use std::iter::Peekable;
use std::slice::Iter;
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_document::Candidate;
use boildown_driver::{Drive, Spent};
use boildown_oracle::OracleError;
use boildown_reduce::{PassId, Pipeline, Reduction};
use boildown_search::assumptions::AssumptionCounts;
use boildown_search::flaky::RunCounts;
use boildown_search::{Search as _, Told};
use boildown_show::{ChangedFormRecord, RefusedRecord, StopReason};
use boildown_store::{Improvement, ResumedBest, RunStore, StartedPass, fingerprint_of};

use super::confirm::{Confirmation, Recheck, RunAgain};
use super::environment::{self, EnvironmentObserver};
use super::failure_form::{FormHistory, FormObserver};
use super::near_misses::NearMisses;
use super::options::{ReduceOptions, TargetSize};
use super::size_curve::SizeCurve;
use super::sized_text::SizedText;
use super::verdict_log::VerdictLog;
use crate::config::SessionConfig;
use crate::event::{Event, Progress};
use crate::runner::{Reporter, Task};

/// A reduction at work.
///
/// A session that resumes earlier ones starts its search from the beginning, and gets the verdicts
/// from the store. The best result of the earlier sessions is in the output already, so until the
/// search has received as many verdicts as those sessions had at their best, nothing is written
/// and nothing is confirmed. Example: earlier sessions improved their result at tests 12, 90 and
/// 400. The resumed search finds the improvements at tests 12 and 90 again, which are worse than
/// what the output holds, and are not written. From test 400 on, improvements are written.
pub(super) struct ReduceTask<'a> {
    options: &'a ReduceOptions,
    store: Option<&'a RunStore>,
    /// The store that verdicts are recalled from: also one without the results of this search.
    verdicts: Option<&'a RunStore>,
    /// The time that the search may take.
    most_time: Option<Duration>,
    /// A result in the output that is smaller than what the search has found so far.
    at_hand: Option<SizedText>,
    /// The best result of earlier sessions, until the search has passed it.
    resumed_best: Option<&'a ResumedBest>,
    /// The tests at which earlier sessions skipped a pass, in order.
    earlier_skips: Peekable<Iter<'a, u64>>,
    confirmation: Confirmation<'a>,
    observer: &'a EnvironmentObserver<'a>,
    forms: Option<&'a FormObserver<'a>>,
    form_history: FormHistory,
    /// The last result before the failure left the form that it has on the input.
    before_change: Option<Arc<[u8]>>,
    /// The smallest candidate that was refused because of a new error.
    refused: Option<RefusedRecord>,
    /// The input of a few characters that has the property too, once confirmed.
    trivial: Option<Arc<[u8]>>,
    held: LastHeld,
    near_misses: NearMisses,
    verdicts_told: VerdictLog,
    bytes_before: usize,
    /// The sizes of the best result of the search.
    curve: SizeCurve,
    /// The best result, as it is in the output.
    best: SizedText,
    /// The time at which it was found.
    improved_at: Duration,
    /// About how many tests are left, if none of them is interesting.
    tests_left: Option<u64>,
    /// The results before the best one, when the property measures times: near the least time, the
    /// next run may show that a result does not have the property.
    earlier_results: Vec<SizedText>,
}

/// Number of misses of earlier sessions that are run again before a claim about a flaky property,
/// each several times.
const RECALLED_WHEN_FLAKY: usize = 8;

/// Returns the record of a result.
fn improvement(text: &SizedText, spent: Spent) -> Improvement {
    Improvement {
        bytes: text.size,
        tokens: text.tokens,
        ..Improvement::of_text(&text.bytes, spent.queries, spent.elapsed)
    }
}

/// What was spent when the property was last seen to hold.
#[derive(Debug, Default)]
struct LastHeld {
    /// Tests, since the last hit or check.
    queries: u64,
    /// Runs of the search.
    runs: u64,
    /// Checks that came early because tools could not be started.
    early_checks: u64,
}

impl<'a> ReduceTask<'a> {
    pub(super) fn new(
        input: SizedText,
        options: &'a ReduceOptions,
        config: &'a SessionConfig,
        confirmation: Confirmation<'a>,
        observer: &'a EnvironmentObserver<'a>,
        forms: Option<&'a FormObserver<'a>>,
    ) -> Self {
        let store = config.store.as_deref();
        let resumed_best = options.resumed_best.as_ref();
        let at_hand = options.at_hand.as_ref().map(|text| SizedText {
            bytes: Arc::clone(text),
            size: options.form.size(text),
            tokens: None,
        });
        let earlier_skips = store.map_or(&[][..], RunStore::skipped_passes);
        Self {
            options,
            store,
            verdicts: store.or(config.memory.as_deref()),
            most_time: config.budget.time,
            resumed_best,
            earlier_skips: earlier_skips.iter().peekable(),
            confirmation,
            observer,
            form_history: FormHistory::starting_from(
                forms.and_then(|seen| seen.form_of(&input.bytes)),
            ),
            forms,
            before_change: None,
            refused: None,
            trivial: None,
            held: LastHeld::default(),
            near_misses: NearMisses::default(),
            verdicts_told: VerdictLog::default(),
            bytes_before: input.size,
            curve: SizeCurve::starting_at(input.size),
            best: match (resumed_best, &at_hand) {
                (Some(best), _) => SizedText::resumed(best, options.form),
                (None, Some(at_hand)) => at_hand.clone(),
                (None, None) => input,
            },
            at_hand,
            improved_at: Duration::ZERO,
            tests_left: None,
            earlier_results: Vec::new(),
        }
    }

    /// Ends the reduction: saves and confirms the result. Returns why it stopped.
    pub(super) fn finish(
        &mut self,
        stopped: Option<StopReason>,
        drive: &Drive<Reduction>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Option<StopReason>, OracleError> {
        let spent = drive.spent();
        let has_proposals = !self.options.proposers.is_empty() && self.resumed_best.is_some();
        if stopped.is_none() && !has_proposals {
            // A search that finishes without reaching the resumed best is not the search of the
            // earlier sessions any more: its own result counts.
            self.pass_resumed_best();
            self.at_hand = None;
            self.save(&drive.search().best(), spent, reporter)?;
        }
        reporter.report(&Event::Confirming);
        let recheck = match stopped {
            Some(StopReason::PropertyLost) => Recheck::Lost,
            Some(StopReason::EnvironmentChanged) => Recheck::Holds,
            _ => self.recheck_result(stopped, spent)?,
        };
        let stopped = match recheck {
            Recheck::Holds if stopped.is_none() => self.contradiction(spent)?,
            Recheck::Holds => stopped,
            Recheck::Lost if self.is_outdated()? => {
                let input = self.confirmation.input().clone();
                self.put_back(input, spent, reporter)?;
                Some(StopReason::VerdictsOutdated)
            }
            Recheck::Lost if self.loss() == StopReason::Borderline => {
                self.revert_to_earlier(drive.spent(), reporter)?;
                Some(stopped.unwrap_or(StopReason::Borderline))
            }
            Recheck::Lost => {
                self.revert(drive.spent(), reporter)?;
                Some(StopReason::PropertyLost)
            }
            Recheck::EnvironmentChanged => Some(self.stop_in_changed_environment(reporter)),
        };
        if let (None, Some(trivial)) = (stopped, drive.search().inner().trivial())
            && self.confirmation.holds_on(trivial.bytes())?
        {
            self.trivial = Some(Arc::clone(trivial.bytes()));
        }
        // So far the output survives a crash of the process; from here on also one of the system.
        if let Some(output) = &self.options.output {
            output.write_durable(&self.best.bytes, self.store)?;
            reporter.report_store_failure();
        }
        Ok(stopped)
    }

    /// Runs the result again before anything is said about it.
    ///
    /// Once is enough for a result that an earlier session has confirmed. An input from which
    /// nothing went was run before the search.
    fn recheck_result(
        &mut self,
        stopped: Option<StopReason>,
        spent: Spent,
    ) -> Result<Recheck, OracleError> {
        let has_finished = self.store.is_none_or(RunStore::has_finished);
        let is_repeated = spent.runs == 0 && has_finished;
        let is_input = self.best.bytes == self.confirmation.input().bytes;
        if is_repeated && (stopped.is_some() || is_input) {
            return Ok(Recheck::Holds);
        }
        if is_repeated {
            return self.confirmation.recheck(&self.best);
        }
        if stopped.is_none() {
            return self.confirmation.confirm_claim(&self.best, spent.queries);
        }
        match self.confirmation.confirm(&self.best, spent.queries)? {
            Recheck::Holds if spent.runs > self.held.runs => self.confirmation.recheck(&self.best),
            recheck => Ok(recheck),
        }
    }

    /// Runs candidates without which nothing can be removed from the result, once more. Returns why
    /// the result cannot be called minimal, if the property holds on one of them.
    ///
    /// A verdict that was not found in this session counts as wrong when several runs in a row say
    /// so.
    fn contradiction(&self, spent: Spent) -> Result<Option<StopReason>, OracleError> {
        if let Some(why) = self.confirmation.interruption() {
            return Ok(Some(why));
        }
        let lost = self.options.confirm.then_some(StopReason::PropertyLost);
        let left = (self.most_time).map(|most| most.saturating_sub(spent.elapsed));
        let deadline = left.map(|left| Instant::now() + left);
        if let Some(store) = self.verdicts.filter(|_| spent.recalled > 0) {
            let mut misses = self.confirmation.recalled_misses(&self.best, store);
            if misses.is_cut_off {
                return Ok(Some(StopReason::VerdictsOutdated));
            }
            if lost.is_none() {
                misses.own.truncate(RECALLED_WHEN_FLAKY);
            }
            misses.own.append(&mut misses.of_others);
            match self.confirmation.run_again(&misses.own, deadline)? {
                RunAgain::AllMissed => {}
                RunAgain::Hit(hit) if self.confirmation.holds_on(&hit)? => {
                    return Ok(Some(StopReason::VerdictsOutdated));
                }
                RunAgain::Hit(_) => return Ok(lost),
                RunAgain::Stopped(why) => return Ok(Some(why)),
            }
        }
        if lost.is_none() || spent.runs == 0 {
            return Ok(None);
        }
        let count = self.confirmation.misses_to_run_again(spent.queries);
        let missed = self.near_misses.largest(count);
        Ok(match self.confirmation.run_again(&missed, deadline)? {
            RunAgain::AllMissed => None,
            RunAgain::Hit(hit) if self.options.measurements.is_close(&hit) => {
                Some(StopReason::Borderline)
            }
            RunAgain::Hit(_) => lost,
            RunAgain::Stopped(why) => Some(why),
        })
    }

    /// Returns whether the best result is one of an earlier session or of another run, and the
    /// property holds on it in no run now.
    fn is_outdated(&self) -> Result<bool, OracleError> {
        let text = &self.best.bytes;
        let resumed = self.options.resumed_best.as_ref();
        let is_resumed = resumed.is_some_and(|resumed| resumed.text == *text);
        let known = self
            .verdicts
            .and_then(|store| store.recall(fingerprint_of(text)));
        let is_recalled = is_resumed || known.is_some_and(|known| known.is_earlier);
        let is_input = *text == self.confirmation.input().bytes;
        Ok(is_recalled && !is_input && self.confirmation.never_holds_on(text)?)
    }

    /// Runs the best result again after many tests without a hit, and earlier if it seems that
    /// tools cannot be started. Adds at most one run for fifty tests, and one.
    fn recheck_after_misses(
        &mut self,
        spent: Spent,
        reporter: &mut Reporter<'_>,
    ) -> Result<Option<StopReason>, OracleError> {
        let is_long = spent.queries - self.held.queries >= environment::EVERY;
        let is_early = self.observer.lacks_tools()
            && self.held.early_checks * environment::EVERY <= spent.queries;
        // Verdicts of earlier sessions say nothing about the present.
        let is_replay = spent.runs == self.held.runs;
        if !(is_long || is_early) {
            return Ok(None);
        }
        self.held.queries = spent.queries;
        if is_replay {
            return Ok(None);
        }
        self.held.runs = spent.runs;
        self.held.early_checks += u64::from(!is_long);
        match self.confirmation.recheck(&self.best)? {
            Recheck::Holds => Ok(None),
            Recheck::Lost => Ok(Some(self.loss())),
            Recheck::EnvironmentChanged => Ok(Some(self.stop_in_changed_environment(reporter))),
        }
    }

    /// Returns why to stop when the property does not hold again on the best result.
    fn loss(&self) -> StopReason {
        match self.options.measurements.last_miss_was_borderline() {
            true => StopReason::Borderline,
            false => StopReason::PropertyLost,
        }
    }

    /// Removes the verdicts that were found since the property last held.
    fn stop_in_changed_environment(&self, reporter: &mut Reporter<'_>) -> StopReason {
        let forgotten = self.store.map_or(0, RunStore::forget_unconfirmed);
        reporter.report(&Event::EnvironmentChanged { forgotten });
        StopReason::EnvironmentChanged
    }

    /// Saves the best result of the search, unless the output holds it or a better one.
    fn save(
        &mut self,
        best: &Candidate,
        spent: Spent,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), OracleError> {
        if (self.resumed_best).is_some_and(|resumed| spent.queries < resumed.query) {
            return Ok(());
        }
        self.pass_resumed_best();
        if (self.at_hand.as_ref()).is_some_and(|at_hand| at_hand.size <= best.size()) {
            return Ok(());
        }
        self.at_hand = None;
        // An interesting candidate need not have become the best one.
        if self.best.bytes == *best.bytes() {
            return Ok(());
        }
        if self.options.measurements.have_times() {
            self.earlier_results.push(self.best.clone());
        }
        self.write(SizedText::from(best), spent, reporter)
    }

    /// Makes `text` the best result: in the store, in the output, and then in an event.
    fn write(
        &mut self,
        text: SizedText,
        spent: Spent,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), OracleError> {
        if let Some(store) = self.store {
            store.improve(improvement(&text, spent));
        }
        self.publish(text, spent, reporter)
    }

    /// Makes an earlier `text` the best result again, in place of one that has lost the property.
    fn put_back(
        &mut self,
        text: SizedText,
        spent: Spent,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), OracleError> {
        self.pass_resumed_best();
        if let Some(store) = self.store.filter(|_| text.bytes != self.best.bytes) {
            store.supersede(improvement(&text, spent));
        }
        self.publish(text, spent, reporter)
    }

    /// Makes `text` the best result: in the output, and then in an event.
    fn publish(
        &mut self,
        text: SizedText,
        spent: Spent,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), OracleError> {
        if let Some(output) = &self.options.output {
            if let Some(known) = &self.options.known_results {
                known.record(output.content(&text.bytes));
            }
            output.write(&text.bytes, self.store)?;
        }
        if let Some(forms) = self.forms {
            let form = forms.form_of(&text.bytes);
            if (self.form_history).add(form, forms.expected(), text.size) {
                self.before_change = Some(Arc::clone(&self.best.bytes));
            }
        }
        self.best = text;
        self.improved_at = spent.elapsed;
        reporter.report(&Event::NewBest(Arc::clone(&self.best.bytes)));
        reporter.report(&Event::Improved(self.progress(spent)));
        Ok(())
    }

    /// Records that the search has passed the best result of earlier sessions.
    fn pass_resumed_best(&mut self) {
        if let Some(resumed) = self.resumed_best.take() {
            (self.confirmation).trust(SizedText::resumed(resumed, self.options.form));
        }
    }

    /// Makes the last confirmed result the best one.
    fn revert(&mut self, spent: Spent, reporter: &mut Reporter<'_>) -> Result<(), OracleError> {
        self.pass_resumed_best();
        let confirmed = self.confirmation.last_confirmed()?;
        self.put_back(confirmed, spent, reporter)
    }

    /// Makes the latest earlier result the best one on which the property holds again, and that is
    /// larger by a fiftieth than those on which it does not. Without one, the last confirmed
    /// result.
    fn revert_to_earlier(
        &mut self,
        spent: Spent,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), OracleError> {
        let mut lost = self.best.size;
        while let Some(earlier) = self.earlier_results.pop() {
            let is_larger = earlier.size - lost.min(earlier.size) >= lost / 50;
            if !is_larger && !self.earlier_results.is_empty() {
                continue;
            }
            if self.confirmation.confirm(&earlier, spent.queries)? == Recheck::Holds {
                return self.put_back(earlier, spent, reporter);
            }
            lost = earlier.size;
        }
        self.revert(spent, reporter)
    }

    /// Skips passes where earlier sessions skipped them, and where this one was asked to.
    fn skip_passes(&mut self, drive: &mut Drive<Reduction>) {
        let queries = drive.spent().queries;
        while drive.is_settled() && (self.earlier_skips.next_if(|skip| **skip <= queries)).is_some()
        {
            drive.change(|reduction| reduction.change(Pipeline::skip_pass));
        }
        if !drive.is_settled() {
            return;
        }
        let has_passed_earlier = self.earlier_skips.peek().is_none() && self.resumed_best.is_none();
        if self.options.skip_pass.take() && has_passed_earlier {
            if let Some(store) = self.store {
                store.skip_pass(queries);
            }
            drive.change(|reduction| reduction.change(Pipeline::skip_pass));
        }
    }

    /// Returns the progress after `spent`.
    pub(super) fn progress(&self, spent: Spent) -> Progress {
        Progress {
            bytes_before: self.bytes_before,
            bytes: self.best.size,
            tokens: self.best.tokens,
            spent,
            since_improved: spent.elapsed.saturating_sub(self.improved_at),
            tests_left: self.tests_left,
        }
    }

    /// Returns the runs that confirmed the best result, if it was confirmed.
    pub(super) fn confirmed(&self) -> Option<RunCounts> {
        self.confirmation.counts_of(&self.best.bytes)
    }

    /// Returns an input of a few characters that has the property too, if there is one.
    pub(super) fn trivial(&self) -> Option<Arc<[u8]>> {
        self.trivial.clone()
    }

    /// Returns the step since which the failure has another form than on the input, if it has, with
    /// the last result before it.
    pub(super) fn changed_form(&self) -> Option<(ChangedFormRecord, Option<Arc<[u8]>>)> {
        let changed = self.form_history.changed(self.forms?.expected())?;
        Some((changed, self.before_change.clone()))
    }

    /// Returns how far the verdicts agree with the assumptions of delta debugging.
    pub(super) fn assumptions(&self) -> AssumptionCounts {
        self.verdicts_told.counts()
    }

    /// Returns the smallest candidate that was refused because of a new error, if it is smaller
    /// than the result.
    pub(super) fn refused(&self) -> Option<RefusedRecord> {
        let refused = self.refused.clone();
        refused.filter(|refused| refused.bytes < self.best.size as u64)
    }

    /// Remembers a candidate if it was refused because of a new error, and is the smallest one.
    fn note_refused(&mut self, candidate: &Candidate) {
        let bytes = candidate.size() as u64;
        let is_smaller = self.refused.as_ref().is_none_or(|it| bytes < it.bytes);
        let forms = self.forms.filter(|_| is_smaller);
        if let Some(error) = forms.and_then(|forms| forms.new_error_of(candidate.bytes())) {
            let error = error.to_string();
            self.refused = Some(RefusedRecord { bytes, error });
        }
    }

    /// Returns the best result.
    pub(super) fn into_best(self) -> Arc<[u8]> {
        self.best.bytes
    }
}

impl Task<Reduction> for ReduceTask<'_> {
    fn before_step(
        &mut self,
        drive: &mut Drive<Reduction>,
        reporter: &mut Reporter<'_>,
    ) -> Option<StopReason> {
        if drive.is_settled() {
            self.skip_passes(drive);
        }
        // Skipping a pass is followed by the search for the next query.
        if drive.is_settled() {
            self.tests_left = drive.search().inner().tests_left();
            let pass = drive.search().inner().pass().map(PassId::name);
            let spent = drive.spent();
            if let (Some(name), Some(store)) = (reporter.report_pass(pass, spent), self.store) {
                store.start_pass(StartedPass {
                    query: spent.queries,
                    name: name.to_owned(),
                    elapsed: spent.elapsed,
                });
            }
        }
        if (self.options.warm.as_ref()).is_some_and(|warm| warm.has_differed()) {
            return Some(StopReason::PropertyLost);
        }
        let tests = drive.spent().queries;
        if self.options.measurements.are_at_limit() && self.curve.is_flat_at_limit(tests) {
            return Some(StopReason::Borderline);
        }
        let progress = self.progress(Spent::default());
        match self.options.target_size? {
            TargetSize::Plateau => self.curve.is_flat(tests).then_some(StopReason::Plateau),
            size => size
                .is_reached(&progress)
                .then_some(StopReason::SmallEnough),
        }
    }

    fn after_verdict(
        &mut self,
        told: &Told<Candidate>,
        drive: &Drive<Reduction>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Option<StopReason>, OracleError> {
        let spent = drive.spent();
        reporter.report(&Event::Tested {
            verdict: told.verdict,
            progress: self.progress(spent),
        });
        self.verdicts_told.add(&told.candidate, told.verdict);
        if !told.verdict.is_interesting() {
            self.note_refused(&told.candidate);
            self.near_misses.add(&told.candidate);
            return self.recheck_after_misses(spent, reporter);
        }
        self.held.queries = spent.queries;
        self.held.runs = spent.runs;
        if drive.search().inner().trivial().is_some() {
            // It is no result.
            return Ok(None);
        }
        self.near_misses.clear();
        let best = drive.search().best();
        (self.curve).fall_to(self.options.form.size(best.bytes()), spent.queries);
        self.save(&best, spent, reporter)?;
        // Verdicts of earlier sessions are not run again.
        let is_due =
            self.resumed_best.is_none() && (self.confirmation).is_due(best.size(), spent.queries);
        if is_due {
            let best = SizedText::from(&best);
            reporter.report(&Event::Confirming);
            return match self.confirmation.confirm(&best, spent.queries)? {
                Recheck::Holds => Ok(None),
                Recheck::Lost => Ok(Some(self.loss())),
                Recheck::EnvironmentChanged => Ok(Some(self.stop_in_changed_environment(reporter))),
            };
        }
        Ok(None)
    }

    fn tick(&self, drive: &Drive<Reduction>) -> Event {
        let progress = self.progress(drive.spent());
        match drive.is_settled() {
            true => Event::Tick(progress),
            false => Event::Planning(progress),
        }
    }
}

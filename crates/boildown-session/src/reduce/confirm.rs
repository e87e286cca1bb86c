//! Confirmation: repeated runs of the best result, which show whether the property still holds.

use std::sync::Arc;

use boildown_oracle::{Interrupt, Oracle, OracleError};
use boildown_search::flaky::RunCounts;

use super::sized_text::SizedText;

/// Number of tests after which an improvement is confirmed.
const EVERY: u64 = 256;

/// The same for an improvement to at most half the size of the last confirmed result.
const EVERY_WHEN_HALVED: u64 = 64;

/// The number of runs that confirm a result.
const RUNS: u32 = 3;

/// Confirms results, and remembers the last one that was confirmed.
///
/// A reduction of a property that should hold always or never may still meet a candidate on which
/// it holds by chance. Everything found after it is then worthless. So the best result is run three
/// more times: at the first improvement after 256 tests (after 64, if it is at most half as large
/// as the last confirmed result), and at the end. If the property does not hold in one of these
/// runs, the reduction reverts to the last confirmed result.
pub(super) struct Confirmation<'a> {
    oracle: &'a dyn Oracle,
    /// Cancels the runs. Without one, nothing is confirmed.
    interrupt: Option<Interrupt>,
    input: SizedText,
    last: ConfirmedText,
}

/// A text on which the property held in every run.
struct ConfirmedText {
    text: SizedText,
    /// Number of tests before its last confirmation was attempted.
    query: u64,
    /// The runs of this session that confirmed it: none for the input and for the result of an
    /// earlier session.
    counts: RunCounts,
}

impl<'a> Confirmation<'a> {
    /// Starts with the input as the last confirmed text.
    pub(super) fn new(
        input: SizedText,
        oracle: &'a dyn Oracle,
        interrupt: Option<Interrupt>,
    ) -> Self {
        Self {
            oracle,
            interrupt,
            last: ConfirmedText {
                text: input.clone(),
                query: 0,
                counts: RunCounts::default(),
            },
            input,
        }
    }

    /// Returns whether a result of `bytes` bytes should be confirmed after `queries` tests.
    pub(super) fn is_due(&self, bytes: usize, queries: u64) -> bool {
        let since = queries - self.last.query;
        let is_halved = 2 * bytes <= self.last.text.bytes.len();
        since >= EVERY || is_halved && since >= EVERY_WHEN_HALVED
    }

    /// Runs a result, unless it is the last confirmed one. Returns `false` if the property did not
    /// hold on it in one of the runs.
    ///
    /// A run that is interrupted, or cut short by a limit or a full disk, proves nothing against
    /// the result: the system may be loaded.
    pub(super) fn confirm(
        &mut self,
        result: &SizedText,
        queries: u64,
    ) -> Result<bool, OracleError> {
        let Some(interrupt) = &self.interrupt else {
            return Ok(true);
        };
        self.last.query = queries;
        if self.last.text.bytes == result.bytes {
            return Ok(true);
        }
        let mut counts = RunCounts::default();
        while counts.runs < RUNS {
            let answer = match self.oracle.judge(&result.bytes, interrupt) {
                Ok(answer) => answer,
                Err(OracleError::Interrupted) => return Ok(true),
                Err(error) if error.is_full_disk() => return Ok(true),
                Err(error) => return Err(error),
            };
            if !answer.verdict.is_interesting() {
                return Ok(answer.run.is_some_and(|run| run.outcome.is_cut_short()));
            }
            counts.count(true);
        }
        self.last.text = result.clone();
        self.last.counts = counts;
        Ok(true)
    }

    /// Takes the result of earlier sessions as confirmed, until a run shows otherwise.
    pub(super) fn trust(&mut self, result: SizedText) {
        self.last.text = result;
        self.last.counts = RunCounts::default();
    }

    /// Returns the last text that this session confirmed, or the input.
    ///
    /// A result of an earlier session is run first.
    pub(super) fn last_confirmed(&mut self, queries: u64) -> Result<SizedText, OracleError> {
        if self.last.counts.runs == 0 {
            let earlier = std::mem::replace(&mut self.last.text, self.input.clone());
            self.confirm(&earlier, queries)?;
        }
        Ok(self.last.text.clone())
    }

    /// Returns the runs of this session that confirmed `result`, if it was confirmed.
    pub(super) fn counts_of(&self, result: &Arc<[u8]>) -> Option<RunCounts> {
        let is_confirmed = self.last.text.bytes == *result && self.last.counts.runs > 0;
        is_confirmed.then_some(self.last.counts)
    }
}

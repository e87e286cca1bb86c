//! Isolation: narrows the difference between a text that passes and one that fails.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boildown_driver::{Drive, Spent};
use boildown_exec::{Access, fsx};
use boildown_oracle::{Oracle, OracleError, Verdict};
use boildown_reduce::Isolation;
use boildown_search::assumptions::AssumptionCounts;
use boildown_search::{Search, Told};
use boildown_show::StopReason;
use boildown_store::{RunStore, fingerprint_of};

use crate::bytes_oracle::BytesOracle;
use crate::config::SessionConfig;
use crate::event::{Event, Progress, Summary, start_over, stopped_by};
use crate::runner::{self, Reporter, Task};

/// The files that hold the two texts that differ least so far. At every moment each is complete.
#[derive(Debug, Clone)]
pub struct SideFiles {
    /// The text that passes.
    pub passing: PathBuf,
    /// The text that fails.
    pub failing: PathBuf,
    /// What they may permit.
    pub access: Access,
    /// Whether the files hold the result of an earlier session of the same search. They are not
    /// written before this session runs a candidate that the earlier one did not.
    pub are_resumed: bool,
}

/// Runs an isolation until it finishes or stops. Returns the summary, and the search with both
/// sides.
///
/// # Errors
/// [`OracleError`] when the oracle could not answer, or a side could not be written. The result so
/// far is on disk.
pub fn isolate(
    search: Isolation,
    oracle: &dyn Oracle,
    files: Option<&SideFiles>,
    config: &SessionConfig,
    on_event: &mut dyn FnMut(&Event),
) -> Result<(Summary, Isolation), OracleError> {
    let start = search.clone();
    let mut search = search;
    let mut are_resumed = files.is_some_and(|files| files.are_resumed);
    let (bytes_before, mut earlier) = (search.bytes(), Spent::default());
    loop {
        let on_total = &mut |event: &Event| on_event(&event.with_totals(bytes_before, earlier));
        let (mut summary, ended) =
            isolate_once(search, oracle, (files, are_resumed), config, on_total)?;
        earlier = earlier.plus(summary.progress.spent);
        summary.progress.spent = earlier;
        match &config.store {
            Some(store) if summary.stopped == Some(StopReason::VerdictsOutdated) => {
                on_event(&start_over(store));
                (search, are_resumed) = (start.clone(), false);
            }
            store => {
                if let Some(store) = store {
                    summary.record(store);
                }
                return Ok((summary, ended));
            }
        }
    }
}

/// Runs an isolation until it finishes or stops, also because a stored verdict is wrong now.
fn isolate_once(
    search: Isolation,
    oracle: &dyn Oracle,
    (files, are_resumed): (Option<&SideFiles>, bool),
    config: &SessionConfig,
    on_event: &mut dyn FnMut(&Event),
) -> Result<(Summary, Isolation), OracleError> {
    let store = config.store.as_deref();
    let mut task = IsolateTask {
        files,
        store,
        is_behind: are_resumed,
        inputs: [search.passing(), search.failing()],
        unresolved: Vec::new(),
        bytes_before: search.bytes(),
        improved_at: Duration::ZERO,
    };
    task.write(&search, fsx::write_atomic)?;
    let bytes_oracle = BytesOracle(oracle);
    let mut reporter = Reporter::new(on_event, store);
    std::thread::scope(|scope| {
        let mut drive = Drive::start(scope, search, &bytes_oracle, &config.driver());
        let mut stopped = runner::run(&mut drive, &mut task, &mut reporter)?;
        if stopped.is_none() {
            stopped = task.contradiction(drive.search(), oracle, config)?;
        }
        task.is_behind &= stopped.is_some();
        // So far the files survive a crash of the process; from here on also one of the system.
        task.write(drive.search(), fsx::write_durable)?;
        let summary = Summary {
            progress: task.progress(&drive),
            stopped,
            one_minimal: stopped.is_none(),
            tokens_before: None,
            confirmed: None,
            resumable: reporter.is_resumable(),
            trivial: None,
            changed_form: None,
            before_change: None,
            refused: None,
            assumptions: AssumptionCounts::default(),
        };
        Ok((summary, drive.search().clone()))
    })
}

/// Runs of a text, at most, that show that a stored verdict is wrong now.
const RUNS: u32 = 3;

/// Number of texts that neither pass nor fail that are run again before a claim, of those that an
/// earlier session has run. Those that another run has are all run again.
const MAX_KEPT: usize = 64;

struct IsolateTask<'a> {
    files: Option<&'a SideFiles>,
    store: Option<&'a RunStore>,
    /// The inputs, which were run before the search.
    inputs: [Arc<[u8]>; 2],
    /// Texts that neither pass nor fail, since one of the sides last moved.
    unresolved: Vec<Arc<[u8]>>,
    /// Whether the files hold a result of an earlier session that this one has not reached yet.
    is_behind: bool,
    bytes_before: usize,
    /// The time of the last improvement.
    improved_at: Duration,
}

impl IsolateTask<'_> {
    /// Writes both sides, unless the files hold a better result.
    fn write(
        &self,
        search: &Isolation,
        write: fn(&Path, &[u8], Access) -> Result<(), OracleError>,
    ) -> Result<(), OracleError> {
        if let Some(files) = self.files.filter(|_| !self.is_behind) {
            write(&files.passing, &search.passing(), files.access)?;
            write(&files.failing, &search.failing(), files.access)?;
        }
        Ok(())
    }

    /// Runs both sides, and texts between them that neither pass nor fail, if their verdicts were
    /// not found in this session. Returns why nothing can be claimed, if one of these verdicts is
    /// wrong now.
    fn contradiction(
        &self,
        search: &Isolation,
        oracle: &dyn Oracle,
        config: &SessionConfig,
    ) -> Result<Option<StopReason>, OracleError> {
        let Some(store) = self.store else {
            return Ok(None);
        };
        let interrupt = config.interrupt_handle()?;
        let known = |text: &[u8]| {
            store
                .recall(fingerprint_of(text))
                .filter(|it| it.is_earlier)
        };
        let sides = [search.passing(), search.failing()];
        let sides = sides.iter().filter(|side| !self.inputs.contains(side));
        let mut kept = 0;
        let unresolved = self.unresolved.iter().rev().filter(|text| {
            let is_own = known(text).is_some_and(|known| !known.is_of_others);
            kept += usize::from(is_own);
            !is_own || kept <= MAX_KEPT
        });
        for text in sides.chain(unresolved) {
            let Some(known) = known(text) else {
                continue;
            };
            let mut is_wrong = true;
            for _ in 0..RUNS {
                let verdict = match oracle.judge(text, &interrupt) {
                    Ok(answer) => answer.verdict,
                    Err(OracleError::Interrupted) => {
                        return Ok(Some(stopped_by(&interrupt)));
                    }
                    Err(error) => return Err(error),
                };
                is_wrong = verdict != known.verdict;
                if !is_wrong {
                    break;
                }
            }
            if is_wrong {
                return Ok(Some(StopReason::VerdictsOutdated));
            }
        }
        Ok(None)
    }

    fn progress(&self, drive: &Drive<Isolation>) -> Progress {
        let spent = drive.spent();
        Progress {
            bytes_before: self.bytes_before,
            bytes: drive.search().bytes(),
            tokens: None,
            spent,
            since_improved: spent.elapsed.saturating_sub(self.improved_at),
            tests_left: None,
        }
    }
}

impl Task<Isolation> for IsolateTask<'_> {
    fn before_step(
        &mut self,
        drive: &mut Drive<Isolation>,
        reporter: &mut Reporter<'_>,
    ) -> Option<StopReason> {
        reporter.report_pass(Some(drive.search().units()), drive.spent());
        None
    }

    fn after_verdict(
        &mut self,
        told: &Told<<Isolation as Search>::Candidate>,
        drive: &Drive<Isolation>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Option<StopReason>, OracleError> {
        // Every resolved verdict moves one of the sides.
        if told.verdict == Verdict::Unresolved {
            self.unresolved.push(Arc::clone(told.candidate.bytes()));
        } else {
            self.unresolved.clear();
            // Until a candidate is run, the earlier session has been at least this far.
            self.is_behind &= drive.spent().runs == 0;
            self.write(drive.search(), fsx::write_atomic)?;
            self.improved_at = drive.spent().elapsed;
            reporter.report(&Event::Improved(self.progress(drive)));
        }
        Ok(None)
    }

    fn tick(&self, drive: &Drive<Isolation>) -> Event {
        Event::Tick(self.progress(drive))
    }
}

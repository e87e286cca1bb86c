//! Isolation: narrows the difference between a text that passes and one that fails.

use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_driver::Drive;
use boildown_exec::{Access, fsx};
use boildown_oracle::{Oracle, OracleError, Verdict};
use boildown_search::{Search, Told};
use boildown_syntax::Isolation;

use crate::bytes_oracle::BytesOracle;
use crate::config::SessionConfig;
use crate::event::{Event, Progress, Stopped, Summary};
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
    let mut task = IsolateTask {
        files,
        is_behind: files.is_some_and(|files| files.are_resumed),
        bytes_before: search.bytes(),
        improved_at: Duration::ZERO,
    };
    task.write(&search, fsx::write_atomic)?;
    let oracle = BytesOracle(oracle);
    let store = config.store.as_deref();
    let mut reporter = Reporter::new(on_event, store);
    std::thread::scope(|scope| {
        let mut drive = Drive::start(scope, search, &oracle, &config.driver());
        let stopped = runner::run(&mut drive, &mut task, &mut reporter)?;
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
        };
        if let Some(store) = store {
            summary.record(store);
        }
        Ok((summary, drive.search().clone()))
    })
}

struct IsolateTask<'a> {
    files: Option<&'a SideFiles>,
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
    ) -> Option<Stopped> {
        reporter.report_pass(Some(drive.search().units()));
        None
    }

    fn after_verdict(
        &mut self,
        told: &Told<<Isolation as Search>::Candidate>,
        drive: &Drive<Isolation>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Option<Stopped>, OracleError> {
        // Every resolved verdict moves one of the sides.
        if told.verdict != Verdict::Unresolved {
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

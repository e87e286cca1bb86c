//! The search for the points that break a program.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use boildown_driver::{Drive, Step};
use boildown_exec::spawn::{self, Inherited, Invocation, Limits, Stdin};
use boildown_exec::{Scratch, remove_tree};
use boildown_oracle::{
    Answer, Capture, Deduction, Interrupt, Oracle, OracleError, Property, Run, Verdict,
};
use boildown_search::changes::Descent;
use boildown_search::{Search as _, Subset};
use boildown_show::StopReason;

use super::pattern::{ALL, NONE, Point, pattern, points, without_reports};
use crate::changes::outcome_rule::{OutcomeRule, SearchTarget};
use crate::config::SessionConfig;
use crate::event::stop_of_drive;

/// The word of the variable that is replaced by the pattern.
const PLACEHOLDER: &str = "PATTERN";

/// The largest output in which points are looked for.
const MAX_OUTPUT: usize = 64 << 20;

/// A program with points, and the test that tells good from bad.
#[derive(Debug)]
pub struct PointsProblem {
    /// The command and its arguments.
    pub words: Vec<OsString>,
    /// The directory in which it is run.
    pub dir: PathBuf,
    /// The environment variable that the program reads.
    pub variable: String,
    /// The value of the variable, with `PATTERN` in the place of the pattern.
    pub value: String,
    /// The rule by which a run is judged.
    pub rule: OutcomeRule,
    /// Limits of each run.
    pub limits: Limits,
    /// The space for temporary files of runs.
    pub scratch: Arc<Scratch>,
}

/// The result of a search for points.
#[derive(Debug, Clone)]
pub struct PointsReport {
    /// The points that make the difference together. No single one can be left out.
    pub points: Vec<Point>,
    /// The number of points that the program reported.
    pub all: usize,
    /// The value of the variable that enables them.
    pub value: String,
    /// The failure that counts, if it was read off the program with all points enabled.
    pub failure: Option<Property>,
    /// Whether the points broke the program once more at the end.
    pub is_confirmed: bool,
    /// Tests that were answered.
    pub queries: u64,
    /// Runs of the command.
    pub runs: u64,
    /// Why the search was stopped, if it was.
    pub stopped: Option<StopReason>,
}

/// Why a search for points has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PointsError {
    /// With no points, or with all of them, the program is not as it should be.
    #[error("with {which} points enabled the command {} is not {wanted}", .run.outcome)]
    NotAsStated {
        /// The points: "no" or "all".
        which: &'static str,
        /// The expected state: "good" or "bad".
        wanted: &'static str,
        /// The run.
        run: Box<Run>,
    },
    /// The program reported no points.
    #[error("the command reported no points")]
    NoPoints,
    /// Two runs with all points enabled failed in different ways.
    #[error("two runs with all points enabled did not end alike")]
    Flaky,
    /// A command could not be run.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

impl PointsProblem {
    /// Finds the points that break the program.
    ///
    /// # Errors
    /// [`PointsError`] when the program does not work without and fail with all points, or does not
    /// speak the protocol.
    pub fn find(mut self, config: &SessionConfig) -> Result<PointsReport, PointsError> {
        let interrupt = config.interrupt_handle()?;
        let runs = AtomicU64::new(0);
        let run = |problem: &Self, pattern: &str| problem.run(pattern, &runs, &interrupt);
        let [first, second] = [run(&self, ALL)?, run(&self, ALL)?];
        let output = [&*first.stdout, b"\n", &*first.stderr].concat();
        let all = points(&String::from_utf8_lossy(&output));
        let (first, second) = (plain(&first), plain(&second));
        self.check(&first, Verdict::Interesting)?;
        self.check(&second, Verdict::Interesting)?;
        let mut failure = None;
        if self.rule == OutcomeRule::SameFailure {
            let shared = Deduction::of_run(&first).and_then(|first| first.shared_with(&second));
            let shared = shared.ok_or(PointsError::Flaky)?;
            self.rule = OutcomeRule::of_failure(shared.clone(), Some(&second));
            failure = Some(shared);
        }
        self.check(&plain(&run(&self, NONE)?), Verdict::Uninteresting)?;
        if all.is_empty() {
            return Err(PointsError::NoPoints);
        }
        let single = (0..u32::try_from(all.len()).unwrap_or(u32::MAX)).collect();
        let search = Descent::new(all.len(), [places(&all), single]);
        let oracle = PointsOracle {
            problem: &self,
            all: &all,
            runs: &runs,
        };
        let driver = config.driver_without_memory();
        let (best, queries, stopped) = std::thread::scope(|scope| {
            let mut drive = Drive::start(scope, search, &oracle, &driver);
            let stopped = loop {
                match drive.step()? {
                    Step::Told(_) | Step::Prepared | Step::Tick => {}
                    Step::Finished => break None,
                    Step::Stopped(reason) => break Some(stop_of_drive(reason)),
                }
            };
            Ok::<_, OracleError>((drive.search().best(), drive.spent().queries, stopped))
        })?;
        let text = pattern(&all, &best);
        let is_confirmed = match run(&self, &text) {
            Ok(again) => self.verdict(&plain(&again))? == Verdict::Interesting,
            Err(OracleError::Interrupted) => false,
            Err(error) => return Err(error.into()),
        };
        Ok(PointsReport {
            points: best.iter().map(|at| all[at].clone()).collect(),
            all: all.len(),
            value: self.value.replace(PLACEHOLDER, &text),
            failure,
            is_confirmed,
            queries,
            runs: runs.into_inner(),
            stopped,
        })
    }

    fn verdict(&self, run: &Run) -> Result<Verdict, OracleError> {
        let state = self.rule.state_verdict(run)?;
        Ok(state.verdict(SearchTarget::Culprit))
    }

    fn check(&self, run: &Run, expected: Verdict) -> Result<(), PointsError> {
        if self.verdict(run)? == expected {
            return Ok(());
        }
        let (which, wanted) = match expected {
            Verdict::Interesting => ("all", "bad"),
            Verdict::Uninteresting | Verdict::Unresolved => ("no", "good"),
        };
        let run = Box::new(run.clone());
        Err(PointsError::NotAsStated { which, wanted, run })
    }

    fn run(
        &self,
        pattern: &str,
        runs: &AtomicU64,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        let number = runs.fetch_add(1, Ordering::Relaxed);
        let tmp = self.scratch.path().join(format!("tmp-{number:06}"));
        let created = (self.scratch.handle())
            .and_then(|dir| dir.create_dir(tmp.file_name().unwrap_or_default(), 0o777));
        created.map_err(|source| OracleError::Scratch {
            action: "create",
            path: tmp.clone(),
            source,
        })?;
        let mut words = self.words.iter().cloned();
        let invocation = Invocation {
            program: words.next().unwrap_or_default(),
            args: words.collect(),
            current_dir: self.dir.clone(),
            stdin: Stdin::Null,
            inherited: Inherited::Everything,
            env: vec![(
                self.variable.clone().into(),
                self.value.replace(PLACEHOLDER, pattern).into(),
            )],
            tmp: Some(tmp.clone()),
            capture: Capture::Output,
        };
        let limits = Limits {
            output_cap: MAX_OUTPUT,
            ..self.limits.clone()
        };
        // The command may write to its temporary files only: it runs where the user is.
        let run = spawn::run_within(&tmp, &invocation, &limits, interrupt);
        remove_tree(&tmp).ok();
        run
    }
}

/// Returns a run without the reports of points in its output.
fn plain(run: &Run) -> Run {
    Run {
        stdout: without_reports(&run.stdout),
        stderr: without_reports(&run.stderr),
        ..run.clone()
    }
}

/// Returns the group of each point by its place: what its description says before the first colon.
fn places(all: &[Point]) -> Vec<u32> {
    let mut names: HashMap<&str, u32> = HashMap::new();
    let mut groups = Vec::new();
    for point in all {
        let place = point.description.split(':').next().unwrap_or_default();
        let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
        groups.push(*names.entry(place).or_insert(next));
    }
    groups
}

/// Tests sets of points.
struct PointsOracle<'a> {
    problem: &'a PointsProblem,
    all: &'a [Point],
    runs: &'a AtomicU64,
}

impl Oracle<Subset> for PointsOracle<'_> {
    fn judge(&self, enabled: &Subset, interrupt: &Interrupt) -> Result<Answer, OracleError> {
        let text = pattern(self.all, enabled);
        let run = plain(&self.problem.run(&text, self.runs, interrupt)?);
        Ok(Answer {
            verdict: self.problem.verdict(&run)?,
            run: Some(run),
        })
    }
}

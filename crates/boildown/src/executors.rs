//! The machines that run candidates: this one, and the workers that the options name.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use boildown_exec::{
    CommandLine, Executor, ExtraTest, LocalOracle, PassFailOracle, Runner, check_set_up,
};
use boildown_oracle::{Interrupt, Property, Run, Verdict};
use boildown_session::prepare::GoodAndBad;
use boildown_worker::{WorkerCheck, WorkerJudge, WorkerPool, launch_lines};

use crate::error::{CliError, ExitKind};
use crate::explain::ended;
use crate::options::{JobsArgs, RemoteArgs, WorkerArgs};
use crate::report::format::Visible;
use crate::report::reporter::Reporter;
use crate::warm::WarmRuns;

/// Runs on a worker until one is as expected, if the property holds always.
const TRIES: u32 = 3;

/// The same for a flaky property.
const FLAKY_TRIES: u32 = 50;

/// The machines that run candidates.
#[derive(Debug)]
pub(crate) struct Executors {
    /// Runs at once in this process, or on a remote execution service.
    here: usize,
    /// Whether those are on a service.
    is_remote: bool,
    pool: Option<Arc<WorkerPool>>,
    pub(crate) warm: WarmRuns,
}

impl Executors {
    /// Starts the workers that the options name.
    pub(crate) fn start(
        workers: &WorkerArgs,
        remote: &RemoteArgs,
        jobs: &JobsArgs,
    ) -> Result<Self, CliError> {
        let mut lines = Vec::new();
        for stated in &workers.worker {
            match stated.as_bytes().strip_prefix(b"@") {
                Some(path) => lines.extend(lines_of(Path::new(OsStr::from_bytes(path)))?),
                None => lines.push(stated.clone()),
            }
        }
        lines.retain(|line: &OsString| !line.to_string_lossy().trim().is_empty());
        if lines.is_empty() {
            check_jobs(jobs)?;
        }
        let here = jobs.here();
        let pool = (!lines.is_empty()).then(|| Arc::new(WorkerPool::start(lines, here)));
        Ok(Self {
            here,
            is_remote: remote.is_given(),
            pool,
            warm: WarmRuns::default(),
        })
    }

    /// Returns the number of candidates that are run at once, on all machines.
    pub(crate) fn jobs(&self) -> usize {
        (self.here + self.jobs_of_workers()).max(1)
    }

    /// Returns how many of them are run on other machines.
    pub(crate) fn jobs_elsewhere(&self) -> usize {
        match self.is_remote {
            true => self.jobs(),
            false => self.jobs_of_workers(),
        }
    }

    fn jobs_of_workers(&self) -> usize {
        self.pool.as_ref().map_or(0, |pool| pool.jobs())
    }

    /// Reports what happened to workers.
    pub(crate) fn report(&self, reporter: &mut dyn Reporter) {
        for note in self.pool.iter().flat_map(|pool| pool.take_notes()) {
            reporter.note(&Visible::line(note));
        }
        self.warm.report(reporter);
    }

    /// Checks the workers with the runs whose verdicts are known. Returns what runs candidates on
    /// them; `None` when there are no workers.
    pub(crate) fn admit(
        &self,
        runner: &Runner,
        checks: Vec<WorkerCheck>,
        interrupt: &Interrupt,
        reporter: &mut dyn Reporter,
    ) -> Result<Option<Arc<dyn Executor>>, CliError> {
        let Some(pool) = &self.pool else {
            return Ok(None);
        };
        reporter.working("checking the workers", "");
        let admitted = pool.admit(runner, checks, interrupt);
        self.report(reporter);
        admitted.map_err(CliError::before("the search"))?;
        if self.here == 0 && pool.jobs() == 0 {
            let what = "no worker can be used, and --jobs 0 runs no tests here";
            return Err(CliError::new(ExitKind::CannotRun, what)
                .hint("see the lines above for the reason of each; --jobs 1 runs tests here too"));
        }
        Ok(Some(Arc::clone(pool) as Arc<dyn Executor>))
    }

    /// Lets the workers run the candidates of a reduction.
    pub(crate) fn admit_reduction(
        &self,
        oracle: &mut LocalOracle,
        input: &Arc<[u8]>,
        is_flaky: bool,
        interrupt: &Interrupt,
        reporter: &mut dyn Reporter,
    ) -> Result<(), CliError> {
        let (runner, property) = (oracle.runner().clone(), oracle.property());
        let limit = oracle.time_limit();
        let check = |candidate: &Arc<[u8]>, judge| check(candidate, is_flaky, limit, judge);
        let preserved = property.clone();
        let holds_not = judge("the property holds on the empty input there", move |run| {
            !preserved.verdict(run).is_interesting()
        });
        let mut checks = vec![
            check(input, holds(&runner, property)),
            check(&Arc::from(*b""), holds_not),
        ];
        checks.extend(extra_checks(&runner, input));
        if let Some(executor) = self.admit(&runner, checks, interrupt, reporter)? {
            *oracle = oracle.clone().with_executor(executor);
        }
        Ok(())
    }

    /// Lets the workers run the candidates of an isolation.
    pub(crate) fn admit_isolation(
        &self,
        oracle: &mut PassFailOracle,
        files: &GoodAndBad,
        is_flaky: bool,
        interrupt: &Interrupt,
        reporter: &mut dyn Reporter,
    ) -> Result<(), CliError> {
        let limit = oracle.runner.limits.timeout;
        let side = |candidate: &Arc<[u8]>, wanted: Verdict, what: &'static str| {
            let oracle = oracle.clone();
            let judge = judge(what, move |run| oracle.verdict(run) == wanted);
            check(candidate, is_flaky, limit, judge)
        };
        let (bad, good) = (
            "the bad file does not fail there as it does here",
            "the good file does not pass there",
        );
        let mut checks = vec![
            side(&files.bad, Verdict::Interesting, bad),
            side(&files.good, Verdict::Uninteresting, good),
        ];
        checks.extend(extra_checks(&oracle.runner, &files.bad));
        if let Some(executor) = self.admit(&oracle.runner, checks, interrupt, reporter)? {
            oracle.runner.executor = Some(executor);
        }
        Ok(())
    }
}

/// Returns the check of a worker with the command itself on a candidate.
fn check(
    candidate: &Arc<[u8]>,
    is_flaky: bool,
    limit: Duration,
    judge: WorkerJudge,
) -> WorkerCheck {
    WorkerCheck {
        command: 0,
        candidate: Arc::clone(candidate),
        tries: if is_flaky { FLAKY_TRIES } else { TRIES },
        limit,
        judge,
    }
}

/// Returns the launch lines in a file.
fn lines_of(path: &Path) -> Result<Vec<OsString>, CliError> {
    let text = fs::read_to_string(path).map_err(|error| CliError::unreadable(path, error))?;
    Ok(launch_lines(&text))
}

/// Returns an error if the command differs from candidate to candidate, and tests are to be run on
/// other machines, which know one command.
pub(crate) fn check_command(
    command: &CommandLine,
    workers: &WorkerArgs,
    remote: &RemoteArgs,
) -> Result<(), CliError> {
    let option = match (remote.is_given(), workers.worker.is_empty()) {
        (true, _) => "--remote",
        (false, false) => "--worker",
        (false, true) => return Ok(()),
    };
    match command.differs_by_candidate() {
        false => Ok(()),
        true => Err(
            CliError::usage(format!("{option} runs the same command on every candidate"))
                .hint("reduce `{items}`, arguments and environments on this machine"),
        ),
    }
}

/// Returns an error if there is no worker and no test is to be run here.
pub(crate) fn check_jobs(jobs: &JobsArgs) -> Result<(), CliError> {
    match jobs.here() {
        0 => Err(
            CliError::usage("--jobs 0 runs no tests here, and there is no worker").hint(
                "state a number from 1 up; `reduce` and `isolate` run tests on workers with --worker",
            ),
        ),
        _ => Ok(()),
    }
}

/// Returns the checks of the extra tests, which hold on the input.
fn extra_checks(runner: &Runner, input: &Arc<[u8]>) -> Vec<WorkerCheck> {
    let check = |(command, test): (usize, &ExtraTest)| {
        let expected = test.expected.clone();
        WorkerCheck {
            command,
            candidate: Arc::clone(input),
            tries: TRIES,
            limit: test.timeout,
            judge: judge(
                "an extra test does not hold on the input there",
                move |run| expected.verdict(run).is_interesting(),
            ),
        }
    };
    (1..).zip(&runner.extra_tests).map(check).collect()
}

fn holds(runner: &Runner, property: &Property) -> WorkerJudge {
    let (command, file) = (runner.command.clone(), runner.file.clone());
    let property = property.clone();
    Box::new(move |run| {
        if property.verdict(run).is_interesting() {
            return Ok(());
        }
        check_set_up(run, &command, &file, Some(&property)).map_err(|error| error.to_string())?;
        Err(differs(
            "the property does not hold on the input there",
            run,
        ))
    })
}

/// Returns a check that a run is as expected. `what` says that it is not.
fn judge(
    what: &'static str,
    is_expected: impl Fn(&Run) -> bool + Send + Sync + 'static,
) -> WorkerJudge {
    Box::new(move |run| match is_expected(run) {
        true => Ok(()),
        false => Err(differs(what, run)),
    })
}

/// Returns a sentence about a run that is not as it is here.
fn differs(what: &str, run: &Run) -> String {
    format!("{what}: the command {}", ended(run))
}

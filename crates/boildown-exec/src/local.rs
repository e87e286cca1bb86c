//! The oracle that runs a command and judges it by a property.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::close_times::{self, CloseTimes};
use crate::named_files::NamedFiles;
use crate::project::Leftovers;
use crate::spawn::{Limits, is_not_executable};
use crate::{CandidateFile, CommandLine, Executor, ExtraTest, RunRequest, Runner};
use boildown_oracle::{
    Answer, Capture, Interrupt, Oracle, OracleError, Outcome, Property, Run, Verdict, has_word,
    shell,
};

/// An oracle that runs a command and judges the run by a property.
///
/// When the candidate is the program itself, a candidate that the system cannot execute is
/// uninteresting: no command was run, so the property cannot hold. Any other program that cannot be
/// started is an error.
#[derive(Debug, Clone)]
pub struct LocalOracle {
    runner: Runner,
    property: Property,
    capture: Capture,
    /// `None` when the time limit is constant.
    adaptive_timeout: Option<Arc<AdaptiveTimeout>>,
    measured: Arc<Measurements>,
    named_files: NamedFiles,
}

/// What was measured of candidates.
#[derive(Debug, Default)]
pub struct Measurements {
    /// What was measured of each interesting candidate, by the hash of the candidate.
    shown: Mutex<HashMap<[u8; 32], String>>,
    /// The times of candidates near the least one.
    close: Mutex<CloseTimes>,
    /// Whether each of the latest candidates took a time within the noise of the limit: a bit each,
    /// the latest last.
    within_noise: AtomicU32,
    /// Whether the latest candidate without the property was near the limit on a time.
    last_miss_was_borderline: AtomicBool,
    /// The number of candidates that were begun, and of those that have not ended.
    begun: AtomicU64,
    running: AtomicU64,
}

/// A candidate that runs, and may have others beside it.
struct Company<'a> {
    of: &'a Measurements,
    begun: u64,
    others: u64,
}

impl Company<'_> {
    /// Returns whether other candidates ran since it began.
    fn has_been(&self) -> bool {
        self.others > 0 || self.of.begun.load(Ordering::SeqCst) > self.begun
    }
}

impl Drop for Company<'_> {
    fn drop(&mut self) {
        self.of.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The most candidates of which is remembered what was measured.
const MAX_SHOWN: usize = 10_000;

impl Measurements {
    fn close(&self) -> MutexGuard<'_, CloseTimes> {
        self.close.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) -> Company<'_> {
        Company {
            of: self,
            others: self.running.fetch_add(1, Ordering::SeqCst),
            begun: self.begun.fetch_add(1, Ordering::SeqCst) + 1,
        }
    }

    fn record(&self, candidate: &[u8], run: &Run, property: &Property, verdict: Verdict) {
        let share = property.time_share(run);
        let is_borderline = share.is_some_and(close_times::is_borderline);
        let is_chance = share.is_some_and(|share| self.close().is_within_noise(share));
        let push = |bits: u32| Some(bits << 1 | u32::from(is_chance));
        (self
            .within_noise
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, push))
        .ok();
        if !verdict.is_interesting() {
            (self.last_miss_was_borderline).store(is_borderline, Ordering::Relaxed);
            return;
        }
        let mean = share.and_then(|_| self.close().mean_of(candidate));
        if let Some(measured) = property.measured(run, mean) {
            let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
            if shown.len() < MAX_SHOWN {
                shown.insert(*blake3::hash(candidate).as_bytes(), measured);
            }
        }
    }

    /// Returns what was measured of an interesting candidate, beside the least value; `None` when
    /// nothing is measured. A time near the least one is the mean of all runs of the candidate.
    #[must_use]
    pub fn of(&self, candidate: &[u8]) -> Option<String> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.get(blake3::hash(candidate).as_bytes()).cloned()
    }

    /// Returns whether three quarters of the last eight candidates took a time within the noise of
    /// the limit: which of them have the property is chance.
    #[must_use]
    pub fn are_at_limit(&self) -> bool {
        let latest = self.within_noise.load(Ordering::Relaxed) & 0xff;
        latest.count_ones() >= 6
    }

    /// Returns whether a candidate that has the property took a time near the limit.
    #[must_use]
    pub fn is_close(&self, candidate: &[u8]) -> bool {
        let mean = self.close().mean_of(candidate);
        mean.is_some_and(close_times::is_borderline)
    }

    /// Returns whether times are measured.
    #[must_use]
    pub fn have_times(&self) -> bool {
        !self.close().is_empty()
    }

    /// Returns whether the latest candidate without the property took a time near the limit.
    #[must_use]
    pub fn last_miss_was_borderline(&self) -> bool {
        self.last_miss_was_borderline.load(Ordering::Relaxed)
    }
}

/// A time limit that follows from the times of the latest interesting runs.
#[derive(Debug)]
struct AdaptiveTimeout {
    /// Returns the time limit for the slowest of the times.
    limit: fn(Duration) -> Duration,
    /// At most [`REMEMBERED`] times, the latest last.
    times: Mutex<VecDeque<Duration>>,
}

/// The number of interesting runs that decide the time limit. With several of them, one fast run
/// among slow ones does not lower the limit.
const REMEMBERED: usize = 8;

impl AdaptiveTimeout {
    fn times(&self) -> MutexGuard<'_, VecDeque<Duration>> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current time limit.
    fn limit(&self) -> Duration {
        (self.limit)(self.times().iter().max().copied().unwrap_or_default())
    }

    /// Records the time of an interesting run.
    fn record(&self, time: Duration) {
        let mut times = self.times();
        times.push_back(time);
        if times.len() > REMEMBERED {
            times.pop_front();
        }
    }
}

impl LocalOracle {
    /// Returns the oracle, with runs within the limits that the property implies.
    #[must_use]
    pub fn new(runner: Runner, property: Property) -> Self {
        Self {
            named_files: NamedFiles::of(&runner),
            runner: runner.with_limits_of(&property),
            measured: Arc::default(),
            capture: property.capture(),
            property,
            adaptive_timeout: None,
        }
    }

    /// Returns this oracle with a time limit that adapts to the interesting runs.
    ///
    /// The time limit is `limit` of the slowest of the last eight interesting runs, beginning with
    /// `slowest`. Smaller candidates run faster, so a candidate that hangs is detected sooner. If
    /// the property expects a hang, the time limit stays that of the hang.
    #[must_use]
    pub fn with_adaptive_timeout(
        mut self,
        slowest: Duration,
        limit: fn(Duration) -> Duration,
    ) -> Self {
        if self.property.hang().is_none() {
            let times = Mutex::new(VecDeque::from([slowest]));
            self.adaptive_timeout = Some(Arc::new(AdaptiveTimeout { limit, times }));
        }
        self
    }

    /// Returns this oracle with the output of every run in its answers, even if the property says
    /// nothing about it.
    #[must_use]
    pub fn with_output(mut self) -> Self {
        self.capture = Capture::Output;
        self
    }

    /// Returns which output its answers have.
    #[must_use]
    pub fn capture(&self) -> Capture {
        self.capture
    }

    /// Returns this oracle with runs where the executor decides.
    #[must_use]
    pub fn with_executor(mut self, executor: Arc<dyn Executor>) -> Self {
        self.runner.executor = Some(executor);
        self
    }

    /// Returns this oracle with more tests for interesting candidates.
    #[must_use]
    pub fn with_extra_tests(mut self, tests: impl IntoIterator<Item = ExtraTest>) -> Self {
        self.runner.extra_tests.extend(tests);
        self.named_files = NamedFiles::of(&self.runner);
        self
    }

    /// Returns the time limit of the next run.
    #[must_use]
    pub fn time_limit(&self) -> Duration {
        let adaptive = self.adaptive_timeout.as_ref();
        adaptive.map_or(self.runner.limits.timeout, |adaptive| adaptive.limit())
    }

    /// Returns the property.
    #[must_use]
    pub fn property(&self) -> &Property {
        &self.property
    }

    /// Returns the runner of the command.
    #[must_use]
    pub fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Returns the verdict after further runs, if the time of the first one is near the limit: see
    /// [`CloseTimes`].
    fn with_spare(
        &self,
        verdict: Verdict,
        run: &Run,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Verdict, OracleError> {
        let Some(share) = self.property.time_share(run) else {
            return Ok(verdict);
        };
        if !close_times::is_borderline(share) {
            if verdict.is_interesting() {
                self.measured.close().accept(request.candidate, share);
            }
            return Ok(verdict);
        }
        let otherwise = self.property.verdict_but_for_time(run);
        if !verdict.is_interesting() && !otherwise.is_interesting() {
            return Ok(verdict);
        }
        let mean = (self.measured.close()).add_to_accepted(request.candidate, share);
        if let Some(mean) = mean {
            return Ok(match mean >= 1.0 {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            });
        }
        let mut shares = vec![share];
        loop {
            let decided = self.measured.close().decide(request.candidate, &shares);
            match decided {
                Some(true) => return Ok(Verdict::Interesting),
                Some(false) => return Ok(Verdict::Uninteresting),
                None => {}
            }
            let again = self.runner.execute(request, interrupt)?;
            let verdict = self.property.verdict(&again);
            let otherwise = self.property.verdict_but_for_time(&again);
            let holds = verdict.is_interesting() || otherwise.is_interesting();
            match self.property.time_share(&again).filter(|_| holds) {
                Some(share) => shares.push(share),
                None => return Ok(verdict),
            }
        }
    }

    /// Returns what was measured of the candidates so far.
    #[must_use]
    pub fn measurements(&self) -> &Arc<Measurements> {
        &self.measured
    }

    /// Returns the run that decides about a candidate, and its verdict: after a run in a copy with
    /// the artefacts of earlier runs, one in a clean copy if the candidate seems to be interesting,
    /// and now and then if not.
    fn in_clean_copy(
        &self,
        run: Run,
        request: &RunRequest<'_>,
        leftovers: Leftovers,
        interrupt: &Interrupt,
    ) -> Result<(Run, Verdict), OracleError> {
        let verdict = self.property.verdict(&run);
        let (Some(project), Leftovers::Kept) = (&self.runner.project, leftovers) else {
            return Ok((run, verdict));
        };
        let was_hit = verdict.is_interesting();
        if !project.is_run_again(request.candidate, was_hit) {
            return Ok((run, verdict));
        }
        let limits = Limits {
            timeout: request.limits.timeout.max(self.runner.limits.timeout),
            ..request.limits.clone()
        };
        let request = RunRequest {
            limits: &limits,
            ..*request
        };
        let run = self.runner.run_in(Leftovers::Removed, &request, interrupt);
        let run = self.runner.counted(run)?;
        let verdict = self.property.verdict(&run);
        project.record_clean_run(was_hit, verdict.is_interesting());
        Ok((run, verdict))
    }
}

impl Oracle for LocalOracle {
    fn judge(&self, candidate: &[u8], interrupt: &Interrupt) -> Result<Answer, OracleError> {
        if !self.runner.command.is_command_for(candidate) {
            return Ok(Answer {
                verdict: Verdict::Uninteresting,
                run: None,
            });
        }
        let limits = Limits {
            timeout: self.time_limit(),
            ..self.runner.limits.clone()
        };
        let request = RunRequest {
            candidate,
            capture: self.capture,
            limits: &limits,
        };
        let leftovers = self.runner.leftovers();
        let company = self.measured.begin();
        match self.runner.execute(&request, interrupt) {
            // The input could be executed in the first run, so the fault is with this candidate.
            Err(error) if self.runner.command.runs_candidate() && is_not_executable(&error) => {
                Ok(Answer {
                    verdict: Verdict::Uninteresting,
                    run: None,
                })
            }
            run => {
                let (run, verdict) = self.in_clean_copy(run?, &request, leftovers, interrupt)?;
                let verdict = self.runner.confirm(verdict, candidate, interrupt)?;
                let is_long = verdict.is_interesting() && self.property.measures_wall_time();
                if is_long && company.has_been() && !run.outcome.is_cut_short() {
                    let needs_to_be_alone = self.measured.close().needs_to_be_alone(candidate);
                    if needs_to_be_alone {
                        return Err(OracleError::NotAlone);
                    }
                }
                let verdict = self.with_spare(verdict, &run, &request, interrupt)?;
                if verdict.is_interesting() {
                    self.named_files.check()?;
                }
                self.measured
                    .record(candidate, &run, &self.property, verdict);
                if let Some(adaptive_timeout) = &self.adaptive_timeout
                    && verdict.is_interesting()
                {
                    adaptive_timeout.record(run.took);
                }
                Ok(Answer {
                    verdict,
                    run: Some(run),
                })
            }
        }
    }
}

/// Checks by the first run that the command itself works, so that its verdicts can be trusted.
///
/// Shells exit with 127 when a command is not found and with 126 when it cannot be executed, and
/// say so or nothing; that is the failure itself when it happens in the input, which is named
/// there. In later runs these exit codes are judged like all others, because a candidate may break
/// the script.
///
/// # Errors
/// [`OracleError::SetUp`] when the run exited with 126 or 127 as a shell does, and the property
/// does not state that exit code.
pub fn check_set_up(
    baseline: &Run,
    command: &CommandLine,
    input: &CandidateFile,
    stated: Option<&Property>,
) -> Result<(), OracleError> {
    let stderr = String::from_utf8_lossy(&baseline.stderr);
    let is_of_input = |line: &str| {
        let small = line.to_ascii_lowercase();
        has_word(line.as_bytes(), &input.name.to_string_lossy())
            && (small.contains("not found") || small.contains("unknown command"))
    };
    let says_something = !stderr.trim().is_empty() || !baseline.stdout.trim_ascii().is_empty();
    let mistake = match baseline.outcome {
        Outcome::Exited(code) if stated.is_some_and(|property| property.states_exit_code(code)) => {
            return Ok(());
        }
        Outcome::Exited(126 | 127)
            if says_something && !shell::says_that_it_cannot_run(&stderr) =>
        {
            return Ok(());
        }
        Outcome::Exited(126) => "a program that it calls could not be executed (exit code 126)",
        Outcome::Exited(127) if stderr.lines().any(is_of_input) => return Ok(()),
        Outcome::Exited(127) => "a program that it calls was not found (exit code 127)",
        Outcome::Exited(_) | Outcome::Signalled(_) | Outcome::TimedOut | Outcome::Exceeded(_) => {
            return Ok(());
        }
    };
    let reason = match stderr.lines().rfind(|line| !line.trim().is_empty()) {
        Some(last) => format!("{mistake}: {}", last.trim()),
        None => mistake.to_owned(),
    };
    Err(OracleError::SetUp {
        command: command.to_string(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_time_limit_follows_the_slowest_of_the_latest_interesting_runs() {
        let adaptive_timeout = AdaptiveTimeout {
            limit: |slowest| 10 * slowest,
            times: Mutex::new(VecDeque::from([Duration::from_secs(9)])),
        };
        assert_eq!(adaptive_timeout.limit(), Duration::from_secs(90));
        for _ in 0..REMEMBERED - 1 {
            adaptive_timeout.record(Duration::from_secs(1));
            assert_eq!(adaptive_timeout.limit(), Duration::from_secs(90));
        }
        adaptive_timeout.record(Duration::from_secs(2));
        assert_eq!(adaptive_timeout.limit(), Duration::from_secs(20));
    }

    #[test]
    fn candidates_are_at_the_limit_when_most_of_the_latest_are_near_it() {
        let property = Property::from_flags("--hangs 4s").unwrap();
        let measurements = Measurements::default();
        let take = |seconds: u64, verdict: Verdict| {
            let run = Run {
                outcome: Outcome::Exited(0),
                stdout: Vec::new(),
                stderr: Vec::new(),
                took: Duration::from_secs(seconds),
            };
            measurements.record(b"text", &run, &property, verdict);
        };
        let shown = || measurements.of(b"text").unwrap();
        (0..4).for_each(|_| take(9, Verdict::Interesting));
        (0..5).for_each(|_| take(4, Verdict::Uninteresting));
        assert!(!measurements.are_at_limit());
        assert!(measurements.last_miss_was_borderline());
        take(4, Verdict::Interesting);
        assert!(measurements.are_at_limit());
        assert!(shown().contains("4.0s, at least 4s"), "{}", shown());
        (0..3).for_each(|_| take(1, Verdict::Uninteresting));
        assert!(!measurements.are_at_limit() && !measurements.last_miss_was_borderline());
    }

    fn set_up_error(outcome: Outcome, stderr: &str, stated: Option<&str>) -> Option<String> {
        let run = Run::ended(outcome, stderr);
        let command = CommandLine::script(Path::new("test.sh"), Path::new("/src"));
        let stated = stated.map(|spec| {
            Property::new(vec![boildown_oracle::Expectation::Exit(
                spec.parse().unwrap(),
            )])
            .unwrap()
        });
        let input = CandidateFile {
            name: "in.sh".into(),
            mode: 0o644,
        };
        check_set_up(&run, &command, &input, stated.as_ref())
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn a_missing_program_inside_the_test_is_an_error() {
        assert_eq!(
            set_up_error(
                Outcome::Exited(127),
                "test.sh: 3: frobnicate: not found\n\n",
                None
            )
            .unwrap(),
            "run `/src/test.sh {}`: a program that it calls was not found (exit code 127): test.sh: 3: frobnicate: not found"
        );
        assert_eq!(
            set_up_error(Outcome::Exited(126), "", Some("nonzero")).unwrap(),
            "run `/src/test.sh {}`: a program that it calls could not be executed (exit code 126)"
        );
    }

    #[test]
    fn a_command_that_the_input_calls_need_not_exist() {
        let bash = "in.sh: line 9: ehco: command not found\n";
        assert_eq!(set_up_error(Outcome::Exited(127), bash, None), None);
        let other = "in.sh: warning: a\ntest.sh: 3: frobnicate: not found\n";
        assert!(set_up_error(Outcome::Exited(127), other, None).is_some());
    }

    #[test]
    fn exit_code_127_with_a_message_of_no_shell_is_a_failure() {
        for other in ["fatal: record 3 not found in index\n", "crash: bad depth\n"] {
            assert_eq!(set_up_error(Outcome::Exited(127), other, None), None);
        }
        let shell = "timeout: failed to run command 'frobnicate'\n";
        assert!(set_up_error(Outcome::Exited(127), shell, None).is_some());
    }

    #[test]
    fn exit_code_127_is_accepted_when_the_property_states_it() {
        assert_eq!(set_up_error(Outcome::Exited(127), "", Some("127")), None);
    }

    #[test]
    fn other_outcomes_are_accepted() {
        for outcome in [
            Outcome::Exited(0),
            Outcome::Exited(1),
            Outcome::Signalled(11),
            Outcome::TimedOut,
        ] {
            assert_eq!(set_up_error(outcome, "", None), None);
        }
    }
}

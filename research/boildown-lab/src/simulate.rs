//! Simulated runs of a search with any number of workers, in virtual time.
//!
//! A simulated worker takes a query, is busy for its [`Latency`], and returns the verdict. Nothing
//! waits in reality. [`run_single_worker`] is the cheap special case of one worker.

use std::collections::HashSet;
use std::convert::Infallible;
use std::num::NonZeroUsize;

use boildown_search::{Fingerprint, Fingerprinted, Planner, Query, Search, Ticket, Verdict};

/// The workers of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerPool {
    /// Largest number of queries in flight at a time.
    pub workers: NonZeroUsize,
    /// The virtual time that a query takes.
    pub latency: Latency,
}

impl Default for WorkerPool {
    fn default() -> Self {
        Self {
            workers: NonZeroUsize::MIN,
            latency: Latency::Unit,
        }
    }
}

/// The virtual time that a query takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latency {
    /// Every query takes 1.
    Unit,
    /// A Pareto distribution with exponent 2: at least 1/2, about 1 on average, cut off at 50. The
    /// same candidate always takes the same time.
    Drawn {
        /// The random seed.
        seed: u64,
    },
}

impl Latency {
    /// Returns the time that the query with this candidate takes.
    fn duration(self, content: Fingerprint) -> f64 {
        match self {
            Self::Unit => 1.0,
            Self::Drawn { seed } => {
                let bits = content.bits();
                // The last step of SplitMix64 over both halves. The fingerprint is well mixed
                // already, the seed is not.
                let half = |shift: u32| u64::try_from((bits >> shift) & u128::from(u64::MAX));
                let (Ok(low), Ok(high)) = (half(0), half(64)) else {
                    return 1.0;
                };
                let mut mixed =
                    low ^ high.rotate_left(32) ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                let unit = ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
                // Unlike a logarithm, a square root is the same on every machine.
                (0.5 / (1.0 - unit).sqrt()).min(50.0)
            }
        }
    }
}

/// The result of a simulated run.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationResult<C> {
    /// The smallest candidate found.
    pub best: C,
    /// Number of verdicts that the search received.
    pub told: u64,
    /// Number of queries that were started, including speculative ones that were not needed.
    pub executed: u64,
    /// Virtual time from the start to the last verdict that the search received.
    pub latency: f64,
    /// Whether the search ended by itself.
    pub finished: bool,
}

/// Runs a search to its end with simulated workers.
///
/// A candidate whose content was tested before is skipped, as in a session. Verdicts that arrive at
/// the same virtual time are all recorded before a worker takes its next query. A query that is no
/// longer needed is cancelled at once.
///
/// # Cost
/// Dominated by the planner. The oracle is called once for each query that was not cancelled.
///
/// # Panics
/// When the search has a query that the planner does not start, which is a defect of the planner.
pub fn simulate<S: Search>(
    search: S,
    judge: impl Fn(&S::Candidate) -> Verdict,
    pool: WorkerPool,
) -> SimulationResult<S::Candidate>
where
    S::Candidate: Fingerprinted,
{
    let mut planner = Planner::new(search);
    let (mut told, mut executed, mut now) = (0, 0, 0.0);
    // The queries in flight, each with the virtual time at which its verdict arrives.
    let mut running: Vec<(Ticket<S::Candidate>, f64)> = Vec::new();
    while !planner.is_finished() {
        while running.len() < pool.workers.get()
            && let Some(ticket) = planner.next()
        {
            executed += 1;
            let ends_at = now + pool.latency.duration(ticket.fingerprint);
            running.push((ticket, ends_at));
        }
        now = (running.iter().map(|&(_, ends_at)| ends_at))
            .min_by(f64::total_cmp)
            .expect("an unfinished search has a query in flight");
        let ends_now = |running: &mut (_, f64)| running.1.total_cmp(&now).is_eq();
        for (ticket, _) in running.extract_if(.., ends_now) {
            planner.answer(ticket.id, judge(&ticket.candidate));
        }
        while planner.advance().is_some() {
            told += 1;
        }
        let abandoned = planner.abandoned();
        if !abandoned.is_empty() {
            running.retain(|(ticket, _)| !abandoned.contains(&ticket.id));
        }
    }
    SimulationResult {
        best: planner.search().best(),
        told,
        executed,
        latency: now,
        finished: true,
    }
}

/// The way of counting candidates that were tested before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RepeatedCandidates {
    /// They are skipped and not counted, as in a session.
    #[default]
    Skipped,
    /// They are tested and counted again, as in papers whose tools have no cache.
    Counted,
}

impl RepeatedCandidates {
    /// Returns the name for the settings of a page.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Skipped => "tested once",
            Self::Counted => "counted each time",
        }
    }
}

/// The rules of a run with one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunRules {
    /// The way of counting repeated candidates.
    pub repeats: RepeatedCandidates,
    /// The number of tests after which a run ends, with the best candidate so far.
    pub max_tests: Option<u64>,
}

/// Runs a search to its end with one worker, or until it has had its tests.
///
/// When repeated candidates are skipped, the queries are those of [`simulate`] with one worker,
/// without the cost of the planner.
pub fn run_single_worker<S: Search>(
    mut search: S,
    judge: impl Fn(&S::Candidate) -> Verdict,
    rules: RunRules,
) -> SimulationResult<S::Candidate>
where
    S::Candidate: Fingerprinted,
{
    let judge = |candidate: &S::Candidate| Ok::<_, Infallible>(Judged::Told(judge(candidate)));
    let Ok(RunEnd { tests, finished }) = run_alone(&mut search, &mut HashSet::new(), rules, judge);
    SimulationResult {
        best: search.best(),
        told: tests,
        executed: tests,
        latency: tests as f64,
        finished,
    }
}

/// What becomes of a candidate that was not tested before.
pub(crate) enum Judged {
    /// It was tested.
    Told(Verdict),
    /// It is skipped without a test.
    Skipped,
    /// It is not tested, and the run ends.
    Ended,
}

/// The end of a run.
pub(crate) struct RunEnd {
    /// Number of tests.
    pub(crate) tests: u64,
    /// Whether the search ended by itself.
    pub(crate) finished: bool,
}

/// Runs a search as [`run_single_worker`] does. Candidates in `asked` were tested before.
///
/// # Errors
/// The first error of `judge`, which ends the run.
pub(crate) fn run_alone<S: Search, E>(
    search: &mut S,
    asked: &mut HashSet<Fingerprint>,
    rules: RunRules,
    mut judge: impl FnMut(&S::Candidate) -> Result<Judged, E>,
) -> Result<RunEnd, E>
where
    S::Candidate: Fingerprinted,
{
    let mut tests = 0;
    loop {
        while !search.is_ready() {
            search.prepare();
        }
        let Some(Query { candidate, .. }) = search.ask() else {
            let finished = true;
            return Ok(RunEnd { tests, finished });
        };
        let is_new = asked.insert(candidate.fingerprint());
        if !is_new && rules.repeats == RepeatedCandidates::Skipped {
            search.skip();
            continue;
        }
        let judged = match rules.max_tests {
            Some(max_tests) if tests >= max_tests => Judged::Ended,
            _ => judge(&candidate)?,
        };
        match judged {
            Judged::Told(verdict) => {
                tests += 1;
                search.tell(verdict);
            }
            Judged::Skipped => search.skip(),
            Judged::Ended => {
                let finished = false;
                return Ok(RunEnd { tests, finished });
            }
        }
    }
}

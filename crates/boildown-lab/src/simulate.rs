//! Simulated runs of a search with any number of workers, in virtual time.
//!
//! A simulated worker takes a query, is busy for its [`Latency`], and returns the verdict. Nothing
//! waits in reality. Two policies say what idle workers do while a verdict is pending
//! ([`Lookahead`]). [`run_single_worker`] is the cheap special case of one worker.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;

use boildown_search::{Fingerprint, Fingerprinted, Planner, Query, QueryId, Search, Verdict};

/// The workers of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerPool {
    /// Largest number of queries in flight at a time.
    pub workers: NonZeroUsize,
    /// The virtual time that a query takes.
    pub latency: Latency,
    /// The work of further workers while the next query of the search is in flight.
    pub lookahead: Lookahead,
}

impl Default for WorkerPool {
    fn default() -> Self {
        Self {
            workers: NonZeroUsize::MIN,
            latency: Latency::Unit,
            lookahead: Lookahead::Speculative,
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

/// The policy for workers that are idle while the next query of the search is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookahead {
    /// They run queries that the search is likely to ask later: the [`Planner`].
    Speculative,
    /// They run only queries that the search asks whatever the verdicts are: [`Search::certain`].
    CertainOnly,
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
}

/// Runs a search to its end with simulated workers.
///
/// A candidate whose content was tested before is skipped, as in a session. Verdicts that arrive at
/// the same virtual time are all recorded before a worker takes its next query. A query that is no
/// longer needed is cancelled at once.
///
/// # Cost
/// Dominated by the planner. The oracle is called once for each query that was not cancelled.
pub fn simulate<S: Search>(
    search: S,
    judge: impl Fn(&S::Candidate) -> Verdict,
    pool: WorkerPool,
) -> SimulationResult<S::Candidate>
where
    S::Candidate: Fingerprinted,
{
    match pool.lookahead {
        Lookahead::Speculative => run_workers(Planner::new(search), judge, pool),
        Lookahead::CertainOnly => run_workers(CertainQueries::new(search), judge, pool),
    }
}

/// The way of counting candidates that were tested before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatedCandidates {
    /// They are skipped and not counted, as in a session.
    Skipped,
    /// They are tested and counted again, as in papers whose tools have no cache.
    Counted,
}

/// Runs a search to its end with one worker.
///
/// When repeated candidates are skipped, the queries are those of [`simulate`] with one worker,
/// without the cost of the planner.
pub fn run_single_worker<S: Search>(
    mut search: S,
    judge: impl Fn(&S::Candidate) -> Verdict,
    repeats: RepeatedCandidates,
) -> SimulationResult<S::Candidate>
where
    S::Candidate: Fingerprinted,
{
    let mut asked = HashSet::new();
    let mut told = 0;
    while let Some(Query { candidate, .. }) = prepared(&mut search).ask() {
        if repeats == RepeatedCandidates::Skipped && !asked.insert(candidate.fingerprint()) {
            search.skip();
        } else {
            told += 1;
            search.tell(judge(&candidate));
        }
    }
    SimulationResult {
        best: search.best(),
        told,
        executed: told,
        latency: told as f64,
    }
}

/// Returns the search once it knows its next query.
fn prepared<S: Search>(search: &mut S) -> &mut S {
    while !search.is_ready() {
        search.prepare();
    }
    search
}

/// A source of queries that accepts verdicts in any order.
trait QuerySource {
    type Candidate: Fingerprinted;
    type Id: Copy + PartialEq;

    /// Returns a query to run; `None` when there is none before the next verdict.
    fn next(&mut self) -> Option<(Self::Id, Self::Candidate)>;
    /// Records the verdict of a query that [`next`](Self::next) returned.
    fn answer(&mut self, id: Self::Id, verdict: Verdict);
    /// Tells the search its next verdict; `None` when that is not recorded yet.
    fn advance(&mut self) -> Option<()>;
    /// Returns the queries in flight that are no longer needed.
    fn abandoned(&mut self) -> Vec<Self::Id>;
    fn is_finished(&self) -> bool;
    fn best(&self) -> Self::Candidate;
}

/// A query in flight.
struct RunningQuery<I, C> {
    id: I,
    candidate: C,
    /// The virtual time at which the verdict arrives.
    ends_at: f64,
}

fn run_workers<D: QuerySource>(
    mut source: D,
    judge: impl Fn(&D::Candidate) -> Verdict,
    pool: WorkerPool,
) -> SimulationResult<D::Candidate> {
    let (mut told, mut executed, mut now) = (0, 0, 0.0);
    let mut running: Vec<RunningQuery<D::Id, D::Candidate>> = Vec::new();
    while !source.is_finished() {
        while running.len() < pool.workers.get()
            && let Some((id, candidate)) = source.next()
        {
            executed += 1;
            running.push(RunningQuery {
                id,
                ends_at: now + pool.latency.duration(candidate.fingerprint()),
                candidate,
            });
        }
        now = (running.iter().map(|running| running.ends_at))
            .min_by(f64::total_cmp)
            .expect("an unfinished search has a query in flight");
        let ends_now = |running: &mut RunningQuery<_, _>| running.ends_at.total_cmp(&now).is_eq();
        for ended in running.extract_if(.., ends_now) {
            source.answer(ended.id, judge(&ended.candidate));
        }
        while source.advance().is_some() {
            told += 1;
        }
        let abandoned = source.abandoned();
        if !abandoned.is_empty() {
            running.retain(|running| !abandoned.contains(&running.id));
        }
    }
    SimulationResult {
        best: source.best(),
        told,
        executed,
        latency: now,
    }
}

impl<S: Search> QuerySource for Planner<S>
where
    S::Candidate: Fingerprinted,
{
    type Candidate = S::Candidate;
    type Id = QueryId;

    fn next(&mut self) -> Option<(QueryId, S::Candidate)> {
        let ticket = self.next()?;
        Some((ticket.id, ticket.candidate))
    }

    fn answer(&mut self, id: QueryId, verdict: Verdict) {
        self.answer(id, verdict);
    }

    fn advance(&mut self) -> Option<()> {
        self.advance().map(drop)
    }

    fn abandoned(&mut self) -> Vec<QueryId> {
        self.abandoned()
    }

    fn is_finished(&self) -> bool {
        self.is_finished()
    }

    fn best(&self) -> S::Candidate {
        self.search().best()
    }
}

/// The queries that a search asks whatever the verdicts are, as a [`QuerySource`].
struct CertainQueries<S: Search> {
    search: S,
    /// The queries that are certain at present, by content. The first is the next query of the
    /// search. Empty when the search has finished.
    certain: Vec<(Fingerprint, S::Candidate)>,
    told: HashSet<Fingerprint>,
    /// Queries in flight (`None`), and verdicts that the search has not received yet.
    answers: HashMap<Fingerprint, Option<Verdict>>,
}

impl<S: Search> CertainQueries<S>
where
    S::Candidate: Fingerprinted,
{
    fn new(search: S) -> Self {
        let mut source = Self {
            search,
            certain: Vec::new(),
            told: HashSet::new(),
            answers: HashMap::new(),
        };
        source.update_certain();
        source
    }

    /// Skips candidates that were tested before, and updates the certain queries.
    fn update_certain(&mut self) {
        while (prepared(&mut self.search).ask())
            .is_some_and(|next| self.told.contains(&next.candidate.fingerprint()))
        {
            self.search.skip();
        }
        let with_content =
            |query: Query<S::Candidate>| (query.candidate.fingerprint(), query.candidate);
        self.certain = self
            .search
            .certain()
            .into_iter()
            .map(with_content)
            .collect();
    }
}

impl<S: Search> QuerySource for CertainQueries<S>
where
    S::Candidate: Fingerprinted,
{
    type Candidate = S::Candidate;
    type Id = Fingerprint;

    fn next(&mut self) -> Option<(Fingerprint, S::Candidate)> {
        let idle = (self.certain.iter()).find(|(content, _)| {
            !self.answers.contains_key(content) && !self.told.contains(content)
        });
        let (content, candidate) = idle?.clone();
        self.answers.insert(content, None);
        Some((content, candidate))
    }

    fn answer(&mut self, id: Fingerprint, verdict: Verdict) {
        self.answers.insert(id, Some(verdict));
    }

    fn advance(&mut self) -> Option<()> {
        let content = self.certain.first()?.0;
        let verdict = (*self.answers.get(&content)?)?;
        self.answers.remove(&content);
        self.told.insert(content);
        self.search.tell(verdict);
        self.update_certain();
        Some(())
    }

    fn abandoned(&mut self) -> Vec<Fingerprint> {
        Vec::new()
    }

    fn is_finished(&self) -> bool {
        self.certain.is_empty()
    }

    fn best(&self) -> S::Candidate {
        self.search.best()
    }
}

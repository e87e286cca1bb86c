//! Running a search with any number of workers, in virtual time.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;

use boildown_search::{Fingerprint, Fingerprinted, Planner, Question, QuestionId, Search, Verdict};

/// The workers of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// How many questions run at once, at most.
    pub workers: NonZeroUsize,
    /// How long each takes.
    pub latency: Latency,
    /// What they do besides the question that is next.
    pub ahead: Ahead,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            workers: NonZeroUsize::MIN,
            latency: Latency::Unit,
            ahead: Ahead::Guesses,
        }
    }
}

/// How long a question takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latency {
    /// 1 each.
    Unit,
    /// At least 1/2, on average about 1, and now and then much more: a Pareto distribution with exponent 2, cut off at 50. The same
    /// candidate always takes the same time.
    Drawn {
        /// What it is drawn from, besides the candidate.
        seed: u64,
    },
}

impl Latency {
    fn of(self, content: Fingerprint) -> f64 {
        match self {
            Self::Unit => 1.0,
            Self::Drawn { seed } => {
                let bits = content.bits();
                // The last step of SplitMix64 over both halves: the fingerprint is well mixed already, the seed is not.
                let half = |shift: u32| u64::try_from((bits >> shift) & u128::from(u64::MAX));
                let (Ok(low), Ok(high)) = (half(0), half(64)) else {
                    return 1.0;
                };
                let mut mixed =
                    low ^ high.rotate_left(32) ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                let unit = ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
                // A square root is exact everywhere, unlike a logarithm.
                (0.5 / (1.0 - unit).sqrt()).min(50.0)
            }
        }
    }
}

/// What workers do besides the question that is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// Run what is likely to be asked later: the planner.
    Guesses,
    /// Run what will be asked later whatever the answers are, and nothing else: [`Search::certain`].
    Certainties,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated<C> {
    /// The smallest candidate found.
    pub best: C,
    /// The questions whose answers the search heard.
    pub told: u64,
    /// The questions that were started, also those whose answers nobody needed in the end.
    pub executed: u64,
    /// The virtual time from the first question to the last answer that was waited for.
    pub latency: f64,
}

/// Runs a search to its end with simulated workers.
///
/// Candidates whose content was answered before are not asked again, as in a session. Answers that come at the same time are
/// all heard before a worker takes its next question; a question that can no longer matter is dropped at once.
///
/// # Cost
/// That of the planner; the oracle is called once for each question that ran to its end.
pub fn simulate<S: Search>(
    search: S,
    judge: impl Fn(&S::Candidate) -> Verdict,
    pool: Pool,
) -> Simulated<S::Candidate>
where
    S::Candidate: Fingerprinted,
{
    match pool.ahead {
        Ahead::Guesses => drive(Planner::new(search), judge, pool),
        Ahead::Certainties => drive(CertainOnly::new(search), judge, pool),
    }
}

/// Whether a candidate that was answered before costs another question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// It is skipped, as in a session.
    Skipped,
    /// It is asked and counted again: no cache, as in the papers whose tools have none.
    Counted,
}

/// Runs a search to its end with one worker. With repeats skipped it asks what [`simulate`] with one worker does, for less work.
pub fn alone<S: Search>(
    mut search: S,
    judge: impl Fn(&S::Candidate) -> Verdict,
    repeats: Repeats,
) -> Simulated<S::Candidate>
where
    S::Candidate: Fingerprinted,
{
    let mut asked = HashSet::new();
    let mut told = 0;
    while let Some(Question { candidate, .. }) = search.ask() {
        if repeats == Repeats::Skipped && !asked.insert(candidate.fingerprint()) {
            search.skip();
        } else {
            told += 1;
            search.tell(judge(&candidate));
        }
    }
    Simulated {
        best: search.best(),
        told,
        executed: told,
        latency: told as f64,
    }
}

/// What hands out questions and takes answers in any order.
trait Driver {
    type Candidate: Fingerprinted;
    type Id: Copy + PartialEq;

    fn next(&mut self) -> Option<(Self::Id, Self::Candidate)>;
    fn answer(&mut self, id: Self::Id, verdict: Verdict);
    /// Tells the search its next answer; `None` when that is not there yet.
    fn advance(&mut self) -> Option<()>;
    /// Questions in flight that can no longer matter.
    fn abandoned(&mut self) -> Vec<Self::Id>;
    fn is_finished(&self) -> bool;
    fn best(&self) -> Self::Candidate;
}

struct Running<I, C> {
    id: I,
    candidate: C,
    until: f64,
}

fn drive<D: Driver>(
    mut driver: D,
    judge: impl Fn(&D::Candidate) -> Verdict,
    pool: Pool,
) -> Simulated<D::Candidate> {
    let (mut told, mut executed, mut now) = (0, 0, 0.0);
    let mut running: Vec<Running<D::Id, D::Candidate>> = Vec::new();
    while !driver.is_finished() {
        while running.len() < pool.workers.get()
            && let Some((id, candidate)) = driver.next()
        {
            executed += 1;
            running.push(Running {
                id,
                until: now + pool.latency.of(candidate.fingerprint()),
                candidate,
            });
        }
        now = (running.iter().map(|running| running.until))
            .min_by(f64::total_cmp)
            .expect("an unfinished search has a question in flight");
        let ends_now = |running: &mut Running<_, _>| running.until.total_cmp(&now).is_eq();
        for ended in running.extract_if(.., ends_now) {
            driver.answer(ended.id, judge(&ended.candidate));
        }
        while driver.advance().is_some() {
            told += 1;
        }
        let abandoned = driver.abandoned();
        if !abandoned.is_empty() {
            running.retain(|running| !abandoned.contains(&running.id));
        }
    }
    Simulated {
        best: driver.best(),
        told,
        executed,
        latency: now,
    }
}

impl<S: Search> Driver for Planner<S>
where
    S::Candidate: Fingerprinted,
{
    type Candidate = S::Candidate;
    type Id = QuestionId;

    fn next(&mut self) -> Option<(QuestionId, S::Candidate)> {
        let ticket = self.next()?;
        Some((ticket.id, ticket.candidate))
    }

    fn answer(&mut self, id: QuestionId, verdict: Verdict) {
        self.answer(id, verdict);
    }

    fn advance(&mut self) -> Option<()> {
        self.advance().map(drop)
    }

    fn abandoned(&mut self) -> Vec<QuestionId> {
        self.abandoned()
    }

    fn is_finished(&self) -> bool {
        self.is_finished()
    }

    fn best(&self) -> S::Candidate {
        self.search().best()
    }
}

/// Hands out the questions that a search is certain to ask, and no others.
struct CertainOnly<S: Search> {
    search: S,
    /// The certain questions of this moment, without repeats; the first is the search's next. Empty when finished.
    certain: Vec<(Fingerprint, S::Candidate)>,
    told: HashSet<Fingerprint>,
    /// In flight (`None`), or answered before the search came to it.
    answers: HashMap<Fingerprint, Option<Verdict>>,
}

impl<S: Search> CertainOnly<S>
where
    S::Candidate: Fingerprinted,
{
    fn new(search: S) -> Self {
        let mut driver = Self {
            search,
            certain: Vec::new(),
            told: HashSet::new(),
            answers: HashMap::new(),
        };
        driver.settle();
        driver
    }

    /// Moves the search past everything that was told before, and looks what is certain now.
    fn settle(&mut self) {
        while (self.search.ask())
            .is_some_and(|next| self.told.contains(&next.candidate.fingerprint()))
        {
            self.search.skip();
        }
        let with_content = |question: Question<S::Candidate>| {
            (question.candidate.fingerprint(), question.candidate)
        };
        self.certain = self
            .search
            .certain()
            .into_iter()
            .map(with_content)
            .collect();
    }
}

impl<S: Search> Driver for CertainOnly<S>
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
        self.settle();
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

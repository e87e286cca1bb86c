//! The planner: speculation over the tree of possible verdicts, so that any search runs in
//! parallel.

mod known_edits;
mod recent;
mod unknown_edits;

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::odds::{Hit, HitRate};
use crate::{Fingerprint, Fingerprinted, Query, Search, Verdict};
use known_edits::KnownEdits;
use recent::Recent;

/// Runs one search with any number of workers, always to the same result.
///
/// The planner builds a tree of what the search would ask. The root is the real search. To see past
/// a query whose verdict is not known yet, the planner clones the search, tells the clone a guessed
/// verdict and takes its next query; each guess makes a child node. For example, a search that asks
/// about `ab` and expects a miss with odds 0.9 has the children "after a miss" (0.9) and "after a
/// hit" (0.1). With two workers, `ab` and the query of the first child run at the same time.
///
/// [`next`](Self::next) returns the query that the real search is most likely to reach, or one that
/// tells about an edit that the search will ask about on another base;
/// [`answer`](Self::answer) takes verdicts in any order, and [`advance`](Self::advance) tells them
/// to the real search in the order in which it asks.
///
/// # Guarantee
/// The sequence of told verdicts, and so the result, depends only on the search and on the
/// verdicts: not on the number of queries in flight, nor on the order of answers. Each candidate is
/// run at most once within the memory: a candidate that was told before is skipped, or told again
/// if it was `Interesting`; a candidate that was answered on a path not taken is told without
/// another run.
/// # Cost
/// O(w log w) for each `next` with w queries in flight or answered ahead, plus one clone, one
/// `tell` and one fingerprint for each new node of the tree.
/// # Source
/// `DustMite`'s predicted iterator tree. The expected progress is the sum of the path probabilities
/// of the queries in flight.
/// # Memory
/// Bounded: at least the last `MEMORY` told verdicts are remembered, and at most twice as many. An
/// older query that comes again is asked again, and its verdict told.
pub struct Planner<S: Search> {
    /// Every node is reachable from `root`; indices of freed nodes are reused.
    nodes: Vec<Option<PlanNode<S>>>,
    free: Vec<usize>,
    root: usize,
    /// The verdicts told to the real search, timed by `count`.
    told: Recent,
    count: u64,
    /// Answers that the real search has not reached yet, timed by `answered`. It never reaches many
    /// of them.
    answers: Recent,
    answered: u64,
    running: HashMap<Fingerprint, InFlight>,
    next_id: u64,
    known_edits: KnownEdits,
    /// The share of told misses that are `Unresolved`. Searches over lists treat both kinds of miss
    /// alike; the dd family does not.
    unresolved: HitRate,
    /// The number of steps that a call does, at most, to find the next query of a node.
    steps: usize,
    /// Queries that are reached less probably are not run.
    least_probability: f64,
    /// Nodes that are reached less probably are not prepared where that is costly.
    least_costly: f64,
}

/// The least probability at which a session runs a query. Of 256 workers half are idle then, for
/// 2 % of the time that the others save.
const LEAST_PROBABILITY: f64 = 0.02;

/// The least probability at which a session prepares what is
/// [costly](Search::is_costly_to_prepare). At most ten such preparations that exclude each other
/// are made, whatever the number of workers.
const LEAST_COSTLY: f64 = 0.1;

/// The least number of verdicts remembered: about 10 MB.
const MEMORY: u64 = 1 << 17;

/// A query in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QueryId(u64);

/// A query to be run now.
#[derive(Debug, Clone)]
pub struct Ticket<C> {
    /// The id to pass to [`Planner::answer`].
    pub id: QueryId,
    /// The fingerprint of the candidate.
    pub fingerprint: Fingerprint,
    /// The candidate to test.
    pub candidate: C,
    /// The odds that the planner gives to the verdict `Interesting`.
    pub odds: f64,
}

/// A verdict that was told to the real search.
#[derive(Debug, Clone)]
pub struct Told<C> {
    /// The tested candidate.
    pub candidate: C,
    /// The fingerprint of the candidate.
    pub fingerprint: Fingerprint,
    /// The verdict.
    pub verdict: Verdict,
}

/// What is remembered of a query in flight.
#[derive(Debug, Clone, Copy)]
struct InFlight {
    id: QueryId,
    edit: Option<Fingerprint>,
}

struct PlanNode<S: Search> {
    search: S,
    /// Whether the search has come to a query that is not known, or to its end. Until then there is
    /// no query.
    is_settled: bool,
    query: Option<Asked<S::Candidate>>,
    /// What the query does to the best candidate.
    edit: Option<Fingerprint>,
    /// The number of verdicts told before its query.
    count: u64,
    /// The parent, and the verdict that leads here.
    above: Option<(usize, Verdict)>,
    /// The node after each verdict on the query, by `slot`; made when first needed.
    children: [Option<usize>; 3],
}

/// A query with the fingerprint of its candidate.
type Asked<C> = (Fingerprint, Query<C>);

fn slot(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Interesting => 0,
        Verdict::Uninteresting => 1,
        Verdict::Unresolved => 2,
    }
}

/// A node of the tree of verdicts that is not visited yet, ordered by the probability of being
/// reached.
struct Reachable {
    probability: f64,
    /// Among equal probabilities, earlier queries come first.
    depth: usize,
    step: Step,
}

/// What is known of the query that [`Planner::next`] returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookAhead {
    /// The query is known.
    Found,
    /// It takes more steps to find out.
    MoreSteps,
    /// There is none before the next answer.
    Nothing,
}

/// The query that is most likely to be reached and is neither answered nor in flight.
enum MostLikely<C> {
    Open(Open<C>),
    /// The walk came to a node whose query is not found yet.
    Unsettled,
    /// There is none before the next answer.
    Nothing,
}

/// A query that is neither answered nor in flight.
struct Open<C> {
    fingerprint: Fingerprint,
    edit: Option<Fingerprint>,
    candidate: C,
    odds: f64,
}

/// The way to a node of the tree of verdicts.
enum Step {
    Root,
    /// A verdict on the query of a node.
    Verdict(usize, Verdict),
}

impl Ord for Reachable {
    fn cmp(&self, other: &Self) -> Ordering {
        self.probability
            .total_cmp(&other.probability)
            .then(other.depth.cmp(&self.depth))
    }
}

impl PartialOrd for Reachable {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Reachable {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Reachable {}

impl<S: Search> std::fmt::Debug for Planner<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Planner")
            .field("told", &self.count)
            .field("running", &self.running)
            .finish_non_exhaustive()
    }
}

impl<S: Search> Planner<S>
where
    S::Candidate: Fingerprinted,
{
    /// Starts a search.
    pub fn new(search: S) -> Self {
        Self::with_memory(search, MEMORY)
    }

    /// Starts a search and remembers at least `memory` verdicts, at most twice as many. Which
    /// queries are asked again depends on `memory`, and so may the result.
    pub fn with_memory(search: S, memory: u64) -> Self {
        Self::start(search, memory, usize::MAX, [0.0; 2])
    }

    fn start(search: S, memory: u64, steps: usize, least: [f64; 2]) -> Self {
        let [least_probability, least_costly] = least;
        let mut planner = Self {
            nodes: Vec::new(),
            free: Vec::new(),
            root: 0,
            told: Recent::new(memory),
            count: 0,
            answers: Recent::new(MEMORY),
            answered: 0,
            running: HashMap::new(),
            next_id: 0,
            known_edits: KnownEdits::new(),
            unresolved: HitRate::new(0.5),
            steps,
            least_probability,
            least_costly,
        };
        planner.root = planner.insert(search, None);
        planner
    }

    /// Starts a search for a session: queries that are hardly ever reached are not run, and it
    /// never does more than one step of its [preparation](Search::prepare), or tells it more than
    /// one known verdict, in a row. So the caller gets control back soon, and has to call
    /// [`settle`](Self::settle) until the search [is settled](Self::is_settled).
    pub fn stepwise(search: S) -> Self {
        Self::start(search, MEMORY, 1, [LEAST_PROBABILITY, LEAST_COSTLY])
    }

    /// Returns whether the search has come to a query that was not answered before, or to its end.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.node(self.root).is_settled
    }

    /// Moves the search on to such a query. After [`stepwise`](Self::stepwise), one step.
    pub fn settle(&mut self) {
        self.settle_node(self.root);
    }

    /// Returns the query that is most likely to be reached and is neither answered nor in flight,
    /// and marks it as in flight. Returns `None` when there is no such query: the caller waits for
    /// an answer, or the search is finished, or ([stepwise](Self::stepwise)) it takes more steps.
    #[expect(
        clippy::should_implement_trait,
        reason = "not an iterator: what comes next depends on the answers"
    )]
    pub fn next(&mut self) -> Option<Ticket<S::Candidate>> {
        let MostLikely::Open(open) = self.most_likely() else {
            return None;
        };
        let Open {
            fingerprint,
            edit,
            candidate,
            odds,
        } = open;
        let id = QueryId(self.next_id);
        self.next_id += 1;
        self.running.insert(fingerprint, InFlight { id, edit });
        Some(Ticket {
            id,
            fingerprint,
            candidate,
            odds,
        })
    }

    /// Computes what `next` would return, so that the next call returns at once. For idle moments.
    pub fn look_ahead(&mut self) -> LookAhead {
        match self.most_likely() {
            MostLikely::Open(_) => LookAhead::Found,
            MostLikely::Unsettled => LookAhead::MoreSteps,
            MostLikely::Nothing => LookAhead::Nothing,
        }
    }

    /// Takes the verdict on a query in flight. The verdict on an abandoned query is ignored.
    pub fn answer(&mut self, id: QueryId, verdict: Verdict) {
        if let Some(fingerprint) = self.fingerprint_of(id) {
            let in_flight = self.running.remove(&fingerprint);
            if let Some(edit) = in_flight.and_then(|query| query.edit) {
                self.known_edits.learn(edit, verdict);
            }
            self.answers.insert(self.answered, fingerprint, verdict);
            self.answered += 1;
        }
    }

    /// Tells the search the answer to its query, if there is one, and returns what was told. Call
    /// it until it returns `None`: later answers may have arrived early.
    pub fn advance(&mut self) -> Option<Told<S::Candidate>> {
        self.advance_after(|_, verdict| verdict)
    }

    /// Tells the search like [`advance`](Self::advance), but what `review` makes of the answer, in
    /// the order of the search: it may compare with what was told before.
    pub fn advance_after(
        &mut self,
        review: impl FnOnce(Fingerprint, Verdict) -> Verdict,
    ) -> Option<Told<S::Candidate>> {
        let fingerprint = self.node(self.root).query.as_ref()?.0;
        let verdict = review(fingerprint, self.answers.remove(fingerprint)?);
        self.told.insert(self.count, fingerprint, verdict);
        self.count += 1;
        match verdict {
            Verdict::Unresolved => self.unresolved.learn(Hit::Yes),
            Verdict::Uninteresting => self.unresolved.learn(Hit::No),
            Verdict::Interesting => {}
        }
        let next = self.child(self.root, verdict);
        let old = std::mem::replace(&mut self.root, next);
        self.node_mut(old).children[slot(verdict)] = None;
        self.node_mut(next).above = None;
        let (fingerprint, query) = self.discard(old).query?;
        Some(Told {
            candidate: query.candidate,
            fingerprint,
            verdict,
        })
    }

    /// Changes the search between two of its queries. The tree is built again; answers are kept.
    pub fn change(&mut self, change: impl FnOnce(&mut S)) {
        let mut search = self.discard(self.root).search;
        change(&mut search);
        self.root = self.insert(search, None);
    }

    /// Returns the queries in flight whose answers can no longer matter, and forgets them.
    pub fn abandoned(&mut self) -> Vec<QueryId> {
        let wanted: HashSet<Fingerprint> = self
            .nodes
            .iter()
            .flatten()
            .filter_map(|node| Some(node.query.as_ref()?.0))
            .collect();
        let mut abandoned: Vec<QueryId> = self
            .running
            .iter()
            .filter(|(fingerprint, _)| !wanted.contains(*fingerprint))
            .map(|(_, query)| query.id)
            .collect();
        abandoned.sort_unstable();
        self.running
            .retain(|fingerprint, _| wanted.contains(fingerprint));
        abandoned
    }

    /// Returns the query in flight whose answer the search waits for.
    #[must_use]
    pub fn awaited(&self) -> Option<QueryId> {
        let (fingerprint, _) = self.node(self.root).query.as_ref()?;
        self.running.get(fingerprint).map(|query| query.id)
    }

    /// Returns the odds that the planner gives to the query that the search asks.
    #[must_use]
    pub fn odds(&self) -> Option<f64> {
        let (_, query) = self.node(self.root).query.as_ref()?;
        Some(query.odds)
    }

    /// Returns whether the search has nothing left to ask.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        let root = self.node(self.root);
        root.is_settled && root.query.is_none()
    }

    /// Returns the search, with all verdicts so far.
    #[must_use]
    pub fn search(&self) -> &S {
        &self.node(self.root).search
    }

    fn fingerprint_of(&self, id: QueryId) -> Option<Fingerprint> {
        // At most a few hundred are in flight.
        self.running
            .iter()
            .find(|(_, running)| running.id == id)
            .map(|(&fingerprint, _)| fingerprint)
    }

    /// Returns the query that is most likely to be reached and is neither answered nor in flight.
    ///
    /// Walks the tree from the root, most probable node first. A node whose query is open ends the
    /// walk; the walk goes past other nodes with their known answer, or with both guesses.
    fn most_likely(&mut self) -> MostLikely<S::Candidate> {
        let mut frontier = BinaryHeap::from([Reachable {
            probability: 1.0,
            depth: 0,
            step: Step::Root,
        }]);
        // When few candidates are left, all of them are soon in flight, on factorially many paths:
        // limit the walk. Answers on paths not taken are kept, but are on no path.
        let known = self.answers.len().min(self.nodes.len() - self.free.len());
        let miss = self.likelier_miss();
        let mut steps = 8 * (self.running.len() + known + 8);
        while let Some(reachable) = frontier.pop()
            && steps > 0
            && reachable.probability >= self.least_probability
        {
            steps -= 1;
            let Reachable {
                probability,
                depth,
                step,
            } = reachable;
            let node = match step {
                Step::Root => self.root,
                Step::Verdict(parent, verdict) => self.child(parent, verdict),
            };
            let is_left_out = self.is_left_out(node, probability);
            if !is_left_out && !self.settle_node(node) {
                return MostLikely::Unsettled;
            }
            // A node that is left out has no query either.
            let Some((fingerprint, query)) = &self.node(node).query else {
                continue;
            };
            let edit = self.node(node).edit;
            let (fingerprint, odds) = (*fingerprint, self.known_edits.odds(edit, query.odds));
            let count = self.node(node).count;
            if self.is_open(fingerprint, count) {
                let open = Open {
                    fingerprint,
                    edit,
                    candidate: query.candidate.clone(),
                    odds,
                };
                return self.or_unknown_edit(probability, Some(open));
            }
            let verdicts = match self.answer_to(fingerprint) {
                Some(verdict) => vec![(verdict, 1.0)],
                // Only one of the two misses: a search that treats them alike would be followed
                // twice otherwise.
                None => vec![(Verdict::Interesting, odds), (miss, 1.0 - odds)],
            };
            frontier.extend(verdicts.into_iter().map(|(verdict, odds)| Reachable {
                probability: probability * odds,
                depth: depth + 1,
                step: Step::Verdict(node, verdict),
            }));
        }
        self.or_unknown_edit(self.least_probability, None)
    }

    /// Returns whether a node is reached too rarely for the preparation that it needs.
    fn is_left_out(&self, node: usize, probability: f64) -> bool {
        let node = self.node(node);
        probability < self.least_costly && !node.is_settled && node.search.is_costly_to_prepare()
    }

    /// Returns the more frequent of the two misses.
    fn likelier_miss(&self) -> Verdict {
        if self.unresolved.odds() > 0.5 {
            Verdict::Unresolved
        } else {
            Verdict::Uninteresting
        }
    }

    /// Returns whether a query is neither in flight nor answered, as seen after `count` told
    /// verdicts.
    fn is_open(&self, fingerprint: Fingerprint, count: u64) -> bool {
        self.answer_to(fingerprint).is_none()
            && !self.running.contains_key(&fingerprint)
            && self.told.get(count, fingerprint).is_none()
    }

    /// Returns an answer that the search has not reached yet.
    fn answer_to(&self, fingerprint: Fingerprint) -> Option<Verdict> {
        self.answers.get(self.answered, fingerprint)
    }

    /// Returns the node after `verdict` on the query of `parent`.
    fn child(&mut self, parent: usize, verdict: Verdict) -> usize {
        if let Some(child) = self.node(parent).children[slot(verdict)] {
            return child;
        }
        let mut search = self.node(parent).search.clone();
        search.tell(verdict);
        let child = self.insert(search, Some((parent, verdict)));
        self.node_mut(parent).children[slot(verdict)] = Some(child);
        child
    }

    /// Makes a node of a search.
    fn insert(&mut self, search: S, above: Option<(usize, Verdict)>) -> usize {
        let count = above.map_or(self.count, |(parent, _)| self.node(parent).count + 1);
        let node = Some(PlanNode {
            search,
            is_settled: false,
            query: None,
            edit: None,
            count,
            above,
            children: [None; 3],
        });
        let index = if let Some(index) = self.free.pop() {
            self.nodes[index] = node;
            index
        } else {
            self.nodes.push(node);
            self.nodes.len() - 1
        };
        // Whether what is costly is worth it, only the caller knows.
        let node = self.node(index);
        let waits = self.least_costly > 0.0 && node.above.is_some();
        if !(waits && node.search.is_costly_to_prepare()) {
            self.settle_node(index);
        }
        index
    }

    /// Moves the search of a node past queries whose answers are known on its path, until it finds
    /// another one, or for as many steps as are allowed. Returns whether the node is settled.
    fn settle_node(&mut self, index: usize) -> bool {
        if self.node(index).is_settled {
            return true;
        }
        let mut node = self.nodes[index]
            .take()
            .expect("indices in use are reachable from the root");
        for _ in 0..self.steps {
            if !node.search.is_ready() {
                node.search.prepare();
                continue;
            }
            let known = match node.search.ask() {
                None => None,
                Some(query) => {
                    let fingerprint = query.candidate.fingerprint();
                    let known = self.verdict_above(node.above, node.count, fingerprint);
                    if known.is_none() {
                        node.edit = node.search.edit();
                        node.query = Some((fingerprint, query));
                    }
                    known
                }
            };
            match known {
                None => {
                    node.is_settled = true;
                    break;
                }
                // An interesting candidate need not have become the best one.
                Some(Verdict::Interesting) => node.search.tell(Verdict::Interesting),
                Some(Verdict::Uninteresting | Verdict::Unresolved) => node.search.skip(),
            }
        }
        let is_settled = node.is_settled;
        self.nodes[index] = Some(node);
        is_settled
    }

    /// Returns the verdict that was told on a query before, to the real search or on the path from
    /// the root to this node, as it is remembered after `count` told verdicts.
    fn verdict_above(
        &self,
        mut above: Option<(usize, Verdict)>,
        count: u64,
        fingerprint: Fingerprint,
    ) -> Option<Verdict> {
        while let Some((node, verdict)) = above {
            let node = self.node(node);
            if (node.query.as_ref()).is_some_and(|(asked, _)| *asked == fingerprint)
                && self.told.reaches(node.count, count)
            {
                return Some(verdict);
            }
            above = node.above;
        }
        self.told.get(count, fingerprint)
    }

    /// Frees a node and everything below it.
    fn discard(&mut self, top: usize) -> PlanNode<S> {
        let removed = self.nodes[top]
            .take()
            .expect("only reachable nodes are discarded, once");
        self.free.push(top);
        let mut pending: Vec<usize> = removed.children.into_iter().flatten().collect();
        while let Some(index) = pending.pop() {
            let node = self.nodes[index]
                .take()
                .expect("only reachable nodes are discarded, once");
            self.free.push(index);
            pending.extend(node.children.into_iter().flatten());
        }
        removed
    }

    fn node(&self, index: usize) -> &PlanNode<S> {
        self.nodes[index]
            .as_ref()
            .expect("indices in use are reachable from the root")
    }

    fn node_mut(&mut self, index: usize) -> &mut PlanNode<S> {
        self.nodes[index]
            .as_mut()
            .expect("indices in use are reachable from the root")
    }
}

/// Runs a search to its end with a closure as the oracle, one query at a time.
///
/// Each candidate is tested once: a repeated candidate is answered from memory.
pub fn run<S: Search>(search: S, mut oracle: impl FnMut(&S::Candidate) -> Verdict) -> S
where
    S::Candidate: Fingerprinted,
{
    let mut planner = Planner::new(search);
    while let Some(ticket) = planner.next() {
        let verdict = oracle(&ticket.candidate);
        planner.answer(ticket.id, verdict);
        while planner.advance().is_some() {}
    }
    planner.search().clone()
}

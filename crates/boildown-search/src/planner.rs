//! Speculation over the tree of verdicts: parallelism, written once.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use crate::guesses::Guesses;
use crate::odds::{Hit, HitRate};
use crate::recent::Recent;
use crate::{Fingerprint, Fingerprinted, Question, Search, Verdict};

/// Runs one search with any number of workers, always to the same result.
///
/// The planner clones the search, tells the clone a guess, takes its next question, and so on through the tree of possible
/// verdicts. [`next`](Self::next) hands out the questions most likely to be consulted; [`answer`](Self::answer) takes verdicts in
/// any order, and [`advance`](Self::advance) tells them to the real search in the order in which it asks.
///
/// # Guarantee
/// The sequence of told verdicts, and so the result, depends on the search and on the verdicts only: not on the number of
/// questions in flight, nor on the order in which answers come. A candidate is run once: one whose content was told before
/// is skipped, or told again when it was `Interesting`; one that was answered on a path not taken is told without being run.
/// # Cost
/// O(w log w) for each `next` with w questions in flight or answered ahead, plus one clone, one `tell` and one fingerprint for each new
/// node of the tree.
/// # Source
/// `DustMite`'s predicted iterator tree; the law of what it can gain: expected progress is the sum of the path probabilities
/// of the questions in flight.
/// # Memory
/// Bounded: of the told verdicts, at least the last `MEMORY` are remembered, at most twice as many. A question that is older and comes
/// again is asked again, and its verdict told.
pub struct Planner<S: Search> {
    /// Every node is reachable from `root`; freed places are reused.
    nodes: Vec<Option<Node<S>>>,
    free: Vec<usize>,
    root: usize,
    /// The verdicts told to the real search, and how many there were.
    told: Recent,
    count: u64,
    /// Answers that the real search has not come to yet, and how many there were. Many it never comes to.
    answers: Recent,
    answered: u64,
    running: HashMap<Fingerprint, QuestionId>,
    next_id: u64,
    /// How many of the misses that were told are `Unresolved`. To most machines that makes no difference, to those that look for
    /// changes a great one.
    unresolved: HitRate,
}

/// How many verdicts are remembered at least: some 10 MB of them.
const MEMORY: u64 = 1 << 17;

/// A question in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionId(u64);

/// A question to be run now.
#[derive(Debug, Clone)]
pub struct Ticket<C> {
    /// The name to answer it by.
    pub id: QuestionId,
    /// Its content.
    pub fingerprint: Fingerprint,
    /// What is to be tested.
    pub candidate: C,
}

/// A verdict as the real search heard it.
#[derive(Debug, Clone)]
pub struct Told<C> {
    /// What was tested.
    pub candidate: C,
    /// Its content.
    pub fingerprint: Fingerprint,
    /// The answer.
    pub verdict: Verdict,
}

struct Node<S: Search> {
    machine: S,
    question: Option<Asked<S::Candidate>>,
    /// The questions that are certain from here on, this node's first; worked out when first needed.
    certain: Option<Certain<S::Candidate>>,
    /// How many verdicts are told before its question.
    count: u64,
    /// The node before this one, and the verdict that leads here.
    above: Option<(usize, Verdict)>,
    /// The machine after each verdict on the question, by `slot`; made when first needed.
    children: [Option<usize>; 3],
}

/// A question and its content.
type Asked<C> = (Fingerprint, Question<C>);

/// Questions of which all are asked, whatever the answers: a shared row, and where it is entered.
struct Certain<C> {
    row: Arc<[Asked<C>]>,
    from: usize,
}

impl<C> Clone for Certain<C> {
    fn clone(&self) -> Self {
        Self {
            row: Arc::clone(&self.row),
            from: self.from,
        }
    }
}

impl<C> Certain<C> {
    fn rest(&self) -> &[Asked<C>] {
        &self.row[self.from..]
    }

    /// What is certain once the first question of the rest is answered and `next` is asked.
    fn after(&self, next: &Asked<C>) -> Option<Self>
    where
        C: Clone,
    {
        let [_, rest @ ..] = self.rest() else {
            return None;
        };
        if let Some(further) = rest.iter().position(|(asked, _)| *asked == next.0) {
            return Some(Self {
                row: Arc::clone(&self.row),
                from: self.from + 1 + further,
            });
        }
        // A question that nobody had foreseen, such as a sample of the gate, comes in between.
        (!rest.is_empty()).then(|| Self {
            row: std::iter::once(next).chain(rest).cloned().collect(),
            from: 0,
        })
    }
}

fn slot(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Interesting => 0,
        Verdict::Uninteresting => 1,
        Verdict::Unresolved => 2,
    }
}

/// A place in the tree of verdicts, ordered by the probability of being reached.
struct Frontier {
    probability: f64,
    /// Earlier questions first among equals.
    depth: usize,
    step: Step,
}

/// How a place in the tree of verdicts is come to.
enum Step {
    Root,
    /// By a verdict on the question of a node.
    Verdict(usize, Verdict),
    /// By an answer to each of the questions that are certain at a node.
    Answers(usize, Box<Guesses>),
}

impl Ord for Frontier {
    fn cmp(&self, other: &Self) -> Ordering {
        self.probability
            .total_cmp(&other.probability)
            .then(other.depth.cmp(&self.depth))
    }
}

impl PartialOrd for Frontier {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Frontier {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Frontier {}

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
    /// Starts on a search.
    pub fn new(search: S) -> Self {
        Self::with_memory(search, MEMORY)
    }

    /// Starts on a search, and remembers at least so many verdicts, at most twice as many. What is asked again depends on it, and so may the
    /// result.
    pub fn with_memory(search: S, memory: u64) -> Self {
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
            unresolved: HitRate::new(0.5),
        };
        planner.root = planner.insert(search, None);
        planner
    }

    /// Returns the question most likely to be consulted that is neither answered nor in flight, and counts it as in flight.
    /// `None` when there is none: wait for an answer, or the search is finished.
    #[expect(
        clippy::should_implement_trait,
        reason = "not an iterator: what comes next depends on the answers"
    )]
    pub fn next(&mut self) -> Option<Ticket<S::Candidate>> {
        let (fingerprint, candidate) = self.most_likely()?;
        let id = QuestionId(self.next_id);
        self.next_id += 1;
        self.running.insert(fingerprint, id);
        Some(Ticket {
            id,
            fingerprint,
            candidate,
        })
    }

    /// Works out what `next` would return, so that it returns at once. For idle moments.
    pub fn look_ahead(&mut self) {
        self.most_likely();
    }

    /// Takes the verdict on a question in flight. A question that was abandoned is ignored.
    pub fn answer(&mut self, id: QuestionId, verdict: Verdict) {
        if let Some(fingerprint) = self.fingerprint_of(id) {
            self.running.remove(&fingerprint);
            self.answers.insert(self.answered, fingerprint, verdict);
            self.answered += 1;
        }
    }

    /// Tells the search the answer to its question, when it is there, and returns what was told. To be called until it
    /// returns `None`: one answer may be followed by others that came early.
    pub fn advance(&mut self) -> Option<Told<S::Candidate>> {
        let fingerprint = self.node(self.root).question.as_ref()?.0;
        let verdict = self.answers.remove(fingerprint)?;
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
        let (fingerprint, question) = self.discard(old).question?;
        Some(Told {
            candidate: question.candidate,
            fingerprint,
            verdict,
        })
    }

    /// Changes the search between two of its questions. What was foreseen of it is forgotten; answers are not.
    pub fn change(&mut self, change: impl FnOnce(&mut S)) {
        let mut machine = self.discard(self.root).machine;
        change(&mut machine);
        self.root = self.insert(machine, None);
    }

    /// Returns the questions in flight whose answers can no longer matter, and forgets them.
    pub fn abandoned(&mut self) -> Vec<QuestionId> {
        let mut wanted: HashSet<Fingerprint> = self
            .nodes
            .iter()
            .flatten()
            .filter_map(|node| Some(node.question.as_ref()?.0))
            .collect();
        for (place, node) in self.nodes.iter().enumerate() {
            // Further down, the same row is shared.
            if let Some(certain) = node.as_ref().and_then(|node| node.certain.as_ref())
                && (certain.from == 0 || place == self.root)
            {
                wanted.extend(certain.rest().iter().map(|(fingerprint, _)| *fingerprint));
            }
        }
        let mut abandoned: Vec<QuestionId> = self
            .running
            .iter()
            .filter(|(fingerprint, _)| !wanted.contains(*fingerprint))
            .map(|(_, &id)| id)
            .collect();
        abandoned.sort_unstable();
        self.running
            .retain(|fingerprint, _| wanted.contains(fingerprint));
        abandoned
    }

    /// Returns the question in flight whose answer the search waits for.
    #[must_use]
    pub fn awaited(&self) -> Option<QuestionId> {
        let (fingerprint, _) = self.node(self.root).question.as_ref()?;
        self.running.get(fingerprint).copied()
    }

    /// Returns whether the search has nothing left to ask.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.node(self.root).question.is_none()
    }

    /// Returns the search, told everything it could be told so far.
    #[must_use]
    pub fn search(&self) -> &S {
        &self.node(self.root).machine
    }

    fn fingerprint_of(&self, id: QuestionId) -> Option<Fingerprint> {
        // At most a few hundred are in flight.
        self.running
            .iter()
            .find(|(_, running)| **running == id)
            .map(|(&fingerprint, _)| fingerprint)
    }

    /// The question most likely to be consulted that is neither answered nor in flight.
    fn most_likely(&mut self) -> Option<(Fingerprint, S::Candidate)> {
        let mut frontier = BinaryHeap::from([Frontier {
            probability: 1.0,
            depth: 0,
            step: Step::Root,
        }]);
        // Where few candidates are left, all of them are soon in flight, on factorially many paths.
        // Answers on paths that were not taken stay, and are on no path.
        let known = self.answers.len().min(self.nodes.len() - self.free.len());
        let miss = if self.unresolved.odds() > 0.5 {
            Verdict::Unresolved
        } else {
            Verdict::Uninteresting
        };
        let mut steps = 8 * (self.running.len() + known + 8);
        while let Some(Frontier {
            probability,
            depth,
            step,
        }) = frontier.pop()
            && steps > 0
        {
            steps -= 1;
            let node = match step {
                Step::Root => self.root,
                Step::Verdict(parent, verdict) => self.child(parent, verdict),
                Step::Answers(head, guesses) => {
                    let reached = probability / guesses.probability;
                    frontier.extend(guesses.next().map(|guesses| Frontier {
                        probability: reached * guesses.probability,
                        depth,
                        step: Step::Answers(head, Box::new(guesses)),
                    }));
                    self.after(head, &guesses)
                }
            };
            let Some((fingerprint, question)) = &self.node(node).question else {
                continue;
            };
            let (fingerprint, odds) = (*fingerprint, question.odds);
            let count = self.node(node).count;
            if self.is_open(fingerprint, count) {
                return Some((fingerprint, question.candidate.clone()));
            }
            let certain = self.certain(node);
            let mut rest = certain.rest().iter().skip(1);
            if let Some((fingerprint, question)) =
                rest.find(|(asked, _)| self.is_open(*asked, count))
            {
                return Some((*fingerprint, question.candidate.clone()));
            }
            if certain.rest().len() > 1 {
                let answers = certain.rest().iter().map(|(asked, question)| {
                    let known = self.answer_to(*asked);
                    known.ok_or(question.odds)
                });
                let guesses = Guesses::likeliest(answers);
                frontier.push(Frontier {
                    probability: probability * guesses.probability,
                    depth: depth + certain.rest().len(),
                    step: Step::Answers(node, Box::new(guesses)),
                });
                continue;
            }
            let mut reach = |verdict, odds: f64| {
                frontier.push(Frontier {
                    probability: probability * odds,
                    depth: depth + 1,
                    step: Step::Verdict(node, verdict),
                });
            };
            if let Some(verdict) = self.answer_to(fingerprint) {
                reach(verdict, 1.0);
            } else {
                reach(Verdict::Interesting, odds);
                // One of the two misses: machines to which they are the same would be followed twice otherwise.
                reach(miss, 1.0 - odds);
            }
        }
        None
    }

    /// Whether a question is neither answered, as seen after so many told verdicts, nor in flight.
    fn is_open(&self, fingerprint: Fingerprint, count: u64) -> bool {
        self.answer_to(fingerprint).is_none()
            && !self.running.contains_key(&fingerprint)
            && self.told.get(count, fingerprint).is_none()
    }

    /// An answer that the search has not come to yet.
    fn answer_to(&self, fingerprint: Fingerprint) -> Option<Verdict> {
        self.answers.get(self.answered, fingerprint)
    }

    /// The questions that are certain from a node on.
    fn certain(&mut self, node: usize) -> Certain<S::Candidate> {
        if let Some(certain) = &self.node(node).certain {
            return certain.clone();
        }
        let Node {
            question, machine, ..
        } = self.node(node);
        let others = machine.certain().into_iter().skip(1);
        let others = others.map(|question| (question.candidate.fingerprint(), question));
        let row = question.iter().cloned().chain(others).collect();
        let certain = Certain { row, from: 0 };
        self.node_mut(node).certain = Some(certain.clone());
        certain
    }

    /// The node that is come to when all guesses are right.
    fn after(&mut self, head: usize, guesses: &Guesses) -> usize {
        let row = self.certain(head);
        let mut node = head;
        for (place, (fingerprint, _)) in row.rest().iter().enumerate() {
            // A question that repeats an older one is skipped by the machine's own node.
            if (self.node(node).question.as_ref()).is_some_and(|(asked, _)| asked == fingerprint) {
                node = self.child(node, guesses.verdict(place));
            }
        }
        node
    }

    /// The node after `verdict` on the question of `parent`.
    fn child(&mut self, parent: usize, verdict: Verdict) -> usize {
        if let Some(child) = self.node(parent).children[slot(verdict)] {
            return child;
        }
        let mut machine = self.node(parent).machine.clone();
        machine.tell(verdict);
        let child = self.insert(machine, Some((parent, verdict)));
        self.node_mut(parent).children[slot(verdict)] = Some(child);
        child
    }

    /// Moves a machine past every question whose answer is known on this path, and gives it a node.
    fn insert(&mut self, mut machine: S, above: Option<(usize, Verdict)>) -> usize {
        let count = above.map_or(self.count, |(parent, _)| self.node(parent).count + 1);
        let question = loop {
            let Some(question) = machine.ask() else {
                break None;
            };
            let fingerprint = question.candidate.fingerprint();
            match self.verdict_above(above, count, fingerprint) {
                None => break Some((fingerprint, question)),
                // What was interesting need not have been kept: another deletion may have been preferred.
                Some(Verdict::Interesting) => machine.tell(Verdict::Interesting),
                Some(Verdict::Uninteresting | Verdict::Unresolved) => machine.skip(),
            }
        };
        let row = above.and_then(|(parent, _)| self.node(parent).certain.clone());
        let certain = row
            .zip(question.as_ref())
            .and_then(|(row, question)| row.after(question));
        let node = Some(Node {
            machine,
            question,
            certain,
            count,
            above,
            children: [None; 3],
        });
        if let Some(place) = self.free.pop() {
            self.nodes[place] = node;
            place
        } else {
            self.nodes.push(node);
            self.nodes.len() - 1
        }
    }

    /// The verdict that was told on a question before, really or on the path that leads on from here, as it is remembered after so
    /// many told verdicts.
    fn verdict_above(
        &self,
        mut above: Option<(usize, Verdict)>,
        count: u64,
        fingerprint: Fingerprint,
    ) -> Option<Verdict> {
        while let Some((node, verdict)) = above {
            let node = self.node(node);
            if (node.question.as_ref()).is_some_and(|(asked, _)| *asked == fingerprint)
                && self.told.reaches(node.count, count)
            {
                return Some(verdict);
            }
            above = node.above;
        }
        self.told.get(count, fingerprint)
    }

    /// Frees a node and all below it.
    fn discard(&mut self, top: usize) -> Node<S> {
        let removed = self.nodes[top]
            .take()
            .expect("only reachable nodes are discarded, once");
        self.free.push(top);
        let mut pending: Vec<usize> = removed.children.into_iter().flatten().collect();
        while let Some(place) = pending.pop() {
            let node = self.nodes[place]
                .take()
                .expect("only reachable nodes are discarded, once");
            self.free.push(place);
            pending.extend(node.children.into_iter().flatten());
        }
        removed
    }

    fn node(&self, place: usize) -> &Node<S> {
        self.nodes[place]
            .as_ref()
            .expect("places in use are reachable from the root")
    }

    fn node_mut(&mut self, place: usize) -> &mut Node<S> {
        self.nodes[place]
            .as_mut()
            .expect("places in use are reachable from the root")
    }
}

/// Runs a search to its end with a closure for an oracle, one question at a time.
///
/// Candidates whose content was answered before are not asked again.
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

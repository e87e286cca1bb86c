//! The state machine that runs the passes.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use boildown_document::{
    Candidate, Check, Document, Split, TextOrder, View, fingerprint, fingerprint_of_texts, is_lost,
    steps::{Underway, at_once, pause},
};
use boildown_search::{Fingerprint, Query, Search, Subset, Verdict};

use super::missed::KnownDeletion;
use super::pass::{Method, Pass};
use super::pass_id::PassId;
use super::search::{PassSearch, Start};
use super::selection::{omitted, select};
use super::state::PassState;
use super::turns::{PausedSearch, Turns};
use crate::fact_gate::FactGate;
use crate::name_gate::NameGate;
use crate::rewrite::RewriteSetup;
use crate::strategy::{GateMode, Strategy, TrivialInputs};
use crate::unused::STATEMENTS_FROM;

/// Passes over an input, one after another, in rounds until none has had a hit since the last one.
///
/// Each pass reads the result of the one before anew, so that what a deletion made possible
/// becomes visible.
///
/// After a hit every other pass may find something again. So the pipeline starts over when it
/// reaches the end of the order, and stops in the second round once it reaches the pass after the
/// last one that hit: the passes from there on have seen this very result already. With the order
/// A, B, C and a single hit, in B, the run is A B C A B.
///
/// At the end, inputs of a few characters are tried in place of the whole one. They are never the
/// result: see [`TrivialInputs`].
///
/// Candidates that are not smaller than the best one are never asked about, in an order that is the
/// same for all passes: see [`TextOrder`].
///
/// # Guarantee
/// Ends whatever the verdicts are: each hit makes the input smaller. 1-minimal when finished:
/// deleting any one unit of a pass that is a sweep was answered `Uninteresting` or `Unresolved` on
/// the very result, or does not make it smaller; for a language these are its tokens, and those
/// nodes whose removal leaves the text parsing.
/// # Cost
/// That of its passes, times the rounds. Every round but the last has at least one hit.
#[derive(Debug, Clone)]
pub(super) struct Passes {
    strategy: Arc<Strategy>,
    /// What the search started from.
    input: Arc<[u8]>,
    /// `None` without a language.
    setup: Option<Arc<RewriteSetup>>,
    /// In the order in which they run.
    passes: Arc<[Pass]>,
    /// Whether no pass is missing that the proof of 1-minimality is made of.
    can_prove: bool,
    order: TextOrder,
    stage: Stage,
    /// The beginning of the pass at the current position.
    beginning: Underway<BegunPass>,
    /// The best candidate of the pass at work.
    best: Candidate,
    /// The position of the pass at work; the number of passes when finished.
    current: usize,
    /// The input as the pass at work reads it.
    document: Arc<Document>,
    /// Identifies its content, and how it is read.
    document_id: Fingerprint,
    search: PassSearch,
    /// The position of the pass that hit last; `usize::MAX` before the first hit.
    last_hit: usize,
    /// Whether the order has ended and begun again since the last hit, or there was none.
    started_over: bool,
    /// Whether the pass at work has hit.
    has_hit: bool,
    /// The number of misses of the pass at work since its last hit.
    misses: usize,
    /// The number of tokens of the input, once a pass has read it in its language.
    input_tokens: Option<usize>,
    /// The number of queries that each pass asked when it ran last, by position, and the size of
    /// its result.
    ends: Arc<[Option<PassEnd>]>,
    /// The number of queries that the pass at work has asked.
    asked: u64,
    /// The passes that were skipped before their end and not run to it since.
    skipped: BTreeSet<PassId>,
    state: PassState,
    turns: Turns,
    /// The gate of the format, if it has one.
    fact_gate: Option<FactGate>,
    /// The gate of the names, if the tools of the language resolve them.
    name_gate: Option<NameGate>,
    /// The trivial inputs to be asked about at the end, the last one first.
    trivial_left: Vec<&'static [u8]>,
    /// The one that was interesting.
    trivial: Option<Candidate>,
}

/// How a pass ended.
#[derive(Debug, Clone, Copy)]
struct PassEnd {
    /// The number of queries that it asked.
    asked: u64,
    /// The size of its result, in bytes.
    size: usize,
}

/// A pass that has begun.
struct BegunPass {
    document: Arc<Document>,
    search: PassSearch,
    /// Whether its view makes sense of the input.
    applies: bool,
}

/// All that a pass needs to begin.
struct Beginning {
    pass: Pass,
    best: Candidate,
    setup: Option<Arc<RewriteSetup>>,
    strategy: Arc<Strategy>,
    state: PassState,
}

impl Beginning {
    /// Reads the best candidate as the pass needs it, and starts its search.
    async fn begin(self) -> BegunPass {
        let (best, view) = (&self.best, self.pass.view);
        let is_read = is_read(best, &self.pass);
        let document = match (is_read, &self.strategy.split) {
            (true, _) => Arc::clone(best.document()),
            (false, Some(split)) if view == View::Elements => {
                Arc::new(Document::of_elements(best.bytes(), split))
            }
            _ => {
                let document = best.document();
                Arc::new(document.reread(best.kept(), best.bytes(), view).await)
            }
        };
        let applies = self.applies(&document);
        pause().await;
        let start = Start {
            document: &document,
            setup: self.setup.as_ref(),
            strategy: &self.strategy,
            state: &self.state,
        };
        let search = start.search(&self.pass).await;
        BegunPass {
            document,
            search,
            applies,
        }
    }

    /// Returns whether the view of the pass makes sense of the best candidate.
    fn applies(&self, document: &Document) -> bool {
        match self.pass.view {
            _ if self.pass.method.guesses_layout() => !document.has_parts(),
            View::Parts(_) => document.has_parts(),
            View::Of(_) => document.is_module(),
            View::Blocks => {
                let language = self.setup.as_ref().map(|setup| setup.language());
                self.strategy.passes.names_passes_to_run()
                    || language.is_none_or(|language| is_lost(self.best.bytes(), language))
            }
            _ => true,
        }
    }
}

/// Returns whether the best candidate is a document that was read as a pass needs it.
fn is_read(best: &Candidate, pass: &Pass) -> bool {
    best.is_whole() && best.document().view() == pass.view
}

/// The size of an input, in bytes, from which reading it takes as long as finding many queries.
const LARGE: usize = 64 << 10;

/// A text of which less than one part in this many is left has become much smaller.
const MUCH_SMALLER: usize = 4;

/// Returns a document of one token, and a search that has no query yet: only its best candidate is
/// used, which is the whole input.
fn unread(bytes: &Arc<[u8]>, strategy: &Strategy) -> (Arc<Document>, PassSearch) {
    let whole = View::Bytes(usize::MAX);
    let document = Arc::new(Document::new(bytes, whole));
    let start = Start {
        document: &document,
        setup: None,
        strategy,
        state: &PassState::default(),
    };
    let search = at_once(start.search(&Pass::new(PassId::EACH_BYTE, whole, Method::Window(1))));
    (document, search)
}

/// The trivial inputs that are tried when they cannot be the result.
const TRIVIAL_AT_END: [&[u8]; 2] = [b"{", b"\r"];

/// A pass that gives up has missed this often in a row.
const MISSES_IN_A_ROW: usize = 30;

/// The share of trivial inputs that are interesting, about.
const TRIVIAL_ODDS: f64 = 0.1;

/// Returns the trivial inputs that are to be asked about at the end, the last one first. Removes
/// the pass that would try them first, unless they are allowed or the pass was asked for by name.
fn trivial_at_end(passes: &mut Vec<Pass>, strategy: &Strategy) -> Vec<&'static [u8]> {
    let pass = passes
        .iter()
        .position(|pass| pass.id == PassId::REWRITING_WHOLE);
    match pass {
        Some(pass)
            if strategy.trivial != TrivialInputs::Allowed
                && !strategy.passes.names_passes_to_run() =>
        {
            passes.remove(pass);
        }
        _ => return Vec::new(),
    }
    let is_tried = strategy.trivial == TrivialInputs::Reported;
    let tried = TRIVIAL_AT_END.into_iter().rev();
    tried.filter(|_| is_tried).collect()
}

/// The stage of the work that leads to the next query.
#[derive(Debug, Clone)]
enum Stage {
    /// The pass at the current position is about to begin.
    Begin,
    /// The next query of the pass at work has to be looked at.
    Check,
    /// This query is the next one.
    Asking(Query<Candidate>),
    /// The passes have finished. This query is about a trivial input.
    Trivial(Query<Candidate>),
    Finished,
}

impl Passes {
    pub(super) fn new(
        bytes: &Arc<[u8]>,
        mut passes: Vec<Pass>,
        order: TextOrder,
        strategy: Strategy,
        setup: Option<Arc<RewriteSetup>>,
    ) -> Self {
        let proofs = |passes: &[Pass]| passes.iter().filter(|pass| pass.is_proof()).count();
        let all_proofs = proofs(&passes);
        passes.retain_mut(|pass| select(pass, &strategy));
        let can_prove = proofs(&passes) == all_proofs;
        passes.retain(|pass| omitted(pass, &strategy).is_none());
        let trivial_left = trivial_at_end(&mut passes, &strategy);
        let state = PassState::default();
        let (document, search) = unread(bytes, &strategy);
        let ends = vec![None; passes.len()].into();
        let resolves_names = setup
            .as_ref()
            .is_some_and(|setup| setup.language().resolves_names);
        let is_gated = resolves_names && strategy.gate == GateMode::Adaptive;
        let name_gate = is_gated.then(NameGate::default);
        let turns = Turns::new(&passes, bytes.len());
        Self {
            strategy: Arc::new(strategy),
            input: Arc::clone(bytes),
            setup,
            passes: passes.into(),
            can_prove,
            order,
            stage: Stage::Begin,
            beginning: Underway::default(),
            best: search.best(),
            current: 0,
            document,
            document_id: Fingerprint::new(0),
            search,
            last_hit: usize::MAX,
            started_over: true,
            has_hit: false,
            misses: 0,
            input_tokens: None,
            ends,
            asked: 0,
            skipped: BTreeSet::new(),
            state,
            turns,
            fact_gate: None,
            name_gate,
            trivial_left,
            trivial: None,
        }
    }

    /// Puts a gate in front of deletions of tokens.
    pub(super) fn with_fact_gate(self, gate: Option<FactGate>) -> Self {
        Self {
            fact_gate: gate,
            ..self
        }
    }

    /// Returns the pass at work; `None` when finished.
    pub(super) fn pass(&self) -> Option<PassId> {
        match self.stage {
            Stage::Trivial(_) => Some(PassId::REWRITING_WHOLE),
            _ => self.current_pass().map(|pass| pass.id),
        }
    }

    /// Returns the trivial input that is interesting too, if one was found.
    pub(super) fn trivial(&self) -> Option<&Candidate> {
        self.trivial.as_ref()
    }

    /// Returns whether the result is proved to be 1-minimal: the sweeps of the proof ran over it to
    /// their ends and found nothing. True of every finished search, unless such a pass was skipped
    /// or deselected, or the result is still too large for it.
    pub(super) fn is_proved(&self) -> bool {
        let mut passes = self.passes.iter();
        let sweep = passes.rfind(|pass| matches!(pass.method, Method::Window(_)));
        let was_skipped = |pass: &Pass| pass.is_proof() && self.skipped.contains(&pass.id);
        self.can_prove
            && !self.passes.iter().any(was_skipped)
            && matches!(self.stage, Stage::Finished)
            && sweep.is_some_and(|pass| pass.sizes.contains(&self.best().bytes().len()))
    }

    /// Returns the number of tokens of the input in its language, if a pass has counted them.
    pub(super) fn input_tokens(&self) -> Option<usize> {
        self.input_tokens
    }

    /// Returns about how many queries there are until the search is finished, if none of them is
    /// interesting: each pass that is to come asks as many as it did on the larger
    /// text before. `None` before the last round.
    pub(super) fn tests_left(&self) -> Option<u64> {
        if !self.started_over || self.last_hit >= self.passes.len() {
            return None;
        }
        let to_come = self.current..=self.last_hit;
        let costs: Option<u64> = to_come
            .map(|position| match self.is_needless(position) {
                true => Some(0),
                false => Some((*self.ends.get(position)?)?.asked),
            })
            .sum();
        costs.map(|costs| costs.saturating_sub(self.asked))
    }

    fn current_pass(&self) -> Option<&Pass> {
        self.passes.get(self.current)
    }

    /// Ends the pass at work. The next one begins.
    pub(super) fn skip_pass(&mut self) {
        if let Stage::Trivial(_) = self.stage {
            self.stage = Stage::Finished;
        } else if let Some(pass) = self.pass() {
            self.skipped.insert(pass);
            self.end_pass(self.current + 1);
        }
    }

    /// Ends the pass at work; the pass at this position is to begin.
    fn end_pass(&mut self, next: usize) {
        (self.has_hit, self.misses) = (false, 0);
        if let PassSearch::Rewrites(rewrites) = &self.search {
            self.state.missed = rewrites.missed().clone();
        }
        self.state.missed_deletions.end_pass();
        if self.current < self.passes.len() {
            let mut ends = self.ends.to_vec();
            ends[self.current] = Some(PassEnd {
                asked: self.asked,
                size: self.best.bytes().len(),
            });
            self.ends = ends.into();
        }
        let turn = self.turns.end(self.current, self.best.bytes().len());
        // Some passes are begun again, or another one before them.
        let next = turn.filter(|_| next > self.current).unwrap_or(next);
        (self.current, self.asked) = (next, 0);
        self.stage = Stage::Begin;
        self.beginning.give_up();
        self.give_up_query();
    }

    /// Forgets the query that was being looked at: the search moves on.
    fn give_up_query(&mut self) {
        if let Some(gate) = &mut self.name_gate {
            gate.give_up();
        }
    }

    /// Does a step of the beginning of the pass at the current position, or moves past it if it has
    /// no query.
    fn begin(&mut self) {
        if self.started_over && self.current > self.last_hit {
            // The rest of the passes had no hit on this very result.
            self.current = self.passes.len();
        }
        let Some(pass) = self.passes.get(self.current) else {
            if self.started_over {
                self.ask_trivial();
            } else {
                (self.current, self.started_over) = (0, true);
                self.turns.finish();
            }
            return;
        };
        let id = pass.id;
        // Lines are reported of the whole input.
        let is_late = matches!(pass.method, Method::Reported) && self.last_hit != usize::MAX;
        let is_of_use = !is_late && pass.sizes.contains(&self.best.bytes().len());
        if is_of_use && self.is_needless(self.current) {
            (self.current, self.asked) = (self.current + 1, 0);
            return;
        }
        let has_query = match is_of_use {
            false => Some(false),
            true if self.resume() => Some(true),
            true => self.start(),
        };
        match has_query {
            None => {}
            Some(true) => self.stage = Stage::Check,
            Some(false) => {
                self.skipped.remove(&id);
                self.end_pass(self.current + 1);
            }
        }
    }

    /// Returns whether a pass that is rarely of use twice has run, and what is left has not
    /// become much smaller since.
    fn is_needless(&self, position: usize) -> bool {
        let is_once = (self.passes.get(position)).is_some_and(|pass| pass.is_once);
        let end = self.ends.get(position).copied().flatten();
        is_once && end.is_some_and(|end| self.best.bytes().len() * MUCH_SMALLER > end.size)
    }

    /// Returns whether the pass at the current position has to read a large input anew.
    fn will_read(&self) -> bool {
        let size = self.best.bytes().len();
        (self.current_pass()).is_some_and(|pass| {
            size >= LARGE && pass.sizes.contains(&size) && !is_read(&self.best, pass)
        })
    }

    /// Continues the search of the pass at the current position, if it is paused.
    fn resume(&mut self) -> bool {
        let Some(paused) = self.turns.take_paused(self.current) else {
            return false;
        };
        self.document = paused.document;
        self.document_id = paused.document_id;
        self.search = paused.search;
        self.best = self.search.best();
        true
    }

    /// Pauses the pass at work: the turn is another one's.
    fn pause(&mut self) {
        let paused = PausedSearch {
            document: Arc::clone(&self.document),
            document_id: self.document_id,
            search: self.search.clone(),
        };
        self.turns.pause(self.current, paused);
        self.end_pass(self.current + 1);
    }

    /// Does a step towards the search of the pass at the current position. Returns whether it has a
    /// query, once that is known.
    fn start(&mut self) -> Option<bool> {
        let counts_tokens = self.last_hit == usize::MAX;
        // Not in the first step, after which the caller may look at what was just found.
        if self.beginning.has_begun() {
            self.give_back();
        }
        let needs_best = self.needs_best_to_read();
        let begun = self.beginning.step(|| {
            let beginning = Beginning {
                pass: self.passes[self.current].clone(),
                best: match needs_best {
                    true => self.best.clone(),
                    false => Candidate::whole(self.best.bytes()),
                },
                setup: self.setup.clone(),
                strategy: Arc::clone(&self.strategy),
                state: self.state.clone(),
            };
            beginning.begin()
        })?;
        if counts_tokens && matches!(begun.document.view(), View::Syntax(_)) {
            let all = Subset::full(begun.document.len());
            self.input_tokens = Some(begun.document.count_tokens(&all));
        }
        self.document = begun.document;
        let id = fingerprint(self.document.bytes()).bits();
        self.document_id = Fingerprint::new(id.wrapping_add(self.current as u128));
        self.search = begun.search;
        self.best = self.search.best();
        Some(begun.applies && self.search.ask().is_some())
    }

    /// Returns whether the pass at the current position needs more than the bytes of the best
    /// candidate.
    fn needs_best_to_read(&self) -> bool {
        let is_read = (self.current_pass()).is_none_or(|pass| is_read(&self.best, pass));
        is_read || self.best.document().is_carried_over()
    }

    /// Gives back the document of the pass before, while the bytes of the best candidate are read
    /// anew: otherwise both take memory, many times that of the text.
    fn give_back(&mut self) {
        let is_large = self.best.bytes().len() >= LARGE;
        if is_large && !self.needs_best_to_read() {
            (self.document, self.search) = unread(self.best.bytes(), &self.strategy);
            self.best = self.search.best();
            if let Some(gate) = &mut self.name_gate {
                gate.forget();
            }
        }
    }

    /// Makes the proof run over the result of a hit that is no reason for another round.
    fn prove_again(&mut self) {
        let is_first_round = !self.started_over || self.last_hit >= self.passes.len();
        let to_come = match is_first_round {
            // Those after the pass at work will run in this round.
            true => &self.passes[..self.current],
            false => &self.passes[..],
        };
        let Some(proof) = to_come.iter().rposition(Pass::is_proof) else {
            return;
        };
        if self.last_hit < self.passes.len() {
            self.last_hit = self.last_hit.max(proof);
        } else {
            (self.last_hit, self.started_over) = (proof, false);
        }
    }

    /// Reads the input anew once the pass by expected gain has deleted half of it, and first
    /// deletes the definitions that have become unused. The learned hit rates are kept.
    fn refresh(&mut self) {
        if let PassSearch::BestFirst(tree) = &self.search
            && 2 * self.best.kept().count() < self.document.len()
        {
            self.state.learned_rates = tree.search.learned_rates().clone();
            let before = self.current.saturating_sub(1);
            let is_unused = matches!(self.passes[before].method, Method::Unused(_));
            self.end_pass(if is_unused { before } else { self.current });
        }
    }

    /// Asks about the next trivial input, or finishes.
    fn ask_trivial(&mut self) {
        self.stage = Stage::Finished;
        while let Some(text) = self.trivial_left.pop() {
            let query = Query {
                candidate: Candidate::whole(&text.into()),
                odds: TRIVIAL_ODDS,
            };
            let is_result = text.trim_ascii() == self.best.bytes().trim_ascii();
            if !is_result && self.is_allowed(&query) {
                self.stage = Stage::Trivial(query);
                return;
            }
        }
    }

    /// Looks at the next query of the pass at work: asks about its candidate, or moves past it.
    fn check(&mut self) {
        let pass = &self.passes[self.current];
        let has_given_up = pass.gives_up() && self.misses >= MISSES_IN_A_ROW;
        let query = self.search.ask().filter(|_| !has_given_up);
        if query.is_some() && self.turns.is_over(self.current, self.best.bytes().len()) {
            self.pause();
            return;
        }
        let Some(query) = query else {
            let is_large = self.document.len() >= STATEMENTS_FROM;
            let is_repeated = pass.is_repeated
                || is_large && self.has_deleted_an_eighth() && pass.is_repeated_in_large_inputs();
            let (id, again) = (pass.id, self.has_hit && is_repeated);
            self.skipped.remove(&id);
            self.end_pass(self.current + usize::from(!again));
            return;
        };
        match self
            .order
            .compare(query.candidate.bytes(), self.best.bytes())
        {
            Ordering::Less if self.is_sound(&query) && !self.passes_over(&query.candidate) => {
                match self.is_plausible(&query) {
                    None => {}
                    Some(true) => self.stage = Stage::Asking(query),
                    Some(false) => self.search.skip(),
                }
            }
            // For example, it deletes a token that the text has no bytes for. A rewriting would be
            // proposed again.
            Ordering::Equal if !matches!(self.search, PassSearch::Rewrites(_)) => {
                self.search.tell(Verdict::Interesting);
                self.best = self.search.best();
            }
            _ => self.search.skip(),
        }
    }

    /// Returns the deletion that a candidate makes; `None` if it is not remembered.
    fn deletion(&self, candidate: &Candidate) -> Option<KnownDeletion> {
        let is_deletion =
            self.search.is_deletion() && Arc::ptr_eq(candidate.document(), &self.document);
        let (best, kept) = (self.best.kept(), candidate.kept());
        let deletion = || KnownDeletion::new(&self.document, best, kept);
        is_deletion.then(deletion).flatten()
    }

    /// Returns the deletion that a candidate makes, if the pass at work passes over those that
    /// missed.
    fn deletion_in_question(&self, candidate: &Candidate) -> Option<KnownDeletion> {
        let passes_over = (self.current_pass()).is_some_and(Pass::passes_over_misses);
        let is_of_use = passes_over && !self.state.missed_deletions.is_empty();
        is_of_use.then(|| self.deletion(candidate)).flatten()
    }

    /// Returns whether a candidate makes a deletion that missed before where nothing has changed.
    fn passes_over(&mut self, candidate: &Candidate) -> bool {
        let (deletion, size) = (
            self.deletion_in_question(candidate),
            self.best.bytes().len(),
        );
        deletion.is_some_and(|deletion| self.state.missed_deletions.passes_over(deletion, size))
    }

    /// Returns whether the pass at work has deleted an eighth of its document.
    fn has_deleted_an_eighth(&self) -> bool {
        8 * self.best.bytes().len() <= 7 * self.document.bytes().len()
    }

    /// Returns whether a candidate has to pass a gate. What proves that the result is 1-minimal
    /// does not, unless the gate stands before the proof.
    fn is_gated(&self, candidate: &Candidate, gates_proof: bool) -> bool {
        match self.current_pass().map(|pass| pass.id) {
            // What is made of several words is declared nowhere.
            Some(PassId::REWRITING_JOINS) => true,
            Some(PassId::NODES) if !gates_proof => false,
            _ => candidate.check() == Check::Parses,
        }
    }

    /// Does a step towards the answer whether the gates of names and of the format admit a query.
    fn is_plausible(&mut self, query: &Query<Candidate>) -> Option<bool> {
        let candidate = &query.candidate;
        let needs_names = self.is_gated(candidate, false);
        if let Some(gate) = self.name_gate.as_mut()
            && needs_names
            && !gate.admits(candidate, &self.best)?
        {
            return Some(false);
        }
        let gates_proof = self.fact_gate.as_ref().is_some_and(FactGate::gates_proof);
        let is_gated = self.is_gated(candidate, gates_proof);
        Some(match &mut self.fact_gate {
            Some(gate) if is_gated => gate.admits(candidate.bytes(), self.best.bytes()),
            _ => true,
        })
    }

    /// Returns whether the candidate of a query is smaller than the best one, contains what has to
    /// be kept, and is a list if the input has to be one.
    fn is_allowed(&self, query: &Query<Candidate>) -> bool {
        let order = (self.order).compare(query.candidate.bytes(), self.best.bytes());
        order.is_lt() && self.is_sound(query)
    }

    /// Returns whether a candidate contains what has to be kept, and is what its view promises.
    fn is_sound(&self, query: &Query<Candidate>) -> bool {
        let bytes = query.candidate.bytes();
        let keep = &self.strategy.keep;
        let is_list = |split: &Split| split.accepts(bytes, &self.input);
        (keep.is_empty() || keep.is_in(bytes))
            && self.strategy.split.as_ref().is_none_or(is_list)
            && self.document.accepts(bytes)
    }

    /// Takes the best candidate from the pass at work. Returns whether it became smaller.
    fn update_best(&mut self, verdict: Verdict) -> bool {
        if !verdict.is_interesting() {
            return false;
        }
        let best = self.search.best();
        let is_smaller = (self.order)
            .compare(best.bytes(), self.best.bytes())
            .is_lt();
        self.best = best;
        is_smaller
    }
}

impl Search for Passes {
    type Candidate = Candidate;

    fn is_ready(&self) -> bool {
        !matches!(self.stage, Stage::Begin | Stage::Check)
    }

    fn is_costly_to_prepare(&self) -> bool {
        matches!(self.stage, Stage::Begin) && self.will_read()
    }

    fn prepare(&mut self) {
        match self.stage {
            Stage::Begin => self.begin(),
            Stage::Check => self.check(),
            Stage::Asking(_) | Stage::Trivial(_) | Stage::Finished => {}
        }
    }

    fn ask(&self) -> Option<Query<Candidate>> {
        match &self.stage {
            Stage::Asking(query) | Stage::Trivial(query) => Some(query.clone()),
            Stage::Begin | Stage::Check | Stage::Finished => None,
        }
    }

    fn edit(&self) -> Option<Fingerprint> {
        if let Stage::Trivial(_) = self.stage {
            return None;
        }
        let edit = self.search.edit()?.bits().to_le_bytes();
        let document = self.document_id.bits().to_le_bytes();
        Some(fingerprint_of_texts([&edit[..], &document]))
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Stage::Trivial(query) = &self.stage {
            if verdict.is_interesting() {
                self.trivial = Some(query.candidate.clone());
                self.stage = Stage::Finished;
            } else {
                self.ask_trivial();
            }
            return;
        }
        if let Stage::Asking(query) = &self.stage
            && !verdict.is_interesting()
            && let Some(deletion) = self.deletion(&query.candidate)
        {
            let size = self.best.bytes().len();
            self.state.missed_deletions.insert(deletion, size);
        }
        self.search.tell(verdict);
        if let (Some(gate), Stage::Asking(query)) = (&mut self.fact_gate, &self.stage) {
            gate.tell(query.candidate.bytes(), verdict);
        }
        if let Some(gate) = &mut self.name_gate {
            gate.tell(verdict);
        }
        self.asked += 1;
        self.misses = match verdict.is_interesting() {
            true => 0,
            false => self.misses + 1,
        };
        self.stage = Stage::Check;
        let before = self.best.bytes().len();
        let is_smaller = self.update_best(verdict);
        self.turns.tell(before, self.best.bytes().len());
        if is_smaller {
            self.has_hit = true;
            if self.current_pass().is_some_and(Pass::is_final) {
                self.prove_again();
            } else {
                (self.last_hit, self.started_over) = (self.current, false);
            }
        }
        self.refresh();
    }

    fn skip(&mut self) {
        if let Stage::Trivial(_) = self.stage {
            self.ask_trivial();
            return;
        }
        self.search.skip();
        self.give_up_query();
        self.stage = Stage::Check;
    }

    fn best(&self) -> Candidate {
        self.best.clone()
    }
}

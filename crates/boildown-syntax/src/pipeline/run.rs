//! The state machine that runs the passes.

use std::collections::BTreeSet;
use std::sync::Arc;

use boildown_search::algorithms::Schedule;
use boildown_search::{Query, Search, Verdict};

use super::pass::{Method, Pass, PassId};
use super::search::{PassSearch, Start};
use super::state::PassState;
use crate::candidate::Candidate;
use crate::document::{Document, View, is_lost};
use crate::rewrite::RewriteSetup;
use crate::strategy::{Layout, NamePolicy, Strategy};

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
/// # Guarantee
/// 1-minimal when finished: deleting any one unit of a pass that is a sweep was answered
/// `Uninteresting` or `Unresolved` on the very result; for a language these are its tokens, and
/// those nodes whose removal leaves the text parsing.
/// # Cost
/// That of its passes, times the rounds. Every round but the last has at least one hit.
#[derive(Debug, Clone)]
pub struct Pipeline {
    strategy: Strategy,
    /// `None` without a language.
    setup: Option<Arc<RewriteSetup>>,
    /// In the order in which they run.
    passes: Arc<[Pass]>,
    /// Whether no pass is missing that the proof of 1-minimality is made of.
    can_prove: bool,
    /// The position of the pass at work; the number of passes when finished.
    current: usize,
    /// The input as the pass at work reads it.
    document: Arc<Document>,
    search: PassSearch,
    /// The position of the pass that hit last; `usize::MAX` before the first hit.
    last_hit: usize,
    /// Whether the order has ended and begun again since the last hit, or there was none.
    started_over: bool,
    /// Whether the pass at work has hit.
    has_hit: bool,
    /// The passes that were skipped before their end and not run to it since.
    skipped: BTreeSet<PassId>,
    state: PassState,
}

impl Pipeline {
    pub(super) fn new(
        bytes: &Arc<[u8]>,
        mut passes: Vec<Pass>,
        strategy: Strategy,
        setup: Option<Arc<RewriteSetup>>,
    ) -> Self {
        let proofs = |passes: &[Pass]| passes.iter().filter(|pass| pass.is_proof()).count();
        let all_proofs = proofs(&passes);
        passes.retain(|pass| {
            strategy.passes.contains(pass.id)
                && match pass.id {
                    PassId::RewritingNames => strategy.names == NamePolicy::Canonical,
                    PassId::Spaces => strategy.layout == Layout::Compact,
                    _ => true,
                }
        });
        let can_prove = proofs(&passes) == all_proofs;
        if strategy.schedule != Schedule::default() {
            passes.retain(|pass| !pass.needs_own_schedule());
        }
        let state = PassState::default();
        // A search that has no query yet, of the whole input: only its best candidate is used.
        let whole = View::Bytes(usize::MAX);
        let document = Arc::new(Document::new(bytes, whole));
        let start = Start {
            document: &document,
            setup: None,
            strategy: &strategy,
            state: &state,
        };
        let search = start.search(&Pass::new(PassId::EachByte, whole, Method::Window(1)));
        let mut pipeline = Self {
            strategy,
            setup,
            passes: passes.into(),
            can_prove,
            current: 0,
            document,
            search,
            last_hit: usize::MAX,
            started_over: true,
            has_hit: false,
            skipped: BTreeSet::new(),
            state,
        };
        pipeline.begin(0);
        pipeline.advance();
        pipeline
    }

    /// Returns the pass at work; `None` when finished.
    #[must_use]
    pub fn pass(&self) -> Option<PassId> {
        self.current_pass().map(|pass| pass.id)
    }

    /// Returns whether the result is proved to be 1-minimal: the sweeps of the proof ran over it to
    /// their ends and found nothing. True of every finished search, unless such a pass was skipped
    /// or deselected, or the result is still too large for it.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        let mut passes = self.passes.iter();
        let sweep = passes.rfind(|pass| matches!(pass.method, Method::Window(_)));
        let was_skipped = |pass: &Pass| pass.is_proof() && self.skipped.contains(&pass.id);
        self.can_prove
            && !self.passes.iter().any(was_skipped)
            && self.current_pass().is_none()
            && sweep.is_some_and(|pass| pass.sizes.contains(&self.best().bytes().len()))
    }

    fn current_pass(&self) -> Option<&Pass> {
        self.passes.get(self.current)
    }

    /// Ends the pass at work and begins the next one.
    pub(super) fn skip_pass(&mut self) {
        if let Some(pass) = self.pass() {
            self.skipped.insert(pass);
            self.begin(self.current + 1);
            self.advance();
        }
    }

    /// Begins the first pass from this position on that has a query, or finishes.
    fn begin(&mut self, position: usize) {
        let best = self.best();
        self.has_hit = false;
        if let PassSearch::Rewrites(rewrites) = &self.search {
            self.state.missed = rewrites.missed().clone();
        }
        self.current = position;
        loop {
            if self.started_over && self.current > self.last_hit {
                // The rest of the passes had no hit on this very result.
                self.current = self.passes.len();
            }
            let Some(pass) = self.passes.get(self.current) else {
                if self.started_over {
                    return;
                }
                (self.current, self.started_over) = (0, true);
                continue;
            };
            let id = pass.id;
            if pass.sizes.contains(&best.bytes().len()) {
                let view = pass.view;
                let is_read = best.is_whole() && best.document().view() == view;
                self.document = match is_read {
                    true => Arc::clone(best.document()),
                    false => {
                        let document = best.document();
                        Arc::new(document.reread(best.kept(), best.bytes(), view))
                    }
                };
                let start = Start {
                    document: &self.document,
                    setup: self.setup.as_ref(),
                    strategy: &self.strategy,
                    state: &self.state,
                };
                self.search = start.search(pass);
                if self.applies(view, &best) && self.search.ask().is_some() {
                    return;
                }
            }
            self.skipped.remove(&id);
            self.current += 1;
        }
    }

    /// Returns whether a view makes sense of the best candidate.
    fn applies(&self, view: View, best: &Candidate) -> bool {
        match view {
            View::Parts(_) => self.document.has_parts(),
            View::Blocks => {
                let language = self.setup.as_ref().map(|setup| setup.language());
                language.is_none_or(|language| is_lost(best.bytes(), language))
            }
            _ => true,
        }
    }

    /// Reads the input anew once the pass by expected gain has deleted half of it, and first
    /// deletes the definitions that have become unused. The learned hit rates are kept.
    fn refresh(&mut self) {
        if let PassSearch::BestFirst(tree) = &self.search
            && 2 * tree.search.inner().best().count() < self.document.len()
        {
            self.state.learned_rates = tree.search.inner().learned_rates().clone();
            let before = self.current.saturating_sub(1);
            let is_unused = matches!(self.passes[before].method, Method::Unused(_));
            self.begin(if is_unused { before } else { self.current });
        }
    }

    /// Moves on to the next query whose candidate contains what has to be kept.
    fn advance(&mut self) {
        while let Some(pass) = self.current_pass() {
            let (id, is_repeated) = (pass.id, pass.is_repeated());
            let Some(query) = self.search.ask() else {
                let again = self.has_hit && is_repeated;
                self.skipped.remove(&id);
                self.begin(self.current + usize::from(!again));
                continue;
            };
            if self.is_allowed(&query) {
                return;
            }
            self.search.skip();
        }
    }

    fn is_allowed(&self, query: &Query<Candidate>) -> bool {
        let keep = &self.strategy.keep;
        keep.is_empty() || keep.is_in(query.candidate.bytes())
    }
}

impl Search for Pipeline {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        self.current_pass()?;
        self.search.ask()
    }

    fn certain(&self) -> Vec<Query<Candidate>> {
        let mut queries = match self.current_pass() {
            Some(_) => self.search.certain(),
            None => Vec::new(),
        };
        queries.retain(|query| self.is_allowed(query));
        queries
    }

    fn tell(&mut self, verdict: Verdict) {
        if verdict.is_interesting() {
            self.has_hit = true;
            if self.current_pass().is_some_and(Pass::is_repeated) {
                // No reason for another round, but the proof has to run over the new result.
                if let Some(proof) = self.passes.iter().rposition(Pass::is_proof) {
                    self.last_hit = self.last_hit.max(proof);
                }
            } else {
                (self.last_hit, self.started_over) = (self.current, false);
            }
        }
        self.search.tell(verdict);
        self.refresh();
        self.advance();
    }

    fn skip(&mut self) {
        self.search.skip();
        self.advance();
    }

    fn best(&self) -> Candidate {
        self.search.best()
    }
}

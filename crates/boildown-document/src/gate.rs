//! The parse gate: skips candidates that bring new syntax errors.

use std::sync::Arc;

use boildown_search::odds::Hit;
use boildown_search::{Fingerprint, Fingerprinted as _, Query, Search, Verdict};

use crate::Language;
use crate::candidate::{Candidate, Check};
use crate::parse::{Parsed, Parser};
use crate::steps::Underway;

/// A search whose candidates must have no more syntax errors than the best one so far; all others
/// are skipped.
///
/// A program that is a compiler reports syntax errors early, so such candidates are rarely worth a
/// run. Some programs have no such stage. So the gate adapts: it lets one in 32 of the candidates
/// that it would skip through as a sample, and once these are interesting at least half as often as
/// the others, it opens for good. Candidates that ask for no check always pass.
///
/// # Guarantee
/// Depends on the candidates and the verdicts only. Tells nothing about the candidates that it
/// skips: what has to be proved of all candidates must be asked with [`Check::Nothing`].
/// # Cost
/// One incremental parse for each query of the inner search, from the tree of the best candidate.
#[derive(Debug, Clone)]
pub struct Gated<S> {
    inner: S,
    gate: Option<Gate>,
}

#[derive(Debug, Clone)]
struct Gate {
    parser: Parser,
    /// The best candidate; parsed when first needed.
    base: Option<Parsed>,
    /// The parse of the best candidate.
    reading: Underway<Parsed>,
    /// The parse of the candidate of the next query. Its result is `None` if there are new errors.
    checking: Underway<Option<Parsed>>,
    /// With errors in the best candidate: only from this size are candidates parsed.
    parsed_from: usize,
    /// The size of the best candidate that was found too broken last, in bytes.
    broken_at: Option<usize>,
    /// The content that was parsed last, with its tree if it passed. An input with repetitions has
    /// many equal candidates.
    last: Option<(Fingerprint, Option<Parsed>)>,
    openness: Openness,
    /// The number of candidates with new errors, skipped or let through as samples.
    rejected: usize,
    passed: HitCounts,
    sampled: HitCounts,
    /// The decision of the gate on the query of the inner search; `None` before it is made.
    next: Option<Decision>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Openness {
    Shut,
    Open,
    /// Closed for good: no samples, and every candidate is parsed, however large or broken it is.
    Sealed,
}

/// One in this many of the candidates with new errors is let through.
const SAMPLE: usize = 32;

/// With errors in the best candidate: only below this size, in bytes, is every candidate parsed.
const BROKEN_LIMIT: usize = 2 << 20;

/// The same, when the tree of the best candidate is a single error.
const UNPARSED_LIMIT: usize = 128 << 10;

/// With errors in the best candidate: only from this size are candidates parsed. The grammar made
/// no sense of so short a rest. Tools for Verilog and MLIR accept nothing that they cannot parse,
/// so there this is so only where one without errors came before: then the test reads no syntax.
const PARSED_FROM: usize = 512;

/// The decision of the gate on a query.
#[derive(Debug, Clone)]
enum Decision {
    /// It needs no check, or the gate is open.
    Free,
    /// It parses.
    Parsed(Parsed),
    /// It has new errors, and is asked to learn whether that matters.
    Sample,
}

#[derive(Debug, Clone, Copy, Default)]
struct HitCounts {
    asked: u32,
    hits: u32,
}

impl HitCounts {
    fn count(&mut self, hit: Hit) {
        self.asked += 1;
        self.hits += u32::from(hit == Hit::Yes);
    }

    fn rate(self) -> f64 {
        f64::from(self.hits) / f64::from(self.asked.max(1))
    }
}

impl Gate {
    /// Does a step of the decision on the query of `inner`; skips it if it is rejected.
    fn admit(&mut self, inner: &mut impl Search<Candidate = Candidate>) {
        let Some(query) = inner.ask() else {
            self.next = Some(Decision::Free);
            return;
        };
        if let Some(decided) = self.decide(&query.candidate, inner) {
            self.next = decided;
            if self.next.is_none() {
                inner.skip();
            }
        }
    }

    /// Does a step of the decision on a query of `inner`. Returns what is decided: `None` when the
    /// candidate has new errors, and is to be skipped.
    fn decide(
        &mut self,
        candidate: &Candidate,
        inner: &impl Search<Candidate = Candidate>,
    ) -> Option<Option<Decision>> {
        let free = Some(Some(Decision::Free));
        if self.openness == Openness::Open || candidate.check() == Check::Nothing {
            return free;
        }
        let Some(base) = &self.base else {
            let best = inner.best();
            if self.is_surely_broken(best.bytes().len()) {
                return free;
            }
            let parser = &self.parser;
            self.base = (self.reading).step(|| Parsed::of_candidate(parser.clone(), best));
            if (self.base.as_ref()).is_some_and(|base| base.errors == 0) {
                self.parsed_from = PARSED_FROM;
            }
            return None;
        };
        if self.openness != Openness::Sealed && base.is_too_broken(self.parsed_from) {
            self.broken_at = Some(base.bytes.len());
            return free;
        }
        let content = candidate.fingerprint();
        let parsed = match self.last.take() {
            Some((last, parsed)) if last == content => parsed,
            _ => {
                let (base, bytes) = (base.clone(), Arc::clone(candidate.bytes()));
                let parser = self.parser.clone();
                self.checking
                    .step(|| async move { base.reparse(&parser, bytes).await })?
            }
        };
        self.last = Some((content, parsed.clone()));
        if let Some(parsed) = parsed {
            return Some(Some(Decision::Parsed(parsed)));
        }
        self.rejected += 1;
        let is_sample = self.openness == Openness::Shut && self.rejected % SAMPLE == SAMPLE / 2;
        Some(is_sample.then_some(Decision::Sample))
    }

    /// Forgets the decision: the inner search has moved on.
    fn undecide(&mut self) {
        self.next = None;
        self.checking.give_up();
    }

    /// Gives back the tree of the best candidate, which the inner search is about to read anew: its
    /// document will have a tree of its own, and each of them takes many times the memory of the
    /// text. Keeps one with errors, which depend on how a text was parsed.
    fn give_back(&mut self) {
        if self.base.as_ref().is_some_and(|base| base.errors == 0) {
            (self.base, self.last) = (None, None);
        }
    }

    /// Returns whether the best candidate, of this size, is taken for too broken without a parse:
    /// the last one that was parsed was, and is not much larger. A parse of a large text with
    /// errors takes seconds, and there is a new best candidate after each hit.
    fn is_surely_broken(&self, size: usize) -> bool {
        let broken_at = self.broken_at.unwrap_or(0);
        size > BROKEN_LIMIT && size > broken_at - broken_at / 4 && size <= broken_at
    }

    /// Counts the verdict on the query that was let through; returns its tree when it was
    /// interesting.
    fn learn(&mut self, verdict: Verdict) -> Option<Parsed> {
        let hit = Hit::from(verdict);
        let parsed = match self.next.take() {
            None | Some(Decision::Free) => None,
            Some(Decision::Parsed(parsed)) => {
                self.passed.count(hit);
                Some(parsed)
            }
            Some(Decision::Sample) => {
                self.sampled.count(hit);
                None
            }
        };
        if self.sampled.asked >= 8
            && self.sampled.hits >= 2
            && self.sampled.rate() >= self.passed.rate() / 2.0
        {
            self.openness = Openness::Open;
        }
        parsed.filter(|_| hit == Hit::Yes)
    }
}

impl Parsed {
    /// Returns whether the errors are a reason to let every candidate pass: with errors, little of
    /// the tree can be reused, and the parser recovers from each of them again.
    fn is_too_broken(&self, parsed_from: usize) -> bool {
        let largest = if self.is_one_error() {
            UNPARSED_LIMIT
        } else {
            BROKEN_LIMIT
        };
        self.errors > 0 && !(parsed_from..=largest).contains(&self.bytes.len())
    }
}

impl<S: Search<Candidate = Candidate>> Gated<S> {
    /// Puts a gate in front of a search. Without a language every candidate passes.
    pub fn new(inner: S, language: Option<&Language>) -> Self {
        Self::with_openness(inner, language, Openness::Shut)
    }

    /// Puts a gate in front of a search that never lets a candidate with new errors through, not
    /// even as a sample: the property includes that it parses.
    pub fn sealed(inner: S, language: &Language) -> Self {
        Self::with_openness(inner, Some(language), Openness::Sealed)
    }

    fn with_openness(inner: S, language: Option<&Language>, openness: Openness) -> Self {
        let gate = language.map(|language| Gate {
            parser: Parser::new(language),
            base: None,
            reading: Underway::default(),
            checking: Underway::default(),
            parsed_from: match language.is_always_parsed {
                true => 0,
                false => PARSED_FROM,
            },
            broken_at: None,
            last: None,
            openness,
            rejected: 0,
            passed: HitCounts::default(),
            sampled: HitCounts::default(),
            next: None,
        });
        Self { inner, gate }
    }

    /// Changes the state of the inner search, but not its best candidate.
    pub fn change(&mut self, change: impl FnOnce(&mut S)) {
        change(&mut self.inner);
        self.undecide();
    }

    /// Returns the inner search.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// Forgets the decision: the inner search has moved on.
    fn undecide(&mut self) {
        if let Some(gate) = &mut self.gate {
            gate.undecide();
        }
    }
}

impl<S: Search<Candidate = Candidate>> Search for Gated<S> {
    type Candidate = Candidate;

    fn is_ready(&self) -> bool {
        let gate = self.gate.as_ref();
        self.inner.is_ready() && gate.is_none_or(|gate| gate.next.is_some())
    }

    fn is_costly_to_prepare(&self) -> bool {
        !self.inner.is_ready() && self.inner.is_costly_to_prepare()
    }

    fn prepare(&mut self) {
        if !self.inner.is_ready() {
            if let Some(gate) = &mut self.gate
                && self.inner.is_costly_to_prepare()
            {
                gate.give_back();
            }
            self.inner.prepare();
        } else if let Some(gate) = &mut self.gate
            && gate.next.is_none()
        {
            gate.admit(&mut self.inner);
        }
    }

    fn ask(&self) -> Option<Query<Candidate>> {
        let mut query = self.inner.ask()?;
        if let Some(gate) = &self.gate
            && let Decision::Sample = gate.next.as_ref()?
        {
            query.odds *= gate.sampled.rate();
        }
        Some(query)
    }

    fn edit(&self) -> Option<Fingerprint> {
        self.inner.edit()
    }

    fn tell(&mut self, verdict: Verdict) {
        let parsed = self.gate.as_mut().and_then(|gate| gate.learn(verdict));
        self.inner.tell(verdict);
        if let Some(gate) = &mut self.gate
            && verdict.is_interesting()
        {
            // The best candidate need not be the one that was just told.
            let best = self.inner.best();
            gate.base = parsed.filter(|parsed| parsed.bytes == *best.bytes());
            gate.reading.give_up();
            gate.last = None;
        }
    }

    fn skip(&mut self) {
        self.inner.skip();
        self.undecide();
    }

    fn best(&self) -> Candidate {
        self.inner.best()
    }
}

#[cfg(all(test, feature = "lang-json"))]
mod tests {
    use boildown_search::Subset;
    use boildown_search::list::Sweep;

    use super::*;
    use crate::{Document, View};

    /// A search that tries to delete each single token, with a parse check.
    #[derive(Clone)]
    struct SingleTokens {
        document: Arc<Document>,
        sweep: Sweep,
    }

    impl SingleTokens {
        fn candidate(&self, kept: Subset) -> Candidate {
            Candidate::new(Arc::clone(&self.document), kept, Check::Parses)
        }
    }

    impl Search for SingleTokens {
        type Candidate = Candidate;

        fn ask(&self) -> Option<Query<Candidate>> {
            Some(self.sweep.ask()?.map(|kept| self.candidate(kept)))
        }

        fn tell(&mut self, verdict: Verdict) {
            self.sweep.tell(verdict);
        }

        fn skip(&mut self) {
            self.sweep.skip();
        }

        fn best(&self) -> Candidate {
            self.candidate(self.sweep.best())
        }
    }

    /// Returns that search over an array of numbers. No single token can go and leave JSON.
    fn numbers(json: &'static Language) -> SingleTokens {
        tokens(&format!("[1{}]", ", 1".repeat(999)), json)
    }

    fn tokens(text: &str, json: &'static Language) -> SingleTokens {
        let document = Arc::new(Document::new(&text.as_bytes().into(), View::Syntax(json)));
        let sweep = Sweep::windows(Subset::full(document.len()), 1);
        SingleTokens { document, sweep }
    }

    /// Answers all queries with the same verdict; returns how many passed, and the final state of
    /// the gate.
    fn ask_all(verdict: Verdict) -> (usize, Openness) {
        let json = Language::named("JSON").expect("the grammar is built");
        let mut search = Gated::new(numbers(json), Some(json));
        let asked = ask(&mut search, verdict);
        let gate = search.gate.expect("there is a language");
        (asked, gate.openness)
    }

    fn ask(search: &mut Gated<SingleTokens>, verdict: Verdict) -> usize {
        let mut asked = 0;
        loop {
            while !search.is_ready() {
                search.prepare();
            }
            if search.ask().is_none() {
                return asked;
            }
            asked += 1;
            search.tell(verdict);
        }
    }

    #[test]
    fn every_candidate_of_a_small_input_with_errors_passes() {
        let json = Language::named("JSON").expect("the grammar is built");
        let asked_of = |text| {
            ask(
                &mut Gated::new(tokens(text, json), Some(json)),
                Verdict::Uninteresting,
            )
        };
        assert_eq!(asked_of("[[[1]]]"), 1, "only the number can go alone");
        assert_eq!(asked_of("[[[1]]"), 6, "each token is asked about");
    }

    #[test]
    fn a_sealed_gate_lets_nothing_with_errors_through() {
        let json = Language::named("JSON").expect("the grammar is built");
        let mut search = Gated::sealed(numbers(json), json);
        assert_eq!(ask(&mut search, Verdict::Uninteresting), 0);
    }

    #[test]
    fn one_in_32_of_the_candidates_with_errors_is_asked() {
        let outcome = ask_all(Verdict::Uninteresting);
        assert_eq!(outcome, (2001_usize.div_ceil(SAMPLE), Openness::Shut));
    }

    #[test]
    fn the_gate_opens_when_candidates_with_errors_are_as_interesting_as_others() {
        let (asked, openness) = ask_all(Verdict::Interesting);
        assert_eq!(openness, Openness::Open);
        assert_eq!(asked, 2001, "every token can go");
    }
}

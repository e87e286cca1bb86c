//! The parse gate: what brings new syntax errors is not worth a run.

use std::sync::Arc;

use boildown_search::odds::Hit;
use boildown_search::{Question, Search, Verdict};

use crate::Language;
use crate::draft::{Check, Draft};
use crate::parse::{Parsed, Parser};

/// A search whose candidates must parse at least as well as the best so far; all others are skipped.
///
/// The gate adapts: one rejected candidate in [`SAMPLE`](Self::SAMPLE) is asked all the same, and once these turn out to be
/// interesting at least half as often as the others, the target does not mind broken input and the gate stays open. Candidates
/// that ask for no check pass.
///
/// # Guarantee
/// Depends on the texts and the verdicts told only. Says nothing about candidates it rejects: what must be proved of all
/// candidates has to be asked unchecked.
/// # Cost
/// One incremental parse for each question of the inner search, from the tree of the best so far.
#[derive(Debug, Clone)]
pub struct Gated<S> {
    inner: S,
    gate: Option<Gate>,
}

#[derive(Debug, Clone)]
struct Gate {
    parser: Parser,
    /// The best text so far; parsed when first needed.
    base: Option<Parsed>,
    state: State,
    /// How many candidates were rejected.
    rejected: usize,
    passed: Tally,
    sampled: Tally,
    /// What the gate did with the question that is next.
    next: Passage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Shut,
    Open,
}

/// The largest text, in bytes, that is parsed for every question although it has errors.
const BROKEN: usize = 128 << 10;

/// How a question came through the gate.
#[derive(Debug, Clone)]
enum Passage {
    /// It needs no check, or the gate is open.
    Free,
    /// It parses.
    Parsed(Parsed),
    /// It does not; it is asked to learn whether that matters.
    Sample,
    /// It does not, and is not asked.
    Rejected,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    asked: u32,
    hits: u32,
}

impl Tally {
    fn count(&mut self, hit: Hit) {
        self.asked += 1;
        self.hits += u32::from(hit == Hit::Yes);
    }

    fn rate(self) -> f64 {
        f64::from(self.hits) / f64::from(self.asked.max(1))
    }
}

impl Gate {
    /// Moves `inner` to the next question that passes.
    fn admit(&mut self, inner: &mut impl Search<Candidate = Draft>, sample: usize) {
        while let Some(question) = inner.ask() {
            self.next = self.passage(&question.candidate, inner, sample);
            match self.next {
                Passage::Free | Passage::Parsed(_) | Passage::Sample => return,
                Passage::Rejected => inner.skip(),
            }
        }
    }

    fn passage(
        &mut self,
        draft: &Draft,
        inner: &impl Search<Candidate = Draft>,
        sample: usize,
    ) -> Passage {
        if self.state == State::Open || draft.check() == Check::Nothing {
            return Passage::Free;
        }
        let base = (self.base)
            .get_or_insert_with(|| Parsed::new(&self.parser, Arc::clone(inner.best().bytes())));
        // Where there are errors already, little of the tree can be reused, and each of them is recovered from again.
        if base.errors > 0 && base.bytes.len() > BROKEN {
            return Passage::Free;
        }
        if let Some(parsed) = base.reparse(&self.parser, Arc::clone(draft.bytes())) {
            return Passage::Parsed(parsed);
        }
        self.rejected += 1;
        if self.rejected % sample == sample / 2 {
            Passage::Sample
        } else {
            Passage::Rejected
        }
    }

    fn learn(&mut self, verdict: Verdict) {
        let hit = Hit::from(verdict);
        let parsed = match std::mem::replace(&mut self.next, Passage::Free) {
            Passage::Free | Passage::Rejected => None,
            Passage::Parsed(parsed) => {
                self.passed.count(hit);
                Some(parsed)
            }
            Passage::Sample => {
                self.sampled.count(hit);
                None
            }
        };
        if hit == Hit::Yes {
            self.base = parsed;
        }
        if self.sampled.asked >= 8
            && self.sampled.hits >= 2
            && self.sampled.rate() >= self.passed.rate() / 2.0
        {
            self.state = State::Open;
        }
    }
}

impl<S: Search<Candidate = Draft>> Gated<S> {
    /// One rejected candidate in so many is asked.
    pub const SAMPLE: usize = 32;

    /// Puts a gate in front of a search. Without a language everything passes.
    pub fn new(inner: S, language: Option<&Language>) -> Self {
        let gate = language.map(|language| Gate {
            parser: Parser::new(language),
            base: None,
            state: State::Shut,
            rejected: 0,
            passed: Tally::default(),
            sampled: Tally::default(),
            next: Passage::Free,
        });
        let mut gated = Self { inner, gate };
        gated.admit();
        gated
    }

    /// Returns the search behind the gate.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    fn admit(&mut self) {
        if let Some(gate) = &mut self.gate {
            gate.admit(&mut self.inner, Self::SAMPLE);
        }
    }
}

impl<S: Search<Candidate = Draft>> Search for Gated<S> {
    type Candidate = Draft;

    fn ask(&self) -> Option<Question<Draft>> {
        let mut question = self.inner.ask()?;
        if let Some(Gate {
            next: Passage::Sample,
            sampled,
            ..
        }) = &self.gate
        {
            question.odds *= sampled.rate();
        }
        Some(question)
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some(gate) = &mut self.gate {
            gate.learn(verdict);
        }
        self.inner.tell(verdict);
        self.admit();
    }

    fn skip(&mut self) {
        self.inner.skip();
        self.admit();
    }

    fn best(&self) -> Draft {
        self.inner.best()
    }
}

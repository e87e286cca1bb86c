//! The parse gate: what brings new syntax errors is not worth a run.

use std::sync::Arc;

use boildown_search::odds::Hit;
use boildown_search::{Fingerprint, Fingerprinted as _, Question, Search, Verdict};

use crate::Language;
use crate::draft::{Check, Draft};
use crate::parse::{Parsed, Parser};

/// A search whose candidates must parse at least as well as the best so far; all others are skipped.
///
/// The gate adapts: one rejected candidate in 32 is asked all the same, and once these turn out to be
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
    /// The text that was parsed last, and its tree if it passed. A text that repeats itself has many candidates that are the same.
    last: Option<(Fingerprint, Option<Parsed>)>,
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
    /// Shut, whatever happens: no samples, and no text is too large or too broken to be parsed.
    Sealed,
}

/// One rejected candidate in so many is asked.
const SAMPLE: usize = 32;

/// The largest text, in bytes, that is parsed for every question although it has errors.
const BROKEN: usize = 2 << 20;

/// The same when its tree is nothing but an error.
const LOST: usize = 128 << 10;

/// A text of fewer bytes is not parsed when it has errors: so little of it is left that the grammar has understood nothing.
const PUZZLING: usize = 512;

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
    fn admit(&mut self, inner: &mut impl Search<Candidate = Draft>) {
        while let Some(question) = inner.ask() {
            self.next = self.passage(&question.candidate, inner);
            match self.next {
                Passage::Free | Passage::Parsed(_) | Passage::Sample => return,
                Passage::Rejected => inner.skip(),
            }
        }
    }

    fn passage(&mut self, draft: &Draft, inner: &impl Search<Candidate = Draft>) -> Passage {
        if self.state == State::Open || draft.check() == Check::Nothing {
            return Passage::Free;
        }
        let base = (self.base)
            .get_or_insert_with(|| Parsed::new(&self.parser, Arc::clone(inner.best().bytes())));
        if self.state != State::Sealed && base.is_beyond_it() {
            return Passage::Free;
        }
        let content = draft.fingerprint();
        let parsed = match self.last.take() {
            Some((last, parsed)) if last == content => parsed,
            _ => base.reparse(&self.parser, Arc::clone(draft.bytes())),
        };
        self.last = Some((content, parsed.clone()));
        if let Some(parsed) = parsed {
            return Passage::Parsed(parsed);
        }
        self.rejected += 1;
        if self.state == State::Shut && self.rejected % SAMPLE == SAMPLE / 2 {
            Passage::Sample
        } else {
            Passage::Rejected
        }
    }

    /// Whether a candidate passes as things stand, and not just as a sample.
    fn passes(&self, draft: &Draft) -> bool {
        if self.state == State::Open || draft.check() == Check::Nothing {
            return true;
        }
        (self.base.as_ref()).is_some_and(|base| {
            self.state != State::Sealed && base.is_beyond_it()
                || base
                    .reparse(&self.parser, Arc::clone(draft.bytes()))
                    .is_some()
        })
    }

    /// Counts an answer; returns what is parsed of the candidate when it was interesting.
    fn learn(&mut self, verdict: Verdict) -> Option<Parsed> {
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
        if self.sampled.asked >= 8
            && self.sampled.hits >= 2
            && self.sampled.rate() >= self.passed.rate() / 2.0
        {
            self.state = State::Open;
        }
        parsed.filter(|_| hit == Hit::Yes)
    }
}

impl Parsed {
    /// Whether its errors are a reason to ask about any text: where there are some already, little of the tree can be reused, and each of
    /// them is recovered from again.
    fn is_beyond_it(&self) -> bool {
        let largest = if self.is_one_error() { LOST } else { BROKEN };
        self.errors > 0 && !(PUZZLING..=largest).contains(&self.bytes.len())
    }
}

impl<S: Search<Candidate = Draft>> Gated<S> {
    /// Puts a gate in front of a search. Without a language everything passes.
    pub fn new(inner: S, language: Option<&Language>) -> Self {
        Self::with_state(inner, language, State::Shut)
    }

    /// Puts a gate in front of a search that never lets a broken candidate through, not even to learn whether that matters:
    /// to parse is part of the property.
    pub fn sealed(inner: S, language: &Language) -> Self {
        Self::with_state(inner, Some(language), State::Sealed)
    }

    fn with_state(inner: S, language: Option<&Language>, state: State) -> Self {
        let gate = language.map(|language| Gate {
            parser: Parser::new(language),
            base: None,
            last: None,
            state,
            rejected: 0,
            passed: Tally::default(),
            sampled: Tally::default(),
            next: Passage::Free,
        });
        let mut gated = Self { inner, gate };
        gated.admit();
        gated
    }

    /// Changes the search behind the gate, but not its best text.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut S)) {
        change(&mut self.inner);
        self.admit();
    }

    /// Returns the search behind the gate.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    fn admit(&mut self) {
        if let Some(gate) = &mut self.gate {
            gate.admit(&mut self.inner);
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

    fn certain(&self) -> Vec<Question<Draft>> {
        let others = self.inner.certain().into_iter().skip(1);
        let passes = |question: &Question<Draft>| {
            let gate = self.gate.as_ref();
            gate.is_none_or(|gate| gate.passes(&question.candidate))
        };
        self.ask()
            .into_iter()
            .chain(others.filter(passes))
            .collect()
    }

    fn tell(&mut self, verdict: Verdict) {
        let parsed = self.gate.as_mut().and_then(|gate| gate.learn(verdict));
        self.inner.tell(verdict);
        if let Some(gate) = &mut self.gate
            && verdict.is_interesting()
        {
            // Of several that are asked about together, the last need not be the best.
            let best = self.inner.best();
            gate.base = parsed.filter(|parsed| parsed.bytes == *best.bytes());
            gate.last = None;
        }
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

#[cfg(test)]
mod tests {
    use boildown_search::Subset;
    use boildown_search::list::Sweep;

    use super::*;
    use crate::{Document, View};

    /// Deletes every single token of a text, parsing or not.
    #[derive(Clone)]
    struct Tokens {
        document: Arc<Document>,
        sweep: Sweep,
    }

    impl Tokens {
        fn draft(&self, kept: Subset) -> Draft {
            Draft::new(Arc::clone(&self.document), kept, Check::Parses)
        }
    }

    impl Search for Tokens {
        type Candidate = Draft;

        fn ask(&self) -> Option<Question<Draft>> {
            Some(self.sweep.ask()?.map(|kept| self.draft(kept)))
        }

        fn tell(&mut self, verdict: Verdict) {
            self.sweep.tell(verdict);
        }

        fn skip(&mut self) {
            self.sweep.skip();
        }

        fn best(&self) -> Draft {
            self.draft(self.sweep.best())
        }
    }

    /// Starts on the tokens of an array of numbers, none of which can go alone and leave JSON.
    fn numbers(json: &'static Language) -> Tokens {
        tokens(&format!("[1{}]", ", 1".repeat(999)), json)
    }

    fn tokens(text: &str, json: &'static Language) -> Tokens {
        let document = Arc::new(Document::new(&text.as_bytes().into(), View::Syntax(json)));
        let sweep = Sweep::windows(Subset::full(document.len()), 1);
        Tokens { document, sweep }
    }

    /// Asks about the numbers; returns how many questions passed and what became of the gate.
    fn ask_all(verdict: Verdict) -> Option<(usize, State)> {
        let json = Language::named("JSON")?;
        let mut search = Gated::new(numbers(json), Some(json));
        let asked = ask(&mut search, verdict);
        Some((asked, search.gate?.state))
    }

    fn ask(search: &mut Gated<Tokens>, verdict: Verdict) -> usize {
        let mut asked = 0;
        while search.ask().is_some() {
            asked += 1;
            search.tell(verdict);
        }
        asked
    }

    #[test]
    fn of_a_small_text_that_has_errors_anything_is_asked() {
        let Some(json) = Language::named("JSON") else {
            return;
        };
        let asked_of = |text| {
            ask(
                &mut Gated::new(tokens(text, json), Some(json)),
                Verdict::Uninteresting,
            )
        };
        assert_eq!(asked_of("[[[1]]]"), 1, "only the number can go alone");
        assert_eq!(asked_of("[[[1]]"), 6, "each of them is asked about");
    }

    #[test]
    fn nothing_broken_passes_a_sealed_gate() {
        let Some(json) = Language::named("JSON") else {
            return;
        };
        assert!(Gated::sealed(numbers(json), json).ask().is_none());
    }

    #[test]
    fn what_does_not_parse_is_asked_once_in_a_while() {
        let Some(outcome) = ask_all(Verdict::Uninteresting) else {
            return;
        };
        assert_eq!(outcome, (2001_usize.div_ceil(SAMPLE), State::Shut));
    }

    #[test]
    fn the_gate_opens_when_broken_texts_are_as_interesting_as_others() {
        let Some((asked, state)) = ask_all(Verdict::Interesting) else {
            return;
        };
        assert_eq!(state, State::Open);
        assert_eq!(asked, 2001, "everything can go");
    }
}

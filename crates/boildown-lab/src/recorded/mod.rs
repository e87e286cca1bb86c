//! Real inputs with a simulated property.

use std::num::NonZeroUsize;
use std::sync::Arc;

use boildown_search::list::{Algorithm, Halving, InEpochs, Sweep};
use boildown_search::tree::{Schedule, ScheduleMachine, TreeSearch};
use boildown_search::{Question, Search, Subset, Verdict, run};
use boildown_syntax::{Check, Document, Draft, Gated, Language, View};

use crate::dice::Dice;
use crate::parallel;
use crate::simulate::{Repeats, Simulated, alone};
use crate::workload::Needs;

/// A real text and the tokens it needs: a candidate is interesting while it holds all of them and parses no worse than the text.
///
/// Which tokens: some are chosen by a seed; then the text is reduced, with our own search, to one that holds these, parses,
/// and cannot lose a node or a token more. What is left of it is needed. So the property is that of a program whose failure
/// depends on statements all over it, and a result can be compared with a small one that is known to exist.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// What it is called in reports.
    pub name: String,
    /// What its needed tokens were chosen by.
    pub choice: Choice,
    document: Arc<Document>,
    language: &'static Language,
    needed: Needs,
    needed_tokens: usize,
}

/// How needed tokens are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// How many tokens (or words of strings and comments) are chosen at first.
    pub tokens: usize,
    /// What they are chosen by.
    pub seed: u64,
}

/// A text that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordedError {
    /// There is nothing to choose from.
    #[error("choose tokens from `{name}`, which has none")]
    Empty {
        /// What it is called.
        name: String,
    },
}

/// What reducing a recorded text came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduced {
    /// The tokens left.
    pub tokens: usize,
    /// The questions asked. What does not parse was not asked.
    pub questions: u64,
}

impl Recorded {
    /// Reads a text and works out which tokens it needs.
    ///
    /// # Errors
    /// When the text has no token.
    pub fn new(
        name: &str,
        bytes: &[u8],
        language: &'static Language,
        choice: Choice,
    ) -> Result<Self, RecordedError> {
        let document = Arc::new(Document::new(&bytes.into(), View::Syntax(language)));
        if document.is_empty() {
            return Err(RecordedError::Empty {
                name: name.to_owned(),
            });
        }
        let mut dice = Dice::new(choice.seed, 0);
        let mut chosen = vec![false; document.len()];
        for _ in 0..choice.tokens {
            chosen[dice.below(document.len())] = true;
        }
        let mut recorded = Self {
            name: name.to_owned(),
            choice,
            needed: Needs::new(chosen),
            language,
            document,
            needed_tokens: 0,
        };
        let smallest = recorded.close();
        recorded.needed_tokens = recorded.document.tokens(&smallest);
        recorded.needed =
            Needs::new((0..recorded.document.len()).map(|atom| smallest.contains(atom)));
        Ok(recorded)
    }

    /// Reads several texts, on several threads, each under its name.
    ///
    /// # Errors
    /// When one of them has no token.
    pub fn all(
        texts: &[(&str, &[u8], &'static Language)],
        choice: Choice,
        threads: NonZeroUsize,
    ) -> Result<Vec<Self>, RecordedError> {
        let read = |_, &(name, bytes, language): &(&str, &[u8], &'static Language)| {
            Self::new(name, bytes, language, choice)
        };
        parallel::map(texts, threads, read).into_iter().collect()
    }

    /// Returns the number of tokens of the text.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.document.tokens(&Subset::full(self.document.len()))
    }

    /// Returns the number of tokens that are needed, and enough.
    #[must_use]
    pub fn needed(&self) -> usize {
        self.needed_tokens
    }

    /// Returns the verdict on a candidate of [`search`](Self::search), which parses.
    #[must_use]
    pub fn judge(&self, draft: &Draft) -> Verdict {
        if self.needed.are_in(draft.kept()) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }

    /// Returns a schedule over the tree of the text, with a list algorithm on every row of siblings. What does not parse is skipped.
    #[must_use]
    pub fn search(
        &self,
        schedule: Schedule,
        algorithm: Algorithm,
    ) -> Gated<Parsing<ScheduleMachine<Algorithm>>> {
        let everything = Subset::full(self.document.len());
        let tree = Arc::clone(self.document.tree());
        self.gated(schedule.start(InEpochs::of_one(algorithm), tree, everything, 1))
    }

    /// Runs a schedule with one worker.
    #[must_use]
    pub fn reduce(&self, schedule: Schedule, algorithm: Algorithm, repeats: Repeats) -> Reduced {
        let Simulated { best, told, .. } = alone(
            self.search(schedule, algorithm),
            |draft| self.judge(draft),
            repeats,
        );
        Reduced {
            tokens: best.tokens(),
            questions: told,
        }
    }

    fn gated<S: Search<Candidate = Subset>>(&self, machine: S) -> Gated<Parsing<S>> {
        let drafts = Parsing {
            machine,
            document: Arc::clone(&self.document),
        };
        Gated::sealed(drafts, self.language)
    }

    /// Reduces the text while it holds the chosen tokens and parses, until nothing more goes.
    fn close(&self) -> Subset {
        let tree = self.document.tree();
        let mut kept = Subset::full(self.document.len());
        loop {
            let before = kept.count();
            kept = self.reduced(TreeSearch::new(Halving::on, Arc::clone(tree), kept, 1));
            let units = tree.units().into_iter().map(|unit| vec![unit]);
            kept = self.reduced(Sweep::units(kept, units));
            for width in [3, 2, 1] {
                kept = self.reduced(Sweep::windows(kept, width));
            }
            if kept.count() == before {
                return kept;
            }
        }
    }

    fn reduced(&self, machine: impl Search<Candidate = Subset>) -> Subset {
        run(self.gated(machine), |draft| self.judge(draft))
            .best()
            .kept()
            .clone()
    }
}

/// A search over the atoms of a document as one over texts, all of which have to parse.
#[derive(Debug, Clone)]
pub struct Parsing<S> {
    machine: S,
    document: Arc<Document>,
}

impl<S> Parsing<S> {
    fn draft(&self, kept: Subset) -> Draft {
        Draft::new(Arc::clone(&self.document), kept, Check::Parses)
    }
}

impl<S: Search<Candidate = Subset>> Search for Parsing<S> {
    type Candidate = Draft;

    fn ask(&self) -> Option<Question<Draft>> {
        Some(self.machine.ask()?.map(|kept| self.draft(kept)))
    }

    fn certain(&self) -> Vec<Question<Draft>> {
        let certain = self.machine.certain().into_iter();
        certain
            .map(|question| question.map(|kept| self.draft(kept)))
            .collect()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.machine.tell(verdict);
    }

    fn skip(&mut self) {
        self.machine.skip();
    }

    fn best(&self) -> Draft {
        self.draft(self.machine.best())
    }
}

#[cfg(test)]
mod tests {
    use boildown_search::list::DdminOptions;

    use super::*;

    const PROGRAM: &str = "int a, b, c;\nint f(int x, int y) {\n  if (x > y) { a = x; return y; }\n  while (b) { c = b - 1; f(c, 2); }\n  return a + b;\n}\nint main(void) { f(1, 2); return f(3, 4); }\n";

    fn recorded(seed: u64) -> Option<Recorded> {
        let c = Language::named("C")?;
        let choice = Choice { tokens: 3, seed };
        Some(Recorded::new("program", PROGRAM.as_bytes(), c, choice).unwrap())
    }

    #[test]
    fn what_is_needed_parses_and_is_less_than_the_text() {
        for seed in 0..10 {
            let Some(recorded) = recorded(seed) else {
                return;
            };
            assert!(
                (1..recorded.tokens()).contains(&recorded.needed()),
                "{recorded:?}"
            );
            let gone = (0..recorded.document.len()).filter(|&atom| !recorded.needed.contains(atom));
            let kept =
                Subset::full(recorded.document.len()).without(gone.map(|atom| atom..atom + 1));
            let draft = Draft::new(Arc::clone(&recorded.document), kept, Check::Parses);
            assert!(recorded.judge(&draft).is_interesting());
            let text = String::from_utf8_lossy(draft.bytes()).into_owned();
            let mut parser = tree_sitter_of(recorded.language);
            let tree = parser.parse(&text, None).unwrap();
            assert!(!tree.root_node().has_error(), "{text}");
        }
    }

    fn tree_sitter_of(language: &Language) -> tree_sitter::Parser {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&language.grammar()).unwrap();
        parser
    }

    #[test]
    fn every_algorithm_ends_with_no_less_than_what_is_needed() {
        for seed in 0..3 {
            let Some(recorded) = recorded(seed) else {
                return;
            };
            for schedule in Schedule::ALL {
                for algorithm in Algorithm::ALL {
                    let distinct = recorded.reduce(schedule, algorithm, Repeats::Skipped);
                    let all = recorded.reduce(schedule, algorithm, Repeats::Counted);
                    assert!(
                        (recorded.needed()..recorded.tokens()).contains(&distinct.tokens),
                        "{schedule} {algorithm} {distinct:?}"
                    );
                    assert!(
                        distinct.questions <= all.questions,
                        "{schedule} {algorithm} {distinct:?} {all:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_same_seed_needs_the_same_tokens() {
        let (Some(one), Some(other)) = (recorded(4), recorded(4)) else {
            return;
        };
        assert_eq!(format!("{:?}", one.needed), format!("{:?}", other.needed));
        let ddmin = Algorithm::Ddmin(DdminOptions::PAPER);
        assert_eq!(
            one.reduce(Schedule::ALL[0], ddmin, Repeats::Skipped),
            other.reduce(Schedule::ALL[0], ddmin, Repeats::Skipped)
        );
    }

    #[test]
    fn an_empty_text_is_an_error() {
        let Some(c) = Language::named("C") else {
            return;
        };
        let choice = Choice { tokens: 3, seed: 1 };
        let error = Recorded::new("nothing.c", b" \n", c, choice).unwrap_err();
        assert_eq!(
            error.to_string(),
            "choose tokens from `nothing.c`, which has none"
        );
    }
}

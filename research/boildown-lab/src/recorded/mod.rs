//! Real programs with a simulated property.
//!
//! An experiment over many algorithms cannot run a compiler for each test. Here the property of a
//! real program is simulated: a candidate is interesting while it keeps a chosen set of tokens and
//! parses.

use std::sync::Arc;

use boildown_document::{Candidate, Check, Document, Gated, Language, View};
use boildown_literature::tree::NodeWeights;
use boildown_search::algorithms::{Algorithm, Schedule};
use boildown_search::list::{Halving, Sweep};
use boildown_search::tree::{Tree, TreeSearch};
use boildown_search::{Query, Search, Subset, Verdict, run};

use crate::parallel;
use crate::rng::SeededRng;
use crate::simulate::{RunRules, run_single_worker};
use crate::workload::NeededElements;

/// A real text and the tokens it needs.
///
/// A candidate is interesting while it keeps all needed tokens and has no more syntax errors than
/// the text.
///
/// The needed tokens are found in two steps. First some tokens are chosen at random. Then the text
/// is reduced to a candidate that keeps these, parses, and cannot lose another node or token. All
/// tokens of that candidate are needed. So the property depends on statements all over the program,
/// and the size of a result can be compared with that of a small solution known to exist.
#[derive(Debug, Clone)]
pub struct RecordedInput {
    /// The name of the program in reports.
    pub name: String,
    /// The parameters by which the needed tokens were chosen.
    pub choice: TokenChoice,
    document: Arc<Document>,
    language: &'static Language,
    needed: NeededElements,
    needed_tokens: usize,
}

/// The parameters by which needed tokens are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenChoice {
    /// Number of random choices among the tokens, and the words of strings and comments. A token
    /// may be chosen twice.
    pub tokens: usize,
    /// The random seed.
    pub seed: u64,
}

/// The error for a text that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordedInputError {
    /// The text has no token.
    #[error("choose tokens from `{name}`, which has none")]
    Empty {
        /// The name of the program.
        name: String,
    },
}

/// The result of reducing a recorded input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReductionResult {
    /// Number of tokens left.
    pub tokens: usize,
    /// Number of tests. Candidates that do not parse are not tested.
    pub queries: u64,
    /// Whether the search ended by itself.
    pub finished: bool,
}

impl RecordedInput {
    /// Parses a text and determines the tokens that it needs.
    ///
    /// # Errors
    /// [`RecordedInputError::Empty`] when the text has no token.
    pub fn new(
        name: &str,
        bytes: &[u8],
        language: &'static Language,
        choice: TokenChoice,
    ) -> Result<Self, RecordedInputError> {
        let document = Arc::new(Document::new(&bytes.into(), View::Syntax(language)));
        if document.is_empty() {
            return Err(RecordedInputError::Empty {
                name: name.to_owned(),
            });
        }
        let mut rng = SeededRng::new(choice.seed, 0);
        let mut chosen = vec![false; document.len()];
        for _ in 0..choice.tokens {
            chosen[rng.below(document.len())] = true;
        }
        let mut recorded = Self {
            name: name.to_owned(),
            choice,
            needed: NeededElements::new(chosen),
            language,
            document,
            needed_tokens: 0,
        };
        let smallest = recorded.smallest_parsing();
        recorded.needed_tokens = recorded.document.count_tokens(&smallest);
        recorded.needed =
            NeededElements::new((0..recorded.document.len()).map(|token| smallest.contains(token)));
        Ok(recorded)
    }

    /// Parses several texts, on several threads.
    ///
    /// # Errors
    /// [`RecordedInputError::Empty`] when one of them has no token.
    pub fn all(
        texts: &[(&str, &[u8], &'static Language)],
        choice: TokenChoice,
    ) -> Result<Vec<Self>, RecordedInputError> {
        let read = |&(name, bytes, language): &(&str, &[u8], &'static Language)| {
            Self::new(name, bytes, language, choice)
        };
        parallel::map(texts, read).into_iter().collect()
    }

    /// Returns the number of tokens of the text.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.document
            .count_tokens(&Subset::full(self.document.len()))
    }

    /// Returns the number of needed tokens, which is the size of the smallest known solution.
    #[must_use]
    pub fn needed(&self) -> usize {
        self.needed_tokens
    }

    /// Returns the verdict on a candidate that parses, so that only the tokens are checked.
    fn judge(&self, candidate: &Candidate) -> Verdict {
        if self.needed.are_in(candidate.kept()) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }

    /// Reduces the text with one worker: runs a schedule over the syntax tree, with a list
    /// algorithm for every sibling list and these weights in the lists. Candidates that do not
    /// parse are skipped.
    #[must_use]
    pub fn reduce(
        &self,
        schedule: &Schedule,
        algorithm: &Algorithm,
        weights: NodeWeights,
        rules: RunRules,
    ) -> ReductionResult {
        let start = |tree: Arc<Tree>, everything| {
            let tree = match weights {
                NodeWeights::Tokens => tree,
                _ => {
                    let mut weighted = Tree::clone(&tree);
                    weighted.weights = weights.of(&tree);
                    Arc::new(weighted)
                }
            };
            schedule.start(algorithm.clone(), tree, everything, 1)
        };
        self.reduce_by(start, rules)
    }

    /// Reduces the text with one worker, by a search over its tree and all of its tokens.
    #[must_use]
    pub(crate) fn reduce_by<S: Search<Candidate = Subset>>(
        &self,
        start: impl FnOnce(Arc<Tree>, Subset) -> S,
        rules: RunRules,
    ) -> ReductionResult {
        let everything = Subset::full(self.document.len());
        let search = self.gated(start(Arc::clone(self.document.tree()), everything));
        let ended = run_single_worker(search, |candidate| self.judge(candidate), rules);
        ReductionResult {
            tokens: ended.best.token_count(),
            queries: ended.told,
            finished: ended.finished,
        }
    }

    fn gated<S: Search<Candidate = Subset>>(&self, search: S) -> Gated<CandidateSearch<S>> {
        let candidates = CandidateSearch {
            machine: search,
            document: Arc::clone(&self.document),
        };
        Gated::sealed(candidates, self.language)
    }

    /// Reduces the text while it keeps the needed tokens and parses. Repeats all passes until none
    /// of them removes anything.
    fn smallest_parsing(&self) -> Subset {
        let tree = self.document.tree();
        let mut kept = Subset::full(self.document.len());
        loop {
            let before = kept.count();
            kept = self.reduced(TreeSearch::new(Halving::on, Arc::clone(tree), kept, 1));
            let units = tree.units().into_iter().map(|unit| vec![unit]);
            kept = self.reduced(Sweep::units(kept, units));
            for window in [3, 2, 1] {
                kept = self.reduced(Sweep::windows(kept, window));
            }
            if kept.count() == before {
                return kept;
            }
        }
    }

    fn reduced(&self, search: impl Search<Candidate = Subset>) -> Subset {
        run(self.gated(search), |candidate| self.judge(candidate))
            .best()
            .kept()
            .clone()
    }
}

/// Adapts a search over the tokens of a document to one over candidates, which have to parse.
#[derive(Debug, Clone)]
struct CandidateSearch<S> {
    machine: S,
    document: Arc<Document>,
}

impl<S> CandidateSearch<S> {
    fn candidate(&self, kept: Subset) -> Candidate {
        Candidate::new(Arc::clone(&self.document), kept, Check::Parses)
    }
}

impl<S: Search<Candidate = Subset>> Search for CandidateSearch<S> {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        Some(self.machine.ask()?.map(|kept| self.candidate(kept)))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.machine.tell(verdict);
    }

    fn skip(&mut self) {
        self.machine.skip();
    }

    fn best(&self) -> Candidate {
        self.candidate(self.machine.best())
    }
}

#[cfg(test)]
mod tests {
    use boildown_literature::list::Ddmin;
    use boildown_literature::tree::{KnownSchedule, LastNode};
    use boildown_search::algorithms::ListEntry;

    use super::*;
    use crate::simulate::RepeatedCandidates;

    const PROGRAM: &str = "int a, b, c;\nint f(int x, int y) {\n  if (x > y) { a = x; return y; }\n  while (b) { c = b - 1; f(c, 2); }\n  return a + b;\n}\nint main(void) { f(1, 2); return f(3, 4); }\n";

    fn recorded(seed: u64) -> Option<RecordedInput> {
        let c = Language::named("C")?;
        let choice = TokenChoice { tokens: 3, seed };
        Some(RecordedInput::new("program", PROGRAM.as_bytes(), c, choice).unwrap())
    }

    #[test]
    fn the_needed_tokens_parse_and_are_fewer_than_all() {
        for seed in 0..10 {
            let Some(recorded) = recorded(seed) else {
                return;
            };
            assert!(
                (1..recorded.tokens()).contains(&recorded.needed()),
                "{recorded:?}"
            );
            let removed =
                (0..recorded.document.len()).filter(|&token| !recorded.needed.contains(token));
            let kept = Subset::full(recorded.document.len())
                .without(removed.map(|token| token..token + 1));
            let candidate = Candidate::new(Arc::clone(&recorded.document), kept, Check::Parses);
            assert!(recorded.judge(&candidate).is_interesting());
            let text = String::from_utf8_lossy(candidate.bytes()).into_owned();
            let mut parser = tree_sitter_parser(recorded.language);
            let tree = parser.parse(&text, None).unwrap();
            assert!(!tree.root_node().has_error(), "{text}");
        }
    }

    fn tree_sitter_parser(language: &Language) -> tree_sitter::Parser {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&language.grammar()).unwrap();
        parser
    }

    #[test]
    fn every_algorithm_keeps_at_least_the_needed_tokens() {
        for seed in 0..3 {
            let Some(recorded) = recorded(seed) else {
                return;
            };
            let known = boildown_literature::algorithms();
            for name in known.schedules().map(|known| known.entry.name) {
                let schedule = &known.parse_schedule(name).unwrap();
                for algorithm in &known.lists().map(ListEntry::algorithm).collect::<Vec<_>>() {
                    let reduce = |repeats| {
                        let rules = RunRules {
                            repeats,
                            max_tests: None,
                        };
                        recorded.reduce(schedule, algorithm, NodeWeights::Tokens, rules)
                    };
                    let distinct = reduce(RepeatedCandidates::Skipped);
                    let all = reduce(RepeatedCandidates::Counted);
                    assert!(
                        (recorded.needed()..recorded.tokens()).contains(&distinct.tokens),
                        "{schedule} {algorithm} {distinct:?}"
                    );
                    assert!(
                        distinct.queries <= all.queries,
                        "{schedule} {algorithm} {distinct:?} {all:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn other_weights_change_the_queries_of_weighted_algorithms_only() {
        let known = boildown_literature::algorithms();
        let mut differ = false;
        for seed in 0..6 {
            let Some(recorded) = recorded(seed) else {
                return;
            };
            let reduce = |algorithm: &str, weights| {
                let algorithm = &known.parse_list(algorithm).unwrap();
                let hdd = &KnownSchedule::Hdd(LastNode::Tried).into();
                recorded.reduce(hdd, algorithm, weights, RunRules::default())
            };
            for weights in [NodeWeights::Volume, NodeWeights::Structure] {
                assert_eq!(
                    reduce("ddmin", weights),
                    reduce("ddmin", NodeWeights::Tokens)
                );
                let reduced = reduce("wprobdd", weights);
                assert!(reduced.tokens >= recorded.needed(), "{reduced:?}");
                differ |= reduced != reduce("wprobdd", NodeWeights::Tokens);
            }
        }
        assert!(differ);
    }

    #[test]
    fn the_same_seed_chooses_the_same_tokens() {
        let (Some(one), Some(other)) = (recorded(4), recorded(4)) else {
            return;
        };
        assert_eq!(format!("{:?}", one.needed), format!("{:?}", other.needed));
        let (schedule, ddmin) = (&Schedule::default(), &Algorithm::of::<Ddmin>());
        let reduce = |input: &RecordedInput| {
            input.reduce(schedule, ddmin, NodeWeights::Tokens, RunRules::default())
        };
        assert_eq!(reduce(&one), reduce(&other));
    }

    #[test]
    fn an_empty_text_is_an_error() {
        let Some(c) = Language::named("C") else {
            return;
        };
        let choice = TokenChoice { tokens: 3, seed: 1 };
        let error = RecordedInput::new("nothing.c", b" \n", c, choice).unwrap_err();
        assert_eq!(
            error.to_string(),
            "choose tokens from `nothing.c`, which has none"
        );
    }
}

//! The whole reduction of a text, as one search.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use boildown_search::list::{self, Algorithm, InEpochs, List, Minimise as _, Sweep};
use boildown_search::tree::{Experience, Schedule, ScheduleMachine, TreeSearch};
use boildown_search::{Epochs, Question, Search, Subset, Verdict};

use crate::document::{Document, View, is_lost, openings, words};
use crate::draft::{Check, Draft};
use crate::rewrite::{Missed, Rewrites, Rules, Setup, Sorts};
use crate::strategy::{Gate, Layout, Names, Strategy};
use crate::unused::Unused;
use crate::{Gated, Language};

/// One way of going over a text.
#[derive(Debug, Clone)]
pub struct Pass {
    name: &'static str,
    view: View,
    method: Method,
    /// Whether its candidates have to parse.
    check: Check,
    /// The sizes of texts, in bytes, for which the pass is worth its time.
    sizes: Range<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Method {
    /// The tree schedule with halving on every list, asking for deletions of at least this part of all atoms.
    Tree { part: usize },
    /// The same in the order of what questions promise.
    Promising { part: usize },
    /// A list algorithm over the atoms, unless the user wants another one.
    List(Algorithm),
    /// Every window of so many atoms.
    Window(usize),
    /// Every node, alone and with its separators.
    Nodes,
    /// Every delimiter with its partner.
    Delimiters,
    /// All parts of a row but one. What depends on each other can go together only.
    AllButOne,
    /// Parts at the same places of rows of the same length.
    Parallel,
    /// Definitions that nothing refers to, with what only they refer to, when that is at least this part of all atoms.
    Unused { part: usize },
    /// Every rewriting of these sorts that is proposed.
    Rewrites(Sorts),
    /// What is left of words that are no names.
    Letters,
    /// White space that says nothing.
    Layout,
    /// Comments up to their inside, with what is before them.
    Openings(&'static Language),
}

#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each guess of the planner, and it is mostly the largest"
)]
enum Machine {
    Tree(ScheduleMachine<Algorithm>),
    List(Epochs<list::Machine>),
    Sweep(Epochs<Sweep>),
    Rewrites(Rewrites),
    Unused(Unused),
}

/// Passes over a text, one after another, round and round until all have had no hit since the last one.
///
/// Each pass reads the text that the one before left, so that what a change made possible becomes visible.
///
/// # Guarantee
/// 1-minimal when finished: deleting any one unit of a pass that is a sweep was answered `Uninteresting` or `Unresolved` on the very
/// result; for a language these are its tokens, and those nodes whose removal leaves the text parsing.
/// # Cost
/// That of its passes, times the rounds; a round has at least one hit, but for the last.
#[derive(Debug, Clone)]
pub struct Pipeline {
    strategy: Strategy,
    /// `None` without a language.
    setup: Option<Arc<Setup>>,
    passes: Arc<[Pass]>,
    /// Whether all passes are among them that the proof of 1-minimality is made of.
    proves: bool,
    at: usize,
    document: Arc<Document>,
    machine: Machine,
    /// The pass that hit last; all of them before the first hit.
    last: usize,
    /// Whether a round has ended since then.
    again: bool,
    /// Whether the pass at work has hit.
    hit: bool,
    /// The passes that were left before their end and did not come to it since.
    left: BTreeSet<usize>,
    lore: Lore,
}

/// What passes learned for those after them.
#[derive(Debug, Clone, Default)]
struct Lore {
    /// Rewritings that missed.
    missed: Missed,
    /// What the promising passes learned.
    experience: Experience,
}

/// A search that reduces a text.
pub type Reduction = Gated<Pipeline>;

impl Reduction {
    /// Leaves the pass at work and goes on with the next one. After later hits it may come again.
    pub fn leave_pass(&mut self) {
        self.change(Pipeline::leave_pass);
    }
}

/// Returns the search that reduces a text in a language, or any text.
#[must_use]
pub fn reduction(
    bytes: &Arc<[u8]>,
    language: Option<&'static Language>,
    strategy: Strategy,
) -> Reduction {
    let gated = language.filter(|_| strategy.gate == Gate::Adaptive);
    let setup = language.map(|language| {
        let rules = Rules::of(language).and(&strategy.rules);
        Setup::new(language, rules, strategy.names, example(bytes))
    });
    Gated::new(
        Pipeline::new(
            bytes,
            passes(bytes, language),
            strategy,
            setup.map(Arc::new),
        ),
        gated,
    )
}

/// What rewriting knows a text by: all of it, but of one too large to be read as a whole the beginning.
fn example(bytes: &Arc<[u8]>) -> Arc<[u8]> {
    match bytes.len() < LARGE {
        true => Arc::clone(bytes),
        false => {
            let is_space = |byte: &u8| byte.is_ascii_whitespace();
            let end = bytes[..MIB].iter().rposition(is_space).unwrap_or(0);
            bytes[..end].into()
        }
    }
}

/// Returns the names of the passes for a text, in the order in which they begin. Several passes may share one.
#[must_use]
pub fn pass_names(bytes: &[u8], language: Option<&'static Language>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for pass in passes(bytes, language) {
        if !names.contains(&pass.name) {
            names.push(pass.name);
        }
    }
    names
}

fn passes(bytes: &[u8], language: Option<&'static Language>) -> Vec<Pass> {
    match language {
        Some(language) => in_language(language),
        None if is_binary(bytes) => of_bytes(),
        None => of_text(),
    }
}

const MIB: usize = 1 << 20;
const ANY: usize = usize::MAX;

/// Larger texts are cut down by their lines before they are read in any other way.
const LARGE: usize = 8 * MIB;

/// Smaller texts are not worth an order of their own: nearly all of their questions have to be asked anyway.
const MANY: usize = 64 << 10;

/// Larger texts are not rewritten.
const REWRITTEN: usize = MIB;

/// Larger texts are not gone over byte by byte: each byte would be a node.
const BYTEWISE: usize = 2 * MIB;

/// Larger texts are not gone over letter by letter.
const INSIDE: usize = 64 << 10;

/// Larger texts have too much before each of their comments to try, and too many nodes without which they do not parse.
const TINY: usize = 128;

/// Larger binaries are not gone over byte by byte before all else is done.
const PARTWISE: usize = 64 << 10;

const LINES: Pass = Pass {
    name: "lines",
    view: View::Lines,
    method: Method::List(Algorithm::HALVING),
    check: Check::Nothing,
    sizes: LARGE..ANY,
};

fn in_language(language: &'static Language) -> Vec<Pass> {
    let pass = |name, method, check, up_to| Pass {
        name,
        view: View::Syntax(language),
        method,
        check,
        sizes: 0..up_to,
    };
    let inside = |name, view: fn(&'static Language) -> View, method| Pass {
        name,
        view: view(language),
        method,
        check: Check::Parses,
        sizes: 0..INSIDE,
    };
    vec![
        LINES,
        Pass {
            view: View::Lines,
            ..pass(
                "rewriting whole",
                Method::Rewrites(Sorts::Whole),
                Check::Nothing,
                LARGE,
            )
        },
        pass("unused", Method::Unused { part: 100 }, Check::Parses, LARGE),
        Pass {
            sizes: MANY..LARGE,
            ..pass(
                "promising",
                Method::Promising { part: 2000 },
                Check::Parses,
                LARGE,
            )
        },
        Pass {
            view: View::Blocks,
            ..pass("blocks", Method::Tree { part: 100 }, Check::Nothing, MANY)
        },
        pass(
            "coarse tree",
            Method::Tree { part: 100 },
            Check::Parses,
            LARGE,
        ),
        pass(
            "unused",
            Method::Unused { part: 1000 },
            Check::Parses,
            LARGE,
        ),
        pass(
            "fine tree",
            Method::Tree { part: 1000 },
            Check::Parses,
            LARGE,
        ),
        pass(
            "unused",
            Method::Unused { part: 1000 },
            Check::Parses,
            LARGE,
        ),
        pass("tree", Method::Tree { part: ANY }, Check::Parses, LARGE),
        pass("pairs of tokens", Method::Window(2), Check::Parses, MIB),
        pass("triples of tokens", Method::Window(3), Check::Parses, MIB),
        pass(
            "rewriting",
            Method::Rewrites(Sorts::Smaller),
            Check::Parses,
            REWRITTEN,
        ),
        pass(
            "rewriting names",
            Method::Rewrites(Sorts::Renamed),
            Check::Parses,
            REWRITTEN,
        ),
        inside("rewriting letters", View::Letters, Method::Letters),
        inside("layout", View::Spaces, Method::Layout),
        inside("spaces", View::Spaces, Method::List(Algorithm::HALVING)),
        pass("nodes", Method::Nodes, Check::Parses, LARGE),
        pass("nodes", Method::Nodes, Check::Nothing, TINY),
        pass("delimiters", Method::Delimiters, Check::Nothing, LARGE),
        pass("tokens", Method::Window(1), Check::Nothing, LARGE),
        Pass {
            view: View::Bytes(1),
            ..pass("openings", Method::Openings(language), Check::Nothing, TINY)
        },
        // Last: words that are made of several tokens cannot be taken apart any more.
        pass(
            "rewriting widths",
            Method::Rewrites(Sorts::AsWide),
            Check::Parses,
            REWRITTEN,
        ),
        pass(
            "rewriting joins",
            Method::Rewrites(Sorts::Joined),
            Check::Nothing,
            REWRITTEN,
        ),
    ]
}

fn of_text() -> Vec<Pass> {
    let pass = |name, view, method| Pass {
        name,
        view,
        method,
        check: Check::Nothing,
        sizes: 0..LARGE,
    };
    vec![
        LINES,
        pass("blocks", View::Blocks, Method::Tree { part: ANY }),
        pass("nodes", View::Blocks, Method::Nodes),
        pass("delimiters", View::Blocks, Method::Delimiters),
        pass("words", View::Blocks, Method::Window(1)),
        Pass {
            sizes: 0..BYTEWISE,
            ..pass("bytes", View::Bytes(1), Method::List(Algorithm::Adaptive))
        },
        Pass {
            sizes: 0..BYTEWISE,
            ..pass("each byte", View::Bytes(1), Method::Window(1))
        },
    ]
}

fn of_bytes() -> Vec<Pass> {
    let pass = |name, view, method, up_to| Pass {
        name,
        view,
        method,
        check: Check::Nothing,
        sizes: 0..up_to,
    };
    let tree = Method::Tree { part: ANY };
    let list = Method::List(Algorithm::HALVING);
    vec![
        pass("lone parts", View::Parts(4096), Method::AllButOne, ANY),
        pass("parts", View::Parts(4096), tree, ANY),
        pass("parallel parts", View::Parts(4096), Method::Parallel, ANY),
        pass("blocks in parts", View::Parts(64), tree, 8 * LARGE),
        pass("bytes in parts", View::Parts(1), tree, PARTWISE),
        pass("blocks of 4096 bytes", View::Bytes(4096), list, ANY),
        pass("blocks of 64 bytes", View::Bytes(64), list, 8 * LARGE),
        pass("bytes", View::Bytes(1), list, BYTEWISE),
        pass("zero blocks", View::Zeros(64), list, 8 * LARGE),
        pass("zero bytes", View::Zeros(1), list, PARTWISE),
        pass("each byte", View::Bytes(1), Method::Window(1), BYTEWISE),
    ]
}

/// A text has no NUL byte near its start.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8192).any(|&byte| byte == 0)
}

impl Pass {
    /// Whether it is one of those that together prove 1-minimality.
    fn is_proof(&self) -> bool {
        matches!(self.method, Method::Window(1) | Method::Nodes)
    }
}

impl Pipeline {
    fn new(
        bytes: &Arc<[u8]>,
        mut passes: Vec<Pass>,
        strategy: Strategy,
        setup: Option<Arc<Setup>>,
    ) -> Self {
        let proofs = passes.iter().filter(|pass| pass.is_proof()).count();
        passes.retain(|pass| strategy.passes.contain(pass.name));
        passes.retain(|pass| match pass.name {
            "rewriting names" => strategy.names == Names::Canonical,
            "spaces" => strategy.layout == Layout::Compact,
            _ => true,
        });
        let proves = passes.iter().filter(|pass| pass.is_proof()).count() == proofs;
        // Only our own schedule has use for passes that ask about large parts alone.
        if strategy.schedule != Schedule::default() {
            passes.retain(|pass| !match pass.method {
                Method::Tree { part } => part < ANY,
                Method::Promising { .. } => true,
                _ => false,
            });
        }
        let document = Arc::new(Document::new(bytes, View::Bytes(ANY)));
        let machine = Method::Window(1).start(&document, &strategy, None, &Lore::default());
        let mut pipeline = Self {
            strategy,
            setup,
            passes: passes.into(),
            proves,
            at: 0,
            document,
            machine,
            last: ANY,
            again: true,
            hit: false,
            left: BTreeSet::new(),
            lore: Lore::default(),
        };
        pipeline.begin(0);
        pipeline.advance();
        pipeline
    }

    /// Returns the name of the pass at work; `None` when finished.
    #[must_use]
    pub fn pass(&self) -> Option<&'static str> {
        self.passes.get(self.at).map(|pass| pass.name)
    }

    /// Returns whether the last sweep ran over the result and found nothing: it does when the search finishes, unless the result
    /// is still too large for it.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        let mut sweeps = self.passes.iter();
        let sweep = sweeps.rfind(|pass| matches!(pass.method, Method::Window(_)));
        let is_left = |&pass: &usize| self.passes[pass].is_proof();
        self.proves
            && !self.left.iter().any(is_left)
            && self.pass().is_none()
            && sweep.is_some_and(|pass| pass.sizes.contains(&self.best().bytes().len()))
    }

    /// Leaves the pass at work.
    fn leave_pass(&mut self) {
        if self.at < self.passes.len() {
            self.left.insert(self.at);
            self.begin(self.at + 1);
            self.advance();
        }
    }

    /// Starts the first pass at or after `at` that has a question, or finishes.
    fn begin(&mut self, at: usize) {
        let best = self.best();
        self.hit = false;
        if let Machine::Rewrites(rewrites) = &self.machine {
            self.lore.missed = rewrites.missed().clone();
        }
        self.at = at;
        loop {
            // The passes after the one that hit last have had nothing to say on this very text.
            if self.again && self.at > self.last {
                self.at = self.passes.len();
            }
            let Some(pass) = self.passes.get(self.at) else {
                if self.again {
                    return;
                }
                (self.at, self.again) = (0, true);
                continue;
            };
            if pass.sizes.contains(&best.bytes().len()) {
                let same = best.is_whole() && best.document().view() == pass.view;
                self.document = match same {
                    true => Arc::clone(best.document()),
                    false => {
                        let document = best.document();
                        Arc::new(document.again(best.kept(), best.bytes(), pass.view))
                    }
                };
                let setup = self.setup.as_ref();
                self.machine =
                    (pass.method).start(&self.document, &self.strategy, setup, &self.lore);
                let applies = match pass.view {
                    View::Parts(_) => self.document.has_parts(),
                    View::Blocks => {
                        let language = self.setup.as_ref().map(|setup| setup.language());
                        language.is_none_or(|language| is_lost(best.bytes(), language))
                    }
                    _ => true,
                };
                if applies && self.machine.has_question() {
                    return;
                }
            }
            self.left.remove(&self.at);
            self.at += 1;
        }
    }

    /// Reads the text anew when a promising pass has deleted half of it, and asks first what nothing needs any more. What was learned stays.
    fn refresh(&mut self) {
        if let Machine::Tree(ScheduleMachine::Boildown(tree)) = &self.machine
            && let Some(Method::Promising { .. }) = self.passes.get(self.at).map(|pass| pass.method)
            && 2 * tree.inner().best().count() < self.document.len()
        {
            self.lore.experience = tree.inner().experience().clone();
            let before = self.at.saturating_sub(1);
            let is_unused = matches!(self.passes[before].method, Method::Unused { .. });
            self.begin(if is_unused { before } else { self.at });
        }
    }

    fn draft(&self, kept: Subset, check: Check) -> Draft {
        Draft::new(Arc::clone(&self.document), kept, check)
    }

    /// Moves on to the next question that holds what is to be kept.
    fn advance(&mut self) {
        while self.at < self.passes.len() {
            if !self.machine.has_question() {
                let again = self.hit && self.is_repeated();
                self.left.remove(&self.at);
                self.begin(self.at + usize::from(!again));
            } else if self.is_allowed() {
                return;
            } else {
                self.machine.skip();
            }
        }
    }

    /// Whether the pass at work is done again once it has hit, and nothing else is for its sake: the sweeps that follow are about what it
    /// leaves, and no other pass finds more in that.
    fn is_repeated(&self) -> bool {
        let pass = self.passes.get(self.at);
        pass.is_some_and(|pass| matches!(pass.view, View::Letters(_) | View::Spaces(_)))
    }

    fn is_allowed(&self) -> bool {
        let keep = &self.strategy.keep;
        keep.is_empty()
            || (self.ask()).is_some_and(|question| keep.is_in(question.candidate.bytes()))
    }
}

impl Method {
    fn start(
        self,
        document: &Arc<Document>,
        strategy: &Strategy,
        setup: Option<&Arc<Setup>>,
        lore: &Lore,
    ) -> Machine {
        let everything = Subset::full(document.len());
        let sweep = |sweep| Machine::Sweep(Epochs::new(sweep, strategy.width));
        match self {
            Self::Tree { part } => {
                let tree = Arc::clone(document.tree());
                let algorithm = InEpochs {
                    algorithm: strategy.algorithm.unwrap_or_default(),
                    width: strategy.width,
                };
                let smallest = document.len() / part;
                let machine = (strategy.schedule).start(algorithm, tree, everything, smallest);
                Machine::Tree(machine)
            }
            Self::Promising { part } => {
                let tree = Arc::clone(document.tree());
                let algorithm = strategy.algorithm.unwrap_or_default();
                let smallest = document.len() / part;
                let experience = lore.experience.clone();
                let machine =
                    TreeSearch::promising(algorithm, tree, everything, smallest, experience);
                Machine::Tree(ScheduleMachine::Boildown(machine.in_epochs(strategy.width)))
            }
            Self::List(usual) => {
                let algorithm = strategy.algorithm.unwrap_or(usual);
                let machine = algorithm.on(List::uniform(document.len()));
                Machine::List(Epochs::new(machine, strategy.width))
            }
            Self::Window(width) => sweep(Sweep::windows(everything, width)),
            Self::Nodes => {
                let units = document.tree().units().into_iter().map(|unit| vec![unit]);
                sweep(Sweep::units(everything, units))
            }
            Self::Delimiters => {
                let pairs = document.delimiters().into_iter();
                let units = pairs.map(|(open, close)| vec![open..open + 1, close..close + 1]);
                sweep(Sweep::units(everything, units))
            }
            Self::AllButOne => sweep(Sweep::units(everything, document.other_parts())),
            Self::Parallel => sweep(Sweep::units(everything, document.parallel_parts())),
            Self::Letters => sweep(Sweep::units(everything, document.letter_units())),
            Self::Layout => sweep(Sweep::units(everything, document.layout_units())),
            Self::Openings(language) => sweep(Sweep::units(
                everything,
                openings(document.bytes(), language),
            )),
            Self::Unused { part } => match document.view() {
                View::Syntax(language) => {
                    let algorithm = InEpochs {
                        algorithm: strategy.algorithm.unwrap_or_default(),
                        width: strategy.width,
                    };
                    let smallest = document.len() / part;
                    Machine::Unused(Unused::new(document, language, algorithm, smallest))
                }
                _ => sweep(Sweep::units(everything, [])),
            },
            Self::Rewrites(sorts) => setup.map_or_else(
                || sweep(Sweep::units(everything, [])),
                |setup| {
                    let (document, missed) = (Arc::clone(document), lore.missed.clone());
                    Machine::Rewrites(Rewrites::new(document, setup, sorts, missed))
                },
            ),
        }
    }
}

/// Does the same with whichever machine it is.
macro_rules! each {
    ($machine:expr, $name:ident => $call:expr) => {
        match $machine {
            Machine::Tree($name) => $call,
            Machine::List($name) => $call,
            Machine::Sweep($name) => $call,
            Machine::Rewrites($name) => $call,
            Machine::Unused($name) => $call,
        }
    };
}

impl Machine {
    fn skip(&mut self) {
        each!(self, machine => machine.skip());
    }

    fn has_question(&self) -> bool {
        each!(self, machine => machine.ask().is_some())
    }

    /// Returns the next question; `draft` makes a candidate of what is kept of the document.
    fn ask(&self, draft: impl FnOnce(Subset) -> Draft) -> Option<Question<Draft>> {
        match self {
            Self::Tree(tree) => Some(tree.ask()?.map(draft)),
            Self::List(list) => Some(list.ask()?.map(draft)),
            Self::Sweep(sweep) => Some(sweep.ask()?.map(draft)),
            Self::Rewrites(rewrites) => rewrites.ask(),
            Self::Unused(unused) => Some(unused.ask()?.map(draft)),
        }
    }

    fn certain(&self, draft: impl Fn(Subset) -> Draft) -> Vec<Question<Draft>> {
        let questions = match self {
            Self::Tree(tree) => tree.certain(),
            Self::List(list) => list.certain(),
            Self::Sweep(sweep) => sweep.certain(),
            Self::Rewrites(rewrites) => return rewrites.certain(),
            Self::Unused(unused) => unused.certain(),
        };
        let questions = questions.into_iter();
        questions.map(|question| question.map(&draft)).collect()
    }

    fn best(&self, draft: impl FnOnce(Subset) -> Draft) -> Draft {
        match self {
            Self::Tree(tree) => draft(tree.best()),
            Self::List(list) => draft(list.best()),
            Self::Sweep(sweep) => draft(sweep.best()),
            Self::Rewrites(rewrites) => rewrites.best(),
            Self::Unused(unused) => draft(unused.best()),
        }
    }
}

impl Search for Pipeline {
    type Candidate = Draft;

    fn ask(&self) -> Option<Question<Draft>> {
        let pass = self.passes.get(self.at)?;
        self.machine.ask(|kept| self.draft(kept, pass.check))
    }

    fn certain(&self) -> Vec<Question<Draft>> {
        let Some(pass) = self.passes.get(self.at) else {
            return Vec::new();
        };
        let mut certain = self.machine.certain(|kept| self.draft(kept, pass.check));
        let keep = &self.strategy.keep;
        certain.retain(|question| keep.is_empty() || keep.is_in(question.candidate.bytes()));
        certain
    }

    fn tell(&mut self, verdict: Verdict) {
        self.hit |= verdict.is_interesting();
        if verdict.is_interesting() {
            if self.is_repeated() {
                // No reason for another round, but what proves the result has to see it.
                let proof = self.passes.iter().rposition(Pass::is_proof);
                self.last = proof.map_or(self.last, |proof| self.last.max(proof));
            } else {
                (self.last, self.again) = (self.at, false);
            }
        }
        each!(&mut self.machine, machine => machine.tell(verdict));
        self.refresh();
        self.advance();
    }

    fn skip(&mut self) {
        self.machine.skip();
        self.advance();
    }

    fn best(&self) -> Draft {
        self.machine.best(|kept| self.draft(kept, Check::Nothing))
    }
}

/// Returns the number of tokens of a text: those of its language, else its words and other visible characters. `None` for a binary.
/// A text too large to be parsed is counted in words, whatever its language.
#[must_use]
pub fn count_tokens(bytes: &Arc<[u8]>, language: Option<&'static Language>) -> Option<usize> {
    match language {
        Some(language) if bytes.len() < LARGE => {
            let document = Document::new(bytes, View::Syntax(language));
            Some(document.tokens(&Subset::full(document.len())))
        }
        _ => (!is_binary(bytes)).then(|| words(bytes, 0..bytes.len()).count()),
    }
}

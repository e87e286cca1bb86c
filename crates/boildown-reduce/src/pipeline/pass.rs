//! The passes of the pipeline: what each of them does.

use std::ops::Range;

use boildown_document::{Check, Language, View};
use boildown_search::algorithms::Algorithm;
use boildown_search::list::Adaptive;

use super::pass_id::PassId;
use crate::rewrite::RewriteKind;

/// One pass, as data.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a mark of its own in the tables of passes"
)]
pub struct Pass {
    /// What the pass is called, and which of its turns this is.
    pub id: PassId,
    /// The view under which the pass reads the input.
    pub view: View,
    /// The search that it runs.
    pub method: Method,
    /// Whether its candidates have to parse.
    pub check: Check,
    /// The sizes of inputs, in bytes, for which the pass is worth its time.
    pub sizes: Range<usize>,
    /// Whether the pass is not needed again until the input has become much smaller: it rarely
    /// finds something twice, or a later pass sweeps what this one works on one by one.
    pub is_once: bool,
    /// Whether the pass is repeated right after a hit, until it has none.
    pub is_repeated: bool,
    /// The size of an input from which on the pass takes turns with others, in bytes: see
    /// `turns.rs`.
    pub turns_from: Option<usize>,
    /// Whether its turns do not end before it has.
    pub has_whole_turns: bool,
    /// Whether its hits leave nothing to others but the proof, if its candidates have to parse.
    pub is_about_details: bool,
}

/// The search that a pass runs over its view of the input.
#[derive(Debug, Clone, Copy)]
pub enum Method {
    /// The schedule that the user chose for trees, over deletions of at least this size.
    Tree(SmallestDeletion),
    /// The schedule that the user chose for trees, over the elements of a list: few of them are
    /// needed as a rule.
    Elements,
    /// Other orders of the elements of a list.
    Orders,
    /// The tree search that asks about the largest expected gain first.
    ExpectedGain(SmallestDeletion),
    /// A list algorithm over the tokens: this one unless the user chose another.
    List(UsualAlgorithm),
    /// Small groups of tokens that are close to each other and cannot be deleted alone.
    Clusters,
    /// One query for each window of this many neighbouring tokens.
    Window(usize),
    /// One query for each two and three neighbouring parts of a node, and for the delimiters
    /// between two blocks; in a small text also one for each part that fits the place of a node.
    Neighbours,
    /// One query for each node, and one for each node with a separator.
    Nodes,
    /// One query for each pair of matching delimiters.
    Delimiters,
    /// One query for each text that many tokens have: all of these tokens.
    EqualTokens,
    /// One query for each column of the tables, and for each half and quarter of them.
    Columns,
    /// Files of a joined text, each with what mentions it elsewhere.
    FilesWithMentions,
    /// One query for each part of the outermost sibling list: all parts but this one go.
    AllButOne,
    /// One query for each run of 32, 16 or 8 tokens, and of few tokens also of 4 and 2.
    Runs,
    /// Numbers near the front that may count a list behind them.
    Counts,
    /// Bytes near the front that become smaller numbers.
    Lowered,
    /// Runs of zeros, with the offsets of what is behind them.
    Offsets,
    /// Runs of records of directories, with their contents.
    Records,
    /// Parts at the same positions of sibling lists of equal length.
    Parallel,
    /// Everything but what the lines need that the output of the failure reports.
    Reported,
    /// Definitions that nothing refers to, with what only they refer to.
    Unused(SmallestDeletion),
    /// What functions do.
    Bodies(SmallestDeletion),
    /// Line markers and comments, many at once.
    Comments(SmallestDeletion),
    /// What functions do, if a stub can stand for it.
    Stubs(SmallestDeletion),
    /// What calls functions, which are exported.
    Exported(SmallestDeletion),
    /// Every proposal of this kind.
    Rewrites(RewriteKind),
    /// The units that a module does the same without, class by class.
    IdleUnits,
    /// Characters of words that are no names.
    Letters,
    /// White space that has no meaning.
    Layout,
    /// Words that may tell something, replaced by others.
    Redaction,
    /// Openings of comments, with some of the text before them.
    CommentPrefixes(&'static Language),
}

/// The algorithm of a pass over a list, unless the user chose another.
#[derive(Debug, Clone, Copy)]
pub enum UsualAlgorithm {
    /// [`Algorithm::halving`].
    Halving,
    /// [`Algorithm::group_testing`].
    GroupTesting,
    /// [`Adaptive`].
    Adaptive,
}

impl Method {
    /// Returns whether the search guesses where counts and offsets are. It is of no use where they
    /// are known.
    pub(super) fn guesses_layout(self) -> bool {
        matches!(
            self,
            Self::Counts | Self::Lowered | Self::Offsets | Self::Runs
        )
    }
}

impl UsualAlgorithm {
    /// Returns the algorithm.
    pub(super) fn algorithm(self) -> Algorithm {
        match self {
            Self::Halving => Algorithm::halving(),
            Self::GroupTesting => Algorithm::group_testing(),
            Self::Adaptive => Algorithm::of::<Adaptive>(),
        }
    }
}

/// The smallest deletion that a pass asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallestDeletion {
    /// One of this many tokens of the input, so 1 % for 100.
    OneIn(usize),
    /// A single token.
    OneToken,
    /// Two tokens: single ones are left to a sweep.
    TwoTokens,
}

impl SmallestDeletion {
    /// Returns it in tokens, for an input of this many.
    pub(crate) fn tokens(self, all: usize) -> usize {
        match self {
            Self::OneIn(part) => all / part,
            Self::OneToken => 0,
            Self::TwoTokens => 2,
        }
    }
}

impl Pass {
    /// Returns a pass over inputs of any size whose candidates need not parse.
    pub fn new(id: PassId, view: View, method: Method) -> Self {
        Self {
            id,
            view,
            method,
            check: Check::Nothing,
            sizes: 0..usize::MAX,
            is_once: false,
            is_repeated: matches!(view, View::Letters(_) | View::Spaces(_)),
            turns_from: None,
            has_whole_turns: false,
            is_about_details: false,
        }
    }

    /// Marks a pass that a sweep over the same units follows, or that rarely finds something twice.
    #[must_use]
    pub fn once(self) -> Self {
        Self {
            is_once: true,
            ..self
        }
    }

    /// Lets the pass take turns with the others that do, from this size on.
    #[must_use]
    pub fn in_turns_from(self, bytes: usize) -> Self {
        Self {
            turns_from: Some(bytes),
            ..self
        }
    }

    /// Lets each turn of the pass last until it has finished.
    #[must_use]
    pub fn whole(self) -> Self {
        Self {
            has_whole_turns: true,
            ..self
        }
    }

    /// Restricts the candidates to those that parse.
    #[must_use]
    pub fn parsed(self) -> Self {
        Self {
            check: Check::Parses,
            ..self
        }
    }

    /// Restricts the pass to inputs of fewer bytes than this.
    #[must_use]
    pub fn below(self, size: usize) -> Self {
        Self {
            sizes: self.sizes.start..size,
            ..self
        }
    }

    /// Restricts the pass to inputs of at least this many bytes.
    #[must_use]
    pub fn starting_at(self, size: usize) -> Self {
        Self {
            sizes: size..self.sizes.end,
            ..self
        }
    }

    /// Restricts the candidates of passes to those that parse, but for those of a compact layout,
    /// which joins lines.
    pub fn checked(passes: Vec<Self>) -> Vec<Self> {
        let passes = passes.into_iter().map(|pass| match pass.id {
            PassId::REWRITING_WHOLE | PassId::SPACES => pass,
            _ => pass.parsed(),
        });
        passes.collect()
    }

    /// Returns whether the pass only keeps the width of a text, or joins its words.
    pub fn is_of_columns(&self) -> bool {
        matches!(self.id, PassId::REWRITING_WIDTHS | PassId::REWRITING_JOINS)
    }

    /// Returns whether the pass is one of those that together prove 1-minimality.
    pub(crate) fn is_proof(&self) -> bool {
        matches!(self.method, Method::Window(1) | Method::Nodes)
    }

    /// Returns whether the pass passes over deletions that missed before. Others know of changes
    /// elsewhere, or prove something.
    pub(crate) fn passes_over_misses(&self) -> bool {
        // Single bytes that are taken out are asked about by the proof in any case.
        let is_of_zeros = matches!(self.view, View::Zeros(_));
        matches!(
            self.method,
            Method::Tree(_) | Method::ExpectedGain(_) | Method::Neighbours | Method::Delimiters
        ) || is_of_zeros && matches!(self.method, Method::List(_))
    }

    /// Returns whether the pass ends when it has missed often in a row: another one of its kind
    /// comes later, when more has been deleted.
    pub(crate) fn gives_up(&self) -> bool {
        matches!(self.method, Method::Unused(_))
    }

    /// Returns the number of queries that a turn of the pass without a hit needs at least, before
    /// it can be said that it finds none: unused definitions are first looked for in large groups,
    /// which rarely go.
    pub(crate) fn fewest_queries_of_a_turn(&self) -> usize {
        match self.method {
            Method::Unused(_) => 24,
            _ => 0,
        }
    }

    /// Returns whether only the schedule of boildown has a use for the pass: other schedules know
    /// neither a smallest deletion nor expected gains.
    pub(crate) fn needs_own_schedule(&self) -> bool {
        matches!(
            self.method,
            Method::Tree(SmallestDeletion::OneIn(_)) | Method::ExpectedGain(_)
        )
    }

    /// Returns whether the pass is repeated after it has deleted at least an eighth of a large
    /// input. What many definitions need that do not deserve a test each goes with all of them
    /// then.
    pub(crate) fn is_repeated_in_large_inputs(&self) -> bool {
        matches!(self.method, Method::Unused(_))
    }

    /// Returns whether a hit of the pass is no reason to run all the others again: they find no
    /// more than before, except for the proof. Of zeros in a module, others have made the
    /// instructions.
    pub(crate) fn is_final(&self) -> bool {
        let is_about_details = self.is_about_details || matches!(self.view, View::Zeros(_));
        let is_redaction = matches!(self.method, Method::Redaction);
        is_redaction || self.is_repeated || self.check == Check::Parses && is_about_details
    }
}

//! The searches that passes run.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use boildown_document::{
    Candidate, Check, Document, Split, View, comment_prefixes, fingerprint_of_texts,
};
use boildown_search::algorithms::Algorithm;
use boildown_search::list::{Clusters, List, ListAlgorithm as _, Sweep};
use boildown_search::tree::TreeSearch;
use boildown_search::{AnyListSearch, Fingerprint, Query, Search, Subset, Verdict};

use super::counts::Counts;
use super::lowered::Lowered;
use super::offsets::Offsets;
use super::orders::Orders;
use super::pass::{Method, Pass, SmallestDeletion};
use super::state::PassState;
use crate::bodies::emptied;
use crate::comments;
use crate::edit::Edit;
use crate::grouped_edits::{EditGroup, GroupedEdits};
use crate::mentions::files_with_mentions;
use crate::redaction::Redaction;
use crate::reported::Guesses;
use crate::rewrite::{RewriteSetup, Rewrites};
use crate::strategy::{NamePolicy, Strategy};
use crate::stubs::stubs;
use crate::unused::{Exported, Unused};

/// Below this number of tokens, parts of nodes are also tried in their place. In a
/// large text there are too many.
const FEW_TOKENS: usize = 1000;

/// The number of equal tokens from which on all of them are deleted at once.
const MANY_EQUAL: usize = 64;

/// The number of texts of tokens that are looked at.
const EQUAL_TEXTS: usize = 8;

/// The search of a pass, over candidates of its document.
#[derive(Debug, Clone)]
pub(super) enum PassSearch {
    BestFirst(OverTokens<TreeSearch<Algorithm>>),
    Tree(OverTokens<AnyListSearch>),
    List(OverTokens<AnyListSearch>),
    Sweep(OverTokens<Sweep>),
    Unused(OverTokens<Unused>),
    Guesses(OverTokens<Guesses>),
    Groups(GroupedEdits),
    Exported(Exported),
    Rewrites(Rewrites),
    Orders(Orders),
    Counts(Counts),
    Lowered(Lowered),
    Offsets(Offsets),
    Redaction(Redaction),
}

/// The input of a pass: all that it needs to start its search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) document: &'a Arc<Document>,
    /// `None` without a language.
    pub(super) setup: Option<&'a Arc<RewriteSetup>>,
    pub(super) strategy: &'a Strategy,
    pub(super) state: &'a PassState,
}

impl Start<'_> {
    /// Returns the search of a pass.
    pub(super) async fn search(self, pass: &Pass) -> PassSearch {
        let document = self.document;
        let units = match pass.method {
            Method::Tree(_) | Method::Elements => {
                let (smallest, usual) = match pass.method {
                    Method::Tree(smallest) => (smallest, Algorithm::default()),
                    _ => (SmallestDeletion::OneToken, Algorithm::group_testing()),
                };
                let search = self.strategy.schedule.start(
                    self.algorithm(usual),
                    Arc::clone(document.tree()),
                    self.everything(),
                    smallest.tokens(document.len()),
                );
                return PassSearch::Tree(self.over_tokens(pass, search));
            }
            Method::ExpectedGain(smallest) => return self.by_expected_gain(pass, smallest),
            Method::List(usual) => {
                let algorithm = self.list_algorithm(usual.algorithm());
                let search = algorithm.on(List::uniform(document.len()));
                return PassSearch::List(self.over_tokens(pass, search));
            }
            Method::Clusters => {
                let search = Clusters::on(List::uniform(document.len()));
                return PassSearch::List(self.over_tokens(pass, AnyListSearch::new(search)));
            }
            Method::Window(length) => {
                return self.sweep(pass, Sweep::windows(self.everything(), length));
            }
            Method::Reported => {
                let guesses = Guesses::new(document, &self.strategy.reported_lines).await;
                return PassSearch::Guesses(self.over_tokens(pass, guesses));
            }
            Method::Unused(smallest) => match self.unused(pass, smallest).await {
                Some(search) => return search,
                None => Vec::new(),
            },
            Method::Bodies(smallest) | Method::Comments(smallest) | Method::Stubs(smallest) => {
                match self.of_one_kind(pass, smallest) {
                    Some(search) => return search,
                    None => Vec::new(),
                }
            }
            Method::Exported(smallest) => match self.exported(pass, smallest).await {
                Some(search) => return search,
                None => Vec::new(),
            },
            Method::IdleUnits => return self.idle(pass),
            Method::Rewrites(kind) => {
                if let Some(setup) = self.setup {
                    let missed = self.state.missed.clone();
                    let rewrites = Rewrites::new(Arc::clone(document), setup, kind, missed).await;
                    return PassSearch::Rewrites(rewrites);
                }
                Vec::new()
            }
            Method::Orders => {
                let split = self.strategy.split.clone().unwrap_or(Split::Lines);
                return PassSearch::Orders(Orders::new(document, split));
            }
            Method::Redaction => {
                let language = self.setup.map(|setup| setup.language());
                return PassSearch::Redaction(Redaction::new(document, language));
            }
            Method::Counts => return PassSearch::Counts(Counts::new(document)),
            Method::Lowered => return PassSearch::Lowered(Lowered::new(document)),
            Method::Offsets => return PassSearch::Offsets(Offsets::new(document)),
            Method::Runs => runs(document.len()),
            Method::Nodes => {
                let units = document.tree().units().into_iter();
                units.map(|unit| vec![unit]).collect()
            }
            Method::Neighbours => self.neighbours(),
            Method::Delimiters => {
                let pairs = document.delimiters().into_iter();
                pairs
                    .map(|(open, close)| vec![open..open + 1, close..close + 1])
                    .collect()
            }
            Method::EqualTokens => document.equal_tokens(MANY_EQUAL, EQUAL_TEXTS),
            Method::Columns => document.columns(),
            Method::FilesWithMentions => files_with_mentions(document),
            Method::AllButOne => document.other_parts(),
            Method::Records => document.records_with_contents(),
            Method::Parallel => document.parallel_parts(),
            Method::Letters => document.letter_units(),
            Method::Layout => document.layout_units(),
            Method::CommentPrefixes(language) => comment_prefixes(document.bytes(), language),
        };
        self.sweep(pass, Sweep::units(self.everything(), units))
    }

    /// White space is no part of the list that the user's algorithm is for, and not all algorithms
    /// ask about the last element.
    fn list_algorithm(self, usual: Algorithm) -> Algorithm {
        match self.document.view() {
            View::Spaces(_) => usual,
            _ => self.algorithm(usual),
        }
    }

    /// Returns runs of two and three parts. Parts in the place of a node are also tried by the
    /// passes over the tree, but not in later rounds.
    fn neighbours(self) -> Vec<Vec<Range<usize>>> {
        let tree = self.document.tree();
        let surroundings = match self.document.len() < FEW_TOKENS {
            true => tree.surroundings(),
            false => Vec::new(),
        };
        let pairs = self.document.delimiters();
        let opens: BTreeSet<usize> = pairs.iter().map(|&(open, _)| open).collect();
        // `} {`: two blocks become one.
        let closes = pairs.iter().map(|&(_, close)| close);
        let meetings = closes.filter(|close| opens.contains(&(close + 1)));
        let meetings = meetings.map(|close| close..close + 2);
        let runs = [2, 3].map(|length| tree.neighbours(length));
        let runs = runs.into_iter().flatten().chain(meetings);
        runs.map(|run| vec![run]).chain(surroundings).collect()
    }

    async fn unused(self, pass: &Pass, smallest: SmallestDeletion) -> Option<PassSearch> {
        let View::Syntax(language) = self.document.view() else {
            return None;
        };
        let algorithm = self.algorithm(Unused::algorithm(self.document));
        let smallest = smallest.tokens(self.document.len());
        let unused = Unused::new(self.document, language, algorithm, smallest).await;
        Some(PassSearch::Unused(self.over_tokens(pass, unused)))
    }

    /// The mark of an exported function may be a new name.
    async fn exported(self, pass: &Pass, smallest: SmallestDeletion) -> Option<PassSearch> {
        let View::Syntax(language) = self.document.view() else {
            return None;
        };
        if self.strategy.names == NamePolicy::Preserved {
            return None;
        }
        let smallest = smallest.tokens(self.document.len());
        let algorithm = self.algorithm(Algorithm::default());
        let exported = Exported::new(self.document, language, algorithm, smallest, pass.check);
        exported.await.map(PassSearch::Exported)
    }

    fn by_expected_gain(self, pass: &Pass, smallest: SmallestDeletion) -> PassSearch {
        let search = TreeSearch::by_expected_gain(
            self.algorithm(Algorithm::default()),
            Arc::clone(self.document.tree()),
            self.everything(),
            smallest.tokens(self.document.len()),
            self.state.learned_rates.clone(),
        );
        PassSearch::BestFirst(self.over_tokens(pass, search))
    }

    fn sweep(self, pass: &Pass, sweep: Sweep) -> PassSearch {
        PassSearch::Sweep(self.over_tokens(pass, sweep))
    }

    /// Single units are left to the sweep that follows: each hit makes it ask about all others
    /// again.
    fn idle(self, pass: &Pass) -> PassSearch {
        let classes = self.document.idle_tokens().into_iter();
        let one_each = |token| vec![Edit::deletion(&(token..token + 1))];
        let classes = classes.map(|tokens| tokens.into_iter().map(one_each).collect());
        self.groups(pass, classes, 2)
    }

    /// Returns the search of a pass that edits parts of one kind, many at once.
    fn of_one_kind(self, pass: &Pass, smallest: SmallestDeletion) -> Option<PassSearch> {
        let View::Syntax(language) = self.document.view() else {
            return None;
        };
        let groups = match pass.method {
            Method::Stubs(_) => vec![stubs(self.document, language)],
            Method::Comments(_) => comments::deleted(self.document, language).into(),
            _ => emptied(self.document, language).into(),
        };
        Some(self.groups(pass, groups, smallest.tokens(self.document.len())))
    }

    fn groups(
        self,
        pass: &Pass,
        groups: impl IntoIterator<Item = EditGroup>,
        smallest: usize,
    ) -> PassSearch {
        let algorithm = self.algorithm(Algorithm::default());
        let groups = GroupedEdits::new(self.document, groups, &algorithm, smallest, pass.check);
        PassSearch::Groups(groups)
    }

    fn over_tokens<S>(self, pass: &Pass, search: S) -> OverTokens<S> {
        OverTokens {
            document: Arc::clone(self.document),
            check: pass.check,
            search,
        }
    }

    fn algorithm(self, usual: Algorithm) -> Algorithm {
        self.strategy.algorithm.clone().unwrap_or(usual)
    }

    fn everything(self) -> Subset {
        Subset::full(self.document.len())
    }
}

/// Returns runs of tokens of 32, 16 and 8, and of few tokens also of 4 and 2, which do not overlap.
fn runs(tokens: usize) -> Vec<Vec<Range<usize>>> {
    const FEW: usize = 128;
    let sizes: &[usize] = if tokens > FEW {
        &[32, 16, 8]
    } else {
        &[32, 16, 8, 4, 2]
    };
    let runs = sizes.iter().flat_map(|&size| {
        let starts = (0..(tokens + 1).saturating_sub(size)).step_by(size);
        starts.map(move |start| start..start + size)
    });
    runs.map(|run| vec![run]).collect()
}

/// A search over the kept tokens of a document, whose queries are made candidates.
#[derive(Debug, Clone)]
pub(super) struct OverTokens<S> {
    document: Arc<Document>,
    /// The check of the parse gate on each candidate.
    check: Check,
    pub(super) search: S,
}

impl<S> OverTokens<S> {
    fn candidate(&self, kept: Subset, check: Check) -> Candidate {
        Candidate::new(Arc::clone(&self.document), kept, check)
    }

    fn query(&self, query: Query<Subset>) -> Query<Candidate> {
        query.map(|kept| self.candidate(kept, self.check))
    }
}

impl<S: Search<Candidate = Subset>> Search for OverTokens<S> {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        Some(self.query(self.search.ask()?))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.search.tell(verdict);
    }

    fn skip(&mut self) {
        self.search.skip();
    }

    fn best(&self) -> Candidate {
        self.candidate(self.search.best(), Check::Nothing)
    }
}

/// Calls the same method of whichever search it is.
macro_rules! delegate {
    ($self:ident.$method:ident($($argument:ident)?)) => {
        match $self {
            PassSearch::BestFirst(search) => search.$method($($argument)?),
            PassSearch::Tree(search) => search.$method($($argument)?),
            PassSearch::List(search) => search.$method($($argument)?),
            PassSearch::Sweep(search) => search.$method($($argument)?),
            PassSearch::Unused(search) => search.$method($($argument)?),
            PassSearch::Guesses(search) => search.$method($($argument)?),
            PassSearch::Groups(search) => search.$method($($argument)?),
            PassSearch::Exported(search) => search.$method($($argument)?),
            PassSearch::Rewrites(search) => search.$method($($argument)?),
            PassSearch::Orders(search) => search.$method($($argument)?),
            PassSearch::Redaction(search) => search.$method($($argument)?),
            PassSearch::Counts(search) => search.$method($($argument)?),
            PassSearch::Lowered(search) => search.$method($($argument)?),
            PassSearch::Offsets(search) => search.$method($($argument)?),
        }
    };
}

impl PassSearch {
    /// Returns whether the search only deletes tokens.
    pub(super) fn is_deletion(&self) -> bool {
        match self {
            Self::Groups(groups) => groups.only_deletes(),
            Self::Exported(_)
            | Self::Rewrites(_)
            | Self::Orders(_)
            | Self::Counts(_)
            | Self::Lowered(_)
            | Self::Offsets(_)
            | Self::Redaction(_) => false,
            _ => true,
        }
    }
}

impl Search for PassSearch {
    type Candidate = Candidate;

    /// Equal edits have the same identity within a document.
    fn edit(&self) -> Option<Fingerprint> {
        if let Self::Rewrites(rewrites) = self {
            return rewrites.edit();
        }
        if let Self::Orders(_)
        | Self::Counts(_)
        | Self::Lowered(_)
        | Self::Offsets(_)
        | Self::Redaction(_) = self
        {
            return None;
        }
        let query = self.ask()?;
        let cuts = self.best().kept().cuts_to(query.candidate.kept());
        let ends = cuts.iter().flat_map(|cut| [cut.start, cut.end]);
        let ends: Vec<u8> = ends.flat_map(usize::to_le_bytes).collect();
        Some(fingerprint_of_texts([&*ends]))
    }

    fn ask(&self) -> Option<Query<Candidate>> {
        delegate!(self.ask())
    }

    fn tell(&mut self, verdict: Verdict) {
        delegate!(self.tell(verdict));
    }

    fn skip(&mut self) {
        delegate!(self.skip());
    }

    fn best(&self) -> Candidate {
        delegate!(self.best())
    }
}

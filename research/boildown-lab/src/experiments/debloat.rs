//! Comparison on real programs with a simulated debloating property: CHISEL beside list algorithms
//! that do not know which element uses which.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use boildown_document::{Candidate, Check, Document, Gated, Language, View};
use boildown_literature::graph::{BrokenPolicy, Chisel, Closed, Rejecting};
use boildown_reduce::{NameUses, blocks, name_uses};
use boildown_search::algorithms::Algorithm;
use boildown_search::graph::{BinaryReduction, Requirements};
use boildown_search::list::{List, ListAlgorithm as _};
use boildown_search::tree::{ListId, NodeId};
use boildown_search::{Fingerprint, Query, Search, Subset, Verdict};
use serde::{Deserialize, Serialize};

use super::runs::{Measure, RunPlan, RunRecord, Runs};
use crate::parallel;
use crate::recorded::{ReductionResult, TokenChoice};
use crate::report::plot::Plot as _;
use crate::report::{Align, HtmlPage, Report, ReportFigure, TextTable, csv, number};
use crate::rng::SeededRng;
use crate::simulate::{Judged, RunRules, run_alone};
use crate::workload::NeededElements;

/// A real program with a simulated debloating property.
///
/// A candidate is interesting while it keeps the chosen tokens, parses, and declares every name
/// that it mentions and that the program declares. So the property is not monotone: a definition
/// cannot go before its uses, as when a compiler decides.
///
/// # Source
/// K. Heo, W. Lee, P. Pashakhanloo, M. Naik, *Effective Program Debloating via Reinforcement
/// Learning*, CCS 2018 (CHISEL). There the property is a script that compiles the program and runs
/// the wanted features. Here the chosen tokens take the place of the features, and the names
/// that of the compiler. A declaration is enough for a use, as for a compiler without a linker.
#[derive(Debug, Clone)]
pub struct DebloatedProgram {
    /// The name of the program in reports.
    pub name: String,
    document: Arc<Document>,
    language: &'static Language,
    names: Arc<[NameUses]>,
    /// The sibling lists of the global phase, then those of the local phase: a list in a block
    /// comes before those inside its elements.
    lists: Arc<[ListId]>,
    needed: NeededElements,
}

/// A way to minimise a list of declarations or statements.
#[derive(Debug, Clone, PartialEq)]
pub enum DebloatSearch {
    /// A list algorithm.
    Plain(Algorithm),
    /// A list algorithm; candidates that use a name without its definition are not tested.
    Rejecting(Algorithm),
    /// A list algorithm; a deletion includes everything that uses a deleted element.
    Closed(Algorithm),
    /// The required closures one by one, by bisection.
    Binary,
    /// CHISEL.
    Chisel,
}

impl fmt::Display for DebloatSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(algorithm) => write!(f, "{algorithm}"),
            Self::Rejecting(algorithm) => write!(f, "{algorithm}, rejecting"),
            Self::Closed(algorithm) => write!(f, "{algorithm}, closed"),
            Self::Binary => f.write_str("binary reduction"),
            Self::Chisel => f.write_str("chisel"),
        }
    }
}

impl DebloatSearch {
    /// Returns every search for these algorithms, that of the first algorithm first.
    #[must_use]
    pub fn with(algorithms: &[Algorithm]) -> Vec<Self> {
        let kinds = [Self::Plain, Self::Rejecting, Self::Closed];
        let all = algorithms.iter();
        all.flat_map(|algorithm| kinds.map(|kind| kind(algorithm.clone())))
            .chain([Self::Binary, Self::Chisel])
            .collect()
    }
}

/// The state of a reduction.
struct Debloating<J> {
    /// Returns the verdict on a candidate that parses, or `None` to end the reduction.
    judge: J,
    rules: RunRules,
    kept: Subset,
    asked: HashSet<Fingerprint>,
    queries: u64,
    finished: bool,
}

/// The role of a node of a sibling list in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Gone,
    /// Text outside of the list uses it.
    Fixed,
    Element(usize),
}

/// One sibling list as it is when its search begins.
#[derive(Debug)]
struct ListState {
    list: ListId,
    roles: Vec<Role>,
    requirements: Requirements,
}

impl DebloatedProgram {
    /// Parses a program and chooses the tokens that are needed. `None` when it has no token.
    #[must_use]
    pub fn new(
        name: &str,
        bytes: &[u8],
        language: &'static Language,
        choice: TokenChoice,
    ) -> Option<Self> {
        let document = Arc::new(Document::new(&bytes.into(), View::Syntax(language)));
        if document.is_empty() {
            return None;
        }
        let mut rng = SeededRng::new(choice.seed, 0);
        let mut chosen = vec![false; document.len()];
        for _ in 0..choice.tokens {
            chosen[rng.below(document.len())] = true;
        }
        let owners = std::iter::once(NodeId::ROOT).chain(blocks(&document));
        let tree = document.tree();
        let lists = owners.flat_map(|owner| tree.nodes[owner].lists.clone());
        Some(Self {
            name: name.to_owned(),
            language,
            names: name_uses(&document, language).into(),
            lists: lists.collect(),
            needed: NeededElements::new(chosen),
            document: Arc::clone(&document),
        })
    }

    /// Returns the number of tokens of the program.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.document
            .count_tokens(&Subset::full(self.document.len()))
    }

    /// Returns the verdict on a set of tokens that parses.
    #[must_use]
    pub fn judge(&self, kept: &Subset) -> Verdict {
        let any = |tokens: &[usize]| tokens.iter().any(|&token| kept.contains(token));
        let is_interesting = self.needed.are_in(kept)
            && (self.names.iter()).all(|name| any(&name.definitions) || !any(&name.uses));
        if is_interesting {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }

    /// Reduces the program: the declarations, then the statements of each block, until nothing more
    /// goes. Candidates that do not parse are not tested.
    #[must_use]
    pub fn reduce(&self, search: &DebloatSearch, rules: RunRules) -> ReductionResult {
        self.reduce_until(search, rules, |candidate| {
            Some(self.judge(candidate.kept()))
        })
    }

    /// Reduces the program with another property, such as that of a real command, until the
    /// property returns `None` or nothing more goes. Otherwise as [`reduce`](Self::reduce).
    pub fn reduce_until(
        &self,
        search: &DebloatSearch,
        rules: RunRules,
        judge: impl FnMut(&Candidate) -> Option<Verdict>,
    ) -> ReductionResult {
        let mut state = Debloating {
            judge,
            rules,
            kept: Subset::full(self.document.len()),
            asked: HashSet::new(),
            queries: 0,
            finished: true,
        };
        loop {
            let before = state.kept.count();
            for &list in self.lists.iter() {
                if state.finished {
                    self.reduce_list(list, search, &mut state);
                }
            }
            if !state.finished || state.kept.count() == before {
                return ReductionResult {
                    tokens: self.document.count_tokens(&state.kept),
                    queries: state.queries,
                    finished: state.finished,
                };
            }
        }
    }

    fn reduce_list(
        &self,
        list: ListId,
        search: &DebloatSearch,
        state: &mut Debloating<impl FnMut(&Candidate) -> Option<Verdict>>,
    ) {
        let now = Arc::new(self.list_state(list, &state.kept));
        let count = now.requirements.universe();
        if count == 0 {
            return;
        }
        let (elements, known) = (List::uniform(count), || now.requirements.clone());
        match search {
            DebloatSearch::Plain(algorithm) => self.run(algorithm.on(elements), &now, state),
            DebloatSearch::Rejecting(algorithm) => {
                let search = algorithm.on(elements);
                let search = Rejecting::new(search, known(), BrokenPolicy::Skip);
                self.run(search, &now, state);
            }
            DebloatSearch::Closed(algorithm) => {
                let search = Closed::new(algorithm.on(elements), known());
                self.run(search, &now, state);
            }
            DebloatSearch::Binary => {
                self.run(BinaryReduction::on(elements, known()), &now, state);
            }
            DebloatSearch::Chisel => self.run(Chisel::on(elements, known()), &now, state),
        }
    }

    fn run<S: Search<Candidate = Subset>>(
        &self,
        search: S,
        list: &Arc<ListState>,
        state: &mut Debloating<impl FnMut(&Candidate) -> Option<Verdict>>,
    ) {
        let elements = ElementSearch {
            search,
            document: Arc::clone(&self.document),
            list: Arc::clone(list),
            base: state.kept.clone(),
        };
        let mut search = Gated::sealed(elements, self.language);
        let rules = RunRules {
            max_tests: (state.rules.max_tests).map(|max_tests| max_tests - state.queries),
            ..state.rules
        };
        let judge = |candidate: &Candidate| {
            let verdict = (state.judge)(candidate);
            Ok::<_, Infallible>(verdict.map_or(Judged::Ended, Judged::Told))
        };
        let Ok(ended) = run_alone(&mut search, &mut state.asked, rules, judge);
        state.queries += ended.tests;
        state.finished = ended.finished;
        state.kept = search.best().kept().clone();
        state.kept.commit();
    }

    /// Returns which nodes of a list are left, and which of them requires which: one that uses a
    /// name requires the only one that still defines it.
    fn list_state(&self, list: ListId, kept: &Subset) -> ListState {
        let tree = self.document.tree();
        let nodes = tree.elements(&tree.lists[list]);
        let tokens = |position: usize| tree.nodes[nodes[position]].tokens();
        // The node of the list that holds a token.
        let holder = |token: usize| {
            let after = nodes.partition_point(|&node| tree.nodes[node].tokens().start <= token);
            let position = after.checked_sub(1)?;
            tokens(position).contains(&token).then_some(position)
        };
        let mut is_fixed = vec![false; nodes.len()];
        let mut edges = Vec::new();
        for name in self.names.iter() {
            let kept_tokens = |all: &[usize]| -> Vec<Option<usize>> {
                let kept = all.iter().filter(|&&token| kept.contains(token));
                kept.map(|&token| holder(token)).collect()
            };
            let mut definitions = kept_tokens(&name.definitions);
            definitions.dedup();
            let [Some(defined)] = definitions[..] else {
                continue;
            };
            for user in kept_tokens(&name.uses) {
                match user {
                    Some(user) if user != defined => edges.push((user, defined)),
                    Some(_) => {}
                    None => is_fixed[defined] = true,
                }
            }
        }
        let mut count = 0;
        let roles: Vec<Role> = (0..nodes.len())
            .map(|position| match kept.any_in(tokens(position)) {
                false => Role::Gone,
                true if is_fixed[position] => Role::Fixed,
                true => {
                    count += 1;
                    Role::Element(count - 1)
                }
            })
            .collect();
        let edges = edges
            .into_iter()
            .filter_map(|(user, used)| match (roles[user], roles[used]) {
                (Role::Element(user), Role::Element(used)) => Some((user, used)),
                _ => None,
            });
        ListState {
            list,
            requirements: Requirements::new(count, edges),
            roles,
        }
    }
}

/// Adapts a search over the elements of a list to one over candidates, which have to parse.
#[derive(Debug, Clone)]
struct ElementSearch<S> {
    search: S,
    document: Arc<Document>,
    list: Arc<ListState>,
    /// The tokens that were kept when the search began.
    base: Subset,
}

impl<S> ElementSearch<S> {
    fn candidate(&self, elements: &Subset) -> Candidate {
        let tree = self.document.tree();
        let is_kept = |position: usize| match self.list.roles[position] {
            Role::Gone => false,
            Role::Fixed => true,
            Role::Element(element) => elements.contains(element),
        };
        let kept = (self.base).without(tree.lists[self.list.list].cuts(tree, is_kept));
        Candidate::new(Arc::clone(&self.document), kept, Check::Parses)
    }
}

impl<S: Search<Candidate = Subset>> Search for ElementSearch<S> {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        Some(self.search.ask()?.map(|kept| self.candidate(&kept)))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.search.tell(verdict);
    }

    fn skip(&mut self) {
        self.search.skip();
    }

    fn best(&self) -> Candidate {
        self.candidate(&self.search.best())
    }
}

/// The run of one search on one program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebloatRow {
    /// The name of the program.
    pub program: String,
    /// Number of tokens of the program.
    pub tokens: usize,
    /// The name of the search.
    pub search: String,
    /// Number of tests.
    pub queries: u64,
    /// Number of tokens left.
    pub left: usize,
    /// Whether the search ended by itself.
    pub finished: bool,
}

/// The result of the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebloatResult {
    /// The parameters by which the needed tokens were chosen.
    pub choice: TokenChoice,
    /// The rules of each run.
    pub rules: RunRules,
    /// The names of the searches; the first is the reference.
    pub searches: Vec<String>,
    /// The runs, ordered by program, then by search.
    pub rows: Vec<DebloatRow>,
}

/// Runs every search on every program.
///
/// # Cost
/// For C programs of 20 to 180 KB, a few ms of CPU time per test: parsing, and the check of names.
#[must_use]
pub fn run(
    programs: &[DebloatedProgram],
    searches: &[DebloatSearch],
    choice: TokenChoice,
    rules: RunRules,
) -> DebloatResult {
    let tasks: Vec<_> = (programs.iter())
        .flat_map(|program| searches.iter().map(move |search| (program, search)))
        .collect();
    let rows = parallel::map(&tasks, |&(program, search)| {
        let reduced = program.reduce(search, rules);
        DebloatRow {
            program: program.name.clone(),
            tokens: program.tokens(),
            search: search.to_string(),
            queries: reduced.queries,
            left: reduced.tokens,
            finished: reduced.finished,
        }
    });
    DebloatResult {
        choice,
        rules,
        searches: searches.iter().map(DebloatSearch::to_string).collect(),
        rows,
    }
}

impl DebloatResult {
    fn runs(&self) -> Runs<'_> {
        let records = self.rows.iter().map(|row| RunRecord {
            group: "",
            contestant: &row.search,
            case: (0, &row.program),
            run: 0,
            finished: row.finished,
            tests: row.queries,
            size: row.left as u64,
        });
        Runs {
            records: records.collect(),
            contestants: &self.searches,
        }
    }

    fn summary(&self) -> TextTable {
        let plan = RunPlan::from(self.rules);
        let heading = std::iter::once(("search", Align::Left)).chain(plan.program_heading());
        let mut table = TextTable::new(heading);
        for (search, name) in self.searches.iter().enumerate() {
            let runs = |measure| self.runs().paired("", search, measure);
            let cells = plan.program_cells(&runs(Measure::Size), &runs(Measure::Tests));
            table.push(std::iter::once(name.clone()).chain(cells));
        }
        table
    }

    fn by_program(&self, title: &str, label: &str, measure: Measure) -> ReportFigure {
        let programs = self.rows.iter().step_by(self.searches.len().max(1));
        let programs = programs.map(|row| row.program.as_str());
        let dots = self.runs().case_plot("", programs, label, measure);
        dots.figure(title, "Further left is better.")
    }
}

impl Report for DebloatResult {
    fn table(&self) -> String {
        self.summary().plain()
    }

    fn csv(&self) -> String {
        csv(&self.rows)
    }

    fn html(&self) -> String {
        let first = self.searches.first().map_or("", String::as_str);
        let programs = self.rows.len() / self.searches.len().max(1);
        let page = HtmlPage {
            title: "Debloating".to_owned(),
            lead: format!(
                "Real programs, each with a simulated debloating property: some tokens, chosen at random, have to be \
                 kept, every name that is mentioned has to be declared, and the text has to parse. The declarations \
                 are reduced as a list, then the statements of each block, until nothing more goes. Geometric means; \
                 ratios and p-values (paired Wilcoxon signed-rank test) are against {first}."
            ),
            settings: [
                ("programs", programs.to_string()),
                ("tokens chosen", number(self.choice.tokens as f64, 0)),
                ("seed", self.choice.seed.to_string()),
                ("repeated candidates", self.rules.repeats.name().to_owned()),
            ]
            .into_iter()
            .chain(RunPlan::from(self.rules).settings())
            .collect(),
            figures: vec![
                self.by_program("Tests by program", "tests", Measure::Tests),
                self.by_program("Results by program", "tokens left", Measure::Size),
            ],
            tables: vec![("Comparison".to_owned(), self.summary())],
        };
        page.html()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "int a, b;\nint f(int x) { a = x; b = x; return a; }\nint g(int y) { return f(y); }\nint h(void) { int z; z = 2; b = 3; return g(1); }\nint main(void) { h(); return 0; }\n";

    fn program(needed: &str) -> Option<DebloatedProgram> {
        let c = Language::named("C")?;
        let choice = TokenChoice { tokens: 0, seed: 1 };
        let mut program = DebloatedProgram::new("program", PROGRAM.as_bytes(), c, choice)?;
        let words: Vec<&str> = PROGRAM
            .split_inclusive(|c: char| !c.is_alphanumeric())
            .flat_map(|part| {
                let (word, end) =
                    part.split_at(part.trim_end_matches(|c: char| !c.is_alphanumeric()).len());
                [word, end.trim()]
            })
            .filter(|word| !word.is_empty())
            .collect();
        assert_eq!(words.len(), program.document.len(), "{words:?}");
        program.needed = NeededElements::new(words.iter().map(|word| *word == needed));
        Some(program)
    }

    #[test]
    fn a_name_without_its_definition_is_not_interesting() {
        let Some(program) = program("0") else {
            return;
        };
        let full = Subset::full(program.document.len());
        assert!(program.judge(&full).is_interesting());
        // The first declaration is `int a, b;`.
        assert!(!program.judge(&full.without([0..5])).is_interesting());
    }

    #[test]
    fn every_search_ends_with_the_same_program_where_uses_decide() {
        let Some(program) = program("0") else {
            return;
        };
        let searches = DebloatSearch::with(&[Algorithm::halving()]);
        for search in searches {
            let reduced = program.reduce(&search, RunRules::default());
            assert!(reduced.queries > 0 && reduced.finished, "{search}");
            // `int main(void) { return 0; }`
            assert_eq!(reduced.tokens, 10, "{search}");
            let max_tests = Some(reduced.queries - 1);
            let rules = RunRules {
                max_tests,
                ..RunRules::default()
            };
            let ended = program.reduce(&search, rules);
            assert_eq!((Some(ended.queries), ended.finished), (max_tests, false));
        }
    }

    #[test]
    fn searches_that_know_uses_ask_less_than_the_same_without() {
        let Some(program) = program("3") else {
            return;
        };
        let tests = |search| program.reduce(&search, RunRules::default()).queries;
        let plain = tests(DebloatSearch::Plain(Algorithm::halving()));
        assert!(tests(DebloatSearch::Rejecting(Algorithm::halving())) < plain);
        assert!(tests(DebloatSearch::Chisel) < plain);
    }
}

//! Emptied bodies: the pass that deletes what functions do, and leaves their heads.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::algorithms::Algorithm;
use boildown_search::list::{InBatches, List, ListAlgorithm as _};
use boildown_search::tree::NodeId;
use boildown_search::{AnyListSearch, Batches, Query, Search, Subset, Verdict};

use crate::symbols::parents;
use crate::{Document, Language};

/// Empties the bodies of functions, in braces. In a large program most text is in bodies, and
/// nearly all names are mentioned there. What only they mentioned is unused then.
///
/// Bodies that a compiler evaluates, or reads for a type, come last: without them, other code is
/// wrong. They lose `constexpr` with their statements, as a function that returns nothing cannot be
/// evaluated.
///
/// # Guarantee
/// Ends with an interesting set. What it asks about deletes at least `smallest` tokens.
/// # Cost
/// That of the list algorithm over the bodies, weighted by their tokens: once over those that are
/// only run, once over the others. A candidate is linear in the number of bodies.
/// # Units
/// Elements of candidates are tokens of the document.
#[derive(Debug, Clone)]
pub(crate) struct Bodies {
    group: Group,
    /// The bodies that are emptied when the list of `group` has ended.
    later: Option<Group>,
    /// The tokens that are kept where the list of `group` begins.
    before: Subset,
    /// Queries that would delete fewer tokens are skipped.
    smallest: usize,
    next: Option<Query<Subset>>,
}

/// Bodies of one kind, in order.
#[derive(Debug, Clone)]
struct Group {
    bodies: Arc<[Body]>,
    list: Batches<AnyListSearch>,
}

/// The tokens of a body that go together.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    /// The node, with the braces.
    pub(crate) node: NodeId,
    /// What is inside of the braces.
    inside: Range<usize>,
    /// Whether others may need what is inside of it at compile time.
    pub(crate) is_evaluated: bool,
    /// The word of the head that says so.
    constant: Option<usize>,
}

impl Bodies {
    pub(crate) fn new(
        document: &Document,
        language: &'static Language,
        algorithm: InBatches<Algorithm>,
        smallest: usize,
    ) -> Self {
        let bodies = outermost(document, language);
        Self::over(bodies, document, algorithm, smallest)
    }

    /// Leaves the first token of each body, for what replaces it. Bodies that are hardly larger
    /// stay.
    pub(crate) fn but_first_token(
        document: &Document,
        language: &'static Language,
        algorithm: InBatches<Algorithm>,
        smallest: usize,
    ) -> Self {
        let mut bodies = outermost(document, language);
        bodies.retain(|body| body.inside.len() > SMALLEST_REPLACED);
        bodies.iter_mut().for_each(|body| body.inside.start += 1);
        Self::over(bodies, document, algorithm, smallest)
    }

    fn over(
        bodies: Vec<Body>,
        document: &Document,
        algorithm: InBatches<Algorithm>,
        smallest: usize,
    ) -> Self {
        let (evaluated, run) = bodies.into_iter().partition(|body| body.is_evaluated);
        let mut bodies = Self {
            group: Group::new(run, algorithm),
            later: Some(Group::new(evaluated, algorithm)),
            before: Subset::full(document.len()),
            smallest: smallest.max(1),
            next: None,
        };
        bodies.advance();
        bodies
    }

    /// Returns what is still to be emptied of each body.
    pub(crate) fn left(&self) -> impl Iterator<Item = &Range<usize>> {
        let groups = [Some(&self.group), self.later.as_ref()];
        let bodies = groups.into_iter().flatten();
        bodies.flat_map(|group| group.bodies.iter().map(|body| &body.inside))
    }

    /// Moves on to the next query that deletes enough.
    fn advance(&mut self) {
        self.next = loop {
            let Some(query) = self.group.list.ask() else {
                let Some(later) = self.later.take() else {
                    break None;
                };
                self.before = self.best();
                self.group = later;
                continue;
            };
            let kept = &query.candidate;
            if self.group.deletes(kept) >= self.smallest {
                let query = query.map(|kept| self.group.keep(&self.before, &kept));
                break Some(query);
            }
            self.group.list.skip();
        };
    }
}

impl Group {
    fn new(bodies: Vec<Body>, algorithm: InBatches<Algorithm>) -> Self {
        let weights = bodies.iter();
        let weights = weights.map(|body| u32::try_from(body.inside.len()).unwrap_or(u32::MAX));
        let list = algorithm.algorithm.on(List::weighted(weights));
        Self {
            bodies: bodies.into(),
            list: Batches::new(list, algorithm.batch_size),
        }
    }

    /// Returns the number of tokens inside of the bodies that go when only `kept` stay.
    fn deletes(&self, kept: &Subset) -> usize {
        let best = self.list.best();
        let emptied = best.cuts_to(kept).into_iter().flatten();
        let emptied = emptied.filter(|&body| best.contains(body));
        emptied.map(|body| self.bodies[body].inside.len()).sum()
    }

    /// Returns the tokens of `before` with these bodies.
    fn keep(&self, before: &Subset, kept: &Subset) -> Subset {
        let emptied = (self.bodies.iter().enumerate()).filter(|(body, _)| !kept.contains(*body));
        let mut tokens = before.without(emptied.flat_map(|(_, body)| {
            let constant = body.constant.map(|word| word..word + 1);
            constant.into_iter().chain([body.inside.clone()])
        }));
        tokens.commit();
        tokens
    }
}

impl Search for Bodies {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.next.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.group.list.tell(verdict);
        self.advance();
    }

    fn skip(&mut self) {
        self.group.list.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.group.keep(&self.before, &self.group.list.best())
    }
}

/// Bodies of up to this many tokens are not larger than what replaces them.
const SMALLEST_REPLACED: usize = 5;

/// Returns each body that is in no other one, in order.
pub(crate) fn outermost(document: &Document, language: &Language) -> Vec<Body> {
    let grammar = language.grammar();
    let Some(body) = grammar.field_id_for_name("body") else {
        return Vec::new();
    };
    let tree = document.tree();
    let kind = |node: NodeId| grammar.node_kind_for_id(tree.nodes[node].kind);
    let is_body = |node: NodeId| {
        let tokens = &tree.nodes[node].tokens;
        document.field(node) == u16::from(body)
            && tokens.len() > 2
            && document.token(tokens.start) == b"{"
            && document.token(tokens.end - 1) == b"}"
            && kind(node).is_some_and(|kind| STATEMENTS.iter().any(|part| kind.contains(part)))
    };
    let parents = parents(tree);
    let mut bodies: Vec<Body> = Vec::new();
    for node in tree.nodes.ids().skip(1).filter(|&node| is_body(node)) {
        let start = tree.nodes[node].tokens.start;
        if (bodies.last()).is_none_or(|last| last.inside.end < start) {
            let head = tree.nodes[parents[node]].tokens.start..start;
            bodies.push(Body::new(document, node, head));
        }
    }
    bodies
}

impl Body {
    /// The body that is this node, of a function with this head.
    fn new(document: &Document, node: NodeId, mut head: Range<usize>) -> Self {
        let tokens = &document.tree().nodes[node].tokens;
        let is_one_of = |words: &[&[u8]], token: usize| words.contains(&document.token(token));
        let constant = head.clone().find(|&token| is_one_of(&CONSTANT, token));
        Self {
            node,
            inside: tokens.start + 1..tokens.end - 1,
            is_evaluated: constant.is_some() || head.any(|token| is_one_of(&DEDUCED, token)),
            constant,
        }
    }
}

/// Words of the head of a function that is evaluated at compile time.
const CONSTANT: [&[u8]; 2] = [b"constexpr", b"consteval"];

/// Words of the head of a function whose type may be that of what it returns.
const DEDUCED: [&[u8]; 2] = [b"auto", b"decltype"];

/// Parts of the kinds of bodies that hold statements. Those of classes hold declarations.
const STATEMENTS: [&str; 4] = ["compound", "block", "function_body", "constructor_body"];

#[cfg(all(test, feature = "lang-cpp"))]
mod tests {
    use super::*;
    use crate::reduced_text::{one_by_one, program, reduced};

    /// Returns the result, and the number of queries, when these words have to stay.
    fn emptied(text: &str, words: &[&str], smallest: usize) -> (String, usize) {
        let (document, language) = program(text);
        let bodies = Bodies::new(&document, language, one_by_one(), smallest);
        reduced(&document, bodies, words)
    }

    const PROGRAM: &str = "\
        namespace n { struct a { int f() { if (b) { c(); } return 1; } int d; }; }\n\
        int g() { for (;;) { h(); } }\nint main() { return g(); }\n";

    #[test]
    fn all_bodies_go_at_once_and_heads_and_members_stay() {
        let (result, queries) = emptied(PROGRAM, &["int f()", "int d;", "int g()"], 1);
        assert_eq!(queries, 1);
        let words: Vec<&str> = result.split_whitespace().collect();
        let expected = "namespace n { struct a { int f() {} int d; }; } int g() {} int main() {}";
        assert_eq!(words.concat(), expected.replace(' ', ""));
    }

    #[test]
    fn a_body_that_is_needed_stays_whole() {
        let (result, _) = emptied(PROGRAM, &["h();"], 1);
        assert!(result.contains("int g() { for (;;) { h(); } }"), "{result}");
        assert!(!result.contains("return"), "{result}");
    }

    #[test]
    fn bodies_that_a_compiler_evaluates_come_last_and_lose_the_word() {
        let text = "constexpr int f() { return 1; } void g() { f(); } auto h() { return 2; }";
        let (result, _) = emptied(text, &["constexpr"], 1);
        assert_eq!(
            result.split_whitespace().collect::<Vec<_>>().concat(),
            "constexprintf(){return1;}voidg(){}autoh(){}"
        );
        let (result, queries) = emptied(text, &[], 1);
        assert_eq!(queries, 2);
        assert!(!result.contains("constexpr"), "{result}");
    }

    #[test]
    fn small_bodies_are_not_asked_about() {
        let (result, queries) = emptied(PROGRAM, &[], 1000);
        assert_eq!((result.as_str(), queries), (PROGRAM, 0));
    }
}

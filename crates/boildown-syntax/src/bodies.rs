//! Emptied bodies: the pass that deletes what functions do, and leaves their heads.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::algorithms::Algorithm;
use boildown_search::list::{InBatches, List, ListAlgorithm as _};
use boildown_search::tree::NodeId;
use boildown_search::{AnyListSearch, Batches, Query, Search, Subset, Verdict};

use crate::{Document, Language};

/// Empties the bodies of functions, in braces. In a large program most text is in bodies, and
/// nearly all names are mentioned there. What only they mentioned is unused then.
///
/// # Guarantee
/// Ends with an interesting set. What it asks about deletes at least `smallest` tokens.
/// # Cost
/// That of the list algorithm over the bodies, weighted by their tokens. A candidate is linear in
/// the number of bodies.
/// # Units
/// Elements of candidates are tokens of the document.
#[derive(Debug, Clone)]
pub(crate) struct Bodies {
    /// What is inside of the braces of each body, in order.
    insides: Arc<[Range<usize>]>,
    /// The number of tokens of the document.
    tokens: usize,
    list: Batches<AnyListSearch>,
    /// Queries that would delete fewer tokens are skipped.
    smallest: usize,
    next: Option<Query<Subset>>,
}

impl Bodies {
    pub(crate) fn new(
        document: &Document,
        language: &'static Language,
        algorithm: InBatches<Algorithm>,
        smallest: usize,
    ) -> Self {
        let insides: Arc<[Range<usize>]> = insides(document, language).into();
        let weights = insides.iter();
        let weights = weights.map(|inside| u32::try_from(inside.len()).unwrap_or(u32::MAX));
        let list = algorithm.algorithm.on(List::weighted(weights));
        let mut bodies = Self {
            insides,
            tokens: document.len(),
            list: Batches::new(list, algorithm.batch_size),
            smallest: smallest.max(1),
            next: None,
        };
        bodies.advance();
        bodies
    }

    /// Moves on to the next query that deletes enough.
    fn advance(&mut self) {
        let best = self.list.best();
        self.next = loop {
            let Some(query) = self.list.ask() else {
                break None;
            };
            let kept = &query.candidate;
            let emptied = best.cuts_to(kept).into_iter().flatten();
            let emptied = emptied.filter(|&body| best.contains(body));
            let deleted: usize = emptied.map(|body| self.insides[body].len()).sum();
            if deleted >= self.smallest {
                break Some(query.map(|kept| self.keep(&kept)));
            }
            self.list.skip();
        };
    }

    /// Returns the tokens of the candidate with these bodies.
    fn keep(&self, kept: &Subset) -> Subset {
        let emptied = self.insides.iter().enumerate();
        let emptied = emptied.filter(|(body, _)| !kept.contains(*body));
        let mut tokens =
            Subset::full(self.tokens).without(emptied.map(|(_, inside)| inside.clone()));
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
        self.list.tell(verdict);
        self.advance();
    }

    fn skip(&mut self) {
        self.list.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.keep(&self.list.best())
    }
}

/// Returns what is inside of the braces of each body that is in no other one.
fn insides(document: &Document, language: &Language) -> Vec<Range<usize>> {
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
    let mut end = 0;
    let bodies = tree.nodes.ids().skip(1).filter(|&node| is_body(node));
    let insides = bodies.map(|node| &tree.nodes[node].tokens);
    let outermost = insides.filter(|tokens| {
        let is_outer = tokens.start >= end;
        end = end.max(tokens.end);
        is_outer
    });
    outermost
        .map(|tokens| tokens.start + 1..tokens.end - 1)
        .collect()
}

/// Parts of the kinds of bodies that hold statements. Those of classes hold declarations.
const STATEMENTS: [&str; 4] = ["compound", "block", "function_body", "constructor_body"];

#[cfg(all(test, feature = "lang-cpp"))]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::candidate::{Candidate, Check};
    use crate::document::View;

    /// Returns the result, and the number of queries, when these words have to stay.
    fn emptied(text: &str, words: &[&str], smallest: usize) -> (String, usize) {
        let language = Language::named("C++").expect("the grammar is built");
        let document = Arc::new(Document::new(
            &text.as_bytes().into(),
            View::Syntax(language),
        ));
        let algorithm = InBatches {
            algorithm: Algorithm::default(),
            batch_size: NonZeroUsize::MIN,
        };
        let text_of = |kept: Subset| {
            let candidate = Candidate::new(Arc::clone(&document), kept, Check::Nothing);
            String::from_utf8_lossy(candidate.bytes()).into_owned()
        };
        let mut bodies = Bodies::new(&document, language, algorithm, smallest);
        let mut queries = 0;
        while let Some(query) = bodies.ask() {
            queries += 1;
            let text = text_of(query.candidate);
            bodies.tell(match words.iter().all(|word| text.contains(word)) {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            });
        }
        (text_of(bodies.best()), queries)
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
    fn small_bodies_are_not_asked_about() {
        let (result, queries) = emptied(PROGRAM, &[], 1000);
        assert_eq!((result.as_str(), queries), (PROGRAM, 0));
    }
}

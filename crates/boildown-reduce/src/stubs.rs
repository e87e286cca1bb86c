//! Stubs: the pass that replaces what functions do by a statement that every compiler accepts.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Candidate, Check, Document, Language, Substitutes};
use boildown_search::algorithms::Algorithm;
use boildown_search::list::InBatches;
use boildown_search::{Query, Search, Subset, Verdict};

use crate::bodies::but_first_token;
use crate::grouped_deletions::GroupedDeletions;

/// Replaces the bodies of functions by stubs, many at once: `int f() { return g(1); }` becomes
/// `int f() { throw null; }`. An empty body would not do for a function that has to return
/// something, and each body alone would take many tests.
///
/// # Guarantee
/// Ends with an interesting candidate.
/// # Cost
/// That of [`GroupedDeletions`].
/// # Units
/// Elements of candidates are tokens of the document. The first token of a body becomes the stub.
#[derive(Debug, Clone)]
pub(crate) struct Stubs {
    bodies: GroupedDeletions,
    /// The tokens of each body but the first.
    insides: Arc<[Range<usize>]>,
    document: Arc<Document>,
    stub: Arc<[u8]>,
    check: Check,
}

impl Stubs {
    /// Starts a search; `None` for a language without stubs.
    pub(crate) fn new(
        document: &Arc<Document>,
        language: &'static Language,
        algorithm: InBatches<Algorithm>,
        smallest: usize,
        check: Check,
    ) -> Option<Self> {
        let stub = language.stub?;
        let bodies = but_first_token(document, language).into_iter();
        let insides: Arc<[Range<usize>]> = bodies.map(|body| body.inside).collect();
        let group = insides.iter().map(|inside| vec![inside.clone()]).collect();
        Some(Self {
            bodies: GroupedDeletions::new(document.len(), [group], algorithm, smallest),
            insides,
            document: Arc::clone(document),
            stub: stub.as_bytes().into(),
            check,
        })
    }

    fn candidate(&self, kept: Subset, check: Check) -> Candidate {
        let emptied = (self.insides.iter()).filter(|inside| !kept.contains(inside.start));
        let stubs: Substitutes = emptied
            .map(|inside| (inside.start - 1, Arc::clone(&self.stub)))
            .collect();
        Candidate::new(Arc::clone(&self.document), kept, check).with(Arc::new(stubs))
    }
}

impl Search for Stubs {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        let query = self.bodies.ask()?;
        Some(query.map(|kept| self.candidate(kept, self.check)))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.bodies.tell(verdict);
    }

    fn skip(&mut self) {
        self.bodies.skip();
    }

    fn best(&self) -> Candidate {
        self.candidate(self.bodies.best(), Check::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduced_text::{one_by_one, program_in};

    #[test]
    fn all_bodies_but_the_needed_one_become_stubs_in_few_queries() {
        let function = |name: usize| format!("fn f{name}() -> u8 {{ let a = {name}; a + 1 }}\n");
        let text: String = (0..8).map(function).collect();
        let (document, rust) = program_in("Rust", &text);
        let stubs = Stubs::new(&document, rust, one_by_one(), 1, Check::Nothing);
        let mut stubs = stubs.expect("Rust has a stub");
        let mut queries = 0;
        while let Some(query) = stubs.ask() {
            queries += 1;
            let text = String::from_utf8_lossy(query.candidate.bytes()).into_owned();
            stubs.tell(match text.contains("a = 5") {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            });
        }
        let left = |name| match name {
            5 => function(5),
            _ => format!("fn f{name}() -> u8 {{ loop {{}} }}\n"),
        };
        let want: String = (0..8).map(left).collect();
        assert_eq!(String::from_utf8_lossy(stubs.best().bytes()), want);
        assert_eq!(queries, 7);
    }

    #[test]
    fn every_language_with_a_stub_has_bodies_that_become_stubs() {
        let programs = [
            ("C#", "class A { int F() { return G(1, 2); } }"),
            ("Go", "package a\nfunc f() int { return g(1, 2) }"),
            ("Java", "class A { int f() { return g(1, 2); } }"),
            ("Rust", "fn f() -> u8 { return g(1, 2); }"),
            (
                "Scala",
                "object A { def f(): Int = { val b = 1; g(b, 2) } }",
            ),
            ("Swift", "func f() -> Int { return g(1, 2) }"),
            ("Zig", "fn f() u8 { return g(1, 2); }"),
        ];
        let with_stubs = Language::all()
            .iter()
            .filter(|language| language.stub.is_some());
        let with_stubs: Vec<_> = with_stubs.map(|language| language.name).collect();
        assert_eq!(programs.map(|(name, _)| name), *with_stubs);
        let mut without = Vec::new();
        for (name, text) in programs {
            let (document, language) = program_in(name, text);
            let stubs = Stubs::new(&document, language, one_by_one(), 1, Check::Nothing);
            let stubs = stubs.expect("the language has a stub");
            let query = stubs.ask().map(|query| query.candidate.bytes().to_vec());
            let text = String::from_utf8(query.unwrap_or_default()).expect("it is UTF-8");
            if !text.contains(language.stub.expect("the language has a stub")) {
                without.push(name);
            }
        }
        assert!(without.is_empty(), "{without:?}");
    }
}

//! Runs of searches over the tokens of a program, for tests.

use std::sync::Arc;

use boildown_document::{Candidate, Check, Document, Language, View};
use boildown_search::{Search, Subset, Verdict};

/// Returns a program of C++.
pub(crate) fn program(text: &str) -> (Arc<Document>, &'static Language) {
    program_in("C++", text)
}

/// Returns a program in a language.
pub(crate) fn program_in(language: &str, text: &str) -> (Arc<Document>, &'static Language) {
    let language = Language::named(language).expect("the grammar is built");
    let document = Document::new(&text.as_bytes().into(), View::Syntax(language));
    (Arc::new(document), language)
}

/// Returns the result, and the number of queries, when these texts have to stay.
pub(crate) fn reduced(
    search: impl Search<Candidate = Candidate>,
    needed: &[&str],
) -> (String, usize) {
    run(search, |candidate| candidate, needed)
}

/// The same for a search over the tokens of a document.
pub(crate) fn reduced_tokens(
    document: &Arc<Document>,
    search: impl Search<Candidate = Subset>,
    needed: &[&str],
) -> (String, usize) {
    let candidate = |kept| Candidate::new(Arc::clone(document), kept, Check::Nothing);
    run(search, candidate, needed)
}

fn run<S: Search>(
    mut search: S,
    candidate: impl Fn(S::Candidate) -> Candidate,
    needed: &[&str],
) -> (String, usize) {
    let text_of = |it| String::from_utf8_lossy(candidate(it).bytes()).into_owned();
    let mut queries = 0;
    while let Some(query) = search.ask() {
        queries += 1;
        let text = text_of(query.candidate);
        search.tell(match needed.iter().all(|needed| text.contains(needed)) {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        });
    }
    (text_of(search.best()), queries)
}

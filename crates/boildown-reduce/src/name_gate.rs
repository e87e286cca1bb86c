//! A gate in front of candidates of a program: skips those that mention a name without defining it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_document::{
    Candidate, Document, Language, Substitutes, View, is_word,
    steps::{Underway, pause},
    words,
};
use boildown_search::tree::NodeId;
use boildown_search::{Subset, Verdict};

use crate::fact_gate::SkippedCandidates;
use crate::facts::{GatePolicy, Sampling};
use crate::rewrite::is_keyword;
use crate::symbols::{Definition, Symbol, SymbolIndex};

/// A gate in front of the candidates of a program whose tools resolve its names: skips one that
/// mentions a name of which it has lost every definition, if the best candidate has one.
///
/// Reads the names of a document once, and asks of each candidate only which tokens it keeps.
///
/// The gate is adaptive: it lets some of the candidates that it would skip through as samples, and
/// opens for good once two of them, one in four, are interesting. A formatter reads no names.
///
/// # Guarantee
/// Depends on the candidates and the verdicts only.
/// # Cost
/// That of a [`SymbolIndex`] for each document; linear in the number of its names for each
/// candidate.
#[derive(Debug, Clone, Default)]
pub(crate) struct NameGate {
    /// The names of the document that was asked about last.
    names: Option<(Arc<Document>, Arc<NameTable>)>,
    reading: Underway<NameTable>,
    skipped: SkippedCandidates,
    /// Whether the query at work was to be skipped, and is a sample.
    is_sample: bool,
}

/// Which candidates are tested that were to be skipped.
const SAMPLING: Sampling = Sampling::Often;

impl NameGate {
    /// Does a step towards the answer whether a candidate is to be asked about: `None` while the
    /// names of its document are being read. Counts those that are not.
    pub(crate) fn admits(&mut self, candidate: &Candidate, best: &Candidate) -> Option<bool> {
        self.is_sample = false;
        let View::Syntax(language) = candidate.document().view() else {
            return Some(true);
        };
        if self.is_open(best) {
            return Some(true);
        }
        if !self.knows(candidate) {
            let document = Arc::clone(candidate.document());
            let read = Arc::clone(&document);
            let names =
                (self.reading).step(|| async move { NameTable::read(&read, language).await })?;
            self.names = Some((document, Arc::new(names)));
        }
        if self.has_all_names(candidate, best) {
            return Some(true);
        }
        let is_short = best.bytes().len() < GatePolicy::MANY;
        self.is_sample = self.skipped.is_sampled(SAMPLING, is_short);
        Some(self.is_sample)
    }

    /// Takes the verdict on the candidate that was admitted last.
    pub(crate) fn tell(&mut self, verdict: Verdict) {
        if std::mem::take(&mut self.is_sample) {
            self.skipped.samples += 1;
            self.skipped.hits += u32::from(verdict.is_interesting());
        }
    }

    /// Forgets the query at work: the search has moved on.
    pub(crate) fn give_up(&mut self) {
        self.reading.give_up();
        self.is_sample = false;
    }

    /// Forgets the names of the document that was asked about last, and the document with them.
    pub(crate) fn forget(&mut self) {
        self.give_up();
        self.names = None;
    }

    fn is_open(&self, best: &Candidate) -> bool {
        let is_short = best.bytes().len() < GatePolicy::MANY;
        self.skipped.is_open(SAMPLING, is_short)
    }

    fn knows(&self, candidate: &Candidate) -> bool {
        let names = self.names.as_ref();
        names.is_some_and(|(document, _)| Arc::ptr_eq(document, candidate.document()))
    }

    /// Returns whether a candidate defines each name that it mentions, but for those that the best
    /// one mentions without defining them. True of one that is made from another document.
    fn has_all_names(&self, candidate: &Candidate, best: &Candidate) -> bool {
        let Some((document, names)) = &self.names else {
            return true;
        };
        let is_same = |other: &Candidate| Arc::ptr_eq(other.document(), document);
        !is_same(candidate) || !is_same(best) || names.are_as_complete(candidate, best)
    }
}

/// The names that a document defines, as tokens.
#[derive(Debug)]
struct NameTable {
    language: &'static Language,
    names: Vec<DefinedName>,
    /// The tokens that define a name.
    defining: BTreeSet<usize>,
    /// The words of the document, and those that rules bring, each with the positions of the names
    /// that it stands for.
    words: BTreeMap<Box<[u8]>, Vec<usize>>,
}

/// A name within its scope.
#[derive(Debug)]
struct DefinedName {
    text: Box<[u8]>,
    definitions: Vec<DefiningTokens>,
    /// The tokens that mention it and define nothing.
    uses: Vec<usize>,
    /// The position of the same name in the next scope around.
    outer: Option<usize>,
}

/// A definition, as tokens.
#[derive(Debug)]
struct DefiningTokens {
    name: usize,
    /// The tokens of its unit before the name, of which one has to stay: `int` in `int a = 1;`.
    before: Range<usize>,
    /// The words that make a definition of it: `typedef` in `typedef int a;`, `fn` in `fn a() {}`.
    /// All of them have to stay.
    keywords: Vec<usize>,
}

impl NameTable {
    async fn read(document: &Document, language: &'static Language) -> Self {
        let index = SymbolIndex::new(document, language).await;
        let mut names: Vec<DefinedName> = Vec::new();
        let mut words = BTreeMap::new();
        // Scopes that may still be open, with the names in them. Symbols of the same text follow
        // one another, outer scopes before inner ones.
        let mut open: Vec<(&Symbol<'_>, usize)> = Vec::new();
        for symbol in index.symbols.iter().filter(|it| it.is_defined_by_grammar) {
            open.retain(|(around, _)| {
                around.text == symbol.text && around.scope.end >= symbol.scope.end
            });
            let outer = open.last().map(|&(_, outer)| outer);
            open.push((symbol, names.len()));
            let positions: &mut Vec<usize> = words.entry(symbol.text.into()).or_default();
            positions.push(names.len());
            names.push(DefinedName::new(document, &index, symbol, outer));
        }
        let defining = names.iter().flat_map(|name| &name.definitions);
        let defining = defining.map(|definition| definition.name).collect();
        pause().await;
        let rules = language.rules.iter().map(|rules| rules.as_bytes());
        for word in rules.chain([&**document.bytes()]).flat_map(names_in) {
            if !words.contains_key(word) {
                words.insert(word.into(), Vec::new());
            }
        }
        Self {
            language,
            names,
            defining,
            words,
        }
    }

    /// Returns whether a candidate defines each name that it mentions and the best one defines.
    fn are_as_complete(&self, candidate: &Candidate, best: &Candidate) -> bool {
        let [candidate, best] = [candidate, best].map(KeptTokens::of);
        let is_lost =
            |name: &DefinedName| self.is_missing(name, &candidate) && !self.is_missing(name, &best);
        !self.names.iter().any(is_lost) && self.have_names(&candidate, &best)
    }

    /// Returns whether the texts that replace tokens of a candidate mention only names that it
    /// defines, or that the best one does not define either.
    fn have_names(&self, candidate: &KeptTokens<'_>, best: &KeptTokens<'_>) -> bool {
        let (defining, using): (Vec<_>, Vec<_>) =
            (candidate.substitutes.iter()).partition(|(token, _)| self.defining.contains(token));
        let is_given = |name: &[u8]| {
            let mut given = defining.iter().flat_map(|(_, text)| names_in(text));
            given.any(|given| given == name)
        };
        let mut mentioned = using.iter().flat_map(|(_, text)| names_in(text));
        mentioned.all(|name| {
            let is_defined = |positions: &[usize], in_what: &KeptTokens<'_>| {
                let mut names = positions.iter().map(|&position| &self.names[position]);
                names.any(|name| self.is_defined(name, in_what))
            };
            let is_known = self.words.get(name).is_some_and(|positions| {
                is_defined(positions, candidate) || !is_defined(positions, best)
            });
            is_known
                || is_given(name)
                || candidate.may_define.contains(name)
                || is_keyword(self.language, name)
        })
    }

    /// Returns whether a candidate mentions a name without defining it.
    fn is_missing(&self, name: &DefinedName, candidate: &KeptTokens<'_>) -> bool {
        !self.is_defined(name, candidate)
            && (name.uses.iter()).any(|&token| candidate.has_unchanged(token))
    }

    /// Returns whether a name is defined, in its scope or around it.
    fn is_defined(&self, name: &DefinedName, candidate: &KeptTokens<'_>) -> bool {
        let mut scopes = std::iter::successors(Some(name), |name| Some(&self.names[name.outer?]));
        scopes.any(|name| {
            let mut definitions = name.definitions.iter();
            name.definitions.is_empty() || definitions.any(|definition| definition.is_in(candidate))
        }) || candidate.may_define.contains(&*name.text)
    }
}

impl DefinedName {
    fn new(
        document: &Document,
        index: &SymbolIndex<'_>,
        symbol: &Symbol<'_>,
        outer: Option<usize>,
    ) -> Self {
        let tree = document.tree();
        let token = |node: NodeId| tree.nodes[node].tokens().start;
        // A definition that needs another one is also a use.
        let definitions = symbol.definitions.iter();
        let definitions = definitions.filter(|it| symbol.uses.binary_search(&it.name).is_err());
        let definitions =
            definitions.map(|definition| DefiningTokens::new(document, index, definition));
        let mut defining = symbol.definitions.iter();
        let is_field = defining.all(|definition| index.is_field(document, definition.name));
        let uses = symbol.uses.iter().copied();
        let uses = uses.filter(|&node| is_field || !is_known_by_itself(document, index, node));
        Self {
            text: symbol.text.into(),
            definitions: definitions.collect(),
            uses: uses.map(token).collect(),
            outer,
        }
    }
}

/// Returns the words of a text that may be names.
fn names_in(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = words(text, 0..text.len()).map(|word| &text[word]);
    words.filter(|word| is_word(word[0]) && !word[0].is_ascii_digit())
}

/// Returns whether a mention needs no definition in its scope: a member, `a.b`, of a type that may
/// be of a library, and a type that is announced, `struct a *`.
fn is_known_by_itself(document: &Document, index: &SymbolIndex<'_>, name: NodeId) -> bool {
    let at = document.tree().nodes[name].tokens().start;
    let before = at.checked_sub(1).map(|before| document.token(before));
    matches!(before, Some(b"." | b"->" | b"?." | b"::"))
        || index.is_kind(document, index.parent(name), "specifier")
}

impl DefiningTokens {
    fn new(document: &Document, index: &SymbolIndex<'_>, definition: &Definition) -> Self {
        let tree = document.tree();
        let before =
            tree.nodes[definition.unit].tokens().start..tree.nodes[definition.name].tokens().start;
        // From the name up to its unit, the tokens that belong to no node within.
        let around = index.around(definition.name).skip(1);
        let declaring = around.take_while(|&node| node >= definition.unit);
        let mut keywords = Vec::new();
        for node in declaring {
            let start = tree.nodes[node].tokens().start;
            let mut is_own = vec![true; before.end - start];
            for child in tree.children(node) {
                let Range { start: from, end } = tree.nodes[child].tokens();
                is_own[from.min(before.end) - start..end.min(before.end) - start].fill(false);
            }
            let own = is_own.into_iter().enumerate().filter(|&(_, is_own)| is_own);
            let own = own.map(|(at, _)| start + at);
            keywords.extend(own.filter(|&at| is_word(document.token(at)[0])));
        }
        Self {
            name: before.end,
            before,
            keywords,
        }
    }

    /// Returns whether a candidate has the definition, of this name or of one in its place.
    fn is_in(&self, candidate: &KeptTokens<'_>) -> bool {
        let mut keywords = self.keywords.iter();
        candidate.kept.contains(self.name)
            && (self.before.is_empty() || candidate.kept.any_in(self.before.clone()))
            && keywords.all(|&keyword| candidate.has_unchanged(keyword))
    }
}

/// The tokens of a candidate, for many questions.
struct KeptTokens<'a> {
    /// Without cuts of its own, which take time for each question.
    kept: Subset,
    substitutes: &'a Substitutes,
    /// The names that these texts may define: those of texts with statements or blocks.
    may_define: BTreeSet<&'a [u8]>,
}

impl<'a> KeptTokens<'a> {
    fn of(candidate: &'a Candidate) -> Self {
        let mut kept = candidate.kept().clone();
        kept.commit();
        let substitutes = candidate.substitutes();
        let has_statements = |text: &&Arc<[u8]>| text.iter().any(|byte| b";{".contains(byte));
        let texts = substitutes.values().filter(has_statements);
        Self {
            kept,
            substitutes,
            may_define: texts.flat_map(|text| names_in(text)).collect(),
        }
    }

    /// Returns whether a token is kept, and not replaced by another text.
    fn has_unchanged(&self, token: usize) -> bool {
        self.kept.contains(token) && !self.substitutes.contains_key(&token)
    }
}

#[cfg(test)]
mod tests {
    use boildown_document::{Check, steps::at_once};

    use super::*;

    /// Returns the texts that are left of a document when ranges of its tokens are deleted, for all
    /// ranges after which a name is missing.
    fn lost(language: &str, text: &str, longest: usize) -> Vec<String> {
        let language = Language::named(language).expect("the grammar is built");
        let document = Arc::new(Document::new(
            &text.as_bytes().into(),
            View::Syntax(language),
        ));
        let names = at_once(NameTable::read(&document, language));
        let whole = Subset::full(document.len());
        let made = |kept: Subset| Candidate::new(Arc::clone(&document), kept, Check::Parses);
        let best = made(whole.clone());
        let ranges = (1..=longest)
            .flat_map(|length| (0..=document.len() - length).map(move |at| at..at + length));
        ranges
            .map(|range| made(whole.without([range])))
            .filter(|candidate| !names.are_as_complete(candidate, &best))
            .map(|candidate| String::from_utf8_lossy(candidate.bytes()).into_owned())
            .collect()
    }

    #[test]
    fn a_definition_is_needed_as_long_as_it_is_used() {
        let text = "typedef unsigned a; static a f(a b) { return b + c; } struct d *e;";
        let want = [
            "unsigned a; static a f(a b) { return b + c; } struct d *e;",
            "typedef unsigned; static a f(a b) { return b + c; } struct d *e;",
            // The type of an old definition.
            "typedef unsigned a; static a f(b) { return b + c; } struct d *e;",
            "typedef unsigned a; static a f(a) { return b + c; } struct d *e;",
        ];
        assert_eq!(lost("C", text, 1), want);
    }

    #[test]
    fn scopes_are_known() {
        // The first `a` is also defined outside, `b` only in the other function.
        let text = "int a; int f() { int a = 1; return a; } int g(int b) { int b = 2; return b; }";
        let is_about = |texts: Vec<String>, part: &str| {
            let mut texts = texts.into_iter();
            texts.any(|text| text.contains(part))
        };
        assert!(!is_about(lost("C", text, 5), "f() { return a; }"));
        let text = "int f() { int b = 1; return b; } int g(int b) { return b; }";
        assert!(is_about(lost("C", text, 5), "f() { return b; }"));
    }

    #[test]
    fn names_of_several_languages_are_needed() {
        let cases = [
            (
                "Rust",
                "fn a(b: u8) -> u8 { let c = b; c.d() }",
                vec!["fn a(: u8) -> u8 { let c = b; c.d() }"],
            ),
            (
                "C++",
                "struct a { int b; }; int a::c() { return b; } int d(a e) { return e.b; }",
                vec!["struct a { int; }; int a::c() { return b; } int d(a e) { return e.b; }"],
            ),
            (
                "Java",
                "class A { int b; int c() { return b + this.b; } }",
                vec!["class A { int; int c() { return b + this.b; } }"],
            ),
        ];
        for (language, text, want) in cases {
            let lost = lost(language, text, 1);
            for want in want {
                assert!(
                    lost.iter().any(|lost| lost == want),
                    "{language}: {lost:#?}"
                );
            }
        }
    }

    /// Returns whether the whole of a text in C has all names when a token is replaced.
    fn has_names_with(text: &str, token: &[u8], by: &str) -> bool {
        let language = Language::named("C").expect("the grammar is built");
        let document = Arc::new(Document::new(
            &text.as_bytes().into(),
            View::Syntax(language),
        ));
        let names = at_once(NameTable::read(&document, language));
        let best = Candidate::new(
            Arc::clone(&document),
            Subset::full(document.len()),
            Check::Parses,
        );
        let mut tokens = (0..document.len()).filter(|&at| document.token(at) == token);
        let at = tokens.next_back().expect("the token is there");
        let by: Arc<[u8]> = by.as_bytes().into();
        let candidate = best.clone().with(Arc::new([(at, by)].into()));
        names.are_as_complete(&candidate, &best)
    }

    #[test]
    fn a_text_in_place_of_a_token_brings_no_unknown_name() {
        let text = "int a; int f(int b) { return 1; }";
        assert!(has_names_with(text, b"1", "a"));
        assert!(!has_names_with(text, b"1", "unknown"));
        // Another name in a definition.
        assert!(has_names_with(text, b"b", "c"));
        // Statements may define what they mention.
        assert!(has_names_with(text, b"1", "({ int unknown; unknown; })"));
        // Keywords, and words of the document.
        assert!(has_names_with(text, b"1", "sizeof(int)"));
    }

    #[test]
    fn a_gate_in_front_of_what_reads_no_names_opens() {
        let language = Language::named("C").expect("the grammar is built");
        let text = "int a; int b() { return a; }".repeat(10);
        let document = Arc::new(Document::new(
            &text.as_bytes().into(),
            View::Syntax(language),
        ));
        let whole = Subset::full(document.len());
        let made = |kept| Candidate::new(Arc::clone(&document), kept, Check::Parses);
        let best = made(whole.clone());
        // Without any definition of `a`.
        let is_definition = |&at: &usize| at % 12 == 1;
        let cuts = (0..document.len())
            .filter(is_definition)
            .map(|at| at..at + 1);
        let candidate = made(whole.without(cuts));
        let count = |verdict: Verdict| {
            let mut gate = NameGate::default();
            let mut admitted = 0;
            for _ in 0..100 {
                let admits = loop {
                    if let Some(admits) = gate.admits(&candidate, &best) {
                        break admits;
                    }
                };
                if admits {
                    admitted += 1;
                    gate.tell(verdict);
                }
            }
            admitted
        };
        assert_eq!(count(Verdict::Uninteresting), 16);
        assert_eq!(count(Verdict::Interesting), 100);
    }
}

//! The search that asks about proposals, one after another.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use boildown_document::{
    Candidate, Check, Document, Language, Substitutes, View, fingerprint_of_texts, is_word,
    steps::at_once, words,
};
use boildown_search::odds::HitRate;
use boildown_search::{Fingerprint, Query, Search, Subset, Verdict};
use rpds::HashTrieSetSync;

use super::built_in::{self, BuiltIn, BuiltIns, Vocabulary};
use super::canonical_names::is_keyword;
use super::matching::MatchIndex;
use super::{Proposal, RewriteKind, Rules};
use crate::format::Format;
use crate::strategy::NamePolicy;

/// The setup that the rewriting passes of a reduction share.
#[derive(Debug)]
pub(crate) struct RewriteSetup {
    language: &'static Language,
    format: Option<&'static dyn Format>,
    rules: Rules,
    names: NamePolicy,
    /// The input of the reduction, or the beginning of a large one.
    original: Arc<[u8]>,
    vocabulary: OnceLock<Vocabulary>,
    /// The words of that input.
    seen: OnceLock<BTreeSet<Box<[u8]>>>,
}

impl RewriteSetup {
    pub(crate) fn language(&self) -> &'static Language {
        self.language
    }

    pub(crate) fn new(
        (language, format): (&'static Language, Option<&'static dyn Format>),
        rules: Rules,
        names: NamePolicy,
        original: Arc<[u8]>,
    ) -> Self {
        Self {
            language,
            format,
            rules,
            names,
            original,
            vocabulary: OnceLock::new(),
            seen: OnceLock::new(),
        }
    }

    /// Returns all proposals for a document, the one that saves most first.
    async fn propose(&self, document: &Document, kind: RewriteKind) -> Vec<Proposal> {
        if kind == RewriteKind::WholeInput {
            // Does not look at the original, which may be large.
            return built_in::whole(document, self.rules.len()).collect();
        }
        if kind == RewriteKind::OwnForms {
            let forms = self.format.map(|format| format.own_forms(document.bytes()));
            return built_in::own_forms_of(document, forms.into_iter().flatten(), self.rules.len());
        }
        let vocabulary = self.vocabulary().await;
        let mut proposals = Vec::new();
        let current = match kind {
            RewriteKind::Smaller => self.vocabulary_of(document).await,
            _ => Vocabulary::default(),
        };
        let mut built_in = BuiltIns::new(
            document,
            vocabulary,
            &current,
            self.rules.len(),
            &mut proposals,
        );
        match kind {
            RewriteKind::WholeInput | RewriteKind::OwnForms => {}
            RewriteKind::Smaller => {
                let index = MatchIndex::new(document);
                built_in.numbers();
                if self.format.is_none_or(Format::has_usual_rewritings) {
                    built_in.nodes();
                    built_in.symbols(self.language);
                }
                if let Some(format) = self.format {
                    format.propose(&mut built_in);
                }
                for (source, rule) in self.rules.rules.iter().enumerate() {
                    rule.propose(&index, source, &mut proposals);
                }
            }
            RewriteKind::WidthPreserving => built_in.width_preserving(self.language),
            RewriteKind::Joined => {
                built_in.joins();
                built_in.spaces();
                built_in.widened_unparsed(self.language);
            }
            RewriteKind::CanonicalNames => built_in.canonical_names(self.language),
            RewriteKind::InlinedFiles => built_in.inlined_files(),
            RewriteKind::ExpandedMacros => built_in.macros(self.language),
        }
        if self.names == NamePolicy::Preserved {
            proposals.retain(|proposal| {
                let texts = proposal.edits.iter().map(|edit| &*edit.text);
                texts.into_iter().all(|text| !self.adds_name(text))
            });
        }
        // Deterministic: a stable sort of what was found from left to right, source by source. New
        // names come first: a miss is remembered with the names around it.
        proposals.sort_by_key(|proposal| {
            let start = std::cmp::Reverse(proposal.start());
            let is_last = kind == RewriteKind::Smaller && !self.renames(proposal);
            (
                is_last,
                std::cmp::Reverse(proposal.saved),
                start,
                proposal.source,
            )
        });
        proposals.dedup_by(|later, earlier| later.edits == earlier.edits);
        proposals
    }

    async fn vocabulary(&self) -> &Vocabulary {
        if let Some(vocabulary) = self.vocabulary.get() {
            return vocabulary;
        }
        let view = View::Syntax(self.language);
        let original = Document::read(&self.original, view).await;
        let vocabulary = self.vocabulary_of(&original).await;
        self.vocabulary.get_or_init(|| vocabulary)
    }

    async fn vocabulary_of(&self, document: &Document) -> Vocabulary {
        Vocabulary::new(document, self.language, &self.rules.minimal).await
    }

    /// Returns whether a text contains a name that the input did not.
    fn adds_name(&self, text: &[u8]) -> bool {
        let seen = (self.seen).get_or_init(|| {
            let all = words(&self.original, 0..self.original.len());
            all.map(|word| self.original[word].into()).collect()
        });
        words(text, 0..text.len())
            .map(|word| &text[word])
            .any(|word| {
                is_word(word[0])
                    && !word[0].is_ascii_digit()
                    && !seen.contains(word)
                    && !is_keyword(self.language, word)
            })
    }

    /// Returns whether a proposal gives other names.
    fn renames(&self, proposal: &Proposal) -> bool {
        self.is_from(proposal, &[BuiltIn::Canonical])
    }

    /// Returns whether a proposal is one of these built-in rewritings.
    fn is_from(&self, proposal: &Proposal, all: &[BuiltIn]) -> bool {
        let source = |one: &BuiltIn| self.rules.len() + *one as usize;
        all.iter().any(|one| source(one) == proposal.source)
    }

    /// The number of rules and built-in rewritings.
    fn sources(&self) -> usize {
        self.rules.len() + BuiltIn::COUNT
    }
}

/// Asks about every proposal for a document. A hit is made, and proposals that it overlaps are
/// dropped. When all have been asked and there were hits, new proposals are made for the result.
///
/// A source (rule or built-in rewriting) that missed 30 times in a row (8 times where the width is
/// kept) is not asked about any more until new proposals are made. A proposal that missed before is
/// skipped where nothing around it has changed.
///
/// # Guarantee
/// Each hit makes the input strictly smaller, in the order that [`Proposal`] states. Nothing is
/// guaranteed about the rest.
/// # Cost
/// At most as many queries as there are proposals, again after each round with hits.
/// # Source
/// Our own. Vulcan's replacement of identifiers may keep the size and bounds the number of steps;
/// here every step makes the input smaller.
#[derive(Debug, Clone)]
pub(crate) struct Rewrites {
    setup: Arc<RewriteSetup>,
    kind: RewriteKind,
    document: Arc<Document>,
    check: Check,
    proposals: Arc<[Proposal]>,
    /// The index of the proposal that is asked about; the number of proposals when finished.
    current: usize,
    kept: Subset,
    substitutes: Arc<Substitutes>,
    /// By source.
    records: Arc<[SourceRecord]>,
    missed: MissedRewrites,
    /// Whether there was a hit since the proposals were made.
    has_hit: bool,
    /// Whether that gave other names before anything else changed.
    has_new_names: bool,
}

/// The proposals that missed, as fingerprints of their edits and of the text around them. The same
/// edit in the same surroundings is likely to miss again.
#[derive(Debug, Clone, Default)]
pub(crate) struct MissedRewrites(HashTrieSetSync<Fingerprint>);

impl MissedRewrites {
    fn fingerprint(document: &Document, proposal: &Proposal) -> Fingerprint {
        let texts = proposal.edits.iter().flat_map(|edit| {
            let tokens = edit.range();
            let around = tokens.start.saturating_sub(SURROUNDINGS)
                ..(tokens.end + SURROUNDINGS).min(document.len());
            around
                .map(|token| document.token(token))
                .chain([&*edit.text])
        });
        fingerprint_of_texts(texts)
    }
}

/// The number of tokens before and after an edit that are part of its surroundings.
const SURROUNDINGS: usize = 2;

/// The results of a source in this pass.
#[derive(Debug, Clone, Copy)]
struct SourceRecord {
    rate: HitRate,
    /// The number of misses since its last hit.
    misses: usize,
}

/// After this many misses in a row a source is not asked about any more.
const MISSES_IN_A_ROW: usize = 30;

/// The same where only the width of a text is kept: if it matters, one of the first hits.
const WIDTH_MISSES_IN_A_ROW: usize = 8;

impl Rewrites {
    pub(crate) async fn new(
        document: Arc<Document>,
        setup: &Arc<RewriteSetup>,
        kind: RewriteKind,
        missed: MissedRewrites,
    ) -> Self {
        let record = SourceRecord {
            rate: HitRate::new(0.1),
            misses: 0,
        };
        let mut rewrites = Self {
            proposals: setup.propose(&document, kind).await.into(),
            current: 0,
            kept: Subset::full(document.len()),
            substitutes: Arc::default(),
            records: vec![record; setup.sources()].into(),
            missed,
            has_hit: false,
            has_new_names: false,
            setup: Arc::clone(setup),
            kind,
            check: match kind {
                RewriteKind::Smaller
                | RewriteKind::WidthPreserving
                | RewriteKind::CanonicalNames
                | RewriteKind::InlinedFiles
                | RewriteKind::ExpandedMacros => Check::Parses,
                RewriteKind::WholeInput | RewriteKind::OwnForms | RewriteKind::Joined => {
                    Check::Nothing
                }
            },
            document,
        };
        rewrites.advance();
        rewrites
    }

    /// Moves on to the next proposal that can be asked about.
    fn advance(&mut self) {
        loop {
            while let Some(proposal) = self.proposals.get(self.current) {
                if self.has_new_names && !self.setup.renames(proposal) {
                    break;
                }
                let record = self.records[proposal.source];
                if record.misses < self.most_misses()
                    && !(self.has_hit && self.is_last(proposal))
                    && proposal.applies(&self.kept, &self.substitutes)
                    && !self.has_missed(proposal)
                {
                    return;
                }
                self.current += 1;
            }
            // Words that were joined cannot be told apart any more.
            let has_more = matches!(
                self.kind,
                RewriteKind::Smaller
                    | RewriteKind::InlinedFiles
                    | RewriteKind::ExpandedMacros
                    | RewriteKind::OwnForms
            );
            if !self.has_hit || !has_more {
                return;
            }
            let document = Document::new(self.best().bytes(), self.document.view());
            let missed = self.missed.clone();
            let again = Self::new(Arc::new(document), &self.setup, self.kind, missed);
            *self = at_once(Box::pin(again));
        }
    }

    /// Returns the number of misses in a row after which a source is not asked about any more.
    fn most_misses(&self) -> usize {
        match self.kind {
            RewriteKind::WidthPreserving => WIDTH_MISSES_IN_A_ROW,
            _ => MISSES_IN_A_ROW,
        }
    }

    /// Returns whether a proposal waits until nothing else hits: what it makes simpler may be in
    /// the way of what makes the text shorter.
    fn is_last(&self, proposal: &Proposal) -> bool {
        let last = [BuiltIn::ConstantByValue, BuiltIn::Equation, BuiltIn::Merged];
        (self.setup).is_from(proposal, &last)
    }

    /// Returns whether a proposal missed with the same text around it. Whether an assertion can go
    /// depends on all others.
    fn has_missed(&self, proposal: &Proposal) -> bool {
        let fingerprint = || MissedRewrites::fingerprint(&self.document, proposal);
        let is_local = !(self.setup).is_from(proposal, &[BuiltIn::Dropped, BuiltIn::Merged]);
        is_local && self.missed.0.contains(&fingerprint())
    }

    /// Returns what has missed so far.
    pub(crate) fn missed(&self) -> &MissedRewrites {
        &self.missed
    }
}

impl Search for Rewrites {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        let proposal = self.proposals.get(self.current)?;
        let (kept, substitutes) = proposal.apply(&self.kept, &self.substitutes);
        let candidate = Candidate::new(Arc::clone(&self.document), kept, self.check);
        Some(Query {
            candidate: candidate.with(Arc::new(substitutes)),
            odds: self.records[proposal.source].rate.odds(),
        })
    }

    fn edit(&self) -> Option<Fingerprint> {
        let proposal = self.proposals.get(self.current)?;
        let fingerprint = MissedRewrites::fingerprint(&self.document, proposal);
        let [places, around] =
            [proposal.start() as u128, fingerprint.bits()].map(u128::to_le_bytes);
        Some(fingerprint_of_texts([&places[..], &around]))
    }

    fn tell(&mut self, verdict: Verdict) {
        let proposal = &self.proposals[self.current];
        let mut records = self.records.to_vec();
        let record = &mut records[proposal.source];
        record.rate.learn(verdict.into());
        if verdict.is_interesting() {
            record.misses = 0;
            let (mut kept, substitutes) = proposal.apply(&self.kept, &self.substitutes);
            kept.commit();
            self.has_hit = true;
            self.has_new_names |= self.kind == RewriteKind::Smaller && self.setup.renames(proposal);
            (self.kept, self.substitutes) = (kept, Arc::new(substitutes));
        } else {
            record.misses += 1;
            let fingerprint = MissedRewrites::fingerprint(&self.document, proposal);
            self.missed.0.insert_mut(fingerprint);
        }
        self.records = records.into();
        self.current += 1;
        self.advance();
    }

    fn skip(&mut self) {
        self.current += 1;
        self.advance();
    }

    fn best(&self) -> Candidate {
        Candidate::new(
            Arc::clone(&self.document),
            self.kept.clone(),
            Check::Nothing,
        )
        .with(Arc::clone(&self.substitutes))
    }
}

#[cfg(test)]
mod tests {
    use boildown_document::{TextOrder, TextSize, View, samples};

    use super::*;

    /// Returns the size that every step makes smaller.
    fn size(text: &[u8], order: TextOrder) -> (usize, usize, usize, Vec<u8>) {
        let size = TextSize::of(text, order);
        (size.words, size.names, size.visible, text.to_vec())
    }

    #[test]
    fn every_proposal_makes_the_text_smaller() {
        for (name, sample) in samples::all() {
            let Some(language) = Language::named(name) else {
                continue;
            };
            let order = language.text_order;
            let bytes: Arc<[u8]> = sample.as_bytes().into();
            let setup = Arc::new(RewriteSetup::new(
                (language, None),
                Rules::built_in(language),
                NamePolicy::Free,
                Arc::clone(&bytes),
            ));
            let document = Arc::new(Document::new(&bytes, View::Syntax(language)));
            for kind in [
                RewriteKind::WholeInput,
                RewriteKind::Smaller,
                RewriteKind::WidthPreserving,
                RewriteKind::Joined,
                RewriteKind::CanonicalNames,
            ] {
                for verdict in [Verdict::Interesting, Verdict::Uninteresting] {
                    let (document, missed) = (Arc::clone(&document), MissedRewrites::default());
                    let mut search = at_once(Rewrites::new(document, &setup, kind, missed));
                    while let Some(query) = search.ask() {
                        let [before, after] = [search.best(), query.candidate]
                            .map(|candidate| size(candidate.bytes(), order));
                        assert!(
                            after < before,
                            "{name}: {:?} becomes {:?}",
                            String::from_utf8_lossy(&before.3),
                            String::from_utf8_lossy(&after.3),
                        );
                        search.tell(verdict);
                    }
                }
            }
        }
    }

    /// Returns the texts that the first rewrites of a text make, without spaces.
    fn rewritten(language: &str, text: &str) -> Vec<String> {
        let language = Language::named(language).expect("the grammar is built");
        let text: Arc<[u8]> = text.as_bytes().into();
        let document = Arc::new(Document::new(&text, View::Syntax(language)));
        let rules = Rules::built_in(language);
        let setup = RewriteSetup::new((language, None), rules, NamePolicy::default(), text);
        texts_of(&document, setup, RewriteKind::Smaller)
    }

    fn texts_of(document: &Arc<Document>, setup: RewriteSetup, kind: RewriteKind) -> Vec<String> {
        let missed = MissedRewrites::default();
        let rewrites = at_once(Rewrites::new(
            Arc::clone(document),
            &Arc::new(setup),
            kind,
            missed,
        ));
        let all = Subset::full(document.len());
        let proposals = rewrites.proposals.iter();
        proposals
            .map(|proposal| {
                let (kept, substitutes) = proposal.apply(&all, &Substitutes::new());
                let after = document.render_with(&kept, &substitutes);
                let after = String::from_utf8_lossy(&after).into_owned();
                after.split_whitespace().collect()
            })
            .collect()
    }

    #[test]
    fn what_is_left_takes_a_place_before_shorter_texts_of_the_input() {
        let language = Language::named("TypeScript").expect("the grammar is built");
        let [input, left]: [Arc<[u8]>; 2] = [
            "let a: []; interface Circle {} function f<T extends Circle>() {}",
            "interface Circle {} function f<T extends Circle>() {}",
        ]
        .map(|text| text.as_bytes().into());
        let rules = Rules::built_in(language);
        let setup = RewriteSetup::new((language, None), rules, NamePolicy::default(), input);
        let document = Arc::new(Document::new(&left, View::Syntax(language)));
        let seen = texts_of(&document, setup, RewriteKind::Smaller);
        let expect = "functionf<Textends{}>(){}".to_owned();
        assert!(seen.contains(&expect), "{seen:#?}");
    }

    #[test]
    fn type_parameters_go_with_their_arguments() {
        let rust = "struct a<T> { b: T } impl<T> a<T> {} fn c(d: a<u8>) {}";
        let expect = "structa{b:u8}impla{}fnc(d:a){}".to_owned();
        let seen = rewritten("Rust", rust);
        assert!(seen.contains(&expect), "{seen:#?}");
        // The names of Java's type parameters are no symbols: their uses stay.
        let java = "class A<T> { int b; } class C { A<String> d; }";
        let expect = "classA{intb;}classC{Ad;}".to_owned();
        let seen = rewritten("Java", java);
        assert!(seen.contains(&expect), "{seen:#?}");
    }

    #[test]
    fn one_of_two_type_parameters_goes_and_a_lifetime_replaces_nothing() {
        let rust = "struct a<S, T> { b: S, c: T } fn d(e: a<u8, i8>) {}";
        let expect = "structa<S>{b:S,c:i8}fnd(e:a<u8>){}".to_owned();
        let seen = rewritten("Rust", rust);
        assert!(seen.contains(&expect), "{seen:#?}");
        let rust = "struct a<'t> { b: &'t u8 } fn c(d: a<'static>) {}";
        let seen = rewritten("Rust", rust);
        let is_replaced = |text: &String| text.contains("&'staticu8");
        assert!(!seen.iter().any(is_replaced), "{seen:#?}");
    }

    #[test]
    fn many_words_in_a_row_are_joined_at_once_then_halves_of_them() {
        let language = Language::named("Bash").expect("the grammar is built");
        let words: Vec<String> = (0..48).map(|word| format!("w{word}")).collect();
        let text: Arc<[u8]> = words.join(" ").into_bytes().into();
        let document = Arc::new(Document::new(&text, View::Syntax(language)));
        let rules = Rules::built_in(language);
        let setup = RewriteSetup::new((language, None), rules, NamePolicy::default(), text);
        let missed = MissedRewrites::default();
        let kind = RewriteKind::Joined;
        let mut search = at_once(Rewrites::new(document, &Arc::new(setup), kind, missed));
        let mut left = Vec::new();
        for _ in 0..4 {
            let query = search.ask().expect("there are more");
            let text = String::from_utf8_lossy(query.candidate.bytes()).into_owned();
            left.push(text.split_whitespace().count());
            search.tell(Verdict::Uninteresting);
        }
        assert_eq!(left, [1, 25, 25, 37]);
    }

    #[test]
    fn a_word_takes_the_width_of_what_goes_from_a_tiny_text() {
        let language = Language::named("TypeScript").expect("the grammar is built");
        for (text, kind, begin, end) in [
            // What the grammar requires.
            (
                "type a_name_that_is_long = { [K in T]: [any] }",
                RewriteKind::Joined,
                "typea_name_that_is_long={[KinT____",
                "_]}",
            ),
            // What is around a part, or was its place, as far as a line goes.
            (
                "type a_name_that_is_long = { b: { c: any } }",
                RewriteKind::WidthPreserving,
                "typea_name_that_is_long={c_________________________________________",
                "_:any}",
            ),
            (
                "type a_name_that_is_long<P = { c: any }> = d",
                RewriteKind::WidthPreserving,
                "typea_name_that_is_long={c_________________________________________",
                "_:any}",
            ),
        ] {
            let text: Arc<[u8]> = text.as_bytes().into();
            let document = Arc::new(Document::new(&text, View::Syntax(language)));
            let rules = Rules::built_in(language);
            let setup = RewriteSetup::new((language, None), rules, NamePolicy::default(), text);
            let seen = texts_of(&document, setup, kind);
            let fits = |text: &String| text.starts_with(begin) && text.ends_with(end);
            assert!(seen.iter().any(fits), "{seen:#?}");
        }
    }
}

//! Asking about rewritings, one after another.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, OnceLock};

use boildown_search::odds::HitRate;
use boildown_search::{Question, Search, Subset, Verdict};

use super::ideas::{self, Ideas, Vocabulary};
use super::matching::Index;
use super::rename::is_keyword;
use super::{Proposal, Rules, Sorts};
use crate::document::{Substitutes, is_word, words};
use crate::draft::{Check, Draft};
use crate::strategy::Names;
use crate::{Document, Language};

/// What rewriting a text in a language needs.
#[derive(Debug)]
pub(crate) struct Setup {
    language: &'static Language,
    rules: Rules,
    names: Names,
    /// The text that was to be reduced.
    original: Arc<[u8]>,
    vocabulary: OnceLock<Vocabulary>,
    /// The words of the text that was to be reduced.
    seen: OnceLock<BTreeSet<Box<[u8]>>>,
}

impl Setup {
    pub(crate) fn language(&self) -> &'static Language {
        self.language
    }

    pub(crate) fn new(
        language: &'static Language,
        rules: Rules,
        names: Names,
        original: Arc<[u8]>,
    ) -> Self {
        Self {
            language,
            rules,
            names,
            original,
            vocabulary: OnceLock::new(),
            seen: OnceLock::new(),
        }
    }

    /// Returns all that can be proposed for a document, what saves most first.
    pub(super) fn propose(&self, document: &Document, sorts: Sorts) -> Vec<Proposal> {
        if sorts == Sorts::Whole {
            // Needs no look at the original, which may be large.
            return ideas::whole(document, self.rules.len()).collect();
        }
        let vocabulary = (self.vocabulary)
            .get_or_init(|| Vocabulary::of(&self.original, self.language, &self.rules.least));
        let mut proposals = Vec::new();
        let mut ideas = Ideas::new(document, vocabulary, self.rules.len(), &mut proposals);
        match sorts {
            Sorts::Whole => {}
            Sorts::Smaller => {
                let index = Index::new(document);
                ideas.nodes();
                ideas.names(self.language);
                for (source, rule) in self.rules.rules.iter().enumerate() {
                    rule.propose(&index, source, &mut proposals);
                }
            }
            Sorts::AsWide => ideas.widths(self.language),
            Sorts::Joined => ideas.joins(),
            Sorts::Renamed => ideas.canonical(self.language),
        }
        if self.names == Names::Preserved {
            proposals.retain(|proposal| {
                let texts = proposal.edits.iter().map(|edit| &*edit.text);
                texts.into_iter().all(|text| !self.brings_name(text))
            });
        }
        // Deterministic: a stable sort of what was found from left to right, rule by rule.
        proposals.sort_by_key(|proposal| {
            let start = std::cmp::Reverse(proposal.start());
            (std::cmp::Reverse(proposal.saved), start, proposal.source)
        });
        proposals.dedup_by(|later, earlier| later.edits == earlier.edits);
        proposals
    }

    /// Whether a text holds a name that was not in the input.
    fn brings_name(&self, text: &[u8]) -> bool {
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

    fn sources(&self) -> usize {
        self.rules.len() + ideas::COUNT
    }
}

/// Asks about every proposal for a document; a hit is made, and what it overlaps is dropped. After hits, all is proposed anew.
///
/// A rule that has only missed for a while is not asked about any more until all is proposed anew. What missed before is not asked
/// again where nothing has changed.
///
/// # Guarantee
/// Each hit makes the text strictly smaller, in the order that [`Proposal`] states. Nothing is promised about what is left.
/// # Cost
/// At most as many questions as there are proposals, each time that there are hits.
/// # Source
/// Our own. Vulcan's replacement of identifiers may leave the size as it is, and bounds how often; here every step is smaller.
#[derive(Debug, Clone)]
pub(crate) struct Rewrites {
    setup: Arc<Setup>,
    sorts: Sorts,
    document: Arc<Document>,
    check: Check,
    proposals: Arc<[Proposal]>,
    /// The proposal that is asked about; all of them when finished.
    at: usize,
    kept: Subset,
    substitutes: Arc<Substitutes>,
    /// By source.
    records: Arc<[Record]>,
    missed: Missed,
    /// Whether there was a hit since all was proposed.
    hit: bool,
}

/// What missed, as hashes of edits and of the text around them. The same edit elsewhere in a text that is smaller now is likely to miss again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Missed(Arc<BTreeSet<u64>>);

impl Missed {
    fn hash(document: &Document, proposal: &Proposal) -> u64 {
        let mut hasher = DefaultHasher::new();
        for edit in &proposal.edits {
            let atoms = edit.range();
            let around =
                atoms.start.saturating_sub(AROUND)..(atoms.end + AROUND).min(document.len());
            for atom in around {
                document.atom(atom).hash(&mut hasher);
            }
            edit.text.hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// How much of the text before and after an edit counts.
const AROUND: usize = 2;

/// How a rule has done in this pass.
#[derive(Debug, Clone, Copy)]
struct Record {
    rate: HitRate,
    /// How often it missed since its last hit.
    misses: usize,
}

/// After so many misses in a row a rule is not asked about any more.
const PATIENCE: usize = 30;

impl Rewrites {
    pub(crate) fn new(
        document: Arc<Document>,
        setup: &Arc<Setup>,
        sorts: Sorts,
        missed: Missed,
    ) -> Self {
        let record = Record {
            rate: HitRate::new(0.1),
            misses: 0,
        };
        let mut rewrites = Self {
            proposals: setup.propose(&document, sorts).into(),
            at: 0,
            kept: Subset::full(document.len()),
            substitutes: Arc::default(),
            records: vec![record; setup.sources()].into(),
            missed,
            hit: false,
            setup: Arc::clone(setup),
            sorts,
            check: match sorts {
                Sorts::Smaller | Sorts::AsWide | Sorts::Renamed => Check::Parses,
                Sorts::Whole | Sorts::Joined => Check::Nothing,
            },
            document,
        };
        rewrites.settle();
        rewrites
    }

    /// Moves on to a proposal that can be asked about.
    fn settle(&mut self) {
        loop {
            while let Some(proposal) = self.proposals.get(self.at) {
                let record = self.records[proposal.source];
                if record.misses < PATIENCE
                    && proposal.applies(&self.kept, &self.substitutes)
                    && !(self.missed.0).contains(&Missed::hash(&self.document, proposal))
                {
                    return;
                }
                self.at += 1;
            }
            // Words that were joined cannot be told from others any more.
            if !self.hit || self.sorts != Sorts::Smaller {
                return;
            }
            let document = Document::new(self.best().bytes(), self.document.view());
            *self = Self::new(
                Arc::new(document),
                &self.setup,
                self.sorts,
                self.missed.clone(),
            );
        }
    }

    /// Returns what missed so far.
    pub(crate) fn missed(&self) -> &Missed {
        &self.missed
    }
}

impl Search for Rewrites {
    type Candidate = Draft;

    fn ask(&self) -> Option<Question<Draft>> {
        let proposal = self.proposals.get(self.at)?;
        let (kept, substitutes) = proposal.apply(&self.kept, &self.substitutes);
        let draft = Draft::new(Arc::clone(&self.document), kept, self.check);
        Some(Question {
            candidate: draft.with(Arc::new(substitutes)),
            odds: self.records[proposal.source].rate.odds(),
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        let proposal = &self.proposals[self.at];
        let mut records = self.records.to_vec();
        let record = &mut records[proposal.source];
        record.rate.learn(verdict.into());
        if verdict.is_interesting() {
            record.misses = 0;
            let (mut kept, substitutes) = proposal.apply(&self.kept, &self.substitutes);
            kept.commit();
            self.hit = true;
            (self.kept, self.substitutes) = (kept, Arc::new(substitutes));
        } else {
            record.misses += 1;
            let hash = Missed::hash(&self.document, proposal);
            Arc::make_mut(&mut self.missed.0).insert(hash);
        }
        self.records = records.into();
        self.at += 1;
        self.settle();
    }

    fn skip(&mut self) {
        self.at += 1;
        self.settle();
    }

    fn best(&self) -> Draft {
        Draft::new(
            Arc::clone(&self.document),
            self.kept.clone(),
            Check::Nothing,
        )
        .with(Arc::clone(&self.substitutes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::View;
    use crate::languages::samples;

    /// The size that every step makes smaller.
    fn size(text: &[u8]) -> (usize, usize, Vec<u8>) {
        let visible = text.iter().filter(|byte| !byte.is_ascii_whitespace());
        let count = words(text, 0..text.len()).count();
        (count, visible.count(), text.to_vec())
    }

    #[test]
    fn every_proposal_makes_the_text_smaller() {
        for (name, sample) in samples::all() {
            let Some(language) = Language::named(name) else {
                continue;
            };
            let bytes: Arc<[u8]> = sample.as_bytes().into();
            let setup = Arc::new(Setup::new(
                language,
                Rules::of(language),
                Names::Free,
                Arc::clone(&bytes),
            ));
            let document = Arc::new(Document::new(&bytes, View::Syntax(language)));
            for sorts in [
                Sorts::Whole,
                Sorts::Smaller,
                Sorts::AsWide,
                Sorts::Joined,
                Sorts::Renamed,
            ] {
                for hits in [Verdict::Interesting, Verdict::Uninteresting] {
                    let mut search =
                        Rewrites::new(Arc::clone(&document), &setup, sorts, Missed::default());
                    while let Some(question) = search.ask() {
                        let [before, after] =
                            [search.best(), question.candidate].map(|draft| size(draft.bytes()));
                        assert!(
                            after < before,
                            "{name}: {:?} becomes {:?}",
                            String::from_utf8_lossy(&before.2),
                            String::from_utf8_lossy(&after.2),
                        );
                        search.tell(hits);
                    }
                }
            }
        }
    }
}

//! A gate in front of the deletions of tokens, nodes and bytes of an input whose format says what
//! is well-formed: skips those that a tool rejects while it reads them.

mod samples;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use boildown_document::hashing::{hash_of_change, hash_of_words};
use boildown_document::parts_of_joined;
use boildown_search::Verdict;

use crate::facts::{Facts, GatePolicy, MissMemory, Objection, Proof};
use crate::format::Format;
pub(crate) use samples::SkippedCandidates;
use samples::{LearnedNeeds, lacking};

/// A gate in front of the deletions of tokens and nodes of a module, script, shader or program.
///
/// The units of a module, such as instructions, are deleted by its view, which makes all mentions
/// right. Of the other deletions nearly all are rejected by the first check of a tool: they take a
/// definition away, or an operand. So the [`Facts`] of a candidate are compared with those of the
/// input and of the best candidate, by the [`GatePolicy`] of the format. For example, a candidate
/// has to declare the names that it mentions, but for those that the best one does not declare
/// either.
///
/// A candidate that differs from one that was not interesting in the width of spaces alone is not
/// asked about either, where spaces do not matter.
///
/// The gate is adaptive: it lets some of the candidates that it would skip through as samples, and
/// once many of these are interesting, it opens for good. The more samples were not interesting,
/// the rarer they become. What is malformed and what is only unfamiliar are counted on their own:
/// when the one kind hits, the other is still skipped. The gate does not stand before what is left
/// of a short text.
///
/// Of a joined text, the files of the format are compared one by one, and share what is learned.
///
/// # Cost
/// That of the facts of the format for each query: linear in the size of the candidate.
#[derive(Debug, Clone)]
pub struct FactGate {
    format: &'static dyn Format,
    policy: Arc<GatePolicy>,
    compared: ComparedTexts,
    input: Arc<FactsByPath>,
    /// The best candidate that was compared with last.
    base: Option<(Arc<[u8]>, Arc<FactsByPath>)>,
    /// What came of malformed candidates.
    malformed: SkippedCandidates,
    /// What came of those that are only unfamiliar.
    unfamiliar: SkippedCandidates,
    /// What candidates needed to be interesting.
    learned_needs: LearnedNeeds,
    /// What the query at work has fewer of.
    lacking: BTreeSet<u64>,
    /// The number of the change that the query at work makes.
    change: Option<u64>,
    /// Why the query at work was to be skipped, if it is a sample.
    sampled: Option<Objection>,
    /// Numbers of the last candidates that were not interesting, whatever the width of spaces, and
    /// of their changes.
    missed: Arc<BTreeSet<u64>>,
}

/// The path of a file of a joined text; empty for a text that is none.
type Path = Box<[u8]>;

type FactsByPath = BTreeMap<Path, Facts>;

/// The texts whose facts are compared.
#[derive(Debug, Clone)]
enum ComparedTexts {
    /// The whole input.
    Whole,
    /// These files of a joined text.
    Files(Arc<BTreeSet<Path>>),
}

impl ComparedTexts {
    /// Returns the texts in a candidate, each with its path.
    fn of<'a>(&self, candidate: &'a [u8]) -> Vec<(&'a [u8], &'a [u8])> {
        let Self::Files(paths) = self else {
            return vec![(&[], candidate)];
        };
        let parts = parts_of_joined(candidate).into_iter().flatten();
        let files = parts.map(|part| (&candidate[part.path], &candidate[part.content]));
        files.filter(|(path, _)| paths.contains(*path)).collect()
    }
}

/// The largest number of candidates remembered as not interesting.
const MOST_MISSED: usize = 4096;

impl FactGate {
    /// Returns the gate that stands before the candidates of an input of this format.
    #[must_use]
    pub fn new(format: &'static dyn Format, policy: GatePolicy, input: &[u8]) -> Self {
        Self::of_texts(format, policy, ComparedTexts::Whole, input)
    }

    /// Returns the gate that stands before the candidates of a joined text in which these files
    /// have the format.
    pub(crate) fn of_files(
        format: &'static dyn Format,
        policy: GatePolicy,
        files: BTreeSet<Path>,
        joined: &[u8],
    ) -> Self {
        let compared = ComparedTexts::Files(Arc::new(files));
        Self::of_texts(format, policy, compared, joined)
    }

    fn of_texts(
        format: &'static dyn Format,
        policy: GatePolicy,
        compared: ComparedTexts,
        input: &[u8],
    ) -> Self {
        let texts = compared.of(input).into_iter();
        let facts = texts.map(|(path, text)| (path.into(), format.facts(text)));
        Self {
            format,
            policy: Arc::new(policy),
            input: Arc::new(facts.collect()),
            compared,
            base: None,
            malformed: SkippedCandidates::default(),
            unfamiliar: SkippedCandidates::default(),
            learned_needs: LearnedNeeds::default(),
            lacking: BTreeSet::new(),
            change: None,
            sampled: None,
            missed: Arc::default(),
        }
    }

    /// Returns whether the gate stands before the passes that prove a result 1-minimal.
    pub(crate) fn gates_proof(&self) -> bool {
        self.policy.proof != Proof::Tokens
    }

    /// Returns whether a candidate is to be asked about. Counts those that are not.
    pub fn admits(&mut self, candidate: &[u8], best: &Arc<[u8]>) -> bool {
        if self.is_open() {
            return true;
        }
        if self.is_vain(candidate, best) {
            return false;
        }
        if best.len() < self.policy.gated_from {
            return true;
        }
        let compared = self.compare(candidate, best);
        if compared.cuts_strings {
            return false;
        }
        self.lacking = compared.lacking;
        let has_changes = self.policy.misses == MissMemory::WordsAndChanges;
        self.change = has_changes.then(|| hash_of_change(best, candidate));
        let Some(objection) = compared.objection else {
            return true;
        };
        if self.is_open_for(objection) {
            return true;
        }
        if compared.is_never_sampled {
            return false;
        }
        let is_short = best.len() < self.policy.forms_from;
        let is_sample = match objection {
            Objection::Malformed => (self.malformed).is_sampled(self.policy.malformed, is_short),
            Objection::Unfamiliar => (self.policy.unfamiliar)
                .is_some_and(|sampling| self.unfamiliar.is_sampled(sampling, is_short)),
        };
        self.sampled = is_sample.then_some(objection);
        if !is_sample {
            (self.lacking, self.change) = (BTreeSet::new(), None);
        }
        is_sample
    }

    /// Compares the texts that a candidate changes with those of the best one.
    fn compare(&mut self, candidate: &[u8], best: &Arc<[u8]>) -> Compared {
        let is_same = |(bytes, _): &(Arc<[u8]>, _)| Arc::ptr_eq(bytes, best);
        let bases = match self.base.take().filter(is_same) {
            Some((_, bases)) => bases,
            None => {
                let texts = self.compared.of(best).into_iter();
                let facts = texts.map(|(path, text)| (path.into(), self.format.facts(text)));
                Arc::new(facts.collect())
            }
        };
        let before: BTreeMap<&[u8], &[u8]> = self.compared.of(best).into_iter().collect();
        let mut found = Compared::default();
        for (path, text) in self.compared.of(candidate) {
            let (Some(base), Some(input)) = (bases.get(path), self.input.get(path)) else {
                continue;
            };
            if before.get(path) == Some(&text) {
                continue;
            }
            let facts = self.format.facts(text);
            found.cuts_strings |= cuts_strings(&facts, [input, base]);
            found.lacking.extend(lacking(&facts.needs, &base.needs));
            if let Some(objection) = self.objection(&facts, input, base, best.len()) {
                found.objection.get_or_insert(objection);
                found.is_never_sampled |= self.format.is_never_sampled(&facts, base, best.len());
            }
        }
        self.base = Some((Arc::clone(best), bases));
        found
    }

    /// Returns whether candidates with an objection are no longer skipped.
    fn is_open_for(&self, objection: Objection) -> bool {
        let base = self.base.as_ref();
        let is_short = base.is_some_and(|(bytes, _)| bytes.len() < GatePolicy::MANY);
        match objection {
            Objection::Malformed => self.malformed.is_open(self.policy.malformed, is_short),
            Objection::Unfamiliar => (self.policy.unfamiliar)
                .is_some_and(|sampling| self.unfamiliar.is_open(sampling, is_short)),
        }
    }

    /// Returns whether nothing would be learnt or gained by a candidate.
    fn is_vain(&self, candidate: &[u8], best: &[u8]) -> bool {
        self.has_missed(candidate, best) || self.format.is_vain(candidate, best)
    }

    /// Returns whether a candidate differs from one that was not interesting in the width of spaces
    /// alone. Of those that differ from the best one in nothing else, all are asked about.
    fn has_missed(&self, candidate: &[u8], best: &[u8]) -> bool {
        if self.missed.is_empty() {
            return false;
        }
        let words = hash_of_words(candidate);
        let is_missed = self.missed.contains(&words)
            || self.policy.misses == MissMemory::WordsAndChanges
                && self.missed.contains(&hash_of_change(best, candidate));
        is_missed && words != hash_of_words(best)
    }

    /// Returns why a candidate with these facts is to be skipped. `size` is that of the best one,
    /// in bytes.
    fn objection(
        &self,
        facts: &Facts,
        input: &Facts,
        base: &Facts,
        size: usize,
    ) -> Option<Objection> {
        let known = [input, base];
        let has_name = |name| {
            base.undeclared.contains(name)
                || self.policy.knows_input_names && input.undeclared.contains(name)
        };
        let has_signature = |one| known.iter().any(|facts| facts.signatures.contains(one));
        let is_well_formed = facts.faults & !base.faults == 0
            && facts.undeclared.iter().all(has_name)
            && facts.signatures.iter().all(has_signature);
        if !is_well_formed {
            return Some(Objection::Malformed);
        }
        let has_form = |form| {
            known
                .iter()
                .any(|facts| facts.forms.contains(form) || facts.may_become.contains(form))
        };
        let is_familiar = facts.never_fewer >= base.never_fewer
            && facts.never_more <= base.never_more
            && (size < self.policy.forms_from || facts.forms.iter().all(has_form))
            && !(self.learned_needs).has_any_of(&lacking(&facts.needs, &base.needs));
        (!is_familiar).then_some(self.policy.new_form)
    }

    /// Takes the verdict on the candidate that was admitted last.
    pub fn tell(&mut self, candidate: &[u8], verdict: Verdict) {
        let lacking = std::mem::take(&mut self.lacking);
        self.learned_needs.tell(&lacking, verdict);
        let is_remembered = self.policy.misses != MissMemory::Nothing && !self.is_open();
        if is_remembered && !verdict.is_interesting() {
            let missed = Arc::make_mut(&mut self.missed);
            if missed.len() == MOST_MISSED {
                missed.clear();
            }
            missed.insert(hash_of_words(candidate));
            missed.extend(self.change);
        }
        self.change = None;
        let skipped = match self.sampled.take() {
            Some(Objection::Malformed) => &mut self.malformed,
            Some(Objection::Unfamiliar) => &mut self.unfamiliar,
            None => return,
        };
        skipped.samples += 1;
        skipped.hits += u32::from(verdict.is_interesting());
    }

    fn is_open(&self) -> bool {
        self.is_open_for(Objection::Malformed)
            && (self.policy.unfamiliar.is_none() || self.is_open_for(Objection::Unfamiliar))
    }
}

/// What came of the comparison of a candidate with the best one.
#[derive(Debug, Default)]
struct Compared {
    /// Whether a string, or an element of a list in it, is new: a part of a word.
    cuts_strings: bool,
    /// What the candidate has fewer of.
    lacking: BTreeSet<u64>,
    objection: Option<Objection>,
    is_never_sampled: bool,
}

fn cuts_strings(facts: &Facts, known: [&Facts; 2]) -> bool {
    let is_known = |one| known.iter().any(|facts| facts.strings.contains(one));
    !facts.strings.iter().all(is_known)
}

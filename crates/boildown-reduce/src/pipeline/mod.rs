//! The whole reduction of an input, as one search: a pipeline of passes.
//!
//! - `order/language.rs`, `order/text.rs`, `order/binary.rs`: the default order of the passes, for
//!   each kind of input
//! - `pass.rs`, `pass_id.rs`: the passes, and their identities
//! - `search.rs`: the search that a pass runs
//! - `counts.rs`: the search for a number that counts a list behind it
//! - `orders.rs`: the search for another order of the elements of a list
//! - `archive.rs`: the search that reduces an archive, member by member
//! - `folder.rs`, `folder_tree.rs`: the search that reduces a folder, and its entries as a tree
//! - `run.rs`: the state machine that runs one pass after another
//! - `selection.rs`, `idle.rs`: which passes run, and why those may have nothing to do
//! - `state.rs`: what is carried from pass to pass
//! - `turns.rs`: which pass of those that begin a large input is at work

mod archive;
mod counts;
mod edited_bytes;
mod folder;
mod folder_closures;
#[cfg(test)]
mod folder_tests;
mod folder_tree;
mod idle;
mod lowered;
mod missed;
mod offsets;
mod order;
mod orders;
mod pass;
mod pass_id;
mod run;
mod search;
mod selection;
mod state;
mod turns;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use boildown_document::{
    Archive, Candidate, Document, Gated, Language, TextOrder, View, is_binary, parts_of_joined,
    words,
};
use boildown_folder::{FolderInput, FolderText, FolderTextError};
use boildown_search::{Fingerprint, Query, Search, Subset, Verdict};

use crate::fact_gate::FactGate;
use crate::format::{Format, Input};
use crate::rewrite::{RewriteSetup, Rules};
use crate::strategy::{GateMode, PassSelection, Strategy, Units};
use archive::{ArchiveSearch, ContentReduction};
use folder::FolderSearch;
pub use idle::idle_passes;
pub use order::order_for;
pub use order::{KIB, PARSE_LIMIT, TINY_LIMIT};
use order::{order_of_joined, size_of_example};
pub use pass::{Method, Pass, SmallestDeletion, UsualAlgorithm};
pub use pass_id::PassId;
use run::Passes;
pub use selection::IdleReason;

/// The search that reduces an input: a pipeline of passes behind a parse gate.
pub type Reduction = Gated<Pipeline>;

/// The passes over an input; for an archive, those over the contents of its members.
#[derive(Debug, Clone)]
pub struct Pipeline(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Passes(Box<Passes>),
    Archive(Box<ArchiveSearch<Reduction>>),
    Folder(Box<FolderSearch<Reduction>>),
}

impl Pipeline {
    /// Returns the pass at work; `None` when finished.
    #[must_use]
    pub fn pass(&self) -> Option<PassId> {
        match &self.0 {
            Kind::Passes(passes) => passes.pass(),
            Kind::Archive(archive) => archive.pass(),
            Kind::Folder(folder) => folder.pass(),
        }
    }

    /// Returns whether the result is proved to be 1-minimal: the sweeps of the proof ran over it to
    /// their ends and found nothing. True of every finished search, unless such a pass was skipped
    /// or deselected, or the result is still too large for it. Never true of an archive that was
    /// reduced member by member. A folder is 1-minimal if each of its files is, and no entry can be
    /// deleted.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        match &self.0 {
            Kind::Passes(passes) => passes.is_proved(),
            Kind::Archive(_) => false,
            Kind::Folder(folder) => folder.is_proved(),
        }
    }

    /// Returns the number of tokens of the input, if it is known. `None` for an archive.
    #[must_use]
    pub fn input_tokens(&self) -> Option<usize> {
        match &self.0 {
            Kind::Passes(passes) => passes.input_tokens(),
            Kind::Archive(_) | Kind::Folder(_) => None,
        }
    }

    /// Returns about how many tests are left, if none of them is interesting and it can be told.
    #[must_use]
    pub fn tests_left(&self) -> Option<u64> {
        match &self.0 {
            Kind::Passes(passes) => passes.tests_left(),
            Kind::Archive(_) | Kind::Folder(_) => None,
        }
    }

    /// Returns an input of a few characters that has the property too, if one was found. It is not
    /// a reduction of the input.
    #[must_use]
    pub fn trivial(&self) -> Option<&Candidate> {
        match &self.0 {
            Kind::Passes(passes) => passes.trivial(),
            Kind::Archive(_) | Kind::Folder(_) => None,
        }
    }

    /// Returns whether nothing can be removed from an archive, or a member is damaged, so that its
    /// bytes are next: the program may fail on what makes it an archive.
    fn is_to_be_bytes(&self) -> bool {
        matches!(&self.0, Kind::Archive(archive) if archive.leaves_bytes())
    }

    /// Ends the pass at work and begins the next one. Later hits may bring the pass back.
    pub fn skip_pass(&mut self) {
        match &mut self.0 {
            Kind::Passes(passes) => passes.skip_pass(),
            Kind::Archive(archive) => archive.skip_pass(),
            Kind::Folder(folder) => folder.skip_pass(),
        }
    }
}

/// Calls the same method of whichever search it is.
macro_rules! delegate {
    ($self:ident.$method:ident($($argument:ident)?)) => {
        match &$self.0 {
            Kind::Passes(search) => search.$method($($argument)?),
            Kind::Archive(search) => search.$method($($argument)?),
            Kind::Folder(search) => search.$method($($argument)?),
        }
    };
    (mut $self:ident.$method:ident($($argument:ident)?)) => {
        match &mut $self.0 {
            Kind::Passes(search) => search.$method($($argument)?),
            Kind::Archive(search) => search.$method($($argument)?),
            Kind::Folder(search) => search.$method($($argument)?),
        }
    };
}

impl Search for Pipeline {
    type Candidate = Candidate;

    fn is_ready(&self) -> bool {
        !self.is_to_be_bytes() && delegate!(self.is_ready())
    }

    fn is_costly_to_prepare(&self) -> bool {
        delegate!(self.is_costly_to_prepare())
    }

    fn prepare(&mut self) {
        if let Kind::Archive(archive) = &self.0
            && self.is_to_be_bytes()
        {
            let (bytes, strategy) = archive.result();
            let passes = passes(bytes, None, strategy.clone());
            self.0 = Kind::Passes(Box::new(passes));
            return;
        }
        delegate!(mut self.prepare());
    }

    fn ask(&self) -> Option<Query<Candidate>> {
        delegate!(self.ask())
    }

    fn edit(&self) -> Option<Fingerprint> {
        delegate!(self.edit())
    }

    fn tell(&mut self, verdict: Verdict) {
        delegate!(mut self.tell(verdict));
    }

    fn skip(&mut self) {
        delegate!(mut self.skip());
    }

    fn best(&self) -> Candidate {
        delegate!(self.best())
    }
}

impl ContentReduction for Reduction {
    fn start(content: &Arc<[u8]>, language: Option<&'static Language>, strategy: Strategy) -> Self {
        reduction(content, language, strategy)
    }

    fn start_again(
        content: &Arc<[u8]>,
        language: Option<&'static Language>,
        strategy: Strategy,
    ) -> Self {
        if let Some(archive) = archive(content, language, &strategy) {
            let search = ArchiveSearch::new(content, archive, strategy).reduced_before();
            return Self::new(Pipeline(Kind::Archive(Box::new(search))), None);
        }
        reduction(content, language, strategy)
    }

    fn start_proof(
        content: &Arc<[u8]>,
        language: Option<&'static Language>,
        strategy: Strategy,
    ) -> Self {
        if archive(content, language, &strategy).is_some() {
            return Self::start_again(content, language, strategy);
        }
        let gated = language.filter(|_| strategy.gate == GateMode::Adaptive);
        let input = Input {
            bytes: content,
            language,
            stated: strategy.format,
        };
        let passes = passes_of(&input, strategy, Pass::is_proof);
        Self::new(Pipeline(Kind::Passes(Box::new(passes))), gated)
    }

    fn start_joined(joined: &Arc<[u8]>, main: &'static Language, strategy: Strategy) -> Self {
        let gated = (strategy.gate == GateMode::Adaptive).then_some(main);
        let setup = rewrite_setup(joined, main, None, &strategy);
        let order = order_of_joined(main);
        let files = FilesOfFormat::most(joined, &strategy);
        let (order, gate) = match files.filter(|_| gated.is_some()) {
            Some(files) => files.order_and_gate(order, joined),
            None => (order, None),
        };
        let text_order = strategy.text_order.unwrap_or(TextOrder::Words);
        let passes = Passes::new(joined, order, text_order, strategy, Some(setup));
        let passes = passes.with_fact_gate(gate);
        Self::new(Pipeline(Kind::Passes(Box::new(passes))), gated)
    }

    fn start_redaction(joined: &Arc<[u8]>, strategy: Strategy) -> Self {
        let order = vec![order::redaction()];
        let passes = Passes::new(joined, order, TextOrder::Words, strategy, None);
        Self::new(Pipeline(Kind::Passes(Box::new(passes))), None)
    }

    fn pass(&self) -> Option<PassId> {
        self.inner().pass()
    }

    fn is_proved(&self) -> bool {
        self.inner().is_proved()
    }

    fn skip_pass(&mut self) {
        self.change(Pipeline::skip_pass);
    }
}

/// The files of a joined text that have one format.
struct FilesOfFormat {
    format: &'static dyn Format,
    paths: BTreeSet<Box<[u8]>>,
    bytes: usize,
    largest: (Option<&'static Language>, Arc<[u8]>),
}

impl FilesOfFormat {
    /// Returns the files of the format of most bytes; `None` if no file has a format.
    fn most(joined: &[u8], strategy: &Strategy) -> Option<Self> {
        let mut found: BTreeMap<&str, Self> = BTreeMap::new();
        for part in parts_of_joined(joined)? {
            let bytes: Arc<[u8]> = joined[part.content.clone()].into();
            let language = part.language(joined);
            let input = Input {
                bytes: &bytes,
                language,
                stated: None,
            };
            let Some(format) = strategy.formats.format_of(&input) else {
                continue;
            };
            let files = found.entry(format.name()).or_insert_with(|| Self {
                format,
                paths: BTreeSet::new(),
                bytes: 0,
                largest: (language, Arc::default()),
            });
            files.bytes += bytes.len();
            files.paths.insert(joined[part.path].into());
            if files.largest.1.len() < bytes.len() {
                files.largest = (language, bytes);
            }
        }
        found.into_values().max_by_key(|files| files.bytes)
    }

    /// Returns the order of the passes as the format changes it, unless it has views of its own,
    /// which read one file; and the gate in front of them.
    fn order_and_gate(self, usual: Vec<Pass>, joined: &[u8]) -> (Vec<Pass>, Option<FactGate>) {
        let (language, bytes) = &self.largest;
        let input = Input {
            bytes,
            language: *language,
            stated: None,
        };
        let order = match self.format.views().is_empty() {
            true => self.format.order(&input, usual),
            false => usual,
        };
        let policy = self.format.gate(&input);
        let gate = policy.map(|policy| FactGate::of_files(self.format, policy, self.paths, joined));
        (order, gate)
    }
}

/// Returns the search that reduces a text in a language, or any input without one.
#[must_use]
pub fn reduction(
    bytes: &Arc<[u8]>,
    language: Option<&'static Language>,
    strategy: Strategy,
) -> Reduction {
    if let Some(archive) = archive(bytes, language, &strategy) {
        let search = Box::new(ArchiveSearch::new(bytes, archive, strategy));
        return Gated::new(Pipeline(Kind::Archive(search)), None);
    }
    let gated = language.filter(|_| strategy.gate == GateMode::Adaptive);
    let passes = passes(bytes, language, strategy);
    Gated::new(Pipeline(Kind::Passes(Box::new(passes))), gated)
}

/// Returns the search that reduces a folder, from the state that these bytes are.
///
/// # Errors
/// [`FolderTextError`] when they are no state of this folder.
pub fn folder_reduction(
    input: &FolderInput,
    state: &[u8],
    strategy: Strategy,
) -> Result<Reduction, FolderTextError> {
    let text = FolderText::read(state, &input.listing)?;
    let search = Box::new(FolderSearch::new(input.clone(), text, strategy));
    Ok(Gated::new(Pipeline(Kind::Folder(search)), None))
}

/// Returns the language of a file of a folder, by its name or its content; `None` for a binary and
/// for a text in no known language.
#[must_use]
pub fn language_of_file(name: &str, content: &[u8]) -> Option<&'static Language> {
    archive::language(name, content)
}

/// Returns the passes over an input.
fn passes(bytes: &Arc<[u8]>, language: Option<&'static Language>, strategy: Strategy) -> Passes {
    let input = Input {
        bytes,
        language,
        stated: strategy.format,
    };
    passes_of(&input, strategy, |_| true)
}

/// Returns those of the passes over an input that are wanted; all of them if none is.
fn passes_of(input: &Input<'_>, strategy: Strategy, is_wanted: fn(&Pass) -> bool) -> Passes {
    let format = strategy.formats.format_of(input);
    let mut order = order_for(input, format, strategy.units, strategy.split.as_ref());
    if order.iter().any(is_wanted) {
        order.retain(is_wanted);
    }
    let setup =
        (input.language).map(|language| rewrite_setup(input.bytes, language, format, &strategy));
    let text_order = strategy.text_order.unwrap_or(match input.language {
        Some(language) => language.text_order,
        None if is_binary(input.bytes) => TextOrder::Bytes,
        None => TextOrder::Words,
    });
    let gate = format.filter(|_| strategy.gate == GateMode::Adaptive);
    let gate = gate.and_then(|format| {
        let policy = format.gate(input)?;
        Some(FactGate::new(format, policy, input.bytes))
    });
    Passes::new(input.bytes, order, text_order, strategy, setup).with_fact_gate(gate)
}

fn rewrite_setup(
    bytes: &Arc<[u8]>,
    language: &'static Language,
    format: Option<&'static dyn Format>,
    strategy: &Strategy,
) -> Arc<RewriteSetup> {
    let rules = Rules::built_in(language).and(&strategy.rules);
    let example = match size_of_example(bytes) {
        all if all == bytes.len() => Arc::clone(bytes),
        size => bytes[..size].into(),
    };
    Arc::new(RewriteSetup::new(
        (language, format),
        rules,
        strategy.names,
        example,
    ))
}

/// Returns the input as an archive, if it is one. What has to be kept and the names of passes refer
/// to the bytes of the input, so with these options it is not taken apart.
fn archive(
    bytes: &[u8],
    language: Option<&'static Language>,
    strategy: &Strategy,
) -> Option<Archive> {
    let is_whole = strategy.keep.is_empty()
        && strategy.format.is_none()
        && strategy.passes == PassSelection::All
        && strategy.units == Units::default()
        && strategy.split.is_none();
    Archive::read(bytes).filter(|_| language.is_none() && is_whole)
}

/// Returns the names of the passes for an input, in the order in which they begin, each once.
#[must_use]
pub fn pass_names(
    bytes: &Arc<[u8]>,
    language: Option<&'static Language>,
    strategy: &Strategy,
) -> Vec<&'static str> {
    let input = Input {
        bytes,
        language,
        stated: strategy.format,
    };
    let split = strategy.split.as_ref();
    let mut names = Vec::new();
    for pass in order_for(
        &input,
        strategy.formats.format_of(&input),
        strategy.units,
        split,
    ) {
        if !names.contains(&pass.id.name()) {
            names.push(pass.id.name());
        }
    }
    names
}

/// Returns the number of tokens of an input: those of its language, else its words and other
/// visible characters. `None` for a binary. An input too large to be parsed is counted in words,
/// whatever its language.
#[must_use]
pub fn count_tokens(bytes: &Arc<[u8]>, language: Option<&'static Language>) -> Option<usize> {
    match language {
        Some(language) if bytes.len() < PARSE_LIMIT => {
            let document = Document::new(bytes, View::Syntax(language));
            Some(document.count_tokens(&Subset::full(document.len())))
        }
        _ => (!is_binary(bytes)).then(|| words(bytes, 0..bytes.len()).count()),
    }
}

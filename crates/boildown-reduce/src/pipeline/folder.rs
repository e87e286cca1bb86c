//! The search that reduces a folder.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use boildown_document::{
    Candidate, Document, Language, append_to_joined, joined_texts, parts_of_joined, text_of_joined,
};
use boildown_folder::{EntryKind, FolderInput, FolderText};
use boildown_search::list::Sweep;
use boildown_search::{AnyListSearch, Query, Search, Subset, Verdict};

use super::archive::{ContentReduction, language};
use super::folder_closures::ClosureSearch;
use super::folder_tree::EntryTree;
use super::pass_id::PassId;
use crate::format::Input;
use crate::strategy::{Strategy, Units};

/// The largest size of all texts that are reduced together, in bytes.
const JOINED_LIMIT: u64 = 4 << 20;

/// A file is reduced again as a whole, and not only its proof repeated, once all files together
/// have become smaller by one byte in this many.
const SMALLER_AGAIN: u64 = 16;

/// All texts are reduced together again once the folder is smaller by one byte in this many.
const JOINED_AGAIN: u64 = 4;

/// A search that removes folders and files, and reduces the contents of the other files.
///
/// It runs in rounds, until a round finds nothing:
///
/// 1. Keeps the files that the test names with those that they mention, in the first round, and
///    finds the other files that are needed by bisection. Then deletes folders and files, the
///    largest first; if the named files were enough, none that another one mentions.
/// 2. Empties binaries that cannot be deleted.
/// 3. Reduces all texts together, as one document with a node for each folder and file: a file with
///    what mentions it, a definition with its uses in other files, and the largest parts of any
///    file first.
/// 4. Reduces the content of each file, the largest first, with the whole reduction that such a
///    file gets alone.
/// 5. Deletes each single file, if no file was changed.
/// 6. If the result is redacted, replaces words in all texts at once: a name has uses in several.
///    Words of paths stay.
///
/// Later rounds mostly repeat what proves the result. All texts are reduced together again only if
/// the folder has become smaller by a fourth since. A file that did not change since its whole
/// reduction gets another one only if the folder has become smaller by a sixteenth; otherwise the
/// passes that prove it 1-minimal run.
///
/// A folder goes with the last entry in it; an empty folder is deleted like a file.
///
/// # Guarantee
/// When finished: no single file, link or empty folder can be deleted, and each file is 1-minimal,
/// unless its reduction could not prove that.
/// # Cost
/// That of its reductions. A query writes the contents of the files that were changed.
#[derive(Debug, Clone)]
pub(super) struct FolderSearch<S> {
    /// That of the contents, which are not redacted one by one.
    strategy: Strategy,
    redacts: bool,
    input: FolderInput,
    /// The state that the stage at work started from.
    text: Arc<FolderText>,
    stage: FolderStage<S>,
    query: Option<Query<Candidate>>,
    best: Candidate,
    /// The files that were reduced since the last change of another one.
    finished: Arc<BTreeSet<usize>>,
    /// Those of them that are not proved to be 1-minimal.
    unproved: Arc<BTreeSet<usize>>,
    /// The files that were reduced in this round.
    visited: Arc<BTreeSet<usize>>,
    /// The results of whole reductions of files.
    reduced: Arc<BTreeMap<usize, WholeReduction>>,
    /// The size of all files after the texts were last reduced together.
    joined_size: Option<u64>,
    /// Whether the deletion of entries was skipped.
    is_skipped: bool,
    /// Whether the folder has changed since the entries were last deleted.
    has_changed: bool,
}

/// A file after its whole reduction.
#[derive(Debug, Clone)]
struct WholeReduction {
    content: Arc<[u8]>,
    /// The size of all files then.
    total: u64,
}

#[derive(Debug, Clone)]
enum FolderStage<S> {
    /// Files are kept with those that they mention.
    Closures(ClosureSearch),
    /// Folders and files are deleted.
    Deleting(EntrySearch),
    /// Each single entry is deleted: the proof at the end.
    EachEntry(EntrySearch),
    /// Files that are not kept become empty.
    Emptying(EntrySearch),
    /// All texts are reduced together, or words of all are replaced.
    Joined {
        files: Arc<BTreeSet<usize>>,
        search: S,
        is_redaction: bool,
    },
    /// The reduction of a content.
    Content {
        file: usize,
        search: S,
        /// Whether it is a whole reduction, and not only the proof.
        is_whole: bool,
    },
    Finished,
}

/// A search over the entries of the folder.
#[derive(Debug, Clone)]
struct EntrySearch {
    entries: EntryTree,
    search: AnyListSearch,
}

impl<S: ContentReduction> FolderSearch<S> {
    /// Starts on a state of a folder.
    pub(super) fn new(input: FolderInput, text: FolderText, strategy: Strategy) -> Self {
        let text = Arc::new(text);
        let redacts = strategy.redacts;
        let mut search = Self {
            strategy: Strategy {
                redacts: false,
                ..strategy
            },
            redacts,
            best: Candidate::of_folder(&input.listing, &text),
            input,
            text,
            stage: FolderStage::Finished,
            query: None,
            finished: Arc::default(),
            unproved: Arc::default(),
            visited: Arc::default(),
            reduced: Arc::default(),
            joined_size: None,
            is_skipped: false,
            has_changed: false,
        };
        search.stage = search.closures();
        search
    }

    /// Returns the pass at work; `None` when finished.
    pub(super) fn pass(&self) -> Option<PassId> {
        match &self.stage {
            FolderStage::Closures(_)
            | FolderStage::Deleting(_)
            | FolderStage::Emptying(_)
            | FolderStage::EachEntry(_) => Some(PassId::FILES),
            FolderStage::Joined { search, .. } | FolderStage::Content { search, .. } => {
                search.pass()
            }
            FolderStage::Finished => None,
        }
    }

    /// Returns whether the result is proved to be 1-minimal: no entry can be deleted, and each file
    /// that is reduced is 1-minimal.
    pub(super) fn is_proved(&self) -> bool {
        let is_large = |entry| {
            let size = self.text.size_of(&self.input.listing, entry);
            size >= Document::MAX as u64 && !self.input.is_fixed(entry)
        };
        matches!(self.stage, FolderStage::Finished)
            && !self.is_skipped
            && self.unproved.is_empty()
            && !self.text.kept().any(is_large)
    }

    /// Ends the pass at work and begins the next one.
    pub(super) fn skip_pass(&mut self) {
        match &mut self.stage {
            FolderStage::Joined { search, .. } | FolderStage::Content { search, .. } => {
                search.skip_pass();
            }
            FolderStage::Finished => {}
            FolderStage::Closures(_)
            | FolderStage::Deleting(_)
            | FolderStage::Emptying(_)
            | FolderStage::EachEntry(_) => {
                self.is_skipped = true;
                self.next_stage();
            }
        }
        self.query = None;
    }

    fn closures(&self) -> FolderStage<S> {
        FolderStage::Closures(ClosureSearch::new(&self.input, &self.text, |entry| {
            self.is_deletable(entry)
        }))
    }

    /// Deletes entries other than those that are likely to be needed. Those are not tried alone yet
    /// if they are reduced together, because they go with their mentions.
    fn deleting_others(&self, needed: &BTreeSet<usize>) -> FolderStage<S> {
        let texts = self.texts();
        FolderStage::Deleting(self.search(|entry| {
            self.is_deletable(entry) && !(needed.contains(&entry) && texts.contains(&entry))
        }))
    }

    fn deleting(&self) -> FolderStage<S> {
        FolderStage::Deleting(self.search(|entry| self.is_deletable(entry)))
    }

    fn each_entry(&self) -> FolderStage<S> {
        let entries = EntryTree::new(&self.input, &self.text, |entry| self.is_deletable(entry));
        let sweep = Sweep::units(entries.everything(), entries.units());
        FolderStage::EachEntry(EntrySearch {
            search: AnyListSearch::new(sweep),
            entries,
        })
    }

    /// Returns whether a kept entry can be deleted alone: a folder goes with what is in it.
    fn is_deletable(&self, entry: usize) -> bool {
        let listing = &self.input.listing;
        let has_entries = || (entry + 1..listing.end(entry)).any(|one| self.text.is_kept(one));
        let is_alone = !listing.entries()[entry].is_folder() || !has_entries();
        !self.input.is_fixed(entry) && is_alone
    }

    /// Returns the size of all files.
    fn total(&self) -> u64 {
        self.text.size(&self.input.listing).bytes
    }

    /// Returns whether all files together are smaller than they were by more than one byte in
    /// `one_in`.
    fn is_smaller_by(&self, one_in: u64, total: u64) -> bool {
        total - total / one_in > self.total()
    }

    fn emptying(&self) -> FolderStage<S> {
        let size = |entry| self.text.size_of(&self.input.listing, entry);
        let texts = self.texts();
        FolderStage::Emptying(self.search(|entry| {
            !self.input.is_fixed(entry) && size(entry) > 0 && !texts.contains(&entry)
        }))
    }

    /// Returns whether a file has a format that divides it into units of its own.
    fn has_own_units(&self, path: &str, content: &Arc<[u8]>) -> bool {
        let input = Input {
            bytes: content,
            language: language(path, content),
            stated: None,
        };
        let format = self.strategy.formats.format_of(&input);
        format.is_some_and(|format| !format.views().is_empty())
    }

    /// Returns the files that can be reduced together: texts that are not too large, but for those
    /// of formats with units of their own. What passes over texts leave of these is hardly ever
    /// well-formed; alone, they have the order and the gate of their format.
    fn texts(&self) -> BTreeSet<usize> {
        let listing = &self.input.listing;
        let mut total = 0;
        let mut texts = BTreeSet::new();
        if self.strategy.units != Units::Tokens {
            return texts;
        }
        let size_of = |entry: usize| self.text.size_of(listing, entry);
        let is_file = |&entry: &usize| {
            let is_file = matches!(listing.entries()[entry].kind, EntryKind::File { .. });
            is_file && !self.input.is_fixed(entry)
        };
        let mut files: Vec<usize> = self.text.kept().filter(is_file).collect();
        // If not all of them fit, the largest ones.
        files.sort_by_key(|&entry| Reverse(size_of(entry)));
        for entry in files {
            let size = size_of(entry);
            if total + size > JOINED_LIMIT {
                continue;
            }
            let path = &listing.entries()[entry].path;
            let content = self.input.content_in(&self.text, entry);
            let is_text = content.is_some_and(|content| {
                append_to_joined(&mut Vec::new(), path, &content)
                    && !self.has_own_units(&String::from_utf8_lossy(path), &content)
            });
            if is_text && texts.insert(entry) {
                total += size;
            }
        }
        texts
    }

    /// Begins to reduce all texts together. Their main language is the one of most bytes. Without
    /// any, or if there is one text only, the contents are reduced one by one.
    fn joined(&mut self) -> FolderStage<S> {
        if (self.joined_size).is_some_and(|size| !self.is_smaller_by(JOINED_AGAIN, size)) {
            return self.contents();
        }
        let (files, joined) = joined_texts(&self.input, &self.text, self.texts());
        let mut sizes: Vec<(&'static Language, usize)> = Vec::new();
        for part in parts_of_joined(&joined).unwrap_or_default() {
            let path = String::from_utf8_lossy(&joined[part.path]);
            if let Some(language) = language(&path, &joined[part.content.clone()]) {
                match sizes.iter_mut().find(|(known, _)| *known == language) {
                    Some((_, size)) => *size += part.content.len(),
                    None => sizes.push((language, part.content.len())),
                }
            }
        }
        let main = sizes.into_iter().max_by_key(|(_, size)| *size);
        match main.filter(|_| files.len() > 1) {
            Some((main, _)) => FolderStage::Joined {
                search: S::start_joined(&joined.into(), main, self.strategy.clone()),
                files: Arc::new(files),
                is_redaction: false,
            },
            None => self.contents(),
        }
    }

    /// Begins to replace words in all texts.
    fn redacting(&self) -> FolderStage<S> {
        let entries = (self.text.kept()).filter(|&entry| !self.input.is_fixed(entry));
        let (files, joined) = joined_texts(&self.input, &self.text, entries);
        let strategy = Strategy {
            redacts: true,
            ..self.strategy.clone()
        };
        FolderStage::Joined {
            search: S::start_redaction(&joined.into(), strategy),
            files: Arc::new(files),
            is_redaction: true,
        }
    }

    fn contents(&mut self) -> FolderStage<S> {
        self.has_changed = false;
        self.visited = Arc::default();
        self.next_content()
    }

    fn search(&self, is_leaf: impl Fn(usize) -> bool) -> EntrySearch {
        let entries = EntryTree::new(&self.input, &self.text, is_leaf);
        let algorithm = self.strategy.algorithm.clone().unwrap_or_default();
        let (tree, all) = (Arc::clone(&entries.tree), entries.everything());
        EntrySearch {
            search: self.strategy.schedule.start(algorithm, tree, all, 0),
            entries,
        }
    }

    fn next_query(&self) -> Option<Query<Candidate>> {
        match &self.stage {
            FolderStage::Closures(search) => {
                let query = search.ask()?;
                Some(query.map(|kept| self.of_state(self.text_of_closures(search, &kept))))
            }
            FolderStage::Deleting(search)
            | FolderStage::Emptying(search)
            | FolderStage::EachEntry(search) => Some(
                search
                    .search
                    .ask()?
                    .map(|kept| self.of_entries(search, &kept)),
            ),
            FolderStage::Joined { files, search, .. } => {
                Some(search.ask()?.map(|joined| self.of_joined(files, joined)))
            }
            FolderStage::Content { file, search, .. } => {
                Some(search.ask()?.map(|content| self.of_content(*file, content)))
            }
            FolderStage::Finished => None,
        }
    }

    /// Returns the candidate with these entries, of those that are deleted or emptied.
    fn of_entries(&self, search: &EntrySearch, kept: &Subset) -> Candidate {
        self.of_state(self.text_of_entries(search, kept))
    }

    fn of_state(&self, text: FolderText) -> Candidate {
        Candidate::of_folder(&self.input.listing, &Arc::new(text))
    }

    fn text_of_entries(&self, search: &EntrySearch, kept: &Subset) -> FolderText {
        let listing = &self.input.listing;
        let gone = search.entries.leaves(kept, false);
        let mut changed: BTreeMap<usize, Arc<[u8]>> = self.text.changed().clone();
        if let FolderStage::Emptying(_) = self.stage {
            changed.extend(gone.map(|entry| (entry, Arc::default())));
            return FolderText::new(listing, self.text.kept(), changed);
        }
        self.text_without(gone)
    }

    fn text_of_closures(&self, search: &ClosureSearch, kept: &Subset) -> FolderText {
        self.text_without(search.gone(kept))
    }

    /// Returns the state without these entries, and without the folders of which nothing is left.
    fn text_without(&self, gone: impl Iterator<Item = usize>) -> FolderText {
        let listing = &self.input.listing;
        let mut is_gone = vec![false; listing.entries().len()];
        gone.for_each(|entry| is_gone[entry] = true);
        let is_left = |&entry: &usize| {
            let is_alone = !listing.entries()[entry].is_folder() || self.is_deletable(entry);
            is_alone && !is_gone[entry] || self.input.is_fixed(entry)
        };
        let left = self.text.kept().filter(is_left);
        FolderText::new(listing, left, self.text.changed().clone())
    }

    fn of_content(&self, file: usize, content: Candidate) -> Candidate {
        Candidate::with_file(&self.input.listing, &self.text, file, content)
    }

    fn of_joined(&self, files: &Arc<BTreeSet<usize>>, joined: Candidate) -> Candidate {
        Candidate::with_joined(&self.input.listing, &self.text, files, joined)
    }

    /// Returns the best candidate of the stage at work.
    fn best_of_stage(&self) -> Candidate {
        match &self.stage {
            FolderStage::Deleting(search)
            | FolderStage::Emptying(search)
            | FolderStage::EachEntry(search) => self.of_entries(search, &search.search.best()),
            FolderStage::Closures(search) => {
                self.of_state(self.text_of_closures(search, &search.best()))
            }
            FolderStage::Joined { files, search, .. } => self.of_joined(files, search.best()),
            FolderStage::Content { file, search, .. } => self.of_content(*file, search.best()),
            FolderStage::Finished => Candidate::of_folder(&self.input.listing, &self.text),
        }
    }

    /// Returns whether a candidate is a state of the folder: in a joined text, a header may be
    /// broken.
    fn is_state(&self, candidate: &Candidate) -> bool {
        !matches!(self.stage, FolderStage::Joined { .. }) || candidate.is_joined_whole()
    }

    /// Takes over the best state of the stage at work.
    fn commit(&mut self) {
        let listing = &self.input.listing;
        let text = match &self.stage {
            FolderStage::Deleting(search)
            | FolderStage::Emptying(search)
            | FolderStage::EachEntry(search) => self.text_of_entries(search, &search.search.best()),
            FolderStage::Closures(search) => self.text_of_closures(search, &search.best()),
            FolderStage::Joined { files, search, .. } => {
                let joined = search.best();
                let text = text_of_joined(listing, &self.text, files, joined.bytes());
                text.unwrap_or_else(|| FolderText::clone(&self.text))
            }
            FolderStage::Content { file, search, .. } => {
                (self.text).with_content(listing, *file, search.best().bytes())
            }
            FolderStage::Finished => return,
        };
        let is_new = text != *self.text;
        self.text = Arc::new(text);
        let file = match &self.stage {
            FolderStage::Content { file, search, .. } => Some((*file, search.is_proved())),
            _ => None,
        };
        if let FolderStage::Content {
            file,
            search,
            is_whole: true,
        } = &self.stage
        {
            let whole = WholeReduction {
                content: Arc::clone(search.best().bytes()),
                total: self.total(),
            };
            Arc::make_mut(&mut self.reduced).insert(*file, whole);
        }
        if is_new {
            self.unproved = Arc::default();
        }
        if let Some((file, false)) = file {
            Arc::make_mut(&mut self.unproved).insert(file);
        }
        let file = file.map(|(file, _)| file);
        if is_new {
            self.finished = Arc::new(file.into_iter().collect());
            self.has_changed = true;
        } else if let Some(file) = file {
            Arc::make_mut(&mut self.finished).insert(file);
        }
    }

    /// Begins the stage after this one, with what this one has found.
    fn next_stage(&mut self) {
        self.commit();
        self.stage = match &self.stage {
            FolderStage::Closures(search) => {
                let needed = search.likely_needed(&self.input, &self.text);
                self.deleting_others(&needed)
            }
            FolderStage::Deleting(_) => self.emptying(),
            FolderStage::Emptying(_) => self.joined(),
            FolderStage::Joined {
                is_redaction: true, ..
            } if self.has_changed => self.deleting(),
            FolderStage::Joined {
                is_redaction: true, ..
            } => FolderStage::Finished,
            FolderStage::Joined { .. } => {
                self.joined_size = Some(self.total());
                self.contents()
            }
            FolderStage::Content { .. } => self.next_content(),
            FolderStage::EachEntry(_) if self.has_changed => self.deleting(),
            FolderStage::EachEntry(_) if self.redacts => self.redacting(),
            FolderStage::EachEntry(_) => FolderStage::Finished,
            FolderStage::Finished => FolderStage::Finished,
        };
    }

    /// Begins to reduce the next content, the largest first, or the next round, or the proof.
    fn next_content(&mut self) -> FolderStage<S> {
        let listing = &self.input.listing;
        let key = |entry: usize| {
            let size = self.text.size_of(listing, entry);
            (size, usize::MAX - entry)
        };
        let is_waiting = |&entry: &usize| {
            let size = self.text.size_of(listing, entry);
            let is_reducible = size > 0 && size < Document::MAX as u64;
            let is_done = self.finished.contains(&entry) || self.visited.contains(&entry);
            is_reducible && !self.input.is_fixed(entry) && !is_done
        };
        let mut files: Vec<usize> = self.text.kept().filter(is_waiting).collect();
        files.sort_by_key(|&entry| Reverse(key(entry)));
        let read = |file| Some((file, self.input.content_in(&self.text, file)?));
        let content = files.into_iter().find_map(read);
        if let Some((file, content)) = content {
            let name = String::from_utf8_lossy(&listing.entries()[file].path);
            let language = language(&name, &content);
            let is_reduced = self.reduced.get(&file).is_some_and(|before| {
                before.content == content && !self.is_smaller_by(SMALLER_AGAIN, before.total)
            });
            let start = match is_reduced {
                true => S::start_proof,
                false => S::start,
            };
            let search = start(&content, language, self.strategy.clone());
            Arc::make_mut(&mut self.visited).insert(file);
            return FolderStage::Content {
                file,
                search,
                is_whole: !is_reduced,
            };
        }
        match self.has_changed {
            true => self.deleting(),
            false => self.each_entry(),
        }
    }
}

impl<S: ContentReduction> Search for FolderSearch<S> {
    type Candidate = Candidate;

    fn is_ready(&self) -> bool {
        self.query.is_some() || matches!(self.stage, FolderStage::Finished)
    }

    fn prepare(&mut self) {
        if self.is_ready() {
            return;
        }
        if let FolderStage::Joined { search, .. } | FolderStage::Content { search, .. } =
            &mut self.stage
            && !search.is_ready()
        {
            search.prepare();
            return;
        }
        match self.next_query() {
            None => self.next_stage(),
            Some(query) if !self.is_state(&query.candidate) => self.skip(),
            query => self.query = query,
        }
    }

    fn ask(&self) -> Option<Query<Candidate>> {
        self.query.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        match &mut self.stage {
            FolderStage::Deleting(search)
            | FolderStage::Emptying(search)
            | FolderStage::EachEntry(search) => search.search.tell(verdict),
            FolderStage::Closures(search) => search.tell(verdict),
            FolderStage::Joined { search, .. } | FolderStage::Content { search, .. } => {
                search.tell(verdict);
            }
            FolderStage::Finished => {}
        }
        if verdict.is_interesting() {
            self.best = self.best_of_stage();
        }
        self.query = None;
    }

    fn skip(&mut self) {
        match &mut self.stage {
            FolderStage::Deleting(search)
            | FolderStage::Emptying(search)
            | FolderStage::EachEntry(search) => search.search.skip(),
            FolderStage::Closures(search) => search.skip(),
            FolderStage::Joined { search, .. } | FolderStage::Content { search, .. } => {
                search.skip();
            }
            FolderStage::Finished => {}
        }
        self.query = None;
    }

    fn best(&self) -> Candidate {
        self.best.clone()
    }
}

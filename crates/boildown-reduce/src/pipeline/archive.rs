//! The search that reduces an archive.

use std::cmp::Reverse;
use std::sync::Arc;

use boildown_document::{Archive, Candidate, Language, is_binary};
use boildown_search::list::{List, ListAlgorithm as _};
use boildown_search::{AnyListSearch, Query, Search, Subset, Verdict};
use rpds::QueueSync;

use super::pass_id::PassId;
use crate::strategy::{NamePolicy, Strategy, TrivialInputs};

/// The search that reduces the content of a member.
pub(super) trait ContentReduction: Search<Candidate = Candidate> {
    fn start(content: &Arc<[u8]>, language: Option<&'static Language>, strategy: Strategy) -> Self;

    /// Starts on a content that was reduced before. If it is an archive of which nothing can be
    /// removed, it is not reduced as bytes.
    fn start_again(
        content: &Arc<[u8]>,
        language: Option<&'static Language>,
        strategy: Strategy,
    ) -> Self;

    /// Starts on a content whose whole reduction found nothing more: only the passes run that prove
    /// it 1-minimal.
    fn start_proof(
        content: &Arc<[u8]>,
        language: Option<&'static Language>,
        strategy: Strategy,
    ) -> Self;

    /// Starts on the texts of a folder as one input, the main language of which is given.
    fn start_joined(joined: &Arc<[u8]>, main: &'static Language, strategy: Strategy) -> Self;

    /// Starts to replace words in the texts of a folder as one input, and nothing else.
    fn start_redaction(joined: &Arc<[u8]>, strategy: Strategy) -> Self;

    /// Returns the pass at work; `None` when finished.
    fn pass(&self) -> Option<PassId>;

    /// Returns whether the result is proved to be 1-minimal.
    fn is_proved(&self) -> bool;

    /// Ends the pass at work and begins the next one.
    fn skip_pass(&mut self);
}

/// A search that removes members of an archive and reduces the contents of the others.
///
/// It runs in rounds, until a whole round has made nothing smaller:
///
/// 1. Deletes members.
/// 2. Empties members that cannot be deleted.
/// 3. Joins the members, if readers take their contents for one, and writes the archive without
///    comments and extra fields.
/// 4. Reduces the content of each member, the largest first, with the whole reduction that such a
///    file gets alone: by its language if the name or the text tells it, and as an archive if it is
///    one. They take turns: a content waits after each of its passes, so that the large deletions
///    of all come before the small ones of any.
/// 5. At the end gives the members names of one letter, with the extension if it is needed.
///
/// Every candidate is an archive that readers accept: offsets, sizes, counts and checksums are
/// right, or as wrong as they were.
///
/// # Guarantee
/// When finished: no single member can be deleted or emptied, and no reduction of a single member
/// finds anything. It is not proved that no byte of the archive can be deleted.
/// # Cost
/// That of its reductions. A query packs one content.
#[derive(Debug, Clone)]
pub(super) struct ArchiveSearch<S> {
    strategy: Strategy,
    archive: Arc<Archive>,
    /// The archive as a candidate.
    whole: Candidate,
    stage: ArchiveStage<S>,
    /// The query of the stage; `None` before it is known, and when finished. It is kept because
    /// packing a content takes time.
    query: Option<Query<Candidate>>,
    best: Candidate,
    /// The extent of the archive when the round began.
    extent: usize,
    /// The bytes that it started from.
    start: Arc<[u8]>,
    /// Whether each content was reduced in an earlier round.
    is_later_round: bool,
    /// Whether it was reduced before, as the content of another archive.
    was_reduced: bool,
}

#[derive(Debug, Clone)]
enum ArchiveStage<S> {
    /// Over the members.
    Deleting(AnyListSearch),
    /// Over the members: those that are not kept become empty.
    Emptying(AnyListSearch),
    /// One query: the archive in another form.
    Other(OtherForm, Arc<Archive>),
    /// The reduction of a content.
    Content {
        member: usize,
        search: S,
        /// The pass of this turn.
        pass: Option<PassId>,
        waiting: QueueSync<WaitingContent<S>>,
    },
    Finished,
}

/// Another form of an archive, which is tried as a whole.
#[derive(Debug, Clone, Copy)]
enum OtherForm {
    /// All contents in one member.
    Joined,
    /// Without comments and extra fields.
    Bare,
    /// With single letters as names.
    Letters,
    /// With single letters before the extensions of names.
    Extensions,
}

/// The largest archive with a damaged member, in bytes, that is reduced as bytes.
const DAMAGED: usize = 1 << 20;

/// A content whose turn comes later.
#[derive(Debug, Clone)]
struct WaitingContent<S> {
    member: usize,
    /// `None` before its first turn.
    search: Option<Arc<S>>,
}

impl<S: ContentReduction> ArchiveSearch<S> {
    /// Starts on an archive.
    pub(super) fn new(bytes: &Arc<[u8]>, archive: Archive, mut strategy: Strategy) -> Self {
        if strategy.trivial == TrivialInputs::Reported {
            // A trivial member is no trivial archive.
            strategy.trivial = TrivialInputs::Untried;
        }
        let whole = Candidate::whole(bytes);
        let mut search = Self {
            strategy,
            best: whole.clone(),
            whole,
            extent: archive.extent(),
            archive: Arc::new(archive),
            stage: ArchiveStage::Finished,
            query: None,
            start: Arc::clone(bytes),
            is_later_round: false,
            was_reduced: false,
        };
        search.stage = ArchiveStage::Deleting(search.members());
        search
    }

    /// Marks it as the content of another archive that was reduced before.
    pub(super) fn reduced_before(mut self) -> Self {
        self.was_reduced = true;
        self
    }

    /// Returns whether it has finished and its bytes are next: nothing was removed, or a member
    /// that is left is damaged.
    pub(super) fn leaves_bytes(&self) -> bool {
        let mut members = 0..self.archive.count();
        let best = self.best.bytes();
        !self.was_reduced
            && matches!(self.stage, ArchiveStage::Finished)
            && (*best == self.start
                || best.len() <= DAMAGED && members.any(|member| !self.archive.is_sound(member)))
    }

    /// Returns the best archive, and the strategy.
    pub(super) fn result(&self) -> (&Arc<[u8]>, &Strategy) {
        (self.best.bytes(), &self.strategy)
    }

    /// Returns the pass at work; `None` when finished.
    pub(super) fn pass(&self) -> Option<PassId> {
        match &self.stage {
            ArchiveStage::Deleting(_) | ArchiveStage::Emptying(_) | ArchiveStage::Other(..) => {
                Some(PassId::PARTS)
            }
            ArchiveStage::Content { search, .. } => search.pass(),
            ArchiveStage::Finished => None,
        }
    }

    /// Ends the pass at work and begins the next one.
    pub(super) fn skip_pass(&mut self) {
        match &mut self.stage {
            ArchiveStage::Content { search, .. } => search.skip_pass(),
            ArchiveStage::Finished => {}
            _ => self.next_stage(),
        }
        self.query = None;
    }

    fn members(&self) -> AnyListSearch {
        let weights = (0..self.archive.count()).map(|member| self.archive.weight(member));
        let algorithm = self.strategy.algorithm.clone().unwrap_or_default();
        algorithm.on(List::weighted(weights))
    }

    fn next_query(&self) -> Option<Query<Candidate>> {
        match &self.stage {
            ArchiveStage::Deleting(search) | ArchiveStage::Emptying(search) => {
                Some(search.ask()?.map(|kept| self.candidate(&kept)))
            }
            ArchiveStage::Other(_, other) => Some(Query {
                candidate: Candidate::whole(&other.write()?.into()),
                odds: 0.9,
            })
            .filter(|query| query.candidate.bytes() != self.whole.bytes()),
            ArchiveStage::Content { member, search, .. } => {
                let query = search.ask()?;
                Some(query.map(|content| self.with_content(*member, content)))
            }
            ArchiveStage::Finished => None,
        }
    }

    /// Returns the size of the largest archive that is asked about. A content that is smaller can
    /// be larger when it is packed: on the way from a thousand equal lines to one of them, the
    /// archive grows. It never becomes larger than the one that the search started from.
    fn largest(&self) -> usize {
        match self.stage {
            ArchiveStage::Content { .. } => self.start.len(),
            _ => self.best.bytes().len(),
        }
    }

    fn skip_query(&mut self) {
        match &mut self.stage {
            ArchiveStage::Deleting(search) | ArchiveStage::Emptying(search) => search.skip(),
            ArchiveStage::Content { search, .. } => search.skip(),
            ArchiveStage::Other(..) => self.next_stage(),
            ArchiveStage::Finished => {}
        }
    }

    /// Returns the best candidate of the stage at work.
    fn best_of_stage(&self) -> Candidate {
        match &self.stage {
            ArchiveStage::Deleting(search) | ArchiveStage::Emptying(search) => {
                let kept = search.best();
                match kept.count() == self.archive.count() {
                    true => self.whole.clone(),
                    false => self.candidate(&kept),
                }
            }
            ArchiveStage::Content { member, search, .. } => {
                self.with_content(*member, search.best())
            }
            ArchiveStage::Other(..) | ArchiveStage::Finished => self.whole.clone(),
        }
    }

    /// Begins the stage after this one, with what this one has found.
    fn next_stage(&mut self) {
        self.commit();
        let stage = std::mem::replace(&mut self.stage, ArchiveStage::Finished);
        self.stage = match stage {
            ArchiveStage::Deleting(_) => ArchiveStage::Emptying(self.members()),
            ArchiveStage::Emptying(_) => self.other_form(OtherForm::Joined),
            ArchiveStage::Other(form, _) => self.after_form(form),
            ArchiveStage::Content { waiting, .. } => self.content(waiting),
            ArchiveStage::Finished => ArchiveStage::Finished,
        };
    }

    /// Takes over the best archive of the stage at work.
    fn commit(&mut self) {
        let best = match &self.stage {
            ArchiveStage::Deleting(search) => {
                let kept = search.best();
                (kept.count() < self.archive.count())
                    .then(|| self.archive.with_members(kept.iter()))
            }
            ArchiveStage::Emptying(search) => emptied(&self.archive, &search.best()),
            ArchiveStage::Content { member, search, .. } => {
                let best = search.best();
                let is_new = self.archive.content(*member) != Some(best.bytes());
                is_new
                    .then(|| self.archive.with_content(*member, best.bytes()))
                    .flatten()
            }
            ArchiveStage::Other(..) | ArchiveStage::Finished => None,
        };
        if let Some(archive) = best
            && let Some(bytes) = archive.write()
        {
            self.archive = Arc::new(archive);
            self.whole = Candidate::whole(&bytes.into());
        }
    }

    /// Returns whether the content at work has ended a pass while others wait.
    fn is_turn_over(&self) -> bool {
        matches!(&self.stage, ArchiveStage::Content { search, pass, waiting, .. }
            if !waiting.is_empty() && search.pass().is_some() && search.pass() != *pass)
    }

    /// Lets the content at work wait behind all others.
    fn end_turn(&mut self) {
        self.commit();
        match std::mem::replace(&mut self.stage, ArchiveStage::Finished) {
            ArchiveStage::Content {
                member,
                search,
                mut waiting,
                ..
            } => {
                waiting.enqueue_mut(WaitingContent {
                    member,
                    search: Some(Arc::new(search)),
                });
                self.stage = self.content(waiting);
            }
            other => self.stage = other,
        }
    }

    /// Begins to ask about a form of the archive, or about the next one if it has none.
    fn other_form(&mut self, form: OtherForm) -> ArchiveStage<S> {
        let keeps_names = self.strategy.names == NamePolicy::Preserved;
        let other = match form {
            OtherForm::Joined => self.archive.joined(),
            OtherForm::Bare => self.archive.bare(),
            _ if keeps_names => None,
            OtherForm::Letters => self.archive.with_short_names(false),
            OtherForm::Extensions => self.archive.with_short_names(true),
        };
        match other {
            Some(other) => ArchiveStage::Other(form, Arc::new(other)),
            None => self.after_form(form),
        }
    }

    /// Begins the stage after a form.
    fn after_form(&mut self, form: OtherForm) -> ArchiveStage<S> {
        match form {
            OtherForm::Joined => self.other_form(OtherForm::Bare),
            OtherForm::Bare => self.contents(),
            OtherForm::Letters => self.other_form(OtherForm::Extensions),
            OtherForm::Extensions => ArchiveStage::Finished,
        }
    }

    /// Begins to reduce contents, the largest first.
    fn contents(&mut self) -> ArchiveStage<S> {
        let size = |member: usize| {
            self.archive
                .content(member)
                .map_or(0, |content| content.len())
        };
        let mut members: Vec<usize> = (0..self.archive.count())
            .filter(|&member| size(member) > 0)
            .collect();
        members.sort_by_key(|&member| Reverse(size(member)));
        let waiting = members.into_iter().map(|member| WaitingContent {
            member,
            search: None,
        });
        self.content(waiting.collect())
    }

    /// Begins or continues to reduce the next content, or begins the next round, or finishes.
    fn content(&mut self, mut waiting: QueueSync<WaitingContent<S>>) -> ArchiveStage<S> {
        let next = waiting.peek().cloned();
        waiting.dequeue_mut();
        let content = next.and_then(|next| Some((self.archive.content(next.member)?, next)));
        if let Some((content, WaitingContent { member, search })) = content {
            let start = match self.is_later_round {
                true => S::start_again,
                false => S::start,
            };
            let search = match search {
                Some(search) => Arc::unwrap_or_clone(search),
                None => {
                    let language = language(&self.archive.name(member), content);
                    start(content, language, self.strategy.clone())
                }
            };
            return ArchiveStage::Content {
                member,
                pass: search.pass(),
                search,
                waiting,
            };
        }
        self.is_later_round = true;
        let extent = self.archive.extent();
        if extent < std::mem::replace(&mut self.extent, extent) {
            ArchiveStage::Deleting(self.members())
        } else {
            self.other_form(OtherForm::Letters)
        }
    }

    /// Returns the candidate with these members, of those that are deleted or emptied.
    fn candidate(&self, kept: &Subset) -> Candidate {
        let archive = match &self.stage {
            ArchiveStage::Emptying(_) => emptied(&self.archive, kept),
            _ => Some(self.archive.with_members(kept.iter())),
        };
        let bytes = archive.and_then(|archive| archive.write());
        bytes.map_or_else(
            || self.whole.clone(),
            |bytes| Candidate::whole(&bytes.into()),
        )
    }

    /// Returns the candidate with another content of a member.
    fn with_content(&self, member: usize, content: Candidate) -> Candidate {
        match self.archive.content(member) == Some(content.bytes()) {
            true => self.whole.clone(),
            false => (self.whole).with_member(Arc::clone(&self.archive), member, content),
        }
    }
}

/// Returns the archive in which the members that are not kept are empty; `None` when none of them
/// changes.
fn emptied(archive: &Archive, kept: &Subset) -> Option<Archive> {
    let mut is_kept = vec![false; archive.count()];
    for member in kept.iter() {
        is_kept[member] = true;
    }
    let empty: Arc<[u8]> = Arc::new([]);
    let mut emptied = None;
    for member in (0..archive.count()).filter(|&member| !is_kept[member]) {
        if archive
            .content(member)
            .is_some_and(|content| !content.is_empty())
        {
            let before = emptied.as_ref().unwrap_or(archive);
            emptied = Some(before.with_content(member, &empty)?);
        }
    }
    emptied
}

/// Returns the language of a member, or of a file of a folder.
pub(super) fn language(name: &str, content: &[u8]) -> Option<&'static Language> {
    if is_binary(content) {
        return None;
    }
    Language::detect(name, content).or_else(|| Language::guess(content))
}

impl<S: ContentReduction> Search for ArchiveSearch<S> {
    type Candidate = Candidate;

    fn is_ready(&self) -> bool {
        self.query.is_some() || matches!(self.stage, ArchiveStage::Finished)
    }

    /// Looks at the next query of the stage: asks about its archive, or moves past it when that is
    /// too large.
    fn prepare(&mut self) {
        if self.is_ready() {
            return;
        }
        if self.is_turn_over() {
            self.end_turn();
            return;
        }
        if let ArchiveStage::Content { search, .. } = &mut self.stage
            && !search.is_ready()
        {
            search.prepare();
            return;
        }
        match self.next_query() {
            None => self.next_stage(),
            Some(query) if query.candidate.bytes().len() > self.largest() => self.skip_query(),
            query => self.query = query,
        }
    }

    fn ask(&self) -> Option<Query<Candidate>> {
        self.query.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        match &mut self.stage {
            ArchiveStage::Deleting(search) | ArchiveStage::Emptying(search) => search.tell(verdict),
            ArchiveStage::Content { search, .. } => search.tell(verdict),
            ArchiveStage::Other(_, other) => {
                if verdict.is_interesting()
                    && let Some(query) = &self.query
                {
                    self.archive = Arc::clone(other);
                    self.whole = query.candidate.clone();
                }
                self.next_stage();
            }
            ArchiveStage::Finished => {}
        }
        if verdict.is_interesting() {
            self.best = self.best_of_stage();
        }
        self.query = None;
    }

    fn skip(&mut self) {
        self.skip_query();
        self.query = None;
    }

    fn best(&self) -> Candidate {
        self.best.clone()
    }
}

#[cfg(test)]
mod tests {
    use boildown_search::run;

    use super::*;
    use crate::reduction;

    /// An archive that Python's `zipfile` wrote, of the members `readme.txt`, `data.json`
    /// (deflated, with other keys) and `x/empty`.
    const WRITTEN: &[u8] = include_bytes!("../../tests/fixtures/members.zip");

    /// Reduces the archive for a property of its members.
    fn reduced(holds: impl Fn(&Archive) -> bool) -> Archive {
        let search = reduction(&WRITTEN.into(), None, Strategy::default());
        let search = run(search, |candidate| match Archive::read(candidate.bytes()) {
            Some(zip) if holds(&zip) => Verdict::Interesting,
            _ => Verdict::Uninteresting,
        });
        Archive::read(search.best().bytes()).expect("candidates are archives")
    }

    fn content(zip: &Archive, name: &str) -> Option<String> {
        let member = (0..zip.count()).find(|&member| zip.name(member) == name)?;
        Some(String::from_utf8_lossy(zip.content(member)?).into_owned())
    }

    #[test]
    fn the_content_of_a_member_is_reduced_by_its_language() {
        let zip = reduced(|zip| {
            let data = content(zip, "data.json").unwrap_or_default();
            let json = Language::named("JSON").unwrap();
            data.contains("\"needle\"") && json.errors(data.as_bytes()) == 0
        });
        assert_eq!(zip.count(), 1);
        assert_eq!(content(&zip, "data.json").unwrap(), "\"needle\"");
    }

    #[test]
    fn large_deletions_in_all_contents_come_before_small_ones_in_any() {
        let entries = |name: &str| {
            let entries = (0..40).map(|number| format!("\"{name} {number}\": [{number}, 2, 3]"));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        };
        let zip = Archive::read(WRITTEN).expect("an archive");
        let with = |zip: Archive, name: &str, text: &str| {
            let member = (0..zip.count()).find(|&member| zip.name(member) == name);
            let text: Arc<[u8]> = text.as_bytes().into();
            member
                .and_then(|member| zip.with_content(member, &text))
                .expect("a member")
        };
        let zip = with(zip, "data.json", &entries("first"));
        let zip = with(zip, "readme.txt", &entries("second"));
        let start: Arc<[u8]> = zip.write().expect("it is small").into();
        let mut sizes = Vec::new();
        let search = reduction(&start, None, Strategy::default());
        run(search, |candidate: &Candidate| {
            let holds = Archive::read(candidate.bytes()).is_some_and(|zip| {
                let [data, readme] = ["data.json", "readme.txt"].map(|name| content(&zip, name));
                data.is_some_and(|text| text.contains("\"first 30\": ["))
                    && readme.is_some_and(|text| text.contains("\"second 7\": ["))
            });
            sizes.push((candidate.bytes().len(), holds));
            match holds {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            }
        });
        let smallest = |sizes: &[(usize, bool)]| {
            let held = sizes.iter().filter(|(_, holds)| *holds);
            held.map(|(size, _)| *size).min().expect("some are smaller")
        };
        let early = smallest(&sizes[..sizes.len() / 3]);
        assert!(
            early < smallest(&sizes) + 60,
            "{early} after a third of {}",
            sizes.len()
        );
    }

    #[test]
    fn a_content_that_packs_larger_on_the_way_becomes_smaller() {
        let zip = Archive::read(WRITTEN).expect("an archive");
        let member = (0..zip.count()).find(|&member| zip.name(member) == "readme.txt");
        let lines = format!("{}inside\n{}", "two\n".repeat(400), "two\n".repeat(100));
        let content_of_lines: Arc<[u8]> = lines.as_bytes().into();
        let zip = member.and_then(|member| zip.with_content(member, &content_of_lines));
        let start: Arc<[u8]> = zip.and_then(|zip| zip.write()).expect("it is small").into();
        let search = reduction(&start, None, Strategy::default());
        let search = run(search, |candidate| {
            assert!(candidate.bytes().len() <= start.len());
            // At last its bytes are tried, too.
            let text = Archive::read(candidate.bytes()).and_then(|zip| content(&zip, "readme.txt"));
            match text.is_some_and(|text| text.contains("inside")) {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            }
        });
        let left = Archive::read(search.best().bytes()).expect("candidates are archives");
        assert_eq!(content(&left, "readme.txt").unwrap(), "inside");
    }

    #[test]
    fn an_archive_of_which_nothing_can_be_removed_is_reduced_as_bytes() {
        let search = reduction(&WRITTEN.into(), None, Strategy::default());
        // What fails is the reader of archives, on everything that is none.
        let search = run(search, |candidate| {
            let bytes = candidate.bytes();
            let is_named = bytes.windows(10).any(|window| window == b"readme.txt");
            match **bytes == *WRITTEN || is_named && Archive::read(bytes).is_none() {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            }
        });
        assert_eq!(&**search.best().bytes(), b"readme.txt");
    }

    #[test]
    fn a_member_that_cannot_be_unpacked_is_reduced_as_bytes() {
        let mut damaged = WRITTEN.to_vec();
        let name = damaged.windows(9).position(|it| it == b"data.json");
        let data = name.unwrap() + 9;
        damaged[data..data + 4].fill(0xff);
        let search = reduction(&damaged.into(), None, Strategy::default());
        let search = run(search, |candidate| {
            let has = |part: &[u8]| candidate.bytes().windows(part.len()).any(|it| it == part);
            match has(b"PK\x03\x04") && has(b"\xff\xff\xff\xff") {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            }
        });
        assert_eq!(search.best().bytes().len(), 8);
    }

    #[test]
    fn members_that_have_to_exist_become_empty() {
        let zip = reduced(|zip| content(zip, "readme.txt").is_some() && zip.count() == 3);
        assert_eq!(zip.extent(), 3);
    }
}

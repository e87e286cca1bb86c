//! Candidates: inputs to be tested, as kept and replaced tokens of a document.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use boildown_folder::{FolderInput, FolderText, Listing};
use boildown_search::{Fingerprint, Fingerprinted, Subset};

use crate::archive::Archive;
use crate::document::{Substitutes, append_to_joined, parts_of_joined};
use crate::{Document, View};

/// An input to be tested: some tokens of a document, a few of them replaced by other texts. The
/// bytes are made once, when they are first needed.
#[derive(Debug, Clone)]
pub struct Candidate {
    document: Arc<Document>,
    kept: Subset,
    /// The texts that replace kept tokens.
    substitutes: Arc<Substitutes>,
    /// What the candidate is a part of, if it is more than the document.
    container: Option<CandidateContainer>,
    check: Check,
    rendered: Arc<Rendered>,
}

/// What was made of a candidate.
#[derive(Debug, Default)]
struct Rendered {
    bytes: OnceLock<Arc<[u8]>>,
    fingerprint: OnceLock<Fingerprint>,
}

/// What holds a candidate.
#[derive(Debug, Clone)]
enum CandidateContainer {
    /// The archive whose member is changed; the document is the whole archive.
    Archive(Arc<ChangedMember>),
    /// The folder, of which one file may be changed; the document is that file.
    Folder(Arc<FolderState>),
}

/// A state of a folder, and another content of one of its files.
#[derive(Debug)]
struct FolderState {
    listing: Arc<Listing>,
    text: Arc<FolderText>,
    change: FolderChange,
}

/// What a candidate changes in a state of a folder.
#[derive(Debug)]
enum FolderChange {
    Nothing,
    /// The content of a file.
    File(usize, Candidate),
    /// The texts that were joined, which are these files.
    Joined(Arc<BTreeSet<usize>>, Candidate),
}

/// A member of an archive, with another content.
#[derive(Debug)]
struct ChangedMember {
    archive: Arc<Archive>,
    member: usize,
    content: Candidate,
}

/// The check of the parse gate on a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// That it has no more syntax errors than the best candidate; else it is skipped.
    Parses,
    /// Nothing: it is tested in any case.
    Nothing,
}

impl Candidate {
    /// Returns the candidate that keeps these tokens of a document.
    #[must_use]
    pub fn new(document: Arc<Document>, kept: Subset, check: Check) -> Self {
        Self {
            document,
            kept,
            substitutes: Arc::default(),
            container: None,
            check,
            rendered: Arc::default(),
        }
    }

    /// Returns the candidate with these bytes, as one token.
    pub fn whole(bytes: &Arc<[u8]>) -> Self {
        let document = Document::new(bytes, View::Bytes(usize::MAX));
        let kept = Subset::full(document.len());
        Self::new(Arc::new(document), kept, Check::Nothing)
    }

    /// Returns this candidate, of an archive, with another content of a member.
    #[must_use]
    pub fn with_member(&self, archive: Arc<Archive>, member: usize, content: Self) -> Self {
        let changed = ChangedMember {
            archive,
            member,
            content,
        };
        Self {
            container: Some(CandidateContainer::Archive(Arc::new(changed))),
            rendered: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns the candidate that is this state of a folder.
    pub fn of_folder(listing: &Arc<Listing>, text: &Arc<FolderText>) -> Self {
        let state = FolderState {
            listing: Arc::clone(listing),
            text: Arc::clone(text),
            change: FolderChange::Nothing,
        };
        Self {
            container: Some(CandidateContainer::Folder(Arc::new(state))),
            ..Self::whole(&Arc::default())
        }
    }

    /// Returns the candidate that is this state of a folder, with this content of a file.
    pub fn with_file(
        listing: &Arc<Listing>,
        text: &Arc<FolderText>,
        file: usize,
        content: Self,
    ) -> Self {
        let state = FolderState {
            listing: Arc::clone(listing),
            text: Arc::clone(text),
            change: FolderChange::File(file, content.clone()),
        };
        Self {
            container: Some(CandidateContainer::Folder(Arc::new(state))),
            rendered: Arc::default(),
            ..content
        }
    }

    /// Returns the candidate that is this state of a folder, with the texts of these files as in a
    /// joined text.
    pub fn with_joined(
        listing: &Arc<Listing>,
        text: &Arc<FolderText>,
        files: &Arc<BTreeSet<usize>>,
        joined: Self,
    ) -> Self {
        let state = FolderState {
            listing: Arc::clone(listing),
            text: Arc::clone(text),
            change: FolderChange::Joined(Arc::clone(files), joined.clone()),
        };
        Self {
            container: Some(CandidateContainer::Folder(Arc::new(state))),
            rendered: Arc::default(),
            ..joined
        }
    }

    /// Returns whether this is a state of a folder whose joined texts, if there are any, are joined
    /// texts still.
    pub fn is_joined_whole(&self) -> bool {
        match &self.container {
            Some(CandidateContainer::Folder(state)) => match &state.change {
                FolderChange::Joined(files, joined) => {
                    let (listing, text) = (&state.listing, &state.text);
                    text_of_joined(listing, text, files, joined.bytes()).is_some()
                }
                FolderChange::Nothing | FolderChange::File(..) => true,
            },
            Some(CandidateContainer::Archive(_)) | None => true,
        }
    }

    /// Replaces kept tokens by other texts.
    #[must_use]
    pub fn with(self, substitutes: Arc<Substitutes>) -> Self {
        Self {
            substitutes,
            rendered: Arc::default(),
            ..self
        }
    }

    /// Returns what the parse gate is to check.
    #[must_use]
    pub fn check(&self) -> Check {
        self.check
    }

    /// Returns the bytes.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        if self.is_whole() {
            return self.document.bytes();
        }
        self.rendered.bytes.get_or_init(|| {
            let written = match &self.container {
                Some(CandidateContainer::Archive(changed)) => changed.write(),
                Some(CandidateContainer::Folder(state)) => Some(state.write()),
                None => None,
            };
            let rendered = || self.document.render_with(&self.kept, &self.substitutes);
            written.unwrap_or_else(rendered).into()
        })
    }

    /// Returns the size in bytes: of a state of a folder, that of its files.
    #[must_use]
    pub fn size(&self) -> usize {
        match &self.container {
            Some(CandidateContainer::Folder(_)) => {
                let bytes = FolderText::size_in(self.bytes()).bytes;
                usize::try_from(bytes).unwrap_or(usize::MAX)
            }
            Some(CandidateContainer::Archive(_)) | None => self.bytes().len(),
        }
    }

    /// Returns whether this is a state of a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        matches!(self.container, Some(CandidateContainer::Folder(_)))
    }

    /// Returns the document whose tokens are kept.
    #[must_use]
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// Returns the tokens of the document that are kept.
    #[must_use]
    pub fn kept(&self) -> &Subset {
        &self.kept
    }

    /// Returns the texts that replace kept tokens, by token.
    pub fn substitutes(&self) -> &Substitutes {
        &self.substitutes
    }

    /// Returns the number of tokens, as the document counts them. If tokens were replaced, the
    /// bytes are read anew to count them.
    #[must_use]
    pub fn token_count(&self) -> usize {
        if self.substitutes.is_empty() {
            return self.document.count_tokens(&self.kept);
        }
        let document = Document::new(self.bytes(), self.document.view());
        document.count_tokens(&Subset::full(document.len()))
    }

    /// Returns whether the kept tokens say all: nothing is replaced, and the document is the whole
    /// input or a file of a folder.
    #[must_use]
    pub fn is_deletion(&self) -> bool {
        self.substitutes.is_empty()
            && !matches!(self.container, Some(CandidateContainer::Archive(_)))
    }

    /// Returns whether this is the whole document, unchanged.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.substitutes.is_empty()
            && self.container.is_none()
            && self.kept.count() == self.document.len()
    }
}

/// Joins those of these entries of a folder that are texts. Returns which they are, and the joined
/// text.
#[must_use]
pub fn joined_texts(
    input: &FolderInput,
    text: &FolderText,
    entries: impl IntoIterator<Item = usize>,
) -> (BTreeSet<usize>, Vec<u8>) {
    let mut joined = Vec::new();
    let mut files = BTreeSet::new();
    for entry in entries {
        let path = &input.listing.entries()[entry].path;
        if let Some(content) = input.content_in(text, entry)
            && append_to_joined(&mut joined, path, &content)
        {
            files.insert(entry);
        }
    }
    (files, joined)
}

/// Returns a state of a folder in which those files are left that a joined text has, with their
/// texts in it. `None` if that is no joined text of these files.
pub fn text_of_joined(
    listing: &Listing,
    text: &FolderText,
    files: &BTreeSet<usize>,
    joined: &[u8],
) -> Option<FolderText> {
    let parts = match joined.is_empty() {
        true => Vec::new(),
        false => parts_of_joined(joined)?,
    };
    let mut changed: BTreeMap<usize, Arc<[u8]>> = (text.changed().iter())
        .filter(|(file, _)| !files.contains(file))
        .map(|(&file, content)| (file, Arc::clone(content)))
        .collect();
    let mut left = BTreeSet::new();
    for part in parts {
        let file = listing.find(&joined[part.path])?;
        if !files.contains(&file) || !left.insert(file) {
            return None;
        }
        let content = &joined[part.content];
        let is_same = text
            .changed()
            .get(&file)
            .is_some_and(|before| **before == *content);
        match text.changed().get(&file).filter(|_| is_same) {
            Some(before) => changed.insert(file, Arc::clone(before)),
            None => changed.insert(file, content.into()),
        };
    }
    let is_left = |&entry: &usize| match listing.entries()[entry].is_folder() {
        // A folder that was empty before stays.
        true => !(entry + 1..listing.end(entry)).any(|inside| text.is_kept(inside)),
        false => !files.contains(&entry) || left.contains(&entry),
    };
    Some(FolderText::new(
        listing,
        text.kept().filter(is_left),
        changed,
    ))
}

impl FolderState {
    fn write(&self) -> Vec<u8> {
        let listing = &self.listing;
        match &self.change {
            FolderChange::Nothing => self.text.write(listing),
            FolderChange::File(file, content) => {
                let text = self.text.with_content(listing, *file, content.bytes());
                text.write(listing)
            }
            FolderChange::Joined(files, content) => {
                let text = text_of_joined(listing, &self.text, files, content.bytes());
                text.unwrap_or_else(|| FolderText::clone(&self.text))
                    .write(listing)
            }
        }
    }
}

impl ChangedMember {
    /// Returns the bytes of the archive; `None` when it is too large for the format.
    fn write(&self) -> Option<Vec<u8>> {
        let content = self.content.bytes();
        self.archive.with_content(self.member, content)?.write()
    }
}

impl AsRef<[u8]> for Candidate {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

impl Fingerprinted for Candidate {
    fn fingerprint(&self) -> Fingerprint {
        let fingerprint = || fingerprint(self.bytes());
        *self.rendered.fingerprint.get_or_init(fingerprint)
    }
}

/// Returns the hash by which equal inputs are recognised.
pub fn fingerprint(bytes: &[u8]) -> Fingerprint {
    shortened(&blake3::hash(bytes))
}

/// Returns the hash by which equal lists of texts are recognised. Each text is hashed with its
/// length, so that texts cannot be divided in another way.
pub fn fingerprint_of_texts<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Fingerprint {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    shortened(&hasher.finalize())
}

/// Returns the first half of a hash.
fn shortened(hash: &blake3::Hash) -> Fingerprint {
    let (bits, _) = hash
        .as_bytes()
        .split_first_chunk::<16>()
        .expect("a hash has 32 bytes");
    Fingerprint::new(u128::from_le_bytes(*bits))
}

//! Options of a reduction.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use boildown_exec::{Access, FolderResult, Measurements, Proposer, Scratch, WarmStatus, fsx};
use boildown_folder::FolderText;
use boildown_oracle::OracleError;
use boildown_search::Fingerprint;
use boildown_store::{KnownResults, ResumedBest, RunStore, fingerprint_of};

use super::confirming_runs::ConfirmingRuns;
use crate::event::Progress;

/// Options of a reduction.
#[derive(Debug, Clone, Default)]
pub struct ReduceOptions {
    /// The file or folder that holds the best result so far. At every moment it is complete.
    pub output: Option<ResultOutput>,
    /// What the texts of the reduction are.
    pub form: InputForm,
    /// The list to which each content of the output is added before it is written.
    pub known_results: Option<KnownResults>,
    /// Stop when the best result is this small.
    pub target_size: Option<TargetSize>,
    /// The best result of earlier sessions, which is in the output already. It stays there until
    /// the search, which starts from its beginning, has passed it.
    pub resumed_best: Option<ResumedBest>,
    /// A result that is in the output already and has the property. Larger ones are not written
    /// before the search has finished.
    pub at_hand: Option<Arc<[u8]>>,
    /// Skips passes from another thread. Has no effect before the search has passed the resumed
    /// best.
    pub skip_pass: SkipPass,
    /// Whether the best result is run again now and then, to confirm it. If the property does not
    /// hold on it, the reduction stops, and the result is the last one that was confirmed. For
    /// properties that should hold always or never.
    pub confirm: bool,
    /// How many runs confirm it.
    pub confirming: ConfirmingRuns,
    /// The scratch space of the runner, which counts the runs of its command. Without it, the
    /// summary counts what the search was answered.
    pub scratch: Option<Arc<Scratch>>,
    /// What is known about warm runs, if candidates are run so. When one turns out to differ from
    /// fresh runs, the reduction starts again from the last result that was confirmed.
    pub warm: Option<Arc<WarmStatus>>,
    /// What was measured of the candidates so far. If most of the latest ones took a time within
    /// the noise of its limit and removed little, the reduction stops: smaller results would have
    /// the property by chance.
    pub measurements: Arc<Measurements>,
    /// Programs that propose candidates when the search has finished. If one of these is the new
    /// best result, the search starts again from it.
    pub proposers: Vec<Proposer>,
}

/// Where the best result so far is written.
#[derive(Debug, Clone)]
pub enum ResultOutput {
    /// A file.
    File {
        /// Its path.
        path: PathBuf,
        /// What it may permit.
        access: Access,
    },
    /// A folder, of whose states the texts are.
    Folder(Arc<FolderResult>),
}

impl ResultOutput {
    /// Returns the fingerprint by which a later run recognises this result.
    pub(super) fn content(&self, text: &[u8]) -> Fingerprint {
        match self {
            Self::File { .. } => fingerprint_of(text),
            Self::Folder(folder) => fingerprint_of_folder(folder.content_hash(text)),
        }
    }

    /// Replaces the result in one step. On a full disk, the store makes room for it.
    pub(super) fn write(&self, text: &[u8], store: Option<&RunStore>) -> Result<(), OracleError> {
        self.in_room_of(store, text, || match self {
            Self::File { path, access } => fsx::write_atomic(path, text, *access),
            Self::Folder(folder) => folder.write(text),
        })
    }

    /// Replaces the result as [`write`](Self::write), and returns when it is on the disk.
    pub(super) fn write_durable(
        &self,
        text: &[u8],
        store: Option<&RunStore>,
    ) -> Result<(), OracleError> {
        self.in_room_of(store, text, || match self {
            Self::File { path, access } => fsx::write_durable(path, text, *access),
            Self::Folder(folder) => folder.write_durable(text),
        })
    }

    fn in_room_of(
        &self,
        store: Option<&RunStore>,
        text: &[u8],
        write: impl Fn() -> Result<(), OracleError>,
    ) -> Result<(), OracleError> {
        let form = match self {
            Self::File { .. } => InputForm::File,
            Self::Folder(_) => InputForm::Folder,
        };
        write_in_room_of(store, form.size(text), write)
    }
}

/// Writes a result of this size. On a full disk, the store makes room for it.
///
/// # Errors
/// As `write`.
pub fn write_in_room_of(
    store: Option<&RunStore>,
    size: usize,
    write: impl Fn() -> Result<(), OracleError>,
) -> Result<(), OracleError> {
    let is_full = |error: &OracleError| {
        let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
        matches!(error, OracleError::File { source, .. } if full.contains(&source.kind()))
    };
    match write() {
        Err(error) if is_full(&error) && store.is_some_and(|store| store.make_room_for(size)) => {
            write()
        }
        written => written,
    }
}

/// Returns the fingerprint by which a folder with the files of this hash is recognised.
pub fn fingerprint_of_folder(content_hash: Option<String>) -> Fingerprint {
    fingerprint_of(format!("folder {}", content_hash.unwrap_or_default()).as_bytes())
}

/// What the texts of a reduction are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InputForm {
    /// The content of a file.
    #[default]
    File,
    /// States of a folder.
    Folder,
}

impl InputForm {
    /// Returns the size of a text in bytes: of a state of a folder, that of its files.
    pub fn size(self, text: &[u8]) -> usize {
        match self {
            Self::File => text.len(),
            Self::Folder => usize::try_from(FolderText::size_in(text).bytes).unwrap_or(usize::MAX),
        }
    }
}

/// The size at which a reduction stops before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetSize {
    /// In tokens. Not reached while a pass works on lines or bytes, which counts no tokens.
    Tokens(usize),
    /// In bytes.
    Bytes(usize),
    /// Whatever is left when tests remove little more: less than a hundredth in the last third of
    /// them, at least 30.
    Plateau,
}

impl TargetSize {
    /// Returns whether the best result is no larger.
    pub(super) fn is_reached(self, progress: &Progress) -> bool {
        match self {
            Self::Plateau => false,
            Self::Bytes(most) => progress.bytes <= most,
            Self::Tokens(most) => progress.tokens.is_some_and(|tokens| tokens <= most),
        }
    }
}

/// A handle that makes a reduction skip the rest of its current pass, from another thread.
#[derive(Debug, Clone, Default)]
pub struct SkipPass(Arc<AtomicBool>);

impl SkipPass {
    /// Asks the reduction to continue with the next pass.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether a skip was requested since the last call.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_size_in_tokens_is_not_reached_where_tokens_are_not_counted() {
        let with = |tokens| Progress {
            bytes: 9,
            tokens,
            ..Progress::default()
        };
        assert!(TargetSize::Tokens(3).is_reached(&with(Some(3))));
        assert!(!TargetSize::Tokens(3).is_reached(&with(Some(4))));
        assert!(!TargetSize::Tokens(3).is_reached(&with(None)));
        assert!(TargetSize::Bytes(9).is_reached(&with(None)));
        assert!(!TargetSize::Bytes(8).is_reached(&with(None)));
    }
}

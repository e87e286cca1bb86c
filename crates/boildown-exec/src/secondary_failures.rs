//! Secondary failures: candidates that fail differently from the input. The smallest candidate of
//! each signature is kept.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Access, DirHandle, FolderResult, Project, fsx, remove_tree};
use boildown_folder::FolderText;
use boildown_oracle::{Answer, Interrupt, Oracle, OracleError, Signature};

/// An oracle that passes on the answers of another oracle and collects secondary failures.
///
/// An uninteresting candidate that crashes with another signature than the input may have found
/// another bug. The smallest such candidate of each signature is written to a folder.
///
/// The search runs candidates speculatively, so the collected failures may depend on the number of
/// jobs.
#[derive(Debug)]
pub struct SecondaryFailureCollector<O> {
    oracle: O,
    /// The signature of the input.
    expected: Option<Signature>,
    folder: FailureFolder,
    form: CandidateForm,
    /// The file in that folder that is the input itself.
    input: Option<PathBuf>,
    failures: Mutex<SecondaryFailures>,
}

/// The folder that the smallest candidates are written to, which is accessible to its owner only.
#[derive(Debug, Clone)]
pub struct FailureFolder {
    /// The directory that the user chose for the result.
    pub base: PathBuf,
    /// The path of the folder below it. No link leads there: what is found in place of a directory
    /// is replaced by one.
    pub below: PathBuf,
}

impl FailureFolder {
    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.base.join(&self.below)
    }

    /// Writes a file of the folder. Returns its path.
    ///
    /// # Errors
    /// Those of the system.
    pub fn write(&self, name: &OsStr, bytes: &[u8]) -> io::Result<PathBuf> {
        fsx::write_in(&self.open()?, name, bytes, Access::OWNER)?;
        Ok(self.path().join(name))
    }

    /// Opens the folder, and creates it if there is none.
    fn open(&self) -> io::Result<DirHandle> {
        let base = DirHandle::open(&self.base)?;
        base.create_private_subdirectory(&self.below)
    }
}

/// What candidates are, and how they are written.
#[derive(Debug)]
enum CandidateForm {
    /// Files with this extension, with its dot; empty when the input has none.
    File { extension: String },
    /// States of the folder of this project, each written as a folder.
    Folder(Arc<Project>),
}

impl CandidateForm {
    /// Returns the size of a candidate in bytes: of a state of a folder, that of its files.
    fn size(&self, candidate: &[u8]) -> usize {
        match self {
            Self::File { .. } => candidate.len(),
            Self::Folder(_) => {
                let bytes = FolderText::size_in(candidate).bytes;
                usize::try_from(bytes).unwrap_or(usize::MAX)
            }
        }
    }

    /// Replaces what has a name in a folder by a candidate.
    fn write(&self, folder: &DirHandle, name: &OsStr, candidate: &[u8]) -> Result<(), String> {
        let path = folder.path().join(name);
        let written = match self {
            Self::File { .. } => {
                fsx::write_in(folder, name, candidate, Access::OWNER).map_err(|source| {
                    OracleError::File {
                        action: "write",
                        path,
                        source,
                    }
                })
            }
            Self::Folder(project) => FolderResult::new(Arc::clone(project), path).write(candidate),
        };
        written.map_err(|error| error.to_string())
    }
}

/// The maximum number of signatures that are kept.
const MAX_SIGNATURES: usize = 16;

/// The secondary failures of a session.
#[derive(Debug, Clone, Default)]
pub struct SecondaryFailures {
    by_signature: BTreeMap<Signature, SecondaryFailure>,
    /// Files, or folders, of earlier sessions whose failures this session has not seen, with their
    /// sizes in bytes, sorted by name.
    pub earlier: Vec<(PathBuf, u64)>,
    /// The number of runs whose signatures were not kept.
    pub left_out: u64,
    /// The error of the first candidate that could not be written.
    pub write_error: Option<String>,
}

/// A failure that differs from the one of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondaryFailure {
    /// The signature, which distinguishes it from other failures.
    pub signature: Signature,
    /// The file or folder with the smallest candidate that fails in this way.
    pub file: PathBuf,
    /// The size of that candidate in bytes.
    pub bytes: usize,
    /// The number of runs that failed in this way.
    pub runs: u64,
}

impl<O> SecondaryFailureCollector<O> {
    /// Returns an oracle that answers like `oracle` and writes secondary failures to `folder`.
    ///
    /// `expected` is the signature of the input. A file of an earlier session is only replaced by a
    /// smaller candidate.
    pub fn new(
        oracle: O,
        expected: Option<Signature>,
        folder: FailureFolder,
        input: &Path,
    ) -> Self {
        let extension = input.extension().map_or_else(String::new, |extension| {
            format!(".{}", OsStr::to_string_lossy(extension))
        });
        Self {
            oracle,
            expected,
            folder,
            form: CandidateForm::File { extension },
            input: None,
            failures: Mutex::default(),
        }
    }

    /// Returns this collector for candidates that are states of the folder of a project.
    #[must_use]
    pub fn of_folder(mut self, project: Arc<Project>) -> Self {
        self.form = CandidateForm::Folder(project);
        self
    }

    /// Returns this collector for an input that is a file of the same folder: the candidate of
    /// another search. It is not replaced, and no failure of this search.
    #[must_use]
    pub fn except(mut self, input: PathBuf) -> Self {
        self.input = Some(input);
        self
    }

    /// Returns the failures collected so far.
    pub fn failures(&self) -> SecondaryFailures {
        let mut failures = self.lock().clone();
        let files = fs::read_dir(self.folder.path())
            .into_iter()
            .flatten()
            .flatten();
        let is_new = |path: &PathBuf| failures.by_signature.values().all(|one| one.file != *path);
        // A folder that was being written when a session was killed has a name with a dot.
        let is_hidden = |path: &Path| {
            (path.file_name()).is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
        };
        let mut earlier: Vec<_> = files
            .filter_map(|file| Some((file.path(), size_at(&file.path())?)))
            .filter(|(path, _)| {
                is_new(path) && !is_hidden(path) && Some(path) != self.input.as_ref()
            })
            .collect();
        earlier.sort();
        failures.earlier = earlier;
        failures
    }

    fn lock(&self) -> MutexGuard<'_, SecondaryFailures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a failure, and writes its candidate if that is the smallest so far.
    fn record(&self, signature: &Signature, candidate: &[u8]) {
        let size = self.form.size(candidate);
        let mut failures = self.lock();
        if let Some(failure) = failures.by_signature.get_mut(signature) {
            failure.runs += 1;
            if size >= failure.bytes {
                return;
            }
            failure.bytes = size;
        } else {
            let Some(file) = self.file_for(&mut failures, signature) else {
                failures.left_out += 1;
                return;
            };
            let earlier = size_at(&file).unwrap_or(u64::MAX);
            let earlier = usize::try_from(earlier).unwrap_or(usize::MAX);
            let is_smaller = size < earlier;
            let failure = SecondaryFailure {
                signature: signature.clone(),
                file,
                bytes: size.min(earlier),
                runs: 1,
            };
            failures.by_signature.insert(signature.clone(), failure);
            if !is_smaller {
                return;
            }
        }
        let file = &failures.by_signature[signature].file;
        let name = file.file_name().unwrap_or_default();
        let written = (self.folder.open())
            .map_err(|error| error.to_string())
            .and_then(|folder| self.form.write(&folder, name, candidate));
        if let Err(error) = written {
            // The reduction continues: secondary failures are not its purpose.
            failures.write_error.get_or_insert(error);
        }
    }

    /// Returns the file for a new signature; `None` when the signature is not kept.
    ///
    /// When the maximum number of signatures is reached, the least severe failure is removed if the
    /// new one is more severe.
    fn file_for(&self, failures: &mut SecondaryFailures, signature: &Signature) -> Option<PathBuf> {
        if failures.by_signature.len() >= MAX_SIGNATURES {
            let (least, _) = failures.by_signature.last_key_value()?;
            if !signature.is_more_severe_than(least) {
                return None;
            }
            let (_, removed) = failures.by_signature.pop_last()?;
            failures.left_out += removed.runs;
            remove_tree(&removed.file).ok();
        }
        let name = signature.file_name();
        let extension = match &self.form {
            CandidateForm::File { extension } => extension,
            CandidateForm::Folder(_) => "",
        };
        let is_used = |file: &PathBuf| {
            Some(file) == self.input.as_ref()
                || failures.by_signature.values().any(|one| one.file == *file)
        };
        let names = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.clone())
            .chain(names)
            .map(|name| self.folder.path().join(format!("{name}{extension}")))
            .find(|file| !is_used(file))
    }
}

/// Returns the size of a file, or of all files in a folder, in bytes. `None` if it cannot be read.
fn size_at(path: &Path) -> Option<u64> {
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_dir() {
        return Some(found.len());
    }
    let entries = fs::read_dir(path).ok()?.flatten();
    let sizes = entries.filter_map(|entry| match entry.file_type().ok()?.is_symlink() {
        true => None,
        false => size_at(&entry.path()),
    });
    Some(sizes.sum())
}

impl SecondaryFailures {
    /// Returns the failures of this session, the most severe first.
    pub fn iter(&self) -> impl Iterator<Item = &SecondaryFailure> {
        self.by_signature.values()
    }
}

impl<O: Oracle> Oracle for SecondaryFailureCollector<O> {
    fn judge(&self, candidate: &[u8], interrupt: &Interrupt) -> Result<Answer, OracleError> {
        let answer = self.oracle.judge(candidate, interrupt)?;
        let signature = match &answer.run {
            Some(run) if !answer.verdict.is_interesting() => Signature::of_run(run),
            _ => None,
        };
        let is_expected = |signature: &Signature| {
            (self.expected.as_ref()).is_some_and(|expected| signature.is_of(expected))
        };
        if let Some(signature) = signature.filter(|signature| !is_expected(signature)) {
            self.record(&signature, candidate);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use boildown_oracle::{Outcome, Run, Verdict};

    /// An oracle whose runs print the candidate and exit with 1. Interesting when the candidate
    /// begins with the expected assertion.
    struct PrintsCandidate;

    impl Oracle for PrintsCandidate {
        fn judge(&self, candidate: &[u8], _: &Interrupt) -> Result<Answer, OracleError> {
            let interesting = candidate.starts_with(b"Assertion `cause' failed");
            Ok(Answer {
                verdict: [Verdict::Uninteresting, Verdict::Interesting][usize::from(interesting)],
                run: Some(Run::ended(Outcome::Exited(1), candidate.to_vec())),
            })
        }
    }

    /// Returns the failures collected from runs on the candidates.
    fn collect(folder: &Path, candidates: &[String]) -> SecondaryFailures {
        let expected =
            Signature::of_run(&Run::ended(Outcome::Exited(1), b"Assertion `cause' failed"));
        let collector = SecondaryFailureCollector::new(
            PrintsCandidate,
            expected,
            FailureFolder {
                base: folder.to_owned(),
                below: "others".into(),
            },
            Path::new("a.c"),
        );
        for candidate in candidates {
            let interrupt = Interrupt::new().unwrap();
            collector.judge(candidate.as_bytes(), &interrupt).unwrap();
        }
        collector.failures()
    }

    fn listed(failures: &SecondaryFailures) -> Vec<(String, usize, u64)> {
        failures
            .iter()
            .map(|failure| (failure.signature.to_string(), failure.bytes, failure.runs))
            .collect()
    }

    #[test]
    fn the_smallest_candidate_of_each_signature_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let candidates = [
            "Assertion `cause' failed",
            "error: no such thing",
            "panicked at a.rs:1:2:\nno more, and so on\nand so on",
            "Segmentation fault",
            "panicked at a.rs:3:4:\nno more, and so on\n",
            "panicked at a.rs:5:6:\nno more, and so on\nor not",
            "  Assertion `cause' failed, of something that the property does not like",
        ];
        let failures = collect(folder.path(), &candidates.map(ToOwned::to_owned));
        assert_eq!(
            listed(&failures),
            [
                ("SIGSEGV".to_owned(), 18, 1),
                ("panicked at a.rs:N:N: no more, and so on".to_owned(), 41, 3)
            ]
        );
        for failure in failures.iter() {
            assert_eq!(failure.file.parent().unwrap(), folder.path().join("others"));
            assert_eq!(failure.file.extension().unwrap(), "c");
            assert_eq!(fs::read(&failure.file).unwrap().len(), failure.bytes);
        }
        // A resumed session sees a larger candidate with the same signature.
        let larger = "Segmentation fault, and much more".to_owned();
        let failures = collect(folder.path(), &[larger]);
        assert_eq!(listed(&failures), [("SIGSEGV".to_owned(), 18, 1)]);
        // It does not see the other failure again.
        let [(file, bytes)] = &failures.earlier[..] else {
            panic!("{:?}", failures.earlier);
        };
        assert_eq!(fs::read(file).unwrap().len() as u64, *bytes);
        assert_eq!(*bytes, 41);
    }

    #[test]
    fn an_input_in_the_same_folder_stays_and_is_no_failure() {
        let folder = tempfile::tempdir().unwrap();
        let others = folder.path().join("others");
        collect(folder.path(), &["Segmentation fault, early".to_owned()]);
        let input = others.join("SIGSEGV.c");
        let place = FailureFolder {
            base: folder.path().to_owned(),
            below: "others".into(),
        };
        let collector =
            SecondaryFailureCollector::new(PrintsCandidate, None, place, Path::new("a.c"))
                .except(input.clone());
        let interrupt = Interrupt::new().unwrap();
        collector.judge(b"Segmentation fault", &interrupt).unwrap();
        let failures = collector.failures();
        let files: Vec<_> = failures.iter().map(|one| one.file.clone()).collect();
        assert_eq!(files, [input.with_file_name("SIGSEGV-2.c")]);
        assert!(failures.earlier.is_empty());
        assert_eq!(fs::read(input).unwrap(), b"Segmentation fault, early");
    }

    #[test]
    fn the_most_severe_failures_are_kept_when_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let letter = |number: u8| char::from(b'a' + number);
        let mut candidates: Vec<String> = (0..20)
            .map(|number| format!("panicked at {}.rs:1:1:\nx", letter(number)))
            .collect();
        candidates.push("Segmentation fault".to_owned());
        let failures = collect(folder.path(), &candidates);
        assert_eq!(failures.iter().count(), MAX_SIGNATURES);
        assert_eq!(failures.left_out, 5);
        assert_eq!(listed(&failures)[0].0, "SIGSEGV");
        let files = fs::read_dir(folder.path().join("others")).unwrap();
        assert_eq!(files.count(), MAX_SIGNATURES);
    }

    #[test]
    fn signatures_with_the_same_letters_have_different_files() {
        let folder = tempfile::tempdir().unwrap();
        let candidates = ["Assertion `a+b' failed", "Assertion `a-b' failed"];
        let failures = collect(folder.path(), &candidates.map(ToOwned::to_owned));
        let files: Vec<_> = failures
            .iter()
            .map(|failure| failure.file.file_name().unwrap())
            .collect();
        assert_eq!(
            files,
            ["Assertion-a-b-failed.c", "Assertion-a-b-failed-2.c"]
        );
    }

    #[test]
    fn a_candidate_that_cannot_be_written_is_reported_and_does_not_end_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let in_the_way = folder.path().join("file");
        fs::write(&in_the_way, "").unwrap();
        let failures = collect(&in_the_way, &["Segmentation fault".to_owned()]);
        assert_eq!(failures.iter().count(), 1);
        assert!(failures.write_error.is_some());
    }
}

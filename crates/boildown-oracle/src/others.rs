//! What fails otherwise than it should: the smallest candidate of each signature is kept.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::{Answer, Cancel, Oracle, OracleError, Signature, fsx};

/// An oracle that looks at what another one turned down: a candidate that crashes with another signature than the input is
/// a finding of its own.
///
/// Which candidates are run depends on speculation, so what is found may depend on the number of jobs.
#[derive(Debug)]
pub struct Watching<O> {
    oracle: O,
    /// The signature of the input.
    expected: Option<Signature>,
    /// Where the smallest are written.
    folder: PathBuf,
    /// What their names end in, with its dot.
    ending: String,
    seen: Mutex<Others>,
}

/// The most signatures that are kept.
const MOST: usize = 16;

/// What failed otherwise.
#[derive(Debug, Clone, Default)]
pub struct Others {
    found: BTreeMap<Signature, Other>,
    /// What earlier sessions left in the folder and this one has not seen: files and their sizes, by name.
    pub earlier: Vec<(PathBuf, u64)>,
    /// Runs whose signatures found no place.
    pub left_out: u64,
    /// What the system said when one could not be written.
    pub problem: Option<String>,
}

/// A failure that is not the one that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    /// What tells it from others.
    pub signature: Signature,
    /// The smallest candidate that shows it.
    pub file: PathBuf,
    /// Its size.
    pub bytes: usize,
    /// How many runs showed it.
    pub runs: u64,
}

impl<O> Watching<O> {
    /// Returns an oracle that answers as this one does. A smaller candidate that an earlier session left in the folder stays.
    pub fn new(oracle: O, expected: Option<Signature>, folder: PathBuf, input: &Path) -> Self {
        let ending = input.extension().map_or_else(String::new, |ending| {
            format!(".{}", OsStr::to_string_lossy(ending))
        });
        Self {
            oracle,
            expected,
            folder,
            ending,
            seen: Mutex::default(),
        }
    }

    /// Returns what was seen so far.
    pub fn seen(&self) -> Others {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut others = seen.clone();
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        others.earlier = files
            .filter_map(|file| Some((file.path(), file.metadata().ok()?.len())))
            .filter(|(path, _)| seen.found.values().all(|other| other.file != *path))
            .collect();
        others.earlier.sort();
        others
    }

    fn keep(&self, signature: &Signature, candidate: &[u8]) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = seen.found.get_mut(signature) {
            other.runs += 1;
            if candidate.len() >= other.bytes {
                return;
            }
            other.bytes = candidate.len();
        } else {
            let Some(file) = self.place(&mut seen, signature) else {
                seen.left_out += 1;
                return;
            };
            let earlier = fs::metadata(&file).map_or(u64::MAX, |there| there.len());
            let earlier = usize::try_from(earlier).unwrap_or(usize::MAX);
            let is_smaller = candidate.len() < earlier;
            let other = Other {
                signature: signature.clone(),
                file,
                bytes: candidate.len().min(earlier),
                runs: 1,
            };
            seen.found.insert(signature.clone(), other);
            if !is_smaller {
                return;
            }
        }
        let file = &seen.found[signature].file;
        let written = fs::create_dir_all(&self.folder)
            .map_err(|error| error.to_string())
            .and_then(|()| fsx::write_atomic(file, candidate).map_err(|error| error.to_string()));
        if let Err(problem) = written {
            // A finding less is no reason to end the reduction.
            seen.problem.get_or_insert(problem);
        }
    }

    /// A file for another signature. When all places are taken, the least grave failure gives way to a graver one.
    fn place(&self, seen: &mut Others, signature: &Signature) -> Option<PathBuf> {
        if seen.found.len() >= MOST {
            let (least, _) = seen.found.last_key_value()?;
            if !signature.is_graver(least) {
                return None;
            }
            let (_, other) = seen.found.pop_last()?;
            seen.left_out += other.runs;
            fs::remove_file(other.file).ok();
        }
        let name = signature.file_name();
        let taken = |file: &PathBuf| seen.found.values().any(|other| other.file == *file);
        let names = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.clone())
            .chain(names)
            .map(|name| self.folder.join(format!("{name}{}", self.ending)))
            .find(|file| !taken(file))
    }
}

impl Others {
    /// Returns the failures, the gravest first.
    pub fn iter(&self) -> impl Iterator<Item = &Other> {
        self.found.values()
    }
}

impl<O: Oracle> Oracle for Watching<O> {
    fn judge(&self, candidate: &[u8], cancel: &Cancel) -> Result<Answer, OracleError> {
        let answer = self.oracle.judge(candidate, cancel)?;
        let signature = match &answer.run {
            Some(run) if !answer.verdict.is_interesting() => Signature::of(run),
            _ => None,
        };
        if signature != self.expected
            && let Some(signature) = &signature
        {
            self.keep(signature, candidate);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Outcome, Run, Verdict};

    /// Prints its candidate and exits with 1; interesting when that mentions the cause.
    struct Echo;

    impl Oracle for Echo {
        fn judge(&self, candidate: &[u8], _: &Cancel) -> Result<Answer, OracleError> {
            let interesting = candidate.starts_with(b"Assertion `cause' failed");
            Ok(Answer {
                verdict: [Verdict::Uninteresting, Verdict::Interesting][usize::from(interesting)],
                run: Some(Run {
                    outcome: Outcome::Exited(1),
                    stdout: Vec::new(),
                    stderr: candidate.to_vec(),
                    took: Duration::ZERO,
                }),
            })
        }
    }

    fn watch(folder: &Path, candidates: &[String]) -> Others {
        let expected = Signature::of(&Run {
            outcome: Outcome::Exited(1),
            stdout: Vec::new(),
            stderr: b"Assertion `cause' failed".to_vec(),
            took: Duration::ZERO,
        });
        let watching = Watching::new(Echo, expected, folder.join("others"), Path::new("a.c"));
        for candidate in candidates {
            let cancel = Cancel::new().unwrap();
            watching.judge(candidate.as_bytes(), &cancel).unwrap();
        }
        watching.seen()
    }

    fn listed(others: &Others) -> Vec<(String, usize, u64)> {
        others
            .iter()
            .map(|other| (other.signature.to_string(), other.bytes, other.runs))
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
        let others = watch(folder.path(), &candidates.map(ToOwned::to_owned));
        assert_eq!(
            listed(&others),
            [
                ("SIGSEGV".to_owned(), 18, 1),
                ("panicked at a.rs:N:N: no more, and so on".to_owned(), 41, 3)
            ]
        );
        for other in others.iter() {
            assert_eq!(other.file.parent().unwrap(), folder.path().join("others"));
            assert_eq!(other.file.extension().unwrap(), "c");
            assert_eq!(fs::read(&other.file).unwrap().len(), other.bytes);
        }
        // A session that goes on sees a larger one of the same.
        let larger = "Segmentation fault, and much more".to_owned();
        let others = watch(folder.path(), &[larger]);
        assert_eq!(listed(&others), [("SIGSEGV".to_owned(), 18, 1)]);
        // The other one it does not see again.
        let [(file, bytes)] = &others.earlier[..] else {
            panic!("{:?}", others.earlier);
        };
        assert_eq!(fs::read(file).unwrap().len() as u64, *bytes);
        assert_eq!(*bytes, 41);
    }

    #[test]
    fn there_is_an_end_to_it_and_graver_failures_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let letter = |number: u8| char::from(b'a' + number);
        let mut candidates: Vec<String> = (0..20)
            .map(|number| format!("panicked at {}.rs:1:1:\nx", letter(number)))
            .collect();
        candidates.push("Segmentation fault".to_owned());
        let others = watch(folder.path(), &candidates);
        assert_eq!(others.iter().count(), MOST);
        assert_eq!(others.left_out, 5);
        assert_eq!(listed(&others)[0].0, "SIGSEGV");
        let files = fs::read_dir(folder.path().join("others")).unwrap();
        assert_eq!(files.count(), MOST);
    }

    #[test]
    fn signatures_with_the_same_letters_have_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let candidates = ["Assertion `a+b' failed", "Assertion `a-b' failed"];
        let others = watch(folder.path(), &candidates.map(ToOwned::to_owned));
        let files: Vec<_> = others
            .iter()
            .map(|other| other.file.file_name().unwrap())
            .collect();
        assert_eq!(
            files,
            ["Assertion-a-b-failed.c", "Assertion-a-b-failed-2.c"]
        );
    }

    #[test]
    fn what_cannot_be_written_is_said_and_ends_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let in_the_way = folder.path().join("file");
        fs::write(&in_the_way, "").unwrap();
        let others = watch(&in_the_way, &["Segmentation fault".to_owned()]);
        assert_eq!(others.iter().count(), 1);
        assert!(others.problem.is_some());
    }
}

//! The two states of a culprit search, and the command that runs in copies of them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use boildown_changes::{ChangesError, Contents, Entry, FilePath, FilterRuns, Repository, State};
use boildown_exec::Access;
use boildown_exec::spawn::Limits;
use boildown_oracle::Interrupt;
use boildown_session::changes::{HistoryPath, Revision, RevisionFiles, TreeCommand};
use boildown_store::FOLDER;

use super::args::ChangesArgs;
use super::known_history::KnownHistory;
pub(super) use super::repository_access::inside;
use crate::error::CliError;
use crate::report::format::EscapedPath as _;

/// The two states, the history between them, and the user's directory.
pub(super) struct RequestedStates {
    pub(crate) path: HistoryPath,
    pub(crate) contents: Contents,
    /// The current directory, relative to the root of the tree.
    pub(crate) dir: PathBuf,
    /// The files of the two states.
    ends: [State; 2],
    /// Notes for the user.
    pub(crate) notes: Vec<String>,
    /// What files may permit that are derived from the states.
    pub(crate) access: Access,
}

/// A file of the user that a word of the command names.
struct UserFile {
    /// The path as it was typed.
    typed: PathBuf,
    /// The word that names the file from everywhere.
    word: OsString,
    /// The file.
    path: PathBuf,
}

impl RequestedStates {
    /// Reads the states. The output and the store beside it are not part of them.
    pub(crate) fn new(
        args: &ChangesArgs,
        user_dir: &Path,
        output: &Path,
        interrupt: &Interrupt,
    ) -> Result<Self, CliError> {
        let dir = user_dir.join(output.parent().unwrap_or(Path::new("")));
        let dir = std::fs::canonicalize(&dir).unwrap_or(dir);
        let ours =
            [output.file_name().unwrap_or_default(), OsStr::new(FOLDER)].map(|name| dir.join(name));
        let are_directories = args.states.iter().all(|state| Path::new(state).is_dir());
        if args.releases || are_directories && args.states.len() == 2 && !args.worktree {
            return Self::directories(&args.states, &ours);
        }
        let repository = Repository::open(user_dir)?;
        let temporary = args.scratch.clone().unwrap_or_else(std::env::temp_dir);
        repository.set_filter_runs(FilterRuns::new(
            Limits::default(),
            interrupt.clone(),
            temporary,
        ));
        let dir = repository.path_in_work_tree(user_dir).unwrap_or_default();
        let known = KnownHistory::read(&args.history, &repository, &dir)?;
        let (old, new) = match known.ends {
            Some([good, bad]) => (good, Some(bad)),
            None => revisions(args)?,
        };
        let mut states = Self::revisions(repository, &old, new.as_deref(), user_dir, &ours)?;
        states.path.limits = known.limits;
        Ok(states)
    }

    /// Reads directories and archives, the first one good and the last one bad.
    fn directories(paths: &[OsString], ours: &[PathBuf]) -> Result<Self, CliError> {
        let contents = Contents::default();
        let mut revisions = Vec::new();
        for name in paths {
            let path = Path::new(name);
            if !path.exists() {
                return Err(CliError::usage(format!("there is no {}", path.display()))
                    .hint("--releases takes directories and archives, the oldest release first"));
            }
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let state = match path.is_dir() {
                true => contents.directory_state(&path, ours),
                false => contents.archive_state(&path),
            };
            revisions.push(Revision {
                name: name.to_string_lossy().into_owned(),
                files: RevisionFiles::State(state?),
            });
        }
        let state = |revision: Option<&Revision>| match revision.map(|revision| &revision.files) {
            Some(RevisionFiles::State(state)) => Some(state.clone()),
            _ => None,
        };
        let (Some(first), Some(last), 2..) = (
            state(revisions.first()),
            state(revisions.last()),
            revisions.len(),
        ) else {
            return Err(CliError::usage("only one state is given")
                .hint("give at least two of them, the good one first and the bad one last"));
        };
        Ok(Self {
            path: HistoryPath::through_states(revisions),
            contents,
            dir: PathBuf::new(),
            ends: [first, last],
            notes: Vec::new(),
            access: Access::of_all(paths),
        })
    }

    fn revisions(
        repository: Repository,
        old: &str,
        new: Option<&str>,
        user_dir: &Path,
        ours: &[PathBuf],
    ) -> Result<Self, ChangesError> {
        let dir = repository.path_in_work_tree(user_dir).unwrap_or_default();
        let good = repository.commit(old)?;
        let bad = repository.commit(new.unwrap_or("HEAD"))?;
        repository.set_attributes_commit(good.id);
        let mut notes = Vec::new();
        if repository.is_shallow() {
            notes.push(
                "the repository is shallow: the search covers the available history only"
                    .to_owned(),
            );
        }
        let contents = Contents::with_repository(repository);
        let uncommitted = match new {
            Some(_) => None,
            None => Some(Revision {
                name: "the work tree".to_owned(),
                files: RevisionFiles::State(contents.work_tree_state(ours)?),
            }),
        };
        let repository = contents.repository().expect("it was just given");
        let revision = |name: &str, id| Revision {
            name: name.to_owned(),
            files: RevisionFiles::Commit(id),
        };
        let old_state = repository.state(good.id)?;
        let new_state = match &uncommitted {
            Some(Revision {
                files: RevisionFiles::State(state),
                ..
            }) => state.clone(),
            _ => repository.state(bad.id)?,
        };
        let path = HistoryPath::through(
            repository,
            revision(old, good.id),
            revision(new.unwrap_or("HEAD"), bad.id),
            uncommitted,
        )?;
        let attributes = |state: &State| -> Vec<(FilePath, Entry)> {
            let files = state
                .iter()
                .filter(|(path, _)| path.ends_with(b".gitattributes"));
            files.map(|(path, entry)| (path.clone(), entry)).collect()
        };
        if attributes(&old_state) != attributes(&new_state) {
            notes.push(format!(
                ".gitattributes differs in {}: all files are written according to {old}",
                path.bad()
            ));
        }
        if path.revisions.len() == 2
            && good.parents.is_empty() != bad.parents.is_empty()
            && good.id != bad.id
        {
            // There is no history between a commit and its parent, nor between unrelated ones.
            let related = bad.parents.contains(&good.id) || good.parents.contains(&bad.id);
            if !related && new.is_some() {
                notes.push(format!(
                    "{old} and {} have no common history here: the whole difference is searched at once",
                    new.unwrap_or("HEAD")
                ));
            }
        }
        Ok(Self {
            path,
            contents,
            dir,
            ends: [old_state, new_state],
            notes,
            access: Access::of(user_dir),
        })
    }

    /// Returns the command that consists of these words.
    ///
    /// A word that names a file of both states refers to the file in the copy. A word that names
    /// another existing file of the user refers to that file, by its absolute path; but if `builds`
    /// and no state has it, to the file that a build makes in the copy, where it does.
    pub(crate) fn command(
        &mut self,
        words: &[OsString],
        user_dir: &Path,
        builds: bool,
    ) -> TreeCommand {
        let resolved: Vec<Option<UserFile>> = (words.iter().enumerate())
            .map(|(index, word)| {
                let is_name = index == 0 && !word.as_bytes().contains(&b'/');
                (!is_name).then(|| self.user_file(word, user_dir)).flatten()
            })
            .collect();
        let final_words = words.iter().zip(&resolved).map(|(word, file)| match file {
            Some(file) => file.word.clone(),
            None => word.clone(),
        });
        let mut command = TreeCommand::new(final_words.collect(), self.dir.clone());
        for (index, file) in resolved.into_iter().enumerate() {
            let Some(file) = file else { continue };
            let inside = inside(&self.dir, &file.typed);
            let is_made = builds && inside.is_some_and(|path| !self.is_in_any(&path));
            let (typed, user_path) = (file.typed.escaped(), file.path.escaped());
            let note = match is_made {
                true => format!(
                    "{typed} is not in both states: that of the build is used, or else your file {user_path}"
                ),
                false => format!("{typed} is not in both states: your file {user_path} is used"),
            };
            if is_made {
                command.prefer_made(index, words[index].clone(), file.typed);
            }
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        command
    }

    /// Returns the command that runs a script.
    pub(crate) fn script(&mut self, script: &Path, user_dir: &Path, builds: bool) -> TreeCommand {
        let word = if script.components().nth(1).is_none() && script.is_relative() {
            Path::new(".").join(script)
        } else {
            script.to_owned()
        };
        self.command(&[word.into_os_string()], user_dir, builds)
    }

    /// Returns the file that a word names, if it is no file of both states.
    fn user_file(&self, word: &OsStr, user_dir: &Path) -> Option<UserFile> {
        let bytes = word.as_bytes();
        let equals = bytes.iter().position(|&byte| byte == b'=');
        if let Some(equals) = equals.filter(|_| bytes.starts_with(b"-")) {
            let (option, value) = bytes.split_at(equals + 1);
            let mut file = self.user_file(OsStr::from_bytes(value), user_dir)?;
            let mut whole = OsStr::from_bytes(option).to_owned();
            whole.push(file.word);
            file.word = whole;
            return Some(file);
        }
        let path = Path::new(word);
        let user_path = user_dir.join(path);
        if path.is_absolute() || bytes.is_empty() || bytes.starts_with(b"-") || !user_path.exists()
        {
            return None;
        }
        let is_in_both = inside(&self.dir, path).is_some_and(|path| self.is_in_both(&path));
        (!is_in_both).then(|| UserFile {
            typed: path.to_owned(),
            word: user_path.clone().into_os_string(),
            path: user_path,
        })
    }

    /// Returns whether one of the two states has a file or a directory with this path.
    pub(super) fn is_in_any(&self, path: &FilePath) -> bool {
        self.ends.iter().any(|state| has(state, path))
    }

    /// Returns whether both states have a file or a directory with this path.
    fn is_in_both(&self, path: &FilePath) -> bool {
        path.is_empty() || self.ends.iter().all(|state| has(state, path))
    }
}

/// Returns whether a state has a file or a directory with this path.
fn has(state: &State, path: &FilePath) -> bool {
    let mut within = path.clone();
    within.push(b'/');
    state.get(path).is_some() || state.iter().any(|(file, _)| file.starts_with(&within))
}

/// Returns the two revisions. Without a second one, the second state is the work tree.
pub(super) fn revisions(args: &ChangesArgs) -> Result<(String, Option<String>), CliError> {
    let mut texts = Vec::new();
    for state in &args.states {
        let text = state.to_str().ok_or_else(|| {
            CliError::usage(format!("{} is not a revision", state.to_string_lossy()))
                .because("its name is not valid UTF-8")
        })?;
        texts.push(text);
    }
    let two = |old: &str, new: &str| {
        let or_head = |text: &str| if text.is_empty() { "HEAD" } else { text }.to_owned();
        (or_head(old), Some(or_head(new)))
    };
    let usage = "give two revisions, GOOD..BAD or GOOD BAD, or one revision and --worktree";
    match (&texts[..], args.worktree) {
        ([one], _) if one.contains("...") => {
            Err(CliError::usage(format!("`{one}` does not name two states"))
                .hint("three dots denote a set of commits; use two dots: GOOD..BAD"))
        }
        ([one], false) => match one.split_once("..") {
            Some((old, new)) => Ok(two(old, new)),
            None => Err(CliError::usage(format!("only one state is given, `{one}`"))
                .hint(usage)
                .hint(format!(
                    "{one}..HEAD, if the latest commit is the bad state"
                ))),
        },
        ([one], true) if one.contains("..") => Err(CliError::usage(
            "--worktree is the second state, but two states are given",
        )
        .hint(usage)),
        ([one], true) => Ok(((*one).to_owned(), None)),
        ([_, _], true) => Err(CliError::usage(
            "--worktree is the second state, but two states are given",
        )
        .hint(usage)),
        ([old, new], false) => Ok(two(old, new)),
        _ => Err(CliError::usage("more than two states are given").hint(usage)),
    }
}

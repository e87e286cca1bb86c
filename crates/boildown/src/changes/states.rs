//! From what the user typed to the two states, and the command that is run in them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use boildown_changes::{ChangesError, Contents, Entry, FilePath, Repository, State};
use boildown_oracle::store::FOLDER;
use boildown_session::changes::{At, Place, Row, TreeCommand};

use super::args::Changes;
use crate::error::{CliError, Kind};

/// The two states, what lies between, and where the user stands.
pub(crate) struct Given {
    pub(crate) row: Row,
    pub(crate) contents: Contents,
    /// Where the user stands, in the tree.
    pub(crate) dir: PathBuf,
    /// The files of both ends.
    ends: [State; 2],
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

pub(crate) fn wrong(what: impl Into<String>) -> CliError {
    CliError::new(Kind::Usage, what)
}

pub(crate) fn unreadable(error: &ChangesError) -> CliError {
    let kind = match error {
        ChangesError::Revision { .. } | ChangesError::Repository { .. } => Kind::Usage,
        _ => Kind::CannotRun,
    };
    let failed = CliError::failed_to(kind, error);
    match error {
        ChangesError::Repository { .. } => failed.hint(
            "run it inside a git repository, or give two directories: boildown changes old/ new/ -- COMMAND",
        ),
        _ => failed,
    }
}

impl Given {
    /// Understands the states. What is written beside `output` is no part of them.
    pub(crate) fn new(args: &Changes, user_dir: &Path, output: &Path) -> Result<Self, CliError> {
        let dir = user_dir.join(output.parent().unwrap_or(Path::new("")));
        let dir = std::fs::canonicalize(&dir).unwrap_or(dir);
        let ours =
            [output.file_name().unwrap_or_default(), OsStr::new(FOLDER)].map(|name| dir.join(name));
        if let [old, new] = &args.states[..]
            && Path::new(old).is_dir()
            && Path::new(new).is_dir()
            && !args.worktree
        {
            return Self::directories(Path::new(old), Path::new(new), args, &ours);
        }
        let (old, new) = revisions(args)?;
        Self::revisions(&old, new.as_deref(), user_dir, &ours).map_err(|error| unreadable(&error))
    }

    fn directories(
        old: &Path,
        new: &Path,
        args: &Changes,
        ours: &[PathBuf],
    ) -> Result<Self, CliError> {
        let contents = Contents::default();
        let read = |path: &Path| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            contents
                .directory(&path, ours)
                .map_err(|error| unreadable(&error))
        };
        let ends = [read(old)?, read(new)?];
        let place = |path: &OsStr, state: &State| Place {
            name: path.to_string_lossy().into_owned(),
            at: At::Files(state.clone()),
        };
        let row = Row::of_two(
            place(&args.states[0], &ends[0]),
            place(&args.states[1], &ends[1]),
        );
        Ok(Self {
            row,
            contents,
            dir: PathBuf::new(),
            ends,
            notes: Vec::new(),
        })
    }

    fn revisions(
        old: &str,
        new: Option<&str>,
        user_dir: &Path,
        ours: &[PathBuf],
    ) -> Result<Self, ChangesError> {
        let repository = Repository::open(user_dir)?;
        let dir = repository.inside(user_dir).unwrap_or_default();
        let good = repository.commit(old)?;
        let bad = repository.commit(new.unwrap_or("HEAD"))?;
        repository.attributes_of(good.id);
        let mut notes = Vec::new();
        if repository.is_shallow() {
            notes.push(
                "the repository is shallow: history is known only as far as it is here".to_owned(),
            );
        }
        let contents = Contents::of(repository);
        let uncommitted = match new {
            Some(_) => None,
            None => Some(Place {
                name: "the work tree".to_owned(),
                at: At::Files(contents.uncommitted(ours)?),
            }),
        };
        let Some(repository) = contents.repository() else {
            unreachable!("it was just given");
        };
        let place = |name: &str, id| Place {
            name: name.to_owned(),
            at: At::Commit(id),
        };
        let old_state = repository.state(good.id)?;
        let new_state = match &uncommitted {
            Some(Place {
                at: At::Files(state),
                ..
            }) => state.clone(),
            _ => repository.state(bad.id)?,
        };
        let row = Row::through(
            repository,
            place(old, good.id),
            place(new.unwrap_or("HEAD"), bad.id),
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
                ".gitattributes is another one in {}: all files are made as {old} says",
                row.places[row.places.len() - 1]
            ));
        }
        if row.places.len() == 2
            && good.parents.is_empty() != bad.parents.is_empty()
            && good.id != bad.id
        {
            // Neighbours, or strangers: both are fine, and only the second is worth a word.
            let related = bad.parents.contains(&good.id) || good.parents.contains(&bad.id);
            if !related && new.is_some() {
                notes.push(format!(
                    "{old} and {} share no history that is here: all that differs is searched at once",
                    new.unwrap_or("HEAD")
                ));
            }
        }
        Ok(Self {
            row,
            contents,
            dir,
            ends: [old_state, new_state],
            notes,
        })
    }

    /// Returns the command of these words.
    ///
    /// A word that names a file of both states means that of the tree. One that names another file of the user, beside where the command
    /// was typed, means that very file.
    pub(crate) fn command(&mut self, words: &[OsString], user_dir: &Path) -> TreeCommand {
        let words = (words.iter().enumerate())
            .map(|(place, word)| {
                let is_name = place == 0 && !word.as_bytes().contains(&b'/');
                if is_name {
                    word.clone()
                } else {
                    self.resolved(word, user_dir)
                }
            })
            .collect();
        TreeCommand::new(words, self.dir.clone())
    }

    /// Returns the command of a script.
    pub(crate) fn script(&mut self, script: &Path, user_dir: &Path) -> TreeCommand {
        let word = if script.components().nth(1).is_none() && script.is_relative() {
            Path::new(".").join(script)
        } else {
            script.to_owned()
        };
        self.command(&[word.into_os_string()], user_dir)
    }

    fn resolved(&mut self, word: &OsStr, user_dir: &Path) -> OsString {
        let bytes = word.as_bytes();
        let equals = bytes.iter().position(|&byte| byte == b'=');
        if let Some(equals) = equals.filter(|_| bytes.starts_with(b"-")) {
            let (option, value) = bytes.split_at(equals + 1);
            let value = self.resolved(OsStr::from_bytes(value), user_dir);
            let mut whole = OsStr::from_bytes(option).to_owned();
            whole.push(value);
            return whole;
        }
        let path = Path::new(word);
        let there = user_dir.join(path);
        if path.is_absolute() || bytes.is_empty() || bytes.starts_with(b"-") || !there.exists() {
            return word.to_owned();
        }
        if inside(&self.dir, path).is_some_and(|path| self.is_in_both(&path)) {
            return word.to_owned();
        }
        let note = format!(
            "{} is not in both states: it is yours, {}, that is used",
            path.display(),
            there.display()
        );
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
        there.into_os_string()
    }

    /// Whether both states have a file there, or a directory.
    fn is_in_both(&self, path: &FilePath) -> bool {
        let mut within = path.clone();
        within.push(b'/');
        path.is_empty()
            || self.ends.iter().all(|state| {
                state.get(path).is_some() || state.iter().any(|(file, _)| file.starts_with(&within))
            })
    }
}

/// A path of the user's directory as one of the tree, when it does not lead out of it.
fn inside(dir: &Path, path: &Path) -> Option<FilePath> {
    let whole = dir.join(path);
    let mut names: Vec<&[u8]> = Vec::new();
    for component in whole.components() {
        match component {
            Component::Normal(name) => names.push(name.as_bytes()),
            Component::CurDir => {}
            Component::ParentDir => drop(names.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(names.join(&b'/').into())
}

/// The two revisions; the second is the work tree when there is none.
fn revisions(args: &Changes) -> Result<(String, Option<String>), CliError> {
    let mut texts = Vec::new();
    for state in &args.states {
        let text = state.to_str().ok_or_else(|| {
            wrong(format!("{} is no revision", state.to_string_lossy()))
                .because("its name is not text")
        })?;
        texts.push(text);
    }
    let two = |old: &str, new: &str| {
        let or_head = |text: &str| if text.is_empty() { "HEAD" } else { text }.to_owned();
        (or_head(old), Some(or_head(new)))
    };
    let usage = "two revisions, GOOD..BAD or GOOD BAD; or one and --worktree";
    match (&texts[..], args.worktree) {
        ([one], _) if one.contains("...") => Err(wrong(format!("`{one}` is not two states"))
            .hint("with three dots it is a set of commits; use two: GOOD..BAD")),
        ([one], false) => match one.split_once("..") {
            Some((old, new)) => Ok(two(old, new)),
            None => Err(wrong(format!("there is only one state, `{one}`"))
                .hint(usage)
                .hint(format!("{one}..HEAD, if the last commit is the bad state"))),
        },
        ([one], true) if one.contains("..") => {
            Err(wrong("--worktree is the second state, and there are two already").hint(usage))
        }
        ([one], true) => Ok(((*one).to_owned(), None)),
        ([_, _], true) => {
            Err(wrong("--worktree is the second state, and there are two already").hint(usage))
        }
        ([old, new], false) => Ok(two(old, new)),
        _ => Err(wrong("there are more than two states").hint(usage)),
    }
}

//! Built versions of a program, from a good one to a bad one: entries of a folder, or commits that
//! are built there when they are needed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_changes::{Configuration, Contents, ObjectId, Repository, Workspace};
use boildown_exec::remove_tree;
use boildown_oracle::{Interrupt, Outcome};

use crate::error::{CliError, ExitKind};
use crate::explain::output_hints;
use crate::limits::run_program;
use crate::property::current_dir;
use crate::report::format::EscapedPath as _;

/// The time limit of a build.
const BUILD_TIMEOUT: Duration = Duration::from_secs(3600);

/// The fewest letters of a hash that name a commit.
const SHORTEST_HASH: usize = 7;

/// Versions of a program, the good one first and the bad one last.
pub(crate) struct BuiltVersions {
    versions: Vec<Version>,
    builder: Option<Builder>,
}

/// A version.
struct Version {
    name: String,
    dir: PathBuf,
    /// The commit to build, if it may have to be.
    commit: Option<ObjectId>,
}

/// Builds commits.
struct Builder {
    contents: Contents,
    line: OsString,
}

impl BuiltVersions {
    /// Lists the versions from `GOOD` to `BAD`: of the repository of the current directory, if both
    /// are revisions of it, or else by the numbers in the names of the entries.
    ///
    /// # Errors
    /// [`CliError`] when there are fewer than two.
    pub(crate) fn list(
        range: &str,
        folder: &Path,
        build: Option<&OsStr>,
    ) -> Result<Self, CliError> {
        let hint = "--same-culprit GOOD..BAD names two entries of --versions DIR, or two commits";
        let Some((good, bad)) = range.split_once("..") else {
            let what = format!("`--same-culprit {range}` is not GOOD..BAD");
            return Err(CliError::usage(what).hint(hint));
        };
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        if build.is_some() {
            fs::create_dir_all(&folder).ok();
        }
        let entries =
            fs::read_dir(&folder).map_err(|error| CliError::unreadable(&folder, error))?;
        let names = entries.flatten().filter(|entry| entry.path().is_dir());
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let names: Vec<String> = names.filter(|name| !name.ends_with(PARTIAL)).collect();
        let repository = Repository::open(&current_dir()?).ok();
        let commits = repository.as_ref().and_then(|repository| {
            let ends = [good, bad].map(|name| Some(repository.commit(name).ok()?.id));
            let [Some(good), Some(bad)] = ends else {
                return None;
            };
            let path = repository.history_path(good, bad)?;
            (path.turning_point == 0).then_some(path.commits)
        });
        let versions: Vec<Version> = match (&repository, commits) {
            (Some(repository), Some(commits)) => {
                let by_commit = by_commit(&names, repository);
                let version = |id: ObjectId| {
                    let name = by_commit.get(&id).cloned();
                    let name = name.or_else(|| build.map(|_| id.to_string()))?;
                    Some(Version {
                        dir: folder.join(&name),
                        name,
                        commit: build.map(|_| id),
                    })
                };
                commits.into_iter().filter_map(version).collect()
            }
            _ if build.is_some() => {
                let what = format!("--build: `{range}` are no commits of this repository");
                return Err(CliError::usage(what)
                    .hint("run it in the work tree, with GOOD an ancestor of BAD"));
            }
            _ => between(names, good, bad)
                .into_iter()
                .map(|name| Version {
                    dir: folder.join(&name),
                    name,
                    commit: None,
                })
                .collect(),
        };
        if versions.len() < 2 {
            let what = format!("{} does not have both ends of `{range}`", folder.escaped());
            return Err(CliError::usage(what)
                .hint(hint)
                .hint("--build LINE builds commits that it lacks"));
        }
        let builder = Builder::new(repository, build);
        Ok(Self { versions, builder })
    }

    /// Returns two versions: directories, or else commits of the repository of the current
    /// directory, built in a folder.
    ///
    /// # Errors
    /// [`CliError`] when one is neither.
    pub(crate) fn of_ends(
        ends: &[String; 2],
        folder: &Path,
        build: Option<&OsStr>,
    ) -> Result<Self, CliError> {
        let repository = Repository::open(&current_dir()?).ok();
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let version = |name: &String| {
            if Path::new(name).is_dir() {
                let dir = std::path::absolute(name).unwrap_or_else(|_| PathBuf::from(name));
                return Ok(Version {
                    name: name.clone(),
                    dir,
                    commit: None,
                });
            }
            let commit = repository
                .as_ref()
                .map(|repository| repository.commit(name));
            let Some(Ok(commit)) = commit else {
                let what = format!("`{name}` is no directory, and no commit of this repository");
                return Err(CliError::usage(what));
            };
            Ok(Version {
                dir: folder.join(commit.id.to_string()),
                name: name.clone(),
                commit: Some(commit.id),
            })
        };
        let versions: Vec<Version> = ends.iter().map(version).collect::<Result<_, _>>()?;
        if versions.iter().any(|version| version.commit.is_some()) {
            fs::create_dir_all(&folder).map_err(|error| {
                let what = format!("failed to create {}", folder.escaped());
                CliError::new(ExitKind::CannotRun, what).because(error)
            })?;
        }
        Ok(Self {
            versions,
            builder: Builder::new(repository, build),
        })
    }

    /// Returns the number of versions.
    pub(crate) fn len(&self) -> usize {
        self.versions.len()
    }

    /// Returns the name of a version: of a commit, an abbreviated hash.
    pub(crate) fn name(&self, index: usize) -> &str {
        let version = &self.versions[index];
        match version.commit {
            Some(_) if version.name.len() > 10 => &version.name[..10],
            _ => &version.name,
        }
    }

    /// Returns the directory of a version, which is built if it is missing; `None` if its build
    /// fails, and another version can take its place.
    ///
    /// # Errors
    /// [`CliError`] when an end cannot be built.
    pub(crate) fn dir(
        &self,
        index: usize,
        interrupt: &Interrupt,
    ) -> Result<Option<&Path>, CliError> {
        let version = &self.versions[index];
        let (Some(builder), Some(commit)) = (&self.builder, version.commit) else {
            return Ok(Some(&version.dir));
        };
        if version.dir.exists() {
            return Ok(Some(&version.dir));
        }
        let is_end = index == 0 || index + 1 == self.versions.len();
        match builder.build(commit, &version.dir, interrupt)? {
            None => Ok(Some(&version.dir)),
            Some(error) if is_end => Err(error),
            Some(_) => Ok(None),
        }
    }
}

/// The end of the name of a directory in which a build is made.
const PARTIAL: &str = ".partial";

impl Builder {
    fn new(repository: Option<Repository>, line: Option<&OsStr>) -> Option<Self> {
        let (repository, line) = repository.zip(line)?;
        Some(Self {
            contents: Contents::with_repository(repository),
            line: line.to_owned(),
        })
    }

    /// Builds a commit beside its place, and moves it there. Returns why its build failed, if so.
    fn build(
        &self,
        commit: ObjectId,
        dir: &Path,
        interrupt: &Interrupt,
    ) -> Result<Option<CliError>, CliError> {
        let failed = |why: String| {
            CliError::new(
                ExitKind::CannotRun,
                format!("failed to build commit {commit}"),
            )
            .because(why)
        };
        let mut root = dir.as_os_str().to_owned();
        root.push(PARTIAL);
        let root = PathBuf::from(root);
        // What a killed session left.
        remove_tree(&root).ok();
        let repository = self.contents.repository().expect("it was opened with one");
        let written = repository.state(commit).and_then(|state| {
            let mut workspace = Workspace::create(root.clone())?;
            let whole = Configuration::new(state, BTreeMap::new());
            workspace.update(&whole, &self.contents)
        });
        written.map_err(|error| failed(error.to_string()))?;
        let args = vec!["-c".into(), self.line.clone()];
        let run = run_program("sh".into(), args, &root, BUILD_TIMEOUT, interrupt)
            .map_err(CliError::before("the search"))?;
        if run.outcome != Outcome::Exited(0) {
            remove_tree(&root).ok();
            let error = failed(format!("the build {}", run.outcome));
            return Ok(Some(error.hints(output_hints(&run))));
        }
        fs::rename(&root, dir).map_err(|error| failed(error.to_string()))?;
        Ok(None)
    }
}

/// Returns the entries that name commits: by a hash, or the beginning of one, or a tag.
fn by_commit(names: &[String], repository: &Repository) -> BTreeMap<ObjectId, String> {
    let is_hash = |name: &str| {
        name.len() >= SHORTEST_HASH && name.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let is_revision =
        |name: &&String| is_hash(name) || name.contains(|it: char| it.is_ascii_digit());
    let named = names.iter().filter(is_revision);
    named
        .filter_map(|name| Some((repository.commit(name).ok()?.id, name.clone())))
        .collect()
}

/// Returns the names from one to another, in the order of the numbers in them.
fn between(mut names: Vec<String>, good: &str, bad: &str) -> Vec<String> {
    names.sort_by_key(|name| version_key(name));
    let place = |end: &str| names.iter().position(|name| name == end);
    match (place(good), place(bad)) {
        (Some(first), Some(last)) if first < last => names.drain(first..=last).collect(),
        _ => Vec::new(),
    }
}

/// Returns what versions are sorted by: numbers count as numbers, so that 1.10 follows 1.9.
fn version_key(name: &str) -> Vec<(u64, String)> {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let chunks = name
        .as_bytes()
        .chunk_by(|one, two| is_digit(one) == is_digit(two));
    let key = chunks.map(|chunk| {
        let text = String::from_utf8_lossy(chunk).into_owned();
        (
            text.parse().unwrap_or(0),
            text.trim_matches(|it: char| it.is_ascii_digit()).to_owned(),
        )
    });
    key.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_sorted_by_their_numbers() {
        let names = ["v1.10.0", "v1.9.2", "v1.9", "v2.0", "v0.1"].map(str::to_owned);
        let sorted = between(names.to_vec(), "v1.9", "v2.0");
        assert_eq!(sorted, ["v1.9", "v1.9.2", "v1.10.0", "v2.0"]);
        assert!(between(names.to_vec(), "v2.0", "v1.9").is_empty());
        assert!(between(names.to_vec(), "v1.9", "v3").is_empty());
    }
}

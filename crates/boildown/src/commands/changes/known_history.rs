//! The history between the two states, as the user and `git bisect` know it.

use std::path::Path;

use boildown_changes::{BisectLog, ChangesError, FilePath, HistoryLimits, ObjectId, Repository};

use super::args::HistoryArgs;
use super::repository_access::inside;
use crate::error::{CliError, ExitKind};

/// What is known about the history, with the two states if a `git bisect` knows them.
pub(super) struct KnownHistory {
    /// The good and the bad revision that `git bisect` knows.
    pub(super) ends: Option<[String; 2]>,
    pub(super) limits: HistoryLimits,
}

impl KnownHistory {
    /// Reads the options, and the log of `git bisect` if they ask for it. Paths are relative to
    /// `dir`, a directory of the work tree.
    pub(super) fn read(
        args: &HistoryArgs,
        repository: &Repository,
        dir: &Path,
    ) -> Result<Self, CliError> {
        let mut paths = Vec::new();
        for path in &args.path {
            let inside = inside(dir, path).ok_or_else(|| {
                CliError::usage(format!("{} is not in the work tree", path.display()))
                    .hint("--path takes a file or directory of the repository")
            })?;
            paths.push(inside);
        }
        let mut log = BisectLog::default();
        let mut ends = None;
        if let Some(file) = &args.bisect_log {
            log = read_log(file.as_deref(), repository)?;
            // The last ones are the nearest.
            let (good, bad) = (log.good.pop(), log.bad.pop());
            let (Some(good), Some(bad)) = (good, bad) else {
                return Err(
                    CliError::usage("git bisect knows no good and bad revision yet")
                        .hint("tell it: git bisect good REVISION; git bisect bad REVISION"),
                );
            };
            ends = Some([good, bad]);
            // Git writes them relative to the root.
            paths.extend(log.paths.iter().map(|path| FilePath::from(path.as_str())));
        }
        let limits = HistoryLimits {
            good: commits(repository, args.good.iter().chain(&log.good))?,
            skipped: commits(repository, args.skip.iter().chain(&log.skipped))?,
            first_parent: args.first_parent || log.first_parent,
            paths,
        };
        Ok(Self { ends, limits })
    }
}

/// Reads a saved log, or that of the bisection in progress.
fn read_log(file: Option<&Path>, repository: &Repository) -> Result<BisectLog, CliError> {
    let path = file.map_or_else(|| repository.bisect_log_path(), Path::to_owned);
    let failed = |what: &str| {
        CliError::new(
            ExitKind::InvalidUsage,
            format!("failed to take over from `git bisect`: {what}"),
        )
        .hint("start it with `git bisect start`, or save its log: git bisect log >FILE")
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|_| failed(&format!("there is no log {}", path.display())))?;
    BisectLog::parse(&text).ok_or_else(|| failed(&format!("{} is no log of it", path.display())))
}

/// Returns the commits of revisions, and of ranges `A..B`.
fn commits<'a>(
    repository: &Repository,
    revisions: impl Iterator<Item = &'a String>,
) -> Result<Vec<ObjectId>, CliError> {
    let mut all = Vec::new();
    for revision in revisions {
        let found = commits_of(repository, revision)?;
        all.extend(found);
    }
    Ok(all)
}

fn commits_of(repository: &Repository, revision: &str) -> Result<Vec<ObjectId>, ChangesError> {
    let Some((from, to)) = revision.split_once("..") else {
        return Ok(vec![repository.commit(revision)?.id]);
    };
    let [from, to] = [repository.commit(from)?.id, repository.commit(to)?.id];
    let graph = repository.commits_between(&[from], to, &HistoryLimits::default())?;
    Ok(graph.map(|graph| graph.commits).unwrap_or_default())
}

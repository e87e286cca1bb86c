//! The executor of runners whose commands run on a service.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use boildown_exec::{
    CandidateFile, CommandLine, Executor, Project, RunRequest, Runner, StdinContent, WordPart,
};
use boildown_oracle::{Interrupt, OracleError, Run};

use crate::connection::lock;
use crate::input_root::{SentFiles, common_directory};
use crate::wrapper::{Part, is_of_system};
use crate::{Grouping, RemoteCommand, RemoteError, RemoteRunner, RemoteService};

/// Runs the commands of runners on a service.
///
/// What a command names, and the project that it is run in, is uploaded before its first run. The
/// sandbox and the limits on memory and processes are those of the workers.
#[derive(Debug)]
pub struct RemoteExecutor {
    service: Arc<RemoteService>,
    /// Files that are sent although the command does not name them.
    files: Vec<PathBuf>,
    grouping: Grouping,
    /// The commands that were run so far: the one on candidates, and extra tests.
    commands: Mutex<Vec<PreparedCommand>>,
}

/// A command that was uploaded.
#[derive(Debug)]
struct PreparedCommand {
    command: CommandLine,
    file: CandidateFile,
    /// The hash of the project.
    project: Option<String>,
    timeout: Duration,
    runner: Arc<RemoteRunner>,
}

impl RemoteExecutor {
    /// Returns an executor that uses this connection.
    #[must_use]
    pub fn new(service: Arc<RemoteService>) -> Self {
        Self {
            service,
            files: Vec::new(),
            grouping: Grouping {
                size: 1,
                actions: 1,
            },
            commands: Mutex::default(),
        }
    }

    /// Returns this executor with files that are sent although no command names them.
    #[must_use]
    pub fn with_files(self, files: Vec<PathBuf>) -> Self {
        Self { files, ..self }
    }

    /// Returns this executor with several short runs in one action.
    #[must_use]
    pub fn with_grouping(self, grouping: Grouping) -> Self {
        Self { grouping, ..self }
    }

    /// Returns the runner of a command, which is uploaded if it is new.
    fn prepared(
        &self,
        runner: &Runner,
        request: &RunRequest<'_>,
    ) -> Result<Arc<RemoteRunner>, RemoteError> {
        let stated = runner.limits.timeout;
        let is_adaptive = request.limits.timeout != stated;
        let project = runner.project.as_ref().map(|project| project.hash());
        let mut commands = lock(&self.commands);
        let known = commands.iter().find(|known| {
            known.command == runner.command
                && known.file == runner.file
                && known.project.as_deref() == project
                && match is_adaptive {
                    true => known.timeout >= request.limits.timeout && known.timeout != stated,
                    false => known.timeout == stated,
                }
        });
        if let Some(known) = known {
            return Ok(Arc::clone(&known.runner));
        }
        let timeout = match is_adaptive {
            true => constant_limit(request.limits.timeout),
            false => stated,
        };
        let command = self.command(runner, timeout, request.limits.output_cap)?;
        let prepared = RemoteRunner::new(Arc::clone(&self.service), command)?;
        let prepared = Arc::new(prepared.grouping(self.grouping));
        commands.push(PreparedCommand {
            command: runner.command.clone(),
            file: runner.file.clone(),
            project: project.map(str::to_owned),
            timeout,
            runner: Arc::clone(&prepared),
        });
        Ok(prepared)
    }

    /// Returns the command of a runner with all that it needs.
    fn command(
        &self,
        runner: &Runner,
        timeout: Duration,
        output_cap: usize,
    ) -> Result<RemoteCommand, RemoteError> {
        let place = Place::of(runner)?;
        let mut files = SentFiles::default();
        let named = (runner.command.parts().flatten()).filter_map(|part| match part {
            WordPart::Other { path, .. } => Some(path.as_path()),
            _ => None,
        });
        let others: Vec<&Path> = (named.chain(self.files.iter().map(PathBuf::as_path)))
            .filter(|path| place.is_sent(path))
            .collect();
        let common = common_directory(others.iter().copied());
        for path in &others {
            files.add(&relative(path, &common)?, path)?;
        }
        let words = runner.command.parts().map(|word| {
            let parts = word.iter().map(|part| place.part(part, &common));
            parts.collect::<Result<Vec<_>, _>>()
        });
        Ok(RemoteCommand {
            words: words.collect::<Result<_, _>>()?,
            is_executable: runner.file.mode & 0o111 != 0,
            reads_candidate: runner.command.stdin() == StdinContent::Candidate,
            files,
            timeout,
            output_cap,
            company: place.company()?,
            candidate: place.candidate,
            dir: place.dir,
        })
    }
}

impl Executor for RemoteExecutor {
    fn execute(
        &self,
        runner: &Runner,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        self.prepared(runner, request)
            .and_then(|runner| runner.run(request.candidate, request.capture, interrupt))
            .map_err(|error| error.of_oracle(&self.service.address().to_string()))
    }
}

/// Returns a time limit for all runs of a session, from one that follows the runs so far. It is a
/// part of what results are cached by, so it has to be the same in other sessions too, although
/// their runs take other times.
fn constant_limit(adaptive: Duration) -> Duration {
    let seconds = adaptive.saturating_mul(2).as_secs().max(1);
    Duration::from_secs(seconds.checked_next_power_of_two().unwrap_or(seconds))
}

/// Where a command is run: in a directory that holds only the candidate, or in a project.
struct Place<'a> {
    project: Option<&'a Project>,
    candidate: String,
    dir: String,
}

impl<'a> Place<'a> {
    fn of(runner: &'a Runner) -> Result<Self, RemoteError> {
        let Some(project) = runner.project.as_deref() else {
            return Ok(Self {
                project: None,
                candidate: text(Path::new(&runner.file.name))?,
                dir: String::new(),
            });
        };
        let plan = project.plan();
        Ok(Self {
            project: Some(project),
            candidate: text(plan.input())?,
            dir: text(plan.user_dir())?,
        })
    }

    /// Returns the path in the project, if it is there.
    fn inner(&self, path: &Path) -> Option<PathBuf> {
        let project = self.project?;
        let inner = path.strip_prefix(project.plan().root()).ok()?;
        project.snapshot().join(inner).symlink_metadata().ok()?;
        Some(inner.to_owned())
    }

    /// Returns whether a file is neither in the project nor on every worker.
    fn is_sent(&self, path: &Path) -> bool {
        !is_of_system(path) && self.inner(path).is_none()
    }

    fn part(&self, part: &WordPart, common: &Path) -> Result<Part, RemoteError> {
        Ok(match part {
            WordPart::Text(word) => Part::Text(text(Path::new(word))?),
            WordPart::Items => {
                return Err(RemoteError::Unsendable {
                    what: "`{items}`".to_owned(),
                    reason: "each candidate has other items".to_owned(),
                });
            }
            WordPart::Path => Part::Candidate,
            // The shortest path that leads to the candidate.
            WordPart::Name(_) => match Path::new(&self.candidate).strip_prefix(&self.dir) {
                Ok(name) => Part::Text(text(name)?),
                Err(_) => Part::Candidate,
            },
            WordPart::Other { path, .. } => match self.inner(path) {
                Some(inner) => Part::Beside(text(&inner)?),
                None if is_of_system(path) => Part::Text(text(path)?),
                None => Part::Sent(relative(path, common)?),
            },
        })
    }

    /// Returns the files beside the candidate.
    fn company(&self) -> Result<SentFiles, RemoteError> {
        let mut files = SentFiles::default();
        if let Some(project) = self.project {
            files.add("", &project.snapshot())?;
        }
        Ok(files)
    }
}

fn relative(path: &Path, base: &Path) -> Result<String, RemoteError> {
    text(path.strip_prefix(base).unwrap_or(path))
}

fn text(path: &Path) -> Result<String, RemoteError> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| RemoteError::Unsendable {
            what: path.display().to_string(),
            reason: "it is not UTF-8; rename it".to_owned(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_limit_of_a_session_is_that_of_a_little_slower_or_faster_one() {
        let limit = |millis| constant_limit(Duration::from_millis(millis)).as_secs();
        assert_eq!((limit(2000), limit(2500), limit(3999)), (4, 8, 8));
        assert_eq!((limit(100), limit(70_000)), (1, 256));
    }
}

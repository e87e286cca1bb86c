//! Choice of the sandbox: the strict one, a looser one, or none.

use std::env;
use std::path::PathBuf;

use boildown_driver::map_at_once;
use boildown_exec::Runner;
use boildown_exec::spawn::{Permissions, Sandbox};
use boildown_oracle::{Capture, Interrupt, OracleError, Property, Run};

use super::event::{Loosening, PrepareEvent};

/// Runs inside the sandbox, and outside, that have to agree before the sandbox is blamed: runs of a
/// failure that occurs in half of them do so in one of a thousand cases.
const TRIES: usize = 5;

/// Returns a sandbox with these permissions, and reports what the system cannot protect.
///
/// # Errors
/// When a writable path cannot be opened.
pub fn create_sandbox(
    permissions: &Permissions,
    on_event: &mut dyn FnMut(PrepareEvent<'_>),
) -> Result<Sandbox, OracleError> {
    let sandbox = Sandbox::new(permissions)?;
    if let Some(gap) = sandbox.gap() {
        on_event(PrepareEvent::SandboxGap(gap));
    }
    Ok(sandbox)
}

/// Returns a sandbox in which the command may also write to the system's directories for temporary
/// files.
///
/// # Errors
/// As [`create_sandbox`].
pub fn create_sandbox_with_temporary_files(
    permissions: &Permissions,
    on_event: &mut dyn FnMut(PrepareEvent<'_>),
) -> Result<Sandbox, OracleError> {
    let temporary = [env::temp_dir(), "/tmp".into(), "/var/tmp".into()]
        .into_iter()
        .filter(|path| path.is_dir());
    let mut permissions = permissions.clone();
    let writable: &mut Vec<PathBuf> = &mut permissions.writable;
    writable.extend(temporary);
    create_sandbox(&permissions, on_event)
}

/// Returns a runner with a looser sandbox, and what is looser, if the property does not hold on the
/// input only because of the sandbox; `None` if the runner can stay as it is.
///
/// # Errors
/// [`OracleError`] when the command cannot be run.
pub fn loosen_sandbox(
    runner: &Runner,
    permissions: &Permissions,
    property: &Property,
    input: &[u8],
    interrupt: &Interrupt,
) -> Result<Option<(Runner, Loosening)>, OracleError> {
    let trial = SandboxTrial {
        runner,
        permissions,
        interrupt,
        jobs: 1,
    };
    let mut loosening = None;
    let looser = trial.loosen(property, input, &mut |event| {
        if let PrepareEvent::Loosened(what) = event {
            loosening = Some(what);
        }
    })?;
    Ok(looser.zip(loosening))
}

/// Returns this runner without a sandbox, for runs on files that the user has run by hand before.
pub(super) fn without_sandbox(runner: &Runner) -> Runner {
    let mut runner = runner.clone();
    runner.limits.sandbox = None;
    runner
}

/// A runner whose sandbox may have to be loosened.
pub(super) struct SandboxTrial<'a> {
    pub(super) runner: &'a Runner,
    pub(super) permissions: &'a Permissions,
    pub(super) interrupt: &'a Interrupt,
    /// The most runs at the same time.
    pub(super) jobs: usize,
}

impl SandboxTrial<'_> {
    /// Returns a looser runner if the property does not hold on the input only because of the
    /// sandbox; `None` if the runner can stay as it is.
    ///
    /// The looser runner lets the command write temporary files to the system's directories. If the
    /// property does not hold in that sandbox either, the runner has no sandbox.
    ///
    /// # Errors
    /// [`OracleError`] when the command cannot be run.
    pub(super) fn loosen(
        &self,
        property: &Property,
        input: &[u8],
        on_event: &mut dyn FnMut(PrepareEvent<'_>),
    ) -> Result<Option<Runner>, OracleError> {
        if self.runner.limits.sandbox.is_none() {
            return Ok(None);
        }
        on_event(PrepareEvent::Running {
            what: "running the command with and without the sandbox",
            limit: self.runner.limits.timeout,
        });
        // Several runs, for a property that does not hold each time.
        let each_run = |runner: &Runner, holds: bool| -> Result<bool, OracleError> {
            let agrees = || -> Result<bool, OracleError> {
                let run = runner.run(input, Capture::Output, self.interrupt)?;
                Ok(property.verdict(&run).is_interesting() == holds)
            };
            if self.jobs < TRIES {
                return all((0..TRIES).map(|_| agrees()));
            }
            all(map_at_once(&[(); TRIES], |()| agrees()).into_iter())
        };
        let outside = without_sandbox(self.runner);
        if !each_run(self.runner, false)? || !each_run(&outside, true)? {
            return Ok(None);
        }
        let mut looser = self.runner.clone();
        looser.limits.sandbox = Some(create_sandbox_with_temporary_files(
            self.permissions,
            on_event,
        )?);
        if each_run(&looser, true)? {
            on_event(PrepareEvent::Loosened(Loosening::TemporaryFiles));
            return Ok(Some(looser));
        }
        on_event(PrepareEvent::Loosened(Loosening::NoSandbox));
        Ok(Some(outside))
    }

    /// Returns the path that the command could not write, if the property does not depend on the
    /// candidate only because of the sandbox: outside, it holds on the input and not on the empty
    /// input. The inner value is `None` if the command did not say which path it is.
    ///
    /// # Errors
    /// [`OracleError`] when the command cannot be run.
    pub(super) fn denied_path(
        &self,
        property: &Property,
        input: &[u8],
    ) -> Result<Option<Option<PathBuf>>, OracleError> {
        if self.runner.limits.sandbox.is_none() {
            return Ok(None);
        }
        let outside = without_sandbox(self.runner);
        for (candidate, holds) in [(&b""[..], false), (input, true)] {
            let run = outside.run(candidate, Capture::Output, self.interrupt)?;
            if property.verdict(&run).is_interesting() != holds {
                return Ok(None);
            }
        }
        let inside = (self.runner).run(input, Capture::Output, self.interrupt)?;
        Ok(Some(denied_path(&inside)))
    }
}

/// Returns whether all answers are `true`. Stops at the first other one.
fn all(answers: impl Iterator<Item = Result<bool, OracleError>>) -> Result<bool, OracleError> {
    for answer in answers {
        if !answer? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the first absolute path that a run printed on a line that says "permission denied".
fn denied_path(run: &Run) -> Option<PathBuf> {
    let text = String::from_utf8_lossy(&run.stderr);
    let mut denied = text.lines().filter(|line| {
        let line = line.to_lowercase();
        line.contains("permission denied") || line.contains("eacces")
    });
    denied.find_map(|line| {
        let is_part = |letter: char| letter.is_alphanumeric() || "/._-+@~".contains(letter);
        let words = line.split(|letter| !is_part(letter));
        let mut paths = words.filter(|word| word.starts_with('/') && word.len() > 1);
        // The program that complains may come first.
        paths.next_back().map(PathBuf::from)
    })
}

#[cfg(test)]
mod tests {
    use boildown_oracle::Outcome;

    use super::*;

    #[track_caller]
    fn check(stderr: &str, path: Option<&str>) {
        let run = Run::ended(Outcome::Exited(0), stderr);
        assert_eq!(denied_path(&run), path.map(PathBuf::from), "{stderr}");
    }

    #[test]
    fn the_path_that_could_not_be_written_is_read_off_the_complaint() {
        check(
            "/x/test.sh: 3: cannot create /home/me/out.txt: Permission denied\n",
            Some("/home/me/out.txt"),
        );
        check(
            "PermissionError: [Errno 13] Permission denied: '/home/me/out.txt'\n",
            Some("/home/me/out.txt"),
        );
        check(
            "touch: cannot touch '/var/x-1/a': Permission denied",
            Some("/var/x-1/a"),
        );
        check("rm: x: Permission denied\n/elsewhere\n", None);
        check("", None);
    }
}

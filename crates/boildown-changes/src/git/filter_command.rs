//! Runs of the filters that the git configuration names, with limits.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use boildown_exec::spawn::{self, Inherited, Invocation, Limits, Stdin};
use boildown_exec::{Access, Scratch, fsx, remove_tree};
use boildown_oracle::{Capture, Interrupt, Outcome, Run};
use gix::bstr::{BStr, BString, ByteSlice as _};
use gix::filter::plumbing::Driver;

use super::filter_protocol::{self, Direction};

/// An error of a conversion, from the git library or from a filter.
pub(super) type FilterError = Box<dyn std::error::Error + Send + Sync>;

/// The limits under which the filters of a repository run, and the handle that stops them.
#[derive(Debug)]
pub struct FilterRuns {
    /// Limits of a run of a filter. Its output is a file, so the size of files bounds it.
    pub limits: Limits,
    /// Stops filters that are running.
    pub interrupt: Interrupt,
    /// The directory in which inputs and outputs are kept while a filter runs.
    temp_dir: PathBuf,
    /// Made when the first filter is run.
    scratch: Mutex<Option<Scratch>>,
    runs: AtomicU64,
}

impl FilterRuns {
    /// Returns runs with these limits, and with files in a temporary directory.
    #[must_use]
    pub fn new(limits: Limits, interrupt: Interrupt, temp_dir: PathBuf) -> Self {
        Self {
            limits,
            interrupt,
            temp_dir,
            scratch: Mutex::default(),
            runs: AtomicU64::new(0),
        }
    }

    /// Converts the content of a file by a filter. `None` when the filter leaves it as it is: it
    /// has no command for this direction, or it failed and is not required.
    ///
    /// The filter runs in `dir`. As in git, a `process` comes before the other commands.
    pub(super) fn convert(
        &self,
        driver: &Driver,
        direction: Direction,
        path: &BStr,
        bytes: &[u8],
        dir: &Path,
    ) -> Result<Option<Vec<u8>>, FilterError> {
        let single = match direction {
            Direction::Clean => &driver.clean,
            Direction::Smudge => &driver.smudge,
        };
        let (line, converted) = match (&driver.process, single) {
            (Some(process), _) => {
                let talk = filter_protocol::request(direction, path, bytes);
                let (run, output) = self.run(process.as_bstr(), &talk, dir)?;
                // It may end as it likes after its answer.
                let answer = filter_protocol::answer(direction, &output);
                let answer = answer.ok_or_else(|| failure(process.as_bstr(), &run));
                (process, answer)
            }
            (None, Some(command)) => {
                let line = with_path(command.as_bstr(), path);
                let (run, output) = self.run(line.as_bstr(), bytes, dir)?;
                let is_done = run.outcome == Outcome::Exited(0);
                let answer = match is_done {
                    true => Ok(Some(output)),
                    false => Err(failure(line.as_bstr(), &run)),
                };
                (command, answer)
            }
            (None, None) => return Ok(None),
        };
        match converted {
            Err(error) if driver.required => Err(error),
            // As git does.
            Err(_) => Ok(None),
            Ok(None) if driver.required => {
                Err(format!("`{line}` does not {}", direction.name()).into())
            }
            Ok(converted) => Ok(converted),
        }
    }

    /// Runs a line of shell with this input. Returns the run and the standard output.
    ///
    /// A filter that exceeds a limit is an error also when it is not required: git would wait for
    /// it, or use what it prints.
    fn run(&self, line: &BStr, input: &[u8], dir: &Path) -> Result<(Run, Vec<u8>), FilterError> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let [input_path, output_path] = {
            let mut scratch = (self.scratch.lock()).unwrap_or_else(PoisonError::into_inner);
            if scratch.is_none() {
                *scratch = Some(Scratch::within(&self.temp_dir)?);
            }
            let scratch = scratch.as_ref().ok_or("there is no scratch space")?.path();
            ["in", "out"].map(|end| scratch.join(format!("filter-{number:06}.{end}")))
        };
        let ran = self.run_with_files(line, input, dir, [&input_path, &output_path]);
        remove_tree(&input_path).ok();
        remove_tree(&output_path).ok();
        ran
    }

    fn run_with_files(
        &self,
        line: &BStr,
        input: &[u8],
        dir: &Path,
        [input_path, output_path]: [&Path; 2],
    ) -> Result<(Run, Vec<u8>), FilterError> {
        fsx::write_atomic(input_path, input, Access::OWNER)?;
        // Into a file, whose size is limited: a filter that prints for ever is ended by the system.
        let args: [OsString; 5] = [
            "-c".into(),
            "eval \"$1\" >\"$2\"".into(),
            "sh".into(),
            OsStr::from_bytes(line).into(),
            output_path.into(),
        ];
        let invocation = Invocation {
            program: "/bin/sh".into(),
            args: args.into(),
            current_dir: dir.to_owned(),
            stdin: Stdin::File(input_path.to_owned()),
            inherited: Inherited::Everything,
            env: Vec::new(),
            tmp: None,
            capture: Capture::Output,
        };
        let run = spawn::run(&invocation, &self.limits, &self.interrupt)?;
        match run.outcome {
            Outcome::TimedOut | Outcome::Exceeded(_) => Err(failure(line, &run)),
            // The shell, or a command of it.
            Outcome::Signalled(SIGXFSZ) | Outcome::Exited(EXITED_BY_SIGXFSZ) => {
                Err(format!("`{line}` printed more than the limit on the size of files").into())
            }
            Outcome::Signalled(_) | Outcome::Exited(_) => Ok((run, read(output_path)?)),
        }
    }
}

/// The signal that ends a process whose file is too large.
const SIGXFSZ: i32 = 25;

/// The exit code of a shell whose command was ended by it.
const EXITED_BY_SIGXFSZ: i32 = 128 + SIGXFSZ;

fn read(path: &Path) -> Result<Vec<u8>, FilterError> {
    #[expect(clippy::disallowed_methods, reason = "the output of a filter")]
    let read = fs::read(path);
    Ok(read?)
}

/// Returns the error of a filter that failed, with the last line that it printed to its standard
/// error.
fn failure(line: &BStr, run: &Run) -> FilterError {
    let stderr = String::from_utf8_lossy(&run.stderr);
    let said = stderr.lines().rfind(|line| !line.trim().is_empty());
    let said = said.map(|said| format!(": {said}")).unwrap_or_default();
    format!("the filter `{line}` {}{said}", run.outcome).into()
}

/// Replaces `%f` in the line of a filter by the quoted path.
fn with_path(line: &BStr, path: &BStr) -> BString {
    let quoted = [b"'", path.replace("'", "'\\''").as_slice(), b"'"].concat();
    line.replace("%f", quoted).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_takes_the_place_of_its_placeholders() {
        let line = with_path("cat %f | sed s/x/%f/".into(), "a 'b".into());
        assert_eq!(line, r"cat 'a '\''b' | sed s/x/'a '\''b'/");
        assert_eq!(with_path("cat".into(), "a".into()), "cat");
    }
}

//! Reductions of secondary failures: failures that candidates of a search showed.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use boildown_exec::Project;
use boildown_oracle::shell::quote;
use boildown_session::InputForm;
use boildown_store::{LastSession, RunHistory};

use super::destination::Destination;
use crate::error::{CliError, ExitKind};
use crate::habits::with_command;
use crate::input;
use crate::options::ExpectationArgs;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::{NextSearch, Reporter};
use crate::shown_error::print_line;

/// A failure that a candidate of an earlier search showed.
pub(super) struct OtherFailure {
    /// The file or folder that holds the smallest candidate with it.
    pub(super) file: PathBuf,
    name: OsString,
    /// Options that state the first failure, and were left out.
    left_out: bool,
}

impl OtherFailure {
    /// Finds the failure that the user wants to reduce, if it is not that of the input. Also
    /// returns the destination of its result. Takes out what is `stated` about the first failure.
    ///
    /// # Errors
    /// [`CliError`] when no candidate showed it.
    pub(super) fn find(
        wanted: Option<&Path>,
        stated: &mut ExpectationArgs,
        destination: Destination,
    ) -> Result<(Option<Self>, Destination), CliError> {
        let Some(wanted) = wanted else {
            return Ok((None, destination));
        };
        let folder = destination.other_failures().path();
        let name = wanted.file_name().unwrap_or(wanted.as_os_str());
        let known = files_in(&folder);
        let is_folder = |file: &Path| file.is_dir();
        let short = |file: &Path| match is_folder(file) {
            true => file.file_name().map(OsStr::to_owned),
            false => file.file_stem().map(OsStr::to_owned),
        };
        let found = known
            .iter()
            .find(|file| short(file).as_deref() == Some(name) || file.file_name() == Some(name));
        let Some(file) = found else {
            let names = known.iter().filter_map(|file| short(file));
            let names: Vec<_> = names.map(|name| Path::new(&name).escaped()).collect();
            let what = format!("no candidate showed a failure `{}`", wanted.escaped());
            return Err(CliError::usage(what).hint(match &names[..] {
                [] => "there are no secondary failures yet: reduce without --failure first".into(),
                names => format!("secondary failures: {}", names.join(", ")),
            }));
        };
        let name = short(file).unwrap_or_default();
        let left_out = std::mem::take(stated).are_stated();
        let destination = destination.of_failure(&name);
        let file = file.clone();
        Ok((
            Some(Self {
                file,
                name,
                left_out,
            }),
            destination,
        ))
    }

    /// Returns the candidate to reduce: what the last run began with, so that it can be resumed, or
    /// what is in the file if that is smaller than the result of that run.
    pub(super) fn text(
        &self,
        project: Option<&Project>,
        output: &Path,
        is_fresh: bool,
    ) -> Result<Arc<[u8]>, CliError> {
        let text = match project {
            None => input::read(&self.file, "")?,
            Some(project) => {
                let state = project.state_of(&self.file).ok_or_else(|| {
                    let what = format!("{} is no part of the input", self.file.escaped());
                    CliError::usage(what)
                        .hint("the folder was changed since: reduce it without --failure first")
                })?;
                state.into()
            }
        };
        let form = match project {
            None => InputForm::File,
            Some(_) => InputForm::Folder,
        };
        let begun = (!is_fresh).then(|| begun(output, form.size(&text)));
        Ok(begun.flatten().unwrap_or(text))
    }

    /// Says what is reduced.
    pub(super) fn note(&self, input: &str, output: &Path, reporter: &mut dyn Reporter) {
        let name = Path::new(&self.name).escaped();
        reporter.note(&format!(
            "reducing {name}, another failure than that of {input}; the result is in {}",
            output.escaped()
        ));
        if self.left_out {
            reporter.note(&format!(
                "options that state the failure of {input} are left out; what to preserve is deduced"
            ));
        }
    }
}

/// Returns what the last run with this result began with, unless its result is larger than `size`.
fn begun(output: &Path, size: usize) -> Option<Arc<[u8]>> {
    let name = output.file_name()?;
    let dir = output.parent().unwrap_or(Path::new(""));
    let session = LastSession::find_where(dir, |session| session.result == name);
    let history = RunHistory::read(&session.ok()??.file).ok()?;
    let (first, last) = (
        history.improvements().first()?,
        history.improvements().last()?,
    );
    if last.bytes > size as u64 {
        return None;
    }
    history.text(first).ok()?.map(Into::into)
}

/// Returns the files and folders with candidates, by name. One that was being written when a
/// session was killed has a name with a dot.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| {
        !(path.file_name()).is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    });
    files.sort();
    files
}

/// Returns the command line of the next search, with the options of this one.
fn words_for(next: &NextSearch, words: Vec<OsString>) -> Vec<OsString> {
    let mut words = with_command(words).into_iter();
    // The program, and the command.
    let mut line: Vec<OsString> = words.by_ref().take(2).collect();
    match next {
        NextSearch::OfInput => {}
        NextSearch::Other(name) => line.extend(["--failure".into(), name.into()]),
        NextSearch::FromResult(number) => {
            line.extend(["--backtrack".into(), number.to_string().into()]);
        }
    }
    while let Some(word) = words.next() {
        if word == "--" {
            line.push(word);
            break;
        }
        if word == "--failure" {
            words.next();
        } else if !word.as_encoded_bytes().starts_with(b"--failure=") {
            line.push(word);
        }
    }
    line.extend(words);
    line
}

/// Starts boildown again in place of this process, with what the user chose. Returns
/// the error if that is not possible.
pub(super) fn start(next: &NextSearch) -> CliError {
    let words = words_for(next, std::env::args_os().collect());
    let line: Vec<_> = (words.iter().skip(1)).map(quote).collect();
    let line = format!("boildown {}", line.join(" "));
    let failed = |error: io::Error| {
        CliError::new(ExitKind::CannotRun, "failed to start boildown again")
            .because(error)
            .hint(format!("to start it: {line}"))
    };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return failed(error),
    };
    print_line(&format!("\nnow: {line}").into());
    #[expect(
        clippy::disallowed_methods,
        reason = "it takes the place of this process, which has ended its search"
    )]
    let mut command = Command::new(&program);
    command.arg0(&words[0]).args(&words[1..]);
    failed(command.exec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_for_another_failure_has_all_other_options() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let other = NextSearch::Other("SIGSEGV".to_owned());
        for (next, line, expected) in [
            (
                &other,
                "boildown reduce in.c --jobs 2 -- cc --failure x",
                "boildown reduce --failure SIGSEGV in.c --jobs 2 -- cc --failure x",
            ),
            (
                &other,
                "boildown reduce --failure a in.c -- cc in.c",
                "boildown reduce --failure SIGSEGV in.c -- cc in.c",
            ),
            (
                &NextSearch::FromResult(3),
                "boildown reduce in.c -- cc in.c",
                "boildown reduce --backtrack 3 in.c -- cc in.c",
            ),
            (
                &NextSearch::OfInput,
                "boildown reduce in.c --failure=a -- cc in.c",
                "boildown reduce in.c -- cc in.c",
            ),
        ] {
            assert_eq!(words_for(next, words(line)), words(expected));
        }
    }
}

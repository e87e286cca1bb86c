//! Paths of the result, of the backup, and of secondary failures.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_exec::{
    Access, FailureFolder, FolderResult, Project, content_of_folder, fsx, remove_tree,
};
use boildown_folder::FolderText;
use boildown_oracle::OracleError;
use boildown_oracle::shell::quote;
use boildown_search::Fingerprint;
use boildown_session::prepare::{EarlierSessions, OTHER_FAILURES, SessionStore};
use boildown_session::{InputForm, ResultOutput, fingerprint_of_folder, write_in_room_of};
use boildown_store::{FOLDER, StoreFolder, fingerprint_of};

use crate::error::{CliError, ExitKind};
use crate::folder::{self, is_folder};
use crate::habits::Line;
use crate::report::format::{EscapedPath as _, count};
use crate::report::reporter::Reporter;

/// Stands for the result file where the result is printed.
pub(super) const PRINTED: &str = "standard output";

/// Paths to which a reduction writes.
#[expect(clippy::struct_excessive_bools, reason = "what is stated, or not")]
pub(super) struct Destination {
    /// The result, as the user named it; the default if it is printed. The store is beside it.
    pub(crate) output: PathBuf,
    /// Whether the result is not written to a file, but to standard output at the end.
    is_printed: bool,
    /// Whether standard output holds events, of which the last one holds the result.
    is_silent: bool,
    /// The result, with symbolic links resolved before the first run.
    target: PathBuf,
    /// The copy of the input, if the result replaces the input.
    pub(crate) backup: Option<PathBuf>,
    /// Where the result is as long as it is larger than the one that `output` holds.
    aside: Option<Aside>,
    /// What the result may permit.
    access: Access,
    /// Whether the result is a folder.
    is_folder: bool,
    /// Whether the result file is replaced in any case.
    is_forced: bool,
    /// The folder that is reduced, if the result is a folder.
    folder: Option<Arc<Project>>,
    /// The folder that holds the result, once the reduction has begun.
    folder_result: Option<Arc<FolderResult>>,
    /// The directory for candidates that fail in another way, if it is that of another result.
    shared_failures: Option<FailureFolder>,
}

/// A result that is kept beside a smaller one of another run.
struct Aside {
    path: PathBuf,
    other: OtherResult,
}

/// The content of the result file before a run.
pub(super) struct OtherResult {
    /// The content by which any run recognises it.
    content: Fingerprint,
    /// What the runs of this input call it; `None` if it is no result of this input.
    text: Option<Fingerprint>,
    bytes: usize,
}

/// What the options say about the result.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says what the user stated"
)]
pub(super) struct RequestedResult<'a> {
    pub(super) input: &'a Path,
    pub(super) inputs: &'a [PathBuf],
    /// The stated file or folder, or `-`.
    pub(super) output: Option<&'a Path>,
    pub(super) is_in_place: bool,
    /// Whether a result file is replaced in any case.
    pub(super) is_forced: bool,
    /// Whether the command itself is reduced.
    pub(super) is_command: bool,
    /// Whether the result is not printed, even if it goes to no file.
    pub(super) is_silent: bool,
}

impl Destination {
    /// Chooses the paths; by default the result is beside the input.
    ///
    /// # Errors
    /// [`CliError`] when the result cannot be written there, or is the input itself.
    pub(super) fn new(request: &RequestedResult<'_>) -> Result<Self, CliError> {
        let &RequestedResult { input, inputs, .. } = request;
        let is_folder = is_folder(inputs);
        let at = |output: PathBuf| Self {
            target: fsx::resolve_link(&output),
            output,
            is_printed: false,
            is_silent: request.is_silent,
            backup: None,
            aside: None,
            access: Access::of_all(inputs),
            is_folder,
            is_forced: request.is_forced,
            folder: None,
            folder_result: None,
            shared_failures: None,
        };
        if request.is_in_place && is_folder && folder::is_link(input) {
            let what = format!("--in-place with {}, which is a link", input.escaped());
            return Err(CliError::usage(what).hint("name the folder that it leads to"));
        }
        if request.is_in_place {
            return Ok(Self {
                backup: Some(with_suffix(&without_slash(input), ".orig")),
                ..at(input.to_owned())
            });
        }
        let by_default = match is_folder {
            false => with_infix(input, ".min"),
            true if inputs.len() > 1 => {
                let stem = input.file_stem().unwrap_or_default();
                with_suffix(&input.with_file_name(stem), ".min")
            }
            true => with_suffix(&without_slash(input), ".min"),
        };
        let is_printed = request.output == Some(Path::new("-"));
        if is_printed || request.is_command && request.output.is_none() {
            return Ok(Self {
                is_printed: true,
                target: by_default.clone(),
                ..at(by_default)
            });
        }
        let output = request.output.map_or(by_default, Path::to_owned);
        let same = |path: &Path| fs::canonicalize(path).ok();
        if same(&output).is_some_and(|path| Some(path) == same(input)) {
            let line = Line::typed()
                .without_value(&["-o", "--output"])
                .with(["--in-place"]);
            return Err(CliError::usage("the output is the input").cure(
                "--in-place replaces the input, and keeps a copy",
                line.shown(),
            ));
        }
        let names_folder = !is_folder && output.as_os_str().as_bytes().ends_with(b"/");
        let parent = match names_folder {
            true => output.as_path(),
            false => output.parent().unwrap_or(Path::new("")),
        };
        if is_folder {
            check_nesting(&output, inputs)?;
        }
        let problem = match fs::metadata(&output) {
            Ok(metadata) if metadata.is_dir() && is_folder => None,
            Ok(metadata) if metadata.is_dir() => Some("it is a directory".to_owned()),
            Ok(_) if is_folder => Some("it is no directory".to_owned()),
            // Writing would replace the device, such as /dev/null, by a file.
            Ok(metadata) if !metadata.is_file() => Some("it is not a regular file".to_owned()),
            Err(_) if !Path::new(".").join(parent).is_dir() => {
                Some(format!("there is no directory {}", parent.escaped()))
            }
            _ => None,
        };
        if let Some(problem) = problem {
            let line = match with_infix(input, ".min").file_name() {
                Some(name) if output.is_dir() || names_folder => {
                    Line::typed().replacing(&output, output.join(name))
                }
                _ => Line::typed(),
            };
            let cure = match output.exists() {
                true if output.is_dir() => line.shown(),
                true => None,
                false => line
                    .shown()
                    .map(|line| format!("mkdir -p {} && {line}", quote(parent))),
            };
            let error = CliError::unwritable(ExitKind::InvalidUsage, &output, problem);
            return Err(error.cure("type", cure));
        }
        Ok(at(output))
    }

    /// Makes the result a folder: states of the folder that is reduced.
    pub(crate) fn of_folder(mut self, folder: Option<Arc<Project>>) -> Self {
        self.folder = folder;
        self
    }

    /// Reads a result.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match &self.folder {
            None => boildown_exec::read_file(path),
            Some(project) => {
                fs::read_dir(path)?;
                let state = project.state_of(path);
                state.ok_or_else(|| io::ErrorKind::InvalidData.into())
            }
        }
    }

    fn size(&self, result: &[u8]) -> usize {
        match self.folder {
            None => InputForm::File.size(result),
            Some(_) => InputForm::Folder.size(result),
        }
    }

    /// Returns where the reduction writes its best result.
    pub(crate) fn result_output(&self) -> Option<ResultOutput> {
        match &self.folder_result {
            Some(folder) => Some(ResultOutput::Folder(Arc::clone(folder))),
            None => self.target().map(|path| ResultOutput::File {
                path: path.to_owned(),
                access: self.access,
            }),
        }
    }

    /// Begins a reduction of a folder. Its result is written when there is one that is smaller:
    /// until then, the folder itself is the best result.
    fn begin_folder(
        &mut self,
        first: &[u8],
        project: &Arc<Project>,
        cannot_write: impl Fn(OracleError) -> CliError,
    ) -> Result<(), CliError> {
        let Some(target) = self.target().map(Path::to_owned) else {
            return Ok(());
        };
        check_writable(&target, self.backup.is_some())?;
        let is_whole = project.folder().is_some_and(|folder| {
            FolderText::whole(&folder.listing).write(&folder.listing) == *first
        });
        let backup = (self.backup.as_deref()).filter(|_| self.existing_backup().is_none());
        if let Some(backup) = backup {
            // The folder itself becomes the backup, with everything that is no part of the input.
            fsx::rename(&without_slash(&self.output), backup).map_err(|error| {
                let what = format!(
                    "failed to rename {} to {}",
                    self.output.escaped(),
                    backup.escaped()
                );
                CliError::new(ExitKind::CannotRun, what).because(error)
            })?;
        }
        let result = FolderResult::new(Arc::clone(project), target);
        if !is_whole || self.backup.is_some() {
            result.write(first).map_err(|error| {
                backup.map(|backup| fsx::rename(backup, &without_slash(&self.output)));
                cannot_write(error)
            })?;
        }
        self.folder_result = Some(Arc::new(result));
        Ok(())
    }

    /// Returns the result of an earlier run that is in the result file.
    ///
    /// An empty file and a copy of the input count as nothing: no bytes are lost with them.
    ///
    /// # Errors
    /// [`CliError`] when the file is not a result of boildown, or must not be replaced.
    pub(crate) fn replaceable_result(
        &self,
        place: Option<&StoreFolder>,
        input: &[u8],
    ) -> Result<Option<OtherResult>, CliError> {
        let is_absent = self.output.symlink_metadata().is_err();
        if is_absent || self.is_forced || self.backup.is_some() || self.is_printed {
            return Ok(None);
        }
        let refused = |problem: &str| {
            CliError::unwritable(ExitKind::InvalidUsage, &self.output, problem)
                .hint("--output FILE writes the result elsewhere, --force replaces this file")
        };
        let metadata = fs::metadata(&self.target)
            .map_err(|_| refused("it is a link to a file that does not exist"))?;
        if metadata.permissions().mode() & 0o222 == 0 {
            return Err(refused("it is read-only"));
        }
        // A folder with other files than the input has no state of it.
        let text = match self.read(&self.target) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => None,
            read => Some(
                read.map_err(|error| refused(&format!("it exists and cannot be read: {error}")))?,
            ),
        };
        if text
            .as_ref()
            .is_some_and(|text| text.is_empty() || text == input)
        {
            return Ok(None);
        }
        let text = text.as_deref().map(fingerprint_of);
        let found = self.content_at(&self.target);
        let is_known = |content| place.is_some_and(|place| place.is_known_result(content));
        match found {
            Ok((content, bytes)) if is_known(content) || text.is_some_and(is_known) => {
                Ok(Some(OtherResult {
                    content,
                    text,
                    bytes,
                }))
            }
            _ => Err(refused("it exists, and boildown did not write it")),
        }
    }

    /// Returns the content of a result of any run, and its size in bytes.
    fn content_at(&self, path: &Path) -> io::Result<(Fingerprint, usize)> {
        match self.folder {
            None => {
                let bytes = fs::read(path)?;
                Ok((fingerprint_of(&bytes), bytes.len()))
            }
            Some(_) => {
                let (hash, bytes) = content_of_folder(path)?;
                let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
                Ok((fingerprint_of_folder(Some(hash)), bytes))
            }
        }
    }

    /// Keeps the result of an earlier run, unless that was a session of this run: as long as the
    /// new result is larger, it is written to `crash.min.1.c`. A run that starts over is another
    /// run.
    pub(crate) fn keep(&mut self, other: OtherResult, earlier: &EarlierSessions, input: &[u8]) {
        if (other.text).is_some_and(|text| earlier.is_known_result(text)) {
            return;
        }
        // A file of this run, or one that does not exist yet.
        let is_free = |path: &PathBuf| match self.read(path) {
            Ok(bytes) => bytes == input || earlier.was_result(fingerprint_of(&bytes)),
            Err(_) => path.symlink_metadata().is_err(),
        };
        let mut paths = (1..).map(|number| self.numbered(number));
        let path = paths.find(is_free).expect("one of all numbers is free");
        self.aside = Some(Aside { path, other });
    }

    /// Returns `crash.min.1.c` for `crash.min.c`, and `project.min.1` for the folder `project.min`.
    fn numbered(&self, number: u32) -> PathBuf {
        let number = format!(".{number}");
        match self.is_folder {
            true => with_suffix(&without_slash(&self.output), &number),
            false => with_infix(&self.output, &number),
        }
    }

    /// Returns the file that holds the best result so far, for messages.
    pub(crate) fn shown(&self) -> &Path {
        if self.is_printed {
            return Path::new(PRINTED);
        }
        self.aside
            .as_ref()
            .map_or(&self.output, |aside| &aside.path)
    }

    /// Returns the file to write the best result to; `None` if it is printed.
    pub(crate) fn target(&self) -> Option<&Path> {
        let aside = self.aside.as_ref();
        let target = aside.map_or(&self.target, |aside| &aside.path);
        (!self.is_printed).then_some(target)
    }

    /// Says that a smaller result of another run is kept, if so.
    fn note_kept(&self, notes: &mut dyn Reporter) {
        if let Some(aside) = &self.aside {
            notes.note(&format!(
                "{} holds a result of another run, {}: the new one is in {}, and replaces it at the end if it is not larger (--force replaces it now)",
                self.output.escaped(),
                count(aside.other.bytes, "byte"),
                aside.path.escaped(),
            ));
        }
    }

    /// Returns the error of a reduction that stopped with a result.
    pub(crate) fn error_with_saved_result(&self, error: OracleError) -> CliError {
        CliError::from(error).hint(match self.target() {
            Some(target) if !target.exists() => {
                "no result was written; --output writes it elsewhere".to_owned()
            }
            Some(_) => format!("the best result so far is in {}", self.shown().escaped()),
            None => "the best result so far is remembered: the same command resumes".to_owned(),
        })
    }

    /// Returns the destination of the result of another failure, which a candidate showed whose
    /// file has this name: beside the first result. Both find failures for the same directory.
    pub(crate) fn of_failure(mut self, name: &OsStr) -> Self {
        let folder = self.other_failures();
        let infix = [OsStr::new("."), name].into_iter().collect::<OsString>();
        self.output = match self.is_folder {
            true => with_suffix(&without_slash(&self.output), &infix),
            false => with_infix(&self.output, &infix),
        };
        self.target = fsx::resolve_link(&self.output);
        self.shared_failures = Some(folder);
        self
    }

    /// Returns the directory for candidates that fail in another way.
    pub(crate) fn other_failures(&self) -> FailureFolder {
        if let Some(folder) = &self.shared_failures {
            return folder.clone();
        }
        let FailureFolder { base, below } = self.own_folder();
        let below = below.join(OTHER_FAILURES);
        FailureFolder { base, below }
    }

    /// Keeps the last result before the failure changed, unless it is a folder. Returns its path,
    /// or the error of the system.
    pub(crate) fn keep_before_change(&self, text: &[u8]) -> Option<io::Result<PathBuf>> {
        let name = Path::new("before-the-change");
        let extension = self.output.extension().unwrap_or_default();
        let name = name.with_extension(extension);
        let folder = (!self.is_folder).then(|| self.own_folder())?;
        Some(folder.write(name.as_os_str(), text))
    }

    /// Returns the directory for what belongs to the result.
    fn own_folder(&self) -> FailureFolder {
        let name = self.output.file_name().unwrap_or_default();
        FailureFolder {
            base: self.output.parent().unwrap_or(Path::new("")).to_owned(),
            below: Path::new(FOLDER).join(name),
        }
    }

    /// Returns the files that are written, which are no part of the user's project.
    pub(crate) fn results(&self) -> impl Iterator<Item = PathBuf> {
        let output = (self.backup.is_none()).then(|| self.output.clone());
        let aside = (1..)
            .map(|number| self.numbered(number))
            .take_while(|path| path.exists());
        output.into_iter().chain(aside).chain(self.backup.clone())
    }

    /// Returns the copy of the input, if an earlier session made one.
    pub(crate) fn existing_backup(&self) -> Option<&Path> {
        let backup = self.backup.as_deref()?;
        backup.symlink_metadata().is_ok().then_some(backup)
    }

    /// Writes the first result: the input, or the best result of earlier sessions. From now on the
    /// file always holds the best result so far.
    pub(crate) fn begin(
        &mut self,
        first: &[u8],
        session: &SessionStore,
        reporter: &mut dyn Reporter,
    ) -> Result<(), CliError> {
        if let Some(known) = session.known_results() {
            known.record(match &self.folder {
                None => fingerprint_of(first),
                Some(project) => fingerprint_of_folder(project.content_hash(first)),
            });
        }
        let cannot_write = |error: OracleError| {
            CliError::failed_to(ExitKind::CannotRun, &error)
                .hint("--output PATH writes it elsewhere")
        };
        if let Some(project) = self.folder.clone() {
            self.begin_folder(first, &project, cannot_write)?;
            self.note_kept(reporter);
            return Ok(());
        }
        let kept = self.keep_original(first, session)?;
        if let Some(target) = self.target() {
            let store = session.store.as_deref();
            let write = || fsx::write_atomic(target, first, self.access);
            write_in_room_of(store, first.len(), write).map_err(|error| {
                // The input is still the same file.
                kept.map(fs::remove_file);
                cannot_write(error)
            })?;
        }
        self.note_kept(reporter);
        Ok(())
    }

    /// Makes the input itself its backup, unless there is one: the file keeps what a copy would
    /// lose, such as its owner, its times and its attributes. It gets the second name first, so
    /// that the input is there at every moment. Returns the backup if it was made.
    fn keep_original(
        &self,
        first: &[u8],
        session: &SessionStore,
    ) -> Result<Option<&Path>, CliError> {
        let Some(backup) = (self.backup.as_deref()).filter(|_| self.existing_backup().is_none())
        else {
            return Ok(None);
        };
        // The command may have changed the input. The backup is of the bytes that were read.
        if fs::read(&self.target).ok().as_deref() != Some(first) {
            let write = || fsx::write_atomic(&self.target, first, self.access);
            write_in_room_of(session.store.as_deref(), first.len(), write)?;
        }
        // From now on this is the only whole input, which has to survive a power failure.
        fsx::keep_as(&self.target, backup).map_err(|error| {
            let (input, backup) = (self.output.escaped(), backup.escaped());
            let what = format!("failed to keep {input} as {backup}");
            CliError::new(ExitKind::CannotRun, what).because(error)
        })?;
        Ok(Some(backup))
    }

    /// Moves a result that is aside to the result file, if it is not larger than the result there.
    /// Prints the result if it is to be printed.
    pub(crate) fn finish(&mut self, best: &[u8]) -> Result<(), CliError> {
        if self.is_printed {
            return match self.is_silent {
                true => Ok(()),
                false => print(best),
            };
        }
        let current = self.content_at(&self.target);
        let size = self.size(best);
        let is_replaced = |aside: &mut Aside| {
            let is_same =
                (current.as_ref()).is_ok_and(|(content, _)| *content == aside.other.content);
            is_same && size <= aside.other.bytes
        };
        if let Some(aside) = self.aside.take_if(is_replaced) {
            let written = match &self.folder {
                None => fsx::write_durable(&self.target, best, self.access),
                Some(project) => {
                    FolderResult::new(Arc::clone(project), self.target.clone()).write_durable(best)
                }
            };
            written?;
            remove_tree(&aside.path).ok();
        }
        // Removes what it wrote beside the result.
        self.folder_result = None;
        Ok(())
    }
}

/// Checks that a folder can be written, or replaced, before anything is.
fn check_writable(target: &Path, is_in_place: bool) -> Result<(), CliError> {
    let around = target
        .parent()
        .filter(|around| !around.as_os_str().is_empty());
    let around = around.unwrap_or(Path::new("."));
    rustix::fs::access(around, rustix::fs::Access::WRITE_OK).map_err(|error| {
        let elsewhere = match is_in_place {
            true => "leave out --in-place and write the result elsewhere with --output DIR",
            false => "write the result elsewhere with --output DIR",
        };
        CliError::unwritable(ExitKind::CannotRun, target, io::Error::from(error)).hint(format!(
            "make {} writable, or {elsewhere}",
            around.escaped()
        ))
    })
}

fn print(result: &[u8]) -> Result<(), CliError> {
    let mut stdout = std::io::stdout();
    let printed = stdout.write_all(result).and_then(|()| stdout.flush());
    printed.map_err(|error| {
        CliError::new(ExitKind::CannotRun, "failed to print the result")
            .because(error)
            .hint("the same command prints it again")
    })
}

/// Returns the path without a slash at its end.
pub(super) fn without_slash(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    path.with_file_name(name)
}

/// Returns the input folder that a path is inside of.
fn inside<'a>(path: &Path, inputs: &'a [PathBuf]) -> Option<&'a PathBuf> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let parent = fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()?;
    let mut inputs = inputs.iter().filter(|input| input.is_dir());
    inputs.find(|input| fs::canonicalize(input).is_ok_and(|input| parent.starts_with(input)))
}

/// Checks that neither of the result and an input is inside the other.
fn check_nesting(output: &Path, inputs: &[PathBuf]) -> Result<(), CliError> {
    if let Some(input) = inside(output, inputs) {
        let (output, input) = (output.escaped(), input.escaped());
        let what = format!("the output {output} is inside the input {input}");
        return Err(CliError::usage(what).hint("--output DIR writes the result elsewhere"));
    }
    if let Some(input) = around(output, inputs) {
        let (output, input) = (output.escaped(), input.escaped());
        let what = format!("the output {output} holds the input {input}");
        return Err(CliError::usage(what).hint("--output names the folder of the result"));
    }
    Ok(())
}

/// Returns the input that is somewhere inside an existing folder.
fn around<'a>(folder: &Path, inputs: &'a [PathBuf]) -> Option<&'a PathBuf> {
    let folder = fs::canonicalize(folder).ok()?;
    let mut inputs = inputs.iter();
    inputs.find(|input| fs::canonicalize(input).is_ok_and(|input| input.starts_with(&folder)))
}

/// Returns the default path of the result of a file.
pub(crate) fn result_beside(file: &Path) -> PathBuf {
    with_infix(file, ".min")
}

/// Returns `crash.min.c` for `crash.c` and `.min`, and `crash.min.tar.gz` for `crash.tar.gz`.
pub(crate) fn with_infix(path: &Path, infix: impl AsRef<OsStr>) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default();
    let is_tar = |inner: &Path| inner.extension() == Some(OsStr::new("tar"));
    let inner = Path::new(stem);
    let inner = inner.file_stem().filter(|_| is_tar(inner));
    let mut name = inner.unwrap_or(stem).to_owned();
    name.push(infix.as_ref());
    if inner.is_some() {
        name.push(".tar");
    }
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

pub(crate) fn with_suffix(path: &Path, suffix: impl AsRef<OsStr>) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix.as_ref());
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infix_is_before_the_whole_extension_of_a_packed_archive() {
        let name = |path: &str| with_infix(Path::new(path), ".min");
        assert_eq!(name("a/x.tar.gz"), Path::new("a/x.min.tar.gz"));
        assert_eq!(name("a/x.c.gz"), Path::new("a/x.c.min.gz"));
        assert_eq!(name("a/x.tar"), Path::new("a/x.min.tar"));
        assert_eq!(name("crash"), Path::new("crash.min"));
    }
}

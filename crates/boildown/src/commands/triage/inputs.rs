//! The inputs of a triage: the files of a folder, each content once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_exec::Access;
use boildown_session::triage::TriageInput;
use boildown_triage::{FolderLayout, LayoutChoice};

use crate::error::{CliError, ExitKind};
use crate::input::read_regular;
use crate::report::format::{EscapedPath as _, count};
use crate::report::reporter::Reporter;

/// The inputs of a folder.
pub(super) struct FolderInputs {
    pub(super) layout: FolderLayout,
    /// Different contents, in the order of their first files.
    pub(super) inputs: Vec<TriageInput>,
    /// Files that could not be read, each with the reason.
    pub(super) unreadable: Vec<(PathBuf, String)>,
    /// Files that are empty.
    pub(super) empty: usize,
    /// Files that are no inputs by their names.
    pub(super) left_out: usize,
    /// The extension that the names of all inputs have.
    pub(super) extension: Option<String>,
}

/// The largest file that is read.
const LARGEST: u64 = 64 << 20;

impl FolderInputs {
    /// Reads the inputs of a folder. The folder of the results is no part of it.
    pub(super) fn read(folder: &Path, results: &Path) -> Result<Self, CliError> {
        match fs::metadata(folder) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                return Err(CliError::unreadable(folder, "it is not a folder")
                    .hint("`boildown reduce` reduces a single file"));
            }
            Err(error) => return Err(CliError::unreadable(folder, error)),
        }
        let mut found = FolderFiles::default();
        let results = fs::canonicalize(results).ok();
        found
            .list(folder, Path::new(""), results.as_deref())
            .map_err(|error| CliError::unreadable(folder, error))?;
        found
            .files
            .sort_by(|left, right| left.as_os_str().cmp(right.as_os_str()));
        let names: Vec<Vec<String>> = found.files.iter().map(|path| components(path)).collect();
        let choice = LayoutChoice::of_paths(&names);
        let extension = choice.extension(&names).map(ToOwned::to_owned);
        let mut read = Self {
            layout: choice.layout,
            inputs: Vec::new(),
            unreadable: found.unreadable,
            empty: 0,
            left_out: found.files.len() - choice.inputs.len(),
            extension,
        };
        let mut by_content: BTreeMap<Arc<[u8]>, usize> = BTreeMap::new();
        for index in choice.inputs {
            let file = folder.join(&found.files[index]);
            match content(&file) {
                Ok(content) if content.is_empty() => read.empty += 1,
                Ok(content) => {
                    let content: Arc<[u8]> = content.into();
                    let next = read.inputs.len();
                    let place = *by_content.entry(Arc::clone(&content)).or_insert(next);
                    match read.inputs.get_mut(place) {
                        Some(input) => input.files.push(file),
                        None => read.inputs.push(TriageInput {
                            files: vec![file],
                            content,
                        }),
                    }
                }
                Err(error) => read.unreadable.push((file, error.to_string())),
            }
        }
        match read.inputs.is_empty() {
            false => Ok(read),
            true => Err(read.nothing(folder)),
        }
    }

    fn nothing(&self, folder: &Path) -> CliError {
        let what = format!("no inputs in {}", folder.escaped());
        let error = CliError::new(ExitKind::NotInteresting, what);
        let error = match (self.empty, self.unreadable.first()) {
            (_, Some((file, reason))) => {
                error.because(format!("{} cannot be read: {reason}", file.escaped()))
            }
            (1.., None) => error.because("its files are empty"),
            (0, None) => error.because("there are no files that may be inputs"),
        };
        error.hint("hidden files, and notes such as README.txt, are no inputs")
    }

    /// Tells which files are no inputs, although they are in the folder.
    pub(super) fn note(&self, reporter: &mut dyn Reporter) {
        const SHOWN: usize = 5;
        for (file, reason) in self.unreadable.iter().take(SHOWN) {
            reporter.note(&format!(
                "warning: failed to read {}: {reason}",
                file.escaped()
            ));
        }
        if let Some(more @ 1..) = self.unreadable.len().checked_sub(SHOWN) {
            reporter.note(&format!("warning: {more} more could not be read"));
        }
        if self.empty > 0 {
            let empty = count(self.empty, "empty file");
            reporter.note(&format!(
                "{empty} left out: nothing could be removed from one"
            ));
        }
    }

    /// Returns what each input permits.
    pub(super) fn access(&self) -> Access {
        Access::of_all(self.inputs.iter().flat_map(|input| &input.files))
    }

    /// Returns the number of files with inputs.
    pub(super) fn files(&self) -> usize {
        self.inputs.iter().map(|input| input.files.len()).sum()
    }
}

/// What a folder holds.
#[derive(Default)]
struct FolderFiles {
    /// Files, relative to the folder.
    files: Vec<PathBuf>,
    unreadable: Vec<(PathBuf, String)>,
}

impl FolderFiles {
    /// Adds what is in a part of the folder. Links to folders are not followed.
    fn list(&mut self, folder: &Path, part: &Path, results: Option<&Path>) -> io::Result<()> {
        for entry in fs::read_dir(folder.join(part))? {
            let entry = entry?;
            let name = part.join(entry.file_name());
            let path = folder.join(&name);
            if entry.file_name().as_bytes().starts_with(b".") {
                continue;
            }
            if !entry.file_type()?.is_dir() {
                self.files.push(name);
                continue;
            }
            let is_result = results.is_some() && fs::canonicalize(&path).ok().as_deref() == results;
            if !is_result && let Err(error) = self.list(folder, &name, results) {
                self.unreadable.push((path, error.to_string()));
            }
        }
        Ok(())
    }
}

fn components(path: &Path) -> Vec<String> {
    let parts = path.components();
    parts
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect()
}

fn content(file: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(file)?;
    if metadata.is_dir() {
        return Err(io::Error::other("it is a link to a folder"));
    }
    if metadata.len() > LARGEST {
        return Err(io::Error::other("it is larger than 64 MiB"));
    }
    read_regular(file)
}

/// Returns the name of the file that the command sees.
pub(super) fn candidate_name(
    stated: Option<&Path>,
    extension: Option<&str>,
) -> Result<OsString, CliError> {
    match stated {
        None => Ok(match extension {
            Some(extension) => format!("input.{extension}").into(),
            None => "input".into(),
        }),
        Some(path) if path.file_name() == Some(path.as_os_str()) => Ok(path.as_os_str().to_owned()),
        Some(path) => Err(CliError::usage(format!(
            "`{}` is not the name of a file",
            path.escaped()
        ))
        .hint("--name is a name such as in.js, without a folder")),
    }
}

/// Returns the extension of a file name, with its dot.
pub(super) fn dotted_extension(name: &OsStr) -> String {
    let extension = Path::new(name).extension().unwrap_or_default();
    match extension.is_empty() {
        true => String::new(),
        false => format!(".{}", extension.to_string_lossy()),
    }
}

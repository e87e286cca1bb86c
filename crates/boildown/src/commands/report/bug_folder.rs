//! The folder, or the several files, that are the test case of a bug report.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use boildown_show::ScriptPart;

use crate::error::{CliError, ExitKind};
use crate::folder::{FolderArgs, resolved, subject};
use crate::report::format::EscapedPath as _;

/// Where a folder is, or several files are, for the user and in a run.
#[derive(Clone)]
pub(super) struct FolderPlace {
    /// The directory whose copy a run has.
    pub(super) root: PathBuf,
    /// The inputs, relative to it.
    pub(super) inputs: Vec<PathBuf>,
    /// The name of the folder; `None` for several files.
    pub(super) name: Option<String>,
    /// The directory in which a run begins, relative to the root.
    pub(super) directory: String,
    /// The folder with the result.
    result: PathBuf,
}

impl FolderPlace {
    /// Finds the inputs from the current directory, which is that of the reduction.
    pub(super) fn of(
        inputs: &[PathBuf],
        options: &FolderArgs,
        result: &Path,
    ) -> Result<Self, CliError> {
        if !options.with.is_empty() {
            return Err(CliError::usage(
                "bug reports about folders with --with are not supported",
            ));
        }
        let root = match inputs {
            [folder] => resolved(folder)?.parent().map(Path::to_owned),
            several => Some(subject(several)?),
        };
        let root = root.unwrap_or_default();
        let names = inputs.iter().map(|input| {
            let input = std::path::absolute(input).ok()?;
            let input = match inputs.len() {
                1 => fs::canonicalize(&input).ok()?,
                _ => fs::canonicalize(input.parent()?)
                    .ok()?
                    .join(input.file_name()?),
            };
            Some(input.strip_prefix(&root).ok()?.to_owned())
        });
        let names: Vec<PathBuf> = names.flatten().collect();
        let name = names.first().filter(|_| inputs.len() == 1);
        let user_dir = env::current_dir().and_then(fs::canonicalize).ok();
        let directory = user_dir.and_then(|dir| {
            let inner = dir.strip_prefix(&root).ok()?;
            inner.to_str().map(str::to_owned)
        });
        Ok(Self {
            name: name.map(|name| name.to_string_lossy().into_owned()),
            root,
            inputs: names,
            directory: directory.unwrap_or_default(),
            result: result.to_owned(),
        })
    }

    /// Returns the path of the folder, or of the directory that several files are in.
    pub(super) fn path(&self) -> PathBuf {
        match &self.name {
            Some(name) => self.root.join(name),
            None => self.root.clone(),
        }
    }

    /// Returns the word that names the input from the directory in which a run begins.
    pub(super) fn input(&self) -> Vec<ScriptPart> {
        let name = self.name.clone().unwrap_or_default();
        let text = |text: &str| vec![ScriptPart::Text(text.to_owned())];
        if self.directory == name {
            return text(".");
        }
        match self.directory.is_empty() {
            true => text(&name),
            false => vec![ScriptPart::InRun(name)],
        }
    }

    /// Returns the files of the result: their paths in it, contents, and whether they are
    /// executable.
    pub(super) fn files(&self) -> Result<Vec<(String, Vec<u8>, bool)>, CliError> {
        let (mut files, mut open) = (Vec::new(), vec![self.result.clone()]);
        while let Some(directory) = open.pop() {
            let failed = |path: &Path| {
                let what = format!("failed to read {}", path.escaped());
                move |error| CliError::new(ExitKind::CannotRun, what).because(error)
            };
            for entry in fs::read_dir(&directory).map_err(failed(&directory))? {
                let path = entry.map_err(failed(&directory))?.path();
                let metadata = path.symlink_metadata().map_err(failed(&path))?;
                if metadata.is_dir() {
                    open.push(path);
                    continue;
                }
                let name = path.strip_prefix(&self.result).ok().and_then(Path::to_str);
                let Some(name) = name.filter(|_| metadata.is_file()) else {
                    let what =
                        format!("{} is no regular file with a name in UTF-8", path.escaped());
                    return Err(CliError::usage(what).hint("a bug report cannot hold it"));
                };
                let content = fs::read(&path).map_err(failed(&path))?;
                let is_executable = metadata.permissions().mode() & 0o100 != 0;
                files.push((name.to_owned(), content, is_executable));
            }
        }
        files.sort();
        Ok(files)
    }
}

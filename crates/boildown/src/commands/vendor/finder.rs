//! Finders of the packages of an input, and what they have in common.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::args::VendorArgs;
use crate::error::{CliError, ExitKind};
use crate::report::format::EscapedPath as _;

/// Folders that are part of no source, whatever is in them.
#[rustfmt::skip]
const LEFT_OUT: [&str; 7] = [
    ".git", ".hg", ".jj", ".svn", ".boildown", "node_modules", "__pycache__",
];

/// What tells that a folder was built or installed.
const BUILT: [&str; 2] = ["CACHEDIR.TAG", "pyvenv.cfg"];

/// Returns whether a folder is part of no source: it was built, installed or found.
pub(super) fn is_left_out(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default();
    LEFT_OUT.iter().any(|other| name == *other)
        || BUILT.iter().any(|mark| folder.join(mark).exists())
}

/// A package, and where it goes.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) name: String,
    /// A file or a folder.
    pub(super) source: PathBuf,
    /// Relative to the folder that is written.
    pub(super) target: PathBuf,
}

/// What finds the packages of an input.
pub(super) struct Finder {
    /// Whether an input is one of its language.
    pub(super) knows: fn(&Path) -> bool,
    pub(super) find: fn(&VendorArgs) -> Result<Vec<Package>, CliError>,
    /// What is left to do in the folder that was written.
    pub(super) finish: fn(&VendorArgs, &Path) -> Result<(), CliError>,
}

/// Returns what a program prints.
pub(super) fn output_of(
    program: &OsStr,
    words: &[OsString],
    hint: &str,
) -> Result<Vec<u8>, CliError> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a program of the user that finds packages, before any run"
    )]
    let mut command = Command::new(program);
    let output = command.args(words).stdin(Stdio::null()).output();
    let name = Path::new(program).escaped();
    let output = output.map_err(|error| {
        CliError::new(ExitKind::CannotRun, format!("failed to start `{name}`"))
            .because(error)
            .hint(hint)
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let last = &lines[lines.len().saturating_sub(6)..];
    let what = format!("failed to find the packages with `{name}`");
    Err(CliError::new(ExitKind::CannotRun, what)
        .because(last.join("\n"))
        .hint(hint))
}

/// Returns all files of an input with one of these endings.
pub(super) fn files_of(input: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let is_of_kind = |path: &Path| {
        let ending = path.extension().and_then(OsStr::to_str);
        ending.is_some_and(|ending| endings.contains(&ending))
    };
    let (mut files, mut open) = (Vec::new(), vec![input.to_owned()]);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            let paths = entries.map(|entry| entry.path());
            open.extend(paths.filter(|path| !is_left_out(path)));
        } else if is_of_kind(&path) {
            files.push(path);
        }
    }
    files.sort();
    files
}

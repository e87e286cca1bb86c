//! A file or a folder and its command, reduced together.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::args::{Part, Variables};
use super::delivery::words_and_variables;
use super::destination::{with_infix, with_suffix, without_slash};
use super::search::EndAndResult;
use crate::error::{CliError, ExitKind};
use crate::property::naming;

/// Reduces a part: with this command, and these variables if it inherits none. Also returns the
/// result, if there is one.
type ReducePart<'a> =
    &'a dyn Fn(Part, &[OsString], Option<&Variables>) -> Result<EndAndResult, CliError>;

/// Reduces the command on the file or folder as it is, then that, and then the command again on
/// what is left of it, in `output`: it may need fewer arguments. A command that names the file no
/// more is the result. Each of the three is a reduction
/// of its own, by `reduce`, with its own run store.
pub(super) fn run(
    file: &Path,
    output: Option<&Path>,
    command: &[OsString],
    reduce: ReducePart<'_>,
) -> Result<ExitKind, CliError> {
    let words = command.iter().map(|word| naming(word, b"{}", file));
    let mut command: Vec<OsString> = words.collect();
    let (first, line) = reduce(Part::First, &command, None)?;
    let Some(line) = line.filter(|_| is_finished(first)) else {
        return Ok(first);
    };
    let mut variables = None;
    if let Some(found) = words_and_variables(&line) {
        (command, variables) = found;
    }
    let name = file.file_name().unwrap_or_default().as_encoded_bytes();
    let names = |word: &OsString| {
        word.as_encoded_bytes()
            .windows(name.len())
            .any(|it| it == name)
    };
    if !command.iter().any(names) {
        // The failure does not need the file.
        let (last, _) = reduce(Part::Last, &command, variables.as_ref())?;
        return Ok(reduced_if_any([first, last], last));
    }
    let (second, _) = reduce(Part::Whole, &command, variables.as_ref())?;
    if !is_finished(second) {
        return Ok(second);
    }
    let result = output.map_or_else(
        || match file.is_dir() {
            true => with_suffix(&without_slash(file), ".min"),
            false => with_infix(file, ".min"),
        },
        Path::to_owned,
    );
    let mut names_input = false;
    for word in &mut command {
        if let Some(inside) = inside(word, file) {
            names_input = true;
            *word = match inside.as_os_str().is_empty() {
                true => result.clone().into_os_string(),
                false => result.join(inside).into_os_string(),
            };
        }
    }
    if !names_input && file.is_dir() {
        // A line for a shell names the folder: it would still mean the whole one.
        return Ok(reduced_if_any([first, second], second));
    }
    let (third, _) = reduce(Part::Last, &command, variables.as_ref())?;
    Ok(reduced_if_any([first, second, third], third))
}

/// Returns the exit of the last reduction, or that one of them has found something.
fn reduced_if_any<const N: usize>(all: [ExitKind; N], last: ExitKind) -> ExitKind {
    let has_reduced = all.contains(&ExitKind::Reduced);
    match last {
        ExitKind::AlreadyMinimal if has_reduced => ExitKind::Reduced,
        last => last,
    }
}

fn is_finished(exit: ExitKind) -> bool {
    matches!(exit, ExitKind::Reduced | ExitKind::AlreadyMinimal)
}

/// Returns what a word names inside of a folder: nothing, if it names the folder or file itself.
/// `None` if it names something else.
fn inside(word: &OsStr, file: &Path) -> Option<PathBuf> {
    let file = fs::canonicalize(file).ok()?;
    let word = fs::canonicalize(word).ok()?;
    Some(word.strip_prefix(file).ok()?.to_owned())
}

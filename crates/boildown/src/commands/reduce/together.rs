//! A file or a folder and its command, reduced together.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::{Part, ReduceArgs};
use super::delivery::{naming, words_and_variables};
use super::destination::{with_infix, with_suffix, without_slash};
use crate::error::{CliError, ExitKind};
use crate::folder::FolderArgs;

/// Reduces a file or a folder, or the command. Also returns the result.
type ReduceOne<'a> = &'a dyn Fn(ReduceArgs) -> Result<(ExitKind, Arc<[u8]>), CliError>;

/// Reduces the command on the file or folder as it is, then that, and then the command again on
/// what is left of it: it may need fewer arguments. Each of the three is a reduction of its own, by
/// `reduce_one`, with its own run store.
pub(super) fn run(mut args: ReduceArgs, reduce_one: ReduceOne<'_>) -> Result<ExitKind, CliError> {
    let file = args.input.clone();
    for word in &mut args.runs.command {
        *word = naming(word, b"{}", &file);
    }
    let of_command = |args: &ReduceArgs, part| ReduceArgs {
        part,
        input: PathBuf::new(),
        output: None,
        folder: FolderArgs::default(),
        incremental: false,
        ..args.clone()
    };
    let (first, line) = reduce_one(of_command(&args, Part::First))?;
    if !is_finished(first) || args.runs.property.show_property {
        return Ok(first);
    }
    if let Some((words, variables)) = words_and_variables(&line) {
        (args.runs.command, args.variables) = (words, variables);
    }
    let (second, _) = reduce_one(ReduceArgs {
        parts: Vec::new(),
        ..args.clone()
    })?;
    if !is_finished(second) {
        return Ok(second);
    }
    let result = args.output.clone().unwrap_or_else(|| match file.is_dir() {
        true => with_suffix(&without_slash(&file), ".min"),
        false => with_infix(&file, ".min"),
    });
    let mut names_input = false;
    for word in &mut args.runs.command {
        if let Some(inside) = inside(word, &file) {
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
    let (third, _) = reduce_one(of_command(&args, Part::Last))?;
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

//! A file or a folder and its command, reduced together.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::mem;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_document::command_words;

use super::args::{Part, ReduceArgs};
use super::delivery::settle_command;
use super::destination::{with_infix, with_suffix, without_slash};
use crate::error::{CliError, ExitKind};
use crate::folder::FolderArgs;

/// Reduces a file or a folder, or the command. Also returns the result.
type ReduceOne<'a> = &'a dyn Fn(&mut ReduceArgs) -> Result<(ExitKind, Arc<[u8]>), CliError>;

/// Reduces the command on the file or folder as it is, then that, and then the command again on
/// what is left of it: it may need fewer arguments. Each of the three is a reduction of its own, by
/// `reduce_one`, with its own run store.
pub(super) fn run(mut args: ReduceArgs, reduce_one: ReduceOne<'_>) -> Result<ExitKind, CliError> {
    check(&args)?;
    let file = mem::take(&mut args.input);
    for word in &mut args.command {
        *word = naming(word, &file);
    }
    let output = args.output.take();
    let (of_folder, incremental) = (
        mem::take(&mut args.folder),
        mem::take(&mut args.incremental),
    );
    let parts = args.parts.clone();
    args.part = Part::First;
    settle_command(&mut args)?;
    let (first, line) = reduce_one(&mut args)?;
    if !is_finished(first) || args.property.show_property {
        return Ok(first);
    }
    adopt(&mut args, &line);

    args.parts.clear();
    args.part = Part::Whole;
    args.input.clone_from(&file);
    args.output = output;
    (args.folder, args.incremental) = (of_folder, incremental);
    let (second, _) = reduce_one(&mut args)?;
    if !is_finished(second) {
        return Ok(second);
    }

    (args.folder, args.incremental) = (FolderArgs::default(), false);
    let result = (args.output.take()).unwrap_or_else(|| match file.is_dir() {
        true => with_suffix(&without_slash(&file), ".min"),
        false => with_infix(&file, ".min"),
    });
    (args.parts, args.part) = (parts, Part::Last);
    args.input = PathBuf::new();
    let mut names_input = false;
    for word in &mut args.command {
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
    settle_command(&mut args)?;
    let (third, _) = reduce_one(&mut args)?;
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

/// Returns an error for options that cannot be combined.
fn check(args: &ReduceArgs) -> Result<(), CliError> {
    let has_items = args.names_items();
    let is_printed = args.output.as_deref() == Some(Path::new("-"));
    let alone = [
        ("{items}", has_items),
        ("--keep", !args.keep.is_empty()),
        ("--in-place", args.in_place),
        ("--stdin", args.property.stdin),
        ("--split", args.split.is_some()),
        ("--language", args.language.is_some()),
        ("--output -", is_printed),
        ("several inputs", !args.more.is_empty()),
    ];
    match alone.iter().find(|(_, is_given)| *is_given) {
        Some((other, _)) => Err(
            CliError::usage(format!("`{other}` together with `--reduce`")).hint(
                "reduce the command first, without the file, and then the file with that command",
            ),
        ),
        None => Ok(()),
    }
}

/// Returns a word of the command with the file in the place of `{}`.
fn naming(word: &OsStr, file: &Path) -> OsString {
    const PLACEHOLDER: &[u8] = b"{}";
    let (mut named, mut rest) = (OsString::new(), word.as_bytes());
    let find = |text: &[u8]| text.windows(2).position(|two| two == PLACEHOLDER);
    while let Some(at) = find(rest) {
        named.push(OsStr::from_bytes(&rest[..at]));
        named.push(file);
        rest = &rest[at + PLACEHOLDER.len()..];
    }
    named.push(OsStr::from_bytes(rest));
    named
}

fn is_finished(exit: ExitKind) -> bool {
    matches!(exit, ExitKind::Reduced | ExitKind::AlreadyMinimal)
}

/// Makes the reduced command that of the next reduction.
fn adopt(args: &mut ReduceArgs, line: &[u8]) {
    let Some(command) = command_words(line) else {
        return;
    };
    let text = |bytes: Vec<u8>| OsString::from_vec(bytes);
    let pair = |(name, value)| (text(name), text(value));
    args.command = command.words.into_iter().map(text).collect();
    args.variables = (command.variables).map(|all| all.into_iter().map(pair).collect());
}

/// Returns what a word names inside of a folder: nothing, if it names the folder or file itself.
/// `None` if it names something else.
fn inside(word: &OsStr, file: &Path) -> Option<PathBuf> {
    let file = fs::canonicalize(file).ok()?;
    let word = fs::canonicalize(word).ok()?;
    Some(word.strip_prefix(file).ok()?.to_owned())
}

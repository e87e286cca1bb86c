//! Habits from other tools, and mistakes of newcomers: each is answered with the line to type.

mod cures;
mod line;
mod misplaced;
mod other_commands;
mod other_tools;
mod script_order;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use self::cures::{as_test, from_standard_input, is_piped};
pub(crate) use self::cures::{
    cure_of_command, cure_of_hang, cure_of_success, cure_of_unnamed, swapped, with_script_hint,
};
pub(crate) use self::line::Line;
pub(crate) use self::line::with_command;
use self::line::{before_dashes, is_assignment, is_called, is_program, is_runnable, needs_value};
pub(crate) use self::misplaced::note_misplaced;
pub(crate) use self::script_order::settle;
use crate::cli::Cli;
use crate::error::CliError;
use crate::report::format::{EscapedPath as _, Visible};

/// Returns the error for arguments that clap refused, in the words of the user; `None` if the
/// message of clap is the best one.
pub(crate) fn explain(error: &clap::Error, words: &[OsString]) -> Option<CliError> {
    let invalid = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let command = words.get(1).and_then(|name| Cli::subcommand(name));
    let command = command.as_ref();
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = invalid(ContextKind::InvalidSubcommand)?;
            let Some(other) = other_commands::find(name) else {
                let mut reduction = words.to_vec();
                reduction.insert(1, "reduce".into());
                return without_dashes(&reduction, usize::MAX, By::Program)
                    .or_else(|| misspelt(name, error, words));
            };
            let error = no_command(name).hint(&*other.line);
            Some(error.cure("type", other_tools::translated(words)))
        }
        ErrorKind::UnknownArgument => {
            let word = invalid(ContextKind::InvalidArg)?;
            let begins = |typed: &OsString| typed.as_bytes().starts_with(word.as_bytes());
            let index = words.iter().position(begins).unwrap_or(words.len());
            let file = words.get(index).filter(|typed| Path::new(typed).is_file());
            if let Some(file) = file.filter(|_| word.starts_with('-')) {
                let line = Line(words.to_vec()).replacing(file, Path::new(".").join(file));
                let what = format!("`{}` is read as options", file.escaped());
                return Some(CliError::usage(what).cure("if it is the file", line.shown()));
            }
            let option = word.split('=').next().unwrap_or(word);
            let is_ours =
                command.is_some_and(|command| other_tools::option(option, command).is_some());
            let by = if is_ours { By::Program } else { By::Count };
            without_dashes(words, index + usize::from(!word.starts_with('-')), by)
                .or_else(|| Some(unknown_option(option, command?, error, words)))
        }
        // An option of the command, such as `-n`, may be one of ours.
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            test_after_dashes(words).or_else(|| without_dashes(words, usize::MAX, By::Program))
        }
        ErrorKind::ArgumentConflict => inputs_after_dashes(words, command?),
        ErrorKind::MissingRequiredArgument => missing_inputs(words, error),
        _ => None,
    }
}

/// Returns the error for a command of boildown that does not exist.
fn no_command(name: &str) -> CliError {
    CliError::usage(format!("there is no command `{}`", Visible::line(name)))
}

/// Returns the error for a misspelt command of boildown, with the most similar one.
fn misspelt(name: &str, error: &clap::Error, words: &[OsString]) -> Option<CliError> {
    let similar = match error.get(ContextKind::SuggestedSubcommand)? {
        ContextValue::Strings(names) => names.last()?,
        ContextValue::String(name) => name,
        _ => return None,
    };
    let mut line = Line(words.to_vec());
    line.0[1] = similar.into();
    let error = no_command(name).hint(format!("a similar one is `{similar}`"));
    Some(error.cure("type", line.shown()))
}

/// Returns the error for a test that stands after `--`, and not after its option.
fn test_after_dashes(words: &[OsString]) -> Option<CliError> {
    let before = before_dashes(words);
    let rest = words.get(before.len() + 1..)?;
    let end = before.len().checked_sub(1)?;
    let test = as_test(rest, None).filter(|_| before[end] == "--test")?;
    let line = Line(before[..end].to_vec()).ending(["--test".into(), test]);
    let what = CliError::usage("`--test` has no script");
    Some(what.cure("the script follows it, without `--`", line.shown()))
}

/// Returns the error for inputs that stand after `--`, as a command would, beside a test.
fn inputs_after_dashes(words: &[OsString], command: &clap::Command) -> Option<CliError> {
    let before = before_dashes(words);
    let inputs = words.get(before.len() + 1..)?;
    let are_paths = !inputs.is_empty() && inputs.iter().all(|word| Path::new(word).exists());
    let has_test = (before.iter()).any(|word| word.as_bytes().starts_with(b"--test"));
    if !are_paths || !has_test || !positions_of_inputs(before, command).is_empty() {
        return None;
    }
    let line = Line(before.to_vec()).ending(inputs.iter().cloned());
    let what = CliError::usage("`--test` stands for the command after `--`");
    Some(what.cure("the input comes without `--`", line.shown()))
}

/// Returns the error for an option that does not exist, with ours that does the same if there is
/// one.
fn unknown_option(
    option: &str,
    command: &clap::Command,
    error: &clap::Error,
    words: &[OsString],
) -> CliError {
    let name = command.get_name();
    let what = CliError::usage(format!("there is no option `{}`", Visible::line(option)));
    if let Some(line) = other_tools::named_states(words).filter(|_| name == "changes") {
        return what.cure("the states are one word, GOOD..BAD", Some(line));
    }
    if let Some(hint) = other_tools::option(option, command) {
        return what.hint(hint).cure("type", other_tools::translated(words));
    }
    let is_shown = |name: &str| {
        let mut options = command.get_arguments();
        options.any(|known| !known.is_hide_set() && known.get_long() == Some(name))
    };
    let similar = match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(text)) => text.strip_prefix("--").filter(|name| is_shown(name)),
        _ => None,
    };
    let index = words.iter().position(|word| word == option);
    let line = similar.zip(index).and_then(|(similar, index)| {
        let mut line = Line(words.to_vec());
        line.0[index] = format!("--{similar}").into();
        line.shown()
    });
    what.hints(similar.map(|similar| format!("a similar one is `--{similar}`")))
        .cure("type", line)
        .hint(format!("`boildown {name} --help` lists the options"))
}

/// Returns the positions of the words that are no options and no values of options.
fn positions_of_inputs(words: &[OsString], command: &clap::Command) -> Vec<usize> {
    let takes_value = |word: &OsString| {
        let word = word.to_string_lossy();
        let mut options = command.get_arguments();
        let option = options.find(|option| match word.strip_prefix("--") {
            Some(name) => is_called(option, name),
            None => {
                let shorts = option.get_short_and_visible_aliases().unwrap_or_default();
                word.len() == 2 && shorts.iter().any(|short| word.ends_with(*short))
            }
        });
        option.is_some_and(needs_value)
    };
    let is_option = |word: &OsString| word.as_bytes().starts_with(b"-") && word.len() > 1;
    (2..words.len())
        .filter(|&index| {
            let is_value =
                index > 2 && is_option(&words[index - 1]) && takes_value(&words[index - 1]);
            !is_option(&words[index]) && !is_value
        })
        .collect()
}

/// What shows where a command without `--` begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// A word that names a program and no file.
    Program,
    /// That, or else the number of files before it.
    Count,
}

/// Returns the error for a command that begins before this position, and follows the inputs without
/// `--` or stands before them.
fn without_dashes(words: &[OsString], end: usize, by: By) -> Option<CliError> {
    let name = words.get(1)?.to_str()?;
    let count = match name {
        "reduce" | "changes" | "triage" => 1,
        "isolate" => 2,
        _ => return None,
    };
    let before = before_dashes(words);
    let mut inputs = positions_of_inputs(before, &Cli::subcommand(name.as_ref())?);
    inputs.retain(|index| *index < end);
    let exists = |index: usize| Path::new(&words[index]).exists();
    let program = inputs
        .iter()
        .position(|&index| !exists(index) && is_program(&words[index]));
    // A program that is a file of its own, before the file that it reads.
    let is_input =
        |index: &usize| Path::new(&words[*index]).is_file() && !is_runnable(&words[*index]);
    let leads = || {
        let (first, rest) = inputs.split_first()?;
        let is_first = name == "reduce" && is_runnable(&words[*first]);
        (by == By::Count && is_first && rest.iter().any(is_input)).then_some(0)
    };
    let files = program.or_else(leads).or_else(|| {
        let first = inputs.iter().position(|index| exists(*index))?;
        (by == By::Count && first + count < inputs.len()).then_some(first + count)
    })?;
    // Variables belong to the command.
    let is_variable = |&&index: &&usize| !exists(index) && is_assignment(words[index].as_bytes());
    let files = files - inputs[..files].iter().rev().take_while(is_variable).count();
    let start = inputs[files];
    let mut command: Vec<_> = words[start..]
        .iter()
        .filter(|word| *word != "--")
        .cloned()
        .collect();
    let mut line = Line(words[..start].to_vec());
    let what = CliError::usage(format!("unexpected argument `{}`", command[0].escaped()));
    let is_file = |word: &OsString| Path::new(word).is_file();
    let is_line = command[0].as_bytes().iter().any(u8::is_ascii_whitespace);
    let last = command
        .last()
        .filter(|file| is_line && is_file(file))
        .cloned();
    if last.is_some() {
        command.pop();
    }
    let mut ending = line::command(&command);
    if files == 0 {
        let named = || ending.iter().skip(1).rfind(|word| is_file(word)).cloned();
        line.0.push(last.or_else(named)?);
    } else if let ("reduce", [_, result]) = (name, &inputs[..files])
        && !exists(*result)
    {
        // The result file of tools that are called with input, output and command.
        line.0.insert(*result, "-o".into());
        if !ending.contains(&words[inputs[0]]) && ending[0] == "--" {
            ending.push("{}".into());
        }
    }
    Some(what.cure("the command goes after `--`", line.ending(ending).shown()))
}

/// Returns the error for a command line without its inputs. The command may name the file.
fn missing_inputs(words: &[OsString], error: &clap::Error) -> Option<CliError> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_input = |name: &String| name.starts_with('<');
    let missing: Vec<_> = missing.iter().filter(|name| is_input(name)).collect();
    let names = missing
        .iter()
        .map(|name| name.trim_matches(['<', '>', '.']));
    let line = Line(words.to_vec());
    let command = &words[line.dashes()..];
    let is_file = |word: &&OsString| Path::new(word).is_file();
    let is_reduction = words.get(1).is_some_and(|word| word == "reduce");
    let file = command
        .iter()
        .skip(2)
        .rfind(is_file)
        .filter(|_| is_reduction);
    let whole = |line: Line| match command.is_empty() {
        true => line.ending(["--".into(), "COMMAND".into()]),
        false => line,
    };
    let (why, line) = match file {
        Some(file) => ("it comes before `--`", whole(line.with([file])).shown()),
        None if is_reduction && is_piped() => (
            "save it first",
            from_standard_input(&whole(line.with(["-"]))),
        ),
        None => ("type", whole(line.with(names.clone())).shown()),
    };
    let what = match is_reduction {
        true => "the file to reduce is missing".to_owned(),
        false => format!("{} is missing", names.collect::<Vec<_>>().join(" and ")),
    };
    (!missing.is_empty()).then(|| CliError::usage(what).cure(why, line))
}

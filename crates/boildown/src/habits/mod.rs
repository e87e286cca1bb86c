//! Habits from other tools: command lines without a command, and options that are called otherwise
//! here.

mod other_tools;
mod script_order;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};

pub(crate) use self::script_order::settle;
use crate::cli::Cli;
use crate::error::CliError;
use crate::report::format::EscapedPath as _;

/// Returns the arguments with `reduce` in front if they name a file, or have options or a command,
/// but no command of ours.
pub(crate) fn with_command(mut words: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = words.get(1).map(OsString::as_os_str) else {
        return words;
    };
    let definition = Cli::definition();
    let is_command = |word: &OsString| {
        let names = |command: &clap::Command| {
            command
                .get_name_and_visible_aliases()
                .iter()
                .any(|name| word == name)
        };
        word == "help" || definition.get_subcommands().any(names)
    };
    let own = first.as_bytes().starts_with(b"-") && first.len() > 1;
    let own = own && !before_dashes(&words).iter().any(is_command);
    let is_global = ["-h", "--help", "-V", "--version"]
        .iter()
        .any(|option| first == *option);
    let is_path =
        first.as_bytes().iter().any(|byte| b"./".contains(byte)) || Path::new(first).exists();
    // Before a command to run, `reduec` is more likely a misspelled command than a missing input.
    let is_input = || words.iter().any(|word| word == "--") && !is_like_a_command(first);
    if !is_global && !is_command(&words[1]) && (own || is_path || is_input()) {
        words.insert(1, "reduce".into());
    }
    words
}

fn is_like_a_command(word: &OsStr) -> bool {
    let parsed = Cli::try_parse_from([OsStr::new("boildown"), word]);
    parsed.is_err_and(|error| error.get(ContextKind::SuggestedSubcommand).is_some())
}

/// Returns the error for arguments that clap refused, in the words of the user; `None` if the
/// message of clap is the best one.
pub(crate) fn explain(error: &clap::Error, words: &[OsString]) -> Option<CliError> {
    let invalid = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let definition = Cli::definition();
    let command = words.get(1).and_then(|word| word.to_str());
    let command = command.and_then(|name| definition.find_subcommand(name));
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = invalid(ContextKind::InvalidSubcommand)?;
            let hint = other_tools::command(name)?;
            Some(CliError::usage(format!("there is no command `{name}`")).hint(hint))
        }
        ErrorKind::UnknownArgument => {
            let word = invalid(ContextKind::InvalidArg)?;
            if !word.starts_with('-') {
                return without_dashes(words);
            }
            let command = command?;
            let option = word.split('=').next().unwrap_or(word);
            Some(unknown_option(option, command, error))
        }
        ErrorKind::MissingRequiredArgument => missing_file(words),
        _ => None,
    }
}

/// Returns the error for an option that does not exist, with ours that does the same if there is
/// one.
fn unknown_option(option: &str, command: &clap::Command, error: &clap::Error) -> CliError {
    let name = command.get_name();
    let what = CliError::usage(format!("there is no option `{option}`"));
    if let Some(hint) = other_tools::option(option, command) {
        return what.hint(hint);
    }
    let is_shown = |name: &str| {
        let mut options = command.get_arguments();
        options.any(|known| !known.is_hide_set() && known.get_long() == Some(name))
    };
    let similar = match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(text)) => text.strip_prefix("--").filter(|name| is_shown(name)),
        _ => None,
    };
    what.hints(similar.map(|similar| format!("a similar one is `--{similar}`")))
        .hint(format!("`boildown {name} --help` lists the options"))
}

/// Returns the words before `--`.
fn before_dashes(words: &[OsString]) -> &[OsString] {
    let end = words.iter().position(|word| word == "--");
    &words[..end.unwrap_or(words.len())]
}

/// Returns the error for a command that follows the file without `--`.
fn without_dashes(words: &[OsString]) -> Option<CliError> {
    let files = match words.get(1)?.to_str()? {
        "reduce" => 1,
        "isolate" => 2,
        _ => return None,
    };
    let before = before_dashes(words);
    let is_file = |word: &OsString| Path::new(word).is_file();
    let first = 2 + before.get(2..)?.iter().position(is_file)?;
    let start = first + files;
    let command = before
        .get(start)
        .filter(|word| !word.as_bytes().starts_with(b"-"))?;
    let (arguments, rest) = words.split_at(start);
    let rest: Vec<_> = rest.iter().filter(|word| *word != "--").cloned().collect();
    Some(
        CliError::usage(format!("unexpected argument `{}`", command.escaped())).hint(format!(
            "the command goes after `--`: {} -- {}",
            line(arguments),
            line(&rest)
        )),
    )
}

/// Returns the error for a command line without the file to reduce, if the command names one.
fn missing_file(words: &[OsString]) -> Option<CliError> {
    if words.get(1)? != "reduce" {
        return None;
    }
    let (before, command) = words.split_at(before_dashes(words).len());
    let is_file = |word: &&OsString| Path::new(word).is_file();
    let file = command.iter().skip(2).rfind(is_file)?;
    let before: Vec<_> = before.iter().chain([file]).cloned().collect();
    Some(
        CliError::usage("the file to reduce is missing").hint(format!(
            "it comes before `--`: {} {}",
            line(&before),
            line(command)
        )),
    )
}

/// Returns the arguments as they are typed.
fn line(words: &[OsString]) -> String {
    let name = OsStr::new("boildown");
    let words = words.iter().enumerate();
    let words = words.map(|(index, word)| {
        if index == 0 && Path::new(word).file_name() == Some(name) {
            name
        } else {
            word
        }
    });
    let words: Vec<_> = words.map(boildown_oracle::shell::quote).collect();
    words.join(" ")
}

//! Two folders: their difference is searched as `boildown changes` searches that of two states.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use clap::Parser as _;

use super::args::IsolateArgs;
use crate::cli::{Cli, Command};
use crate::commands::changes;
use crate::error::{CliError, ExitKind};
use crate::report::format::EscapedPath as _;
use crate::settings::words_in_effect;

/// Finds the smallest part of the difference between two folders with which the command fails.
pub(super) fn run(args: &IsolateArgs) -> Result<ExitKind, CliError> {
    let mut words = words_in_effect();
    if let Some(command) = words.iter_mut().find(|word| *word == "isolate") {
        *command = "changes".into();
    }
    // It asks nothing, so there is nothing to say yes to.
    let end = words.iter().position(|word| *word == "--");
    let mut number = 0..;
    words.retain(|word| {
        let is_option = number.next() < end.or(Some(usize::MAX));
        !(is_option && (*word == "-y" || *word == "--yes"))
    });
    let parsed = Cli::try_parse_from(&words);
    let mut changes_args = match parsed.map(|cli| cli.command) {
        Ok(Command::Changes(args)) => args,
        Ok(_) => unreachable!("the command is `changes`"),
        Err(error) => return Err(refused(args, &error)),
    };
    for word in &mut changes_args.command {
        *word = in_candidate(word, &args.bad);
    }
    if let Some(dir) = args.output.as_ref().filter(|output| output.is_dir()) {
        changes_args.output = Some(dir.join("culprit.patch"));
    }
    changes::run(*changes_args)
}

/// Returns the error for an option that has no meaning for two folders.
fn refused(args: &IsolateArgs, error: &clap::Error) -> CliError {
    let (good, bad) = (args.good.escaped(), args.bad.escaped());
    let message = error.to_string();
    let reason = message.lines().next().unwrap_or_default();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason).to_owned();
    CliError::usage(format!("failed to isolate the folders {good} and {bad}"))
        .because(reason)
        .hint("the options for folders are those of `boildown changes`")
}

/// Returns a word of the command with `{}` in the place of the bad folder, if the word is a path
/// of the folder or in it.
fn in_candidate(word: &OsStr, bad: &Path) -> OsString {
    let Ok(bad) = fs::canonicalize(bad) else {
        return word.to_owned();
    };
    let path = Path::new(word);
    for ancestor in path.ancestors().filter(|path| !path.as_os_str().is_empty()) {
        let Ok(inside) = path.strip_prefix(ancestor) else {
            continue;
        };
        if fs::canonicalize(ancestor).is_ok_and(|ancestor| ancestor == bad) {
            return Path::new("{}").join(inside).into_os_string();
        }
    }
    word.to_owned()
}

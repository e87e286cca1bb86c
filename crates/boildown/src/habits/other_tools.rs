//! Options of other tools, and lines of theirs as they are typed here.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::LazyLock;

use boildown_oracle::shell::quote;
use serde::Deserialize;

use super::line::{Line, typed};
use super::other_commands;
use crate::cli::Cli;

/// What to do about an option of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Cure {
    /// To leave it out. A value that it has stays, as the name of a file.
    Omit,
    /// To leave it out with its value.
    OmitWithValue,
    /// To type the option of ours that the line begins with, with the same value.
    Replace,
    /// What no table says.
    Advise,
}

/// The options by what to do about them: names, and a line about ours.
static OPTIONS: LazyLock<BTreeMap<Cure, BTreeMap<String, String>>> = LazyLock::new(|| {
    toml::from_str(include_str!("other_tools.toml"))
        .expect("the file is a table of tables of texts")
});

/// Returns a line about an option of another tool, for one of our commands.
pub(super) fn option(option: &str, command: &clap::Command) -> Option<&'static str> {
    row(option, command).map(|(hint, _)| hint)
}

fn row(option: &str, command: &clap::Command) -> Option<(&'static str, Cure)> {
    let is_known = |name| {
        command
            .get_arguments()
            .any(|known| known.get_long() == Some(name))
    };
    rows().find_map(|(cure, names, hint)| {
        let is_about = names.split(' ').any(|name| name == option);
        (is_about && named_options(hint).all(is_known)).then_some((hint, cure))
    })
}

fn rows() -> impl Iterator<Item = (Cure, &'static str, &'static str)> {
    OPTIONS.iter().flat_map(|(cure, rows)| {
        let rows = rows.iter();
        rows.map(|(names, hint)| (*cure, names.as_str(), hint.as_str()))
    })
}

/// Returns the line with our commands and options in the place of those of other tools, as far as
/// boildown accepts it.
pub(super) fn translated(words: &[OsString]) -> Option<String> {
    if let Some(line) = words.get(1..).and_then(bisection) {
        return Some(line);
    }
    let name = words.get(1)?.to_str()?;
    let ours = other_commands::find(name);
    let name = ours.map_or(Some(name), |ours| ours.name.as_deref())?;
    let definition = Cli::definition();
    let command = definition.find_subcommand(name)?;
    let line = Line(words.to_vec());
    let (before, after) = words.split_at(line.dashes());
    let mut translated = vec![words[0].clone(), name.into()];
    let mut rest = before.iter().skip(2);
    while let Some(word) = rest.next() {
        let (option, value) = match word.to_str().and_then(|word| word.split_once('=')) {
            Some((option, value)) => (OsStr::new(option), Some(OsString::from(value))),
            None => (word.as_os_str(), None),
        };
        let row = option.to_str().and_then(|option| row(option, command));
        match row {
            None => translated.push(word.clone()),
            Some((_, Cure::Omit)) => translated.extend(value),
            Some((_, Cure::OmitWithValue)) => drop(value.or_else(|| rest.next().cloned())),
            Some((hint, Cure::Replace)) => {
                translated.extend(hint.split(' ').next().map(OsString::from));
                translated.extend(value);
            }
            Some((_, Cure::Advise)) => return None,
        }
    }
    translated.extend(after.iter().cloned());
    Line(translated).shown()
}

/// Returns our line for one that begins as a line of `git bisect` does.
fn bisection(words: &[OsString]) -> Option<String> {
    let is_name = |word: &&OsString| *word == "git" || *word == "bisect";
    let words = &words[words.iter().take_while(is_name).count()..];
    match words {
        [run, command @ ..] if run == "run" && !command.is_empty() => {
            let command: Vec<_> = command.iter().map(quote).collect();
            let command = quote(command.join(" "));
            Some(format!("boildown changes GOOD..BAD --bisect-run {command}"))
        }
        [start, bad, good] if start == "start" && !bad.as_bytes().starts_with(b"-") => {
            let (bad, good) = (typed(bad), typed(good));
            Some(format!("boildown changes {good}..{bad} -- COMMAND"))
        }
        [states, ..] if states.as_bytes().windows(2).any(|two| two == b"..") => {
            let mut line = Line(vec!["boildown".into(), "changes".into()]);
            line.0.extend(words.iter().cloned());
            if line.dashes() == line.0.len() {
                line = line.ending(["--".into(), "COMMAND".into()]);
            }
            line.shown()
        }
        _ => None,
    }
}

/// Returns our line for one of `boildown changes` that names each state by an option.
pub(super) fn named_states(words: &[OsString]) -> Option<String> {
    let mut line = Line(words.to_vec());
    let bad = line.take_value(&["--bad", "--new", "--broken"])?;
    let good = line.take_value(&["--good", "--old", "--fixed"])?;
    let mut states = good;
    states.push("..");
    states.push(bad);
    line.0.insert(2, states);
    line.shown()
}

/// Returns the names of the options that a line names.
fn named_options(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| letter.is_whitespace() || "=:;,`'".contains(letter))
        .filter_map(|word| word.strip_prefix("--"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_line_names_options_that_reduce_has_and_one_that_it_has_not() {
        let definition = Cli::definition();
        let reduce = definition.find_subcommand("reduce").unwrap();
        for (_, names, line) in rows() {
            for name in names.split(' ') {
                assert_eq!(option(name, reduce), Some(line), "{name}");
                let long = name.strip_prefix("--");
                let known = reduce.get_arguments().find(|known| {
                    let short = known.get_short_and_visible_aliases().unwrap_or_default();
                    match long {
                        Some(long) => {
                            known.get_all_aliases().unwrap_or_default().contains(&long)
                                || known.get_long() == Some(long)
                        }
                        None => name.len() == 2 && short.contains(&name.chars().nth(1).unwrap()),
                    }
                });
                assert!(known.is_none(), "{name} is an option");
            }
        }
    }
}

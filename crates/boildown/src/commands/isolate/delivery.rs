//! Files that hold an environment, or the arguments of the command.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::sync::Arc;

use boildown_document::{CommandParts, Split};
use boildown_exec::{CommandLine, Delivered};
use boildown_oracle::shell::quote;

use crate::commands::reduce::delivery::words_of_response_file;
use crate::error::CliError;
use crate::options::RunArgs;
use crate::property::PropertyCommands;

/// What the files are to the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileRole {
    /// Files that it reads.
    Read,
    /// Its environment.
    Environment,
    /// Its arguments.
    Arguments,
}

impl FileRole {
    /// Returns a file as it is compared: the variables sorted by their names, because their order
    /// has no meaning; arguments on lines of their own, each option with its value.
    pub(super) fn normalised(self, file: Arc<[u8]>) -> Arc<[u8]> {
        match self {
            Self::Environment => sorted_variables(&file).into(),
            Self::Arguments => arguments_on_lines(&file).into(),
            Self::Read => file,
        }
    }
}

/// Returns the variables of `NAME=VALUE` lines, or of records that end with a NUL.
fn variables(file: &[u8]) -> Vec<(&[u8], &[u8])> {
    let split = match file.contains(&0) {
        true => Split::Nul,
        false => Split::Lines,
    };
    let pair = |item| {
        let equals = <[u8]>::iter(item).position(|&byte| byte == b'=')?;
        Some((&item[..equals], &item[equals + 1..]))
    };
    let found = split.items(file).into_iter().filter_map(pair);
    found.filter(|(name, _)| !name.is_empty()).collect()
}

fn sorted_variables(file: &[u8]) -> Vec<u8> {
    let mut variables = variables(file);
    // Of two variables with the same name, the last one counts.
    variables.reverse();
    variables.sort_by_key(|(name, _)| *name);
    variables.dedup_by_key(|(name, _)| *name);
    // A value may hold line breaks if the file is divided by NULs.
    let end = if file.contains(&0) { 0 } else { b'\n' };
    let lines = variables.into_iter();
    lines
        .flat_map(|(name, value)| [name, b"=", value, &[end]].concat())
        .collect()
}

fn arguments_on_lines(file: &[u8]) -> Vec<u8> {
    let words = words_of_response_file(file);
    let line = words.iter().map(quote).collect::<Vec<_>>().join(" ");
    // The split needs a program before the arguments.
    let line = format!("command {line}").into_bytes();
    let groups = Split::Command(CommandParts::Arguments).elements_text(&line);
    groups
        .into_iter()
        .flat_map(|group| [group, b"\n"].concat())
        .collect()
}

/// Returns the commands, with what candidates say about them.
pub(super) fn commands(
    runs: &RunArgs,
    bad: &Path,
    role: FileRole,
    usage: &str,
) -> Result<PropertyCommands, CliError> {
    let mut words = runs.command.clone();
    if role == FileRole::Arguments
        && !words.iter().any(|word| CommandLine::names_items(word))
        && !words.is_empty()
    {
        words.push("{items}".into());
    }
    let mut commands = PropertyCommands::new(&runs.property, &words, bad, usage)?;
    let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    if role == FileRole::Environment {
        commands.deliver(bad, move |candidate| Delivered {
            variables: Some(
                (variables(candidate).into_iter())
                    .map(|(name, value)| (text(name), text(value)))
                    .collect(),
            ),
            ..Delivered::default()
        })?;
    } else if role == FileRole::Arguments {
        commands.deliver(bad, |candidate| Delivered {
            items: words_of_response_file(candidate),
            ..Delivered::default()
        })?;
    } else if words.iter().any(|word| CommandLine::names_items(word)) {
        commands.deliver_items(bad, Split::Lines)?;
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_variable_of_a_name_counts_and_the_order_does_not() {
        assert_eq!(sorted_variables(b"B=1\n# c\nA=x=y\nB=2\n"), b"A=x=y\nB=2\n");
        assert_eq!(sorted_variables(b"B=1\n2\0A=\0"), b"A=\0B=1\n2\0");
    }

    #[test]
    fn an_option_is_on_a_line_with_its_value() {
        assert_eq!(
            arguments_on_lines(b"-O2 -o 'a b'\n-c x.c"),
            b"-O2\n-o 'a b'\n-c x.c\n"
        );
    }
}

//! Delivery of candidates to the command: as items in place of `{items}`, or as the command itself.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_document::command_words;
use boildown_oracle::shell::quote;

use super::args::{CommandPart, Part, Variables};
use crate::error::CliError;
use crate::input::read_regular;

/// Variables that each run has for itself, that a shell sets for each command, or that are for
/// boildown.
#[rustfmt::skip]
const NOT_OF_THE_COMMAND: [&str; 7] = [
    "PATH", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_", "BOILDOWN_WRITABLE",
];

/// The depth to which response files may name others.
const DEEPEST: usize = 8;

/// Returns the name of a command whose parts are reduced, as that of the input.
///
/// # Errors
/// [`CliError`] when there is no command.
pub(super) fn name_of_command(
    command: &[OsString],
    parts: &[CommandPart],
    part: Part,
) -> Result<PathBuf, CliError> {
    let option = match parts.contains(&CommandPart::Args) {
        true => "--reduce args",
        false => "--reduce env",
    };
    let Some(program) = command.first() else {
        return Err(CliError::usage(format!("no command for `{option}`"))
            .hint(format!("boildown reduce {option} -- COMMAND...")));
    };
    let name = Path::new(program)
        .file_name()
        .unwrap_or(OsStr::new("command"));
    let mut name = name.to_owned();
    // The reduction of the command after that of the file has a store of its own.
    name.push(if part == Part::Last {
        ".last.command"
    } else {
        ".command"
    });
    Ok(PathBuf::from(name))
}

/// Returns the command as a line for a shell; with its environment, if that is reduced: these
/// variables, or those that it inherits.
pub(super) fn command_as_input(
    command: &[OsString],
    environment: Option<Option<Variables>>,
) -> Arc<[u8]> {
    let mut words = Vec::new();
    if let Some(variables) = environment {
        words.extend([
            "env".to_owned(),
            "-i".to_owned(),
            "PATH=\"$PATH\"".to_owned(),
        ]);
        let is_of_command = |name: &OsStr| NOT_OF_THE_COMMAND.iter().all(|other| name != *other);
        let inherited = || env::vars_os().filter(|(name, _)| is_of_command(name));
        let mut variables = variables.unwrap_or_else(|| inherited().collect());
        variables.sort();
        words.extend(variables.into_iter().map(|(mut variable, value)| {
            variable.push("=");
            variable.push(value);
            quote(variable)
        }));
    }
    words.extend(command.iter().map(quote));
    let line = words.join(" ") + "\n";
    line.into_bytes().into()
}

/// Returns the words with the contents of response files in place of the words that name them.
pub(super) fn without_response_files(words: &[OsString]) -> Vec<OsString> {
    expanded(words, DEEPEST)
}

fn expanded(words: &[OsString], depth: usize) -> Vec<OsString> {
    let response = |word: &OsString| {
        let path = word.as_bytes().strip_prefix(b"@")?;
        let content = read_regular(Path::new(OsStr::from_bytes(path))).ok()?;
        (depth > 0).then(|| expanded(&words_of_response_file(&content), depth - 1))
    };
    let expand = |word: &OsString| response(word).unwrap_or_else(|| vec![word.clone()]);
    words.iter().flat_map(expand).collect()
}

/// Returns the words of a response file, as GNU tools and LLVM read it: divided by white space,
/// with quotes, and backslashes before single characters.
pub(crate) fn words_of_response_file(content: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = content.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) if quote != Some(b'\'') => {
                word.get_or_insert_default().extend(bytes.next());
            }
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

/// Returns the words of a line for a shell, and its variables if the command inherits none; `None`
/// if it is no command.
pub(super) fn words_and_variables(line: &[u8]) -> Option<(Vec<OsString>, Option<Variables>)> {
    let command = command_words(line)?;
    let text = |bytes: Vec<u8>| OsString::from_vec(bytes);
    let pair = |(name, value)| (text(name), text(value));
    let variables = command.variables;
    Some((
        command.words.into_iter().map(text).collect(),
        variables.map(|all| all.into_iter().map(pair).collect()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_file_is_read_as_gnu_tools_read_it() {
        let words = words_of_response_file(b"-O2 'a b'\n\t-D\"c \\\" d\" \\\\e ''\n");
        assert_eq!(words, ["-O2", "a b", "-Dc \" d", "\\e", ""]);
    }
}

//! Former spellings of options, which are read as the present ones.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use crate::cli::Cli;

/// The commands, a former option, and what stands for it. An end of `=` or `@` takes its value.
const FORMER: &[(&[&str], &str, &str)] = &[
    (&["reduce"], "--args", "--reduce=args"),
    (&["reduce"], "--env", "--reduce=env"),
    (SEARCHES, "--workers", "--worker=@"),
    (SEARCHES, "--remote-instance", "--remote=instance="),
    (SEARCHES, "--remote-property", "--remote=property="),
    (SEARCHES, "--remote-env", "--remote=env="),
    (SEARCHES, "--remote-file", "--remote=file="),
    (SEARCHES, "--remote-group", "--remote=group="),
    (SEARCHES, "--remote-token-file", "--remote=token-file="),
    (SEARCHES, "--remote-ca", "--remote=ca="),
    (SEARCHES, "--remote-cert", "--remote=cert="),
    (SEARCHES, "--remote-key", "--remote=key="),
];

const SEARCHES: &[&str] = &["reduce", "isolate"];

/// Returns the words with present spellings of options. The command after `--`, and values that may
/// look like options, stay.
pub(super) fn modern(words: Vec<OsString>) -> Vec<OsString> {
    let command = words.get(1).and_then(|word| word.to_str());
    let former: Vec<(&str, &str)> = (FORMER.iter())
        .filter(|(commands, ..)| command.is_some_and(|command| commands.contains(&command)))
        .map(|(_, former, present)| (*former, *present))
        .collect();
    let dashes = words.iter().position(|word| word == "--");
    let end = dashes.unwrap_or(words.len());
    let is_former = |word: &OsString| former.iter().any(|(old, _)| begins(word, old).is_some());
    if !words[..end].iter().any(is_former) {
        return words;
    }
    let definition = Cli::definition();
    let command = command.and_then(|name| definition.find_subcommand(name));
    let takes_any = |word: &OsStr| {
        let name = word.to_str().and_then(|word| word.strip_prefix("--"));
        let mut options = command.into_iter().flat_map(clap::Command::get_arguments);
        options.any(|option| option.is_allow_hyphen_values_set() && option.get_long() == name)
    };
    let mut modern: Vec<OsString> = Vec::with_capacity(words.len());
    let mut words = words.into_iter().enumerate();
    let mut is_value = false;
    while let Some((index, word)) = words.next() {
        let found = former.iter().find_map(|(old, present)| {
            let value = begins(&word, old).filter(|_| index < end && !is_value)?;
            Some((*present, value))
        });
        is_value = takes_any(&word);
        let Some((present, value)) = found else {
            modern.push(word);
            continue;
        };
        let mut present = OsString::from(present);
        if present.as_bytes().ends_with(b"=") || present.as_bytes().ends_with(b"@") {
            let next = || words.next().map(|(_, word)| word).unwrap_or_default();
            present.push(value.unwrap_or_else(next));
        }
        modern.push(present);
    }
    modern
}

/// Returns the value in `--option=value` if the word is this option.
fn begins(word: &OsStr, option: &str) -> Option<Option<OsString>> {
    match word.as_bytes().strip_prefix(option.as_bytes())? {
        [] => Some(None),
        [b'=', value @ ..] => Some(Some(OsStr::from_bytes(value).to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn former_options_are_read_as_the_present_ones() {
        for (typed, expected) in [
            (
                "boildown reduce --args --env -- cc --args",
                "boildown reduce --reduce=args --reduce=env -- cc --args",
            ),
            (
                "boildown reduce a.c --remote-env A=b --workers=w.txt --remote-group=2 -- cc",
                "boildown reduce a.c --remote=env=A=b --worker=@w.txt --remote=group=2 -- cc",
            ),
            ("boildown isolate a b --env", "boildown isolate a b --env"),
            (
                "boildown reduce a.c --stderr --args -- cc",
                "boildown reduce a.c --stderr --args -- cc",
            ),
        ] {
            assert_eq!(modern(words(typed)), words(expected));
        }
    }
}

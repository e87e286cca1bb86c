//! The parts of a command's help that its manual page has too: description, examples, keys, exit
//! codes and files.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

/// What the help and the manual page of a command say beyond its options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guide {
    /// The ways to write the command, for the manual page.
    pub(crate) synopsis: &'static [&'static str],
    /// Paragraphs that explain the command.
    pub(crate) description: &'static [&'static str],
    pub(crate) examples: &'static [Example],
    /// Keys on a terminal, and what they do.
    pub(crate) keys: &'static [(&'static str, &'static str)],
    /// Exit codes, and what they mean.
    pub(crate) exit_codes: &'static [(u8, &'static str)],
    /// Files that the command writes.
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// Other manual pages, without `boildown-`.
    pub(crate) see_also: &'static [&'static str],
}

/// An example of a command line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Example {
    pub(crate) command: &'static str,
    /// A few words for the short help; empty when the example is not in it.
    pub(crate) brief: &'static str,
    pub(crate) purpose: &'static str,
}

impl Guide {
    /// Returns the examples for `-h`, each on one line of at most 80 characters.
    pub(crate) fn short_examples(&self) -> String {
        let shown = || {
            let examples = self.examples.iter();
            examples.filter(|example| !example.brief.is_empty())
        };
        let width = shown().map(|example| example.command.len()).max();
        let width = width.unwrap_or(0);
        let mut text = "Examples:".to_owned();
        for Example { command, brief, .. } in shown() {
            write!(text, "\n  {command:width$}  {brief}").ok();
        }
        text
    }

    /// Returns the description and the examples for `--help`.
    pub(crate) fn beginning(&self) -> String {
        let mut text = self.description.join("\n\n") + "\n\nExamples:";
        for Example {
            command, purpose, ..
        } in self.examples
        {
            write!(text, "\n  {command}\n          {purpose}").ok();
        }
        text
    }

    /// Returns the keys and the exit codes for the end of `--help`.
    pub(crate) fn ending(&self) -> String {
        let mut text = String::new();
        if !self.keys.is_empty() {
            text += "Keys, on a terminal:\n";
            for (key, effect) in self.keys {
                writeln!(text, "  {key:>2}  {effect}").ok();
            }
            text.push('\n');
        }
        text += "Exit codes:";
        for (code, meaning) in self.exit_codes {
            write!(text, "\n  {code:>2}  {meaning}").ok();
        }
        text
    }
}

/// Returns the whole help of a command, with the options for experts, if the words ask for it by
/// `--help expert`. `definition` is all that can be typed, with those options.
pub(crate) fn help_for_experts(words: &[OsString], definition: clap::Command) -> Option<String> {
    let end = words.iter().position(|word| word == "--");
    let typed = &words[..end.unwrap_or(words.len())];
    let is_asked = typed
        .windows(2)
        .any(|pair| pair[0] == "--help" && pair[1] == "expert")
        || typed.iter().any(|word| word == "--help=expert");
    let command = words.get(1).filter(|_| is_asked)?;
    let words = [words[0].as_os_str(), command, OsStr::new("--help")];
    let help = definition.try_get_matches_from(words).err()?;
    Some(help.to_string())
}

/// The help template: examples come before the options.
pub(crate) const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// The end of the short help.
pub(crate) const MORE: &str =
    "--help shows more options, examples, and the exit codes; --help expert all.";

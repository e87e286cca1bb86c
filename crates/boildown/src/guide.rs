//! The parts of a command's help that its manual page has too: description, examples, keys, exit
//! codes and files.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// What the help and the manual page of a command say beyond its options.
#[derive(Debug, Default)]
pub(crate) struct Guide {
    /// The ways to write the command, for the manual page.
    pub(crate) synopsis: Vec<&'static str>,
    /// Paragraphs that explain the command.
    pub(crate) description: Vec<String>,
    pub(crate) examples: Vec<Example>,
    /// Keys on a terminal, and what they do.
    pub(crate) keys: Terms,
    /// Exit codes, and what they mean.
    pub(crate) exit_codes: Terms,
    /// Files that the command writes.
    pub(crate) files: Terms,
    /// Other manual pages, without `boildown-`.
    pub(crate) see_also: Vec<&'static str>,
}

/// Words, and what they mean.
pub(crate) type Terms = Vec<(&'static str, &'static str)>;

/// An example of a command line.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) command: &'static str,
    /// A few words for the short help; empty when the example is not in it.
    brief: &'static str,
    pub(crate) purpose: String,
}

/// The guides of boildown and of its commands, by their names.
static GUIDES: LazyLock<Vec<(&str, Guide)>> = LazyLock::new(|| {
    let sections = include_str!("commands/guides.txt").split("\n## ").skip(1);
    let named = sections.filter_map(|section| section.split_once('\n'));
    named
        .map(|(name, text)| (name, Guide::read(text)))
        .collect()
});

/// The meaning of a file without one.
const STORE: &str = "beside the result: the run store, from which the same command resumes, and the \
     smallest candidates of secondary failures. It may be deleted when no run is in progress.";

/// Returns the guide of a command, or of boildown itself.
///
/// # Panics
/// When there is none.
pub(crate) fn guide(command: &str) -> &'static Guide {
    let found = GUIDES.iter().find(|(name, _)| *name == command);
    let (_, guide) = found.unwrap_or_else(|| panic!("no guide of `{command}`"));
    guide
}

/// Returns the names of the commands with a guide.
pub(crate) fn pages() -> impl Iterator<Item = &'static str> {
    GUIDES.iter().skip(1).map(|(name, _)| *name)
}

impl Guide {
    /// Reads a guide: blocks of lines, which an empty line divides.
    fn read(text: &'static str) -> Self {
        let mut guide = Self::default();
        for block in text.trim_matches('\n').split("\n\n") {
            let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
            let terms = || {
                rest.lines()
                    .map(|line| line.split_once("  ").unwrap_or((line, STORE)))
            };
            match first.split_once(' ') {
                None if first == "Keys:" => guide.keys = terms().collect(),
                None if first == "Files:" => guide.files = terms().collect(),
                Some(("", _)) => guide.synopsis = block.lines().map(str::trim).collect(),
                Some(("$", command)) => guide.examples.push(Example::read(command, rest)),
                _ if first == "Exit codes:" => guide.exit_codes = terms().collect(),
                _ => match first.strip_prefix("See also: ") {
                    Some(pages) => guide.see_also = pages.split(", ").collect(),
                    None => guide.description.push(block.replace('\n', " ")),
                },
            }
        }
        if guide.exit_codes.is_empty() {
            guide.exit_codes = vec![("0", "printed"), ("1", "invalid usage")];
        }
        guide
    }

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
        } in &self.examples
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
            for (key, effect) in &self.keys {
                writeln!(text, "  {key:>2}  {effect}").ok();
            }
            text.push('\n');
        }
        text += "Exit codes:";
        for (code, meaning) in &self.exit_codes {
            write!(text, "\n  {code:>2}  {meaning}").ok();
        }
        text
    }
}

impl Example {
    /// Reads what follows the command: the line for the short help, if there is one, and the
    /// purpose.
    fn read(command: &'static str, text: &'static str) -> Self {
        let brief = text
            .strip_prefix(": ")
            .and_then(|text| text.split_once('\n'));
        let (brief, purpose) = brief.unwrap_or(("", text));
        Self {
            command,
            brief,
            purpose: purpose.replace('\n', " "),
        }
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_short_help_fits_on_a_small_terminal() {
        for command in [
            "reduce", "isolate", "changes", "triage", "explain", "history", "man",
        ] {
            let mut definition = Cli::command().term_width(80);
            definition.build();
            let command = definition.find_subcommand_mut(command).unwrap();
            let help = command.clone().term_width(80).render_help().to_string();
            assert!(help.lines().count() <= 40, "{help}");
            let longest = help.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(80), "{help}");
        }
    }

    #[test]
    fn every_exit_code_is_described_once() {
        for name in ["reduce", "isolate", "changes", "triage"] {
            let codes = guide(name).exit_codes.iter();
            let codes: Vec<u8> = codes.map(|(code, _)| code.parse().unwrap()).collect();
            assert!(codes.is_sorted_by(|one, next| one < next), "{name}");
        }
    }

    #[test]
    fn examples_come_before_the_options() {
        for name in ["reduce", "isolate", "changes", "triage"] {
            let mut definition = Cli::definition();
            definition.build();
            let command = definition.find_subcommand_mut(name).unwrap();
            let texts = [command.render_help(), command.render_long_help()];
            for text in texts.map(|text| text.to_string()) {
                let example = text.find(guide(name).examples[0].command);
                let option = text.find("What ");
                assert!(example.is_some() && example < option, "{text}");
            }
        }
    }

    #[test]
    fn every_command_has_a_guide_of_its_own() {
        let definition = Cli::definition();
        for command in definition.get_subcommands() {
            let guide = guide(command.get_name());
            let own = format!("boildown {}", command.get_name());
            assert!(
                guide.synopsis.iter().all(|form| form.starts_with(&own)),
                "{own}"
            );
            let examples = guide.examples.iter().map(|example| example.command);
            assert!(
                examples.clone().all(|example| example.starts_with(&own)),
                "{own}"
            );
        }
    }
}

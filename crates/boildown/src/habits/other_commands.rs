//! Commands of other tools, and what does the same here.

/// Commands of other tools that do the same.
#[derive(Debug)]
pub(super) struct OtherCommand {
    names: &'static [&'static str],
    /// A line about ours.
    pub(super) line: &'static str,
    /// Our command, if it takes the same arguments.
    pub(super) name: Option<&'static str>,
}

/// The commands, each once.
const COMMANDS: &[OtherCommand] = &[
    OtherCommand {
        names: &[
            "minimize",
            "minimise",
            "shrink",
            "min",
            "tmin",
            "creduce",
            "cvise",
            "shrinkray",
            "llvm-reduce",
            "lithium",
            "picire",
            "treereduce",
            "perses",
            "halfempty",
            "afl-tmin",
        ],
        line: "`boildown reduce FILE -- COMMAND` makes a failing file smaller",
        name: Some("reduce"),
    },
    OtherCommand {
        names: &["git", "bisect", "run", "start", "good", "bad", "skip"],
        line: "`boildown changes GOOD..BAD -- COMMAND` finds the commit, and the lines in it",
        name: None,
    },
    OtherCommand {
        names: &["diff", "delta", "dd", "compare"],
        line: "`boildown isolate GOOD BAD -- COMMAND` finds the smallest difference between two files",
        name: Some("isolate"),
    },
    OtherCommand {
        names: &["version"],
        line: "`boildown --version` prints the version",
        name: None,
    },
    OtherCommand {
        names: &["completion"],
        line: "`boildown completions SHELL` prints a completion script",
        name: Some("completions"),
    },
];

/// Returns what is known about a command of another tool.
pub(super) fn find(name: &str) -> Option<&'static OtherCommand> {
    COMMANDS.iter().find(|other| other.names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_line_about_a_command_names_one_that_exists() {
        let definition = Cli::definition();
        for OtherCommand { names, line, name } in COMMANDS {
            assert!(name.is_none_or(|name| definition.find_subcommand(name).is_some()));
            let named = line
                .split_whitespace()
                .nth(1)
                .unwrap()
                .trim_end_matches('`');
            let is_known = named.starts_with("--") || definition.find_subcommand(named).is_some();
            assert!(is_known, "{line}");
            for name in *names {
                assert!(definition.find_subcommand(name).is_none(), "{name}");
            }
        }
    }
}

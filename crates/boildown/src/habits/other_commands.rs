//! Commands of other tools, and what does the same here.

use std::sync::LazyLock;

use serde::Deserialize;

/// Commands of other tools that do the same.
#[derive(Debug, Deserialize)]
pub(super) struct OtherCommand {
    names: Vec<String>,
    /// A line about ours.
    pub(super) line: String,
    /// Our command, if it takes the same arguments.
    pub(super) name: Option<String>,
}

#[derive(Deserialize)]
struct OtherCommands {
    command: Vec<OtherCommand>,
}

/// The commands, each once.
static COMMANDS: LazyLock<OtherCommands> = LazyLock::new(|| {
    toml::from_str(include_str!("other_commands.toml")).expect("the file is a list of commands")
});

/// Returns what is known about a command of another tool.
pub(super) fn find(name: &str) -> Option<&'static OtherCommand> {
    let mut commands = COMMANDS.command.iter();
    commands.find(|other| other.names.iter().any(|other| other == name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_line_about_a_command_names_one_that_exists() {
        let definition = Cli::definition();
        for OtherCommand { names, line, name } in &COMMANDS.command {
            assert!(
                name.as_ref()
                    .is_none_or(|name| definition.find_subcommand(name).is_some())
            );
            let named = line
                .split_whitespace()
                .nth(1)
                .unwrap()
                .trim_end_matches('`');
            let is_known = named.starts_with("--") || definition.find_subcommand(named).is_some();
            assert!(is_known, "{line}");
            for name in names {
                assert!(definition.find_subcommand(name).is_none(), "{name}");
            }
        }
    }
}

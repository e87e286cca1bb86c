//! Completions and the manual page, from the same definitions as `--help`.

use std::io::Write as _;

use clap::CommandFactory as _;

use crate::args::Args;
use crate::error::{CliError, Kind};

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell) -> Kind {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "boildown", &mut script);
    print(&script)
}

/// Prints the manual page, with a section for each subcommand.
pub(crate) fn man() -> Result<Kind, CliError> {
    let failed = |error: std::io::Error| {
        CliError::new(Kind::Usage, "failed to write the manual").because(error)
    };
    let mut page = Vec::new();
    let command = Args::command();
    clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .map_err(failed)?;
    for subcommand in command.get_subcommands() {
        let name = format!("boildown-{}", subcommand.get_name());
        let manual = clap_mangen::Man::new(subcommand.clone().name(name));
        manual.render(&mut page).map_err(failed)?;
    }
    Ok(print(&page))
}

fn print(bytes: &[u8]) -> Kind {
    // A reader that has seen enough is no error.
    drop(std::io::stdout().write_all(bytes));
    Kind::Reduced
}

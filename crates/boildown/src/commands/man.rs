//! `boildown man`.

use crate::error::{CliError, ExitKind};
use crate::stdout;

/// Prints the manual page, with a section for each command.
pub(crate) fn print(definition: &clap::Command) -> Result<ExitKind, CliError> {
    let page = render(definition)
        .map_err(|error| CliError::usage("failed to write the manual").because(error))?;
    stdout::write(&page);
    Ok(ExitKind::Reduced)
}

fn render(definition: &clap::Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(definition.clone()).render(&mut page)?;
    for command in definition.get_subcommands() {
        let name = format!("boildown-{}", command.get_name());
        clap_mangen::Man::new(command.clone().name(name)).render(&mut page)?;
    }
    Ok(page)
}

//! What candidates say about the command: items in place of `{items}`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use boildown_exec::{CommandLine, Delivered};

use super::args::ReduceArgs;
use crate::error::CliError;
use crate::property::PropertyCommands;

/// Lets candidates decide about the parts of the command that the options name.
///
/// # Errors
/// [`CliError`] when there is no current directory.
pub(super) fn deliver(args: &ReduceArgs, commands: &mut PropertyCommands) -> Result<(), CliError> {
    let Some(split) = args.split() else {
        return Ok(());
    };
    if !args
        .command
        .iter()
        .any(|word| CommandLine::names_items(word))
    {
        return Ok(());
    }
    commands.deliver(&args.input, move |candidate| Delivered {
        items: (split.items(candidate).into_iter())
            .map(|item| OsString::from_vec(item.to_vec()))
            .collect(),
        ..Delivered::default()
    })
}

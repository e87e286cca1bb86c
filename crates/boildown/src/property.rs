//! The command that tests a candidate, and the property that the options state.

use std::ffi::OsString;
use std::path::Path;

use boildown_exec::{CommandLine, StdinContent, TypedCommand};
use boildown_oracle::{Expectation, Property};
use boildown_store::{Identity, add_surroundings};

use crate::error::{CliError, ExitKind};
use crate::options::PropertyArgs;

/// Returns the command that tests a candidate of this input. `usage` is the command line up to the
/// `--`, for a hint.
pub(crate) fn command(
    property: &PropertyArgs,
    words: &[OsString],
    input: &Path,
    usage: &str,
) -> Result<CommandLine, CliError> {
    let user_dir = std::env::current_dir().map_err(|error| {
        CliError::new(ExitKind::CannotRun, "failed to find the current directory").because(error)
    })?;
    let stdin = if property.stdin {
        StdinContent::Candidate
    } else {
        StdinContent::Nothing
    };
    match (&property.test, words.is_empty()) {
        (Some(script), _) => Ok(CommandLine::script(script, &user_dir)),
        (None, false) => {
            let typed = TypedCommand { words, input, user_dir: &user_dir, stdin };
            CommandLine::new(&typed).map_err(|error| CliError::failed_to(ExitKind::InvalidUsage, &error))
        }
        (None, true) => Err(CliError::usage("no command to run on the candidates").hint(
            format!(
                "give the command that fails after `--`:\n  {usage} -- cc -c {}\nor a script with --test",
                input.display()
            ),
        )),
    }
}

/// Returns the property that the options state, if they state one.
pub(crate) fn stated(property: &PropertyArgs) -> Option<Property> {
    let test = property.test.iter().map(|_| Expectation::Test);
    Property::new(test.chain(property.expectations.expectations()).collect())
}

/// Adds the command, the files it consists of, and the stated property to the identity of a run.
pub(crate) fn add_to_identity(
    identity: &mut Identity,
    property: &PropertyArgs,
    command: &CommandLine,
) {
    let PropertyArgs {
        // Part of the command.
        test: _,
        stdin,
        expectations,
        // Added by the caller.
        flaky: _,
    } = property;
    let fed = if *stdin { " <{}" } else { "" };
    identity.add("the command", format!("{command}{fed}"));
    add_surroundings(identity, command.constant_parts());
    identity.add("what to preserve", expectations.identity());
}

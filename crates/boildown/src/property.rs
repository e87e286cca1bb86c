//! From the flags to the command that is run and the property that is kept.

use std::ffi::OsString;
use std::path::Path;

use boildown_oracle::store::{Identity, add_surroundings};
use boildown_oracle::{CommandLine, Expectation, Feed, Property, Typed};

use crate::args;
use crate::error::{CliError, Kind};

/// Returns the command that judges a candidate of this input. `usage` is what to type, up to the command.
pub(crate) fn command(
    property: &args::Property,
    words: &[OsString],
    input: &Path,
    usage: &str,
) -> Result<CommandLine, CliError> {
    let user_dir = std::env::current_dir().map_err(|error| {
        CliError::new(Kind::CannotRun, "failed to find the current directory").because(error)
    })?;
    let feed = if property.stdin {
        Feed::Candidate
    } else {
        Feed::Nothing
    };
    match (&property.test, words.is_empty()) {
        (Some(script), _) => Ok(CommandLine::script(script, &user_dir)),
        (None, false) => {
            let typed = Typed { words, input, user_dir: &user_dir, feed };
            CommandLine::new(&typed).map_err(|error| CliError::failed_to(Kind::Usage, &error))
        }
        (None, true) => Err(CliError::new(Kind::Usage, "there is no command to run on the candidates").hint(
            format!(
                "give the command that fails after `--`, such as\n  {usage} -- cc -c {}\nor a script with --test",
                input.display()
            ),
        )),
    }
}

/// Returns the property that the flags state, if they state one.
pub(crate) fn stated(property: &args::Property) -> Option<Property> {
    let test = property.test.iter().map(|_| Expectation::Test);
    Property::new(test.chain(property.looks.expectations()).collect())
}

/// Adds the command to what makes two runs the same one, what surrounds it, and what the flags state.
pub(crate) fn add_to(identity: &mut Identity, property: &args::Property, command: &CommandLine) {
    let args::Property {
        // Is in the command line and what surrounds it.
        test: _,
        stdin,
        looks,
    } = property;
    let fed = if *stdin { " <{}" } else { "" };
    identity.add("the command", format!("{command}{fed}"));
    add_surroundings(identity, command.constant_parts());
    identity.add("what to preserve", format!("{looks:?}"));
}

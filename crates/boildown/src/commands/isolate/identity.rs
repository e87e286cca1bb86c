//! The identity of an isolation, by which its store is found again.

use boildown_exec::Project;
use boildown_session::prepare::GoodAndBad;
use boildown_store::Identity;

use super::args::IsolateArgs;
use crate::job;
use crate::project;
use crate::property::PropertyCommands;

/// Returns everything that the candidates and verdicts of an isolation depend on.
///
/// The pattern names every option, so that a new one has to be put on one side or the other. Labels
/// and values are stored: with other ones, runs of earlier versions could not be resumed.
pub(super) fn identity(
    args: &IsolateArgs,
    commands: &PropertyCommands,
    files: &GoodAndBad,
    project: Option<&Project>,
) -> Identity {
    let IsolateArgs {
        bad: path,
        language,
        units,
        env: is_environment,
        args: are_arguments,
        runs,
        good: _,
        // The store is beside the results.
        output: _,
        // Ends boildown, or is in the other options.
        general: _,
    } = args;
    let mut identity = Identity::default();
    identity.add_hash("the good file", &files.good);
    identity.add_hash("the bad file", &files.bad);
    let name = path.file_name().unwrap_or_default();
    identity.add("the name of the bad file", format!("{name:?}"));
    job::add_to_identity(runs, commands, &mut identity);
    identity.add("--language", format!("{language:?}"));
    identity.add("--units", format!("{:?}", units.unwrap_or_default()));
    // Runs of earlier versions have no such values.
    if *is_environment || *are_arguments {
        identity.add("--env, --args", format!("{is_environment} {are_arguments}"));
    }
    project::add_to_identity(&mut identity, project);
    identity
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn the_identity_of_an_isolation_is_that_of_earlier_versions() {
        let line = "boildown isolate good.c bad.c --timeout 3 --units lines -- cc -c bad.c";
        let Ok(Cli {
            command: Command::Isolate(args),
        }) = Cli::try_parse_from(line.split_whitespace())
        else {
            panic!("a command line of `boildown isolate`");
        };
        let commands =
            PropertyCommands::new(&args.runs.property, &args.runs.command, &args.bad, "").unwrap();
        let files = GoodAndBad {
            good: b"good".as_slice().into(),
            bad: b"bad".as_slice().into(),
        };
        let identity = identity(&args, &commands, &files, None);
        // The command, its files, and variables of the environment are those of this test run.
        let stated = identity.pairs().filter(|(name, _)| {
            let is_file = name.ends_with(" file") && name.starts_with("the ");
            name.starts_with("--") || is_file
        });
        let stated: String = stated
            .map(|(name, value)| format!("{name}: {value}\n"))
            .collect();
        assert_eq!(
            stated,
            r#"the good file: blake3:4ae75b2349db3092a6a3343625a6aa7b
the bad file: blake3:485216adbab98d719346a0c6755e88ff
the name of the bad file: "bad.c"
--timeout: Some(3s)
--flaky: false
--language: None
--units: Lines
"#
        );
    }
}

//! The identity of an isolation, and what it has in common with that of a reduction: everything
//! that their candidates and verdicts depend on, by which their stores are found again.
//!
//! Labels and values are stored: with other ones, runs of earlier versions could not be resumed. A
//! test lists the options of all commands on which no verdict depends, with the reason.

use std::path::Path;

use boildown_exec::Project;
use boildown_session::prepare::GoodAndBad;
use boildown_store::Identity;

use crate::commands::isolate::args::IsolateArgs;
use crate::limits;
use crate::options::RunArgs;
use crate::project;
use crate::property::PropertyCommands;

/// Returns the identity of an isolation.
pub(crate) fn of_isolation(
    args: &IsolateArgs,
    commands: &PropertyCommands,
    files: &GoodAndBad,
    project: Option<&Project>,
) -> Identity {
    let mut identity = Identity::default();
    identity.add_hash("the good file", &files.good);
    identity.add_hash("the bad file", &files.bad);
    identity.add("the name of the bad file", quoted_name(&args.bad));
    add_runs(&args.runs, commands, &mut identity);
    identity.add("--language", format!("{:?}", args.language));
    identity.add("--units", format!("{:?}", args.units.unwrap_or_default()));
    // Runs of earlier versions have no such values.
    if args.env || args.args {
        identity.add("--env, --args", format!("{} {}", args.env, args.args));
    }
    project::add_to_identity(&mut identity, project);
    identity
}

/// Adds how candidates are run and judged.
pub(crate) fn add_runs(runs: &RunArgs, commands: &PropertyCommands, identity: &mut Identity) {
    commands.add_to_identity(identity);
    identity.add("--timeout", format!("{:?}", runs.timeout));
    identity.add("--flaky", commands.options.flaky.to_string());
    limits::add_to_identity(identity, &runs.sandbox);
    runs.remote.add_to_identity(identity);
    identity.add("the version of boildown", env!("CARGO_PKG_VERSION"));
}

/// Returns the name of a file as the identities of runs hold it.
pub(crate) fn quoted_name(path: &Path) -> String {
    format!("{:?}", path.file_name().unwrap_or_default())
}

/// Returns the text of a choice in the identity of a run.
pub(crate) fn chosen(choice: Option<&impl ToString>) -> String {
    choice.map_or_else(|| "None".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsStr;

    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    /// Options and inputs that are in the identity of a command, by how they are.
    const IN_IDENTITY: [(&str, &str); 6] = [
        (
            "by their own names",
            "timeout flaky language keep passes units split units-only order algorithm schedule \
             rules preserve-names rename compact no-gate allow-trivial strict incremental redact \
             minimize maximize env args same-culprit versions build build-timeout clean with only \
             keep-file frames measure at-least loose remote grammar language-file",
        ),
        (
            "as parts of the command",
            "command test also not valid differs-from stdin bisect-run name",
        ),
        (
            "as parts of the property or rule",
            "exit stdout stderr not-stderr hangs any-failure fix",
        ),
        (
            "as what a run may do",
            "writable no-sandbox no-network memory processes",
        ),
        (
            "as parts of the inputs, or of the states and their history",
            "input more reduce backtrack failure good bad states worktree releases path \
             first-parent skip bisect-log",
        ),
        ("as the project that it states", "within"),
    ];

    /// Options on which no verdict depends, by the reason.
    const OUTSIDE: [(&str, &str); 7] = [
        (
            "change the duration only",
            "jobs worker known warm serve scratch",
        ),
        (
            "change what follows the search, or when it stops",
            "max-time max-tests until pass-command confirm-runs",
        ),
        (
            "change what is printed or written; the store is beside the result",
            "output force in-place ui ok-if-minimal json quiet verbose markdown format",
        ),
        (
            "change what is asked, and whether anything is resumed or done",
            "yes show-property fresh",
        ),
        (
            "end boildown, or are in the other options",
            "help version profile",
        ),
        ("a search without a store", "points"),
        (
            "of a triage, whose store holds runs and not verdicts",
            "folder errors runs no-merge no-reduce",
        ),
    ];

    #[test]
    fn each_option_is_in_the_identity_or_has_a_reason_not_to_be() {
        let mut unknown = BTreeSet::new();
        for command in ["reduce", "isolate", "changes", "triage"] {
            let definition = Cli::subcommand(OsStr::new(command)).unwrap();
            for arg in definition.get_arguments() {
                let name = arg.get_long().unwrap_or(arg.get_id().as_str());
                let has = |table: &[(&str, &str)]| {
                    let mut names = table.iter().flat_map(|(_, names)| names.split(' '));
                    names.any(|known| known == name)
                };
                if has(&IN_IDENTITY) == has(&OUTSIDE) {
                    unknown.insert(name.to_owned());
                }
            }
        }
        assert_eq!(unknown, BTreeSet::new());
    }

    /// Returns the pairs that do not depend on the machine of this test run.
    fn stated(identity: &Identity) -> String {
        let names = [
            "the input",
            "the name of the input",
            "the name of the bad file",
        ];
        let files = ["the good file", "the bad file"];
        let pairs = identity.pairs().filter(|(name, _)| {
            name.starts_with("--") || names.contains(name) || files.contains(name)
        });
        pairs
            .map(|(name, value)| format!("{name}: {value}\n"))
            .collect()
    }

    fn commands(runs: &RunArgs, input: &Path) -> PropertyCommands {
        PropertyCommands::new(&runs.property, &runs.command, input, "").unwrap()
    }

    #[test]
    fn the_identity_of_a_reduction_names_all_that_verdicts_depend_on() {
        let line = "boildown reduce in.c --timeout 3 --language c --keep 1 --passes=-rewriting \
             --algorithm probdd:sigma=0.25 --schedule hddr:pop=first --rename \
             --exit SIGSEGV --stdout a --stderr b --not-stderr c --hangs 5s --flaky \
             --memory 500M --writable /a --no-network -- cc -c in.c";
        let Ok(Cli {
            command: Command::Reduce(args),
        }) = Cli::try_parse_from(line.split_whitespace())
        else {
            panic!("a command line of `boildown reduce`");
        };
        let commands = commands(&args.runs, &args.input);
        let identity = args.identity(&commands, b"input", None);
        assert_eq!(
            stated(&identity),
            r#"the input: blake3:e33fb19325cbc72b5905e783e0c47290
the name of the input: "in.c"
--timeout: Some(3s)
--flaky: true
--language: Some("c")
--keep: ["1"]
--passes: ["-rewriting"]
--algorithm: probdd:sigma=0.25
--schedule: hddr:pop=first
--rules: blake3:d53d18c23212ea7b6300594bb89bce60
--preserve-names: false
--rename: true
--compact: false
--no-gate: false
"#
        );
        assert_eq!(
            args.runs.property.expectations.identity(),
            "Looks { exit: Some(Signal(11)), stdout: [Pattern(Regex(\"a\"))], \
             stderr: [Pattern(Regex(\"b\"))], not_stderr: [Pattern(Regex(\"c\"))], \
             hangs: Some(5s) }"
        );
    }

    #[test]
    fn the_identity_of_an_isolation_is_that_of_earlier_versions() {
        let line = "boildown isolate good.c bad.c --timeout 3 --units lines -- cc -c bad.c";
        let Ok(Cli {
            command: Command::Isolate(args),
        }) = Cli::try_parse_from(line.split_whitespace())
        else {
            panic!("a command line of `boildown isolate`");
        };
        let commands = commands(&args.runs, &args.bad);
        let files = GoodAndBad {
            good: b"good".as_slice().into(),
            bad: b"bad".as_slice().into(),
        };
        let identity = of_isolation(&args, &commands, &files, None);
        assert_eq!(
            stated(&identity),
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

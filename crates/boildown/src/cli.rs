//! The commands of boildown, as clap parses them.

use std::ffi::{OsStr, OsString};

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::commands::changes::args::ChangesArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::explain::ExplainArgs;
use crate::commands::history::StoredResultsArgs;
use crate::commands::isolate::args::IsolateArgs;
use crate::commands::lab::args::LabArgs;
use crate::commands::languages::LanguagesArgs;
use crate::commands::man::ManArgs;
use crate::commands::reduce::args::ReduceArgs;
use crate::commands::report::args::ReportArgs;
use crate::commands::service::ServiceArgs;
use crate::commands::stage::args::StageArgs;
use crate::commands::triage::args::TriageArgs;
use crate::commands::vendor::args::VendorArgs;
use crate::commands::worker::ServeArgs;
use crate::error::{CliError, ExitKind};
use crate::guide::{MORE, TEMPLATE, guide};
use crate::options::heading;

/// A test-case reducer and delta debugger: boil a failing input, or a failing change, down to its
/// cause
#[derive(Debug, Parser)]
#[command(
    name = "boildown",
    version,
    propagate_version = true,
    help_template = TEMPLATE,
    before_help = guide("boildown").short_examples()
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reduce a file or folder while a command still fails on it in the same way
    #[command(disable_help_flag = true, disable_version_flag = true, before_help = guide("reduce").short_examples(), before_long_help = guide("reduce").beginning(), after_help = MORE, after_long_help = guide("reduce").ending(), help_template = TEMPLATE)]
    Reduce(Box<ReduceArgs>),
    /// Find the smallest difference between a file that passes and a file that fails
    #[command(disable_help_flag = true, disable_version_flag = true, before_help = guide("isolate").short_examples(), before_long_help = guide("isolate").beginning(), after_help = MORE, after_long_help = guide("isolate").ending(), help_template = TEMPLATE)]
    Isolate(Box<IsolateArgs>),
    /// Find the change that broke something: the commit, files, hunks and lines between two states
    #[command(disable_help_flag = true, disable_version_flag = true, before_help = guide("changes").short_examples(), before_long_help = guide("changes").beginning(), after_help = MORE, after_long_help = guide("changes").ending(), help_template = TEMPLATE)]
    Changes(Box<ChangesArgs>),
    /// Find the stage of a compiler that fails, such as a pass, and reduce what it reads
    #[command(before_help = guide("stage").short_examples(), before_long_help = guide("stage").beginning(), after_help = MORE, after_long_help = guide("stage").ending(), help_template = TEMPLATE)]
    Stage(Box<StageArgs>),
    /// Write a folder with an input and the sources of the packages that it needs
    #[command(before_help = guide("vendor").short_examples(), before_long_help = guide("vendor").beginning(), after_long_help = guide("vendor").ending(), help_template = TEMPLATE)]
    Vendor(VendorArgs),
    /// Group the failing inputs of a folder, and reduce one of each group
    #[command(disable_help_flag = true, disable_version_flag = true, before_help = guide("triage").short_examples(), before_long_help = guide("triage").beginning(), after_help = MORE, after_long_help = guide("triage").ending(), help_template = TEMPLATE)]
    Triage(Box<TriageArgs>),
    /// Print what the last run chose for you, and why, and how it ended
    #[command(before_help = guide("explain").short_examples(), before_long_help = guide("explain").beginning(), help_template = TEMPLATE)]
    Explain(ExplainArgs),
    /// List the results of a run, print one, compare two, or bring one back
    #[command(before_help = guide("history").short_examples(), before_long_help = guide("history").beginning(), help_template = TEMPLATE)]
    History(StoredResultsArgs),
    /// Write a page about a reduction: what went when, and why it is not smaller
    #[command(before_help = guide("report").short_examples(), before_long_help = guide("report").beginning(), help_template = TEMPLATE)]
    Report(ReportArgs),
    /// Run tests for a boildown on another machine, over standard input and output
    #[command(before_long_help = guide("worker").beginning(), after_long_help = guide("worker").ending(), help_template = TEMPLATE)]
    Worker(ServeArgs),
    /// Serve reductions to an agent or editor, over the Model Context Protocol
    #[command(before_long_help = guide("mcp").beginning(), after_long_help = guide("mcp").ending(), help_template = TEMPLATE)]
    Mcp,
    /// Serve reductions over HTTP, from a queue of jobs that survives the service
    #[command(before_long_help = guide("serve").beginning(), after_long_help = guide("serve").ending(), help_template = TEMPLATE)]
    Serve(ServiceArgs),
    /// Show what this machine offers to contain runs, and how to turn on what is off
    Doctor(DoctorArgs),
    /// List the supported languages, or try a grammar on a file
    Languages(LanguagesArgs),
    /// List the delta-debugging algorithms: what each works on, guarantees and costs
    Algorithms,
    /// List the licences of boildown and of the packages that it is made of
    Licences,
    /// Compare algorithms by the number of tests they need, on simulated problems
    Lab(Box<LabArgs>),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of boildown, or of a command
    #[command(before_help = guide("man").short_examples(), help_template = TEMPLATE)]
    Man(ManArgs),
}

impl Cli {
    /// Returns the arguments of a reduction with no options.
    ///
    /// # Errors
    /// [`CliError`] when `reduce` needs more than a file.
    pub(crate) fn reduction() -> Result<ReduceArgs, CliError> {
        let what = "`reduce` needs more than a file";
        let args = Self::reduction_of(["boildown", "reduce", "-"].map(OsString::from));
        args.ok_or_else(|| CliError::new(ExitKind::InternalError, what))
    }

    /// Returns the arguments of a reduction, unless the words are those of another command.
    pub(crate) fn reduction_of(words: impl IntoIterator<Item = OsString>) -> Option<ReduceArgs> {
        match Self::try_parse_from(words).ok()?.command {
            Command::Reduce(args) => Some(*args),
            _ => None,
        }
    }

    /// Returns what clap knows of a command, with all that it inherits.
    pub(crate) fn subcommand(name: &OsStr) -> Option<clap::Command> {
        let mut definition = Self::definition();
        definition.build();
        definition.find_subcommand(name).cloned()
    }

    /// Returns what clap knows of the commands, for completions and the manual page, with the
    /// options for experts.
    pub(crate) fn definition() -> clap::Command {
        Self::command().mut_subcommands(|command| {
            command.mut_args(|arg| match arg.get_help_heading() {
                Some(heading::EXPERT) => arg.hide(false),
                _ => arg,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Returns the lines of the reference about a command, from its heading to the next one.
    fn section<'a>(reference: &'a str, command: &str) -> &'a str {
        let heading = format!("\n## {command}\n");
        let start = reference.find(&heading).expect(command) + heading.len();
        let end = reference[start..].find("\n## ");
        &reference[start..end.map_or(reference.len(), |end| start + end)]
    }

    #[test]
    fn the_reference_has_every_option_in_the_group_of_the_help() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/cli.md");
        let reference = fs::read_to_string(path).unwrap();
        let definition = |command: &str| Cli::subcommand(OsStr::new(command)).unwrap();
        let reduce = section(&reference, "reduce");
        for arg in definition("reduce").get_arguments() {
            let heading = arg.get_help_heading().filter(|_| !arg.is_hide_set());
            let Some(heading) = heading else { continue };
            if ["help", "version"].contains(&arg.get_id().as_str()) {
                continue;
            }
            let heading = heading.split(" (").next().unwrap();
            let group = reduce
                .split("\n### ")
                .find(|group| group.starts_with(heading));
            let group = group.unwrap_or_else(|| panic!("no group `{heading}`"));
            let option = format!("`--{}", arg.get_long().unwrap());
            assert!(group.contains(&option), "{option} is not in `{heading}`");
        }
        for command in ["isolate", "changes", "triage"] {
            let text = section(&reference, command);
            for arg in definition(command).get_arguments() {
                let is_shared = |name: &str| reduce.contains(&format!("`--{name}"));
                if let Some(name) = arg.get_long().filter(|_| !arg.is_hide_set()) {
                    let is_own = text.contains(&format!("`--{name}"));
                    let is_common = ["help", "version"].contains(&name);
                    assert!(is_own || is_common || is_shared(name), "{command} --{name}");
                }
            }
        }
    }
}

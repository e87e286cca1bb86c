//! Running commands on candidates, safely and in one way.
//!
//! * [`spawn::run`] runs one command and leaves no process behind, whatever the command does.
//! * [`Scratch`] gives every run a fresh directory that holds only the candidate.
//! * [`CommandLine`] is the command that the user typed, ready to be run on any candidate.
//! * [`TestCommand`] is the command of an interestingness test: a script, or a line for a shell.
//! * [`Project`] gives every run a copy of the user's project instead, with the candidate in it.
//! * [`FolderPlan`] and [`Project::of_folder`] do the same for a folder that is reduced;
//!   [`FolderResult`] is the folder with the best result.
//! * [`Runner`] combines the three, and an [`Executor`] may run them on another machine.
//!   [`LocalOracle`] adds a [`Property`](boildown_oracle::Property) that gives the verdicts;
//!   [`PassFailOracle`] uses two properties.
//! * [`SecondaryFailureCollector`] keeps the smallest candidate of every failure that differs from
//!   the one being reduced.
//! * [`PipedAlgorithm`] is a list algorithm in a program of its own.
//! * [`fsx`] replaces files atomically; [`DirHandle`] and [`remove_tree`] change directories that
//!   commands have written to, without following their links.
//! * [`machine`] says what the machine offers for all this.
//!
//! # Example
//! Tests whether a compiler crashes on a candidate, in the sandbox:
//! ```no_run
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use boildown_exec::spawn::{Limits, Permissions, Sandbox};
//! use boildown_exec::{
//!     CandidateFile, CommandLine, LocalOracle, Runner, Scratch, StdinContent, TypedCommand,
//! };
//! use boildown_oracle::{Expectation, Interrupt, Oracle, Property};
//!
//! let input = Path::new("crash.c");
//! let words = ["cc", "-O2", "-c", "crash.c"].map(Into::into);
//! let runner = Runner {
//!     command: CommandLine::new(&TypedCommand {
//!         words: &words,
//!         input,
//!         user_dir: Path::new("/home/me/bug"),
//!         backup: None,
//!         stdin: StdinContent::Nothing,
//!     })?,
//!     scratch: Arc::new(Scratch::new(Path::new("/tmp"))?),
//!     file: CandidateFile::like(input)?,
//!     project: None,
//!     limits: Limits {
//!         sandbox: Some(Sandbox::new(&Permissions::default())?),
//!         ..Limits::default()
//!     },
//!     extra_tests: Vec::new(),
//!     executor: None,
//! };
//! let crashes = Property::new(vec![Expectation::Exit("signal".parse()?)]);
//! let oracle = LocalOracle::new(runner, crashes.expect("there is an expectation"));
//! let answer = oracle.judge(b"int main() { return 0 }", &Interrupt::new()?)?;
//! println!("{:?}", answer.verdict);
//! # Ok::<(), boildown_oracle::OracleError>(())
//! ```

mod access;
mod bounded;
mod close_times;
mod command_line;
mod cpu_time;
mod delivered;
mod dir_handle;
mod extra_tests;
pub mod fsx;
mod input_backup;
mod local;
pub mod machine;
mod named_files;
mod open_watch;
mod pass_fail;
mod piped;
mod project;
mod proposer;
mod runner;
mod scratch;
mod secondary_failures;
pub mod spawn;
mod test_command;
mod warm;

pub use access::Access;
pub use bounded::read_file;
pub use command_line::{CommandLine, StdinContent, TypedCommand, WordPart};
pub use cpu_time::{MachineUse, cpu_time_of_runs, machine_use};
pub use delivered::Delivered;
pub use dir_handle::{DirHandle, EntryStamp};
pub use extra_tests::{ExpectedEnd, ExtraTest, TestEffort, TestTally};
pub use input_backup::InputBackup;
pub use local::{LocalOracle, Measurements, check_set_up};
pub use open_watch::OpenWatch;
pub use pass_fail::PassFailOracle;
pub use piped::{PipedAlgorithm, PipedError, PipedFault};
pub use project::{
    CleanRuns, CopiedEntry, FolderNotes, FolderPlan, FolderRequest, FolderResult, PlanError,
    PlanLimits, Project, ProjectPlan, ProjectRequest, content_of_folder, possible_roots,
};
pub use proposer::{Proposal, Proposer};
pub use runner::{Executor, RunRequest, Runner};
pub use scratch::{CandidateFile, RunDir, Scratch, remove_tree};
pub use secondary_failures::{
    FailureFolder, SecondaryFailure, SecondaryFailureCollector, SecondaryFailures,
};
pub use test_command::{TestCommand, is_shell_line, with_absolute_program};
pub use warm::{HarnessKind, WarmExecutor, WarmProgram, WarmStatus};

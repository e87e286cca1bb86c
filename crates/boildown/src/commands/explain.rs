//! `boildown explain`: the choices of the last run, and how it ended.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use boildown_show::StopReason;
use boildown_store::{EndReason, Ending, LastSession};
use clap::Args;

use crate::error::{CliError, ExitKind};
use crate::report::format::{EscapedPath as _, Visible, clock, count, grouped};
use crate::report::recorded::stored_form_change;
use crate::stdout;

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The input or the result of the run [default: the last run in the current directory]
    file: Option<PathBuf>,
}

/// Prints what the last run chose, why, and how it ended.
pub(crate) fn print(args: &ExplainArgs) -> Result<ExitKind, CliError> {
    let session = last_session(args.file.as_deref())?;
    stdout::print(text(&session));
    Ok(ExitKind::Reduced)
}

/// Returns the last session that worked on a file; without one, the last in the current directory.
pub(super) fn last_session(file: Option<&Path>) -> Result<LastSession, CliError> {
    let dir = match file.and_then(Path::parent) {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new(""),
    };
    let name = file.and_then(Path::file_name);
    let found = LastSession::find(dir, name)?;
    found.ok_or_else(|| no_run(dir, name))
}

fn no_run(dir: &Path, name: Option<&OsStr>) -> CliError {
    let of = name.map_or_else(String::new, |name| format!(" of {}", name.escaped()));
    CliError::usage(format!(
        "no run{of} is recorded in {}",
        dir.join(boildown_store::FOLDER).escaped()
    ))
    .hint("give the input or the result of a run as FILE")
    .hint(
        "a run is recorded, beside its result, once the command has shown the failure on the input",
    )
}

fn text(session: &LastSession) -> String {
    let mut text = format!(
        "{}: the last run on {}, {} ago, by boildown {}\n",
        session.result.escaped(),
        Visible::line(&session.input),
        clock(session.age()),
        Visible::line(&session.version)
    );
    if let Some(command) = session.stated("the command") {
        writeln!(text, "command: {}", Visible::line(command)).ok();
    }
    if session.choices.is_empty() {
        // The run of an earlier version.
        let property = Visible::line(session.property.replace('\n', " and "));
        let flags = Visible::line(&session.flags);
        writeln!(text, "property: {property} (see {flags})").ok();
        writeln!(
            text,
            "time limit: {} (see --timeout)",
            clock(session.time_limit)
        )
        .ok();
    }
    for choice in &session.choices {
        writeln!(text, "{}", Visible::line(choice.to_string())).ok();
    }
    // An isolation has two results, whose sizes say nothing.
    if session.stated("the good file").is_none() {
        let (before, after) = (session.bytes_before, session.bytes_after);
        let before = grouped(before);
        writeln!(text, "result: {before} -> {}", count(after, "byte")).ok();
    }
    if let Some(change) = stored_form_change(session) {
        writeln!(text, "{}", change.text()).ok();
    }
    writeln!(text, "ended: {}", ending(session.ending.as_ref())).ok();
    text
}

fn ending(ending: Option<&Ending>) -> String {
    let Some(ending) = ending else {
        return "not yet, or it was killed; the same command resumes".to_owned();
    };
    let spent = format!(
        "{} in {} ({})",
        count(ending.queries, "test"),
        clock(ending.elapsed),
        count(ending.runs, "run")
    );
    let why = match ending.why {
        EndReason::Finished | EndReason::FinishedAnew => "the search finished",
        EndReason::Unknown => ending.why.name(),
        EndReason::Stopped(reason) => match reason {
            StopReason::Interrupted => "interrupted; the same command resumes",
            StopReason::QueryLimit => {
                "the limit of --max-tests was reached; without it the same command resumes"
            }
            StopReason::TimeLimit => {
                "the limit of --max-time was reached; the same command resumes"
            }
            StopReason::SmallEnough => {
                "the size of --until was reached; without it the same command resumes"
            }
            StopReason::Plateau => {
                "the last tests removed little; without --until the same command resumes"
            }
            StopReason::Borderline => {
                "the times of the last candidates were near the limit, so that chance decided; a \
                 lower limit leaves a smaller result"
            }
            StopReason::PropertyLost => {
                "the failure turned out to be flaky; --flaky preserves its rate"
            }
            StopReason::EnvironmentChanged | StopReason::VerdictsOutdated => reason.name(),
        },
    };
    format!("{why}; {spent}")
}

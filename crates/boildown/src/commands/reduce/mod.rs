//! `boildown reduce`.

use std::ffi::OsString;
use std::path::Path;

use self::args::{NO_FILE, ReduceArgs};
use self::history::ReductionHistory;
use self::preparation::{Preparation, show_property};
use self::search::{EndAndResult, ReductionSearch};
use crate::contradictions;
use crate::error::{CliError, ExitKind};
use crate::habits::settle;
use crate::report::reporter::FailureSwitch;
use crate::report::ui::reduction_reporter;
use crate::session::{Beginning, Session};

pub(crate) mod args;
pub(crate) mod delivery;
pub(crate) mod destination;
mod history;
mod incremental;
mod objective;
mod other_failure;
mod plan;
pub(crate) mod preparation;
pub(crate) mod proposers;
mod report;
mod resolution;
pub(crate) mod same_culprit;
mod search;
mod subject;
mod together;

/// Reduces a file, the command, or both.
pub(crate) fn run(args: ReduceArgs) -> Result<ExitKind, CliError> {
    let beginning = Beginning::new(args.runs.budget.budget())?;
    let (is_ok, switch) = (args.ok_if_minimal, FailureSwitch::default());
    let exit = run_within(args, &beginning, Some(&switch))?;
    drop(beginning);
    match (switch.chosen(), exit) {
        (Some(next), _) => Err(other_failure::start(&next)),
        (None, ExitKind::AlreadyMinimal) if is_ok => Ok(ExitKind::Reduced),
        (None, exit) => Ok(exit),
    }
}

/// Reduces a file, the command, or both, as a part of a session.
pub(crate) fn run_within(
    mut args: ReduceArgs,
    beginning: &Beginning,
    switch: Option<&FailureSwitch>,
) -> Result<ExitKind, CliError> {
    settle(&mut args)?;
    contradictions::check_reduction(&args)?;
    if !args.reduces_command() || args.input == Path::new(NO_FILE) {
        return Ok(reduce_one(args, beginning, switch)?.0);
    }
    let reduce = |part, command: &[OsString], variables: Option<&_>| {
        reduce_one(args.of_part(part, command, variables), beginning, None)
    };
    let (file, output) = (&args.input, args.output.as_deref());
    together::run(file, output, &args.runs.command, &reduce)
}

/// Reduces a file, a folder, or the command. Also returns the result, if there is one. Through the
/// switch, the user chooses the failure to reduce next.
fn reduce_one(
    mut args: ReduceArgs,
    beginning: &Beginning,
    switch: Option<&FailureSwitch>,
) -> Result<EndAndResult, CliError> {
    let mut subject = args.subject(&beginning.interrupt)?;
    let (commands, versions) = args.commands(&subject, &beginning.interrupt)?;
    let job = args.job(&commands, beginning);
    if commands.options.show_property {
        return Ok((show_property(job, &subject)?, None));
    }
    let mut session = Session::new(beginning, reduction_reporter(&args.runs.printing, args.ui)?);
    let places = subject.places(job);
    let identity = |input: &[u8], project: Option<&_>| args.identity(&commands, input, project);
    let mut history = ReductionHistory::find(job, &identity, &places, &mut subject, &mut session)?;
    let plan = args.plan(job, &subject, &mut session.choices)?;
    history.resume(&mut subject.destination, job.runs.fresh, &mut session)?;
    plan.show(job, &mut session);
    let preparation = Preparation::new(job, &subject, &places, &history, &mut session)?;
    let (prepared, flakiness) = preparation.prepare(&mut history, &mut session)?;
    let search = ReductionSearch {
        job,
        subject,
        plan,
        prepared,
        confirm_runs: args.confirm_runs,
        objective: &args.objective,
        culprit: None,
        switch,
    };
    search.finish(versions, &history, flakiness, &mut session)
}

//! `boildown reduce`.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use boildown_exec::Project;

use self::args::{NO_FILE, ReduceArgs};
pub(crate) use self::delivery::{deliver, words_of_response_file};
pub(crate) use self::destination::result_beside;
use self::history::ReductionHistory;
use self::plan::Plan;
pub(crate) use self::preparation::preserved;
use self::preparation::{Preparation, show_property};
pub(crate) use self::proposers::clang_delta;
pub(crate) use self::same_culprit::SameCulpritArgs;
use self::search::ReductionSearch;
use self::subject::Subject;
use crate::error::{CliError, ExitKind};
use crate::habits::settle;
use crate::job::Job;
use crate::property::PropertyCommands;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::FailureSwitch;
use crate::report::ui::reduction_reporter;
use crate::session::{Beginning, Session};
use crate::valid::{self, InstalledPrograms, TestedCommand};
use crate::{contradictions, identity};

pub(crate) mod args;
mod delivery;
mod destination;
mod history;
mod incremental;
mod objective;
mod other_failure;
mod plan;
mod preparation;
mod proposers;
mod report;
mod same_culprit;
mod search;
mod strategy;
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
    match args.reduces_command() && args.input != Path::new(NO_FILE) {
        true => together::run(args, &|args| reduce_one(args, beginning, None)),
        false => Ok(reduce_one(args, beginning, switch)?.0),
    }
}

/// Reduces a file, a folder, or the command. Also returns the result. Through the switch, the user
/// chooses the failure to reduce next.
fn reduce_one(
    mut args: ReduceArgs,
    beginning: &Beginning,
    switch: Option<&FailureSwitch>,
) -> Result<(ExitKind, Arc<[u8]>), CliError> {
    let mut subject = Subject::read(&mut args, &beginning.interrupt)?;
    let versions = (args.same_culprit).start(&mut args.runs, &beginning.interrupt)?;
    args.runs.property.asks_versions = versions.is_some();
    choose_checks(&mut args, &subject.input)?;
    let args = &args;
    let usage = format!("boildown reduce {}", args.input.escaped());
    let (tested, words) = (subject.tested(&args.input), &args.runs.command);
    let mut commands = PropertyCommands::new(&args.runs.property, words, tested, &usage)?;
    deliver(args, &mut commands)?;
    let mut job = Job::new(&args.runs, &commands, &args.input, beginning);
    (job.copies, job.is_strict) = (args.copies(), args.strict);
    if commands.options.show_property {
        let exit = show_property(job, subject.snapshot(), &subject.input)?;
        return Ok((exit, subject.input));
    }
    let mut session = Session::new(beginning, reduction_reporter(&args.runs.printing, args.ui)?);
    let places = job.places(subject.destination.results());
    let places = places.of_folder(subject.snapshot());
    subject.note(session.reporter());
    let identity = |input: &[u8], project: Option<&Project>| {
        identity::of_reduction(args, &commands, input, project)
    };
    let reporter = session.reporter();
    let mut history = ReductionHistory::find(job, &identity, &places, &mut subject, reporter)?;
    let plan = Plan::new(args, job, &subject, &mut session.choices)?;
    history.resume(&mut subject.destination, job.runs.fresh, &mut session)?;
    plan.show(job, &mut session);
    let runner = job.runner_at(&history.place, &history.input, session.reporter())?;
    let preparation = Preparation::new(job, subject.inputs.len() == 1, &places, runner);
    let (mut prepared, flakiness) = preparation.prepare(&mut history, &mut session)?;
    let culprit = versions.map(|versions| {
        let input = (args.input.as_path(), &*subject.input);
        versions.find(
            input,
            &mut prepared,
            &beginning.interrupt,
            session.reporter(),
        )
    });
    let culprit = culprit.transpose()?;
    let (oracle, is_steady) = (&mut prepared.oracle, flakiness.is_steady());
    plan.admit(job, oracle, &subject, is_steady, session.reporter())?;
    let known_best = history.open(job, &subject, &prepared.oracle, &mut session)?;
    let first = known_best
        .as_ref()
        .map_or(&subject.input, |best| &best.text);
    (subject.destination).begin(first, &session.store, session.reporter.as_mut())?;
    let mut search = ReductionSearch {
        job,
        subject,
        plan,
        prepared: &prepared,
        place: (history.place.project()).map(|project| project.plan().root()),
        confirm_runs: args.confirm_runs,
        objective: &args.objective,
        culprit: culprit.as_ref(),
        switch,
    };
    search.finish(known_best, flakiness, &mut session)
}

/// Chooses the checks that `--valid` stands for.
pub(crate) fn choose_checks(args: &mut ReduceArgs, input: &[u8]) -> Result<(), CliError> {
    if args.valid.is_empty() {
        return Ok(());
    }
    let language = crate::input::language(args.language.as_deref(), &args.input, input)?;
    let stated = args
        .language
        .as_deref()
        .and_then(crate::input::format_named);
    let script = args.runs.property.test.as_deref().map(Path::as_os_str);
    let words = args.runs.command.iter().map(OsString::as_os_str);
    let tested = TestedCommand::of_input(words.chain(script), &args.input);
    args.runs.property.companions = valid::choose(
        &args.valid,
        valid::checked_as(input, language, stated),
        input,
        &|program| tested.names(program),
        &InstalledPrograms::list(&tested),
    )?;
    Ok(())
}

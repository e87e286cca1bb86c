//! `boildown reduce`.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use boildown_exec::Project;
use boildown_session::prepare::{Flakiness, PreparedReduction};

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
use crate::choices::Choices;
use crate::error::{CliError, ExitKind};
use crate::habits::settle;
use crate::job::{self, Beginning, Job};
use crate::property::PropertyCommands;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::{FailureSwitch, Reporter, noting};
use crate::report::ui::reduction_reporter;
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
    let session = Beginning::new(args.runs.budget.budget())?;
    let (is_ok, switch) = (args.ok_if_minimal, FailureSwitch::default());
    let exit = run_within(args, &session, Some(&switch))?;
    drop(session);
    match (switch.chosen(), exit) {
        (Some(next), _) => Err(other_failure::start(&next)),
        (None, ExitKind::AlreadyMinimal) if is_ok => Ok(ExitKind::Reduced),
        (None, exit) => Ok(exit),
    }
}

/// Reduces a file, the command, or both, as a part of a session.
pub(crate) fn run_within(
    mut args: ReduceArgs,
    session: &Beginning,
    switch: Option<&FailureSwitch>,
) -> Result<ExitKind, CliError> {
    settle(&mut args)?;
    contradictions::check_reduction(&args)?;
    match args.reduces_command() && args.input != Path::new(NO_FILE) {
        true => together::run(args, &|args| reduce_one(args, session, None)),
        false => Ok(reduce_one(args, session, switch)?.0),
    }
}

/// Reduces a file, a folder, or the command. Also returns the result. Through the switch, the user
/// chooses the failure to reduce next.
fn reduce_one(
    mut args: ReduceArgs,
    session: &Beginning,
    switch: Option<&FailureSwitch>,
) -> Result<(ExitKind, Arc<[u8]>), CliError> {
    let mut subject = Subject::read(&mut args, &session.interrupt)?;
    let versions = (args.same_culprit).start(&mut args.runs, &session.interrupt)?;
    args.runs.property.asks_versions = versions.is_some();
    choose_checks(&mut args, &subject.input)?;
    let args = &args;
    let usage = format!("boildown reduce {}", args.input.escaped());
    let (tested, words) = (subject.tested(&args.input), &args.runs.command);
    let mut commands = PropertyCommands::new(&args.runs.property, words, tested, &usage)?;
    deliver(args, &mut commands)?;
    let mut job = Job::new(&args.runs, &commands, &args.input, session);
    (job.copies, job.is_strict) = (args.copies(), args.strict);
    if commands.options.show_property {
        let exit = show_property(job, subject.snapshot(), &subject.input)?;
        return Ok((exit, subject.input));
    }
    let mut reporter = reduction_reporter(&args.runs.printing, args.ui)?;
    let reporter = reporter.as_mut();
    Beginning::announce(reporter);
    let places = job.places(subject.destination.results());
    let places = places.of_folder(subject.snapshot());
    subject.note(reporter);
    let identity = |input: &[u8], project: Option<&Project>| {
        identity::of_reduction(args, &commands, input, project)
    };
    let mut choices = Choices::with_settings();
    let (history, plan) = ReductionHistory::find(
        job,
        &identity,
        &places,
        &mut subject,
        |subject| Plan::new(args, job, subject, &mut choices),
        &mut noting(reporter),
    )?;
    plan.show(job, &choices, reporter);
    let runner = job.runner_at(&history.place, &history.input, reporter)?;
    let preparation = Preparation::new(job, subject.inputs.len() == 1, &places, runner);
    let (mut prepared, history) = preparation.prepare(history, &mut choices, reporter)?;
    if job.is_strict {
        compare_forms(&mut prepared, reporter);
    }
    let is_steady = Flakiness::new(&prepared.baseline).is_steady();
    let culprit = versions.map(|versions| {
        let input = (args.input.as_path(), &*subject.input);
        versions.find(input, &mut prepared, &session.interrupt, reporter)
    });
    let culprit = culprit.transpose()?;
    plan.admit(job, &mut prepared.oracle, &subject, is_steady, reporter)?;
    let place = (history.place.project()).map(|project| project.plan().root().to_owned());
    let (session, known_best) = history.begin(
        job,
        &subject,
        &prepared.oracle,
        choices.as_slice(),
        reporter,
    )?;
    let known_results = session.known_results();
    let first = known_best
        .as_ref()
        .map_or(&subject.input, |best| &best.text);
    (subject.destination).begin(first, &session, reporter)?;
    let mut search = ReductionSearch {
        job,
        subject,
        plan,
        known_results,
        prepared: &prepared,
        place,
        confirm_runs: args.confirm_runs,
        objective: &args.objective,
        culprit: culprit.as_ref(),
        switch,
    };
    job::start(search.started(&choices), session.store.as_deref(), reporter);
    search.finish(
        session.store.as_ref(),
        known_best,
        Flakiness::new(&prepared.baseline),
        reporter,
    )
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

/// Lets runs on candidates show the form of the failure.
fn compare_forms(prepared: &mut PreparedReduction, reporter: &mut dyn Reporter) {
    prepared.oracle = prepared.oracle.clone().with_output();
    if prepared.failure.signature().is_none() && !prepared.failure.is_diagnostic() {
        reporter.note(
            "the run on the input reports no crash and no error that boildown knows, so --strict \
             compares only how runs end",
        );
    }
}

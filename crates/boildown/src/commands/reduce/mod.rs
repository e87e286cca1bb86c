//! `boildown reduce`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use boildown_document::Language;
use boildown_exec::Runner;
use boildown_exec::spawn::ReapOnDrop;
use boildown_oracle::Interrupt;
use boildown_reduce::Strategy;
use boildown_session::prepare::{Flakiness, PreparedReduction};
use boildown_show::{JsonValue as _, SessionEvent};

use self::args::{NO_FILE, ReduceArgs};
use self::delivery::settle_command;
pub(crate) use self::delivery::{deliver, words_of_response_file};
use self::history::ReductionHistory;
use self::preparation::{Preparation, show_property};
pub(crate) use self::proposers::clang_delta;
use self::proposers::{ChosenProposers, suits_clang_delta};
use self::search::ReductionSearch;
use self::subject::{Subject, language_and_strategy};
use crate::choices::Choices;
use crate::copying::Copying;
use crate::error::{CliError, ExitKind};
use crate::executors::{Executors, check_command};
use crate::habits::settle;
use crate::keys::{self};
use crate::project::RunPlaces;
use crate::property::{PropertyCommands, TestedInput};
use crate::report::format::EscapedPath as _;
use crate::report::notes::noting;
use crate::report::reporter::{FailureSwitch, Reporter};
use crate::report::ui::reduction_reporter;
use crate::signals::interrupt_within;
use crate::{limits, remote};

pub(crate) mod args;
mod delivery;
mod destination;
mod history;
mod incremental;
mod other_failure;
mod preparation;
mod proposers;
mod report;
mod search;
mod strategy;
mod subject;
mod together;

/// Reduces a file, the command, or both.
pub(crate) fn run(args: ReduceArgs) -> Result<ExitKind, CliError> {
    let is_ok = args.ok_if_minimal;
    let exit = reduce_parts(args)?;
    Ok(match exit {
        ExitKind::AlreadyMinimal if is_ok => ExitKind::Reduced,
        exit => exit,
    })
}

fn reduce_parts(mut args: ReduceArgs) -> Result<ExitKind, CliError> {
    // Ends leftover processes of runs whatever happens, also in a panic.
    let (reap, begun) = (ReapOnDrop::begin(), Instant::now());
    settle(&mut args)?;
    if args.reduces_command() && args.input != Path::new(NO_FILE) {
        return together::run(args, &|args| reduce_one(args, begun, None));
    }
    settle_command(&mut args)?;
    let switch = FailureSwitch::default();
    let (exit, _) = reduce_one(&mut args, begun, Some(&switch))?;
    drop(reap);
    match switch.chosen() {
        Some(next) => Err(other_failure::start(&next)),
        None => Ok(exit),
    }
}

fn tested_input<'a>(args: &'a ReduceArgs, subject: &'a Subject) -> TestedInput<'a> {
    TestedInput {
        path: &args.input,
        backup: subject.destination.existing_backup(),
    }
}

/// Reduces a file, a folder, or the command, for boildown that began at `begun`. Also returns the
/// result. Through the switch, the user chooses the failure to reduce next.
fn reduce_one(
    args: &mut ReduceArgs,
    begun: Instant,
    switch: Option<&FailureSwitch>,
) -> Result<(ExitKind, Arc<[u8]>), CliError> {
    let interrupt = interrupt_within(args.budget.time_left(begun))?;
    let mut subject = Subject::read(args, &interrupt)?;
    let args = &*args;
    let copying = Copying::new(&interrupt, &args.printing);
    let usage = format!("boildown reduce {}", args.input.escaped());
    let tested = tested_input(args, &subject);
    let mut commands = PropertyCommands::new(&args.property, &args.command, tested, &usage)?;
    deliver(args, &mut commands)?;
    check_command(&commands.command, &args.workers, &args.remote)?;
    if args.property.show_property {
        let exit = show_property(args, &commands, subject.snapshot(), &subject.input, copying)?;
        return Ok((exit, subject.input));
    }
    let uses_keys = args.printing.is_text() && keys::are_available();
    let mut reporter = reduction_reporter(&args.printing, args.ui)?;
    let reporter = reporter.as_mut();
    let places = run_places(args, &commands, &subject, copying);
    subject.note(reporter);
    let check = |subject: &Subject| CheckedOptions::new(args, subject);
    let (history, checked) =
        ReductionHistory::find(args, &places, &mut subject, check, &mut noting(reporter))?;
    checked.show(args, reporter);
    let CheckedOptions {
        mut choices,
        language,
        strategy,
        proposers,
        executors,
    } = checked;
    let runner = runner(args, &commands, &history, &interrupt, reporter)?;
    let preparation = Preparation::new(args, &places, runner, &interrupt);
    let (mut prepared, history) = preparation.prepare(history, &mut choices, reporter)?;
    if args.strict {
        compare_forms(&mut prepared, reporter);
    }
    admit(
        &executors,
        args,
        &mut prepared,
        &subject.input,
        &interrupt,
        reporter,
    )?;
    let place = (history.place.project()).map(|project| project.plan().root().to_owned());
    let (session, known_best) =
        history.begin(args, &prepared.oracle, choices.as_slice(), reporter)?;
    let known_results = session.known_results();
    let first = known_best
        .as_ref()
        .map_or(&subject.input, |best| &best.text);
    (subject.destination).begin(args, first, &session, reporter)?;
    let mut search = ReductionSearch {
        args,
        begun,
        subject,
        language,
        known_results,
        interrupt: &interrupt,
        prepared: &prepared,
        place,
        uses_keys,
        executors: &executors,
        proposers,
        switch,
    };
    let started = search.started(&choices);
    if let Some(store) = session.store.as_deref() {
        let event = SessionEvent::Started(Box::new(started.clone()));
        store.record_event("started", event.to_json().to_string());
    }
    reporter.started(started);
    search.finish(
        &strategy,
        session.store.as_ref(),
        known_best,
        Flakiness::new(&prepared.baseline),
        reporter,
    )
}

/// What the options say about a search for this input.
struct CheckedOptions {
    choices: Choices,
    language: Option<&'static Language>,
    strategy: Strategy,
    /// The programs that propose candidates when the search has finished.
    proposers: ChosenProposers,
    executors: Executors,
}

impl CheckedOptions {
    fn new(args: &ReduceArgs, subject: &Subject) -> Result<Self, CliError> {
        let mut choices = Choices::default();
        let (language, strategy) = language_and_strategy(args, subject, &mut choices)?;
        let is_fit =
            subject.folder.is_none() && suits_clang_delta(&args.input, language, &strategy);
        let executors = Executors::start(&args.workers, &args.remote, &args.jobs)?;
        Ok(Self {
            choices,
            language,
            strategy,
            proposers: ChosenProposers::new(&args.pass_command, is_fit)?,
            executors: executors.running_warm(args.warm.kind()),
        })
    }

    /// Shows what was chosen.
    fn show(&self, args: &ReduceArgs, reporter: &mut dyn Reporter) {
        self.choices.show(reporter);
        if let Some(note) = self.proposers.note(&args.pass_command)
            && args.printing.verbose
        {
            reporter.note(&note);
        }
    }
}

/// Lets workers, or programs that were started before, run the candidates.
fn admit(
    executors: &Executors,
    args: &ReduceArgs,
    prepared: &mut PreparedReduction,
    input: &Arc<[u8]>,
    interrupt: &Interrupt,
    reporter: &mut dyn Reporter,
) -> Result<(), CliError> {
    let is_steady = Flakiness::new(&prepared.baseline).is_steady();
    let (oracle, is_flaky) = (&mut prepared.oracle, args.property.flaky);
    executors.admit_reduction(oracle, input, is_flaky, interrupt, reporter)?;
    incremental::check(args, oracle)?;
    executors.start_warm(oracle, input, is_steady, interrupt, reporter)
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

/// Returns the places in which candidates can be run.
fn run_places<'a>(
    args: &'a ReduceArgs,
    commands: &'a PropertyCommands,
    subject: &Subject,
    copying: Copying<'a>,
) -> RunPlaces<'a> {
    let (within, results) = (args.within.as_deref(), subject.destination.results());
    let copies = args.copies();
    let places = RunPlaces::new(within, &args.input, commands, results, copies, copying);
    places.of_folder(subject.snapshot())
}

/// Returns the runner of the command, after a run of each extra test on the input.
fn runner(
    args: &ReduceArgs,
    commands: &PropertyCommands,
    history: &ReductionHistory,
    interrupt: &Interrupt,
    reporter: &mut dyn Reporter,
) -> Result<Runner, CliError> {
    let mut runner = limits::runner(
        &args.input,
        commands.command.clone(),
        &args.sandbox,
        args.timeout,
        &mut noting(reporter),
    )?;
    remote::attach(&mut runner, &args.remote, args.jobs.count())?;
    commands.note(reporter);
    let (path, is_stated) = (&args.input, args.timeout.is_some());
    let (there, input) = (history.place.runner(runner.clone()), &history.input);
    runner.extra_tests = commands.extra_tests(&there, path, input, is_stated, interrupt)?;
    Ok(runner)
}

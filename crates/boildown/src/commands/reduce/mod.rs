//! `boildown reduce`.

use std::ffi::OsString;
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
use crate::error::{CliError, ExitKind};
use crate::executors::Executors;
use crate::habits::settle;
use crate::job::Job;
use crate::keys;
use crate::property::{PropertyCommands, TestedInput};
use crate::report::format::EscapedPath as _;
use crate::report::notes::noting;
use crate::report::reporter::{FailureSwitch, Reporter};
use crate::report::ui::reduction_reporter;
use crate::settings;
use crate::signals::interrupt_within;
use crate::valid::{self, InstalledPrograms, TestedCommand};

pub(crate) mod args;
mod contradictions;
mod delivery;
mod destination;
mod history;
mod incremental;
mod objective;
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
    contradictions::check(&args)?;
    if args.reduces_command() && args.input != Path::new(NO_FILE) {
        return together::run(args, &|args| reduce_one(args, begun, None));
    }
    let switch = FailureSwitch::default();
    let (exit, _) = reduce_one(args, begun, Some(&switch))?;
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
    mut args: ReduceArgs,
    begun: Instant,
    switch: Option<&FailureSwitch>,
) -> Result<(ExitKind, Arc<[u8]>), CliError> {
    settle_command(&mut args)?;
    let interrupt = interrupt_within(args.runs.budget.time_left(begun))?;
    let mut subject = Subject::read(&mut args, &interrupt)?;
    choose_checks(&mut args, &subject.input)?;
    let args = &args;
    let job = Job {
        runs: &args.runs,
        input: &args.input,
        copies: args.copies(),
        is_strict: args.strict,
        begun,
        interrupt: &interrupt,
    };
    let usage = format!("boildown reduce {}", args.input.escaped());
    let tested = tested_input(args, &subject);
    let mut commands =
        PropertyCommands::new(&args.runs.property, &args.runs.command, tested, &usage)?;
    deliver(args, &mut commands)?;
    if args.runs.property.show_property {
        let exit = show_property(job, &commands, subject.snapshot(), &subject.input)?;
        return Ok((exit, subject.input));
    }
    let uses_keys = args.runs.printing.is_text() && keys::are_available();
    let mut reporter = reduction_reporter(&args.runs.printing, args.ui)?;
    let reporter = reporter.as_mut();
    settings::note(reporter);
    let places = job.places(&commands, subject.destination.results());
    let places = places.of_folder(subject.snapshot());
    subject.note(reporter);
    let check = |subject: &Subject| CheckedOptions::new(args, job, &commands, subject);
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
    let runner = runner(job, &commands, &history, reporter)?;
    let preparation = Preparation::new(args, job, &places, runner);
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
        history.begin(args, job, &prepared.oracle, choices.as_slice(), reporter)?;
    let known_results = session.known_results();
    let first = known_best
        .as_ref()
        .map_or(&subject.input, |best| &best.text);
    (subject.destination).begin(args, first, &session, reporter)?;
    let mut search = ReductionSearch {
        args,
        job,
        subject,
        language,
        known_results,
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
    let tested = TestedCommand::read(words.chain(script));
    args.runs.property.companions = valid::choose(
        &args.valid,
        valid::checked_as(input, language, stated),
        input,
        &|program| tested.names(program),
        &InstalledPrograms::list(&tested),
    )?;
    Ok(())
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
    fn new(
        args: &ReduceArgs,
        job: Job<'_>,
        commands: &PropertyCommands,
        subject: &Subject,
    ) -> Result<Self, CliError> {
        let mut choices = Choices::with_settings();
        let (language, strategy) = language_and_strategy(args, subject, &mut choices)?;
        let is_fit =
            subject.folder.is_none() && suits_clang_delta(&args.input, language, &strategy);
        let executors = job.executors(commands)?;
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
            && args.runs.printing.verbose
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
    let (oracle, is_flaky) = (&mut prepared.oracle, args.runs.property.flaky);
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

/// Returns the runner of the command, after a run of each extra test on the input.
fn runner(
    job: Job<'_>,
    commands: &PropertyCommands,
    history: &ReductionHistory,
    reporter: &mut dyn Reporter,
) -> Result<Runner, CliError> {
    let mut runner = job.runner(commands, reporter)?;
    commands.note(reporter);
    let there = history.place.runner(runner.clone());
    runner.extra_tests = job.extra_tests(commands, &there, &history.input)?;
    Ok(runner)
}

//! `boildown isolate`.

use boildown_reduce::have_keys;
use boildown_session::prepare::{EarlierSessions, Flakiness};

use self::args::IsolateArgs;
use self::delivery::FileRole;
use self::pair::FilePair;
use self::preparation::{prepare, show_property};
use self::search::IsolationSearch;
use crate::choices::{self, Choices};
use crate::error::{CliError, ExitKind};
use crate::job::{self, Beginning, Job};
use crate::project::RunPlace;
use crate::report::flakiness;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::noting;
use crate::{identity, input};

pub(crate) mod args;
mod delivery;
mod diff;
mod folders;
mod hex;
mod pair;
mod preparation;
mod report;
mod search;

/// Isolates the difference between two files.
pub(crate) fn run(args: &IsolateArgs) -> Result<ExitKind, CliError> {
    if args.good.is_dir() && args.bad.is_dir() {
        return folders::run(args);
    }
    let session = Beginning::new(args.runs.budget.budget())?;
    let pair = FilePair::read(args)?;
    let (files, requested) = (&pair.files, args.language.as_deref());
    let language = match pair.role {
        FileRole::Read => input::language(requested, pair.bad, &files.bad)?,
        FileRole::Environment | FileRole::Arguments => None,
    };
    let have_keys = language.is_some_and(|language| have_keys([&files.good, &files.bad], language));
    let usage = format!(
        "boildown isolate {} {}",
        pair.good.escaped(),
        pair.bad.escaped()
    );
    let commands = delivery::commands(&args.runs, pair.bad, pair.role, &usage)?;
    let job = Job::new(&args.runs, &commands, pair.bad, &session);
    if commands.options.show_property {
        return show_property(&pair, job);
    }
    let mut sides = pair.sides(args.output.as_deref())?;
    let executors = job.executors()?;
    let mut reporter = crate::report::reporter(&args.runs.printing, "");
    let reporter = reporter.as_mut();
    Beginning::announce(reporter);
    let mut choices = Choices::with_settings();
    let chosen = [
        Some(choices::language(requested, pair.bad, &files.bad, language)),
        (have_keys && args.units.is_none()).then(choices::keys),
        Some(choices::jobs(&job.runs.jobs)),
    ];
    for choice in chosen.into_iter().flatten() {
        choices.add(choice, reporter);
    }
    let results = [sides.passing.clone(), sides.failing.clone()];
    // A fresh directory unless `--within` states a project.
    let place = job.places(results).stated()?.unwrap_or(RunPlace::Alone);
    let mut run = identity::of_isolation(args, &commands, files, place.project());
    for file in [pair.good, pair.bad, &sides.passing, &sides.failing] {
        run.unwatch(file);
    }
    let (output, is_fresh) = (&sides.failing, job.runs.fresh);
    let earlier = EarlierSessions::beside(output, run, is_fresh, &mut noting(reporter))
        .map_err(|error| CliError::busy(&error))?;
    sides.are_resumed = earlier.is_resumed && sides.passing.exists() && sides.failing.exists();
    let runner = place.runner(job.runner_at(&place, &files.bad, reporter)?);
    let mut prepared = prepare(&pair, job, &runner, &earlier, &mut choices, reporter)?;
    let oracle = &mut prepared.oracle;
    executors.admit_isolation(
        oracle,
        files,
        commands.options.flaky,
        &session.interrupt,
        reporter,
    )?;
    let flakiness = Flakiness::new(&prepared.baseline);
    flakiness::before_search(&flakiness).inspect(|note| reporter.note(note));
    let oracle = &prepared.oracle;
    let store = job.begin(
        earlier,
        (&files.bad, files.bad.len()),
        (&oracle.failing, oracle.runner.limits.timeout),
        choices.as_slice(),
        sides.access,
        reporter,
    )?;
    let search = IsolationSearch {
        pair: &pair,
        job,
        language,
        finest: args.finest(have_keys),
        sides: &sides,
        prepared: &prepared,
        executors: &executors,
    };
    let started = search.started(&place, &choices);
    job::start(started, store.store.as_deref(), reporter);
    search.finish(store.store.as_ref(), flakiness, reporter)
}

//! `boildown isolate`.

use boildown_document::Archive;
use boildown_reduce::have_keys;

use self::args::IsolateArgs;
use self::delivery::FileRole;
use self::pair::FilePair;
use self::preparation::{prepare, show_property};
use self::search::IsolationSearch;
use crate::error::{CliError, ExitKind};
use crate::job::Job;
use crate::project::RunPlace;
use crate::report::format::EscapedPath as _;
use crate::report::reporter;
use crate::session::{Beginning, Session};
use crate::{choices, identity, input};

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
    let beginning = Beginning::new(args.runs.budget.budget())?;
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
    let job = Job::new(&args.runs, &commands, pair.bad, &beginning);
    if commands.options.show_property {
        return show_property(&pair, job);
    }
    let mut sides = pair.sides(args.output.as_deref())?;
    let executors = job.executors()?;
    let mut session = Session::new(&beginning, reporter(&args.runs.printing, ""));
    let by_keys = (have_keys && args.units.is_none()).then(choices::keys);
    if [&files.good, &files.bad]
        .iter()
        .all(|file| Archive::read(file).is_some())
    {
        session.reporter().note(
            "these are packed, and compared as they are: unpack both into folders to isolate the \
             difference of what is in them",
        );
    }
    session.choose([choices::language(requested, pair.bad, &files.bad, language)]);
    session.choose(by_keys.into_iter().chain([choices::jobs(&job.runs.jobs)]));
    let results = [sides.passing.clone(), sides.failing.clone()];
    // A fresh directory unless `--within` states a project.
    let place = job.places(results).stated()?.unwrap_or(RunPlace::Alone);
    let mut run = identity::of_isolation(args, &commands, files, place.project());
    for file in [pair.good, pair.bad, &sides.passing, &sides.failing] {
        run.unwatch(file);
    }
    session.resume(&sides.failing, run, job.runs.fresh)?;
    sides.are_resumed =
        session.earlier.is_resumed && sides.passing.exists() && sides.failing.exists();
    let runner = place.runner(job.runner_at(&place, &files.bad, session.reporter())?);
    let (mut prepared, flakiness) = prepare(&pair, job, &runner, &mut session)?;
    executors.admit_isolation(
        &mut prepared.oracle,
        files,
        commands.options.flaky,
        &beginning.interrupt,
        session.reporter(),
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
    search.finish(flakiness, &mut session)
}

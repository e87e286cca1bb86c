//! `boildown changes --points`: the points inside a program that break it.

use std::path::PathBuf;
use std::sync::Arc;

use boildown_exec::Scratch;
use boildown_oracle::shell;
use boildown_session::changes::{PointsError, PointsProblem, PointsReport, SearchTarget};

use super::args::ChangesArgs;
use super::report;
use crate::error::{CliError, ExitKind};
use crate::explain::not_as_expected;
use crate::limits;
use crate::report::format::count;
use crate::report::notes::failure_read;
use crate::report::reporter::noting;
use crate::session::Beginning;

/// Finds the points, and prints them: to standard output, with what to type to enable them.
pub(super) fn run(args: &ChangesArgs, points: &str, dir: PathBuf) -> Result<ExitKind, CliError> {
    let Some((variable, value)) = points.split_once('=').filter(|(name, _)| !name.is_empty())
    else {
        return Err(usage("--points names no variable"));
    };
    if !value.contains("PATTERN") {
        return Err(usage("--points has no PATTERN to replace"));
    }
    if args.command.is_empty() {
        return Err(CliError::usage("no command to run").hint("give it after --: -- COMMAND"));
    }
    let session = Beginning::new(args.budget.budget())?;
    let mut reporter = report::reporter(args, SearchTarget::Culprit);
    let reporter = reporter.as_mut();
    let temporary = args.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let problem = PointsProblem {
        words: args.command.clone(),
        dir,
        variable: variable.to_owned(),
        value: value.to_owned(),
        rule: super::rule::rule(args),
        limits: limits::limits(&args.sandbox, args.timeout, &mut noting(reporter))?,
        scratch: Arc::new(Scratch::within(&temporary)?),
    };
    let config = session.config(args.jobs.count(), None);
    let found = problem.find(&config).map_err(explained)?;
    if let Some(failure) = &found.failure {
        reporter.note(&failure_read(failure));
    }
    reporter.note(&format!(
        "{} of {} in {} ({})",
        count(found.points.len(), "point"),
        found.all,
        count(found.queries, "test"),
        count(found.runs, "run")
    ));
    print_points(&found, variable, args);
    reporter.note(match (&found.stopped, found.is_confirmed) {
        (Some(_), _) => "stopped early: some of them may not be needed",
        (None, true) => "1-minimal: no single point can be left out",
        (None, false) => "not confirmed: once more, these points alone did not break it",
    });
    Ok(match (found.stopped, found.is_confirmed) {
        (Some(_), _) => ExitKind::Stopped,
        (None, true) => ExitKind::Reduced,
        (None, false) => ExitKind::NotConfirmed,
    })
}

fn print_points(found: &PointsReport, variable: &str, args: &ChangesArgs) {
    let command: Vec<String> = args.command.iter().map(shell::quote).collect();
    let mut text: String = found
        .points
        .iter()
        .map(|point| format!("{point}\n"))
        .collect();
    text += &format!(
        "{variable}={} {}\n",
        shell::quote(&found.value),
        command.join(" ")
    );
    crate::stdout::print(text);
}

fn usage(what: &str) -> CliError {
    CliError::usage(what)
        .hint("for example: --points BISECT=PATTERN, or --points 'GODEBUG=x=1#PATTERN'")
}

fn explained(error: PointsError) -> CliError {
    match error {
        PointsError::NotAsStated { which, wanted, run } => not_as_expected(
            format!("with {which} points enabled, the program is not {wanted}"),
            &run,
            None,
        )
        .hint("the pattern n enables no point, y enables all"),
        PointsError::NoPoints => CliError::new(ExitKind::NotInteresting, "the program reports no points")
            .hint("it prints a line with [bisect-match 0xHASH] for each point that is enabled; see docs/points.md"),
        PointsError::Flaky => CliError::new(
            ExitKind::Flaky,
            "two runs with all points enabled ended differently",
        ),
        PointsError::Oracle(error) => CliError::before("the search")(error),
        error => CliError::new(ExitKind::CannotRun, error.to_string()),
    }
}

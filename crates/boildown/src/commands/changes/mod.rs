//! `boildown changes`.

use boildown_session::changes::{SearchTarget, TreeTest};

use self::args::ChangesArgs;
use self::problem::{command, company, output, problem};
use self::rule::rule;
use self::search::CulpritSearch;
use self::states::RequestedStates;
use crate::contradictions;
use crate::error::{CliError, ExitKind};
use crate::executors::check_jobs;
use crate::limits;
use crate::property::current_dir;
use crate::report::reporter::noting;
use crate::session::{Beginning, Session};

pub(crate) mod args;
mod explain;
mod history;
mod known_history;
mod points;
mod problem;
mod reduced_input;
mod report;
mod repository_access;
mod rule;
mod search;
mod states;

/// Finds the smallest change that breaks something, or that fixes it.
pub(crate) fn run(mut args: ChangesArgs) -> Result<ExitKind, CliError> {
    check_jobs(&args.jobs)?;
    if let Some(exit) = reduced_input::reduce(&mut args)? {
        return Ok(exit);
    }
    let args = &args;
    let user_dir = current_dir()?;
    if let Some(points) = &args.points {
        return points::run(args, points, user_dir);
    }
    let target = if args.fix {
        SearchTarget::Fix
    } else {
        SearchTarget::Culprit
    };
    contradictions::check(contradictions::OF_CHANGES, args)?;
    let rule = rule(args);
    let output = output(args, target)?;
    let beginning = Beginning::new(args.budget.budget())?;
    let mut states = RequestedStates::new(args, &user_dir, &output, &beginning.interrupt)?;
    let command = command(args, &mut states, &user_dir)?;
    let mut session = Session::new(&beginning, report::reporter(args, target));
    let reporter = session.reporter();
    for note in &states.notes {
        reporter.note(note);
    }
    let shown_command = command.to_string();
    let limits = limits::limits(&args.sandbox, args.timeout, &mut noting(reporter))?;
    let company = company(args, &states, &user_dir)?;
    let access = states.access;
    let problem = problem(
        args,
        states,
        TreeTest {
            command,
            build: None,
            build_timeout: args.build_timeout,
            clean: args.clean,
            company,
            rule,
            target,
            limits,
        },
    )?;
    let search = CulpritSearch {
        jobs: args.jobs.count(),
        problem: &problem,
        command: &shown_command,
        output: &output,
        access,
    };
    let identity = history::identity(args, &problem)?;
    session.resume(&output, identity, args.fresh)?;
    search.run(&mut session)
}

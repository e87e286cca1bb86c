//! `boildown changes`.

mod args;
mod json;
mod markdown;
mod memory;
mod states;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_changes::{Contents, patch};
use boildown_oracle::spawn::ReapOnDrop;
use boildown_oracle::{Cancel, Outcome, Property, Run, Scratch, Verdict, deduce, fsx};
use boildown_session::changes::{
    At, ChangesEvent, Found, Furnish, Goal, Judge, Loosened, Problem, Rule, SearchError, Tally,
    TreeCommand, check,
};
use boildown_session::{Config, Stop};

pub(crate) use args::Changes;
use states::{Given, wrong};

use crate::error::{CliError, Kind};
use crate::known::forget;
use crate::reduce::{cannot_run, last_lines};
use crate::report::Note;
use crate::{containment, signals};

/// What shows a search for changes, beside the patch.
trait Show: Note {
    fn event(&mut self, event: &ChangesEvent);
    fn finish(&mut self, answer: &Answer<'_>);
}

/// What was found, and what a reader needs to know besides.
struct Answer<'a> {
    found: &'a Found,
    goal: Goal,
    /// As the user named them.
    good: &'a str,
    bad: &'a str,
    command: &'a str,
    output: &'a Path,
    patch: &'a [u8],
    /// Whether the culprit's run shows the failure of the bad state; `None` when that shows nothing to compare.
    same_failure: Option<bool>,
}

/// Says nothing.
struct Silent;

impl Note for Silent {
    fn note(&mut self, _: &str) {}
}

impl Show for Silent {
    fn event(&mut self, _: &ChangesEvent) {}
    fn finish(&mut self, _: &Answer<'_>) {}
}

/// Finds the smallest change.
pub(crate) fn run(args: &Changes) -> Result<Kind, CliError> {
    // Whatever the end, a panic included, nothing that a run left behind outlives us.
    let _reap = ReapOnDrop;
    let user_dir = std::env::current_dir().map_err(|error| {
        CliError::new(Kind::CannotRun, "failed to find the current directory").because(error)
    })?;
    let goal = if args.fix { Goal::Fix } else { Goal::Culprit };
    let rule = rule(args)?;
    let output = output(args, goal)?;
    let mut given = Given::new(args, &user_dir, &output)?;
    let command = command(args, &mut given, &user_dir)?;
    let (stop, cancel) = (
        Stop::default(),
        Cancel::new().map_err(|error| cannot_run(&error))?,
    );
    signals::stop_on_signals(stop.clone(), cancel.clone())?;
    let mut show: Box<dyn Show> = match (args.json, args.markdown, args.quiet) {
        (true, ..) => Box::new(json::Json),
        (_, true, _) => Box::new(markdown::Markdown),
        (.., true) => Box::new(Silent),
        _ => Box::new(text::Text::new(goal)),
    };
    for note in &given.notes {
        show.note(note);
    }
    let shown = command.to_string();
    let problem = problem(args, given, command, (rule, goal), show.as_mut())?;
    let known = memory::look(args, &problem, &output, show.as_mut())?;
    let mut bad_run: Option<Run> = None;
    let checked = check(
        &problem,
        furnish(&problem),
        known.tape(),
        &cancel,
        &mut |event| {
            if let ChangesEvent::Baseline { good: false, run } = event {
                bad_run = Some(run.clone());
            }
            told(event, show.as_mut());
        },
    )
    .map_err(|error| no_answer(error, &shown, args))?;
    // What earlier sessions came to; what this one comes to before that is larger.
    let best = known.best().filter(|best| best.question > 0).cloned();
    let ahead = best.as_ref().map_or(0, |best| best.question);
    if let Some(best) = &best {
        fsx::write_atomic(&output, &best.text).map_err(|error| cannot_run(&error))?;
    }
    let remembered = memory::begin(known, &problem, checked.time_limit(), show.as_mut());
    let config = Config {
        jobs: args.jobs.count(),
        budget: args.patience.budget(),
        stop,
        store: remembered.store.clone(),
    };
    let save = |patch: &[u8], tally: &Tally| {
        memory::improve(remembered.store.as_deref(), patch, tally);
        if tally.questions >= ahead {
            fsx::write_atomic(&output, patch).map_err(|error| cannot_run(&error))?;
        }
        Ok(())
    };
    let mut unwritten = None;
    let found = checked
        .find(&config, &cancel, &mut |event| {
            if let ChangesEvent::Level {
                old, new, tally, ..
            } = event
            {
                let written = patch(old, new, &problem.contents)
                    .map_err(|error| states::unreadable(&error))
                    .and_then(|patch| save(&patch, tally));
                unwritten = unwritten.take().or(written.err());
            }
            told(event, show.as_mut());
        })
        .map_err(|error| no_answer(error, &shown, args))?;
    if let Some(error) = unwritten {
        return Err(error);
    }
    let patch = patch(&found.before, &found.after, &problem.contents)
        .map_err(|error| states::unreadable(&error))?;
    let is_behind = found.stopped.is_some() && found.tally.questions < ahead;
    if !is_behind {
        fsx::write_durable(&output, &patch).map_err(|error| cannot_run(&error))?;
    }
    memory::end(remembered.store.as_deref(), &patch, &found);
    let ends = [0, problem.row.places.len() - 1].map(|end| &problem.row.places[end].name);
    show.finish(&Answer {
        found: &found,
        goal,
        good: ends[0],
        bad: ends[1],
        command: &shown,
        output: &output,
        patch: &patch,
        same_failure: same_failure(bad_run.as_ref(), found.run.as_ref(), goal),
    });
    Ok(match found.stopped {
        Some(_) => Kind::Stopped,
        None => Kind::Reduced,
    })
}

/// What is to be searched.
fn problem(
    args: &Changes,
    given: Given,
    command: TreeCommand,
    (rule, goal): (Rule, Goal),
    notes: &mut dyn Note,
) -> Result<Problem, CliError> {
    let temporary = args.scratch.clone().unwrap_or_else(std::env::temp_dir);
    // On a disk: trees and what is built in them may need more room than memory has.
    let scratch = Scratch::within(&temporary).map_err(|error| cannot_run(&error))?;
    let limits = containment::limits(&args.containment, args.timeout, notes)?;
    let roomier = match limits.sandbox {
        Some(_) => Some(containment::roomier(&args.containment, &mut Silent)?),
        None => None,
    };
    let line = |line| TreeCommand::line(line, given.dir.clone());
    let build = args.build.as_deref().map(line);
    Ok(Problem {
        row: given.row,
        contents: Arc::new(given.contents),
        scratch: Arc::new(scratch),
        judge: Judge {
            command,
            build,
            rule,
            goal,
            limits,
        },
        roomier,
        timeout_is_stated: args.timeout.is_some(),
    })
}

/// Shows an event, or says what it means to the user.
fn told(event: &ChangesEvent, show: &mut dyn Show) {
    match event {
        ChangesEvent::Loosened(Loosened::Temporary) => show.note(containment::ROOMIER),
        ChangesEvent::Loosened(Loosened::Everything) => show.note(&containment::no_sandbox(
            "the two states are what they are said to be",
        )),
        ChangesEvent::Forgetful { why } => forget(why, show),
        event => show.event(event),
    }
}

/// Whether the culprit alone fails as the bad state does.
fn same_failure(bad: Option<&Run>, culprit: Option<&Run>, goal: Goal) -> Option<bool> {
    if goal == Goal::Fix {
        return None;
    }
    let property = deduce(bad?)?;
    Some(property.verdict(culprit?) == Verdict::Interesting)
}

/// What is put into trees beside their files.
fn furnish(problem: &Problem) -> Furnish {
    let contents: Arc<Contents> = Arc::clone(&problem.contents);
    let head = match problem.row.places[0].at {
        At::Commit(id) => Some(id),
        At::Files(_) => None,
    };
    Box::new(move |root: &Path| match (contents.repository(), head) {
        (Some(repository), Some(head)) => repository.furnish(root, head),
        _ => Ok(()),
    })
}

fn rule(args: &Changes) -> Result<Rule, CliError> {
    let stated = Property::new(args.looks.expectations().collect());
    match (stated, &args.bisect_run, &args.test) {
        (Some(_), Some(_), _) => Err(wrong(
            "--bisect-run says all there is to say about good and bad",
        )
        .hint("leave --exit, --stdout, --stderr, --not-stderr and --hangs away")),
        (Some(_), _, Some(_)) => Err(wrong("--test says all there is to say about good and bad")
            .hint("leave --exit, --stdout, --stderr, --not-stderr and --hangs away")),
        (Some(property), None, None) => Ok(Rule::Property(property)),
        (None, Some(_), _) => Ok(Rule::BisectRun),
        (None, None, Some(_)) => Ok(Rule::Test),
        (None, None, None) => Ok(Rule::ExitCode),
    }
}

fn command(args: &Changes, given: &mut Given, user_dir: &Path) -> Result<TreeCommand, CliError> {
    match (
        args.bisect_run.as_ref().or(args.test.as_ref()),
        args.command.is_empty(),
    ) {
        (Some(script), _) => Ok(given.script(script, user_dir)),
        (None, false) => Ok(given.command(&args.command, user_dir)),
        (None, true) => {
            Err(wrong("there is no command to run on the states").hint(
                "give the command that tells good from bad after `--`, such as\n  boildown changes v1.2..v1.3 -- make check\nor a script for `git bisect run` with --bisect-run",
            ))
        }
    }
}

fn output(args: &Changes, goal: Goal) -> Result<PathBuf, CliError> {
    let name = match goal {
        Goal::Culprit => "culprit.patch",
        Goal::Fix => "fix.patch",
    };
    let output = args.output.clone().unwrap_or_else(|| name.into());
    let parent = output.parent().unwrap_or(Path::new(""));
    let failed = |why: &str| {
        Err(wrong(format!("failed to write {}", output.display())).because(why.to_owned()))
    };
    match std::fs::metadata(&output) {
        Ok(there) if !there.is_file() => failed("it is not an ordinary file"),
        Err(_) if !Path::new(".").join(parent).is_dir() => failed("there is no such directory"),
        _ => Ok(output),
    }
}

fn no_answer(error: SearchError, command: &str, args: &Changes) -> CliError {
    let [first, second] = match args.fix {
        false => ["good", "bad"],
        true => ["broken", "fixed"],
    };
    match error {
        SearchError::Baseline {
            name,
            wanted,
            judgement,
        } => {
            let is_first = wanted == "good";
            let wanted = if is_first { first } else { second };
            let mut error = CliError::new(Kind::NotInteresting, format!("{name} is not {wanted}"));
            let Some(run) = judgement.run else {
                return error;
            };
            error = error.because(match judgement.reason {
                Some(reason) => format!("the command {} there ({})", reason.words(), run.outcome),
                None => format!("the command {} there", run.outcome),
            });
            error = error.hints(match run.outcome {
                Outcome::TimedOut => Some("--timeout gives the command more time"),
                outcome => containment::advice(outcome),
            });
            for (stream, bytes) in [
                ("standard error", &run.stderr),
                ("standard output", &run.stdout),
            ] {
                if !bytes.is_empty() {
                    error = error.hint(format!("its {stream} ends with\n{}", last_lines(bytes)));
                }
            }
            error
                .hint(format!("the command, run at the root of a copy of {name}: {command}"))
                .hint(match (is_first, args.fix) {
                    (true, false) => "the copy holds what git tracks and nothing else; does the command need files that are not tracked, or that another command makes? --build runs one first",
                    (false, false) => "does the command look at the files around it? an absolute path, or a package installed from your work tree, leads elsewhere",
                    (true, true) => "with --fix the first state is the broken one and the second is fixed",
                    (false, true) => "with --fix the second state is the one in which the command succeeds",
                })
        }
        SearchError::Flaky { name } => CliError::new(
            Kind::Flaky,
            format!("two runs on {name} did not end alike"),
        )
        .hint("make the command deterministic, or state what is bad so that every run shows it")
        .hint(format!("the command: {command}")),
        SearchError::Same { good, bad } => {
            wrong(format!("nothing differs between {good} and {bad}"))
                .hint("uncommitted changes are seen with --worktree only")
        }
        SearchError::Oracle(boildown_oracle::OracleError::Cancelled) => CliError::new(
            Kind::Stopped,
            "interrupted before the search began: nothing was written",
        ),
        SearchError::Oracle(error @ boildown_oracle::OracleError::Scratch { .. }) => cannot_run(&error)
            .hint("make room there, or name another place with --scratch; the patch is the smallest so far, if there is one"),
        SearchError::Oracle(error) => cannot_run(&error),
        SearchError::Changes(error) => states::unreadable(&error),
        error => CliError::new(Kind::CannotRun, error.to_string()),
    }
}

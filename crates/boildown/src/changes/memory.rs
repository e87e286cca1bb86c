//! What earlier sessions of the same search know, and what is remembered of this one.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use boildown_changes::Configuration;
use boildown_oracle::store::{
    Ending, Identity, Improvement, RunStore, Start, add_surroundings, fingerprint_of,
};
use boildown_session::Stopped;
use boildown_session::changes::{At, Found, Place, Problem, Rule, Tally};

use super::args::Changes;
use super::states;
use crate::error::CliError;
use crate::known::{self, Known, Remembered};
use crate::report::Note;

/// Looks for earlier sessions that searched for the same, and says what was found.
pub(super) fn look(
    args: &Changes,
    problem: &Problem,
    output: &Path,
    notes: &mut dyn Note,
) -> Result<Known, CliError> {
    let place = known::place(output, notes)?;
    let identity = identity(args, problem)?;
    let look = |place| Known::look(place, identity, args.fresh, notes);
    Ok(place.map(look).unwrap_or_default())
}

/// Begins to remember.
pub(super) fn begin(
    known: Known,
    problem: &Problem,
    time_limit: Duration,
    notes: &mut dyn Note,
) -> Remembered {
    let [good, bad] = [0, problem.row.places.len() - 1].map(|end| &problem.row.places[end]);
    let (property, flags) = match &problem.judge.rule {
        Rule::Property(property) => (property.to_string(), property.flags()),
        Rule::ExitCode => ("the exit code tells".to_owned(), String::new()),
        Rule::BisectRun => (
            "as for git bisect run".to_owned(),
            "--bisect-run".to_owned(),
        ),
        Rule::Test => ("a test exits with 0".to_owned(), "--test".to_owned()),
    };
    let start = Start {
        name: &format!("{good}..{bad}"),
        // No patch yet.
        input: improvement(&[], &Tally::default()),
        property,
        flags,
        time_limit,
        version: env!("CARGO_PKG_VERSION"),
    };
    known.begin(&start, notes)
}

/// Remembers the smallest patch so far.
pub(super) fn improve(store: Option<&RunStore>, patch: &[u8], tally: &Tally) {
    if let Some(store) = store {
        store.improve(improvement(patch, tally));
    }
}

/// Remembers what it came to.
pub(super) fn end(store: Option<&RunStore>, patch: &[u8], found: &Found) {
    let tally = &found.tally;
    improve(store, patch, tally);
    if let Some(store) = store {
        store.end(Ending {
            why: found.stopped.map_or("finished", Stopped::name),
            questions: tally.questions,
            runs: tally.runs,
            recalled: tally.recalled,
            elapsed: tally.elapsed,
        });
    }
}

fn improvement(patch: &[u8], tally: &Tally) -> Improvement {
    Improvement {
        question: tally.questions,
        content: fingerprint_of(patch),
        bytes: patch.len(),
        tokens: None,
        elapsed: tally.elapsed,
        text: Some(patch.into()),
    }
}

/// What this search's course and its verdicts depend on. Everything that can be typed is here: a new option has to be put on one
/// side or the other.
fn identity(args: &Changes, problem: &Problem) -> Result<Identity, CliError> {
    let Changes {
        timeout,
        containment,
        // Are in the states, the command and how it is read.
        states: _,
        command: _,
        worktree: _,
        fix: _,
        build: _,
        bisect_run: _,
        test: _,
        looks: _,
        // The place of the result is the place where this is looked for.
        output: _,
        // Change the time only.
        jobs: _,
        scratch: _,
        // The same course, more or less of it.
        patience: _,
        // Change what is said.
        json: _,
        markdown: _,
        quiet: _,
        fresh: _,
    } = args;
    let judge = &problem.judge;
    let places = &problem.row.places;
    let mut identity = Identity::default();
    for (what, place) in [
        ("the first state", &places[0]),
        ("the second state", &places[places.len() - 1]),
    ] {
        let state = match &place.at {
            At::Files(state) => Ok(state.clone()),
            At::Commit(id) => {
                let repository = problem.contents.repository();
                repository.expect("it holds the commit").state(*id)
            }
        };
        let state = state.map_err(|error| states::unreadable(&error))?;
        identity.add(what, Configuration::from(state).name().to_string());
    }
    let commits: Vec<String> = places.iter().map(commit).collect();
    identity.add("the commits between", commits.join(" "));
    let command = format!("{} in {}", judge.command, judge.command.dir().display());
    identity.add("the command", command);
    let build: Vec<&OsStr> = judge.build.iter().flat_map(|build| build.words()).collect();
    identity.add("--build", format!("{build:?}"));
    add_surroundings(&mut identity, judge.command.words().chain(build));
    identity.add("what is bad", format!("{:?} {:?}", judge.rule, judge.goal));
    identity.add("--timeout", format!("{timeout:?}"));
    crate::containment::add_to(&mut identity, containment);
    identity.add("the version of boildown", env!("CARGO_PKG_VERSION"));
    Ok(identity)
}

fn commit(place: &Place) -> String {
    match place.at {
        At::Commit(id) => id.to_string(),
        At::Files(_) => "files".to_owned(),
    }
}

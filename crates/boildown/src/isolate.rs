//! `boildown isolate`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boildown_oracle::spawn::{Capture, ReapOnDrop};
use boildown_oracle::store::{Identity, Improvement, Start, Tape, fingerprint_of};
use boildown_oracle::{
    Answer, Cancel, CandidateFile, CommandLine, ExitSpec, Expectation, OracleError, Outcome,
    PassOrFail, Property, Repeating, Run, Runner, Scratch, Verdict, check_set_up, deduce,
};
use boildown_session::{
    Baseline, Care, Config, ContrastError, Event, Side, Sides, Stop, Stopped, contrast, time_limit,
};
use boildown_syntax::Isolation;

use crate::args::Isolate;
use crate::error::{CliError, Kind};
use crate::known::{self, Known, forget};
use crate::reduce::{ATTEMPTS, blindness, cannot_run, last_lines, own_cpu};
use crate::report::{Isolated, Report};
use crate::trust::Trust;
use crate::{containment, input, property, signals};

/// Isolates the difference between two files.
pub(crate) fn run(args: &Isolate) -> Result<Kind, CliError> {
    // Whatever the end, a panic included, nothing that a run left behind outlives us.
    let _reap = ReapOnDrop;
    let hint = "the two files come first: boildown isolate GOOD BAD -- COMMAND";
    let good = input::read(&args.good, hint)?;
    let bad = input::read(&args.bad, hint)?;
    if good == bad {
        let what = format!(
            "{} and {} are the same",
            args.good.display(),
            args.bad.display()
        );
        return Err(CliError::new(Kind::Usage, what)
            .hint("give a file on which the command passes, and one on which it fails"));
    }
    let language = input::language(args.language.as_deref(), &args.bad, &bad)?;
    let (good_name, bad_name) = (args.good.display(), args.bad.display());
    let usage = format!("boildown isolate {good_name} {bad_name}");
    let command = property::command(&args.property, &args.command, &args.bad, &usage)?;
    let mut sides = sides(args)?;
    let (stop, cancel) = (
        Stop::default(),
        Cancel::new().map_err(|error| cannot_run(&error))?,
    );
    signals::stop_on_signals(stop.clone(), cancel.clone())?;
    let mut report = args.printing.report("");
    let known = match known::place(&sides.failing, report.as_mut())? {
        Some(place) => {
            let identity = identity(args, &command, [&good, &bad]);
            Known::look(place, identity, args.fresh, report.as_mut())
        }
        None => Known::default(),
    };
    sides.are_there = known.is_resumed && sides.passing.exists() && sides.failing.exists();
    let scratch = Scratch::new(&std::env::temp_dir()).map_err(|error| cannot_run(&error))?;
    let runner = Runner {
        command,
        scratch: Arc::new(scratch),
        file: CandidateFile::like(&args.bad).map_err(|error| cannot_run(&error))?,
        limits: containment::limits(&args.containment, args.timeout, report.as_mut())?,
    };
    let inputs: [&[u8]; 2] = [&good, &bad];
    let (oracle, baseline) = check(
        args,
        runner,
        inputs,
        (known.tape(), &cancel),
        report.as_mut(),
    )?;
    let mut trust = Trust::new(&baseline);
    if let Some(foreword) = trust.foreword() {
        report.note(&foreword);
    }
    let start = Start {
        name: &args.bad.file_name().unwrap_or_default().to_string_lossy(),
        input: Improvement {
            question: 0,
            content: fingerprint_of(&bad),
            bytes: bad.len(),
            tokens: None,
            elapsed: Duration::ZERO,
            text: Some(Arc::clone(&bad)),
        },
        property: oracle.failing.to_string(),
        flags: oracle.failing.flags(),
        time_limit: oracle.runner.limits.timeout,
        version: env!("CARGO_PKG_VERSION"),
    };
    let remembered = known.begin(&start, report.as_mut());

    let search = Isolation::between(&good, &bad, language, args.units);
    let config = Config {
        jobs: args.jobs.count(),
        budget: args.patience.budget(),
        stop,
        store: remembered.store.clone(),
    };
    let repeating = Repeating::new(&oracle, baseline.law);
    let on_event = &mut |event: &_| match event {
        Event::Forgetful { why } => forget(why, report.as_mut()),
        event => report.event(event),
    };
    let (mut summary, ended) =
        boildown_session::isolate(search, &repeating, Some(&sides), &config, on_event)
            .map_err(|error| cannot_run(&error))?;
    summary.progress.spent.runs = repeating.runs();
    trust.contradicted(repeating.contradictions());
    if !trust.expects_certainty() && summary.stopped != Some(Stopped::Interrupted) {
        let confirmed = trust.confirm(&oracle, &ended.failing(), args.jobs.count(), &cancel);
        confirmed.map_err(|error| cannot_run(&error))?;
    }
    if let Some(afterword) = trust.afterword() {
        report.note(&afterword);
    }
    for (path, input) in [(&args.good, &good), (&args.bad, &bad)] {
        if fs::read(path).ok().as_deref() != Some(input) {
            report.note(&format!(
                "warning: {} was changed by someone else meanwhile: does the command write to it?",
                path.display()
            ));
        }
    }
    report.isolated(&Isolated {
        sides: &sides,
        passing: &ended.passing(),
        failing: &ended.failing(),
        places: &ended.places(),
        changes: ended.changes(),
        units: ended.units(),
        summary: &summary,
        own_cpu: own_cpu(),
    });
    Ok(match summary.stopped {
        _ if !trust.is_kept() => Kind::Flaky,
        None => Kind::Reduced,
        Some(_) => Kind::Stopped,
    })
}

/// What this isolation's course and its verdicts depend on. Everything that can be typed is here: a new option has to be put on one
/// side or the other.
fn identity(args: &Isolate, command: &CommandLine, [good, bad]: [&[u8]; 2]) -> Identity {
    let Isolate {
        bad: path,
        timeout,
        language,
        units,
        flaky,
        containment,
        property,
        good: _,
        // Is in the command line and what surrounds it.
        command: _,
        // The place of the results is the place where this is looked for.
        output: _,
        // Change the time only.
        jobs: _,
        // The same course, more or less of it.
        patience: _,
        // Change what is said.
        printing: _,
        fresh: _,
    } = args;
    let mut identity = Identity::default();
    identity.add_hash("the good file", good);
    identity.add_hash("the bad file", bad);
    let name = path.file_name().unwrap_or_default();
    identity.add("the name of the bad file", format!("{name:?}"));
    property::add_to(&mut identity, property, command);
    identity.add("--timeout", format!("{timeout:?}"));
    identity.add("--language", format!("{language:?}"));
    identity.add("--units", format!("{units:?}"));
    identity.add("--flaky", format!("{flaky}"));
    containment::add_to(&mut identity, containment);
    identity.add("the version of boildown", env!("CARGO_PKG_VERSION"));
    identity
}

/// Where the results go.
fn sides(args: &Isolate) -> Result<Sides, CliError> {
    let folder = match &args.output {
        Some(folder) => folder.clone(),
        None => args.bad.parent().unwrap_or(Path::new("")).to_owned(),
    };
    if !Path::new(".").join(&folder).is_dir() {
        let what = format!("there is no directory {}", folder.display());
        return Err(CliError::new(Kind::Usage, what).hint("make it, or give another with --output"));
    }
    let side = |middle: &str| -> Result<PathBuf, CliError> {
        let mut name = args.bad.file_stem().unwrap_or_default().to_owned();
        name.push(middle);
        if let Some(extension) = args.bad.extension() {
            name.push(".");
            name.push(extension);
        }
        let path = folder.join(name);
        let same = |other: &Path| fs::canonicalize(other).ok();
        let taken = [&args.good, &args.bad]
            .into_iter()
            .any(|input| same(&path).is_some() && same(&path) == same(input));
        let what = || format!("failed to write {}", path.display());
        if taken {
            return Err(CliError::new(Kind::Usage, what())
                .because("it is one of the inputs")
                .hint("--output writes to another directory"));
        }
        if fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
            return Err(CliError::new(Kind::Usage, what()).because("it is not an ordinary file"));
        }
        Ok(path)
    };
    Ok(Sides {
        passing: side(".pass")?,
        failing: side(".fail")?,
        are_there: false,
    })
}

/// Settles what failing and passing are, checks that one file does one and the other the other, and returns the oracle that tells.
fn check(
    args: &Isolate,
    mut runner: Runner,
    [good, bad]: [&[u8]; 2],
    (tape, cancel): (&Tape, &Cancel),
    report: &mut dyn Report,
) -> Result<(PassOrFail, Baseline), CliError> {
    let stated = property::stated(&args.property);
    if let Some(hang) = stated.as_ref().and_then(Property::hang) {
        runner = runner.with_timeout(hang);
    }
    // What properties are read off is what the user sees, not the complaint of a command that may not write to its cache.
    let outside = containment::outside(&runner);
    let first = |input: &[u8]| {
        let answer = tape.play(input, || {
            let run = Some(outside.run(input, Capture::Output, cancel)?);
            // What it means is read off the runs, so nobody can tell yet.
            let verdict = Verdict::Unresolved;
            Ok(Answer { verdict, run })
        });
        let answer = answer.map_err(|error| could_not_ask(&error))?;
        let run = answer.run.expect("a command was run");
        check_set_up(&run, &runner.command, stated.as_ref()).map_err(|error| cannot_run(&error))?;
        Ok(run)
    };
    let command = runner.command.clone();
    let on = |path: &Path| format!("to repeat the run: {}", command.shell(path));
    let mut on_bad = first(bad)?;
    let fails = |run: &Run| match &stated {
        Some(property) => property.verdict(run).is_interesting(),
        None => deduce(run).is_some(),
    };
    for _ in 1..ATTEMPTS {
        if !args.flaky || fails(&on_bad) {
            break;
        }
        on_bad = first(bad)?;
    }
    let failing = match stated.clone().or_else(|| deduce(&on_bad)) {
        Some(property) if property.verdict(&on_bad).is_interesting() => property,
        unlike => {
            let what = match &unlike {
                Some(_) => "the property does not hold on",
                None => "the command does not fail on",
            };
            let what = format!("{what} {}", args.bad.display());
            let hint = unlike.is_none().then_some(
                "if that is the failure, say what is wrong with it: with --exit, --stdout, --stderr, --not-stderr or --hangs",
            );
            return Err(explain(what, &on_bad)
                .hints(hint)
                .hint(on(&args.bad))
                .hints(blindness(&runner)));
        }
    };
    let on_good = first(good)?;
    let passing = match failing.verdict(&on_good) {
        Verdict::Uninteresting => passing(args, &on_good),
        Verdict::Interesting => {
            let what = format!(
                "the command fails on {} too, in the same way",
                args.good.display()
            );
            return Err(explain(what, &on_good)
                .hint(format!(
                    "failing is:\n  {}",
                    failing.to_string().replace('\n', "\n  ")
                ))
                .hint(on(&args.good))
                .hints(blindness(&runner)));
        }
        Verdict::Unresolved => None,
    };
    let Some(passing) = passing else {
        let what = format!("the command does not pass on {}", args.good.display());
        return Err(explain(what, &on_good).hint(on(&args.good)));
    };
    report.note(&format!("failing: {}", indented(&failing)));
    report.note(&format!("passing: {}", indented(&passing)));
    for (property, input) in [(&failing, bad), (&passing, good)] {
        let wanted = (property, input);
        if let Some(loosened) =
            containment::loosened(&args.containment, &runner, wanted, cancel, report)?
        {
            runner = loosened;
        }
    }
    let mut oracle = PassOrFail {
        runner: runner.clone(),
        failing,
        passing,
    };
    let care = if args.flaky { Care::Flaky } else { Care::Usual };
    let taped = tape.over(&oracle);
    let found = contrast(&taped, [good, bad], (care, args.jobs.count()), cancel);
    drop(taped);
    let found = found.map_err(|error| match error {
        ContrastError::Flaky { side, held, runs } => {
            let (path, does) = match side {
                Side::Passing => (&args.good, "passed"),
                Side::Failing => (&args.bad, "failed"),
            };
            let what = format!("the command {does} on {} in {held} of {runs} runs", path.display());
            CliError::new(Kind::Flaky, what)
                .hint("make the command deterministic, or loosen the property so that every run shows it")
                .hint(on(path))
        }
        ContrastError::Oracle(error) => could_not_ask(&error),
        error => CliError::new(Kind::CannotRun, error.to_string()),
    })?;
    let slowest = found.rate.slowest.max(on_good.took).max(on_bad.took);
    if args.timeout.is_none() && oracle.failing.hang().is_none() {
        oracle.runner = runner.with_timeout(time_limit(slowest));
    }
    Ok((oracle, found))
}

/// What runs have in common that pass, read off the run on the file that does. A test script says it all by its exit code.
fn passing(args: &Isolate, on_good: &Run) -> Option<Property> {
    let exit = ExitSpec::of(on_good.outcome).map(Expectation::Exit);
    let exit = Property::new(exit.into_iter().collect());
    match args.property.test {
        Some(_) => exit,
        None => deduce(on_good).or(exit),
    }
}

fn indented(property: &Property) -> String {
    property.to_string().replace('\n', "\n         ")
}

fn could_not_ask(error: &OracleError) -> CliError {
    match error {
        OracleError::Cancelled => CliError::new(
            Kind::Stopped,
            "interrupted before the search began: nothing was written",
        ),
        error => cannot_run(error),
    }
}

/// Says what the run did instead.
fn explain(what: String, run: &Run) -> CliError {
    let error =
        CliError::new(Kind::NotInteresting, what).because(format!("the command {}", run.outcome));
    let slow = (run.outcome == Outcome::TimedOut)
        .then_some("--hangs looks for a hang; --timeout gives the command more time");
    let unclear =
        (run.outcome == Outcome::Exited(125)).then_some("exit code 125 says that it cannot tell");
    let streams = [
        ("standard error", &run.stderr),
        ("standard output", &run.stdout),
    ];
    let printed = streams
        .into_iter()
        .filter(|(_, bytes)| !bytes.is_empty())
        .map(|(name, bytes)| format!("its {name} ends with\n{}", last_lines(bytes)));
    error.hints(slow).hints(unclear).hints(printed)
}

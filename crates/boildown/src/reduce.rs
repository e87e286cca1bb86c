//! `boildown reduce`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use boildown_oracle::spawn::{Capture, ReapOnDrop};
use boildown_oracle::{
    Answer, Cancel, CandidateFile, CommandLine, LocalOracle, Oracle, OracleError, Outcome,
    Property, Run, Runner, Scratch, Signature, Verdict, Watching, check_set_up, deduce,
};
use boildown_session::{
    Baseline, BaselineError, Care, Config, Event, Goal, Leave, Reduced, Stop, Stopped, baseline,
    reduce_carefully, time_limit,
};
use boildown_syntax::{
    Gate, Keep, Language, Layout, Names, Passes, Rules, Strategy, count_tokens, pass_names,
    reduction,
};

use crate::args::Reduce;
use crate::destination::Destination;
use crate::error::{CliError, Kind};
use crate::keys::{self, Keys};
use crate::known::forget;
use crate::memory::Memory;
use crate::report::{Ending, Report, count};
use crate::trust::Trust;
use crate::{containment, input, property, signals};

/// Reduces a file.
pub(crate) fn run(args: &Reduce) -> Result<Kind, CliError> {
    // Whatever the end, a panic included, nothing that a run left behind outlives us.
    let _reap = ReapOnDrop;
    let input = read(&args.input)?;
    let usage = format!("boildown reduce {}", args.input.display());
    let command = property::command(&args.property, &args.command, &args.input, &usage)?;
    let destination = Destination::new(args)?;
    let keys_count = args.printing.is_text() && keys::are_heard();
    let mut report = args
        .printing
        .report(if keys_count { keys::HINT } else { "" });
    let memory = Memory::open(args, &command, &destination, input, report.as_mut())?;
    let input = Arc::clone(&memory.input);
    let language = input::language(args.language.as_deref(), &args.input, &input)?;
    let rules = rules(args, language)?;
    let (stop, cancel) = (
        Stop::default(),
        Cancel::new().map_err(|error| cannot_run(&error))?,
    );
    let leave = Leave::default();
    signals::stop_on_signals(stop.clone(), cancel.clone())?;

    let keep = keep(args, &input)?;
    let passes = passes(args, &pass_names(&input, language))?;
    let runner = runner(args, command, report.as_mut())?;
    let jobs = args.jobs.count();
    let (oracle, baseline, signature) =
        check(args, &runner, &memory, jobs, &cancel, report.as_mut())?;
    let mut trust = Trust::new(&baseline);
    if let Some(foreword) = trust.foreword() {
        report.note(&foreword);
    }
    let time_limit = oracle.runner().limits.timeout;
    let (remembered, known_best) =
        memory.begin(args, oracle.property(), time_limit, report.as_mut());
    let first = known_best.as_ref().map_or(&input, |best| &best.text);
    destination.begin(args, first)?;
    let all_may_go = keep.is_empty();
    let strategy = Strategy {
        gate: if args.no_gate {
            Gate::Off
        } else {
            Gate::Adaptive
        },
        algorithm: args.algorithm,
        schedule: args.schedule,
        width: args.width,
        rules: Arc::new(rules),
        names: match (args.rename, args.preserve_names) {
            (true, _) => Names::Canonical,
            (false, true) => Names::Preserved,
            (false, false) => Names::Free,
        },
        layout: if args.compact {
            Layout::Compact
        } else {
            Layout::Tidy
        },
        keep,
        passes,
    };
    let goal = Goal {
        output: Some(destination.target.clone()),
        size: args.until,
        best: known_best.clone(),
        leave: leave.clone(),
        doubt: trust.expects_certainty().then(|| cancel.clone()),
    };
    let config = Config {
        jobs,
        budget: args.patience.budget(),
        stop,
        store: remembered.store.clone(),
    };
    let saved = |error| {
        cannot_run(&error).hint(format!(
            "the best result so far is in {}",
            destination.output.display()
        ))
    };
    // A script hides what it runs.
    let watching = (args.property.test.is_none())
        .then(|| Watching::new(&oracle, signature, destination.others(), &args.input));
    let watched: &dyn Oracle = match &watching {
        Some(watching) => watching,
        None => &oracle,
    };
    let keys = keys_count.then(|| {
        let (stop, cancel) = (config.stop.clone(), cancel.clone());
        Keys::listen(move |key| match key {
            b's' => leave.request(),
            b'q' => {
                stop.request();
                cancel.cancel();
            }
            _ => {}
        })
    });
    let Reduced {
        summary,
        best,
        contradictions,
    } = reduce_carefully(
        &|text| reduction(text, language, strategy.clone()),
        &input,
        (watched, baseline.law),
        (goal, config),
        &mut |event| match event {
            Event::Forgetful { why } => forget(why, report.as_mut()),
            Event::Lost { bytes, runs } => report.note(&format!(
                "the property did not hold each time on what came after {}: going on from there, with {runs} runs of each candidate",
                count(*bytes, "byte")
            )),
            event => report.event(event),
        },
    )
    .map_err(saved)?;
    drop(keys);
    trust.contradicted(contradictions);
    let unchanged = best == input;
    if trust.expects_certainty() {
        trust.confirmed(summary.confirmed.filter(|_| !unchanged));
    } else if !unchanged && summary.stopped != Some(Stopped::Interrupted) {
        let confirmed = trust.confirm(&oracle, &best, jobs, &cancel);
        confirmed.map_err(saved)?;
    }
    let expected = if args.in_place { &best } else { &input };
    if fs::read(&args.input).ok().as_deref() != Some(&**expected) {
        report.note(&format!(
            "warning: {} was changed by someone else meanwhile: does the command write to it?",
            args.input.display()
        ));
    }
    report.finish(&Ending {
        input: &args.input,
        output: &destination.output,
        backup: destination.backup.as_deref(),
        unchanged,
        summary: &summary,
        tokens_before: count_tokens(&input, language),
        tokens_after: count_tokens(&best, language),
        units: match language {
            Some(_) if all_may_go => {
                "no single token can go, nor any node that leaves a text that parses"
            }
            None if all_may_go => "no single byte can go",
            Some(_) => "no single token can go, nor any node that leaves a text that parses, but for what is kept",
            None => "no single byte can go, but for what is kept",
        },
        trust: &trust,
        others: &watching.map(|watching| watching.seen()).unwrap_or_default(),
        own_cpu: own_cpu(),
    });
    Ok(match (summary.stopped, unchanged) {
        _ if !trust.is_kept() => Kind::Flaky,
        (Some(Stopped::SmallEnough), _) => Kind::Reduced,
        (Some(_), _) => Kind::Stopped,
        (None, true) => Kind::Minimal,
        (None, false) => Kind::Reduced,
    })
}

pub(crate) fn cannot_run(error: &OracleError) -> CliError {
    match error {
        OracleError::Spawn {
            program,
            advice,
            source,
        } => CliError::new(Kind::CannotRun, format!("failed to start `{program}`"))
            .because(source.to_string())
            .hint(advice),
        error => CliError::failed_to(Kind::CannotRun, error),
    }
}

fn read(path: &Path) -> Result<Arc<[u8]>, CliError> {
    let hint = "the file to reduce comes first: boildown reduce FILE -- COMMAND";
    let input = input::read(path, hint)?;
    if input.is_empty() {
        let what = format!("{} is empty: there is nothing to reduce", path.display());
        return Err(CliError::new(Kind::Usage, what));
    }
    Ok(input)
}

/// Reads the rules of the user, and says what is wrong with them.
fn rules(args: &Reduce, language: Option<&'static Language>) -> Result<Rules, CliError> {
    let mut all = Rules::default();
    for path in &args.rules {
        let Some(language) = language else {
            let what = format!("the rules in {} are of no use", path.display());
            return Err(CliError::new(Kind::Usage, what)
                .because("the input is in no language that is understood")
                .hint("--language names one; `boildown languages` lists them"));
        };
        let text = fs::read_to_string(path).map_err(|error| {
            CliError::new(Kind::Usage, format!("failed to read {}", path.display())).because(error)
        })?;
        let rules = Rules::read(language, &text)
            .map_err(|error| CliError::new(Kind::Usage, format!("{}, {error}", path.display())))?;
        all = all.and(&rules);
    }
    Ok(all)
}

/// What every candidate has to hold.
fn keep(args: &Reduce, input: &[u8]) -> Result<Keep, CliError> {
    let mut keep = Keep::marked(input);
    for wanted in &args.keep {
        keep.add(wanted, input).map_err(|complaint| {
            CliError::new(
                Kind::Usage,
                format!("`--keep {wanted}` cannot be done: {complaint}"),
            )
            .hint("lines such as 12 or 10-20, or a regular expression that the input matches")
        })?;
    }
    Ok(keep)
}

/// The passes to run, of those that the input has.
fn passes(args: &Reduce, known: &[&str]) -> Result<Passes, CliError> {
    let known: Vec<String> = known.iter().map(|name| name.replace(' ', "-")).collect();
    let (without, only): (Vec<&String>, Vec<&String>) =
        (args.passes.iter()).partition(|name| name.starts_with('-'));
    let without: Vec<String> = without.iter().map(|name| name[1..].to_owned()).collect();
    let only: Vec<String> = only.into_iter().cloned().collect();
    if let Some(name) = only
        .iter()
        .chain(&without)
        .find(|name| !known.contains(name))
    {
        return Err(CliError::new(
            Kind::Usage,
            format!("there is no pass `{name}` for {}", args.input.display()),
        )
        .hint(format!("its passes are {}", known.join(", "))));
    }
    match (only.is_empty(), without.is_empty()) {
        (true, true) => Ok(Passes::All),
        (false, true) => Ok(Passes::Only(only)),
        (true, false) => Ok(Passes::Without(without)),
        (false, false) => Err(CliError::new(
            Kind::Usage,
            "passes to run and passes to leave out cannot be named together",
        )),
    }
}

fn runner(
    args: &Reduce,
    command: CommandLine,
    report: &mut dyn Report,
) -> Result<Runner, CliError> {
    let scratch = Scratch::new(&std::env::temp_dir()).map_err(|error| cannot_run(&error))?;
    Ok(Runner {
        command,
        scratch: Arc::new(scratch),
        file: CandidateFile::like(&args.input).map_err(|error| cannot_run(&error))?,
        limits: containment::limits(&args.containment, args.timeout, report)?,
    })
}

/// How often a command that fails only sometimes is run to see it fail.
pub(crate) const ATTEMPTS: u32 = 50;

/// Settles what to preserve, checks that it makes sense, and returns the oracle that decides it.
fn check(
    args: &Reduce,
    runner: &Runner,
    memory: &Memory,
    jobs: usize,
    cancel: &Cancel,
    report: &mut dyn Report,
) -> Result<(LocalOracle, Baseline, Option<Signature>), CliError> {
    let (input, tape) = (&*memory.input, memory.tape());
    let stated = property::stated(&args.property);
    let limit = stated
        .as_ref()
        .and_then(Property::hang)
        .unwrap_or(runner.limits.timeout);
    let patient = runner.clone().with_timeout(limit);
    // What a property is read off is what the user sees, not the complaint of a command that may not write to its cache.
    let reads = if stated.is_some() {
        patient.clone()
    } else {
        containment::outside(&patient)
    };
    let run = |runner: &Runner| {
        let answer = tape.play(input, || {
            let run = Some(runner.run(input, Capture::Output, cancel)?);
            // What to preserve is read off the run, so nobody can tell yet.
            let verdict = Verdict::Unresolved;
            Ok(Answer { verdict, run })
        });
        let answer = answer.map_err(|error| baseline_error(error.into(), args, runner))?;
        Ok(answer.run.expect("a command was run"))
    };
    let care = if args.flaky { Care::Flaky } else { Care::Usual };
    let mut attempts = if args.flaky { ATTEMPTS } else { 1 };
    let mut first = loop {
        let first = run(&reads)?;
        check_set_up(&first, &runner.command, stated.as_ref())
            .map_err(|error| cannot_run(&error))?;
        attempts -= 1;
        if attempts == 0 || stated.is_some() || deduce(&first).is_some() {
            break first;
        }
    };
    let property = match &stated {
        Some(property) => property.clone(),
        None => deduced(&first, args, runner)?,
    };
    report.note(&format!(
        "preserving: {}",
        property.to_string().replace('\n', "\n            ")
    ));
    if stated.is_none() && runner.limits.sandbox.is_some() {
        first = run(&patient)?;
    }
    let signature = Signature::of(&first);
    let answer = Answer {
        verdict: property.verdict(&first),
        run: Some(first),
    };
    let loosened = match answer.verdict.is_interesting() {
        true => None,
        false => {
            let wanted = (&property, input);
            containment::loosened(&args.containment, &patient, wanted, cancel, report)?
        }
    };
    let mut runner = runner.clone();
    if let Some(loosened) = &loosened {
        runner.limits.sandbox.clone_from(&loosened.limits.sandbox);
    }
    // The runs in which nothing was seen that could be preserved are not counted: the rate would be higher than it is.
    let first = (!args.flaky && loosened.is_none()).then_some(answer);
    let oracle = LocalOracle::new(runner.clone(), property);
    let found = baseline(&tape.over(&oracle), input, first, (care, jobs), cancel)
        .map_err(|error| baseline_error(error, args, &runner))?;
    let oracle = match args.timeout {
        Some(_) => oracle,
        None => oracle.with_pace(found.rate.slowest, time_limit),
    };
    Ok((oracle, found, signature))
}

/// Reads the property off the first run.
fn deduced(first: &Run, args: &Reduce, runner: &Runner) -> Result<Property, CliError> {
    deduce(first).ok_or_else(|| {
        let ended = match first.outcome {
            Outcome::Exited(_) | Outcome::Signalled(_) => "succeeded".to_owned(),
            outcome => outcome.to_string(),
        };
        let advice = containment::advice(first.outcome).unwrap_or(
            "state it with --exit, --stdout, --stderr or --not-stderr; --flaky runs it until it fails; a script that exits with 0 when the candidate is interesting goes with --test",
        );
        let what = format!("the command {ended}, and nothing was said about what to preserve");
        CliError::new(Kind::NotInteresting, what)
            .hint(advice)
            .hints(blindness(runner))
            .hint(repeat(args, runner))
    })
}

fn repeat(args: &Reduce, runner: &Runner) -> String {
    format!("to repeat the run: {}", runner.command.shell(&args.input))
}

/// Says so when the command cannot know which candidate it is run on, which is nearly always a mistake.
pub(crate) fn blindness(runner: &Runner) -> Option<&'static str> {
    (!runner.command.takes_candidate()).then_some(
        "the command does not name the input: {} in it becomes the path of the candidate",
    )
}

fn baseline_error(error: BaselineError, args: &Reduce, runner: &Runner) -> CliError {
    match error {
        BaselineError::NotInteresting { run } => {
            let mut error = CliError::new(Kind::NotInteresting, "the property does not hold on the input");
            if let Some(run) = run {
                error = error
                    .because(format!("the command {}", run.outcome))
                    .hints(containment::advice(run.outcome))
                    .hints(last_words(&run));
            }
            error.hint(repeat(args, runner)).hints(blindness(runner)).hint(
                "a candidate lies alone in a fresh directory: name other files by their absolute paths",
            )
        }
        BaselineError::TooRare { .. } => CliError::new(Kind::Flaky, error.to_string())
            .hint("let the command try several times: sh -c 'for i in $(seq 20); do COMMAND || exit 1; done'")
            .hint(repeat(args, runner)),
        BaselineError::HoldsOnEmpty => CliError::new(Kind::Usage, error.to_string())
            .because("it would hold on anything")
            .hints(blindness(runner))
            .hint("make the property say more: a line of the output, or a test that looks at the candidate"),
        BaselineError::Oracle(OracleError::Cancelled) => {
            CliError::new(Kind::Stopped, "interrupted before the reduction began: nothing was written")
        }
        BaselineError::Oracle(error) => cannot_run(&error),
        error => CliError::new(Kind::CannotRun, error.to_string()),
    }
}

/// What a run printed at last.
pub(crate) fn last_words(run: &Run) -> impl Iterator<Item = String> {
    [
        ("standard error", &run.stderr),
        ("standard output", &run.stdout),
    ]
    .into_iter()
    .filter(|(_, bytes)| !bytes.is_empty())
    .map(|(name, bytes)| format!("its {name} ends with\n{}", last_lines(bytes)))
}

pub(crate) fn last_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(10)..]
        .iter()
        .map(|line| format!("  | {line}\n"))
        .collect()
}

/// Returns the processor time of this process in seconds, without the commands it ran.
pub(crate) fn own_cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    #[expect(clippy::cast_precision_loss, reason = "a few years fit")]
    let seconds = time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
    seconds
}

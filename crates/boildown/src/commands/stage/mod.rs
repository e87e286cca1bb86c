//! `boildown stage`: the first stage of a pipeline that fails, and its input, reduced.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boildown_exec::{
    Access, CandidateFile, CommandLine, RunRequest, Runner, StdinContent, WordPart, fsx,
};
use boildown_oracle::shell::{quote, split};
use boildown_oracle::{Capture, ExitSpec, Expectation, Interrupt, Outcome, Property, Run};

use self::args::StageArgs;
use self::compilers::CompilerCommand;
use self::search::{Blamed, FoundStage, RunStage, Stage, StageEnd, StageInput, StageRun};
use crate::cli::Cli;
use crate::commands::reduce::args::CommandPart;
use crate::commands::reduce::preparation::preserved;
use crate::commands::reduce::run_within;
use crate::contradictions;
use crate::error::{CliError, ExitKind};
use crate::explain::output_hints;
use crate::job::Job;
use crate::property::{PropertyCommands, current_dir};
use crate::report::format::{EscapedPath as _, count};
use crate::report::ui::{Ui, reduction_reporter};
use crate::session::Beginning;
use crate::valid::{InstalledPrograms, TestedCommand};

pub(crate) mod args;
mod compilers;
mod pipeline;
mod search;

/// The file that the stage to blame writes, in the directory of a run. Not `/dev/null`: rustc, for
/// one, renames a file to the name of its output.
const OUTPUT: &str = "stage.out";

/// The most that a stage may write, in bytes.
const LARGEST_OUTPUT: usize = 256 << 20;

/// Finds the first stage that fails as the command does, and reduces its input.
pub(crate) fn run(args: &StageArgs) -> Result<ExitKind, CliError> {
    let beginning = Beginning::new(args.runs.budget.budget())?;
    let input = fs::read(&args.input).map_err(|error| CliError::unreadable(&args.input, error))?;
    let property = &args.runs.property;
    contradictions::check(contradictions::OF_STAGE, args)?;
    let usage = format!("boildown stage {}", args.input.escaped());
    let commands = PropertyCommands::new(property, &args.runs.command, &args.input, &usage)?;
    let stages = stages(args)?;
    let mut reporter = reduction_reporter(&args.runs.printing, Some(Ui::Plain))?;
    let job = Job::new(&args.runs, &commands, &args.input, &beginning);
    let (property, runner) = preserved(job, &input, reporter.as_mut())?;
    let property = of_any_program(&property, &args.input);
    let shown = property.to_string().replace('\n', "\n         ");
    reporter.note(&format!("failure: {shown}"));
    let source = StageInput {
        content: input.into(),
        ending: None,
    };
    let mut runs = StageRuns {
        runner,
        property: &property,
        interrupt: &beginning.interrupt,
        user_dir: current_dir()?,
        input: &args.input,
        runs: 0,
    };
    let blamed = match search::find(&stages, source, &mut runs)? {
        FoundStage::Fails(blamed) => blamed,
        FoundStage::Differs(name, run) => return Err(differs(&name, &run)),
        FoundStage::None => return Err(no_stage(&stages)),
    };
    let passed = stages.iter().position(|stage| stage.name == blamed.name);
    let passed = stages[..passed.unwrap_or(0)].iter();
    let passed: Vec<&str> = passed.map(|stage| stage.name.as_str()).collect();
    let file = match &blamed.input.ending {
        None => args.input.clone(),
        Some(ending) => {
            let file = args.input.with_extension(format!("stage.{ending}"));
            fsx::write_atomic(&file, &blamed.input.content, Access::of(&args.input))
                .map_err(|error| CliError::unwritable(ExitKind::CannotRun, &file, error))?;
            file
        }
    };
    let words = words(&blamed, &file);
    if !passed.is_empty() {
        reporter.note(&format!("passed: {}", passed.join(", ")));
    }
    let passes = blamed.passes.as_ref();
    let passes = passes
        .map(|passes| format!(", passes {passes}"))
        .unwrap_or_default();
    let runs = count(runs.runs, "run");
    reporter.note(&format!("to blame: {}{passes} (after {runs})", blamed.name));
    let line: Vec<String> = words.iter().map(quote).collect();
    reporter.note(&format!("fails in the same way: {}", line.join(" ")));
    drop(reporter);
    if args.no_reduce {
        crate::stdout::write(format!("{}\n", line.join(" ")).as_bytes());
        return Ok(ExitKind::Reduced);
    }
    let mut reduce = Cli::reduction()?;
    reduce.ui = Some(Ui::Plain);
    reduce.input = file;
    reduce.output.clone_from(&args.output);
    reduce.runs = args.runs.clone();
    reduce.runs.command = words;
    // Where the command names no place, another program may name a place by chance.
    reduce.runs.property.loose |= !has_message(&property) && reduce.runs.property.frames.is_none();
    let passes = blamed.passes.as_ref();
    if passes.is_some_and(|passes| passes.contains(',')) {
        // The list is reduced too.
        reduce.parts = vec![CommandPart::Args];
        reduce.units = Some(boildown_reduce::Units::Tokens);
    }
    run_within(reduce, &beginning, None)
}

/// Returns the stages that the options state, or else those of the compiler in the command.
fn stages(args: &StageArgs) -> Result<Vec<Stage>, CliError> {
    if !args.stage.is_empty() {
        return args.stage.iter().map(|text| stated(text)).collect();
    }
    let words = || args.runs.command.iter().map(OsString::as_os_str);
    let tested = TestedCommand::read(words());
    let installed = InstalledPrograms::list(&tested);
    let compiler = CompilerCommand::find(words(), &args.input);
    let stages = compiler.map(|compiler| compiler.stages(&installed));
    let stages = stages.unwrap_or_default();
    if stages.is_empty() {
        let known: Vec<&str> = compilers::names().collect();
        return Err(CliError::usage("the stages of the command are not known")
            .because(format!(
                "it names none of {}, or one that does not read such a file",
                known.join(", ")
            ))
            .hint("state them, from the first to the last: --stage NAME='COMMAND {in} -o {out}'"));
    }
    Ok(stages)
}

/// Reads `NAME=LINE`.
fn stated(text: &str) -> Result<Stage, CliError> {
    let hint = "a stage is NAME=LINE, with {in} for the file to read: \
                --stage 'parse=./parse {in} >{out}'";
    let error = |why: &str| Err(CliError::usage(format!("`--stage {text}`: {why}")).hint(hint));
    let Some((name, line)) = text.split_once('=') else {
        return error("there is no `=`");
    };
    if name.trim().is_empty() || !line.contains("{in}") {
        return error("it has no name, or no {in}");
    }
    let ending = line.split_once("{out.").and_then(|(_, rest)| {
        let (ending, _) = rest.split_once('}')?;
        Some(ending.to_owned())
    });
    let line = match &ending {
        Some(ending) => line.replace(&format!("{{out.{ending}}}"), "{out}"),
        None => line.to_owned(),
    };
    let output = ending.or_else(|| line.contains("{out}").then(|| "out".to_owned()));
    Ok(Stage {
        name: name.trim().to_owned(),
        line,
        output,
        narrower: Vec::new(),
    })
}

/// Returns a property of the failure that does not depend on the program that shows it: where there
/// is a message, a program may end in another way, such as by a signal that its driver reports, and
/// what it reads is not the file that the message names.
fn of_any_program(property: &Property, input: &Path) -> Property {
    let has_message = has_message(property);
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let each = property
        .expectations()
        .iter()
        .map(|expectation| match expectation {
            Expectation::Exit(ExitSpec::Code(1..) | ExitSpec::Signal(_)) if has_message => {
                Expectation::Exit(ExitSpec::Nonzero)
            }
            Expectation::Stderr(pattern) => {
                let message = without_place(pattern.as_str(), &name);
                let message = message.and_then(|message| message.parse().ok());
                Expectation::Stderr(message.unwrap_or_else(|| pattern.clone()))
            }
            other => other.clone(),
        });
    Property::new(each.collect()).expect("it has as many expectations as before")
}

/// Returns an expression for a message without the place in a file with this name before it.
fn without_place<'a>(message: &'a str, name: &str) -> Option<&'a str> {
    const NUMBER: &str = r":\d+";
    let place = message.strip_prefix('^')?;
    let (file, _) = place.split_once(NUMBER)?;
    let mut rest = &place[file.len()..];
    while let Some(after) = rest.strip_prefix(NUMBER) {
        rest = after;
    }
    let is_named = file.replace('\\', "") == name;
    rest.strip_prefix(": ").filter(|_| is_named)
}

/// Returns whether a property is about what is printed.
fn has_message(property: &Property) -> bool {
    let is_message = |it: &_| matches!(it, Expectation::Stdout(_) | Expectation::Stderr(_));
    property.expectations().iter().any(is_message)
}

/// Returns the words of the line that fails, for a command that reads this file.
fn words(blamed: &Blamed, file: &Path) -> Vec<OsString> {
    let line = blamed
        .line
        .replace("{in}", &quote(file))
        .replace("{out}", OUTPUT);
    match is_plain(&line).then(|| split(&line)).flatten() {
        Some(words) => words.into_iter().map(OsString::from).collect(),
        None => vec!["sh".into(), "-c".into(), line.into()],
    }
}

/// Returns whether a line consists of words that need no shell.
fn is_plain(line: &str) -> bool {
    let outside = line.split('\'').step_by(2);
    let mut letters = outside.flat_map(str::chars);
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_of_shell = ["if", "for", "while", "until", "case"].contains(&first);
    let is_assignment = first.contains('=');
    !is_of_shell
        && !is_assignment
        && !letters.any(|letter| "|&;<>()$`\"\\*?[]~#!{}".contains(letter))
}

fn differs(name: &str, run: &Run) -> CliError {
    let what = format!("the stage `{name}` fails, but not as the command does");
    CliError::new(ExitKind::NotInteresting, what)
        .because(format!("it {}", run.outcome))
        .hints(output_hints(run))
        .hint("state the stages with --stage, or what the failure is with --exit or --stderr")
}

fn no_stage(stages: &[Stage]) -> CliError {
    let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
    CliError::new(
        ExitKind::NotInteresting,
        "every stage passes when it is run alone",
    )
    .because(format!("{} were run", names.join(", ")))
    .hint("`boildown reduce` reduces the file with the whole command")
}

/// Runs stages in the directory of the user, each with a directory of its own for what it writes.
struct StageRuns<'a> {
    runner: Runner,
    property: &'a Property,
    interrupt: &'a Interrupt,
    user_dir: PathBuf,
    /// The file under test.
    input: &'a Path,
    /// Runs so far.
    runs: usize,
}

impl StageRuns<'_> {
    /// Runs a line. If it succeeds, standard output is what it has written, if that is needed.
    fn execute(&mut self, line: &str, input: &StageInput, writes: bool) -> Result<Run, CliError> {
        let (file, name) = match &input.ending {
            None => (
                quote(self.input),
                self.input.file_name().map(OsStr::to_owned),
            ),
            Some(ending) => {
                let name = self.input.with_extension(ending);
                (
                    "\"$file\"".to_owned(),
                    name.file_name().map(OsStr::to_owned),
                )
            }
        };
        let line = line.replace("{in}", &file).replace("{out}", "\"$out\"");
        let dir = quote(&self.user_dir);
        let result = match writes {
            true => "[ $code -eq 0 ] && [ -s \"$out\" ] && exec cat \"$out\"",
            false => ":",
        };
        let script = format!(
            "here=$PWD file=$here/${{1##*/}} out=$here/boildown-stage; cd {dir} || exit 126\n\
             {{ {line}\n}} >\"$here/boildown-stdout\"; code=$?\n{result}\n\
             cat \"$here/boildown-stdout\"; exit $code"
        );
        let word = |text: &str| vec![WordPart::Text(OsString::from(text))];
        let words = [
            word("sh"),
            word("-c"),
            word(&script),
            word("sh"),
            vec![WordPart::Path],
        ];
        let cannot_run = CliError::before("the reduction");
        let mut runner = self.runner.clone().with_limits_of(self.property);
        let command = CommandLine::from_parts(words, StdinContent::Nothing);
        runner.command = command.map_err(cannot_run)?;
        (runner.project, runner.executor) = (None, None);
        runner.limits.output_cap = LARGEST_OUTPUT;
        runner.file = CandidateFile::named(name.unwrap_or_default());
        let request = RunRequest {
            candidate: &input.content,
            capture: Capture::Output,
            limits: &runner.limits,
        };
        self.runs += 1;
        let run = runner
            .run_here(&request, self.interrupt)
            .map_err(cannot_run)?;
        match run.stdout.len() < LARGEST_OUTPUT {
            true => Ok(run),
            false => Err(CliError::new(
                ExitKind::CannotRun,
                "a stage wrote more than 256 MiB",
            )),
        }
    }
}

impl RunStage for StageRuns<'_> {
    fn run(&mut self, stage: &StageRun<'_>) -> Result<StageEnd, CliError> {
        let mut run = self.execute(stage.line, stage.input, stage.writes)?;
        let is_success = run.outcome == Outcome::Exited(0);
        if is_success && stage.writes {
            return Ok(StageEnd::Passed(run.stdout.into()));
        }
        if let Some([own, compiler]) = stage.says {
            let text = String::from_utf8_lossy(&run.stderr).replace(own, compiler);
            run.stderr = text.into_bytes();
        }
        Ok(match self.property.verdict(&run).is_interesting() {
            true => StageEnd::Fails,
            false if is_success => StageEnd::Passed(Arc::from([])),
            false => StageEnd::Differs(Box::new(run)),
        })
    }

    fn prints(&mut self, line: &str, input: &StageInput) -> Result<Option<String>, CliError> {
        let run = self.execute(line, input, false)?;
        let is_success = run.outcome == Outcome::Exited(0);
        let text = String::from_utf8_lossy(&run.stdout).trim().to_owned();
        Ok((is_success && !text.is_empty()).then_some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_stage_has_a_name_a_line_and_an_ending() {
        let stage = stated("ir=./cc {in} -o {out.ll}").unwrap();
        assert_eq!(
            (stage.name.as_str(), stage.line.as_str()),
            ("ir", "./cc {in} -o {out}")
        );
        assert_eq!(stage.output.as_deref(), Some("ll"));
        assert_eq!(stated("check=./check {in}").unwrap().output, None);
        for wrong in ["./cc {in}", "cc=./cc a.c", "=./cc {in}"] {
            assert!(stated(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_line_of_words_needs_no_shell() {
        assert!(is_plain("opt-16 -passes='a<b>(c)' in.ll -o /dev/null"));
        assert!(!is_plain("./parse in.c >/dev/null"));
        assert!(!is_plain("a 'b' && c"));
        assert!(!is_plain("! grep -q b a.c"));
        assert!(!is_plain("LANG=C ./parse in.c"));
    }

    #[test]
    fn a_failure_with_a_message_may_end_in_another_way() {
        let of = |flags: &str| {
            let property = Property::from_flags(flags).unwrap();
            of_any_program(&property, Path::new("src/a.c")).flags()
        };
        assert_eq!(of("--exit 70 --stderr bad"), "--exit nonzero --stderr bad");
        let named = r"--exit 1 --stderr '^a\.c:\d+:\d+: error: bad$'";
        assert_eq!(of(named), "--exit nonzero --stderr 'error: bad$'");
        assert_eq!(of("--exit SIGSEGV"), "--exit SIGSEGV");
        assert_eq!(of("--exit 0 --stdout bad"), "--exit 0 --stdout bad");
    }
}

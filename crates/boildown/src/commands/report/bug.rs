//! `boildown report --bug`: a folder with the test case, scripts and a text, and an archive of it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_exec::{CommandLine, Runner, StdinContent, TypedCommand, WordPart, fsx};
use boildown_oracle::{Capture, ExitSpec, Expectation, Interrupt, Outcome, Property, Run};
use boildown_report::{
    BugCommand, BugScripts, BugText, ReductionRecord, ScriptCheck, ScriptPart, grep_pattern,
    interesting, readme, reproduce,
};
use boildown_store::mentioned_variables;
use clap::Parser as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::record::StoredReduction;
use crate::cli::{Cli, Command};
use crate::commands::reduce::args::ReduceArgs;
use crate::error::{CliError, ExitKind};
use crate::habits::{settle, with_command};
use crate::limits;
use crate::property::{PropertyCommands, stated};
use crate::report::format::EscapedPath as _;
use crate::stdout;

/// The largest file of the command that is enclosed, in bytes.
const MAX_ENCLOSED: u64 = 1 << 20;

/// The files of a bug report: paths in its folder, and whether they are executable.
#[derive(Default)]
struct BugFiles {
    files: Vec<(String, Vec<u8>, bool)>,
    /// The paths of the command's files, and their names in the folder.
    enclosed: Vec<(PathBuf, String)>,
    home: Option<String>,
}

/// Writes the folder and the archive of a bug report.
pub(super) fn write(
    stored: &StoredReduction,
    record: &ReductionRecord,
    output: Option<&Path>,
) -> Result<ExitKind, CliError> {
    let default = PathBuf::from(format!("{}.bug", stored.session.result));
    let folder = output.map_or(default, Path::to_owned);
    let mut archive = folder.clone().into_os_string();
    archive.push(".tar.gz");
    let archive = PathBuf::from(archive);
    for path in [&folder, &archive] {
        if path.symlink_metadata().is_ok() {
            let what = format!("{} exists already", path.escaped());
            return Err(CliError::usage(what).hint("name a new folder with --output"));
        }
    }
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let archive = std::path::absolute(&archive).unwrap_or(archive);
    let result = stored.result()?.ok_or_else(|| {
        CliError::usage("the result is no file, so there is no bug report about it")
            .hint("bug reports about folders are not supported")
    })?;
    let args = arguments(stored)?;
    let commands = PropertyCommands::new(&args.property, &args.command, &args.input, "boildown")?;
    let mut files = BugFiles {
        home: std::env::home_dir().and_then(|home| home.to_str().map(str::to_owned)),
        ..BugFiles::default()
    };
    let scripts = scripts(stored, &args, &commands, &mut files)?;
    files.add(&scripts.name, result.clone(), false);
    files.add("interesting.sh", interesting(&scripts).into_bytes(), true);
    files.add("reproduce.sh", reproduce(&scripts).into_bytes(), true);
    let limit = Duration::from_secs(scripts.seconds);
    let run = run_on(&args, &commands.command, &result, limit)?;
    let text = bug_text(&commands, &run, &files);
    let text = files.without_paths(&readme(record, &text));
    files.add("README.md", text.into_bytes(), false);
    files.write(&folder)?;
    files.write_archive(&folder, &archive)?;
    stdout::write(format!("{}\n{}\n", folder.escaped(), archive.escaped()).as_bytes());
    // The commands of the script one after the other, and a moment for itself.
    let runs = 1 + u32::try_from(scripts.extra.len()).unwrap_or(u32::MAX);
    let limit = limit.saturating_mul(runs) + Duration::from_secs(30);
    check(&args, &folder, &result, limit)?;
    Ok(ExitKind::Reduced)
}

/// Returns the arguments of the reduction, in the directory in which it was started.
fn arguments(stored: &StoredReduction) -> Result<ReduceArgs, CliError> {
    let missing = || {
        CliError::usage(
            "the store does not say how the command was run: it is of an earlier version",
        )
        .hint("run the same reduction again: it resumes without a test, and records it")
    };
    let started = &stored.started;
    let words = started["arguments"].as_array().ok_or_else(missing)?;
    let words = words.iter().filter_map(Value::as_str).map(OsString::from);
    let directory = started["directory"].as_str().ok_or_else(missing)?;
    std::env::set_current_dir(directory).map_err(|error| {
        let what = format!("failed to enter {}", Path::new(directory).escaped());
        CliError::new(ExitKind::CannotRun, what).because(error)
    })?;
    let words = std::iter::once("boildown".into()).chain(words);
    let cli = Cli::try_parse_from(with_command(words.collect()));
    let Ok(Cli {
        command: Command::Reduce(mut args),
    }) = cli
    else {
        return Err(missing());
    };
    settle(&mut args)?;
    let unsupported = |what: &str| {
        let what = format!("bug reports about {what} are not supported");
        Err(CliError::usage(what).hint("`boildown report` writes a page about the reduction"))
    };
    if args.reduces_command() || args.split().is_some() {
        return unsupported("lists and commands");
    }
    if started["place"].is_string() {
        return unsupported("inputs that are run in a copy of their project");
    }
    Ok(*args)
}

/// Returns what the scripts are made of. Files of the commands are added to `files`.
fn scripts(
    stored: &StoredReduction,
    args: &ReduceArgs,
    commands: &PropertyCommands,
    files: &mut BugFiles,
) -> Result<BugScripts, CliError> {
    let session = &stored.session;
    let property = Property::from_flags(&session.flags)
        .or_else(|| stated(&args.property))
        .ok_or_else(|| CliError::usage("the property of the run cannot be stated by a script"))?;
    let limit = property.hang().unwrap_or(session.time_limit);
    let mut checks = Vec::new();
    for expectation in property.expectations() {
        checks.push(script_check(expectation)?);
    }
    Ok(BugScripts {
        name: session.input.clone(),
        command: files.command(&commands.command)?,
        checks,
        extra: (commands.extra())
            .map(|(command, succeeds)| Ok((files.command(command)?, succeeds)))
            .collect::<Result<_, CliError>>()?,
        seconds: limit.as_secs() + u64::from(limit.subsec_nanos() > 0),
        property: files.without_home(&property.to_string()),
    })
}

fn script_check(expectation: &Expectation) -> Result<ScriptCheck, CliError> {
    let pattern = |pattern: &str| {
        grep_pattern(pattern).map_err(|error| CliError::failed_to(ExitKind::InvalidUsage, &error))
    };
    Ok(match expectation {
        Expectation::Test => ScriptCheck::Status(0),
        Expectation::Exit(ExitSpec::Code(code)) => ScriptCheck::Status((*code).into()),
        Expectation::Exit(ExitSpec::Nonzero) => ScriptCheck::Fails,
        Expectation::Exit(ExitSpec::AnySignal) => ScriptCheck::Signal,
        Expectation::Exit(ExitSpec::Signal(number)) => ScriptCheck::Status(128 + number),
        Expectation::Stdout(text) => ScriptCheck::Stdout(pattern(text.as_str())?),
        Expectation::Stderr(text) => ScriptCheck::Stderr(pattern(text.as_str())?),
        Expectation::NotStderr(text) => ScriptCheck::NotStderr(pattern(text.as_str())?),
        Expectation::Hangs(_) => ScriptCheck::Hangs,
    })
}

/// Runs a command on the result, once.
fn run_on(
    args: &ReduceArgs,
    command: &CommandLine,
    result: &[u8],
    limit: Duration,
) -> Result<Run, CliError> {
    let runner = limits::runner(
        &args.input,
        command.clone(),
        &args.sandbox,
        Some(limit),
        &mut |_| {},
    )?;
    run_once(&runner, result)
}

fn run_once(runner: &Runner, candidate: &[u8]) -> Result<Run, CliError> {
    let cannot_run = |error| CliError::cannot_run(&error);
    let interrupt = Interrupt::new().map_err(cannot_run)?;
    let run = runner.run(candidate, Capture::Output, &interrupt);
    run.map_err(cannot_run)
}

/// Runs `interesting.sh` on the result and on the empty file.
fn check(args: &ReduceArgs, folder: &Path, result: &[u8], limit: Duration) -> Result<(), CliError> {
    let script = folder.join("interesting.sh");
    let words = ["sh".into(), script.clone().into_os_string(), "{}".into()];
    let command = CommandLine::new(&TypedCommand {
        words: &words,
        input: &args.input,
        user_dir: folder,
        stdin: StdinContent::Nothing,
    });
    let command = command.map_err(|error| CliError::cannot_run(&error))?;
    let not_as_expected = |what: &str, run: &Run| {
        let what = format!("interesting.sh {what}: it {}", run.outcome);
        CliError::new(ExitKind::NotInteresting, what).hint(format!(
            "correct {} by hand before you send it",
            script.escaped()
        ))
    };
    let run = run_on(args, &command, result, limit)?;
    if run.outcome != Outcome::Exited(0) {
        return Err(not_as_expected(
            "does not find the failure on the result",
            &run,
        ));
    }
    let run = run_on(args, &command, b"", limit)?;
    if !result.is_empty() && run.outcome == Outcome::Exited(0) {
        return Err(not_as_expected("finds the failure on an empty file", &run));
    }
    Ok(())
}

fn bug_text(commands: &PropertyCommands, run: &Run, files: &BugFiles) -> BugText {
    let output = match run.stderr.is_empty() {
        true => &run.stdout,
        false => &run.stderr,
    };
    let lines: Vec<&[u8]> = output.split_inclusive(|byte| *byte == b'\n').collect();
    let variables = mentioned_variables(commands.constant_parts()).into_iter();
    BugText {
        outcome: run.outcome.to_string(),
        output: lines[lines.len().saturating_sub(40)..].concat(),
        variables: variables
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect(),
        enclosed: (files.enclosed.iter())
            .map(|(_, name)| name.clone())
            .collect(),
    }
}

impl BugFiles {
    fn add(&mut self, name: &str, content: Vec<u8>, is_executable: bool) {
        self.files.push((name.to_owned(), content, is_executable));
    }

    /// Returns a text with `~` in place of the home directory.
    fn without_home(&self, text: &str) -> String {
        match self.home.as_deref().filter(|home| home.len() > 1) {
            Some(home) => text.replace(home, "~"),
            None => text.to_owned(),
        }
    }

    /// Returns a text with the names of the enclosed files in place of their paths, and without the
    /// home directory.
    fn without_paths(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, name) in &self.enclosed {
            if let Some(path) = path.to_str() {
                text = text.replace(path, name);
            }
        }
        self.without_home(&text)
    }

    fn command(&mut self, command: &CommandLine) -> Result<BugCommand, CliError> {
        let mut words = Vec::new();
        for (number, word) in command.parts().enumerate() {
            let mut parts = Vec::new();
            for part in word {
                parts.extend(self.part(part, number == 0)?);
            }
            words.push(parts);
        }
        Ok(BugCommand {
            words,
            reads_case: command.stdin() == StdinContent::Candidate,
        })
    }

    fn part(&mut self, part: &WordPart, is_program: bool) -> Result<Vec<ScriptPart>, CliError> {
        let text = |text: Option<&str>| {
            text.map(str::to_owned).ok_or_else(|| {
                CliError::usage(
                    "the command has a word that is not UTF-8, which a bug report cannot hold",
                )
            })
        };
        Ok(match part {
            WordPart::Text(word) => self.with_home(&text(word.to_str())?),
            WordPart::Path => vec![ScriptPart::CasePath],
            WordPart::Name(_) => vec![ScriptPart::CaseName],
            WordPart::Items => {
                return Err(CliError::usage("bug reports about lists are not supported"));
            }
            WordPart::Other { path, .. } => match self.enclose(path, is_program) {
                Some(name) => vec![ScriptPart::Enclosed(name)],
                None => self.with_home(&text(path.to_str())?),
            },
        })
    }

    /// Returns a text as parts, without the path of the home directory.
    fn with_home(&self, text: &str) -> Vec<ScriptPart> {
        let Some(home) = self.home.as_deref().filter(|home| home.len() > 1) else {
            return vec![ScriptPart::Text(text.to_owned())];
        };
        let mut parts = Vec::new();
        for (number, between) in text.split(home).enumerate() {
            if number > 0 {
                parts.push(ScriptPart::Home);
            }
            if !between.is_empty() {
                parts.push(ScriptPart::Text(between.to_owned()));
            }
        }
        parts
    }

    /// Adds a file of the command, if it is small, and a script if it is a program. Returns its
    /// name in the folder.
    fn enclose(&mut self, path: &Path, is_program: bool) -> Option<String> {
        if let Some((_, name)) = self.enclosed.iter().find(|(known, _)| known == path) {
            return Some(name.clone());
        }
        let metadata = fs::metadata(path).ok()?;
        if !metadata.is_file() || metadata.len() > MAX_ENCLOSED {
            return None;
        }
        let content = fs::read(path).ok()?;
        if is_program && !content.starts_with(b"#!") {
            return None;
        }
        let names: BTreeSet<&str> = (self.enclosed.iter())
            .map(|(_, name)| name.as_str())
            .collect();
        let base = path.file_name()?.to_str()?;
        let numbered = (1..).map(|number| match number {
            1 => format!("files/{base}"),
            number => format!("files/{number}-{base}"),
        });
        let name = numbered
            .into_iter()
            .find(|name| !names.contains(name.as_str()))?;
        let is_executable = metadata.permissions().mode() & 0o100 != 0;
        self.add(&name, content, is_executable);
        self.enclosed.push((path.to_owned(), name.clone()));
        Some(name)
    }

    fn write(&self, folder: &Path) -> Result<(), CliError> {
        let failed = |path: &Path| {
            let what = format!("failed to write {}", path.escaped());
            move |error| CliError::new(ExitKind::CannotRun, what).because(error)
        };
        for (name, content, is_executable) in &self.files {
            let path = folder.join(name);
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent).map_err(failed(parent))?;
            fsx::write_durable(&path, content)
                .map_err(|error| CliError::failed_to(ExitKind::CannotRun, &error))?;
            let mode = if *is_executable { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).map_err(failed(&path))?;
        }
        Ok(())
    }

    /// Writes the files as an archive in which nothing is said about the user.
    fn write_archive(&self, folder: &Path, archive: &Path) -> Result<(), CliError> {
        let name = folder.file_name().unwrap_or_default();
        let packed = || {
            let encoder = GzEncoder::new(Vec::new(), Compression::default());
            let mut builder = tar::Builder::new(encoder);
            for (file, content, is_executable) in &self.files {
                let mut header = tar::Header::new_gnu();
                header.set_size(content.len() as u64);
                header.set_mode(if *is_executable { 0o755 } else { 0o644 });
                builder.append_data(&mut header, Path::new(name).join(file), content.as_slice())?;
            }
            builder.into_inner()?.finish()
        };
        let bytes = packed().map_err(|error: std::io::Error| {
            CliError::new(ExitKind::CannotRun, "failed to pack the archive").because(error)
        })?;
        fsx::write_durable(archive, &bytes)
            .map_err(|error| CliError::failed_to(ExitKind::CannotRun, &error))
    }
}

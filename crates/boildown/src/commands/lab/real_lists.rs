//! `boildown lab record` and `boildown lab replay`: lists of real reductions.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boildown_document::Language;
use boildown_driver::Budget;
use boildown_exec::spawn::{Limits, Permissions, Sandbox};
use boildown_exec::{CandidateFile, LocalOracle, Runner, Scratch, TestCommand};
use boildown_lab::experiments::Contestant;
use boildown_lab::experiments::replay::{self, ListReplay, ReplayResult, ReplaySetup};
use boildown_lab::recorded_lists::{
    ListKind, ListRecording, ParsedInput, RecordedReduction, RunLimit,
};
use boildown_oracle::shell::quote;
use boildown_oracle::{
    Answer, Expectation, Interrupt, Oracle as _, OracleError, Property, Verdict,
};
use boildown_search::Subset;
use serde::{Deserialize, Serialize};

use super::args::LabArgs;
use super::files::{self, write};
use crate::error::{CliError, ExitKind};
use crate::report::format::EscapedPath as _;
use crate::session::Beginning;
use crate::stdout;

/// The longest time of a test.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A subject, ready to be tested.
struct RecordedSubject {
    name: String,
    input: ParsedInput,
    oracle: LocalOracle,
}

/// What is read of `subject.json`.
#[derive(Deserialize)]
struct SubjectDescription {
    name: String,
    input: String,
}

impl RecordedSubject {
    /// Reads a subject, and tests its input.
    fn open(folder: &Path, interrupt: &Interrupt) -> Result<Self, CliError> {
        let failed = || CliError::usage(format!("failed to use the subject {}", folder.escaped()));
        let read = |path: &Path| {
            fs::read(path).map_err(|error| {
                let path = path.escaped();
                failed().because(format!("{path} cannot be read: {error}"))
            })
        };
        let folder = fs::canonicalize(folder).map_err(|error| failed().because(error))?;
        let description = read(&folder.join("subject.json"))?;
        let SubjectDescription { name, input } =
            serde_json::from_slice(&description).map_err(|error| failed().because(error))?;
        let path = folder.join(input);
        let bytes: Arc<[u8]> = read(&path)?.into();
        let language = Language::detect(&path.to_string_lossy(), &bytes[..bytes.len().min(256)])
            .ok_or_else(|| failed().because("the language of its input is not recognised"))?;
        // Some programs have their own files in /tmp whatever TMPDIR says.
        for writable in [vec![], vec![PathBuf::from("/tmp")]] {
            let permissions = Permissions {
                writable,
                ..Permissions::default()
            };
            let oracle = oracle(&folder, &path, &permissions)?;
            if judge(&oracle, &bytes, interrupt)?.0.is_interesting() {
                let input = ParsedInput::new(&bytes, language);
                return Ok(Self {
                    name,
                    input,
                    oracle,
                });
            }
        }
        let what = format!("test.sh of {name} does not exit with 0 on the input");
        Err(CliError::new(ExitKind::NotInteresting, what)
            .hint("setup.sh of the subject installs what the test needs"))
    }
}

/// Returns the oracle of a subject: `test.sh` exits with 0, with the folder as `SUBJECT_DIR`.
fn oracle(
    folder: &Path,
    input: &Path,
    permissions: &Permissions,
) -> Result<LocalOracle, OracleError> {
    let test = quote(folder.join("test.sh"));
    let line = format!("SUBJECT_DIR={} exec {test} \"$1\"", quote(folder));
    let runner = Runner {
        command: TestCommand::new(line.as_ref(), folder)?.command,
        scratch: Arc::new(Scratch::new(&std::env::temp_dir())?),
        file: CandidateFile::like(input)?,
        project: None,
        limits: Limits {
            timeout: TIMEOUT,
            sandbox: Some(Sandbox::new(permissions)?),
            ..Limits::default()
        },
        extra_tests: Vec::new(),
        executor: None,
    };
    let exits_with_0 = Expectation::Exit("0".parse().expect("0 is an exit code"));
    let property = Property::new(vec![exits_with_0]).expect("there is an expectation");
    Ok(LocalOracle::new(runner, property))
}

/// Runs the test, and returns how long it took.
fn judge(
    oracle: &LocalOracle,
    candidate: &[u8],
    interrupt: &Interrupt,
) -> Result<(Verdict, Duration), CliError> {
    match oracle.judge(candidate, interrupt) {
        Ok(Answer { verdict, run }) => Ok((verdict, run.map_or(Duration::ZERO, |run| run.took))),
        Err(OracleError::Interrupted) => Err(CliError::new(ExitKind::Stopped, "interrupted")),
        Err(error) => Err(error.into()),
    }
}

/// Records the lists of subjects, a file for each.
pub(super) fn record(
    args: &LabArgs,
    subjects: &[PathBuf],
    lists: &[ListKind],
    to: &Path,
    limit: RunLimit,
) -> Result<ExitKind, CliError> {
    let session = Beginning::new(Budget::default())?;
    let algorithm = args.algorithms.first().cloned().unwrap_or_default();
    let kinds = match lists {
        [] => &ListKind::ALL,
        chosen => chosen,
    };
    files::check(std::iter::once(&to.join("recording.jsonl")))?;
    for folder in subjects {
        let RecordedSubject {
            name,
            mut input,
            oracle,
        } = RecordedSubject::open(folder, &session.interrupt)?;
        let (mut recordings, mut figures) = (Vec::new(), String::new());
        for &kind in kinds {
            let judge = |candidate: &[u8]| judge(&oracle, candidate, &session.interrupt);
            let recorded = input.record(&name, kind, &algorithm, limit, judge)?;
            figures += &figures_of(kind, &recorded);
            recordings.extend(recorded.lists);
        }
        write(&to.join(format!("{name}.jsonl")), &json_lines(&recordings))?;
        let tested: usize = recordings.iter().map(ListRecording::tested).sum();
        let lists = recordings.len();
        stdout::write(format!("{name}: {lists} lists, {tested} candidates\n{figures}").as_bytes());
    }
    Ok(ExitKind::Reduced)
}

/// Returns a line about a reduction. `>` marks numbers that a limit has cut off.
fn figures_of(kind: ListKind, reduction: &RecordedReduction) -> String {
    let (before, after) = (reduction.tokens_before, reduction.tokens);
    let seconds = reduction.took.as_secs_f64();
    let speed = match seconds > 0.0 {
        true => format!(", {:.1} tokens/s", (before - after) as f64 / seconds),
        false => String::new(),
    };
    let mark = if reduction.finished { "" } else { "> " };
    let (kind, tests) = (kind.name(), reduction.tests);
    format!(
        "  {kind}: {before} to {after} tokens, {mark}{tests} tests, {mark}{seconds:.1} s{speed}\n"
    )
}

/// Returns values as lines of JSON.
pub(super) fn json_lines<T: Serialize>(values: &[T]) -> String {
    let line = |value| serde_json::to_string(value).expect("names and numbers are JSON");
    values.iter().map(|value| line(value) + "\n").collect()
}

/// What becomes of the verdicts of recordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordedVerdicts {
    /// They are used, and others are added.
    Used,
    /// They are not looked at, and stay as they are.
    Ignored,
}

/// A replay of recordings.
pub(super) struct Replay<'a> {
    pub(super) contestants: Vec<Contestant>,
    pub(super) setup: ReplaySetup,
    pub(super) verdicts: RecordedVerdicts,
    pub(super) recordings: &'a [PathBuf],
    pub(super) subjects: Option<&'a Path>,
}

impl Replay<'_> {
    /// Runs all contestants. What their tests add to a recording is saved, also after an error.
    pub(super) fn run(&self) -> Result<ReplayResult, CliError> {
        let session = Beginning::new(Budget::default())?;
        let mut lists = Vec::new();
        for path in files(self.recordings)? {
            let mut recordings = read(&path)?;
            let tested = |recordings: &[ListRecording]| -> usize {
                recordings.iter().map(ListRecording::tested).sum()
            };
            let before = tested(&recordings);
            if self.verdicts == RecordedVerdicts::Ignored {
                recordings.iter_mut().for_each(ListRecording::forget_tests);
            }
            let replayed = self.replay(&mut recordings, &session.interrupt);
            if self.verdicts == RecordedVerdicts::Used && tested(&recordings) > before {
                write(&path, &json_lines(&recordings))?;
            }
            lists.extend(replayed?);
        }
        Ok(ReplayResult::new(&self.setup, &self.contestants, lists))
    }

    /// Replays the lists of one input.
    fn replay(
        &self,
        recordings: &mut [ListRecording],
        interrupt: &Interrupt,
    ) -> Result<Vec<ListReplay>, CliError> {
        let mut subject = match (self.subjects, recordings.first()) {
            (Some(folder), Some(first)) => Some(RecordedSubject::open(
                &folder.join(&first.input),
                interrupt,
            )?),
            _ => None,
        };
        let mut lists = Vec::new();
        for recording in recordings {
            let (name, number) = (recording.input.clone(), recording.number);
            let list = subject.as_ref().map(|it| it.input.list_of(recording));
            let list = list.transpose().map_err(|error| {
                CliError::failed_to(ExitKind::InvalidUsage, &error)
                    .hint("`boildown lab record` makes a recording of this input")
            })?;
            let ask = |subset: &Subset| match (&mut subject, &list) {
                (Some(RecordedSubject { input, oracle, .. }), Some(list)) => {
                    let mut judge = |candidate: &[u8]| judge(oracle, candidate, interrupt);
                    input.test(list, subset, &mut judge)
                }
                _ => Err(CliError::usage(format!(
                    "list {number} of {name} was never tested on a candidate of an algorithm"
                ))
                .hint("--subjects FOLDER runs the test of the subject on it")),
            };
            let replayed = replay::run(recording, &self.contestants, &self.setup, ask)?;
            lists.push(replayed);
        }
        Ok(lists)
    }
}

/// Returns the files, and those in folders by their names.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let unreadable = |error| CliError::unreadable(path, error);
        let mut found = Vec::new();
        for entry in fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            if file
                .extension()
                .is_some_and(|extension| extension == "jsonl")
            {
                found.push(file);
            }
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

/// Reads the recordings of a file.
fn read(path: &Path) -> Result<Vec<ListRecording>, CliError> {
    let failed = || CliError::usage(format!("failed to read {}", path.escaped()));
    let text = fs::read_to_string(path).map_err(|error| failed().because(error))?;
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().map_err(|error| {
        failed()
            .because(error)
            .hint("`boildown lab record` writes such files")
    })
}

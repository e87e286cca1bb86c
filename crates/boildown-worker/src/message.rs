//! The messages between a client and a worker. `docs/reference/worker.md` describes them.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use boildown_exec::WordPart;
use boildown_oracle::{OracleError, Outcome, Resource, Run};
use serde::{Deserialize, Serialize};

use super::difference::{self, Piece};
use super::frame::{Frame, Malformed, message_and_content};

/// The digest of a content.
pub(crate) type Digest = [u8; 32];

/// A file that a command needs, on the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    /// The absolute path.
    #[serde(with = "path")]
    pub(crate) path: PathBuf,
    /// The permissions.
    pub(crate) mode: u32,
    pub(crate) content: EntryContent,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum EntryContent {
    /// A file with this digest.
    File(Digest),
    /// A symbolic link with this target.
    Link(OsString),
    /// A directory.
    Dir,
}

/// A command, and how it is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandSetup {
    /// The number by which runs refer to it.
    pub(crate) id: u32,
    pub(crate) words: Vec<Vec<SentPart>>,
    /// Whether the candidate is its standard input.
    pub(crate) reads_candidate: bool,
    /// The name of the candidate.
    pub(crate) name: OsString,
    /// The permissions of the candidate.
    pub(crate) mode: u32,
    /// What the sandbox permits; `None` for no sandbox.
    pub(crate) permissions: Option<SentPermissions>,
    pub(crate) limits: WireLimits,
    /// The project that it is run in.
    pub(crate) project: Option<ProjectSetup>,
}

/// A part of a word of a command, as in [`WordPart`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SentPart {
    Text(OsString),
    /// As it was typed, and the absolute path.
    Other(OsString, OsString),
    Path,
    Name(OsString),
    Items,
}

impl From<&WordPart> for SentPart {
    fn from(part: &WordPart) -> Self {
        match part {
            WordPart::Text(text) => Self::Text(text.clone()),
            WordPart::Other { typed, path } => Self::Other(typed.clone(), path.into()),
            WordPart::Path => Self::Path,
            WordPart::Name(name) => Self::Name(name.clone()),
            WordPart::Items => Self::Items,
        }
    }
}

impl From<&SentPart> for WordPart {
    fn from(part: &SentPart) -> Self {
        match part {
            SentPart::Text(text) => Self::Text(text.clone()),
            SentPart::Other(typed, path) => Self::Other {
                typed: typed.clone(),
                path: path.into(),
            },
            SentPart::Path => Self::Path,
            SentPart::Name(name) => Self::Name(name.clone()),
            SentPart::Items => Self::Items,
        }
    }
}

/// What the sandbox of a command permits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SentPermissions {
    /// Absolute paths that it may write to.
    pub(crate) writable: Vec<OsString>,
    pub(crate) no_network: bool,
}

/// The project whose copies a command is run in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProjectSetup {
    /// Its directory.
    #[serde(with = "path")]
    pub(crate) root: PathBuf,
    /// The input, relative to the directory.
    #[serde(with = "path")]
    pub(crate) input: PathBuf,
    /// The working directory of the command, relative to the directory.
    #[serde(with = "path")]
    pub(crate) user_dir: PathBuf,
}

/// The limits of a command, except its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WireLimits {
    pub(crate) grace: Duration,
    pub(crate) output_cap: u64,
    pub(crate) memory: Option<u64>,
    pub(crate) processes: Option<u64>,
    pub(crate) file_size: Option<u64>,
    pub(crate) open_files: Option<u64>,
}

/// What the bytes of a run are.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Body {
    /// The candidate.
    Whole,
    /// The candidate, and later ones are compared with it.
    Base,
    /// What is new in these pieces of the last base.
    Difference(Vec<Piece>),
}

/// One run of a command.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunMessage {
    /// The number by which the answer refers to it.
    pub(crate) id: u64,
    /// The number of the command.
    pub(crate) command: u32,
    /// Whether the output is returned.
    pub(crate) captures: bool,
    pub(crate) timeout: Duration,
    pub(crate) body: Body,
}

/// A message that a worker reads.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ToWorker {
    /// The files that the next command needs.
    Files {
        files: Vec<FileEntry>,
        /// Whether they are copied even if all of them are in their places.
        copies: bool,
    },
    /// The content of one of these files, by its number.
    FileContent(u32),
    Command(Box<CommandSetup>),
    Run(RunMessage),
    /// The run of this number is not needed any more.
    Cancel(u64),
}

/// A message that a client reads.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FromWorker {
    /// The numbers of the files that are not on the worker.
    Missing(Vec<u32>),
    /// The command of this number can be run, and what its sandbox does not protect.
    Accepted(u32, Option<String>),
    /// The command of this number cannot be run, and why.
    Refused(u32, String),
    /// The run of this number ended.
    Ended(u64, RunEnd),
    Heartbeat,
}

/// How a run ended.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum RunEnd {
    /// The bytes are its standard output, of this length, and its standard error.
    Done {
        #[serde(with = "SentOutcome")]
        outcome: Outcome,
        took: Duration,
        stdout: usize,
        stderr: usize,
    },
    Cancelled,
    /// The program could not be started.
    NotStarted {
        program: String,
        advice: String,
        /// The number of the error of the system.
        error: i32,
    },
    Failed(String),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Outcome")]
enum SentOutcome {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    Exceeded(#[serde(with = "SentResource")] Resource),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Resource")]
enum SentResource {
    Memory,
    Processes,
}

/// Paths that need not be UTF-8.
mod path {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(serializer)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(from).map(PathBuf::from)
    }
}

/// Returns the frame that tells how a run ended.
pub(crate) fn ended(id: u64, result: &Result<Run, OracleError>) -> Frame {
    let (end, content) = match result {
        Ok(run) => {
            let end = RunEnd::Done {
                outcome: run.outcome,
                took: run.took,
                stdout: run.stdout.len(),
                stderr: run.stderr.len(),
            };
            (end, [&run.stdout[..], &run.stderr])
        }
        Err(error) => (RunEnd::of_error(error), Default::default()),
    };
    Frame::new(&FromWorker::Ended(id, end), &content)
}

impl RunEnd {
    fn of_error(error: &OracleError) -> Self {
        match error {
            OracleError::Interrupted => Self::Cancelled,
            OracleError::Spawn {
                program,
                advice,
                source,
            } => Self::NotStarted {
                program: program.clone(),
                advice: advice.clone(),
                error: source.raw_os_error().unwrap_or_default(),
            },
            error => Self::Failed(with_causes(error)),
        }
    }

    /// Returns the result of the run.
    ///
    /// # Errors
    /// [`Malformed`] when there are more or fewer bytes than announced.
    pub(crate) fn result(self, content: &[u8]) -> Result<Result<Run, OracleError>, Malformed> {
        Ok(Err(match self {
            Self::Done {
                outcome,
                took,
                stdout,
                stderr,
            } => {
                let (stdout, rest) = content.split_at_checked(stdout).ok_or(Malformed)?;
                return match rest.len() == stderr {
                    true => Ok(Ok(Run {
                        outcome,
                        took,
                        stdout: stdout.to_vec(),
                        stderr: rest.to_vec(),
                    })),
                    false => Err(Malformed),
                };
            }
            Self::Cancelled => OracleError::Interrupted,
            Self::NotStarted {
                program,
                advice,
                error,
            } => OracleError::Spawn {
                program,
                advice,
                source: io::Error::from_raw_os_error(error),
            },
            Self::Failed(why) => OracleError::Elsewhere {
                action: "run a command".to_owned(),
                source: why.into(),
            },
        }))
    }
}

/// Returns the message of an error and of its causes.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Reads what a client sends, and keeps what later candidates are compared with.
#[derive(Debug, Default)]
pub(crate) struct ToWorkerReader {
    base: Vec<u8>,
}

impl ToWorkerReader {
    /// Reads a message, and the content of a file or a candidate.
    ///
    /// # Errors
    /// [`Malformed`] when the payload is not a message.
    pub(crate) fn read(&mut self, payload: &[u8]) -> Result<(ToWorker, Vec<u8>), Malformed> {
        let (message, content) = message_and_content(payload)?;
        let body = match &message {
            ToWorker::Run(run) => &run.body,
            _ => &Body::Whole,
        };
        let content = match body {
            Body::Whole | Body::Base => content.to_vec(),
            Body::Difference(pieces) => difference::apply(&self.base, pieces, content)?,
        };
        if *body == Body::Base {
            self.base.clone_from(&content);
        }
        Ok((message, content))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use proptest::prelude::*;

    use super::super::difference::Base;
    use super::super::frame::message_and_content as read;
    use super::*;

    fn run_message(body: Body) -> ToWorker {
        ToWorker::Run(RunMessage {
            id: 5,
            command: 1,
            captures: true,
            timeout: Duration::MAX,
            body,
        })
    }

    fn result_of(frame: &Frame) -> Result<Run, OracleError> {
        let (FromWorker::Ended(5, end), content) = read(frame.payload()).unwrap() else {
            panic!("a result");
        };
        end.result(content).unwrap()
    }

    #[test]
    fn messages_are_read_as_they_were_written() {
        let odd = || OsString::from_vec(b"/a\xff\n\"".to_vec());
        let entry = |content| FileEntry {
            path: odd().into(),
            mode: 0o755,
            content,
        };
        let setup = CommandSetup {
            id: 7,
            words: vec![
                vec![SentPart::Other("./t.sh".into(), odd())],
                vec![SentPart::Text("-o".into()), SentPart::Path],
                vec![SentPart::Name("in.c".into()), SentPart::Items],
                vec![],
            ],
            reads_candidate: true,
            name: odd(),
            mode: 0o644,
            permissions: Some(SentPermissions {
                writable: vec![odd()],
                no_network: true,
            }),
            limits: WireLimits {
                grace: Duration::from_millis(150),
                output_cap: 1 << 20,
                memory: Some(5),
                processes: None,
                file_size: Some(u64::MAX),
                open_files: None,
            },
            project: Some(ProjectSetup {
                root: "/home/me".into(),
                input: odd().into(),
                user_dir: PathBuf::new(),
            }),
        };
        let files = [
            EntryContent::File([9; 32]),
            EntryContent::Link(odd()),
            EntryContent::Dir,
        ];
        for message in [
            ToWorker::Command(Box::new(setup)),
            ToWorker::Files {
                files: files.map(entry).into(),
                copies: true,
            },
            ToWorker::FileContent(3),
            run_message(Body::Whole),
            ToWorker::Cancel(4),
        ] {
            let frame = Frame::new(&message, &[b"a", b"", b"b"]);
            let read = ToWorkerReader::default().read(frame.payload());
            assert_eq!(read, Ok((message, b"ab".to_vec())));
        }
    }

    #[test]
    fn a_candidate_is_made_from_the_last_base() {
        let base: Vec<u8> = (0..5000u32).flat_map(u32::to_le_bytes).collect();
        let smaller = [&base[..3000], &base[9000..]].concat();
        let compared = Base::new(&base);
        let difference = compared.difference(&smaller);
        let pieces = || Body::Difference(difference.pieces.clone());
        let mut reader = ToWorkerReader::default();
        for (body, content, candidate) in [
            (Body::Base, vec![&base[..]], &base),
            (pieces(), difference.new.clone(), &smaller),
            (Body::Whole, vec![&smaller[..]], &smaller),
            (pieces(), difference.new.clone(), &smaller),
        ] {
            let frame = Frame::new(&run_message(body), &content);
            let (_, read) = reader.read(frame.payload()).unwrap();
            assert!(read == *candidate);
        }
    }

    #[test]
    fn results_are_read_as_they_were_written() {
        for outcome in [
            Outcome::Exited(-3),
            Outcome::Signalled(11),
            Outcome::TimedOut,
            Outcome::Exceeded(Resource::Memory),
            Outcome::Exceeded(Resource::Processes),
        ] {
            let run = Run {
                outcome,
                stdout: b"out".to_vec(),
                stderr: vec![0xff; 3],
                took: Duration::from_micros(1234),
            };
            assert_eq!(result_of(&ended(5, &Ok(run.clone()))).unwrap(), run);
        }
    }

    #[test]
    fn a_candidate_that_cannot_be_executed_is_told_from_other_errors() {
        let error = OracleError::Spawn {
            program: "a.out".to_owned(),
            advice: "it is neither".to_owned(),
            source: io::Error::from_raw_os_error(8),
        };
        let read = result_of(&ended(5, &Err(error))).unwrap_err();
        assert!(boildown_exec::spawn::is_not_executable(&read), "{read}");
    }

    proptest! {
        #[test]
        fn garbage_is_an_error(garbage: Vec<u8>) {
            prop_assert!(ToWorkerReader::default().read(&garbage).is_err());
            prop_assert!(read::<FromWorker>(&garbage).is_err());
        }

        #[test]
        fn a_message_that_is_cut_is_an_error(stdout: Vec<u8>, at: prop::sample::Index) {
            let frame = ended(1, &Ok(Run::ended(Outcome::Exited(1), stdout)));
            let cut = &frame.payload()[..at.index(frame.payload().len())];
            let result = read(cut).and_then(|(message, content)| match message {
                FromWorker::Ended(_, end) => end.result(content),
                _ => Err(Malformed),
            });
            prop_assert!(result.is_err());
        }
    }
}

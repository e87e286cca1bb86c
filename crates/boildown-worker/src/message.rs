//! The messages between a client and a worker. `docs/reference/worker.md` describes them.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_exec::spawn::Permissions;
use boildown_exec::{CandidateFile, CommandLine, StdinContent, WordPart};
use boildown_oracle::{Capture, OracleError, Outcome, Resource, Run};

use super::difference::{self, Difference};
use super::frame::{Decoder, Encoder, Frame, Malformed};

/// The digest of a content.
pub(crate) type Digest = [u8; 32];

/// A file that a command needs, on the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileEntry {
    /// The absolute path.
    pub(crate) path: PathBuf,
    /// The permissions.
    pub(crate) mode: u32,
    pub(crate) content: EntryContent,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryContent {
    /// A file with this digest.
    File(Digest),
    /// A symbolic link with this target.
    Link(OsString),
    /// A directory.
    Dir,
}

/// A command, and how it is run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CommandSetup {
    /// The number by which runs refer to it.
    pub(crate) id: u32,
    pub(crate) command: CommandLine,
    pub(crate) file: CandidateFile,
    /// What the sandbox permits; `None` for no sandbox.
    pub(crate) permissions: Option<Permissions>,
    pub(crate) limits: WireLimits,
    /// The project that it is run in.
    pub(crate) project: Option<ProjectSetup>,
}

/// The project whose copies a command is run in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectSetup {
    /// Its directory.
    pub(crate) root: PathBuf,
    /// The input, relative to the directory.
    pub(crate) input: PathBuf,
    /// The working directory of the command, relative to the directory.
    pub(crate) user_dir: PathBuf,
}

/// The limits of a command, except its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WireLimits {
    pub(crate) grace: Duration,
    pub(crate) output_cap: u64,
    pub(crate) memory: Option<u64>,
    pub(crate) processes: Option<u64>,
    pub(crate) file_size: Option<u64>,
    pub(crate) open_files: Option<u64>,
}

/// The content of a candidate.
#[derive(Debug)]
pub(crate) enum Body<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// All of it, and later ones are compared with it.
    Base(&'a [u8]),
    /// What differs from the last base.
    Difference(&'a Difference<'a>),
}

/// One run of a command.
#[derive(Debug)]
pub(crate) struct RunMessage<'a> {
    /// The number by which the answer refers to it.
    pub(crate) id: u64,
    /// The number of the command.
    pub(crate) command: u32,
    pub(crate) capture: Capture,
    pub(crate) timeout: Duration,
    pub(crate) body: Body<'a>,
}

/// A message that a worker reads.
#[derive(Debug, PartialEq)]
pub(crate) enum ToWorker {
    /// The files that the next command needs.
    Files {
        files: Vec<FileEntry>,
        /// Whether they are copied even if all of them are in their places.
        copies: bool,
    },
    /// The content of one of these files, by its number.
    FileContent(u32, Vec<u8>),
    Command(Box<CommandSetup>),
    Run {
        id: u64,
        command: u32,
        capture: Capture,
        timeout: Duration,
        candidate: Vec<u8>,
    },
    /// Stops a run.
    Cancel(u64),
}

/// A message that a client reads.
#[derive(Debug)]
pub(crate) enum FromWorker {
    /// The numbers of the files whose content is needed.
    Missing(Vec<u32>),
    /// The command of this number can be run; and what its sandbox cannot prevent there.
    Accepted(u32, Option<String>),
    /// The command of this number cannot be run, and why.
    Refused(u32, String),
    /// The result of a run.
    Ended(u64, Result<Run, OracleError>),
    /// Nothing but that the worker is there.
    Heartbeat,
}

mod kind {
    pub(super) const FILES: u8 = 1;
    pub(super) const FILE_CONTENT: u8 = 2;
    pub(super) const COMMAND: u8 = 3;
    pub(super) const RUN: u8 = 4;
    pub(super) const CANCEL: u8 = 5;

    pub(super) const MISSING: u8 = 65;
    pub(super) const ACCEPTED: u8 = 66;
    pub(super) const REFUSED: u8 = 67;
    pub(super) const DONE: u8 = 68;
    pub(super) const FAILED: u8 = 69;
    pub(super) const HEARTBEAT: u8 = 70;
}

pub(crate) fn files(files: &[&FileEntry], copies: bool) -> Frame {
    let entry = |encoder: Encoder, entry: &&FileEntry| {
        let encoder = path(encoder, &entry.path).u32(entry.mode);
        match &entry.content {
            EntryContent::File(digest) => encoder.byte(0).array(digest),
            EntryContent::Link(target) => encoder.byte(1).bytes(target.as_bytes()),
            EntryContent::Dir => encoder.byte(2),
        }
    };
    let encoder = Encoder::new(kind::FILES).byte(u8::from(copies));
    encoder.each(files, entry).finish()
}

pub(crate) fn file_content(number: u32, content: &[u8]) -> Frame {
    let encoder = Encoder::new(kind::FILE_CONTENT).u32(number);
    encoder.bytes(content).finish()
}

pub(crate) fn command(setup: &CommandSetup) -> Frame {
    let part = |encoder: Encoder, part: &WordPart| match part {
        WordPart::Text(text) => encoder.byte(0).bytes(text.as_bytes()),
        WordPart::Other { typed, path: other } => {
            path(encoder.byte(1).bytes(typed.as_bytes()), other)
        }
        WordPart::Path => encoder.byte(2),
        WordPart::Name(name) => encoder.byte(3).bytes(name.as_bytes()),
        WordPart::Items => encoder.byte(4),
    };
    let words: Vec<&[WordPart]> = setup.command.parts().collect();
    let encoder = Encoder::new(kind::COMMAND)
        .u32(setup.id)
        .each(&words, |encoder, word| encoder.each(word, part))
        .byte(match setup.command.stdin() {
            StdinContent::Nothing => 0,
            StdinContent::Candidate => 1,
        })
        .bytes(setup.file.name.as_bytes())
        .u32(setup.file.mode);
    let encoder = encoder.option(setup.permissions.as_ref(), |encoder, permissions| {
        encoder
            .each(&permissions.writable, |encoder, writable| {
                path(encoder, writable)
            })
            .byte(u8::from(permissions.no_network))
    });
    let limits = &setup.limits;
    let optional = [
        limits.memory,
        limits.processes,
        limits.file_size,
        limits.open_files,
    ];
    let encoder = encoder.u64(nanos(limits.grace)).u64(limits.output_cap);
    let encoder = (optional.into_iter()).fold(encoder, |encoder, limit| {
        encoder.option(limit, Encoder::u64)
    });
    let project = |encoder, project: &ProjectSetup| {
        let paths = [&project.root, &project.input, &project.user_dir];
        paths
            .into_iter()
            .fold(encoder, |encoder, one| path(encoder, one))
    };
    encoder.option(setup.project.as_ref(), project).finish()
}

pub(crate) fn run(run: &RunMessage<'_>) -> Frame {
    let encoder = Encoder::new(kind::RUN)
        .u64(run.id)
        .u32(run.command)
        .byte(match run.capture {
            Capture::Nothing => 0,
            Capture::Output => 1,
        })
        .u64(nanos(run.timeout));
    match run.body {
        Body::Whole(content) => encoder.byte(0).bytes(content),
        Body::Base(content) => encoder.byte(1).bytes(content),
        Body::Difference(difference) => difference.encode(encoder.byte(2)),
    }
    .finish()
}

pub(crate) fn cancel(id: u64) -> Frame {
    Encoder::new(kind::CANCEL).u64(id).finish()
}

pub(crate) fn missing(numbers: &[u32]) -> Frame {
    let encoder = Encoder::new(kind::MISSING);
    encoder
        .each(numbers, |encoder, number| encoder.u32(*number))
        .finish()
}

pub(crate) fn accepted(id: u32, gap: Option<&str>) -> Frame {
    let gap = gap.map(str::as_bytes);
    Encoder::new(kind::ACCEPTED)
        .u32(id)
        .option(gap, Encoder::bytes)
        .finish()
}

pub(crate) fn refused(id: u32, why: &str) -> Frame {
    Encoder::new(kind::REFUSED)
        .u32(id)
        .bytes(why.as_bytes())
        .finish()
}

pub(crate) fn heartbeat() -> Frame {
    Encoder::new(kind::HEARTBEAT).finish()
}

pub(crate) fn ended(id: u64, result: &Result<Run, OracleError>) -> Frame {
    match result {
        Ok(run) => {
            let (how, value) = match run.outcome {
                Outcome::Exited(code) => (0, code),
                Outcome::Signalled(signal) => (1, signal),
                Outcome::TimedOut => (2, 0),
                Outcome::Exceeded(Resource::Memory) => (3, 0),
                Outcome::Exceeded(Resource::Processes) => (4, 0),
            };
            Encoder::new(kind::DONE)
                .u64(id)
                .byte(how)
                .array(&value.to_le_bytes())
                .u64(nanos(run.took))
                .bytes(&run.stdout)
                .bytes(&run.stderr)
                .finish()
        }
        Err(error) => {
            let encoder = Encoder::new(kind::FAILED).u64(id);
            match error {
                OracleError::Interrupted => encoder.byte(0),
                OracleError::Spawn {
                    program,
                    advice,
                    source,
                } => {
                    let number = source.raw_os_error().unwrap_or_default();
                    let encoder = encoder.byte(1).bytes(program.as_bytes());
                    encoder
                        .bytes(advice.as_bytes())
                        .array(&number.to_le_bytes())
                }
                error => encoder.byte(2).bytes(with_causes(error).as_bytes()),
            }
            .finish()
        }
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

fn path(encoder: Encoder, path: &Path) -> Encoder {
    encoder.bytes(path.as_os_str().as_bytes())
}

/// Returns a time in nanoseconds; the largest number stands for no limit.
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn read_time(decoder: &mut Decoder<'_>) -> Result<Duration, Malformed> {
    Ok(match decoder.u64()? {
        u64::MAX => Duration::MAX,
        nanos => Duration::from_nanos(nanos),
    })
}

fn read_name(decoder: &mut Decoder<'_>) -> Result<OsString, Malformed> {
    Ok(OsString::from_vec(decoder.bytes()?.to_vec()))
}

fn read_path(decoder: &mut Decoder<'_>) -> Result<PathBuf, Malformed> {
    read_name(decoder).map(PathBuf::from)
}

/// Reads the messages of a client. Remembers the last base of candidates.
#[derive(Debug, Default)]
pub(crate) struct ToWorkerReader {
    base: Vec<u8>,
}

impl ToWorkerReader {
    pub(crate) fn read(&mut self, payload: &[u8]) -> Result<ToWorker, Malformed> {
        let mut decoder = Decoder::new(payload);
        let message = match decoder.byte()? {
            kind::FILES => ToWorker::Files {
                copies: decoder.byte()? != 0,
                files: decoder.each(read_file_entry)?,
            },
            kind::FILE_CONTENT => ToWorker::FileContent(decoder.u32()?, decoder.bytes()?.to_vec()),
            kind::COMMAND => ToWorker::Command(Box::new(read_command(&mut decoder)?)),
            kind::RUN => self.read_run(&mut decoder)?,
            kind::CANCEL => ToWorker::Cancel(decoder.u64()?),
            _ => return Err(Malformed),
        };
        decoder.finish()?;
        Ok(message)
    }

    fn read_run(&mut self, decoder: &mut Decoder<'_>) -> Result<ToWorker, Malformed> {
        Ok(ToWorker::Run {
            id: decoder.u64()?,
            command: decoder.u32()?,
            capture: match decoder.byte()? {
                0 => Capture::Nothing,
                1 => Capture::Output,
                _ => return Err(Malformed),
            },
            timeout: read_time(decoder)?,
            candidate: match decoder.byte()? {
                0 => decoder.bytes()?.to_vec(),
                1 => {
                    self.base = decoder.bytes()?.to_vec();
                    self.base.clone()
                }
                2 => difference::apply(&self.base, decoder)?,
                _ => return Err(Malformed),
            },
        })
    }
}

fn read_file_entry(decoder: &mut Decoder<'_>) -> Result<FileEntry, Malformed> {
    Ok(FileEntry {
        path: read_path(decoder)?,
        mode: decoder.u32()?,
        content: match decoder.byte()? {
            0 => EntryContent::File(decoder.array()?),
            1 => EntryContent::Link(read_name(decoder)?),
            2 => EntryContent::Dir,
            _ => return Err(Malformed),
        },
    })
}

fn read_command(decoder: &mut Decoder<'_>) -> Result<CommandSetup, Malformed> {
    let part = |decoder: &mut Decoder<'_>| {
        Ok(match decoder.byte()? {
            0 => WordPart::Text(read_name(decoder)?),
            1 => WordPart::Other {
                typed: read_name(decoder)?,
                path: read_path(decoder)?,
            },
            2 => WordPart::Path,
            4 => WordPart::Items,
            3 => WordPart::Name(read_name(decoder)?),
            _ => return Err(Malformed),
        })
    };
    let id = decoder.u32()?;
    let words = decoder.each(|decoder| decoder.each(part))?;
    let stdin = match decoder.byte()? {
        0 => StdinContent::Nothing,
        1 => StdinContent::Candidate,
        _ => return Err(Malformed),
    };
    let file = CandidateFile {
        name: read_name(decoder)?,
        mode: decoder.u32()?,
    };
    let permissions = decoder.option(|decoder| {
        Ok(Permissions {
            writable: decoder.each(read_path)?,
            no_network: decoder.byte()? != 0,
        })
    })?;
    let limits = WireLimits {
        grace: read_time(decoder)?,
        output_cap: decoder.u64()?,
        memory: decoder.option(Decoder::u64)?,
        processes: decoder.option(Decoder::u64)?,
        file_size: decoder.option(Decoder::u64)?,
        open_files: decoder.option(Decoder::u64)?,
    };
    let project = decoder.option(|decoder| {
        Ok(ProjectSetup {
            root: read_path(decoder)?,
            input: read_path(decoder)?,
            user_dir: read_path(decoder)?,
        })
    })?;
    Ok(CommandSetup {
        id,
        command: CommandLine::from_parts(words, stdin).map_err(|_| Malformed)?,
        file,
        permissions,
        limits,
        project,
    })
}

impl FromWorker {
    pub(crate) fn read(payload: &[u8]) -> Result<Self, Malformed> {
        let mut decoder = Decoder::new(payload);
        let message = match decoder.byte()? {
            kind::MISSING => Self::Missing(decoder.each(Decoder::u32)?),
            kind::ACCEPTED => Self::Accepted(decoder.u32()?, decoder.option(Decoder::text)?),
            kind::REFUSED => Self::Refused(decoder.u32()?, decoder.text()?),
            kind::DONE => Self::Ended(decoder.u64()?, Ok(read_result(&mut decoder)?)),
            kind::FAILED => Self::Ended(decoder.u64()?, Err(read_error(&mut decoder)?)),
            kind::HEARTBEAT => Self::Heartbeat,
            _ => return Err(Malformed),
        };
        decoder.finish()?;
        Ok(message)
    }
}

fn read_result(decoder: &mut Decoder<'_>) -> Result<Run, Malformed> {
    let how = decoder.byte()?;
    let value = i32::from_le_bytes(decoder.array()?);
    Ok(Run {
        outcome: match how {
            0 => Outcome::Exited(value),
            1 => Outcome::Signalled(value),
            2 => Outcome::TimedOut,
            3 => Outcome::Exceeded(Resource::Memory),
            4 => Outcome::Exceeded(Resource::Processes),
            _ => return Err(Malformed),
        },
        took: read_time(decoder)?,
        stdout: decoder.bytes()?.to_vec(),
        stderr: decoder.bytes()?.to_vec(),
    })
}

fn read_error(decoder: &mut Decoder<'_>) -> Result<OracleError, Malformed> {
    Ok(match decoder.byte()? {
        0 => OracleError::Interrupted,
        1 => OracleError::Spawn {
            program: decoder.text()?,
            advice: decoder.text()?,
            source: io::Error::from_raw_os_error(i32::from_le_bytes(decoder.array()?)),
        },
        2 => OracleError::Elsewhere {
            action: "run a command".to_owned(),
            source: decoder.text()?.into(),
        },
        _ => return Err(Malformed),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::difference::Base;
    use super::*;

    fn round_trip(frame: &Frame) -> ToWorker {
        ToWorkerReader::default().read(frame.payload()).unwrap()
    }

    #[test]
    fn a_command_is_read_as_it_was_written() {
        let words = vec![
            vec![WordPart::Other {
                typed: "./t.sh".into(),
                path: "/home/me/t.sh".into(),
            }],
            vec![WordPart::Text("-o".into()), WordPart::Path],
            vec![WordPart::Name("in.c".into())],
            vec![],
        ];
        let setup = CommandSetup {
            id: 7,
            command: CommandLine::from_parts(words, StdinContent::Candidate).unwrap(),
            file: CandidateFile::named("in.c"),
            permissions: Some(Permissions {
                writable: vec!["/tmp/x".into()],
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
                input: "src/in.c".into(),
                user_dir: PathBuf::new(),
            }),
        };
        let read = round_trip(&command(&setup));
        assert_eq!(read, ToWorker::Command(Box::new(setup)));
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let entry = |path: &str, content| FileEntry {
            path: path.into(),
            mode: 0o755,
            content,
        };
        let written = vec![
            entry("/a", EntryContent::File([9; 32])),
            entry("/b", EntryContent::Link("a".into())),
            entry("/c", EntryContent::Dir),
        ];
        let read = round_trip(&files(&written.iter().collect::<Vec<_>>(), true));
        let copies = true;
        assert_eq!(
            read,
            ToWorker::Files {
                files: written,
                copies
            }
        );
        assert_eq!(
            round_trip(&file_content(3, b"x")),
            ToWorker::FileContent(3, b"x".into())
        );
        assert_eq!(round_trip(&cancel(4)), ToWorker::Cancel(4));
    }

    #[test]
    fn a_candidate_is_made_from_the_last_base() {
        let base: Vec<u8> = (0..5000u32).flat_map(u32::to_le_bytes).collect();
        let smaller = [&base[..3000], &base[9000..]].concat();
        let compared = Base::new(&base);
        let difference = compared.difference(&smaller);
        let bodies = [
            (Body::Base(&base), &base),
            (Body::Difference(&difference), &smaller),
            (Body::Whole(&smaller), &smaller),
            (Body::Difference(&difference), &smaller),
        ];
        let mut reader = ToWorkerReader::default();
        for (id, (body, expected)) in (0..).zip(bodies) {
            let frame = run(&RunMessage {
                id,
                command: 1,
                capture: Capture::Output,
                timeout: Duration::MAX,
                body,
            });
            let read = reader.read(frame.payload()).unwrap();
            let wanted = ToWorker::Run {
                id,
                command: 1,
                capture: Capture::Output,
                timeout: Duration::MAX,
                candidate: expected.clone(),
            };
            assert!(read == wanted, "{id}");
        }
    }

    #[test]
    fn results_are_read_as_they_were_written() {
        let outcomes = [
            Outcome::Exited(-3),
            Outcome::Signalled(11),
            Outcome::TimedOut,
            Outcome::Exceeded(Resource::Memory),
            Outcome::Exceeded(Resource::Processes),
        ];
        for outcome in outcomes {
            let run = Run {
                outcome,
                stdout: b"out".to_vec(),
                stderr: vec![0xff; 3],
                took: Duration::from_micros(1234),
            };
            let frame = ended(5, &Ok(run.clone()));
            let FromWorker::Ended(5, Ok(read)) = FromWorker::read(frame.payload()).unwrap() else {
                panic!("a result");
            };
            assert_eq!(read, run);
        }
    }

    #[test]
    fn a_candidate_that_cannot_be_executed_is_told_from_other_errors() {
        let error = OracleError::Spawn {
            program: "a.out".to_owned(),
            advice: "it is neither".to_owned(),
            source: io::Error::from_raw_os_error(8),
        };
        let frame = ended(5, &Err(error));
        let FromWorker::Ended(5, Err(read)) = FromWorker::read(frame.payload()).unwrap() else {
            panic!("an error");
        };
        assert!(boildown_exec::spawn::is_not_executable(&read), "{read}");
    }

    proptest! {
        #[test]
        fn garbage_is_an_error_or_a_message(kind: u8, garbage: Vec<u8>) {
            let payload = [&[kind % 8][..], &garbage].concat();
            ToWorkerReader::default().read(&payload).ok();
            let payload = [&[64 + kind % 8][..], &garbage].concat();
            FromWorker::read(&payload).ok();
        }

        #[test]
        fn a_message_that_is_cut_is_an_error(stdout: Vec<u8>, at: prop::sample::Index) {
            let run = Run {
                outcome: Outcome::Exited(1),
                stdout,
                stderr: Vec::new(),
                took: Duration::ZERO,
            };
            let frame = ended(1, &Ok(run));
            let cut = at.index(frame.payload().len());
            prop_assert!(FromWorker::read(&frame.payload()[..cut]).is_err());
        }
    }
}

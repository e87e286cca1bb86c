//! The start of a process in a session of its own, by `posix_spawn`.
//!
//! In a session of its own, a process has no controlling terminal: it cannot open `/dev/tty`, put
//! characters into the user's terminal (`TIOCSTI`), or join the process group of boildown.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::sync::LazyLock;

use nix::sched::{CloneFlags, unshare};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, Signal};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, chdir};

use crate::spawn::started_process::StartedProcess;
use crate::spawn::{Inherited, Invocation};
use boildown_oracle::Capture;

/// The files above the standard streams that boildown inherited, for example from `make` or a
/// shell. Files that it opens itself are closed on `exec`.
static INHERITED: LazyLock<Vec<RawFd>> = LazyLock::new(inherited);

fn inherited() -> Vec<RawFd> {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else {
        return Vec::new();
    };
    let open = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    open.filter(|fd| *fd > 2 && survives_exec(*fd)).collect()
}

/// Returns whether an open file is not closed on `exec`, as the system describes it.
fn survives_exec(fd: RawFd) -> bool {
    let flags = |info: &str| {
        let line = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
        i32::from_str_radix(line.trim(), 8).ok()
    };
    fs::read_to_string(format!("/proc/self/fdinfo/{fd}"))
        .is_ok_and(|info| flags(&info).is_some_and(|flags| flags & libc::O_CLOEXEC == 0))
}

/// A thread with a working directory of its own, and what its starts have in common.
pub(in crate::spawn) struct OwnSession {
    attributes: PosixSpawnAttr,
    /// The file for output that is not captured, once opened.
    null: Option<File>,
    /// The actions of the last start, for these files. Adding an action costs two system calls.
    actions: Option<([RawFd; 3], PosixSpawnFileActions)>,
}

impl fmt::Debug for OwnSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnSession")
            .field("null", &self.null)
            .finish_non_exhaustive()
    }
}

impl OwnSession {
    /// Gives the current thread a working directory of its own.
    pub(super) fn of_this_thread() -> io::Result<Self> {
        unshare(CloneFlags::CLONE_FS)?;
        Ok(Self {
            attributes: attributes()?,
            null: None,
            actions: None,
        })
    }

    pub(super) fn launch(
        &mut self,
        invocation: &Invocation,
        variable: &str,
        stdin: &File,
    ) -> io::Result<StartedProcess> {
        let program = text(&invocation.program)?;
        let args = [Ok(program.clone())]
            .into_iter()
            .chain(invocation.args.iter().map(|arg| text(arg)))
            .collect::<io::Result<Vec<_>>>()?;
        let environment = environment(invocation, variable)?;
        let mut process = StartedProcess {
            pid: Pid::INIT,
            stdout: None,
            stderr: None,
            ipc_namespace: None,
        };
        // The ends for writing are closed when the process was started.
        let mut writing = Vec::new();
        let outputs = match invocation.capture {
            Capture::Nothing => [self.null()?; 2],
            Capture::Output => {
                let (stdout, stdout_end) = pipe_with(PipeFlags::CLOEXEC)?;
                let (stderr, stderr_end) = pipe_with(PipeFlags::CLOEXEC)?;
                let ends = [stdout_end.as_raw_fd(), stderr_end.as_raw_fd()];
                (process.stdout, process.stderr) = (Some(stdout), Some(stderr));
                writing.extend([stdout_end, stderr_end]);
                ends
            }
        };
        let streams = [stdin.as_raw_fd(), outputs[0], outputs[1]];
        let actions = match self.actions.take() {
            Some(last) if last.0 == streams => last,
            _ => (streams, actions(streams)?),
        };
        let (_, actions) = self.actions.insert(actions);
        chdir(&invocation.current_dir)?;
        let pid = posix_spawnp(&program, actions, &self.attributes, &args, &environment)?;
        process.pid = Pid::from_raw(pid.as_raw()).ok_or(io::ErrorKind::NotFound)?;
        Ok(process)
    }

    /// Returns the file for output that is not captured.
    fn null(&mut self) -> io::Result<RawFd> {
        let null = match self.null.take() {
            Some(null) => null,
            None => OpenOptions::new()
                .write(true)
                .open("/dev/null")
                // Not an error about the program: see `advice` in `start.rs`.
                .map_err(|error| {
                    io::Error::new(error.kind(), format!("open /dev/null to write: {error}"))
                })?,
        };
        Ok(self.null.insert(null).as_raw_fd())
    }
}

/// Returns the actions that make these files the standard streams of a process.
fn actions(streams: [RawFd; 3]) -> io::Result<PosixSpawnFileActions> {
    let mut actions = PosixSpawnFileActions::init()?;
    for (number, stream) in (0..).zip(streams) {
        actions.add_dup2(stream, number)?;
    }
    for fd in INHERITED.iter() {
        actions.add_close(*fd)?;
    }
    Ok(actions)
}

/// Returns the attributes of a process in a session of its own, with the signals that the standard
/// library gives to a process: none blocked, and the default action of SIGPIPE.
fn attributes() -> io::Result<PosixSpawnAttr> {
    let mut attributes = PosixSpawnAttr::init()?;
    let own_session = PosixSpawnFlags::from_bits_retain(libc::POSIX_SPAWN_SETSID.into());
    let signals = PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK;
    attributes.set_flags(own_session | signals)?;
    attributes.set_sigdefault(&[Signal::SIGPIPE].into_iter().collect())?;
    attributes.set_sigmask(&SigSet::empty())?;
    Ok(attributes)
}

/// Returns the inherited environment with the variables of the run.
fn environment(invocation: &Invocation, variable: &str) -> io::Result<Vec<CString>> {
    let mut variables: BTreeMap<OsString, OsString> = match invocation.inherited {
        Inherited::Everything => env::vars_os().collect(),
        Inherited::Path => env::vars_os().filter(|(name, _)| name == "PATH").collect(),
    };
    variables.insert(variable.into(), "1".into());
    if let Some(tmp) = &invocation.tmp {
        variables.insert("TMPDIR".into(), tmp.into());
    }
    variables.extend(invocation.env.iter().cloned());
    let entry = |(mut entry, value): (OsString, OsString)| {
        entry.push("=");
        entry.push(value);
        Ok(CString::new(entry.into_vec())?)
    };
    variables.into_iter().map(entry).collect()
}

fn text(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

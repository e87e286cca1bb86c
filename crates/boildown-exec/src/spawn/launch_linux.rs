//! The start of a process in a session of its own, by `posix_spawn`.
//!
//! In a session of its own, a process has no controlling terminal: it cannot open `/dev/tty`, put
//! characters into the user's terminal (`TIOCSTI`), or join the process group of boildown.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
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

/// Gives the current thread a working directory of its own.
pub(super) fn separate_working_dir() -> io::Result<()> {
    Ok(unshare(CloneFlags::CLONE_FS)?)
}

pub(super) fn launch(
    invocation: &Invocation,
    variable: &str,
    stdin: &File,
) -> io::Result<StartedProcess> {
    let mut files = PosixSpawnFileActions::init()?;
    files.add_dup2(stdin.as_raw_fd(), 0)?;
    let [stdout, stderr] = [1, 2].map(|stream| OutputEnds::new(invocation.capture, stream));
    let (stdout, stderr) = (stdout?, stderr?);
    for end in [&stdout, &stderr] {
        files.add_dup2(end.writing.as_raw_fd(), end.stream)?;
    }
    for fd in INHERITED.iter() {
        files.add_close(*fd)?;
    }
    let program = text(&invocation.program)?;
    let args = [Ok(program.clone())]
        .into_iter()
        .chain(invocation.args.iter().map(|arg| text(arg)))
        .collect::<io::Result<Vec<_>>>()?;
    let environment = environment(invocation, variable)?;
    chdir(&invocation.current_dir)?;
    let pid = posix_spawnp(&program, &files, &attributes()?, &args, &environment)?;
    Ok(StartedProcess {
        pid: Pid::from_raw(pid.as_raw()).ok_or(io::ErrorKind::NotFound)?,
        stdout: stdout.reading,
        stderr: stderr.reading,
        ipc_namespace: None,
    })
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

/// The ends of an output stream. The one for writing is closed when the process was started.
struct OutputEnds {
    /// The number of the stream in the process.
    stream: RawFd,
    writing: OwnedFd,
    /// `None` when the output is not captured.
    reading: Option<OwnedFd>,
}

impl OutputEnds {
    fn new(capture: Capture, stream: RawFd) -> io::Result<Self> {
        let (writing, reading) = match capture {
            Capture::Nothing => {
                let null = OpenOptions::new().write(true).open("/dev/null");
                // Not an error about the program: see `advice` in `start.rs`.
                let null = null.map_err(|error| {
                    io::Error::new(error.kind(), format!("open /dev/null to write: {error}"))
                })?;
                (null.into(), None)
            }
            Capture::Output => {
                let (reading, writing) = pipe_with(PipeFlags::CLOEXEC)?;
                (writing, Some(reading))
            }
        };
        Ok(Self {
            stream,
            writing,
            reading,
        })
    }
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

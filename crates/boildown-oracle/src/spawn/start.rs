//! Starting a command, and saying what is wrong when that fails.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};
use rustix::io::Errno;
use rustix::process::Pid;

use super::survivors::{self, Claim};
use super::{Capture, Invocation, Limits, Stdin};
use crate::OracleError;

/// How often a program that is being written is tried again, and after what pause. On a busy machine seconds may pass before a process
/// that was just made executes anything.
const TRIES: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(2);

/// More of a first line than any system reads.
const LONGEST_LINE: u64 = 4096;

/// Starts the command in a process group of its own, limited, and marked by the claim.
pub(super) fn start(
    invocation: &Invocation,
    limits: &Limits,
    claim: &Claim,
) -> Result<Child, OracleError> {
    // Nothing here may keep the standard library from `posix_spawn`: no `pre_exec`, no user or group id, no other PATH.
    //
    // That is why the command does not die with us when we are killed: PR_SET_PDEATHSIG has to be set by the child itself, in
    // `pre_exec`, which is unsafe and makes every start a fork; and it would reach neither what the command forks nor, as it
    // watches over the thread that forked, only our own end. The next session kills what is left: `kill_survivors_of`.
    let mut command = Command::new(&invocation.program);
    command
        .args(&invocation.args)
        .current_dir(&invocation.current_dir)
        .process_group(0);
    command
        .env(claim.variable(), "1")
        .envs(invocation.tmp.as_ref().map(|tmp| ("TMPDIR", tmp)))
        .envs(invocation.env.iter().map(|(name, value)| (name, value)));
    match &invocation.stdin {
        Stdin::Null => command.stdin(Stdio::null()),
        Stdin::File(path) => command.stdin(open(path)?),
    };
    match invocation.capture {
        Capture::Nothing => command.stdout(Stdio::null()).stderr(Stdio::null()),
        Capture::Output => command.stdout(Stdio::piped()).stderr(Stdio::piped()),
    };
    let begun = Instant::now();
    let child =
        start_when_ready(&mut command, invocation).map_err(|source| OracleError::Spawn {
            program: invocation.program.display().to_string(),
            advice: advice(invocation, &source),
            source,
        })?;
    let pid = Pid::from_child(&child);
    limits.impose(pid, claim.mark());
    // To look each time is too dear, and needless: in less than this, no program gets far.
    if begun.elapsed() > Duration::from_millis(1) {
        limits.impose_below(pid, claim.mark());
    }
    Ok(child)
}

fn open(path: &Path) -> Result<File, OracleError> {
    File::open(path).map_err(|source| OracleError::Scratch {
        action: "open",
        path: path.to_owned(),
        source,
    })
}

/// Starts the command, waiting while its program is "busy": a process started by another thread holds every file that is
/// being written, a candidate that is a program included, for the instant until it executes. Waits too while a file is missing that is
/// there at the next look: somebody replaces it.
fn start_when_ready(command: &mut Command, invocation: &Invocation) -> io::Result<Child> {
    let mut tries = 0;
    loop {
        match survivors::spawn_direct(command) {
            Err(error) if tries < TRIES && is_passing(&error, invocation) => {
                tries += 1;
                thread::sleep(PAUSE);
            }
            started => return started,
        }
    }
}

fn is_passing(error: &io::Error, invocation: &Invocation) -> bool {
    let is_there = || {
        let program = Path::new(&invocation.program);
        invocation.current_dir.is_dir()
            && Interpreter::of(program).is_some_and(|one| one.is_there(invocation))
    };
    match error.kind() {
        io::ErrorKind::ExecutableFileBusy => true,
        io::ErrorKind::NotFound => is_there(),
        _ => false,
    }
}

/// Returns what is wrong with the command and what to do, as far as its files tell.
fn advice(invocation: &Invocation, error: &io::Error) -> String {
    let program = Path::new(&invocation.program);
    let name = program.display();
    let dir = &invocation.current_dir;
    if !dir.is_dir() {
        return format!("its directory {} does not exist", dir.display());
    }
    let is_path = program.components().nth(1).is_some() || program.is_absolute();
    match error.kind() {
        io::ErrorKind::NotFound if !is_path => {
            format!("there is no such program on the PATH; write ./{name} for a file of the current directory")
        }
        io::ErrorKind::NotFound if program.exists() => match Interpreter::of(program) {
            Some(interpreter) => interpreter.missing(invocation),
            None => "the loader that it was linked for does not exist; is it for another system?".to_owned(),
        },
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied if access(dir, Access::EXEC_OK).is_err() => {
            format!("its directory {} may not be entered", dir.display())
        }
        // Also what a directory of the PATH that may not be searched leads to.
        io::ErrorKind::PermissionDenied if !is_path => {
            "there is no such program on the PATH that you may execute".to_owned()
        }
        io::ErrorKind::PermissionDenied if program.is_dir() => "it is a directory".to_owned(),
        io::ErrorKind::PermissionDenied if access(program, Access::EXEC_OK).is_err() => {
            format!("it may not be executed; try `chmod +x {name}`, and mind file systems mounted noexec")
        }
        io::ErrorKind::PermissionDenied => match Interpreter::of(program) {
            Some(Interpreter { line, .. }) => {
                format!("its first line asks for `{line}`, which may not be executed")
            }
            None => "it may not be executed: its file system may be mounted noexec".to_owned(),
        },
        io::ErrorKind::ExecutableFileBusy => "somebody has it open for writing".to_owned(),
        _ if Errno::from_io_error(error) == Some(Errno::NOEXEC) => {
            "it is neither a program for this machine nor a script; give a script a first line like `#!/bin/sh`".to_owned()
        }
        _ => "the system refused to start another process".to_owned(),
    }
}

/// What the first line of a script asks for.
struct Interpreter {
    /// All of it, for people.
    line: String,
    /// As the system reads it: up to the first space. Not up to a carriage return.
    path: PathBuf,
}

impl Interpreter {
    fn of(script: &Path) -> Option<Self> {
        if !fs::metadata(script).ok()?.is_file() {
            return None;
        }
        let mut line = Vec::new();
        BufReader::new(File::open(script).ok()?.take(LONGEST_LINE))
            .read_until(b'\n', &mut line)
            .ok()?;
        let line = line.strip_prefix(b"#!")?;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let mut words = line.split(|byte| b" \t".contains(byte));
        let path = words.find(|word| !word.is_empty())?;
        Some(Self {
            line: String::from_utf8_lossy(line.trim_ascii()).into_owned(),
            path: OsStr::from_bytes(path).into(),
        })
    }

    fn is_there(&self, invocation: &Invocation) -> bool {
        invocation.current_dir.join(&self.path).exists()
    }

    /// Says what of it does not exist.
    fn missing(&self, invocation: &Invocation) -> String {
        let line = &self.line;
        if self.path.as_os_str().as_bytes().ends_with(b"\r") {
            format!(
                "its first line ends in a carriage return, so it asks for `{line}\\r`, which does not exist; give it Unix line ends"
            )
        } else if self.is_there(invocation) {
            format!(
                "its first line asks for `{line}`, which is there but cannot be started: it may be linked for another system"
            )
        } else {
            format!("its first line asks for `{line}`, which does not exist")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_but_there_at_the_next_look_is_being_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("test.sh");
        let is_passing = |line: &str, dir: &Path| {
            fs::write(&script, line).unwrap();
            let invocation = Invocation {
                program: script.clone().into(),
                args: Vec::new(),
                current_dir: dir.to_owned(),
                stdin: Stdin::Null,
                env: Vec::new(),
                tmp: None,
                capture: Capture::Nothing,
            };
            is_passing(&io::ErrorKind::NotFound.into(), &invocation)
        };
        assert!(is_passing("#! /bin/sh -e\n", folder.path()));
        assert!(is_passing("#!/bin/sh", folder.path()));
        assert!(!is_passing("#!/bin/sh\r\n", folder.path()));
        assert!(!is_passing("#!/bin/missing\n", folder.path()));
        assert!(!is_passing("#!/bin/sh\n", &folder.path().join("missing")));
        assert!(!is_passing("\x7fELF", folder.path()));
    }
}

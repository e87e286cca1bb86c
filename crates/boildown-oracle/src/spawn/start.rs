//! Starting a command, and saying what is wrong when that fails.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::Pid;

use super::survivors::{self, Claim};
use super::{Capture, Invocation, Limits, Stdin};
use crate::OracleError;

/// How often a program that someone has open for writing is tried again, and after what pause.
const BUSY_TRIES: u32 = 50;
const BUSY_PAUSE: Duration = Duration::from_millis(2);

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
    let child = start_when_written(&mut command).map_err(|source| OracleError::Spawn {
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
/// being written, a candidate that is a program included, for the instant until it executes.
fn start_when_written(command: &mut Command) -> io::Result<Child> {
    let mut tries = 0;
    loop {
        match survivors::spawn_direct(command) {
            Err(error)
                if error.kind() == io::ErrorKind::ExecutableFileBusy && tries < BUSY_TRIES =>
            {
                tries += 1;
                thread::sleep(BUSY_PAUSE);
            }
            started => return started,
        }
    }
}

/// Returns what is wrong with the command and what to do, as far as its files tell.
fn advice(invocation: &Invocation, error: &io::Error) -> String {
    let program = Path::new(&invocation.program);
    let name = program.display();
    if !invocation.current_dir.is_dir() {
        return format!(
            "its directory {} does not exist",
            invocation.current_dir.display()
        );
    }
    let is_path = program.components().nth(1).is_some() || program.is_absolute();
    match error.kind() {
        io::ErrorKind::NotFound if !is_path => {
            format!("there is no such program on the PATH; write ./{name} for a file of the current directory")
        }
        io::ErrorKind::NotFound if program.exists() => match interpreter(program) {
            Some(interpreter) => format!("its first line asks for `{interpreter}`, which does not exist"),
            None => "the loader that it was linked for does not exist; is it for another system?".to_owned(),
        },
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        // Also what a directory of the PATH that may not be searched leads to.
        io::ErrorKind::PermissionDenied if !is_path => {
            "there is no such program on the PATH that you may execute".to_owned()
        }
        io::ErrorKind::PermissionDenied if program.is_dir() => "it is a directory".to_owned(),
        io::ErrorKind::PermissionDenied => {
            format!("it may not be executed; try `chmod +x {name}`, and mind file systems mounted noexec")
        }
        _ if Errno::from_io_error(error) == Some(Errno::NOEXEC) => {
            "it is neither a program for this machine nor a script; give a script a first line like `#!/bin/sh`".to_owned()
        }
        _ => "the system refused to start another process".to_owned(),
    }
}

/// Returns what stands after `#!` in the file's first line.
fn interpreter(script: &Path) -> Option<String> {
    if !fs::metadata(script).ok()?.is_file() {
        return None;
    }
    let mut line = Vec::new();
    BufReader::new(File::open(script).ok()?)
        .read_until(b'\n', &mut line)
        .ok()?;
    let interpreter = line.strip_prefix(b"#!")?.trim_ascii();
    Some(String::from_utf8_lossy(interpreter).into_owned())
}

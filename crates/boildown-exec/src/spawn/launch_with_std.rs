//! The start of a process by the standard library, in a process group of its own.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use rustix::process::Pid;

use crate::spawn::started_process::StartedProcess;
use crate::spawn::{Inherited, Invocation};
use boildown_oracle::Capture;

pub(super) fn launch(
    invocation: &Invocation,
    variable: &str,
    stdin: &File,
) -> io::Result<StartedProcess> {
    // The standard library uses `posix_spawn` only without `pre_exec`, a user or group id, or
    // another PATH, so none of them may be used here.
    let mut command = Command::new(&invocation.program);
    if invocation.inherited == Inherited::Path {
        let path = std::env::vars_os().filter(|(name, _)| name == "PATH");
        command.env_clear().envs(path);
    }
    command
        .args(&invocation.args)
        .current_dir(&invocation.current_dir)
        .process_group(0)
        .env(variable, "1")
        .envs(invocation.tmp.as_ref().map(|tmp| ("TMPDIR", tmp)))
        .envs(invocation.env.iter().map(|(name, value)| (name, value)))
        .stdin(stdin.try_clone()?);
    let output = || match invocation.capture {
        Capture::Nothing => Stdio::null(),
        Capture::Output => Stdio::piped(),
    };
    let mut child = command.stdout(output()).stderr(output()).spawn()?;
    Ok(StartedProcess {
        pid: Pid::from_child(&child),
        stdout: child.stdout.take().map(OwnedFd::from),
        stderr: child.stderr.take().map(OwnedFd::from),
        ipc_namespace: None,
    })
}

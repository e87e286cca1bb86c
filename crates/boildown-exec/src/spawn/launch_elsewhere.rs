//! Systems other than Linux: a thread has no working directory of its own.

use std::fs::File;
use std::io;

use crate::spawn::Invocation;
use crate::spawn::started_process::StartedProcess;

pub(super) fn separate_working_dir() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn launch(_: &Invocation, _: &str, _: &File) -> io::Result<StartedProcess> {
    Err(io::ErrorKind::Unsupported.into())
}

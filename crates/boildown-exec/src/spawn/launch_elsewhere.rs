//! Systems other than Linux: a thread has no working directory of its own.

use std::fs::File;
use std::io;

use crate::spawn::Invocation;
use crate::spawn::started_process::StartedProcess;

#[derive(Debug)]
pub(in crate::spawn) enum OwnSession {}

impl OwnSession {
    pub(super) fn of_this_thread() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn launch(
        &mut self,
        _: &Invocation,
        _: &str,
        _: &File,
    ) -> io::Result<StartedProcess> {
        match *self {}
    }
}

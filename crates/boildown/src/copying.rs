//! Copies of the user's files, which may take long: the user is told, and Ctrl-C ends them.

use std::path::Path;

use boildown_oracle::Interrupt;

use crate::options::OutputArgs;
use crate::report::format::EscapedPath as _;
use crate::report::terminal::{LiveLine, StatusOutput};

/// How files of the user are copied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Copying<'a> {
    interrupt: &'a Interrupt,
    printing: &'a OutputArgs,
}

impl<'a> Copying<'a> {
    pub(crate) fn new(interrupt: &'a Interrupt, printing: &'a OutputArgs) -> Self {
        Self {
            interrupt,
            printing,
        }
    }

    /// Calls `copy`, which copies this directory. The user is told when it takes seconds.
    pub(crate) fn show<T>(self, dir: &Path, copy: impl FnOnce(&Interrupt) -> T) -> T {
        // Dropped when the copy has ended, with its line.
        let _status = self.printing.is_text().then(|| {
            let status = StatusOutput::new(LiveLine::OnTerminals);
            status.copying(format!("copying {}", dir.escaped()));
            status
        });
        copy(self.interrupt)
    }
}

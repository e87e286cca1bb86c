//! Events of a preparation, which a reporter shows to the user.

use std::time::Duration;

use boildown_exec::ProjectPlan;
use boildown_oracle::{Property, Run};
use boildown_store::{ResumeStatus, StoreError};

/// What a preparation found or decided.
#[derive(Debug, Clone, Copy)]
pub enum PrepareEvent<'a> {
    /// The command begins to run, once or several times.
    Running {
        /// What it runs on, as a sentence without a subject.
        what: &'static str,
        /// The time limit of each run.
        limit: Duration,
    },
    /// The property that candidates of a reduction have to have.
    Preserving(&'a Property),
    /// Another property that may identify the failure as well as the chosen one.
    Alternative(&'a Property),
    /// The property of candidates that fail, for an isolation.
    Failing(&'a Property),
    /// The property of candidates that pass, for an isolation.
    Passing(&'a Property),
    /// What the system cannot prevent, as the end of a sentence that begins with "the command can".
    SandboxGap(&'static str),
    /// The sandbox was loosened, because the property does not hold inside the strict one.
    Loosened(Loosening),
    /// Candidates are run in a copy of the project instead of alone in a fresh directory.
    Moved {
        /// The project.
        project: &'a ProjectPlan,
        /// Why.
        reason: MoveReason<'a>,
    },
    /// What is known of earlier sessions.
    EarlierSessions {
        /// What was found.
        news: &'a ResumeStatus,
        /// Whether the user asked to start over.
        fresh: bool,
    },
    /// Nothing can be remembered, so that the session cannot be resumed.
    NotRemembered(&'a StoreError),
}

/// A step of loosening the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loosening {
    /// The command may write to the system's directories for temporary files.
    TemporaryFiles,
    /// There is no sandbox.
    NoSandbox,
}

/// Why candidates are run in a copy of the project.
#[derive(Debug, Clone, Copy)]
pub enum MoveReason<'a> {
    /// Alone, the command does something else on the input.
    Differs(&'a Run),
    /// Alone, the property holds on the empty input too.
    HoldsOnEmpty,
    /// An earlier session found that out.
    Resumed,
}

//! The reason for the end of a session.

use boildown_show::StopReason;

/// Why a session ended. The [names](Self::name) are those in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The search finished.
    Finished,
    /// The search finished after it had started again without the verdicts of the store: the next
    /// session cannot rely on them.
    FinishedAnew,
    /// It was stopped before.
    Stopped(StopReason),
    /// A later version of boildown wrote a name that is unknown here.
    Unknown,
}

impl EndReason {
    /// Returns whether the search ran to its end.
    pub const fn has_finished(self) -> bool {
        matches!(self, Self::Finished | Self::FinishedAnew)
    }

    /// Returns the name in files, events and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::FinishedAnew => "finished anew",
            Self::Stopped(reason) => reason.name(),
            Self::Unknown => "unknown",
        }
    }

    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "finished" => Self::Finished,
            "finished anew" => Self::FinishedAnew,
            name => StopReason::named(name).map_or(Self::Unknown, Self::Stopped),
        }
    }
}

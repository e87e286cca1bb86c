//! The reason for the end of a session.

/// Why a session ended. The [names](Self::name) are those in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// The search finished.
    Finished,
    /// The search finished after it had started again without the verdicts of the store: the next
    /// session cannot rely on them.
    FinishedAnew,
    /// The user interrupted it.
    Interrupted,
    /// The limit on tests was reached.
    QueryLimit,
    /// The limit on time was reached.
    TimeLimit,
    /// The result had reached the size that was asked for.
    SmallEnough,
    /// The last tests had removed little, and the user wanted no more of them.
    Plateau,
    /// The latest candidates took a time near the limit on it: whether they have the property was
    /// chance.
    Borderline,
    /// A repeated run showed that the property does not hold on the best result.
    PropertyLost,
    /// The property held neither on the best result nor on the input any more.
    EnvironmentChanged,
    /// A run showed that a verdict of an earlier session or of another run is wrong now.
    VerdictsOutdated,
    /// A later version of boildown wrote a name that is unknown here.
    Unknown,
}

impl EndReason {
    const ALL: [Self; 12] = [
        Self::Finished,
        Self::FinishedAnew,
        Self::Interrupted,
        Self::QueryLimit,
        Self::TimeLimit,
        Self::SmallEnough,
        Self::Plateau,
        Self::Borderline,
        Self::PropertyLost,
        Self::EnvironmentChanged,
        Self::VerdictsOutdated,
        Self::Unknown,
    ];

    /// Returns whether the search ran to its end.
    #[must_use]
    pub const fn has_finished(self) -> bool {
        matches!(self, Self::Finished | Self::FinishedAnew)
    }

    /// Returns the name in files, events and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::FinishedAnew => "finished anew",
            Self::Interrupted => "interrupted",
            Self::QueryLimit => "tests",
            Self::TimeLimit => "time",
            Self::SmallEnough => "small enough",
            Self::Plateau => "plateau",
            Self::Borderline => "borderline",
            Self::PropertyLost => "property lost",
            Self::EnvironmentChanged => "environment changed",
            Self::VerdictsOutdated => "verdicts outdated",
            Self::Unknown => "unknown",
        }
    }

    pub(super) fn from_name(name: &str) -> Self {
        // The name in earlier versions.
        let name = if name == "questions" { "tests" } else { name };
        let named = Self::ALL.into_iter().find(|reason| reason.name() == name);
        named.unwrap_or(Self::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::EndReason;

    #[test]
    fn a_reason_is_read_back_from_its_name() {
        for reason in EndReason::ALL {
            assert_eq!(EndReason::from_name(reason.name()), reason);
        }
        assert_eq!(EndReason::from_name("questions"), EndReason::QueryLimit);
        let later = EndReason::from_name("written by a later version");
        assert_eq!(later, EndReason::Unknown);
    }
}

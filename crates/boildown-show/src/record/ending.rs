//! The end of a search: why it stopped, what it verified, and how failures differed from that of
//! the input.

use serde::de::value::StrDeserializer;
use serde::de::{self, IntoDeserializer as _};
use serde::{Deserialize, Serialize};

use crate::escape::Visible;
use crate::format::count;

/// Why a search stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// The user interrupted it.
    Interrupted,
    /// The limit on the number of tests was reached.
    #[serde(rename = "tests", alias = "questions")]
    QueryLimit,
    /// The time limit was reached.
    #[serde(rename = "time")]
    TimeLimit,
    /// The target size was reached.
    #[serde(rename = "small enough")]
    SmallEnough,
    /// The last tests had removed little.
    Plateau,
    /// The latest candidates took a time near the limit on it.
    Borderline,
    /// The property did not hold again on the best result.
    #[serde(rename = "property lost")]
    PropertyLost,
    /// The property holds neither on the best result nor on the input any more.
    #[serde(rename = "environment changed")]
    EnvironmentChanged,
    /// A stored verdict is wrong now.
    #[serde(rename = "verdicts outdated")]
    VerdictsOutdated,
}

impl StopReason {
    /// Returns the name in files, events and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::QueryLimit => "tests",
            Self::TimeLimit => "time",
            Self::SmallEnough => "small enough",
            Self::Plateau => "plateau",
            Self::Borderline => "borderline",
            Self::PropertyLost => "property lost",
            Self::EnvironmentChanged => "environment changed",
            Self::VerdictsOutdated => "verdicts outdated",
        }
    }

    /// Returns the reason with this name, which may be that of an earlier version.
    pub fn named(name: &str) -> Option<Self> {
        let name: StrDeserializer<'_, de::value::Error> = name.into_deserializer();
        Self::deserialize(name).ok()
    }
}

/// What a search verified of its result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ClaimRecord {
    /// The units of which none can be removed alone: `tokens`, `lines`, `bytes`, `elements` and
    /// others.
    pub units: String,
    /// What limits the claim, in words; null if it holds for every unit, in every run.
    pub restriction: Option<String>,
}

/// A candidate that was refused because of a new error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RefusedRecord {
    /// Its size in bytes.
    pub bytes: u64,
    /// The error.
    pub error: String,
}

/// The step since which a failure has another form than on the input.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChangedFormRecord {
    /// The number of the improvement, from 1.
    pub step: u64,
    /// Improvements in all.
    pub steps: u64,
    /// Bytes after that step.
    pub bytes: u64,
    /// The form before: the crash or errors that the output reports, and how the command ended.
    pub before: String,
    /// The form since.
    pub after: String,
    /// The file with the last result before that step; null if it was not kept.
    pub kept: Option<String>,
}

impl ChangedFormRecord {
    /// Returns the change as lines for people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "the failure changed at step {} of {} ({}); --strict refuses such steps\n  \
             before: {}\n  since:  {}",
            self.step,
            self.steps,
            count(self.bytes, "byte"),
            Visible::line(&self.before),
            Visible::line(&self.after)
        );
        if let Some(kept) = &self.kept {
            text += &format!(
                "\n  the last result before that step: {}",
                Visible::line(kept)
            );
        }
        text
    }
}

/// The last line of a command that ends with an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum FailureEvent {
    /// The command ended with an error.
    Error {
        /// The version of the schema of these events.
        schema: u32,
        /// What failed, and why.
        message: String,
        /// What to do.
        hints: Vec<String>,
        /// The exit code.
        exit_code: u8,
    },
}

//! The end of a search: why it stopped, and what it verified of its result.

use boildown_session::Stopped;
use serde::Serialize;

/// Why a search stopped early.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum StoppedJson {
    /// The user interrupted it.
    Interrupted,
    /// The limit on the number of tests was reached.
    Questions,
    /// The time limit was reached.
    Time,
    /// The target size was reached.
    #[serde(rename = "small enough")]
    SmallEnough,
    /// The last tests had removed little.
    Plateau,
    /// The latest candidates took a time near the limit on it.
    Borderline,
    /// The property did not hold again on the best result.
    #[serde(rename = "property lost")]
    Lost,
    /// The property holds neither on the best result nor on the input any more.
    #[serde(rename = "environment changed")]
    Environment,
    /// A stored verdict is wrong now.
    #[serde(rename = "verdicts outdated")]
    Outdated,
}

impl From<Stopped> for StoppedJson {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Interrupted => Self::Interrupted,
            Stopped::QueryLimit => Self::Questions,
            Stopped::TimeLimit => Self::Time,
            Stopped::SmallEnough => Self::SmallEnough,
            Stopped::Plateau => Self::Plateau,
            Stopped::Borderline => Self::Borderline,
            Stopped::PropertyLost => Self::Lost,
            Stopped::EnvironmentChanged => Self::Environment,
            Stopped::VerdictsOutdated => Self::Outdated,
        }
    }
}

/// What a search verified of its result: that none of its units can be removed alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// The units, such as `tokens`.
    pub(crate) units: &'static str,
    /// The same as a sentence, such as `no single token can be removed`.
    pub(crate) sentence: String,
    /// What limits the claim, such as `except for the parts to keep`.
    pub(crate) restrictions: Vec<&'static str>,
}

impl Claim {
    /// Returns whether the claim holds for every unit, in every run.
    pub(crate) fn is_unrestricted(&self) -> bool {
        self.restrictions.is_empty()
    }

    /// Returns the claim in words.
    pub(crate) fn text(&self) -> String {
        match self.restriction() {
            None => format!("1-minimal: {}", self.sentence),
            Some(restriction) => {
                format!(
                    "1-minimal with restrictions: {} ({restriction})",
                    self.sentence
                )
            }
        }
    }

    fn restriction(&self) -> Option<String> {
        (!self.is_unrestricted()).then(|| self.restrictions.join("; "))
    }
}

/// What a search verified of its result.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ClaimJson {
    /// The units of which none can be removed alone: `tokens`, `lines`, `bytes`, `elements` and
    /// others.
    units: String,
    /// What limits the claim, in words; null if it holds for every unit, in every run.
    restriction: Option<String>,
}

impl From<&Claim> for ClaimJson {
    fn from(claim: &Claim) -> Self {
        Self {
            units: claim.units.to_owned(),
            restriction: claim.restriction(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::json_events::JsonValue as _;

    #[test]
    fn the_reasons_for_stopping_have_their_names() {
        for stopped in [
            Stopped::Interrupted,
            Stopped::QueryLimit,
            Stopped::TimeLimit,
            Stopped::SmallEnough,
            Stopped::Plateau,
            Stopped::Borderline,
            Stopped::PropertyLost,
            Stopped::EnvironmentChanged,
            Stopped::VerdictsOutdated,
        ] {
            let json = StoppedJson::from(stopped).to_json();
            assert_eq!(json, stopped.name());
        }
    }

    #[test]
    fn a_restricted_claim_names_its_restrictions() {
        let mut claim = Claim {
            units: "lines",
            sentence: "no single line can be removed".to_owned(),
            restrictions: Vec::new(),
        };
        assert_eq!(claim.text(), "1-minimal: no single line can be removed");
        claim.restrictions = vec!["a", "b"];
        assert_eq!(
            claim.text(),
            "1-minimal with restrictions: no single line can be removed (a; b)"
        );
        assert_eq!(ClaimJson::from(&claim).to_json()["restriction"], "a; b");
    }
}

//! The claim of a search about its result.

use boildown_show::ClaimRecord;

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

impl From<&Claim> for ClaimRecord {
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
        assert_eq!(ClaimRecord::from(&claim).restriction.unwrap(), "a; b");
    }
}

//! Agreement of the verdicts of a search with the assumptions of delta debugging.

use boildown_search::assumptions::{Agreement, AssumptionCounts};
use serde::{Deserialize, Serialize};

use crate::format::{count, grouped, percent, real};

/// How monotone and unambiguous a property was, as far as the tests of a search say. Candidates
/// made by deletions are compared, those of one reading of the input with each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AssumptionsRecord {
    /// Tests that were compared: those of candidates that were interesting or not.
    pub tests: u64,
    /// Pairs of candidates that were looked at.
    pub pairs: u64,
    /// Whether tests or pairs were left out because there were too many.
    #[serde(rename = "partial")]
    pub is_partial: bool,
    /// Tests of candidates that contain an interesting one. If the property is monotone, all of
    /// them are interesting.
    pub monotony: AgreementRecord,
    /// Tests of intersections of two interesting candidates, neither of which contains the other.
    /// If the property is unambiguous, all of them are interesting.
    pub unambiguity: AgreementRecord,
}

/// Tests whose verdict an assumption predicts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AgreementRecord {
    /// Tests that are interesting if the assumption holds.
    pub predicted: u64,
    /// Those of them that were not.
    pub contradicted: u64,
}

impl AssumptionsRecord {
    /// Returns what the tests say about the property, and what that means to algorithms. `None` if
    /// they say nothing.
    pub fn text(&self) -> Option<String> {
        let monotony = self.monotony.counts().map(|counts| match counts {
            (all, None) => format!(
                "monotone in all {all} of a candidate that contains an interesting one: no \
                 deletion that missed was possible later, so that an algorithm that tries each \
                 once is enough, such as halving, ProbDD or CDD"
            ),
            (all, Some(share)) => format!(
                "not monotone in {share} of {all} of a candidate that contains an interesting one: \
                 deletions that missed were possible later, together with others, so that an \
                 algorithm that tries each once has to be repeated, such as halving, ProbDD or CDD"
            ),
        });
        let unambiguity = self.unambiguity.counts().map(|counts| match counts {
            (all, None) => format!(
                "unambiguous in all {all} of what two interesting candidates have in \
                 common: what can be deleted alone can be deleted together"
            ),
            (all, Some(share)) => format!(
                "ambiguous in {share} of {all} of what two interesting candidates have in \
                 common: the result depends on the order of the tests"
            ),
        });
        let found: Vec<String> = [monotony, unambiguity].into_iter().flatten().collect();
        let found = found.join("; it was ");
        let (tests, pairs) = (count(self.tests, "test"), count(self.pairs, "pair"));
        let and_more = if self.is_partial { " and more" } else { "" };
        (!found.is_empty())
            .then(|| format!("the property was {found} (compared: {tests}, {pairs}{and_more})"))
    }

    /// Returns whether the property is far from monotone, so that a summary mentions it.
    pub fn is_notable(&self) -> bool {
        let monotony = self.monotony;
        monotony.contradicted >= 20 && 2 * monotony.contradicted >= monotony.predicted
    }
}

impl AgreementRecord {
    /// Returns the tests that the assumption predicts, and the number and share of those that
    /// contradict it, if there are any. `None` if it predicts nothing.
    fn counts(self) -> Option<(String, Option<String>)> {
        let (predicted, contradicted) = (self.predicted, self.contradicted);
        let share = percent(real(contradicted), real(predicted));
        let contradicting = format!("{} ({share})", grouped(contradicted));
        let contradicting = (contradicted > 0).then_some(contradicting);
        (predicted > 0).then(|| (count(predicted, "test"), contradicting))
    }
}

impl From<Agreement> for AgreementRecord {
    fn from(agreement: Agreement) -> Self {
        Self {
            predicted: agreement.predicted,
            contradicted: agreement.contradicted,
        }
    }
}

impl From<AssumptionCounts> for AssumptionsRecord {
    fn from(counts: AssumptionCounts) -> Self {
        Self {
            tests: counts.tested,
            pairs: counts.pairs,
            is_partial: counts.is_partial,
            monotony: counts.monotony.into(),
            unambiguity: counts.unambiguity.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assumptions_are_shown_as_far_as_tests_say_something_about_them() {
        let mut record = AssumptionsRecord {
            tests: 1200,
            pairs: 1300,
            ..AssumptionsRecord::default()
        };
        assert_eq!(record.text(), None);
        record.monotony.predicted = 50;
        let shown = record.text().unwrap();
        assert!(
            shown.starts_with("the property was monotone in all 50 tests of"),
            "{shown}"
        );
        assert!(
            shown.ends_with("(compared: 1,200 tests, 1,300 pairs)"),
            "{shown}"
        );
        assert!(!shown.contains("ambiguous") && !record.is_notable());

        record.monotony.contradicted = 40;
        record.unambiguity = AgreementRecord {
            predicted: 3,
            contradicted: 1,
        };
        record.is_partial = true;
        let shown = record.text().unwrap();
        assert!(
            shown.contains("not monotone in 40 (80 %) of 50 tests of"),
            "{shown}"
        );
        assert!(
            shown.contains("it was ambiguous in 1 (33 %) of 3 tests of"),
            "{shown}"
        );
        assert!(shown.ends_with("pairs and more)") && record.is_notable());
    }
}

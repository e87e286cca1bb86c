//! Precision and recall of a grouping against known labels.

use std::collections::BTreeMap;

/// The quality of a grouping, counted over pairs of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairQuality {
    /// Pairs in the same group.
    pub grouped: u64,
    /// Pairs with the same label.
    pub labelled: u64,
    /// Pairs in the same group with the same label.
    pub both: u64,
}

impl PairQuality {
    /// Counts the pairs of inputs, each of which has a group and a label.
    #[must_use]
    pub fn of_inputs<'a>(inputs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
        let mut labels: BTreeMap<&str, u64> = BTreeMap::new();
        let mut both: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for (group, label) in inputs {
            *groups.entry(group).or_default() += 1;
            *labels.entry(label).or_default() += 1;
            *both.entry((group, label)).or_default() += 1;
        }
        Self {
            grouped: groups.into_values().map(pairs).sum(),
            labelled: labels.into_values().map(pairs).sum(),
            both: both.into_values().map(pairs).sum(),
        }
    }

    /// Returns the share of the pairs in the same group that have the same label; 1 if there are
    /// none.
    pub fn precision(&self) -> f64 {
        share(self.both, self.grouped)
    }

    /// Returns the share of the pairs with the same label that are in the same group; 1 if there
    /// are none.
    pub fn recall(&self) -> f64 {
        share(self.both, self.labelled)
    }
}

fn pairs(number: u64) -> u64 {
    number * (number - 1) / 2
}

#[expect(clippy::cast_precision_loss, reason = "a share of counts")]
fn share(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 1.0,
        _ => part as f64 / whole as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_belong_together_are_counted() {
        // Groups {1, 2, 3} and {4, 5}; bugs {1, 2} and {3, 4, 5}.
        let inputs = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "y"), ("b", "y")];
        let quality = PairQuality::of_inputs(inputs);
        assert_eq!(
            quality,
            PairQuality {
                grouped: 4,
                labelled: 4,
                both: 2
            }
        );
        assert!((quality.precision() - 0.5).abs() < f64::EPSILON);
        assert!((quality.recall() - 0.5).abs() < f64::EPSILON);
    }

    #[test]
    fn a_grouping_without_pairs_is_perfectly_precise() {
        let quality = PairQuality::of_inputs([("a", "x"), ("b", "x")]);
        assert!((quality.precision() - 1.0).abs() < f64::EPSILON);
        assert!(quality.recall().abs() < f64::EPSILON);
    }
}

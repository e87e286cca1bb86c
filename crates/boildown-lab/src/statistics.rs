//! Averages, and whether a difference is more than chance.

use statrs::distribution::{ContinuousCDF as _, Normal};

/// Returns the arithmetic mean, or `None` of nothing.
#[must_use]
pub fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// Returns the geometric mean of positive numbers, or `None` when there are none, or one is not positive.
#[must_use]
pub fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    if numbers.iter().any(|number| *number <= 0.0) {
        return None;
    }
    let logarithms: Vec<f64> = numbers.iter().map(|number| number.ln()).collect();
    mean(&logarithms).map(f64::exp)
}

/// Returns the geometric mean of `ours` divided by that of `theirs`: the typical ratio of one to the other.
#[must_use]
pub fn ratio_of_geometric_means(ours: &[f64], theirs: &[f64]) -> Option<f64> {
    Some(geometric_mean(ours)? / geometric_mean(theirs)?)
}

/// What the Wilcoxon signed-rank test says about pairs of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    /// The smaller of the two sums of ranks.
    pub statistic: f64,
    /// The number of pairs that differ.
    pub pairs: usize,
    /// The two-sided p-value: how likely a difference of this kind or a clearer one is when there is none.
    pub p: f64,
}

/// Compares numbers in pairs with the Wilcoxon signed-rank test, two-sided.
///
/// Pairs without a difference are left out. Up to 50 pairs without ties the p-value is exact; else it comes from the normal
/// distribution with the correction for ties and without one for continuity. `None` when no pair differs.
///
/// # Panics
/// When the rows differ in length.
/// # Source
/// F. Wilcoxon, *Individual Comparisons by Ranking Methods*, Biometrics Bulletin 1(6), 1945. Written here because the libraries
/// looked at have the rank-sum test only; checked against `scipy.stats.wilcoxon`.
#[must_use]
pub fn wilcoxon(ours: &[f64], theirs: &[f64]) -> Option<Wilcoxon> {
    assert_eq!(ours.len(), theirs.len(), "numbers come in pairs");
    let mut differences: Vec<f64> = (ours.iter().zip(theirs))
        .map(|(ours, theirs)| ours - theirs)
        .filter(|difference| difference.abs() > 0.0)
        .collect();
    differences.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
    let pairs = differences.len();
    if pairs == 0 {
        return None;
    }
    let (mut positive, mut ties) = (0.0, 0.0);
    let mut before = 0;
    for equal in differences.chunk_by(|one, other| one.abs().total_cmp(&other.abs()).is_eq()) {
        let count = equal.len() as f64;
        let rank = before as f64 + (count + 1.0) / 2.0;
        positive += rank * equal.iter().filter(|difference| **difference > 0.0).count() as f64;
        ties += count * count * count - count;
        before += equal.len();
    }
    let n = pairs as f64;
    let statistic = f64::min(positive, n * (n + 1.0) / 2.0 - positive);
    let p = if pairs <= EXACT && ties < 1.0 {
        exact(pairs, statistic)
    } else {
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
        let z = (statistic - n * (n + 1.0) / 4.0) / variance.sqrt();
        2.0 * Normal::standard().cdf(z)
    };
    Some(Wilcoxon {
        statistic,
        pairs,
        p: p.min(1.0),
    })
}

/// Up to so many pairs the exact distribution is used; its counts are below 2⁵³ then.
const EXACT: usize = 50;

/// Twice the probability that a random set of the ranks `1..=pairs` has a sum of at most `statistic`.
fn exact(pairs: usize, statistic: f64) -> f64 {
    // How many sets of ranks have each sum.
    let mut sets = vec![0.0; pairs * (pairs + 1) / 2 + 1];
    sets[0] = 1.0;
    for rank in 1..=pairs {
        for sum in (rank..sets.len()).rev() {
            sets[sum] += sets[sum - rank];
        }
    }
    let mut all = 0.0;
    let mut as_small = 0.0;
    for (sum, count) in sets.iter().enumerate() {
        all += count;
        if sum as f64 <= statistic {
            as_small += count;
        }
    }
    2.0 * as_small / all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(ours: f64, theirs: f64) {
        assert!(
            (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1e-3),
            "{ours} is not {theirs}"
        );
    }

    #[test]
    fn means() {
        close(mean(&[1.0, 2.0, 6.0]).unwrap(), 3.0);
        close(geometric_mean(&[0.5, 2.0, 8.0]).unwrap(), 2.0);
        close(
            ratio_of_geometric_means(&[1.0, 4.0], &[4.0, 4.0]).unwrap(),
            0.5,
        );
        assert_eq!(mean(&[]), None);
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }

    #[track_caller]
    fn check(differences: &[f64], statistic: f64, p: f64) {
        let zeros = vec![0.0; differences.len()];
        let result = wilcoxon(differences, &zeros).unwrap();
        close(result.statistic, statistic);
        close(result.p, p);
        assert_eq!(
            wilcoxon(&zeros, differences),
            Some(result),
            "which comes first does not matter"
        );
    }

    /// A row without ties that scipy was given too.
    fn row(length: u32) -> Vec<f64> {
        (0..length)
            .map(|i| f64::from((i * 37) % 61) - 25.0 + 0.25)
            .collect()
    }

    #[test]
    fn darwins_maize_and_other_short_rows_are_exact() {
        // The heights of cross- and self-fertilised plants that the test is usually explained with.
        let maize = [
            6., 8., 14., 16., 23., 24., 28., 29., 41., -48., 49., 56., 60., -67., 75.,
        ];
        check(&maize, 24.0, 0.041259765625);
        check(&[1., 2., 3., 4., 5.], 0.0, 0.0625);
        check(&[-1., 2., -3., 4., 5., 6., -7., 8.], 11.0, 0.3828125);
        check(&row(30), 161.0, 0.1459994912147522);
    }

    #[test]
    fn ties_and_long_rows_are_approximated() {
        check(
            &[1., 1., 2., -2., 3., 0., 4., 4., -5., 6.],
            11.5,
            0.19134502330380587,
        );
        check(&row(60), 624.0, 0.03217526217705323);
        let (before, after) = (
            [125., 115., 130., 140., 140., 115., 140., 125., 140., 135.],
            [110., 122., 125., 120., 140., 124., 123., 137., 135., 145.],
        );
        let result = wilcoxon(&before, &after).unwrap();
        assert_eq!(result.pairs, 9);
        close(result.statistic, 18.0);
        close(result.p, 0.5936305914425295);
    }

    #[test]
    fn equal_rows_say_nothing() {
        assert_eq!(wilcoxon(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(wilcoxon(&[], &[]), None);
    }
}

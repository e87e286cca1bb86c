//! Averages, the Wilcoxon signed-rank test for the significance of a difference, bootstrap
//! intervals, and the rank correlation.

use statrs::distribution::{ContinuousCDF as _, Normal};

use crate::rng::SeededRng;

/// Returns the arithmetic mean; `None` when there are no numbers.
#[must_use]
pub fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// Returns the geometric mean; `None` when there are no numbers, or one of them is not positive.
#[must_use]
pub fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    if numbers.iter().any(|number| *number <= 0.0) {
        return None;
    }
    let logarithms: Vec<f64> = numbers.iter().map(|number| number.ln()).collect();
    mean(&logarithms).map(f64::exp)
}

/// Returns the geometric mean of `ours` divided by that of `theirs`; `None` when either has none.
#[must_use]
pub fn ratio_of_geometric_means(ours: &[f64], theirs: &[f64]) -> Option<f64> {
    Some(geometric_mean(ours)? / geometric_mean(theirs)?)
}

/// The result of a Wilcoxon signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WilcoxonResult {
    /// The smaller of the two rank sums: of the positive and of the negative differences.
    pub statistic: f64,
    /// The number of pairs that differ.
    pub pairs: usize,
    /// The two-sided p-value: the probability of a difference at least as large as this one if the
    /// two samples do not differ.
    pub p: f64,
}

/// Compares numbers in pairs with the Wilcoxon signed-rank test, two-sided.
///
/// Pairs without a difference are ignored; `None` when no pair differs. With at most 50 pairs and
/// no ties the p-value is exact. Otherwise it comes from the normal distribution, with the
/// correction for ties and without the one for continuity.
///
/// # Panics
/// When the samples differ in length.
/// # Source
/// F. Wilcoxon, *Individual Comparisons by Ranking Methods*, Biometrics Bulletin 1(6), 1945.
/// Implemented here because the libraries that were considered have only the rank-sum test. The
/// tests compare with `scipy.stats.wilcoxon`.
#[must_use]
pub fn wilcoxon(ours: &[f64], theirs: &[f64]) -> Option<WilcoxonResult> {
    assert_eq!(
        ours.len(),
        theirs.len(),
        "both samples have one number for each pair"
    );
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
    let p = if pairs <= MAX_EXACT_PAIRS && ties < 1.0 {
        exact_p_value(pairs, statistic)
    } else {
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
        let z = (statistic - n * (n + 1.0) / 4.0) / variance.sqrt();
        2.0 * Normal::standard().cdf(z)
    };
    Some(WilcoxonResult {
        statistic,
        pairs,
        p: p.min(1.0),
    })
}

/// Largest number of pairs for which the exact distribution is used. All counts of subsets are then
/// below 2⁵³, so that floating point represents them exactly.
const MAX_EXACT_PAIRS: usize = 50;

/// Returns twice the probability that a random subset of the ranks `1..=pairs` has a sum of at most
/// `statistic`.
fn exact_p_value(pairs: usize, statistic: f64) -> f64 {
    // subsets[s]: the number of subsets of the ranks so far whose sum is s.
    let mut subsets = vec![0.0; pairs * (pairs + 1) / 2 + 1];
    subsets[0] = 1.0;
    for rank in 1..=pairs {
        for sum in (rank..subsets.len()).rev() {
            subsets[sum] += subsets[sum - rank];
        }
    }
    let mut all = 0.0;
    let mut at_most = 0.0;
    for (sum, count) in subsets.iter().enumerate() {
        all += count;
        if sum as f64 <= statistic {
            at_most += count;
        }
    }
    2.0 * at_most / all
}

/// A range of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The smallest number.
    pub low: f64,
    /// The largest number.
    pub high: f64,
}

/// Number of bootstrap samples.
const SAMPLES: usize = 10_000;

/// Returns a 95 % interval of the ratio of the geometric means of numbers in pairs: the middle
/// 95 % of the ratios of 10,000 samples of the pairs, with replacement. `None` with fewer than two
/// pairs, or when a number is not positive.
///
/// # Panics
/// When the samples differ in length.
/// # Source
/// B. Efron, *Bootstrap Methods: Another Look at the Jackknife*, Annals of Statistics 7(1), 1979;
/// the percentile interval.
#[must_use]
pub fn bootstrap_ratio(ours: &[f64], theirs: &[f64], seed: u64) -> Option<Interval> {
    assert_eq!(
        ours.len(),
        theirs.len(),
        "both samples have one number for each pair"
    );
    if ours.len() < 2 || ours.iter().chain(theirs).any(|number| *number <= 0.0) {
        return None;
    }
    let pairs = ours.iter().zip(theirs);
    let logarithms: Vec<f64> = pairs.map(|(ours, theirs)| (ours / theirs).ln()).collect();
    let Interval { low, high } = bootstrap_runs(&[&logarithms], seed, mean)?;
    Some(Interval {
        low: low.exp(),
        high: high.exp(),
    })
}

/// Returns a 95 % interval of an average of cases that were run several times, each of which counts
/// by the mean of its runs: the middle 95 % of the averages of 10,000 samples, which draw as many
/// runs of each case as it has, with replacement. `None` if no case has two runs, or there is no
/// average.
///
/// # Source
/// As [`bootstrap_ratio`], stratified by case.
#[must_use]
pub fn bootstrap_runs(
    cases: &[&[f64]],
    seed: u64,
    average: impl Fn(&[f64]) -> Option<f64>,
) -> Option<Interval> {
    if cases.iter().all(|runs| runs.len() < 2) {
        return None;
    }
    let mut rng = SeededRng::new(seed, 0);
    let mut sample = || {
        let means = cases.iter().map(|runs| {
            let drawn = (0..runs.len()).map(|_| runs[rng.below(runs.len())]);
            drawn.sum::<f64>() / runs.len() as f64
        });
        average(&means.collect::<Vec<_>>())
    };
    let mut averages = (0..SAMPLES)
        .map(|_| sample())
        .collect::<Option<Vec<f64>>>()?;
    averages.sort_by(f64::total_cmp);
    Some(Interval {
        low: averages[SAMPLES / 40],
        high: averages[SAMPLES - 1 - SAMPLES / 40],
    })
}

/// Returns the smallest number, the quartiles, and the largest number. Between two numbers, a
/// quartile is interpolated. `None` when there are no numbers.
#[must_use]
pub fn quartiles(numbers: &[f64]) -> Option<[f64; 5]> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some([0, 1, 2, 3, 4].map(|quarters| {
        let place = quarters * last;
        let (below, above) = (sorted[place / 4], sorted[place.div_ceil(4)]);
        // Two infinite numbers have no difference.
        match below < above {
            true => below + (above - below) * (place % 4) as f64 / 4.0,
            false => below,
        }
    }))
}

/// A rank correlation, and its significance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankCorrelation {
    /// Spearman's correlation coefficient, from −1 to 1.
    pub rho: f64,
    /// The two-sided p-value: the probability of a correlation at least as far from 0 if the two
    /// numbers of each pair are independent.
    pub p: f64,
}

/// Returns Spearman's rank correlation of pairs of numbers within strata: the mean of the
/// correlations of the strata, each counted as often as it has pairs, less one.
///
/// Equal numbers share the mean of their ranks. A stratum in which one of the two numbers is always
/// the same is left out; `None` when all are. The p-value comes from the normal distribution: the
/// correlation of n pairs has the variance 1/(n − 1).
///
/// # Source
/// C. Spearman, *The Proof and Measurement of Association between Two Things*, American Journal of
/// Psychology 15(1), 1904.
#[must_use]
pub fn stratified_spearman(
    strata: impl IntoIterator<Item = Vec<(f64, f64)>>,
) -> Option<RankCorrelation> {
    let (mut sum, mut weight) = (0.0, 0.0);
    for pairs in strata {
        if let Some(rho) = spearman(&pairs) {
            sum += (pairs.len() - 1) as f64 * rho;
            weight += (pairs.len() - 1) as f64;
        }
    }
    (weight > 0.0).then(|| RankCorrelation {
        rho: sum / weight,
        p: (2.0 * Normal::standard().cdf(-f64::abs(sum) / weight.sqrt())).min(1.0),
    })
}

/// Returns the correlation of the ranks, if neither number is always the same.
fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let first = ranks(pairs.iter().map(|pair| pair.0));
    let second = ranks(pairs.iter().map(|pair| pair.1));
    let middle = (pairs.len() as f64 + 1.0) / 2.0;
    let (mut both, mut one, mut other) = (0.0, 0.0, 0.0);
    for (first, second) in first.iter().zip(&second) {
        let (first, second) = (first - middle, second - middle);
        both += first * second;
        one += first * first;
        other += second * second;
    }
    (one > 0.0 && other > 0.0).then(|| both / (one * other).sqrt())
}

/// Returns the ranks of numbers, from 1. Equal numbers share the mean of their ranks.
fn ranks(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let numbers: Vec<f64> = numbers.collect();
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&one, &other| numbers[one].total_cmp(&numbers[other]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&one, &other| numbers[one].total_cmp(&numbers[other]).is_eq()) {
        let rank = before as f64 + (equal.len() as f64 + 1.0) / 2.0;
        for &index in equal {
            ranks[index] = rank;
        }
        before += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_close(actual: f64, expected: f64) {
        assert!(
            (actual - expected).abs() <= 1e-9 * expected.abs().max(1e-3),
            "{actual} differs from {expected}"
        );
    }

    #[test]
    fn means_of_several_numbers_and_of_none() {
        assert_close(mean(&[1.0, 2.0, 6.0]).unwrap(), 3.0);
        assert_close(geometric_mean(&[0.5, 2.0, 8.0]).unwrap(), 2.0);
        assert_close(
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
        assert_close(result.statistic, statistic);
        assert_close(result.p, p);
        assert_eq!(
            wilcoxon(&zeros, differences),
            Some(result),
            "the order of the samples does not matter"
        );
    }

    /// Returns differences without ties; scipy was run on the same ones.
    fn differences_without_ties(length: u32) -> Vec<f64> {
        (0..length)
            .map(|i| f64::from((i * 37) % 61) - 25.0 + 0.25)
            .collect()
    }

    #[test]
    fn darwins_maize_and_other_small_samples_are_exact() {
        // The heights of cross- and self-fertilised plants, the usual example for this test.
        let maize = [
            6., 8., 14., 16., 23., 24., 28., 29., 41., -48., 49., 56., 60., -67., 75.,
        ];
        check(&maize, 24.0, 0.041259765625);
        check(&[1., 2., 3., 4., 5.], 0.0, 0.0625);
        check(&[-1., 2., -3., 4., 5., 6., -7., 8.], 11.0, 0.3828125);
        check(&differences_without_ties(30), 161.0, 0.1459994912147522);
    }

    #[test]
    fn ties_and_large_samples_are_approximated() {
        check(
            &[1., 1., 2., -2., 3., 0., 4., 4., -5., 6.],
            11.5,
            0.19134502330380587,
        );
        check(&differences_without_ties(60), 624.0, 0.03217526217705323);
        let (before, after) = (
            [125., 115., 130., 140., 140., 115., 140., 125., 140., 135.],
            [110., 122., 125., 120., 140., 124., 123., 137., 135., 145.],
        );
        let result = wilcoxon(&before, &after).unwrap();
        assert_eq!(result.pairs, 9);
        assert_close(result.statistic, 18.0);
        assert_close(result.p, 0.5936305914425295);
    }

    #[test]
    fn rank_correlations_of_small_samples() {
        let rho = |pairs: &[(f64, f64)]| stratified_spearman([pairs.to_vec()]).unwrap();
        // The usual example: intelligence quotients, and hours of television a week.
        let quotients = [106., 86., 100., 101., 99., 103., 97., 113., 112., 110.];
        let hours = [7., 0., 27., 50., 28., 29., 20., 12., 6., 17.];
        let pairs: Vec<(f64, f64)> = quotients.into_iter().zip(hours).collect();
        assert_close(rho(&pairs).rho, -29.0 / 165.0);
        assert!((rho(&pairs).p - 0.598).abs() < 0.001);
        // With ties, by the correlation of mean ranks.
        let weights = [1., 2., 2., 3., 5., 8., 8., 9.];
        let removed = [0., 0., 1., 0., 1., 1., 1., 1.];
        let tied: Vec<(f64, f64)> = weights.into_iter().zip(removed).collect();
        assert_close(rho(&tied).rho, 0.684_319_138_214_641_3);
        let both = stratified_spearman([pairs, tied]).unwrap();
        assert_close(
            both.rho,
            (-9.0 * 29.0 / 165.0 + 7.0 * 0.684_319_138_214_641_3) / 16.0,
        );
        assert_eq!(stratified_spearman([vec![(1.0, 2.0), (1.0, 3.0)]]), None);
    }

    #[test]
    fn bootstrap_intervals_hold_the_ratio_and_shrink_with_more_pairs() {
        let theirs = vec![100.0; 40];
        let ours: Vec<f64> = (0..40).map(|i| 60.0 + f64::from(i)).collect();
        let ratio = ratio_of_geometric_means(&ours, &theirs).unwrap();
        let of = |pairs: &[usize]| {
            let ours: Vec<f64> = pairs.iter().map(|&pair| ours[pair]).collect();
            bootstrap_ratio(&ours, &theirs[..pairs.len()], 1).unwrap()
        };
        let all = of(&(0..40).collect::<Vec<_>>());
        let few = of(&[0, 13, 26, 39]);
        assert!(all.low < ratio && ratio < all.high, "{all:?}");
        assert!(all.high - all.low < few.high - few.low, "{few:?}");
        // The standard error of the mean of the logarithms is about 0.023: 1.96 of them.
        assert!((all.high / all.low).ln().abs() < 0.11, "{all:?}");
        assert_eq!(
            bootstrap_ratio(&[3.0, 4.0], &[3.0, 4.0], 1),
            Some(Interval {
                low: 1.0,
                high: 1.0
            })
        );
        assert_eq!(bootstrap_ratio(&[3.0], &[4.0], 1), None);
        assert_eq!(bootstrap_ratio(&[3.0, 0.0], &[4.0, 1.0], 1), None);
    }

    #[test]
    fn quartiles_are_interpolated_also_beside_infinity() {
        let infinity = f64::INFINITY;
        let of = |numbers: &[f64]| quartiles(numbers);
        assert_eq!(of(&[4.0, 1.0, 2.0]), Some([1.0, 1.5, 2.0, 3.0, 4.0]));
        let open = of(&[4.0, 1.0, 2.0, infinity]);
        assert_eq!(open, Some([1.0, 1.75, 3.0, infinity, infinity]));
        assert_eq!(of(&[infinity; 2]), Some([infinity; 5]));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn equal_samples_have_no_result() {
        assert_eq!(wilcoxon(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(wilcoxon(&[], &[]), None);
    }
}

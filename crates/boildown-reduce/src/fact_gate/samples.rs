//! Samples of the candidates that the gate skips: how rare they are, and when it opens.

use std::collections::{BTreeMap, BTreeSet};

use boildown_search::Verdict;

use crate::facts::Sampling;

/// One in this many of the candidates to be skipped is let through; at the beginning more, because
/// of a small input there are few, and later fewer.
const SAMPLE: usize = 32;

/// The same for what is left of a text in which forms are not compared. A property that needs no
/// module, such as one that looks for a word, shows itself by one sample: from there on the best
/// one is no module either.
const SAMPLE_OF_SHORT: usize = 4;

/// When no sample has hit after `SAMPLE` candidates that were skipped, or this many of a short
/// text, hardly any more are taken: two fifths of the tests of a script were samples.
const ENOUGH_OF_SHORT: usize = 2 * SAMPLE;

/// Pairs of a number of samples, and the number of which one has to be interesting: the gate opens
/// when any of them holds.
const ENOUGH_TO_OPEN: [(u32, u32); 2] = [(4, 2), (8, 4)];

/// What is known about candidates that were to be skipped for one reason.
#[derive(Debug, Clone, Default)]
pub(crate) struct SkippedCandidates {
    /// How many there were.
    rejected: usize,
    /// The same for what is left of a short text.
    rejected_of_short: usize,
    pub(crate) samples: u32,
    pub(crate) hits: u32,
}

impl SkippedCandidates {
    /// Returns whether such candidates are no longer skipped. Of what is left of a short text there
    /// are few samples.
    pub(crate) fn is_open(&self, sampling: Sampling, is_short: bool) -> bool {
        match sampling {
            Sampling::Usual | Sampling::Strict => {
                (ENOUGH_TO_OPEN.iter()).any(|&(samples, part)| {
                    self.samples >= samples && part * self.hits >= self.samples
                })
            }
            Sampling::Rare => {
                let enough = if is_short { 2 } else { 4 };
                self.samples >= enough && 2 * self.hits >= self.samples
            }
            Sampling::Often => self.hits > 1 && 4 * self.hits >= self.samples,
        }
    }

    /// Counts a candidate, and returns whether it is let through as a sample. `is_short` says that
    /// it is what is left of a text so short that forms are not compared.
    pub(crate) fn is_sampled(&mut self, sampling: Sampling, is_short: bool) -> bool {
        match sampling {
            Sampling::Rare => {
                self.rejected += 1;
                matches!(self.rejected, 2 | 4 | 8 | 16 | 256 | 4096)
            }
            Sampling::Often => {
                self.rejected += 1;
                match self.rejected {
                    ..=8 => true,
                    9..=64 => self.rejected.is_multiple_of(8),
                    _ => self.rejected.is_multiple_of(SAMPLE),
                }
            }
            Sampling::Strict if !is_short && self.hits == 0 && self.samples > 0 => {
                // The second, eighth, 32nd and so on.
                self.rejected += 1;
                let number = self.rejected;
                number.is_power_of_two() && !number.trailing_zeros().is_multiple_of(2)
            }
            Sampling::Usual | Sampling::Strict => {
                let (rejected, part, enough) = if is_short {
                    (
                        &mut self.rejected_of_short,
                        SAMPLE_OF_SHORT,
                        ENOUGH_OF_SHORT,
                    )
                } else {
                    (&mut self.rejected, SAMPLE, SAMPLE)
                };
                let is_hopeless = self.hits == 0 && *rejected >= enough;
                is_sampled(rejected, part, is_hopeless)
            }
        }
    }
}

/// Counts a candidate that is to be skipped, and returns whether it is let through as a sample: one
/// in `part`, and some of the first ones. Where others would be in vain, only every one that
/// doubles the count is.
fn is_sampled(rejected: &mut usize, part: usize, is_hopeless: bool) -> bool {
    *rejected += 1;
    let is_early = (2..SAMPLE).contains(rejected) && rejected.is_power_of_two();
    match is_hopeless {
        true => rejected.is_power_of_two(),
        false => is_early || *rejected % part == part / 2,
    }
}

/// What candidates lacked that were not interesting. Most of it is required, such as an attribute
/// of each operation of some name.
#[derive(Debug, Clone, Default)]
pub(super) struct LearnedNeeds {
    /// How often each of them was missed, since it was not.
    misses: BTreeMap<u64, u32>,
}

/// The number of misses after which a need stays. The first may have been about the property.
const MISSES_OF_NEED: u32 = 2;

impl LearnedNeeds {
    /// Takes the verdict on a candidate that has fewer of some needs. Of several, it is not known
    /// which one was missed.
    pub(super) fn tell(&mut self, lacking: &BTreeSet<u64>, verdict: Verdict) {
        for &need in lacking {
            if verdict.is_interesting() {
                self.misses.remove(&need);
            } else if lacking.len() == 1 {
                *self.misses.entry(need).or_insert(0) += 1;
            }
        }
    }

    /// Returns whether one of these was missed often.
    pub(super) fn has_any_of(&self, lacking: &BTreeSet<u64>) -> bool {
        let is_missed = |need: &u64| self.misses.get(need) >= Some(&MISSES_OF_NEED);
        lacking.iter().any(is_missed)
    }
}

/// Returns the needs of which there are fewer than before.
pub(super) fn lacking(left: &BTreeMap<u64, usize>, before: &BTreeMap<u64, usize>) -> BTreeSet<u64> {
    let count = |need| left.get(need).copied().unwrap_or(0);
    let fewer = before.iter().filter(|&(need, all)| count(need) < *all);
    fewer.map(|(&need, _)| need).collect()
}

//! Samples of the candidates that the gate skips: how rare they are, and when it opens.

use std::collections::{BTreeMap, BTreeSet};

use boildown_search::Verdict;

/// One in this many of the candidates to be skipped is let through; at the beginning more, because
/// of a small input there are few, and later fewer.
const SAMPLE: usize = 32;

/// The same for what is left of a short text of LLVM IR. A property that needs no module, such as
/// one that looks for a word, shows itself by one sample: from there on the best one is no module
/// either.
const SAMPLE_OF_SHORT: usize = 4;

/// When no sample has hit after `SAMPLE` candidates that were skipped, or this many of a short text
/// of LLVM IR, hardly any more are taken: two fifths of the tests of a script were samples.
const ENOUGH_OF_SHORT: usize = 2 * SAMPLE;

/// Pairs of a number of samples, and the number of which one has to be interesting: the gate opens
/// when any of them holds.
const ENOUGH_TO_OPEN: [(u32, u32); 2] = [(4, 2), (8, 4)];

/// What is known about candidates that were to be skipped for one reason.
#[derive(Debug, Clone, Default)]
pub(super) struct SkippedCandidates {
    /// How many there were.
    rejected: usize,
    /// The same for what is left of a short text of LLVM IR.
    rejected_of_short: usize,
    pub(super) samples: u32,
    pub(super) hits: u32,
}

impl SkippedCandidates {
    /// Returns whether such candidates are no longer skipped.
    pub(super) fn is_open(&self) -> bool {
        (ENOUGH_TO_OPEN.iter())
            .any(|&(samples, part)| self.samples >= samples && part * self.hits >= self.samples)
    }

    /// The same, if only samples that are interesting as often as not say so.
    /// Of a short text there are few, and two are enough.
    pub(super) fn is_mostly_hit(&self, is_short: bool) -> bool {
        let enough = if is_short { 2 } else { 4 };
        self.samples >= enough && 2 * self.hits >= self.samples
    }

    /// Counts a candidate, and returns whether it is one of the many samples that show whether a
    /// tool reads names at all, as a compiler does and a formatter does not: the first eight, then
    /// one in eight, later one in 32.
    pub(super) fn is_often_sampled(&mut self) -> bool {
        self.rejected += 1;
        match self.rejected {
            ..=8 => true,
            9..=64 => self.rejected.is_multiple_of(8),
            _ => self.rejected.is_multiple_of(SAMPLE),
        }
    }

    /// The same as `is_open`, if two interesting samples, one in four, say so.
    pub(super) fn is_sometimes_hit(&self) -> bool {
        self.hits > 1 && 4 * self.hits >= self.samples
    }

    /// Counts a candidate, and returns whether it is one of the few samples that show that a
    /// property needs no module: the second, fourth, eighth, 16th, 256th and 4096th.
    pub(super) fn is_rarely_sampled(&mut self) -> bool {
        self.rejected += 1;
        matches!(self.rejected, 2 | 4 | 8 | 16 | 256 | 4096)
    }

    /// Counts a candidate, and returns whether it is let through as a sample. Where the tools of a
    /// format are strict, samples become rare after the first one that misses.
    pub(super) fn is_sampled(&mut self, is_short: bool, is_strict: bool) -> bool {
        let (rejected, part, enough) = match is_short {
            true => (
                &mut self.rejected_of_short,
                SAMPLE_OF_SHORT,
                ENOUGH_OF_SHORT,
            ),
            false => (&mut self.rejected, SAMPLE, SAMPLE),
        };
        if is_strict && !is_short && self.hits == 0 && self.samples > 0 {
            // The second, eighth, 32nd and so on.
            *rejected += 1;
            return rejected.is_power_of_two() && !rejected.trailing_zeros().is_multiple_of(2);
        }
        let is_hopeless = self.hits == 0 && *rejected >= enough;
        is_sampled(rejected, part, is_hopeless)
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

/// Attributes without which candidates were not interesting. Most of them are required, of each
/// operation of that name.
#[derive(Debug, Clone, Default)]
pub(super) struct MissedAttributes {
    /// How often each of them was missed, since it was not.
    misses: BTreeMap<u64, u32>,
}

/// The number of misses after which an attribute stays. The first may have been about the property.
const MISSES_OF_ATTRIBUTE: u32 = 2;

impl MissedAttributes {
    /// Takes the verdict on a candidate that lacks some attributes. Of several, it is not known
    /// which one was missed.
    pub(super) fn tell(&mut self, lacking: &BTreeSet<u64>, verdict: Verdict) {
        for &attribute in lacking {
            if verdict.is_interesting() {
                self.misses.remove(&attribute);
            } else if lacking.len() == 1 {
                *self.misses.entry(attribute).or_insert(0) += 1;
            }
        }
    }

    /// Returns whether one of these attributes was missed often.
    pub(super) fn has_any_of(&self, lacking: &BTreeSet<u64>) -> bool {
        let is_missed = |attribute: &u64| self.misses.get(attribute) >= Some(&MISSES_OF_ATTRIBUTE);
        lacking.iter().any(is_missed)
    }
}

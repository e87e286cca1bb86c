//! At which step each byte of the input went.

use std::ops::Range;

use crate::difference::{Fates, STAYS};
use crate::format::{real, whole};
use crate::model::{ReductionRecord, StepRecord};

/// The largest input whose bytes are followed, in bytes.
const MAX_INPUT: usize = 8 << 20;

/// The number of texts that are compared.
const MAX_TEXTS: usize = 120;

/// The classes of the colours for what went, from early to late.
pub(super) const CLASSES: [&str; 5] = ["w0", "w1", "w2", "w3", "w4"];

/// The fates of the bytes of the input, by the steps whose texts are stored.
#[derive(Debug)]
pub(super) struct InputFates<'a> {
    pub(super) input: &'a [u8],
    fates: Fates,
    /// The steps that were compared, in order; a fate is a position in this list.
    pub(super) steps: Vec<&'a StepRecord>,
    tests: u64,
}

impl<'a> InputFates<'a> {
    /// Returns `None` when the input is not stored, or too large.
    pub(super) fn of(record: &'a ReductionRecord) -> Option<Self> {
        let input = record.first().text.as_deref()?;
        if input.len() > MAX_INPUT {
            return None;
        }
        let stored: Vec<&StepRecord> = record
            .steps
            .iter()
            .filter(|step| step.text.is_some())
            .collect();
        let steps = sampled(&stored, MAX_TEXTS);
        let mut fates = Fates::of(input);
        for (number, step) in (0..).zip(&steps).skip(1) {
            if let Some(text) = &step.text {
                fates.step(number, text);
            }
        }
        Some(Self {
            input,
            fates,
            steps,
            tests: record.tests(),
        })
    }

    /// Returns the runs of bytes with the same fate, in order.
    pub(super) fn runs(&self) -> Vec<(Range<usize>, Option<&'a StepRecord>)> {
        let mut runs: Vec<(Range<usize>, u32)> = Vec::new();
        for (byte, &fate) in self.fates.gone().iter().enumerate() {
            match runs.last_mut() {
                Some((bytes, last)) if *last == fate => bytes.end = byte + 1,
                _ => runs.push((byte..byte + 1, fate)),
            }
        }
        let step = |fate: u32| {
            self.steps
                .get(fate as usize)
                .copied()
                .filter(|_| fate != STAYS)
        };
        runs.into_iter()
            .map(|(bytes, fate)| (bytes, step(fate)))
            .collect()
    }

    /// Returns the number of these bytes that are left, and the step at which half of the others
    /// had gone.
    pub(super) fn summary(&self, ranges: &[Range<usize>]) -> (usize, Option<&'a StepRecord>) {
        let mut gone: Vec<u32> = Vec::new();
        let mut kept = 0;
        for range in ranges {
            for &fate in self.fates.gone().get(range.clone()).unwrap_or_default() {
                match fate {
                    STAYS => kept += 1,
                    fate => gone.push(fate),
                }
            }
        }
        let middle = gone.len() / 2;
        let median = (!gone.is_empty()).then(|| *gone.select_nth_unstable(middle).1);
        (
            kept,
            median.and_then(|fate| self.steps.get(fate as usize).copied()),
        )
    }

    /// Returns the bytes of the last text that are no bytes of the input.
    pub(super) fn added(&self) -> Vec<Range<usize>> {
        self.fates.added()
    }

    /// Returns the class of the colour for what went at a step, on a logarithmic scale of tests.
    pub(super) fn class(&self, step: &StepRecord) -> &'static str {
        let part = real(step.test + 1).ln() / real(self.tests.max(1) + 1).ln();
        let class = whole(part * real(CLASSES.len() as u64));
        CLASSES[usize::try_from(class).unwrap_or(0).min(CLASSES.len() - 1)]
    }

    /// Returns the first test of each class but the first.
    pub(super) fn limits(&self) -> Vec<u64> {
        let end = real(self.tests.max(1) + 1).ln();
        let limit = |class: u32| whole((end * f64::from(class) / 5.0).exp().ceil()) - 1;
        (1..5).map(limit).collect()
    }
}

/// Returns at most about this many of the items, evenly spread, with the first and the last.
pub(super) fn sampled<T: Copy>(items: &[T], most: usize) -> Vec<T> {
    if items.len() <= most {
        return items.to_vec();
    }
    let last = items.len() - 1;
    let place = |number: usize| items[number * last / (most - 1)];
    (0..most).map(place).collect()
}

//! The search for runs of zeros that go while the offsets of what is behind them become smaller.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Candidate, Document};
use boildown_search::{Query, Search, Verdict};

use super::edited_bytes::EditedBytes;

/// Shorter runs stay.
const SHORTEST: usize = 8;

/// The start and the length of what goes are multiples of this.
const ALIGNMENT: usize = 4;

/// Only this many runs, the longest ones.
const RUNS: usize = 8;

/// The search ends after this many misses in a row.
const MISSES_IN_A_ROW: usize = 12;

/// The probability that a run can go.
const ODDS: f64 = 0.1;

/// How offsets are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OffsetForm {
    /// The number of bytes, at a multiple of it.
    size: usize,
    is_little: bool,
}

impl OffsetForm {
    const fn new(size: usize, is_little: bool) -> Self {
        Self { size, is_little }
    }
}

const FORMS: [OffsetForm; 4] = [
    OffsetForm::new(4, true),
    OffsetForm::new(4, false),
    OffsetForm::new(2, true),
    OffsetForm::new(2, false),
];

/// Deletes runs of zeros, the longest first, and lowers every number of one form that may be the
/// offset of a byte behind the run.
///
/// Where the layout is unknown, nothing else moves a content whose position the header states. Its
/// unneeded parts have become zeros by then.
///
/// For example, a header ends with `28 00 00 00`, the offset of a table; behind 32 zeros is the
/// table. The zeros go, and the offset becomes `08`.
///
/// # Guarantee
/// Each hit makes the input shorter, so it ends.
/// # Cost
/// At most four queries for each of eight runs, again after each hit.
#[derive(Debug, Clone)]
pub(super) struct Offsets {
    best: EditedBytes,
    /// What is asked about next, the last one first. The runs are positions in the best candidate.
    left: Vec<(Range<usize>, OffsetForm)>,
    misses: usize,
}

impl Offsets {
    /// Starts on a document of single bytes.
    pub(super) fn new(document: &Arc<Document>) -> Self {
        let mut offsets = Self {
            best: EditedBytes::of(document),
            left: Vec::new(),
            misses: 0,
        };
        offsets.collect(&FORMS);
        offsets
    }

    /// Collects what may be asked about, with offsets of these forms.
    fn collect(&mut self, forms: &[OffsetForm]) {
        let best = self.best();
        let mut runs = runs_of_zeros(best.bytes());
        runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
        runs.truncate(RUNS);
        let all = runs
            .iter()
            .flat_map(|run| forms.iter().map(|&form| (run.clone(), form)));
        let has_offset =
            |(run, form): &(_, _)| !offsets_behind(best.bytes(), run, *form).is_empty();
        let mut left: Vec<_> = all.filter(has_offset).collect();
        left.reverse();
        (self.left, self.misses) = (left, 0);
    }

    /// Returns the best candidate without the run that is asked about.
    fn changed(&self) -> Option<EditedBytes> {
        let (run, form) = self.left.last()?;
        let best = self.best();
        let tokens = self.best.tokens();
        let offsets = offsets_behind(best.bytes(), run, *form).into_iter();
        let values = offsets.flat_map(|(at, value)| {
            let mut bytes = (value - run.len()).to_le_bytes()[..form.size].to_vec();
            if !form.is_little {
                bytes.reverse();
            }
            tokens[at..].iter().copied().zip(bytes)
        });
        let gone = tokens[run.start]..tokens[run.end - 1] + 1;
        Some(self.best.with(values).without(gone))
    }
}

/// Returns the runs of zeros that are long, less what is not aligned.
fn runs_of_zeros(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = 0;
    for chunk in bytes.chunk_by(|left, right| (*left == 0) == (*right == 0)) {
        let end = start + chunk.len();
        let aligned = start.next_multiple_of(ALIGNMENT)..end - end % ALIGNMENT;
        if chunk[0] == 0 && aligned.end >= aligned.start + SHORTEST {
            runs.push(aligned);
        }
        start = end;
    }
    runs
}

/// Returns the numbers that may be offsets of bytes behind a run: their positions and values.
fn offsets_behind(bytes: &[u8], run: &Range<usize>, form: OffsetForm) -> Vec<(usize, usize)> {
    let numbers = bytes.chunks_exact(form.size).enumerate();
    let numbers = numbers.map(|(index, number)| {
        let add = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
        let value = match form.is_little {
            true => number.iter().rev().fold(0, add),
            false => number.iter().fold(0, add),
        };
        (index * form.size, value)
    });
    let is_behind = |&(_, value): &(usize, usize)| (run.end..=bytes.len()).contains(&value);
    numbers.filter(is_behind).collect()
}

impl Search for Offsets {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        Some(Query {
            candidate: self.changed()?.candidate(),
            odds: ODDS,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        if !verdict.is_interesting() {
            self.misses += 1;
            match self.misses {
                ..MISSES_IN_A_ROW => self.skip(),
                _ => self.left.clear(),
            }
        } else if let (Some(changed), Some((_, form))) = (self.changed(), self.left.pop()) {
            self.best = changed;
            self.best.commit();
            self.collect(&[form]);
        }
    }

    fn skip(&mut self) {
        self.left.pop();
    }

    fn best(&self) -> Candidate {
        self.best.candidate()
    }
}

#[cfg(test)]
mod tests {
    use boildown_document::View;
    use boildown_search::run;

    use super::*;

    #[test]
    fn zeros_before_a_content_go_and_its_offset_becomes_smaller() {
        for (before, after) in [
            (&b"II*\0\x28\0\0\0"[..], &b"II*\0\x08\0\0\0"[..]),
            (b"MM\0*\0\0\0\x28", b"MM\0*\0\0\0\x08"),
        ] {
            let bytes: Arc<[u8]> = [before, &[0; 32], b"TABLE"].concat().into();
            let document = Arc::new(Document::new(&bytes, View::Bytes(1)));
            let search = run(Offsets::new(&document), |candidate: &Candidate| {
                let bytes = candidate.bytes();
                let offset = usize::from(bytes[4].max(bytes[7]));
                match bytes[..4] == before[..4] && bytes.get(offset..) == Some(b"TABLE") {
                    true => Verdict::Interesting,
                    false => Verdict::Uninteresting,
                }
            });
            assert_eq!(&**search.best().bytes(), [after, b"TABLE"].concat());
        }
    }
}

//! Differences: the changes that turn one input into another.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;
use imara_diff::{Algorithm, Diff, InternedInput};

use super::level::Level;

/// Two inputs, and the changes from the first to the second. Each can be applied without the
/// others.
#[derive(Debug)]
pub(super) struct Difference {
    before: Arc<[u8]>,
    after: Arc<[u8]>,
    /// Ascending and disjoint on both sides. What lies between them is the same on both sides.
    changes: Vec<Change>,
    /// Whether the view has finer nodes than these in one of the inputs.
    pub(super) goes_deeper: bool,
}

/// A range of the first input, and the range of the second that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) before: Range<usize>,
    pub(super) after: Range<usize>,
}

impl Difference {
    /// Compares two inputs in the units of a level.
    pub(super) fn new(before: &Arc<[u8]>, after: &Arc<[u8]>, level: Level) -> Self {
        let cuts = [before, after].map(|text| level.cut(text));
        let [left, right] = cuts.each_ref().map(|cut| &cut.units[..]);
        let mut input = InternedInput::default();
        input.update_before(cuts[0].compared(before).into_iter());
        input.update_after(cuts[1].compared(after).into_iter());
        // The histogram algorithm starts from rare units. Characters are all frequent.
        let algorithm = if level.is_finest() {
            Algorithm::Myers
        } else {
            Algorithm::Histogram
        };
        let diff = Diff::compute(algorithm, &input);
        let start_of = |units: &[Range<usize>], at: usize, end: usize| {
            units.get(at).map_or(end, |unit| unit.start)
        };
        let mut changes = Vec::new();
        // The units after the last hunk.
        let mut next = [0, 0];
        // Units with equal keys may differ.
        let values = |from: [usize; 2], until: usize| {
            let pairs = left[from[0]..until].iter().zip(&right[from[1]..]);
            pairs.map(|(before, after)| Change {
                before: before.clone(),
                after: after.clone(),
            })
        };
        for hunk in diff.hunks() {
            let units = |range: Range<u32>| range.start as usize..range.end as usize;
            let (old, new) = (units(hunk.before), units(hunk.after));
            changes.extend(values(next, old.start));
            next = [old.end, new.end];
            let pairs = old.len().min(new.len());
            let hunk = Hunk {
                left_start: start_of(left, old.start, before.len()),
                right_start: start_of(right, new.start, after.len()),
                left: &left[old],
                right: &right[new],
            };
            let mut hunk = hunk.changes(level);
            match level {
                Level::Keys(_) | Level::Nodes(..) | Level::Tokens(_) => {
                    let is_between = |change: &Change| {
                        let sides = [&before[change.before.clone()], &after[change.after.clone()]];
                        sides
                            .concat()
                            .iter()
                            .all(|byte| b" \t\r\n,;".contains(byte))
                    };
                    let rest = hunk.split_off(pairs);
                    changes.extend(with_separators(hunk, is_between));
                    changes.extend(with_separators(rest, is_between));
                }
                Level::Lines | Level::Characters | Level::Bytes => changes.extend(hunk),
            }
        }
        changes.extend(values(next, left.len()));
        changes.retain(|change| before[change.before.clone()] != after[change.after.clone()]);
        Self {
            before: Arc::clone(before),
            after: Arc::clone(after),
            changes,
            goes_deeper: cuts.iter().any(|cut| cut.goes_deeper),
        }
    }

    /// Returns the number of changes.
    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    pub(super) fn change(&self, at: usize) -> &Change {
        &self.changes[at]
    }

    /// Returns the first input with some of the changes applied.
    pub(super) fn apply(&self, applied: &Subset) -> Arc<[u8]> {
        let mut text = Vec::with_capacity(self.before.len().max(self.after.len()));
        let mut at = 0;
        for (index, change) in self.changes.iter().enumerate() {
            text.extend_from_slice(&self.before[at..change.before.start]);
            text.extend_from_slice(if applied.contains(index) {
                &self.after[change.after.clone()]
            } else {
                &self.before[change.before.clone()]
            });
            at = change.before.end;
        }
        text.extend_from_slice(&self.before[at..]);
        text.into()
    }

    /// Returns where two results of `apply` differ, as ranges of both. The changes in `fewer` are
    /// all in `more`.
    pub(super) fn differing_ranges(
        &self,
        fewer: &Subset,
        more: &Subset,
    ) -> Vec<(Range<usize>, Range<usize>)> {
        let mut ranges: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        // The positions in the two results, and in the first input.
        let (mut left, mut right, mut at) = (0, 0, 0);
        for (index, change) in self.changes.iter().enumerate() {
            let same = change.before.start - at;
            at = change.before.end;
            let size = |side: &Subset| match side.contains(index) {
                true => change.after.len(),
                false => change.before.len(),
            };
            let (old, new) = (left + same, right + same);
            (left, right) = (old + size(fewer), new + size(more));
            if fewer.contains(index) == more.contains(index) {
                continue;
            }
            match ranges.last_mut() {
                Some(last) if (last.0.end, last.1.end) == (old, new) => {
                    (last.0.end, last.1.end) = (left, right);
                }
                _ => ranges.push((old..left, new..right)),
            }
        }
        ranges
    }
}

/// Units of both sides that replace each other.
struct Hunk<'a> {
    /// Where it starts in both inputs, in bytes.
    left_start: usize,
    right_start: usize,
    left: &'a [Range<usize>],
    right: &'a [Range<usize>],
}

impl Hunk<'_> {
    /// Returns pairs of units that replace each other, then the rest. Characters are deleted and
    /// inserted separately, so that no smaller change is possible. Bytes of a binary that replace
    /// as many others do so one by one: what follows them stays at its offset.
    fn changes(&self, level: Level) -> Vec<Change> {
        let keeps_offsets = level == Level::Bytes && self.left.len() == self.right.len();
        let mut changes = Vec::new();
        let (mut left_end, mut right_end) = (self.left_start, self.right_start);
        for index in 0..self.left.len().max(self.right.len()) {
            let before = left_end..self.left.get(index).map_or(left_end, |unit| unit.end);
            let after = right_end..self.right.get(index).map_or(right_end, |unit| unit.end);
            (left_end, right_end) = (before.end, after.end);
            if level.is_finest() && !keeps_offsets {
                let nothing = after.start..after.start;
                changes.push(Change {
                    before,
                    after: nothing,
                });
                let before = left_end..left_end;
                changes.push(Change { before, after });
            } else {
                changes.push(Change { before, after });
            }
        }
        changes
    }
}

/// Joins changes of white space, commas and semicolons with their neighbours, so that a node is
/// inserted or deleted with its separator. When the run of changes begins with a separator,
/// separators belong to the next node, else to the one before.
fn with_separators(run: Vec<Change>, is_between: impl Fn(&Change) -> bool) -> Vec<Change> {
    let before = run.first().is_some_and(&is_between);
    let mut changes: Vec<Change> = Vec::new();
    // Whether the next change joins the last one.
    let mut is_open = false;
    for change in run {
        let between = is_between(&change);
        let joins = if before { is_open } else { between };
        match changes.last_mut() {
            Some(last) if joins => last.extend(&change),
            _ => changes.push(change),
        }
        is_open = between;
    }
    if before
        && is_open
        && changes.len() > 1
        && let Some(rest) = changes.pop()
        && let Some(last) = changes.last_mut()
    {
        last.extend(&rest);
    }
    changes
}

impl Change {
    /// Joins this change with the next one.
    fn extend(&mut self, next: &Self) {
        self.before.end = next.before.end;
        self.after.end = next.after.end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use boildown_document::{Language, View};

    /// Returns the changes at a level, as `old>new`.
    fn changes(before: &str, after: &str, level: Level) -> Vec<String> {
        let texts = [before, after].map(|text| Arc::<[u8]>::from(text.as_bytes()));
        let difference = Difference::new(&texts[0], &texts[1], level);
        let show = |change: &Change| {
            let (old, new) = (&before[change.before.clone()], &after[change.after.clone()]);
            format!("{old}>{new}")
        };
        let none = Subset::full(difference.len()).without([0..difference.len()]);
        assert_eq!(difference.apply(&none), texts[0]);
        let all = Subset::full(difference.len());
        assert_eq!(difference.apply(&all), texts[1]);
        difference.changes.iter().map(show).collect()
    }

    #[test]
    fn a_node_replaces_its_counterpart_and_is_inserted_with_its_gap() {
        let c = View::Syntax(Language::named("C").expect("the feature is on"));
        let before = "int a;\nint b;\nint c;\n";
        let after = "int a;\nint x;\nint y;\nint z;\nint c;\n";
        assert_eq!(
            changes(before, after, Level::Nodes(c, 1)),
            ["int b;>int x;", ">\nint y;", ">\nint z;"]
        );
        let json = View::Syntax(Language::named("JSON").expect("the feature is on"));
        let (one, four) = ("[1, 5]", "[1, 2, 3, 4, 5]");
        assert_eq!(
            changes(one, four, Level::Tokens(json)),
            [">2, ", ">3, ", ">4, "]
        );
        assert_eq!(
            changes("[1]", "[1, 2, 3]", Level::Tokens(json)),
            [">, 2", ">, 3"]
        );
        assert_eq!(
            changes(before, "int a;\nint c;\n", Level::Nodes(c, 1)),
            ["int b;\n>"]
        );
        assert_eq!(
            changes(before, "int a;\nint bb;\nint c;\n", Level::Tokens(c)),
            ["b>bb"]
        );
    }

    #[test]
    fn characters_are_deleted_and_inserted_separately() {
        assert_eq!(
            changes("x = 17;", "x = 23;", Level::Characters),
            ["1>", ">2", "7>", ">3"]
        );
        assert_eq!(changes("aé", "aè", Level::Characters), ["é>", ">è"]);
    }

    #[test]
    fn a_byte_replaces_another_where_nothing_moves() {
        let of_bytes = |before, after| changes(before, after, Level::Bytes);
        assert_eq!(of_bytes("x = 17;", "x = 23;"), ["1>2", "7>3"]);
        assert_eq!(of_bytes("abc", "abxyc"), [">x", ">y"]);
        assert_eq!(of_bytes("a1c", "axyc"), ["1>", ">x", ">y"]);
    }

    #[test]
    fn inputs_in_no_language_have_lines_and_words() {
        let (before, after) = ("one two\nthree four\n", "one two\nthree six\nfive\n");
        assert_eq!(
            changes(before, after, Level::Nodes(View::Blocks, 1)),
            ["three four>three six", ">\nfive"]
        );
        assert_eq!(
            changes(before, after, Level::Lines),
            ["three four\n>three six\n", ">five\n"]
        );
        assert_eq!(
            changes(before, after, Level::Tokens(View::Blocks)),
            ["four>six", ">\nfive"]
        );
    }
}

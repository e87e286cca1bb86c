//! The changes that make one text of another.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;
use imara_diff::{Algorithm, Diff, InternedInput};

use super::level::Level;

/// Two texts, and the changes from the first to the second. Each applies without the others.
#[derive(Debug)]
pub(super) struct Difference {
    before: Arc<[u8]>,
    after: Arc<[u8]>,
    /// Ascending and disjoint on both sides. What lies between them is the same on both sides.
    changes: Vec<Change>,
    /// Whether one of the texts has finer nodes than these.
    pub(super) goes_deeper: bool,
}

/// Bytes of the first text, and those of the second that take their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) before: Range<usize>,
    pub(super) after: Range<usize>,
}

impl Difference {
    /// Compares two texts in the units of a level.
    pub(super) fn new(before: &Arc<[u8]>, after: &Arc<[u8]>, level: Level) -> Self {
        let cuts = [before, after].map(|text| level.cut(text));
        let [left, right] = cuts.each_ref().map(|cut| &cut.units[..]);
        let mut input = InternedInput::default();
        input.update_before(left.iter().map(|unit| &before[unit.clone()]));
        input.update_after(right.iter().map(|unit| &after[unit.clone()]));
        // Every character is frequent, so there is no rare one to begin at.
        let algorithm = if level.is_finest() {
            Algorithm::Myers
        } else {
            Algorithm::Histogram
        };
        let diff = Diff::compute(algorithm, &input);
        let place = |units: &[Range<usize>], at: usize, end: usize| {
            units.get(at).map_or(end, |unit| unit.start)
        };
        let mut changes = Vec::new();
        for hunk in diff.hunks() {
            let units = |range: Range<u32>| range.start as usize..range.end as usize;
            let (old, new) = (units(hunk.before), units(hunk.after));
            let start = (
                place(left, old.start, before.len()),
                place(right, new.start, after.len()),
            );
            let pairs = old.len().min(new.len());
            let mut hunk = in_step(&left[old], &right[new], start, level);
            match level {
                Level::Nodes(..) | Level::Tokens(_) => {
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
        changes.retain(|change| before[change.before.clone()] != after[change.after.clone()]);
        Self {
            before: Arc::clone(before),
            after: Arc::clone(after),
            changes,
            goes_deeper: cuts.iter().any(|cut| cut.goes_deeper),
        }
    }

    /// The number of changes.
    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    pub(super) fn change(&self, at: usize) -> &Change {
        &self.changes[at]
    }

    /// The first text with some of the changes.
    pub(super) fn apply(&self, applied: &Subset) -> Arc<[u8]> {
        let mut text = Vec::with_capacity(self.before.len().max(self.after.len()));
        let mut at = 0;
        for (place, change) in self.changes.iter().enumerate() {
            text.extend_from_slice(&self.before[at..change.before.start]);
            text.extend_from_slice(if applied.contains(place) {
                &self.after[change.after.clone()]
            } else {
                &self.before[change.before.clone()]
            });
            at = change.before.end;
        }
        text.extend_from_slice(&self.before[at..]);
        text.into()
    }
}

impl Difference {
    /// Where the texts differ that two sets of changes make, the first of them inside the second; as bytes of both.
    pub(super) fn places(
        &self,
        fewer: &Subset,
        more: &Subset,
    ) -> Vec<(Range<usize>, Range<usize>)> {
        let mut places: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        // How far the two texts have come, and the first text of the difference.
        let (mut left, mut right, mut at) = (0, 0, 0);
        for (place, change) in self.changes.iter().enumerate() {
            let same = change.before.start - at;
            at = change.before.end;
            let size = |side: &Subset| match side.contains(place) {
                true => change.after.len(),
                false => change.before.len(),
            };
            let (old, new) = (left + same, right + same);
            (left, right) = (old + size(fewer), new + size(more));
            if fewer.contains(place) == more.contains(place) {
                continue;
            }
            match places.last_mut() {
                Some(last) if (last.0.end, last.1.end) == (old, new) => {
                    (last.0.end, last.1.end) = (left, right);
                }
                _ => places.push((old..left, new..right)),
            }
        }
        places
    }
}

/// The changes of one hunk: its units in step, one in the place of another, and the rest alone. Characters are taken away and put
/// there apart, so that nothing smaller is left to try. `start` is where the hunk starts in both texts.
fn in_step(
    left: &[Range<usize>],
    right: &[Range<usize>],
    start: (usize, usize),
    level: Level,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let (mut at, mut then) = start;
    for place in 0..left.len().max(right.len()) {
        let before = at..left.get(place).map_or(at, |unit| unit.end);
        let after = then..right.get(place).map_or(then, |unit| unit.end);
        (at, then) = (before.end, after.end);
        if level.is_finest() {
            let gone = after.start..after.start;
            changes.push(Change {
                before,
                after: gone,
            });
            let before = at..at;
            changes.push(Change { before, after });
        } else {
            changes.push(Change { before, after });
        }
    }
    changes
}

/// Puts changes of white space, commas and semicolons together with their neighbours: a node comes and goes with what separates it
/// from the next one. When a row begins with such, they go before the nodes, else behind.
fn with_separators(row: Vec<Change>, is_between: impl Fn(&Change) -> bool) -> Vec<Change> {
    let before = row.first().is_some_and(&is_between);
    let mut changes: Vec<Change> = Vec::new();
    // Whether the last change is to go on.
    let mut is_open = false;
    for change in row {
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
    /// Makes this and the change after it one.
    fn extend(&mut self, next: &Self) {
        self.before.end = next.before.end;
        self.after.end = next.after.end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, View};

    /// The changes at a level, as `old>new`.
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
    fn a_node_is_replaced_by_the_one_in_its_place_and_comes_with_its_gap() {
        let c = View::Syntax(Language::named("C").expect("C is known"));
        let before = "int a;\nint b;\nint c;\n";
        let after = "int a;\nint x;\nint y;\nint z;\nint c;\n";
        assert_eq!(
            changes(before, after, Level::Nodes(c, 1)),
            ["int b;>int x;", ">\nint y;", ">\nint z;"]
        );
        let json = View::Syntax(Language::named("JSON").expect("JSON is known"));
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
    fn characters_go_and_come_apart() {
        assert_eq!(
            changes("x = 17;", "x = 23;", Level::Characters),
            ["1>", ">2", "7>", ">3"]
        );
        assert_eq!(changes("aé", "aè", Level::Characters), ["é>", ">è"]);
    }

    #[test]
    fn texts_in_no_language_have_lines_and_words() {
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

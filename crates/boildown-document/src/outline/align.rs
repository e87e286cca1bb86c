//! The alignment of two outlines: which old item became which new one.

use std::collections::HashMap;
use std::ops::Range;

use super::{ItemSort, Outline, OutlineItem};

/// The pairs of an old and a new item of which the new one took the place of the old one.
///
/// Works from the outermost items to the innermost. Among the items of one pair, those that share
/// kept lines are paired first. Between two such pairs, the items whose words are most alike
/// are, and then a single old one with a single new one.
///
/// # Source
/// The top-down part is simplified from J.-R. Falleri et al., *Fine-grained and accurate source
/// code differencing*, ASE 2014, with the kept lines in place of equal subtrees.
#[derive(Debug, Clone)]
pub struct Alignment {
    /// The old item of each new item.
    pub old_of_new: Vec<Option<usize>>,
    /// The new item of each old item.
    pub new_of_old: Vec<Option<usize>>,
}

/// An outline with the lines of its text.
#[derive(Debug, Clone, Copy)]
struct Side<'a> {
    outline: &'a Outline,
    lines: &'a [&'a [u8]],
}

impl<'a> Side<'a> {
    fn item(self, item: usize) -> &'a OutlineItem {
        &self.outline.items[item]
    }

    /// Returns the items that are in an item, or in none, in order.
    fn children(self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.outline.items.len() + 1];
        for (index, item) in self.outline.items.iter().enumerate() {
            children[item.parent.map_or(0, |parent| parent + 1)].push(index);
        }
        children
    }

    /// Returns how often each word occurs in the first lines of an item.
    fn words(self, item: usize) -> HashMap<&'a [u8], usize> {
        let lines = self.item(item).lines.clone();
        let lines = lines.start..lines.end.min(lines.start + MAX_COMPARED_LINES);
        let mut words = HashMap::new();
        for line in self.lines.get(lines).unwrap_or_default() {
            let split = line.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
            for word in split.filter(|word| !word.is_empty()) {
                *words.entry(word).or_default() += 1;
            }
        }
        words
    }
}

/// Number of lines of an item of which the words are compared.
const MAX_COMPARED_LINES: usize = 20;

/// Largest number of pairs of items in one gap whose words are compared.
const MAX_COMPARED_PAIRS: usize = 1 << 12;

impl Alignment {
    /// Aligns the outlines of two texts, given with their lines. `kept` has for each new line the
    /// old line that it is or that it has replaced, if there is one; the lines are in the same
    /// order on both sides.
    #[must_use]
    pub fn between(
        old: (&Outline, &[&[u8]]),
        new: (&Outline, &[&[u8]]),
        kept: &[Option<usize>],
    ) -> Self {
        let [old, new] = [old, new].map(|(outline, lines)| Side { outline, lines });
        let mut alignment = Self {
            old_of_new: vec![None; new.outline.items.len()],
            new_of_old: vec![None; old.outline.items.len()],
        };
        let (old_children, new_children) = (old.children(), new.children());
        let mut open = vec![(0, 0)];
        while let Some((old_parent, new_parent)) = open.pop() {
            let children = [&old_children[old_parent][..], &new_children[new_parent]];
            for (one, two) in pairs(old, new, children, kept) {
                alignment.new_of_old[one] = Some(two);
                alignment.old_of_new[two] = Some(one);
                open.push((one + 1, two + 1));
            }
        }
        alignment
    }
}

/// Pairs the items in an old item with those in a new one.
fn pairs(
    old: Side<'_>,
    new: Side<'_>,
    [olds, news]: [&[usize]; 2],
    kept: &[Option<usize>],
) -> Vec<(usize, usize)> {
    let anchors = anchors(old, new, [olds, news], kept);
    let mut all = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    for (one, two) in anchors.into_iter().chain([(olds.len(), news.len())]) {
        let gap = [&olds[from_old..one], &news[from_new..two]];
        all.extend(pairs_in_gap(old, new, gap));
        if one < olds.len() {
            all.push((olds[one], news[two]));
        }
        (from_old, from_new) = (one + 1, two + 1);
    }
    all
}

/// Pairs items that share more kept text with each other than with any other item. Returns
/// positions in the two lists, ascending in both.
fn anchors(
    old: Side<'_>,
    new: Side<'_>,
    [olds, news]: [&[usize]; 2],
    kept: &[Option<usize>],
) -> Vec<(usize, usize)> {
    let mut shared: Vec<(usize, usize, usize)> = Vec::new();
    for (position, &item) in news.iter().enumerate() {
        for line in new.item(item).lines.clone() {
            let Some(old_line) = kept.get(line).copied().flatten() else {
                continue;
            };
            let after = olds.partition_point(|&it| old.item(it).lines.end <= old_line);
            if !(olds.get(after)).is_some_and(|&it| old.item(it).lines.contains(&old_line)) {
                continue;
            }
            let weight = new
                .lines
                .get(line)
                .map_or(0, |line| line.trim_ascii().len());
            match shared.last_mut() {
                Some((one, two, sum)) if (*one, *two) == (after, position) => *sum += weight,
                _ => shared.push((after, position, weight)),
            }
        }
    }
    let mut best = [vec![0; olds.len()], vec![0; news.len()]];
    for &(one, two, sum) in &shared {
        best[0][one] = best[0][one].max(sum);
        best[1][two] = best[1][two].max(sum);
    }
    let mut anchors: Vec<(usize, usize)> = Vec::new();
    for &(one, two, sum) in &shared {
        let is_best = sum > 0 && sum == best[0][one] && sum == best[1][two];
        let is_free = (anchors.last()).is_none_or(|last| last.0 < one && last.1 < two);
        if is_best && is_free {
            anchors.push((one, two));
        }
    }
    anchors
}

/// Pairs the items between two anchors: those that are alike, and then single ones.
fn pairs_in_gap(old: Side<'_>, new: Side<'_>, [olds, news]: [&[usize]; 2]) -> Vec<(usize, usize)> {
    let alike = if olds.len() * news.len() > MAX_COMPARED_PAIRS {
        Vec::new()
    } else {
        alike(old, new, [olds, news])
    };
    let mut all = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    for (one, two) in alike.into_iter().chain([(olds.len(), news.len())]) {
        let single = |side: Side<'_>, items: &[usize]| {
            let mut items =
                (items.iter()).filter(|&&item| side.item(item).sort != ItemSort::Comment);
            items.next().copied().filter(|_| items.next().is_none())
        };
        let left = single(old, &olds[from_old..one]);
        let right = single(new, &news[from_new..two]);
        all.extend(left.zip(right));
        if one < olds.len() {
            all.push((olds[one], news[two]));
        }
        (from_old, from_new) = (one + 1, two + 1);
    }
    all
}

/// Returns the pairs of positions with the highest total similarity, ascending in both.
fn alike(old: Side<'_>, new: Side<'_>, [olds, news]: [&[usize]; 2]) -> Vec<(usize, usize)> {
    let old_words: Vec<_> = olds.iter().map(|&item| old.words(item)).collect();
    let new_words: Vec<_> = news.iter().map(|&item| new.words(item)).collect();
    let (rows, columns) = (olds.len(), news.len());
    let mut similar = vec![vec![0; columns]; rows];
    let mut best = vec![vec![0_usize; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let same_kind = old.item(olds[row]).kind == new.item(news[column]).kind;
            let alike = similarity(&old_words[row], &new_words[column]);
            if alike >= if same_kind { 400 } else { 700 } {
                similar[row][column] = alike;
            }
            let paired = match similar[row][column] {
                0 => 0,
                alike => alike + best[row + 1][column + 1],
            };
            best[row][column] = paired.max(best[row + 1][column]).max(best[row][column + 1]);
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut pairs = Vec::new();
    while row < rows && column < columns {
        let alike = similar[row][column];
        if alike > 0 && best[row][column] == alike + best[row + 1][column + 1] {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if best[row][column] == best[row + 1][column] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// Returns the share of words that two items have in common, in thousandths.
fn similarity(one: &HashMap<&[u8], usize>, two: &HashMap<&[u8], usize>) -> usize {
    let total: usize = one.values().sum::<usize>() + two.values().sum::<usize>();
    let shared: usize = (one.iter())
        .filter_map(|(word, count)| Some(*count.min(two.get(word)?)))
        .sum();
    (2000 * shared).checked_div(total).unwrap_or(0)
}

impl Outline {
    /// Returns for each of the first `count` lines the innermost item that holds it.
    #[must_use]
    pub fn owners(&self, count: usize) -> Vec<Option<usize>> {
        let mut owners = vec![None; count];
        for (index, item) in self.items.iter().enumerate() {
            let Range { start, end } = item.lines;
            if let Some(lines) = owners.get_mut(start..end.min(count)) {
                lines.fill(Some(index));
            }
        }
        owners
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    /// Returns the first lines of the aligned items.
    fn aligned(old: &str, new: &str, kept: &[Option<usize>]) -> Vec<(usize, usize)> {
        let python = Language::named("Python").unwrap();
        let [old_lines, new_lines] =
            [old, new].map(|text| text.lines().map(str::as_bytes).collect::<Vec<_>>());
        let [old, new] = [old, new].map(|text| python.outline(text.as_bytes()));
        let alignment = Alignment::between((&old, &old_lines), (&new, &new_lines), kept);
        let pairs = alignment.old_of_new.iter().enumerate();
        pairs
            .filter_map(|(two, one)| {
                Some((old.items[(*one)?].lines.start, new.items[two].lines.start))
            })
            .collect()
    }

    #[test]
    fn a_replaced_header_is_aligned_by_the_lines_in_its_block() {
        let found = aligned(
            "if a:\n    f()\n    g()\n",
            "while not b:\n    f()\n    h(1)\n",
            &[None, Some(1), None],
        );
        assert_eq!(found, [(0, 0), (1, 1), (2, 2)]);
    }

    #[test]
    fn items_that_are_alike_are_aligned_and_others_are_not() {
        let found = aligned(
            "x = 1\nprice = compute(tea)\n",
            "log()\nprint(2)\nprice = compute(tea, 2)\n",
            &[None, None, None],
        );
        assert_eq!(found, [(1, 2)]);
    }
}

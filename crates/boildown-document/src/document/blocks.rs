//! The view that fits any text: lines, groups, words.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::{Slot, SlotId};

use super::builder::{Builder, NodePosition};
use super::phrases::{Group, groups};
use super::words::words;
use super::{Document, View};

const ROOT: u16 = 0;
const LINE: u16 = 1;
const GROUP: u16 = 2;
const WORD: u16 = 3;

/// Reads lines, words and groups. A group reaches from a delimiter to its partner, or from the
/// words that begin a part to those that end it, over any number of lines; when it spans several,
/// it consists of lines itself. A line ends at the first line break outside of all groups that
/// began in it.
pub(super) fn read(bytes: &Arc<[u8]>) -> Document {
    let words: Vec<Range<usize>> = words(bytes, 0..bytes.len()).collect();
    let mut groups = groups(bytes, &words).into_iter().peekable();
    let newline_before: Vec<bool> = std::iter::once(&(0..0))
        .chain(&words)
        .zip(&words)
        .map(|(before, word)| bytes[before.end..word.start].contains(&b'\n'))
        .collect();
    let breaks = PrefixCounts::count(&newline_before);
    let inside = NodePosition {
        slot: SlotId::default(),
        ..NodePosition::default()
    };
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(ROOT, NodePosition::default());
    // The open groups, outermost first.
    let mut open = vec![OpenGroup {
        inner_end: words.len(),
        end: words.len(),
        lines: true,
        in_line: false,
    }];
    let mut at = 0;
    while let Some(group) = open.last_mut() {
        if at == group.inner_end {
            if group.in_line {
                builder.close();
            }
            while at < group.end {
                builder.token(words[at].clone());
                at += 1;
            }
            open.pop();
            builder.close();
            continue;
        }
        if group.lines && (newline_before[at] || !group.in_line) {
            if group.in_line {
                builder.close();
            }
            builder.open(LINE, inside);
            group.in_line = true;
        }
        // What begins or ends a group may have brackets.
        let outer = group.inner_end;
        let is_lost = |group: &Group| {
            group.opening.start < at || (group.opening.start == at && group.closing.end > outer)
        };
        while groups.next_if(is_lost).is_some() {}
        match groups.next_if(|group| group.opening.start == at) {
            Some(group) => {
                builder.open(GROUP, inside);
                while at < group.opening.end {
                    builder.token(words[at].clone());
                    at += 1;
                }
                open.push(OpenGroup {
                    inner_end: group.closing.start,
                    end: group.closing.end,
                    lines: breaks.between(at.max(group.opening.start + 1), group.closing.start + 1)
                        > 0,
                    in_line: false,
                });
            }
            None => {
                builder.open(WORD, inside);
                builder.token(words[at].clone());
                builder.close();
                at += 1;
            }
        }
    }
    builder.finish(
        View::Blocks,
        vec![Slot {
            kinds: vec![LINE, GROUP, WORD],
            many: true,
        }]
        .into(),
    )
}

struct OpenGroup {
    /// The first word of what ends it, and the one after it, as indices into the words.
    inner_end: usize,
    end: usize,
    /// Whether it spans several lines.
    lines: bool,
    /// Whether one of its lines is open.
    in_line: bool,
}

/// Running sums of flags, for the number of flags set in any range.
struct PrefixCounts(Vec<usize>);

impl PrefixCounts {
    fn count(flags: &[bool]) -> Self {
        let mut sums = vec![0];
        let mut sum = 0;
        sums.extend(flags.iter().map(|&flag| {
            sum += usize::from(flag);
            sum
        }));
        Self(sums)
    }

    fn between(&self, start: usize, end: usize) -> usize {
        self.0[end.min(self.0.len() - 1)] - self.0[start.min(end).min(self.0.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_in_the_tree_once_whatever_crosses() {
        for text in [
            "<a (> begin b ) end b",
            "begin ( a end ( a )",
            "{% if a ( %} ) {% endif %} )",
        ] {
            let document = read(&text.as_bytes().into());
            let words: Vec<&[u8]> = (0..document.len()).map(|at| document.token(at)).collect();
            assert_eq!(words.concat(), text.replace(' ', "").into_bytes());
        }
    }

    #[test]
    fn groups_beside_each_other_are_read() {
        let document = read(&b"(a) \\begin{b} c \\end{b} (d)".as_slice().into());
        let nodes = document.tree().nodes.iter();
        assert_eq!(nodes.filter(|node| node.kind == GROUP).count(), 3);
    }
}

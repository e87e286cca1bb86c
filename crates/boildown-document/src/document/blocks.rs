//! The view that fits any text: lines, bracket groups, words.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::{Slot, SlotId};

use super::builder::{Builder, NodePosition};
use super::delimiters::partners;
use super::words::words;
use super::{Document, View};

const ROOT: u16 = 0;
const LINE: u16 = 1;
const GROUP: u16 = 2;
const WORD: u16 = 3;

/// Reads lines, words and groups. A group reaches from a delimiter to its partner, over any number
/// of lines; when it spans several, it consists of lines itself. A line ends at the first line
/// break outside of all groups that began in it.
pub(super) fn read(bytes: &Arc<[u8]>) -> Document {
    let words: Vec<Range<usize>> = words(bytes, 0..bytes.len()).collect();
    let partners = partners(words.iter().map(|word| &bytes[word.clone()]));
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
    let mut groups = vec![OpenGroup {
        end: words.len(),
        lines: true,
        in_line: false,
    }];
    let mut at = 0;
    while let Some(group) = groups.last_mut() {
        if at == group.end {
            if group.in_line {
                builder.close();
            }
            groups.pop();
            if at < words.len() {
                builder.token(words[at].clone());
                at += 1;
            }
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
        match partners[at] {
            Some(partner) => {
                builder.open(GROUP, inside);
                builder.token(words[at].clone());
                groups.push(OpenGroup {
                    end: partner,
                    lines: breaks.between(at + 1, partner + 1) > 0,
                    in_line: false,
                });
            }
            None => {
                builder.open(WORD, inside);
                builder.token(words[at].clone());
                builder.close();
            }
        }
        at += 1;
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
    /// The position of its closing delimiter, as an index into the words.
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

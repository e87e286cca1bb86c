//! Views of characters, between which everything is kept: the characters of words, pieces of long
//! ones, and the white space between tokens.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;
use boildown_search::tree::IdVec;

use super::builder::{Builder, NodePosition};
use super::kinds::WORD;
use super::words::{is_word, words};
use super::{Document, View, syntax};
use crate::Language;
use crate::steps::at_once;

/// Ranges of tokens that are deleted together.
type RemovalUnit = Vec<Range<usize>>;

/// Parts of the names of kinds whose words have no meaning to the language: strings and comments,
/// numbers and plain text.
const FREE: [&str; 11] = [
    "string", "text", "comment", "char", "content", "literal", "number", "integer", "float",
    "scalar", "value",
];

/// Longer words name nothing.
const LONGEST_NAME: usize = 256;

/// Reads the characters of all words of several characters that are no names.
pub(super) fn letters(bytes: &Arc<[u8]>, language: &'static Language) -> Document {
    let (document, names) = at_once(syntax::read_with_kinds(bytes, language));
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, NodePosition::default());
    for (id, node) in document.tree.nodes.enumerate().skip(1) {
        if node.end > id.next() || node.tokens().len() != 1 {
            continue;
        }
        let text = document.token(node.tokens().start);
        let is_named = text.len() <= LONGEST_NAME
            && text.iter().all(|&byte| is_word(byte))
            && !text[0].is_ascii_digit();
        let kind = names.name(node.kind);
        let is_free = || WORD == node.kind || FREE.iter().any(|part| kind.contains(part));
        let characters = characters(text, document.tokens[node.tokens().start].start as usize);
        if characters.len() > 1 && (!is_named || is_free()) {
            builder.open(0, NodePosition::default());
            for character in characters {
                builder.token(character);
            }
            builder.close();
        }
    }
    builder.close();
    builder.finish(View::Letters(language), IdVec::default())
}

/// Reads the pieces of long words, at most 64 of each. A word consists of letters, digits, what
/// encodings such as base64 have beside these, and bytes beyond ASCII.
pub(super) fn long_words(bytes: &Arc<[u8]>) -> Document {
    const SHORTEST: usize = 4096;
    const PIECES: usize = 64;
    let is_of_word = |byte: &u8| is_word(*byte) || !byte.is_ascii() || b"+/=%\\-".contains(byte);
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, NodePosition::default());
    let mut end = 0;
    for word in bytes.chunk_by(|before, after| is_of_word(before) == is_of_word(after)) {
        let start = end;
        end += word.len();
        if word.len() <= SHORTEST || !is_of_word(&word[0]) {
            continue;
        }
        let size = SHORTEST.max(word.len().div_ceil(PIECES));
        builder.open(0, NodePosition::default());
        let mut piece = start;
        while piece < end {
            // A character stays whole.
            let rest = bytes[end.min(piece + size)..end].iter();
            let within = rest.take_while(|byte| (0x80..0xc0).contains(*byte)).count();
            let next = end.min(piece + size) + within;
            builder.token(piece..next);
            piece = next;
        }
        builder.close();
    }
    builder.close();
    builder.finish(View::LongWords, IdVec::default())
}

/// Returns the ranges of the characters of a text that begins at this byte; of its bytes if it is
/// not UTF-8.
fn characters(text: &[u8], start: usize) -> Vec<Range<usize>> {
    match std::str::from_utf8(text) {
        Ok(text) => (text.char_indices())
            .map(|(at, char)| start + at..start + at + char.len_utf8())
            .collect(),
        Err(_) => (start..start + text.len()).map(|at| at..at + 1).collect(),
    }
}

/// Reads the bytes of the white space between tokens.
pub(super) fn spaces(bytes: &Arc<[u8]>, language: &'static Language) -> Document {
    let document = at_once(syntax::read(bytes, language));
    let tokens = document.counted_starts.iter().map(|&token| token as usize);
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, NodePosition::default());
    for token in tokens.chain([document.len()]) {
        let end = (document.tokens.get(token)).map_or(bytes.len(), |token| token.start as usize);
        let start = end - document.gap(token).len();
        if start < end {
            builder.open(0, NodePosition::default());
            for at in start..end {
                builder.token(at..at + 1);
            }
            builder.close();
        }
    }
    builder.close();
    builder.finish(View::Spaces(language), IdVec::default())
}

/// Returns the units of comment-prefix deletion, as bytes. Each reaches from the start of a token
/// before a comment, or from its second character, to the inside of the comment, which becomes
/// code: `a /* b` → `b`. Only units that make words fewer.
pub fn comment_prefixes(bytes: &Arc<[u8]>, language: &'static Language) -> Vec<RemovalUnit> {
    let (document, names) = at_once(syntax::read_with_kinds(bytes, language));
    let mut units = Vec::new();
    for node in document.tree.nodes.iter().skip(1) {
        let kind = names.name(node.kind);
        if !kind.contains("comment") {
            continue;
        }
        let start = document.byte_range(node.tokens()).start;
        let signs = bytes[start..].iter();
        let signs = signs.take_while(|byte| byte.is_ascii_punctuation()).take(4);
        let inside = start + signs.count();
        for token in (0..node.tokens().start).rev().take(SINGLE) {
            let word = document.byte_range(token..token + 1);
            let letters = characters(document.token(token), word.start);
            let second = letters.first().map_or(word.end, |first| first.end);
            units.extend([word.start..inside, second..inside]);
        }
    }
    let words_in = |range: Range<usize>| words(bytes, range).count();
    let all = words_in(0..bytes.len());
    units.retain(|gone| {
        gone.start < gone.end && words_in(0..gone.start) + words_in(gone.end..bytes.len()) < all
    });
    units.sort_unstable_by_key(|gone| (Reverse(gone.len()), gone.start));
    units.dedup();
    units.into_iter().map(|gone| vec![gone]).collect()
}

impl Document {
    /// Returns the input without the tokens that are not kept.
    pub(super) fn render_around(&self, kept: &Subset) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len());
        let (mut at, mut end) = (0, 0);
        for run in kept.runs().chain(std::iter::once(self.len()..self.len())) {
            for token in end..run.start {
                let gone = self.byte_range(token..token + 1);
                out.extend_from_slice(&self.bytes[at..gone.start]);
                at = gone.end;
            }
            end = run.end;
        }
        out.extend_from_slice(&self.bytes[at..]);
        out
    }

    /// Returns the nodes below the root: the words of letters, or the stretches of white space.
    fn stretches(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let nodes = self.tree.nodes.iter().skip(1);
        nodes.map(|node| node.tokens())
    }

    /// Returns what to delete of words: everything but the first characters, of groups of words and
    /// of all at once; and, when there are few words, the halves and the first and last characters
    /// of each.
    pub fn letter_units(&self) -> Vec<RemovalUnit> {
        let words: Vec<Range<usize>> = self.stretches().collect();
        let ends: RemovalUnit = words.iter().map(|word| word.start + 1..word.end).collect();
        let mut units = grouped(&ends);
        if words.len() <= SINGLE / 2 {
            for word in words {
                let middle = word.start + word.len() / 2;
                let halves = [word.start..middle, middle..word.end];
                let letters = [word.start..word.start + 1, word.end - 1..word.end];
                units.extend(halves.into_iter().chain(letters).map(|piece| vec![piece]));
            }
        }
        units.push(ends);
        units.retain(|unit| !unit.is_empty());
        units
    }

    /// Returns the white space to delete that a reader does not miss: groups of stretches, then
    /// each kind of white space, then all of it at once.
    pub fn layout_units(&self) -> Vec<RemovalUnit> {
        let mut indents = Indents::default();
        let (mut between, mut lines) = (RemovalUnit::new(), RemovalUnit::new());
        if self
            .stretches()
            .next()
            .is_some_and(|gap| self.byte_range(gap).start > 0)
        {
            indents.line(0..0);
        }
        for gap in self.stretches() {
            let range = self.byte_range(gap.clone());
            let text = &self.bytes[range.clone()];
            let (begins, ends) = (range.start == 0, range.end == self.bytes.len());
            let Some(newline) = text.iter().rposition(|&byte| byte == b'\n') else {
                match begins {
                    true => indents.line(gap),
                    // One space stays between two tokens.
                    false => between.push(gap.start + usize::from(!ends)..gap.end),
                }
                continue;
            };
            let is_return = newline > 0 && text[newline - 1] == b'\r';
            let breaks = if begins {
                newline + 1
            } else {
                newline - usize::from(is_return)
            };
            lines.push(gap.start..gap.start + breaks);
            let indent = gap.start + newline + 1..gap.end;
            match ends {
                true => between.push(indent),
                false => indents.line(indent),
            }
        }
        let mut sorts = [between, lines, indents.excess()];
        for sort in &mut sorts {
            sort.retain(|range| !range.is_empty());
        }
        let mut all = sorts.concat();
        all.sort_unstable_by_key(|range| range.start);
        let mut units = grouped(&all);
        units.extend(sorts);
        units.push(all);
        units.retain(|unit| !unit.is_empty());
        units
    }
}

/// The largest number of words or stretches that are asked about one by one; if there are more,
/// neighbours are grouped. The pass is repeated after a hit, with smaller groups in the end;
/// without hits, few queries are lost.
const SINGLE: usize = 8;

fn grouped(pieces: &[Range<usize>]) -> Vec<RemovalUnit> {
    let groups = pieces.chunks(pieces.len().div_ceil(SINGLE).max(1));
    groups.map(<[_]>::to_vec).collect()
}

/// The indentations of all lines, in order.
#[derive(Default)]
struct Indents(Vec<Range<usize>>);

impl Indents {
    fn line(&mut self, indent: Range<usize>) {
        self.0.push(indent);
    }

    /// Returns what to delete so that lines stay indented more than those they belong to, by the
    /// smallest step of the input, and by a tab's width at most.
    fn excess(&self) -> RemovalUnit {
        const WIDEST_STEP: usize = 8;
        let mut step = WIDEST_STEP;
        self.walk(
            |_, wider| step = step.min(wider.unwrap_or(WIDEST_STEP)),
            WIDEST_STEP,
        );
        let mut excess = RemovalUnit::new();
        let mut at = 0;
        self.walk(
            |width, _| {
                let indent = &self.0[at];
                excess.push(indent.start + width.min(indent.len())..indent.end);
                at += 1;
            },
            step,
        );
        excess
    }

    /// Calls `tell` for each line with its new width, and with its additional indentation over the
    /// line that it belongs to, if it begins a deeper level.
    fn walk(&self, mut tell: impl FnMut(usize, Option<usize>), step: usize) {
        // The old and new widths of the lines that the next one may belong to.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for indent in &self.0 {
            let width = indent.len();
            while open.last().is_some_and(|&(old, _)| old > width) {
                open.pop();
            }
            let (new, wider) = match open.last() {
                Some(&(old, new)) if old == width => (new, None),
                Some(&(old, new)) => (new + (width - old).min(step), Some(width - old)),
                None => (0, None),
            };
            if wider.is_some() || open.is_empty() {
                open.push((width, new));
            }
            tell(new, wider);
        }
    }
}

#[cfg(all(test, feature = "all-languages"))]
mod tests {
    use super::*;

    /// Returns the text without the largest unit of its layout.
    fn tidy(language: &str, text: &str) -> String {
        let language = Language::named(language).expect("the grammar is built");
        let document = Document::new(&text.as_bytes().into(), View::Spaces(language));
        let everything = Subset::full(document.len());
        let units = document.layout_units();
        let all = units.last().cloned().unwrap_or_default();
        String::from_utf8_lossy(&document.render(&everything.without(all))).into_owned()
    }

    #[test]
    fn long_words_are_cut_into_pieces_between_which_everything_stays() {
        let text = format!(
            "short {}, {}+/=. {} ",
            "x".repeat(4096),
            "y".repeat(9000),
            "é".repeat(5000)
        );
        let document = Document::new(&text.as_bytes().into(), View::LongWords);
        let pieces: Vec<usize> = (0..document.len())
            .map(|token| document.byte_range(token..token + 1).len())
            .collect();
        assert_eq!(pieces, [4096, 4096, 811, 4096, 4096, 1808]);
        let all = Subset::full(document.len());
        let rendered = |kept: &Subset| String::from_utf8(document.render(kept)).unwrap();
        assert_eq!(rendered(&all), text);
        let without = format!("short {}, . {} ", "x".repeat(4096), "é".repeat(2048));
        assert_eq!(rendered(&all.only(3..4)), without);
    }

    #[test]
    fn blank_lines_and_wide_gaps_are_deleted_and_blocks_stay_blocks() {
        let python = "\n\ndef f():\n\n        if a:  \n                return   \"two  words\"\n        g()\n\n\n";
        let left = "def f():\n        if a:\n                return \"two  words\"\n        g()\n";
        assert_eq!(tidy("Python", python), left);
        let python = "if a:\n  if b:\n          return 1\n  else:\n          pass\n";
        let left = "if a:\n  if b:\n    return 1\n  else:\n    pass\n";
        assert_eq!(tidy("Python", python), left);
        let sql = "Cast(\n                         0 AS DEC)\n";
        assert_eq!(tidy("SQL", sql), "Cast(\n        0 AS DEC)\n");
        let c = "    int  main() {\r\n\r\n        return 0;\r\n    }";
        let left = "int main() {\r\n    return 0;\r\n}";
        assert_eq!(tidy("C", c), left);
    }

    #[test]
    fn a_comment_prefix_is_deleted_with_text_before_it() {
        let c = Language::named("C").expect("the grammar is built");
        let text = b"for () /* */ ;";
        let left = |unit: RemovalUnit| {
            let gone = &unit[0];
            String::from_utf8_lossy(&[&text[..gone.start], &text[gone.end..]].concat()).into_owned()
        };
        let bytes: Arc<[u8]> = text.as_slice().into();
        let left: Vec<String> = comment_prefixes(&bytes, c).into_iter().map(left).collect();
        let want = [" */ ;", "f */ ;", "for  */ ;", "for ( */ ;", "for () */ ;"];
        assert_eq!(left, want);
        assert!(comment_prefixes(&b"int a = 1;".as_slice().into(), c).is_empty());
    }

    #[test]
    fn a_tidy_text_has_no_layout_units() {
        let text = "def f():\n  if a:\n    return 1\n  return 2\n";
        let python = Language::named("Python").expect("the grammar is built");
        let document = Document::new(&text.as_bytes().into(), View::Spaces(python));
        assert_eq!(document.layout_units(), Vec::<RemovalUnit>::new());
    }

    #[test]
    fn the_characters_of_names_are_not_deleted() {
        let c = Language::named("C").expect("the grammar is built");
        let text = "int name = f(\"some words\", 1234); // note";
        let document = Document::new(&text.as_bytes().into(), View::Letters(c));
        let words: Vec<&[u8]> = document
            .stretches()
            .map(|word| document.text(word))
            .collect();
        assert_eq!(words, [&b"some"[..], b"words", b"1234", b"note"]);
        let all = document.letter_units().pop().expect("there are words");
        let rest = document.render(&Subset::full(document.len()).without(all));
        assert_eq!(rest, b"int name = f(\"s w\", 1); // n");
    }
}

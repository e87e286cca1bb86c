//! Views of single characters, between which everything stays: the letters of words, and the white space between tokens.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;

use super::builder::{Builder, Place};
use super::words::{is_word, words};
use super::{Document, View, syntax};
use crate::Language;

/// A set of atoms that go together, as ranges.
type Unit = Vec<Range<usize>>;

/// The kinds of nodes that hold words of no meaning to the language: strings and comments, numbers and plain text.
const FREE: [&str; 11] = [
    "string", "text", "comment", "char", "content", "literal", "number", "integer", "float",
    "scalar", "value",
];

/// Reads the characters of all words that are no names, and not a single character long.
pub(super) fn letters(bytes: &Arc<[u8]>, language: &'static Language) -> Document {
    let (document, names) = syntax::read_with_kinds(bytes, language);
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, Place::default());
    for (id, node) in document.tree.nodes.iter().enumerate().skip(1) {
        if node.end > id + 1 || node.atoms.len() != 1 {
            continue;
        }
        let text = document.atom(node.atoms.start);
        let is_named = text.iter().all(|&byte| is_word(byte)) && !text[0].is_ascii_digit();
        let kind = names.of(node.kind);
        let is_free = || syntax::WORD == node.kind || FREE.iter().any(|part| kind.contains(part));
        let characters = characters(text, document.atoms[node.atoms.start].start as usize);
        if characters.len() > 1 && (!is_named || is_free()) {
            builder.open(0, Place::default());
            for character in characters {
                builder.atom(character);
            }
            builder.close();
        }
    }
    builder.close();
    builder.finish(View::Letters(language), Vec::new())
}

/// The characters of a text that begins at a place.
fn characters(text: &[u8], start: usize) -> Vec<Range<usize>> {
    match std::str::from_utf8(text) {
        Ok(text) => (text.char_indices())
            .map(|(at, char)| start + at..start + at + char.len_utf8())
            .collect(),
        Err(_) => (start..start + text.len()).map(|at| at..at + 1).collect(),
    }
}

/// Reads the bytes of white space between tokens.
pub(super) fn spaces(bytes: &Arc<[u8]>, language: &'static Language) -> Document {
    let document = syntax::read(bytes, language);
    let tokens = document.tokens.iter().map(|&token| token as usize);
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, Place::default());
    for atom in tokens.chain([document.len()]) {
        let end = (document.atoms.get(atom)).map_or(bytes.len(), |atom| atom.start as usize);
        let start = end - document.gap(atom).len();
        if start < end {
            builder.open(0, Place::default());
            for at in start..end {
                builder.atom(at..at + 1);
            }
            builder.close();
        }
    }
    builder.close();
    builder.finish(View::Spaces(language), Vec::new())
}

/// Returns what can go up to the inside of a comment, as bytes: its beginning, and all from a token before it on, or from that one's second
/// letter. What was inside is then code, for those who do not mind. Only where that makes fewer words.
pub(crate) fn openings(bytes: &Arc<[u8]>, language: &'static Language) -> Vec<Unit> {
    let (document, names) = syntax::read_with_kinds(bytes, language);
    let mut units = Vec::new();
    for node in document.tree.nodes.iter().skip(1) {
        let kind = names.of(node.kind);
        if !kind.contains("comment") {
            continue;
        }
        let start = document.range(node.atoms.clone()).start;
        let signs = bytes[start..].iter();
        let signs = signs.take_while(|byte| byte.is_ascii_punctuation()).take(4);
        let inside = start + signs.count();
        for atom in (0..node.atoms.start).rev().take(SINGLE) {
            let place = document.range(atom..atom + 1);
            let letters = characters(document.atom(atom), place.start);
            let second = letters.first().map_or(place.end, |first| first.end);
            units.extend([place.start..inside, second..inside]);
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
    /// Returns the text without the atoms that are not kept.
    pub(super) fn render_around(&self, kept: &Subset) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes.len());
        let (mut at, mut end) = (0, 0);
        for run in kept.runs().chain(std::iter::once(self.len()..self.len())) {
            for atom in end..run.start {
                let gone = self.bytes_of(atom..atom + 1);
                out.extend_from_slice(&self.bytes[at..gone.start]);
                at = gone.end;
            }
            end = run.end;
        }
        out.extend_from_slice(&self.bytes[at..]);
        out
    }

    /// The nodes below the root: words of letters, stretches of white space.
    fn stretches(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let nodes = self.tree.nodes.iter().skip(1);
        nodes.map(|node| node.atoms.clone())
    }

    /// Returns what can go of words: all but the first letters, of all at once and of each, and of each its halves and its first and last letters.
    pub(crate) fn letter_units(&self) -> Vec<Unit> {
        let words: Vec<Range<usize>> = self.stretches().collect();
        let ends: Unit = words.iter().map(|word| word.start + 1..word.end).collect();
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

    /// Returns what can go of the white space without a loss to the reader: all of it at once, then each sort of it, then each stretch.
    pub(crate) fn layout_units(&self) -> Vec<Unit> {
        let mut indents = Indents::default();
        let (mut between, mut lines) = (Unit::new(), Unit::new());
        if self
            .stretches()
            .next()
            .is_some_and(|gap| self.bytes_of(gap).start > 0)
        {
            indents.line(0..0);
        }
        for gap in self.stretches() {
            let place = self.bytes_of(gap.clone());
            let text = &self.bytes[place.clone()];
            let (begins, ends) = (place.start == 0, place.end == self.bytes.len());
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

/// So many words or stretches of white space are asked about one by one; of more, neighbours go together. What is left of a hit is asked about again,
/// one by one in the end; where nothing hits, few questions are lost.
const SINGLE: usize = 8;

fn grouped(pieces: &[Range<usize>]) -> Vec<Unit> {
    let groups = pieces.chunks(pieces.len().div_ceil(SINGLE).max(1));
    groups.map(<[_]>::to_vec).collect()
}

/// The white space that lines begin with.
#[derive(Default)]
struct Indents(Vec<Range<usize>>);

impl Indents {
    fn line(&mut self, indent: Range<usize>) {
        self.0.push(indent);
    }

    /// What can go so that lines stay further in than those they belong to, by the least step that the text has.
    fn excess(&self) -> Unit {
        let mut step = usize::MAX;
        self.walk(
            |_, wider| step = step.min(wider.unwrap_or(usize::MAX)),
            usize::MAX,
        );
        let mut excess = Unit::new();
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

    /// Tells each line's new width, and by how much it is further in than the line that it belongs to, when that is another.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The text without the largest unit of its layout.
    fn tidy(language: &str, text: &str) -> Option<String> {
        let language = Language::named(language)?;
        let document = Document::new(&text.as_bytes().into(), View::Spaces(language));
        let everything = Subset::full(document.len());
        let units = document.layout_units();
        let all = units.last().cloned().unwrap_or_default();
        Some(String::from_utf8_lossy(&document.render(&everything.without(all))).into_owned())
    }

    #[test]
    fn blank_lines_and_wide_gaps_go_and_blocks_stay_blocks() {
        let python = "\n\ndef f():\n\n        if a:  \n                return   \"two  words\"\n        g()\n\n\n";
        let left = "def f():\n        if a:\n                return \"two  words\"\n        g()\n";
        assert!(tidy("Python", python).is_none_or(|text| text == left));
        let python = "if a:\n  if b:\n          return 1\n  else:\n          pass\n";
        let left = "if a:\n  if b:\n    return 1\n  else:\n    pass\n";
        assert!(tidy("Python", python).is_none_or(|text| text == left));
        let c = "    int  main() {\r\n\r\n        return 0;\r\n    }";
        let left = "int main() {\r\n    return 0;\r\n}";
        assert!(
            tidy("C", c).is_none_or(|text| text == left),
            "{:?}",
            tidy("C", c)
        );
    }

    #[test]
    fn a_comment_is_opened_with_what_is_before_it() {
        let Some(c) = Language::named("C") else {
            return;
        };
        let text = b"for () /* */ ;";
        let left = |unit: Unit| {
            let gone = &unit[0];
            String::from_utf8_lossy(&[&text[..gone.start], &text[gone.end..]].concat()).into_owned()
        };
        let bytes: Arc<[u8]> = text.as_slice().into();
        let left: Vec<String> = openings(&bytes, c).into_iter().map(left).collect();
        let want = [" */ ;", "f */ ;", "for  */ ;", "for ( */ ;", "for () */ ;"];
        assert_eq!(left, want);
        assert!(openings(&b"int a = 1;".as_slice().into(), c).is_empty());
    }

    #[test]
    fn what_is_tidy_has_nothing_to_go() {
        let text = "def f():\n  if a:\n    return 1\n  return 2\n";
        if let Some(python) = Language::named("Python") {
            let document = Document::new(&text.as_bytes().into(), View::Spaces(python));
            assert_eq!(document.layout_units(), Vec::<Unit>::new());
        }
    }

    #[test]
    fn names_have_no_letters_to_lose() {
        let Some(c) = Language::named("C") else {
            return;
        };
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

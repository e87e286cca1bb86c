//! Words of a module in text, each with its sort, and the brackets that belong together.

use std::ops::Range;

/// A word, number, string, name or sign.
#[derive(Debug, Clone)]
pub(crate) struct SortedWord<S> {
    pub(crate) bytes: Range<usize>,
    pub(crate) sort: S,
    /// Whether it is the first on its line.
    pub(crate) begins_line: bool,
    /// The bracket that closes or opens this one; the last word for one that is never closed, and
    /// the word itself for others.
    pub(crate) partner: usize,
}

/// What a word is, in the eyes of a format.
pub(crate) trait SortOfWord: Copy + PartialEq {
    /// An opening and a closing bracket.
    const BRACKETS: [Self; 2];
    /// What a comment begins with. It ends with its line.
    const COMMENT: &'static [u8];

    /// Returns the end and the sort of the word at a position.
    fn at(text: &[u8], at: usize) -> (usize, Self);
}

/// Divides a text into words; comments are none. Returns whether all brackets match, too.
pub(crate) fn sorted_words<S: SortOfWord>(text: &[u8]) -> (Vec<SortedWord<S>>, bool) {
    let mut words: Vec<SortedWord<S>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut do_match = true;
    let mut at = 0;
    let mut begins_line = true;
    while at < text.len() {
        let byte = text[at];
        if byte.is_ascii_whitespace() {
            begins_line |= byte == b'\n';
            at += 1;
            continue;
        }
        if text[at..].starts_with(S::COMMENT) {
            at += text[at..].iter().take_while(|&&byte| byte != b'\n').count();
            continue;
        }
        let (end, sort) = S::at(text, at);
        let index = words.len();
        let mut partner = index;
        if sort == S::BRACKETS[0] {
            open.push(index);
        } else if sort == S::BRACKETS[1] {
            partner = open.pop().unwrap_or(index);
            if let Some(opening) = words.get_mut(partner) {
                opening.partner = index;
                do_match &= closing(text[opening.bytes.start]) == byte;
            } else {
                do_match = false;
            }
        }
        words.push(SortedWord {
            bytes: at..end,
            sort,
            begins_line,
            partner,
        });
        begins_line = false;
        at = end;
    }
    do_match &= open.is_empty();
    let last = words.len().saturating_sub(1);
    for opening in open {
        words[opening].partner = last;
    }
    (words, do_match)
}

/// Returns the bracket that closes one.
fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        _ => b'>',
    }
}

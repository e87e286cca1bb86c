//! The forms of a script: lists in brackets, words and strings.

use std::ops::Range;

/// Returns the forms in a part of a text; `None` if its brackets do not match.
pub(super) fn forms(text: &[u8], part: Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut forms = Vec::new();
    let mut depth = 0_usize;
    let mut start = part.start;
    let mut at = part.start;
    while at < part.end {
        let end = unit_end(text, at, part.end)?;
        match text[at] {
            b'(' if end == at + 1 => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    forms.push(start..end);
                }
            }
            byte if depth > 0 || byte.is_ascii_whitespace() || is_comment(text, at) => {}
            _ => forms.push(at..end),
        }
        at = end;
    }
    (depth == 0).then_some(forms)
}

/// Returns the forms inside a list.
pub(super) fn inside(text: &[u8], list: &Range<usize>) -> Option<Vec<Range<usize>>> {
    match text[list.clone()] {
        [b'(', .., b')'] => forms(text, list.start + 1..list.end - 1),
        _ => None,
    }
}

/// Returns the brackets, words and strings of a text.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let first = text.get(at)?;
            let end = unit_end(text, at, text.len())?;
            let unit = &text[at..end];
            let is_gap = first.is_ascii_whitespace() || is_comment(text, at);
            at = end;
            if !is_gap {
                return Some(unit);
            }
        }
    })
}

fn is_comment(text: &[u8], at: usize) -> bool {
    matches!(text.get(at..at + 2), Some(b";;" | b"(;"))
}

/// Returns the end of a bracket, a string, a comment, a word, or a byte of white space.
fn unit_end(text: &[u8], at: usize, limit: usize) -> Option<usize> {
    let rest = &text[at..limit];
    let length = match rest {
        [b';', b';', ..] => rest.iter().position(|&byte| byte == b'\n'),
        [b'(', b';', ..] => return Some(at + comment_length(rest)?),
        [b'"', ..] => return Some(at + string_length(rest)?),
        [b'(' | b')', ..] => Some(1),
        [byte, ..] if byte.is_ascii_whitespace() => Some(1),
        _ => {
            let ends = |&byte: &u8| {
                byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'"' | b';')
            };
            rest.iter().skip(1).position(ends).map(|length| length + 1)
        }
    };
    Some(length.map_or(limit, |length| at + length))
}

/// Returns the length of a comment in brackets, in which others may be nested.
fn comment_length(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match text.get(at..at + 2)? {
            b"(;" => depth += 1,
            b";)" if depth == 1 => return Some(at + 2),
            b";)" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
    }
}

fn string_length(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Vec<&str>> {
        let forms = forms(text.as_bytes(), 0..text.len())?;
        Some(forms.into_iter().map(|form| &text[form]).collect())
    }

    #[test]
    fn lists_words_and_strings_are_forms() {
        let text = ";; (a\n(b (c) \")\\\"\") d(; (; ;) ( ;)\"e f\"(g)";
        let expected = ["(b (c) \")\\\"\")", "d", "\"e f\"", "(g)"];
        assert_eq!(read(text).as_deref(), Some(&expected[..]));
        assert_eq!(read(" "), Some(Vec::new()));
    }

    #[test]
    fn brackets_have_to_match() {
        for text in ["(a", "a)", "(a \")", "(; a"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

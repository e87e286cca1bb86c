//! The words of RTLIL.

use std::ops::Range;

use boildown_document::writable_module::string_end;

/// Divides a text into words, and returns those of each line that has any. Comments are no words,
/// and a string is one.
pub(super) fn lines(text: &[u8]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut lines = Vec::new();
    let mut first = 0;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\n' => {
                if first < words.len() {
                    lines.push(first..words.len());
                }
                first = words.len();
                at += 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            b'#' => at += text[at..].iter().take_while(|&&byte| byte != b'\n').count(),
            byte => {
                let end = match byte {
                    b'"' => string_end(text, at),
                    _ => at + word_length(&text[at..]),
                };
                words.push(at..end);
                at = end;
            }
        }
    }
    if first < words.len() {
        lines.push(first..words.len());
    }
    (words, lines)
}

fn word_length(text: &[u8]) -> usize {
    let is_part = |byte: &&u8| !byte.is_ascii_whitespace();
    text.iter().take_while(is_part).count()
}

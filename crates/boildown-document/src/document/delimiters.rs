//! Matching of delimiters.

use std::ops::Range;

use super::words::words;

/// Returns for each text the position of its partner, when it is an opening delimiter that has one.
///
/// A stray closing delimiter closes nothing. One that closes an outer pair leaves the inner ones
/// without partners.
pub(super) fn partners<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Vec<Option<usize>> {
    let mut partners = Vec::new();
    let mut open: Vec<(&[u8], usize)> = Vec::new();
    // The number of open delimiters of each sort, so that a stray closing one is not searched for.
    let mut waiting: [usize; 3] = [0; 3];
    let sort = |close: &[u8]| match close {
        b")" => 0,
        b"]" => 1,
        _ => 2,
    };
    for (at, text) in texts.enumerate() {
        partners.push(None);
        match text {
            b"(" | b"[" | b"{" => {
                let close: &[u8] = match text {
                    b"(" => b")",
                    b"[" => b"]",
                    _ => b"}",
                };
                waiting[sort(close)] += 1;
                open.push((close, at));
            }
            b")" | b"]" | b"}" if waiting[sort(text)] > 0 => {
                while let Some((wanted, opened)) = open.pop() {
                    waiting[sort(wanted)] -= 1;
                    if wanted == text {
                        partners[opened] = Some(at);
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    partners
}

/// Returns the pairs of lines of which the first opens a bracket that the second closes.
pub(super) fn pairs_of_lines(bytes: &[u8], lines: &[Range<u32>]) -> Vec<(usize, usize)> {
    let words: Vec<Range<usize>> = words(bytes, 0..bytes.len()).collect();
    let partners = partners(words.iter().map(|word| &bytes[word.clone()]));
    let line = |word: usize| lines.partition_point(|line| line.end as usize <= words[word].start);
    let pairs = partners.iter().enumerate();
    let mut pairs: Vec<(usize, usize)> = pairs
        .filter_map(|(open, close)| Some((line(open), line((*close)?))))
        .filter(|(open, close)| open < close)
        .collect();
    pairs.dedup();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stray_delimiters_have_no_partner() {
        let partners = |text: &str| partners(text.as_bytes().chunks(1));
        assert_eq!(
            partners("(a[b])"),
            [Some(5), None, Some(4), None, None, None]
        );
        assert_eq!(partners("([)]"), [Some(2), None, None, None]);
        assert_eq!(partners(")}(]"), [None; 4]);
    }
}

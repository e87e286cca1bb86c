//! The words that a culprit changes, with the text around them.

use boildown_changes::{ChangesError, Contents, WordTree};
use boildown_show::WordChangeRecord;

/// Number of characters that are shown of the text before and after a word.
const AROUND: usize = 24;
/// Number of characters that are shown of a word.
const MAX_WORD: usize = 80;

/// Returns the words of a tree.
pub(super) fn word_changes(
    words: Option<&WordTree>,
    contents: &Contents,
) -> Result<Vec<WordChangeRecord>, ChangesError> {
    let mut all = Vec::new();
    for (words, element) in words
        .iter()
        .flat_map(|it| (0..it.tree().len()).map(|at| (*it, at)))
    {
        let Some(change) = words.word(element, contents)? else {
            continue;
        };
        let [before, after] = change.around;
        all.push(WordChangeRecord {
            place: words.tree().location(element),
            deleted: first_characters(&change.deleted, MAX_WORD),
            inserted: first_characters(&change.inserted, MAX_WORD),
            before: last_characters(&before, AROUND),
            after: first_characters(&after, AROUND),
        });
    }
    Ok(all)
}

/// Returns the first characters of a text, with an ellipsis if there are more.
pub(super) fn first_characters(text: &[u8], count: usize) -> String {
    let text = String::from_utf8_lossy(text);
    match text.char_indices().nth(count) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

/// Returns the last characters of a text, after an ellipsis if there are more.
fn last_characters(text: &[u8], count: usize) -> String {
    let text = String::from_utf8_lossy(text);
    let start = text.char_indices().nth_back(count.saturating_sub(1));
    match start {
        Some((start, _)) if start > 0 => format!("…{}", &text[start..]),
        _ => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_a_word_is_cut() {
        assert_eq!(first_characters("añb".as_bytes(), 2), "añ…");
        assert_eq!(first_characters(b"ab", 2), "ab");
        assert_eq!(last_characters("añb".as_bytes(), 2), "…ñb");
        assert_eq!(last_characters(b"ab", 2), "ab");
        assert_eq!(last_characters(b"", 2), "");
    }
}

//! Words in texts.

/// Returns whether a text has a word: with no letter, digit, underscore or byte beyond ASCII before
/// it and after it. A word with such bytes only at its ends may have others inside, as `clang-14`.
///
/// ```
/// use boildown_oracle::has_word;
///
/// assert!(has_word(b"int main()", "main"));
/// assert!(!has_word(b"int domain, mainly;", "main"));
/// ```
#[must_use]
pub fn has_word(text: &[u8], word: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let found = text.windows(word.len().max(1)).enumerate();
    let mut found = found.filter(|(_, part)| *part == word.as_bytes());
    found.any(|(start, _)| {
        let before = start.checked_sub(1).map(|at| &text[at]);
        !before.is_some_and(is_part) && !text.get(start + word.len()).is_some_and(is_part)
    })
}

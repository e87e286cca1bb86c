//! Words of an input that its result still has, whole or in part.

use std::collections::{BTreeSet, HashSet};

use boildown_document::{Language, parts_of_joined};

use crate::redaction::{fixed_words, is_telling, keywords, mask, words};

/// As many characters of a word of the input tell it, wherever they are.
const TELLING_PART: usize = 4;

/// A part of a name, such as that between underscores, tells something from this length on.
const SHORTEST_PART: usize = 3;

/// A word of a result that is a word of the input, or has a part of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemainingWord {
    /// The path of the file, if the result is a folder.
    pub file: Option<Box<[u8]>>,
    /// The line of the file, from 1 up.
    pub line: usize,
    /// The word.
    pub word: Box<[u8]>,
}

/// Lists the words of a result that still tell words of the input, whatever replaced the others:
/// those that are one, have four characters of one in a row, or have a part of a name such as
/// `hiv` of `patient_hiv`. Keywords of the language, single letters and masks are left out. Letters
/// are compared without their case. Of joined texts of a folder, words of the paths of the result
/// are left out too: they can be seen there.
///
/// ```
/// use boildown_reduce::remaining_words;
///
/// let remaining = remaining_words(b"login ann failed: E17", b"a b\nc FAILED: a0", None);
/// assert_eq!((remaining[0].line, &*remaining[0].word), (2, &b"FAILED"[..]));
/// assert_eq!(remaining.len(), 1);
/// ```
#[must_use]
pub fn remaining_words(
    input: &[u8],
    result: &[u8],
    language: Option<&'static Language>,
) -> Vec<RemainingWord> {
    let known = KnownWords::of(input, language);
    let fixed = fixed_words(result, language);
    let files: Vec<(Option<&[u8]>, &[u8])> = match parts_of_joined(result) {
        None => vec![(None, result)],
        Some(parts) => (parts.iter())
            .map(|part| {
                (
                    Some(&result[part.path.clone()]),
                    &result[part.content.clone()],
                )
            })
            .collect(),
    };
    let mut remaining = BTreeSet::new();
    for (file, content) in files {
        for (line, text) in (1..).zip(content.split(|&byte| byte == b'\n')) {
            let found = words(text).map(|range| &text[range]);
            let telling = found.filter(|word| is_telling(word, &fixed) && known.tell(word));
            remaining.extend(telling.map(|word| RemainingWord {
                file: file.map(Box::from),
                line,
                word: word.into(),
            }));
        }
    }
    remaining.into_iter().collect()
}

/// What is known of an input, in small letters.
#[derive(Debug, Default)]
struct KnownWords {
    /// Its words, and the parts of its names.
    whole: HashSet<Vec<u8>>,
    parts: HashSet<[u8; TELLING_PART]>,
}

impl KnownWords {
    fn of(input: &[u8], language: Option<&'static Language>) -> Self {
        let fixed = keywords(input, language);
        let mut known = Self::default();
        for word in words(input).map(|range| &input[range]) {
            let small = word.to_ascii_lowercase();
            if fixed.contains(word) || known.whole.contains(&small) {
                continue;
            }
            known.parts.extend(parts_of_word(&small));
            let parts = parts_of_name(word).filter(|part| part.len() >= SHORTEST_PART);
            known.whole.extend(parts.map(<[u8]>::to_ascii_lowercase));
            known.whole.insert(small);
        }
        known
    }

    /// Returns whether a word of the result tells one of the input.
    fn tell(&self, word: &[u8]) -> bool {
        let small = word.to_ascii_lowercase();
        let says_something = |part: &[u8]| part != mask(part);
        let mut parts = parts_of_word(&small);
        let mut short = small.windows(SHORTEST_PART);
        self.whole.contains(&small)
            || parts.any(|part| says_something(&part) && self.parts.contains(&part))
            || short.any(|part| says_something(part) && self.whole.contains(part))
    }
}

/// Returns each run of characters that tells a word.
fn parts_of_word(word: &[u8]) -> impl Iterator<Item = [u8; TELLING_PART]> {
    let windows = word.windows(TELLING_PART);
    windows.filter_map(|window| window.try_into().ok())
}

/// Returns the parts of a name: between underscores, from each large letter that follows a small
/// one, letters and digits apart.
fn parts_of_name(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    name.chunk_by(|&before, &after| {
        let is_begun = before.is_ascii_lowercase() && after.is_ascii_uppercase();
        let is_number = before.is_ascii_digit() != after.is_ascii_digit();
        !(is_begun || is_number || before == b'_' || after == b'_')
    })
}

#[cfg(test)]
mod tests {
    use boildown_document::append_to_joined;

    use super::*;

    fn remaining(input: &str, result: &str) -> Vec<String> {
        let remaining = remaining_words(input.as_bytes(), result.as_bytes(), None);
        let words = remaining
            .iter()
            .map(|found| String::from_utf8_lossy(&found.word));
        words.map(|word| word.into_owned()).collect()
    }

    #[test]
    fn a_letter_with_digits_is_a_word_too() {
        assert_eq!(remaining("k7 x42", "a x42"), ["x42"]);
    }

    #[test]
    fn a_word_is_found_whatever_its_case() {
        let remaining = remaining_words(b"Ann wrote it", b"x\nANN", None);
        assert_eq!((remaining[0].line, remaining.len()), (2, 1));
    }

    #[test]
    fn words_that_were_joined_or_cut_are_found() {
        assert_eq!(remaining("Alice met Smith", "AliceSmith"), ["AliceSmith"]);
        assert_eq!(remaining("Secret_42", "Aacret_00"), ["Aacret_00"]);
        assert_eq!(remaining("patient_hiv 05", "hiv05"), ["hiv05"]);
        assert_eq!(remaining("patientHiv 05", "a_hiv"), ["a_hiv"]);
        assert_eq!(remaining("customer", "stom"), ["stom"]);
    }

    #[test]
    fn in_a_folder_words_of_files_that_are_left_are_not_listed_and_those_of_others_are() {
        let joined = |files: &[(&str, &str)]| {
            let mut joined = Vec::new();
            for (path, text) in files {
                assert!(append_to_joined(
                    &mut joined,
                    path.as_bytes(),
                    text.as_bytes()
                ));
            }
            joined
        };
        let input = joined(&[("hunter.txt", "x"), ("main.txt", "use hunter of main")]);
        let result = joined(&[("main.txt", "a\nb hunter c main")]);
        let remaining = remaining_words(&input, &result, None);
        let shown = remaining
            .iter()
            .map(|one| (one.file.as_deref(), one.line, &*one.word));
        let expected = [(Some(&b"main.txt"[..]), 2, &b"hunter"[..])];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn masks_and_new_names_are_not() {
        assert!(remaining("Secret_42 aaaa_b baaaad", "Aaaaaa_00 a0 b aaaaa 0").is_empty());
    }
}

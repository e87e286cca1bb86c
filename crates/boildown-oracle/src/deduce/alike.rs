//! Lines of two runs that are the same line but for words that vary from run to run.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// The part of the words of two lines that are equal if they are the same line of two runs.
pub(super) const LEAST_EQUAL: f64 = 0.5;

/// Stands for a word that varies from run to run.
const OPEN: &str = "…";

/// A word or a number, or one other character.
static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\w+(?:[.+-]\d\w*)*|[^\s\w]").expect("a test compiles it"));

/// Returns the ranges of the words of a line, and of its characters that belong to none.
pub(super) fn words(line: &str) -> Vec<Range<usize>> {
    WORD.find_iter(line).map(|word| word.range()).collect()
}

/// Returns the part of the words in which two lines of as many words are equal; 0 for others.
pub(super) fn likeness<T: PartialEq>(words: &[T], other: &[T]) -> f64 {
    let count = |number: usize| u32::try_from(number).map_or(f64::MAX, f64::from);
    if words.len() != other.len() || words.is_empty() {
        return 0.0;
    }
    let pairs = words.iter().zip(other);
    let equal = pairs.filter(|(word, other)| word == other).count();
    count(equal) / count(words.len())
}

/// Texts that are compared with one of another run.
pub(super) struct OtherTexts<'a> {
    /// The words of each, by their number.
    words: HashMap<usize, Vec<Vec<&'a str>>>,
}

impl<'a> OtherTexts<'a> {
    pub(super) fn new(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut all: HashMap<usize, Vec<Vec<&str>>> = HashMap::new();
        for text in texts {
            let words: Vec<&str> = words(text).into_iter().map(|word| &text[word]).collect();
            all.entry(words.len()).or_default().push(words);
        }
        Self { words: all }
    }

    /// Returns the words of a text in which the most similar of these texts differs. `None` when
    /// none of them is equal to it in more than half of the words.
    pub(super) fn varying(&self, text: &str) -> Option<Vec<Range<usize>>> {
        let ranges = words(text);
        let own: Vec<&str> = ranges.iter().map(|range| &text[range.clone()]).collect();
        let others = self.words.get(&own.len())?.iter();
        let (_, other) = others
            .map(|other| (likeness(&own, other), other))
            .filter(|(likeness, _)| *likeness > LEAST_EQUAL)
            .max_by(|(one, _), (other, _)| one.total_cmp(other))?;
        let pairs = ranges.into_iter().zip(own.iter().zip(other));
        let differ = pairs.filter(|(_, (word, other))| word != other);
        Some(differ.map(|(range, _)| range).collect())
    }
}

/// Returns a text in which the words are open that another run prints differently, and their
/// number. `None` when the other text is another one.
pub(super) fn opened(text: &str, other: &str) -> Option<(usize, String)> {
    let words = OtherTexts::new(std::iter::once(other)).varying(text)?;
    let mut opened = text.to_owned();
    for word in words.iter().rev() {
        opened.replace_range(word.clone(), OPEN);
    }
    Some((words.len(), opened))
}

/// Returns whether a text is this one, of which some words may be open.
pub(super) fn is_opened(text: &str, open: &str) -> bool {
    let is_alike = || {
        let (own, other) = (words(text), words(open));
        let mut pairs = own.iter().zip(&other);
        let is_same = |word: &Range<usize>, other: &Range<usize>| {
            let other = &open[other.clone()];
            other == OPEN || text[word.clone()] == *other
        };
        own.len() == other.len() && pairs.all(|(word, other)| is_same(word, other))
    };
    text == open || (open.contains(OPEN) && is_alike())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_vary() {
        let text = "job 3f: failed after 1e-05 s in /tmp/ab";
        let others = OtherTexts::new(
            [
                "job 77: failed after 0.5 s in /tmp/xy",
                "nothing of the kind",
            ]
            .into_iter(),
        );
        let found = others.varying(text).unwrap();
        let found: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["3f", "1e-05", "ab"]);
        assert_eq!(others.varying("another line"), None);
        assert_eq!(others.varying("nothing of the kind"), Some(Vec::new()));
    }
}

//! Redaction: words of the input are replaced by words that say nothing, where the property allows
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_document::{
    Candidate, Check, Document, Language, Substitutes, is_word, parts_of_joined,
};
use boildown_search::{Query, Search, Subset, Verdict};

use crate::canonical::words_of_language;

/// The most places in which a word is tried alone.
const MOST_PLACES: usize = 32;

/// The odds that words can be replaced.
const ODDS: f64 = 0.7;

/// Replaces words by short names, all at first, and those that cannot go together in halves. A word
/// that has to keep its length gets a letter for each letter, a zero for each digit. If that misses
/// too, it is tried in each place alone, and on halves of the word, their halves and so on.
///
/// Words are runs of letters, digits, underscores and bytes beyond ASCII, wherever they are: names,
/// strings, comments, paths, numbers of two digits or more. Keywords of the language stay, and in a
/// joined text the words of the paths of its files.
///
/// Example: `int total = read("/home/ann/x7");` becomes `int a = b("/c/d/e");`, or, if the property
/// needs the call, `int a = read("/c/d/e");`.
///
/// # Guarantee
/// Each hit is smaller in every order on texts: no word becomes longer, and letters of the same
/// length come earlier. Linear in the number of words, but for those that miss, which take up to
/// two queries for each letter.
#[derive(Debug, Clone)]
pub(crate) struct Redaction {
    /// The document of one token.
    document: Arc<Document>,
    /// The text with all replacements that hit.
    best: Arc<[u8]>,
    /// The attempts that are to come, the next one last.
    later: Vec<Attempt>,
    next: Option<(Attempt, Candidate)>,
    has_hit: bool,
}

/// What is tried at once.
#[derive(Debug, Clone)]
enum Attempt {
    /// Each of these words gets a name of its own everywhere.
    Named(Arc<[Word]>),
    /// The word is masked everywhere.
    Masked(Word),
    /// The word is masked in the place of this number, counted from the end.
    MaskedAt(Word, usize),
    /// These characters of the word are masked everywhere.
    MaskedPart(Word, Range<usize>),
}

type Word = Arc<[u8]>;

impl Redaction {
    /// Starts on a document of one token.
    pub(crate) fn new(document: &Arc<Document>, language: Option<&'static Language>) -> Self {
        let best: Arc<[u8]> = document.bytes().as_ref().into();
        let mut seen = BTreeSet::new();
        let fixed = fixed_words(&best, language);
        let words = words(&best).map(|range| &best[range]);
        let telling = words.filter(|word| is_telling(word, &fixed) && seen.insert(*word));
        let telling: Vec<Word> = telling.map(Arc::from).collect();
        let later = match telling.is_empty() {
            true => Vec::new(),
            false => vec![Attempt::Named(telling.into())],
        };
        let mut search = Self {
            document: Arc::clone(document),
            best,
            later,
            next: None,
            has_hit: false,
        };
        search.advance();
        search
    }

    /// Moves on to the next attempt that changes something.
    fn advance(&mut self) {
        self.next = None;
        while let Some(attempt) = self.later.pop() {
            let text = attempt.on(&self.best);
            if text != *self.best {
                let candidate = self.candidate(text.into());
                self.next = Some((attempt, candidate));
                return;
            }
        }
    }

    fn candidate(&self, text: Arc<[u8]>) -> Candidate {
        let all = Subset::full(self.document.len());
        let candidate = Candidate::new(Arc::clone(&self.document), all, Check::Nothing);
        candidate.with(Arc::new(Substitutes::from([(0, text)])))
    }

    /// Plans what is tried in place of an attempt that missed.
    fn divide(&mut self, attempt: Attempt) {
        match attempt {
            Attempt::Named(words) if words.len() > 1 => {
                let (first, second) = words.split_at(words.len() / 2);
                self.later.push(Attempt::Named(second.into()));
                self.later.push(Attempt::Named(first.into()));
            }
            Attempt::Named(words) => {
                let masked = words.iter().cloned().map(Attempt::Masked);
                self.later.extend(masked);
            }
            Attempt::Masked(word) => {
                let places = places_of(&word, &self.best).take(MOST_PLACES + 1).count();
                if (2..=MOST_PLACES).contains(&places) {
                    let each = (0..places).map(|place| Attempt::MaskedAt(Arc::clone(&word), place));
                    self.later.extend(each.rev());
                }
                self.divide_part(&word, &(0..word.len()));
            }
            Attempt::MaskedAt(..) => {}
            Attempt::MaskedPart(word, part) => self.divide_part(&word, &part),
        }
    }

    /// Plans attempts on both halves of a part of a word, whose characters are single bytes.
    fn divide_part(&mut self, word: &Word, part: &Range<usize>) {
        if part.len() > 1 && word.is_ascii() {
            let middle = usize::midpoint(part.start, part.end);
            let halves = [middle..part.end, part.start..middle];
            let halves = halves.map(|half| Attempt::MaskedPart(Arc::clone(word), half));
            self.later.extend(halves);
        }
    }

    /// Has the attempts to come mean a word that was changed.
    fn rename(&mut self, old: &Word, new: &Word) {
        for attempt in &mut self.later {
            match attempt {
                Attempt::Masked(word)
                | Attempt::MaskedAt(word, _)
                | Attempt::MaskedPart(word, _)
                    if word == old =>
                {
                    *word = Arc::clone(new);
                }
                _ => {}
            }
        }
    }
}

impl Attempt {
    /// Returns the text after the attempt.
    fn on(&self, text: &[u8]) -> Vec<u8> {
        match self {
            Self::Named(words) => {
                let names = names_for(words, text);
                replaced(text, |_, word| names.get(word).cloned())
            }
            Self::Masked(word) => {
                let mask = mask(word);
                replaced(text, |_, found| (*found == **word).then(|| mask.clone()))
            }
            Self::MaskedPart(word, part) => {
                let masked = masked_part(word, part);
                replaced(text, |_, found| (*found == **word).then(|| masked.clone()))
            }
            Self::MaskedAt(word, from_end) => {
                let places: Vec<_> = places_of(word, text).collect();
                let place = places.len().checked_sub(from_end + 1);
                let place = place.map(|place| places[place].clone());
                let mask = mask(word);
                replaced(text, |range, _| {
                    (Some(range) == place.as_ref()).then(|| mask.clone())
                })
            }
        }
    }
}

impl Search for Redaction {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        let (_, candidate) = self.next.as_ref()?;
        Some(Query {
            candidate: candidate.clone(),
            odds: ODDS,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        let Some((attempt, candidate)) = self.next.take() else {
            return;
        };
        if verdict.is_interesting() {
            self.best = Arc::clone(candidate.bytes());
            self.has_hit = true;
            if let Attempt::MaskedPart(word, part) = &attempt {
                let new = masked_part(word, part).into();
                self.rename(word, &new);
            }
        } else {
            self.divide(attempt);
        }
        self.advance();
    }

    fn skip(&mut self) {
        if let Some((attempt, _)) = self.next.take() {
            self.divide(attempt);
        }
        self.advance();
    }

    fn best(&self) -> Candidate {
        match self.has_hit {
            true => self.candidate(Arc::clone(&self.best)),
            false => Candidate::new(
                Arc::clone(&self.document),
                Subset::full(self.document.len()),
                Check::Nothing,
            ),
        }
    }
}

/// Returns where the words of a text are.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let all = boildown_document::words(text, 0..text.len());
    all.filter(|range| is_word(text[range.start]))
}

fn places_of<'a>(word: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
    words(text).filter(move |range| text[range.clone()] == *word)
}

/// Returns the text with other words in the place of some.
fn replaced(text: &[u8], mut by: impl FnMut(&Range<usize>, &[u8]) -> Option<Vec<u8>>) -> Vec<u8> {
    let (mut written, mut copied) = (Vec::with_capacity(text.len()), 0);
    for range in words(text) {
        if let Some(other) = by(&range, &text[range.clone()]) {
            written.extend(&text[copied..range.start]);
            written.extend(other);
            copied = range.end;
        }
    }
    written.extend(&text[copied..]);
    written
}

/// Returns whether a word may tell something: it has two letters or digits at least, does not
/// belong to the language, and is no mask.
pub(crate) fn is_telling(word: &[u8], fixed: &BTreeSet<&[u8]>) -> bool {
    word.len() > 1 && word != mask(word) && !fixed.contains(word)
}

/// Returns the words of a text that stay: those of its language, and in a joined text those of the
/// paths, because files keep their names.
pub(crate) fn fixed_words<'a>(
    text: &'a [u8],
    language: Option<&'static Language>,
) -> BTreeSet<&'a [u8]> {
    let mut fixed = keywords(text, language);
    for part in parts_of_joined(text).unwrap_or_default() {
        let path = &text[part.path];
        fixed.extend(words(path).map(|range| &path[range]));
    }
    fixed
}

/// Returns the words of a text that belong to its language; in a joined text, those of each text.
pub(crate) fn keywords<'a>(
    text: &'a [u8],
    language: Option<&'static Language>,
) -> BTreeSet<&'a [u8]> {
    let of_language = |text: &'a [u8], language: Option<&'static Language>| {
        language.map_or_else(BTreeSet::new, |language| words_of_language(text, language))
    };
    match parts_of_joined(text) {
        None => of_language(text, language),
        Some(parts) => (parts.into_iter())
            .flat_map(|part| of_language(&text[part.content.clone()], part.language(text)))
            .collect(),
    }
}

/// Returns whether a word is a letter and digits, as the names that redaction gives: another one
/// would say as little.
fn is_short_name(word: &[u8]) -> bool {
    let (first, rest) = word
        .split_first()
        .map_or((b'_', &[][..]), |(first, rest)| (*first, rest));
    first.is_ascii_lowercase() && rest.len() < 3 && rest.iter().all(u8::is_ascii_digit)
}

/// Returns a word of the same length that says nothing: `a` for each small letter, `A` for each
/// large one, `0` for each digit. A prefix such as `0x` stays.
pub(crate) fn mask(word: &[u8]) -> Vec<u8> {
    let is_number = word.first().is_some_and(u8::is_ascii_digit);
    let prefix = match word {
        [b'0', b'x' | b'X' | b'b' | b'o', _, ..] => 2,
        _ => 0,
    };
    let masked = word
        .iter()
        .enumerate()
        .filter_map(|(at, &byte)| match byte {
            _ if at < prefix => Some(byte),
            byte if byte.is_ascii_digit() || is_number && byte.is_ascii_hexdigit() => Some(b'0'),
            byte if byte.is_ascii_uppercase() => Some(b'A'),
            byte if byte.is_ascii_lowercase() => Some(b'a'),
            // The later bytes of a character.
            byte if byte & 0xc0 == 0x80 => None,
            byte if !byte.is_ascii() => Some(b'a'),
            byte => Some(byte),
        });
    masked.collect()
}

/// Returns a word with a mask in the place of a part. Its characters are single bytes.
fn masked_part(word: &[u8], part: &Range<usize>) -> Vec<u8> {
    let mask = mask(word);
    [&word[..part.start], &mask[part.clone()], &word[part.end..]].concat()
}

/// Returns a name for each word that is not in the text: `a`, `b` and so on, then `a0`. A number
/// becomes 0. Words that no shorter name is left for are left out.
fn names_for<'a>(words: &'a [Word], text: &[u8]) -> BTreeMap<&'a [u8], Vec<u8>> {
    let used: BTreeSet<&[u8]> = self::words(text).map(|range| &text[range]).collect();
    let letters = || (b'a'..=b'z').map(|letter| vec![letter]);
    let longer = letters().flat_map(|letter| {
        (0..100).map(move |number: u8| [letter.clone(), number.to_string().into_bytes()].concat())
    });
    let mut names = letters()
        .chain(longer)
        .filter(|name| !used.contains(&**name));
    let each = words
        .iter()
        .filter_map(|word| match word[0].is_ascii_digit() {
            true => Some((&**word, b"0".to_vec())),
            false => {
                let name = names.next()?;
                let is_smaller = !is_short_name(word) && *name < **word;
                (name.len() < word.len() || is_smaller).then_some((&**word, name))
            }
        });
    each.collect()
}

#[cfg(test)]
mod tests {
    use boildown_document::View;

    use super::*;

    /// Redacts a text, of which these words have to stay. Returns the result and the queries.
    fn redacted(text: &str, needed: &[&str], language: Option<&str>) -> (String, usize) {
        let document = Arc::new(Document::new(
            &text.as_bytes().into(),
            View::Bytes(usize::MAX),
        ));
        let language = language.map(|name| Language::named(name).unwrap());
        let mut search = Redaction::new(&document, language);
        let mut queries = 0;
        while let Some(query) = search.ask() {
            queries += 1;
            let text = String::from_utf8_lossy(query.candidate.bytes()).into_owned();
            search.tell(match needed.iter().all(|word| text.contains(word)) {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            });
        }
        let best = search.best();
        (String::from_utf8_lossy(best.bytes()).into_owned(), queries)
    }

    #[test]
    fn names_strings_comments_paths_and_numbers_are_replaced_at_once() {
        let text = "int total = read(\"/home/ann/x7_log\", 1234); // of Ann Smith\n";
        let (result, queries) = redacted(text, &[], Some("c"));
        assert_eq!(result, "int a = b(\"/c/d/e\", 0); // f g h\n");
        assert_eq!(queries, 1);
    }

    #[test]
    fn a_word_that_the_property_needs_stays_and_the_others_go() {
        let (result, _) = redacted("alpha beta gamma delta", &["gamma"], None);
        assert_eq!(result, "a b gamma c");
    }

    #[test]
    fn a_word_that_has_to_keep_its_form_is_masked() {
        let shape = |text: &str| text.len() == 9 && text.ends_with("00");
        let document = Arc::new(Document::new(
            &(*b"Secret_42").into(),
            View::Bytes(usize::MAX),
        ));
        let mut search = Redaction::new(&document, None);
        while let Some(query) = search.ask() {
            let text = String::from_utf8_lossy(query.candidate.bytes()).into_owned();
            let is_shaped = shape(&text);
            search.tell(if is_shaped {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
        }
        assert_eq!(&**search.best().bytes(), b"Aaaaaa_00");
    }

    #[test]
    fn a_mask_is_never_larger_than_the_word() {
        for word in ["0x1F", "zebra", "Zürich", "a_b", "12ab", "__FILE__"] {
            let mask = mask(word.as_bytes());
            assert!(
                mask.len() <= word.len() && mask.as_slice() <= word.as_bytes(),
                "{word}"
            );
        }
        assert_eq!(mask("0x1F".as_bytes()), b"0x00");
        assert_eq!(mask("Zürich".as_bytes()), b"Aaaaaa");
    }

    #[test]
    fn a_letter_with_digits_is_a_word_too() {
        assert_eq!(redacted("k7 x42", &[], None).0, "a b");
    }

    #[test]
    fn of_a_word_only_the_letters_that_are_needed_stay() {
        let (result, queries) = redacted("x = Secret_42 + 1", &["cret"], None);
        assert_eq!(result, "x = Aacret_00 + 1");
        assert_eq!(queries, 12);
        let (result, _) = redacted("patient_hiv, patient_hiv", &["_hiv, "], None);
        assert_eq!(result, "aaaaaaa_hiv, aaaaaaa_aaa");
    }
}

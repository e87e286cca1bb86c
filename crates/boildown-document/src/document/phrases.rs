//! Groups of a text in no known language: from a delimiter to its partner, and from the words that
//! begin a part to those that end it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::delimiters::partners;
use super::words::is_word;

/// A part of a text, as positions of its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// What begins it.
    pub(super) opening: Range<usize>,
    /// What ends it.
    pub(super) closing: Range<usize>,
}

/// Words that begin a part, and those that end it when the same name follows: `\begin{table}` and
/// `\end{table}`, `BEGIN:VEVENT` and `END:VEVENT`.
const PAIRS: [(&[u8], &[u8]); 7] = [
    (b"begin", b"end"),
    (b"start", b"end"),
    (b"start", b"stop"),
    (b"open", b"close"),
    (b"enter", b"leave"),
    (b"enter", b"exit"),
    (b"push", b"pop"),
];

/// Words that end what another word begins. So does `end` before that word, and `/` in a tag.
const LAST_WORDS: [(&[u8], &[u8]); 6] = [
    (b"if", b"fi"),
    (b"ifdef", b"endif"),
    (b"ifndef", b"endif"),
    (b"case", b"esac"),
    (b"do", b"done"),
    (b"do", b"od"),
];

/// The most parts without an end that are looked through for a beginning.
const MOST_OPEN: usize = 32;

/// The most words of a tag.
const LONGEST_TAG: usize = 32;

/// Returns the groups of a text, outer ones before those that begin at the same word. They are
/// disjoint or one within another; only the first and the last words of a group may hold another.
pub(super) fn groups(bytes: &[u8], words: &[Range<usize>]) -> Vec<Group> {
    let text = Text {
        bytes,
        words,
        partners: partners(words.iter().map(|word| &bytes[word.clone()])),
    };
    let brackets = text.partners.iter().enumerate();
    let brackets = brackets.filter_map(|(open, close)| Some((open, (*close)?)));
    let mut groups: Vec<Group> = brackets
        .map(|(open, close)| Group {
            opening: open..open + 1,
            closing: close..close + 1,
        })
        .collect();
    groups.extend(text.parts());
    groups.sort_by_key(|group| (group.opening.start, usize::MAX - group.closing.end));
    groups
}

/// A text, its words, and the partners of its delimiters.
struct Text<'a> {
    bytes: &'a [u8],
    words: &'a [Range<usize>],
    partners: Vec<Option<usize>>,
}

/// Words that may begin or end a part.
#[derive(Debug, Clone)]
struct Phrase<'a> {
    /// Their positions.
    words: Range<usize>,
    form: Form,
    /// The word that says so, and the name after it, in lower case.
    word: Cow<'a, [u8]>,
    name: Cow<'a, [u8]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `begin x`.
    Plain,
    /// `{% if x %}`, `[b]`.
    InBrackets,
    /// `<b>`.
    Tag,
}

impl Phrase<'_> {
    /// Returns whether this ends what another phrase begins.
    fn ends(&self, first: &Self) -> bool {
        let pair = (&*first.word, &*self.word);
        let ends_name = *self.word == *b"end" && self.name == first.word;
        self.form == first.form
            && ((PAIRS.contains(&pair) && self.name == first.name)
                || LAST_WORDS.contains(&pair)
                || ends_name
                || self.word_ended() == Some(&*first.word))
    }

    /// Returns the word that `endif` or `/if` ends.
    fn word_ended(&self) -> Option<&[u8]> {
        let rest = self.word.strip_prefix(b"end");
        let rest = rest.or_else(|| self.word.strip_prefix(b"/"))?;
        (!rest.is_empty()).then_some(rest)
    }

    /// Returns whether this may end a part, whatever is before it.
    fn may_end(&self) -> bool {
        let word = &*self.word;
        let mut pairs = PAIRS.iter().chain(&LAST_WORDS);
        pairs.any(|(_, last)| *last == word) || self.word_ended().is_some()
    }

    /// Returns the words that begin what this ends.
    fn first_words(&self) -> impl Iterator<Item = Vec<u8>> {
        let pairs = PAIRS.iter().chain(&LAST_WORDS);
        let known = pairs.filter(|(_, last)| *last == &*self.word);
        let known = known.map(|(first, _)| first.to_vec());
        let own = self.word_ended().map(<[u8]>::to_vec);
        let named = (*self.word == *b"end").then(|| self.name.to_vec());
        known.chain(own).chain(named)
    }
}

impl Text<'_> {
    /// Returns the groups that words begin and end.
    fn parts(&self) -> Vec<Group> {
        let phrases = self.phrases();
        // The words that begin what something in the text may end, by their forms.
        let mut firsts: [BTreeSet<Vec<u8>>; 3] = Default::default();
        let last = phrases.iter().flatten().filter(|phrase| phrase.may_end());
        for phrase in last {
            firsts[phrase.form as usize].extend(phrase.first_words());
        }
        let mut groups = Vec::new();
        // The phrases that may begin a part, in each bracket around the word.
        let mut open: Vec<(usize, Vec<&Phrase<'_>>)> = vec![(self.words.len(), Vec::new())];
        let mut at = 0;
        while at < self.words.len() {
            while open.last().is_some_and(|(end, _)| *end <= at) {
                open.pop();
            }
            let Some((_, here)) = open.last_mut() else {
                break;
            };
            let phrase = phrases[at].as_ref();
            if let Some(phrase) = phrase.filter(|phrase| phrase.may_end()) {
                let recent = here.len().saturating_sub(MOST_OPEN)..here.len();
                let first = recent.rev().find(|&index| phrase.ends(here[index]));
                if let Some(index) = first {
                    groups.push(group(here[index], phrase));
                    here.truncate(index);
                    at = phrase.words.end;
                    continue;
                }
            }
            let is_first =
                |phrase: &&Phrase<'_>| firsts[phrase.form as usize].contains(&*phrase.word);
            if let Some(phrase) = phrase.filter(is_first) {
                here.push(phrase);
                at = phrase.words.end;
                continue;
            }
            if let Some(close) = self.partners[at] {
                open.push((close, Vec::new()));
            }
            at += 1;
        }
        groups
    }

    /// Returns the phrase that begins at each word.
    fn phrases(&self) -> Vec<Option<Phrase<'_>>> {
        let mut phrases = vec![None; self.words.len()];
        for at in 0..self.words.len() {
            let found = match self.word(at) {
                b"{" | b"[" | b"(" => self.in_brackets(at),
                b"<" => self.tag(at),
                word if is_word(word[0]) => Some(self.plain(at)),
                _ => None,
            };
            if let Some(phrase) = found {
                let start = phrase.words.start;
                phrases[start] = Some(phrase);
            }
        }
        phrases
    }

    fn word(&self, at: usize) -> &[u8] {
        self.words
            .get(at)
            .map_or(&[], |word| &self.bytes[word.clone()])
    }

    /// Returns whether nothing is between a word and the one before it.
    fn touches(&self, at: usize) -> bool {
        at > 0 && at < self.words.len() && self.words[at - 1].end == self.words[at].start
    }

    /// Returns `\begin{table}`, `BEGIN:VEVENT`, `end if`, or one word.
    fn plain(&self, at: usize) -> Phrase<'_> {
        let has_mark = self.touches(at) && matches!(self.word(at - 1), b"\\" | b"@" | b"#" | b".");
        let word = lower(self.word(at));
        let is_of_pair = |(first, last): &(&[u8], &[u8])| *first == &*word || *last == &*word;
        let takes_name = PAIRS.iter().any(is_of_pair);
        let (mut name, mut end) = (lower(&[]), at + 1);
        if takes_name && let Some(close) = self.partners.get(at + 1).copied().flatten() {
            if self.touches(at + 1) {
                end = close + 1;
                name = self.between(at + 2, close);
            }
        } else if takes_name {
            let has_colon = self.touches(at + 1) && matches!(self.word(at + 1), b":" | b"-");
            let next = at + 1 + usize::from(has_colon);
            let line = self
                .words
                .get(next)
                .map(|word| self.words[at].end..word.start);
            let same_line = line.is_some_and(|gap| !self.bytes[gap].contains(&b'\n'));
            if same_line && is_word(self.word(next)[0]) {
                end = next + 1;
                name = lower(self.word(next));
            }
        }
        Phrase {
            words: at - usize::from(has_mark)..end,
            form: Form::Plain,
            word,
            name,
        }
    }

    /// Returns `{% if x %}`, `{{/each}}` or `[b]`.
    fn in_brackets(&self, at: usize) -> Option<Phrase<'_>> {
        let close = self.partners[at]?;
        let marks = (at + 1..close.min(at + 4)).take_while(|&mark| !is_word(self.word(mark)[0]));
        let marks: Vec<&[u8]> = marks.map(|mark| self.word(mark)).collect();
        let word = self.word(at + 1 + marks.len()).to_ascii_lowercase();
        let is_last = marks.contains(&b"/".as_slice());
        let slash = is_last.then_some(b'/');
        is_word(*word.first()?).then(|| Phrase {
            words: at..close + 1,
            form: Form::InBrackets,
            word: slash.into_iter().chain(word).collect::<Vec<u8>>().into(),
            name: lower(&[]),
        })
    }

    /// Returns `<b>` or `</b>`.
    fn tag(&self, at: usize) -> Option<Phrase<'_>> {
        let is_last = self.word(at + 1) == b"/";
        let name = at + 1 + usize::from(is_last);
        let word = self.word(name).to_ascii_lowercase();
        let mut rest = name + 1..self.words.len().min(name + LONGEST_TAG);
        let close = rest.find(|&end| matches!(self.word(end), b">" | b"<"))?;
        let is_whole = self.word(close) == b">" && self.word(close - 1) != b"/";
        let slash = is_last.then_some(b'/');
        (is_whole && is_word(*word.first()?)).then(|| Phrase {
            words: at..close + 1,
            form: Form::Tag,
            word: slash.into_iter().chain(word).collect::<Vec<u8>>().into(),
            name: lower(&[]),
        })
    }

    /// Returns the text of words, in lower case.
    fn between(&self, start: usize, end: usize) -> Cow<'_, [u8]> {
        match start < end {
            true => lower(&self.bytes[self.words[start].start..self.words[end - 1].end]),
            false => lower(&[]),
        }
    }
}

/// Returns a text in lower case.
fn lower(text: &[u8]) -> Cow<'_, [u8]> {
    match text.iter().any(u8::is_ascii_uppercase) {
        true => text.to_ascii_lowercase().into(),
        false => text.into(),
    }
}

/// Returns the group from one phrase to the other. Phrases in brackets are groups by themselves.
fn group(first: &Phrase<'_>, last: &Phrase<'_>) -> Group {
    let (first, opening) = (first.form, first.words.clone());
    match first {
        Form::InBrackets => Group {
            opening: opening.start..opening.start,
            closing: last.words.end..last.words.end,
        },
        Form::Plain | Form::Tag => Group {
            opening,
            closing: last.words.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::words::words;

    /// Returns the text of each group that words begin and end.
    fn parts(text: &str) -> Vec<&str> {
        let words: Vec<_> = words(text.as_bytes(), 0..text.len()).collect();
        let groups = groups(text.as_bytes(), &words).into_iter();
        let parts = groups.filter(|group| group.opening.len() != 1 || group.closing.len() != 1);
        parts
            .map(|group| &text[words[group.opening.start].start..words[group.closing.end - 1].end])
            .collect()
    }

    #[test]
    fn parts_end_where_their_name_is_ended() {
        let table = r"\begin{table}[h] \begin{tabular}{lr} a & b \end{tabular} \end{table}";
        assert_eq!(parts(table), [table, &table[17..56]]);
        let event = "BEGIN:VEVENT\nUID:1\nEND:VEVENT";
        assert_eq!(parts(&format!("BEGIN:VCAL\n{event}\nEND:VNOTE")), [event]);
        assert_eq!(
            parts("IF A > 1\n STOP\nEND-IF"),
            ["IF A > 1\n STOP\nEND-IF"]
        );
        assert_eq!(parts("#ifdef A\nb\n#endif c"), ["#ifdef A\nb\n#endif"]);
    }

    #[test]
    fn parts_of_templates_and_marked_text_are_found() {
        let template = "{% if a %}b{% for c in d %}{{ c }}{% endfor %}{% endif %}";
        assert_eq!(parts(template), [template, &template[11..46]]);
        let each = "{{#each a}}{{b}}{{/each}}";
        assert_eq!(parts(each), [each]);
        assert_eq!(
            parts("a [b]c[/b] <i x=1>d</i> <br/>"),
            ["[b]c[/b]", "<i x=1>d</i>"]
        );
    }

    #[test]
    fn a_part_does_not_cross_a_bracket() {
        assert_eq!(parts("{ begin a } end a"), <[&str; 0]>::default());
        assert_eq!(parts("the end of a start"), <[&str; 0]>::default());
        assert_eq!(parts("<a (> begin b ) end b"), <[&str; 0]>::default());
    }
}

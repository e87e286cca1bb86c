//! Lines and texts that the user requires in every candidate.

use std::collections::BTreeMap;

use regex::bytes::Regex;

/// Lines and texts that every candidate has to contain.
///
/// All stay as they are in the input, white space included, and as often. Example: `--keep 'a+'` of
/// an input `aa b a b a` keeps the texts `aa`, `a` and `a`: a candidate `aa a a` has them, and
/// `aa a b` or `aaaa` do not.
#[derive(Debug, Clone, Default)]
pub struct Keep {
    patterns: Vec<KeptMatches>,
    /// The lines that have to stay, and how often each.
    lines: BTreeMap<Vec<u8>, usize>,
}

/// The matches of a regular expression, which have to stay.
#[derive(Debug, Clone)]
struct KeptMatches {
    pattern: Regex,
    /// The texts that match in the input, and how often each.
    texts: BTreeMap<Vec<u8>, usize>,
}

impl KeptMatches {
    fn is_in(&self, text: &[u8]) -> bool {
        let matches = self.pattern.find_iter(text).map(|found| found.as_bytes());
        is_counted(&self.texts, matches)
    }
}

/// Returns whether each wanted text is among `texts` as often as it has to be.
fn is_counted<'a>(
    wanted: &BTreeMap<Vec<u8>, usize>,
    texts: impl Iterator<Item = &'a [u8]>,
) -> bool {
    let mut counts: BTreeMap<&[u8], usize> = BTreeMap::new();
    for text in texts {
        if wanted.contains_key(text) {
            *counts.entry(text).or_default() += 1;
        }
    }
    let has =
        |(text, count): (&Vec<u8>, &usize)| counts.get(&**text).is_some_and(|has| has >= count);
    wanted.iter().all(has)
}

/// Marks a line that has to stay.
const MARK: &[u8] = b"boildown: keep";

impl Keep {
    /// Returns the requirements that the input states itself: a line with the words `boildown:
    /// keep` stays, and so do all lines from one with `boildown: keep from here` to one with
    /// `boildown: keep to here`.
    #[must_use]
    pub fn marked(input: &[u8]) -> Self {
        let mut keep = Self::default();
        let mut inside = false;
        for line in input.split(|&byte| byte == b'\n') {
            let has = |words: &[u8]| line.windows(words.len()).any(|window| window == words);
            inside |= has(b"boildown: keep from here");
            if inside || has(MARK) {
                keep.line(line);
            }
            inside &= !has(b"boildown: keep to here");
        }
        keep
    }

    /// Adds a requirement: the lines `12` or `10-20` of the input, counted from 1, or all matches
    /// of a regular expression.
    ///
    /// # Errors
    /// A description of the error: it is neither, there are no such lines, or the input has no
    /// match.
    pub fn add(&mut self, wanted: &str, input: &[u8]) -> Result<(), String> {
        if let Some((first, last)) = lines(wanted) {
            let text = input.strip_suffix(b"\n").unwrap_or(input);
            let all: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
            if first == 0 || first > last || last > all.len() {
                return Err(format!("the input has lines 1 to {}", all.len()));
            }
            all[first - 1..last].iter().for_each(|line| self.line(line));
            return Ok(());
        }
        let pattern = Regex::new(&format!("(?m){wanted}"))
            .map_err(|error| format!("not a regular expression: {error}"))?;
        let mut texts = BTreeMap::new();
        for found in pattern.find_iter(input).filter(|found| !found.is_empty()) {
            *texts.entry(found.as_bytes().to_vec()).or_default() += 1;
        }
        if texts.is_empty() {
            return Err("the input does not match it".to_owned());
        }
        self.patterns.push(KeptMatches { pattern, texts });
        Ok(())
    }

    /// Returns whether there are no requirements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty() && self.lines.is_empty()
    }

    /// Returns whether a text fulfils all requirements.
    #[must_use]
    pub fn is_in(&self, text: &[u8]) -> bool {
        let lines = || text.split(|&byte| byte == b'\n');
        self.patterns.iter().all(|kept| kept.is_in(text))
            && (self.lines.is_empty() || is_counted(&self.lines, lines()))
    }

    fn line(&mut self, line: &[u8]) {
        if !line.trim_ascii().is_empty() {
            *self.lines.entry(line.to_vec()).or_default() += 1;
        }
    }
}

/// Reads `12` or `10-20`.
fn lines(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some((first.parse().ok()?, last.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUT: &[u8] = b"int a;\n  int b; // boildown: keep\nint c;\nint d; // boildown: keep from here\nint e;\nint f; // boildown: keep to here\nint g;\n";

    #[test]
    fn marked_lines_and_regions_are_required_as_they_are() {
        let keep = Keep::marked(INPUT);
        assert!(keep.is_in(INPUT));
        let smaller = b"  int b; // boildown: keep\nint d; // boildown: keep from here\nint e;\nint f; // boildown: keep to here";
        assert!(keep.is_in(smaller));
        for line in ["  int b", "int e", "int f"] {
            let without: Vec<u8> = String::from_utf8_lossy(smaller)
                .replace(line, "int")
                .into_bytes();
            assert!(!keep.is_in(&without), "{line}");
        }
        assert!(Keep::marked(b"int a;\n").is_empty());
    }

    #[test]
    fn lines_and_matches_of_the_input_can_be_required() {
        let mut keep = Keep::default();
        keep.add("3", INPUT).expect("there is a third line");
        keep.add("5-5", INPUT).expect("there is a fifth line");
        keep.add("^int [gh];$", INPUT).expect("it matches");
        assert!(keep.is_in(b"int c;\nint e;\nint g;\n"));
        assert!(!keep.is_in(b"int c;\nint e;\nint h;\n"));
        assert!(!keep.is_in(b"int c;\nint e;\n"));
        assert!(!keep.is_in(b"int e;\nint g;\n"));
    }

    #[test]
    fn all_matches_and_equal_lines_stay_and_keep_their_indentation() {
        let input = b"if x:\n    log(1)\nelse:\n    log(1)\n    log(2)\n";
        let mut keep = Keep::default();
        keep.add(r"log\(\d\)", input).expect("it matches");
        assert!(keep.is_in(b"log(1); log(1); log(2)"));
        assert!(!keep.is_in(b"log(1); log(2)"));
        assert!(!keep.is_in(b"log(1); log(1); log(3)"));
        let mut keep = Keep::default();
        keep.add("2", input).expect("there is a second line");
        keep.add("4", input).expect("there is a fourth line");
        assert!(keep.is_in(b"    log(1)\n    log(1)"));
        assert!(!keep.is_in(b"    log(1)\nlog(1)"));
        assert!(!keep.is_in(b"    log(1)"));
    }

    #[test]
    fn invalid_requirements_are_reported() {
        let complaint = |wanted: &str| Keep::default().add(wanted, INPUT).expect_err(wanted);
        assert_eq!(complaint("9"), "the input has lines 1 to 7");
        assert_eq!(complaint("8"), "the input has lines 1 to 7");
        assert_eq!(complaint("4-3"), "the input has lines 1 to 7");
        assert_eq!(complaint("int z"), "the input does not match it");
        assert!(complaint("int (").starts_with("not a regular expression: "));
    }
}

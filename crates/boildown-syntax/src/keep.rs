//! Lines and patterns that the user requires in every candidate.

use regex::bytes::Regex;

/// Lines and patterns that every candidate has to contain.
#[derive(Debug, Clone, Default)]
pub struct Keep(Vec<Kept>);

#[derive(Debug, Clone)]
enum Kept {
    Pattern(Regex),
    /// A line, without the white space around it, which may change.
    Line(Vec<u8>),
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

    /// Adds a requirement: the lines `12` or `10-20` of the input, counted from 1, or a match of a
    /// regular expression.
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
        if !pattern.is_match(input) {
            return Err("the input does not match it".to_owned());
        }
        self.0.push(Kept::Pattern(pattern));
        Ok(())
    }

    /// Returns whether there are no requirements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a text fulfils all requirements.
    #[must_use]
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.0.iter().all(|kept| match kept {
            Kept::Pattern(pattern) => pattern.is_match(text),
            Kept::Line(line) => text
                .split(|&byte| byte == b'\n')
                .any(|other| other.trim_ascii() == line),
        })
    }

    fn line(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        if !line.is_empty() {
            self.0.push(Kept::Line(line.to_vec()));
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
    fn marked_lines_and_regions_are_required_wherever_they_move() {
        let keep = Keep::marked(INPUT);
        assert!(keep.is_in(INPUT));
        let smaller = b"int b; // boildown: keep\n\tint d; // boildown: keep from here\nint e;\nint f; // boildown: keep to here";
        assert!(keep.is_in(smaller));
        for line in ["int b", "int e", "int f"] {
            let without: Vec<u8> = String::from_utf8_lossy(smaller)
                .replace(line, "int")
                .into_bytes();
            assert!(!keep.is_in(&without), "{line}");
        }
        assert!(Keep::marked(b"int a;\n").is_empty());
    }

    #[test]
    fn lines_and_patterns_of_the_input_can_be_required() {
        let mut keep = Keep::default();
        keep.add("3", INPUT).expect("there is a third line");
        keep.add("5-5", INPUT).expect("there is a fifth line");
        keep.add("^int [gh];$", INPUT).expect("it matches");
        assert!(keep.is_in(b"int c;\nint e;\nint h;\n"));
        assert!(!keep.is_in(b"int c;\nint e;\n"));
        assert!(!keep.is_in(b"int e;\nint h;\n"));
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

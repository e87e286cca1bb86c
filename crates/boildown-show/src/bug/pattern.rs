//! Regular expressions of the `regex` crate as those that `grep -E` reads.
//!
//! `grep` reads a line at a time. An expression that may match a line feed is therefore written for
//! a text whose lines are joined: a script replaces each line feed by the byte 1 first, and the
//! byte 1 by the byte 2.

use std::fmt;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// An expression that cannot be written for `grep -E`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// The expression.
    pattern: String,
    /// What `grep -E` does not know.
    lacks: &'static str,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pattern, lacks } = self;
        write!(f, "state `{pattern}` to grep -E: it has {lacks}")
    }
}

impl std::error::Error for PatternError {}

/// An expression for `LC_ALL=C grep -a -E`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepPattern {
    /// The expression.
    pub text: String,
    /// Whether it is for a text whose lines are joined.
    pub joins_lines: bool,
    /// Whether it may match the empty text, also after the last line feed, where `grep` sees no
    /// line unless there is one more line feed.
    pub may_be_empty: bool,
}

/// What stands for a line feed in a text whose lines are joined, and for that byte.
const JOINT: u8 = 1;
const FORMER_JOINT: u8 = 2;

/// A byte of a character that is not ASCII: a complement, because it cannot be written here.
const BEYOND_ASCII: &str = "[^\u{1}-\u{7f}]";

/// Returns the expression that finds what this one finds.
///
/// `grep` sees bytes. A class of characters that are not ASCII matches any of them, and no such
/// character belongs to a word for `\b`. In an output that is not UTF-8, `.` also matches the bytes
/// of no character.
///
/// # Errors
/// [`PatternError`] when it has what POSIX expressions do not know: the beginning and end of the
/// whole text, or those of a line next to what may be a line feed.
pub fn grep_pattern(pattern: &str) -> Result<GrepPattern, PatternError> {
    let fail = |lacks| PatternError {
        pattern: pattern.to_owned(),
        lacks,
    };
    let mut parser = ParserBuilder::new().multi_line(true).utf8(false).build();
    let hir = parser.parse(pattern).map_err(|_| fail("a syntax error"))?;
    let translator = Translator {
        joins_lines: may_match_line_feed(&hir),
    };
    let text = translator.expression(&hir, Around::WHOLE).map_err(fail)?;
    Ok(GrepPattern {
        text,
        joins_lines: translator.joins_lines,
        may_be_empty: hir.properties().minimum_len().unwrap_or(0) == 0,
    })
}

/// Returns whether a match may hold a line feed.
fn may_match_line_feed(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(class) => has(class, '\n'.into()),
        HirKind::Repetition(repetition) => may_match_line_feed(&repetition.sub),
        HirKind::Capture(capture) => may_match_line_feed(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().any(may_match_line_feed)
        }
    }
}

/// What is beside a part of an expression. It decides how the ends of lines are written.
#[derive(Debug, Clone, Copy)]
struct Around {
    before: Side,
    after: Side,
}

/// One side of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The end of the expression: anything may be there.
    Open,
    /// Always a line feed of the match.
    LineFeed,
    Other,
}

impl Around {
    const WHOLE: Self = Self {
        before: Side::Open,
        after: Side::Open,
    };
    const INNER: Self = Self {
        before: Side::Other,
        after: Side::Other,
    };
}

struct Translator {
    joins_lines: bool,
}

impl Translator {
    /// Returns an expression that may be an alternation.
    fn expression(&self, hir: &Hir, around: Around) -> Result<String, &'static str> {
        let HirKind::Alternation(parts) = hir.kind() else {
            return self.sequence(hir, around);
        };
        let mut choices = Vec::new();
        for part in parts {
            choices.push(self.sequence(part, around)?);
        }
        // An empty choice is not portable.
        let has_empty = choices.iter().any(String::is_empty);
        choices.retain(|choice| !choice.is_empty());
        Ok(match (choices.is_empty(), has_empty) {
            (true, _) => String::new(),
            (false, true) => format!("({})?", choices.join("|")),
            (false, false) => choices.join("|"),
        })
    }

    /// Returns an expression to which others can be joined.
    fn sequence(&self, hir: &Hir, around: Around) -> Result<String, &'static str> {
        match hir.kind() {
            HirKind::Empty => Ok(String::new()),
            HirKind::Literal(literal) => self.literal(&literal.0),
            HirKind::Class(class) => self.class(class),
            HirKind::Look(look) => self.look(*look, around),
            HirKind::Repetition(repetition) => self.repetition(repetition),
            HirKind::Capture(capture) => self.group(&capture.sub, around),
            HirKind::Alternation(_) => self.group(hir, around),
            HirKind::Concat(parts) => {
                let mut text = String::new();
                for (number, part) in parts.iter().enumerate() {
                    let before = match number.checked_sub(1) {
                        None => around.before,
                        Some(before) => side(&parts[before], <[u8]>::last),
                    };
                    let after = match parts.get(number + 1) {
                        None => around.after,
                        Some(after) => side(after, <[u8]>::first),
                    };
                    text += &self.sequence(part, Around { before, after })?;
                }
                Ok(text)
            }
        }
    }

    fn literal(&self, literal: &[u8]) -> Result<String, &'static str> {
        let mut text = String::new();
        for character in String::from_utf8_lossy(literal).chars() {
            match character {
                '\n' => text.push(JOINT.into()),
                '\u{1}' if self.joins_lines => text.push(FORMER_JOINT.into()),
                '\0' | char::REPLACEMENT_CHARACTER => return Err("a byte that is no text"),
                '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | '{' | '|' | '^' | '$' => {
                    text.extend(['\\', character]);
                }
                character => text.push(character),
            }
        }
        Ok(text)
    }

    fn look(&self, look: Look, around: Around) -> Result<String, &'static str> {
        let (side, end) = match look {
            Look::StartLF | Look::StartCRLF => (around.before, '^'),
            Look::EndLF | Look::EndCRLF => (around.after, '$'),
            // `grep` counts no byte beyond ASCII as one of a word.
            Look::WordAscii | Look::WordUnicode => return Ok("\\b".to_owned()),
            _ => return Err("the beginning or the end of the text, or half of a word"),
        };
        if !self.joins_lines {
            return Ok(end.into());
        }
        match side {
            Side::LineFeed => Ok(String::new()),
            Side::Open => Ok(format!("({end}|\u{1})")),
            Side::Other => Err("the beginning or the end of a line beside what may be a line feed"),
        }
    }

    fn group(&self, hir: &Hir, around: Around) -> Result<String, &'static str> {
        let inner = self.expression(hir, around)?;
        Ok(match inner.is_empty() {
            true => inner,
            false => format!("({inner})"),
        })
    }

    fn repetition(&self, repetition: &Repetition) -> Result<String, &'static str> {
        let is_endless = repetition.max.is_none() && repetition.min <= 1;
        let repeated = match repetition.sub.kind() {
            // Bytes as good as characters.
            HirKind::Class(class) if is_endless => self.bracket(class)?,
            HirKind::Class(class) => self.class(class)?,
            _ => self.group(&repetition.sub, Around::INNER)?,
        };
        if repeated.is_empty() {
            return Ok(repeated);
        }
        let count = match (repetition.min, repetition.max) {
            (0, None) => "*".to_owned(),
            (1, None) => "+".to_owned(),
            (0, Some(1)) => "?".to_owned(),
            (min, None) => format!("{{{min},}}"),
            (min, Some(max)) if min == max => format!("{{{min}}}"),
            (min, Some(max)) => format!("{{{min},{max}}}"),
        };
        Ok(repeated + &count)
    }

    /// Returns an expression for one character of a class.
    fn class(&self, class: &Class) -> Result<String, &'static str> {
        if !is_open(class) {
            return self.bracket(class);
        }
        let ascii = self.members(class);
        Ok(match ascii.is_empty() {
            true => format!("({BEYOND_ASCII}{{2,4}})"),
            false => format!("({}|{BEYOND_ASCII}{{2,4}})", bracket_of(&ascii, "[")),
        })
    }

    /// Returns a class as a bracket expression for one byte.
    fn bracket(&self, class: &Class) -> Result<String, &'static str> {
        let is_open = is_open(class);
        let mut members = self.members(class);
        if is_open {
            let all = self.alphabet();
            members = (all.into_iter())
                .filter(|byte| !members.contains(byte))
                .collect();
        }
        match (members.is_empty(), is_open) {
            (true, true) => Ok(".".to_owned()),
            (true, false) => Err("a class of characters that no line holds"),
            (false, true) => Ok(bracket_of(&members, "[^")),
            (false, false) => Ok(bracket_of(&members, "[")),
        }
    }

    /// The bytes of ASCII that a text has. No script holds a zero byte, and no line a line feed.
    fn alphabet(&self) -> Vec<u8> {
        (1..0x80_u8).filter(|byte| *byte != b'\n').collect()
    }

    /// Returns the bytes of ASCII in a class, as the text has them.
    fn members(&self, class: &Class) -> Vec<u8> {
        let original = |byte: u8| match byte {
            JOINT if self.joins_lines => b'\n',
            // It stands for itself, too.
            FORMER_JOINT if self.joins_lines => JOINT,
            byte => byte,
        };
        let bytes = self.alphabet().into_iter();
        bytes
            .filter(|byte| has(class, original(*byte).into()))
            .collect()
    }
}

/// Returns the side of a part that begins or ends with this byte of a literal.
fn side(hir: &Hir, byte: fn(&[u8]) -> Option<&u8>) -> Side {
    match hir.kind() {
        HirKind::Literal(literal) if byte(&literal.0) == Some(&b'\n') => Side::LineFeed,
        _ => Side::Other,
    }
}

fn has(class: &Class, code: u32) -> bool {
    let is_in = |start: u32, end: u32| (start..=end).contains(&code);
    match class {
        Class::Unicode(class) => {
            (class.iter()).any(|range| is_in(range.start().into(), range.end().into()))
        }
        Class::Bytes(class) => {
            (class.iter()).any(|range| is_in(range.start().into(), range.end().into()))
        }
    }
}

/// Returns whether a class has characters beyond ASCII. Classes such as `\s` have a few, which are
/// left out.
fn is_open(class: &Class) -> bool {
    [0xe9, 0xff, 0x10_ffff]
        .into_iter()
        .any(|code| has(class, code))
}

/// Returns the bracket expression of these bytes, which begins with `[` or `[^`.
///
/// The order of the special ones gives them their plain meaning: `]` first, `^` not first, `-`
/// last.
fn bracket_of(members: &[u8], start: &str) -> String {
    let mut text = start.to_owned();
    let has = |byte: u8| members.contains(&byte);
    // Without the brackets: `[^]` is no class, and in `[^-]` it would make a complement.
    match members {
        [b'^'] if start == "[" => return "\\^".to_owned(),
        [b'-', b'^'] if start == "[" => return "[-^]".to_owned(),
        _ => {}
    }
    if has(b']') {
        text.push(']');
    }
    let is_special = |byte: u8| matches!(byte, b']' | b'^' | b'-' | b'[');
    let mut plain = members
        .iter()
        .copied()
        .filter(|byte| !is_special(*byte))
        .peekable();
    while let Some(first) = plain.next() {
        let mut last = first;
        while plain.peek() == Some(&(last + 1)) {
            last += 1;
            plain.next();
        }
        text.push(first.into());
        if last > first + 1 {
            text.push('-');
        }
        if last > first {
            text.push(last.into());
        }
    }
    for byte in [b'[', b'^', b'-'] {
        if has(byte) {
            text.push(byte.into());
        }
    }
    text + "]"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &str) {
        let found = grep_pattern(pattern).unwrap();
        assert_eq!((&*found.text, found.joins_lines), (expected, false));
    }

    #[track_caller]
    fn check_joined(pattern: &str, expected: &str) {
        let found = grep_pattern(pattern).unwrap();
        assert_eq!((&*found.text, found.joins_lines), (expected, true));
    }

    #[test]
    fn expressions_that_are_deduced_are_written_for_grep() {
        check("^a\\.c: error", "^a\\.c: error");
        check("x [0-9]+ y", "x [0-9]+ y");
        check("0x[0-9a-f]+", "0x[0-9a-f]+");
        check("a.*b", "a.*b");
        check("(?:ab|cd)?", "(ab|cd)?");
        check(r"\[x\] \{1\}", r"\[x] \{1}");
        check("it's", "it's");
        check("a{2,3}", "(a){2,3}");
        check("(a|)b", "((a)?)b");
        check("[\\^]", "\\^");
        check("[-^]z", "[-^]z");
        check("[-^x]", "[x^-]");
    }

    #[test]
    fn expressions_that_may_match_a_line_feed_are_written_for_joined_lines() {
        check_joined("a\nb", "a\u{1}b");
        check_joined("^a\n^b$", "(^|\u{1})a\u{1}b($|\u{1})");
        check_joined(r"name(\s|$)", "name([\u{1}\t\u{b}-\r ]|($|\u{1}))");
        check_joined("[^/]*/", "[^/]*/");
        check_joined("a.*\n(?:.*\n)*?b", "a[^\u{1}]*\u{1}([^\u{1}]*\u{1})*b");
    }

    #[test]
    fn what_grep_does_not_know_is_an_error() {
        for pattern in [r"\Aa", "\0", "[^a]^b", "(x|^)\n|y^\n"] {
            assert!(grep_pattern(pattern).is_err(), "{pattern:?}");
        }
    }
}

//! Regular expressions of the `regex` crate as those that `grep -E` reads, one line at a time.

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

/// Returns the expression that `LC_ALL=C grep -E` matches in a line where this one matches.
///
/// Characters that are not ASCII are several bytes there: a class that has them matches each of the
/// bytes.
///
/// # Errors
/// [`PatternError`] when it has what POSIX expressions do not know: line feeds, or the beginning
/// and end of the whole text.
pub fn grep_pattern(pattern: &str) -> Result<String, PatternError> {
    let fail = |lacks| PatternError {
        pattern: pattern.to_owned(),
        lacks,
    };
    let mut parser = ParserBuilder::new().multi_line(true).utf8(false).build();
    let hir = parser.parse(pattern).map_err(|_| fail("a syntax error"))?;
    let mut text = String::new();
    write(&hir, &mut text).map_err(fail)?;
    Ok(text)
}

fn write(hir: &Hir, text: &mut String) -> Result<(), &'static str> {
    match hir.kind() {
        HirKind::Empty => {}
        HirKind::Literal(literal) => {
            for character in String::from_utf8_lossy(&literal.0).chars() {
                match character {
                    '\n' => return Err("a line feed"),
                    '\0' | char::REPLACEMENT_CHARACTER => return Err("a byte that is no text"),
                    '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | '{' | '|' | '^' | '$' => {
                        text.extend(['\\', character]);
                    }
                    character => text.push(character),
                }
            }
        }
        HirKind::Class(class) => text.push_str(&bracket(class)?),
        HirKind::Look(look) => text.push_str(match look {
            Look::StartLF | Look::StartCRLF => "^",
            Look::EndLF | Look::EndCRLF => "$",
            Look::WordAscii | Look::WordUnicode => "\\b",
            _ => return Err("the beginning or the end of the text, or half of a word"),
        }),
        HirKind::Repetition(repetition) => write_repetition(repetition, text)?,
        HirKind::Capture(capture) => group(&capture.sub, text)?,
        HirKind::Concat(parts) => {
            for part in parts {
                match part.kind() {
                    HirKind::Alternation(_) => group(part, text)?,
                    _ => write(part, text)?,
                }
            }
        }
        HirKind::Alternation(parts) => {
            let has_empty = |part: &Hir| matches!(part.kind(), HirKind::Empty);
            let mut choices = Vec::new();
            for part in parts.iter().filter(|part| !has_empty(part)) {
                let mut choice = String::new();
                write(part, &mut choice)?;
                choices.push(choice);
            }
            match parts.iter().any(has_empty) {
                true => text.push_str(&format!("({})?", choices.join("|"))),
                false => text.push_str(&choices.join("|")),
            }
        }
    }
    Ok(())
}

fn group(hir: &Hir, text: &mut String) -> Result<(), &'static str> {
    let mut inner = String::new();
    write(hir, &mut inner)?;
    if !inner.is_empty() {
        text.push_str(&format!("({inner})"));
    }
    Ok(())
}

fn write_repetition(repetition: &Repetition, text: &mut String) -> Result<(), &'static str> {
    match repetition.sub.kind() {
        HirKind::Class(_) | HirKind::Capture(_) => write(&repetition.sub, text)?,
        _ => group(&repetition.sub, text)?,
    }
    let count = match (repetition.min, repetition.max) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (min, None) => format!("{{{min},}}"),
        (min, Some(max)) if min == max => format!("{{{min}}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    };
    text.push_str(&count);
    Ok(())
}

/// Returns a class as a bracket expression of the C locale. A line never holds a line feed, and no
/// script a NUL.
fn bracket(class: &Class) -> Result<String, &'static str> {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => (class.iter())
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
        Class::Bytes(class) => (class.iter())
            .map(|range| (range.start().into(), range.end().into()))
            .collect(),
    };
    let has = |code: u32| {
        ranges
            .iter()
            .any(|(start, end)| (*start..=*end).contains(&code))
    };
    // Classes such as `\s` have a few characters beyond ASCII, which are left out.
    let is_open = [0xe9, 0xff, 0x10_ffff].into_iter().any(has);
    let bytes = || (1..0x80_u8).filter(|byte| *byte != b'\n');
    let members: Vec<u8> = bytes()
        .filter(|byte| has((*byte).into()) != is_open)
        .collect();
    match (members.is_empty(), is_open) {
        (true, true) => Ok(".".to_owned()),
        (true, false) => Err("a class of characters that no line holds"),
        (false, is_open) => Ok(members_in_bracket(&members, is_open)),
    }
}

fn members_in_bracket(members: &[u8], is_complement: bool) -> String {
    let special = |byte: &&u8| matches!(**byte, b']' | b'^' | b'-' | b'[');
    let mut text = if is_complement { "[^" } else { "[" }.to_owned();
    let has = |byte: u8| members.contains(&byte);
    if has(b']') {
        text.push(']');
    }
    let plain: Vec<u8> = members
        .iter()
        .filter(|byte| !special(byte))
        .copied()
        .collect();
    let mut at = 0;
    while at < plain.len() {
        let mut end = at;
        while end + 1 < plain.len() && plain[end + 1] == plain[end] + 1 {
            end += 1;
        }
        text.push(plain[at].into());
        if end > at + 1 {
            text.push('-');
        }
        if end > at {
            text.push(plain[end].into());
        }
        at = end + 1;
    }
    if has(b'[') {
        text.push('[');
    }
    if has(b'^') {
        // Alone at the beginning it would mean something else.
        if text == "[" {
            return "\\^".to_owned();
        }
        text.push('^');
    }
    if has(b'-') {
        text.push('-');
    }
    text + "]"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &str) {
        assert_eq!(grep_pattern(pattern).as_deref(), Ok(expected));
    }

    #[test]
    fn expressions_that_are_deduced_are_written_for_grep() {
        check("^a\\.c: error", "^a\\.c: error");
        check("x [0-9]+ y", "x [0-9]+ y");
        check("0x[0-9a-f]+", "0x[0-9a-f]+");
        check("a.*b", "a.*b");
        check(r"name(\s|$)", "name([\t\u{b}-\r ]|$)");
        check("(?:ab|cd)?", "(ab|cd)?");
        check(r"\[x\] \{1\}", r"\[x] \{1}");
        check("[^/]*/", "[^/]*/");
        check("[^]a-]", "[^]a-]");
        check("it's", "it's");
        check("a{2,3}", "(a){2,3}");
        check("(a|)b", "((a)?)b");
        check("[\\^]", "\\^");
    }

    #[test]
    fn what_grep_does_not_know_is_an_error() {
        for pattern in ["a\nb", r"\Aa", "\0"] {
            assert!(grep_pattern(pattern).is_err(), "{pattern:?}");
        }
    }
}

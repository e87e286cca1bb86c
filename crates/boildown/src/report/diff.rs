//! A difference as lines for people: what passes in red, what fails in green, and the very bytes that differ in reverse.

use std::fmt::Write as _;
use std::ops::Range;

use super::Isolated;

/// Lines of context before and after.
const CONTEXT: usize = 2;
/// Lines shown of each side of a place, at most.
const LINES: usize = 60;
/// Characters shown of a line before, between and after what differs.
const WIDTH: usize = 60;

const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const DIM: &str = "\x1b[2m";
const REVERSE: &str = "\x1b[7m";
const FORWARD: &str = "\x1b[27m";
const RESET: &str = "\x1b[0m";

/// Returns the difference as text, with the colours of a terminal when wanted. No byte of the texts can command the terminal.
pub(super) fn show(ending: &Isolated<'_>, colour: bool) -> String {
    let mut painter = Painter {
        colour,
        text: String::new(),
    };
    let (passing, failing) = (&ending.sides.passing, &ending.sides.failing);
    painter.line(RED, &format!("--- {}", passing.display()));
    painter.line(GREEN, &format!("+++ {}", failing.display()));
    for place in places(ending.passing, ending.failing, ending.places) {
        let (old, new) = (place.old.clone(), place.new.clone());
        let number = 1 + count_lines(&ending.failing[..new.start]);
        painter.line(DIM, &format!("@@ line {number} @@"));
        let before = &ending.failing[..new.start];
        let after = &ending.failing[new.end..];
        let lines: Vec<&[u8]> = before.split_inclusive(|&byte| byte == b'\n').collect();
        for line in &lines[lines.len().saturating_sub(CONTEXT)..] {
            painter.context(line);
        }
        let marks = place.marks.iter();
        let olds: Vec<Range<usize>> = marks.clone().map(|mark| mark.0.clone()).collect();
        let news: Vec<Range<usize>> = marks.map(|mark| mark.1.clone()).collect();
        painter.side(RED, '-', ending.passing, old, &olds);
        painter.side(GREEN, '+', ending.failing, new, &news);
        for line in after.split_inclusive(|&byte| byte == b'\n').take(CONTEXT) {
            painter.context(line);
        }
    }
    painter.text
}

/// Whole lines of both texts, and the bytes in them that differ.
struct Place {
    old: Range<usize>,
    new: Range<usize>,
    marks: Vec<(Range<usize>, Range<usize>)>,
}

/// The lines in which the places are; those that share lines are put together.
fn places(old: &[u8], new: &[u8], bytes: &[(Range<usize>, Range<usize>)]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (left, right) in bytes {
        // Before and after a difference both texts are the same for as long as a line lasts, or up to another one.
        let start = old[..left.start]
            .iter()
            .rev()
            .take_while(|&&byte| byte != b'\n')
            .count();
        let is_whole = |text: &[u8], range: &Range<usize>, start: usize| {
            let lines = start == 0 && (range.is_empty() || text[range.end - 1] == b'\n');
            lines || range.end == text.len()
        };
        let end = if is_whole(old, left, start) && is_whole(new, right, start) {
            0
        } else {
            let rest = &old[left.end..];
            rest.iter()
                .position(|&byte| byte == b'\n')
                .map_or(rest.len(), |at| at + 1)
        };
        let place = Place {
            old: left.start - start..left.end + end,
            new: right.start.saturating_sub(start)..(right.end + end).min(new.len()),
            marks: vec![(left.clone(), right.clone())],
        };
        match places.last_mut() {
            Some(last) if place.old.start < last.old.end => {
                (last.old.end, last.new.end) = (place.old.end, place.new.end);
                last.marks.extend(place.marks);
            }
            _ => places.push(place),
        }
    }
    places
}

fn count_lines(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

struct Painter {
    colour: bool,
    text: String,
}

impl Painter {
    fn paint(&mut self, code: &str) {
        if self.colour {
            self.text.push_str(code);
        }
    }

    fn line(&mut self, colour: &str, text: &str) {
        self.paint(colour);
        self.text.push_str(text);
        self.paint(RESET);
        self.text.push('\n');
    }

    fn context(&mut self, line: &[u8]) {
        self.text.push(' ');
        self.stretch(line, Ends::Open);
        self.text.push('\n');
    }

    /// The lines of one side of a place.
    fn side(
        &mut self,
        colour: &str,
        sign: char,
        text: &[u8],
        lines: Range<usize>,
        marks: &[Range<usize>],
    ) {
        let mut at = lines.start;
        let all = text[lines].split_inclusive(|&byte| byte == b'\n');
        let hidden = all.clone().count().saturating_sub(LINES);
        for line in all.take(LINES) {
            self.paint(colour);
            self.text.push(sign);
            self.marked(line, at, marks);
            self.paint(RESET);
            self.text.push('\n');
            at += line.len();
        }
        if hidden > 0 {
            self.line(DIM, &format!("{sign}… and {hidden} more lines"));
        }
    }

    /// A line that begins at a byte of its text.
    fn marked(&mut self, line: &[u8], start: usize, marks: &[Range<usize>]) {
        let end = start + line.len();
        let inside = marks
            .iter()
            .map(|mark| mark.start.clamp(start, end)..mark.end.clamp(start, end));
        let mut at = start;
        let mut ends = Ends::Right;
        for mark in inside.filter(|mark| !mark.is_empty()) {
            self.stretch(&line[at - start..mark.start - start], ends);
            self.paint(REVERSE);
            self.stretch(&line[mark.start - start..mark.end - start], Ends::Open);
            // Part of a difference is the line break, and not the line.
            if mark.start > start && line[..mark.end - start].ends_with(b"\n") {
                self.text.push_str("\\n");
            }
            self.paint(FORWARD);
            at = mark.end;
            ends = Ends::Both;
        }
        let ends = if at == start { Ends::Open } else { Ends::Left };
        self.stretch(&line[at - start..], ends);
    }

    /// Part of a line, without its line break. Long ones are shown at the ends where something is beside them.
    fn stretch(&mut self, bytes: &[u8], ends: Ends) {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let text = printable(bytes);
        let letters: Vec<char> = text.chars().collect();
        let (left, right) = match ends {
            Ends::Left => (WIDTH, 0),
            Ends::Right => (0, WIDTH),
            Ends::Both => (WIDTH, WIDTH),
            Ends::Open => (2 * WIDTH, 2 * WIDTH),
        };
        if letters.len() <= left + right {
            self.text.push_str(&text);
            return;
        }
        self.text.extend(&letters[..left]);
        self.text.push('…');
        self.text.extend(&letters[letters.len() - right..]);
    }
}

/// Where a stretch of a line touches something that differs.
#[derive(Clone, Copy)]
enum Ends {
    Left,
    Right,
    Both,
    /// It is shown for itself.
    Open,
}

/// The bytes as characters that can be shown; others as escapes.
fn printable(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter.is_control() && letter != '\t' {
                text.extend(letter.escape_default());
            } else {
                text.push(letter);
            }
        }
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").expect("writing to a String cannot fail");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use boildown_session::{Progress, Sides, Summary};

    use super::*;

    /// Shows a difference in one place, `<` for where reverse begins and `>` for where it ends when there are colours.
    fn shown(
        old: &[u8],
        new: &[u8],
        places: &[(Range<usize>, Range<usize>)],
        colour: bool,
    ) -> String {
        let sides = Sides {
            passing: PathBuf::from("a"),
            failing: PathBuf::from("b"),
            are_there: false,
        };
        let summary = Summary {
            progress: Progress::default(),
            stopped: None,
            one_minimal: true,
            confirmed: None,
            resumable: false,
        };
        let ending = Isolated {
            sides: &sides,
            passing: old,
            failing: new,
            places,
            changes: places.len(),
            units: "characters",
            summary: &summary,
            own_cpu: 0.0,
        };
        let text = show(&ending, colour);
        text.replace(REVERSE, "<")
            .replace(FORWARD, ">")
            .replace(RED, "[red]")
            .replace(GREEN, "[green]")
            .replace(DIM, "[dim]")
            .replace(RESET, "[plain]")
    }

    #[test]
    fn the_bytes_that_differ_are_marked_in_their_lines() {
        let (old, new) = (b"one\ntwo\nthree\nfour\n", b"one\ntwo\ntree!\nfour\n");
        let places = [(9..10, 9..9), (13..13, 12..13)];
        insta::assert_snapshot!(shown(old, new, &places, true), @r"
        [red]--- a[plain]
        [green]+++ b[plain]
        [dim]@@ line 3 @@[plain]
         one
         two
        [red]-t<h>ree[plain]
        [green]+tree<!>[plain]
         four
        ");
    }

    #[test]
    fn without_colours_there_are_no_escapes_whatever_the_texts_hold() {
        let (old, new) = (b"a\x1b[31mb\xff\n", b"a\x1b[31mc\xff\n");
        insta::assert_snapshot!(shown(old, new, &[(6..7, 6..7)], false), @r"
        --- a
        +++ b
        @@ line 1 @@
        -a\u{1b}[31mb\xff
        +a\u{1b}[31mc\xff
        ");
    }

    #[test]
    fn whole_lines_come_alone_and_a_line_break_is_shown_when_it_is_all_that_differs() {
        insta::assert_snapshot!(shown(b"a\nb\n", b"a\nnew\nb\n", &[(2..2, 2..6)], false), @r"
        --- a
        +++ b
        @@ line 2 @@
         a
        +new
         b
        ");
        insta::assert_snapshot!(shown(b"a\nb", b"a\nb\n", &[(3..3, 3..4)], false), @r"
        --- a
        +++ b
        @@ line 2 @@
         a
        -b
        +b\n
        ");
    }

    #[test]
    fn of_long_lines_the_neighbourhood_is_shown() {
        let (old, new) = ("x".repeat(5000), "x".repeat(2000) + "y" + &"x".repeat(2999));
        let text = shown(
            old.as_bytes(),
            new.as_bytes(),
            &[(2000..2001, 2000..2001)],
            false,
        );
        let around = "x".repeat(WIDTH);
        assert!(
            text.contains(&format!("\n+…{around}y{around}…\n")),
            "{text}"
        );
        assert!(text.len() < 500, "{text}");
    }
}

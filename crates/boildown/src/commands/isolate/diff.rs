//! The difference of two files as text: lines that pass in red, lines that fail in green, and the
//! bytes that differ in reverse video. Binary files are shown in hexadecimal digits.

use std::fmt::Write as _;
use std::ops::Range;

use boildown_session::SideFiles;

use super::hex;
use crate::report::format::EscapedPath as _;

/// Lines of context before and after a difference.
const CONTEXT: usize = 2;
/// Lines shown of each side of a difference, at most.
const LINES: usize = 60;
/// Characters shown of a line before, between and after the bytes that differ.
const WIDTH: usize = 60;

const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const DIM: &str = "\x1b[2m";
const REVERSE: &str = "\x1b[7m";
const FORWARD: &str = "\x1b[27m";
const RESET: &str = "\x1b[0m";

/// Two files and the regions in which they differ.
pub(super) struct FileDifference<'a> {
    /// Paths of the two files.
    pub(super) sides: &'a SideFiles,
    pub(super) passing: &'a [u8],
    pub(super) failing: &'a [u8],
    /// Byte ranges of both.
    pub(super) regions: &'a [(Range<usize>, Range<usize>)],
}

/// Returns the difference as text, optionally with colours. Control characters in the files are
/// escaped.
pub(super) fn show(files: &FileDifference<'_>, colour: bool) -> String {
    let mut painter = DiffPainter {
        colour,
        text: String::new(),
    };
    let (passing, failing) = (&files.sides.passing, &files.sides.failing);
    painter.line(RED, &format!("--- {}", passing.escaped()));
    painter.line(GREEN, &format!("+++ {}", failing.escaped()));
    let both = [files.passing, files.failing];
    if both.iter().any(|bytes| hex::is_binary(bytes)) {
        for region in files.regions {
            painter.line(DIM, &format!("@@ {} @@", hex::heading(both, region)));
            for row in hex::rows(both, region) {
                let (colour, sign) = match row.fails {
                    true => (GREEN, '+'),
                    false => (RED, '-'),
                };
                painter.line(colour, &format!("{sign}{}", row.text));
            }
        }
        return painter.text;
    }
    for changed in changed_lines(files) {
        let (old, new) = (changed.old.clone(), changed.new.clone());
        let number = 1 + count_lines(&files.failing[..new.start]);
        painter.line(DIM, &format!("@@ line {number} @@"));
        let before = &files.failing[..new.start];
        let after = &files.failing[new.end..];
        let lines: Vec<&[u8]> = before.split_inclusive(|&byte| byte == b'\n').collect();
        for line in &lines[lines.len().saturating_sub(CONTEXT)..] {
            painter.context(line);
        }
        let marks = changed.marks.iter();
        let olds: Vec<Range<usize>> = marks.clone().map(|mark| mark.0.clone()).collect();
        let news: Vec<Range<usize>> = marks.map(|mark| mark.1.clone()).collect();
        painter.side(RED, '-', files.passing, old, &olds);
        painter.side(GREEN, '+', files.failing, new, &news);
        for line in after.split_inclusive(|&byte| byte == b'\n').take(CONTEXT) {
            painter.context(line);
        }
    }
    painter.text
}

/// Whole lines of both files, and the byte ranges in them that differ.
struct ChangedLines {
    old: Range<usize>,
    new: Range<usize>,
    marks: Vec<(Range<usize>, Range<usize>)>,
}

/// Returns the lines that contain the regions. Regions that share a line are joined.
fn changed_lines(files: &FileDifference<'_>) -> Vec<ChangedLines> {
    let (old, new) = (files.passing, files.failing);
    let mut all: Vec<ChangedLines> = Vec::new();
    for (left, right) in files.regions {
        // Before and after a region both files are equal up to the end of the line or the next
        // region.
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
                .map_or(rest.len(), |index| index + 1)
        };
        let changed = ChangedLines {
            old: left.start - start..left.end + end,
            new: right.start.saturating_sub(start)..(right.end + end).min(new.len()),
            marks: vec![(left.clone(), right.clone())],
        };
        match all.last_mut() {
            Some(last) if changed.old.start < last.old.end => {
                (last.old.end, last.new.end) = (changed.old.end, changed.new.end);
                last.marks.extend(changed.marks);
            }
            _ => all.push(changed),
        }
    }
    all
}

fn count_lines(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

struct DiffPainter {
    colour: bool,
    text: String,
}

impl DiffPainter {
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
        self.part(line, ShownEnds::Open);
        self.text.push('\n');
    }

    /// Adds the lines of one side.
    fn side(
        &mut self,
        colour: &str,
        sign: char,
        text: &[u8],
        lines: Range<usize>,
        marks: &[Range<usize>],
    ) {
        let mut offset = lines.start;
        let all = text[lines].split_inclusive(|&byte| byte == b'\n');
        let hidden = all.clone().count().saturating_sub(LINES);
        for line in all.take(LINES) {
            self.paint(colour);
            self.text.push(sign);
            self.marked(line, offset, marks);
            self.paint(RESET);
            self.text.push('\n');
            offset += line.len();
        }
        if hidden > 0 {
            self.line(DIM, &format!("{sign}… and {hidden} more lines"));
        }
    }

    /// Adds a line, which begins at the offset `start` of its file, with its marks.
    fn marked(&mut self, line: &[u8], start: usize, marks: &[Range<usize>]) {
        let end = start + line.len();
        let inside = marks
            .iter()
            .map(|mark| mark.start.clamp(start, end)..mark.end.clamp(start, end));
        let mut offset = start;
        let mut shown = ShownEnds::Right;
        for mark in inside.filter(|mark| !mark.is_empty()) {
            self.part(&line[offset - start..mark.start - start], shown);
            self.paint(REVERSE);
            self.part(&line[mark.start - start..mark.end - start], ShownEnds::Open);
            // The line break differs, but not the whole line.
            if mark.start > start && line[..mark.end - start].ends_with(b"\n") {
                self.text.push_str("\\n");
            }
            self.paint(FORWARD);
            offset = mark.end;
            shown = ShownEnds::Both;
        }
        let shown = if offset == start {
            ShownEnds::Open
        } else {
            ShownEnds::Left
        };
        self.part(&line[offset - start..], shown);
    }

    /// Adds a part of a line, without its line break. Of a long part, the ends beside a mark are
    /// shown.
    fn part(&mut self, bytes: &[u8], shown: ShownEnds) {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let text = printable(bytes);
        let letters: Vec<char> = text.chars().collect();
        let (left, right) = match shown {
            ShownEnds::Left => (WIDTH, 0),
            ShownEnds::Right => (0, WIDTH),
            ShownEnds::Both => (WIDTH, WIDTH),
            ShownEnds::Open => (2 * WIDTH, 2 * WIDTH),
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

/// The ends of a part of a line that are shown if the part is long.
#[derive(Clone, Copy)]
enum ShownEnds {
    Left,
    Right,
    Both,
    /// Both ends, with twice the length: the part is not beside a mark.
    Open,
}

/// Returns whether a character cannot be seen, or not told from others: a control character, a
/// space of another width or of none, a mark that changes the letter before it or the direction.
fn is_invisible(letter: char) -> bool {
    let is_space = letter.is_whitespace() || letter.is_control();
    let is_mark = matches!(
        letter,
        '\u{ad}'
            | '\u{300}'..='\u{36f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
    );
    is_mark || is_space && letter != '\t' && letter != ' '
}

/// Returns the bytes as text, with escapes for invisible characters and invalid UTF-8.
fn printable(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if is_invisible(letter) {
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

    use super::*;

    /// Shows a difference, with `<` and `>` for the start and the end of reverse video.
    fn shown(
        old: &[u8],
        new: &[u8],
        regions: &[(Range<usize>, Range<usize>)],
        colour: bool,
    ) -> String {
        let sides = SideFiles {
            passing: PathBuf::from("a"),
            failing: PathBuf::from("b"),
            access: boildown_exec::Access::ANY,
            are_resumed: false,
        };
        let files = FileDifference {
            sides: &sides,
            passing: old,
            failing: new,
            regions,
        };
        let text = show(&files, colour);
        text.replace(REVERSE, "<")
            .replace(FORWARD, ">")
            .replace(RED, "[red]")
            .replace(GREEN, "[green]")
            .replace(DIM, "[dim]")
            .replace(RESET, "[plain]")
    }

    #[test]
    fn differing_bytes_are_marked_in_their_lines() {
        let (old, new) = (b"one\ntwo\nthree\nfour\n", b"one\ntwo\ntree!\nfour\n");
        let regions = [(9..10, 9..9), (13..13, 12..13)];
        insta::assert_snapshot!(shown(old, new, &regions, true), @r"
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
    fn binary_files_are_shown_by_offsets_and_in_hexadecimal_digits() {
        let mut old: Vec<u8> = (0..40).collect();
        let mut new = old.clone();
        (old[20], new[20]) = (1, 0xfe);
        new.insert(35, b'x');
        let regions = [(20..21, 20..21), (35..35, 35..36)];
        insta::assert_snapshot!(shown(&old, &new, &regions, false), @r##"
        --- a
        +++ b
        @@ offset 20 (0x14): 01 -> fe @@
        -00000010  10 11 12 13 01 15 16 17 18 19 1a 1b 1c 1d 1e 1f  |................|
        +00000010  10 11 12 13 fe 15 16 17 18 19 1a 1b 1c 1d 1e 1f  |................|
        @@ offset 35 (0x23): nothing -> 78 @@
        -00000020  20 21 22 23 24 25 26 27                          | !"#$%&'|
        +00000020  20 21 22 78 23 24 25 26 27                       | !"x#$%&'|
        "##);
    }

    #[test]
    fn control_characters_are_escaped() {
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
    fn characters_that_cannot_be_seen_are_escaped() {
        let text = "größe\u{a0}1\u{200b}\u{feff}, e\u{301}\t日本";
        let shown = "größe\\u{a0}1\\u{200b}\\u{feff}, e\\u{301}\t日本";
        assert_eq!(printable(text.as_bytes()), shown);
    }

    #[test]
    fn a_whole_line_has_no_counterpart_and_a_differing_line_break_is_shown() {
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
    fn long_lines_are_shown_around_the_difference() {
        let (old, new) = ("x".repeat(5000), "x".repeat(2000) + "y" + &"x".repeat(2999));
        let text = shown(
            old.as_bytes(),
            new.as_bytes(),
            &[(2000..2001, 2000..2001)],
            false,
        );
        let context = "x".repeat(WIDTH);
        assert!(
            text.contains(&format!("\n+…{context}y{context}…\n")),
            "{text}"
        );
        assert!(text.len() < 500, "{text}");
    }
}

//! The best test case, and what the last step removed.

use boildown_document::TokenClass;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use super::painter::{Painter, Row};
use crate::case::{ChangedLine, LineKind, TestCase, character_start};
use crate::glyphs::{Shown, glyphs};
use crate::model::ViewModel;
use crate::numbers::{count, grouped, short};

pub(super) fn draw(model: &ViewModel, case: &TestCase, area: Rect, painter: &mut Painter<'_>) {
    if area.height < 2 || area.width < 12 {
        return;
    }
    let text = &case.text;
    let lines = newlines(text) + usize::from(text.last().is_some_and(|byte| *byte != b'\n'));
    let size = count(lines as u64, "line");
    let area = painter.heading(area, "best test case", &size);
    let digits = grouped(lines as u64).len().max(2);
    let gutter = if lines > 1 { digits + 1 } else { 0 };
    let width = usize::from(area.width).saturating_sub(gutter).max(1);
    let rows = usize::from(area.height);
    let top = match model.scrolled_to {
        Some(at) => character_start(text, at.min(text.len())),
        None => top(text, case.step.at.unwrap_or(0), rows, width),
    };
    let mut writer = CaseWriter {
        case,
        gutter,
        number: newlines(&text[..top]) + 1,
        painter,
    };
    writer.write(area, top);
}

fn newlines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

/// Returns the first byte to show, so that the byte `at` is visible, with lines before it.
fn top(text: &[u8], at: usize, rows: usize, width: usize) -> usize {
    let at = at.min(text.len());
    let follows = text[at..]
        .iter()
        .take(rows * width)
        .filter(|byte| **byte == b'\n')
        .count();
    let back = (rows / 3).max(rows.saturating_sub(follows + 1));
    // Long lines take several rows.
    let from = at.saturating_sub(back * width / 2);
    let mut ends = (text[from..at].iter().enumerate().rev()).filter(|(_, byte)| **byte == b'\n');
    match ends.nth(back) {
        Some((place, _)) => from + place + 1,
        None if from == 0 => 0,
        None => {
            let line = text[from..at].iter().position(|byte| *byte == b'\n');
            line.map_or(character_start(text, from), |place| from + place + 1)
        }
    }
}

/// Writes rows of a test case.
struct CaseWriter<'a, 'b> {
    case: &'a TestCase,
    /// Columns of the line numbers.
    gutter: usize,
    /// The number of the next line.
    number: usize,
    painter: &'a mut Painter<'b>,
}

impl CaseWriter<'_, '_> {
    fn write(&mut self, area: Rect, top: usize) {
        let text = &self.case.text;
        let mut rows = Row::of(area);
        let Some(mut row) = rows.next().filter(|_| top < text.len()) else {
            return;
        };
        let is_begun = top > 0 && text[top - 1] != b'\n';
        let mut start = self.begin(row, top, !is_begun);
        let mut column = 0;
        let mut colours = Colours::new(self.case, top);
        for glyph in glyphs(&text[top..]) {
            let at = top + glyph.at;
            if glyph.shown == Shown::LineEnd {
                self.number += 1;
                let Some(next) = rows.next().filter(|_| at + 1 < text.len()) else {
                    return;
                };
                (row, column) = (next, 0);
                start = self.begin(row, at + 1, true);
                continue;
            }
            let width = glyph.width(column);
            if column + width > usize::from(start.width) {
                let Some(next) = rows.next() else {
                    return;
                };
                (row, column) = (next, 0);
                start = self.begin(row, at, false);
            }
            let here = Row {
                x: start.x + u16::try_from(column).unwrap_or(u16::MAX),
                width: start.width - u16::try_from(column).unwrap_or(start.width),
                ..start
            };
            match &glyph.shown {
                Shown::Character(text) => {
                    let style = self.painter.palette.token(colours.class(at));
                    self.painter
                        .buffer
                        .set_stringn(here.x, here.y, text, width, style);
                }
                Shown::Escaped(text) => {
                    self.painter
                        .text(here, text, self.painter.palette.escaped());
                }
                Shown::Tab | Shown::LineEnd => {}
            }
            column += width;
        }
    }

    /// Returns whether a byte is in the line that begins at `start`. Only the beginning of a long
    /// line is looked at.
    fn is_in_line(&self, start: usize, byte: usize) -> bool {
        const LONG: usize = 4096;
        let before = (byte <= start + LONG).then(|| self.case.text.get(start..byte));
        before
            .flatten()
            .is_some_and(|before| !before.contains(&b'\n'))
    }

    /// Writes the number of a line. Returns the rest of the row.
    fn begin(&mut self, row: Row, at: usize, is_line: bool) -> Row {
        if self.gutter == 0 {
            return row;
        }
        let width = self.gutter - 1;
        let number = if is_line {
            self.number.to_string()
        } else {
            String::new()
        };
        let is_changed = is_line
            && self
                .case
                .step
                .at
                .is_some_and(|change| self.is_in_line(at, change));
        let palette = self.painter.palette;
        let style = if is_changed {
            palette.removed()
        } else {
            palette.dim()
        };
        self.painter.text(row, &format!("{number:>width$} "), style)
    }
}

/// The colours of a test case, in ascending order of bytes.
struct Colours<'a> {
    case: &'a TestCase,
    next: usize,
}

impl<'a> Colours<'a> {
    fn new(case: &'a TestCase, from: usize) -> Self {
        let next = case
            .colours
            .partition_point(|colour| colour.bytes.end <= from);
        Self { case, next }
    }

    fn class(&mut self, at: usize) -> Option<TokenClass> {
        let colours = &self.case.colours;
        while (colours.get(self.next)).is_some_and(|colour| colour.bytes.end <= at) {
            self.next += 1;
        }
        let colour = colours
            .get(self.next)
            .filter(|colour| colour.bytes.contains(&at));
        colour.map(|colour| colour.class)
    }
}

pub(super) fn draw_step(model: &ViewModel, case: &TestCase, area: Rect, painter: &mut Painter<'_>) {
    if area.height < 2 || area.width < 12 {
        return;
    }
    let by = match (case.step.bytes, model.found_by) {
        (0, _) => String::new(),
        (bytes, pass) if area.width < 45 => format!("-{} by {pass}", short(bytes)),
        (bytes, pass) => format!("-{} by {pass}", count(bytes, "byte")),
    };
    let area = painter.heading(area, "last step", &by);
    if case.step.lines.is_empty() && case.step.bytes > 0 {
        if let Some(row) = Row::of(area).next() {
            painter.text(
                row,
                "too much to show; d compares with the input",
                painter.palette.dim(),
            );
        }
        return;
    }
    changes(&case.step.lines, area, painter);
}

/// Writes changed lines.
pub(super) fn changes(lines: &[ChangedLine], area: Rect, painter: &mut Painter<'_>) {
    let is_cut = lines.len() > usize::from(area.height);
    let last = usize::from(area.height).saturating_sub(1);
    let digits = digits_of(lines);
    for (place, (row, line)) in Row::of(area).zip(lines).enumerate() {
        if is_cut && place == last {
            let more = count((lines.len() - place) as u64, "more line");
            painter.text(row, &format!("  {more}"), painter.palette.dim());
            return;
        }
        changed_line(line, digits, row, painter);
    }
}

/// Returns the columns that the numbers of lines need.
pub(super) fn digits_of(lines: &[ChangedLine]) -> usize {
    let numbers = lines.iter().filter(|line| line.kind != LineKind::Gap);
    let largest = numbers.map(|line| line.number).max().unwrap_or(0);
    largest.to_string().len()
}

pub(super) fn changed_line(line: &ChangedLine, digits: usize, row: Row, painter: &mut Painter<'_>) {
    let palette = painter.palette;
    let (sign, style) = match line.kind {
        LineKind::Removed => ("-", palette.removed()),
        LineKind::Added => ("+", palette.added()),
        LineKind::Same => (" ", Style::new()),
        LineKind::Gap => {
            let gap = format!("  ⋮ {} unchanged", count(line.number as u64, "line"));
            painter.text(row, &gap, palette.dim());
            return;
        }
    };
    let row = painter.text(row, &format!("{sign}{:>digits$} ", line.number), style);
    let Some(differs) = &line.differs else {
        painter.text(row, &String::from_utf8_lossy(&line.text), style);
        return;
    };
    let at = |place: usize| place.min(line.text.len());
    let [before, inside, after] = [
        &line.text[..at(differs.start)],
        &line.text[at(differs.start)..at(differs.end)],
        &line.text[at(differs.end)..],
    ]
    .map(String::from_utf8_lossy);
    painter.line(
        row,
        &[
            (&before, palette.dim()),
            (&inside, style.patch(palette.strong())),
            (&after, palette.dim()),
        ],
    );
}

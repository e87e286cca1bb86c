//! Writes into the buffer.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::glyphs::one_line;
use crate::palette::Palette;

/// A buffer, and the colours to be used.
pub(super) struct Painter<'a> {
    pub(super) buffer: &'a mut Buffer,
    pub(super) palette: Palette,
}

/// A row of an area.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) x: u16,
    pub(super) y: u16,
    pub(super) width: u16,
}

impl Row {
    /// Returns the rows of an area.
    pub(super) fn of(area: Rect) -> impl Iterator<Item = Self> {
        (area.top()..area.bottom()).map(move |y| Self {
            x: area.x,
            y,
            width: area.width,
        })
    }
}

impl<'a> Painter<'a> {
    pub(super) fn new(buffer: &'a mut Buffer, palette: Palette) -> Self {
        Self { buffer, palette }
    }

    /// Writes a text of any origin on a row, and returns what is left of the row. A text that is
    /// too long ends with an ellipsis.
    pub(super) fn text(&mut self, row: Row, text: &str, style: Style) -> Row {
        let text = one_line(text);
        let width = usize::from(row.width);
        let is_cut = text.width() > width;
        let room = width - usize::from(is_cut && width > 0);
        let (mut x, y) = self.buffer.set_stringn(row.x, row.y, &text, room, style);
        if is_cut && width > 0 {
            (x, _) = self.buffer.set_stringn(x, y, "…", 1, style);
        }
        let used = x - row.x;
        Row {
            x,
            y,
            width: row.width - used.min(row.width),
        }
    }

    /// Writes parts of a line, each with its style.
    pub(super) fn line(&mut self, row: Row, parts: &[(&str, Style)]) -> Row {
        parts
            .iter()
            .fold(row, |row, (text, style)| self.text(row, text, *style))
    }

    /// Writes a text at the end of a row, if there is room. Returns what is left of the row.
    pub(super) fn at_end(&mut self, row: Row, text: &str, style: Style) -> Row {
        let text = one_line(text);
        let width = u16::try_from(text.width()).unwrap_or(u16::MAX);
        if width > row.width {
            return row;
        }
        let left = row.width - width;
        self.buffer
            .set_stringn(row.x + left, row.y, &text, usize::from(width), style);
        Row { width: left, ..row }
    }

    /// Gives all cells of an area a style.
    pub(super) fn fill(&mut self, area: Rect, style: Style) {
        self.buffer.set_style(area, style);
    }

    /// Writes the heading of a part on its first row, with a rule behind it. Returns the rest of
    /// the area.
    pub(super) fn heading(&mut self, area: Rect, text: &str, at_end: &str) -> Rect {
        let Some(row) = Row::of(area).next() else {
            return area;
        };
        let (heading, dim) = (self.palette.heading(), self.palette.dim());
        let mut left = row;
        if !at_end.is_empty() {
            left = self.at_end(left, at_end, dim);
            left.width = left.width.saturating_sub(1);
        }
        let left = self.line(left, &[(text, heading), (" ", dim)]);
        let rule = "─".repeat(usize::from(left.width));
        self.text(left, &rule, dim);
        Rect::new(area.x, area.y + 1, area.width, area.height - 1)
    }
}

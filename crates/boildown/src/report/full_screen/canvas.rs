//! The alternate screen of the terminal, to which only cells that changed are written.

use std::io::Write as _;
use std::panic;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use boildown_view::buffer::{Buffer, Cell};
use boildown_view::layout::Rect;
use boildown_view::style::{Color, Modifier};
use crossterm::{cursor, queue, terminal};

/// What the terminal shows. Of the whole process: a panic in any thread has to leave the alternate
/// screen before its message is printed.
static SHOWN: Mutex<Shown> = Mutex::new(Shown::Lines);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// The screen that the user had before.
    Lines,
    /// The alternate screen.
    Cells,
    /// The screen that the user had before, until the process ends: it panicked, or is ended.
    LinesForever,
}

fn shown() -> MutexGuard<'static, Shown> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes to standard error, which the view is on. A closed stream does not stop a search.
pub(super) fn write(bytes: &[u8]) {
    let mut out = std::io::stderr();
    drop(out.write_all(bytes).and_then(|()| out.flush()));
}

/// Returns the size of the terminal, as an area.
pub(super) fn size() -> Rect {
    let (columns, rows) = terminal::size().unwrap_or((80, 24));
    Rect::new(0, 0, columns.max(1), rows.max(1))
}

/// The alternate screen. Dropping it shows the screen that the user had before.
pub(super) struct Canvas {
    /// What is on the terminal.
    written: Buffer,
}

impl Canvas {
    pub(super) fn new() -> Self {
        leave_before_panic_messages();
        Self {
            written: Buffer::empty(Rect::ZERO),
        }
    }

    /// Draws: `paint` fills an empty buffer of the size of the terminal.
    pub(super) fn draw(&mut self, paint: impl FnOnce(&mut Buffer)) {
        let area = size();
        let mut next = Buffer::empty(area);
        paint(&mut next);
        let mut out = Vec::new();
        let mut shown = shown();
        if *shown == Shown::LinesForever {
            return;
        }
        if *shown == Shown::Lines {
            *shown = Shown::Cells;
            drop(queue!(out, terminal::EnterAlternateScreen, cursor::Hide));
            self.written = Buffer::empty(Rect::ZERO);
        }
        if *self.written.area() != area {
            drop(queue!(out, terminal::Clear(terminal::ClearType::All)));
            self.written = Buffer::empty(area);
        }
        write_changes(&self.written, &next, &mut out);
        self.written = next;
        if !out.is_empty() {
            write(&out);
        }
    }

    /// Returns whether the terminal shows something else, or has another size.
    pub(super) fn is_outdated(&self) -> bool {
        *shown() == Shown::Lines || *self.written.area() != size()
    }

    /// Lets the next drawing write everything.
    pub(super) fn forget(&mut self) {
        self.written = Buffer::empty(Rect::ZERO);
    }

    /// Shows the screen that the user had before.
    pub(super) fn leave(&mut self) {
        leave(&mut shown());
    }

    /// Says that another program has the terminal, which shows what that one wants.
    pub(super) fn lose(&mut self) {
        let mut shown = shown();
        if *shown == Shown::Cells {
            *shown = Shown::Lines;
        }
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        self.leave();
    }
}

fn leave(shown: &mut Shown) {
    if *shown == Shown::Cells {
        *shown = Shown::Lines;
        let mut out = b"\x1b[0m".to_vec();
        drop(queue!(out, cursor::Show, terminal::LeaveAlternateScreen));
        write(&out);
    }
}

/// Shows the screen that the user had before, until the process ends.
pub(crate) fn leave_for_good() {
    let mut shown = shown();
    if *shown == Shown::Cells {
        leave(&mut shown);
    }
    *shown = Shown::LinesForever;
}

/// Lets the message of a panic be printed to the screen that stays.
fn leave_before_panic_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |message| {
            let mut shown = shown();
            if *shown == Shown::Cells {
                leave(&mut shown);
                *shown = Shown::LinesForever;
            }
            drop(shown);
            print(message);
        }));
    });
}

/// Writes the cells in which the buffers differ.
fn write_changes(before: &Buffer, after: &Buffer, out: &mut Vec<u8>) {
    // Where the terminal's cursor is, and the style it writes with.
    let mut at = None;
    let mut style = None;
    for (x, y, cell) in before.diff(after) {
        if at != Some((x, y)) {
            drop(queue!(out, cursor::MoveTo(x, y)));
        }
        let wanted = style_of(cell);
        if style.as_ref() != Some(&wanted) {
            out.extend(wanted.as_bytes());
            style = Some(wanted);
        }
        let symbol = cell.symbol();
        // The last defence: nothing that commands the terminal is written.
        let symbol = if symbol.contains(char::is_control) {
            "?"
        } else {
            symbol
        };
        out.extend(symbol.as_bytes());
        // Terminals do not agree on the width of other characters.
        at = (symbol.is_ascii() && symbol.len() == 1).then_some((x + 1, y));
    }
    if style.is_some() {
        out.extend(b"\x1b[0m");
    }
}

/// Returns the sequence that makes the terminal write with the style of a cell.
fn style_of(cell: &Cell) -> String {
    let mut codes = "\x1b[0".to_owned();
    for (modifier, code) in [
        (Modifier::BOLD, ";1"),
        (Modifier::DIM, ";2"),
        (Modifier::REVERSED, ";7"),
    ] {
        if cell.modifier.contains(modifier) {
            codes += code;
        }
    }
    codes += match cell.fg {
        Color::Red => ";31",
        Color::Green => ";32",
        Color::Yellow => ";33",
        Color::Blue => ";34",
        Color::LightBlue => ";94",
        Color::Magenta => ";35",
        Color::Cyan => ";36",
        Color::DarkGray => ";90",
        // The view uses no others.
        _ => "",
    };
    codes + "m"
}

/// Returns the sequence that makes the terminal copy a text (OSC 52). Many terminals do; others
/// ignore it.
pub(super) fn copy(text: &str) {
    write(format!("\x1b]52;c;{}\x07", STANDARD.encode(text)).as_bytes());
}

#[cfg(test)]
mod tests {
    use boildown_view::style::Style;

    use super::*;

    fn written(before: &Buffer, after: &Buffer) -> String {
        let mut out = Vec::new();
        write_changes(before, after, &mut out);
        String::from_utf8(out).unwrap().replace('\x1b', "^")
    }

    #[test]
    fn only_changed_cells_are_written() {
        let before = Buffer::with_lines(["abc", "def"]);
        let mut after = before.clone();
        assert_eq!(written(&before, &after), "");
        after.set_string(1, 1, "xy", Style::new().fg(Color::Red));
        assert_eq!(written(&before, &after), "^[2;2H^[0;31mxy^[0m");
    }

    #[test]
    fn after_a_wide_character_the_cursor_is_moved() {
        let before = Buffer::with_lines(["    "]);
        let after = Buffer::with_lines(["日x "]);
        assert_eq!(written(&before, &after), "^[1;1H^[0m日^[1;3Hx^[0m");
    }

    #[test]
    fn a_cell_that_commands_the_terminal_is_not_written() {
        let before = Buffer::with_lines([" "]);
        let mut after = before.clone();
        after[(0, 0)].set_symbol("\x1b[2J");
        assert_eq!(written(&before, &after), "^[1;1H^[0m?^[0m");
    }

    #[test]
    fn a_panic_leaves_the_alternate_screen_for_good() {
        let mut canvas = Canvas::new();
        *shown() = Shown::Cells;
        panic::catch_unwind(|| panic!("on purpose")).unwrap_err();
        assert_eq!(*shown(), Shown::LinesForever);
        canvas.draw(|_| {});
        assert_eq!(*shown(), Shown::LinesForever);
        *shown() = Shown::Lines;
    }
}

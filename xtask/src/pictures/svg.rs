//! A screen of a terminal as SVG.

use std::fmt::Write as _;
use std::time::Duration;

use vt100::{Cell, Color, Screen};

/// Size of a cell, in pixels.
const CELL: [u16; 2] = [8, 17];

/// Space around the screen.
const MARGIN: u16 = 10;

/// The colours of the foreground and of the background that have no number.
const PLAIN: [&str; 2] = ["#d5d9e0", "#1b1e24"];

/// The colours with numbers.
const COLOURS: [&str; 16] = [
    "#1b1e24", "#f0737f", "#8cc570", "#e0b765", "#6aa9f0", "#c789e0", "#5dbcc7", "#c3c9d2",
    "#6b7280", "#f0737f", "#8cc570", "#e0b765", "#6aa9f0", "#c789e0", "#5dbcc7", "#ffffff",
];

/// How a cell is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CellStyle {
    front: String,
    back: String,
    is_bold: bool,
    is_dim: bool,
}

impl CellStyle {
    fn of(cell: &Cell) -> Self {
        let colour = |colour, plain: &str| match colour {
            Color::Default => plain.to_owned(),
            Color::Idx(number) => indexed(number),
            Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        };
        let mut both = [
            colour(cell.fgcolor(), PLAIN[0]),
            colour(cell.bgcolor(), PLAIN[1]),
        ];
        if cell.inverse() {
            both.reverse();
        }
        let [front, back] = both;
        Self {
            front,
            back,
            is_bold: cell.bold(),
            is_dim: cell.dim(),
        }
    }
}

/// Returns a colour of the table of 256.
fn indexed(number: u8) -> String {
    let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
    match number {
        0..16 => COLOURS[usize::from(number)].to_owned(),
        16..232 => {
            let cube = number - 16;
            let [red, green, blue] = [cube / 36, cube / 6 % 6, cube % 6].map(level);
            format!("#{red:02x}{green:02x}{blue:02x}")
        }
        232.. => {
            let grey = 8 + 10 * (number - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

/// Returns a drawing of a screen.
pub(super) fn drawing(screen: &Screen, title: &str) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns): (u16, u16) = (rows.into(), columns.into());
    let lines = (0..rows).map(|row| line(screen, row, columns));
    frame([columns, rows], title, &lines.collect::<String>())
}

/// Returns screens one after the other, each from its time on, again and again; the last one stays
/// for this time. Without animation the last one is seen.
pub(super) fn animation(screens: &[(Duration, Screen)], last: Duration, title: &str) -> String {
    let Some((end, screen)) = screens.last() else {
        return String::new();
    };
    let (rows, columns) = screen.size();
    let (rows, columns): (u16, u16) = (rows.into(), columns.into());
    let whole = (*end + last).as_secs_f64();
    let mut drawn = String::new();
    for row in 0..rows {
        let lines = screens
            .iter()
            .map(|(time, screen)| (time.as_secs_f64() / whole, line(screen, row, columns)));
        let mut lines: Vec<(f64, String)> = lines.collect();
        lines.dedup_by(|later, earlier| later.1 == earlier.1);
        for (at, (start, line)) in lines.iter().enumerate() {
            if line.is_empty() {
                continue;
            }
            let end = lines.get(at + 1).map_or(1.0, |(end, _)| *end);
            let (visible, times) = match (at == 0, at + 1 == lines.len()) {
                (true, true) => {
                    drawn += line;
                    continue;
                }
                (true, false) => ("visible;hidden", format!("0;{end:.4}")),
                (false, true) => ("hidden;visible", format!("0;{start:.4}")),
                (false, false) => ("hidden;visible;hidden", format!("0;{start:.4};{end:.4}")),
            };
            let still = if at + 1 == lines.len() {
                "visible"
            } else {
                "hidden"
            };
            write!(
                drawn,
                "<g visibility=\"{still}\">\n<animate attributeName=\"visibility\" \
                 calcMode=\"discrete\" repeatCount=\"indefinite\" dur=\"{whole:.2}s\" \
                 values=\"{visible}\" keyTimes=\"{times}\"/>\n{line}</g>\n"
            )
            .ok();
        }
    }
    frame([columns, rows], title, &drawn)
}

/// Returns a picture of this many columns and rows with what is drawn in it.
fn frame([columns, rows]: [u16; 2], title: &str, drawn: &str) -> String {
    let [width, height] = [columns * CELL[0] + 2 * MARGIN, rows * CELL[1] + 2 * MARGIN];
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"{}\"/>\n\
         <g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\">\n\
         {drawn}</g>\n</svg>\n",
        PLAIN[1],
        title = escaped(title),
    )
}

/// Draws a row of a screen.
fn line(screen: &Screen, row: u16, columns: u16) -> String {
    let mut svg = String::new();
    let mut column = 0;
    while column < columns {
        column = run(screen, row, column, columns, &mut svg);
    }
    svg
}

/// Draws cells of the same style, from a column on. Returns the column after them. Characters that
/// the font may lack, and that may be wider in another one, are drawn alone.
fn run(screen: &Screen, row: u16, first: u16, columns: u16, svg: &mut String) -> u16 {
    let Some(cell) = screen.cell(row, first) else {
        return first + 1;
    };
    let style = CellStyle::of(cell);
    let shown = |cell: &Cell| match cell.contents() {
        "" => " ".to_owned(),
        text => text.to_owned(),
    };
    let mut text = shown(cell);
    let mut end = first + if cell.is_wide() { 2 } else { 1 };
    while text.is_ascii() && end < columns {
        let Some(next) = screen.cell(row, end) else {
            break;
        };
        if CellStyle::of(next) != style || !shown(next).is_ascii() {
            break;
        }
        text += &shown(next);
        end += 1;
    }
    let [x, y] = [MARGIN + first * CELL[0], MARGIN + row * CELL[1]];
    let width = (end - first) * CELL[0];
    if style.back != PLAIN[1] {
        let height = CELL[1];
        writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
            style.back
        )
        .ok();
    }
    let trimmed = text.trim_end();
    if !trimmed.is_empty() {
        let length = u16::try_from(trimmed.chars().count()).unwrap_or(u16::MAX);
        let length = if text.is_ascii() {
            length * CELL[0]
        } else {
            width
        };
        let bold = if style.is_bold {
            " font-weight=\"bold\""
        } else {
            ""
        };
        let dim = if style.is_dim { " opacity=\"0.6\"" } else { "" };
        writeln!(
            svg,
            "<text x=\"{x}\" y=\"{}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{bold}{dim}>{}</text>",
            y + 13,
            style.front,
            // Viewers join other spaces.
            escaped(trimmed).replace(' ', "\u{a0}")
        )
        .ok();
    }
    end
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;

    #[test]
    fn cells_of_one_style_are_one_text() {
        let size = |number| NonZero::new(number).unwrap();
        let mut parser = vt100::Parser::new(size(2), size(12), 0);
        parser.process("a<b \x1b[1;31mred\x1b[0m\x1b[7m \u{2801}\x1b[0m".as_bytes());
        let svg = drawing(parser.screen(), "a & b");
        for part in [
            "<title>a &amp; b</title>",
            ">a&lt;b</text>",
            "fill=\"#f0737f\" font-weight=\"bold\">red</text>",
            "fill=\"#d5d9e0\"/>",
            ">\u{2801}</text>",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert_eq!(svg.matches("<text").count(), 3, "{svg}");
    }

    #[test]
    fn a_row_is_animated_where_it_changes() {
        let size = |number| NonZero::new(number).unwrap();
        let mut parser = vt100::Parser::new(size(2), size(12), 0);
        let mut screens = Vec::new();
        for (seconds, text) in [
            (0, "title\r\none"),
            (1, "\x1b[2;1Htwo"),
            (3, "\x1b[2;1H   "),
        ] {
            parser.process(text.as_bytes());
            screens.push((Duration::from_secs(seconds), parser.screen().clone()));
        }
        let svg = animation(&screens, Duration::from_secs(1), "a");
        assert_eq!(svg.matches(">title</text>").count(), 1, "{svg}");
        assert_eq!(svg.matches("<animate ").count(), 2, "{svg}");
        for part in [
            "keyTimes=\"0;0.2500\"",
            "keyTimes=\"0;0.2500;0.7500\"",
            "dur=\"4.00s\"",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
    }

    #[test]
    fn all_numbers_have_a_colour() {
        assert_eq!(indexed(9), COLOURS[9]);
        assert_eq!(indexed(16), "#000000");
        assert_eq!(indexed(231), "#ffffff");
        assert_eq!(indexed(255), "#eeeeee");
    }
}

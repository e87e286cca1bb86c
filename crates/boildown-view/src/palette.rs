//! Colours of the view, and their replacement where there are none.

use boildown_document::TokenClass;
use ratatui_core::style::{Color, Modifier, Style};

/// The colours of the view: the sixteen of the terminal's theme, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// Colours for a dark background.
    Dark,
    /// Colours for a light background.
    Light,
    /// Bold, dim and reversed characters only, as `NO_COLOR` asks for.
    Monochrome,
}

/// The background of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Light characters stand out.
    Dark,
    /// Dark characters stand out.
    Light,
}

impl Background {
    /// Returns the background that the variable `COLORFGBG` names: the numbers of the colours of
    /// characters and background, such as `0;15`.
    pub fn of_variable(value: &str) -> Option<Self> {
        let (_, colour) = value.rsplit_once(';')?;
        Some(match colour.parse().ok()? {
            7_u8 | 9..=15 => Self::Light,
            0..=6 | 8 => Self::Dark,
            _ => return None,
        })
    }

    /// Returns the background in the answer to [`BACKGROUND_QUERY`], such as `rgb:ffff/ffff/ffff`.
    pub(crate) fn of_answer(answer: &str) -> Option<Self> {
        let parts = answer.strip_prefix("rgb:")?.split('/');
        // The first two digits of each, from 0 to 1.
        let part = |part: &str| {
            let digits = part.get(..part.len().min(2))?;
            let most = if digits.len() == 2 { 255.0 } else { 15.0 };
            Some(f32::from(u8::from_str_radix(digits, 16).ok()?) / most)
        };
        let parts: Vec<f32> = parts.map(part).collect::<Option<_>>()?;
        let [red, green, blue] = parts[..] else {
            return None;
        };
        let brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
        Some(if brightness > 0.5 {
            Self::Light
        } else {
            Self::Dark
        })
    }
}

/// What is written to a terminal to ask for its background (OSC 11). Terminals that do not know it
/// ignore it. The answer is read as a key.
pub const BACKGROUND_QUERY: &str = "\x1b]11;?\x1b\\";

impl Palette {
    /// Returns the palette for a background. Without colours, it is the same for all.
    #[must_use]
    pub fn on(self, background: Background) -> Self {
        match (self, background) {
            (Self::Monochrome, _) => Self::Monochrome,
            (_, Background::Dark) => Self::Dark,
            (_, Background::Light) => Self::Light,
        }
    }

    fn colour(self, colour: Color, otherwise: Modifier) -> Style {
        match self {
            Self::Dark => Style::new().fg(colour),
            Self::Light => Style::new().fg(on_light(colour)),
            Self::Monochrome => Style::new().add_modifier(otherwise),
        }
    }

    /// Returns the style of the first and the last line.
    pub(crate) fn bar(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(crate) fn heading(self) -> Style {
        self.colour(Color::Cyan, Modifier::empty())
    }

    pub(crate) fn dim(self) -> Style {
        self.colour(Color::DarkGray, Modifier::DIM)
    }

    pub(crate) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(crate) fn curve(self) -> Style {
        self.colour(Color::Green, Modifier::empty())
    }

    pub(crate) fn removed(self) -> Style {
        self.colour(Color::Red, Modifier::empty())
    }

    pub(crate) fn added(self) -> Style {
        self.colour(Color::Green, Modifier::BOLD)
    }

    pub(crate) fn warning(self) -> Style {
        self.colour(Color::Yellow, Modifier::BOLD)
    }

    /// Returns the style of a character that stands for another one, such as an escaped byte.
    pub(crate) fn escaped(self) -> Style {
        self.colour(Color::Magenta, Modifier::DIM)
    }

    pub(crate) fn token(self, class: Option<TokenClass>) -> Style {
        let plain = Modifier::empty();
        let Some(class) = class else {
            return Style::new();
        };
        match class {
            TokenClass::Comment => self.dim(),
            TokenClass::Text => self.colour(Color::Green, plain),
            TokenClass::Number => self.colour(Color::Magenta, plain),
            TokenClass::Keyword => self.colour(Color::LightBlue, Modifier::BOLD),
            TokenClass::Type => self.colour(Color::Cyan, plain),
            TokenClass::Sign => self.colour(Color::DarkGray, plain),
        }
    }
}

/// Returns what stands out from a light background in place of a colour that does not.
fn on_light(colour: Color) -> Color {
    match colour {
        Color::Cyan | Color::LightBlue => Color::Blue,
        Color::Yellow => Color::Magenta,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_background_is_read_from_the_variable_and_from_the_answer() {
        use Background::{Dark, Light};
        for (value, background) in [
            ("0;15", Some(Light)),
            ("15;default;0", Some(Dark)),
            ("0;8", Some(Dark)),
            ("15;default", None),
            ("", None),
        ] {
            assert_eq!(Background::of_variable(value), background, "{value}");
        }
        for (answer, background) in [
            ("rgb:ffff/ffff/dddd", Some(Light)),
            ("rgb:0000/2b2b/3636", Some(Dark)),
            ("rgb:f/f/f", Some(Light)),
            ("rgb:ff/ff", None),
            ("rgba:0/0/0/0", None),
            ("rgb:\u{e9}/0/0", None),
        ] {
            assert_eq!(Background::of_answer(answer), background, "{answer}");
        }
    }

    #[test]
    fn without_colours_the_background_does_not_matter() {
        let on = |palette: Palette| palette.on(Background::Light);
        assert_eq!(
            [on(Palette::Dark), on(Palette::Monochrome)],
            [Palette::Light, Palette::Monochrome]
        );
    }
}

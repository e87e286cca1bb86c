//! Colours of the view, and their replacement where there are none.

use ratatui_core::style::{Color, Modifier, Style};

use crate::case::TokenClass;

/// The colours of the view: the sixteen of the terminal's theme, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// Colours.
    Colours,
    /// Bold, dim and reversed characters only, as `NO_COLOR` asks for.
    Monochrome,
}

impl Palette {
    fn colour(self, colour: Color, otherwise: Modifier) -> Style {
        match self {
            Self::Colours => Style::new().fg(colour),
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

    pub(crate) fn token(self, class: TokenClass) -> Style {
        let plain = Modifier::empty();
        match class {
            TokenClass::Plain => Style::new(),
            TokenClass::Comment => self.dim(),
            TokenClass::Text => self.colour(Color::Green, plain),
            TokenClass::Number => self.colour(Color::Magenta, plain),
            TokenClass::Keyword => self.colour(Color::Blue, Modifier::BOLD),
            TokenClass::Type => self.colour(Color::Cyan, plain),
            TokenClass::Sign => self.colour(Color::DarkGray, plain),
        }
    }
}

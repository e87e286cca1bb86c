//! The ways in which a reduction shows its progress: a view, a live line, or plain lines.

use std::env;

use boildown_view::{Background, Palette, ROOMY};
use clap::ValueEnum;
use crossterm::terminal;

use super::full_screen::FullScreenReporter;
use super::json;
use super::reporter::{QuietReporter, Reporter};
use super::terminal::LiveLine;
use super::text::TextReporter;
use crate::error::CliError;
use crate::keys;
use crate::options::OutputArgs;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ui {
    /// A view that fills the terminal.
    Tui,
    /// A live line below the lines that stay.
    Line,
    /// Lines only.
    Plain,
}

/// Returns the reporter of a reduction.
///
/// # Errors
/// [`CliError`] when the view was asked for and there is no terminal.
pub(crate) fn reduction_reporter(
    options: &OutputArgs,
    ui: Option<Ui>,
) -> Result<Box<dyn Reporter>, CliError> {
    if options.json {
        return Ok(Box::<json::JsonReporter>::default());
    }
    if options.quiet {
        return Ok(Box::new(QuietReporter));
    }
    let has_keys = keys::are_available();
    let ui = match ui {
        Some(Ui::Tui) if !has_keys => {
            let what = "--ui tui needs a terminal for standard input and standard error";
            return Err(CliError::usage(what)
                .hint("--ui line and --ui plain print lines; without --ui, boildown chooses"));
        }
        Some(ui) => ui,
        None if has_keys && has_room() && has_colours() && keys::is_in_foreground() => Ui::Tui,
        None => Ui::Line,
    };
    let live = match ui {
        Ui::Tui | Ui::Line => LiveLine::OnTerminals,
        Ui::Plain => LiveLine::Never,
    };
    let hint = if has_keys && ui == Ui::Line {
        keys::HINT
    } else {
        ""
    };
    let text = TextReporter::new(hint, options.verbose, live);
    Ok(match ui {
        Ui::Line | Ui::Plain => Box::new(text),
        Ui::Tui => {
            let palette = match is_set("NO_COLOR") {
                true => Palette::Monochrome,
                false => Palette::Dark.on(background()),
            };
            Box::new(FullScreenReporter::new(text, palette))
        }
    })
}

/// Returns the background that the environment names. The terminal is asked later.
fn background() -> Background {
    let named = env::var("COLORFGBG").ok();
    let named = named.and_then(|value| Background::of_variable(&value));
    named.unwrap_or(Background::Dark)
}

fn has_room() -> bool {
    terminal::size().is_ok_and(|(columns, rows)| columns >= ROOMY.0 && rows >= ROOMY.1)
}

/// Returns whether the terminal is one that can be drawn on, and the user wants colours.
fn has_colours() -> bool {
    let is_capable = env::var_os("TERM").is_some_and(|term| term != "dumb" && !term.is_empty());
    is_capable && !is_set("NO_COLOR")
}

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}

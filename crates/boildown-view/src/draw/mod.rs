//! The screens of the view.
//!
//! - `painter`: writes into the buffer
//! - `layout`: where the parts of the main screen are
//! - `header`: the lines with the numbers, and the keys
//! - `curve`: the size over time
//! - `passes`: what each pass has removed
//! - `case`: the best test case, and what the last step removed
//! - `workers`: what the workers run
//! - `history`: the slider over the results, and what a step changed
//! - `pages`: the differences to the input, the secondary failures, and the help

mod case;
mod curve;
mod header;
mod history;
mod layout;
mod pages;
mod painter;
mod passes;
mod workers;

#[cfg(test)]
mod tests;

use ratatui_core::buffer::Buffer;

use crate::case::TestCase;
use crate::model::{Screen, ViewModel};
use crate::palette::Palette;
use layout::Places;
use painter::Painter;

/// Draws the view into a buffer of any size.
pub fn draw(model: &ViewModel, case: &TestCase, palette: Palette, buffer: &mut Buffer) {
    let places = Places::new(*buffer.area(), model);
    let mut painter = Painter::new(buffer, palette);
    header::title(model, places.title, &mut painter);
    header::keys(model, places.keys, &mut painter);
    if model.screen != Screen::Main {
        pages::draw(model, places.page, &mut painter);
        return;
    }
    header::numbers(model, places.numbers, &mut painter);
    header::status(model, places.status, &mut painter);
    curve::draw(model, places.curve, &mut painter);
    passes::draw(model, places.passes, &mut painter);
    case::draw(model, case, places.case, &mut painter);
    case::draw_step(model, case, places.step, &mut painter);
    workers::draw(model, places.workers, &mut painter);
}

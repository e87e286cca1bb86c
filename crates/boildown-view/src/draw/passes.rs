//! The yield of each pass.

use ratatui_core::layout::Rect;

use super::painter::{Painter, Row};
use crate::model::ViewModel;
use crate::numbers::{clock, short};
use crate::pass_yield::PassYield;

/// Columns of the numbers of a pass.
const NUMBERS: u16 = 6 + 6 + 7 + 7 + 7;

pub(super) fn draw(model: &ViewModel, area: Rect, painter: &mut Painter<'_>) {
    if area.height < 3 || area.width < 30 {
        return;
    }
    let has_bytes = area.width >= NUMBERS + 14;
    let rows = model.passes.ranked();
    let area = painter.heading(area, "passes", &headings(has_bytes));
    let shown = usize::from(area.height);
    let is_cut = rows.len() > shown;
    let (dim, strong) = (painter.palette.dim(), painter.palette.strong());
    for (place, row) in Row::of(area).enumerate() {
        if is_cut && place + 1 == shown {
            let more = rows.len() - place;
            painter.text(row, &format!("  {more} more"), dim);
            break;
        }
        let Some(pass) = rows.get(place) else {
            break;
        };
        let is_current = model
            .passes
            .current()
            .is_some_and(|current| current.name == pass.name);
        let (mark, style) = match is_current {
            true => ("▶ ", strong),
            false => ("  ", ratatui_core::style::Style::new()),
        };
        let left = painter.at_end(row, &numbers(pass, has_bytes), style);
        painter.line(left, &[(mark, strong), (pass.name, style)]);
    }
}

fn headings(has_bytes: bool) -> String {
    let bytes = if has_bytes {
        format!("{:>7}", "bytes")
    } else {
        String::new()
    };
    format!(
        "{:>6}{:>6}{bytes}{:>7}{:>7}",
        "tests", "hits", "tokens", "time"
    )
}

fn numbers(pass: &PassYield, has_bytes: bool) -> String {
    let minus = |number: u64| match number {
        0 => "·".to_owned(),
        number => format!("-{}", short(number)),
    };
    let bytes = match has_bytes {
        true => format!("{:>7}", minus(pass.bytes)),
        false => String::new(),
    };
    format!(
        "{:>6}{:>6}{bytes}{:>7}{:>7}",
        short(pass.tests),
        short(pass.hits),
        minus(pass.tokens),
        clock(pass.time)
    )
}

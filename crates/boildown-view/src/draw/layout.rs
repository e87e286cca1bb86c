//! The places of the parts of the main screen.

use ratatui_core::layout::Rect;

use crate::model::ViewModel;

/// The places of the parts. A part without room has no height.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Places {
    pub(super) title: Rect,
    pub(super) numbers: Rect,
    pub(super) curve: Rect,
    pub(super) passes: Rect,
    pub(super) case: Rect,
    pub(super) step: Rect,
    pub(super) workers: Rect,
    pub(super) status: Rect,
    pub(super) keys: Rect,
    /// Everything between the title and the keys.
    pub(super) page: Rect,
}

/// The smallest room between the numbers and the status in which all parts are shown.
const ROOM: u16 = 12;

/// The smallest width in which two parts are beside each other.
const TWO_COLUMNS: u16 = 60;

impl Places {
    pub(super) fn new(area: Rect, model: &ViewModel) -> Self {
        let mut rows = Rows(area);
        let title = rows.top(1);
        let keys = rows.bottom(1);
        let page = rows.0;
        let numbers = rows.top(2);
        let status = rows.bottom(1);
        let mut places = Self {
            title,
            numbers,
            status,
            keys,
            page,
            ..Self::default()
        };
        let room = rows.0.height;
        let is_wide = area.width >= TWO_COLUMNS;
        if room < ROOM {
            places.case = rows.0;
            return places;
        }
        let workers = u16::try_from(model.workers.len()).unwrap_or(u16::MAX);
        places.workers = rows.bottom(1 + workers.clamp(1, (room / 8).max(1)));
        let top = rows.top((room * 2 / 5).clamp(6, 18));
        let middle = rows.0;
        if !is_wide {
            (places.curve, places.case) = (top, middle);
            return places;
        }
        (places.curve, places.passes) = columns(top, top.width * 45 / 100);
        (places.case, places.step) = columns(middle, middle.width * 3 / 5);
        places
    }
}

/// Splits an area, with a free column between both parts.
fn columns(area: Rect, left: u16) -> (Rect, Rect) {
    let right = (area.width - left).saturating_sub(1);
    let beside = Rect::new(area.x + left + 1, area.y, right, area.height);
    (Rect::new(area.x, area.y, left, area.height), beside)
}

/// Rows that are not used yet.
struct Rows(Rect);

impl Rows {
    fn top(&mut self, rows: u16) -> Rect {
        let rows = rows.min(self.0.height);
        let taken = Rect::new(self.0.x, self.0.y, self.0.width, rows);
        self.0.y += rows;
        self.0.height -= rows;
        taken
    }

    fn bottom(&mut self, rows: u16) -> Rect {
        let rows = rows.min(self.0.height);
        self.0.height -= rows;
        Rect::new(self.0.x, self.0.y + self.0.height, self.0.width, rows)
    }
}

//! Reporters: they show what happens as lines for people, as JSON, or not at all.

pub(crate) mod activity;
pub(crate) mod endings;
pub(crate) mod flakiness;
pub(crate) mod format;
pub(crate) mod full_screen;
pub(crate) mod json;
pub(crate) mod notes;
pub(crate) mod recorded;
pub(crate) mod reporter;
pub(crate) mod started;
pub(crate) mod terminal;
pub(crate) mod text;
pub(crate) mod ui;
pub(crate) mod work_board;

pub(crate) use full_screen::leave_for_good as leave_screen_for_good;
use reporter::{QuietReporter, Reporter};

/// Returns the reporter of reductions and isolations for these options. A live line ends with the
/// hint.
pub(crate) fn reporter(
    options: &crate::options::OutputArgs,
    hint: &'static str,
) -> Box<dyn Reporter> {
    match (options.json, options.quiet) {
        (true, _) => Box::<json::JsonReporter>::default(),
        (false, true) => Box::new(QuietReporter),
        (false, false) => Box::new(text::TextReporter::new(
            hint,
            options.verbose,
            terminal::LiveLine::OnTerminals,
        )),
    }
}

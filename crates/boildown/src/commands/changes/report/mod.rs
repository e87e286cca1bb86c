//! Reporters of a culprit search.

mod json;
mod markdown;
pub(super) mod reporter;
mod sentences;
mod text;

use boildown_session::changes::SearchTarget;

use self::reporter::{ChangesReporter, QuietChanges};
use super::args::ChangesArgs;

/// Returns the reporter for these options.
pub(super) fn reporter(args: &ChangesArgs, target: SearchTarget) -> Box<dyn ChangesReporter> {
    match (args.json, args.markdown, args.quiet) {
        (true, ..) => Box::<json::ChangesJson>::default(),
        (_, true, _) => Box::new(markdown::ChangesMarkdown),
        (.., true) => Box::new(QuietChanges),
        _ => Box::new(text::ChangesText::new(target)),
    }
}

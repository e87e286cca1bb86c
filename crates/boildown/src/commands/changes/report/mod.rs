//! Reporters of a culprit search.

mod culprit;
mod json;
mod markdown;
mod sentences;
mod text;

use boildown_session::changes::SearchTarget;
use serde_json::Value;

pub(super) use self::culprit::CulpritSearchReport;
use super::args::ChangesArgs;
use crate::report::json::JsonReporter;
use crate::report::reporter::{FinalReport, QuietReporter, Reporter};

/// Returns the reporter for these options.
pub(super) fn reporter(args: &ChangesArgs, target: SearchTarget) -> Box<dyn Reporter> {
    match (args.json, args.markdown, args.quiet) {
        (true, ..) => Box::<JsonReporter>::default(),
        (_, true, _) => Box::new(markdown::ChangesMarkdown),
        (.., true) => Box::new(QuietReporter),
        _ => Box::new(text::ChangesText::new(target)),
    }
}

impl FinalReport for CulpritSearchReport<'_> {
    fn summary(&self) -> String {
        text::summary(self)
    }

    fn details(&self) -> String {
        markdown::text(self)
    }

    fn json(&self) -> Value {
        json::finished(self)
    }
}

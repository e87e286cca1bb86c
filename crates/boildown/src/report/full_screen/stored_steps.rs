//! The results of a run, read from its store while it continues.

use std::sync::Arc;

use boildown_show::PassRecord;
use boildown_store::{RunHistory, StoredImprovement};
use boildown_view::StepRow;

use crate::folder;
use crate::report::reporter::StepSource;

/// The results that were read last.
#[derive(Default)]
pub(super) struct StoredSteps {
    history: Option<RunHistory>,
}

impl StoredSteps {
    /// Reads which results there are. Nothing that cannot be read is listed.
    pub(super) fn read(&mut self, source: &StepSource) -> Vec<StepRow> {
        let store = source.store.as_deref();
        self.history = store.and_then(|file| RunHistory::read(file).ok());
        let history = self.history.as_ref();
        let passes = history.and_then(|history| history.passes().ok());
        let passes = passes.unwrap_or_default();
        let results = history.into_iter().flat_map(RunHistory::improvements);
        results.map(|result| row(result, &passes)).collect()
    }

    /// Returns the texts before and after the step to a result.
    pub(super) fn texts(&self, place: usize, source: &StepSource) -> Option<[Arc<[u8]>; 2]> {
        let history = self.history.as_ref()?;
        let text = |place: usize| {
            let text = history.text(history.improvements().get(place)?).ok()??;
            Some(match &source.listing {
                None => text.into(),
                Some(listing) => folder::listed(listing, &text),
            })
        };
        Some([text(place.checked_sub(1)?)?, text(place)?])
    }
}

/// Returns a result as it is shown. The pass is the last one that began before.
fn row(result: &StoredImprovement, passes: &[PassRecord]) -> StepRow {
    let begun = passes.partition_point(|pass| pass.test < result.query);
    let pass = begun.checked_sub(1).map(|place| passes[place].name.clone());
    StepRow {
        bytes: result.bytes,
        tokens: result.tokens,
        tests: result.query,
        elapsed: result.elapsed,
        pass: pass.unwrap_or_default(),
        has_text: result.has_text,
    }
}

//! The history of searches that started again without the store.

use std::sync::Arc;

use boildown_driver::Spent;
use boildown_store::{Improvement, RunStore, StartedPass};

use crate::event::{Event, Progress, Summary};

/// Records the results and passes of searches that must not use the verdicts of the store. They
/// belong to the history all the same, and the next session begins with the last result.
#[derive(Debug)]
pub(super) struct LaterHistory<'a> {
    store: &'a RunStore,
    /// What all searches have spent so far.
    spent: Spent,
    /// The last result that was reported.
    best: Option<Arc<[u8]>>,
}

impl<'a> LaterHistory<'a> {
    /// Begins after searches that spent `before`.
    pub(super) fn new(store: &'a RunStore, before: Spent) -> Self {
        Self {
            store,
            spent: before,
            best: None,
        }
    }

    /// Records an event, whose progress is that since the first search.
    pub(super) fn record(&mut self, event: &Event) {
        match event {
            Event::Tested { progress, .. } | Event::Tick(progress) => self.spent = progress.spent,
            Event::NewBest(text) => self.best = Some(Arc::clone(text)),
            Event::Improved(progress) => self.improve(progress),
            Event::PassStarted { name, .. } => self.store.start_pass(StartedPass {
                query: self.spent.queries,
                name: (*name).to_owned(),
                elapsed: self.spent.elapsed,
            }),
            _ => {}
        }
    }

    /// Records how the searches ended, with their result if it was not reported.
    pub(super) fn end(mut self, result: &Arc<[u8]>, summary: &Summary) {
        if self.best.as_ref() != Some(result) {
            self.best = Some(Arc::clone(result));
            self.improve(&summary.progress);
        }
        summary.record_anew(self.store);
    }

    fn improve(&mut self, progress: &Progress) {
        self.spent = progress.spent;
        if let Some(text) = &self.best {
            let Spent {
                queries, elapsed, ..
            } = progress.spent;
            self.store.supersede(Improvement {
                bytes: progress.bytes,
                tokens: progress.tokens,
                ..Improvement::of_text(text, queries, elapsed)
            });
        }
    }
}

//! Options that all sessions share.

use std::sync::Arc;

use boildown_driver::{
    Budget, Config, ProcessorUse, RecalledVerdict, VerdictMemory, VerdictReview,
};
use boildown_oracle::{Answer, Interrupt, OracleError};
use boildown_search::Fingerprint;
use boildown_show::StopReason;
use boildown_store::RunStore;

use crate::event::stopped_by;
/// Options that all sessions share.
#[derive(Debug, Clone, Default)]
pub struct SessionConfig {
    /// The number of candidates that are run at the same time; 0 means 1. Changes the time, never
    /// the result.
    pub jobs: usize,
    /// How many of these are run on other machines, by the executor of the runner.
    pub jobs_elsewhere: usize,
    /// The limits at which to stop before the search has finished.
    pub budget: Budget,
    /// Stops the session from another thread. Without one, only the budget stops it early.
    pub interrupt: Option<Interrupt>,
    /// The run store. What it knows is not run again; verdicts and results are added to it.
    pub store: Option<Arc<RunStore>>,
    /// Decides whether interesting candidates count.
    pub review: Option<Arc<dyn VerdictReview>>,
    /// A run store whose verdicts are used, and to which verdicts only are added, if there is no
    /// `store`.
    pub memory: Option<Arc<RunStore>>,
}

impl SessionConfig {
    /// Returns the options of a drive, with the run store as the memory of its verdicts.
    pub(crate) fn driver(&self) -> Config {
        Config {
            memory: (self.store.clone().or_else(|| self.memory.clone()))
                .map(|store| Arc::new(StoreMemory::new(store)) as Arc<dyn VerdictMemory>),
            ..self.driver_without_memory()
        }
    }

    /// Returns the options of a drive that looks up verdicts itself.
    pub(crate) fn driver_without_memory(&self) -> Config {
        Config {
            jobs: self.jobs,
            jobs_elsewhere: self.jobs_elsewhere,
            budget: self.budget,
            interrupt: self.interrupt.clone(),
            memory: None,
            review: self.review.clone(),
            processor_use: Some(processor_use),
        }
    }

    /// Returns why a session stops whose runs were interrupted.
    pub(crate) fn interruption(&self) -> StopReason {
        (self.interrupt.as_ref()).map_or(StopReason::Interrupted, stopped_by)
    }

    /// Returns the interrupt handle, or one that is never triggered.
    pub(crate) fn interrupt_handle(&self) -> Result<Interrupt, OracleError> {
        self.interrupt.clone().map_or_else(Interrupt::new, Ok)
    }
}

/// Reads how the processors of this machine are used.
fn processor_use() -> Option<ProcessorUse> {
    let used = boildown_exec::machine_use()?;
    Some(ProcessorUse {
        runs: used.runs,
        own: used.own,
        queue: used.queue,
    })
}

/// The run store as the memory of a drive, for drives outside a session.
#[derive(Debug)]
pub struct StoreMemory(Arc<RunStore>);

impl StoreMemory {
    /// Returns a memory that looks up and records verdicts in this store.
    #[must_use]
    pub fn new(store: Arc<RunStore>) -> Self {
        Self(store)
    }
}

impl VerdictMemory for StoreMemory {
    fn recall(&self, content: Fingerprint) -> Option<RecalledVerdict> {
        let recalled = self.0.recall(content)?;
        Some(RecalledVerdict {
            verdict: recalled.verdict,
            is_earlier: recalled.is_earlier,
        })
    }

    fn record(&self, content: Fingerprint, answer: &Answer) {
        self.0.learn(content, answer);
    }
}

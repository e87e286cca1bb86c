//! The oracle of a reduction as a list of stages.
//!
//! A stage is put around those before it. From the inside to the outside:
//!
//! 1. run and property: the oracle of the plan, in one run, with the secondary failures, which are
//!    those of every run, also of refused candidates
//! 2. watch: shows and pauses whole runs, and not the further runs of the review
//! 3. review: measures interesting candidates, and none that the property rejects
//! 4. form: the last to refuse a candidate, so that the forms it remembers are those of hits
//! 5. repeats: a run of a flaky candidate is one of all stages before it
//! 6. environment: the property held if that is what the repeated runs say
//! 7. bytes: what is searched are candidates, which the stages do not know
//!
//! [`reduce_with_restarts`](super::reduce_with_restarts) puts 2 to 4 around 1, once. The policy of
//! the repeats changes when a reduction starts again, and the environment belongs to one search.

use boildown_oracle::{Answer, Interrupt, Oracle, OracleError};

/// A stage of an oracle.
pub trait OracleStage: Send + Sync {
    /// Judges a candidate by the answer of the stages before this one, `inner`.
    ///
    /// # Errors
    /// Those of `inner`, and [`OracleError`] when this stage could not run what it needs.
    fn judge(
        &self,
        inner: &dyn Oracle,
        candidate: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Answer, OracleError>;
}

/// An oracle with stages around it.
#[derive(Clone, Copy)]
pub(super) struct StagedOracle<'a> {
    pub(super) oracle: &'a dyn Oracle,
    /// The innermost one first.
    pub(super) stages: &'a [&'a dyn OracleStage],
}

impl Oracle for StagedOracle<'_> {
    fn judge(&self, candidate: &[u8], interrupt: &Interrupt) -> Result<Answer, OracleError> {
        match self.stages.split_last() {
            None => self.oracle.judge(candidate, interrupt),
            Some((last, stages)) => {
                last.judge(&StagedOracle { stages, ..*self }, candidate, interrupt)
            }
        }
    }
}

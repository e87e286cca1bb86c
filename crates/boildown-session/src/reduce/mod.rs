//! Reduction: makes a text smaller, with the best result on disk at every moment.

mod confirm;
mod confirming_runs;
mod environment;
mod failure_form;
mod later_history;
mod near_misses;
mod objective;
mod options;
mod proposals;
mod recalled_misses;
mod restart;
mod run;
mod size_curve;
mod sized_text;
mod stages;
mod task;
mod verdict_log;

pub use confirming_runs::ConfirmingRuns;
pub(crate) use environment::runs_until_hit;
pub use failure_form::{FailureForm, RefusedForms};
pub use objective::{MeasuredEnds, MeasuringEffort, ObjectiveReview};
pub use options::{
    InputForm, ReduceOptions, ResultOutput, SkipPass, TargetSize, fingerprint_of_folder,
    write_in_room_of,
};
pub use restart::{FlakyInput, Reduced, ReductionPlan, reduce_with_restarts};
pub use run::reduce;
pub use stages::OracleStage;

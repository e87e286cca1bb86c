//! The runs of an example before it is shown.

use boildown_oracle::{Interrupt, OracleError, Run};
use boildown_search::flaky::RunCounts;
use boildown_triage::{FailureKey, RunPlan};

use super::failure_test::FailureTest;

/// The runs of an example at the end.
pub(super) struct Verified {
    pub(super) counts: RunCounts,
    /// The first run that failed as expected.
    pub(super) run: Option<Run>,
}

/// Runs an example again: until it has failed as expected, and as often as every input is run; at
/// most as often as a flaky input is.
pub(super) fn verify(
    test: &FailureTest,
    example: &[u8],
    key: &FailureKey,
    plan: RunPlan,
    interrupt: &Interrupt,
) -> Result<Verified, OracleError> {
    let mut verified = Verified {
        counts: RunCounts::default(),
        run: None,
    };
    for number in 0..plan.if_flaky.max(plan.first) {
        if number >= plan.first && verified.run.is_some() {
            break;
        }
        let run = test.run(example, interrupt)?;
        let is_hit = test.key_of(&run).as_ref() == Some(key);
        verified.counts.count(is_hit);
        if is_hit && verified.run.is_none() {
            verified.run = Some(run);
        }
    }
    Ok(verified)
}

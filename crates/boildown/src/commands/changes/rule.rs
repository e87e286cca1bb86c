//! The rule that tells good from bad, from the options.

use boildown_oracle::Property;
use boildown_session::changes::OutcomeRule;

use super::args::ChangesArgs;
use crate::error::CliError;

/// Returns the rule that tells good from bad.
pub(super) fn rule(args: &ChangesArgs) -> Result<OutcomeRule, CliError> {
    let stated = Property::new(args.expectations.expectations().collect());
    match (stated, &args.bisect_run, &args.test) {
        (Some(_), Some(_), _) => Err(conflict("--bisect-run")),
        (Some(_), _, Some(_)) => Err(conflict("--test")),
        (Some(property), None, None) => Ok(OutcomeRule::Property(property)),
        (None, Some(_), _) => Ok(OutcomeRule::BisectRun),
        (None, None, Some(_)) => Ok(OutcomeRule::Test),
        (None, None, None) if args.any_failure => Ok(OutcomeRule::ExitCode),
        (None, None, None) => Ok(OutcomeRule::SameFailure),
    }
}

fn conflict(option: &str) -> CliError {
    CliError::usage(format!("{option} cannot be combined with expectations"))
        .hint("remove --exit, --stdout, --stderr, --not-stderr and --hangs, or the script")
}

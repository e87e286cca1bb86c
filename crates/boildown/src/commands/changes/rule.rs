//! The rule that tells good from bad, from the options.

use boildown_oracle::Property;
use boildown_session::changes::OutcomeRule;

use super::args::ChangesArgs;

/// Returns the rule that tells good from bad.
pub(super) fn rule(args: &ChangesArgs) -> OutcomeRule {
    let stated = Property::new(args.expectations.expectations().collect());
    match (stated, &args.bisect_run, &args.test) {
        (Some(property), ..) => OutcomeRule::Property(property),
        (None, Some(_), _) => OutcomeRule::BisectRun,
        (None, None, Some(_)) => OutcomeRule::Test,
        (None, None, None) if args.any_failure => OutcomeRule::ExitCode,
        (None, None, None) => OutcomeRule::SameFailure,
    }
}

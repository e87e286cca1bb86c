//! Selection of the passes that run.

use std::ops::Range;

use super::pass::Pass;
use super::pass_id::PassId;
use crate::strategy::{ElementOrder, Layout, NamePolicy, Strategy};

/// Why a pass has nothing to do on an input.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdleReason {
    /// It runs only when names are to be canonical.
    NamesStay,
    /// It runs only for a compact layout.
    LayoutStays,
    /// It runs only when orders are to be tried.
    OrderStays,
    /// It runs only when the result is redacted.
    WordsStay,
    /// It runs only under the default schedule.
    OtherSchedule,
    /// It runs only on inputs of these sizes, in bytes.
    Size(Range<usize>),
    /// It runs only where the output of the failure reports lines of the input.
    NothingReported,
    /// It finds nothing to try.
    NothingToTry,
}

/// Returns whether the user selected a pass. One that is named runs on small inputs too: where the
/// other passes run, it is only not worth its time.
pub(super) fn select(pass: &mut Pass, strategy: &Strategy) -> bool {
    if strategy.passes.names_passes_to_run() {
        pass.sizes.start = 0;
    }
    strategy.passes.contains(pass.id)
}

/// Returns why other options than the selection of passes leave out a pass.
pub(super) fn omitted(pass: &Pass, strategy: &Strategy) -> Option<IdleReason> {
    match pass.id {
        PassId::REWRITING_NAMES if strategy.names != NamePolicy::Canonical => {
            Some(IdleReason::NamesStay)
        }
        PassId::REPORTED if strategy.reported_lines.is_empty() => Some(IdleReason::NothingReported),
        PassId::REDACTION if !strategy.redacts => Some(IdleReason::WordsStay),
        PassId::ORDERS if strategy.order == ElementOrder::Kept => Some(IdleReason::OrderStays),
        PassId::SPACES if strategy.layout != Layout::Compact => Some(IdleReason::LayoutStays),
        _ if !strategy.schedule.is_default() && pass.needs_own_schedule() => {
            Some(IdleReason::OtherSchedule)
        }
        _ => None,
    }
}

//! Why a selection of passes has nothing to do on an input.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::Search as _;
use boildown_search::algorithms::Schedule;

use super::order::order_for;
use super::pass::{Pass, PassId};
use super::reduction;
use crate::Language;
use crate::strategy::{Layout, NamePolicy, Strategy};

/// Why a pass has nothing to do on an input.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdleReason {
    /// It runs only when names are to be canonical.
    NamesStay,
    /// It runs only for a compact layout.
    LayoutStays,
    /// It runs only under the default schedule.
    OtherSchedule,
    /// It runs only on inputs of these sizes, in bytes.
    Size(Range<usize>),
    /// It finds nothing to try.
    NothingToTry,
}

/// Returns the selected passes, each with the reason why it has nothing to do on this input; none if
/// the reduction asks a query.
#[must_use]
pub fn idle_passes(
    bytes: &Arc<[u8]>,
    language: Option<&'static Language>,
    strategy: &Strategy,
) -> Vec<(&'static str, IdleReason)> {
    let mut search = reduction(bytes, language, strategy.clone());
    while !search.is_ready() {
        search.prepare();
    }
    if search.ask().is_some() {
        return Vec::new();
    }
    let mut passes = order_for(bytes, language, strategy.units);
    passes.retain_mut(|pass| select(pass, strategy));
    let mut idle: Vec<(&'static str, IdleReason)> = Vec::new();
    for pass in passes {
        let reason = omitted(&pass, strategy).unwrap_or(match pass.sizes {
            sizes if sizes.contains(&bytes.len()) => IdleReason::NothingToTry,
            sizes => IdleReason::Size(sizes),
        });
        if idle.iter().all(|(name, _)| *name != pass.id.name()) {
            idle.push((pass.id.name(), reason));
        }
    }
    idle
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
        PassId::RewritingNames if strategy.names != NamePolicy::Canonical => {
            Some(IdleReason::NamesStay)
        }
        PassId::Spaces if strategy.layout != Layout::Compact => Some(IdleReason::LayoutStays),
        _ if strategy.schedule != Schedule::default() && pass.needs_own_schedule() => {
            Some(IdleReason::OtherSchedule)
        }
        _ => None,
    }
}

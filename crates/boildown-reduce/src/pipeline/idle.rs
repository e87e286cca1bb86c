//! Selections of passes that have nothing to do on an input.

use std::sync::Arc;

use boildown_document::Language;
use boildown_search::Search as _;

use super::order::order_for;
use super::reduction;
use super::selection::{IdleReason, omitted, select};
use crate::format::Input;
use crate::strategy::Strategy;

/// Returns the selected passes, each with the reason why it has nothing to do on this input; none
/// if the reduction asks a query.
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
    let input = Input {
        bytes,
        language,
        stated: strategy.format,
    };
    let format = strategy.formats.format_of(&input);
    let mut passes = order_for(&input, format, strategy.units, strategy.split.as_ref());
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

//! Units that are left of the input, and the nearest candidates without each unit of it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Language, Removal, Removals};
use boildown_oracle::Verdict;
use boildown_search::Fingerprint;
use boildown_show::{RemainingReason, RemainingRecord, RemainingUnit, TestedRemoval};
use boildown_store::{RunHistory, fingerprint_of};

use crate::error::CliError;

/// The number of units that are looked up.
const MAX_UNITS: usize = 3000;

/// The number of removals of a unit that are looked up, the smallest ones.
const MAX_REMOVALS: usize = 40;

/// The number of candidates that are parsed.
const MAX_PARSED: usize = 500;

/// Returns why each unit of a result is left; `None` when it has no units that can be listed.
pub(super) fn record(
    history: &RunHistory,
    result: &Arc<[u8]>,
    language: Option<&'static Language>,
) -> Result<Option<RemainingRecord>, CliError> {
    let Some(removals) = Removals::of(result, language) else {
        return Ok(None);
    };
    let mut search = RemovalSearch {
        history,
        outputs: history.outputs()?,
        known: HashMap::new(),
        language: language.map(|language| (language, language.errors(result))),
        parses_left: MAX_PARSED,
    };
    let shown = removals.len().min(MAX_UNITS);
    let units = (0..shown).map(|unit| {
        Ok(RemainingUnit {
            bytes: removals.bytes(unit),
            reason: search.reason(&removals, unit)?,
        })
    });
    Ok(Some(RemainingRecord {
        units: units.collect::<Result<_, CliError>>()?,
        unit: removals.unit_name(),
        left_out: removals.len() - shown,
    }))
}

struct RemovalSearch<'a> {
    history: &'a RunHistory,
    outputs: HashMap<Fingerprint, Vec<u8>>,
    /// What is known of candidates, by the bytes that they lack.
    known: HashMap<Range<usize>, Option<RemainingReason>>,
    /// The language, and the number of syntax errors of the result.
    language: Option<(&'static Language, usize)>,
    parses_left: usize,
}

impl RemovalSearch<'_> {
    fn reason(&mut self, removals: &Removals, unit: usize) -> Result<RemainingReason, CliError> {
        let mut first = None;
        for removal in removals.removing(unit).take(MAX_REMOVALS) {
            let known = match self.known.get(&removal.bytes) {
                Some(known) => known.clone(),
                None => {
                    let found = self.look_up(&removal)?;
                    self.known.insert(removal.bytes.clone(), found.clone());
                    found
                }
            };
            if let Some(reason) = known {
                return Ok(reason);
            }
            first.get_or_insert(removal);
        }
        Ok(match first {
            Some(removal) if self.breaks_syntax(&removal) => RemainingReason::DoesNotParse,
            _ => RemainingReason::NotTested,
        })
    }

    fn look_up(&self, removal: &Removal) -> Result<Option<RemainingReason>, CliError> {
        let content = fingerprint_of(removal.text());
        let found = self.history.verdict(content)?;
        Ok(found.map(|(verdict, outcome)| {
            let outcome = outcome.map(|outcome| outcome.to_string());
            RemainingReason::Tested(TestedRemoval {
                removed: removal.bytes.clone(),
                outcome: outcome.unwrap_or_else(|| "not run".to_owned()),
                is_unresolved: verdict == Verdict::Unresolved,
                is_interesting: verdict.is_interesting(),
                output: self.outputs.get(&content).cloned(),
            })
        }))
    }

    fn breaks_syntax(&mut self, removal: &Removal) -> bool {
        let Some((language, errors)) = self.language.filter(|_| self.parses_left > 0) else {
            return false;
        };
        self.parses_left -= 1;
        language.errors(removal.text()) > errors
    }
}

//! simpledd: a binary search for a single culprit.

use crate::algorithms::{Entry, Family};
use crate::changes::ChangeList;
use crate::changes::ask_once::{
    AskOnce, ConfigurationKind, ConfigurationQuery, ConfigurationSearch, search_by_ask_once,
};
use crate::changes::decisions::{Decision, DecisionKind, History, blamed_changes};
use crate::{ListSearch, Subset, Verdict};

/// Finds one culprit by testing first halves only.
///
/// If the first half alone fails, the culprit is in it. Otherwise it is assumed to be in the second
/// half, which is not tested. For example, of 8 changes with the culprit 7: `1234` passes, `56`
/// passes, `7` fails.
///
/// # Guarantee
/// [`found`](Self::found) is one change. It is the culprit if exactly the configurations with this
/// single change fail and none is unresolved. It is meaningless if the failure takes two changes.
/// # Cost
/// At most ⌈log₂ n⌉ queries for n changes. Every query is O(number of cuts).
/// # Units
/// Elements are indices into the original list of changes; they are never renumbered.
/// # Source
/// simpledd in M. C. Laupichler's seminar summary of delta debugging, 2018/19, where it leads up to
/// [`Dd`](super::Dd).
#[derive(Debug, Clone)]
pub struct SimpleDd {
    search: AskOnce<SimpleDdState>,
}

#[derive(Debug, Clone)]
struct SimpleDdState {
    start: Subset,
    /// The changes that may be the culprit. No other change is applied.
    suspects: ChangeList,
    history: History,
}

impl SimpleDdState {
    fn on(start: Subset) -> Self {
        let mut state = Self {
            suspects: ChangeList::from_subset(&start),
            start,
            history: History::new_sync(),
        };
        state.finish();
        state
    }

    fn note(&mut self, kind: DecisionKind, part: ChangeList) {
        self.history.push_back_mut(Decision {
            kind,
            within: self.start.only(self.suspects.span()),
            searched: std::mem::replace(&mut self.suspects, part.clone()),
            part,
        });
    }

    fn finish(&mut self) {
        if self.suspects.len() == 1 {
            self.note(DecisionKind::Found, self.suspects.clone());
        }
    }
}

impl ConfigurationSearch for SimpleDdState {
    fn next_query(&self) -> Option<ConfigurationQuery> {
        (self.suspects.len() > 1).then(|| ConfigurationQuery {
            candidate: self.start.only(self.suspects.part(0, 2).span()),
            kind: ConfigurationKind::Part,
        })
    }

    fn record(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Interesting => self.note(DecisionKind::FoundIn, self.suspects.part(0, 2)),
            Verdict::Uninteresting | Verdict::Unresolved => {
                self.note(DecisionKind::ByElimination, self.suspects.part(1, 2));
            }
        }
        self.finish();
    }
}

impl SimpleDd {
    const GUESSES: [f64; 2] = [0.5, 0.5];

    /// Starts from all changes applied.
    #[must_use]
    pub fn on(start: Subset) -> Self {
        Self {
            search: AskOnce::new(SimpleDdState::on(start.clone()), start, Self::GUESSES),
        }
    }

    /// Returns the culprit when the search is finished. It need not have been tested alone.
    #[must_use]
    pub fn found(&self) -> Option<Subset> {
        let state = self.search.inner();
        (self.search.is_finished()).then(|| blamed_changes(&state.history, &state.start))
    }
}

search_by_ask_once!(SimpleDd);

impl ListSearch for SimpleDd {
    fn restart(&mut self, best: Subset) {
        self.search.restart(SimpleDdState::on(best.clone()), best);
    }
}

impl SimpleDd {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "simpledd",
        family: Family::Changes,
        parameters: "",
        guarantee: "the culprit, if there is a single one",
        cost: "log2 n",
        source: "seminar literature, the step before dd",
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::testing::{names, needs, trace};

    #[test]
    fn one_culprit_takes_one_query_for_each_halving() {
        let (search, asked) = trace(SimpleDd::on(Subset::full(8)), |set| needs(set, &[7]));
        assert_eq!(asked, "1234✓ 56✓ 7✗");
        assert_eq!(search.found().as_ref().map(names).as_deref(), Some("7"));
        let cases: Vec<DecisionKind> = search.history().map(|decision| decision.kind).collect();
        let expected = [
            DecisionKind::ByElimination,
            DecisionKind::ByElimination,
            DecisionKind::FoundIn,
            DecisionKind::Found,
        ];
        assert_eq!(cases, expected);
    }

    #[test]
    fn the_last_change_is_blamed_untested_if_two_fail_only_together() {
        let (search, asked) = trace(SimpleDd::on(Subset::full(8)), |set| needs(set, &[3, 6]));
        assert_eq!(asked, "1234✓ 56✓ 7✓");
        assert_eq!(search.found().as_ref().map(names).as_deref(), Some("8"));
        assert_eq!(search.search.best().count(), 8, "nothing smaller failed");
    }
}

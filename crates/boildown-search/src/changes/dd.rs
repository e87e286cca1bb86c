//! dd: a binary search for changes that fail together.

use crate::algorithms::{Entry, Family};
use crate::changes::ChangeList;
use crate::changes::ask_once::{
    AskOnce, ConfigurationKind, ConfigurationQuery, ConfigurationSearch, search_by_ask_once,
};
use crate::changes::decisions::{Decision, DecisionKind, History, blamed_changes};
use crate::{ListSearch, Subset, Verdict};

/// Finds the changes that fail together, if all configurations can be judged.
///
/// Tests the first half of the suspects, then the second, each with the applied changes. The search
/// continues in the half that fails. If neither fails, the halves interfere: each is searched while
/// the other stays applied.
///
/// For example, 3 and 6 of 8 changes fail together:
///
/// | suspects | applied | tests | decision |
/// |---|---|---|---|
/// | 1–8 | | 1234✓ 5678✓ | interference |
/// | 1–4 | 5678 | 12✓ 34✗ | in 3, 4 |
/// | 3, 4 | 5678 | 3✗ | found: 3 |
/// | 5–8 | 1234 | 56✗ | in 5, 6 |
/// | 5, 6 | 1234 | 5✓ 6✗ | found: 6 |
///
/// # Guarantee
/// If every configuration passes or fails, and fails exactly if it holds one certain set of changes
/// (monotone, unambiguous, consistent), [`found`](Self::found) is that set. Otherwise it is some
/// set, and only `best` is known to fail: an unresolved half counts as one that does not fail, so
/// an interference need not be a real one. [`DdPlus`](crate::changes::DdPlus) tells them apart.
/// # Cost
/// At most 2(n − 1) queries for n changes, for any verdicts; at most 2·⌈log₂ n⌉ for one culprit.
/// Every query is O(log n) cuts.
/// # Units
/// Elements are indices into the original list of changes; they are never renumbered.
/// # Source
/// A. Zeller, *Yesterday, my program worked. Today, it does not. Why?*, ESEC/FSE 1999, dd, after W.
/// Le's lecture slides of 2020 and M. C. Laupichler's seminar summary of 2018/19. The summary
/// searches both halves before it considers a verdict; here, as in the definition, both are
/// searched only after an interference. The slides' table of an interference of 3 and 6 has seven
/// tests: it concludes that 6 is found because 1 to 5 pass. dd as defined tests the other half
/// first, which makes eight.
#[derive(Debug, Clone)]
pub struct Dd {
    search: AskOnce<DdState>,
}

#[derive(Debug, Clone)]
struct DdState {
    start: Subset,
    /// The searches that are left, the next one on top. At most one more than halvings.
    stack: Vec<DdFrame>,
    history: History,
}

/// A search among consecutive suspects, while everything else in `within` stays applied.
#[derive(Debug, Clone)]
struct DdFrame {
    /// Invariant: all changes of the start between the first and the last suspect are suspects. So
    /// a half is cut out of `within` by one range.
    suspects: ChangeList,
    /// The suspects and the applied changes.
    within: Subset,
    half: TestedHalf,
}

/// The half that is tested with the applied changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestedHalf {
    First,
    Second,
}

impl DdFrame {
    fn new(suspects: ChangeList, within: Subset) -> Self {
        Self {
            suspects,
            within,
            half: TestedHalf::First,
        }
    }

    /// Returns the tested half.
    fn part(&self) -> ChangeList {
        self.suspects.part(self.half as usize, 2)
    }

    /// Returns everything but the other half.
    fn candidate(&self) -> Subset {
        let other = self.suspects.part(1 - self.half as usize, 2);
        self.within.without([other.span()])
    }
}

impl DdState {
    fn on(start: Subset) -> Self {
        let mut state = Self {
            stack: vec![DdFrame::new(ChangeList::from_subset(&start), start.clone())],
            start,
            history: History::new_sync(),
        };
        state.take_single_suspects();
        state
    }

    fn note(&mut self, kind: DecisionKind, frame: DdFrame, part: ChangeList) {
        self.history.push_back_mut(Decision {
            kind,
            part,
            searched: frame.suspects,
            within: frame.within,
        });
    }

    /// Takes frames with a single suspect, which are found, and empty ones from the stack.
    fn take_single_suspects(&mut self) {
        while let Some(frame) = self.stack.pop_if(|frame| frame.suspects.len() < 2) {
            if !frame.suspects.is_empty() {
                let part = frame.suspects.clone();
                self.note(DecisionKind::Found, frame, part);
            }
        }
    }
}

impl ConfigurationSearch for DdState {
    fn next_query(&self) -> Option<ConfigurationQuery> {
        let frame = self.stack.last()?;
        Some(ConfigurationQuery {
            candidate: frame.candidate(),
            kind: match frame.half {
                TestedHalf::First => ConfigurationKind::Part,
                TestedHalf::Second => ConfigurationKind::Complement,
            },
        })
    }

    fn record(&mut self, verdict: Verdict) {
        let Some(mut frame) = self.stack.pop() else {
            return;
        };
        match (verdict, frame.half) {
            (Verdict::Interesting, _) => {
                let part = frame.part();
                self.stack
                    .push(DdFrame::new(part.clone(), frame.candidate()));
                self.note(DecisionKind::FoundIn, frame, part);
            }
            (Verdict::Uninteresting | Verdict::Unresolved, TestedHalf::First) => {
                frame.half = TestedHalf::Second;
                self.stack.push(frame);
            }
            (Verdict::Uninteresting | Verdict::Unresolved, TestedHalf::Second) => {
                for index in [1, 0] {
                    let half = frame.suspects.part(index, 2);
                    self.stack.push(DdFrame::new(half, frame.within.clone()));
                }
                let part = frame.suspects.part(0, 2);
                self.note(DecisionKind::Interference, frame, part);
            }
        }
        self.take_single_suspects();
    }
}

impl Dd {
    /// First estimates for first and second halves. A second half is tested only if the first did
    /// not fail.
    const GUESSES: [f64; 2] = [0.4, 0.6];

    /// Starts from all changes applied.
    #[must_use]
    pub fn on(start: Subset) -> Self {
        Self {
            search: AskOnce::new(DdState::on(start.clone()), start, Self::GUESSES),
        }
    }

    /// Returns the blamed changes when the search is finished. They are a union of changes that
    /// were each found while others were applied; the union need not have been tested.
    #[must_use]
    pub fn found(&self) -> Option<Subset> {
        let state = self.search.inner();
        (self.search.is_finished()).then(|| blamed_changes(&state.history, &state.start))
    }
}

search_by_ask_once!(Dd);

impl ListSearch for Dd {
    fn restart(&mut self, best: Subset) {
        self.search.restart(DdState::on(best.clone()), best);
    }
}

impl Dd {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "dd",
        family: Family::Changes,
        parameters: "",
        guarantee: "the failing set, if the oracle is consistent, monotone and unambiguous",
        cost: "2 log2 n for one culprit, at most 2(n - 1)",
        source: "Zeller: Yesterday, my program worked, ESEC/FSE 1999",
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::testing::{names, needs, trace};

    #[track_caller]
    fn check(needed: &[usize], queries: &str, cases: &[DecisionKind]) {
        let (search, asked) = trace(Dd::on(Subset::full(8)), |set| needs(set, needed));
        assert_eq!(asked, queries);
        let blamed_changes: Vec<usize> = search.found().expect("finished").iter().collect();
        assert!(
            blamed_changes
                .iter()
                .map(|element| element + 1)
                .eq(needed.iter().copied()),
            "{blamed_changes:?}"
        );
        assert_eq!(
            search
                .history()
                .map(|decision| decision.kind)
                .collect::<Vec<_>>(),
            cases
        );
    }

    #[test]
    fn one_culprit_of_eight_takes_five_queries() {
        let (inside, found) = (DecisionKind::FoundIn, DecisionKind::Found);
        check(
            &[7],
            "1234✓ 5678✗ 56✓ 78✗ 7✗",
            &[inside, inside, inside, found],
        );
    }

    #[test]
    fn an_interference_of_two_takes_eight_queries_as_defined() {
        let (inside, found) = (DecisionKind::FoundIn, DecisionKind::Found);
        check(
            &[3, 6],
            "1234✓ 5678✓ 125678✓ 345678✗ 35678✗ 123456✗ 12345✓ 12346✗",
            &[
                DecisionKind::Interference,
                inside,
                inside,
                found,
                inside,
                inside,
                found,
            ],
        );
    }

    #[test]
    fn if_all_eight_changes_are_needed_each_halving_takes_two_queries() {
        let (both, found) = (DecisionKind::Interference, DecisionKind::Found);
        check(
            &[1, 2, 3, 4, 5, 6, 7, 8],
            "1234✓ 5678✓ 125678✓ 345678✓ 1345678✓ 2345678✓ 1235678✓ 1245678✓ 123456✓ 123478✓ 1234578✓ 1234678✓ 1234567✓ 1234568✓",
            &[
                both, both, both, found, found, both, found, found, both, both, found, found, both,
                found, found,
            ],
        );
    }

    #[test]
    fn a_decision_names_the_interfering_and_the_applied_changes() {
        let (search, _) = trace(Dd::on(Subset::full(8)), |set| needs(set, &[1, 3, 8]));
        let interferences: Vec<String> = (search.history())
            .filter(|decision| decision.kind == DecisionKind::Interference)
            .map(|decision| {
                format!(
                    "{:?} and {:?} with {:?}",
                    decision.part,
                    decision.rest(),
                    decision.applied()
                )
            })
            .collect();
        let expected = [
            "{0, 1, 2, 3} and {4, 5, 6, 7} with {}",
            "{0, 1} and {2, 3} with {4, 5, 6, 7}",
        ];
        assert_eq!(interferences, expected);
    }

    #[test]
    fn best_is_the_smallest_configuration_that_failed_and_not_the_union_found() {
        let (search, _) = trace(Dd::on(Subset::full(8)), |set| needs(set, &[3, 6]));
        assert_eq!(names(search.search.best()), "35678");
    }
}

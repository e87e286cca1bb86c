//! dd+: delta debugging on changes with configurations that cannot be judged.

use rpds::VectorSync;

use super::ChangeList;
use super::ask_once::{
    AskOnce, ConfigurationKind, ConfigurationQuery, ConfigurationSearch, search_by_ask_once,
};
use super::decisions::{Decision, DecisionKind, History, blamed_changes};
use crate::algorithms::{Entry, Family};
use crate::{ListSearch, Subset, Verdict};

/// Finds changes to blame when many configurations cannot be judged.
///
/// A round splits the suspects into parts and tests each part, then each complement: all suspects
/// but one part. The applied changes are part of every test. The first of these cases decides:
///
/// - A part fails: the search continues in the part.
/// - A part and its complement pass: they interfere. Each is searched while the other is applied.
/// - A part is unresolved and its complement passes (a preference): the part is searched while the
///   complement is applied.
/// - Otherwise, the search tries again with parts of half the size. Parts that passed stay applied
///   from now on, parts whose complement failed are dropped, and the others stay suspected.
///
/// For example, of 8 changes, 2, 3 and 7 can only be applied together, and 8 is the culprit:
///
/// | suspects | applied | parts | complements | decision |
/// |---|---|---|---|---|
/// | 1–8 | | 1234? 5678? | | try again |
/// | 1–8 | | 12? 34? 56✓ 78? | 345678? 125678? 123478✗ 123456? | 5 and 6 stay applied |
/// | 1–4, 7, 8 | 5, 6 | 1? 2? … 8✗ | | found: 8 |
///
/// # Guarantee
/// Let the verdicts agree with one set X: configurations that fail hold all of X, those that pass
/// do not, and any may be unresolved. Then, with [`UnionPolicy::Ask`]:
/// - Every inner search starts with all of X in [`within`](Decision::within), and not all of X
///   applied. So every change [found](DecisionKind::Found) alone is in X, and a part blamed because
///   [nothing is left](DecisionKind::NothingLeft) to split holds a change of X.
/// - [`found`](Self::found) is never empty, but need not be all of X: the changes that a preference
///   or a passing part keeps applied may be in X too.
///
/// With [`UnionPolicy::Trust`], innocent changes may be found. When nothing is unresolved, `found`
/// is X, after the same queries as [`Dd`](crate::changes::Dd). When the verdicts agree
/// with no set, only `best` is meaningful.
/// # Cost
/// As [`Dd`](crate::changes::Dd) when nothing is unresolved; O(n²) queries for n
/// changes in the worst case. Making a query is O(n/64 + size of the part).
/// # Units
/// Elements are indices into the original list of changes; they are never renumbered.
/// # Source
/// A. Zeller, *Yesterday, my program worked. Today, it does not. Why?*, ESEC/FSE 1999, dd+, after
/// W. Le's lecture slides of 2020 and M. C. Laupichler's seminar summary of 2018/19. Points that
/// they leave open, and differences:
/// - All parts are tested before any complement, up to the first part that fails. Complements are
///   tested up to the first interference or preference, whichever comes first. The slides' tables
///   agree.
/// - Applied changes are no longer suspects. Otherwise a part that passed may be searched again
///   though it is always applied, and the first suspect is blamed if the applied changes fail
///   together.
/// - If every part passes or is dropped, the last one stays suspected, so that every search blames
///   some change.
/// - Several passing parts are applied together only if they pass together, which takes one more
///   query ([`UnionPolicy::Ask`]). If they fail together, the search continues in them; if they are
///   unresolved together, only the first of them is applied. The definition assumes that they pass,
///   as [`UnionPolicy::Trust`] does.
/// - Borders of parts are at ⌊size·k/parts⌋.
#[derive(Debug, Clone)]
pub struct DdPlus {
    search: AskOnce<DdPlusState>,
}

/// The treatment of several parts that pass one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnionPolicy {
    /// Test whether they pass together, with one more query.
    Ask,
    /// Assume that they pass together, as in the definition. If such parts interfere and their
    /// complements are unresolved, innocent changes are blamed.
    Trust,
}

/// dd+ as defined, without a memory of verdicts.
#[derive(Debug, Clone)]
pub(super) struct DdPlusState {
    start: Subset,
    union_policy: UnionPolicy,
    /// The searches that are left, the next one on top. Their suspects are disjoint, and there is
    /// at most one more than halvings.
    stack: Vec<DdPlusFrame>,
    history: History,
}

/// A round of the search among suspects, while everything else in `within` stays applied.
#[derive(Debug, Clone)]
struct DdPlusFrame {
    /// The suspects: c in the definition.
    suspects: ChangeList,
    /// The suspects and the applied changes.
    within: Subset,
    /// The changes that stay applied: r in the definition. `within` without the suspects.
    applied: Subset,
    /// The number of parts. Invariant: from 2 to the number of suspects.
    parts: usize,
    /// The verdicts on the first parts. Invariant: none is `Interesting`.
    alone: VectorSync<Verdict>,
    /// The verdicts on the first complements. Empty until all parts have verdicts.
    complements: VectorSync<Verdict>,
}

/// The state of a part after a round that decided nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartState {
    /// It stays a suspect.
    Suspected,
    /// It passed, so it stays applied.
    Applied,
    /// Its complement failed and the part did not pass, so it is not applied any more.
    Dropped,
}

/// The next query of a frame.
enum FrameQuery {
    /// The part with this index.
    Part(usize),
    /// The complement of the part with this index.
    Complement(usize),
    /// All parts that passed, together.
    Union(Vec<PartState>),
}

/// Returns the set without the changes. A few ranges are left as cuts, so that the decisions in the
/// history share their base.
fn without(set: &Subset, changes: &ChangeList) -> Subset {
    const FEW: usize = 4;
    let mut less = set.without(changes.runs());
    if changes.runs().nth(FEW).is_some() {
        less.commit();
    }
    less
}

impl DdPlusFrame {
    fn new(suspects: ChangeList, within: Subset, parts: usize) -> Self {
        let mut applied = without(&within, &suspects);
        applied.commit();
        Self {
            parts: parts.min(suspects.len()),
            suspects,
            within,
            applied,
            alone: VectorSync::new_sync(),
            complements: VectorSync::new_sync(),
        }
    }

    fn part(&self, index: usize) -> ChangeList {
        self.suspects.part(index, self.parts)
    }

    fn next_query(&self) -> FrameQuery {
        if self.alone.len() < self.parts {
            FrameQuery::Part(self.alone.len())
        } else if self.complements.len() < self.parts {
            FrameQuery::Complement(self.complements.len())
        } else {
            FrameQuery::Union(self.part_states())
        }
    }

    /// Returns the states of the parts after all verdicts of the round.
    fn part_states(&self) -> Vec<PartState> {
        let verdicts = self.alone.iter().zip(&self.complements);
        let mut states: Vec<PartState> = verdicts
            .map(|verdicts| match verdicts {
                (Verdict::Uninteresting, _) => PartState::Applied,
                (_, Verdict::Interesting) => PartState::Dropped,
                _ => PartState::Suspected,
            })
            .collect();
        if !states.contains(&PartState::Suspected)
            && let Some(last) = states.last_mut()
        {
            *last = PartState::Suspected;
        }
        states
    }

    /// Returns the changes of all parts in the `wanted` state.
    fn gather(&self, states: &[PartState], wanted: PartState) -> ChangeList {
        if states.iter().all(|&state| state == wanted) {
            return self.suspects.clone();
        }
        let indices = (0..states.len()).filter(|&index| states[index] == wanted);
        let parts: Vec<ChangeList> = indices.map(|index| self.part(index)).collect();
        parts.iter().flat_map(ChangeList::iter).collect()
    }

    /// Returns the applied changes and the parts that passed.
    fn union(&self, states: &[PartState]) -> Subset {
        self.applied
            .with(self.gather(states, PartState::Applied).runs())
    }
}

impl DdPlusState {
    pub(super) fn on(start: Subset, union_policy: UnionPolicy) -> Self {
        let mut state = Self {
            stack: vec![DdPlusFrame::new(
                ChangeList::from_subset(&start),
                start.clone(),
                2,
            )],
            start,
            union_policy,
            history: History::new_sync(),
        };
        state.take_single_suspects();
        state
    }

    pub(super) fn history(&self) -> &History {
        &self.history
    }

    fn note(&mut self, kind: DecisionKind, frame: &DdPlusFrame, part: &ChangeList) {
        self.history.push_back_mut(Decision {
            kind,
            part: part.clone(),
            searched: frame.suspects.clone(),
            within: frame.within.clone(),
        });
    }

    /// Continues in suspects that fail with the applied changes.
    fn continue_in(&mut self, frame: &DdPlusFrame, part: ChangeList) {
        self.note(DecisionKind::FoundIn, frame, &part);
        let within = without(&frame.within, &frame.suspects.without(&part));
        self.stack.push(DdPlusFrame::new(part, within, 2));
    }

    /// Ends a round that decided nothing: splits into smaller parts, or blames what is left.
    fn try_again(&mut self, frame: &DdPlusFrame, states: &[PartState]) {
        let suspects = frame.gather(states, PartState::Suspected);
        if frame.parts == frame.suspects.len() {
            return self.note(DecisionKind::NothingLeft, frame, &suspects);
        }
        self.note(DecisionKind::TryAgain, frame, &suspects);
        let within = without(&frame.within, &frame.gather(states, PartState::Dropped));
        self.stack
            .push(DdPlusFrame::new(suspects, within, 2 * frame.parts));
    }

    /// Takes frames with a single suspect, which are found, and empty ones from the stack.
    fn take_single_suspects(&mut self) {
        while let Some(frame) = self.stack.pop_if(|frame| frame.suspects.len() < 2) {
            if !frame.suspects.is_empty() {
                self.note(DecisionKind::Found, &frame, &frame.suspects);
            }
        }
    }

    /// Records the verdict on a part.
    fn record_part(&mut self, mut frame: DdPlusFrame, index: usize, verdict: Verdict) {
        if verdict.is_interesting() {
            let part = frame.part(index);
            self.continue_in(&frame, part);
        } else {
            frame.alone.push_back_mut(verdict);
            self.stack.push(frame);
        }
    }

    /// Records the verdict on the complement of a part.
    fn record_complement(&mut self, mut frame: DdPlusFrame, index: usize, verdict: Verdict) {
        let part = frame.part(index);
        match (frame.alone[index], verdict) {
            (Verdict::Uninteresting, Verdict::Uninteresting) => {
                self.note(DecisionKind::Interference, &frame, &part);
                for side in [frame.suspects.without(&part), part] {
                    self.stack
                        .push(DdPlusFrame::new(side, frame.within.clone(), 2));
                }
            }
            (Verdict::Unresolved, Verdict::Uninteresting) => {
                self.note(DecisionKind::Preference, &frame, &part);
                self.stack.push(DdPlusFrame::new(part, frame.within, 2));
            }
            _ => {
                frame.complements.push_back_mut(verdict);
                let FrameQuery::Union(states) = frame.next_query() else {
                    return self.stack.push(frame);
                };
                let passing = states
                    .iter()
                    .filter(|&&state| state == PartState::Applied)
                    .count();
                if passing > 1 && self.union_policy == UnionPolicy::Ask {
                    self.stack.push(frame);
                } else {
                    self.try_again(&frame, &states);
                }
            }
        }
    }

    /// Records the verdict on all parts that passed, applied together.
    fn record_union(&mut self, frame: &DdPlusFrame, mut states: Vec<PartState>, verdict: Verdict) {
        match verdict {
            Verdict::Interesting => {
                self.continue_in(frame, frame.gather(&states, PartState::Applied));
            }
            Verdict::Uninteresting => self.try_again(frame, &states),
            Verdict::Unresolved => {
                let applied = states
                    .iter_mut()
                    .filter(|state| **state == PartState::Applied);
                for state in applied.skip(1) {
                    *state = PartState::Suspected;
                }
                self.try_again(frame, &states);
            }
        }
    }
}

impl ConfigurationSearch for DdPlusState {
    fn next_query(&self) -> Option<ConfigurationQuery> {
        let frame = self.stack.last()?;
        let (candidate, kind) = match frame.next_query() {
            FrameQuery::Part(index) => (
                frame.applied.with(frame.part(index).runs()),
                ConfigurationKind::Part,
            ),
            FrameQuery::Complement(index) => (
                without(&frame.within, &frame.part(index)),
                ConfigurationKind::Complement,
            ),
            FrameQuery::Union(states) => (frame.union(&states), ConfigurationKind::Part),
        };
        Some(ConfigurationQuery { candidate, kind })
    }

    fn record(&mut self, verdict: Verdict) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        match frame.next_query() {
            FrameQuery::Part(index) => self.record_part(frame, index, verdict),
            FrameQuery::Complement(index) => self.record_complement(frame, index, verdict),
            FrameQuery::Union(states) => self.record_union(&frame, states, verdict),
        }
        self.take_single_suspects();
    }
}

impl DdPlus {
    const GUESSES: [f64; 2] = [0.3, 0.2];

    /// Starts from all changes applied.
    #[must_use]
    pub fn on(start: Subset) -> Self {
        Self::with_union_policy(start, UnionPolicy::Ask)
    }

    /// Starts from all changes applied, with a policy for several parts that pass.
    #[must_use]
    pub fn with_union_policy(start: Subset, union_policy: UnionPolicy) -> Self {
        Self {
            search: AskOnce::new(
                DdPlusState::on(start.clone(), union_policy),
                start,
                Self::GUESSES,
            ),
        }
    }

    /// Returns the blamed changes when the search is finished. They are a union of sets that were
    /// found while other changes were applied; the union need not have been tested, nor fail alone.
    #[must_use]
    pub fn found(&self) -> Option<Subset> {
        let state = self.search.inner();
        (self.search.is_finished()).then(|| blamed_changes(&state.history, &state.start))
    }
}

search_by_ask_once!(DdPlus);

impl ListSearch for DdPlus {
    fn restart(&mut self, best: Subset) {
        let union_policy = self.search.inner().union_policy;
        self.search
            .restart(DdPlusState::on(best.clone(), union_policy), best);
    }
}

impl DdPlus {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "dd+",
        family: Family::Changes,
        parameters: "",
        guarantee: "every change that is found alone is to blame, whatever is unresolved",
        cost: "as dd if nothing is unresolved, at most O(n^2)",
        source: "Zeller: Yesterday, my program worked, ESEC/FSE 1999",
    };
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, needs, trace};
    use super::*;
    use crate::Search as _;

    /// The slides' example: 2, 3 and 7 can only be applied together, 8 is the culprit.
    fn slides(set: &Subset) -> Verdict {
        let together = [2, 3, 7].map(|name| set.contains(name - 1));
        if together.contains(&true) && together.contains(&false) {
            Verdict::Unresolved
        } else {
            needs(set, &[8])
        }
    }

    #[test]
    fn the_slides_example_takes_sixteen_queries() {
        let (search, asked) = trace(DdPlus::on(Subset::full(8)), slides);
        let rounds = [
            "1234? 5678?",
            "12? 34? 56✓ 78?",
            "345678? 125678? 123478✗ 123456?",
            "156✓ 256? 356? 456✓ 567? 568✗",
        ];
        assert_eq!(asked, rounds.join(" "));
        assert_eq!(search.found().as_ref().map(names).as_deref(), Some("8"));
        let decisions: Vec<String> = (search.history())
            .map(|decision| {
                let applied = names(&decision.applied());
                format!(
                    "{:?} {:?} of {:?}, applied {applied}",
                    decision.kind, decision.part, decision.searched
                )
            })
            .collect();
        let expected = [
            "TryAgain {0, 1, 2, 3, 4, 5, 6, 7} of {0, 1, 2, 3, 4, 5, 6, 7}, applied ",
            "TryAgain {0, 1, 2, 3, 6, 7} of {0, 1, 2, 3, 4, 5, 6, 7}, applied ",
            "FoundIn {7} of {0, 1, 2, 3, 6, 7}, applied 56",
            "Found {7} of {7}, applied 56",
        ];
        assert_eq!(decisions, expected);
    }

    #[test]
    fn trusting_unions_asks_the_same_queries_if_one_part_at_a_time_passes() {
        let trusting = DdPlus::with_union_policy(Subset::full(8), UnionPolicy::Trust);
        let (_, asked) = trace(trusting, slides);
        assert_eq!(asked, trace(DdPlus::on(Subset::full(8)), slides).1);
    }

    #[test]
    fn an_unresolved_half_is_searched_with_the_passing_half_applied() {
        let mut search = DdPlus::on(Subset::full(8));
        for (query, verdict) in [
            ("1234", Verdict::Unresolved),
            ("5678", Verdict::Uninteresting),
        ] {
            let asked = search.ask().expect("not finished");
            assert_eq!(names(&asked.candidate), query);
            search.tell(verdict);
        }
        let next = search.ask().expect("not finished");
        assert_eq!(names(&next.candidate), "125678");
        let decision = search.history().last().expect("there is a decision");
        assert_eq!(decision.kind, DecisionKind::Preference);
        assert_eq!(
            decision.part,
            ChangeList::from_subset(&Subset::full(8).only(0..4))
        );
    }

    /// An oracle that fails with all culprits, and cannot judge the listed configurations.
    fn hidden<'a>(culprits: &'a [usize], unresolved: &'a str) -> impl Fn(&Subset) -> Verdict + 'a {
        move |set| {
            if unresolved.split(' ').any(|text| text == names(set)) {
                Verdict::Unresolved
            } else {
                needs(set, culprits)
            }
        }
    }

    #[track_caller]
    fn check(
        union_policy: UnionPolicy,
        judge: impl Fn(&Subset) -> Verdict,
        queries: &str,
        found: &str,
    ) {
        let (search, asked) = trace(
            DdPlus::with_union_policy(Subset::full(8), union_policy),
            judge,
        );
        assert_eq!(asked, queries);
        assert_eq!(search.found().as_ref().map(names).as_deref(), Some(found));
    }

    #[test]
    fn the_search_continues_in_parts_that_pass_one_by_one_and_fail_together() {
        let judge = hidden(&[1, 5], "1234 5678 34 78 345678 125678 123478 123456");
        let common = "1234? 5678? 12✓ 34? 56✓ 78? 345678? 125678? 123478? 123456?";
        check(
            UnionPolicy::Ask,
            &judge,
            &format!("{common} 1256✗ 156✗ 125✗"),
            "15",
        );
        // 1, 2, 5 and 6 are assumed to pass together, so 3 is blamed, which is innocent.
        check(UnionPolicy::Trust, &judge, &format!("{common} 12356✗"), "3");
    }

    #[test]
    fn of_passing_parts_that_are_unresolved_together_only_the_first_stays_applied() {
        let judge = hidden(&[1, 3], "1234 5678 56 78 345678 125678 123478 123456");
        check(
            UnionPolicy::Ask,
            judge,
            "1234? 5678? 12✓ 34✓ 56? 78? 345678? 125678? 123478? 123456? 123✗",
            "3",
        );
    }

    #[test]
    fn a_preference_can_leave_a_culprit_applied() {
        // With 5 to 8 applied, only 1 of the other half is needed.
        let judge = hidden(&[1, 5], "1234");
        check(UnionPolicy::Ask, judge, "1234? 5678✓ 125678✗ 15678✗", "1");
    }

    #[test]
    fn a_skip_counts_as_unresolved_and_updates_no_odds() {
        let (mut skipped, mut told) = (DdPlus::on(Subset::full(8)), DdPlus::on(Subset::full(8)));
        let before = skipped.ask().expect("not finished").odds;
        skipped.skip();
        told.tell(Verdict::Unresolved);
        let (after, other) = (
            skipped.ask().expect("two halves"),
            told.ask().expect("two halves"),
        );
        assert_eq!(after.candidate, other.candidate);
        assert!(after.odds >= before && other.odds < before);
    }
}

//! Isolation: the smallest difference between a passing and a failing configuration.

use super::ChangeList;
use super::ask_once::{
    AskOnce, ConfigurationKind, ConfigurationQuery, ConfigurationSearch, search_by_ask_once,
};
use super::decisions::{Decision, DecisionKind, History};
use crate::algorithms::{Entry, Family};
use crate::{Subset, Verdict};

/// Narrows the difference between a configuration that passes and a larger one that fails, from
/// both sides.
///
/// A test adds one part of the difference to the passing side, or removes it from the failing side.
/// Every verdict but `Unresolved` moves one side:
///
/// | test | if it passes | if it fails |
/// |---|---|---|
/// | passing side + part | the passing side grows | the part is the new difference |
/// | failing side − part | the part is the new difference | the failing side shrinks |
///
/// A round tests all parts in both ways. If all of them are unresolved, the next round has parts of
/// half the size.
///
/// For example, the difference is the changes 1 to 8, and 6 is the culprit: `1234` passes, `123456`
/// fails, `12345` passes. The difference is 6.
///
/// # Guarantee
/// [`passing`](Self::passing) was told `Uninteresting` and [`failing`](Self::failing)
/// `Interesting`, or they are those of the start; the first is a subset of the second. The
/// difference is 1-minimal: it is a single change, or removing any single change of it from the
/// failing side, or adding it to the passing side, is unresolved. So it is a single change if
/// nothing is unresolved, for any oracle. It explains the failure in this context only: changes
/// that both sides hold may be needed for the failure too.
/// # Cost
/// At most ⌈log₂ n⌉ queries for a difference of n changes if nothing is unresolved; O(n²) in the
/// worst case. Making a query is O(n/64 + size of the part).
/// # Units
/// Elements are indices into the original list of changes; they are never renumbered.
/// # Source
/// A. Zeller, R. Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 28(2),
/// 2002, dd. Points that it leaves open follow Zeller's own listing in *Beautiful Code*, chapter
/// 28, except:
/// - The first resolved verdict decides. The listing tests both sides of a part and then chooses
///   the better case; with a single culprit the other verdict cannot be better, and with several
///   ones it would cost a query for each part.
/// - The passing side is tested first, as in the definition; in the listing the failing side is. If
///   changes are numbered by date and build only with all older ones, the first query of a round
///   can be judged this way.
/// - When n − 1 parts are left, the round continues with the next part instead of the first: parts
///   that were just unresolved are tested last.
#[derive(Debug, Clone)]
pub struct Isolate {
    search: AskOnce<IsolateState>,
}

#[derive(Debug, Clone)]
struct IsolateState {
    passing: Subset,
    failing: Subset,
    /// The changes in `failing` that are not in `passing`.
    difference: ChangeList,
    /// The number of parts. Invariant: from 2 to the size of the difference while that is at least
    /// 2.
    parts: usize,
    /// The index of the part to test. Invariant: less than `parts`.
    next_part: usize,
    side: Side,
    /// The number of parts of this round about which no answer was resolved. Equal to `parts` when
    /// the search is finished.
    unresolved: usize,
    history: History,
}

/// The side that the tested part is added to or removed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Passing,
    Failing,
}

impl IsolateState {
    fn between(passing: Subset, failing: Subset) -> Self {
        let mut state = Self {
            difference: ChangeList::from_subset(&failing.without(passing.runs())),
            passing,
            failing,
            parts: 2,
            next_part: 0,
            side: Side::Passing,
            unresolved: 0,
            history: History::new_sync(),
        };
        state.finish();
        state
    }

    fn part(&self) -> ChangeList {
        self.difference.part(self.next_part, self.parts)
    }

    fn candidate(&self) -> Subset {
        match self.side {
            Side::Failing => {
                let mut less = self.failing.without(self.part().runs());
                less.commit();
                less
            }
            Side::Passing => self.passing.with(self.part().runs()),
        }
    }

    fn note(&mut self, kind: DecisionKind, part: ChangeList) {
        self.history.push_back_mut(Decision {
            kind,
            part,
            searched: self.difference.clone(),
            within: self.failing.clone(),
        });
    }

    /// Makes the tested configuration one of the two sides. The difference shrinks to `left`.
    fn narrow(&mut self, kind: DecisionKind, left: ChangeList) {
        self.note(kind, left.clone());
        let candidate = self.candidate();
        match kind {
            DecisionKind::SmallerFailing => self.failing = candidate,
            _ => self.passing = candidate,
        }
        self.difference = left;
        self.side = Side::Passing;
        self.unresolved = 0;
    }

    /// Shrinks the difference to the tested part.
    fn keep_only_part(&mut self, kind: DecisionKind) {
        self.narrow(kind, self.part());
        self.parts = 2;
        self.next_part = 0;
    }

    /// Removes the tested part from the difference.
    fn remove_part(&mut self, kind: DecisionKind) {
        self.narrow(kind, self.difference.without(&self.part()));
        self.parts = (self.parts - 1).max(2);
        self.next_part %= self.parts;
    }

    /// Ends the search if there is nothing to split.
    fn finish(&mut self) {
        if self.difference.len() < 2 {
            self.unresolved = self.parts;
            if !self.difference.is_empty() {
                self.note(DecisionKind::Found, self.difference.clone());
            }
        }
    }

    /// Advances after an unresolved verdict: to the other side, the next part or the next round.
    fn record_unresolved(&mut self) {
        if self.side == Side::Passing {
            self.side = Side::Failing;
            return;
        }
        self.side = Side::Passing;
        self.next_part = (self.next_part + 1) % self.parts;
        self.unresolved += 1;
        if self.unresolved < self.parts {
            return;
        }
        if self.parts < self.difference.len() {
            self.note(DecisionKind::TryAgain, self.difference.clone());
            self.parts = (2 * self.parts).min(self.difference.len());
            self.next_part = 0;
            self.unresolved = 0;
        } else {
            self.note(DecisionKind::NothingLeft, self.difference.clone());
        }
    }
}

impl ConfigurationSearch for IsolateState {
    fn next_query(&self) -> Option<ConfigurationQuery> {
        (self.unresolved < self.parts).then(|| ConfigurationQuery {
            candidate: self.candidate(),
            kind: match self.side {
                Side::Failing => ConfigurationKind::Complement,
                Side::Passing => ConfigurationKind::Part,
            },
        })
    }

    fn record(&mut self, verdict: Verdict) {
        match (verdict, self.side) {
            (Verdict::Unresolved, _) => return self.record_unresolved(),
            (Verdict::Interesting, Side::Failing) => self.remove_part(DecisionKind::SmallerFailing),
            (Verdict::Interesting, Side::Passing) => {
                self.keep_only_part(DecisionKind::SmallerFailing);
            }
            (Verdict::Uninteresting, Side::Failing) => {
                self.keep_only_part(DecisionKind::LargerPassing);
            }
            (Verdict::Uninteresting, Side::Passing) => {
                self.remove_part(DecisionKind::LargerPassing);
            }
        }
        self.finish();
    }
}

impl Isolate {
    const GUESSES: [f64; 2] = [0.5, 0.5];

    /// Starts between a configuration known to pass and one known to fail.
    ///
    /// # Panics
    /// When `passing` is not a subset of `failing`.
    #[must_use]
    pub fn between(passing: Subset, failing: Subset) -> Self {
        assert!(
            passing.intersection([&failing]) == passing,
            "the passing configuration is a subset of the failing one"
        );
        let state = IsolateState::between(passing, failing.clone());
        Self {
            search: AskOnce::new(state, failing, Self::GUESSES),
        }
    }

    /// Returns the largest configuration known to pass.
    #[must_use]
    pub fn passing(&self) -> &Subset {
        &self.search.inner().passing
    }

    /// Returns the smallest configuration known to fail. It is also `best`.
    #[must_use]
    pub fn failing(&self) -> &Subset {
        &self.search.inner().failing
    }

    /// Returns the changes in the failing side that are not in the passing side.
    #[must_use]
    pub fn difference(&self) -> &ChangeList {
        &self.search.inner().difference
    }
}

search_by_ask_once!(Isolate);

impl Isolate {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "dd between two",
        family: Family::Changes,
        parameters: "",
        guarantee: "a 1-minimal difference between a passing and a failing configuration",
        cost: "log2 n if nothing is unresolved, at most O(n^2)",
        source: "Zeller, Hildebrandt, IEEE TSE 2002, dd",
    };
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, needs, trace};
    use super::*;

    fn between_none_and_all(count: usize) -> Isolate {
        let all = Subset::full(count);
        Isolate::between(all.without([0..count]), all)
    }

    fn sides(search: &Isolate) -> (String, String) {
        (names(search.passing()), names(search.failing()))
    }

    #[test]
    fn one_culprit_of_eight_takes_three_queries_and_both_sides_move() {
        let (search, asked) = trace(between_none_and_all(8), |set| needs(set, &[6]));
        assert_eq!(asked, "1234✓ 123456✗ 12345✓");
        assert_eq!(sides(&search), ("12345".to_owned(), "123456".to_owned()));
        let cases: Vec<DecisionKind> = search.history().map(|decision| decision.kind).collect();
        let (smaller, larger) = (DecisionKind::SmallerFailing, DecisionKind::LargerPassing);
        assert_eq!(cases, [larger, smaller, larger, DecisionKind::Found]);
    }

    #[test]
    fn if_two_changes_fail_together_one_of_them_is_the_difference() {
        let (search, asked) = trace(between_none_and_all(8), |set| needs(set, &[3, 6]));
        assert_eq!(asked, "1234✓ 123456✗ 12345✓");
        assert_eq!(sides(&search), ("12345".to_owned(), "123456".to_owned()));
        assert_eq!(search.difference().iter().collect::<Vec<_>>(), [5]);
    }

    #[test]
    fn changes_that_only_apply_together_are_the_difference_together() {
        // 1 and 2, 3 and 4, … only apply in pairs; 5 is the culprit.
        let (search, asked) = trace(between_none_and_all(8), |set| {
            let split = (0..4).any(|pair| set.contains(2 * pair) != set.contains(2 * pair + 1));
            if split {
                Verdict::Unresolved
            } else {
                needs(set, &[5])
            }
        });
        assert_eq!(asked, "1234✓ 123456✗ 12345? 12346?");
        assert_eq!(sides(&search), ("1234".to_owned(), "123456".to_owned()));
        let last = search.history().last().map(|decision| decision.kind);
        assert_eq!(last, Some(DecisionKind::NothingLeft));
    }

    #[test]
    fn after_unresolved_halves_smaller_parts_move_and_the_round_continues_with_the_next_part() {
        let unresolved = ["5678", "1234", "345678", "12"];
        let (search, asked) = trace(between_none_and_all(8), |set| {
            if unresolved.contains(&names(set).as_str()) {
                Verdict::Unresolved
            } else {
                needs(set, &[1, 8])
            }
        });
        // After 3 and 4 have moved, 5 and 6 are next, and the unresolved 1 and 2 are last.
        let expected = "1234? 5678? 12? 345678? 34✓ 3456✓ 123456✓ 1234567✓";
        assert_eq!(asked, expected);
        let (smaller, larger) = ("1234567".to_owned(), "12345678".to_owned());
        assert_eq!(sides(&search), (smaller, larger));
    }

    #[test]
    fn in_a_text_the_difference_is_the_character_that_completes_the_tag() {
        let text = r#"<SELECT NAME="priority" MULTIPLE SIZE=7>"#;
        let (search, asked) = trace(between_none_and_all(text.len()), |set| {
            let kept: String = set
                .iter()
                .map(|next_part| text.as_bytes()[next_part] as char)
                .collect();
            if kept.contains("<SELECT") {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        });
        assert_eq!(asked.matches(['✗', '✓']).count(), 5);
        let difference = search.difference().iter();
        let characters: Vec<&str> = difference
            .map(|next_part| &text[next_part..=next_part])
            .collect();
        assert_eq!(characters, ["T"]);
    }
}

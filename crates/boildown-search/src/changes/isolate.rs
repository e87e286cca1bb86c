//! The smallest difference between passing and failing.

use super::Changes;
use super::history::{Case, History, Step};
use super::recall::{Kind, Procedure, Recall, Wish, recalling};
use crate::{Subset, Verdict};

/// Narrows the difference between a configuration that passes and a larger one that fails, from both sides.
///
/// Adds a part of the difference to the passing side, or takes it away from the failing side: any verdict but `Unresolved` moves
/// one of them. When nothing in a round is resolved the parts get smaller.
///
/// # Guarantee
/// [`passing`](Self::passing) was told `Uninteresting` and [`failing`](Self::failing) `Interesting`, or they are those of the
/// start; the first is inside the second. The difference is 1-minimal: it is a single change, or taking any single change of it from the failing side,
/// or adding it to the passing side, is unresolved. So it is a single change when nothing is unresolved, whatever the oracle.
/// It explains the failure in this context only: other changes that both sides hold may be needed for it too.
/// # Cost
/// At most ⌈log₂ n⌉ questions when nothing is unresolved, for a difference of n changes; O(n²) in the worst case. Making a question is
/// O(n/64 + size of the part); a fingerprint is O(n).
/// # Units
/// Elements are indices into the original list of changes; they are never renumbered.
/// # Source
/// A. Zeller, R. Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 28(2), 2002, dd, with what is loose there
/// fixed after Zeller's own listing in *Beautiful Code*, chapter 28, but:
/// - The first resolved answer counts. The listing asks about both sides of a part before it chooses the better case; with a single
///   culprit the other answer cannot be better, and with more of them it would cost a question for each part.
/// - The passing side comes first, as in the definition; in the listing the failing side does. When changes are numbered by date and
///   build only with all older ones, the first question of a round can be judged this way.
/// - When n − 1 parts are left the round goes on at the place where it was instead of at the front: what was just
///   unresolved is asked about last.
#[derive(Debug, Clone)]
pub struct Isolate {
    recall: Recall<Narrowing>,
}

#[derive(Debug, Clone)]
struct Narrowing {
    passing: Subset,
    failing: Subset,
    /// What `failing` holds and `passing` does not.
    difference: Changes,
    /// Invariant: from 2 to the size of the difference while that is at least 2.
    parts: usize,
    /// The part asked about. Invariant: below `parts`.
    at: usize,
    side: Side,
    /// Parts of this round about which nothing was resolved; all of them when finished.
    unresolved: usize,
    history: History,
}

/// Which side the part under trial would move to or from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Passing,
    Failing,
}

impl Narrowing {
    fn between(passing: Subset, failing: Subset) -> Self {
        let mut narrowing = Self {
            difference: Changes::of(&failing.without(passing.runs())),
            passing,
            failing,
            parts: 2,
            at: 0,
            side: Side::Passing,
            unresolved: 0,
            history: History::new_sync(),
        };
        narrowing.finish();
        narrowing
    }

    fn part(&self) -> Changes {
        self.difference.part(self.at, self.parts)
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

    fn note(&mut self, case: Case, part: Changes) {
        self.history.push_back_mut(Step {
            case,
            part,
            searched: self.difference.clone(),
            within: self.failing.clone(),
        });
    }

    /// The configuration under trial becomes one of the two sides, and the difference shrinks to `left`.
    fn narrow(&mut self, case: Case, left: Changes) {
        self.note(case, left.clone());
        let candidate = self.candidate();
        match case {
            Case::SmallerFailing => self.failing = candidate,
            _ => self.passing = candidate,
        }
        self.difference = left;
        self.side = Side::Passing;
        self.unresolved = 0;
    }

    /// The difference is the part under trial alone.
    fn only_the_part(&mut self, case: Case) {
        self.narrow(case, self.part());
        self.parts = 2;
        self.at = 0;
    }

    /// The difference is everything but the part under trial.
    fn all_but_the_part(&mut self, case: Case) {
        self.narrow(case, self.difference.without(&self.part()));
        self.parts = (self.parts - 1).max(2);
        self.at %= self.parts;
    }

    /// Ends the search when there is nothing to split.
    fn finish(&mut self) {
        if self.difference.len() < 2 {
            self.unresolved = self.parts;
            if !self.difference.is_empty() {
                self.note(Case::Found, self.difference.clone());
            }
        }
    }

    fn miss(&mut self) {
        if self.side == Side::Passing {
            self.side = Side::Failing;
            return;
        }
        self.side = Side::Passing;
        self.at = (self.at + 1) % self.parts;
        self.unresolved += 1;
        if self.unresolved < self.parts {
            return;
        }
        if self.parts < self.difference.len() {
            self.note(Case::TryAgain, self.difference.clone());
            self.parts = (2 * self.parts).min(self.difference.len());
            self.at = 0;
            self.unresolved = 0;
        } else {
            self.note(Case::NothingLeft, self.difference.clone());
        }
    }
}

impl Procedure for Narrowing {
    fn wish(&self) -> Option<Wish> {
        (self.unresolved < self.parts).then(|| Wish {
            candidate: self.candidate(),
            kind: match self.side {
                Side::Failing => Kind::Complement,
                Side::Passing => Kind::Part,
            },
        })
    }

    fn hear(&mut self, verdict: Verdict) {
        match (verdict, self.side) {
            (Verdict::Unresolved, _) => return self.miss(),
            (Verdict::Interesting, Side::Failing) => self.all_but_the_part(Case::SmallerFailing),
            (Verdict::Interesting, Side::Passing) => self.only_the_part(Case::SmallerFailing),
            (Verdict::Uninteresting, Side::Failing) => self.only_the_part(Case::LargerPassing),
            (Verdict::Uninteresting, Side::Passing) => self.all_but_the_part(Case::LargerPassing),
        }
        self.finish();
    }
}

impl Isolate {
    const GUESSES: [f64; 2] = [0.5, 0.5];

    /// Starts between a configuration known to pass and one known to fail.
    ///
    /// # Panics
    /// When `passing` is not inside `failing`.
    #[must_use]
    pub fn between(passing: Subset, failing: Subset) -> Self {
        assert!(
            passing.intersection([&failing]) == passing,
            "what passes has to be part of what fails"
        );
        let narrowing = Narrowing::between(passing, failing.clone());
        Self {
            recall: Recall::new(narrowing, failing, Self::GUESSES),
        }
    }

    /// Returns the largest configuration so far that passes.
    #[must_use]
    pub fn passing(&self) -> &Subset {
        &self.recall.procedure().passing
    }

    /// Returns the smallest configuration so far that fails; it is `best`, too.
    #[must_use]
    pub fn failing(&self) -> &Subset {
        &self.recall.procedure().failing
    }

    /// Returns what the failing side holds and the passing side does not.
    #[must_use]
    pub fn difference(&self) -> &Changes {
        &self.recall.procedure().difference
    }
}

recalling!(Isolate);

#[cfg(test)]
mod tests {
    use super::super::testing::{names, needs, trace};
    use super::*;

    fn between_none_and_all(count: usize) -> Isolate {
        let all = Subset::full(count);
        Isolate::between(all.without([0..count]), all)
    }

    fn sides(machine: &Isolate) -> (String, String) {
        (names(machine.passing()), names(machine.failing()))
    }

    #[test]
    fn one_culprit_of_eight_takes_three_questions_and_both_sides_move() {
        let (machine, asked) = trace(between_none_and_all(8), |set| needs(set, &[6]));
        assert_eq!(asked, "1234✓ 123456✗ 12345✓");
        assert_eq!(sides(&machine), ("12345".to_owned(), "123456".to_owned()));
        let cases: Vec<Case> = machine.history().map(|step| step.case).collect();
        let (smaller, larger) = (Case::SmallerFailing, Case::LargerPassing);
        assert_eq!(cases, [larger, smaller, larger, Case::Found]);
    }

    #[test]
    fn when_two_fail_together_one_of_them_makes_the_difference() {
        let (machine, asked) = trace(between_none_and_all(8), |set| needs(set, &[3, 6]));
        assert_eq!(asked, "1234✓ 123456✗ 12345✓");
        assert_eq!(sides(&machine), ("12345".to_owned(), "123456".to_owned()));
        assert_eq!(machine.difference().iter().collect::<Vec<_>>(), [5]);
    }

    #[test]
    fn changes_that_only_apply_together_are_the_difference_together() {
        // 1 and 2, 3 and 4, … only apply in pairs; 5 and 6 are to blame.
        let (machine, asked) = trace(between_none_and_all(8), |set| {
            let split = (0..4).any(|pair| set.contains(2 * pair) != set.contains(2 * pair + 1));
            if split {
                Verdict::Unresolved
            } else {
                needs(set, &[5])
            }
        });
        assert_eq!(asked, "1234✓ 123456✗ 12345? 12346?");
        assert_eq!(sides(&machine), ("1234".to_owned(), "123456".to_owned()));
        let last = machine.history().last().map(|step| step.case);
        assert_eq!(last, Some(Case::NothingLeft));
    }

    #[test]
    fn when_no_half_can_be_judged_smaller_parts_move_and_the_round_goes_on_where_it_was() {
        let unresolved = ["5678", "1234", "345678", "12"];
        let (machine, asked) = trace(between_none_and_all(8), |set| {
            if unresolved.contains(&names(set).as_str()) {
                Verdict::Unresolved
            } else {
                needs(set, &[1, 8])
            }
        });
        // After 3 and 4 moved, 5 and 6 are next; 1 and 2, which could not be judged, wait.
        let expected = "1234? 5678? 12? 345678? 34✓ 3456✓ 123456✓ 1234567✓";
        assert_eq!(asked, expected);
        let (smaller, larger) = ("1234567".to_owned(), "12345678".to_owned());
        assert_eq!(sides(&machine), (smaller, larger));
    }

    #[test]
    fn in_a_text_the_difference_is_the_character_that_completes_the_tag() {
        let text = r#"<SELECT NAME="priority" MULTIPLE SIZE=7>"#;
        let (machine, asked) = trace(between_none_and_all(text.len()), |set| {
            let kept: String = set.iter().map(|at| text.as_bytes()[at] as char).collect();
            if kept.contains("<SELECT") {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            }
        });
        assert_eq!(asked.matches(['✗', '✓']).count(), 5);
        let difference = machine.difference().iter();
        let characters: Vec<&str> = difference.map(|at| &text[at..=at]).collect();
        assert_eq!(characters, ["T"]);
    }
}

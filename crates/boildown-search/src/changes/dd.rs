//! Binary search that notices when two halves fail only together.

use super::Changes;
use super::history::{Case, History, Step, blamed};
use super::recall::{Kind, Procedure, Recall, Wish, recalling};
use crate::{Restart, Subset, Verdict};

/// Finds the changes that fail together, in the absence of configurations that cannot be judged.
///
/// Goes on in the half that fails; when neither does, the halves interfere, and each is searched while the other stays applied.
///
/// # Guarantee
/// When every configuration passes or fails, and fails exactly when it holds one certain set of changes (monotone, unambiguous,
/// consistent), [`found`](Self::found) is that set. Otherwise it is some set, and `best` alone is known to fail: an unresolved half
/// counts as one that does not fail, so that an interference may be one in name only. [`DdPlus`](super::DdPlus) tells them apart.
/// # Cost
/// At most 2(n − 1) questions for n changes, whatever the answers; at most 2·⌈log₂ n⌉ for one culprit. Every question is
/// O(log n) cuts; a fingerprint is O(n).
/// # Units
/// Elements are indices into the original list of changes; they are never renumbered.
/// # Source
/// A. Zeller, *Yesterday, my program worked. Today, it does not. Why?*, ESEC/FSE 1999, dd, after W. Le's lecture slides of 2020 and
/// M. C. Laupichler's seminar summary of 2018/19. The summary searches both halves before it looks at a test; here, as in the
/// definition, an interference is searched only when there is one. The slides' table of an interference of 3 and 6 has seven
/// tests: it takes 6 for found because 1 to 5 pass. dd as defined asks about the other half first, which makes eight.
#[derive(Debug, Clone)]
pub struct Dd {
    recall: Recall<Halves>,
}

#[derive(Debug, Clone)]
struct Halves {
    start: Subset,
    /// What is still to be searched, the next on top; at most one more than there are halvings.
    stack: Vec<Frame>,
    history: History,
}

/// A search in a stretch of the changes, while everything else in `within` stays applied.
#[derive(Debug, Clone)]
struct Frame {
    /// Invariant: everything between the first and the last of them that is in the start is one of them. So a half is cut
    /// out of `within` by one range.
    suspects: Changes,
    /// The suspects and what stays applied.
    within: Subset,
    half: Half,
}

/// Which half is asked about, with what stays applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

impl Frame {
    fn new(suspects: Changes, within: Subset) -> Self {
        Self {
            suspects,
            within,
            half: Half::First,
        }
    }

    /// The half asked about.
    fn part(&self) -> Changes {
        self.suspects.part(self.half as usize, 2)
    }

    /// Everything but the other half.
    fn candidate(&self) -> Subset {
        let other = self.suspects.part(1 - self.half as usize, 2);
        self.within.without([other.span()])
    }
}

impl Halves {
    fn on(start: Subset) -> Self {
        let mut halves = Self {
            stack: vec![Frame::new(Changes::of(&start), start.clone())],
            start,
            history: History::new_sync(),
        };
        halves.collect();
        halves
    }

    fn note(&mut self, case: Case, frame: Frame, part: Changes) {
        self.history.push_back_mut(Step {
            case,
            part,
            searched: frame.suspects,
            within: frame.within,
        });
    }

    /// Takes single changes from the stack.
    fn collect(&mut self) {
        while let Some(frame) = self.stack.pop_if(|frame| frame.suspects.len() < 2) {
            if !frame.suspects.is_empty() {
                let part = frame.suspects.clone();
                self.note(Case::Found, frame, part);
            }
        }
    }
}

impl Procedure for Halves {
    fn wish(&self) -> Option<Wish> {
        let frame = self.stack.last()?;
        Some(Wish {
            candidate: frame.candidate(),
            kind: match frame.half {
                Half::First => Kind::Part,
                Half::Second => Kind::Complement,
            },
        })
    }

    fn hear(&mut self, verdict: Verdict) {
        let Some(mut frame) = self.stack.pop() else {
            return;
        };
        match (verdict, frame.half) {
            (Verdict::Interesting, _) => {
                let part = frame.part();
                self.stack.push(Frame::new(part.clone(), frame.candidate()));
                self.note(Case::FoundIn, frame, part);
            }
            (Verdict::Uninteresting | Verdict::Unresolved, Half::First) => {
                frame.half = Half::Second;
                self.stack.push(frame);
            }
            (Verdict::Uninteresting | Verdict::Unresolved, Half::Second) => {
                for place in [1, 0] {
                    let half = frame.suspects.part(place, 2);
                    self.stack.push(Frame::new(half, frame.within.clone()));
                }
                let part = frame.suspects.part(0, 2);
                self.note(Case::Interference, frame, part);
            }
        }
        self.collect();
    }
}

impl Dd {
    /// A second half is asked about only when the first did not fail.
    const GUESSES: [f64; 2] = [0.4, 0.6];

    /// Starts from all changes applied.
    #[must_use]
    pub fn on(start: Subset) -> Self {
        Self {
            recall: Recall::new(Halves::on(start.clone()), start, Self::GUESSES),
        }
    }

    /// Returns the changes to blame when the search is finished: a union of changes each found with others applied, which need not
    /// have been asked about as a whole.
    #[must_use]
    pub fn found(&self) -> Option<Subset> {
        let halves = self.recall.procedure();
        (self.recall.is_finished()).then(|| blamed(&halves.history, &halves.start))
    }
}

recalling!(Dd);

impl Restart for Dd {
    fn restart(&mut self, best: Subset) {
        self.recall.restart(Halves::on(best.clone()), best);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, needs, trace};
    use super::*;

    #[track_caller]
    fn check(needed: &[usize], questions: &str, cases: &[Case]) {
        let (machine, asked) = trace(Dd::on(Subset::full(8)), |set| needs(set, needed));
        assert_eq!(asked, questions);
        let blamed: Vec<usize> = machine.found().expect("finished").iter().collect();
        assert!(
            blamed
                .iter()
                .map(|element| element + 1)
                .eq(needed.iter().copied()),
            "{blamed:?}"
        );
        assert_eq!(
            machine.history().map(|step| step.case).collect::<Vec<_>>(),
            cases
        );
    }

    #[test]
    fn one_culprit_of_eight_takes_five_questions() {
        let (inside, found) = (Case::FoundIn, Case::Found);
        check(
            &[7],
            "1234✓ 5678✗ 56✓ 78✗ 7✗",
            &[inside, inside, inside, found],
        );
    }

    #[test]
    fn an_interference_of_two_takes_eight_questions_as_defined() {
        let (inside, found) = (Case::FoundIn, Case::Found);
        check(
            &[3, 6],
            "1234✓ 5678✓ 125678✓ 345678✗ 35678✗ 123456✗ 12345✓ 12346✗",
            &[
                Case::Interference,
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
    fn when_all_eight_are_needed_each_halving_takes_two_questions() {
        let (both, found) = (Case::Interference, Case::Found);
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
    fn a_step_names_what_interferes_and_what_stays_applied() {
        let (machine, _) = trace(Dd::on(Subset::full(8)), |set| needs(set, &[1, 3, 8]));
        let interferences: Vec<String> = (machine.history())
            .filter(|step| step.case == Case::Interference)
            .map(|step| {
                format!(
                    "{:?} and {:?} with {:?}",
                    step.part,
                    step.rest(),
                    step.applied()
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
        let (machine, _) = trace(Dd::on(Subset::full(8)), |set| needs(set, &[3, 6]));
        assert_eq!(names(machine.recall.best()), "35678");
    }
}

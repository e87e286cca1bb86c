//! Binary search for one culprit.

use super::Changes;
use super::history::{Case, History, Step, blamed};
use super::recall::{Kind, Procedure, Recall, Wish, recalling};
use crate::{Restart, Subset, Verdict};

/// Finds one culprit by asking about first halves only.
///
/// When the first half alone fails the culprit is in it, else it is taken to be in the second half, which is not asked about.
///
/// # Guarantee
/// [`found`](Self::found) is one change. It is the culprit when a single change fails on its own, in every configuration with it, and
/// no configuration is unresolved; it means nothing when the failure takes two changes.
/// # Cost
/// At most ⌈log₂ n⌉ questions for n changes. Every question is O(number of cuts); a fingerprint is O(n).
/// # Units
/// Elements are indices into the original list of changes; they are never renumbered.
/// # Source
/// simpledd as it stands in M. C. Laupichler's seminar summary of delta debugging, 2018/19, where it leads up to [`Dd`](super::Dd).
#[derive(Debug, Clone)]
pub struct SimpleDd {
    recall: Recall<Halves>,
}

#[derive(Debug, Clone)]
struct Halves {
    start: Subset,
    /// The changes that may be to blame. Nothing else is applied.
    suspects: Changes,
    history: History,
}

impl Halves {
    fn on(start: Subset) -> Self {
        let mut halves = Self {
            suspects: Changes::of(&start),
            start,
            history: History::new_sync(),
        };
        halves.finish();
        halves
    }

    fn note(&mut self, case: Case, part: Changes) {
        self.history.push_back_mut(Step {
            case,
            within: self.start.only(self.suspects.span()),
            searched: std::mem::replace(&mut self.suspects, part.clone()),
            part,
        });
    }

    fn finish(&mut self) {
        if self.suspects.len() == 1 {
            self.note(Case::Found, self.suspects.clone());
        }
    }
}

impl Procedure for Halves {
    fn wish(&self) -> Option<Wish> {
        (self.suspects.len() > 1).then(|| Wish {
            candidate: self.start.only(self.suspects.part(0, 2).span()),
            kind: Kind::Part,
        })
    }

    fn hear(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Interesting => self.note(Case::FoundIn, self.suspects.part(0, 2)),
            Verdict::Uninteresting | Verdict::Unresolved => {
                self.note(Case::ByElimination, self.suspects.part(1, 2));
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
            recall: Recall::new(Halves::on(start.clone()), start, Self::GUESSES),
        }
    }

    /// Returns the culprit when the search is finished. It need not have been asked about on its own.
    #[must_use]
    pub fn found(&self) -> Option<Subset> {
        let halves = self.recall.procedure();
        (self.recall.is_finished()).then(|| blamed(&halves.history, &halves.start))
    }
}

recalling!(SimpleDd);

impl Restart for SimpleDd {
    fn restart(&mut self, best: Subset) {
        self.recall.restart(Halves::on(best.clone()), best);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, needs, trace};
    use super::*;

    #[test]
    fn one_culprit_takes_as_many_questions_as_there_are_halvings() {
        let (machine, asked) = trace(SimpleDd::on(Subset::full(8)), |set| needs(set, &[7]));
        assert_eq!(asked, "1234✓ 56✓ 7✗");
        assert_eq!(machine.found().as_ref().map(names).as_deref(), Some("7"));
        let cases: Vec<Case> = machine.history().map(|step| step.case).collect();
        let expected = [
            Case::ByElimination,
            Case::ByElimination,
            Case::FoundIn,
            Case::Found,
        ];
        assert_eq!(cases, expected);
    }

    #[test]
    fn the_last_change_is_blamed_untested_when_two_fail_only_together() {
        let (machine, asked) = trace(SimpleDd::on(Subset::full(8)), |set| needs(set, &[3, 6]));
        assert_eq!(asked, "1234✓ 56✓ 7✓");
        assert_eq!(machine.found().as_ref().map(names).as_deref(), Some("8"));
        assert_eq!(machine.recall.best().count(), 8, "nothing smaller failed");
    }
}

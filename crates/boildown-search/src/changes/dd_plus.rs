//! The search of changes that copes with configurations nobody can judge.

use rpds::VectorSync;

use super::Changes;
use super::history::{Case, History, Step, blamed};
use super::recall::{Kind, Procedure, Recall, Wish, recalling};
use crate::{Restart, Subset, Verdict};

/// Finds changes to blame when many configurations cannot be judged.
///
/// Splits the suspects into parts and asks about each part, then about everything but each part, always with what stays applied.
/// A part that fails holds a culprit. A part that passes, as its complement does, interferes with it. A part that cannot
/// be judged while its complement passes is preferred: it is searched with the complement applied. Else parts that pass stay applied
/// from now on, parts without which it fails are dropped, and the rest is tried again in parts half the size.
///
/// # Guarantee
/// Let the verdicts agree with one set X: what fails holds all of X, what passes does not, and anything may be unresolved. With
/// [`Unions::Ask`], every search within it starts with all of X in `within` and not all of X applied. So every change
/// [`Found`](Case::Found) alone is in X, and a part returned because [nothing is left](Case::NothingLeft) holds one that is.
/// [`found`](Self::found) is then never empty, but need not be all of X: a preference keeps changes applied that may be in X too, and
/// so does a part that passed. With [`Unions::Trust`] not even that holds: innocent changes may be found. When nothing is
/// unresolved, `found` is X, after the questions of [`Dd`](super::Dd). When the verdicts agree with no set, only `best` means anything.
/// # Cost
/// As [`Dd`](super::Dd) when nothing is unresolved; O(n²) questions for n changes in the worst case. Making a question is
/// O(n/64 + size of the part).
/// # Units
/// Elements are indices into the original list of changes; they are never renumbered.
/// # Source
/// A. Zeller, *Yesterday, my program worked. Today, it does not. Why?*, ESEC/FSE 1999, dd+, after W. Le's lecture slides of 2020 and
/// M. C. Laupichler's seminar summary of 2018/19. What they leave open, or what differs:
/// - All parts are asked about before any complement, up to the first part that fails; complements up to the first that passes
///   beside a part that passes (interference) or is unresolved (preference), whichever comes first. The slides' tables agree.
/// - What stays applied is no longer suspected: without this a part that passed may be searched again though it is applied
///   all the time, and the first suspect is blamed when the applied ones fail together.
/// - When every part passes or is dropped, the last one stays suspected: no search ends with nobody to blame.
/// - Several parts that pass are applied together only when they pass together, which is one more question
///   ([`Unions::Ask`]); when they fail together the search goes on in them, and when that cannot be judged only the first of them is
///   applied. The definition takes it for granted that they pass; [`Unions::Trust`] does too.
/// - Borders of parts are at ⌊size·k/parts⌋.
#[derive(Debug, Clone)]
pub struct DdPlus {
    recall: Recall<Parts>,
}

/// Whether parts that pass one by one are taken to pass together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unions {
    /// One more question decides.
    Ask,
    /// As in the definition: they are. Where parts interfere but their complements are unresolved, innocents get blamed.
    Trust,
}

/// The procedure itself, without a memory.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    start: Subset,
    unions: Unions,
    /// What is still to be searched, the next on top: disjoint, and at most one more than there are halvings.
    stack: Vec<Frame>,
    history: History,
}

/// A search among suspects, while everything else in `within` stays applied.
#[derive(Debug, Clone)]
struct Frame {
    /// What the definition calls c.
    suspects: Changes,
    /// The suspects and what stays applied.
    within: Subset,
    /// What stays applied, r: `within` without the suspects.
    applied: Subset,
    /// Invariant: from 2 to the number of suspects.
    parts: usize,
    /// The answers about the first parts. Invariant: none is `Interesting`.
    alone: VectorSync<Verdict>,
    /// The answers about the first complements; none before all parts were asked about.
    complements: VectorSync<Verdict>,
}

/// What becomes of a part before the next try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Suspected,
    /// It passed: it stays applied.
    Applied,
    /// It fails without it, and the part alone did not pass: it is not applied any more.
    Dropped,
}

/// What a frame asks about.
enum Phase {
    Part(usize),
    Complement(usize),
    /// All parts that passed.
    Union(Vec<Fate>),
}

/// This set without these changes. A few ranges stay cuts, so that the steps of the history share their base.
fn without(set: &Subset, changes: &Changes) -> Subset {
    const FEW: usize = 4;
    let mut less = set.without(changes.runs());
    if changes.runs().nth(FEW).is_some() {
        less.commit();
    }
    less
}

impl Frame {
    fn new(suspects: Changes, within: Subset, parts: usize) -> Self {
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

    fn part(&self, place: usize) -> Changes {
        self.suspects.part(place, self.parts)
    }

    fn phase(&self) -> Phase {
        if self.alone.len() < self.parts {
            Phase::Part(self.alone.len())
        } else if self.complements.len() < self.parts {
            Phase::Complement(self.complements.len())
        } else {
            Phase::Union(self.fates())
        }
    }

    /// What the answers of this round make of its parts.
    fn fates(&self) -> Vec<Fate> {
        let answers = self.alone.iter().zip(&self.complements);
        let mut fates: Vec<Fate> = answers
            .map(|answers| match answers {
                (Verdict::Uninteresting, _) => Fate::Applied,
                (_, Verdict::Interesting) => Fate::Dropped,
                _ => Fate::Suspected,
            })
            .collect();
        if !fates.contains(&Fate::Suspected)
            && let Some(last) = fates.last_mut()
        {
            *last = Fate::Suspected;
        }
        fates
    }

    /// The changes of all parts with this fate.
    fn gather(&self, fates: &[Fate], wanted: Fate) -> Changes {
        if fates.iter().all(|&fate| fate == wanted) {
            return self.suspects.clone();
        }
        let places = (0..fates.len()).filter(|&place| fates[place] == wanted);
        let parts: Vec<Changes> = places.map(|place| self.part(place)).collect();
        parts.iter().flat_map(Changes::iter).collect()
    }

    /// What stays applied, and the parts that passed.
    fn union(&self, fates: &[Fate]) -> Subset {
        self.applied.with(self.gather(fates, Fate::Applied).runs())
    }
}

impl Parts {
    pub(super) fn on(start: Subset, unions: Unions) -> Self {
        let mut parts = Self {
            stack: vec![Frame::new(Changes::of(&start), start.clone(), 2)],
            start,
            unions,
            history: History::new_sync(),
        };
        parts.collect();
        parts
    }

    pub(super) fn history(&self) -> &History {
        &self.history
    }

    fn note(&mut self, case: Case, frame: &Frame, part: &Changes) {
        self.history.push_back_mut(Step {
            case,
            part: part.clone(),
            searched: frame.suspects.clone(),
            within: frame.within.clone(),
        });
    }

    /// Goes on in suspects that fail with what stays applied.
    fn find_in(&mut self, frame: &Frame, part: Changes) {
        self.note(Case::FoundIn, frame, &part);
        let within = without(&frame.within, &frame.suspects.without(&part));
        self.stack.push(Frame::new(part, within, 2));
    }

    /// Ends a round that decided nothing.
    fn try_again(&mut self, frame: &Frame, fates: &[Fate]) {
        let suspects = frame.gather(fates, Fate::Suspected);
        if frame.parts == frame.suspects.len() {
            return self.note(Case::NothingLeft, frame, &suspects);
        }
        self.note(Case::TryAgain, frame, &suspects);
        let within = without(&frame.within, &frame.gather(fates, Fate::Dropped));
        self.stack
            .push(Frame::new(suspects, within, 2 * frame.parts));
    }

    /// Takes single changes from the stack.
    fn collect(&mut self) {
        while let Some(frame) = self.stack.pop_if(|frame| frame.suspects.len() < 2) {
            if !frame.suspects.is_empty() {
                self.note(Case::Found, &frame, &frame.suspects);
            }
        }
    }

    /// Hears about a part.
    fn hear_part(&mut self, mut frame: Frame, place: usize, verdict: Verdict) {
        if verdict.is_interesting() {
            let part = frame.part(place);
            self.find_in(&frame, part);
        } else {
            frame.alone.push_back_mut(verdict);
            self.stack.push(frame);
        }
    }

    /// Hears about everything but a part.
    fn hear_complement(&mut self, mut frame: Frame, place: usize, verdict: Verdict) {
        let part = frame.part(place);
        match (frame.alone[place], verdict) {
            (Verdict::Uninteresting, Verdict::Uninteresting) => {
                self.note(Case::Interference, &frame, &part);
                for side in [frame.suspects.without(&part), part] {
                    self.stack.push(Frame::new(side, frame.within.clone(), 2));
                }
            }
            (Verdict::Unresolved, Verdict::Uninteresting) => {
                self.note(Case::Preference, &frame, &part);
                self.stack.push(Frame::new(part, frame.within, 2));
            }
            _ => {
                frame.complements.push_back_mut(verdict);
                let Phase::Union(fates) = frame.phase() else {
                    return self.stack.push(frame);
                };
                let passing = fates.iter().filter(|&&fate| fate == Fate::Applied).count();
                if passing > 1 && self.unions == Unions::Ask {
                    self.stack.push(frame);
                } else {
                    self.try_again(&frame, &fates);
                }
            }
        }
    }

    /// Hears about all parts that passed, applied together.
    fn hear_union(&mut self, frame: &Frame, mut fates: Vec<Fate>, verdict: Verdict) {
        match verdict {
            Verdict::Interesting => self.find_in(frame, frame.gather(&fates, Fate::Applied)),
            Verdict::Uninteresting => self.try_again(frame, &fates),
            Verdict::Unresolved => {
                let applied = fates.iter_mut().filter(|fate| **fate == Fate::Applied);
                for fate in applied.skip(1) {
                    *fate = Fate::Suspected;
                }
                self.try_again(frame, &fates);
            }
        }
    }
}

impl Procedure for Parts {
    fn wish(&self) -> Option<Wish> {
        let frame = self.stack.last()?;
        let (candidate, kind) = match frame.phase() {
            Phase::Part(place) => (frame.applied.with(frame.part(place).runs()), Kind::Part),
            Phase::Complement(place) => {
                (without(&frame.within, &frame.part(place)), Kind::Complement)
            }
            Phase::Union(fates) => (frame.union(&fates), Kind::Part),
        };
        Some(Wish { candidate, kind })
    }

    fn hear(&mut self, verdict: Verdict) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        match frame.phase() {
            Phase::Part(place) => self.hear_part(frame, place, verdict),
            Phase::Complement(place) => self.hear_complement(frame, place, verdict),
            Phase::Union(fates) => self.hear_union(&frame, fates, verdict),
        }
        self.collect();
    }
}

impl DdPlus {
    const GUESSES: [f64; 2] = [0.3, 0.2];

    /// Starts from all changes applied.
    #[must_use]
    pub fn on(start: Subset) -> Self {
        Self::with_unions(start, Unions::Ask)
    }

    /// Starts from all changes applied, and says whether parts that pass are taken to pass together.
    #[must_use]
    pub fn with_unions(start: Subset, unions: Unions) -> Self {
        Self {
            recall: Recall::new(Parts::on(start.clone(), unions), start, Self::GUESSES),
        }
    }

    /// Returns the changes to blame when the search is finished: a union of what was found with other changes applied, which need
    /// not have been asked about as a whole, nor fail without them.
    #[must_use]
    pub fn found(&self) -> Option<Subset> {
        let parts = self.recall.procedure();
        (self.recall.is_finished()).then(|| blamed(&parts.history, &parts.start))
    }
}

recalling!(DdPlus);

impl Restart for DdPlus {
    fn restart(&mut self, best: Subset) {
        let unions = self.recall.procedure().unions;
        self.recall.restart(Parts::on(best.clone(), unions), best);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, needs, trace};
    use super::*;
    use crate::Search as _;

    /// The slides' example: 2, 3 and 7 need each other, 8 is the culprit.
    fn slides(set: &Subset) -> Verdict {
        let together = [2, 3, 7].map(|name| set.contains(name - 1));
        if together.contains(&true) && together.contains(&false) {
            Verdict::Unresolved
        } else {
            needs(set, &[8])
        }
    }

    #[test]
    fn the_slides_example_takes_sixteen_questions() {
        let (machine, asked) = trace(DdPlus::on(Subset::full(8)), slides);
        let rounds = [
            "1234? 5678?",
            "12? 34? 56✓ 78?",
            "345678? 125678? 123478✗ 123456?",
            "156✓ 256? 356? 456✓ 567? 568✗",
        ];
        assert_eq!(asked, rounds.join(" "));
        assert_eq!(machine.found().as_ref().map(names).as_deref(), Some("8"));
        let steps: Vec<String> = (machine.history())
            .map(|step| {
                let applied = names(&step.applied());
                format!(
                    "{:?} {:?} of {:?}, applied {applied}",
                    step.case, step.part, step.searched
                )
            })
            .collect();
        let expected = [
            "TryAgain {0, 1, 2, 3, 4, 5, 6, 7} of {0, 1, 2, 3, 4, 5, 6, 7}, applied ",
            "TryAgain {0, 1, 2, 3, 6, 7} of {0, 1, 2, 3, 4, 5, 6, 7}, applied ",
            "FoundIn {7} of {0, 1, 2, 3, 6, 7}, applied 56",
            "Found {7} of {7}, applied 56",
        ];
        assert_eq!(steps, expected);
    }

    #[test]
    fn trusting_unions_changes_nothing_where_one_part_at_a_time_passes() {
        let trusting = DdPlus::with_unions(Subset::full(8), Unions::Trust);
        let (_, asked) = trace(trusting, slides);
        assert_eq!(asked, trace(DdPlus::on(Subset::full(8)), slides).1);
    }

    #[test]
    fn a_half_that_cannot_be_judged_is_preferred_when_the_other_passes() {
        let mut machine = DdPlus::on(Subset::full(8));
        for (question, verdict) in [
            ("1234", Verdict::Unresolved),
            ("5678", Verdict::Uninteresting),
        ] {
            let asked = machine.ask().expect("not finished");
            assert_eq!(names(&asked.candidate), question);
            machine.tell(verdict);
        }
        let next = machine.ask().expect("not finished");
        assert_eq!(names(&next.candidate), "125678");
        let step = machine.history().last().expect("a step was taken");
        assert_eq!(step.case, Case::Preference);
        assert_eq!(step.part, Changes::of(&Subset::full(8).only(0..4)));
    }

    /// Fails with both of these; some configurations cannot be judged.
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
    fn check(unions: Unions, judge: impl Fn(&Subset) -> Verdict, questions: &str, found: &str) {
        let (machine, asked) = trace(DdPlus::with_unions(Subset::full(8), unions), judge);
        assert_eq!(asked, questions);
        assert_eq!(machine.found().as_ref().map(names).as_deref(), Some(found));
    }

    #[test]
    fn parts_that_pass_one_by_one_and_fail_together_are_where_the_search_goes_on() {
        let judge = hidden(&[1, 5], "1234 5678 34 78 345678 125678 123478 123456");
        let common = "1234? 5678? 12✓ 34? 56✓ 78? 345678? 125678? 123478? 123456?";
        check(
            Unions::Ask,
            &judge,
            &format!("{common} 1256✗ 156✗ 125✗"),
            "15",
        );
        // 1, 2, 5 and 6 are taken to pass together, so that 3 is blamed, which has nothing to do with it.
        check(Unions::Trust, &judge, &format!("{common} 12356✗"), "3");
    }

    #[test]
    fn of_parts_that_cannot_be_judged_together_only_the_first_stays_applied() {
        let judge = hidden(&[1, 3], "1234 5678 56 78 345678 125678 123478 123456");
        check(
            Unions::Ask,
            judge,
            "1234? 5678? 12✓ 34✓ 56? 78? 345678? 125678? 123478? 123456? 123✗",
            "3",
        );
    }

    #[test]
    fn a_preference_leaves_a_culprit_applied() {
        // With 5 to 8 applied nothing in the other half but 1 is needed.
        let judge = hidden(&[1, 5], "1234");
        check(Unions::Ask, judge, "1234? 5678✓ 125678✗ 15678✗", "1");
    }

    #[test]
    fn a_skip_counts_as_unresolved_and_moves_no_odds() {
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

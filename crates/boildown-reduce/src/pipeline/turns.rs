//! Turns of the passes that begin the reduction of a large input.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use boildown_document::Document;
use boildown_search::Fingerprint;

use super::order::EXPECTED_GAIN_FROM;
use super::pass::Pass;
use super::search::PassSearch;

/// What each of the passes that take turns deletes, per query, and whose turn it is.
///
/// Which of them finds most is not known before, and none should run to its own end while another
/// one would delete more with each query. A turn ends early when the pass at work deletes less than
/// is expected of another one.
///
/// # Guarantee
/// Depends on verdicts and sizes only, not on time.
/// # Source
/// Our own; the rule is that of a bandit with an optimistic prior.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns {
    members: Vec<Member>,
    /// The size of the best candidate, in bytes, before the latest queries of the pass at work and
    /// after each of them.
    sizes: VecDeque<usize>,
    /// The number of queries in this turn.
    asked: usize,
    /// Whether one of them was a hit.
    has_hit: bool,
    /// The searches whose turn ended early, by position, since the last hit.
    paused: Arc<BTreeMap<usize, PausedSearch>>,
}

/// A search that can continue while the input stays the same.
#[derive(Debug, Clone)]
pub(super) struct PausedSearch {
    pub(super) document: Arc<Document>,
    pub(super) document_id: Fingerprint,
    pub(super) search: PassSearch,
}

/// A pass that takes turns.
#[derive(Debug, Clone)]
struct Member {
    /// Its position among all passes.
    position: usize,
    /// The sizes of inputs for which it is worth its time.
    sizes: Range<usize>,
    /// The fewest queries of a turn without a hit that ends early.
    fewest: usize,
    /// Whether its turns never end early.
    is_whole: bool,
    /// Its turn ends when it deletes less with each query, even if nothing is expected of others.
    least: f64,
    /// `None` before its first turn.
    end: Option<TurnEnd>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy)]
struct TurnEnd {
    /// The size of the best candidate, in bytes.
    size: usize,
    /// The share of the input that each of the latest queries deleted; 0 if there was no query
    /// left.
    rate: f64,
    /// Whether the pass had a query.
    has_asked: bool,
}

/// The number of queries that a rate is about.
const LATEST: usize = 8;

/// What a pass is expected to delete with each query before it has had a turn, and again when a
/// good part of the input has gone since.
const USUAL_RATE: f64 = 0.01;

/// What a pass deletes with each query, at least, unless it gives up by itself: what it would find
/// is left to the passes that come later.
const LEAST_RATE: f64 = 0.002;

impl Turns {
    /// Returns the turns of those passes that take turns; none if the input is not large.
    pub(super) fn new(passes: &[Pass], input: usize) -> Self {
        let passes = passes.iter().enumerate();
        let members = passes.filter(|(_, pass)| pass.turns_from.is_some_and(|it| input >= it));
        let members = members.map(|(position, pass)| Member {
            position,
            sizes: pass.sizes.clone(),
            fewest: pass.fewest_queries_of_a_turn().max(LATEST),
            is_whole: pass.has_whole_turns,
            least: if pass.gives_up() { 0.0 } else { LEAST_RATE },
            end: None,
        });
        Self {
            members: members.collect(),
            ..Self::default()
        }
    }

    /// Takes note of a verdict: the size of the best candidate before it and after it.
    pub(super) fn tell(&mut self, before: usize, after: usize) {
        if self.members.is_empty() {
            return;
        }
        if self.sizes.is_empty() {
            self.sizes.push_back(before);
        }
        self.sizes.push_back(after);
        if self.sizes.len() > LATEST + 1 {
            self.sizes.pop_front();
        }
        self.asked += 1;
        self.has_hit |= after < before;
        if after < before && !self.paused.is_empty() {
            self.paused = Arc::default();
        }
    }

    /// Returns whether the turn of the pass at this position is to end although it has queries
    /// left.
    pub(super) fn is_over(&self, position: usize, size: usize) -> bool {
        let Some(member) = self.member(position) else {
            return false;
        };
        let next = self.next(position, size);
        let expected = next.map_or(0.0, |(_, expected)| expected);
        !member.is_whole
            && size >= EXPECTED_GAIN_FROM
            && self.has_others(position)
            && self.asked >= if self.has_hit { LATEST } else { member.fewest }
            && self.rate() < expected.max(member.least)
    }

    /// Keeps a search whose turn ends early.
    pub(super) fn pause(&mut self, position: usize, search: PausedSearch) {
        Arc::make_mut(&mut self.paused).insert(position, search);
    }

    /// Returns the search of the pass at this position, if it can continue.
    pub(super) fn take_paused(&mut self, position: usize) -> Option<PausedSearch> {
        if !self.paused.contains_key(&position) {
            return None;
        }
        Arc::make_mut(&mut self.paused).remove(&position)
    }

    /// Ends the turn of the pass at this position. Returns the position of the pass that is next;
    /// `None` if the pass takes no turns.
    pub(super) fn end(&mut self, position: usize, size: usize) -> Option<usize> {
        let rate = match self.paused.contains_key(&position) {
            true => self.rate(),
            false => 0.0,
        };
        let has_asked = self.asked > 0;
        self.sizes.clear();
        self.asked = 0;
        self.has_hit = false;
        let mut members = self.members.iter_mut();
        let member = members.find(|member| member.position == position)?;
        member.end = Some(TurnEnd {
            size,
            rate,
            has_asked,
        });
        if size < EXPECTED_GAIN_FROM {
            return None;
        }
        let next = self.next(position, size);
        let after_all = self.members.last()?.position + 1;
        if next.is_none() {
            // Documents take much memory, and no turn is left for them.
            self.paused = Arc::default();
        }
        Some(next.map_or(after_all, |(position, _)| position))
    }

    /// Ends all turns: from now on each pass runs to its end.
    pub(super) fn finish(&mut self) {
        *self = Self::default();
    }

    /// Returns whether another member has something to ask: in data, there are no definitions.
    fn has_others(&self, position: usize) -> bool {
        let mut others = self.members.iter();
        others.any(|other| other.position != position && other.end.is_none_or(|end| end.has_asked))
    }

    fn member(&self, position: usize) -> Option<&Member> {
        let mut members = self.members.iter();
        members.find(|member| member.position == position)
    }

    /// Returns the share of the input that each of the latest queries deleted.
    fn rate(&self) -> f64 {
        let (Some(&first), Some(&last)) = (self.sizes.front(), self.sizes.back()) else {
            return 0.0;
        };
        share_deleted(first, last) / (self.sizes.len() - 1).max(1) as f64
    }

    /// Returns the position of the first of those members, but for this one, of which most is
    /// expected, and what; `None` if it is too little.
    fn next(&self, position: usize, size: usize) -> Option<(usize, f64)> {
        let others = self.members.iter().rev();
        let others = others.filter(|member| member.position != position);
        let others = others.map(|member| (member.position, member.expected(size)));
        let best = others.max_by(|a, b| a.1.total_cmp(&b.1));
        best.filter(|&(_, expected)| expected >= LEAST_RATE)
    }
}

impl Member {
    /// Returns the share of an input of this size that each query is expected to delete.
    fn expected(&self, size: usize) -> f64 {
        match self.end {
            _ if !self.sizes.contains(&size) => 0.0,
            None => USUAL_RATE,
            // An eighth has gone since: what others needed may be unused now.
            Some(end) if 8 * size <= 7 * end.size => USUAL_RATE.max(end.rate),
            Some(end) => end.rate,
        }
    }
}

/// Returns the share that is deleted where a size becomes another one: the logarithm of their
/// ratio, so that the shares of several steps add up.
fn share_deleted(before: usize, after: usize) -> f64 {
    (before.max(1) as f64 / after.max(1) as f64).ln()
}

#[cfg(test)]
mod tests {
    use boildown_document::View;

    use super::*;
    use crate::pipeline::pass::{Method, SmallestDeletion};
    use crate::pipeline::pass_id::PassId;

    const MIB: usize = 1 << 20;

    /// Returns the turns of `unused`, at 1, `bodies`, at 2, and `promising`, at 3.
    fn turns(size: usize) -> Turns {
        let smallest = SmallestDeletion::OneIn(100);
        let pass = |id, method| Pass::new(id, View::Lines, method);
        let passes = [
            pass(PassId::LINES, Method::Window(1)),
            pass(PassId::UNUSED_LARGE, Method::Unused(smallest)).in_turns_from(MIB),
            pass(PassId::BODIES, Method::Bodies(smallest)).in_turns_from(MIB),
            pass(PassId::EXPECTED_GAIN, Method::ExpectedGain(smallest)).in_turns_from(MIB),
        ];
        Turns::new(&passes, size)
    }

    /// Tells of misses until the turn is over; returns their number.
    fn misses(turns: &mut Turns, position: usize, size: usize) -> usize {
        let mut misses = 0;
        while !turns.is_over(position, size) {
            turns.tell(size, size);
            misses += 1;
        }
        misses
    }

    #[test]
    fn a_pass_without_hits_yields_to_the_next() {
        let mut turns = turns(MIB);
        assert_eq!(misses(&mut turns, 1, MIB), 24);
        assert_eq!(turns.end(1, MIB), Some(2));
        assert_eq!(misses(&mut turns, 2, MIB), 8);
        assert_eq!(turns.end(2, MIB), Some(3));
        assert_eq!(misses(&mut turns, 3, MIB), 8);
        assert_eq!(turns.end(3, MIB), Some(4), "nothing is expected of any");
    }

    #[test]
    fn a_whole_turn_does_not_end_early() {
        let smallest = SmallestDeletion::OneIn(100);
        let pass = |id, method| Pass::new(id, View::Lines, method).in_turns_from(MIB);
        let bodies = pass(PassId::BODIES, Method::Bodies(smallest)).whole();
        let gain = pass(PassId::EXPECTED_GAIN, Method::ExpectedGain(smallest));
        let mut turns = Turns::new(&[gain, bodies], MIB);
        assert_eq!(misses(&mut turns, 0, MIB), 8);
        assert_eq!(turns.end(0, MIB), Some(1));
        (0..100).for_each(|_| turns.tell(MIB, MIB));
        assert!(!turns.is_over(1, MIB));
    }

    #[test]
    fn a_pass_with_little_hits_yields_earlier_than_one_without() {
        let mut turns = turns(MIB);
        turns.tell(MIB, MIB - 1);
        assert_eq!(misses(&mut turns, 1, MIB - 1), 7);
    }

    #[test]
    fn a_pass_has_another_turn_when_an_eighth_has_gone() {
        let mut turns = turns(MIB);
        turns.tell(MIB, MIB);
        assert_eq!(turns.end(1, MIB), Some(2));
        assert_eq!(turns.end(2, MIB), Some(3));
        turns.tell(MIB, MIB - MIB / 8);
        assert_eq!(turns.end(3, MIB - MIB / 8), Some(1));
    }

    #[test]
    fn a_pass_that_deletes_more_than_others_would_stays_at_work() {
        let mut turns = turns(MIB);
        let mut size = MIB;
        for _ in 0..100 {
            turns.tell(size, size - size / 50);
            size -= size / 50;
            assert!(!turns.is_over(1, size));
        }
    }

    #[test]
    fn a_pass_beside_which_none_has_a_query_runs_to_its_end() {
        let mut turns = turns(MIB);
        assert_eq!(turns.end(1, MIB), Some(2));
        assert_eq!(turns.end(2, MIB), Some(3));
        for _ in 0..100 {
            turns.tell(MIB, MIB);
        }
        assert!(!turns.is_over(3, MIB));
    }

    #[test]
    fn a_small_input_has_no_turns() {
        let mut turns = turns(MIB);
        for _ in 0..100 {
            turns.tell(1000, 1000);
        }
        assert!(!turns.is_over(1, 1000));
        assert_eq!(turns.end(1, 1000), None);
        let mut small = self::turns(1000);
        assert_eq!(small.end(1, 1000), None);
    }
}

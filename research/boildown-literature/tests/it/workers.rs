//! Determinism: the same result, told in the same order, with any number of workers.

use boildown_search::changes::Isolate;
use boildown_search::list::{Halving, List, Sweep};
use boildown_search::{Fingerprint, LookAhead, Planner, Query, QueryId, Search, Subset, Verdict};
use proptest::prelude::*;

use crate::any_search::AnySearch;
use crate::oracles::{Check, Oracle, coin, every_search, oracles};

/// The verdicts told to a search, in order, and its result.
#[derive(Debug, PartialEq)]
struct ToldHistory {
    told: Vec<(Fingerprint, Verdict)>,
    best: Subset,
    ran: usize,
}

/// Runs a search with workers whose answers arrive in an order decided by `delays`.
fn simulate<S: Search<Candidate = Subset>>(
    mut planner: Planner<S>,
    oracle: &Oracle,
    workers: usize,
    delays: u64,
) -> ToldHistory {
    let mut running: Vec<(QueryId, Subset)> = Vec::new();
    let mut history = ToldHistory {
        told: Vec::new(),
        best: Subset::full(0),
        ran: 0,
    };
    let mut clock = delays;
    while !planner.is_finished() {
        while running.len() < workers
            && let Some(ticket) = planner.next()
        {
            history.ran += 1;
            running.push((ticket.id, ticket.candidate));
        }
        assert!(
            !running.is_empty(),
            "an unfinished search always has a question in flight"
        );
        clock = coin(Fingerprint::new(u128::from(clock)), delays);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "below the number of workers"
        )]
        let (id, candidate) = running.swap_remove((clock % running.len() as u64) as usize);
        planner.answer(id, oracle.judge(&candidate));
        while let Some(told) = planner.advance() {
            history.told.push((told.fingerprint, told.verdict));
        }
        let abandoned = planner.abandoned();
        // A kill takes time: some answers to abandoned queries still arrive.
        if clock.is_multiple_of(3) {
            running.retain(|(id, _)| !abandoned.contains(id));
        }
    }
    history.best = planner.search().best();
    history
}

/// Compares 2, 7 and 64 workers with one, with a large and a small memory of answers.
pub(crate) struct SameAtAnyNumber {
    pub(crate) oracle: Oracle,
    pub(crate) delays: u64,
}

impl Check for SameAtAnyNumber {
    fn check_any(&self, search: AnySearch<'_>) -> Result<(), String> {
        self.compare(|| Planner::new(search.clone()), &[2, 7, 64])?;
        self.compare(|| Planner::new(WithEdits(search.clone())), &[7])?;
        // A memory so small that it always matters.
        self.compare(|| Planner::with_memory(search.clone(), 5), &[7])
    }
}

impl SameAtAnyNumber {
    fn compare<S: Search<Candidate = Subset>>(
        &self,
        planner: impl Fn() -> Planner<S>,
        together: &[usize],
    ) -> Result<(), String> {
        let alone = simulate(planner(), &self.oracle, 1, self.delays);
        if alone.told.len() != alone.ran {
            return Err(format!(
                "one worker ran {} to tell {}",
                alone.ran,
                alone.told.len()
            ));
        }
        for &workers in together {
            let together = simulate(planner(), &self.oracle, workers, self.delays);
            if together.told != alone.told || together.best != alone.best {
                return Err(format!(
                    "{workers} workers: {together:?}\none worker: {alone:?}"
                ));
            }
        }
        Ok(())
    }
}

proptest! {
    // Each case runs dozens of searches with up to 64 workers.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_number_of_workers_tells_the_same_verdicts_in_the_same_order(
        (n, oracle) in (1_usize..24).prop_flat_map(|n| (Just(n), oracles(n))),
        weights in proptest::collection::vec(1_u32..50, 24),
        delays in any::<u64>(),
    ) {
        let list = List::weighted(weights[..n].iter().copied());
        every_search(&list, &SameAtAnyNumber { oracle, delays })?;
    }
}

/// A search that identifies what its queries delete.
#[derive(Clone)]
struct WithEdits<S>(S);

impl<S: Search<Candidate = Subset>> Search for WithEdits<S> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.0.ask()
    }

    fn edit(&self) -> Option<Fingerprint> {
        let cuts = self.best().cuts_to(&self.ask()?.candidate);
        let numbers = cuts.iter().flat_map(|cut| [cut.start, cut.end]);
        let number = numbers.fold(1_u128, |all, end| {
            all.wrapping_mul(1_000_003).wrapping_add(end as u128)
        });
        Some(Fingerprint::new(number))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.0.tell(verdict);
    }

    fn skip(&mut self) {
        self.0.skip();
    }

    fn best(&self) -> Subset {
        self.0.best()
    }
}

/// Asks about each element of a list once, whatever the answers are.
#[derive(Clone)]
struct OneByOne {
    kept: Subset,
    next: usize,
}

impl Search for OneByOne {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        (self.next < self.kept.universe()).then(|| Query {
            candidate: self.kept.without([self.next..self.next + 1]),
            odds: 0.4,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        if verdict.is_interesting() {
            self.kept = self.kept.without([self.next..self.next + 1]);
        }
        self.next += 1;
    }

    fn skip(&mut self) {
        self.next += 1;
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

#[test]
fn idle_workers_find_out_about_edits_that_will_be_asked_about_on_another_base() {
    // Two of five elements can be deleted, so no state of the list is likely after a few verdicts.
    let search = OneByOne {
        kept: Subset::full(200),
        next: 0,
    };
    let needs: fn(&Subset) -> Verdict = |kept| {
        let mut needed = (0..200).filter(|element| element % 5 % 2 == 0);
        match needed.all(|element| kept.contains(element)) {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        }
    };
    let usual = [4, 16, 64].map(|workers| rounds(search.clone(), workers, needs));
    let edits = [4, 16, 64].map(|workers| rounds(WithEdits(search.clone()), workers, needs));
    assert_eq!((usual, edits), ([81, 50, 34], [81, 33, 21]));
}

#[test]
fn a_candidate_is_run_once_even_if_two_paths_ask_it() {
    // With 64 workers every set of four elements is soon asked about by speculation; there are only
    // 16 sets.
    let planner = Planner::new(Sweep::on(List::uniform(4)));
    let history = simulate(planner, &Oracle::Needs(vec![1]), 64, 5);
    assert!(history.ran <= 16, "{}", history.ran);
}

#[test]
fn a_thousand_workers_on_a_short_list_speculate_only_on_useful_queries() {
    // Nine elements have 512 subsets, and the tree of verdicts over them has about a million nodes.
    let needed = Oracle::Needs((0..9).collect());
    let planner = Planner::new(Sweep::on(List::uniform(9)));
    let history = simulate(planner, &needed, 1_000, 7);
    assert_eq!(history.best.count(), 9);
    assert_eq!(
        history.told.len(),
        9,
        "nothing can go, so each is asked once"
    );
}

/// How often workers that all take the same time have to be waited for.
fn rounds(
    search: impl Search<Candidate = Subset>,
    workers: usize,
    oracle: fn(&Subset) -> Verdict,
) -> usize {
    let mut planner = Planner::new(search);
    let mut rounds = 0;
    while !planner.is_finished() {
        let tickets: Vec<_> = std::iter::from_fn(|| planner.next())
            .take(workers)
            .collect();
        for ticket in tickets {
            planner.answer(ticket.id, oracle(&ticket.candidate));
        }
        while planner.advance().is_some() {}
        planner.abandoned();
        rounds += 1;
    }
    rounds
}

#[test]
fn workers_speculate_past_unresolved_queries_when_most_are_unresolved() {
    let all = Subset::full(20);
    let isolate = Isolate::between(all.without([0..20]), all);
    let never = |_: &Subset| Verdict::Unresolved;
    let rounds = [1, 8].map(|workers| rounds(isolate.clone(), workers, never));
    assert_eq!(rounds, [74, 11]);
}

/// A search that takes steps to find each of its queries.
#[derive(Clone)]
struct InSteps<S> {
    inner: S,
    left: usize,
}

impl<S: Search<Candidate = Subset>> Search for InSteps<S> {
    type Candidate = Subset;

    fn is_ready(&self) -> bool {
        self.left == 0
    }

    fn prepare(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    fn ask(&self) -> Option<Query<Subset>> {
        self.inner.ask().filter(|_| self.is_ready())
    }

    fn tell(&mut self, verdict: Verdict) {
        assert!(self.is_ready());
        self.left = self.inner.best().count() % 4;
        self.inner.tell(verdict);
    }

    fn skip(&mut self) {
        assert!(self.is_ready());
        self.left = self.inner.best().count() % 3;
        self.inner.skip();
    }

    fn best(&self) -> Subset {
        self.inner.best()
    }
}

#[test]
fn a_planner_that_goes_step_by_step_tells_the_same_verdicts() {
    let oracle = Oracle::Needs(vec![3, 7, 8]);
    let search = Sweep::on(List::uniform(12));
    let usual = simulate(Planner::new(search.clone()), &oracle, 1, 5).told;
    for workers in [1, 2, 7, 64] {
        let search = InSteps {
            inner: search.clone(),
            left: 2,
        };
        let mut planner = Planner::stepwise(search);
        let mut told = Vec::new();
        while !planner.is_finished() {
            if !planner.is_settled() {
                planner.settle();
                continue;
            }
            let mut tickets = Vec::new();
            while tickets.len() < workers {
                match planner.next() {
                    Some(ticket) => tickets.push(ticket),
                    None if planner.look_ahead() == LookAhead::MoreSteps => {}
                    None => break,
                }
            }
            for ticket in tickets.into_iter().rev() {
                planner.answer(ticket.id, oracle.judge(&ticket.candidate));
            }
            while let Some(one) = planner.advance() {
                told.push((one.fingerprint, one.verdict));
            }
            planner.abandoned();
        }
        assert_eq!(told, usual, "{workers} workers");
    }
}

#[test]
fn a_session_does_not_run_what_is_hardly_ever_reached() {
    let started = |mut planner: Planner<Halving>| {
        let mut started = 0;
        while started < 1000 {
            match planner.next() {
                Some(_) => started += 1,
                None if planner.look_ahead() == LookAhead::Nothing => break,
                None => {}
            }
        }
        started
    };
    // Hits and misses are both likely, so what follows many answers hardly ever happens.
    let search = Halving::on(List::uniform(5000));
    assert_eq!(started(Planner::new(search.clone())), 1000);
    let in_session = started(Planner::stepwise(search));
    assert!((50..500).contains(&in_session), "{in_session}");
}

//! Whether the two states are good and bad.

use std::time::Duration;

use boildown_changes::Configuration;
use boildown_oracle::store::Tape;
use boildown_oracle::{Cancel, Outcome, Verdict};

use super::event::ChangesEvent;
use super::search::{Problem, SearchError};
use super::trees::Trees;
use super::way::States;

/// How often each of the two is run.
const RUNS: usize = 2;

/// Looks whether the ends of a row are good and bad.
pub(super) struct Baseline<'a> {
    pub(super) problem: &'a Problem,
    /// What an earlier session saw.
    pub(super) tape: &'a Tape,
    pub(super) cancel: &'a Cancel,
    pub(super) on_event: &'a mut dyn FnMut(&ChangesEvent),
    /// How the bad state and the good one ended when that was last spoken of.
    pub(super) said: [Option<Outcome>; 2],
}

impl Baseline<'_> {
    /// Checks that the ends of the row are good and bad, twice, and returns the longest time that it took.
    pub(super) fn check(&mut self, trees: &Trees) -> Result<Duration, SearchError> {
        let Problem { row, contents, .. } = self.problem;
        let states = States::default();
        let [good, bad] = [&row.places[0], &row.places[row.places.len() - 1]];
        let [good_state, bad_state] = [states.of(good, contents)?, states.of(bad, contents)?];
        if good_state == bad_state {
            return Err(SearchError::Same {
                good: good.name.clone(),
                bad: bad.name.clone(),
            });
        }
        let mut slowest = Duration::ZERO;
        // The bad one first: it shows whether the command runs at all.
        for (which, (place, state, expected, wanted)) in [
            (bad, bad_state, Verdict::Interesting, "bad"),
            (good, good_state, Verdict::Uninteresting, "good"),
        ]
        .into_iter()
        .enumerate()
        {
            let configuration = Configuration::from(state);
            for run in 0..RUNS {
                // In one tree, as later: a build that is only added to has to come to the same.
                let judgement = trees.judge_again(&configuration, self.tape, self.cancel)?;
                if judgement.verdict != expected {
                    let name = place.name.clone();
                    if run > 0 {
                        return Err(SearchError::Flaky { name });
                    }
                    let judgement = Box::new(judgement);
                    return Err(SearchError::Baseline {
                        name,
                        wanted,
                        judgement,
                    });
                }
                if let Some(run_of_it) = judgement.run {
                    slowest = slowest.max(run_of_it.took);
                    let ended = Some(run_of_it.outcome);
                    if std::mem::replace(&mut self.said[which], ended) != ended {
                        (self.on_event)(&ChangesEvent::Baseline {
                            good: expected == Verdict::Uninteresting,
                            run: run_of_it,
                        });
                    }
                }
            }
        }
        Ok(slowest)
    }
}

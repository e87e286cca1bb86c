//! Several runs in one action, for tests that are much shorter than an action takes.
//!
//! A service has room for some actions at a time. While that many are under way, further runs wait;
//! as soon as there is room for an action, those that waited longest go together. Nothing waits
//! while there is room, so the first runs go alone, and groups are as large as the service is busy.
//! For example, with room for two actions and groups of four, of six runs that are asked for at
//! once, the first two go alone, and the others together when the first action has ended.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use boildown_oracle::{Capture, Run};
use tokio::sync::oneshot::{Receiver, Sender, channel};

use crate::connection::lock;

/// Runs that take longer than this are not grouped: an action costs less than they do.
const SHORT: Duration = Duration::from_millis(500);

/// How runs are grouped.
#[derive(Debug, Clone, Copy)]
pub struct Grouping {
    /// The most runs in one action; 1 for actions of one run each.
    pub size: usize,
    /// The number of actions at a time from which on further runs wait.
    pub actions: usize,
}

/// The runs that wait.
#[derive(Debug)]
pub(crate) struct Groups {
    grouping: Grouping,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<(WaitingRun, Sender<Turn>)>,
    /// The number of actions under way.
    actions: usize,
    /// A moving average of the times of runs; `None` before the first one.
    average: Option<Duration>,
}

/// A run that waits.
#[derive(Debug)]
pub(crate) struct WaitingRun {
    pub(crate) candidate: Arc<[u8]>,
    pub(crate) number: u32,
    pub(crate) capture: Capture,
}

/// A run that another one leads, and where its result goes.
#[derive(Debug)]
pub(crate) struct Follower {
    pub(crate) run: WaitingRun,
    result: Sender<Turn>,
}

impl Follower {
    /// Hands over the result. It is of no use if the run was interrupted.
    pub(crate) fn answer(self, run: Run) {
        self.result.send(Turn::Answered(run)).ok();
    }
}

/// What becomes of a run that waited. When the sender is dropped, it goes alone.
#[derive(Debug)]
pub(crate) enum Turn {
    /// It goes now, with these.
    Leads(Vec<Follower>, ActionUnderWay),
    /// Another one has taken it along.
    Answered(Run),
}

/// An action that is under way; dropping it makes room for the next one.
#[derive(Debug)]
pub(crate) struct ActionUnderWay(Arc<Groups>);

impl Drop for ActionUnderWay {
    fn drop(&mut self) {
        lock(&self.0.state).actions -= 1;
        self.0.start();
    }
}

impl Groups {
    pub(crate) fn new(grouping: Grouping) -> Arc<Self> {
        Arc::new(Self {
            grouping,
            state: Mutex::default(),
        })
    }

    /// Returns whether runs are grouped at the moment.
    pub(crate) fn are_used(&self) -> bool {
        let average = lock(&self.state).average;
        self.grouping.size > 1 && average.is_some_and(|average| average < SHORT)
    }

    /// Notes how long a run took.
    pub(crate) fn note(&self, took: Duration) {
        let mut state = lock(&self.state);
        state.average = Some(
            state
                .average
                .map_or(took, |average| (average * 7 + took) / 8),
        );
    }

    /// Lets a run wait for its turn.
    pub(crate) fn wait(self: &Arc<Self>, run: WaitingRun) -> Receiver<Turn> {
        let (sender, receiver) = channel();
        lock(&self.state).waiting.push_back((run, sender));
        self.start();
        receiver
    }

    /// Starts actions while there is room.
    fn start(self: &Arc<Self>) {
        while let Some((leader, followers)) = self.next() {
            // If the leader was interrupted, its place is free again, and the others go alone.
            let turn = Turn::Leads(followers, ActionUnderWay(Arc::clone(self)));
            leader.send(turn).ok();
        }
    }

    /// Takes the next group, if there is room for it.
    fn next(&self) -> Option<(Sender<Turn>, Vec<Follower>)> {
        let mut state = lock(&self.state);
        if state.actions >= self.grouping.actions.max(1) {
            return None;
        }
        state.waiting.retain(|(_, sender)| !sender.is_closed());
        let (_, leader) = state.waiting.pop_front()?;
        let count = state.waiting.len().min(self.grouping.size - 1);
        let followers = state.waiting.drain(..count);
        let followers = followers
            .map(|(run, result)| Follower { run, result })
            .collect();
        state.actions += 1;
        Some((leader, followers))
    }
}

#[cfg(test)]
mod tests {
    use boildown_oracle::Outcome;

    use super::*;

    fn groups(size: usize, actions: usize) -> Arc<Groups> {
        Groups::new(Grouping { size, actions })
    }

    fn wait(groups: &Arc<Groups>, number: u32) -> Receiver<Turn> {
        let candidate = Arc::from(*b"x");
        groups.wait(WaitingRun {
            candidate,
            number,
            capture: Capture::Nothing,
        })
    }

    /// Returns the numbers of the followers of a run whose turn has come.
    #[track_caller]
    fn led(turn: &mut Receiver<Turn>) -> (Vec<Follower>, ActionUnderWay) {
        match turn.try_recv() {
            Ok(Turn::Leads(followers, place)) => (followers, place),
            other => panic!("{other:?}"),
        }
    }

    fn numbers(followers: &[Follower]) -> Vec<u32> {
        followers
            .iter()
            .map(|follower| follower.run.number)
            .collect()
    }

    #[test]
    fn runs_wait_while_there_is_no_room_and_then_go_together() {
        let groups = groups(4, 2);
        let mut turns: Vec<_> = (0..8).map(|number| wait(&groups, number)).collect();
        let (first, place) = led(&mut turns[0]);
        assert!(first.is_empty() && led(&mut turns[1]).0.is_empty());
        // The place of the second was dropped above, so the next four have it.
        let (followers, _second) = led(&mut turns[2]);
        assert_eq!(numbers(&followers), [3, 4, 5]);
        assert!(turns[6].try_recv().is_err());
        drop(place);
        assert_eq!(numbers(&led(&mut turns[6]).0), [7]);
    }

    #[test]
    fn a_run_that_was_interrupted_neither_leads_nor_follows() {
        let groups = groups(4, 1);
        let mut turns: Vec<_> = (0..5).map(|number| Some(wait(&groups, number))).collect();
        turns[1] = None;
        turns[3] = None;
        drop(turns[0].take());
        let (followers, _place) = led(turns[2].as_mut().unwrap());
        assert_eq!(numbers(&followers), [4]);
    }

    #[test]
    fn followers_get_their_results_or_go_alone() {
        let groups = groups(3, 1);
        let mut turns: Vec<_> = (0..4).map(|number| wait(&groups, number)).collect();
        drop(led(&mut turns[0]));
        let (mut followers, _place) = led(&mut turns[1]);
        let run = Run {
            outcome: Outcome::Exited(0),
            stdout: Vec::new(),
            stderr: Vec::new(),
            took: Duration::ZERO,
        };
        followers.remove(0).answer(run.clone());
        drop(followers);
        assert!(matches!(turns[2].try_recv(), Ok(Turn::Answered(result)) if result == run));
        assert!(turns[3].try_recv().is_err());
    }

    #[test]
    fn only_short_runs_are_grouped() {
        let groups = groups(4, 1);
        assert!(!groups.are_used());
        groups.note(Duration::from_millis(10));
        assert!(groups.are_used());
        groups.note(Duration::from_secs(10));
        assert!(!groups.are_used());
    }
}

//! The number of runs at a time that the processors have room for.

use std::time::Duration;

use crate::config::ProcessorUse;

/// Finds out how many runs at a time are of use on this machine.
///
/// A run that is started on a guess costs nothing while a processor is idle, as when commands wait
/// for a disk, a network or a clock. When the runs keep all processors busy, it takes time from
/// those that are more likely to be needed. So there are as many runs at a time as it takes to keep
/// busy the processors that the driver leaves to them, but at least as many as processors.
///
/// The share of a processor that a run would use is its processor time, divided by the time that
/// it takes when it never waits for a processor. The second is estimated from the time that it
/// took, and from the tasks that wait for a processor, of all programs: on a machine that others
/// load, commands take longer, which is no sign that they wait for something else.
///
/// For example, a run of 40 ms uses 10 ms of processor time while four tasks compete for two
/// processors. It waited 10 ms for them, so it takes 30 ms with a processor of its own, and uses a
/// third of that processor: six runs keep two processors busy.
#[derive(Debug)]
pub(crate) struct Room {
    jobs: usize,
    cores: usize,
    limit: usize,
    /// The estimated share of a processor that a run uses.
    share: Option<f64>,
    /// The runs that ended since the last decision, and the seconds that they took.
    ended: usize,
    seconds: f64,
    /// The sum of the readings of [`ProcessorUse::queue`] since then.
    queue: f64,
    /// The time of the last decision, and what was used until then.
    at: Duration,
    used: ProcessorUse,
}

/// The shortest time between two decisions. The system counts processor time in steps of 10 ms.
const SHORTEST: Duration = Duration::from_millis(100);

/// The limit grows to at most this multiple in one decision, which may rest on a single run.
const GROWTH: usize = 4;

impl Room {
    /// Starts when `used` has been used already.
    pub(crate) fn new(jobs: usize, cores: usize, used: ProcessorUse) -> Self {
        Self {
            jobs,
            cores,
            limit: jobs.min(cores),
            share: None,
            ended: 0,
            seconds: 0.0,
            queue: 0.0,
            at: Duration::ZERO,
            used,
        }
    }

    /// Returns the largest number of runs at a time.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Records that a run has ended `at` this time and took `seconds`; `used` is what has
    /// been used until now.
    pub(crate) fn note_end(&mut self, at: Duration, seconds: f64, used: ProcessorUse) {
        self.ended += 1;
        self.seconds += seconds;
        self.queue += used.queue;
        let elapsed = at.saturating_sub(self.at);
        // A long run is counted at its end: wait for enough of them.
        if elapsed < SHORTEST || 2 * self.ended < self.limit {
            return;
        }
        let share = self.share_of_a_run(used.runs.saturating_sub(self.used.runs).as_secs_f64());
        let share = self
            .share
            .map_or(share, |before| f64::midpoint(before, share));
        let own = used.own.saturating_sub(self.used.own).as_secs_f64() / elapsed.as_secs_f64();
        let cores = self.cores as f64;
        let room = (cores - own).max(1.0) / share.max(1e-6);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive, and at most a million times the processors"
        )]
        let room = room as usize;
        let grown = room.min(GROWTH * self.limit);
        self.limit = grown.max(self.cores).min(self.jobs);
        self.share = Some(share);
        (self.at, self.used) = (at, used);
        (self.ended, self.seconds, self.queue) = (0, 0.0, 0.0);
    }

    /// Returns the share of a processor that one of the runs that ended would have used with a
    /// processor of its own, given the processor time of all of them in seconds.
    fn share_of_a_run(&self, used: f64) -> f64 {
        // A task that computes gets a processor for one part in this many of its time.
        let competing = (self.queue / self.ended as f64).max(1.0);
        let waited = used * (competing - 1.0);
        // No less than the processor time: estimates are rough.
        used / (self.seconds - waited)
            .max(used.min(self.seconds))
            .max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Commands that take `busy` seconds of a processor's time and `idle` seconds without one, on
    /// two processors for which `others` compete too.
    #[derive(Clone, Copy)]
    struct Machine {
        busy: f64,
        idle: f64,
        others: f64,
        /// The share of a processor that the driver uses.
        own: f64,
    }

    const QUIET: Machine = Machine {
        busy: 1.0,
        idle: 0.0,
        others: 0.0,
        own: 0.0,
    };

    impl Machine {
        /// Returns the number of tasks for each processor when `runs` compete for them.
        fn queue(self, runs: f64) -> f64 {
            let mut queue: f64 = 1.0;
            for _ in 0..1000 {
                let computing = runs * self.busy * queue / (self.busy * queue + self.idle);
                queue = f64::midpoint(queue, ((computing + self.others + self.own) / 2.0).max(1.0));
            }
            queue
        }

        /// Returns the limit after many runs.
        fn limit(self, jobs: usize) -> usize {
            let mut room = Room::new(jobs, 2, ProcessorUse::default());
            let (mut at, mut runs, mut own) = (0.0, 0.0, 0.0);
            for _ in 0..2000 {
                let queue = self.queue(room.limit() as f64);
                let seconds = self.busy * queue + self.idle;
                let passes = seconds / room.limit() as f64;
                at += passes;
                runs += self.busy;
                own += self.own * passes;
                let used = ProcessorUse {
                    runs: Duration::from_secs_f64(runs),
                    own: Duration::from_secs_f64(own),
                    queue,
                };
                room.note_end(Duration::from_secs_f64(at), seconds, used);
            }
            room.limit()
        }
    }

    #[test]
    fn runs_that_wait_are_all_started() {
        let waiting = Machine {
            busy: 0.01,
            idle: 1.0,
            ..QUIET
        };
        assert_eq!(waiting.limit(64), 64);
        assert_eq!(
            Machine {
                own: 0.9,
                ..waiting
            }
            .limit(64),
            64,
            "with a busy driver"
        );
        assert_eq!(
            Machine {
                others: 30.0,
                ..waiting
            }
            .limit(64),
            64,
            "under load"
        );
    }

    #[test]
    fn runs_that_compute_are_as_many_as_the_processors() {
        for jobs in [3, 16, 64] {
            for others in [0.0, 1.0, 2.0, 30.0] {
                for own in [0.0, 0.5, 1.0] {
                    let limit = Machine {
                        others,
                        own,
                        ..QUIET
                    }
                    .limit(jobs);
                    assert_eq!(limit, 2, "{jobs} jobs, {others} others, {own}");
                }
            }
        }
    }

    #[test]
    fn runs_that_do_both_fill_the_processors() {
        // A tenth of each is computing: twenty keep two processors busy.
        let both = Machine {
            busy: 0.1,
            idle: 0.9,
            ..QUIET
        };
        assert!((19..=20).contains(&both.limit(64)), "{}", both.limit(64));
        let loaded = Machine {
            others: 20.0,
            ..both
        };
        assert!(
            (18..=20).contains(&loaded.limit(64)),
            "{}",
            loaded.limit(64)
        );
        let planning = Machine { own: 1.0, ..both };
        assert!(
            (9..=10).contains(&planning.limit(64)),
            "{}",
            planning.limit(64)
        );
    }

    #[test]
    fn commands_of_several_threads_do_not_leave_a_processor_without_a_run() {
        let mut room = Room::new(64, 2, ProcessorUse::default());
        let used = ProcessorUse {
            runs: Duration::from_secs(8),
            ..ProcessorUse::default()
        };
        room.note_end(Duration::from_secs(4), 4.0, used);
        assert_eq!(room.limit(), 2);
    }
}

//! The number of runs at a time that the processors have room for.

use std::time::Duration;

/// Finds out how many runs at a time are of use on this machine.
///
/// A run that is started on a guess costs nothing while a processor is idle, as when commands wait
/// for a disk, a network or a clock. When the runs keep all processors busy, it takes time from
/// those that are more likely to be needed. So the number of runs starts at twice the number of
/// processors, doubles while less than half of their time is used, and shrinks to the number of
/// processors, but not below, while nearly all of it is used.
#[derive(Debug)]
pub(crate) struct Room {
    jobs: usize,
    cores: usize,
    limit: usize,
    /// The runs that ended since the last decision.
    ended: usize,
    /// The time of the last decision, and the processor time of all runs until then.
    at: Duration,
    cpu: Duration,
}

/// Above this share of the processors' time there is no room for more.
const FULL: f64 = 0.85;

/// The shortest time between two decisions. The system counts processor time in steps of 10 ms.
const SHORTEST: Duration = Duration::from_millis(100);

impl Room {
    /// Starts when runs have used `cpu` of processor time.
    pub(crate) fn new(jobs: usize, cores: usize, cpu: Duration) -> Self {
        Self {
            jobs,
            cores,
            limit: jobs.min(2 * cores),
            ended: 0,
            at: Duration::ZERO,
            cpu,
        }
    }

    /// Returns the largest number of runs at a time.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Records that a run has ended `at` this time; all runs have used `cpu` of processor time.
    pub(crate) fn note_end(&mut self, at: Duration, cpu: Duration) {
        self.ended += 1;
        let elapsed = at.saturating_sub(self.at);
        // A long run is counted at its end: wait for enough of them.
        if elapsed < SHORTEST || 2 * self.ended < self.limit {
            return;
        }
        let used = cpu.saturating_sub(self.cpu).as_secs_f64();
        let share = used / elapsed.as_secs_f64() / self.cores as f64;
        self.limit = match self.limit {
            limit if share > FULL => (limit * 3 / 4).max(self.cores),
            limit if 2.0 * share < FULL => 2 * limit,
            limit => limit + 1,
        };
        self.limit = self.limit.min(self.jobs);
        (self.ended, self.at, self.cpu) = (0, at, cpu);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the limit after many runs, each of which takes `busy` of a processor's time and
    /// `idle` without one, on two processors.
    fn limit_for(busy: f64, idle: f64, jobs: usize) -> usize {
        let mut room = Room::new(jobs, 2, Duration::ZERO);
        let (mut at, mut cpu) = (0.0, 0.0);
        for _ in 0..2000 {
            let ends_a_second = (room.limit() as f64 / (busy + idle)).min(2.0 / busy);
            at += 1.0 / ends_a_second;
            cpu += busy;
            room.note_end(Duration::from_secs_f64(at), Duration::from_secs_f64(cpu));
        }
        room.limit()
    }

    #[test]
    fn runs_that_wait_are_all_started() {
        assert_eq!(limit_for(0.01, 1.0, 64), 64);
    }

    #[test]
    fn runs_that_compute_are_as_many_as_the_processors() {
        for jobs in [3, 16, 64] {
            assert!((2..=3).contains(&limit_for(1.0, 0.0, jobs)), "{jobs}");
        }
    }

    #[test]
    fn runs_that_do_both_fill_the_processors() {
        // A tenth of each is computing: some twenty keep two processors busy.
        assert!((14..=22).contains(&limit_for(0.1, 0.9, 64)));
    }
}

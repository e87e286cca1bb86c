//! The schedule of the reductions: which group is reduced next, and for how long.

use std::time::Duration;

/// How far the reduction of a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GroupProgress {
    /// The time of its last slice, if it had one.
    pub last_slice: Option<Duration>,
    /// Bytes that the last slice removed.
    pub removed: u64,
    /// Whether nothing is left to do.
    pub is_finished: bool,
}

/// The group to reduce next, and the time after which another one may have its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// The number of the group.
    pub group: usize,
    /// The limit of the slice; `None` for a reduction to its end.
    pub time: Option<Duration>,
}

/// Divides a budget among the reductions of groups.
///
/// Without a limit on time, each group is reduced to its end, one after another. With one, each
/// group first gets an equal share of half of the time. From then on the group whose last slice
/// removed most bytes per second is reduced next, for twice as long as before, because a slice
/// repeats nothing but its start. Time that a group does not need is left to the others.
///
/// # Example
/// 60 s and 3 groups: slices of 10 s each. The first one finishes after 2 s, the second removed 50
/// bytes in 10 s, the third 400: the third one gets 20 s, and what is left goes to the second one.
#[derive(Debug, Clone)]
pub struct Schedule {
    groups: Vec<GroupProgress>,
    left: Option<Duration>,
    first: Duration,
}

/// A slice is not shorter: its beginning repeats what was found before.
const SHORTEST: Duration = Duration::from_secs(1);

impl Schedule {
    /// Returns the schedule of this many groups with a limit on the time of all.
    #[must_use]
    pub fn new(groups: usize, limit: Option<Duration>) -> Self {
        let divisor = u32::try_from(groups.max(1)).unwrap_or(u32::MAX);
        Self {
            groups: vec![GroupProgress::default(); groups],
            left: limit,
            first: (limit.unwrap_or_default() / 2 / divisor).max(SHORTEST),
        }
    }

    /// Returns the next slice; `None` when everything is finished or the time is over.
    pub fn next(&self) -> Option<Slice> {
        let open = || {
            let groups = self.groups.iter().enumerate();
            groups.filter(|(_, progress)| !progress.is_finished)
        };
        let Some(left) = self.left else {
            let (group, _) = open().next()?;
            return Some(Slice { group, time: None });
        };
        if left.is_zero() {
            return None;
        }
        if let Some((group, _)) = open().find(|(_, progress)| progress.last_slice.is_none()) {
            let time = Some(self.first.min(left));
            return Some(Slice { group, time });
        }
        // Of equals, `max_by` returns the last, and the first groups are the most important.
        let best = open()
            .rev()
            .max_by(|(_, left), (_, right)| left.compare(right));
        let (group, progress) = best?;
        let time = progress.last_slice.unwrap_or(self.first) * 2;
        Some(Slice {
            group,
            time: Some(time.max(SHORTEST).min(left)),
        })
    }

    /// Records a slice that took this long.
    pub fn record(&mut self, slice: Slice, took: Duration, removed: u64, is_finished: bool) {
        self.groups[slice.group] = GroupProgress {
            // A slice may end early; the next one has to be longer than what was allowed.
            last_slice: Some(slice.time.unwrap_or(took)),
            removed,
            is_finished: is_finished || slice.time.is_none(),
        };
        if let Some(left) = &mut self.left {
            // Also when the clock stands still, the schedule ends.
            *left = left.saturating_sub(took.max(Duration::from_millis(1)));
        }
    }

    /// Returns whether the reductions of all groups were done to their ends.
    pub fn is_finished(&self) -> bool {
        self.groups.iter().all(|progress| progress.is_finished)
    }
}

impl GroupProgress {
    /// Compares two groups by the bytes per second of their last slices.
    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let nanos = |progress: &Self| progress.last_slice.unwrap_or_default().as_nanos().max(1);
        let left = u128::from(self.removed).saturating_mul(nanos(other));
        left.cmp(&u128::from(other.removed).saturating_mul(nanos(self)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    fn slice(group: usize, time: u64) -> Option<Slice> {
        Some(Slice {
            group,
            time: Some(seconds(time)),
        })
    }

    #[test]
    fn the_most_promising_group_is_next() {
        let mut schedule = Schedule::new(3, Some(seconds(60)));
        let run = |schedule: &mut Schedule, took, removed, is_finished| {
            let slice = schedule.next().unwrap();
            schedule.record(slice, seconds(took), removed, is_finished);
        };
        assert_eq!(schedule.next(), slice(0, 10));
        run(&mut schedule, 2, 9, true);
        assert_eq!(schedule.next(), slice(1, 10));
        run(&mut schedule, 10, 50, false);
        assert_eq!(schedule.next(), slice(2, 10));
        run(&mut schedule, 10, 400, false);
        assert_eq!(schedule.next(), slice(2, 20));
        run(&mut schedule, 20, 10, false);
        // 18 s are left: 5 bytes per second against 0.5.
        assert_eq!(schedule.next(), slice(1, 18));
        run(&mut schedule, 18, 1, false);
        assert_eq!(schedule.next(), None);
        assert!(!schedule.is_finished());
    }

    #[test]
    fn without_a_limit_each_group_is_reduced_to_its_end() {
        let mut schedule = Schedule::new(2, None);
        for group in 0..2 {
            let slice = schedule.next().unwrap();
            assert_eq!(slice, Slice { group, time: None });
            schedule.record(slice, seconds(100), 0, false);
        }
        assert_eq!(schedule.next(), None);
        assert!(schedule.is_finished());
    }

    proptest! {
        #[test]
        fn the_time_of_all_slices_is_within_the_limit(
            limit in 1_u64..1000,
            ends in proptest::collection::vec((0_u64..40, 0_u64..9, any::<bool>()), 1..40),
        ) {
            let mut schedule = Schedule::new(5, Some(seconds(limit)));
            let mut spent = Duration::ZERO;
            for (took, removed, is_finished) in ends.into_iter().cycle() {
                let Some(slice) = schedule.next() else { break };
                let took = seconds(took).min(slice.time.unwrap());
                spent += took;
                schedule.record(slice, took, removed, is_finished);
            }
            prop_assert!(spent <= seconds(limit));
            prop_assert_eq!(schedule.next(), None);
        }
    }
}

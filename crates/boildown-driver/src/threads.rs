//! Threads that the system may refuse: where the number of processes is limited, or a filter
//! forbids to make them.

use std::io;
use std::thread::{Builder, Scope};

/// Starts threads that each do this work, at most `count`. Returns how many were started: fewer
/// when the system refuses one.
///
/// For work that is shared among its threads. A caller that gets 0 does it itself.
pub fn start_up_to<'scope, W>(scope: &'scope Scope<'scope, '_>, count: usize, work: W) -> usize
where
    W: FnOnce() + Clone + Send + 'scope,
{
    start(scope, count, work).0
}

/// Starts threads like [`start_up_to`]. Also returns why there are fewer.
pub(crate) fn start<'scope, W>(
    scope: &'scope Scope<'scope, '_>,
    count: usize,
    work: W,
) -> (usize, Option<io::Error>)
where
    W: FnOnce() + Clone + Send + 'scope,
{
    for started in 0..count {
        if let Err(error) = Builder::new().spawn_scoped(scope, work.clone()) {
            return (started, Some(error));
        }
    }
    (count, None)
}

/// Calls `work` with each item, on a thread for each but the first, as far as the system permits
/// them. Returns the results in the order of the items.
///
/// # Panics
/// When `work` panics.
pub fn map_at_once<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let Some((first, others)) = items.split_first() else {
        return Vec::new();
    };
    let work = &work;
    std::thread::scope(|scope| {
        let start = |item| Builder::new().spawn_scoped(scope, move || work(item)).ok();
        let others: Vec<_> = others.iter().map(|item| (item, start(item))).collect();
        let first = work(first);
        let results = others.into_iter().map(|(item, thread)| match thread {
            Some(thread) => {
                (thread.join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }
            None => work(item),
        });
        std::iter::once(first).chain(results).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        assert_eq!(map_at_once(&[3, 1, 2], |item| item * 2), [6, 2, 4]);
        assert_eq!(map_at_once(&[0; 0], |item| *item), [0; 0]);
    }

    #[test]
    fn each_thread_does_the_work() {
        let done = AtomicUsize::new(0);
        let work = || {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let started = std::thread::scope(|scope| start_up_to(scope, 3, work));
        assert_eq!((started, done.into_inner()), (3, 3));
    }
}

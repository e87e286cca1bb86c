//! A parallel map over a slice.

use std::thread::{Builder, ScopedJoinHandle};

/// Number of threads of an experiment. Results do not depend on it.
const THREADS: usize = 2;

/// Calls `work` with each item, on several threads. Returns the results in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_on(THREADS, items, work)
}

fn map_on<T: Sync, R: Send>(threads: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(items.len());
    let share = |first: usize| {
        let share = items.iter().enumerate().skip(first).step_by(threads.max(1));
        share
            .map(|(index, item)| (index, work(item)))
            .collect::<Vec<_>>()
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let spawned: Vec<_> = (1..threads)
            .map(|first| {
                (
                    first,
                    Builder::new().spawn_scoped(scope, move || share(first)),
                )
            })
            .collect();
        let mut results = share(0);
        for (first, thread) in spawned {
            match thread.map(ScopedJoinHandle::join) {
                Ok(Ok(more)) => results.extend(more),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                // The system refused it.
                Err(_) => results.extend(share(first)),
            }
        }
        results
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..23).collect();
        let expected: Vec<usize> = items.iter().map(|item| item * item).collect();
        for threads in [1, 2, 7, 64] {
            let squares = map_on(threads, &items, |item| item * item);
            assert_eq!(squares, expected, "{threads}");
        }
        assert_eq!(map(&[(); 0], |()| 0), [0; 0]);
    }
}

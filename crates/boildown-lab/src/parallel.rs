//! The same function over many things, on several threads.

use std::num::NonZeroUsize;

/// Returns `work` of each item with its index, in order, whatever the number of threads.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    threads: NonZeroUsize,
    work: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let share = |first: usize| {
        let mine = items.iter().enumerate().skip(first).step_by(threads.get());
        mine.map(|(index, item)| (index, work(index, item)))
            .collect::<Vec<_>>()
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.get().min(items.len()))
            .map(|first| scope.spawn(move || share(first)))
            .collect();
        let mut results = share(0);
        for other in others {
            match other.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
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
            let threads = NonZeroUsize::new(threads).unwrap();
            assert_eq!(
                map(&items, threads, |index, item| index * item),
                expected,
                "{threads}"
            );
        }
        assert_eq!(map(&[(); 0], NonZeroUsize::MIN, |index, ()| index), [0; 0]);
    }
}

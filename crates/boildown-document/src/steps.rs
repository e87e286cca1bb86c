//! Long computations in small steps, so that their caller can stop between two of them.
//!
//! Such a computation is an `async` function that awaits nothing but [`pause`]: the compiler makes
//! a state machine of it, which does one step each time it is polled. There is no runtime, waker or
//! thread. Its result does not depend on where the steps end.

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// A computation, or a part of one that calls itself.
pub(crate) type Computation<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Ends the step. The computation continues here when the caller asks for the next one.
pub async fn pause() {
    let mut has_paused = false;
    poll_fn(|_| match std::mem::replace(&mut has_paused, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}

/// Does a whole computation.
pub fn at_once<T>(computation: impl Future<Output = T>) -> T {
    let mut computation = pin!(computation);
    loop {
        if let Poll::Ready(result) = poll(computation.as_mut()) {
            return result;
        }
    }
}

fn poll<T>(computation: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    computation.poll(&mut Context::from_waker(Waker::noop()))
}

/// Counts the work of a step.
#[derive(Debug, Default)]
pub struct Pace {
    done: usize,
}

/// The work of a step, in units that take about a microsecond each.
const STEP: usize = 1 << 14;

impl Pace {
    /// Counts a unit of work. Returns whether the step has done enough.
    pub fn is_over(&mut self) -> bool {
        self.are_over(1)
    }

    /// Counts several units of work. Returns whether the step has done enough.
    pub fn are_over(&mut self, units: usize) -> bool {
        self.done += units;
        let is_over = self.done >= STEP;
        if is_over {
            self.done = 0;
        }
        is_over
    }
}

/// A place for a computation that may be under way. A clone has none: it begins its own from the
/// start.
///
/// Only through a unique reference is the computation reached. So the mutex is never locked: it is
/// there because searches are shared between threads, which computations cannot be.
pub struct Underway<T>(Mutex<Option<Computation<'static, T>>>);

impl<T> Underway<T> {
    /// Does a step. Begins the computation if it is not under way. Returns the result when it is
    /// done.
    pub fn step<F>(&mut self, begin: impl FnOnce() -> F) -> Option<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let place = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let computation = place.get_or_insert_with(|| Box::pin(begin()));
        match poll(Pin::new(computation)) {
            Poll::Pending => None,
            Poll::Ready(result) => {
                *place = None;
                Some(result)
            }
        }
    }

    /// Returns whether a computation has begun and is not done.
    pub fn has_begun(&mut self) -> bool {
        let place = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        place.is_some()
    }

    /// Gives up what is under way.
    pub fn give_up(&mut self) {
        self.0 = Mutex::default();
    }
}

impl<T> Default for Underway<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Clone for Underway<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> fmt::Debug for Underway<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Underway").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn sum(numbers: Vec<u32>) -> u32 {
        let mut sum = 0;
        for number in numbers {
            sum += number;
            pause().await;
        }
        sum
    }

    #[test]
    fn a_computation_ends_after_its_steps() {
        let mut underway = Underway::default();
        let mut step = || underway.step(|| sum(vec![1, 2, 3]));
        assert_eq!(
            [step(), step(), step(), step()],
            [None, None, None, Some(6)]
        );
        assert_eq!(step(), None, "the next one has begun");
        assert_eq!(at_once(sum(vec![1, 2, 3])), 6);
    }

    #[test]
    fn a_clone_begins_from_the_start() {
        let mut underway = Underway::default();
        assert_eq!(underway.step(|| sum(vec![1])), None);
        assert_eq!(underway.clone().step(|| sum(vec![1])), None);
        assert_eq!(underway.step(|| sum(vec![1])), Some(1));
    }
}

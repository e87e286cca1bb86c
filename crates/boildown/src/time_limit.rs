//! A note that the time limit of this command has stopped it.

use std::sync::atomic::{AtomicBool, Ordering};

static REACHED: AtomicBool = AtomicBool::new(false);

/// Notes that the time limit stops the command now.
pub(crate) fn reach() {
    REACHED.store(true, Ordering::Release);
}

/// Returns whether the time limit of this command has stopped it.
pub(crate) fn is_reached() -> bool {
    REACHED.load(Ordering::Acquire)
}

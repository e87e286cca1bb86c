//! The end of boildown while its main thread computes.
//!
//! An interruption is noticed between two steps of a computation. Steps are short, with exceptions
//! that are not known in advance: a grammar can take minutes for one token of an unusual text. A
//! thread of its own notices that and ends the process, which loses nothing: the best result is in
//! its file, and the store has every verdict.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use boildown_exec::remove_tree;
use boildown_oracle::Interrupt;

use crate::error::{CliError, ExitKind};
use crate::keys;
use crate::report::leave_screen_for_good;
use crate::shown_error::show;
use crate::time_limit;

/// How long the main thread may compute after an interruption.
const PATIENCE: Duration = Duration::from_millis(600);

/// The processor time that it has to have had in that time, in ticks of 10 ms. On a loaded machine
/// it may be about to end, and wait for a processor.
const COMPUTED: u64 = 10;

/// Time between two looks at the main thread.
const LOOK: Duration = Duration::from_millis(50);

/// The directories of this session.
static DIRECTORIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes this directory too when the process is ended.
pub(crate) fn remove_at_end(directory: PathBuf) {
    let mut directories = DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner);
    directories.push(directory);
}

/// Ends the process when the handle is triggered and the main thread continues to compute.
pub(crate) fn watch(interrupt: Interrupt) {
    // Without a thread, interruptions may be noticed later.
    let watching = thread::Builder::new().spawn(move || {
        wait_for(&interrupt);
        let mut since = Instant::now();
        let mut first = MainThread::read();
        while let Some(before) = &first {
            thread::sleep(LOOK);
            let now = MainThread::read();
            let is_computing = now.as_ref().is_some_and(|now| now.computes_since(before));
            if !is_computing {
                (since, first) = (Instant::now(), now);
            } else if since.elapsed() >= PATIENCE
                && now.is_some_and(|now| now.own_time - before.own_time >= COMPUTED)
            {
                end();
            }
        }
    });
    drop(watching);
}

fn wait_for(interrupt: &Interrupt) {
    while !interrupt.is_triggered() {
        let mut polled = [PollFd::new(interrupt, PollFlags::IN)];
        if poll(&mut polled, None).is_err_and(|error| error != Errno::INTR) {
            return;
        }
    }
}

/// What the main thread has done so far. On systems other than Linux, that is not known.
#[derive(Debug, PartialEq, Eq)]
struct MainThread {
    /// Whether it runs, or would if there was a processor for it.
    is_runnable: bool,
    /// How often it has waited for something: for a run, a file, a lock.
    waits: u64,
    /// The processor time in the system, in ticks: while files are removed, for example.
    system_time: u64,
    /// The processor time of its own computations.
    own_time: u64,
}

impl MainThread {
    fn read() -> Option<Self> {
        let thread = format!("/proc/self/task/{}", std::process::id());
        let stat = std::fs::read_to_string(format!("{thread}/stat")).ok()?;
        let status = std::fs::read_to_string(format!("{thread}/status")).ok()?;
        Self::parse(&stat, &status)
    }

    fn parse(stat: &str, status: &str) -> Option<Self> {
        // The name of the program comes first, in parentheses, and may contain any character.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let is_runnable = fields.next()? == "R";
        let own_time = fields.nth(10)?.parse().ok()?;
        let system_time = fields.next()?.parse().ok()?;
        let mut lines = status.lines();
        let waits = lines.find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        Some(Self {
            is_runnable,
            waits: waits.trim().parse().ok()?,
            system_time,
            own_time,
        })
    }

    /// Returns whether the thread did nothing but compute since an earlier look.
    fn computes_since(&self, before: &Self) -> bool {
        let (own, system) = (
            self.own_time - before.own_time,
            self.system_time - before.system_time,
        );
        self.is_runnable && self.waits == before.waits && system <= own
    }
}

/// Ends the process. The runs have noticed the interruption themselves, and have ended.
#[expect(clippy::exit, reason = "the main thread cannot return")]
fn end() -> ! {
    leave_screen_for_good();
    keys::restore_for_good();
    let what = match time_limit::is_reached() {
        true => "stopped at --max-time while the next test was computed",
        false => "interrupted while the next test was computed",
    };
    let error = CliError::new(ExitKind::Stopped, what)
        .hint("the best result so far is in the output file; the same command resumes");
    show(&error);
    let directories = DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner);
    for directory in &*directories {
        // What is left there is removed by the next session.
        remove_tree(directory).ok();
    }
    std::process::exit(ExitKind::Stopped as i32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_waits_or_works_in_the_system_does_not_compute() {
        let look = |state: &str, own: u64, system: u64, waits: u64| {
            let stat = format!("1 (a) b) {state} 2 3 4 5 6 7 8 9 10 11 {own} {system} 0 0");
            let status = format!("Name:\ta\nvoluntary_ctxt_switches:\t{waits}\nx:\t1\n");
            MainThread::parse(&stat, &status).unwrap()
        };
        let before = look("R", 5, 5, 7);
        assert!(look("R", 9, 6, 7).computes_since(&before));
        assert!(
            look("R", 5, 5, 7).computes_since(&before),
            "other programs run"
        );
        assert!(!look("R", 6, 9, 7).computes_since(&before));
        assert!(!look("R", 9, 6, 8).computes_since(&before));
        assert!(!look("S", 9, 6, 7).computes_since(&before));
        assert!(MainThread::read().is_some() || !cfg!(target_os = "linux"));
    }
}

//! Keys that are pressed while a reduction goes on.

use std::io::{self, IsTerminal as _, Stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{getpgrp, getppid, getsid};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use signal_hook::consts::SIGTSTP;
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;

/// What the keys do, for the end of a line.
pub(crate) const HINT: &str = "  (s: next pass, q: stop)";

/// How soon a listener notices that it is to end, or has the terminal again.
const TICK: Duration = Duration::from_millis(50);

/// Whether somebody sits at a terminal who sees what is said and can press keys.
pub(crate) fn are_heard() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether somebody is there to continue us when we stop: in a session of our own, where Ctrl-Z does nothing by itself, nobody is.
fn has_shell() -> bool {
    let ours = getsid(None);
    ours.is_ok() && getppid().is_some_and(|parent| getsid(Some(parent)) == ours)
}

/// Listens to single keys until it is dropped, which leaves the terminal as it was, also in a panic. Ctrl-C and Ctrl-Z stay signals.
pub(crate) struct Keys {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Keys {
    pub(crate) fn listen(mut press: impl FnMut(u8) + Send + 'static) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&over);
        let mut terminal = Terminal {
            stdin: io::stdin(),
            before: None,
            asked_to_sleep: Arc::default(),
        };
        // Without these, Ctrl-Z leaves the terminal to the shell as it is.
        let asked = Arc::clone(&terminal.asked_to_sleep);
        drop(flag::register_conditional_default(
            SIGTSTP,
            Arc::clone(&over),
        ));
        drop(flag::register(SIGTSTP, asked));
        let thread = thread::spawn(move || {
            while !theirs.load(Ordering::Relaxed) {
                if let Some(key) = terminal.key() {
                    press(key);
                }
            }
        });
        Self {
            over,
            thread: Some(thread),
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed, and its terminal was dropped.
            thread.join().ok();
        }
    }
}

/// The terminal, which tells keys at once instead of lines while it is ours.
struct Terminal {
    stdin: Stdin,
    /// How it was when it became ours.
    before: Option<Termios>,
    /// Whether Ctrl-Z was pressed.
    asked_to_sleep: Arc<AtomicBool>,
}

impl Terminal {
    /// Waits a moment for a key.
    fn key(&mut self) -> Option<u8> {
        if self.asked_to_sleep.swap(false, Ordering::Relaxed) {
            self.give_back();
            if has_shell() {
                emulate_default_handler(SIGTSTP).ok();
            }
        }
        if self.before.is_none() && self.is_ours() {
            self.before = tcgetattr(&self.stdin).ok();
            self.single_keys();
        }
        // To read from the background would stop us, and what others typed is ready there all the time.
        if !self.is_ours() {
            thread::sleep(TICK);
            return None;
        }
        let mut events = [PollFd::new(&self.stdin, PollFlags::IN)];
        let timeout = Timespec::try_from(TICK).ok()?;
        if poll(&mut events, Some(&timeout)).unwrap_or(0) == 0 || !self.is_ours() {
            return None;
        }
        let mut key = [0];
        if rustix::io::read(&self.stdin, &mut key) == Ok(1) {
            return Some(key[0]);
        }
        // A terminal that has gone is ready all the time, too.
        thread::sleep(TICK);
        None
    }

    fn single_keys(&self) {
        if let Some(mut modes) = self.before.clone() {
            modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
            // What was typed before belongs to nobody.
            tcsetattr(&self.stdin, OptionalActions::Flush, &modes).ok();
        }
    }

    /// Leaves the terminal as it was.
    fn give_back(&mut self) {
        if let Some(before) = self.before.take()
            && self.is_ours()
        {
            tcsetattr(&self.stdin, OptionalActions::Now, &before).ok();
        }
    }

    /// Whether we are in the foreground: who is not, and touches the terminal, is stopped.
    fn is_ours(&self) -> bool {
        tcgetpgrp(&self.stdin).is_ok_and(|group| group == getpgrp())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.give_back();
    }
}

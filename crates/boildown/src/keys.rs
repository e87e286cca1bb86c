//! Keys that are pressed while a reduction runs.

use std::io::{self, IsTerminal as _, Stdin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use boildown_oracle::Interrupt;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{getpgrp, getppid, getsid};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use signal_hook::consts::SIGTSTP;
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;

/// The hint about the keys, for the end of the live line.
pub(crate) const HINT: &str = "  (s: skip pass, q: stop)";

/// Delay until a listener notices that it has to end, or that the terminal is back.
const TICK: Duration = Duration::from_millis(50);

/// Returns the modes that the terminal had before this process changed them.
fn changed_modes() -> MutexGuard<'static, Option<Termios>> {
    static MODES: Mutex<Option<Termios>> = Mutex::new(None);
    MODES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Restores the modes of the terminal, for a process that ends while others use it.
pub(crate) fn restore_for_good() {
    if let Some(modes) = changed_modes().take()
        && is_in_foreground()
    {
        tcsetattr(io::stdin(), OptionalActions::Now, &modes).ok();
    }
}

/// Returns whether the user sits at a terminal, sees the live line and can press keys.
pub(crate) fn are_available() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Returns whether this process is in the foreground of its terminal: in the background it must not
/// draw on it.
pub(crate) fn is_in_foreground() -> bool {
    RawTerminal::new().is_in_foreground()
}

/// Returns whether a shell can continue this process after Ctrl-Z. In a terminal session of its
/// own, without a shell, the process would stay stopped.
fn has_shell() -> bool {
    let ours = getsid(None);
    ours.is_ok() && getppid().is_some_and(|parent| getsid(Some(parent)) == ours)
}

/// Reads single keys on a thread of its own. Dropping it restores the terminal, also in a panic.
/// Ctrl-C and Ctrl-Z stay signals.
pub(crate) struct KeyListener {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl KeyListener {
    pub(crate) fn start(mut on_key: impl FnMut(u8) + Send + 'static) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let thread_is_over = Arc::clone(&is_over);
        let mut terminal = RawTerminal::watching(&is_over);
        // Without a thread no key does anything, and the search continues.
        let thread = thread::Builder::new().spawn(move || {
            while !thread_is_over.load(Ordering::Relaxed) {
                if let Some(key) = terminal.key() {
                    on_key(key);
                }
            }
        });
        Self {
            is_over,
            thread: thread.ok(),
        }
    }
}

impl Drop for KeyListener {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed, and restored the terminal.
            thread.join().ok();
        }
    }
}

/// Waits for a key. Returns `None` when the program is interrupted.
pub(crate) fn wait_for_key(interrupt: &Interrupt) -> Option<u8> {
    let mut terminal = RawTerminal::new();
    while !interrupt.is_triggered() {
        if let Some(key) = terminal.key() {
            return Some(key);
        }
    }
    None
}

/// A terminal that delivers single keys instead of lines while this process is in the foreground.
pub(crate) struct RawTerminal {
    stdin: Stdin,
    /// The modes to restore; `None` while they are not changed.
    original: Option<Termios>,
    /// Whether Ctrl-Z was pressed since the last check.
    suspend_requested: Arc<AtomicBool>,
}

impl RawTerminal {
    fn new() -> Self {
        Self {
            stdin: io::stdin(),
            original: None,
            suspend_requested: Arc::default(),
        }
    }

    /// Returns a terminal that notices Ctrl-Z until `is_over`. By default Ctrl-Z would leave the
    /// terminal to the shell in the mode for single keys.
    pub(crate) fn watching(is_over: &Arc<AtomicBool>) -> Self {
        let terminal = Self::new();
        let requested = Arc::clone(&terminal.suspend_requested);
        drop(flag::register_conditional_default(
            SIGTSTP,
            Arc::clone(is_over),
        ));
        drop(flag::register(SIGTSTP, requested));
        terminal
    }

    /// Returns the next key, if one is pressed soon.
    fn key(&mut self) -> Option<u8> {
        if self.take_suspend_request() {
            self.suspend();
        }
        let mut key = [0];
        (self.read(&mut key) == 1).then_some(key[0])
    }

    /// Returns whether Ctrl-Z was pressed since the last call.
    pub(crate) fn take_suspend_request(&self) -> bool {
        self.suspend_requested.swap(false, Ordering::Relaxed)
    }

    /// Gives the terminal back and stops this process, as Ctrl-Z does.
    pub(crate) fn suspend(&mut self) {
        self.restore();
        if has_shell() {
            emulate_default_handler(SIGTSTP).ok();
        }
    }

    /// Lets the terminal deliver single keys. Returns whether it does, which it does not in the
    /// background.
    pub(crate) fn begin(&mut self) -> bool {
        if self.original.is_none() && self.is_in_foreground() {
            self.original = tcgetattr(&self.stdin).ok();
            self.read_single_keys();
        }
        self.original.is_some()
    }

    /// Reads keys that are pressed soon. Returns the number of bytes; 0 also in the background.
    pub(crate) fn read(&mut self, keys: &mut [u8]) -> usize {
        self.begin();
        // Reading from the background would stop this process, and input for the foreground process
        // would make the poll return at once, over and over.
        if !self.is_in_foreground() {
            thread::sleep(TICK);
            return 0;
        }
        let mut events = [PollFd::new(&self.stdin, PollFlags::IN)];
        let Ok(timeout) = Timespec::try_from(TICK) else {
            return 0;
        };
        if poll(&mut events, Some(&timeout)).unwrap_or(0) == 0 || !self.is_in_foreground() {
            return 0;
        }
        match rustix::io::read(&self.stdin, keys) {
            Ok(bytes @ 1..) => bytes,
            // A closed terminal would make the poll return at once, too.
            _ => {
                thread::sleep(TICK);
                0
            }
        }
    }

    fn read_single_keys(&self) {
        if let Some(mut modes) = self.original.clone() {
            modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
            *changed_modes() = self.original.clone();
            // Keys that were pressed earlier are discarded.
            tcsetattr(&self.stdin, OptionalActions::Flush, &modes).ok();
        }
    }

    /// Restores the modes of the terminal.
    pub(crate) fn restore(&mut self) {
        if let Some(original) = self.original.take()
            && self.is_in_foreground()
        {
            tcsetattr(&self.stdin, OptionalActions::Now, &original).ok();
            changed_modes().take();
        }
    }

    /// Returns whether this process is in the foreground; in the background, changing the terminal
    /// would stop it.
    pub(crate) fn is_in_foreground(&self) -> bool {
        tcgetpgrp(&self.stdin).is_ok_and(|group| group == getpgrp())
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        self.restore();
    }
}

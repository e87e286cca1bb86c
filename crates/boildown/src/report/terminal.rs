//! Lines on standard error, with a live line at the bottom of a terminal.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::{cursor, queue, style, terminal};

use super::activity::Activity;
use super::format::Visible;

/// Standard error. Errors of writing are ignored: a closed stream does not stop a search.
///
/// A thread shows what the user waits for while nothing is printed.
pub(crate) struct StatusOutput {
    pub(crate) is_live: bool,
    activity: Arc<Mutex<Option<Activity>>>,
}

/// Whether there is a live line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LiveLine {
    OnTerminals,
    Never,
}

/// Time after which a log says that files are being copied.
const SLOW_COPY: Duration = Duration::from_secs(3);

/// Time between two looks at what the user waits for.
const TICK: Duration = Duration::from_millis(200);

impl StatusOutput {
    /// Returns standard error; with a live line if it is a terminal and that is wanted.
    pub(crate) fn new(live: LiveLine) -> Self {
        let is_live = live == LiveLine::OnTerminals && std::io::stderr().is_terminal();
        let activity = Arc::default();
        let watched = Arc::downgrade(&activity);
        // Without a thread, there is less to see.
        drop(thread::Builder::new().spawn(move || show_activity(&watched, is_live)));
        Self { is_live, activity }
    }

    /// From now on the user waits for this. After ten seconds the advice is shown, too.
    pub(crate) fn working(&self, what: String, advice: String) {
        *self.lock() = Some(Activity::new(what, advice, Instant::now()));
    }

    /// From now on the user waits for a copy of files, which seldom takes long.
    pub(crate) fn copying(&self, what: String) {
        let activity = Activity::new(what, String::new(), Instant::now());
        *self.lock() = Some(activity.said_after(SLOW_COPY));
    }

    /// The user waits for nothing that is worth a line.
    pub(crate) fn idle(&self) {
        self.lock().take();
    }

    /// Locked while something is printed, so that lines do not mix.
    fn lock(&self) -> MutexGuard<'_, Option<Activity>> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints lines that stay; the live line disappears.
    pub(crate) fn print(&self, text: impl Into<Visible>) {
        let _no_other_line = self.lock();
        print_line(&text.into(), self.is_live);
    }

    /// Shows progress: as the live line, or as a line of a log.
    pub(crate) fn progress(&self, line: String, hint: &str) {
        match self.is_live {
            true => self.replace_live_line(line, hint),
            false => self.print(line),
        }
    }

    /// Replaces the live line. It ends with the hint if there is room, and is cut at the width of
    /// the terminal.
    pub(crate) fn replace_live_line(&self, line: impl Into<Visible>, hint: &str) {
        let _no_other_line = self.lock();
        replace_live_line(&line.into(), hint);
    }
}

impl Drop for StatusOutput {
    /// Clears the live line: the message of an error may follow.
    fn drop(&mut self) {
        let was_working = self.lock().take().is_some();
        if was_working && self.is_live {
            replace_live_line(&Visible::default(), "");
        }
    }
}

fn replace_live_line(line: &Visible, hint: &str) {
    let width = terminal::size().map_or(80, |(columns, _)| usize::from(columns).max(20));
    let has_room = line.chars().count() + hint.len() < width;
    let hint = if has_room { hint } else { "" };
    let line: String = (line.chars()).chain(hint.chars()).take(width - 1).collect();
    let mut out = std::io::stderr();
    drop(queue!(
        out,
        cursor::MoveToColumn(0),
        style::Print(line),
        terminal::Clear(terminal::ClearType::UntilNewLine)
    ));
    drop(out.flush());
}

fn print_line(text: &Visible, is_live: bool) {
    let mut out = std::io::stderr();
    if is_live {
        drop(queue!(
            out,
            cursor::MoveToColumn(0),
            terminal::Clear(terminal::ClearType::UntilNewLine)
        ));
        drop(out.flush());
    }
    drop(writeln!(out, "{text}"));
}

/// Shows what the user waits for, until the output is dropped.
fn show_activity(activity: &Weak<Mutex<Option<Activity>>>, is_live: bool) {
    loop {
        thread::sleep(TICK);
        let Some(activity) = activity.upgrade() else {
            return;
        };
        let mut activity = activity.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(activity) = activity.as_mut() else {
            continue;
        };
        let elapsed = activity.since.elapsed();
        if is_live {
            if let Some(line) = activity.live_line(elapsed) {
                replace_live_line(&line.into(), "");
            }
        } else if let Some(line) = activity.log_line(elapsed) {
            print_line(&line.into(), is_live);
        }
    }
}

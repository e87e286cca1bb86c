//! Boildown on a terminal in memory: a pseudo-terminal, and a parser of what is written to it.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::termios::{Winsize, tcsetwinsize};

/// Time after which a screen counts as one that never comes.
const LIMIT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(20);

/// A program on a terminal of its own.
pub(super) struct Terminal {
    master: File,
    child: Child,
    parser: Arc<Mutex<vt100::Parser>>,
}

impl Terminal {
    /// Starts a program in this directory, on a terminal of this size, below a text that is there.
    pub(super) fn start(
        program: &Command,
        dir: &Path,
        [columns, rows]: [u16; 2],
        above: &str,
    ) -> Result<Self> {
        let [master, slave] = open()?;
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&slave, size).context("set the size of the terminal")?;
        // Standard input becomes the controlling terminal, as a shell's is.
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait"]);
        command.arg(program.get_program()).args(program.get_args());
        command.current_dir(dir).env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR").env_remove("COLUMNS");
        let end = || slave.try_clone().map(Stdio::from);
        command.stdin(end()?).stdout(end()?).stderr(end()?);
        let child = command.spawn().context("start setsid")?;
        let (rows, columns) = (NonZero::new(rows), NonZero::new(columns));
        let (rows, columns) = rows.zip(columns).context("an empty terminal")?;
        let mut parser = vt100::Parser::new(rows, columns, 0);
        parser.process(above.as_bytes());
        let parser = Arc::new(Mutex::new(parser));
        let (mut end, shared) = (master.try_clone()?, Arc::clone(&parser));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading fails once nothing has the other end.
            while let Ok(read @ 1..) = end.read(&mut bytes) {
                let mut parser = shared.lock().unwrap_or_else(PoisonError::into_inner);
                parser.process(&bytes[..read]);
            }
        });
        Ok(Self {
            master,
            child,
            parser,
        })
    }

    pub(super) fn press(&mut self, keys: &str) -> Result<()> {
        self.master
            .write_all(keys.as_bytes())
            .context("press a key")
    }

    /// Returns what the terminal shows.
    pub(super) fn screen(&self) -> vt100::Screen {
        let parser = self.parser.lock().unwrap_or_else(PoisonError::into_inner);
        parser.screen().clone()
    }

    /// Waits for a screen; `what` says for which.
    pub(super) fn wait_until(&mut self, what: &str, is_it: impl Fn(&str) -> bool) -> Result<()> {
        let started = Instant::now();
        loop {
            let shown = self.screen().contents();
            if is_it(&shown) {
                return Ok(());
            }
            if started.elapsed() > LIMIT || self.child.try_wait()?.is_some() {
                bail!("the terminal never showed that {what}:\n{shown}");
            }
            thread::sleep(POLL);
        }
    }

    /// Returns the screens until the program has ended, each with the time since the first. Two
    /// are at least `pause` apart, but for the last.
    pub(super) fn record(mut self, pause: Duration) -> Result<Vec<(Duration, vt100::Screen)>> {
        let started = Instant::now();
        let mut screens = vec![(Duration::ZERO, self.screen())];
        let (mut shown, mut since) = (String::new(), Duration::ZERO);
        loop {
            let has_ended = self.child.try_wait()?.is_some();
            // What was written last is read.
            thread::sleep(POLL);
            let (now, screen) = (started.elapsed(), self.screen());
            let contents = screen.contents_formatted();
            if contents != shown && (has_ended || now >= since + pause) {
                (shown, since) = (contents, now);
                screens.push((now, screen));
            }
            if has_ended {
                return Ok(screens);
            }
            if now > LIMIT {
                bail!("the program does not end:\n{}", self.screen().contents());
            }
        }
    }

    /// Waits until the program has ended.
    pub(super) fn wait_for_end(mut self) -> Result<()> {
        let started = Instant::now();
        while self.child.try_wait()?.is_none() {
            if started.elapsed() > LIMIT {
                bail!("the program does not end:\n{}", self.screen().contents());
            }
            thread::sleep(POLL);
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It is still running only after an error.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[expect(unsafe_code, reason = "the C library opens pseudo-terminals")]
fn open() -> Result<[File; 2]> {
    let (mut master, mut slave) = (-1, -1);
    let (name, modes, size) = (std::ptr::null_mut(), std::ptr::null(), std::ptr::null());
    // SAFETY: the pointers are those of two integers, and null where that is allowed.
    let opened = unsafe { libc::openpty(&raw mut master, &raw mut slave, name, modes, size) };
    if opened != 0 {
        return Err(std::io::Error::last_os_error()).context("open a terminal");
    }
    // SAFETY: the call has opened both, and nothing else owns them.
    Ok([master, slave].map(|end| unsafe { OwnedFd::from_raw_fd(end) }.into()))
}

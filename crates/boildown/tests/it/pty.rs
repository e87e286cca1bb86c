//! A terminal in memory: a real pseudo-terminal, and a parser of what is written to it.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

use crate::env::TestEnv;

/// Time after which a condition counts as one that never holds.
const PATIENCE: Duration = Duration::from_secs(120);

/// Time between two checks of a condition.
const PAUSE: Duration = Duration::from_millis(5);

/// Boildown on a terminal of its own.
pub(crate) struct OnTerminal {
    /// The end that a terminal emulator has.
    master: File,
    /// The end that programs have. Keeps the terminal until the test has looked at its modes.
    slave: Option<File>,
    modes_before: Termios,
    child: Child,
    seen: Arc<Mutex<Seen>>,
    reader: Option<JoinHandle<()>>,
}

/// What was written to the terminal.
struct Seen {
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

fn nonzero(number: u16) -> NonZero<u16> {
    NonZero::new(number).unwrap()
}

fn winsize(columns: u16, rows: u16) -> Winsize {
    Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

#[expect(unsafe_code, reason = "the C library opens pseudo-terminals")]
fn open_terminal() -> [File; 2] {
    let (mut master, mut slave) = (-1, -1);
    let (name, modes, size) = (std::ptr::null_mut(), std::ptr::null(), std::ptr::null());
    // SAFETY: the pointers are those of two integers, and null where that is allowed.
    let opened = unsafe { libc::openpty(&raw mut master, &raw mut slave, name, modes, size) };
    assert_eq!(opened, 0, "{}", std::io::Error::last_os_error());
    // SAFETY: the call has opened both, and nothing else owns them.
    [master, slave].map(|end| unsafe { OwnedFd::from_raw_fd(end) }.into())
}

impl OnTerminal {
    /// Starts boildown with these arguments on a terminal of this size.
    pub(crate) fn start(
        env: &TestEnv,
        [columns, rows]: [u16; 2],
        variables: &[(&str, &str)],
        args: &[&str],
    ) -> Self {
        let [master, slave] = open_terminal();
        tcsetwinsize(&slave, winsize(columns, rows)).unwrap();
        let modes_before = tcgetattr(&slave).unwrap();
        // `setsid --ctty` makes standard input the controlling terminal, as a shell's is.
        let boildown = env.command();
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(boildown.get_program()).args(args);
        command.current_dir(env.path("")).env_clear();
        let set = boildown.get_envs();
        command.envs(set.filter_map(|(name, value)| Some((name, value?))));
        command.env_remove("COLUMNS").env("TERM", "xterm-256color");
        command.envs(variables.iter().copied());
        let end = || Stdio::from(slave.try_clone().unwrap());
        command.stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().unwrap();
        let seen = Arc::new(Mutex::new(Seen {
            parser: vt100::Parser::new(nonzero(rows), nonzero(columns), 0),
            bytes: Vec::new(),
        }));
        let (mut end, shared) = (master.try_clone().unwrap(), Arc::clone(&seen));
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading fails once nothing has the other end.
            while let Ok(read @ 1..) = end.read(&mut bytes) {
                let mut seen = shared.lock().unwrap();
                seen.parser.process(&bytes[..read]);
                seen.bytes.extend(&bytes[..read]);
            }
        });
        Self {
            master,
            slave: Some(slave),
            modes_before,
            child,
            seen,
            reader: Some(reader),
        }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let mut seen = self.seen.lock().unwrap();
        seen.parser
            .screen_mut()
            .set_size(nonzero(rows), nonzero(columns));
        tcsetwinsize(&self.master, winsize(columns, rows)).unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Returns what the terminal shows, a line each.
    pub(crate) fn shown(&self) -> String {
        self.seen.lock().unwrap().parser.screen().contents()
    }

    /// Returns everything that was written to the terminal.
    pub(crate) fn written(&self) -> Vec<u8> {
        self.seen.lock().unwrap().bytes.clone()
    }

    /// Returns whether a program fills the terminal.
    pub(crate) fn is_full_screen(&self) -> bool {
        self.seen.lock().unwrap().parser.screen().alternate_screen()
    }

    /// Waits until the terminal shows what the condition asks for.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, is_true: impl Fn(&str) -> bool) {
        let started = Instant::now();
        while !is_true(&self.shown()) {
            let ended = self.child.try_wait().unwrap();
            let is_late = started.elapsed() >= PATIENCE;
            assert!(
                !is_late && ended.is_none(),
                "never shown:\n{}",
                self.shown()
            );
            thread::sleep(PAUSE);
        }
    }

    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        self.wait_until(|shown| shown.contains(text));
    }

    /// Waits for the end. Checks that the terminal is as it was, and shows what was printed.
    #[track_caller]
    pub(crate) fn finish(mut self) -> EndOnTerminal {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < PATIENCE, "it hangs:\n{}", self.shown());
            thread::sleep(PAUSE);
        };
        let modes = tcgetattr(self.slave.as_ref().unwrap()).unwrap();
        assert_eq!(format!("{modes:?}"), format!("{:?}", self.modes_before));
        // Now the reader reads the end of what was written.
        self.slave = None;
        self.reader.take().unwrap().join().unwrap();
        let seen = self.seen.lock().unwrap();
        let screen = seen.parser.screen();
        assert!(
            !screen.alternate_screen(),
            "the alternate screen is still there"
        );
        assert!(!screen.hide_cursor(), "the cursor is still hidden");
        EndOnTerminal {
            status,
            shown: screen.contents(),
            written: seen.bytes.clone(),
        }
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        // The process is still running only after a failed assertion.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The end of boildown on a terminal.
pub(crate) struct EndOnTerminal {
    pub(crate) status: ExitStatus,
    /// What the terminal shows at the end, a line each.
    pub(crate) shown: String,
    /// Everything that was written to the terminal.
    pub(crate) written: Vec<u8>,
}

impl EndOnTerminal {
    #[track_caller]
    pub(crate) fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(self.status.code(), Some(code), "\n{}", self.shown);
        self
    }

    #[track_caller]
    pub(crate) fn assert_shows(&self, text: &str) -> &Self {
        // Long lines are broken by the terminal.
        let lines = self.shown.replace('\n', "");
        assert!(lines.contains(text), "\n{}", self.shown);
        self
    }
}

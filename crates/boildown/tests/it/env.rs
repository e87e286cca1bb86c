//! A temporary home directory for every run of boildown, and a check that the run leaves nothing
//! behind.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use regex::Regex;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Time after which a run of boildown counts as hanging.
const PATIENCE: Duration = Duration::from_secs(120);

/// Time in which a run ends after a signal, on a busy computer.
pub(crate) const SOON: Duration = Duration::from_secs(10);

/// Time between two checks of a condition.
const PAUSE: Duration = Duration::from_millis(5);

/// The interesting part of [`HAYSTACK`].
pub(crate) const NEEDLE: &str = "needle";

/// A small file in no programming language.
pub(crate) const HAYSTACK: &str = "one two\nthree four\nhay needle hay\nfive six\nseven\n";

/// An interestingness test for [`HAYSTACK`].
pub(crate) const FINDS_NEEDLE: &str = "grep -q needle \"$1\"";

/// A directory with files and scripts in which boildown runs. Scripts find it in `$HERE`.
pub(crate) struct TestEnv {
    root: TempDir,
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["home", "tmp", "here"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        Self { root }
    }

    /// Returns an environment with [`HAYSTACK`] as `in.txt`, and this script as `test.sh`.
    pub(crate) fn with_test(script: &str) -> Self {
        Self::new()
            .file("in.txt", HAYSTACK)
            .script("test.sh", script)
    }

    pub(crate) fn file(self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Writes an executable shell script; its first line is added.
    pub(crate) fn script(self, name: &str, body: &str) -> Self {
        self.file(name, format!("#!/bin/sh\n{body}\n"))
            .mode(name, 0o755)
    }

    pub(crate) fn mode(self, name: &str, mode: u32) -> Self {
        fs::set_permissions(self.path(name), Permissions::from_mode(mode)).unwrap();
        self
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join("here").join(name)
    }

    #[track_caller]
    pub(crate) fn read(&self, name: impl AsRef<Path>) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    #[track_caller]
    pub(crate) fn bytes(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// Runs `boildown` with these arguments until it ends.
    #[track_caller]
    pub(crate) fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Finished<'_> {
        self.start(args).finish()
    }

    /// Runs another program that is a `boildown` until it ends.
    #[cfg(feature = "lab")]
    #[track_caller]
    pub(crate) fn run_other(&self, program: &Path, args: &[&str]) -> Finished<'_> {
        let mut command = self.command_of(program);
        command.args(args);
        self.spawn(command).finish()
    }

    /// Runs `boildown reduce` with these arguments until it ends.
    #[track_caller]
    pub(crate) fn reduce<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
    ) -> Finished<'_> {
        self.start_reduce(args).finish()
    }

    pub(crate) fn start_reduce<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
    ) -> Started<'_> {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        self.start(std::iter::once("reduce".into()).chain(args))
    }

    /// Runs `boildown reduce` with more variables in its environment until it ends.
    #[track_caller]
    pub(crate) fn reduce_with<const N: usize>(
        &self,
        variables: [(&str, &str); N],
        args: &[&str],
    ) -> Finished<'_> {
        let mut command = self.command();
        command.envs(variables).arg("reduce").args(args);
        self.spawn(command).finish()
    }

    /// Runs `boildown reduce` until it ends, with permissions of files in force: for root, without
    /// the capabilities to ignore them. Returns `None` if root cannot give them up here.
    pub(crate) fn reduce_with_permissions_in_force(&self, args: &[&str]) -> Option<Finished<'_>> {
        let boildown = self.command();
        let mut command = Command::new(boildown.get_program());
        if rustix::process::geteuid().is_root() {
            if !has("setpriv") {
                return None;
            }
            command = Command::new("setpriv");
            command.arg("--bounding-set=-dac_override,-dac_read_search");
            command.arg(boildown.get_program());
        }
        let environment = boildown.get_envs();
        command
            .env_clear()
            .envs(environment.filter_map(|(name, value)| Some((name, value?))))
            .current_dir(self.path(""))
            .stdin(Stdio::null())
            .arg("reduce")
            .args(args);
        Some(self.spawn(command).finish())
    }

    /// Runs boildown with `disk` as a file system of 2 MiB, after a command of the shell. Returns
    /// `None`, and prints why, if no file system can be mounted here.
    #[expect(clippy::print_stderr, reason = "a test that was not done says so")]
    pub(crate) fn run_on_a_small_disk(
        &self,
        disk: &Path,
        before: &str,
        args: &[&str],
    ) -> Option<Output> {
        const NOT_PERMITTED: i32 = 99;
        let boildown = self.command();
        let environment = boildown.get_envs();
        let script = format!(
            "mount -t tmpfs -o size=2m tmpfs \"$1\" 2>/dev/null || exit {NOT_PERMITTED}
            export DISK=\"$1\"; shift; {before}; exec \"$@\""
        );
        let output = Command::new("unshare")
            .args(["--map-root-user", "--mount", "sh", "-c", &script, "sh"])
            .arg(disk)
            .arg(boildown.get_program())
            .args(args)
            .env_clear()
            .envs(environment.filter_map(|(name, value)| Some((name, value?))))
            .current_dir(self.path(""))
            .output();
        let output = output.ok().filter(|output| {
            let refused = String::from_utf8_lossy(&output.stderr).starts_with("unshare: ");
            output.status.code() != Some(NOT_PERMITTED) && !refused
        });
        if output.is_none() {
            eprintln!("skipped: mounting a disk in a namespace is not permitted here");
        }
        output
    }

    pub(crate) fn start<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Started<'_> {
        let mut command = self.command();
        command.args(args);
        self.spawn(command)
    }

    fn spawn(&self, mut command: Command) -> Started<'_> {
        let stream = |name| File::create(self.root.path().join(name)).unwrap();
        command.stdout(stream("stdout")).stderr(stream("stderr"));
        Started {
            env: self,
            child: command.spawn().unwrap(),
        }
    }

    /// Returns `boildown` without arguments, in this directory and with a fresh environment.
    pub(crate) fn command(&self) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_boildown")))
    }

    fn command_of(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", path())
            .env("HOME", self.root.path().join("home"))
            .env("TMPDIR", self.tmp())
            .env("HERE", self.path(""))
            .env("BOILDOWN_WRITABLE", self.path(""))
            .env("BOILDOWN_CLANG_DELTA", "")
            .env("COLUMNS", "100")
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        command
    }

    fn tmp(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    fn printed(&self, stream: &str) -> String {
        String::from_utf8(fs::read(self.root.path().join(stream)).unwrap()).unwrap()
    }

    /// Checks that a run left no process, no temporary file, and no half-written file.
    #[track_caller]
    fn assert_clean(&self, pid: u32) {
        assert_eq!(processes_of(pid), Vec::<String>::new());
        let in_memory = entries(Path::new("/dev/shm"), &format!("boildown-{pid}-"));
        let left = [
            in_memory,
            entries(&self.tmp(), ""),
            entries(&self.path(""), ".boildown-"),
        ];
        assert_eq!(left.concat(), Vec::<PathBuf>::new());
    }
}

/// Returns the directories of programs. Cargo's comes first: without a home directory, the program
/// of that name that chooses a toolchain finds none. Those in which a script stands for Python come
/// last: choosing a version takes it several times as long as most programs run.
fn path() -> OsString {
    let path = std::env::var_os("PATH").unwrap();
    let is_script = |file: &Path| {
        let mut start = [0; 2];
        File::open(file)
            .is_ok_and(|mut file| file.read_exact(&mut start).is_ok() && start == *b"#!")
    };
    let mut all: Vec<PathBuf> = std::env::split_paths(&path).collect();
    all.sort_by_key(|folder| is_script(&folder.join("python3")));
    let toolchain = option_env!("CARGO").and_then(|cargo| Path::new(cargo).parent());
    all.splice(..0, toolchain.map(Path::to_owned));
    std::env::join_paths(all).unwrap()
}

/// Returns whether the machine has this program, or this module (`python3:pytest`); says so if it
/// does not.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn has(tool: &str) -> bool {
    let (program, module) = tool.split_once(':').unwrap_or((tool, ""));
    let mut command = Command::new(program);
    match module {
        "" => command.arg("--version"),
        module => command.args(["-c", &format!("import {module}")]),
    };
    let status = command
        .env("PATH", path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    // `sh --version` fails, but it is there.
    let has = status.is_ok_and(|status| status.success() || module.is_empty());
    if !has {
        eprintln!("skipped: there is no {tool}");
    }
    has
}

/// Returns the directory entries whose names begin with the prefix. The directory need not exist.
fn entries(directory: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().as_encoded_bytes();
            name.starts_with(prefix.as_bytes())
        })
        .collect()
}

/// Returns the processes with the marker of a run of that `boildown` in their environment.
fn processes_of(pid: u32) -> Vec<String> {
    let mark = format!("BOILDOWN_RUN_{pid:010}_");
    let carries = |process: &Path| {
        fs::read(process.join("environ")).is_ok_and(|environment| {
            environment
                .split(|byte| *byte == 0)
                .any(|entry| entry.starts_with(mark.as_bytes()))
        })
    };
    entries(Path::new("/proc"), "")
        .into_iter()
        .filter(|process| carries(process))
        .map(|process| {
            format!(
                "{}: {}",
                process.display(),
                fs::read_to_string(process.join("cmdline")).unwrap_or_default()
            )
        })
        .collect()
}

/// A run of boildown in the background.
pub(crate) struct Started<'a> {
    env: &'a TestEnv,
    child: Child,
}

impl<'a> Started<'a> {
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until a condition holds in the directory, before the run ends.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, is_true: impl Fn(&TestEnv) -> bool) {
        let started = Instant::now();
        while !is_true(self.env) {
            let ended = self.child.try_wait().unwrap();
            assert!(
                ended.is_none() && started.elapsed() < PATIENCE,
                "it never was: {}",
                self.env.printed("stderr")
            );
            thread::sleep(PAUSE);
        }
    }

    /// Waits for the end, and checks that nothing is left behind.
    #[track_caller]
    pub(crate) fn finish(mut self) -> Finished<'a> {
        let started = Instant::now();
        let mut peak_kib = 0;
        let status = loop {
            peak_kib = self.peak_kib().unwrap_or(peak_kib);
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "it hangs: {}",
                self.env.printed("stderr")
            );
            thread::sleep(PAUSE);
        };
        let pid = self.child.id();
        self.env.assert_clean(pid);
        Finished {
            env: self.env,
            stdout: self.env.printed("stdout"),
            stderr: self.env.printed("stderr"),
            code: status.code(),
            peak_kib,
        }
    }

    /// Returns the peak memory of boildown, without the commands that it ran.
    fn peak_kib(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        // The process is still running only after a failed assertion.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The output of a run of boildown, and how it ended.
///
/// Its `Display` omits what differs between runs: times, rates, counts of tests, paths.
#[must_use]
pub(crate) struct Finished<'a> {
    env: &'a TestEnv,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) peak_kib: u64,
}

impl Finished<'_> {
    #[track_caller]
    pub(crate) fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "\n{self}");
        self
    }

    /// Checks that standard error contains the text.
    #[track_caller]
    pub(crate) fn assert_says(&self, text: &str) -> &Self {
        assert!(self.normal(&self.stderr).contains(text), "\n{self}");
        self
    }

    /// Returns the lines of standard output as JSON.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn normal(&self, text: &str) -> String {
        let root = regex::escape(self.env.root.path().to_str().unwrap());
        let filters = [
            (root.as_str(), "$$ENV"),
            (r"(/dev/shm|\$ENV/tmp)/boildown-\d+-\w+/\d{12}", "$$RUN"),
            (r"\$ENV/tmp/boildown-\d+-\w+/tree-\d{6}", "$$TREE"),
            (
                r"(/dev/shm|\$ENV/tmp)/boildown-\d+-\w+/copy-\d{6}",
                "$$COPY",
            ),
            // One line a second; their number depends on the load of the computer.
            (r"(?m)^\d[\dhms.]*  \d+\.\d% removed: .*\n", ""),
            // What takes ten seconds on a busy computer.
            (r"(?m)^.* … \d[\dms]*( \(.*\))?\n", ""),
            (
                r"\d+ tests? in \d[\dhms.]* \(\d+ runs?",
                "[n] tests in [time] ([n] runs",
            ),
        ];
        filters
            .iter()
            .fold(text.to_owned(), |text, (pattern, replacement)| {
                let pattern = Regex::new(pattern).unwrap();
                pattern.replace_all(&text, *replacement).into_owned()
            })
    }
}

impl fmt::Display for Finished<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => writeln!(f, "exit code {code}")?,
            None => writeln!(f, "killed by a signal")?,
        }
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "-- {name}\n{}", self.normal(text))?;
            }
        }
        Ok(())
    }
}

#[test]
fn leftover_processes_are_detected() {
    let no_process = u32::MAX;
    let mut left = Command::new("sleep")
        .arg("1000")
        .env(format!("BOILDOWN_RUN_{no_process:010}_7"), "1")
        .spawn()
        .unwrap();
    // The environment of a process is empty until the program is loaded.
    let started = Instant::now();
    while processes_of(no_process).is_empty() && started.elapsed() < PATIENCE {
        thread::sleep(PAUSE);
    }
    let found = processes_of(no_process);
    left.kill().unwrap();
    left.wait().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
}

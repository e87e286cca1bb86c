//! Folder of a reduction under test, and the check that the reduction leaves nothing behind.

use std::fmt::Write as _;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Longest time that a run may take.
const MAX_WAIT: Duration = Duration::from_secs(300);

/// The property of most runs: eight needles.
const TEST: &str = "[ $(grep -c needle \"$1\") -ge 8 ]";

/// A fresh folder with an input and a directory for temporary files, which is checked afterwards.
pub(crate) struct WorkDir {
    pub(crate) folder: TempDir,
    boildown: PathBuf,
    /// `NAME=value` in the environment of every process of this folder that does not clear its
    /// environment.
    mark: String,
}

/// End of a run.
pub(crate) struct Ended {
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
}

impl WorkDir {
    pub(crate) fn new(boildown: &Path) -> Result<Self> {
        static FOLDERS: AtomicU32 = AtomicU32::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let work_dir = Self {
            folder: tempfile::tempdir()?,
            boildown: boildown.to_owned(),
            mark: format!("BOILDOWN_TORTURE={}-{number}.", std::process::id()),
        };
        fs::create_dir(work_dir.path("tmp"))?;
        fs::write(work_dir.path("in.txt"), input())?;
        Ok(work_dir)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a test that runs the shell line `first` and then checks for the needles.
    pub(crate) fn test(&self, first: &str) -> Result<()> {
        self.script(&format!("#!/bin/sh\n{first}\n{TEST}\n"))
    }

    /// Writes the test.
    pub(crate) fn script(&self, script: &str) -> Result<()> {
        // Written anew: a test that is just being started cannot be written to.
        let (path, new) = (self.path("test.sh"), self.path("test.new"));
        fs::write(&new, script)?;
        fs::set_permissions(&new, Permissions::from_mode(0o755))?;
        Ok(fs::rename(new, path)?)
    }

    /// Starts a reduction of the input by the test. `$HERE` is this folder for the test, which may
    /// write there.
    pub(crate) fn start(&self, args: &[&str]) -> Result<Child> {
        self.start_by(Command::new(&self.boildown), args)
    }

    /// Starts a reduction with a command that ends with the program, such as `unshare … boildown`.
    pub(crate) fn start_by(&self, command: Command, args: &[&str]) -> Result<Child> {
        self.start_on("in.txt", command, args)
    }

    /// Starts a reduction of the file `input` with a command that ends with the program.
    pub(crate) fn start_on(
        &self,
        input: &str,
        mut command: Command,
        args: &[&str],
    ) -> Result<Child> {
        let (name, value) = self
            .mark
            .split_once('=')
            .context("a mark is an assignment")?;
        command.args(["reduce", input, "--test", "test.sh"]);
        // What a service runs cannot write here.
        if !args.contains(&"--remote") {
            command.args(["--writable", "."]);
        }
        command
            .args(args)
            .current_dir(self.folder.path())
            .env("TMPDIR", self.path("tmp"))
            .env("HERE", self.folder.path())
            .env(name, value)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(self.path("stderr"))?);
        command.spawn().context("start boildown")
    }

    pub(crate) fn program(&self) -> &Path {
        &self.boildown
    }

    /// Waits for the end. A run that hangs or is killed by a signal other than SIGKILL is an error.
    pub(crate) fn finish(&self, mut child: Child) -> Result<Ended> {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > MAX_WAIT {
                child.kill()?;
                child.wait()?;
                bail!("it hangs");
            }
            thread::sleep(Duration::from_millis(5));
        };
        ensure!(
            status.signal().is_none_or(|signal| signal == 9),
            "it crashed: {status}"
        );
        let stderr = fs::read(self.path("stderr"))?;
        Ok(Ended {
            code: status.code(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        })
    }

    /// Runs a reduction to its end.
    pub(crate) fn reduce(&self, args: &[&str]) -> Result<Ended> {
        self.finish(self.start(args)?)
    }

    /// Runs a reduction to its end and checks its exit code and result.
    pub(crate) fn reduce_well(&self, args: &[&str]) -> Result<()> {
        let ended = self.reduce(args)?;
        ensure!(
            ended.code == Some(0),
            "exit {:?}: {}",
            ended.code,
            ended.stderr
        );
        self.assert_reduced()
    }

    /// Returns the number of stored verdicts.
    pub(crate) fn stored(&self) -> i64 {
        let files = fs::read_dir(self.path(".boildown/in.min.txt"));
        let files = files.into_iter().flatten().flatten();
        let count = |path: &Path| {
            let database = Connection::open(path).ok()?;
            let count = database.query_row("SELECT count(*) FROM verdicts", [], |row| row.get(0));
            count.ok()
        };
        files
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "db"))
            .find_map(|path| count(&path))
            .unwrap_or(0)
    }

    /// Checks that the result is the smallest possible one.
    pub(crate) fn assert_reduced(&self) -> Result<()> {
        let result = fs::read_to_string(self.path("in.min.txt"))?;
        let words: Vec<_> = result.split_whitespace().collect();
        ensure!(words == ["needle"; 8], "the result is {result:?}");
        Ok(())
    }

    /// Checks that the result on disk, if there is one, is complete and interesting.
    pub(crate) fn assert_best_is_whole(&self) -> Result<()> {
        let Ok(best) = fs::read_to_string(self.path("in.min.txt")) else {
            return Ok(());
        };
        let needles = best.lines().filter(|line| line.contains("needle")).count();
        ensure!(needles >= 8, "the best result has {needles} needles");
        Ok(())
    }

    pub(crate) fn signal(&self, child: &Child, signal: Signal) -> Result<()> {
        // The process may have ended by itself.
        kill_process(Pid::from_child(child), signal).ok();
        Ok(())
    }

    /// Checks that no process and no temporary file is left.
    pub(crate) fn assert_clean(&self) -> Result<()> {
        let left: Vec<_> = fs::read_dir(self.path("tmp"))?.collect();
        ensure!(left.is_empty(), "left in the temporary directory: {left:?}");
        let half_written = fs::read_dir(self.folder.path())?.flatten().find(|entry| {
            entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(b".boildown-")
        });
        ensure!(half_written.is_none(), "left: {half_written:?}");
        let escaped = self.escaped_processes()?;
        ensure!(escaped.is_empty(), "still running: {escaped:?}");
        Ok(())
    }

    /// Returns the processes that carry the mark, and those that wrote their ids to `pids` because
    /// they cleared the mark.
    fn escaped_processes(&self) -> Result<Vec<String>> {
        let noted = fs::read_to_string(self.path("pids")).unwrap_or_default();
        let noted: Vec<&str> = noted.split_whitespace().collect();
        let mut escaped = Vec::new();
        for entry in fs::read_dir("/proc")?.flatten() {
            let id = entry.file_name().to_string_lossy().into_owned();
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            let carries = environment
                .split(|byte| *byte == 0)
                .any(|entry| entry == self.mark.as_bytes());
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let here = fs::read_link(entry.path().join("cwd"))
                .is_ok_and(|cwd| cwd.to_string_lossy().contains("boildown-"));
            if carries || (noted.contains(&id.as_str()) && here && !stat.contains(") Z ")) {
                escaped.push(stat);
            }
        }
        Ok(escaped)
    }
}

/// Returns 120 lines, ten of them with a needle.
fn input() -> String {
    let mut text = String::new();
    for number in 0..120 {
        let needle = if number % 12 == 0 { " needle" } else { "" };
        writeln!(text, "line {number}{needle} of the hay")
            .expect("writing to a string does not fail");
    }
    text
}

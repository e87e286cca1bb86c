//! Where a tortured reduction runs, and the check that nothing is left of it.

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

/// Longer than any tortured run takes.
const PATIENCE: Duration = Duration::from_secs(300);

/// The property of most runs: eight needles.
const TEST: &str = "[ $(grep -c needle \"$1\") -ge 8 ]";

/// A fresh folder with an input, and with directories for temporary files that are looked through afterwards.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    boildown: PathBuf,
    /// Carried by every process of this place in the environment, unless it clears it.
    mark: String,
}

/// How a run ended.
pub(crate) struct Ended {
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) said: String,
}

impl Place {
    pub(crate) fn new(boildown: &Path) -> Result<Self> {
        static PLACES: AtomicU32 = AtomicU32::new(0);
        let number = PLACES.fetch_add(1, Ordering::Relaxed);
        let place = Self {
            folder: tempfile::tempdir()?,
            boildown: boildown.to_owned(),
            mark: format!("BOILDOWN_TORTURE={}-{number}.", std::process::id()),
        };
        fs::create_dir(place.path("tmp"))?;
        fs::write(place.path("in.txt"), input())?;
        Ok(place)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a test that does something first, and then looks for the needles.
    pub(crate) fn test(&self, first: &str) -> Result<()> {
        let path = self.path("test.sh");
        fs::write(&path, format!("#!/bin/sh\n{first}\n{TEST}\n"))?;
        Ok(fs::set_permissions(path, Permissions::from_mode(0o755))?)
    }

    /// Starts a reduction of the input by the test. Tests find the place as `$HERE`, and may write there.
    pub(crate) fn start(&self, args: &[&str]) -> Result<Child> {
        self.start_by(Command::new(&self.boildown), args)
    }

    /// Starts a reduction by a command that ends with the program.
    pub(crate) fn start_by(&self, command: Command, args: &[&str]) -> Result<Child> {
        self.start_on("in.txt", command, args)
    }

    /// Starts a reduction of that file by a command that ends with the program.
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
        command
            .args(["reduce", input, "--test", "test.sh", "--writable", "."])
            .args(args)
            .current_dir(self.folder.path())
            .env("TMPDIR", self.path("tmp"))
            .env("HERE", self.folder.path())
            .env(name, value)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(self.path("said"))?);
        command.spawn().context("start boildown")
    }

    pub(crate) fn program(&self) -> &Path {
        &self.boildown
    }

    /// Waits for the end.
    pub(crate) fn finish(&self, mut child: Child) -> Result<Ended> {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > PATIENCE {
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
        let said = fs::read(self.path("said"))?;
        Ok(Ended {
            code: status.code(),
            said: String::from_utf8_lossy(&said).into_owned(),
        })
    }

    /// Reduces to the end.
    pub(crate) fn reduce(&self, args: &[&str]) -> Result<Ended> {
        self.finish(self.start(args)?)
    }

    /// Reduces to the end, and checks that it ended well.
    pub(crate) fn reduce_well(&self, args: &[&str]) -> Result<()> {
        let ended = self.reduce(args)?;
        ensure!(
            ended.code == Some(0),
            "exit {:?}: {}",
            ended.code,
            ended.said
        );
        self.assert_reduced()
    }

    /// Returns how many verdicts are stored.
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

    /// Checks that the result is the smallest there is.
    pub(crate) fn assert_reduced(&self) -> Result<()> {
        let result = fs::read_to_string(self.path("in.min.txt"))?;
        let words: Vec<_> = result.split_whitespace().collect();
        ensure!(words == ["needle"; 8], "the result is {result:?}");
        Ok(())
    }

    /// Checks that what is on disk is a whole interesting text, if it is there.
    pub(crate) fn assert_best_is_whole(&self) -> Result<()> {
        let Ok(best) = fs::read_to_string(self.path("in.min.txt")) else {
            return Ok(());
        };
        let needles = best.lines().filter(|line| line.contains("needle")).count();
        ensure!(needles >= 8, "the best has {needles} needles");
        Ok(())
    }

    pub(crate) fn signal(&self, child: &Child, signal: Signal) -> Result<()> {
        // It may have ended by itself.
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
        let survivors = self.survivors()?;
        ensure!(survivors.is_empty(), "still running: {survivors:?}");
        Ok(())
    }

    /// Processes that carry the mark, and those that noted their ids because they cleared it.
    fn survivors(&self) -> Result<Vec<String>> {
        let noted = fs::read_to_string(self.path("pids")).unwrap_or_default();
        let noted: Vec<&str> = noted.split_whitespace().collect();
        let mut survivors = Vec::new();
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
                survivors.push(stat);
            }
        }
        Ok(survivors)
    }
}

/// A hundred and twenty lines, ten of them with a needle.
fn input() -> String {
    let mut text = String::new();
    for number in 0..120 {
        let needle = if number % 12 == 0 { " needle" } else { "" };
        writeln!(text, "line {number}{needle} of the hay").expect("a string takes everything");
    }
    text
}

//! Kills a reduction again and again: the result stays the same, and no test with a stored verdict
//! is run again.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};

use super::dice::Dice;

pub(crate) const NAME: &str = "SIGKILL, sometimes SIGINT, and the same command again";
pub(crate) const PROMISE: &str = "the undisturbed result; only the last checks repeat stored tests; the best result stays on disk";

/// Seed of the random moments.
const SEED: u64 = 1;

/// Logs the candidate as a line of hexadecimal digits, then checks for twelve needles.
const TEST: &str = r#"#!/bin/sh
printf '%s\n' "$(od -An -v -tx1 "$1" | tr -d ' \n')" >>"$LOG"
[ $(grep -c needle "$1") -ge 12 ]
"#;

/// The most misses that a session runs again before it calls the result 1-minimal.
const RECHECKED: usize = 64;

/// Longest time that a session may take.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(120);

/// Hash of a candidate's bytes, as the store has it.
type Content = [u8; 16];

/// Kills reductions at `times` random moments, interrupts them at a third as many, and checks their
/// results. Returns the number of reductions.
pub(crate) fn run(boildown: &Path, times: u32) -> Result<u32> {
    let folder = tempfile::tempdir().context("make a working folder")?;
    let test = KillTest::new(boildown, folder.path())?;
    let undisturbed = test.undisturbed()?;
    let mut dice = Dice::new(SEED);
    let (mut ended, mut reductions) = (0, 0);
    while ended < times {
        test.clear()?;
        ended += test
            .reduction(times - ended, &mut dice, &undisturbed)
            .with_context(|| format!("after {ended} kills"))?;
        reductions += 1;
        let result = fs::read(&test.output)?;
        ensure!(
            result == undisturbed,
            "different result after {ended} kills:\n{}",
            String::from_utf8_lossy(&result)
        );
    }
    Ok(reductions)
}

/// A folder in which one reduction is repeated.
struct KillTest {
    boildown: PathBuf,
    folder: PathBuf,
    output: PathBuf,
    log: PathBuf,
}

impl KillTest {
    fn new(boildown: &Path, folder: &Path) -> Result<Self> {
        let text: String = (0..200)
            .map(|number| match number % 9 {
                4 => format!("{{ needle number {number} (or so) }}\n"),
                _ => format!("line {number} of the [hay]\n"),
            })
            .collect();
        fs::write(folder.join("in.txt"), text)?;
        let test = folder.join("test.sh");
        fs::write(&test, TEST)?;
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&test, executable)?;
        Ok(Self {
            boildown: boildown.to_owned(),
            output: folder.join("in.min.txt"),
            log: folder.join("log"),
            folder: folder.to_owned(),
        })
    }

    fn start(&self, jobs: u64) -> Result<Child> {
        Command::new(&self.boildown)
            .args(["reduce", "in.txt", "--quiet", "--test", "test.sh", "--jobs"])
            .arg(jobs.to_string())
            // The test writes its log there.
            .arg("--writable")
            .arg(&self.folder)
            .current_dir(&self.folder)
            .env("LOG", &self.log)
            .stdin(Stdio::null())
            .spawn()
            .context("start boildown")
    }

    /// Reduces once without a disturbance and returns the result.
    fn undisturbed(&self) -> Result<Vec<u8>> {
        let status = self.start(2)?.wait()?;
        ensure!(status.code() == Some(0), "undisturbed: {status}");
        Ok(fs::read(&self.output)?)
    }

    /// Removes the store, the result and the log.
    fn clear(&self) -> Result<()> {
        fs::remove_dir_all(self.folder.join(".boildown"))?;
        fs::remove_file(&self.output)?;
        fs::remove_file(&self.log)?;
        Ok(())
    }

    /// Runs one reduction to its end and kills at most `times` of its sessions. Returns how many it
    /// killed.
    fn reduction(&self, times: u32, dice: &mut Dice, undisturbed: &[u8]) -> Result<u32> {
        // The result is run once more at the end, to confirm it.
        let confirmed = content(undisturbed)?;
        let mut known: HashSet<Content> = HashSet::new();
        let (mut ended, mut checked_runs, mut size) = (0, 0, usize::MAX);
        loop {
            let most = [8, 60][usize::try_from(dice.below(2))?];
            let more = 1 + usize::try_from(dice.below(most))?;
            let pause = Duration::from_micros(dice.below(20_000));
            let by = match dice.below(4) {
                0 => Signal::INT,
                _ => Signal::KILL,
            };
            let mut session = self.start(1 + dice.below(4))?;
            let wanted = (ended < times).then_some(checked_runs + more);
            let finished = self.wait(&mut session, wanted)?;
            if !finished {
                thread::sleep(pause);
                kill_process(Pid::from_child(&session), by)?;
                session.wait()?;
                ended += u32::from(by == Signal::KILL);
            }
            let runs = self.runs()?;
            let again: Vec<_> = runs[checked_runs.min(runs.len())..]
                .iter()
                .filter(|run| known.contains(*run) && **run != confirmed)
                .collect();
            // What was the best result is run again, to notice a broken environment.
            let hits = self.interesting_contents()?;
            let misses = again.iter().filter(|run| !hits.contains(**run)).count();
            ensure!(
                misses <= RECHECKED,
                "{misses} misses with a stored verdict were run again: {again:02x?}"
            );
            checked_runs = runs.len();
            let now = self.stored_contents()?;
            ensure!(now.is_superset(&known), "stored verdicts were lost");
            known = now;
            if let Ok(best) = fs::read(&self.output) {
                ensure!(best.len() <= size, "the result on disk became larger");
                let needles = String::from_utf8_lossy(&best).matches("needle").count();
                ensure!(needles >= 12, "the result on disk is not interesting");
                size = best.len();
            }
            if finished {
                return Ok(ended);
            }
        }
    }

    /// Waits until the log has `runs` runs or the session is over; returns whether it is over.
    fn wait(&self, session: &mut Child, runs: Option<usize>) -> Result<bool> {
        let started = Instant::now();
        loop {
            if let Some(status) = session.try_wait()? {
                ensure!(status.code() == Some(0), "boildown: {status}");
                return Ok(true);
            }
            if runs.is_some_and(|runs| self.logged_runs() >= runs) {
                return Ok(false);
            }
            ensure!(started.elapsed() < MAX_WAIT, "boildown hangs");
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn logged_runs(&self) -> usize {
        let log = fs::read(&self.log).unwrap_or_default();
        log.iter().filter(|byte| **byte == b'\n').count()
    }

    /// Returns the candidates that the test was run on, in order.
    fn runs(&self) -> Result<Vec<Content>> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().map(content_of).collect()
    }

    /// Returns the candidates with a verdict in the store.
    fn stored_contents(&self) -> Result<HashSet<Content>> {
        self.contents("SELECT content FROM verdicts UNION SELECT content FROM baseline")
    }

    /// Returns the candidates that were the best result at some time.
    fn interesting_contents(&self) -> Result<HashSet<Content>> {
        self.contents("SELECT content FROM improvements UNION SELECT content FROM baseline")
    }

    /// Returns the candidates that a query finds in the store.
    fn contents(&self, query: &str) -> Result<HashSet<Content>> {
        let mut found = HashSet::new();
        let Ok(entries) = fs::read_dir(self.folder.join(".boildown/in.min.txt")) else {
            return Ok(found);
        };
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "db") {
                continue;
            }
            let database = Connection::open(&path)?;
            let tables: i64 =
                database.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
            if tables == 0 {
                // The session was killed before it wrote anything.
                continue;
            }
            let mut query = database.prepare(query)?;
            let rows = query.query_map([], |row| row.get::<_, Content>(0))?;
            for row in rows {
                found.insert(row?);
            }
        }
        Ok(found)
    }
}

fn content_of(line: &str) -> Result<Content> {
    let digits = |start| u8::from_str_radix(&line[start..start + 2], 16);
    let bytes: Vec<u8> = (0..line.len() / 2 * 2)
        .step_by(2)
        .map(digits)
        .collect::<Result<_, _>>()
        .context("read the log")?;
    content(&bytes)
}

fn content(bytes: &[u8]) -> Result<Content> {
    Ok(blake3::hash(bytes).as_bytes()[..16].try_into()?)
}

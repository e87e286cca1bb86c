//! A reduction that is killed again and again comes to the same result, and runs nothing again that it has written down.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};

use super::dice::Dice;

pub(crate) const NAME: &str = "SIGKILL, at times SIGINT, and the same command again";
pub(crate) const PROMISE: &str =
    "the same bytes as undisturbed; nothing that is known runs again; the best stays on disk";

/// What the random points are made from.
const SEED: u64 = 1;

/// Writes down what it is run on, as a line of hexadecimal digits, and wants twelve needles.
const TEST: &str = r#"#!/bin/sh
printf '%s\n' "$(od -An -v -tx1 "$1" | tr -d ' \n')" >>"$LOG"
[ $(grep -c needle "$1") -ge 12 ]
"#;

/// No session takes so long.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

type Content = [u8; 16];

/// Kills reductions at so many random points, interrupts them at a third as many, and checks what they come to.
/// Returns how many reductions it took.
pub(crate) fn run(boildown: &Path, times: u32) -> Result<u32> {
    let folder = tempfile::tempdir().context("make a working folder")?;
    let bench = Bench::new(boildown, folder.path())?;
    let undisturbed = bench.undisturbed()?;
    let mut dice = Dice::new(SEED);
    let (mut ended, mut reductions) = (0, 0);
    while ended < times {
        bench.forget()?;
        ended += bench
            .reduction(times - ended, &mut dice, &undisturbed)
            .with_context(|| format!("after {ended} ends"))?;
        reductions += 1;
        let result = fs::read(&bench.output)?;
        ensure!(
            result == undisturbed,
            "another result after {ended} ends:\n{}",
            String::from_utf8_lossy(&result)
        );
    }
    Ok(reductions)
}

struct Bench {
    boildown: PathBuf,
    folder: PathBuf,
    output: PathBuf,
    log: PathBuf,
}

impl Bench {
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
            // For its log.
            .arg("--writable")
            .arg(&self.folder)
            .current_dir(&self.folder)
            .env("LOG", &self.log)
            .stdin(Stdio::null())
            .spawn()
            .context("start boildown")
    }

    fn undisturbed(&self) -> Result<Vec<u8>> {
        let status = self.start(2)?.wait()?;
        ensure!(status.code() == Some(0), "undisturbed: {status}");
        Ok(fs::read(&self.output)?)
    }

    fn forget(&self) -> Result<()> {
        fs::remove_dir_all(self.folder.join(".boildown"))?;
        fs::remove_file(&self.output)?;
        fs::remove_file(&self.log)?;
        Ok(())
    }

    /// Runs one reduction to its end, and kills at most so many of its sessions. Returns how many it killed.
    fn reduction(&self, times: u32, dice: &mut Dice, undisturbed: &[u8]) -> Result<u32> {
        // At the end it is run once more, to confirm it.
        let confirmed = content(undisturbed)?;
        let mut known: HashSet<Content> = HashSet::new();
        let (mut ended, mut looked_at, mut size) = (0, 0, usize::MAX);
        loop {
            let most = [8, 60][usize::try_from(dice.below(2))?];
            let more = 1 + usize::try_from(dice.below(most))?;
            let pause = Duration::from_micros(dice.below(20_000));
            let by = match dice.below(4) {
                0 => Signal::INT,
                _ => Signal::KILL,
            };
            let mut session = self.start(1 + dice.below(4))?;
            let wanted = (ended < times).then_some(looked_at + more);
            let finished = self.wait(&mut session, wanted)?;
            if !finished {
                thread::sleep(pause);
                kill_process(Pid::from_child(&session), by)?;
                session.wait()?;
                ended += u32::from(by == Signal::KILL);
            }
            let runs = self.runs()?;
            if let Some(again) = runs[looked_at.min(runs.len())..]
                .iter()
                .find(|run| known.contains(*run) && **run != confirmed)
            {
                bail!("a question was run again that has an answer: {again:02x?}");
            }
            looked_at = runs.len();
            let now = self.known()?;
            ensure!(now.is_superset(&known), "answers were lost");
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

    /// Waits until there are so many runs, or the session is over; whether it is.
    fn wait(&self, session: &mut Child, runs: Option<usize>) -> Result<bool> {
        let started = Instant::now();
        loop {
            if let Some(status) = session.try_wait()? {
                ensure!(status.code() == Some(0), "boildown: {status}");
                return Ok(true);
            }
            if runs.is_some_and(|runs| self.lines() >= runs) {
                return Ok(false);
            }
            ensure!(started.elapsed() < PATIENCE, "boildown hangs");
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn lines(&self) -> usize {
        let log = fs::read(&self.log).unwrap_or_default();
        log.iter().filter(|byte| **byte == b'\n').count()
    }

    /// What the test was run on.
    fn runs(&self) -> Result<Vec<Content>> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().map(content_of).collect()
    }

    /// What the store has an answer to.
    fn known(&self) -> Result<HashSet<Content>> {
        let mut known = HashSet::new();
        let Ok(entries) = fs::read_dir(self.folder.join(".boildown/in.min.txt")) else {
            return Ok(known);
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
                // Killed before it had begun.
                continue;
            }
            let mut query = database
                .prepare("SELECT content FROM verdicts UNION SELECT content FROM baseline")?;
            let rows = query.query_map([], |row| row.get::<_, Content>(0))?;
            for row in rows {
                known.insert(row?);
            }
        }
        Ok(known)
    }
}

fn content_of(line: &str) -> Result<Content> {
    let digits = |at| u8::from_str_radix(&line[at..at + 2], 16);
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

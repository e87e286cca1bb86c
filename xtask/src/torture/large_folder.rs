//! Kills the reduction of a large folder again and again: the result stays the same.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};

use super::dice::Dice;

/// Seed of the random moments.
const SEED: u64 = 19;

/// Longest time that a session may take.
const MAX_WAIT: Duration = Duration::from_secs(1200);

const DIRECTORIES: usize = 100;

/// The folder in the folder of the test.
const NAME: &str = "large";

/// Holds with twelve files that end with `.need` and have a needle. It names none of them, so that
/// they have to be searched for. It counts files, not lines of all of them in one text: there, a
/// file without a newline at its end joins the next one, and which one is next depends on the order
/// that the file system lists them in, which differs between copies.
const TEST: &str = r#"#!/bin/sh
[ "$(find large -name '*.need' -exec grep -l needle {} + | wc -l)" -ge 12 ]
"#;

/// A working folder with the large one, whose reduction is repeated.
struct LargeFolder {
    boildown: PathBuf,
    folder: PathBuf,
}

/// Writes a folder of `files` files that are `megabytes` large together, reduces it without a
/// disturbance, and then again until it was killed at `times` random moments.
pub(super) fn run(boildown: &Path, files: usize, megabytes: usize, times: u32) -> Result<()> {
    let folder = tempfile::tempdir().context("make a working folder")?;
    let test = LargeFolder {
        boildown: boildown.to_owned(),
        folder: folder.path().to_owned(),
    };
    test.write(files.max(DIRECTORIES), megabytes << 20)?;
    let started = Instant::now();
    let mut session = test.start()?;
    ensure!(test.wait(&mut session, None)?, "it did not end");
    let took = started.elapsed();
    let undisturbed = contents(&test.result())?;
    ensure!(!undisturbed.is_empty(), "nothing is left");
    let bytes: usize = undisturbed.values().map(Vec::len).sum();
    eprintln!(
        "undisturbed: {} files, {bytes} bytes, {:.1} s",
        undisturbed.len(),
        took.as_secs_f64()
    );
    let mut dice = Dice::new(SEED);
    let (mut killed, mut reductions) = (0, 0);
    while killed < times {
        fs::remove_dir_all(test.folder.join(".boildown"))?;
        fs::remove_dir_all(test.result())?;
        killed += test.killed(times - killed, took, &mut dice)?;
        reductions += 1;
        let result = contents(&test.result())?;
        ensure!(result == undisturbed, "another result after {killed} kills");
    }
    eprintln!("{killed} kills in {reductions} reductions: equal bytes each time");
    Ok(())
}

impl LargeFolder {
    fn result(&self) -> PathBuf {
        self.folder.join("large.min")
    }

    fn write(&self, files: usize, bytes: usize) -> Result<()> {
        let mut dice = Dice::new(SEED);
        let mut words = String::new();
        while words.len() < 2 * bytes / files + 64 {
            writeln!(
                words,
                "{} {:x} hay",
                dice.below(1 << 40),
                dice.below(1 << 50)
            )?;
        }
        for number in 0..files {
            let directory = self.folder.join(NAME).join(format!("d{:02}", number % 100));
            fs::create_dir_all(&directory)?;
            // Twelve of them are needed.
            let (end, first) = match number % (files / 12) {
                7 if number / (files / 12) < 12 => ("need", "needle"),
                _ => ("txt", "line"),
            };
            let size = bytes / files;
            let at = usize::try_from(dice.below(size.max(1) as u64))?;
            let text = format!("{number} {first}\n{}\n", &words[at..at + size]);
            fs::write(directory.join(format!("f{number}.{end}")), text)?;
        }
        let script = self.folder.join("test.sh");
        fs::write(&script, TEST)?;
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        Ok(fs::set_permissions(&script, executable)?)
    }

    fn start(&self) -> Result<Child> {
        let args = [
            "reduce",
            NAME,
            "--quiet",
            "--test",
            "./test.sh",
            "--jobs",
            "2",
        ];
        Command::new(&self.boildown)
            .args(args)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .spawn()
            .context("start boildown")
    }

    /// Waits for the end of a session, or until some time has passed. Returns whether it ended.
    fn wait(&self, session: &mut Child, time: Option<Duration>) -> Result<bool> {
        let started = Instant::now();
        loop {
            if let Some(status) = session.try_wait()? {
                ensure!(status.code() == Some(0), "boildown: {status}");
                return Ok(true);
            }
            if time.is_some_and(|time| started.elapsed() >= time) {
                return Ok(false);
            }
            ensure!(started.elapsed() < MAX_WAIT, "boildown hangs");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills a reduction at random moments, checks that the best result is whole, and starts it
    /// again, until it ends. Returns how often it was killed.
    fn killed(&self, times: u32, undisturbed: Duration, dice: &mut Dice) -> Result<u32> {
        let longest = u64::try_from(undisturbed.as_millis())? / 2;
        let (mut killed, mut size) = (0, usize::MAX);
        loop {
            let mut session = self.start()?;
            let time = Duration::from_millis(dice.below(longest));
            let time = (killed < times).then_some(time);
            if self.wait(&mut session, time)? {
                return Ok(killed);
            }
            kill_process(Pid::from_child(&session), Signal::KILL)?;
            session.wait()?;
            killed += 1;
            if !self.result().exists() {
                continue;
            }
            let best = contents(&self.result())?;
            let needles = best.values().map(|bytes| String::from_utf8_lossy(bytes));
            let needles: usize = needles.map(|text| text.matches("needle").count()).sum();
            ensure!(needles >= 12, "the result on disk has {needles} needles");
            let now = best.values().map(Vec::len).sum();
            ensure!(
                now <= size,
                "the result on disk grew from {size} to {now} bytes"
            );
            eprintln!("kill {killed}: {} files, {now} bytes", best.len());
            size = now;
        }
    }
}

/// Returns the contents of all files in a folder, by their paths.
fn contents(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else {
                files.insert(path.clone(), fs::read(path)?);
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the test on `files` files, of which those with a number below `newlines` end with one.
    fn holds(newlines: usize, files: usize) -> bool {
        let folder = tempfile::tempdir().expect("a working folder");
        for number in 0..files {
            let directory = folder.path().join(NAME).join(format!("d{number}"));
            fs::create_dir_all(&directory).expect("a directory");
            let text = ["needle\n", "needle"][usize::from(number >= newlines)];
            fs::write(directory.join("file.need"), text).expect("a file");
        }
        let status = Command::new("sh")
            .args(["-c", TEST])
            .current_dir(folder.path())
            .status()
            .expect("run the test");
        status.success()
    }

    #[test]
    fn the_verdict_does_not_depend_on_newlines_and_the_order_of_files() {
        for newlines in 0..=12 {
            assert!(holds(newlines, 12), "{newlines} newlines");
            assert!(!holds(newlines, 11), "{newlines} newlines, a file too few");
        }
    }
}

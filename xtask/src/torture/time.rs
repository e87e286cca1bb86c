//! Clocks that jump between sessions.

use std::fs::{self, File};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Result, ensure};
use rustix::process::Signal;

use super::dice::Dice;
use super::fault::{Injection, moment};
use super::kills::MAX_WAIT;
use super::work_dir::WorkDir;

/// Gives files times in other centuries, and each session a machine with another boot time.
pub(super) fn jumps(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    let mut dice = Dice::new(u64::from(round));
    let mut elsewhen = || {
        let mut command = Command::new("unshare");
        command.args(["--time", "--monotonic", &dice.below(1 << 22).to_string()]);
        command
    };
    if !(elsewhen().arg("true").output()).is_ok_and(|output| output.status.success()) {
        return Ok(Injection::Skipped("setting a clock needs root"));
    }
    // Times of files jump during the run, too.
    work_dir.test(
        "touch -d @$(($(wc -c <$1) % 2 * 4000000000)) $HERE/in.txt $1 $TMPDIR . ; sleep 0.005",
    )?;
    // Kill the session once it has stored a verdict.
    let child = work_dir.start_by(with_program(elsewhen(), work_dir), &["--jobs", "2"])?;
    let started = Instant::now();
    while work_dir.stored() == 0 {
        ensure!(started.elapsed() < MAX_WAIT, "no verdict is stored");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(moment(round) / 4);
    work_dir.signal(&child, Signal::KILL)?;
    work_dir.finish(child)?;
    let century = [0, 4_000_000_000][round as usize % 2];
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(century);
    let stored = fs::read_dir(work_dir.path(".boildown/in.min.txt"))?;
    let stored = stored.flatten().map(|entry| entry.path());
    for file in stored.chain(["in.txt", "test.sh", ".boildown"].map(|name| work_dir.path(name))) {
        File::open(file)?.set_modified(time)?;
    }
    let known = work_dir.stored();
    let ended = work_dir
        .finish(work_dir.start_by(with_program(elsewhen(), work_dir), &["--jobs", "2"])?)?;
    ensure!(
        ended.code == Some(0) && ended.stderr.contains(&format!("resumed: {known} ")),
        "exit {:?}, {known} verdicts were stored: {}",
        ended.code,
        ended.stderr
    );
    work_dir.assert_reduced()?;
    Ok(Injection::Done)
}

fn with_program(mut command: Command, work_dir: &WorkDir) -> Command {
    command.arg(work_dir.program());
    command
}

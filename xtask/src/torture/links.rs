//! Workers whose connections or disks fail, or whose clocks differ.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};

use super::fault::Injection;
use super::work_dir::WorkDir;

/// The program that tests use as a connection with a fault.
const FAULTY_LINK: &str = include_str!("../../../crates/boildown/tests/it/faulty_link.py");

/// Faults of a worker that sends what is not a message; random ones in every fourth round.
const WRONG: [&str; 4] = ["garbage", "oversize", "truncate", "random"];

/// Checks that a program is there.
fn has(program: &str) -> bool {
    let run = Command::new(program).arg("--version").output();
    run.is_ok_and(|run| run.status.success())
}

/// Reduces with two workers. The connection of the first one, and of the other one if `both`, has
/// a fault from a result on that depends on the round.
fn with_fault(work_dir: &WorkDir, round: u32, fault: &str, both: bool) -> Result<Injection> {
    if !has("python3") {
        return Ok(Injection::Skipped("there is no python3"));
    }
    fs::write(work_dir.path("link.py"), FAULTY_LINK)?;
    // The order of the answers varies.
    work_dir.test("sleep 0.0$(($$ % 10))")?;
    let worker = format!("{} worker --jobs 1", work_dir.program().display());
    let line =
        |number: u32| format!("PAUSE=10 exec python3 \"$HERE\"/link.py {fault} {number} {worker}");
    let faulty = line(4 + round % 20);
    let other = match both {
        true => line(5 + round * 7 % 30),
        false => worker.clone(),
    };
    let jobs = ["1", "2"][round as usize / 2 % 2];
    work_dir.reduce_well(&["--jobs", jobs, "--worker", &faulty, "--worker", &other])?;
    Ok(Injection::Done)
}

/// Reduces with a worker that is silent for 10 s, in every second round without anything else that
/// could run its tests.
fn silent(work_dir: &WorkDir, round: u32, fault: &str) -> Result<Injection> {
    if round.is_multiple_of(2) || !has("python3") {
        return with_fault(work_dir, round, fault, false);
    }
    fs::write(work_dir.path("link.py"), FAULTY_LINK)?;
    work_dir.test("")?;
    let (worker, number) = (work_dir.program().display(), 4 + round % 20);
    let line = format!("PAUSE=10 exec python3 \"$HERE\"/link.py {fault} {number} {worker} worker");
    let ended = work_dir.reduce(&["--jobs", "0", "--worker", &line])?;
    let was_silent =
        ended.stderr.contains("is silent since 5 s") && ended.stderr.contains("is back");
    ensure!(
        ended.code == Some(0) && was_silent,
        "exit {:?}: {}",
        ended.code,
        ended.stderr
    );
    work_dir.assert_reduced()?;
    Ok(Injection::Done)
}

/// Kills a worker, and each that is started in its place.
pub(super) fn killed(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    with_fault(work_dir, round, "kill", round % 4 == 3)
}

/// Stops a worker for 10 s.
pub(super) fn stopped(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    silent(work_dir, round, "stop")
}

/// Cuts the connection to a worker for 10 s.
pub(super) fn cut(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    silent(work_dir, round, "cut")
}

/// Slows the connections to both workers.
pub(super) fn slow(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    with_fault(work_dir, round, "slow", true)
}

/// Sends answers twice, answers to what was not asked, and answers up to a second late, so that
/// others overtake them.
pub(super) fn repeated(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    with_fault(
        work_dir,
        round,
        ["duplicate", "late"][round as usize % 2],
        true,
    )
}

/// Sends what is not a message, or a random fault.
pub(super) fn wrong(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    with_fault(work_dir, round, WRONG[round as usize % WRONG.len()], true)
}

/// Reduces with workers whose steady clocks are weeks from that of the client.
pub(super) fn skewed(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    let weeks = |weeks: u32| {
        let seconds = 604_800 * weeks;
        format!("unshare --time --monotonic {seconds} --boottime {seconds}")
    };
    let can_skew = Command::new("sh")
        .args(["-c", &format!("{} true", weeks(1))])
        .output();
    if !can_skew.is_ok_and(|run| run.status.success()) {
        return Ok(Injection::Skipped("setting a clock needs root"));
    }
    work_dir.test("sleep 0.0$(($$ % 10))")?;
    let worker = work_dir.program().display();
    let line = |skew: String| format!("exec {skew} {worker} worker --jobs 1");
    let (one, other) = (line(weeks(1 + round)), line(weeks(100 + 7 * round)));
    work_dir.reduce_well(&["--jobs", "0", "--worker", &one, "--worker", &other])?;
    Ok(Injection::Done)
}

/// Fills the disk of a worker after some runs.
pub(super) fn full_disk(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    let can_mount = Command::new("unshare").args(["--mount", "true"]).status();
    if !can_mount.is_ok_and(|status| status.success()) {
        return Ok(Injection::Skipped("mounting a file system needs root"));
    }
    // Only on the worker, which names itself by a variable.
    let full = 3 + round % 10;
    work_dir.test(&format!(
        "[ -z \"$ON_WORKER\" ] || {{ echo run >>$HERE/runs; [ $(wc -l <$HERE/runs) -gt {full} ] && \
         head -c 100000000 /dev/zero >>${{TMPDIR%/*/*}}/filler 2>/dev/null; \
         cp $1 $TMPDIR/copy 2>/dev/null || exit 1; }}"
    ))?;
    let worker = work_dir.program().display();
    let line = format!(
        "exec unshare --mount sh -c 'mount -t tmpfs -o size=1m tmpfs /dev/shm && \
         mount -t tmpfs -o size=2m tmpfs \"$TMPDIR\" && ON_WORKER=1 exec {worker} worker --jobs 1 --writable \"$TMPDIR\"'"
    );
    work_dir.reduce_well(&["--jobs", "1", "--worker", &line])?;
    Ok(Injection::Done)
}

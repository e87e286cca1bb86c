//! Workers whose connections or disks fail.

use std::fs;
use std::process::Command;

use anyhow::Result;

use super::fault::Injection;
use super::work_dir::WorkDir;

/// The program that tests use as a connection with a fault.
const FAULTY_LINK: &str = include_str!("../../../crates/boildown/tests/it/faulty_link.py");

/// The faults, one in every second round; in the others, faults are chosen at random.
const FAULTS: &[&str] = &[
    "cut",
    "stop",
    "kill",
    "duplicate",
    "slow",
    "garbage",
    "oversize",
    "truncate",
];

/// Reduces with two workers, of which both have faulty connections.
pub(super) fn faulty(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    if !(Command::new("python3").arg("--version").output()).is_ok_and(|run| run.status.success()) {
        return Ok(Injection::Skipped("there is no python3"));
    }
    fs::write(work_dir.path("link.py"), FAULTY_LINK)?;
    work_dir.test("sleep 0.0$(($$ % 10))")?;
    let worker = work_dir.program().display();
    let fault = match round % 2 {
        0 => "random",
        _ => FAULTS[round as usize / 2 % FAULTS.len()],
    };
    let line = |number: u32| {
        format!("exec python3 \"$HERE\"/link.py {fault} {number} {worker} worker --jobs 1")
    };
    let (one, other) = (line(4 + round % 20), line(5 + round * 7 % 30));
    let jobs = ["1", "2"][round as usize / 2 % 2];
    work_dir.reduce_well(&["--jobs", jobs, "--worker", &one, "--worker", &other])?;
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

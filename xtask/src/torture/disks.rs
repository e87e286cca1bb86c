//! Disks that are full or read-only.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::fault::Injection;
use super::work_dir::WorkDir;

/// Mounts a file system of its own over a directory while `work` runs.
fn with_disk(dir: &Path, options: &str, work: impl FnOnce() -> Result<()>) -> Result<Injection> {
    fs::create_dir_all(dir)?;
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", options, "tmpfs"])
        .arg(dir)
        .output();
    if !mount.is_ok_and(|mount| mount.status.success()) {
        return Ok(Injection::Skipped("mounting a file system needs root"));
    }
    let done = work();
    let unmounted = Command::new("umount").arg("--lazy").arg(dir).status()?;
    ensure!(unmounted.success(), "umount: {unmounted}");
    done.map(|()| Injection::Done)
}

/// Returns a line of a test that fills the file system of a directory after `run` runs.
fn fill(dir: &str, run: u32) -> String {
    format!(
        "echo run >>$HERE/runs; [ $(wc -l <$HERE/runs) -gt {run} ] && head -c 100000000 /dev/zero >>{dir}/filler 2>/dev/null"
    )
}

/// Fills the disk of the result.
pub(super) fn full_for_the_result(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    let small = work_dir.path("small");
    with_disk(&small, "size=64k", || {
        work_dir.test(&fill("$HERE/small", 6 + round))?;
        let ended = work_dir.reduce(&["--jobs", "1", "--output", "small/in.min.txt"])?;
        let best = fs::read_to_string(small.join("in.min.txt"))?;
        ensure!(
            ended.code == Some(5) && ended.stderr.contains("No space left on device"),
            "exit {:?}: {}",
            ended.code,
            ended.stderr
        );
        ensure!(best.matches("needle").count() >= 8, "the best is {best:?}");
        Ok(())
    })
}

/// Fills the disk of the store.
pub(super) fn full_for_the_store(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    // Too small from the start, or full later.
    let size = ["size=16k", "size=1m"][round as usize % 2];
    with_disk(&work_dir.path(".boildown"), size, || {
        work_dir.test(&fill("$HERE/.boildown", round))?;
        let ended = work_dir.reduce(&["--jobs", "2"])?;
        ensure!(
            ended.code == Some(0) && ended.stderr.contains("warning: failed to "),
            "exit {:?}: {}",
            ended.code,
            ended.stderr
        );
        work_dir.assert_reduced()
    })
}

/// Fills the disk on which candidates are run.
pub(super) fn full_for_runs(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    let small = work_dir.path("tmp");
    with_disk(&small, "size=1m", || {
        // When the copy fails, the error is one of the disk.
        let copy = "cp $1 $TMPDIR/copy 2>/dev/null || exit 1; set -- $TMPDIR/copy";
        work_dir.test(&format!("{}\n{copy}", fill("${TMPDIR%/*/*}", 6 + round)))?;
        let mut command = Command::new("unshare");
        command.args([
            "--mount",
            "sh",
            "-c",
            // Too small to be used, so that the runs take $TMPDIR.
            "mount -t tmpfs -o size=1m tmpfs /dev/shm && exec \"$0\" \"$@\"",
        ]);
        command.arg(work_dir.program());
        let ended = work_dir.finish(work_dir.start_by(command, &["--jobs", "1"])?)?;
        ensure!(
            ended.code == Some(5) && ended.stderr.contains("o space left"),
            "exit {:?}: {}",
            ended.code,
            ended.stderr
        );
        work_dir.assert_best_is_whole()
    })
}

/// Makes the directory of the input read-only.
pub(super) fn read_only(work_dir: &WorkDir, _: u32) -> Result<Injection> {
    let dir = work_dir.path("locked");
    with_disk(&dir, "size=1m", || {
        fs::copy(work_dir.path("in.txt"), dir.join("in.txt"))?;
        let remount = Command::new("mount")
            .args(["-o", "remount,ro"])
            .arg(&dir)
            .status()?;
        ensure!(remount.success(), "mount: {remount}");
        work_dir.test("")?;
        let reduce = |args: &[&str]| {
            let command = Command::new(work_dir.program());
            work_dir.finish(work_dir.start_on("locked/in.txt", command, args)?)
        };
        let ended = reduce(&[])?;
        ensure!(
            ended.code == Some(5)
                && ended.stderr.contains("Read-only file system")
                && ended.stderr.contains("--output"),
            "exit {:?}: {}",
            ended.code,
            ended.stderr
        );
        let ended = reduce(&["--output", "in.min.txt"])?;
        ensure!(
            ended.code == Some(0),
            "exit {:?}: {}",
            ended.code,
            ended.stderr
        );
        work_dir.assert_reduced()
    })
}

//! Disks that are full or may not be written to.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::Injected;
use super::place::Place;

/// Puts a file system of its own in the place of a directory while something is done.
fn with_disk(dir: &Path, options: &str, work: impl FnOnce() -> Result<()>) -> Result<Injected> {
    fs::create_dir_all(dir)?;
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", options, "tmpfs"])
        .arg(dir)
        .output();
    if !mount.is_ok_and(|mount| mount.status.success()) {
        return Ok(Injected::No("a file system of its own needs root"));
    }
    let done = work();
    let unmounted = Command::new("umount").arg("--lazy").arg(dir).status()?;
    ensure!(unmounted.success(), "umount: {unmounted}");
    done.map(|()| Injected::Yes)
}

/// A line of a test that fills the file system of a directory at its nth run.
fn fill(dir: &str, run: u32) -> String {
    format!(
        "echo run >>$HERE/runs; [ $(wc -l <$HERE/runs) -gt {run} ] && head -c 100000000 /dev/zero >>{dir}/filler 2>/dev/null"
    )
}

pub(super) fn full_for_the_result(place: &Place, round: u32) -> Result<Injected> {
    let small = place.path("small");
    with_disk(&small, "size=64k", || {
        place.test(&fill("$HERE/small", 6 + round))?;
        let ended = place.reduce(&["--jobs", "1", "--output", "small/in.min.txt"])?;
        let best = fs::read_to_string(small.join("in.min.txt"))?;
        ensure!(
            ended.code == Some(5) && ended.said.contains("No space left on device"),
            "exit {:?}: {}",
            ended.code,
            ended.said
        );
        ensure!(best.matches("needle").count() >= 8, "the best is {best:?}");
        Ok(())
    })
}

pub(super) fn full_for_the_store(place: &Place, round: u32) -> Result<Injected> {
    // From the start on, or later.
    let size = ["size=16k", "size=1m"][round as usize % 2];
    with_disk(&place.path(".boildown"), size, || {
        place.test(&fill("$HERE/.boildown", round))?;
        let ended = place.reduce(&["--jobs", "2"])?;
        ensure!(
            ended.code == Some(0) && ended.said.contains("going on, but the same command"),
            "exit {:?}: {}",
            ended.code,
            ended.said
        );
        place.assert_reduced()
    })
}

pub(super) fn full_for_runs(place: &Place, round: u32) -> Result<Injected> {
    let small = place.path("tmp");
    with_disk(&small, "size=1m", || {
        // What it says then, it says of the disk.
        let copy = "cp $1 $TMPDIR/copy 2>/dev/null || exit 1; set -- $TMPDIR/copy";
        place.test(&format!("{}\n{copy}", fill("${TMPDIR%/*/*}", 6 + round)))?;
        let mut command = Command::new("unshare");
        command.args([
            "--mount",
            "sh",
            "-c",
            // Too small to be taken: then it is the other one.
            "mount -t tmpfs -o size=1m tmpfs /dev/shm && exec \"$0\" \"$@\"",
        ]);
        command.arg(place.program());
        let ended = place.finish(place.start_by(command, &["--jobs", "1"])?)?;
        ensure!(
            ended.code == Some(5) && ended.said.contains("o space left"),
            "exit {:?}: {}",
            ended.code,
            ended.said
        );
        place.assert_best_is_whole()
    })
}

pub(super) fn read_only(place: &Place, _: u32) -> Result<Injected> {
    let dir = place.path("locked");
    with_disk(&dir, "size=1m", || {
        fs::copy(place.path("in.txt"), dir.join("in.txt"))?;
        let remount = Command::new("mount")
            .args(["-o", "remount,ro"])
            .arg(&dir)
            .status()?;
        ensure!(remount.success(), "mount: {remount}");
        place.test("")?;
        let reduce = |args: &[&str]| {
            let command = Command::new(place.program());
            place.finish(place.start_on("locked/in.txt", command, args)?)
        };
        let ended = reduce(&[])?;
        ensure!(
            ended.code == Some(5)
                && ended.said.contains("Read-only file system")
                && ended.said.contains("--output"),
            "exit {:?}: {}",
            ended.code,
            ended.said
        );
        let ended = reduce(&["--output", "in.min.txt"])?;
        ensure!(
            ended.code == Some(0),
            "exit {:?}: {}",
            ended.code,
            ended.said
        );
        place.assert_reduced()
    })
}

//! Damage to the files of the store.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rustix::process::Signal;

use super::dice::Dice;
use super::fault::{Injection, moment};
use super::kills::MAX_WAIT;
use super::work_dir::WorkDir;

/// Kills a reduction, damages its store, and runs the reduction again.
pub(super) fn between_sessions(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    let mut dice = Dice::new(u64::from(round));
    work_dir.test("sleep 0.005")?;
    let child = work_dir.start(&["--jobs", "2"])?;
    thread::sleep(moment(round) / 2);
    work_dir.signal(&child, Signal::KILL)?;
    work_dir.finish(child)?;
    damage(work_dir, &mut dice)?;
    work_dir.reduce_well(&["--jobs", "2"])?;
    work_dir.assert_best_is_whole()?;
    Ok(Injection::Done)
}

/// Damages or removes the store again and again while a reduction runs.
pub(super) fn during_a_session(work_dir: &WorkDir, round: u32) -> Result<Injection> {
    let mut dice = Dice::new(u64::from(round));
    work_dir.test("sleep 0.005")?;
    let mut child = work_dir.start(&["--jobs", "2"])?;
    let started = Instant::now();
    while child.try_wait()?.is_none() && started.elapsed() < MAX_WAIT {
        thread::sleep(Duration::from_millis(50 + dice.below(400)));
        if dice.below(8) == 0 {
            fs::remove_dir_all(work_dir.path(".boildown")).ok();
        } else {
            // The session changes and removes the files at the same time.
            damage(work_dir, &mut dice).ok();
        }
    }
    let ended = work_dir.finish(child)?;
    ensure!(
        ended.code == Some(0),
        "exit {:?}: {}",
        ended.code,
        ended.stderr
    );
    work_dir.assert_reduced()?;
    // Without its store, boildown does not know that it wrote the result.
    work_dir.reduce_well(&["--jobs", "2", "--force"])?;
    Ok(Injection::Done)
}

/// Damages one of the files of the store: shortens, removes, zeroes, overwrites or flips bits.
pub(super) fn damage(work_dir: &WorkDir, dice: &mut Dice) -> Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(work_dir.path(".boildown/in.min.txt"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        // The third file is shared memory of processes; disk damage does not reach it.
        .filter(|path| {
            let ending = path.extension().and_then(OsStr::to_str);
            let is_empty = fs::metadata(path).is_ok_and(|file| file.len() == 0);
            matches!(ending, Some("db" | "db-wal")) && !is_empty
        })
        .collect();
    files.sort();
    if files.is_empty() {
        return Ok(());
    }
    let file = &files[usize::try_from(dice.below(files.len() as u64))?];
    let size = fs::metadata(file)?.len();
    let open = || OpenOptions::new().write(true).read(true).open(file);
    match dice.below(5) {
        0 => open()?.set_len(dice.below(size + 1))?,
        1 => fs::remove_file(file)?,
        2 => open()?.write_all_at(&[0; 4096], dice.below(size + 1) / 4096 * 4096)?,
        3 => open()?.write_all_at(b"no database at all", 0)?,
        _ => {
            let file = open()?;
            for _ in 0..=dice.below(64) {
                let at = dice.below(size);
                let mut byte = [0];
                file.read_exact_at(&mut byte, at)?;
                byte[0] ^= 1 << dice.below(8);
                file.write_all_at(&byte, at)?;
            }
        }
    }
    Ok(())
}

//! Damage to what is stored.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rustix::process::Signal;

use super::Injected;
use super::dice::Dice;
use super::faults::moment;
use super::kills::PATIENCE;
use super::place::Place;

pub(super) fn between_sessions(place: &Place, round: u32) -> Result<Injected> {
    let mut dice = Dice::new(u64::from(round));
    place.test("sleep 0.005")?;
    let child = place.start(&["--jobs", "2"])?;
    thread::sleep(moment(round) / 2);
    place.signal(&child, Signal::KILL)?;
    place.finish(child)?;
    damage(place, &mut dice)?;
    place.reduce_well(&["--jobs", "2"])?;
    place.assert_best_is_whole()?;
    Ok(Injected::Yes)
}

pub(super) fn during_a_session(place: &Place, round: u32) -> Result<Injected> {
    let mut dice = Dice::new(u64::from(round));
    place.test("sleep 0.005")?;
    let mut child = place.start(&["--jobs", "2"])?;
    let started = Instant::now();
    while child.try_wait()?.is_none() && started.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(50 + dice.below(400)));
        if dice.below(8) == 0 {
            fs::remove_dir_all(place.path(".boildown")).ok();
        } else {
            // What is there changes all the time.
            damage(place, &mut dice).ok();
        }
    }
    let ended = place.finish(child)?;
    ensure!(
        ended.code == Some(0),
        "exit {:?}: {}",
        ended.code,
        ended.said
    );
    place.assert_reduced()?;
    place.reduce_well(&["--jobs", "2"])?;
    Ok(Injected::Yes)
}

/// Damages one of the files of the store.
fn damage(place: &Place, dice: &mut Dice) -> Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(place.path(".boildown/in.min.txt"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        // The third one is memory that processes share, and no damage to a disk reaches it.
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

//! Clocks that jump.

use std::fs::{self, File};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Result, ensure};
use rustix::process::Signal;

use super::Injected;
use super::dice::Dice;
use super::faults::moment;
use super::kills::PATIENCE;
use super::place::Place;

/// Files get times in other centuries, and each session sees a machine that was started at another time.
pub(super) fn jumps(place: &Place, round: u32) -> Result<Injected> {
    let mut dice = Dice::new(u64::from(round));
    let mut elsewhen = || {
        let mut command = Command::new("unshare");
        command.args(["--time", "--monotonic", &dice.below(1 << 22).to_string()]);
        command
    };
    if !(elsewhen().arg("true").output()).is_ok_and(|output| output.status.success()) {
        return Ok(Injected::No("another clock needs root"));
    }
    // The clock of the disk jumps during the run, too.
    place.test(
        "touch -d @$(($(wc -c <$1) % 2 * 4000000000)) $HERE/in.txt $1 $TMPDIR . ; sleep 0.005",
    )?;
    // Until something is known.
    let child = place.start_by(with_program(elsewhen(), place), &["--jobs", "2"])?;
    let started = Instant::now();
    while place.stored() == 0 {
        ensure!(started.elapsed() < PATIENCE, "nothing is stored");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(moment(round) / 4);
    place.signal(&child, Signal::KILL)?;
    place.finish(child)?;
    let century = [0, 4_000_000_000][round as usize % 2];
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(century);
    let stored = fs::read_dir(place.path(".boildown/in.min.txt"))?;
    let stored = stored.flatten().map(|entry| entry.path());
    for file in stored.chain(["in.txt", "test.sh", ".boildown"].map(|name| place.path(name))) {
        File::open(file)?.set_modified(time)?;
    }
    let known = place.stored();
    let ended = place.finish(place.start_by(with_program(elsewhen(), place), &["--jobs", "2"])?)?;
    ensure!(
        ended.code == Some(0) && ended.said.contains(&format!("resumed: {known} verdict")),
        "exit {:?}, {known} were known: {}",
        ended.code,
        ended.said
    );
    place.assert_reduced()?;
    Ok(Injected::Yes)
}

fn with_program(mut command: Command, place: &Place) -> Command {
    command.arg(place.program());
    command
}

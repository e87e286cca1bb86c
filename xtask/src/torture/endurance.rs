//! Many tests, with faults injected at random: whatever happens, the best result is interesting
//! when it is tested by hand, nothing is left on the machine, and memory does not grow.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use rustix::process::Signal;

use super::damage::damage;
use super::dice::Dice;
use super::kills::MAX_WAIT;
use super::work_dir::WorkDir;

pub(crate) const NAME: &str = "endurance";
pub(crate) const PROMISE: &str =
    "the best result is interesting by hand, nothing is left, memory stays flat";

/// The number of lines with a needle that have to stay.
const NEEDLES: usize = 300;

/// The most memory of boildown, in KiB; several times what the first reductions take.
const MEMORY: u64 = 512 << 10;

/// The time after which a reduction is disturbed, at most.
const LATEST: u64 = 8_000;

/// What a reduction with disturbances took.
#[derive(Debug, Default)]
struct Spent {
    tests: u64,
    reductions: u64,
    disturbances: u64,
    /// The most memory of one process of boildown, in KiB.
    memory: u64,
}

/// Reduces until there were this many tests, or the time is over. Returns what it took.
pub(crate) fn run(boildown: &Path, tests: u64, time: Duration) -> Result<String> {
    let started = Instant::now();
    let mut spent = Spent::default();
    let before = Machine::now();
    while spent.tests < tests && started.elapsed() < time {
        let mut dice = Dice::new(spent.reductions);
        let work_dir = WorkDir::new(boildown)?;
        reduction(&work_dir, &mut dice, &mut spent)
            .and_then(|()| work_dir.assert_clean())
            .with_context(|| format!("after {} tests", spent.tests))?;
        spent.reductions += 1;
        if spent.reductions % 20 == 0 {
            eprintln!("{spent:?}");
        }
        ensure!(spent.memory < MEMORY, "{} KiB of memory", spent.memory);
    }
    before.assert_same()?;
    Ok(format!(
        "yes: {} tests in {} reductions with {} disturbances, at most {} MiB",
        spent.tests,
        spent.reductions,
        spent.disturbances,
        spent.memory >> 10
    ))
}

/// One reduction: up to four sessions are disturbed, the last one is not.
fn reduction(work_dir: &WorkDir, dice: &mut Dice, spent: &mut Spent) -> Result<()> {
    fs::write(work_dir.path("in.txt"), input(dice))?;
    work_dir.script(&test(dice))?;
    let mut stored = 0;
    for _ in 0..dice.below(5) {
        let jobs = 1 + dice.below(4);
        let mut child = work_dir.start(&["--jobs", &jobs.to_string()])?;
        spent.memory = spent
            .memory
            .max(watch(&mut child, Some(dice.below(LATEST)))?);
        let signal = [Signal::KILL, Signal::KILL, Signal::INT, Signal::TERM];
        let signal = signal[usize::try_from(dice.below(4))?];
        work_dir.signal(&child, signal)?;
        let code = work_dir.finish(child)?.code;
        ensure!(matches!(code, None | Some(0 | 6)), "exit {code:?}");
        spent.disturbances += 1;
        check_best(work_dir)?;
        stored = stored.max(work_dir.stored());
        if dice.below(4) == 0 {
            damage(work_dir, dice)?;
            // What is damaged is tested again; the result may not be known as ours any more.
            fs::remove_file(work_dir.path("in.min.txt")).ok();
        }
    }
    let mut child = work_dir.start(&["--jobs", "2"])?;
    spent.memory = spent.memory.max(watch(&mut child, None)?);
    let ended = work_dir.finish(child)?;
    ensure!(
        ended.code == Some(0),
        "exit {:?}: {}",
        ended.code,
        ended.stderr
    );
    check_best(work_dir)?;
    let lines = fs::read_to_string(work_dir.path("in.min.txt"))?;
    let left = lines.split_whitespace().count();
    ensure!(left == NEEDLES, "{left} words are left");
    spent.tests += stored.max(work_dir.stored()).unsigned_abs();
    Ok(())
}

/// Returns about a thousand lines, some more than the wanted number of them with a needle.
fn input(dice: &mut Dice) -> String {
    let mut text = String::new();
    let mut needles = 0;
    while needles < NEEDLES + 50 {
        let needle = if dice.below(3) == 0 { "needle" } else { "hay" };
        needles += usize::from(needle == "needle");
        writeln!(text, "{needle} {}", dice.below(1000)).expect("a String can be written to");
    }
    text
}

/// Returns the test: one process, which leaves something behind on some candidates.
fn test(dice: &mut Dice) -> String {
    let mischief = [
        ":",
        "env -i setsid sleep 1000 &",
        "(env -i setsid sh -c 'sleep 1000; :' &); mkdir -p a/b; : >a/b/c; chmod 0 a",
        "ipcmk -M 4096 -S 1 -Q >/dev/null",
        "trap '' TERM; sleep 1000 & ln -s / root; mkfifo pipe",
        "for n in 1 2 3 4 5; do (env -i setsid sleep 1000 &) done; chmod 0 .",
    ];
    let mischief = mischief[usize::try_from(dice.below(mischief.len() as u64)).unwrap_or(0)];
    let often = 1 << (4 + dice.below(5));
    // `exec` keeps it at one process for most candidates.
    format!(
        "#!/bin/sh\ncase $(($$ % {often})) in 0) {mischief};; esac\n\
         exec awk '/needle/ {{ n++ }} END {{ exit n < {NEEDLES} }}' \"$1\"\n"
    )
}

/// Waits for the end of a session, or for this number of milliseconds. Returns its memory in KiB.
fn watch(child: &mut Child, milliseconds: Option<u64>) -> Result<u64> {
    let (started, mut memory) = (Instant::now(), 0);
    let status = format!("/proc/{}/status", child.id());
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let size = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        memory = memory.max(size.unwrap_or(0));
        let elapsed = started.elapsed();
        if milliseconds.is_some_and(|wanted| elapsed >= Duration::from_millis(wanted)) {
            break;
        }
        ensure!(elapsed < 10 * MAX_WAIT, "boildown hangs");
        thread::sleep(Duration::from_millis(10));
    }
    Ok(memory)
}

/// Runs the test by hand on the best result, if there is one.
fn check_best(work_dir: &WorkDir) -> Result<()> {
    let best = work_dir.path("in.min.txt");
    if !best.exists() {
        return Ok(());
    }
    let by_hand = format!("/needle/ {{ n++ }} END {{ exit n < {NEEDLES} }}");
    let status = Command::new("awk").arg(by_hand).arg(best).status()?;
    ensure!(status.success(), "the best result is not interesting");
    Ok(())
}

/// What is on the machine beside processes and files.
#[derive(Debug, PartialEq, Eq)]
struct Machine {
    mounts: usize,
    /// Our control groups.
    groups: Vec<String>,
    /// System V objects; only root's runs have an IPC namespace.
    objects: usize,
}

impl Machine {
    fn now() -> Self {
        let lines = |path: &str| fs::read_to_string(path).map_or(0, |text| text.lines().count());
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let group_dirs = mounts
            .lines()
            .filter(|line| line.contains(" - cgroup2 "))
            .filter_map(|line| line.split(' ').nth(4));
        let groups = group_dirs
            .flat_map(|dir| fs::read_dir(dir).into_iter().flatten().flatten())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.starts_with("boildown-"))
            .filter(|name| {
                let id = name.split('-').nth(1).unwrap_or_default();
                !fs::exists(format!("/proc/{id}")).unwrap_or(true)
            });
        Self {
            mounts: mounts.lines().count(),
            groups: groups.collect(),
            objects: match rustix::process::geteuid().is_root() {
                true => ["shm", "sem", "msg"]
                    .iter()
                    .map(|kind| lines(&format!("/proc/sysvipc/{kind}")))
                    .sum(),
                false => 0,
            },
        }
    }

    fn assert_same(&self) -> Result<()> {
        let now = Self::now();
        ensure!(*self == now, "before: {self:?}, now: {now:?}");
        Ok(())
    }
}

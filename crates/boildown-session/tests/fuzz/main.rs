//! Fuzzing on stable Rust: real inputs, mutated by a seeded generator, in processes of their own.
//!
//! `cargo test` runs each target on the same few inputs each time. A longer run, of the targets
//! that contain a word, with files of a directory as further inputs:
//!
//! ```text
//! cargo test --workspace --test fuzz -- --seconds 600 --only python --corpus DIR --seed 7
//! ```
//!
//! A crash counts, also one of a grammar's scanner in C, and so does an input that takes more than
//! [`HANG`]. The input is kept, and `--only TARGET --replay FILE` runs the target on it again.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program that only developers run"
)]

mod mutation;
mod targets;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use mutation::Mutator;
use targets::Target;

/// The longest time for one input, far above what a small one takes on a busy machine.
const HANG: Duration = Duration::from_secs(180);

/// The inputs of a target when the command line states no time: a fixed number, so that a machine
/// runs what every other one does.
const INPUTS: u64 = 40;

/// What the command line asks for.
#[derive(Debug)]
struct Options {
    /// The time of each target; without it there are [`INPUTS`].
    time: Option<Duration>,
    only: Option<String>,
    seed: u64,
    /// A directory of further inputs.
    corpus: Option<PathBuf>,
    replay: Option<PathBuf>,
    /// In a process of its own: the file that holds the current input.
    current: Option<PathBuf>,
}

impl Options {
    /// Reads the command line; what it does not know, such as the filter of `cargo test`, is
    /// ignored.
    fn read() -> Self {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let value = |name: &str| {
            let at = words.iter().position(|word| word == name)?;
            words.get(at + 1).cloned()
        };
        let seconds = value("--seconds").map(|text| Duration::from_secs_f64(text.parse().unwrap()));
        Self {
            time: seconds,
            only: value("--only"),
            seed: value("--seed").map_or(1, |text| text.parse().unwrap()),
            corpus: value("--corpus").map(PathBuf::from),
            replay: value("--replay").map(PathBuf::from),
            current: value("--current").map(PathBuf::from),
        }
    }
}

#[expect(unsafe_code, reason = "the allocator of the parsers is set")]
fn main() -> ExitCode {
    // SAFETY: the process has one thread, and has not parsed anything.
    unsafe { boildown_document::count_parser_allocations() };
    let options = Options::read();
    if let Some(current) = &options.current {
        work(&options, current);
        return ExitCode::SUCCESS;
    }
    let is_wanted =
        |target: &Target| (options.only.as_ref()).is_none_or(|only| target.name.contains(only));
    let wanted: Vec<Target> = targets::all().into_iter().filter(is_wanted).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(target) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(finding) = run_in_process(target, &options) {
                println!("{}: {finding}", target.name);
                failed.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner();
    println!("fuzzed {} targets, {failed} failed", wanted.len());
    ExitCode::from(u8::from(failed > 0))
}

/// Runs a target in a process of its own. Returns what went wrong.
fn run_in_process(target: &Target, options: &Options) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let (current, log) = (dir.path().join("current"), dir.path().join("log"));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--current".as_ref(), current.as_os_str()])
        .args(["--only", &target.name, "--seed", &options.seed.to_string()])
        .env("TMPDIR", dir.path())
        .stderr(fs::File::create(&log).unwrap());
    if let Some(time) = options.time {
        command.args(["--seconds", &time.as_secs_f64().to_string()]);
    }
    for (name, path) in [("--corpus", &options.corpus), ("--replay", &options.replay)] {
        if let Some(path) = path {
            command.arg(name).arg(path);
        }
    }
    let mut child = command.spawn().unwrap();
    let mut seen = (None, Instant::now());
    let what = loop {
        if let Some(status) = child.try_wait().unwrap() {
            if status.success() {
                return None;
            }
            break status.to_string();
        }
        let modified = fs::metadata(&current).and_then(|file| file.modified()).ok();
        if modified != seen.0 {
            seen = (modified, Instant::now());
        } else if seen.1.elapsed() > HANG {
            child.kill().unwrap();
            child.wait().unwrap();
            break format!("hangs for {} s", HANG.as_secs());
        }
        thread::sleep(Duration::from_millis(10));
    };
    let log = fs::read_to_string(&log).unwrap_or_default();
    let name = target
        .name
        .replace(|letter: char| !letter.is_alphanumeric(), "-");
    let kept = std::env::temp_dir().join(format!("fuzz-{name}-{}", options.seed));
    let input = fs::copy(&current, &kept).map_or_else(
        |_| "before the first input".to_owned(),
        |_| format!("on the input {}", kept.display()),
    );
    Some(format!("{what} {input}\n{log}"))
}

/// Runs the target on mutated inputs, each of which is written to a file first.
fn work(options: &Options, current: &Path) {
    let only = options.only.as_deref().unwrap();
    let mut targets = targets::all().into_iter();
    let target = targets.find(|target| target.name == only).unwrap();
    let started = Instant::now();
    let mut seeds = target.seeds.clone();
    if let Some(replay) = &options.replay {
        (target.run)(&target, &fs::read(replay).unwrap());
        return;
    }
    seeds.extend(options.corpus.iter().flat_map(|dir| target.of_corpus(dir)));
    let mut mutator = Mutator::new(options.seed, seeds);
    let mut inputs = 0_u64;
    let goes_on = |inputs| match options.time {
        Some(time) => started.elapsed() < time,
        None => inputs < INPUTS,
    };
    while goes_on(inputs) {
        let input = mutator.next_input();
        fs::write(current, &input).unwrap();
        (target.run)(&target, &input);
        inputs += 1;
    }
    if options.time.is_some() {
        println!("{}: {inputs} inputs", target.name);
    }
}

//! Compares warm runs with fresh ones: the same candidates, in pairs, in one process.
//!
//! ```text
//! cargo run --release --example warm -- COUNT PROGRAM|LINE INPUT COMMAND...
//! ```
//!
//! The candidates are the input without some of its lines, each another. Prints the runs that
//! differ in outcome or output, how the others ended, and the mean times.
#![expect(clippy::print_stdout, reason = "it prints its measurements")]

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_exec::spawn::{Limits, Permissions, Sandbox};
use boildown_exec::{
    CandidateFile, CommandLine, Executor as _, HarnessKind, RunRequest, Runner, Scratch,
    StdinContent, TypedCommand, WarmExecutor, WarmProgram,
};
use boildown_oracle::{Capture, Interrupt};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let usage = "COUNT PROGRAM|LINE INPUT COMMAND...";
    let mut next = || args.next().ok_or(usage);
    let count: usize = next()?.to_str().ok_or(usage)?.parse()?;
    let kind = next()?;
    let kind = match WarmProgram::NAMES.iter().find(|(name, _)| kind == *name) {
        Some((_, program)) => HarnessKind::Warm(*program),
        None => HarnessKind::Line(kind),
    };
    let path = next()?;
    let input = Path::new(&path);
    let words: Vec<OsString> = args.collect();
    let user_dir = std::env::current_dir()?;
    let runner = Runner {
        command: CommandLine::new(&TypedCommand {
            words: &words,
            input,
            user_dir: &user_dir,
            backup: None,
            stdin: StdinContent::Nothing,
        })?,
        scratch: Arc::new(Scratch::new(&std::env::temp_dir())?),
        file: CandidateFile::like(input)?,
        project: None,
        limits: Limits {
            sandbox: Some(Sandbox::new(&Permissions::default())?),
            ..Limits::default()
        },
        extra_tests: Vec::new(),
        executor: None,
    };
    let interrupt = Interrupt::new()?;
    let content = std::fs::read(input)?;
    let warm = WarmExecutor::new(&kind, &runner, content.clone().into())?;
    let times = warm.try_out(&runner, &interrupt)?;
    println!("on the input: {times:?} {:?}", warm.take_notes());
    let lines: Vec<_> = content.split_inclusive(|byte| *byte == b'\n').collect();
    let [mut warm_time, mut fresh_time] = [Duration::ZERO; 2];
    let mut different = 0;
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    // A candidate that is run again would be run fresh.
    let mut seen = HashSet::from([content.clone()]);
    let mut random = Random(1);
    while seen.len() <= count {
        let candidate = without_some(&lines, &mut random);
        if !seen.insert(candidate.clone()) {
            continue;
        }
        let number = seen.len() - 1;
        let request = RunRequest {
            candidate: &candidate,
            capture: Capture::Output,
            limits: &runner.limits,
        };
        let started = Instant::now();
        let one = warm.execute(&runner, &request, &interrupt)?;
        warm_time += started.elapsed();
        let started = Instant::now();
        let other = runner.run_here(&request, &interrupt)?;
        fresh_time += started.elapsed();
        if (one.outcome, &one.stdout, &one.stderr) != (other.outcome, &other.stdout, &other.stderr)
        {
            different += 1;
            println!("{number}: {one:?}\n     {other:?}");
        }
        *outcomes.entry(other.outcome.to_string()).or_default() += 1;
        if number.is_multiple_of(1000) {
            println!("{number}: {different} differ, {outcomes:?}");
        }
    }
    let mean = |time: Duration| time / u32::try_from(count.max(1)).unwrap_or(1);
    println!(
        "{count} candidates, {different} differ; warm {:?}, fresh {:?}, {:.1} times; {} agreements; {:?}",
        mean(warm_time),
        mean(fresh_time),
        fresh_time.as_secs_f64() / warm_time.as_secs_f64().max(1e-9),
        warm.status().agreements(),
        warm.take_notes(),
    );
    Ok(())
}

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let high = usize::try_from(self.0 >> 33).unwrap_or(0);
        high % end.max(1)
    }
}

/// Returns the text without some runs of lines.
fn without_some(lines: &[&[u8]], random: &mut Random) -> Vec<u8> {
    let mut is_kept = vec![true; lines.len()];
    for _ in 0..=random.below(4) {
        let (from, length) = (random.below(lines.len()), 1 + random.below(8));
        is_kept
            .iter_mut()
            .skip(from)
            .take(length)
            .for_each(|kept| *kept = false);
    }
    let kept = lines.iter().zip(is_kept).filter(|(_, kept)| *kept);
    kept.flat_map(|(line, _)| line.to_vec()).collect()
}

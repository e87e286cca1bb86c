//! Compares warm runs with fresh ones: the same candidates, in pairs, in one process.
//!
//! ```text
//! cargo run --release --example warm -- COUNT PROGRAM|LINE INPUT COMMAND...
//! ```
//!
//! The candidates are the input without some of its lines. Prints the runs that differ, and the
//! mean times.
#![expect(clippy::print_stdout, reason = "it prints its measurements")]

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
    for number in 0..count {
        let (size, step) = (1 + number % 7, number * 31 % lines.len().max(1));
        let kept = lines.iter().enumerate();
        let kept =
            kept.filter(|(at, _)| !(step..step + size).contains(at) && at % (3 + number) != 1);
        let candidate: Vec<u8> = kept.flat_map(|(_, line)| line.to_vec()).collect();
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
        if (one.outcome, &one.stdout) != (other.outcome, &other.stdout) {
            different += 1;
            println!("{number}: {one:?}\n     {other:?}");
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

//! Measures what a run on a worker takes longer than one in this process.
//!
//! The argument is the program `boildown`. Both kinds of runs alternate, so that the load of the
//! machine affects them alike.
#![expect(clippy::print_stdout, reason = "prints its measurements")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_exec::spawn::{Limits, Permissions, Sandbox};
use boildown_exec::{CandidateFile, CommandLine, Runner, Scratch, StdinContent, TypedCommand};
use boildown_oracle::{Capture, Interrupt};
use boildown_worker::WorkerPool;

const ROUNDS: usize = 400;

fn main() {
    let program = std::env::args_os()
        .nth(1)
        .expect("an argument: the program");
    let mut line = program;
    line.push(" worker --jobs 1");
    let typed = TypedCommand {
        words: &["/bin/true".into()],
        input: Path::new("crash.c"),
        user_dir: Path::new("/"),
        backup: None,
        stdin: StdinContent::Nothing,
    };
    let sandbox = Sandbox::new(&Permissions::default()).expect("nothing is asked for");
    let here = Runner {
        project: None,
        command: CommandLine::new(&typed).expect("there is a word"),
        scratch: Arc::new(Scratch::new(&std::env::temp_dir()).expect("it is writable")),
        file: CandidateFile::named("crash.c"),
        limits: Limits {
            sandbox: Some(sandbox),
            ..Limits::default()
        },
        extra_tests: Vec::new(),
        executor: None,
    };
    let interrupt = Interrupt::new().expect("there are file descriptors");
    let pool = Arc::new(WorkerPool::start(vec![line], 0));
    pool.admit(&here, Vec::new(), &interrupt)
        .expect("there are no files");
    println!("{}", pool.take_notes().join("\n"));
    assert_eq!(pool.jobs(), 1, "the worker is ready");
    let mut there = here.clone();
    there.executor = Some(pool);
    for size in [1000, 100_000] {
        let base: Vec<u8> = (0..size)
            .map(|at: u32| at.to_le_bytes()[at as usize % 2])
            .collect();
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS {
            // Another deletion each time.
            let cut = round * base.len() / ROUNDS / 2;
            let candidate = [&base[..cut], &base[cut + base.len() / 10..]].concat();
            for (runner, times) in [&here, &there].into_iter().zip(&mut times) {
                let started = Instant::now();
                runner
                    .run(&candidate, Capture::Nothing, &interrupt)
                    .expect("it can be run");
                times.push(started.elapsed());
            }
        }
        let [here, there] = times.map(median);
        println!(
            "{size} bytes: {:.3} ms here, {:.3} ms on a worker, {:+.3} ms",
            milliseconds(here),
            milliseconds(there),
            milliseconds(there) - milliseconds(here)
        );
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
